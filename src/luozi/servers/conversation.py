"""A conversation in lines with another program, for GTP, Gomocup and the Connect Four agent.

One thread reads lines, another answers them in order. Some commands act as soon as they are read: they stop the search
for the lines before them. Lines that were read by then are still answered, with hardly any search. Only MOST_WAITING
lines are read ahead; more wait in the pipe.
"""

from __future__ import annotations

import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, NamedTuple, TextIO, TypeVar

from luozi.compiled.cache import say as say_aside
from luozi.limits import NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.search.readiness import CompileSettings
from luozi.search.ready_engine import ReadyEngine

LONGEST_LINE = 1000  # what is longer is no command of any protocol
MOST_CHARACTERS = 10**7  # of a line without an end
MOST_NONSENSE = 100_000  # lines in a row that are no commands: then the other program does not know the protocol
MOST_WAITING = 5000  # lines read ahead; a whole board of BOARD is shorter
SCRIPT_SECONDS = 0.3  # between two lines that were sent as one text
HURRY_SECONDS = 0.1  # of a search whose result nobody waits for, as at the end of a script
LEAST_SECONDS, MOST_SECONDS = 0.01, 10**6
SLOW_SHARE = 0.8  # of the time, for an uncompiled search: one iteration of it takes long
LEAVE = "that is not the protocol, and nothing more is read"

Session = TypeVar("Session")
Words = TypeVar("Words")
Wanted = Options | Callable[[Game], Options]  # for all games, or depending on the game
Searches = Callable[[Game, Options, CompileSettings | None], ReadyEngine]  # what makes a search for a board


class NobodyListensError(Exception):
    """The other program has closed its input."""


class InputLine(NamedTuple):
    """A line of input."""

    number: int
    text: str
    arrived: float  # on the clock `time.monotonic`


def split_command(text: str) -> tuple[str, str]:
    """Return the command of a line in capitals, and the rest.

    >>> split_command("turn 7,7"), split_command("")
    (('TURN', '7,7'), ('', ''))
    """
    word, *rest = text.split(maxsplit=1) or [""]
    return word.upper(), rest[0].strip() if rest else ""


def first_word(text: str) -> str:
    """Return the command of a line in capitals.

    >>> first_word("turn 7,7")
    'TURN'
    """
    return split_command(text)[0]


def options_on(game: Game, wanted: Wanted) -> Options:
    """Return the options for a game."""
    return wanted if isinstance(wanted, Options) else wanted(game)


@dataclass(frozen=True)
class InputRules:
    """The commands of a protocol that act as soon as they are read, all in capitals."""

    leaving: frozenset[str] = frozenset()  # end the conversation, as the end of the input does
    hurrying: frozenset[str] = frozenset()  # stop the search for the lines before
    dropping: frozenset[str] = frozenset()  # the same, and the line that is being answered gets no answer
    answers_farewell: bool = False  # whether a command that ends the conversation is answered
    waits_at_end: bool = False  # whether a script that comes all at once gets all its searches in full
    longest_line: int = LONGEST_LINE
    most_nonsense: int = MOST_NONSENSE  # lines in a row that are no commands
    word_of: Callable[[str], str] = first_word  # the command of a line


