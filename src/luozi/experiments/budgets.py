"""`budgets`: the win rate of plain UCT by budget, board size and seat."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Annotated

from luozi.experiments.connect4_boards import game_for_two
from luozi.experiments.frame import (
    Bench,
    Design,
    ExperimentBudget,
    ExperimentRow,
    TableDesign,
    experiment,
    score_values,
)
from luozi.experiments.opponents import flat_limits
from luozi.experiments.table import INTERVAL, MATCH_COLUMNS, RATE, CurveDrawing, CurvesOf, Record
from luozi.matches.runner import first_player_score
from luozi.matches.store import ScoredGame
from luozi.messages import LuoziError, Message
from luozi.players import join_player, read_spelling
from luozi.reports.pages import Code
from luozi.statistics.matches import MatchScore, elo, score_interval
from luozi.util.formats import signed
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.tables import SHARE, SHARE_INTERVAL, SPELLING, Kind, TextColumn

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the budget: every step doubles it
FIXED_SHARE = 1 / 4
BOARDS = "connect4 gomoku:size=7 gomoku:size=9 gomoku:size=11 gomoku:size=15"
NOTE = (
    "A draw is half a win. The source has the headings of such tests, but no figures. The two games of a pair swap the "
    "seats; intervals by seat take every game for itself."
)
FIXED, HALF = "Against a quarter of the largest budget", "Against half of its own budget"
OPPONENT, SEAT = "Against one opponent", "First seat at equal budgets"
POOLED_HALF, POOLED_SEAT = "Twice the budget, over all boards", "First seat, over all budgets"
ALL = "all"
AMOUNT = Kind(lambda value: value if value == ALL else f"{value:,g}")

SEATS = (  # the columns of a seat: the score, and its interval
    (Message("as first"), Message("95 % interval as first")),
    (Message("as second"), Message("95 % interval as second")),
)


@experiment(
    "budgets",
    title="Budget, board size and seat",
    source="a thesis on Gomoku by Monte-Carlo tree search",
    budget=ExperimentBudget(200, iterations=8_000),
    quick=ExperimentBudget(6, iterations=1_000),
)
def measure_budgets(
    bench: Bench,
    game: Annotated[str, ParameterInfo("games for two, separated by spaces")] = BOARDS,
    opponent: Annotated[str, ParameterInfo("whom all budgets meet; not given, flat with the largest budget")] = "",
) -> Design:
    """How does the win rate of plain UCT depend on its budget, on the size of the board and on the seat? Every budget
    meets a quarter of the largest, an opponent of another kind, half of itself, and itself.
    """
    boards = list(dict.fromkeys(game_for_two(one).spelling for one in game.split()))
    if not boards:
        raise LuoziError("budgets needs a game: write one or several, separated by spaces")
    other = join_player(*read_spelling(opponent or join_spelling("flat", flat_limits(bench.budget, 1))))
    levels = {searcher(bench.budget, share): share for share in SHARES}  # shares of a tiny budget may be the same
    rivals: dict[str, Callable[[float], str]] = {
        FIXED: lambda _: searcher(bench.budget, FIXED_SHARE),
        OPPONENT: lambda _: other,
        HALF: lambda share: searcher(bench.budget, share / 2),
        SEAT: lambda share: searcher(bench.budget, share),
    }
    unit = "iterations" if bench.budget.iterations else "seconds"
    rows: dict[str, list[ExperimentRow]] = {title: [] for title in rivals}
    for board, (player, share), title in itertools.product(boards, levels.items(), rivals):
        if title == HALF and rivals[HALF](share) == player:
            continue  # the smallest budget can't be halved
        run = bench.contest(board, [player, rivals[title](share)], bench.budget.games)
        known = {"board": board, unit: worth(bench.budget, share)}
        rows[title].append(ExperimentRow(known, [run], summarise=first_seat if title == SEAT else by_seats))
    facts = (
        ("player", Code(join_spelling("mcts", {unit: "..."}))),
        ("a quarter", Code(searcher(bench.budget, FIXED_SHARE))),
        ("one opponent", Code(other)),
        ("games", "from the empty board, in pairs with the seats swapped"),
    )
    tables = [TableDesign(title, columns_of(title, unit), rows[title]) for title in rivals]
    tables.append(TableDesign(POOLED_HALF, columns_of(POOLED_HALF, unit), pooled_halves(rows[HALF], unit)))
    tables.append(TableDesign(POOLED_SEAT, columns_of(POOLED_SEAT, ""), pooled_seats(boards, rows[SEAT])))
    curves = tuple(CurvesOf(title, unit, lines=("board",), even=0.5) for title in rivals)
    return Design(tables, facts, (NOTE,), CurveDrawing(curves, f"{unit} a move"))


def searcher(budget: ExperimentBudget, share: float) -> str:
    """Return plain UCT with a share of the budget."""
    return join_spelling("mcts", budget.limits(share))


def worth(budget: ExperimentBudget, share: float) -> float:
    """Return a share of the budget as a number."""
    [value] = budget.limits(share).values()
    return value


# Rows -----------------------------------------------------------------------------------------------------------------


def columns_of(title: str, unit: str) -> tuple[TextColumn, ...]:
    """Return the columns of a table."""
    lead = {POOLED_HALF: [TextColumn(unit, AMOUNT)], POOLED_SEAT: [TextColumn("board", SPELLING)]}
    both = [TextColumn("board", SPELLING), TextColumn(unit, AMOUNT)]
    more: list[TextColumn] = []
    if title in (FIXED, OPPONENT, HALF):
        for name, interval in SEATS:
            more += [TextColumn(name, SHARE), TextColumn(interval, SHARE_INTERVAL, True)]
    elif title == POOLED_HALF:
        more = [TextColumn("Elo", Kind(signed))]
    return (*lead.get(title, both), *MATCH_COLUMNS, *more)


def by_seats(row: ExperimentRow) -> Record:
    """Return the score of the first player, in both seats and in each."""
    [run], found = row.runs, dict(score_values(row))
    for seat, (name, interval) in enumerate(SEATS):
        tally = MatchScore.of([(first_player_score(one),) for one in run.counted if one.seats.index(0) == seat])
        score, ends = rate(tally)
        found |= {name: score, interval: ends}
    return found


def first_seat(row: ExperimentRow) -> Record:
    """Return the score of the player who begins."""
    tally = of_first_seat([game for run in row.runs for game in run.counted])
    score, ends = rate(tally)
    counts = {"games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
    return {**counts, RATE: score, INTERVAL: ends}


def of_first_seat(games: Sequence[ScoredGame]) -> MatchScore:
    """Return the results of the first seat."""
    scores = [(one.results[0] - one.results[1]) for one in games]
    return MatchScore.of([(1.0 if score > 0 else 0.5 if score == 0 else 0.0,) for score in scores])


def rate(tally: MatchScore) -> tuple[float | None, tuple[float, float] | None]:
    """Return a score and its interval, if there are games."""
    return (tally.score, score_interval(tally)) if tally.games else (None, None)


def pooled_halves(rows: Sequence[ExperimentRow], unit: str) -> list[ExperimentRow]:
    """Return rows of what twice the budget is worth, for each budget over all boards, and for all budgets."""
    budgets = [*dict.fromkeys(row.known[unit] for row in rows), ALL]
    runs = {budget: [run for row in rows if budget in (row.known[unit], ALL) for run in row.runs] for budget in budgets}
    return [ExperimentRow({unit: budget}, runs[budget], summarise=with_elo) for budget in budgets]


def with_elo(row: ExperimentRow) -> Record:
    """Return the score, also as an Elo difference."""
    found = score_values(row)
    return {**found, "Elo": None if found[RATE] is None else elo(found[RATE])}


def pooled_seats(boards: Sequence[str], rows: Sequence[ExperimentRow]) -> list[ExperimentRow]:
    """Return rows of what the first seat is worth on each board, over all budgets."""
    runs = {board: [run for row in rows if row.known["board"] == board for run in row.runs] for board in boards}
    return [ExperimentRow({"board": board}, runs[board], summarise=first_seat) for board in boards]
