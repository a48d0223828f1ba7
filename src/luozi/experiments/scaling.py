"""`scaling`: what threads bring: simulations a second by the way they share a tree, and strength."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean, median
from typing import Annotated, Any, NamedTuple

from luozi.experiments.ablation import ITERATIONS, OPENING, TIME, equal_limits, equal_time_text
from luozi.experiments.cost import mean_interval
from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment
from luozi.experiments.speeds import (
    APART,
    KINDS,
    ONE,
    SIMULATIONS,
    Speed,
    known_kinds,
    measured_apart,
    one_tree,
)
from luozi.experiments.table import GAMES, INTERVAL, RATE, SCORE, CurveDrawing, CurvesOf, Record
from luozi.games import game as make_game
from luozi.matches.runner import first_player_score
from luozi.matches.workers import Here, OnCluster
from luozi.messages import LuoziError, Message, nearest
from luozi.reports.pages import Code, Line
from luozi.rules.game import Game
from luozi.statistics.matches import mean_interval as share_interval
from luozi.util.machine import cores, processor_name
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.parsing import whole_number
from luozi.util.tables import COUNT, NUMBER, NUMBER_INTERVAL, SHARE, SPELLING, YES_NO, TextColumn

SOURCE = "Enzenberger and Mueller 2009 (Fuego 0.3)"
ALL, BOTH, SPEED, STRENGTH = "all", "both", "speed", "strength"
MOST_THREADS = 256
FUEGO = {9: 11_400, 19: 2_750}  # simulations a second of one core, by the size of the Go board

NOTE = (
    "Speed-ups are to one thread of the code that knows of no others, measured in the same process; intervals are "
    "Student's, over the repeats. The yardstick is as many one-thread searches at once as there are threads, each with "
    "a tree of its own. With threads=1 a kind's code runs in one thread: what it costs to be ready for others. "
    "Lost visits are the root's. Fuego's figures are simulations a second of one core in 2009, with its own knowledge "
    "in them; of its lock-free tree its authors say that it scales significantly better than a locked one. Where one "
    "thread had less than 95 % of a core in use, other work ran on the machine: measure again when it is idle."
)
GAMES_NOTE = (
    "Win rates are those of the player with threads against players with one thread in all other seats: 50 % is equal. "
    "Games are played one at a time, so that threads have the machine to themselves."
)
SPEED_COLUMNS = (
    TextColumn("game", SPELLING),
    TextColumn("kind"),
    TextColumn("threads", COUNT),
    TextColumn("simulations/s", NUMBER),
    TextColumn("speed-up", NUMBER),
    TextColumn(INTERVAL, NUMBER_INTERVAL),
    TextColumn("of the yardstick", SHARE),
    TextColumn("visits lost", SHARE),
    TextColumn("cores in use", NUMBER, minor=True),
    TextColumn("pool full", YES_NO, minor=True),
    TextColumn("repeats", COUNT, minor=True),
)
ONE_COLUMNS = (
    TextColumn("game", SPELLING),
    TextColumn("simulations/s", NUMBER),
    TextColumn("without a tree", NUMBER),
    TextColumn("time in simulations", SHARE),
    TextColumn("most with one lock", NUMBER),
    TextColumn("ready for others", SHARE),
    TextColumn("cores in use", NUMBER, minor=True),
    TextColumn("Fuego 0.3", COUNT),
)
STRENGTH_COLUMNS = (
    TextColumn("game", SPELLING),
    TextColumn("kind"),
    TextColumn("threads", COUNT),
    TextColumn("at"),
    GAMES,
    *SCORE,
)
SPEEDS, STRENGTHS = "Simulations a second", "Threads against one thread"
CURVES = (
    CurvesOf(
        SPEEDS, "threads", "speed-up", title="{}", split="game", lines=("kind",), y_label="speed-up", proportional=True
    ),
    CurvesOf(
        STRENGTHS,
        "threads",
        title="Strength at {}",
        split="at",
        lines=("game", "kind"),
        y_label="win rate against one thread",
        even=0.5,
    ),
)


class ScalingPlan(NamedTuple):
    """What is measured, beside the budget."""

    games: tuple[Game, ...]
    threads: tuple[int, ...]
    kinds: tuple[str, ...]
    playing: tuple[str, ...]
    repeats: int
    span: float


@experiment(
    "scaling",
    title="Threads: speed and strength",
    source=SOURCE,
    budget=ExperimentBudget(100, iterations=5_000),
    quick=ExperimentBudget(4, iterations=200),
)
def measure_scaling(
    bench: Bench,
    threads: Annotated[
        str, ParameterInfo("numbers of threads joined by + or commas; not given, 1+2+4+8+16, quick 1+2")
    ] = "",
    game: Annotated[
        str, ParameterInfo("games separated by spaces; not given, go:size=9 gomoku five3d, quick gomoku")
    ] = "",
    kinds: Annotated[
        str, ParameterInfo(Message("whose speed is measured, joined by +: {names}", names=", ".join(KINDS)))
    ] = ALL,
    playing: Annotated[str, ParameterInfo("who plays against one thread, joined by +")] = "free",
    measure: Annotated[str, ParameterInfo("speed, strength or both", choices=(BOTH, SPEED, STRENGTH))] = BOTH,
    repeats: Annotated[int | None, ParameterInfo("of each speed; not given, 5, quick 2", 1, 1000)] = None,
    span: Annotated[
        float | None, ParameterInfo("seconds of a search whose speed is measured; not given, 2, quick 0.3", 0.01, 1000)
    ] = None,
) -> Design:
    """How many simulations a second do threads bring, by the way they share a tree, and how much strength, at equal
    time and at equal iterations? Beside the speed stands that of as many searches that share nothing.
    """
    written = game or ("gomoku" if bench.quick else "go:size=9 gomoku five3d")
    plan = ScalingPlan(
        tuple(make_game(one) for one in dict.fromkeys(written.split())),
        read_counts(threads or ("1+2" if bench.quick else "1+2+4+8+16")),
        read_kinds(kinds, "kinds"),
        read_kinds(playing, "playing"),
        repeats or (2 if bench.quick else 5),
        span or (0.3 if bench.quick else 2.0),
    )
    if not plan.games:
        raise LuoziError("scaling needs a game: write one or several, separated by spaces")
    play_one_at_a_time(bench)
    tables: list[TableDesign] = []
    if measure != STRENGTH:
        tables += speed_tables(bench, plan)
    limits = {one.spelling: equal_limits(bench, one) for one in plan.games} if measure != SPEED else {}
    rows = strength_rows(bench, plan, limits)
    tables += [TableDesign(STRENGTHS, STRENGTH_COLUMNS, rows)] if rows else []
    facts: tuple[tuple[str, Line], ...] = (
        ("games", Code(" ".join(one.spelling for one in plan.games))),
        ("machine", Message("{text}, {count} cores", text=processor_name(), count=cores())),
        *((Message("equal time, {text}", text=name), equal_time_text(limit)) for name, limit in limits.items()),
        *(
            [("speeds", Message("{count} repeats of {seconds} s each", count=plan.repeats, seconds=f"{plan.span:g}"))]
            if measure != STRENGTH
            else []
        ),
    )
    notes = (*([NOTE] if measure != STRENGTH else []), *([GAMES_NOTE] if rows else []))
    drawing = CurveDrawing(CURVES, "threads", mark=(cores(), "cores of this machine"), yardstick=APART)
    return Design(tables, facts, notes, drawing)


def read_counts(written: str) -> tuple[int, ...]:
    """Return numbers of threads, in order.

    >>> read_counts("1+2+4"), read_counts("4,1,2,2")
    ((1, 2, 4), (1, 2, 4))
    """
    found = [whole_number(word, 1, MOST_THREADS) for word in re.split("[+,]", written)]
    known = sorted({one for one in found if one is not None})
    if None in found:
        raise LuoziError(
            "threads={value} is not valid; write whole numbers from 1 to {most}, such as 1+2+4 or 1,2,4",
            value=written,
            most=MOST_THREADS,
        )
    return tuple(known)


def read_kinds(written: str, name: str) -> tuple[str, ...]:
    """Return kinds by name, or all that the search has.

    >>> read_kinds("free+global", "kinds")
    ('free', 'global')
    """
    known = known_kinds()
    words = [word.strip() for word in re.split("[+,]", written)]
    for word in words:
        if word not in (ALL, *known):
            raise LuoziError(
                "{name}={value} is not valid: there is no kind '{text}'{nearest}",
                name=name,
                value=written,
                text=word,
                nearest=nearest(word, [ALL, *known]),
            )
    return tuple(known) if ALL in words else tuple(dict.fromkeys(words))


def play_one_at_a_time(bench: Bench) -> None:
    """Play games one after the other, since the threads of two games would compete."""
    if isinstance(bench.executor, OnCluster):
        raise LuoziError("scaling plays one game at a time on this machine. Remove --cluster.")
    bench.executor = Here()


# Speed ----------------------------------------------------------------------------------------------------------------


def speed_tables(bench: Bench, plan: ScalingPlan) -> list[TableDesign]:
    """Return the tables of speeds: rows by game, kind and number of threads, and rows of one thread."""
    rows, ones = [], []
    for game in plan.games:
        todo = {count: speeds_to_measure(bench, plan, game, count) for count in plan.threads}
        for kind in (*plan.kinds, APART):
            for count in plan.threads:
                if kind == APART or count > 1 or one_tree(kind):
                    known = {"game": game.spelling, "kind": kind, "threads": count}
                    rows.append(ExperimentRow(known, measurements=todo[count], summarise=gain_of))
        every = {key: function for functions in todo.values() for key, function in functions.items()}
        known = {"game": game.spelling, "Fuego 0.3": fuego_of(game), "with one thread": list(todo.get(1, ()))}
        ones.append(ExperimentRow(known, measurements=every, summarise=one_thread))
    return [TableDesign(SPEEDS, SPEED_COLUMNS, rows), TableDesign("One thread", ONE_COLUMNS, ones)]


def speeds_to_measure(bench: Bench, plan: ScalingPlan, game: Game, count: int) -> dict[str, Callable[[], Any]]:
    """Return the measurements for a number of threads, all kinds in each."""
    found: dict[str, Callable[[], Any]] = {}
    for repeat in range(plan.repeats):
        wanted = {
            "game": game.spelling,
            "threads": count,
            "kinds": [kind for kind in plan.kinds if count > 1 or one_tree(kind)],
            "seconds": plan.span,
            "seed": bench.seed + repeat,
            "first": repeat,
        }
        found[speed_key(wanted)] = partial(measured_apart, wanted)
    return found


def speed_key(wanted: Mapping[str, Any]) -> str:
    """Return all that a speed depends on."""
    kinds = "+".join(wanted["kinds"])
    return (
        f"{processor_name()}, {cores()} cores, {wanted['game']}, threads {wanted['threads']}, {kinds}, "
        f"{wanted['seconds']:g} s, repeat {wanted['first']}"
    )


def values_of(repeats: Sequence[Mapping[str, Speed]], name: str, what: str = "rate") -> list[float]:
    """Return one figure of one kind in all repeats.

    >>> values_of([{"free": {"rate": 20.0}}, {"free": {"rate": 30.0}}], "free")
    [20.0, 30.0]
    """
    return [repeat[name][what] for repeat in repeats if name in repeat]


def ratios(repeats: Sequence[Mapping[str, Speed]], name: str, base: str) -> list[float]:
    """Return the ratio of the speeds of two kinds in each repeat.

    >>> ratios([{"free": {"rate": 30.0}, "apart": {"rate": 40.0}}], "free", "apart")
    [0.75]
    """
    return [repeat[name]["rate"] / max(repeat[base]["rate"], 1e-9) for repeat in repeats if name in repeat]


def gain_of(row: ExperimentRow) -> Record:
    """Return the speed-up of a kind with so many threads; nothing before it is measured."""
    kind, repeats = row.known["kind"], list(row.measured.values())
    gains = ratios(repeats, kind, ONE)
    if not gains:
        return {}
    return {
        "simulations/s": median(values_of(repeats, kind)),
        "speed-up": fmean(gains),
        INTERVAL: mean_interval(gains),
        "of the yardstick": fmean(ratios(repeats, kind, APART)),
        "visits lost": None if kind == APART else fmean(values_of(repeats, kind, "lost")),
        "cores in use": median(values_of(repeats, kind, "busy")),
        "pool full": any(values_of(repeats, kind, "full")),
        "repeats": len(gains),
    }


def one_thread(row: ExperimentRow) -> Record:
    """Return the speed of one thread, and the share of playouts in its time."""
    repeats = list(row.measured.values())
    if not repeats:
        return {}
    simulating = min(1.0, fmean(ratios(repeats, ONE, SIMULATIONS)))
    ready = ratios([row.measured[key] for key in row.known["with one thread"] if key in row.measured], "free", ONE)
    return {
        "simulations/s": median(values_of(repeats, ONE)),
        "without a tree": median(values_of(repeats, SIMULATIONS)),
        "time in simulations": simulating,
        "most with one lock": one_lock_limit(simulating),
        "ready for others": fmean(ready) if ready else None,
        "cores in use": median(values_of(repeats, ONE, "busy")),
    }


def fuego_of(game: Game) -> int | None:
    """Return the source's figure for a Go board, or None."""
    return FUEGO.get(getattr(game, "size", 0)) if game.spelling.partition(":")[0] == "go" else None


