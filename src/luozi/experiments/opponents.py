"""`opponents`: the win rate against opponents from beginner to equal, or against every strategy library in a folder."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

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
    stated,
)
from luozi.experiments.table import GAMES, SCORE, ListDrawing, PointsOf, Record
from luozi.messages import LuoziError
from luozi.players import join_player, read_spelling
from luozi.reports.pages import Code
from luozi.search.fields import CONNECT_FOUR
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.parsing import path_of
from luozi.util.tables import COUNT, FIGURE, SHARE, SPELLING, TextColumn

# The report's table: it won all 50 games against each of 50 programs, numbered 2 to 100, but for these.
EXCEPTIONS: dict[int, float] = {
    **dict.fromkeys((46, 52, 58, 74, 76, 82, 86), 0.98),
    **dict.fromkeys((72, 80, 94), 0.96),
    **dict.fromkeys((88, 90, 96), 0.94),
    **dict.fromkeys((84, 100), 0.92),
    **dict.fromkeys((92, 98), 0.90),
}
REPORTED = {number: EXCEPTIONS.get(number, 1.0) for number in range(2, 101, 2)}
LOWEST = min(REPORTED.values())
GROUP = 20  # numbers in a line of the summary
SUFFIXES = (".so", ".dylib")
OWN_CONSTANT = 0.7071  # 1/sqrt(2), the report's choice

NOTE = (
    "A draw is half a win; a game that a player forfeits is lost. The report's opponents are programs of its course, "
    "stronger with higher numbers; ours are other programs, so only the range can be compared."
)
IN_RANGE = f"{100 * LOWEST:.0f}-100 %"
COLUMNS = (
    TextColumn("opponent", SPELLING),
    GAMES,
    *(TextColumn(name, COUNT, minor=True) for name in ("wins", "draws", "losses")),
    TextColumn("forfeits", COUNT),
    TextColumn("own forfeits", COUNT, minor=True),
    *SCORE,
    TextColumn("report", SHARE),
    TextColumn(IN_RANGE, FIGURE),
)
REPORT_COLUMNS = (
    TextColumn("opponents"),
    *(TextColumn(name, COUNT) for name in ("programs", "all won")),
    *(TextColumn(name, SHARE) for name in ("lowest", "mean", "highest")),
)
DRAWING = ListDrawing(
    "opponent",
    (PointsOf("Ours", published="report"),),
    x_label=f"win rate; dashed: the report's lowest, {100 * LOWEST:.0f} %",
    even=LOWEST,
)
FLAT_SHARES, DEPTHS, TREE_SHARES = (0.01, 0.1, 1.0), (2, 4, 6), (0.01, 0.03, 0.1, 0.3, 1.0)


class Opponent(NamedTuple):
    """One opponent."""

    label: str
    spelling: str
    reported: float | None = None  # the report's figure against the program of this number


@experiment(
    "opponents",
    title="The ladder of opponents",
    source=CONNECT_FOUR,
    budget=ExperimentBudget(50, seconds=2.5),
    quick=ExperimentBudget(20, iterations=3_000),
)
def measure_opponents(
    bench: Bench,
    player: Annotated[str, ParameterInfo("who climbs; not given, mcts as in the report, with the budget")] = "",
    libraries: Annotated[
        str, ParameterInfo("a folder: meet every strategy library (.so) in it instead of our ladder")
    ] = "",
    size: Size = "11x11",
    boards: Boards = 5,
    game: OtherGame = "",
) -> Design:
    """How often does plain UCT win against opponents from beginners to equals? The report's program thought for 2.5 s,
    about a million iterations a move, and met each of the 50 programs of its course in 25 + 25 games.
    """
    places = shared_out(bench.budget.games, chosen_boards(game, size, boards, bench.seed))
    own = join_player(*read_spelling(player or searcher(bench.budget, 1.0)))
    opponents = library_opponents(libraries) if libraries else own_opponents(bench.budget)
    rows = [
        ExperimentRow(
            {"opponent": one.label, "report": one.reported},
            [bench.contest(board, [own, one.spelling], games) for board, games in places],
            summarise=opponent_values,
        )
        for one in opponents
    ]
    facts = (
        ("boards", boards_text([board for board, _ in places])),
        ("player", Code(own)),
        ("opponents", opponents_text(libraries)),
        ("games", "from the empty board, in pairs with the seats swapped"),
    )
    with_report = any(one.reported is not None for one in opponents)
    ours = TableDesign("Ours", [one for one in COLUMNS if with_report or one.name != "report"], rows)
    reported = TableDesign("The report: 50 games against each program", REPORT_COLUMNS, report_rows())
    return Design((ours, reported), facts, (NOTE,), DRAWING)


def opponent_values(row: ExperimentRow) -> Record:
    """The score, games that did not end on the board, and whether the score is in the report's range."""
    score = row.score
    inside = None
    if score.score is not None and score.interval is not None:
        inside = "yes" if score.score >= LOWEST else "perhaps" if score.interval[1] >= LOWEST else "no"
    return {**score_values(row), "forfeits": score.forfeits(1), "own forfeits": score.forfeits(0), IN_RANGE: inside}


