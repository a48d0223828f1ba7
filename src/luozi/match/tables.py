"""The result of a match or a tournament as tables of text."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from luozi.match.summary import Duel, Row, Summary
from luozi.text import counted, grid, percent, percent_interval, signed

# A test ends in the middle of a lucky run more often than in an unlucky one.
BIASED = "a test that ends when it is sure exaggerates: the score, the Elo and their intervals are biased"


def show_summary(console: Console, summary: Summary) -> None:
    """Everything about one contest."""
    state = "complete" if summary.complete else f"{summary.finished:,} of {summary.wanted:,} games so far"
    title = f"{summary.kind} {summary.id}"
    console.print(
        Text.assemble((title, "bold"), f"   {summary.game}, {summary.openings}, seed {summary.seed}; {state}")
    )
    if not summary.counted:
        console.print("no game is finished yet")
        return
    order = sorted(summary.rows, key=ranking) if summary.duel is None else list(summary.rows)
    show_rows(console, order, with_ratings=summary.duel is None)
    if summary.duel is not None:
        show_duel(console, summary.duel, summary.rows[0].label)
    elif len(summary.rows) > 2:
        show_cross_table(console, summary, [summary.rows.index(row) for row in order])
    if summary.sprt is not None:
        console.print(Text(sprt_text(summary.sprt)))
    for who, what, times in summary.forfeits:
        console.print(Text(f"forfeit: {who} {what} ({counted(times, 'game')})"))


def summary_text(summary: Summary, width: int = 140) -> str:
    """The same as plain text."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as captured:
        show_summary(console, summary)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def ranking(row: Row) -> tuple[float, str]:
    """The best first."""
    return (-(row.elo if row.elo is not None else row.score), row.label)


def show_rows(console: Console, rows: Sequence[Row], with_ratings: bool) -> None:
    """One line a player."""
    seats = [f"seat {number}" for number in range(1, len(rows[0].seats) + 1)]
    ratings = ["Elo", "±"] if with_ratings else []
    names = ["player", "games", "wins", "draws", "losses", "forfeits", "score", "95 % interval", *seats, *ratings]
    table = grid(*names, lines=console.is_terminal)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for row in rows:
        numbers = [f"{number:,}" for number in (row.games, row.wins, row.draws, row.losses, row.forfeits)]
        elo = [signed(row.elo), f"{row.error:.0f}" if row.error is not None else "-"] if with_ratings else []
        shares = [percent(share) for share in row.seats]
        cells = [row.label, *numbers, percent(row.score), percent_interval(*row.interval), *shares, *elo]
        table.add_row(*map(Text, cells))
    console.print(table)


def show_duel(console: Console, duel: Duel, label: str) -> None:
    """What a match of two says about the first player."""
    low, high = duel.elo_interval
    console.print(Text(f"Elo of {label}: {signed(duel.elo)} ({signed(low)} to {signed(high)})"), soft_wrap=True)
    console.print(Text(f"likelihood that it is the better one: {percent(duel.superiority)}"))
    pairs = ", ".join(f"{points:g}: {count:,}" for points, count in zip((0, 0.5, 1, 1.5, 2), duel.pairs, strict=True))
    console.print(Text(f"pairs by their points: {pairs}"))


def sprt_text(test: dict[str, float | str | None]) -> str:
    """The sequential test in one line, and what its end does to the intervals."""
    said = {"H1": f"accepts Elo {test['elo1']:g}", "H0": f"accepts Elo {test['elo0']:g}", None: "undecided"}
    found = said[test["verdict"]]  # type: ignore[index]
    bounds = f"between {test['lower']:.2f} and {test['upper']:.2f}"
    said_so = f"SPRT {test['elo0']:g}, {test['elo1']:g}: log-likelihood ratio {test['llr']:.2f} {bounds}: {found}"
    return said_so if test["verdict"] is None else f"{said_so}; {BIASED}"


def show_cross_table(console: Console, summary: Summary, order: Sequence[int]) -> None:
    """Who got how much against whom."""
    table = grid("", *(str(number) for number in range(1, len(order) + 1)), lines=console.is_terminal)
    for place, player in enumerate(order, 1):
        cells = [f"{place} {summary.rows[player].label}"]
        for other in order:
            meetings = summary.meetings[player][other]
            cells.append(f"{100 * summary.points[player][other] / meetings:.0f}" if meetings else "-")
        table.add_row(*map(Text, cells))
    console.print(Text("points against each other, in per cent"))
    console.print(table)
