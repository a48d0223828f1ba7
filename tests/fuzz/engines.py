"""Engines' answers: what outside programs write, cut into lines as they come, at any position."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from unittest import mock

from luozi.games import game as make_game
from luozi.players import ForfeitError, ResignationError
from luozi.players.program import LineSplitter

from .chance import Chance

# The modules, not the functions that the package has of the same names.
gtp_player, gomocup_player, library_player = (
    import_module(f"luozi.players.{name}") for name in ("gtp", "gomocup", "library")
)
GTP = ("= \n\n", "=\n\n", "= D4\n\n", "= pass\n\n", "= resign\n\n", "=1 C3\n\n", "? unknown command\n\n", "= true\n\n")
GTP += ("= PASS\n\n", "\n\n= a1\n\n", "= A\n\n", "= i9\n\n", "? cannot\nmore\n\n")
GOMOCUP = ("OK\n", "3,4\n", "0,0\n", "4,4\n", "MESSAGE hello\n", "DEBUG x\n", "UNKNOWN\n", "ERROR no\n", "9,9\n", "\n")
LIBRARY = ("ready\n", "none\n", "3 2\n", "3 0\n", "-1 -1\n", "0 0\n")


class Written:
    """A program that has written all it will write."""

    def __init__(self, chance: Chance, text: str) -> None:
        content, splitter = text.encode(errors="replace"), LineSplitter()
        self.lines: list[bytes] = []
        while content:
            size = chance.pick(1, 3, 10**6)
            self.lines += splitter.feed(content[:size])
            content = content[size:]
        self.over = False

    def send(self, text: str, clock: Any) -> None: ...

    def line(self, clock: Any) -> str:
        """The next line, until there is none."""
        if not self.lines:
            raise ForfeitError("ended")
        return self.lines.pop(0).decode(errors="replace")

    def end(self, farewell: str = "") -> None: ...


class Engines:
    """One engine that is asked for one move."""

    share = 2.5

    def __init__(self) -> None:
        self.folder = mock.MagicMock()
        with (
            mock.patch.object(gtp_player, "find_program", lambda command: ["x"]),
            mock.patch.object(gomocup_player, "find_program", lambda command, kind: ["x"]),
            mock.patch.object(library_player, "find_library", lambda command: "x"),
        ):
            self.kinds = [
                (gtp_player.GtpPlayer(make_game("go:size=5"), "x"), GTP, gtp_player, "Program"),
                (gomocup_player.GomocupPlayer(make_game("gomoku:size=5"), "x"), GOMOCUP, gomocup_player, "Program"),
                (library_player.LibraryPlayer(make_game("connect4:rows=4"), "x"), LIBRARY, library_player, "Program"),
            ]

    def run(self, chance: Chance) -> int:
        """A legal move, a resignation or a forfeit."""
        player, answers, module, name = chance.choice(self.kinds)
        starts = {GTP: "= \n\n= \n\n= \n\n= true\n\n", GOMOCUP: "OK\n", LIBRARY: "ready\n"}
        text = (starts[answers] if chance.often(0.8) else "") + "".join(chance.some(answers, 6))
        self.input = chance.spoil(text) if chance.often(0.8) else text
        written = Written(chance, self.input)
        game = player.game
        position = game.begin()
        for _ in range(chance.randint(0, 3)):
            position = position.play(chance.choice(position.actions[:25]))  # no pass: two of them would end the game
        with (
            mock.patch.object(module, name, lambda *_, **__: written),
            mock.patch.object(module, "OwnFolder", lambda: self.folder, create=True),  # GTP programs need none
        ):
            try:
                assert player.choose(position) in position.actions
            except (ForfeitError, ResignationError) as loss:
                assert str(loss)
        return 1
