"""Commands that read and write the game as SGF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from luozi.games.go.rules import Go
from luozi.messages import LuoziError, Message
from luozi.records.sgf import COLOURS, new_tree, write_move, write_rules
from luozi.records.sgf_reader import (
    MainLine,
    NodeError,
    Opening,
    are_known_rules,
    game_of,
    opening_of,
    own_data,
    set_up,
)
from luozi.records.sgf_text import letters_of, read_tree, set_text
from luozi.servers.conversation import CommandTable
from luozi.servers.gtp.position import GtpGame, Play, Terms
from luozi.servers.gtp.session import GtpSession, Words
from luozi.util.files import refuse_unwritable, write_whole
from luozi.util.parsing import path_of, whole_number

commands = CommandTable[GtpSession, Words]("GTP 2")


@commands.add("loadsgf", "FILE [MOVE]")
def loadsgf(session: GtpSession, words: Words) -> str:
    """Load the end of a file's main line, or the position before a move number."""
    number = whole_number(words[-1], 1, 10**6) if len(words) > 1 else None
    name, before = " ".join(words if number is None else words[:-1]), session.position.terms
    try:
        position = loaded(read_tree(path_of(name)), name, before, number)
    except LuoziError as error:
        raise LuoziError("cannot load file: {error}", error=error) from None
    session.position, session.hopeless = position, [0, 0]
    if position.terms.size != before.size:
        session.get_ready()
    return ""


@commands.add("printsgf", "[FILE]", "regression")
def printsgf(session: GtpSession, words: Words) -> str:
    """Return the game as SGF, or write it to a file."""
    content = sgf(session.position)
    if not words:
        return content.decode("utf-8")
    path = path_of(Path(" ".join(words)))
    refuse_unwritable(path)
    write_whole(path, content)
    return ""


def sgf(position: GtpGame) -> bytes:
    """Return the game as SGF: stones at the start, and every move of either colour."""
    start, tree = position.start.state, new_tree(position.game)
    root = tree.get_root()
    write_rules(root, position.game)
    root.set_setup_stones([], [])
    for name, colour in (("AB", 1), ("AW", 2)):
        points = [point for point in range(position.game.points) if start.board[point] == colour]
        if points:
            letters = [letters_of(divmod(point, position.terms.size)).encode() for point in points]
            root.set_raw_list(name, letters)
    set_text(root, "PL", COLOURS[int(start.to_move)])
    for player, action in position.plays:
        write_move(tree.extend_main_sequence(), position.game, player, action)
    return bytes(tree.serialise())


def loaded(tree: Any, of: str, terms: Terms, number: int | None) -> GtpGame:
    """Return the position before a move of a file's main line, or at its end; `terms` hold where the file has none."""
    opening, own = opening_of(tree), own_data(tree.get_root(), of)
    game = game_of(opening, own, of)
    if not isinstance(game, Go):
        raise LuoziError("it is no game of Go")
    line = BoardLine(game, of, 1 if "game" in own else len(opening.nodes), terms_of(game, opening, terms))
    given = len(game.handicap_stones) if not len(game.white_stones) else 0
    line.position.set_terms(line.position.terms, opening.handicap if opening.handicap == given else 0)
    for node in tree.get_main_sequence():
        colour = node.get_raw_move()[0]
        if colour is not None and number is not None and line.moves == number - 1:
            line.position.give_turn("bw".index(colour))
            break
        line.add(node)
    return line.position


def terms_of(game: Go, opening: Opening, before: Terms) -> Terms:
    """Return the terms of a file, with those before where it has none."""
    rules = game.rules if are_known_rules(opening.text("RU")) else before.rules
    komi = game.komi if opening.text("KM").strip() or opening.handicap > 1 else before.komi
    usual = game.handicap_bonus == game.ruleset.compensation
    return Terms(game.size, komi, rules, before.compensation if usual else game.handicap_bonus)


class BoardLine(MainLine):
    """Plays the nodes of a file as GTP may: one colour twice, moves after the end, stones set up in between."""

    def __init__(self, game: Go, of: str, opening: int, terms: Terms) -> None:
        super().__init__(game, of, opening)
        self.position, self.moves = GtpGame(terms), 0
        setup = [(game.handicap_stones, 0), (game.white_stones, 1)]
        stones = [Play(player, int(point)) for points, player in setup for point in points]
        self.position.begin(stones, game.first_player)

    def add(self, node: Any) -> None:
        """Play a node."""
        self.nodes += 1
        colour, raw = self.move_in(node)
        try:
            if self.nodes >= self.opening and node.has_setup_stones():
                self.set_up(node)
            if colour is not None:
                action = self.action(raw.decode("ascii", "replace").strip(), colour)
                self.position.play("bw".index(colour), action)
                self.moves += 1
        except LuoziError as error:
            if isinstance(error, NodeError):
                raise
            raise self.wrong(Message("can't be played: {error}", error=error)) from None

    def set_up(self, node: Any) -> None:
        """Set up stones in mid-game; captured stones stay counted."""
        size, state = self.position.terms.size, self.position.state
        board = {divmod(point, size): int(state.board[point]) for point in range(size * size)}
        set_up(node, size, board)
        stones = [Play(colour - 1, row * size + column) for (row, column), colour in board.items() if colour]
        self.position.begin(stones, self.position.to_move, state.captured)