class Conversation:
    """Reads lines, and has them answered in order by the two functions that a session gives to `run`.

    `answer` answers a line that is not empty. The sentence of a LuoziError that it raises goes to `complain`.
    """

    def __init__(self, input: TextIO, output: TextIO, rules: InputRules) -> None:
        self._input, self._output, self._rules = input, output, rules
        self._lines: SimpleQueue[InputLine | None] = SimpleQueue()  # read, not answered; None: the end
        self._room = threading.Semaphore(MOST_WAITING)  # for lines read ahead
        self._line = InputLine(0, "", 0.0)  # the one that is being answered
        self._thinking: tuple[int, Cancel] | None = None  # the number of its line, and what stops the search
        self._until_input = False  # whether any line stops the search
        self._hurry_before = 0  # lines with lower numbers get no time
        self._dropped: int | None = None  # the number of a line that gets no answer
        self._read_at = 0.0  # when the last line came in
        self._spoke = 0.0  # when the last line was sent
        self.asked = 0.0  # since when the other program waits, by `time.monotonic`
        self._nonsense = 0  # lines in a row that were no commands
        self._failure: LuoziError | None = None  # why nothing more is read
        self.over = threading.Event()

    # Reading, in the caller's thread --------------------------------------------------------------------------------

    def run(self, answer: Callable[[str], None], complain: Callable[[str], None]) -> int:
        """Answer lines until the other program leaves; return the exit status."""
        threading.Thread(target=self._answer_all, args=(answer, complain), daemon=True).start()
        try:
            self._read_all()
        except BaseException:
            self._stop()
            raise
        self.over.wait()
        if self._failure is not None:
            raise self._failure
        return 0

    def _read_all(self) -> None:
        rules = self._rules
        for number in itertools.count():
            text, before = self.read_line(), self._read_at
            self._read_at = time.monotonic()
            word = rules.word_of(text or "")
            leaves = text is None or word in rules.leaving
            in_haste = leaves and not (rules.waits_at_end and self._read_at - before < SCRIPT_SECONDS)
            if in_haste or word in rules.hurrying or word in rules.dropping:
                self._hurry_before = number
                self._stop(drop=word in rules.dropping)
            if text is not None and (not leaves or rules.answers_farewell):
                self._wait_in_line(InputLine(number, text, self._read_at))
            if leaves:
                self._wait_in_line(None)
            if self._until_input:
                self._stop()
            if leaves or self.over.is_set():
                return

    def _wait_in_line(self, line: InputLine | None) -> None:
        """Hand a line to the answering thread when there is room; that thread makes room when it ends, too."""
        self._room.acquire()
        self._lines.put(line)

    def read_line(self) -> str | None:
        """Return the next line, cut where it is too long; None at the end, or after MOST_CHARACTERS without an end."""
        longest = self._rules.longest_line
        text = rest = self._input.readline(longest)
        read = len(text)
        while rest and not rest.endswith("\n"):
            if read > MOST_CHARACTERS:
                self._failure = LuoziError(
                    "the input has a line of more than {most} characters: {leave}",
                    most=f"{MOST_CHARACTERS:,}",
                    leave=LEAVE,
                )
                return None
            rest = self._input.readline(longest)
            read += len(rest)
        return text.strip() if text else None

    def _stop(self, drop: bool = False) -> None:
        """Stop the running search, which is for an earlier line. A search that starts later reads `hurried`."""
        thinking = self._thinking
        if thinking is not None:
            number, cancel = thinking
            if drop:
                self._dropped = number
            cancel.set()

    # Answering, in a thread of its own ------------------------------------------------------------------------------

    def _answer_all(self, answer: Callable[[str], None], complain: Callable[[str], None]) -> None:
        try:
            while (line := self._lines.get()) is not None:
                self._room.release()
                self.answer_line(line, answer, complain)
                if self._nonsense > self._rules.most_nonsense:
                    self._failure = LuoziError(
                        "more than {most} lines in a row are no commands: {leave}",
                        most=f"{self._rules.most_nonsense:,}",
                        leave=LEAVE,
                    )
                    return
        except NobodyListensError:
            pass
        finally:
            self.over.set()
            self._room.release(2)  # for the last line and the end, which nobody answers any more

    def answer_line(self, line: InputLine, answer: Callable[[str], None], complain: Callable[[str], None]) -> None:
        """Answer one line; every error becomes a complaint."""
        self._line = line
        # The other program waits since it has the last answer: a script sends its lines sooner.
        self.asked = max(line.arrived, self._spoke)
        if not line.text:
            return
        self._nonsense += 1  # until it turns out to be a command
        try:
            answer(line.text)
        except NobodyListensError:
            raise
        except LuoziError as error:
            complain(" ".join(str(error).split()))
        except Exception as error:  # a server that ends loses the game: one wrong answer is better
            complain(" ".join(f"unexpected {type(error).__name__}: {error}".split()))

    def understood(self) -> None:
        """Note that the line is a command, even if it fails."""
        self._nonsense = 0

    def say(self, text: str) -> None:
        """Send one line at once."""
        if self._line.number == self._dropped:
            return
        try:
            self._output.write(text + "\n")
            self._output.flush()
        except (OSError, ValueError):  # a closed pipe, a closed file
            raise NobodyListensError from None
        self._spoke = time.monotonic()

    @property
    def is_interrupted(self) -> bool:
        """Whether another line, or the end, has come since."""
        return not self._lines.empty() or self.over.is_set()

    @property
    def hurried(self) -> bool:
        """Whether the current line gets no time."""
        return self._line.number < self._hurry_before

    @contextmanager
    def thinking(self, until_input: bool = False) -> Iterator[Cancel]:
        """Return a context with a Cancel that commands which act at once set; with `until_input`, every line does."""
        cancel = Cancel()
        self._thinking, self._until_input = (self._line.number, cancel), until_input
        if until_input and self.is_interrupted:
            cancel.set()
        try:
            yield cancel
        finally:
            self._thinking, self._until_input = None, False

    def think(
        self, engine: Engine, position: Position | State, deadline: float, limits: Limits = NO_LIMITS
    ) -> SearchResult:
        """Search until a time of `time.monotonic`, or until the limits are reached."""
        with self.thinking() as cancel:
            seconds = deadline - time.monotonic()
            if self.hurried:
                seconds = min(seconds, HURRY_SECONDS)
            if not engine.compiled:
                seconds *= SLOW_SHARE
            if engine.options.final == "max_robust":  # which may take so much more
                seconds /= 1 + engine.options.extra_budget
            clock = Limits(seconds=min(max(LEAST_SECONDS, seconds), MOST_SECONDS))
            return engine.think(position, limits_in_force(clock, limits), cancel)


