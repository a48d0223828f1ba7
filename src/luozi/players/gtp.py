"""`gtp`: an external Go engine with the Go Text Protocol."""

from __future__ import annotations

from itertools import takewhile
from typing import Annotated

from luozi.games.go.points import point_name, point_of
from luozi.games.go.rules import EMPTY, Go
from luozi.messages import Message
from luozi.players.base import LEAST_SECONDS, ForfeitError, ResignationError
from luozi.players.external import START_SECONDS, ExternalPlayer, find_program
from luozi.players.program import Program, ReplyDeadline
from luozi.protocols.gtp import COLOURS, RESIGN, Response, read_response
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.util.machine import memory_megabytes
from luozi.util.parameters import ParameterInfo
from luozi.util.parsing import plain

DEFAULT_SECONDS = 60.0
Command = Annotated[
    str,
    ParameterInfo("Command line of the external engine. Put it last, without quotes: gtp:seconds=9,gnugo --mode gtp"),
]
EngineSeconds = Annotated[
    float | None,
    ParameterInfo(
        Message(
            "Time limit per move in seconds, also sent to the engine. Default: {seconds} s, not sent to the engine.",
            seconds=f"{DEFAULT_SECONDS:g}",
        ),
        LEAST_SECONDS,
        10**6,
    ),
]
Megabytes = Annotated[
    int | None, ParameterInfo("Memory limit in MB. Default: half of the machine's memory.", 64, 10**6)
]
# Luozi counts stones as they stand at the end. An engine with this command does not pass before it has captured dead
# stones, so it loses no points that it counts as its own.
GENMOVE, GENMOVE_TO_THE_END = "genmove", "kgs-genmove_cleanup"

Play = tuple[int, int]  # the number of the player, and the action


class GtpPlayer(ExternalPlayer):
    """An external Go engine with the Go Text Protocol (GTP)."""

    game: Go
    plays = "Go only"
    farewell = "quit"

    def __init__(
        self, game: Game, command: Command, seconds: EngineSeconds = None, max_memory_mb: Megabytes = None
    ) -> None:
        super().__init__(game, DEFAULT_SECONDS if seconds is None else seconds)
        self.refuse_other_games("gtp", isinstance(game, Go))
        self.command, self.timed = find_program(command), seconds is not None
        self.memory = memory_megabytes() // 2 if max_memory_mb is None else max_memory_mb
        self.plays_sent: list[Play] = []  # the plays on the engine's board

    def answer(self, position: Position) -> int:
        player = position.to_move
        self.send_plays(plays_to(self.game, position))
        response = self.ask(f"{self.genmove} {COLOURS[player]}", self.allowed)
        word = response.text.lower()
        if word == RESIGN:
            raise ResignationError("resigned")
        action = point_of(self.game.size, word)
        if not response.success or action is None:
            raise ForfeitError("answered '{text}', which is not a move", text=plain(response.text))
        self.plays_sent.append((player, action))
        return action

    def send_plays(self, plays: list[Play]) -> None:
        """Bring the engine's board to these plays: undo what is no longer there, then play what is new.

        If the engine can't undo, or the stones at the start differ, the engine starts again with an empty board.
        """
        if self.plays_sent != plays[: len(self.plays_sent)] and not self.takes_back(plays):
            self.end()
        if self.program is None:
            self.plays_sent = []
            self.set_up(plays)
        for player, action in plays[len(self.plays_sent) :]:
            self.insist(f"play {COLOURS[player]} {point_name(self.game.size, action)}")
        self.plays_sent = list(plays)

    def takes_back(self, plays: list[Play]) -> bool:
        """Undo the plays that are no longer there; return whether the engine could."""
        pairs = zip(self.plays_sent, plays, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if self.program is None or same < len(self.game.handicap_stones):
            return False
        while len(self.plays_sent) > same and self.ask("undo").success:
            self.plays_sent.pop()
        return len(self.plays_sent) == same

    def begin(self) -> Program:
        return Program(self.command, memory=self.memory)

    def set_up(self, plays: list[Play]) -> None:
        """Send the size, komi, time and handicap, and find out which command asks for a move."""
        for line in (f"boardsize {self.game.size}", "clear_board", f"komi {self.game.komi:g}"):
            self.insist(line)
        known = self.ask(f"known_command {GENMOVE_TO_THE_END}")
        self.genmove = GENMOVE_TO_THE_END if known == (True, "true") else GENMOVE
        if self.timed:
            self.ask(f"time_settings 0 {max(1, int(self.seconds))} 1")
        self.set_handicap(plays)

    def set_handicap(self, plays: list[Play]) -> None:
        """Place handicap stones by their command; an engine without it gets them as plays."""
        placed = [(0, int(point)) for point in self.game.handicap_stones]
        if placed and plays[: len(placed)] == placed:
            points = " ".join(point_name(self.game.size, point) for _player, point in placed)
            if self.ask(f"set_free_handicap {points}").success:
                self.plays_sent = placed

    def insist(self, line: str) -> None:
        """Send a command that an engine must accept."""
        response = self.ask(line)
        if not response.success:
            raise ForfeitError("refused '{line}' with '{text}'", line=line, text=plain(response.text))

    def ask(self, line: str, seconds: float | None = None) -> Response:
        """Send a command and return its response, within the time of a move and at least the time to start."""
        program = self.running()
        clock = self.clock(max(self.seconds, START_SECONDS) if seconds is None else seconds)
        program.send(line, clock)
        lines = [self.first_line(program, clock)]
        while text := program.line(clock).strip():
            lines.append(text)
        response = read_response(lines)
        assert response is not None  # the first line is the response, and that is enough
        return response

    def first_line(self, program: Program, clock: ReplyDeadline) -> str:
        """Return the first line of a response, without blank lines before it."""
        text = program.line(clock).strip()
        while not text:
            text = program.line(clock).strip()
        if read_response([text]) is None:
            raise ForfeitError("answered '{text}', which is not GTP", text=plain(text))
        return text


def plays_to(game: Go, position: Position) -> list[Play]:
    """Return a position as plays from the empty board: the stones at its start, and the moves."""
    start = position.back(len(position.moves))
    if start.step is not None:
        return [*stones(game, start.state), *position.plays]
    black, white = [(0, int(point)) for point in game.handicap_stones], [(1, int(point)) for point in game.white_stones]
    return [*black, *white, *position.plays]


def stones(game: Go, state: State) -> list[Play]:
    """Return the stones of a position as plays; in any order none of them is captured."""
    return [(int(state.board[point]) - 1, point) for point in range(game.points) if state.board[point] != EMPTY]
