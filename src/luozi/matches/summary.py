"""The result of a match or tournament: `summarise` returns it as numbers, without clock times; its tables as text."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from rich.console import Console
from rich.text import Text

from luozi.matches.runner import Run, first_player_score
from luozi.matches.store import ScoredGame
from luozi.messages import Message, counted, joined, translate
from luozi.statistics.matches import (
    MatchScore,
    Sprt,
    elo,
    elo_interval,
    likelihood_of_superiority,
    mean_interval,
    normalized_elo,
    score_interval,
)
from luozi.statistics.ratings import cross_table, fit_ratings
from luozi.util.console import TextConsole
from luozi.util.formats import page_width, percent, show_line, signed
from luozi.util.parsing import JsonObject
from luozi.util.tables import COUNT, FIGURE, SHARE, SHARE_INTERVAL, SPELLING, Said, Table, TextColumn

Interval = tuple[float, float]

# A test ends in the middle of a lucky run more often than in an unlucky one.
BIASED = Message(
    "a sequential test ends early when a result looks extreme: the score, the Elo and their intervals are biased"
)


@dataclass(frozen=True)
class PlayerScore:
    """The result of one player. A win is a point; players who share the first place share the point."""

    label: str
    games: int
    wins: int
    draws: int  # first places that were shared
    losses: int
    forfeits: int
    score: float  # points per game
    interval: Interval
    seats: tuple[float, ...]  # points per game in each seat
    elo: float | None  # fitted to all finishing orders, with the mean at 0
    error: float | None  # half the width of its 95 % interval


@dataclass(frozen=True)
class Duel:
    """The result of a match of two, for the first player."""

    score: float
    interval: Interval
    elo: float
    elo_interval: Interval
    normalized_elo: float | None
    superiority: float  # likelihood that the first player is stronger (LOS)
    pairs: tuple[int, ...]  # pentanomial: pairs of games with 0, 0.5, 1, 1.5, 2 points


@dataclass(frozen=True)
class Summary:
    """A match or tournament and its result."""

    id: str
    kind: str
    game: str
    seed: int
    openings: str
    wanted: int  # games in all, if no test stops them
    finished: int
    counted: int
    complete: bool
    moves: float  # a game, on average
    rows: tuple[PlayerScore, ...]
    duel: Duel | None
    sprt: dict[str, float | str | None] | None
    points: tuple[tuple[float, ...], ...]  # of each player against each other one
    meetings: tuple[tuple[int, ...], ...]  # games of each player against each other one
    forfeits: tuple[tuple[str, str, int], ...]  # player, reason, how often

    def as_dict(self) -> JsonObject:
        """Return the values for JSON, where an infinite Elo is null."""
        return finite(asdict(self))

    def __str__(self) -> str:
        return summary_text(self)

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return summary_html(self)


def summarise(run: Run) -> Summary:
    """Return the result of the finished games.

    >>> from luozi.matches.schedule import MatchSchedule
    >>> summarise(Run(MatchSchedule.of("tictactoe", ["random", "flat"]), games=10)).finished
    0
    """
    games, contest = run.counted, run.contest
    orders = [(game.encounter, game.seats, game.results) for game in games]
    points, meetings = cross_table(orders, len(contest.players))
    reasons = Counter((contest.labels[game.loser], game.forfeit) for game in games if game.forfeit)
    return Summary(
        contest.id,
        contest.kind,
        contest.game,
        contest.seed,
        str(contest.openings),
        run.wanted,
        len(run.played),
        len(games),
        run.complete,
        sum(game.moves for game in games) / max(1, len(games)),
        rows(contest.labels, contest.seats, games),
        duel(games) if contest.kind == "match" and contest.seats == 2 and games else None,
        sprt_state(run.sprt, run) if run.sprt else None,
        tuple(map(tuple, points.tolist())),
        tuple(map(tuple, meetings.tolist())),
        tuple((*who, count) for who, count in sorted(reasons.items())),
    )


def finite(value: Any) -> Any:
    """Return the values with None for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value


def share(game: ScoredGame, player: int) -> float:
    """Return a player's share of the first place."""
    best = max(game.results)
    if game.results[game.seats.index(player)] < best:
        return 0.0
    return 1 / game.results.count(best)


