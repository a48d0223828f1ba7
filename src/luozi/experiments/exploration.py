"""`exploration`: the win rate by the exploration constant c, over both grids of a student's report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from luozi.experiments.course import SOURCE, Boards, OtherGame, Size, boards_text, chosen_boards, shared_out
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.scores import Score, chance_text, same_by_blocks, same_by_counts
from luozi.experiments.table import COUNT, SHARE, SHARE_INTERVAL, YES_NO, Column, Drawing, Kind, Result, Table
from luozi.match.page import Code
from luozi.match.running import Run
from luozi.parameters import About, join_spelling
from luozi.players import join_player, read_spelling
from luozi.text import counted, percent

# The report's two tables: the win rate over 50 games, 25 in each seat, against one opponent.
COARSE = {0.6: 0.78, 0.7: 0.92, 0.8: 0.88, 0.9: 0.86}
FINE = {
    0.60: 0.78,
    0.62: 0.82,
    0.64: 0.80,
    0.66: 0.84,
    0.68: 0.92,
    0.70: 0.92,
    0.72: 0.92,
    0.74: 0.86,
    0.76: 0.90,
    0.78: 0.84,
    0.80: 0.88,
}
SOURCE_GAMES = 50
BOTH = dict(sorted({**COARSE, **FINE}.items()))  # 0.6, 0.7 and 0.8 are in both, with the same figures

# Its formula is Q/N + c sqrt(2 ln Np / N) with results of +1, 0 and -1; its last version keeps no tree.
OWN_OPTIONS = {"formula": "ucb1", "rewards": "plus_minus", "keep": False}
OPPONENT_SHARE = 0.2  # of the budget: our win rates are then about as high as the report's

CONSTANT = Kind("{:.2f}".format)
COLUMNS = (
    Column("c", CONSTANT),
    Column("k", Kind("{:.3f}".format), minor=True),
    Column("games", COUNT),
    *(Column(name, COUNT, minor=True) for name in ("wins", "draws", "losses")),
    Column("win rate", SHARE),
    Column("95 % interval", SHARE_INTERVAL),
    Column("report", SHARE),
    Column("inside", YES_NO),
)


@experiment(
    title="The exploration constant",
    source=SOURCE,
    budget=Budget(200, iterations=10_000),
    quick=Budget(40, iterations=1_000),
)
def exploration(
    bench: Bench,
    opponent: Annotated[str, About("whom all values of c meet; not given, mcts with a fifth of the budget")] = "",
    size: Size = "11x11",
    boards: Boards = 5,
    game: OtherGame = "",
) -> Result:
    """How does the win rate against one opponent depend on the constant c of Q/N + c sqrt(2 ln Np / N), with results
    of +1, 0 and -1? The report tried 0.6 to 0.9, then 0.60 to 0.80 in steps of 0.02, and took 1/sqrt(2).
    """
    places = chosen_boards(game, size, boards, bench.seed)
    other = join_player(*read_spelling(opponent or join_spelling("mcts", bench.budget.limits(OPPONENT_SHARE))))
    shares = shared_out(bench.budget.games, places)
    runs = {
        c: tuple(bench.contest(board, [searcher(bench.budget, c), other], games) for board, games in shares)
        for c in BOTH
    }
    bench.matches(by_board(list(runs.values())))
    scores = {c: Score(found) for c, found in runs.items()}
    return Result(
        tables=(grid_table("Coarse grid", COARSE, scores), grid_table("Fine grid", FINE, scores)),
        findings=findings(scores),
        facts=(
            ("boards", boards_text(places)),
            ("player", Code(searcher(bench.budget, math.nan).replace("nan", "..."))),
            ("opponent", Code(other)),
            ("games", "from the empty board, in pairs with the seats swapped"),
        ),
        notes=(
            "A draw is half a win; inside: the report's figure lies in our interval. k is the weight of the same "
            f"formula over results from 0 to 1 with sqrt(ln N / n). The report's figures are of {SOURCE_GAMES} games "
            "each against another program, with about a million iterations a move: levels can't be compared, only how "
            "they change with c.",
        ),
        drawing=drawing(scores),
    )


def searcher(budget: Budget, c: float) -> str:
    """The player with this constant."""
    return join_spelling("mcts", {**budget.limits(), **OWN_OPTIONS, "c": c})


def by_board(rows: Sequence[Sequence[Run]]) -> list[Run]:
    """All matches in the order in which they are played: every row on the first board, then on the second."""
    return [run for column in zip(*rows, strict=True) for run in column]


def grid_table(title: str, figures: Mapping[float, float], scores: Mapping[float, Score]) -> Table:
    """One of the report's tables with ours beside it."""
    rows = []
    for c, figure in figures.items():
        score, tally = scores[c], scores[c].tally
        counts = (tally.games, tally.wins, tally.draws, tally.losses)
        inside = None if score.interval is None else score.interval[0] <= figure <= score.interval[1]
        rows.append((c, c / math.sqrt(2), *counts, score.score, score.interval, figure, inside))
    return Table(title, COLUMNS, tuple(rows))


