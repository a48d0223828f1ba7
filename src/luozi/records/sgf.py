"""Games of Go and Gomoku written as SGF; `sgf_reader` reads them.

The main line of a file is the record. Standard properties have what SGF defines; the property `LUOZI` has the rest: the
game's specification, the players and the search statistics. Other programs' files need none of it.
"""

from __future__ import annotations

import re
from pathlib import Path

from sgfmill import sgf

import luozi
from luozi.games.go.points import score_text
from luozi.games.go.rules import Go
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.records.moves import MoveNote, compact, data_line
from luozi.records.record import Record, header_data
from luozi.records.sgf_text import (
    SgfNode,
    SgfTree,
    letters_of,
    set_text,
)
from luozi.rules.game import Game
from luozi.util.parameters import split_spelling

GO, GOMOKU = "1", "4"
OWN = "LUOZI"  # the property of Luozi
COLOURS = "BW"
LARGEST = 26


def is_sgf(path: Path) -> bool:
    """Return whether a file is named .sgf.

    >>> is_sgf(Path("a/game.SGF"))
    True
    """
    return path.suffix.lower() == ".sgf"


# Writing ------------------------------------------------------------------------------------------------------------


def sgf_bytes(record: Record, data: bool = True) -> bytes:
    """Return a record as an SGF file; without `data` only with standard properties.

    >>> from luozi.games import game
    >>> record = Record(game("gomoku"), ("person", "random"), (112, 113), ("", "by chance"))
    >>> b";B[hh];C[by chance]W[ih]" in sgf_bytes(record, data=False).replace(b"\\n", b"")
    True
    """
    tree = new_tree(record.game)
    root = tree.get_root()
    write_header(root, record)
    if data:
        set_text(root, OWN, compact(header_data(record)))
    for number, move in enumerate(record.moves):
        node = tree.extend_main_sequence()
        write_move(node, record.game, move.seat, move.action)
        if record.comments and record.comments[number].strip():
            set_text(node, "C", record.comments[number])
        if data and move.note != MoveNote():
            set_text(node, OWN, data_line(move))
    return bytes(tree.serialise())


def new_tree(game: Game) -> SgfTree:
    """Return an SGF file without moves.

    Raises:
        LuoziError: SGF can't hold the game.
    """
    size = getattr(game, "size", None) or getattr(game, "rows", 0)
    if not is_written(game):
        raise LuoziError(
            "{game} can't be written as SGF: only go and gomoku of two players, up to 26 lines", game=game.spelling
        )
    tree = sgf.Sgf_game(size, encoding="UTF-8")
    root = tree.get_root()
    root.set_raw("GM", (GO if isinstance(game, Go) else GOMOKU).encode())
    set_text(root, "AP", f"Luozi:{luozi.__version__}")
    return tree


def is_written(game: Game) -> bool:
    """Return whether SGF can hold a game."""
    if isinstance(game, Go):
        return True
    flat = isinstance(game, Lines) and game.layers == 1 and game.rows == game.columns <= LARGEST
    name, values = split_spelling(game.spelling)
    return flat and game.players == 2 and name == "gomoku" and "position" not in values


def write_header(root: SgfNode, record: Record) -> None:
    """Write the players, the date and the result."""
    game = record.game
    for name, player in zip(("PB", "PW"), record.called, strict=True):
        set_text(root, name, player)
    if record.remark.strip():
        set_text(root, "C", record.remark)
    if re.match(r"\d{4}-\d\d-\d\d", record.date):
        set_text(root, "DT", record.date[:10])
    if isinstance(game, Go):
        write_rules(root, game)
    result = result_of(record)
    if result:
        set_text(root, "RE", result)


def write_rules(root: SgfNode, game: Go) -> None:
    """Write komi, rules, handicap and the stones at the start."""
    set_text(root, "KM", f"{game.komi:g}")
    set_text(root, "RU", {"tromp_taylor": "Tromp-Taylor"}.get(game.rules, game.rules.capitalize()))
    if game.handicap:
        set_text(root, "HA", str(game.handicap))
    for name, points in (("AB", game.handicap_stones), ("AW", game.white_stones)):
        if len(points):
            root.set_raw_list(name, [letters_of(divmod(int(point), game.size)).encode() for point in points])
    if game.first_player != int(game.handicap > 0):
        set_text(root, "PL", COLOURS[game.first_player])


def write_move(node: SgfNode, game: Game, player: int, action: int) -> None:
    """Write a move of Black, the first player, or of White."""
    size = int(getattr(game, "size", 0) or getattr(game, "rows", 0))
    letters = "" if action >= size * size else letters_of(divmod(action, size))
    node.set_raw(COLOURS[player], letters.encode())


def result_of(record: Record) -> str:
    """Return the result in SGF's form; empty if there is none."""
    game, state = record.game, record.positions[-1].state
    results = record.results()
    if results is None:
        return ""
    if record.resigned is not None:
        return f"{COLOURS[1 - record.resigned]}+{'F' if record.forfeit else 'R'}"
    if results[0] == results[1]:
        return "Void" if isinstance(game, Go) and state.passes < 2 else "0"
    return score_text(game.score(state)) if isinstance(game, Go) else f"{COLOURS[results[1] > results[0]]}+"