def rows(labels: Sequence[str], seats: int, games: Sequence[ScoredGame]) -> tuple[PlayerScore, ...]:
    """Return the results of all players, in the order in which they were named."""
    orders = [(game.encounter, game.seats, game.results) for game in games]
    ratings = fit_ratings(orders, len(labels)) if games else None
    found = []
    for player, label in enumerate(labels):
        own = [game for game in games if player in game.seats]
        shares = [share(game, player) for game in own]
        encounters: dict[int, list[float]] = {}
        by_seat: list[list[float]] = [[] for _ in range(seats)]
        for game, points in zip(own, shares, strict=True):
            encounters.setdefault(game.encounter, []).append(points)
            by_seat[game.seats.index(player)].append(points)
        found.append(
            PlayerScore(
                label,
                len(own),
                shares.count(1.0),
                sum(0 < points < 1 for points in shares),
                shares.count(0.0),
                sum(game.loser == player and bool(game.forfeit) for game in own),
                mean(shares),
                mean_interval(list(encounters.values())) if own else (0.0, 1.0),
                tuple(mean(points) for points in by_seat),
                None if ratings is None else ratings.players[player].elo,
                None if ratings is None else ratings.players[player].half_width,
            )
        )
    return tuple(found)


def mean(values: Sequence[float]) -> float:
    """Return the mean, or 0 without values."""
    return sum(values) / len(values) if values else 0.0


def duel(games: Sequence[ScoredGame]) -> Duel:
    """Return the result of a match of two."""
    tally = tally_of(games)
    return Duel(
        tally.score,
        score_interval(tally),
        elo(tally.score),
        elo_interval(tally),
        normalized_elo(tally),
        likelihood_of_superiority(tally),
        tuple(tally.pairs),
    )


def tally_of(games: Sequence[ScoredGame]) -> MatchScore:
    """Return the pairs of scores of a match of two."""
    pairs: dict[int, list[float]] = {}
    for game in games:
        pairs.setdefault(game.encounter, []).append(first_player_score(game))
    return MatchScore.of(tuple(scores) for scores in pairs.values())


def sprt_state(sprt: Sprt, run: Run) -> dict[str, float | str | None]:
    """Return the state of a sequential test as plain values."""
    bounds = {"lower": sprt.lower, "upper": sprt.upper}
    return {**asdict(sprt), **bounds, "llr": run.llr, "verdict": run.verdict, "biased": run.verdict is not None}


# Tables ---------------------------------------------------------------------------------------------------------------


def show_summary(console: Console, summary: Summary, said: Said = translate) -> None:
    """Print all of a result."""
    state = (
        "complete"
        if summary.complete
        else Message(
            "{finished} of {wanted} games so far", finished=f"{summary.finished:,}", wanted=f"{summary.wanted:,}"
        )
    )
    title = f"{said(summary.kind)} {summary.id}"
    seed = said(Message("seed {seed}", seed=summary.seed))
    about = f"   {summary.game}, {said(summary.openings)}, {seed}; {said(state)}"
    console.print(Text.assemble((title, "bold"), about))
    if not summary.counted:
        console.print(said("no game is finished yet"))
        return
    rows_table(summary).show(console, said)
    if summary.duel is None and len(summary.rows) > 2:
        points_table(summary, [row.label for row in summary.rows]).show(console, said)
    if summary.duel is not None:
        show_duel(console, summary.duel, summary.rows[0].label, said)
    if summary.sprt is not None:
        console.print(Text(said(sprt_text(summary.sprt))))
    for who, what, times in summary.forfeits:
        show_line(
            console,
            said(
                Message(
                    "forfeit: {who} {what} ({times})",
                    who=Message(who),
                    what=Message(what),
                    times=counted(times, "game"),
                )
            ),
        )


def summary_text(summary: Summary, width: int | None = None) -> str:
    """Return the printed result as English text, by default as wide as the terminal."""
    console = TextConsole(file=io.StringIO(), width=width or page_width(), highlight=False)
    with console.capture() as captured:
        show_summary(console, summary, str)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def summary_html(summary: Summary) -> str:
    """Return an HTML table with a bar for each score and a line for its interval, and the rest as text."""
    rows = []
    for row in summary.rows:
        low, high = row.interval
        line = f"left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
        bar = (
            "<div style='position:relative;width:12rem;height:1em;background:#ddd'>"
            f"<div style='width:{100 * row.score:.1f}%;height:100%;background:#1d6fb8'></div>"
            f"<div style='position:absolute;top:45%;height:2px;background:#d55e00;{line}'></div></div>"
        )
        cells = (row.label, row.games, row.wins, row.draws, row.losses, percent(row.score))
        rows.append(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}<td>{bar}</td></tr>")
    names = ("player", "games", "wins", "draws", "losses", "score", "with its 95 % interval")
    head = "".join(f"<th>{name}</th>" for name in names)
    table = f'<table style="white-space:nowrap"><tr>{head}</tr>{"".join(rows)}</table>'
    return f"{table}<pre>{escape(summary_text(summary, 100))}</pre>"


