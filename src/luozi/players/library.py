"""`connect4_library`: a strategy library of the Connect Four platform, loaded in a process of its own.

`library_host` confines that process. A question and an answer are one line of integers each.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError, Message
from luozi.players.base import ForfeitError
from luozi.players.external import START_SECONDS, ExternalPlayer, Megabytes, MoveSeconds
from luozi.players.program import Program
from luozi.protocols.connect4_agent import action_of, board_of, can_play, cells, last_place, tops
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.util.parameters import ParameterInfo
from luozi.util.parsing import is_file, path_of, plain, whole_number
from luozi.util.tempdirs import OwnFolder
from luozi.util.trust import library_to_load

HOST = Path(__file__).with_name("library_host.py")
DEFAULT_SECONDS, DEFAULT_MEMORY = 3.0, 1024
READY, NONE = "ready", "none"  # what the host prints when it has loaded the library, and if there is no move
LibraryFile = Annotated[
    str,
    ParameterInfo("Path of the shared library. Put it last, without quotes: connect4_library:seconds=1,./strategy.so"),
]
# Python itself may need it to start; the host removes it before it loads the library
KEPT_VARIABLES = ("LD_LIBRARY_PATH",)


class LibraryPlayer(ExternalPlayer):
    """A strategy library of the Connect Four platform: a shared library with getPoint and clearPoint."""

    game: Lines
    plays = "Connect Four for two on a flat board with one forbidden cell or none"

    def __init__(
        self,
        game: Game,
        command: LibraryFile,
        seconds: MoveSeconds = DEFAULT_SECONDS,
        max_memory_mb: Megabytes = DEFAULT_MEMORY,
    ) -> None:
        super().__init__(game, seconds)
        self.refuse_other_games("connect4_library", can_play(game))
        self.path, self.memory = find_library(command), max_memory_mb

    def begin(self) -> Program:
        folder = OwnFolder()
        folder.path.chmod(0o555)
        host = [sys.executable, "-I", "-S", HOST, self.path, folder.path, self.memory]
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        program = self.program = Program([str(word) for word in host], folder, environment=environment)
        text = program.line(self.clock(START_SECONDS))
        if text != READY:
            raise ForfeitError("can't be loaded: '{text}'", text=plain(text))
        return program

    def answer(self, position: Position) -> int:
        state, program = position.state, self.running()
        clock = self.clock()
        program.send(" ".join(map(str, self.question(state))), clock)
        text = program.line(clock)
        numbers = [whole_number(word, -(2**31), 2**31 - 1) for word in text.split(" ")]
        match numbers:
            case [int(row), int(column)]:
                place = row, column
            case _:
                reason = (
                    "returned no move"
                    if text == NONE
                    else Message("answered '{text}', which is not a move", text=plain(text))
                )
                raise ForfeitError(reason)
        action = action_of(self.game, state, place)
        if action is None:
            raise ForfeitError(Message("played {text}, which is not legal", text=place))
        return action

    def question(self, state: State) -> list[int]:
        """Return the arguments of `getPoint`, the arrays last."""
        board, last = board_of(self.game), last_place(self.game, state)
        sizes = [board.rows, board.columns, *last, board.no_x, board.no_y]
        return [*sizes, *tops(self.game, state), *cells(self.game, state, int(state.to_move))]


def find_library(text: str) -> Path:
    """Return the path of a library.

    Raises:
        LuoziError: there is no such file, it can't be read, or the user does not trust it.
    """
    path = path_of(text.strip()).absolute()
    if os.name != "posix":
        raise LuoziError("strategy libraries need Linux or macOS")
    if not is_file(path):
        raise LuoziError("there is no library '{name}'; give the path of a shared library", name=text.strip())
    if not os.access(path, os.R_OK):
        raise LuoziError("the library '{name}' can't be read", name=text.strip())
    library_to_load(path)
    return path
