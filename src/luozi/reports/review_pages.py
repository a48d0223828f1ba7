"""The page of an analysed game: win rate over the moves, mistakes with boards, owners of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from luozi.drawing.board_picture import Marks, scene_of
from luozi.messages import LuoziError, counted
from luozi.records.replay import ReplayCandidate, found_table
from luozi.records.review import BAD, Review, ReviewedMove, win_rates_text
from luozi.reports.figures import (
    BLUE,
    DASHED,
    FAINT,
    ORANGE,
    heading,
    new_figure,
    shares,
    styled,
    svg_text,
    whole_numbers,
)
from luozi.reports.pages import Beside, Code, DefinitionList, Details, Item, Line, Section, SvgFigure, Tiles, page
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.util.parsing import content_of, is_file
from luozi.util.tables import FIGURE, LABEL, SHARE, Table, TextColumn
from luozi.util.win_rates import EVALUATION

MOST_BOARDS = 12  # mistakes that are drawn
SURE = 10  # percent, from which on a point has an owner
GRADES = ("", "doubtful", "bad", "very bad")
KIND = "Analysis of a game"  # by which a page is known again


def review_page(review: Review, title: str) -> str:
    """Return the whole page."""
    mistakes = review.mistakes()
    sections = [
        Section("", [tiles(review), SvgFigure(svg_text(rate_figure(review)), f"{quantity(review)} after each move")]),
        Section("Mistakes", mistake_items(review, mistakes)),
        Section("At the end", end_items(review)),
        Section("All moves", [Details("Every move and what it lost", [moves_table(review.judged())])]),
        Section("How it was analysed", [how(review)]),
    ]
    return page(title, sections, lead(mistakes), KIND)


def refuse_other_page(path: Path) -> None:
    """Raise LuoziError if a file exists that is no page of an analysis."""
    if is_file(path) and f'<p class="kind">{KIND}</p>'.encode() not in content_of(path):
        raise LuoziError(
            "cannot write '{name}': the file exists and is not an analysis page. Choose another file with --html.",
            name=path,
        )


def lead(mistakes: list[ReviewedMove]) -> Line:
    """Return the result in one sentence."""
    if not mistakes:
        return "No move lost as much as a twentieth of a win."
    worst, bad = mistakes[0], sum(move.loss >= BAD for move in mistakes)
    words = f"{counted(bad, 'move')} lost a tenth of a win or more; the worst was move {worst.number}, "
    return f"{words}{('Black', 'White')[worst.player]} {worst.name}, which lost {100 * worst.loss:.0f} %."


def tiles(review: Review) -> Tiles:
    """Return the most important numbers."""
    judged = review.judged()
    shown = [("Moves", f"{len(review.record.actions):,}", f"{len(review.findings):,} positions analysed")]
    for player, name in enumerate(("Black", "White")):
        bad = sum(move.player == player and move.loss >= BAD for move in judged)
        shown.append((name, f"{100 * review.mean_loss(player):.1f} %", f"lost by a move on average; {bad} bad moves"))
    return Tiles(shown)


def quantity(review: Review) -> str:
    """Return the name of the quantity that the figure shows."""
    kinds = {finding.kind for finding in review.findings.values()}
    return "Black's evaluation" if kinds == {EVALUATION} else "Black's win rate"


@styled
def rate_figure(review: Review) -> Figure:
    """Return the figure of Black's win rate over the moves."""
    figure, axes = new_figure(3.2)
    rates = [
        (number, found.good_for(0))
        for number in range(len(review.record.actions) + 1)
        if (found := review.chances(number)) is not None and not found.few
    ]
    axes.axhline(0.5, color=FAINT, linewidth=1, linestyle=DASHED)
    axes.plot([number for number, _rate in rates], [rate for _number, rate in rates], color=BLUE, linewidth=1.8)
    bad = [move for move in review.judged() if move.loss >= BAD]
    after = {move.number: rate for move in bad if (rate := review.rate(move.number)) is not None}
    axes.plot(list(after), list(after.values()), color=ORANGE, marker="o", markersize=6, linewidth=0)
    drawn = [(number, found.draw) for number, _rate in rates if (found := review.chances(number)) and found.draw]
    if drawn:
        axes.plot(*zip(*drawn, strict=True), color=FAINT, marker=".", linewidth=0.8, label="draw")
        axes.legend(loc="upper left", frameon=False)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("move")
    shares(axes.yaxis)
    whole_numbers(axes.xaxis)
    heading(axes, quantity(review), "bad moves are marked" if bad else "")
    return figure


