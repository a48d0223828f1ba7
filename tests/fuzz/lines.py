"""Lines of the protocols: what a program may say to the servers, in any order. The search is replaced by a guess."""

from __future__ import annotations

import io
import itertools
import time
from typing import Any
from unittest import mock

from luozi.games import game as make_game
from luozi.limits import NEVER, Cancel
from luozi.players.base import MoveEffort, result_of_moves
from luozi.rules.position import Position
from luozi.search import Options, SearchResult
from luozi.search.readiness import CompileSettings, CompileStep, Readiness
from luozi.search.ready_engine import SLOW, ReadyEngine
from luozi.servers import connect4_agent as course_server
from luozi.servers.conversation import Conversation, InputLine
from luozi.servers.gomocup import server as gomocup_server
from luozi.servers.gomocup import session as gomocup_session
from luozi.servers.gtp import session as gtp_session
from luozi.servers.gtp.server import all_commands
from luozi.servers.gtp.server import new_session as new_gtp_session

from .chance import Chance

CONVERSATION = 40  # lines
GOMOCUP = ("START", "RECTSTART", "RESTART", "BEGIN", "TURN", "PLAY", "TAKEBACK", "BOARD", "SWAP2BOARD", "DONE")
GOMOCUP += ("INFO", "ABOUT", "STOP", "YXSTOP", "END")
KEYS = ("timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "rule", "evaluate", "folder")


class Guess:
    """An engine that takes any legal move."""

    compiled = True

    def __init__(self, game: Any, options: Options) -> None:
        self.game, self.options, self.seed = game, options, 1

    def think(self, given: Any, limits: Any = None, cancel: Any = None, **named: float) -> SearchResult:
        """The first move of a few."""
        position = Position.of(self.game, given)
        moves = dict.fromkeys(position.actions[-3:], (1, (0.5,) * self.game.players))
        return result_of_moves(position, next(iter(moves)), moves, MoveEffort(1, 0.0, 1, 1))

    def move_to(self, position: Position) -> None: ...

    def stop(self) -> None: ...


class Looked:
    """A search that is over at once."""

    is_done = True

    def __init__(self, thought: SearchResult) -> None:
        self.thought = thought

    def snapshot(self) -> SearchResult:
        """What was guessed."""
        return self.thought

    result = snapshot

    def stop(self) -> None: ...


class GoGuess(Guess):
    """The same for a server that looks while it thinks."""

    progress = (0,) * 8

    def start(self, position: Any, **limits: float) -> Looked:
        """Over at once."""
        return Looked(self.think(position))


class Guesses(ReadyEngine):
    """A search of nothing but guesses, which is never compiled."""

    def best(self, least: int = SLOW, seconds: float | None = None, cancel: Cancel = NEVER) -> Any:
        """Who guesses."""
        self.engine_stage = SLOW
        self.engine = self.engine or GoGuess(self.game, self.options)
        return self.engine

    def small(self) -> None:
        """Counting is done without a search."""

    def warm_up(self) -> None: ...

    def start(self, seconds: float = 0.0) -> None: ...


def guesses(game: Any, options: Options, _settings: CompileSettings | None) -> Guesses:
    """Guesses for a game."""
    return Guesses(game, options, Readiness(game.spelling, []), CompileStep("", "", lambda: None))


class Lines:
    """One conversation with one of the servers."""

    share = 88

    def __init__(self) -> None:
        # Small boards are made often: once is enough.
        known: dict[str, Any] = {}

        def kept(spelling: str) -> Any:
            if spelling not in known:
                known[spelling] = make_game(spelling)
            return known[spelling]

        self.patches = [mock.patch.object(module, "make_game", kept) for module in (gomocup_session, course_server)]
        self.patches.append(mock.patch.object(gtp_session, "SLOW_GAMES", 2))
        self.gtp = [listed.name for listed in all_commands() if listed.name not in ("quit", "printsgf")]

    def run(self, chance: Chance) -> int:
        """So many lines, and what is said to them."""
        if chance.often(0.3):
            return self.run_gtp(chance)
        is_gomocup = chance.often(0.7)
        say = self.gomocup_line if is_gomocup else self.course_line
        lines = [say(chance) for _ in range(CONVERSATION)]
        lines[:1] = [("START 7" if is_gomocup else "new 4 5 1 1 first")] if chance.often(0.8) else lines[:1]
        self.input = "\n".join(lines)
        output, options = io.StringIO(), Options(iterations=1)
        rules = (gomocup_server if is_gomocup else course_server).INPUT_RULES
        conversation = Conversation(io.StringIO(self.input), output, rules)
        session = (gomocup_server if is_gomocup else course_server).new_session(conversation, options)
        session.searches = guesses
        for patch in self.patches:
            patch.start()
        try:
            self.talk(conversation, session)
        finally:
            for patch in self.patches:
                patch.stop()
        wrong = [line for line in output.getvalue().splitlines() if " unexpected " in line]
        assert not wrong, wrong
        return CONVERSATION

    def run_gtp(self, chance: Chance) -> int:
        """The same with a Go engine."""
        lines = [f"boardsize {chance.randint(2, 4)}", *(self.gtp_line(chance) for _ in range(CONVERSATION - 1))]
        self.input, output = "\n".join(lines), io.StringIO()
        for patch in self.patches:
            patch.start()
        try:
            conversation = Conversation(io.StringIO(self.input), output, gtp_session.INPUT_RULES)
            conversation.over.set()  # so that an analysis ends at once
            session = new_gtp_session(conversation, Options(iterations=1), gtp_session.GtpOptions(size=3))
            session.searches = guesses
            self.talk(conversation, session)
        finally:
            for patch in self.patches:
                patch.stop()
        wrong = [line for line in output.getvalue().splitlines() if "unexpected" in line]
        assert not wrong, wrong
        assert all(text[:1] in ("=", "?") for text in output.getvalue().split("\n\n") if text), output.getvalue()
        return CONVERSATION

    def gtp_line(self, chance: Chance) -> str:
        """A command with words that may fit."""
        points = ("A1", "B2", "C3", "D4", "pass", "a1,b2", "Z9")
        words = [chance.pick("b", "w", chance.choice(points), chance.number(), "true", "dead", "japanese", "ownership")]
        more = [chance.pick("b", chance.choice(points), chance.number()) for _ in range(chance.randint(0, 3))]
        name = chance.pick(chance.choice(self.gtp), chance.choice(self.gtp), "play", "genmove", "undo")
        line = (
            f"play {chance.pick('b', 'w')} {chance.choice(points)}"
            if name == "play"
            else " ".join([name, *words, *more])
        )
        return chance.spoil(line) if chance.often(0.2) else line

    def talk(self, conversation: Conversation, session: Any) -> None:
        """Read and answer line by line, in one thread."""
        for number in itertools.count(1):
            if (text := conversation.read_line()) is None:
                return
            line = InputLine(number, text, time.monotonic())
            conversation.answer_line(line, session.answer, session.complain)

    def gomocup_line(self, chance: Chance) -> str:
        word = chance.choice(GOMOCUP)
        place = f"{chance.randint(-1, 8)},{chance.randint(-1, 8)}"
        if chance.often(0.3):
            line = f"{place},{chance.randint(0, 4)}"
        elif word == "INFO":
            line = f"INFO {chance.choice(KEYS)} {chance.pick(chance.number(), place)}"
        elif word in ("START", "RECTSTART"):
            line = f"{word} {chance.pick('5', '6', '7,6', '5,9', chance.number())}"
        else:
            line = f"{word} {place}" if word in ("TURN", "PLAY", "TAKEBACK") else word
        return chance.spoil(line) if chance.often(0.3) else line

    def course_line(self, chance: Chance) -> str:
        word = chance.pick("new", "move", "move", "move", "go", "go", "go", "quit")
        numbers = [str(chance.randint(-1, 6)) for _ in range({"new": 4, "move": 2}.get(word, 0))]
        last = [chance.pick("first", "second")] if word == "new" else []
        line = " ".join([word, *numbers, *last])
        return chance.spoil(line) if chance.often(0.3) else line