# Commands -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command(Generic[Session, Words]):
    """A command: its function, and what the documentation says about it."""

    name: str
    usage: str
    family: str
    meaning: str
    run: Callable[[Session, Words], str]


class CommandTable(dict[str, Command[Session, Words]]):
    """Commands by name.

    >>> commands = CommandTable[list[str], str]()
    >>> @commands.add("play", "POINT")
    ... def play(session, words):
    ...     '''Play a move.'''
    ...     return f"played {words}"
    >>> commands["play"].run([], "D4"), commands["play"].meaning
    ('played D4', 'Play a move.')
    """

    def __init__(self, family: str = "") -> None:
        super().__init__()
        self.family = family  # the protocol of commands that name no other

    def add(
        self, name: str, usage: str = "", family: str = ""
    ) -> Callable[[Callable[[Session, Words], str]], Callable[[Session, Words], str]]:
        """Return a decorator that adds a function; the first paragraph of its docstring says what the command does."""

        def register(function: Callable[[Session, Words], str]) -> Callable[[Session, Words], str]:
            meaning = " ".join((function.__doc__ or "").strip().split("\n\n")[0].split())
            self[name] = Command(name, usage, family or self.family, meaning, function)
            return function

        return register

    def add_text(self, name: str, text: str, meaning: str, family: str = "") -> None:
        """Add a command with a constant answer."""
        self[name] = Command(name, "", family or self.family, meaning, lambda _session, _words: text)


class LineSession(ABC):
    """One conversation: the search, and how a line is answered. A protocol's session adds the game."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.searches: Searches = ReadyEngine.of
        self.search: ReadyEngine | None = None

    @abstractmethod
    def answer(self, text: str) -> None:
        """Answer a line that is not empty; what takes time comes after the answer."""

    @abstractmethod
    def complain(self, sentence: str) -> None:
        """Send an error."""

    def run(self) -> int:
        """Answer lines until the other program leaves; return the exit status."""
        try:
            return self.conversation.run(self.answer, self.complain)
        finally:
            self.close_search()

    def report(self) -> None:
        """Log which search plays, if it is not the full one."""
        report = None if self.search is None else self.search.report()
        if report is not None:
            say_aside(report)

    def close_search(self) -> None:
        """Stop compiling and release the search."""
        if self.search is not None:
            self.search.close()
        self.search = None
