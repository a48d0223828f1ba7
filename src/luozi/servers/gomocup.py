"""Luozi as a brain for Gomocup and all that speak its protocol (piskvork).

Both sides move in turn, whoever they are: TURN is a move of the side to
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
from typing import TextIO

import luozi
from luozi.games import game as make_game
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.players.preparing import Preparation, stand_in_engine
from luozi.players.presets import strong_options
from luozi.protocols.gomocup import action_of, game_spelling, place_name, read_board_line, read_place
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import Engine, Options, SearchResult
from luozi.servers.background import (
    CHANGE_SECONDS,
    Wanted,
    compile_beside,
    is_ready,
    options_on,
    stand_in_name,
    warm_up,
    warm_up_stand_in,
)
from luozi.servers.command_table import CommandTable
from luozi.servers.conversation import Conversation, InputRules, split_command
from luozi.servers.gomocup_position import DEAD_FIELD, GomocupGame
from luozi.servers.gomocup_settings import GomocupInfo
from luozi.servers.swap2 import EVEN, balanced_opening
from luozi.util.machine import give_back_memory

KEEPING_SECONDS = 4e-7  # what it takes to go on with the tree after a move, for each node, at most
SHOWN_LINE = 8  # moves of the expected line
NO_ROOM = "does not fit, while it is compiled, into the memory"


INPUT_RULES = InputRules(leaving=frozenset({"END"}), hurrying=frozenset({"STOP", "YXSTOP"}))


def serve(input: TextIO, output: TextIO, options: Wanted | None = None) -> int:
    """Be a brain until END or the end of the input; the exit status.

    Moves end at the protocol's time limits, and earlier at those of the options, which may depend on board and rule;
    without options, `strong` plays.
    """
    conversation = Conversation(input, output, INPUT_RULES)
    session = GomocupSession(conversation, options or (lambda game: Options.of(**strong_options(game))))
    try:
        return conversation.run(session.answer, session.complain)
    finally:
        session.stop_compiling()


class GomocupSession:
    """What the commands work on."""

    def __init__(self, conversation: Conversation, wanted: Wanted) -> None:
        self.conversation, self.wanted = conversation, wanted
        self.options = Options()  # until a board is told
        self.settings = GomocupInfo()
        self.engine: Engine | None = None
        self.background: Preparation | None = None  # compiles the full search while a stand-in plays
        self.tried: set[str] = set()  # games whose full search was to be compiled
        self.remarks: list[str] = []  # for those who watch, before the next move
        self.position: GomocupGame | None = None
        self.size = 0, 0
        self.thought: SearchResult | None = None
        self.listed: list[str] | None = None  # the lines since BOARD or SWAP2BOARD
        self.when_listed: Callable[[GomocupSession, list[str]], str] = set_board
        self.has_moved = False  # whether the line that is being answered made a move of ours

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
        """Keep one more line of a list of stones; the answer where it ends the list."""
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
        """Do what a command says; the answer, or nothing."""
        word, rest = split_command(text)
        if word not in commands:
            return f"UNKNOWN command {word[:20]!a}"
        self.conversation.understood()
        return commands[word].run(self, rest)

    def complain(self, sentence: str) -> None:
        """Say what is wrong with a line."""
        self.conversation.say(f"ERROR {sentence}")

    # The engine -----------------------------------------------------------------------------------------------------

    def open_board(self, width: int, height: int) -> None:
        """An empty board, with all compiled that a move on it needs."""
        self.settings.check_rule()
        position = GomocupGame(self.game_of(width, height), self.settings.continuous)
        self.options = options_on(position.game, self.wanted)
        self.size, self.position, self.thought = (width, height), position, None
        self.settings.new_game()
        self.make_engine()

    def game_of(self, width: int, height: int) -> Lines:
        """The game on a board under the rule of INFO."""
        game = make_game(game_spelling(width, height, self.settings.exactly))
        assert isinstance(game, Lines)
        return game

    def make_engine(self) -> None:
        """An engine for the game, its pool as large as memory allows when all else is loaded."""
        game, self.engine = self.the_position().game, None
        gc.collect()
        give_back_memory()  # or the tree of the engine before would count as taken, and the new one be smaller
        self.stop_compiling()
        ready = is_ready(game, self.options)
        if ready:
            warm_up(game, self.options)
        else:
            warm_up_stand_in(game, self.options)
            self.compile_rest(game)
        own = self.settings.pool_megabytes(self.is_compiling)
        limits = [limit for limit in (self.options.memory, own) if limit]
        options = replace(self.options.without_limits(), memory=min(limits, default=0.0))
        self.engine = Engine(game, options) if ready else stand_in_engine(game, options)

    def compile_rest(self, game: Lines) -> None:
        """Begin to compile the full search, if it can be; a stand-in plays until it is ready."""
        who = stand_in_name(game, self.options)
        beforehand = f"{NO_ROOM}; 'luozi think {game.spelling}' compiles it beforehand"
        reason = "could not be compiled" if game.spelling in self.tried else beforehand
        if game.spelling not in self.tried and self.settings.can_compile():
            self.tried.add(game.spelling)
            self.background = compile_beside(game, self.options)
            self.remarks.append(f"{who} plays until the full search is compiled")
        else:
            self.remarks.append(f"{who} plays: the full search {reason}")

    @property
    def is_compiling(self) -> bool:
        """Whether the full search is being compiled."""
        return self.background is not None and not self.background.over.is_set()

    def go_on_compiled(self) -> None:
        """Go on with the full search as soon as it is compiled; this takes a moment."""
        if self.background is not None and not self.is_compiling:
            self.make_engine()

    def stop_compiling(self) -> None:
        """Nobody waits for it any more."""
        if self.background is not None:
            if self.is_compiling:
                self.tried.clear()
            self.background.close()
        self.background = None

    def the_position(self) -> GomocupGame:
        """The position, if there is a board."""
        if self.position is None:
            raise LuoziError("there is no board yet: send START first")
        return self.position

    def the_engine(self) -> Engine:
        """The engine, made anew where that failed before, or where stones have died since."""
        game = self.the_position().game
        if self.engine is None or self.engine.game is not game:
            self.options = options_on(game, self.wanted)
            self.make_engine()
        assert self.engine is not None
        return self.engine

    def deadline(self) -> float:
        """When the answer must be there."""
        return self.conversation.asked + self.settings.seconds(self.options.seconds)

    def consider(self, position: GomocupGame, deadline: float) -> SearchResult:
        """Think about a position, and tell those who watch."""
        if deadline - time.monotonic() > CHANGE_SECONDS:
            self.go_on_compiled()
        self.thought = self.conversation.think(
            self.the_engine(), self.affordable(position), deadline, self.options.limits
        )
        self.tell_thought(self.thought)
        return self.thought

    def affordable(self, position: GomocupGame) -> Position | State:
        """The position, without its history where keeping the tree would take too much of the time."""
        nodes = self.thought.nodes if self.thought else 0
        keeps = nodes * KEEPING_SECONDS < (self.deadline() - time.monotonic()) / 2
        return position.position if keeps else position.state

    def tell_thought(self, thought: SearchResult) -> None:
        """What the search found, for those who watch."""
        game = self.the_position().game
        cells = {candidate.name: place_name(game, candidate.action) for candidate in thought.candidates}
        line = " ".join(cells[name] for name in thought.variation[:SHOWN_LINE])
        rate = 100 * thought.best.means[thought.player]
        while self.remarks:
            self.conversation.say(f"MESSAGE {self.remarks.pop(0)}")
        self.conversation.say(f"MESSAGE depth {thought.depth}, win rate {rate:.1f} %, line {line}")
        self.conversation.say(f"DEBUG {thought.summary()}")

    # Moves ----------------------------------------------------------------------------------------------------------

    def cell_at(self, text: str) -> int:
        """The cell that is written."""
        place = read_place(text)
        if place is None:
            raise LuoziError("write a place as x,y, as in TURN 7,7")
        cell = action_of(self.the_position().game, place)
        if cell is None:
            raise LuoziError("{x},{y} is not on the board", x=place[0], y=place[1])
        return cell

    def move(self) -> str:
        """Think, and play a move; the answer."""
        self.settings.check_rule()
        position = self.the_position()
        position.check_on()
        return self.play_own(self.consider(position, self.deadline()).action)

    def play_own(self, cell: int) -> str:
        """Play a move; the answer."""
        position = self.the_position()
        position.play(cell)
        self.has_moved = True
        return self.thought_out(place_name(position.game, cell))

    def thought_out(self, text: str) -> str:
        """An answer that took thinking."""
        self.settings.use(time.monotonic() - self.conversation.asked)
        return text


commands = CommandTable[GomocupSession, str]()

# A new game -----------------------------------------------------------------------------------------------------------


@commands.add("START", "SIZE")
def start(session: GomocupSession, rest: str) -> str:
    """A square board."""
    if not rest.isdecimal() or len(rest) > 4:
        raise LuoziError("START needs the size of the board, as in START 15")
    session.open_board(int(rest), int(rest))
    return "OK"


@commands.add("RECTSTART", "WIDTH,HEIGHT")
def rectstart(session: GomocupSession, rest: str) -> str:
    """A board of any form."""
    size = read_place(rest)
    if size is None:
        raise LuoziError("RECTSTART needs width and height, as in RECTSTART 20,15")
    session.open_board(*size)
    return "OK"


@commands.add("RESTART")
def restart(session: GomocupSession, rest: str) -> str:
    """The same board, empty."""
    session.the_position()
    session.open_board(*session.size)
    return "OK"


# Moves ----------------------------------------------------------------------------------------------------------------


@commands.add("BEGIN")
def begin(session: GomocupSession, rest: str) -> str:
    """The first move of the game."""
    if session.the_position().history:
        raise LuoziError("BEGIN is for an empty board")
    return session.move()


@commands.add("TURN", "X,Y")
def turn(session: GomocupSession, rest: str) -> str:
    """The other side's move, to be answered."""
    session.settings.check_rule()
    session.the_position().play(session.cell_at(rest))
    return session.move()


