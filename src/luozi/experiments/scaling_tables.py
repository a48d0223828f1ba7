"""What `scaling` found: the arithmetic, the tables, the sentences and the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

from luozi.contests.running import Run, first_player_score
from luozi.experiments.cost import mean_interval
from luozi.experiments.scores import Interval
from luozi.experiments.speeds import APART, ONE, SIMULATIONS, Speed
from luozi.experiments.table import (
    COUNT,
    NUMBER,
    NUMBER_INTERVAL,
    SHARE,
    SHARE_INTERVAL,
    SPELLING,
    TEXT,
    YES_NO,
    Column,
    Drawing,
    Table,
    number,
)
from luozi.messages import Message, counted, joined
from luozi.rules import Game
from luozi.statistics.matches import mean_interval as share_interval
from luozi.text import percent, percent_interval

FUEGO = {9: 11_400, 19: 2_750}  # simulations a second of one core, by the size of the Go board
IDLE = 0.95  # of a core: a single thread that gets less had company
NOTHING = "Nothing is measured yet."


class Place(NamedTuple):
    """Where speeds are measured."""

    game: str
    threads: int


class Match(NamedTuple):
    """Who plays: so many threads of a kind against one thread."""

    game: str
    kind: str
    threads: int
    way: str  # at equal time, or at equal iterations


Speeds = Mapping[Place, Sequence[Mapping[str, Speed]]]  # the repeats, each with all kinds
Matches = Mapping[Match, Run]


# The arithmetic -------------------------------------------------------------------------------------------------------


def values_of(repeats: Sequence[Mapping[str, Speed]], name: str, what: str = "rate") -> list[float]:
    """One figure of one kind in all repeats.

    >>> values_of([{"free": {"rate": 20.0}}, {"free": {"rate": 30.0}}], "free")
    [20.0, 30.0]
    """
    return [repeat[name][what] for repeat in repeats if name in repeat]


def ratios(repeats: Sequence[Mapping[str, Speed]], name: str, base: str) -> list[float]:
    """How much faster one kind is than another, in each repeat by itself.

    >>> ratios([{"free": {"rate": 30.0}, "apart": {"rate": 40.0}}], "free", "apart")
    [0.75]
    """
    return [repeat[name]["rate"] / max(repeat[base]["rate"], 1e-9) for repeat in repeats if name in repeat]


class Gain(NamedTuple):
    """What a kind brings with so many threads."""

    rate: float
    speedup: float
    interval: Interval | None
    yardstick: float  # its rate in that of as many searches apart
    lost: float
    busy: float  # cores
    full: bool
    repeats: int


def gain_of(repeats: Sequence[Mapping[str, Speed]], kind: str) -> Gain | None:
    """All that is known of a kind at one place; None if nothing is."""
    gains = ratios(repeats, kind, ONE)
    if not gains:
        return None
    return Gain(
        median(values_of(repeats, kind)),
        fmean(gains),
        mean_interval(gains),
        fmean(ratios(repeats, kind, APART)),
        fmean(values_of(repeats, kind, "lost")),
        median(values_of(repeats, kind, "busy")),
        any(values_of(repeats, kind, "full")),
        len(gains),
    )


def one_lock_limit(simulating: float) -> float:
    """How many times faster a tree with one lock can get at most: what is not simulation goes one after the other.

    >>> one_lock_limit(0.75)
    4.0
    """
    return 1 / max(1e-9, 1 - min(simulating, 1.0))


def kinds_in(speeds: Speeds, game: str) -> list[str]:
    """The kinds that were measured on a game, the yardstick last."""
    names = dict.fromkeys(
        name for place, found in speeds.items() if place.game == game for one in found for name in one
    )
    return [name for name in sorted(names, key=lambda name: name == APART) if name not in (ONE, SIMULATIONS)]


# Tables ---------------------------------------------------------------------------------------------------------------

SPEED_COLUMNS = (
    Column("game", SPELLING),
    Column("kind", TEXT),
    Column("threads", COUNT),
    Column("simulations/s", NUMBER),
    Column("speed-up", NUMBER),
    Column("95 % interval", NUMBER_INTERVAL),
    Column("of the yardstick", SHARE),
    Column("visits lost", SHARE),
    Column("cores in use", NUMBER, minor=True),
    Column("pool full", YES_NO, minor=True),
    Column("repeats", COUNT, minor=True),
)
ONE_COLUMNS = (
    Column("game", SPELLING),
    Column("simulations/s", NUMBER),
    Column("without a tree", NUMBER),
    Column("time in simulations", SHARE),
    Column("most with one lock", NUMBER),
    Column("ready for others", SHARE),
    Column("cores in use", NUMBER, minor=True),
    Column("Fuego 0.3", COUNT),
)
STRENGTH_COLUMNS = (
    Column("game", SPELLING),
    Column("kind", TEXT),
    Column("threads", COUNT),
    Column("at", TEXT),
    Column("games", COUNT),
    Column("win rate", SHARE),
    Column("95 % interval", SHARE_INTERVAL),
)


def all_tables(games: Sequence[Game], speeds: Speeds, matches: Matches) -> tuple[Table, ...]:
    """Those of what was asked for."""
    found = []
    if speeds:
        found.append(Table("Simulations a second", SPEED_COLUMNS, tuple(speed_rows(speeds))))
        found.append(Table("One thread", ONE_COLUMNS, tuple(one_row(game, speeds) for game in games)))
    if matches:
        rows = tuple((*match[:4], *strength_of(run)) for match, run in matches.items())
        found.append(Table("Threads against one thread", STRENGTH_COLUMNS, rows))
    return tuple(found)


def speed_rows(speeds: Speeds) -> list[tuple[Any, ...]]:
    """One line a game, a kind and a number of threads; dashes where nothing is measured yet."""
    rows = []
    for game in dict.fromkeys(place.game for place in speeds):
        for kind in kinds_in(speeds, game):
            for place, repeats in speeds.items():
                gain = gain_of(repeats, kind) if place.game == game else None
                if gain is not None:
                    lost = None if kind == APART else gain.lost
                    figures = (gain.rate, gain.speedup, gain.interval, gain.yardstick, lost)
                    rows.append((game, kind, place.threads, *figures, gain.busy, gain.full, gain.repeats))
    return rows


def one_row(game: Game, speeds: Speeds) -> tuple[Any, ...]:
    """What one thread does, and how much of its time is simulation, which nobody waits for."""
    repeats = [one for place, found in speeds.items() if place.game == game.spelling for one in found]
    theirs = FUEGO.get(getattr(game, "size", 0)) if game.spelling.startswith("go:") or game.spelling == "go" else None
    if not repeats:
        return (game.spelling, *[None] * 6, theirs)
    simulating = min(1.0, fmean(ratios(repeats, ONE, SIMULATIONS)))
    ready = gain_of(speeds.get(Place(game.spelling, 1), ()), "free")
    return (
        game.spelling,
        median(values_of(repeats, ONE)),
        median(values_of(repeats, SIMULATIONS)),
        simulating,
        one_lock_limit(simulating),
        None if ready is None else ready.speedup,
        median(values_of(repeats, ONE, "busy")),
        theirs,
    )


def strength_of(run: Run) -> tuple[int, float | None, Interval | None]:
    """Games, the score of the player with threads against each of the others, and its interval."""
    encounters: dict[int, list[float]] = {}
    for game in run.counted:
        encounters.setdefault(game.encounter, []).append(first_player_score(game))
    scores = [score for group in encounters.values() for score in group]
    return (len(scores), fmean(scores), share_interval(list(encounters.values()))) if scores else (0, None, None)


# What it says ---------------------------------------------------------------------------------------------------------


def findings(games: Sequence[Game], speeds: Speeds, matches: Matches) -> tuple[str, ...]:
    """The sentences."""
    said = [sentence for game in games for sentence in speed_sentences(game.spelling, speeds)]
    said += [sentence for game in games for sentence in beside_fuego(one_row(game, speeds))]
    said += [sentence for game in games for sentence in strength_sentences(game.spelling, matches)]
    return (*(said or [NOTHING]), *company(speeds))


def speed_sentences(game: str, speeds: Speeds) -> list[str]:
    """How far each kind comes on a game, what it costs to be ready, and what plain counters lose."""
    best = {kind: top for kind in kinds_in(speeds, game) if (top := fastest(speeds, game, kind)) is not None}
    if "free" not in best:
        return []
    threads, gain = best["free"]
    said: list[str] = [
        Message(
            "{game}: the lock-free tree is fastest with {threads}, {speed} times one thread, and has {share} "
            "of the speed of as many searches that share nothing.",
            game=game,
            threads=counted(threads, "thread"),
            speed=number(gain.speedup),
            share=percent(gain.yardstick),
        )
    ]
    others = [f"{kind} {number(top.speedup)} ({at})" for kind, (at, top) in best.items() if kind not in ("free", APART)]
    if others:
        said.append(
            Message("{game}: the best of the others, with their threads: {names}.", game=game, names=", ".join(others))
        )
    ready = gain_of(speeds.get(Place(game, 1), ()), "free")
    if ready is not None:
        said.append(
            Message(
                "{game}: the code for several threads runs at {share} of the plain one's speed.",
                game=game,
                share=percent(ready.speedup),
            )
        )
    lost = {place.threads: found.lost for place, found in gains(speeds, game, "plain").items() if place.threads > 1}
    if lost:
        most = max(lost, key=lambda count: lost[count])
        said.append(
            Message(
                "{game}: plain counters lose up to {share} of the root's visits ({count} threads).",
                game=game,
                share=percent(lost[most]),
                count=most,
            )
        )
    return said


def beside_fuego(row: Sequence[Any]) -> list[str]:
    """One thread beside the source's, where it has a figure.

    >>> beside_fuego(("go:size=9", 93_000.0, None, None, None, None, None, 11_400))
    ['go:size=9: one thread makes 93,000 simulations a second, a core of Fuego 0.3 made 11,400.']
    """
    if row[1] is None or row[-1] is None:
        return []
    return [
        Message(
            "{game}: one thread makes {count} simulations a second, a core of Fuego 0.3 made {theirs}.",
            game=row[0],
            count=number(row[1]),
            theirs=f"{row[-1]:,}",
        )
    ]


def gains(speeds: Speeds, game: str, kind: str) -> dict[Place, Gain]:
    """What a kind brings on a game, by number of threads."""
    found = {place: gain_of(repeats, kind) for place, repeats in speeds.items() if place.game == game}
    return {place: gain for place, gain in found.items() if gain is not None}


def fastest(speeds: Speeds, game: str, kind: str) -> tuple[int, Gain] | None:
    """The number of threads with which a kind is fastest."""
    known = gains(speeds, game, kind)
    if not known:
        return None
    place = max(known, key=lambda place: known[place].speedup)
    return place.threads, known[place]


def strength_sentences(game: str, matches: Matches) -> list[str]:
    """How threads fare against one."""
    said: list[str] = []
    for kind, way in dict.fromkeys((match.kind, match.way) for match in matches if match.game == game):
        rates = []
        for match, run in matches.items():
            _, score, interval = strength_of(run)
            if (match.game, match.kind, match.way) == (game, kind, way) and score is not None and interval is not None:
                rates.append(
                    Message(
                        "{count} threads {score} ({interval})",
                        count=match.threads,
                        score=percent(score),
                        interval=percent_interval(*interval),
                    )
                )
        if rates:
            said.append(
                Message(
                    "{game}, {name}, at {way}: against one thread {parts}.",
                    game=game,
                    name=kind,
                    way=Message(way),
                    parts=joined(rates),
                )
            )
    return said


def company(speeds: Speeds) -> tuple[str, ...]:
    """A warning if the machine had other work."""
    shares = [share for repeats in speeds.values() for share in values_of(repeats, ONE, "busy")]
    if not shares or median(shares) >= IDLE:
        return ()
    return (
        Message(
            "Other work ran on this machine: one thread got {share} of a core. Measure again when it is idle.",
            share=percent(median(shares)),
        ),
    )


# The picture ----------------------------------------------------------------------------------------------------------


def drawing(games: Sequence[Game], speeds: Speeds, matches: Matches, cores: int) -> Drawing | None:
    """The speed-up of each kind on each game, and the win rates at equal time and at equal iterations."""
    from_speeds = {game.spelling: kinds_in(speeds, game.spelling) for game in games}
    known = {match: strength_of(run) for match, run in matches.items() if run.counted}
    if not any(from_speeds.values()) and not known:
        return None

    def draw() -> object:
        from luozi.experiments.charts import Series, scaling_panels

        speed_panels = []
        for game, kinds in from_speeds.items():
            lines = []
            for kind in kinds:
                found = {place.threads: gain for place, gain in gains(speeds, game, kind).items()}
                ends = [gain.interval or (gain.speedup, gain.speedup) for gain in found.values()]
                lines.append(Series(kind, list(found), [gain.speedup for gain in found.values()], ends))
            if lines:
                speed_panels.append((game, lines))
        rate_panels = []
        for way in dict.fromkeys(match.way for match in known):
            lines = []
            for game, kind in dict.fromkeys((match.game, match.kind) for match in known):
                points = [
                    (match.threads, score, ends)
                    for match, (_, score, ends) in known.items()
                    if (match.game, match.kind, match.way) == (game, kind, way)
                    and score is not None
                    and ends is not None
                ]
                if points:
                    lines.append(Series(f"{game}, {kind}", *zip(*points, strict=True)))
            rate_panels.append((f"Strength at {way}", lines))
        return scaling_panels(speed_panels, rate_panels, cores, APART)

    said = " ".join(findings(games, speeds, matches))
    return Drawing(draw, f"Speed-up and win rate by number of threads, with the line of equal gain. {said}")
