"""Whether a game of k in a row was played reasonably: nobody passed up a win, and the win could not be avoided.

Take the position after the winner's previous move. The win was avoidable if some replies of the others leave nobody an
immediate win when their turn comes, the winner's next turn included. A game is unreasonable if its win was avoidable,
or if some player passed up an immediate win of their own. Draws are reasonable. It is not enough to count that the
others had as many moves as the winner had winning cells: a player may be forced to fill somebody else's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import Array, kernel
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State

Wins = list[list[int]]  # the winning moves of every player
JUDGED = "name a line game, such as five3d, to have its games judged"


class Verdict(NamedTuple):
    """What is to be said of one game. Counts are by player."""

    reasonable: bool
    avoidable: bool  # the win could have been prevented in the last round
    wins_offered: tuple[int, ...]  # turns at which the player could win at once
    wins_missed: tuple[int, ...]
    blocks_needed: tuple[int, ...]  # turns at which the player could not win and had to block (nearest player first)
    blocks_missed: tuple[int, ...]


def refuse_untold(game: Game, advice: str) -> None:
    """One sentence, which ends with advice, if a game does not tell its winning moves."""
    if type(game).winning_actions is Game.winning_actions:
        raise LuoziError("{game} does not tell its winning moves: {advice}", game=game.spelling, advice=Message(advice))


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
    """Chances to win and duties to block, and how many were missed."""

    def __init__(self, players: int) -> None:
        self.wins_offered, self.wins_missed = [0] * players, [0] * players
        self.blocks_needed, self.blocks_missed = [0] * players, [0] * players

    def all(self) -> tuple[list[int], ...]:
        return self.wins_offered, self.wins_missed, self.blocks_needed, self.blocks_missed

    def see(self, player: int, wins: Wins, action: int) -> None:
        """One move, before which everybody had these winning moves."""
        if wins[player]:
            self.wins_offered[player] += 1
            self.wins_missed[player] += action not in wins[player]
            return
        cells = cells_to_block(player, wins)
        if cells:
            self.blocks_needed[player] += 1
            self.blocks_missed[player] += action not in cells


def wins_along(game: Game, actions: Sequence[int]) -> list[Wins]:
    """Everybody's winning moves before each move of a game."""
    counts = np.zeros((len(actions), game.players), np.int64)
    found = np.zeros((len(actions), game.players, game.actions), np.int32)
    kernel_for(game, scan)(game, game.new_state(), np.array(actions, np.int64), counts, found)
    return [
        [found[move, player, : counts[move, player]].tolist() for player in range(game.players)]
        for move in range(len(actions))
    ]


@kernel
def scan(game: Any, state: State, actions: Array, counts: Array, found: Array) -> None:
    """Play the actions, and write down all winning moves on the way."""
    for move in range(actions.shape[0]):
        for player in range(game.players):
            counts[move, player] = game.winning_actions(state, player, found[move, player])
        game.apply_action(state, np.int64(actions[move]))


def winning_moves(game: Game, state: State, player: int) -> list[int]:
    """The moves that would win at once if it were this player's turn."""
    found = np.zeros(game.actions, np.int32)
    return found[: game.winning_actions(state, player, found)].tolist()


def cells_to_block(player: int, wins: Wins) -> list[int]:
    """Where a player must block: the winning moves of the nearest player d turns ahead who has d of them or more.

    >>> cells_to_block(0, [[], [], [7, 8]]), cells_to_block(1, [[], [], [7, 8]]), cells_to_block(0, [[], [], [7]])
    ([7, 8], [7, 8], [])
    """
    for turns in range(1, len(wins)):
        cells = wins[(player + turns) % len(wins)]
        if len(cells) >= turns:
            return cells
    return []


def was_avoidable(game: Game, states: Sequence[State]) -> bool:
    """Whether the others could have prevented the win after the winner's previous move."""
    results = game.result(states[-1])
    winner = int(np.argmax(results))
    if results[winner] < 1:  # a draw
        return False
    last = len(states) - 2  # before the winning move
    previous = next((at for at in range(last - 1, -1, -1) if game.current_player(states[at]) == winner), None)
    return previous is not None and can_hold(game, states[previous + 1], winner)


def can_hold(game: Game, state: State, winner: int) -> bool:
    """Whether some replies, from the player to move on, leave nobody an immediate win up to the winner's next turn."""
    if game.is_terminal(state):
        return not any(result >= 1 for result in game.result(state))
    player = int(game.current_player(state))
    if winning_moves(game, state, player):
        return False
    if player == winner:
        return True
    return any(can_hold(game, game.after(state, action), winner) for action in sensible_replies(game, state, player))


def sensible_replies(game: Game, state: State, player: int) -> list[int]:
    """The moves that can make a difference to who wins next: all cells where others would win, and one elsewhere.

    With gravity every move does: it opens the cell above.
    """
    if getattr(game, "gravity", False):
        return game.legal_list(state)
    others = [other for other in range(game.players) if other != player]
    cells = list(dict.fromkeys(cell for other in others for cell in winning_moves(game, state, other)))
    elsewhere = next((action for action in game.legal_list(state) if action not in cells), None)
    return cells if elsewhere is None else [*cells, elsewhere]
