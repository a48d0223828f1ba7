"""How playouts choose their moves: objects with `begin`, `next` and `finish`, and memory of their own.

The memory holds what only playouts need (lists, last moves, patterns). The state stays small, since every iteration
copies it.
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
    """Guard `next` of a custom playout: the action must exist."""

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
    """Guard `finish` of a custom playout: the owners must exist."""

    def finish(self: Any, game: Game, state: State, memory: State, owners: Array) -> None:
        method(self, game, state, memory, owners)
        if not all_between(owners, game.points, 0, game.players):
            raise BrokenRuleError(
                "random_playout's or policy_playout's finish gives a point to a player who is not there; "
                "0 is nobody, 1 the first of {self.players}"
            )

    return finish


class Playout(Compilable):
    """Random moves, as the game itself draws them, unless a subclass overrides `next`.

    `fields` are the fields of the memory, written as the `state` of a game.
    """

    entry_points: tuple[str, ...] = ("begin", "next", "finish")
    guards: Mapping[str, Callable[..., Any]] = MappingProxyType({"next": guarded_next, "finish": guarded_finish})
    fields: Any = (("nothing", "i1"),)

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "checked" not in vars(cls):
            cls.checked = not is_ours(cls)

    def __repr__(self) -> str:
        """Return the name of the class. The memory holds everything else."""
        return f"<{type(self).__name__}: how simulations choose moves>"

    def new_memory(self) -> Array:
        """Return memory for one playout at a time."""
        return np.zeros(1, record_type(self.fields, f"{type(self).__name__}.fields"))

    def begin(self, game: Any, state: State, memory: State) -> None:
        """Start a playout from a position. The memory holds what the last playout left."""

    def next(self, game: Any, state: State, memory: State, rng: Array, actions: Actions) -> int:
        """Return the next move, or -1 if there is none. `actions` is scratch memory."""
        return game.draw_action(state, rng, actions)

    def reason(self, memory: State) -> str:
        """Return why the last move was chosen, for display; empty if there is no reason. Never compiled."""
        return ""

    def finish(self, game: Any, state: State, memory: State, owners: Array) -> None:
        """Write the owner of each point of a finished game: 0 for nobody, 1 .. for a player. Called only for
        ownership.
        """
        game.point_owners(state, owners)


class Advised(Playout):
    """The moves of the game's `policy_action`, or random ones if `guided` is off."""

    def __init__(self) -> None:
        self.guided = True

    def next(self, game: Game, state: State, memory: State, rng: Array, actions: Actions) -> int:
        if self.guided:
            return game.policy_action(state, rng, actions)
        return game.draw_action(state, rng, actions)
