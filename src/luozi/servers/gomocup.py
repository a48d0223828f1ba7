"""Luozi as a brain for Gomocup and all that speak its protocol (piskvork).

`serve` answers every command of the protocol. Both sides move in turn, whoever they are: TURN is a move of the side to
move, which the other side answers, so that the brain may change sides after TAKEBACK or SWAP2BOARD.

A line that arrives while the brain thinks waits, but for STOP and YXSTOP (move now) and END (leave at once; only a
START that is compiling is waited for).

START compiles plain UCT at most, and that for small boards alone. A search that takes longer to compile is compiled
in a process of its own, because this one would answer late; until then its network plays uncompiled, or plain UCT on
small boards. Where INFO max_memory leaves no room for both, the stand-in plays on.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TextIO

import luozi
from luozi.games import game as make_game
from luozi.messages import LuoziError
from luozi.players.presets import strong_options
from luozi.protocols.gomocup import action_of, game_spelling, place_name, read_board_line, read_place
from luozi.rules.game import State
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.search.readiness import BESIDE
from luozi.search.ready_engine import CHANGE_SECONDS, FULL, ReadyEngine
from luozi.servers.conversation import Conversation, Wanted, options_on, split_command
from luozi.servers.gomocup_position import DEAD_FIELD, GomocupGame
from luozi.servers.gomocup_settings import GomocupInfo
from luozi.servers.swap2 import EVEN, balanced_opening
from luozi.util.machine import give_back_memory

KEEPING_SECONDS = 4e-7  # what it takes to go on with the tree after a move, for each node, at most
SHOWN_LINE = 8  # moves of the expected line


def serve(input: TextIO, output: TextIO, options: Wanted | None = None) -> int:
    """Be a brain until END or the end of the input; the exit status.

    Moves end at the protocol's time limits, and earlier at those of the options, which may depend on board and rule;
    without options, `strong` plays.
    """
    server = GomocupServer(input, output, options or (lambda game: Options.of(**strong_options(game))))
    try:
        return server.run()
    finally:
        server.close_search()


class GomocupServer(Conversation):
    """One brain."""

    leaving = frozenset({"END"})
    hurrying = frozenset({"STOP", "YXSTOP"})

    def __init__(self, input: TextIO, output: TextIO, wanted: Wanted) -> None:
        super().__init__(input, output)
        self.wanted = wanted
        self.options = Options()  # until a board is told
        self.settings = GomocupInfo()
        self.search: ReadyEngine | None = None
        self.tried: set[str] = set()  # games whose full search was to be compiled
        self.remarks: list[str] = []  # for those who watch, before the next move
        self.position: GomocupGame | None = None
        self.size = 0, 0
        self.thought: SearchResult | None = None
        self.listed: list[str] | None = None  # the lines since BOARD or SWAP2BOARD
        self.when_listed: Callable[[list[str]], None] = self.set_board
        self.commands: dict[str, Callable[[str], None]] = {
            "START": self.start,
            "RECTSTART": self.start_rectangle,
            "RESTART": self.restart,
            "BEGIN": self.begin,
            "TURN": self.turn,
            "PLAY": self.play,
            "TAKEBACK": self.take_back,
            "BOARD": lambda rest: self.begin_list(self.set_board),
            "SWAP2BOARD": lambda rest: self.begin_list(self.choose_opening),
            "INFO": self.inform,
            "ABOUT": self.tell_about,
            "STOP": self.ignore,
            "YXSTOP": self.ignore,
        }

    def answer(self, text: str) -> None:
        if self.listed is not None:
            if text[0].isdigit() or text[0] == "-":
                if len(self.listed) <= self.the_position().game.cells:  # one more than there can be is wrong enough
                    self.listed.append(text)
                return
            listed, self.listed = self.listed, None
            if split_command(text)[0] == "DONE":
                self.when_listed(listed)
                return
            self.complain("the stones before this line do not count: DONE is missing")
        self.obey(text)

    def obey(self, text: str) -> None:
        """Do what a command says."""
        word, rest = split_command(text)
        if word not in self.commands:
            self.say(f"UNKNOWN command {word[:20]!a}")
            return
        self.understood()
        self.commands[word](rest)

    def complain(self, sentence: str) -> None:
        self.say(f"ERROR {sentence}")

    # A new game -----------------------------------------------------------------------------------------------------

    def start(self, rest: str) -> None:
        """START size: a square board."""
        if not rest.isdecimal() or len(rest) > 4:
            raise LuoziError("START needs the size of the board, as in START 15")
        self.open_board(int(rest), int(rest))
        self.say("OK")

    def start_rectangle(self, rest: str) -> None:
        """RECTSTART width,height."""
        size = read_place(rest)
        if size is None:
            raise LuoziError("RECTSTART needs width and height, as in RECTSTART 20,15")
        self.open_board(*size)
        self.say("OK")

    def restart(self, rest: str) -> None:
        """RESTART: the same board, empty."""
        self.the_position()
        self.open_board(*self.size)
        self.say("OK")

    def open_board(self, width: int, height: int) -> None:
        """An empty board, with all compiled that a move on it needs."""
        self.settings.check_rule()
        position = GomocupGame(self.game_of(width, height), self.settings.continuous)
        self.options = options_on(position.game, self.wanted)
        self.size, self.position, self.thought = (width, height), position, None
        self.settings.new_game()
        self.make_engine()

    def game_of(self, width: int, height: int) -> Any:
        """The game on a board under the rule of INFO."""
        return make_game(game_spelling(width, height, self.settings.exactly))

    def make_engine(self) -> None:
        """An engine for the game, its pool as large as memory allows when all else is loaded."""
        game = self.the_position().game
        self.close_search()
        gc.collect()
        give_back_memory()  # or the tree of the engine before would count as taken, and the new one be smaller
        self.search = search = self.searches(game, self.options.without_limits(), BESIDE)
        search.warm_up()
        if search.stage < FULL:
            self.compile_rest(search)
        own = self.settings.pool_megabytes(search.is_compiling)
        limits = [limit for limit in (self.options.memory, own) if limit]
        search.options = replace(search.options, memory=min(limits, default=0.0))
        search.best()

    def compile_rest(self, search: ReadyEngine) -> None:
        """Begin to compile the full search, if it can be; a simpler one plays until it is ready."""
        spelling = search.game.spelling
        if spelling not in self.tried and self.settings.can_compile():
            self.tried.add(spelling)
            search.start()
            return
        beforehand = f"does not fit, while it is compiled, into the memory; 'luozi think {spelling}' compiles it"
        reason = "could not be compiled" if spelling in self.tried else f"{beforehand} beforehand"
        self.remarks.append(f"{search.stand_in()} plays: the full search {reason}")

    def go_on_compiled(self) -> None:
        """Go on with the full search as soon as it is compiled; this takes a moment."""
        if self.search is not None and self.search.is_over:
            self.make_engine()

    def close_search(self) -> None:
        """Nobody waits for it any more."""
        if self.search is not None:
            if self.search.is_compiling:
                self.tried.clear()
            self.search.close()
        self.search = None

    def the_position(self) -> GomocupGame:
        """The position, if there is a board."""
        if self.position is None:
            raise LuoziError("there is no board yet: send START first")
        return self.position

    def the_engine(self) -> Engine:
        """The engine, made anew where that failed before, or where stones have died since."""
        game, search = self.the_position().game, self.search
        if search is None or search.engine is None or search.game is not game:
            self.options = options_on(game, self.wanted)
            self.make_engine()
        assert self.search is not None
        assert self.search.engine is not None
        return self.search.engine

    # Moves ----------------------------------------------------------------------------------------------------------

    def begin(self, rest: str) -> None:
        """BEGIN: the first move of the game."""
        if self.the_position().history:
            raise LuoziError("BEGIN is for an empty board")
        self.move()

    def turn(self, rest: str) -> None:
        """TURN x,y: the other side's move, to be answered."""
        self.settings.check_rule()
        self.follow(self.cell_at(rest))
        self.move()

    def play(self, rest: str) -> None:
        """PLAY x,y: our own move, chosen by the other side."""
        cell = self.cell_at(rest)
        self.follow(cell)
        self.say(place_name(self.the_position().game, cell))

    def take_back(self, rest: str) -> None:
        """TAKEBACK x,y: the last stone goes."""
        self.the_position().take_back(self.cell_at(rest))
        self.say("OK")

    def cell_at(self, text: str) -> int:
        """The cell that is written."""
        place = read_place(text)
        if place is None:
            raise LuoziError("write a place as x,y, as in TURN 7,7")
        cell = action_of(self.the_position().game, place)
        if cell is None:
            raise LuoziError("{x},{y} is not on the board", x=place[0], y=place[1])
        return cell

    def follow(self, cell: int) -> None:
        """Play a move."""
        self.the_position().play(cell)

    def move(self) -> None:
        """Think, answer with a move, and play it."""
        self.settings.check_rule()
        position = self.the_position()
        position.check_on()
        self.play_own(position, self.consider(position, self.deadline()).action)

    def deadline(self) -> float:
        """When the answer must be there."""
        return self.asked + self.settings.seconds(self.options.seconds)

    def consider(self, position: GomocupGame, deadline: float) -> SearchResult:
        """Think about a position, and tell those who watch."""
        if deadline - time.monotonic() > CHANGE_SECONDS:
            self.go_on_compiled()
        self.thought = self.think(self.the_engine(), self.affordable(position), deadline, self.options.limits)
        self.tell_thought(self.thought)
        return self.thought

    def affordable(self, position: GomocupGame) -> Position | State:
        """The position, without its history where keeping the tree would take too much of the time."""
        nodes = self.thought.nodes if self.thought else 0
        keeps = nodes * KEEPING_SECONDS < (self.deadline() - time.monotonic()) / 2
        return position.position if keeps else position.state

    def play_own(self, position: GomocupGame, cell: int) -> None:
        """Answer with a move; what takes time comes after the answer."""
        position.play(cell)
        self.reply(place_name(position.game, cell))
        self.the_engine().move_to(position.position)
        self.go_on_compiled()

    def reply(self, text: str) -> None:
        """An answer that took thinking."""
        self.settings.use(time.monotonic() - self.asked)
        self.say(text)

    def tell_thought(self, thought: SearchResult) -> None:
        """What the search found, for those who watch."""
        game = self.the_position().game
        cells = {candidate.name: place_name(game, candidate.action) for candidate in thought.candidates}
        line = " ".join(cells[name] for name in thought.variation[:SHOWN_LINE])
        rate = 100 * thought.best.means[thought.player]
        report = self.search.report() if self.search is not None and self.search.is_compiling else None
        for remark in [*self.remarks, *([report] if report else [])]:
            self.say(f"MESSAGE {remark}")
        self.remarks.clear()
        self.say(f"MESSAGE depth {thought.depth}, win rate {rate:.1f} %, line {line}")
        self.say(f"DEBUG {thought.summary()}")

    # Whole positions ------------------------------------------------------------------------------------------------

    def begin_list(self, when_listed: Callable[[list[str]], None]) -> None:
        """BOARD or SWAP2BOARD: the stones come in the next lines, up to DONE."""
        self.the_position()
        self.listed, self.when_listed = [], when_listed

    def set_board(self, lines: list[str]) -> None:
        """BOARD: the position, in which we are to move."""
        game, marked = self.the_position().open_game, []
        for line in lines:
            read = read_board_line(line)
            cell = read and action_of(game, read[:2])
            if read is None or cell is None or not 1 <= read[2] <= DEAD_FIELD:
                raise LuoziError(
                    "{line} is not x,y,field with a place on the board and a field of 1, 2, 3", line=ascii(line[:20])
                )
            marked.append((cell, read[2]))
        position = GomocupGame.of_board(game, self.settings.continuous, marked)
        position.check_on()
        self.position = position
        self.move()

    def choose_opening(self, lines: list[str]) -> None:
        """SWAP2BOARD: no stones yet, or the three or five of a Swap2 opening."""
        self.settings.check_rule()
        game = self.the_position().open_game
        position = GomocupGame(game, self.settings.continuous)
        for line in lines:
            position.play(self.cell_at(line))
        if len(lines) not in (0, 3, 5) or game.cells < 6:
            raise LuoziError("SWAP2BOARD needs no stones, or three, or five, and room for one more")
        self.position = position
        deadline = self.deadline()
        if lines:
            self.choose_side(position, deadline)
        else:
            self.propose(3, deadline)

    def choose_side(self, position: GomocupGame, deadline: float) -> None:
        """Take the better side; after three stones, if none is, place two more."""
        may_propose = len(position.history) == 3
        if may_propose:  # half of the time for each
            deadline -= (deadline - time.monotonic()) / 2
        thought = self.consider(position, deadline)
        rate = thought.best.means[thought.player]
        if may_propose and abs(rate - 0.5) < EVEN:
            self.propose(2, self.deadline())
        elif rate < 0.5:
            self.reply("SWAP")
        else:
            self.play_own(position, thought.action)

    def propose(self, count: int, deadline: float) -> None:
        """Place stones after which both sides stand about as well, and leave the choice to the other."""
        position, engine = self.the_position(), self.the_engine()
        seconds = deadline - time.monotonic()

        def win_rate(state: State, share: float) -> float:
            until = time.monotonic() + (0.0 if self.hurried else share * seconds)
            thought = self.think(engine, state, until, self.options.limits)
            return thought.best.means[thought.player]

        cells = balanced_opening(position, count, win_rate, engine.seed)
        for cell in cells:
            position.play(cell)
        self.reply(" ".join(place_name(position.game, cell) for cell in cells))

    # What needs no answer -------------------------------------------------------------------------------------------

    def inform(self, rest: str) -> None:
        """INFO key value."""
        key, value = split_command(rest)
        key, before = key.lower(), replace(self.settings)
        if key == "evaluate":
            self.evaluate(value)
            return
        self.settings.tell(key, value)
        if self.position is None:
            return
        if self.settings.rule != before.rule:
            self.settings.check_rule()
            self.change_rule(self.position)
        elif self.settings.max_memory != before.max_memory:
            self.make_engine()

    def change_rule(self, position: GomocupGame) -> None:
        """The same stones in a game with another rule."""
        changed = GomocupGame(self.game_of(*self.size), self.settings.continuous, position.history)
        changed.give_turn(position.position.to_move)
        self.position, self.options = changed, options_on(changed.game, self.wanted)
        self.make_engine()

    def evaluate(self, text: str) -> None:
        """INFO evaluate x,y: what the last search found about a place, for those who watch."""
        cell = self.cell_at(text)
        for candidate in self.thought.candidates if self.thought else ():
            if candidate.action == cell and self.thought:
                rate = 100 * candidate.means[self.thought.player]
                self.say(f"DEBUG {text} had {candidate.visits:,} visits and a win rate of {rate:.1f} %")

    def tell_about(self, rest: str) -> None:
        """ABOUT: who we are."""
        self.say(f'name="Luozi", version="{luozi.__version__}", author="The Luozi authors"')

    def ignore(self, rest: str) -> None:
        """A word that has acted when it was read, or that meant nothing."""