def drawing(scores: Mapping[float, Score]) -> Drawing | None:
    """The win rate over c, ours and the report's."""
    known = {c: (score.score, score.interval) for c, score in scores.items() if score.score is not None}
    if not known:
        return None

    def draw() -> object:
        from luozi.match.plots import rate_plot

        rates, intervals = zip(*known.values(), strict=True)
        return rate_plot(
            list(known),
            rates,
            intervals,
            [BOTH[c] for c in known],
            title="Win rate by the exploration constant",
            x_label="c",
            label="ours, with 95 % intervals",
            reference_label="the report, 50 games each",
            even=None,
        )

    said = ", ".join(f"{c:g}: {percent(rate or 0.0)}" for c, (rate, _) in known.items())
    return Drawing(draw, f"Our win rate by c, beside the report's. {said}.")


# What it says ---------------------------------------------------------------------------------------------------------


def findings(scores: Mapping[float, Score]) -> tuple[str, ...]:
    """The sentences."""
    known = {c: score for c, score in scores.items() if score.score is not None}
    if not known:
        return ("No game is finished yet.",)
    return (ours(known), resolution(known), theirs(), agreement(known))


def ours(scores: Mapping[float, Score]) -> str:
    """The range of our win rates, and whether it means anything."""
    rates = {c: score.score or 0.0 for c, score in scores.items()}
    worst, best = min(rates, key=lambda c: rates[c]), max(rates, key=lambda c: rates[c])
    likelihood, blocks = same_by_blocks([score.pairs for score in scores.values()])
    said = f"The win rate runs from {percent(rates[worst])} at c = {worst:g} to {percent(rates[best])} at c = {best:g}"
    if not blocks:
        return f"{said}; too few games are finished to say whether the values differ."
    pairs = counted(blocks, "pair")
    return f"{said}; over {pairs} of games, the {len(rates)} values of c differ {chance_text(likelihood)}."


def resolution(scores: Mapping[float, Score]) -> str:
    """How large a difference must be to be seen."""
    widths = [high - low for low, high in (score.interval or (0.0, 1.0) for score in scores.values())]
    points = 100 * math.sqrt(2) * sum(widths) / len(widths) / 2
    return f"Two single values of c can be told apart from about {points:.0f} percentage points on."


def theirs() -> str:
    """Whether the report's own figures mean anything."""
    said = []
    for name, grid in (("coarse", COARSE), ("fine", FINE)):
        wins = [SOURCE_GAMES * rate for rate in grid.values()]
        said.append(f"in the {name} grid {chance_text(same_by_counts(wins, SOURCE_GAMES))}")
    return f"The report's own figures differ {', '.join(said)}."


def agreement(scores: Mapping[float, Score]) -> str:
    """Which of the report's figures our intervals hold."""
    outside = [c for c, score in scores.items() if not in_interval(score, BOTH[c])]
    inside = len(scores) - len(outside)
    said = f"{inside} of the report's {len(scores)} figures lie inside our 95 % intervals"
    return f"{said}; outside: c = {', '.join(f'{c:g}' for c in outside)}." if outside else f"{said}."


def in_interval(score: Score, figure: float) -> bool:
    """Whether the report's figure could be ours."""
    low, high = score.interval or (0.0, 1.0)
    return low <= figure <= high
