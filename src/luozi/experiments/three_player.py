"""`three-player`: how often programs that play 3-D five in a row against themselves play reasonably, by strategy."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from luozi.experiments.blunders import JUDGED, judge, refuse_untold
from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment
from luozi.experiments.table import GAMES, INTERVAL, ListDrawing, PointsOf, Record
from luozi.games import game as make_game
from luozi.matches.game_runner import moves_of
from luozi.messages import Message
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Code
from luozi.rules.game import Game
from luozi.search import fields
from luozi.search.result import wilson_interval
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.parsing import OptionValue
from luozi.util.tables import COUNT, SHARE, SHARE_INTERVAL, TextColumn

# The report's four strategies as options; what is not the third one searches anew at each move.
SUPPRESSION: dict[str, OptionValue] = {"playing_style": "balanced"}
PRUNING: dict[str, OptionValue] = {"keep_proven_win": True, "keep_playout_win": True}
ONE_TREE: dict[str, OptionValue] = {"self_play_tree": True}
NO_TREE: dict[str, OptionValue] = {"reuse_tree": False}
DECAY: dict[str, OptionValue] = {"playout_discount": 0.99}
GRADES = ("often unreasonable", "sometimes unreasonable", "sometimes reasonable", "often reasonable")
NOTE = (
    "1: opponents are suppressed (A = 0.7, B = 0.3, C = 0.7); 2: a won node keeps its winning move alone, and so does "
    "a new node whose first random move wins; 3: one tree for all seats, kept from move to move; 4: results times 0.99 "
    "for each random move. The report gives grades and no numbers, nor does it tell its A, B, C or decay; we grade at "
    "25, 50 and 75 %. It used about 1,000,000 iterations a move."
)


class StrategyRow(NamedTuple):
    """One line of the table."""

    label: str
    options: dict[str, OptionValue]
    player: str = "mcts"
    reported: str | None = None  # the report's grade


STRATEGIES = (
    StrategyRow("plain", NO_TREE),
    StrategyRow("{1,2}", {**SUPPRESSION, **PRUNING, **NO_TREE}, reported=GRADES[2]),
    StrategyRow("{1,3}", {**SUPPRESSION, **ONE_TREE}, reported=GRADES[2]),
    StrategyRow("{2,3}", {**PRUNING, **ONE_TREE}, reported=GRADES[3]),
    StrategyRow("{1,2,3}, improved", {**SUPPRESSION, **PRUNING, **ONE_TREE}, reported=GRADES[3]),
    StrategyRow("{1,3,4}", {**SUPPRESSION, **ONE_TREE, **DECAY}, reported=GRADES[0]),
    StrategyRow("{2,3,4}", {**PRUNING, **ONE_TREE, **DECAY}, reported=GRADES[0]),
    StrategyRow("strong", {}, player="strong"),
)


COLUMNS = (
    TextColumn("strategies"),
    GAMES,
    TextColumn("reasonable", COUNT, minor=True),
    TextColumn("share", SHARE),
    TextColumn(INTERVAL, SHARE_INTERVAL),
    TextColumn("grade"),
    TextColumn("report"),
    TextColumn("avoidable wins", COUNT, minor=True),
    TextColumn("draws", COUNT, minor=True),
    TextColumn("moves a game", COUNT, minor=True),
)
REASONABLE = "Reasonable games"
DRAWING = ListDrawing(
    "strategies",
    (PointsOf(REASONABLE, "share", published="middle of the grade"),),
    x_label="share of games",
    published="the middle of the report's grade",
)


def grade(share: float) -> str:
    """One of the report's four words for a share of reasonable games.

    >>> grade(0.2), grade(0.5), grade(0.98)
    ('often unreasonable', 'sometimes reasonable', 'often reasonable')
    """
    return GRADES[min(3, int(4 * share))]


@experiment(
    "three-player",
    title="Reasonable play by three",
    source=fields.SUPPRESSION,
    budget=ExperimentBudget(201, iterations=20_000),
    quick=ExperimentBudget(6, iterations=2_000),
)
def measure_three_player(
    bench: Bench,
    game: Annotated[str, ParameterInfo("the game; any line game")] = "five3d",
) -> Design:
    """How often do programs play reasonably against themselves? Nobody passes up a win, and the win that ends the game
    could not be prevented in its last round. The report's six combinations of four strategies, plain search, and
    `strong`.
    """
    board = make_game(game)
    refuse_untold(board, JUDGED)  # now, not when all games are played
    rows = [strategy_row(bench, game, strategy) for strategy in STRATEGIES]
    facts = (
        ("game", Code(game)),
        ("games", "the same player in all seats, from the empty board"),
        *((row.known["strategies"], Code(row.runs[0].contest.players[0])) for row in rows),
    )
    tables = TableDesign(REASONABLE, COLUMNS, rows), TableDesign("Missed, by opportunity", missed_columns(board), rows)
    return Design(tables, facts, (NOTE,), DRAWING)


def strategy_row(bench: Bench, game: str, strategy: StrategyRow) -> ExperimentRow:
    """Games of a strategy against itself; the report's grade is drawn at its middle."""
    spelling = join_spelling(strategy.player, {**bench.budget.limits(), **strategy.options})
    run = bench.contest(game, [spelling] * make_game(game).players, bench.budget.games)
    middle = None if strategy.reported is None else 0.125 + 0.25 * GRADES.index(strategy.reported)
    known = {"strategies": strategy.label, "report": strategy.reported, "middle of the grade": middle}
    return ExperimentRow(known, [run], summarise=judged_values)


def missed_columns(game: Game) -> list[TextColumn]:
    """Chances to win and duties to block that were missed, of all and by whom."""
    columns = [TextColumn("strategies")]
    for chances, missed in (("wins offered", "wins missed"), ("blocks needed", "blocks missed")):
        columns += [TextColumn(chances, COUNT, minor=True), TextColumn(missed, SHARE)]
        columns += [TextColumn(by_player(missed, game))]
    return columns


def by_player(missed: str, game: Game) -> str:
    """The name of the column with the counts of each player."""
    names = ", ".join(game.player_name(player) for player in range(game.players))
    wins, blocks = Message("wins missed by {names}", names=names), Message("blocks missed by {names}", names=names)
    return wins if missed == "wins missed" else blocks


def judged_values(row: ExperimentRow) -> Record:
    """What is to be said of all games of a strategy, which are looked at again one by one."""
    [run] = row.runs
    board = make_game(run.contest.game)
    outcomes = list(counted_outcomes(run, row.store))
    verdicts = [judge(board, [move.action for move in moves_of(run.contest, outcome)]) for outcome in outcomes]
    games, right = len(verdicts), sum(verdict.reasonable for verdict in verdicts)
    found: dict[str, Any] = {
        "games": games,
        "reasonable": right,
        "avoidable wins": sum(verdict.avoidable for verdict in verdicts),
        "draws": sum(max(outcome.results) < 1 for outcome in outcomes),
    }
    for chances, missed in (("wins offered", "wins missed"), ("blocks needed", "blocks missed")):
        total, lost = ([getattr(one, name.replace(" ", "_")) for one in verdicts] for name in (chances, missed))
        by_seat = [sum(column) for column in zip(*lost, strict=True)]
        found[chances] = sum(map(sum, total))
        found[missed] = sum(by_seat) / found[chances] if found[chances] else None
        found[by_player(missed, board)] = ", ".join(map(str, by_seat)) if games else None
    if games:
        share = right / games
        found |= {"share": share, INTERVAL: wilson_interval(share, games), "grade": grade(share)}
        found["moves a game"] = round(sum(outcome.moves for outcome in outcomes) / games)
    return found