@commands.add("PLAY", "X,Y")
def play(session: GomocupSession, rest: str) -> str:
    """Our own move, chosen by the other side."""
    cell, position = session.cell_at(rest), session.the_position()
    position.play(cell)
    return place_name(position.game, cell)


@commands.add("TAKEBACK", "X,Y")
def takeback(session: GomocupSession, rest: str) -> str:
    """The last stone goes."""
    session.the_position().take_back(session.cell_at(rest))
    return "OK"


# Whole positions: the stones come in the next lines, up to DONE -------------------------------------------------------


@commands.add("BOARD")
def board(session: GomocupSession, rest: str) -> str:
    """Stones on an empty board, in which we are to move."""
    session.the_position()
    session.listed, session.when_listed = [], set_board
    return ""


def set_board(session: GomocupSession, lines: list[str]) -> str:
    """The position of BOARD's lines; our move in it."""
    game, marked = session.the_position().open_game, []
    for line in lines:
        read = read_board_line(line)
        cell = read and action_of(game, read[:2])
        if read is None or cell is None or not 1 <= read[2] <= DEAD_FIELD:
            raise LuoziError(
                "{line} is not x,y,field with a place on the board and a field of 1, 2, 3", line=ascii(line[:20])
            )
        marked.append((cell, read[2]))
    position = GomocupGame.of_board(game, session.settings.continuous, marked)
    position.check_on()
    session.position = position
    return session.move()