def ranking(row: PlayerScore) -> tuple[float, str]:
    """Return a key that sorts players, the best first."""
    return (-(row.elo if row.elo is not None else row.score), row.label)


def ordered(summary: Summary) -> list[int]:
    """Return the players' numbers, the best first; in a match of two the first player first."""
    players = range(len(summary.rows))
    return list(players) if summary.duel else sorted(players, key=lambda player: ranking(summary.rows[player]))


def rows_table(summary: Summary) -> Table:
    """Return the table of the players."""
    rows = [summary.rows[player] for player in ordered(summary)]
    columns = (
        TextColumn("player", SPELLING),
        *(TextColumn(name, COUNT) for name in ("games", "wins", "draws", "losses")),
        TextColumn("forfeits", COUNT, minor=not summary.forfeits),
        TextColumn("score", SHARE),
        TextColumn("95 % interval", SHARE_INTERVAL),
        *([] if summary.duel else [TextColumn("Elo", FIGURE)]),
        *(TextColumn(Message("seat {number}", number=number), SHARE) for number in range(1, len(rows[0].seats) + 1)),
    )
    lines = []
    for row in rows:
        counts = (row.games, row.wins, row.draws, row.losses, row.forfeits)
        ratings = () if summary.duel else (rating(row),)
        lines.append((row.label, *counts, row.score, row.interval, *ratings, *row.seats))
    return Table(columns, lines)


def rating(row: PlayerScore) -> str:
    """Return a player's Elo with its error as text."""
    return signed(row.elo) if row.error is None else f"{signed(row.elo)} ± {row.error:.0f}"


def show_duel(console: Console, duel: Duel, label: str, said: Said) -> None:
    """Print the result of the first player in a match of two."""
    low, high = duel.elo_interval
    show_line(
        console,
        said(
            Message(
                "Elo of {label}: {elo} ({low} to {high})",
                label=label,
                elo=signed(duel.elo),
                low=signed(low),
                high=signed(high),
            )
        ),
    )
    console.print(Text(said(Message("likelihood of superiority: {share}", share=percent(duel.superiority)))))
    pairs = ", ".join(f"{points:g}: {count:,}" for points, count in zip((0, 0.5, 1, 1.5, 2), duel.pairs, strict=True))
    console.print(Text(said(Message("pairs of games by points: {pairs}", pairs=pairs))))


def sprt_text(test: dict[str, float | str | None]) -> str:
    """Return the sequential test as a line, with a warning once it has decided."""
    said = {
        "H1": Message("accepts Elo {elo}", elo=f"{test['elo1']:g}"),
        "H0": Message("accepts Elo {elo}", elo=f"{test['elo0']:g}"),
        None: Message("undecided"),
    }
    found = Message(
        "SPRT {low}, {high}: log-likelihood ratio {ratio} between {lower} and {upper}: {verdict}",
        low=f"{test['elo0']:g}",
        high=f"{test['elo1']:g}",
        ratio=f"{test['llr']:.2f}",
        lower=f"{test['lower']:.2f}",
        upper=f"{test['upper']:.2f}",
        verdict=said[test["verdict"]],  # type: ignore[index]
    )
    return found if test["verdict"] is None else joined([found, BIASED], "; ")


def points_table(summary: Summary, labels: Sequence[str]) -> Table:
    """Return the table of points against each other."""
    order = ordered(summary)
    places = [str(place) for place in range(1, len(order) + 1)]
    rows = [
        (place, labels[player], *(share_against(summary, player, other) for other in order))
        for place, player in zip(places, order, strict=True)
    ]
    columns = TextColumn("", FIGURE), TextColumn("player", SPELLING), *(TextColumn(place, FIGURE) for place in places)
    return Table(columns, rows, "points against each other, in per cent")


def share_against(summary: Summary, player: int, other: int) -> str:
    """Return the points of one player against another, in per cent."""
    meetings = summary.meetings[player][other]
    return f"{100 * summary.points[player][other] / meetings:.0f}" if meetings else "-"
