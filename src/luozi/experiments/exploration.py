"""`exploration`: the win rate by the exploration constant c, over both grids of a student's report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

from luozi.experiments.connect4_boards import (
    OWN_OPTIONS,
    Boards,
    OtherGame,
    Size,
    boards_text,
    chosen_boards,
    shared_out,
)
from luozi.experiments.frame import (
    Bench,
    Design,
    ExperimentBudget,
    ExperimentRow,
    TableDesign,
    experiment,
    score_values,
)
from luozi.experiments.table import (
    GAMES,
    INTERVAL,
    MATCH_COLUMNS,
    RATE,
    SCORE,
    CurveDrawing,
    CurvesOf,
    Record,
    same_by_blocks,
    same_by_counts,
)
from luozi.matches.tuning.result import conclude
from luozi.matches.tuning.trials import TuningRun
from luozi.messages import Message
from luozi.players import join_player, read_spelling
from luozi.reports.pages import Code
from luozi.search.fields import CONNECT_FOUR
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.tables import COUNT, NUMBER, SHARE, YES_NO, Kind, TextColumn

# The report's two tables: the win rate over 50 games, 25 in each seat, against one opponent.
COARSE = {0.6: 0.78, 0.7: 0.92, 0.8: 0.88, 0.9: 0.86}
FINE_RATES = (0.78, 0.82, 0.80, 0.84, 0.92, 0.92, 0.92, 0.86, 0.90, 0.84, 0.88)
FINE = {round(0.60 + 0.02 * step, 2): rate for step, rate in enumerate(FINE_RATES)}
SOURCE_GAMES = 50
BOTH = dict(sorted({**COARSE, **FINE}.items()))  # 0.6, 0.7 and 0.8 are in both, with the same figures

CHOSEN = 1 / math.sqrt(2)  # the report's choice
GRIDS = {"Coarse grid": COARSE, "Fine grid": FINE}
TUNER = "The tuner, on the first board"
OPPONENT_SHARE = 0.2  # of the budget: our win rates are then about as high as the report's
NOTE = (
    "A draw is half a win; inside: the report's figure lies in our interval. k is the weight of the same formula over "
    f"results from 0 to 1 with sqrt(ln N / n). The report's figures are of {SOURCE_GAMES} games each against another "
    "program, at a budget that it does not state: levels can't be compared, only how they change with c. p is how "
    "likely differences at least as large are if all values of c are alike."
)

CONSTANT, FINE_CONSTANT = Kind("{:.2f}".format), Kind("{:.3f}".format)
GRID_COLUMNS = (
    TextColumn("c", CONSTANT),
    TextColumn("k", FINE_CONSTANT, minor=True),
    *MATCH_COLUMNS,
    TextColumn("report", SHARE),
    TextColumn("inside", YES_NO),
)
TUNER_COLUMNS = (
    TextColumn("best c", CONSTANT),
    TextColumn("95 % interval of c", Kind(lambda ends: f"{ends[0]:.2f} to {ends[1]:.2f}", pair=True)),
    GAMES,
    *SCORE,
    TextColumn("report's c", FINE_CONSTANT),
)
TEST_COLUMNS = (
    TextColumn("win rates"),
    TextColumn("values of c", COUNT),
    TextColumn("pairs of games", COUNT),
    TextColumn("p", NUMBER),
)
DRAWING = CurveDrawing(
    (
        *(CurvesOf(title, "c", label="ours, with 95 % intervals", published="report") for title in GRIDS),
        CurvesOf(TUNER, "best c", title="Fine grid", label="the tuner's best c", x_interval="95 % interval of c"),
    ),
    x_label="c",
    logarithmic=False,
)


@experiment(
    "exploration",
    title="The exploration constant",
    source=CONNECT_FOUR,
    budget=ExperimentBudget(200, iterations=10_000),
    quick=ExperimentBudget(40, iterations=1_000),
)
def measure_exploration(
    bench: Bench,
    opponent: Annotated[
        str, ParameterInfo("whom all values of c meet; not given, mcts with a fifth of the budget")
    ] = "",
    size: Size = "11x11",
    boards: Boards = 5,
    game: OtherGame = "",
    tuning: Annotated[
        int | None,
        ParameterInfo(
            "games of a tuner over the same range, on the first board; 0: none; not given, half of all others", 0
        ),
    ] = None,
) -> Design:
    """How does the win rate against one opponent depend on the constant c of Q/N + c sqrt(2 ln Np / N), with results
    of +1, 0 and -1? The report tried 0.6 to 0.9, then 0.60 to 0.80 in steps of 0.02, and took 1/sqrt(2).
    """
    places = shared_out(bench.budget.games, chosen_boards(game, size, boards, bench.seed))
    other = join_player(*read_spelling(opponent or join_spelling("mcts", bench.budget.limits(OPPONENT_SHARE))))
    rows = {c: grid_row(bench, c, other, places) for c in BOTH}
    games = bench.budget.games * len(BOTH) // 2 if tuning is None else tuning
    grids = [TableDesign(title, GRID_COLUMNS, [rows[c] for c in grid]) for title, grid in GRIDS.items()]
    tuned = [TableDesign(TUNER, TUNER_COLUMNS, [tuner_row(bench, places[0][0], other, games)])] if games else []
    tests = TableDesign(
        "Do the values of c differ?", TEST_COLUMNS, [ExperimentRow({}, summarise=partial(tests_of, rows=rows))]
    )
    facts = (
        ("boards", boards_text([board for board, _ in places])),
        ("player", Code(searcher(bench.budget, math.nan).replace("nan", "..."))),
        ("opponent", Code(other)),
        ("games", "from the empty board, in pairs with the seats swapped"),
    )
    return Design([*grids, *tuned, tests], facts, (NOTE,), DRAWING)


def searcher(budget: ExperimentBudget, c: float) -> str:
    """Return the player with this constant."""
    return join_spelling("mcts", {**budget.limits(), **OWN_OPTIONS, "c": c})


def grid_row(bench: Bench, c: float, opponent: str, places: Sequence[tuple[str, int]]) -> ExperimentRow:
    """Return the row of one value of c, on all boards."""
    runs = [bench.contest(board, [searcher(bench.budget, c), opponent], games) for board, games in places]
    return ExperimentRow({"c": c, "k": c / math.sqrt(2), "report": BOTH[c]}, runs, summarise=grid_values)


def grid_values(row: ExperimentRow) -> Record:
    """Return the score, and whether the report's figure lies in its interval."""
    found = score_values(row)
    ends = found[INTERVAL]
    return {**found, "inside": None if ends is None else ends[0] <= row.known["report"] <= ends[1]}