def one_lock_limit(simulating: float) -> float:
    """Return the largest speed-up of a tree with one lock, where only playouts run in parallel (Amdahl).

    >>> one_lock_limit(0.75)
    4.0
    """
    return 1 / max(1e-9, 1 - min(simulating, 1.0))


# Strength -------------------------------------------------------------------------------------------------------------


def strength_rows(
    bench: Bench, plan: ScalingPlan, limits: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> list[ExperimentRow]:
    """Return rows of threads against one thread, at equal time and equal iterations, as far as these are known."""
    rows = []
    for game in plan.games:
        for way in (TIME, ITERATIONS):
            limit = limits.get(game.spelling, {}).get(way)
            for kind in plan.playing if limit is not None else ():
                for count in (count for count in plan.threads if count > 1):
                    players = seats_of(game, kind, count, limit or {})
                    run = bench.contest(game.spelling, players, bench.budget.games, openings=OPENING)
                    known = {"game": game.spelling, "kind": kind, "threads": count, "at": way}
                    rows.append(ExperimentRow(known, [run], summarise=strength_of))
    return rows


def strength_of(row: ExperimentRow) -> Record:
    """Return the games and the score of the player with threads against each of the others, with its interval."""
    encounters: dict[int, list[float]] = {}
    for game in row.runs[0].counted:
        encounters.setdefault(game.encounter, []).append(first_player_score(game))
    scores = [score for group in encounters.values() for score in group]
    if not scores:
        return {"games": 0}
    return {"games": len(scores), RATE: fmean(scores), INTERVAL: share_interval(list(encounters.values()))}


def seats_of(game: Game, kind: str, threads: int, limit: Mapping[str, float]) -> Sequence[str]:
    """The player with threads, and one with one thread for each other seat."""
    with_threads = join_spelling("mcts", {**limit, "threads": threads, **KINDS[kind]})
    return [with_threads, *[join_spelling("mcts", dict(limit))] * (game.players - 1)]
