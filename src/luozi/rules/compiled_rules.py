"""The rules of a built-in game as one kernel: it tests a move, plays it, and describes the new position.

Uncompiled, this takes 100 to 4,000 Python calls. The rules of custom classes stay uncompiled outside searches: there an
exception names the user's line, and a rule that never returns can be ended (`watchdog.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import typeof

from luozi.compiled import Array, kernel
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.rules.game import Game

MANY = 500  # moves of whole games after which compilation pays: both take about a second
TO_MOVE, OVER, RETURNS = 0, 1, 2  # places in `told`; from RETURNS on, one place for each player
ILLEGAL = -1
NO_ACTION = -1


@kernel
def rules(
    game: Game, before: Array, after: Array, scratch: Array, action: int, listing: int, actions: Array, told: Array
) -> int:
    """Write the position after an action, or the given position for NO_ACTION, and its description into `told`.

    Return the number of legal actions written into `actions` (0 unless `listing`), or ILLEGAL. The rules get copies,
    since they may use a state as scratch memory.
    """
    after[0] = before[0]
    if action != NO_ACTION:
        scratch[0] = before[0]
        if game.is_terminal(scratch[0]) or game.next_in_order(scratch[0], 0, action, 1, 1, actions) != 0:
            return ILLEGAL
        game.apply_action(after[0], action)
    scratch[0] = after[0]
    told[TO_MOVE] = game.current_player(scratch[0])
    told[OVER] = game.is_terminal(scratch[0])
    if told[OVER]:
        game.returns(scratch[0], told[RETURNS:])
        return 0
    return game.legal_actions(scratch[0], actions) if listing else 0


class RulesAnswer(NamedTuple):
    """The description of a position by the compiled rules."""

    room: Array  # the state, in an array of one
    to_move: int
    returns: tuple[float, ...] | None  # None: the game is not over
    actions: tuple[int, ...] | None  # in ascending order; None: not asked for


class CompiledRules:
    """The machine code for one game. It is valid as long as no attribute of the game is set."""

    def __init__(self, game: Game, run: Callable[..., int]) -> None:
        self.object_type, self._run = typeof(game), run
        self._dtype, self._actions, self._told = game.dtype, game.actions, RETURNS + game.players
        self._start: RulesAnswer | None = None

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Return nothing to pickle: another process loads its own machine code."""
        return type(None), ()

    def start(self, game: Game) -> RulesAnswer:
        """Return the start of the game, computed once."""
        if self._start is None:
            self._start = self.look(game, room_of(game.new_state()), listing=True)
            assert self._start is not None  # NO_ACTION is never illegal
        return self._start

    def look(self, game: Game, room: Array, action: int = NO_ACTION, listing: bool = False) -> RulesAnswer | None:
        """Describe a position, or the position after an action. Return None if the action is illegal."""
        after, scratch = np.empty(1, self._dtype), np.empty(1, self._dtype)
        actions, told = np.empty(self._actions, np.int32), np.empty(self._told)
        count = self._run(game, room, after, scratch, action, int(listing), actions, told)
        if count == ILLEGAL:
            return None
        to_move, over, *returns = told.tolist()
        found = actions[:count]
        found.sort()
        return RulesAnswer(
            after, int(to_move), tuple(returns) if over else None, tuple(found.tolist()) if listing else None
        )


_compiled_classes: set[type] = set()  # games whose rules are loaded in this process
_played: Counter[type] = Counter()  # moves of whole games played in this process


def loaded_rules(game: Game) -> CompiledRules | None:
    """Return the machine code of a game's rules, or None if this process has none and must run them uncompiled."""
    own = vars(game)
    found: CompiledRules | None = own.get("_compiled_rules")
    if found is not None and found.object_type is own.get("_object_type") and game.compilable:
        return found
    if type(game) not in _compiled_classes or not game.compilable:
        return None
    if own.get("_no_rules_among") == len(rules.overloads):  # searched for since the last compilation
        return None
    types = argument_types(game)
    if types in rules.overloads:
        return _remember(game, types)
    own["_no_rules_among"] = len(rules.overloads)
    return None


def compile_rules(game: Game) -> CompiledRules | None:
    """Compile the rules of a built-in game, or load them from the cache. Return None if they must run uncompiled.

    Compilation takes half a second, and half a second more in a process that has compiled nothing else. It pays beside
    a search and for many games.

    >>> import luozi
    >>> compile_rules(luozi.game("tictactoe")) is None
    False
    """
    found = loaded_rules(game)
    if found is not None or game.checked or not game.compilable:
        return found
    types = argument_types(game)
    rules.compile(types)
    return _remember(game, types)


def compile_if_many(game: Game, moves: int) -> None:
    """Count the moves of whole games, and compile the rules after many of them."""
    _played[type(game)] += moves
    if _played[type(game)] >= MANY:
        compile_rules(game)


def argument_types(game: Game) -> tuple[Any, ...]:
    """Return the argument types for which the kernel is compiled."""
    room = game.empty_states(1)
    arguments = (game, room_of(room[0]), room, room, 0, 0, np.zeros(1, np.int32), np.zeros(1))
    return tuple(rules.typeof_pyval(argument) for argument in arguments)


def _remember(game: Game, types: tuple[Any, ...]) -> CompiledRules:
    _compiled_classes.add(type(game))
    found = vars(game)["_compiled_rules"] = CompiledRules(game, rules.overloads[types].entry_point)
    return found


def room_of(state: State) -> Array:
    """Return a read-only array of one with a copy of a state."""
    room = np.empty(1, state.dtype)
    room[0] = state
    room.setflags(write=False)
    return room
