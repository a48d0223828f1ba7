"""The result of a match or a tournament as tables of text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from luozi.messages import Message, counted, joined, translate
from luozi.util.console import TextConsole
from luozi.util.formats import page_width, percent, show_line, signed
from luozi.util.tables import COUNT, FIGURE, SHARE, SHARE_INTERVAL, SPELLING, Said, Table, TextColumn

if TYPE_CHECKING:
    from luozi.matches.summary import Duel, PlayerScore, Summary

# A test ends in the middle of a lucky run more often than in an unlucky one.
BIASED = Message("a test that ends when it is sure exaggerates: the score, the Elo and their intervals are biased")


def show_summary(console: Console, summary: Summary, said: Said = translate) -> None:
    """Everything about one contest."""
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
        cross_table(summary, [row.label for row in summary.rows]).show(console, said)
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
    """The same as plain text in English, for programs and pages; as wide as the terminal if there is one."""
    console = TextConsole(file=io.StringIO(), width=width or page_width(), highlight=False)
    with console.capture() as captured:
        show_summary(console, summary, str)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def summary_html(summary: Summary) -> str:
    """A table with a bar for each score and a line for its interval, then the rest as text."""
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
    """The best first."""
    return (-(row.elo if row.elo is not None else row.score), row.label)


def ordered(summary: Summary) -> list[int]:
    """The players' numbers: the best first, but in a match of two the first one."""
    players = range(len(summary.rows))
    return list(players) if summary.duel else sorted(players, key=lambda player: ranking(summary.rows[player]))


def rows_table(summary: Summary) -> Table:
    """One line a player."""
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
    """A player's Elo and its error."""
    return signed(row.elo) if row.error is None else f"{signed(row.elo)} ± {row.error:.0f}"


def show_duel(console: Console, duel: Duel, label: str, said: Said) -> None:
    """What a match of two says about the first player."""
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
    console.print(Text(said(Message("likelihood that it is the better one: {share}", share=percent(duel.superiority)))))
    pairs = ", ".join(f"{points:g}: {count:,}" for points, count in zip((0, 0.5, 1, 1.5, 2), duel.pairs, strict=True))
    console.print(Text(said(Message("pairs by their points: {pairs}", pairs=pairs))))


def sprt_text(test: dict[str, float | str | None]) -> str:
    """The sequential test in one line, and what its end does to the intervals."""
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


def cross_table(summary: Summary, labels: Sequence[str]) -> Table:
    """Who got how much against whom."""
    order = ordered(summary)
    places = [str(place) for place in range(1, len(order) + 1)]
    rows = [
        (place, labels[player], *(share_against(summary, player, other) for other in order))
        for place, player in zip(places, order, strict=True)
    ]
    columns = TextColumn("", FIGURE), TextColumn("player", SPELLING), *(TextColumn(place, FIGURE) for place in places)
    return Table(columns, rows, "points against each other, in per cent")


def share_against(summary: Summary, player: int, other: int) -> str:
    """What one player got of another, in per cent."""
    meetings = summary.meetings[player][other]
    return f"{100 * summary.points[player][other] / meetings:.0f}" if meetings else "-"