def report_rows() -> list[ExperimentRow]:
    """The report's 50 figures in groups of ten opponents."""
    groups = [range(start, start + GROUP) for start in range(1, 100, GROUP)]
    rates = {f"{group[1]} to {group[-1]}": [REPORTED[number] for number in group[1::2]] for group in groups}
    rates["all"] = list(REPORTED.values())
    return [ExperimentRow(group_values(name, one), summarise=stated) for name, one in rates.items()]


def group_values(name: str, rates: Sequence[float]) -> dict[str, Any]:
    """Return a row of a group of the report's opponents."""
    shares = {"lowest": min(rates), "mean": math.fsum(rates) / len(rates), "highest": max(rates)}
    return {"opponents": name, "programs": len(rates), "all won": rates.count(1.0), **shares}


# Opponents ------------------------------------------------------------------------------------------------------------


def searcher(budget: ExperimentBudget, share: float) -> str:
    """Return the report's program with a share of the budget."""
    return join_spelling("mcts", {**budget.limits(share), **OWN_OPTIONS, "c": OWN_CONSTANT})


def own_opponents(budget: ExperimentBudget) -> list[Opponent]:
    """Return opponents from random moves to an equal: without search, flat search, alpha-beta, tree search."""
    flat = [join_spelling("flat", flat_limits(budget, share)) for share in FLAT_SHARES]
    ahead = [f"alphabeta:depth={depth}" for depth in DEPTHS]
    tree = [Opponent(join_spelling("mcts", budget.limits(share)), searcher(budget, share)) for share in TREE_SHARES]
    opponents = [*(Opponent(spelling, spelling) for spelling in ("random", *flat, *ahead)), *tree]
    return list(dict.fromkeys(opponents))  # shares of a tiny budget may be the same


def opponents_text(libraries: str) -> tuple[str, ...]:
    """Return the description of the opponents."""
    if libraries:
        return ("every strategy library in ", Code(libraries))
    return ("as in the table; mcts with ", Code(join_spelling("", {**OWN_OPTIONS, "c": OWN_CONSTANT}).lstrip(":")))


def flat_limits(budget: ExperimentBudget, share: float) -> dict[str, float]:
    """Return the limits by the names of `flat`."""
    return {"playouts" if name == "iterations" else name: value for name, value in budget.limits(share).items()}


def library_opponents(folder: str) -> list[Opponent]:
    """Return every strategy library of a folder, numbered ones in their order."""
    path = path_of(folder)
    if not path.is_dir():
        raise LuoziError("there is no folder '{name}' with strategy libraries", name=folder)
    found = sorted((file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file()), key=natural)
    if not found:
        raise LuoziError("the folder '{name}' holds no strategy library (*.so)", name=folder)
    return [Opponent(file.name, f"connect4_library:{file}", reported(file.stem)) for file in found]


def natural(path: Path) -> list[tuple[float, str]]:
    """Return a key that sorts 2 before 10, and numbers before names."""
    return [(int(digits) if digits else math.inf, word) for digits, word in re.findall(r"(\d*)(\D*)", path.name)]


def reported(stem: str) -> float | None:
    """Return the report's figure against the program of this number, or None."""
    return REPORTED.get(int(stem)) if stem.isdecimal() else None
