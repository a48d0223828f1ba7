"""What a page is shown of a position."""

from __future__ import annotations

from luozi.rules.board import PositionData, board_data, board_of
from luozi.rules.position import Position


def shown(position: Position, with_text: bool = True) -> PositionData:
    """A position as a page draws it. The board as text is left out on request, unless there is no other picture.

    >>> import luozi
    >>> shown(luozi.game("tictactoe").begin().play("b2"), with_text=False)["pieces"]
    [(4, 0, '')]
    """
    game, state, result = position.game, position.state, position.returns
    to_move = -1 if result is not None else position.to_move
    found = board_data(game, state, to_move, result, position.actions)
    return {**found, "text": game.show(state)} if with_text or board_of(game) is None else found
