"""Games that a GTP server reads and writes as SGF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from luozi.errors import LuoziError
from luozi.games.go.rules import Go
from luozi.outside_text import path_of, whole_number
from luozi.records.record import refuse_unwritable
from luozi.records.sgf import COLOURS, load_sgf, new_tree, write_move, write_rules
from luozi.records.sgf_text import letters_of, set_text
from luozi.servers.gtp_base import command
from luozi.servers.gtp_moves import Moves
from luozi.servers.gtp_position import Play, Position, Terms

Words = Sequence[str]


class Records(Moves):
    """loadsgf and printsgf."""

    @command("loadsgf", "FILE [MOVE]")
    def load(self, words: Words) -> str:
        """Go to the end of a file's main line, or to the position before a move by its number."""
        number = whole_number(words[-1], 1, 10**6) if len(words) > 1 else None
        name = " ".join(words if number is None else words[:-1])
        try:
            record = load_sgf(path_of(name))
        except LuoziError as error:
            raise LuoziError(f"cannot load file: {error}") from None
        game = record.game
        if not isinstance(game, Go):
            raise LuoziError("cannot load file: it is no game of Go")
        before, position = self.position.terms.size, Position(Terms(game.size, game.komi, game.rules))
        position.handicap = game.handicap
        position.change_terms(position.terms)
        setup = [(game.handicap_stones, 0), (game.white_stones, 1)]
        stones = [Play(player, int(point)) for points, player in setup for point in points]
        position.begin(stones, game.first_player)
        for move in record.moves[: None if number is None else number - 1]:
            position.play(move.seat, move.action)
        self.position, self.hopeless = position, [0, 0]
        if game.size != before:
            self.get_ready()
        return ""

    @command("printsgf", "[FILE]", "regression")
    def print(self, words: Words) -> str:
        """The game as SGF, or written to a file."""
        content = self.sgf()
        if not words:
            return content.decode("utf-8")
        path = path_of(Path(" ".join(words)))
        refuse_unwritable(path)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise LuoziError(f"can't write the file: {error.strerror}") from None
        return ""

    def sgf(self) -> bytes:
        """The game as it was played: stones at the start, and every move of either colour."""
        position, start = self.position, self.position.states[0]
        tree = new_tree(position.game)
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
