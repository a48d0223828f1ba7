"""What all external programs have in common: one process a game, and a forfeit when the program fails."""

from __future__ import annotations

import os
import shlex
import shutil
from abc import abstractmethod
from typing import Annotated

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError, Message
from luozi.players.base import LEAST_SECONDS, ForfeitError, Player, StoppedError
from luozi.players.program import Program, ReplyDeadline
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.util.parameters import ParameterInfo
from luozi.util.trust import command_to_start

GRACE = 0.5  # seconds beyond a program's own time, for the pipes
MORE_FOLDERS = ("/usr/games", "/usr/local/games")  # where Debian puts engines; often not on the PATH of root
START_SECONDS = 30.0  # the least time that a program has to start
MoveSeconds = Annotated[float, ParameterInfo("Time limit per move in seconds.", LEAST_SECONDS, 10**6)]
Megabytes = Annotated[int, ParameterInfo("Memory limit in MB.", 64, 10**6)]


def find_program(command: str, kind: str = "gtp") -> list[str]:
    """Return the words of a command, the first one the absolute path of the program.

    Raises:
        LuoziError: the command can't be read, or there is no such program.
    """
    if os.name != "posix":
        raise LuoziError("external programs need Linux or macOS")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LuoziError(
            "the command '{name}' can't be read: {reason}", name=command, reason=str(error).lower()
        ) from None
    name = os.path.expanduser(words[0]) if words else ""
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), *MORE_FOLDERS])
    path = shutil.which(name, path=folders) if name else None
    if path is not None:
        found = [os.path.abspath(path), *words[1:]]
        command_to_start(kind, command, found)
        return found
    if os.sep in name and os.path.exists(name):
        raise LuoziError(
            "'{name}' is not a program that can be run; make it executable, or name its interpreter too", name=name
        )
    raise LuoziError("there is no program '{name}'; give a path or install it", name=name)


class ExternalPlayer(Player):
    """A program that starts with the first move of a game and ends with the game.

    It is told of the other players' moves only when it has to move, so nothing can fail but `choose`.
    """

    plays = ""  # the games it can play, as the end of a sentence
    farewell = ""  # the command that asks it to end
    moves_at_once = False

    def __init__(self, game: Game, seconds: float) -> None:
        super().__init__(game)
        self.seconds = seconds
        self.allowed, self.cancel = seconds, NEVER  # of the current move
        self.program: Program | None = None
        self.failure = ""

    def refuse_other_games(self, name: str, can_play: bool) -> None:
        """Raise LuoziError if this kind of program does not play the game."""
        if not can_play:
            raise LuoziError("{of} plays {plays}, not {game}", of=name, plays=self.plays, game=self.game.spelling)

    @abstractmethod
    def begin(self) -> Program:
        """Start the program."""

    @abstractmethod
    def answer(self, position: Position) -> int:
        """Return the program's move; it need not be legal."""

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        if self.failure:
            raise ForfeitError(self.failure)
        self.allowed, self.cancel = limits_in_force(limits, Limits(seconds=self.seconds)).seconds, cancel
        try:
            action = self.answer(position)
            if not self.game.allows(position.state, action):
                raise ForfeitError(Message("played {text}, which is not legal", text=position.name(action)))
            return action
        except ForfeitError as error:
            self.end()
            self.failure = error.message
            raise
        except StoppedError:  # its move would come too late: it starts again for the next one
            if self.program is not None:
                self.program.end()
            self.program = None
            raise
        finally:
            self.cancel = NEVER

    def running(self) -> Program:
        """Return the program, started if necessary."""
        if self.program is None:
            self.program = self.begin()
        return self.program

    def clock(self, seconds: float | None = None) -> ReplyDeadline:
        """Return the deadline of an answer, from now on."""
        return ReplyDeadline(self.allowed if seconds is None else seconds, GRACE, self.cancel)

    def end(self) -> None:
        """End the program if it runs; the next question starts it again."""
        if self.program is not None:
            self.program.end(self.farewell)
            self.program = None

    def _begin_game(self) -> None:
        self.end()
        self.failure = ""

    def _go_back(self) -> None:
        self.failure = ""

    def close(self) -> None:
        self.end()
