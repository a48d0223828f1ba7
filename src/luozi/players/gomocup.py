"""`gomocup`: an external engine for five in a row with the Gomocup (piskvork) protocol."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from luozi.games.lines.rules import Lines
from luozi.players.base import ForfeitError
from luozi.players.external import START_SECONDS, ExternalPlayer, Megabytes, MoveSeconds, find_program
from luozi.players.program import Program, ReplyDeadline
from luozi.protocols.gomocup import action_of, board_lines, can_play, is_comment, place_name, read_place, rule_number
from luozi.protocols.gomocup import stones as stones_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.util.parameters import ParameterInfo
from luozi.util.parsing import plain
from luozi.util.tempdirs import OwnFolder

DEFAULT_SECONDS, DEFAULT_MEMORY = 5.0, 350
NO_LIMIT, UNLIMITED_LEFT = 0, 2**31 - 1  # of INFO timeout_match and INFO time_left
AGAINST_PROGRAM = 1  # of INFO game_type
Command = Annotated[
    str,
    ParameterInfo("Command line of the external engine. Put it last, without quotes: gomocup:seconds=9,./pbrain-mine"),
]


class GomocupPlayer(ExternalPlayer):
    """An external engine for five in a row with the Gomocup (piskvork) protocol."""

    game: Lines
    plays = "five in a row for two on a flat board without gravity and forbidden cells"
    farewell = "END"

    def __init__(
        self,
        game: Game,
        command: Command,
        seconds: MoveSeconds = DEFAULT_SECONDS,
        max_memory_mb: Megabytes = DEFAULT_MEMORY,
    ) -> None:
        super().__init__(game, seconds)
        self.refuse_other_games("gomocup", can_play(game))
        self.command, self.memory = find_program(command, "gomocup"), max_memory_mb
        self.stones: dict[int, int] = {}  # the stones on the engine's board, and their players

    def answer(self, position: Position) -> int:
        stones, player = stones_of(self.game, position.state), position.to_move
        if self.stones and not self.follows(stones, player):
            self.end()
        program = self.running()
        clock = self.clock()
        program.send(f"INFO time_left {UNLIMITED_LEFT}\n{self.question(stones, player, position.moves)}", clock)
        text = self.next_line(program, clock)
        place = read_place(text)
        if place is None:
            raise ForfeitError("answered '{text}', which is not a move", text=plain(text))
        action = action_of(self.game, place)
        if action is None:
            raise ForfeitError("played {text}, which is not legal", text=f"{place[0]},{place[1]}")
        self.stones = {**stones, action: player}
        return action

    def follows(self, stones: dict[int, int], player: int) -> bool:
        """Return whether a position is the engine's board and one move of the other player."""
        known = all(stones.get(cell) == owner for cell, owner in self.stones.items())
        return known and [owner for cell, owner in stones.items() if cell not in self.stones] == [1 - player]

    def question(self, stones: dict[int, int], player: int, moves: Sequence[int]) -> str:
        """Return the command that asks for a move.

        It is TURN with the other player's move if the engine has the rest, else BOARD with all stones in the order of
        play.
        """
        if not stones:
            return "BEGIN"
        if self.follows(stones, player):
            (new,) = stones.keys() - self.stones.keys()
            return f"TURN {place_name(self.game, new)}"
        in_order = {cell: stones[cell] for cell in moves if cell in stones}
        return "\n".join(["BOARD", *board_lines(self.game, {**in_order, **stones}, player), "DONE"])

    def begin(self) -> Program:
        """Start the engine and send the board size, the limits and the rule."""
        self.stones = {}
        folder = OwnFolder()
        program = self.program = Program(self.command, folder, self.memory)
        rows, columns = self.game.rows, self.game.columns
        start = f"START {rows}" if rows == columns else f"RECTSTART {columns},{rows}"
        clock = self.clock(START_SECONDS)
        program.send(start, clock)
        text = self.next_line(program, clock, skips_unknown=False)
        if not text.upper().startswith("OK"):
            raise ForfeitError("answered '{text}' to '{line}'", text=plain(text), line=start)
        program.send("\n".join(self.information(folder.path)), clock)
        return program

    def information(self, folder: Path) -> list[str]:
        """Return the INFO commands before a game."""
        values = {
            "timeout_turn": int(self.seconds * 1000),
            "timeout_match": NO_LIMIT,
            "max_memory": self.memory * 2**20,
            "game_type": AGAINST_PROGRAM,
            "rule": rule_number(self.game),
            "folder": folder,
        }
        return [f"INFO {key} {value}" for key, value in values.items()]

    def next_line(self, program: Program, clock: ReplyDeadline, skips_unknown: bool = True) -> str:
        """Return the next line that is not a comment."""
        text = program.line(clock).strip()
        while not text or (is_comment(text) and (skips_unknown or not text.upper().startswith("UNKNOWN"))):
            text = program.line(clock).strip()
        return text
