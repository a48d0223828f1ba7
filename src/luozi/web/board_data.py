"""Positions, lines and search traces as the page draws them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from luozi.rules.board import Piece, PositionData, board_data, board_of, cells_of, pieces_of
from luozi.rules.position import Position
from luozi.search.trace import IterationTrace
from luozi.web.answers import ChangeData, StepData


def position_data(position: Position, with_text: bool = True) -> PositionData:
    """Return a position for the page.

    The board as text takes long and is left out on request, unless the game describes no board.

    >>> import luozi
    >>> position_data(luozi.game("tictactoe").begin().play("b2"), with_text=False)["pieces"]
    [(4, 0, '')]
    """
    game, state, result = position.game, position.state, position.returns
    to_move = -1 if result is not None else position.to_move
    found = board_data(game, state, to_move, result, position.actions)
    return {**found, "text": game.show(state)} if with_text or board_of(game) is None else found


def trace_data(step: IterationTrace) -> StepData:
    """Return one iteration for the page, without boards."""
    return cast(StepData, step.as_dict())


def trace_with_boards(position: Position, step: IterationTrace) -> StepData:
    """Return one iteration from a position, with the changes that the moves of its path and its playout make.

    >>> import luozi
    >>> start = luozi.game("tictactoe:size=2,win_length=2").begin()
    >>> found = trace_with_boards(start, luozi.Engine(start.game, seed=1).trace(start))
    >>> found["path"][0]["name"], found["simulation"], found["changes"][0]
    ('a1', ['b1', 'b2'], {'add': [(2, 0, '')], 'remove': [], 'clicks': [2], 'player': 0})
    """
    found = trace_data(step)
    found["changes"] = line_changes(position, [*(one.chosen for one in step.path), *step.actions])
    return found


def line_changes(position: Position, moves: Sequence[int | str]) -> list[ChangeData]:
    """Return what each move of a line changes on the board; nothing for a game that describes no board.

    Raises:
        LuoziError: a move is not legal.

    >>> import luozi
    >>> [(one["clicks"], one["player"]) for one in line_changes(luozi.game("connect4").begin(), ["4", 3])]
    [([38], 0), ([31], 1)]
    """
    line = [position]
    for move in moves:
        line.append(line[-1].play(move))
    if board_of(position.game) is None:
        return []
    return [change_between(before, after) for before, after in pairwise(line)]


def change_between(before: Position, after: Position) -> ChangeData:
    """Return what a move changes, its player, and the cells that are clicked for it."""
    game, state = before.game, before.state
    clicks = cells_of(game, "clicks", state, after.step)
    return {**change(pieces_of(game, state), pieces_of(game, after.state)), "clicks": clicks, "player": before.to_move}


def change(before: Sequence[Piece], after: Sequence[Piece]) -> ChangeData:
    """Return the pieces that are new, and the cells that are empty now.

    >>> change([(0, 0, ""), (1, 1, "")], [(0, 1, ""), (2, 0, "")])
    {'add': [(0, 1, ''), (2, 0, '')], 'remove': [1]}
    """
    old, now = {piece[0]: piece for piece in before}, {piece[0]: piece for piece in after}
    add = [piece for cell, piece in now.items() if old.get(cell) != piece]
    return {"add": add, "remove": [cell for cell in old if cell not in now]}
