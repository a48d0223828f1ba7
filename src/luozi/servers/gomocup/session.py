"""One conversation with a Gomocup manager: the board, the values of INFO, the search, and how a line is answered.

START compiles plain UCT at most, and only for small boards. The full search is compiled in a process of its own,
because this one would answer late. Until then its network plays uncompiled, or plain UCT on small boards. It plays on
where INFO max_memory leaves no room for compilation.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from luozi.games import game as make_game
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.protocols.gomocup import action_of, game_spelling, place_name, read_place
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import Engine, Options, SearchResult
from luozi.search.readiness import BESIDE
from luozi.search.ready_engine import CHANGE_SECONDS, FULL, ReadyEngine
from luozi.servers.conversation import Command, Conversation, LineSession, Wanted, options_on, split_command
from luozi.servers.gomocup.info import GomocupInfo
from luozi.servers.gomocup.position import GomocupGame
from luozi.util.machine import give_back_memory

KEEPING_SECONDS = 4e-7  # for each node, to keep the tree after a move, at most
SHOWN_LINE = 8  # moves of the expected line


class GomocupSession(LineSession):
    """The state of one conversation."""

    def __init__(
        self, conversation: Conversation, wanted: Wanted, commands: Mapping[str, Command[GomocupSession, str]]
    ) -> None:
        super().__init__(conversation)
        self.wanted, self.commands = wanted, commands
        self.options = Options()  # until a board is told
        self.settings = GomocupInfo()
        self.tried: set[str] = set()  # games whose compilation was started
        self.remarks: list[str] = []  # messages before the next move
        self.position: GomocupGame | None = None
        self.size = 0, 0
        self.thought: SearchResult | None = None
        self.listed: list[str] | None = None  # the lines since BOARD or SWAP2BOARD
        self.when_listed: Callable[[GomocupSession, list[str]], str]  # what answers them
        self.has_moved = False  # whether the current line made an own move

    # Lines ----------------------------------------------------------------------------------------------------------

    def answer(self, text: str) -> None:
        """Answer a line, or keep it until DONE; what takes time comes after the answer."""
        self.has_moved = False
        said = self.list_stone(text) if self.listed is not None else self.obey(text)
        if said:
            self.conversation.say(said)
        if self.has_moved:
            self.the_engine().move_to(self.the_position().position)
            self.go_on_compiled()

    def list_stone(self, text: str) -> str:
        """Keep one more line of a list of stones; return the answer if it ends the list."""
        assert self.listed is not None
        if text[0].isdigit() or text[0] == "-":
            if len(self.listed) <= self.the_position().game.cells:  # one more than there can be is wrong enough
                self.listed.append(text)
            return ""
        listed, self.listed = self.listed, None
        if split_command(text)[0] == "DONE":
            return self.when_listed(self, listed)
        self.complain("the stones before this line do not count: DONE is missing")
        return self.obey(text)

    def obey(self, text: str) -> str:
        """Run a command; return its answer."""
        word, rest = split_command(text)
        if word not in self.commands:
            return f"UNKNOWN command {word[:20]!a}"
        self.conversation.understood()
        return self.commands[word].run(self, rest)

    def complain(self, sentence: str) -> None:
        """Send an error."""
        self.conversation.say(f"ERROR {sentence}")

    # The engine -----------------------------------------------------------------------------------------------------

    def open_board(self, width: int, height: int) -> None:
        """Set up an empty board, and compile what a move on it needs."""
        self.settings.check_rule()
        position = GomocupGame(self.game_of(width, height), self.settings.continuous)
        self.options = options_on(position.game, self.wanted)
        self.size, self.position, self.thought = (width, height), position, None
        self.settings.new_game()
        self.make_engine()

    def game_of(self, width: int, height: int) -> Lines:
        """Return the game on a board by the rule of INFO."""
        game = make_game(game_spelling(width, height, self.settings.exactly))
        assert isinstance(game, Lines)
        return game

    def make_engine(self) -> None:
        """Make an engine for the game, with a pool as large as memory allows when all else is loaded."""
        game = self.the_position().game
        self.close_search()
        gc.collect()
        give_back_memory()  # or the old tree would count as taken, and the new pool be smaller
        self.search = search = self.searches(game, self.options.without_limits(), BESIDE)
        search.warm_up()
        if search.stage < FULL:
            self.compile_rest(search)
        own = self.settings.pool_megabytes(search.is_compiling)
        limits = [limit for limit in (self.options.max_memory_mb, own) if limit]
        search.options = replace(search.options, max_memory_mb=min(limits, default=0.0))
        search.best()

    def compile_rest(self, search: ReadyEngine) -> None:
        """Begin to compile the full search, if memory allows; a simpler one plays until then."""
        spelling = search.game.spelling
        if spelling not in self.tried and self.settings.can_compile():
            self.tried.add(spelling)
            search.start()
            return
        beforehand = f"does not fit, while it is compiled, into the memory; 'luozi think {spelling}' compiles it"
        reason = "could not be compiled" if spelling in self.tried else f"{beforehand} beforehand"
        self.remarks.append(f"{search.stand_in()} plays: the full search {reason}")

    def go_on_compiled(self) -> None:
        """Change to the full search if it is compiled by now."""
        if self.search is not None and self.search.is_over:
            self.make_engine()

    def close_search(self) -> None:
        """Stop compiling, which may be tried again, and release the search."""
        if self.search is not None and self.search.is_compiling:
            self.tried.clear()
        super().close_search()

    def the_position(self) -> GomocupGame:
        """Return the position; raise LuoziError if there is no board."""
        if self.position is None:
            raise LuoziError("there is no board yet: send START first")
        return self.position

    def the_engine(self) -> Engine:
        """Return the engine; make a new one where that failed before, or where stones have died since."""
        game, search = self.the_position().game, self.search
        if search is None or search.engine is None or search.game is not game:
            self.options = options_on(game, self.wanted)
            self.make_engine()
        assert self.search is not None
        assert self.search.engine is not None
        return self.search.engine

    def deadline(self) -> float:
        """Return the latest time of the answer."""
        return self.conversation.asked + self.settings.seconds(self.options.seconds)

    def consider(self, position: GomocupGame, deadline: float) -> SearchResult:
        """Search a position, and send messages about the result."""
        if deadline - time.monotonic() > CHANGE_SECONDS:
            self.go_on_compiled()
        self.thought = self.conversation.think(
            self.the_engine(), self.affordable(position), deadline, self.options.limits
        )
        self.tell_thought(self.thought)
        return self.thought

    def affordable(self, position: GomocupGame) -> Position | State:
        """Return the position, without its history where keeping the tree would take too long."""
        nodes = self.thought.nodes if self.thought else 0
        keeps = nodes * KEEPING_SECONDS < (self.deadline() - time.monotonic()) / 2
        return position.position if keeps else position.state

    def tell_thought(self, thought: SearchResult) -> None:
        """Send messages about a search result."""
        game = self.the_position().game
        cells = {candidate.name: place_name(game, candidate.action) for candidate in thought.candidates}
        line = " ".join(cells[name] for name in thought.principal_variation[:SHOWN_LINE])
        rate = 100 * thought.best.means[thought.player]
        report = self.search.report() if self.search is not None and self.search.is_compiling else None
        for remark in [*self.remarks, *([report] if report else [])]:
            self.conversation.say(f"MESSAGE {remark}")
        self.remarks.clear()
        self.conversation.say(f"MESSAGE depth {thought.depth}, win rate {rate:.1f} %, line {line}")
        self.conversation.say(f"DEBUG {thought.summary()}")

    # Moves ----------------------------------------------------------------------------------------------------------

    def cell_at(self, text: str) -> int:
        """Return the cell of written coordinates."""
        place = read_place(text)
        if place is None:
            raise LuoziError("write a place as x,y, as in TURN 7,7")
        cell = action_of(self.the_position().game, place)
        if cell is None:
            raise LuoziError("{x},{y} is not on the board", x=place[0], y=place[1])
        return cell

    def move(self) -> str:
        """Search, and play a move; return the answer."""
        self.settings.check_rule()
        position = self.the_position()
        position.check_on()
        return self.play_own(self.consider(position, self.deadline()).action)

    def play_own(self, cell: int) -> str:
        """Play a move; return the answer."""
        position = self.the_position()
        position.play(cell)
        self.has_moved = True
        return self.thought_out(place_name(position.game, cell))

    def thought_out(self, text: str) -> str:
        """Subtract the time of an answer, and return it."""
        self.settings.use(time.monotonic() - self.conversation.asked)
        return text
