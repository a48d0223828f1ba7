"""The two rounds of a check: uncompiled games whose rules are observed, then compiled games that are compared with
them.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from luozi.check.drawing import look_at_board
from luozi.check.facts import GameStatistics, speed_of
from luozi.check.names import look_at_names
from luozi.check.network import network_lines
from luozi.check.playing import Answer, GameCheck, state_after
from luozi.check.problems import RuleError, place_of, wrong_signatures
from luozi.check.questions import ask
from luozi.check.watched import watched_game
from luozi.compiled.calling import bind
from luozi.compiled.explaining import explain
from luozi.games import made_game
from luozi.messages import Message, counted
from luozi.rules.game import Game
from luozi.rules.watchdog import EndlessRuleError, patience

WATCHED_GAMES = 20
UNCOMPILED_SECONDS, MOST_SECONDS = 20.0, 60.0  # time for uncompiled games: usually, and at most for the first ones


@dataclass(frozen=True)
class CheckReport:
    """The result of a check. `sentences` hold the problems and a summary; `facts` describe the game."""

    ok: bool
    sentences: tuple[str, ...]
    games: int
    moves: int
    uncompiled_games: int
    facts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((*self.sentences, *self.facts))


def check_game(
    spelling: str | Game,
    games: int = 1000,
    seed: int = 1,
    report: Callable[[str], None] | None = None,
    speed: bool = False,
) -> CheckReport:
    """Play random games by a game's rules, compiled and uncompiled, and report what is wrong with the rules.

    With `speed`, a correct game is also searched for a moment.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> game.compilable = False  # to be quick
    >>> print(check_game(game, games=30))
    30 games uncompiled: nothing wrong in 218 moves
    random games: 5.8 legal moves a turn, 7.1 moves a game (5 to 9)
    results: X 0.767, O 0.233 on average, first seat +0.267, 6.7 % draws
    """
    game = made_game(spelling)
    game.validate()
    checker = Checker(game, games, seed, report or (lambda line: None))
    checker.run()
    if speed and not checker.problems:
        checker.report("searching")
        checker.network = network_lines(game)
        checker.speed = speed_of(game)
    return checker.summed_up()


@dataclass
class Checker:
    """One check in progress."""

    game: Game
    games: int
    seed: int = 1
    report: Callable[[str], None] = lambda line: None
    watched_games: int = WATCHED_GAMES  # at least, before compiled games
    most_seconds: float = MOST_SECONDS
    problems: dict[str, str] = field(default_factory=dict)  # messages by kind of problem
    compiled_games: int = 0
    uncompiled_games: int = 0
    moves: int = 0
    uncompiled_seconds: float = 0.0
    speed: str = ""
    network: list[str] = field(default_factory=list)
    answers: dict[int, list[Answer]] = field(default_factory=dict)  # of uncompiled games, by the game's number

    def __post_init__(self) -> None:
        self.facts = GameStatistics(self.game)

    def run(self) -> None:
        for problem in wrong_signatures(self.game):
            self.note(problem)
        if self.problems:
            return
        try:
            with patience(self.game):
                self.watch()
        except EndlessRuleError as endless:
            self.note(RuleError("endless", str(endless)))
        if not self.problems and self.game.compilable:
            self.report(Message("compiling the rules of {text} with bounds checks", text=type(self.game).__name__))
            self.compare()

    def note(self, problem: RuleError) -> None:
        """Keep the first problem of each kind."""
        self.problems.setdefault(problem.kind, problem.sentence)

    def has_time(self, least: int) -> bool:
        """Return whether another game may be played uncompiled."""
        limit = self.most_seconds if self.uncompiled_games < least else min(self.most_seconds, UNCOMPILED_SECONDS)
        return self.uncompiled_seconds < limit

    def summed_up(self) -> CheckReport:
        if self.compiled_games:
            played = Message(
                "{count} games compiled, {other} of them uncompiled as well",
                count=f"{self.compiled_games:,}",
                other=f"{self.uncompiled_games:,}",
            )
        else:
            played = Message("{count} games uncompiled", count=f"{self.uncompiled_games:,}")
        found = list(self.problems.values())
        moves = Message("nothing wrong in {count} moves", count=f"{self.moves:,}")
        told = counted(len(found), "problem") if found else moves
        facts = [] if found else [*self.facts.lines(), *self.network, self.speed]
        return CheckReport(
            ok=not found,
            sentences=(*found, Message("{played}: {found}", played=played, found=told)),
            games=max(self.compiled_games, self.uncompiled_games),
            moves=self.moves,
            uncompiled_games=self.uncompiled_games,
            facts=tuple(fact for fact in facts if fact),
        )

    # Uncompiled -------------------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Play the first games uncompiled, and observe the rules."""
        most = min(self.games, self.watched_games) if self.game.compilable else self.games
        rules = watched_game(self.game)
        for number in range(1, most + 1):
            if not self.has_time(2):
                break
            began = time.perf_counter()
            played = GameCheck(self.game, number, self.seed, rules)
            self.watch_one(played)
            self.uncompiled_games += 1
            self.moves += len(played.played)
            self.uncompiled_seconds += time.perf_counter() - began
            if self.game.compilable:
                self.answers[number] = played.answers

    def watch_one(self, played: GameCheck, most_moves: int | None = None) -> None:
        """Play one observed game and keep its problems."""
        try:
            if played.play_uncompiled(most_moves) and played.simulated_from is None:
                if not self.game.compilable:
                    self.facts.add(played)
                self.replay(played)
        except RuleError as problem:
            self.note(problem)

    def replay(self, played: GameCheck) -> None:
        """Replay the moves of a game, each on a copy of the position before. They must lead to the same positions."""
        state = state_after(self.game, ())
        for move, known in enumerate(played.states):
            place = place_of(played.number, move)
            if hash(state.tobytes()) != known:
                raise not_the_same(self.game, "apply_action" if move else "start", place)
            look_at_board(self.game, state, place)  # before names, which may be derived from the board
            look_at_names(self.game, state, place)
            if move < len(played.played):
                state = state.copy()
                self.game.apply_action(state, played.played[move])

    # Compiled ---------------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Play all games compiled, and compare them with uncompiled games while there is time for these."""
        checked = copy.copy(self.game)
        checked.checked = True
        self.uncompiled_games, self.moves = 0, 0
        for number in range(1, self.games + 1):
            try:
                self.play_compiled(checked, number)
            except RuleError as problem:
                self.note(problem)
                return
            if number == 1:
                self.report("playing")

    def play_compiled(self, checked: Game, number: int) -> None:
        """Play a compiled game, and the same game uncompiled if there is time.

        Raises:
            RuleError: something is wrong.
        """
        expected = self.answers.pop(number, None) or self.uncompiled_answers(number)
        played = GameCheck(self.game, number, self.seed, checked, expected)
        try:
            code = bind(ask, (checked, played.room, 0, 0)).entry_point
        except Exception as error:
            raise RuleError("compile", explain(error, checked)) from None
        try:
            played.play(code)
        except RuleError:
            raise
        except Exception as error:
            raise self.compiled_error(error, played) from None
        self.compiled_games += 1
        self.uncompiled_games += expected is not None
        self.moves += len(played.played)
        if played.simulated_from is None:
            self.facts.add(played)

    def uncompiled_answers(self, number: int) -> list[Answer] | None:
        """Return the answers of the same game played uncompiled, or None if there is no time."""
        if not self.has_time(self.watched_games):
            return None
        began, played = time.perf_counter(), GameCheck(self.game, number, self.seed)
        played.play_uncompiled()
        self.uncompiled_seconds += time.perf_counter() - began
        return played.answers

    def compiled_error(self, error: Exception, played: GameCheck) -> RuleError:
        """Return the error for an exception of a compiled rule, with a line number if the uncompiled rule raises
        too.
        """
        try:
            GameCheck(self.game, played.number, self.seed).play_uncompiled()
        except RuleError as again:
            return again
        told = Message(
            "{text}.{name}: compiled, it raises {value} in {place}: {reason}",
            text=type(self.game).__name__,
            name=played.method,
            value=type(error).__name__,
            place=played.place,
            reason=error,
        )
        return RuleError("compiled error", told)


def not_the_same(game: Game, method: str, place: str) -> RuleError:
    """Return the error for a replayed game that led to another position."""
    start = Message(
        "{text}.{name} gives another position each time in {place}; keep everything in the state, and leave out chance"
    )
    other = Message(
        "{text}.{name} leads from the same moves to another position in {place}; keep everything in the state, and "
        "leave out chance"
    )
    told = start if method == "start" else other
    return RuleError(f"replay {method}", told.with_values(text=type(game).__name__, name=method, place=place))
