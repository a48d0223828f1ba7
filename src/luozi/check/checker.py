"""The three rounds of a check: watched, compiled, and uncompiled to compare."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from luozi.check.drawing import look_at_board
from luozi.check.facts import Facts, speed_of
from luozi.check.playing import digest_bytes, play
from luozi.check.problems import (
    RuleError,
    first_difference,
    place_of,
    problem_found,
    problem_raised,
    wrong_signatures,
)
from luozi.check.room import (
    BAD_GUESS,
    BAD_PRIOR,
    BAD_RETURNS,
    COUNT,
    CULPRIT,
    FINE,
    FORCED,
    GUESSES,
    KEPT,
    LEGAL,
    METHOD,
    METHODS,
    MOVE,
    OVER,
    PLAYER,
    POLICY_MOVE,
    PRIOR_VALUES,
    RESULTS,
    STATE,
    THREATS,
    TOO_LONG,
    WINS,
    Room,
    new_room,
)
from luozi.check.waiting import EndlessRuleError
from luozi.check.watched import Watched
from luozi.compiled import new_rng
from luozi.compiled.explaining import explain
from luozi.games import made_game
from luozi.messages import LuoziError, Message, counted
from luozi.rules import Game

WATCHED_GAMES = 20
UNCOMPILED_SECONDS, MOST_SECONDS = 20.0, 60.0  # for uncompiled games: enough, and too much even for the first few
NEVER = 2**62
AMBIGUOUS, READING = "names that several actions share", "string_to_action"
NAMED_ACTIONS = 5  # in each position, so many names of actions are read back
NUMBERS = {OVER: "is_terminal", PLAYER: "current_player", POLICY_MOVE: "policy_action"}
LISTS = {
    LEGAL: "legal_actions", COUNT: "legal_actions",
    WINS: "winning_actions", THREATS: "threatening_actions", FORCED: "forced_replies", KEPT: "candidates",
}  # fmt: skip
COLUMN_METHODS = {STATE: "", **NUMBERS, **LISTS}
WORTH_METHODS = {GUESSES: "evaluate", PRIOR_VALUES: "priors", RESULTS: "returns"}
CLOSE = 1e-9  # compiled and uncompiled fractions may differ in their last bits


@dataclass(frozen=True)
class CheckReport:
    """What a check has found: all in `sentences`, the last one sums up; `facts` tell what kind of game it is."""

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
    """Play random games by a game's rules, compiled and uncompiled, and tell what is wrong with them.

    A sound game is searched for a moment too, if `speed` is wanted.

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
        checker.speed = speed_of(game)
    return checker.summed_up()