def tuner_row(bench: Bench, board: str, opponent: str, games: int) -> ExperimentRow:
    """Return the row of a tuning over the range of both grids."""
    player = join_spelling("mcts", {**bench.budget.limits(), **OWN_OPTIONS})
    run = bench.tuning(player, [f"c={min(BOTH)}:{max(BOTH)}"], opponent, board, games)
    return ExperimentRow({"report's c": CHOSEN}, tuning=run, summarise=lambda _: tuner_values(run))


def tuner_values(run: TuningRun) -> Record:
    """Return the result of the tuning."""
    found = conclude(run)
    if not found.findings:
        return {"games": found.finished}
    [best] = found.findings
    values = {"best c": best.best, "95 % interval of c": best.interval}
    return {**values, "games": found.finished, RATE: found.rate, INTERVAL: found.interval}


REPORTED = {
    "Coarse grid": Message("the report's, coarse grid"),
    "Fine grid": Message("the report's, fine grid"),
}


def tests_of(_: ExperimentRow, rows: Mapping[float, ExperimentRow]) -> list[Record]:
    """Test whether the win rates differ by more than chance: ours by pairs of games, the report's by its counts."""
    known = [row.score for row in rows.values() if row.score.score is not None]
    likely, pairs = same_by_blocks([score.pairs for score in known])
    found: list[Record] = [
        {"win rates": "ours", "values of c": len(known), "pairs of games": pairs, "p": likely if pairs else None}
    ]
    for title, grid in GRIDS.items():
        p = same_by_counts([SOURCE_GAMES * rate for rate in grid.values()], SOURCE_GAMES)
        found.append({"win rates": REPORTED[title], "values of c": len(grid), "p": p})
    return found
