"""Compare the description of a board with the legal moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from luozi.check.problems import RuleError, problem_raised
from luozi.messages import LuoziError, Message
from luozi.rules.board import board_of, cells_of, pieces_of
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.rules.text_position import can_be_given

T = TypeVar("T")


def look_at_board(game: Game, state: State, place: str) -> None:
    """Check every part of the description in one position. A class without a board passes."""
    board = asked(game, "board", lambda: board_of(game))
    if board is None:
        return
    title, before = type(game).__name__, state.tobytes()
    asked(game, "pieces", lambda: pieces_of(game, state))
    legal = game.legal_list(state)
    clicks = asked(game, "clicks", lambda: [tuple(cells_of(game, "clicks", state, action)) for action in legal])
    if legal:
        asked(game, "threat_cells", lambda: cells_of(game, "threat_cells", state))
    else:
        asked(game, "winning_cells", lambda: cells_of(game, "winning_cells", state))
    if state.tobytes() != before:
        raise RuleError(
            "board changes",
            Message(
                "{text} changes the position when it is drawn ({place}); work on state.copy()", text=title, place=place
            ),
        )
    named = [cells for cells in clicks if cells]
    if len(set(named)) < len(named):
        twice = next(cells for cells in named if named.count(cells) > 1)
        told = Message(
            "{text}.clicks gives two actions the same cells, {names} ({place}); one of them needs other cells, or none",
            text=title,
            names=", ".join(map(str, twice)),
            place=place,
        )
        raise RuleError("board clicks", told)
    if legal and can_be_given(game):
        set_it_up(game, state, place)


def set_it_up(game: Game, state: State, place: str) -> None:
    """Check that a position can be set up from its own pieces. A class may refuse to set up positions."""
    pieces, to_move = sorted(pieces_of(game, state)), game.player_to_move(state)
    state_set_up = game.empty_states(1)[0]
    game.start(state_set_up)
    try:
        game.from_pieces(state_set_up, pieces, to_move)
    except LuoziError:
        return
    except Exception as error:
        raise problem_raised(error, game, "from_pieces") from None
    if sorted(pieces_of(game, state_set_up)) != pieces or game.player_to_move(state_set_up) != to_move:
        told = Message(
            "{text}.from_pieces does not make the position that it is given ({place}); its pieces and whose turn it is "
            "must be those",
            text=type(game).__name__,
            place=place,
        )
        raise RuleError("board from_pieces", told)


def asked(game: Game, method: str, ask: Callable[[], T]) -> T:
    """Return what a method returns.

    Raises:
        RuleError: the method fails.
    """
    try:
        return ask()
    except LuoziError as error:
        raise RuleError(f"board {method}", error.message) from None
    except Exception as error:
        raise problem_raised(error, game, method) from None