def mistake_items(review: Review, mistakes: list[ReviewedMove]) -> list[Item]:
    """Return a table of the mistakes, and boards of the worst."""
    if not mistakes:
        return ["There was none."]
    items: list[Item] = [moves_table(mistakes)]
    for move in mistakes[:MOST_BOARDS]:
        items.append(
            Details(f"Move {move.number}: {('Black', 'White')[move.player]} {move.name}", mistake_board(review, move))
        )
    return items


def mistake_board(review: Review, move: ReviewedMove) -> list[Item]:
    """Return the board before a mistake, with the better moves."""
    game, finding = review.record.game, review.findings[move.number - 1]
    position, played = review.record.positions[move.number - 1], review.record.actions[move.number - 1]
    names = {position.name(action): action for action in position.actions}
    marks = {names.get(one.name, -1): letter for letter, one in zip("ABCDE", finding.candidates, strict=False)}
    marks.setdefault(played, "x")
    found = [
        ReplayCandidate(names.get(one.name, -1), one.name, one.visits, finding.chances_of(one, move.player), one.line)
        for one in finding.candidates
    ]
    players, told = found_table(game, found)
    columns = (
        TextColumn("", LABEL),
        TextColumn("move", LABEL),
        *(TextColumn(name, FIGURE) for name in ("visits", *players, "line")),
    )
    table = Table(columns, [(letter, *row) for letter, row in zip("ABCDE", told, strict=False)])
    last = int(review.record.actions[move.number - 2]) if move.number > 1 else -1
    alt = f"the board before move {move.number}, with the candidates marked"
    drawing = board_svg(game, position.state, (), marks, last)
    return [
        Beside(
            [
                SvgFigure(drawing, alt, f"{marks[played]} is the move {move.name}"),
                table,
            ]
        )
    ]


def board_svg(
    game: Game, state: State, ownership: Sequence[int] = (), words: Mapping[int, str] | None = None, last: int = -1
) -> str:
    """Return a position as SVG, with squares for the owners of points and words at actions."""
    cells = game.points
    owners = {cell: (int(owner < 0), abs(owner) / 100) for cell, owner in enumerate(ownership) if abs(owner) >= SURE}
    shown = {cell: word for cell, word in (words or {}).items() if 0 <= cell < cells}
    scene = scene_of(game, state, Marks([last] if 0 <= last < cells else [], (), shown, {}, owners))
    return "" if scene is None else scene.svg()


def moves_table(moves: list[ReviewedMove]) -> Table:
    """Return a table of moves with what they lost."""
    rows = [
        (
            f"{move.number}. {('Black', 'White')[move.player]} {move.name}",
            GRADES[move.grade],
            move.best,
            move.before,
            move.after,
            move.loss,
        )
        for move in moves
    ]
    shares = (TextColumn(name, SHARE) for name in ("before", "after", "lost"))
    return Table((TextColumn("move"), TextColumn(""), TextColumn("best"), *shares), rows)


def end_items(review: Review) -> list[Item]:
    """Return the last board with the owners of its points."""
    number = max(review.findings, default=0)
    ownership = review.findings[number].ownership if review.findings else ()
    last = int(review.record.actions[number - 1]) if number else -1
    words = (
        "Squares say whose a point is: the larger, the surer." if ownership else "Nobody counts points in this game."
    )
    drawing = board_svg(review.record.game, review.record.positions[number].state, ownership, None, last)
    found = review.chances(number)
    value = "" if found is None or found.few else f"From here: {win_rates_text(found)}."
    return [Beside([SvgFigure(drawing, f"the board after move {number}"), f"After move {number}. {value} {words}"])]


def how(review: Review) -> DefinitionList:
    """Return who searched, and how much."""
    by = "; ".join(sorted({finding.by for finding in review.findings.values()}))
    visits = sum(finding.visits for finding in review.findings.values())
    return DefinitionList(
        [("game", Code(review.record.game.spelling)), ("player", Code(by)), ("visits", f"{visits:,}")]
    )