@commands.add("SWAP2BOARD")
def swap2board(session: GomocupSession, rest: str) -> str:
    """No stones yet, or the three or five of a Swap2 opening."""
    session.the_position()
    session.listed, session.when_listed = [], choose_opening
    return ""


def choose_opening(session: GomocupSession, lines: list[str]) -> str:
    """What is placed or chosen at the stones of SWAP2BOARD's lines."""
    session.settings.check_rule()
    game = session.the_position().open_game
    position = GomocupGame(game, session.settings.continuous)
    for line in lines:
        position.play(session.cell_at(line))
    if len(lines) not in (0, 3, 5) or game.cells < 6:
        raise LuoziError("SWAP2BOARD needs no stones, or three, or five, and room for one more")
    session.position = position
    deadline = session.deadline()
    return choose_side(session, position, deadline) if lines else propose(session, 3, deadline)


def choose_side(session: GomocupSession, position: GomocupGame, deadline: float) -> str:
    """Take the better side; after three stones, if none is, place two more."""
    may_propose = len(position.history) == 3
    if may_propose:  # half of the time for each
        deadline -= (deadline - time.monotonic()) / 2
    thought = session.consider(position, deadline)
    rate = thought.best.means[thought.player]
    if may_propose and abs(rate - 0.5) < EVEN:
        return propose(session, 2, session.deadline())
    return session.thought_out("SWAP") if rate < 0.5 else session.play_own(thought.action)