@dataclass
class Checker:
    """One check as it goes on."""

    game: Game
    games: int
    seed: int
    report: Callable[[str], None]
    problems: dict[str, str] = field(default_factory=dict)  # sentences by kind
    compiled_games: int = 0
    uncompiled_games: int = 0
    moves: int = 0
    uncompiled_seconds: float = 0.0
    speed: str = ""

    def __post_init__(self) -> None:
        self.facts, self.comparing = Facts(self.game), False

    def run(self) -> None:
        for problem in wrong_signatures(self.game):
            self.note(problem)
        if self.problems:
            return
        self.watch()
        if not self.problems and self.game.compilable:
            self.report(Message("compiling the rules of {text} with bounds checks", text=type(self.game).__name__))
            self.compare()

    def note(self, problem: RuleError) -> None:
        """Keep the first problem of each kind."""
        self.problems.setdefault(problem.kind, problem.sentence)

    def has_time(self, least: int) -> bool:
        """Whether another game may be played uncompiled."""
        limit = MOST_SECONDS if self.uncompiled_games < least else UNCOMPILED_SECONDS
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
        told = Message("nothing wrong in {count} moves", count=f"{self.moves:,}") if not found else _count(len(found))
        games = max(self.compiled_games, self.uncompiled_games)
        facts = [] if found else [*self.facts.lines(), self.speed]
        return CheckReport(
            ok=not found,
            sentences=(*found, Message("{played}: {found}", played=played, found=told)),
            games=games,
            moves=self.moves,
            uncompiled_games=self.uncompiled_games,
            facts=tuple(fact for fact in facts if fact),
        )

    # Games are the same in every round: their numbers are their seeds -------------------------------------------------

    def prepare(self, room: Room, number: int) -> int:
        """Make a room ready for a game; return the move from which on it is a simulation: every other game is one."""
        for array in (room.bytes, room.report, room.record, room.worths):
            array[:] = 0
        room.rng[:] = new_rng(self.seed * 1_000_003 + number)
        room.dice[:] = new_rng(~(self.seed * 1_000_003 + number))
        return NEVER if number % 2 else (number // 2 - 1) % (2 * self.game.length_limit // 3 + 1)

    # Uncompiled, under watch ----------------------------------------------------------------------------------------

    def watch(self) -> None:
        most = self.games if not self.game.compilable else min(self.games, WATCHED_GAMES)
        room, watched = new_room(self.game), Watched(self.game)
        began = time.perf_counter()
        for number in range(1, most + 1):
            if not self.has_time(2) or not self.watch_one(watched, room, number):
                break
            self.uncompiled_games += 1
            self.moves += int(room.report[MOVE])
            self.uncompiled_seconds = time.perf_counter() - began

    def watch_one(self, watched: Watched, room: Room, number: int) -> bool:
        """Watch a game and note what is wrong in it; False if a rule has not returned."""
        try:
            self.watch_game(watched, room, number)
        except RuleError as problem:
            self.note(problem)
            return not isinstance(problem, EndlessRuleError)
        return True

    def watch_game(self, watched: Watched, room: Room, number: int) -> None:
        begin = self.prepare(room, number)
        with np.errstate(all="ignore"):
            problem = play.py_func(watched, room, begin, NEVER)
        if self.is_cut_short(problem, room):
            return
        if problem != FINE:
            raise problem_found(problem, self.game, room, number)
        if begin == NEVER:
            self.count(room)
            self.replay(room, number)

    def is_cut_short(self, problem: int, room: Room) -> bool:
        """Whether a game was not over where the room for its moves ends, though it may go on."""
        return problem == TOO_LONG and len(room.played) < self.game.length_limit

    def count(self, room: Room) -> None:
        """Take a game of random moves into account; those that are compared later are counted there."""
        if not self.game.compilable or self.comparing:
            self.facts.add(room)

    def replay(self, room: Room, number: int) -> None:
        """Play the moves of a game again, each on a copy of the position before: it must lead to the same positions."""
        title, state = type(self.game).__name__, self.game.empty_states(1)[0]
        self.game.start(state)  # `play` begins there too, whatever position the game was given
        for move in range(int(room.report[MOVE]) + 1):
            digest = digest_bytes(np.frombuffer(state.tobytes(), np.uint8), room.weights)
            if digest != room.record[move, STATE]:
                method = "apply_action" if move else "start"
                other = Message(
                    "{text}.{name} leads from the same moves to another position in {place}; keep everything in the "
                    "state, and leave out chance"
                )
                start = Message(
                    "{text}.{name} gives another position each time in {place}; keep everything in the state, and "
                    "leave out chance"
                )
                told = (other if move else start).with_values(text=title, name=method, place=place_of(number, move))
                raise RuleError(f"replay {method}", told)
            look_at_board(self.game, state, place_of(number, move))  # before names, which may come from it
            self.look_at_names(state, number, move)
            if move < room.report[MOVE]:
                following = state.copy()
                self.game.apply_action(following, int(room.played[move]))
                state = following

    def look_at_names(self, state: Any, number: int, move: int) -> None:
        """The methods for people."""
        method = "show"
        try:
            self.game.show(state)
            method = "action_to_string"
            legal = self.game.legal_list(state)
            names = [self.game.action_to_string(state, action) for action in legal]
            method = "string_to_action"
            read = [self.game.string_to_action(state, name) for name in names[:NAMED_ACTIONS]]
        except LuoziError as error:
            title = f"{type(self.game).__name__}.{method}"
            named = error.message.values.get("title") == title  # the sentence begins with it
            told = error.message if named else Message("{name}: {error}", name=title, error=error)
            raise RuleError(f"names {method}", told) from None
        except Exception as error:
            raise problem_raised(error, self.game, method) from None
        wrong, kind, place = "", f"names {READING}", place_of(number, move)
        title = type(self.game).__name__
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            wrong, kind = (
                Message(
                    "{text}.action_to_string calls two actions '{name}'; give each legal action a name of its own "
                    "({place})",
                    text=title,
                    name=twice,
                    place=place,
                ),
                AMBIGUOUS,
            )
        elif read != legal[:NAMED_ACTIONS]:
            wrong = Message(
                "{text}.string_to_action reads '{name}' as {value} and not {other} ({place})",
                text=title,
                name=names[0],
                value=read[0],
                other=legal[0],
                place=place,
            )
        if wrong:
            raise RuleError(kind, wrong)

    # Compiled, and uncompiled to compare ----------------------------------------------------------------------------

    def compare(self) -> None:
        checked = copy.copy(self.game)
        checked.checked = True
        room, other = new_room(self.game), new_room(self.game)
        self.uncompiled_games, self.moves, self.comparing = 0, 0, True
        for number in range(1, self.games + 1):
            try:
                self.play_compiled(checked, room, number)
                if self.has_time(WATCHED_GAMES):
                    self.play_uncompiled(room, other, number)
            except RuleError as problem:
                self.note(problem)
                return
            if number == 1:
                self.report("playing")

    def play_compiled(self, checked: Game, room: Room, number: int) -> None:
        begin = self.prepare(room, number)
        try:
            problem = play(checked, room, begin, NEVER)
        except Exception as error:
            if not self.compiled_games and not room.report.any():
                raise RuleError("compile", explain(error, checked)) from None
            raise self.compiled_error(error, room, number) from None
        priors = room.values[: int(room.record[0, COUNT])]
        for values, code in ((room.results, BAD_RETURNS), (room.guesses, BAD_GUESS), (priors, BAD_PRIOR)):
            if problem == FINE and np.isnan(values).any():  # kernels may take it that no number is NaN
                problem, room.report[CULPRIT] = code, int(np.argmax(np.isnan(values)))
        if problem != FINE:
            raise problem_found(problem, self.game, room, number)
        self.compiled_games += 1
        self.moves += int(room.report[MOVE])
        if begin == NEVER:
            self.count(room)

    def compiled_error(self, error: Exception, room: Room, number: int) -> RuleError:
        """An exception of a compiled rule; the same game uncompiled tells the line, if it raises there too."""
        method, place = METHODS[room.report[METHOD]], place_of(number, int(room.report[MOVE]))
        begin = self.prepare(room, number)
        try:
            problem = play.py_func(self.game, room, begin, NEVER)
        except Exception as uncompiled:
            return problem_raised(uncompiled, self.game, method)
        if problem != FINE:
            return problem_found(problem, self.game, room, number)
        told = Message(
            "{text}.{name}: compiled, it raises {value} in {place}: {reason}",
            text=type(self.game).__name__,
            name=method,
            value=type(error).__name__,
            place=place,
            reason=error,
        )
        return RuleError("compiled error", told)

    def play_uncompiled(self, room: Room, other: Room, number: int) -> None:
        began, begin = time.perf_counter(), self.prepare(other, number)
        try:
            with np.errstate(all="ignore"):
                play.py_func(self.game, other, begin, NEVER)
        except Exception as error:
            raise problem_raised(error, self.game, METHODS[other.report[METHOD]]) from None
        self.look_for_differences(room, other, number)
        self.uncompiled_games += 1
        self.uncompiled_seconds += time.perf_counter() - began

    def look_for_differences(self, room: Room, other: Room, number: int) -> None:
        moves = int(min(room.report[MOVE], other.report[MOVE]))
        differ = (room.record[: moves + 1] != other.record[: moves + 1]).any(axis=1)
        drawn = np.append(room.played[:moves] != other.played[:moves], False)
        valued = ~np.isclose(room.worths[: moves + 1], other.worths[: moves + 1], CLOSE, CLOSE, equal_nan=True)
        if differ.any() or drawn.any() or valued.any():
            move = int(np.argmax(differ | drawn | valued.any(axis=1)))
            column = next((c for c in COLUMN_METHODS if room.record[move, c] != other.record[move, c]), None)
            if column is not None:
                raise self.difference(COLUMN_METHODS[column], room, other, number, move)
            worth = WORTH_METHODS[int(np.argmax(valued[move]))] if valued[move].any() else "random_action"
            raise self.difference(worth, room, other, number, move)

    def difference(self, method: str, room: Room, other: Room, number: int, move: int) -> RuleError:
        """The sentence about a difference; both games are played again up to there to see it."""
        kind, title, place = f"differs {method}", type(self.game).__name__, place_of(number, move)

        def told(how: str) -> RuleError:
            sentence = Message(
                "{text}.{name}: compiled and uncompiled rules differ in {place}: {how}",
                text=title,
                name=method,
                place=place,
                how=how,
            )
            return RuleError(kind, sentence)

        if method == "returns":
            return told(Message("{one} and {other}", one=room.results.tolist(), other=other.results.tolist()))
        said = room.record[move].tolist(), other.record[move].tolist()
        compiled = copy.copy(self.game)
        compiled.checked = True
        for one, kernel, game in ((room, play, compiled), (other, play.py_func, self.game)):
            begin = self.prepare(one, number)
            kernel(game, one, begin, move)
        if not method:
            method = "apply_action" if move else "start"
            field, before, after = first_difference(room.state[0], other.state[0])
            return told(Message("'{field}' is {one} and {other}", field=field, one=before, other=after))
        if method == "random_action":
            return told(Message("action {low} and {high}", low=room.played[move], high=other.played[move]))
        if method in WORTH_METHODS.values():
            return told(Message("the values are not the same"))
        if method == "legal_actions":
            return told(Message("the legal actions are not the same"))
        if method in LISTS.values():
            return told(Message("the actions are not the same"))
        column = next(c for c, name in NUMBERS.items() if name == method)
        return told(Message("{one} and {other}", one=said[0][column], other=said[1][column]))


def _count(problems: int) -> str:
    return counted(problems, "problem")
