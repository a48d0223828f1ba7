"""A position given to a game instead of its start: `othello:position=8/8/8/3OX3/3XO3/8/8/8.O`.

As in chess (FEN), rows are written from the top, with a number for empty cells and a letter for a piece. The player to
move follows after a dot. `piece_kinds` defines the letters, and `from_pieces` makes the position.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

from luozi.messages import LuoziError
from luozi.rules.board import Board, Described, Piece, board_of, pieces_of
from luozi.rules.game import Game

KEY = "position"
Kind = tuple[int, str]  # a player, or -1 for nobody, and the kind such as "queen"


def can_be_given(game: Game) -> bool:
    """Return whether the game supports given positions.

    >>> import luozi
    >>> can_be_given(luozi.game("othello")), can_be_given(luozi.game("gomoku"))
    (True, True)
    """
    own = type(game).from_pieces is not Described.from_pieces or type(game).from_setup is not Game.from_setup
    return own and board_of(game) is not None


def kinds_of(game: Game) -> list[Kind]:
    """Return the kinds of pieces: those that the game names, or those of its start and a stone for each player."""
    named = [(int(player), str(kind)) for player, kind in game.piece_kinds()]
    if named:
        return named
    start = game.empty_states(1)[0]
    game.start(start)
    found = dict.fromkeys((player, kind) for _, player, kind in pieces_of(game, start))
    missing = ((player, "") for player in range(game.players) if all(one != player for one, _ in found))
    return sorted({**found, **dict.fromkeys(missing)}, key=lambda kind: (kind[0] < 0, kind))


def marks_of(game: Game) -> dict[Kind, str]:
    """Return a letter for each kind of piece: the player's sign if it is free, otherwise the next letter of the
    alphabet.

    >>> import luozi
    >>> marks_of(luozi.game("amazons"))
    {(0, 'queen'): 'X', (1, 'queen'): 'O', (-1, 'arrow'): '#'}
    """
    marks: dict[Kind, str] = {}
    for player, kind in kinds_of(game):
        sign = "#" if player < 0 else game.player_name(player)
        used = marks.values()
        usable = sign not in used and (sign == "#" or (len(sign) == 1 and sign in string.ascii_letters))
        free = (letter for letter in string.ascii_letters if letter not in used)
        marks[player, kind] = sign if usable else next(free)
    return marks


def rows_of(board: Board) -> list[list[int]]:
    """Return the existing cells of each row. Points form one row."""
    width = board.columns or board.cells
    rows = [range(first, first + width) for first in range(0, board.cells, width)]
    return [[cell for cell in row if cell not in board.missing] for row in rows]


def position_text(game: Game, pieces: Iterable[Piece], to_move: int) -> str:
    """Return pieces and the player to move as one word.

    >>> import luozi
    >>> position_text(luozi.game("hex:size=3"), [(0, 0, ""), (4, 1, "")], 0)
    'X2/1O1/3.X'
    """
    board, marks = board_of(game), marks_of(game)
    assert board is not None
    stands = {cell: (player, kind) for cell, player, kind in pieces}
    for kind in stands.values():
        if kind not in marks:
            raise LuoziError(
                "{game} has no such piece: {piece} of player {player}",
                game=type(game).__name__,
                piece=kind[1] or "a stone",
                player=kind[0],
            )
    rows = ["".join(marks[stands[cell]] if cell in stands else "1" for cell in row) for row in rows_of(board)]
    packed = [re.sub("1+", lambda found: str(len(found[0])), row) for row in rows]
    return f"{'/'.join(packed)}.{mover_letter(game, to_move)}"


def mover_letter(game: Game, player: int) -> str:
    """Return the letter of the player to move: that of the player's first kind of piece, or one of the alphabet."""
    own = (mark for (owner, _), mark in marks_of(game).items() if owner == player)
    return next(own, string.ascii_uppercase[player])


def read_position(game: Game, text: str) -> tuple[list[Piece], int]:
    """Return the pieces and the player to move of a text made by `position_text`.

    Raises:
        LuoziError: the text is not a position of this game.

    >>> import luozi
    >>> read_position(luozi.game("hex:size=3"), "X2/1O1/3.X")
    ([(0, 0, ''), (4, 1, '')], 0)
    """
    board, kinds = board_of(game), {mark: kind for kind, mark in marks_of(game).items()}
    assert board is not None
    rows, _, mover = text.strip().partition(".")
    wanted, found = rows_of(board), [spread(row) for row in rows.split("/")]
    movers = [player for player in range(game.players) if mover_letter(game, player) == mover]
    if [len(row) for row in found] != [len(row) for row in wanted] or not movers:
        usual = position_text(game, pieces_of(game, game.new_state()), 0)
        raise LuoziError(
            "position={value} is not valid; the start of this game would be {text}", value=text[:60], text=usual[:200]
        )
    pieces: list[Piece] = []
    for row, marks in zip(wanted, found, strict=True):
        for cell, mark in zip(row, marks, strict=True):
            if mark != "1" and mark not in kinds:
                raise LuoziError(
                    "position={value} is not valid; '{mark}' is none of {names}",
                    value=text[:60],
                    mark=mark,
                    names=" ".join(kinds),
                )
            if mark != "1":
                pieces.append((cell, *kinds[mark]))
    return pieces, movers[0]


def spread(row: str) -> str:
    """Return a row with a "1" for each empty cell. Only the first four digits of a number count: no board is larger."""
    return re.sub(r"[0-9]+", lambda found: "1" * int(found[0][:4]), row)


def arrange(game: Game, text: str) -> None:
    """Let a game start in a position.

    Raises:
        LuoziError: the game does not support it, or there is no such position.
    """
    if not can_be_given(game):
        raise LuoziError("{game} can't be given a position: its class has no from_pieces", game=type(game).__name__)
    pieces, to_move = read_position(game, text)
    vars(game)["_position"] = (tuple(pieces), to_move)
    game.forget_type()  # compiled rules keep the old start
    game.new_state()  # raises if there is no such position
