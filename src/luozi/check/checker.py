"""The two rounds of a check: games that are played uncompiled and watched, then compiled ones that are compared."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from luozi.check.drawing import look_at_board
from luozi.check.facts import GameStatistics, speed_of
from luozi.check.playing import digest_bytes, play
from luozi.check.problems import (
    RuleError,
    first_difference,
    place_of,
    problem_found,
    problem_raised,
    wrong_signatures,
)
from luozi.check.room import METHODS, CheckScratch, Column, Finding, Report, new_room
from luozi.check.watched import Watched
from luozi.compiled import new_rng
from luozi.compiled.explaining import explain
from luozi.games import made_game
from luozi.messages import LuoziError, Message, counted
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.rules.watchdog import EndlessRuleError, patience

WATCHED_GAMES = 20
UNCOMPILED_SECONDS, MOST_SECONDS = 20.0, 60.0  # for uncompiled games: enough, and too much even for the first few
NEVER = 2**62
AMBIGUOUS, READING = "names that several actions share", "string_to_action"
NAMED_ACTIONS = 5  # in each position, so many names of actions are read back
NUMBERS = {
    Column.OVER: "is_terminal",
    Column.PLAYER: "current_player",
    Column.POLICY_MOVE: "policy_action",
}
LISTS = {
    Column.LEGAL: "legal_actions",
    Column.COUNT: "legal_actions",
    Column.WINS: "winning_actions",
    Column.THREATS: "threatening_actions",
    Column.FORCED: "forced_replies",
    Column.KEPT: "candidates",
}
COLUMN_METHODS = {Column.STATE: "", **NUMBERS, **LISTS}
WORTH_METHODS = ("evaluate", "priors", "returns")  # of each `Worth`
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
    twins: dict[int, CheckScratch] = field(
        default_factory=dict
    )  # uncompiled games that compiled ones are compared with

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

    def prepare(self, room: CheckScratch, number: int) -> int:
        """Make a room ready for a game; return the move from which on it is a simulation: every other game is one."""
        for array in (room.bytes, room.report, room.record, room.worths):
            array[:] = 0
        room.rng[:] = new_rng(self.seed * 1_000_003 + number)
        room.dice[:] = new_rng(~(self.seed * 1_000_003 + number))
        return NEVER if number % 2 else (number // 2 - 1) % (2 * self.game.length_limit // 3 + 1)

    # Uncompiled -------------------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Play the first games by rules that are watched."""
        most = self.games if not self.game.compilable else min(self.games, WATCHED_GAMES)
        room, watched = new_room(self.game), Watched(self.game)
        for number in range(1, most + 1):
            if not self.has_time(2):
                break
            began = time.perf_counter()
            self.watch_one(watched, room, number)
            self.uncompiled_games += 1
            self.moves += int(room.report[Report.MOVE])
            self.uncompiled_seconds += time.perf_counter() - began
            if self.game.compilable:
                self.twins[number] = copy_of(room)

    def watch_one(self, watched: Watched, room: CheckScratch, number: int) -> None:
        """Watch a game and note what is wrong in it."""
        try:
            found = self.play_uncompiled(watched, room, number)
            self.refuse(found, room, number)
            if number % 2 and found == Finding.FINE:
                if not self.game.compilable:
                    self.facts.add(room)
                self.replay(room, number)
        except RuleError as problem:
            self.note(problem)

    def play_uncompiled(self, game: Any, room: CheckScratch, number: int) -> Finding:
        """Play a game; what the rules raise is a RuleError."""
        begin = self.prepare(room, number)
        try:
            with np.errstate(all="ignore"):
                return Finding(play.py_func(game, room, begin, NEVER))
        except RuleError:
            raise
        except Exception as error:
            raise problem_raised(error, self.game, METHODS[room.report[Report.METHOD]]) from None

    def refuse(self, found: Finding, room: CheckScratch, number: int) -> None:
        """Raise what was found, unless a game only was not over where the room for its moves ends."""
        is_cut_short = found == Finding.TOO_LONG and len(room.played) < self.game.length_limit
        if found != Finding.FINE and not is_cut_short:
            raise problem_found(found, self.game, room, number)

    def replay(self, room: CheckScratch, number: int) -> None:
        """Play the moves of a game again, each on a copy of the position before: it must lead to the same positions."""
        title, state = type(self.game).__name__, self.game.empty_states(1)[0]
        self.game.start(state)  # `play` begins there too, whatever position the game was given
        for move in range(int(room.report[Report.MOVE]) + 1):
            digest = digest_bytes(np.frombuffer(state.tobytes(), np.uint8), room.weights)
            if digest != room.record[move, Column.STATE]:
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
            if move < room.report[Report.MOVE]:
                following = state.copy()
                self.game.apply_action(following, int(room.played[move]))
                state = following

    def look_at_names(self, state: State, number: int, move: int) -> None:
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

    # Compiled ---------------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Play all games compiled, and compare them with the uncompiled ones as long as there is time for these."""
        checked = copy.copy(self.game)
        checked.checked = True
        room, spare = new_room(self.game), new_room(self.game)
        self.uncompiled_games, self.moves = 0, 0
        for number in range(1, self.games + 1):
            try:
                self.play_compiled(checked, room, number)
                twin = self.twins.get(number) or self.uncompiled_twin(spare, number)
                if twin is not None:
                    self.look_for_differences(room, twin, number)
                    self.uncompiled_games += 1
            except RuleError as problem:
                self.note(problem)
                return
            if number == 1:
                self.report("playing")

    def play_compiled(self, checked: Game, room: CheckScratch, number: int) -> None:
        """Play a game; RuleError if something is wrong."""
        begin = self.prepare(room, number)
        try:
            found = play(checked, room, begin, NEVER)
        except Exception as error:
            if not self.compiled_games and not room.report.any():
                raise RuleError("compile", explain(error, checked)) from None
            raise self.compiled_error(error, room, number) from None
        priors = room.values[: int(room.record[0, Column.COUNT])]
        codes = Finding.BAD_RETURNS, Finding.BAD_GUESS, Finding.BAD_PRIOR
        for code, values in zip(codes, (room.results, room.guesses, priors), strict=True):
            if found == Finding.FINE and np.isnan(values).any():  # kernels may take it that no number is NaN
                found, room.report[Report.CULPRIT] = code, int(np.argmax(np.isnan(values)))
        if found != Finding.FINE:
            raise problem_found(found, self.game, room, number)
        self.compiled_games += 1
        self.moves += int(room.report[Report.MOVE])
        if begin == NEVER:
            self.facts.add(room)

    def compiled_error(self, error: Exception, room: CheckScratch, number: int) -> RuleError:
        """An exception of a compiled rule; the same game uncompiled tells the line, if it raises there too."""
        method, place = METHODS[room.report[Report.METHOD]], place_of(number, int(room.report[Report.MOVE]))
        try:
            self.refuse(self.play_uncompiled(self.game, room, number), room, number)
        except RuleError as again:
            return again
        told = Message(
            "{text}.{name}: compiled, it raises {value} in {place}: {reason}",
            text=type(self.game).__name__,
            name=method,
            value=type(error).__name__,
            place=place,
            reason=error,
        )
        return RuleError("compiled error", told)

    def uncompiled_twin(self, room: CheckScratch, number: int) -> CheckScratch | None:
        """The same game uncompiled, if there is time for it."""
        if not self.has_time(WATCHED_GAMES):
            return None
        began = time.perf_counter()
        self.play_uncompiled(self.game, room, number)
        self.uncompiled_seconds += time.perf_counter() - began
        return room

    def look_for_differences(self, room: CheckScratch, other: CheckScratch, number: int) -> None:
        moves = int(min(room.report[Report.MOVE], other.report[Report.MOVE]))
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

    def difference(self, method: str, room: CheckScratch, other: CheckScratch, number: int, move: int) -> RuleError:
        """What to say about a difference."""
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
        if not method:
            method = "apply_action" if move else "start"
            field, before, after = first_difference(*self.both_states(number, move))
            return told(Message("'{field}' is {one} and {other}", field=field, one=before, other=after))
        if method == "random_action":
            return told(Message("action {low} and {high}", low=room.played[move], high=other.played[move]))
        if method in WORTH_METHODS:
            return told(Message("the values are not the same"))
        if method == "legal_actions":
            return told(Message("the legal actions are not the same"))
        if method in LISTS.values():
            return told(Message("the actions are not the same"))
        column = next(c for c, name in NUMBERS.items() if name == method)
        return told(Message("{one} and {other}", one=room.record[move, column], other=other.record[move, column]))

    def both_states(self, number: int, move: int) -> tuple[Any, Any]:
        """A position, compiled and uncompiled: the game is played again up to there."""
        compiled, rooms = copy.copy(self.game), (new_room(self.game), new_room(self.game))
        compiled.checked = True
        for room, kernel, game in zip(rooms, (play, play.py_func), (compiled, self.game), strict=True):
            begin = self.prepare(room, number)
            kernel(game, room, begin, move)
        return rooms[0].state[0], rooms[1].state[0]


def copy_of(room: CheckScratch) -> CheckScratch:
    """What a game has left behind, without the room for longer games."""
    moves = int(room.report[Report.MOVE]) + 1
    played, record, worths = (array[:moves].copy() for array in (room.played, room.record, room.worths))
    return room._replace(
        played=played, record=record, worths=worths, results=room.results.copy(), report=room.report.copy()
    )


def _count(problems: int) -> str:
    return counted(problems, "problem")