def propose(session: GomocupSession, count: int, deadline: float) -> str:
    """Place stones after which both sides stand about as well, and leave the choice to the other."""
    position, engine, conversation = session.the_position(), session.the_engine(), session.conversation
    seconds = deadline - time.monotonic()

    def win_rate(state: State, share: float) -> float:
        until = time.monotonic() + (0.0 if conversation.hurried else share * seconds)
        thought = conversation.think(engine, state, until, session.options.limits)
        return thought.best.means[thought.player]

    cells = balanced_opening(position, count, win_rate, engine.seed)
    for cell in cells:
        position.play(cell)
    return session.thought_out(" ".join(place_name(position.game, cell) for cell in cells))


# What is told ---------------------------------------------------------------------------------------------------------


@commands.add("INFO", "KEY VALUE")
def info(session: GomocupSession, rest: str) -> str:
    """Limits, the rule, and a question: `evaluate x,y`."""
    key, value = split_command(rest)
    key, before, settings = key.lower(), replace(session.settings), session.settings
    if key == "evaluate":
        return evaluate(session, value)
    settings.tell(key, value)
    if session.position is None:
        return ""
    if settings.rule != before.rule:
        settings.check_rule()
        change_rule(session, session.position)
    elif settings.max_memory != before.max_memory:
        session.make_engine()
    return ""


def change_rule(session: GomocupSession, position: GomocupGame) -> None:
    """The same stones in a game with another rule."""
    changed = GomocupGame(session.game_of(*session.size), session.settings.continuous, position.history)
    changed.give_turn(position.position.to_move)
    session.position, session.options = changed, options_on(changed.game, session.wanted)
    session.make_engine()


def evaluate(session: GomocupSession, text: str) -> str:
    """What the last search found about a place, for those who watch."""
    cell, thought = session.cell_at(text), session.thought
    for candidate in thought.candidates if thought else ():
        if candidate.action == cell and thought:
            rate = 100 * candidate.means[thought.player]
            return f"DEBUG {text} had {candidate.visits:,} visits and a win rate of {rate:.1f} %"
    return ""


@commands.add("ABOUT")
def about(session: GomocupSession, rest: str) -> str:
    """Who we are."""
    return f'name="Luozi", version="{luozi.__version__}", author="The Luozi authors"'


@commands.add("STOP")
@commands.add("YXSTOP")
def stop(session: GomocupSession, rest: str) -> str:
    """Move now: it has acted when it was read."""
    return ""
