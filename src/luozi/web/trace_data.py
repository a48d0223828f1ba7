"""One iteration of the search as a page tells it: the step, and what each of its moves changes on the board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from luozi.rules.board import Piece, board_of, cells_of, pieces_of
from luozi.rules.position import Position
from luozi.search.trace import IterationTrace
from luozi.web.answers import ChangeData, StepData


def step_data(step: IterationTrace) -> StepData:
    """A step as plain data."""
    return cast(StepData, step.as_dict())


def story(position: Position, step: IterationTrace) -> StepData:
    """A step from a position as plain data, with the changes of every move on its path and in its simulation.

    >>> import luozi
    >>> start = luozi.game("tictactoe:size=2,win_length=2").begin()
    >>> told = story(start, luozi.Engine(start.game, seed=1).trace(start))
    >>> told["path"][0]["name"], told["simulation"], told["changes"][0]
    ('a1', ['b1', 'b2'], {'add': [(2, 0, '')], 'remove': [], 'clicks': [2], 'player': 0})
    """
    found = step_data(step)
    found["changes"] = line_changes(position, [*(one.chosen for one in step.path), *step.actions])
    return found


def line_changes(position: Position, moves: Sequence[int | str]) -> list[ChangeData]:
    """What comes and goes on the board with each move of a line; nothing for a class that describes no board.

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
    """What a move changes, whose it is, and the cells that are clicked for it."""
    game, state = before.game, before.state
    clicks = cells_of(game, "clicks", state, after.step)
    found = change(pieces_of(game, state), pieces_of(game, after.state))
    return {**found, "clicks": clicks, "player": before.to_move}


def change(before: Sequence[Piece], after: Sequence[Piece]) -> ChangeData:
    """The pieces that are new, and the cells that are empty now.

    >>> change([(0, 0, ""), (1, 1, "")], [(0, 1, ""), (2, 0, "")])
    {'add': [(0, 1, ''), (2, 0, '')], 'remove': [1]}
    """
    old, now = {piece[0]: piece for piece in before}, {piece[0]: piece for piece in after}
    add = [piece for cell, piece in now.items() if old.get(cell) != piece]
    return {"add": add, "remove": [cell for cell in old if cell not in now]}
