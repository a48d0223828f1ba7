"""`three-player`: how often programs that play 3-D five in a row against themselves play reasonably, by strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from luozi.compiled import Array, kernel
from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment
from luozi.experiments.table import GAMES, INTERVAL, ListDrawing, PointsOf, Record
from luozi.games import game as make_game
from luozi.matches.game_runner import moves_of
from luozi.messages import LuoziError, Message
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Code
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State
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
    """Return the report's grade of a share of reasonable games.

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
    """Return the row of a strategy against itself; the report's grade is drawn at its middle."""
    spelling = join_spelling(strategy.player, {**bench.budget.limits(), **strategy.options})
    run = bench.contest(game, [spelling] * make_game(game).players, bench.budget.games)
    middle = None if strategy.reported is None else 0.125 + 0.25 * GRADES.index(strategy.reported)
    known = {"strategies": strategy.label, "report": strategy.reported, "middle of the grade": middle}
    return ExperimentRow(known, [run], summarise=judged_values)


def missed_columns(game: Game) -> list[TextColumn]:
    """Return columns of missed wins and blocks, in all and by player."""
    columns = [TextColumn("strategies")]
    for chances, missed in (("wins offered", "wins missed"), ("blocks needed", "blocks missed")):
        columns += [TextColumn(chances, COUNT, minor=True), TextColumn(missed, SHARE)]
        columns += [TextColumn(by_player(missed, game))]
    return columns


def by_player(missed: str, game: Game) -> str:
    """Return the name of the column with the counts of each player."""
    names = ", ".join(game.player_name(player) for player in range(game.players))
    wins, blocks = Message("wins missed by {names}", names=names), Message("blocks missed by {names}", names=names)
    return wins if missed == "wins missed" else blocks


def judged_values(row: ExperimentRow) -> Record:
    """Judge all games of a strategy; return the counts."""
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


# Reasonable play ------------------------------------------------------------------------------------------------------


Wins = list[list[int]]  # the winning moves of every player
JUDGED = "name a line game, such as five3d, to have its games judged"


class Verdict(NamedTuple):
    """The judgement of one game. Counts are by player."""

    reasonable: bool
    avoidable: bool  # the win could have been prevented in the last round
    wins_offered: tuple[int, ...]  # turns at which the player could win at once
    wins_missed: tuple[int, ...]
    blocks_needed: tuple[int, ...]  # turns at which the player could not win and had to block (nearest player first)
    blocks_missed: tuple[int, ...]


def refuse_untold(game: Game, advice: str) -> None:
    """Raise LuoziError, with advice, if a game does not define `winning_actions`."""
    if type(game).winning_actions is Game.winning_actions:
        raise LuoziError("{game} does not define winning_actions: {advice}", game=game.spelling, advice=Message(advice))


def judge(game: Game, actions: Sequence[int]) -> Verdict:
    """Judge a finished game by its moves.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> judge(game, [0, 3, 1, 4, 2]).reasonable  # O could have blocked
    False
    """
    refuse_untold(game, JUDGED)
    states = [game.new_state()]
    for action in actions:
        states.append(game.after(states[-1], action))
    missed, wins = _Counts(game.players), wins_along(game, actions)
    for state, action, found in zip(states, actions, wins, strict=False):
        missed.see(int(game.current_player(state)), found, action)
    avoidable = was_avoidable(game, states)
    return Verdict(not avoidable and not any(missed.wins_missed), avoidable, *map(tuple, missed.all()))


class _Counts:
    """Counts of possible wins and needed blocks, and how many were missed."""

    def __init__(self, players: int) -> None:
        self.wins_offered, self.wins_missed = [0] * players, [0] * players
        self.blocks_needed, self.blocks_missed = [0] * players, [0] * players

    def all(self) -> tuple[list[int], ...]:
        return self.wins_offered, self.wins_missed, self.blocks_needed, self.blocks_missed

    def see(self, player: int, wins: Wins, action: int) -> None:
        """Count one move, given each player's winning moves before it."""
        if wins[player]:
            self.wins_offered[player] += 1
            self.wins_missed[player] += action not in wins[player]
            return
        cells = cells_to_block(player, wins)
        if cells:
            self.blocks_needed[player] += 1
            self.blocks_missed[player] += action not in cells


def wins_along(game: Game, actions: Sequence[int]) -> list[Wins]:
    """Return each player's winning moves before each move of a game."""
    counts = np.zeros((len(actions), game.players), np.int64)
    found = np.zeros((len(actions), game.players, game.actions), np.int32)
    kernel_for(game, scan)(game, game.new_state(), np.array(actions, np.int64), counts, found)
    return [
        [found[move, player, : counts[move, player]].tolist() for player in range(game.players)]
        for move in range(len(actions))
    ]


@kernel
def scan(game: Any, state: State, actions: Array, counts: Array, found: Array) -> None:
    """Play the actions, and write all winning moves before each into `found`."""
    for move in range(actions.shape[0]):
        for player in range(game.players):
            counts[move, player] = game.winning_actions(state, player, found[move, player])
        game.apply_action(state, np.int64(actions[move]))


def winning_moves(game: Game, state: State, player: int) -> list[int]:
    """Return the moves that would win at once if it were this player's turn."""
    found = np.zeros(game.actions, np.int32)
    return found[: game.winning_actions(state, player, found)].tolist()


def cells_to_block(player: int, wins: Wins) -> list[int]:
    """Return the cells to block: the winning moves of the nearest player, d turns ahead, who has at least d of them.

    >>> cells_to_block(0, [[], [], [7, 8]]), cells_to_block(1, [[], [], [7, 8]]), cells_to_block(0, [[], [], [7]])
    ([7, 8], [7, 8], [])
    """
    for turns in range(1, len(wins)):
        cells = wins[(player + turns) % len(wins)]
        if len(cells) >= turns:
            return cells
    return []


def was_avoidable(game: Game, states: Sequence[State]) -> bool:
    """Return whether the others could have prevented the win after the winner's previous move."""
    results = game.result(states[-1])
    winner = int(np.argmax(results))
    if results[winner] < 1:  # a draw
        return False
    last = len(states) - 2  # before the winning move
    previous = next((at for at in range(last - 1, -1, -1) if game.current_player(states[at]) == winner), None)
    return previous is not None and can_hold(game, states[previous + 1], winner)


def can_hold(game: Game, state: State, winner: int) -> bool:
    """Return whether some replies leave no player an immediate win up to the winner's next turn."""
    if game.is_terminal(state):
        return not any(result >= 1 for result in game.result(state))
    player = int(game.current_player(state))
    if winning_moves(game, state, player):
        return False
    if player == winner:
        return True
    return any(can_hold(game, game.after(state, action), winner) for action in sensible_replies(game, state, player))


def sensible_replies(game: Game, state: State, player: int) -> list[int]:
    """Return the moves that can change who wins next: all cells where others would win, and one elsewhere.

    With gravity every move does: it opens the cell above.
    """
    if getattr(game, "gravity", False):
        return game.legal_list(state)
    others = [other for other in range(game.players) if other != player]
    cells = list(dict.fromkeys(cell for other in others for cell in winning_moves(game, state, other)))
    elsewhere = next((action for action in game.legal_list(state) if action not in cells), None)
    return cells if elsewhere is None else [*cells, elsewhere]
