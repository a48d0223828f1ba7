"""How a game's simulations choose their moves: objects with `begin`, `next` and `finish`, and memory of their own.

What only simulations need (lists, last moves, patterns) is in that memory and not in the position, which is copied and
compared for every iteration of a search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, Compilable
from luozi.compiled.object_type import is_ours
from luozi.messages import BrokenRuleError
from luozi.rules.guards import all_between
from luozi.rules.state import Actions, State, record_type

if TYPE_CHECKING:
    from luozi.rules.game import Game


def guarded_next(method: Callable[..., Any]) -> Callable[..., Any]:
    """What a user's playout may say."""

    def next(self: Any, game: Game, state: State, memory: State, rng: Array, actions: Actions) -> Any:
        action = method(self, game, state, memory, rng, actions)
        if action < -1 or action >= game.actions:
            raise BrokenRuleError(
                "random_playout's or policy_playout's next gives an action that is not there; there are {self.actions},"
                " the first is 0"
            )
        return action

    return next


def guarded_finish(method: Callable[..., Any]) -> Callable[..., Any]:
    """Whose points may be, by a user's playout."""

    def finish(self: Any, game: Game, state: State, memory: State, owners: Array) -> None:
        method(self, game, state, memory, owners)
        if not all_between(owners, game.points, 0, game.players):
            raise BrokenRuleError(
                "random_playout's or policy_playout's finish gives a point to a player who is not there; "
                "0 is nobody, 1 the first of {self.players}"
            )

    return finish


class Playout(Compilable):
    """Random moves, as the game itself draws them, unless a subclass says otherwise.

    `fields` are those of the memory, as a game's `state` are those of a position.
    """

    entry_points: tuple[str, ...] = ("begin", "next", "finish")
    guards: Mapping[str, Callable[..., Any]] = MappingProxyType({"next": guarded_next, "finish": guarded_finish})
    fields: Any = (("nothing", "i1"),)

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "checked" not in vars(cls):
            cls.checked = not is_ours(cls)

    def __repr__(self) -> str:
        """The class: what it remembers is in its memory."""
        return f"<{type(self).__name__}: how simulations choose moves>"

    def new_memory(self) -> Array:
        """Room for one simulation at a time."""
        return np.zeros(1, record_type(self.fields, f"{type(self).__name__}.fields"))

    def begin(self, game: Any, state: State, memory: State) -> None:
        """Get ready for a simulation from a position; the memory is as the last one left it."""

    def next(self, game: Any, state: State, memory: State, rng: Array, actions: Actions) -> int:
        """The next move, -1 if there is none. `actions` is scratch."""
        return game.draw_action(state, rng, actions)

    def reason(self, memory: State) -> str:
        """For people who look on, never compiled: what chose the last move; nothing if there is nothing to say."""
        return ""

    def finish(self, game: Any, state: State, memory: State, owners: Array) -> None:
        """Only when asked, in a finished game: write whose each point is, 0 nobody's, 1.. a player's."""
        game.point_owners(state, owners)


class Advised(Playout):
    """The moves of the game's own `policy_action`; random ones where `guided` is off."""

    def __init__(self) -> None:
        self.guided = True

    def next(self, game: Game, state: State, memory: State, rng: Array, actions: Actions) -> int:
        if self.guided:
            return game.policy_action(state, rng, actions)
        return game.draw_action(state, rng, actions)
