"""One iteration of the search as a page tells it: the step, and what each of its moves changes on the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from luozi.messages import LuoziError
from luozi.rules.board import Piece, board_of, cells_of, pieces_of
from luozi.rules.game import Game
from luozi.rules.move_names import read_move
from luozi.rules.state import State
from luozi.search.trace import IterationTrace


def story(game: Game, state: State, step: IterationTrace) -> dict[str, Any]:
    """A step from a position as plain data, with the changes of every move on its path and in its simulation.

    >>> import luozi
    >>> game = luozi.game("tictactoe:size=2,win_length=2")
    >>> told = story(game, game.new_state(), luozi.Engine(game, seed=1).trace(game.new_state()))
    >>> told["path"][0]["name"], told["simulation"], told["changes"][0]
    ('a1', ['b1', 'b2'], {'add': [[2, 0, '']], 'remove': [], 'clicks': [2], 'player': 0})
    """
    actions = [*(one.chosen for one in step.path), *step.actions]
    return {**step.as_dict(), "changes": changes_along(game, state, actions)}


def changes_along(game: Game, state: State, actions: Sequence[int]) -> list[dict[str, Any]]:
    """What comes and goes on the board with each of these moves; none for a class that describes no board."""
    if board_of(game) is None:
        return []
    found, before = [], pieces_of(game, state)
    for action in actions:
        who, clicks = int(game.player_to_move(state)), cells_of(game, "clicks", state, action)
        state = game.after(state, action)
        after = pieces_of(game, state)
        found.append({**change(before, after), "clicks": clicks, "player": who})
        before = after
    return found


def line_changes(game: Game, state: State, moves: Sequence[int | str]) -> list[dict[str, Any]]:
    """What moves from a position change, by action or by name; one sentence if one of them is not legal.

    >>> import luozi
    >>> game = luozi.game("connect4")
    >>> [(one["clicks"], one["player"]) for one in line_changes(game, game.new_state(), ["4", 3])]
    [([38], 0), ([31], 1)]
    """
    actions, position = [], state
    for move in moves:
        action = read_move(game, position, move) if isinstance(move, str) else move
        if game.is_terminal(position) or not game.allows(position, action):
            raise LuoziError("this move is not legal here")
        actions.append(action)
        position = game.after(position, action)
    return changes_along(game, state, actions)


def change(before: Sequence[Piece], after: Sequence[Piece]) -> dict[str, Any]:
    """The pieces that are new, and the cells that are empty now.

    >>> change([(0, 0, ""), (1, 1, "")], [(0, 1, ""), (2, 0, "")])
    {'add': [[0, 1, ''], [2, 0, '']], 'remove': [1]}
    """
    old, now = {piece[0]: piece for piece in before}, {piece[0]: piece for piece in after}
    add = [list(piece) for cell, piece in now.items() if old.get(cell) != piece]
    return {"add": add, "remove": [cell for cell in old if cell not in now]}
