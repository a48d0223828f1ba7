"""A game whose uncompiled rules are observed: what they raise, change and return."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, cast

import numpy as np

from luozi.check.problems import RuleError, first_difference, problem_raised
from luozi.check.questions import METHODS
from luozi.compiled.object_type import is_ours
from luozi.messages import Message
from luozi.rules.game import Game
from luozi.rules.state import State

Rule = Callable[..., Any]
# draw_action calls random_action or legal_actions.
RULES = {method: method for method in METHODS} | {"draw_action": "random_action"}
MUTABLE = np.ndarray, list, dict, set
MAY_CHANGE = ("start", "apply_action", "draw_action", "policy_action")
RETURN_NUMBERS = (
    "current_player", "legal_actions", "is_terminal", "is_legal", "draw_action",
    "winning_actions", "policy_action", "threatening_actions", "forced_replies",
)  # fmt: skip


def watched_game(game: Game, before_call: Callable[[str], None] = lambda method: None, looks: bool = True) -> Game:
    """Return a stand-in for a game that observes its rules. `before_call` receives the name of each rule that is
    called.

    Without `looks`, it only reports the calls.
    """
    return cast(Game, _Watched(game, before_call, looks))


class _Watched:
    def __init__(self, game: Game, before_call: Callable[[str], None], looks: bool) -> None:
        self.watched_game, self.before_call, self.looks = game, before_call, looks
        self.places = [*(cls for cls in reversed(type(game).__mro__[:-1]) if not is_ours(cls)), game]
        self.attributes = self._attributes()
        self.frozen = frozen(self.attributes)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.watched_game, name)
        return partial(self.call if self.looks else self.listen, name, value) if name in RULES else value

    def listen(self, name: str, rule: Rule, state: State, *arguments: Any) -> Any:
        self.before_call(RULES[name])
        return rule(state, *arguments)

    def call(self, name: str, rule: Rule, state: State, *arguments: Any) -> Any:
        before = state.copy()
        try:
            value = self.listen(name, rule, state, *arguments)
        except Exception as error:
            raise problem_raised(error, self.watched_game, RULES[name]) from None
        if name not in MAY_CHANGE and state.tobytes() != before.tobytes():
            told = Message(
                "{text}.{name} changes the state's '{field}'; only start and apply_action may change it",
                text=type(self.watched_game).__name__,
                name=RULES[name],
                field=first_difference(before, state)[0],
            )
            raise RuleError(f"changes {name}", told)
        self._look_at_attributes(RULES[name])
        if name in RETURN_NUMBERS:
            self._look_at_value(RULES[name], value)
        return value

    def _look_at_attributes(self, method: str) -> None:
        """Check that the rules store nothing in the game object, which many games of a search share."""
        now, before = self._attributes(), self.attributes
        changed = [name for name in {**before, **now} if now.get(name) is not before.get(name)]
        changed += [name for name, value in now.items() if isinstance(value, MUTABLE)]
        changed = [name for name in changed if name[0] != "_" and self._differs(name, now)]
        if changed:
            self.attributes, self.frozen = now, frozen(now)
            told = Message(
                "{text}.{name} changes self.{value}; keep what changes in a field of the state",
                text=type(self.watched_game).__name__,
                name=method,
                value=changed[0],
            )
            raise RuleError(f"attribute {changed[0]}", told)

    def _attributes(self) -> dict[str, object]:
        """Return all attributes in which rules could store something: those of the object and of its custom classes."""
        return {name: value for place in self.places for name, value in vars(place).items()}

    def _differs(self, name: str, now: dict[str, object]) -> bool:
        return name not in now or name not in self.frozen or frozen_value(now[name]) != self.frozen[name]

    def _look_at_value(self, method: str, value: object) -> None:
        if isinstance(value, (bool, int, np.integer, np.bool_)):
            return
        title = type(self.watched_game).__name__
        kind = Message("nothing") if value is None else repr(value)
        wanted = Message("True or False") if method.startswith("is_") else Message("a whole number")
        raise RuleError(
            f"value {method}",
            Message(
                "{text}.{name} returns {value}; it must return {wanted}",
                text=title,
                name=method,
                value=kind,
                wanted=wanted,
            ),
        )


def frozen(values: dict[str, object]) -> dict[str, Hashable]:
    """Return the values in a form that can be compared later."""
    return {name: frozen_value(value) for name, value in values.items()}


def frozen_value(value: object) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return repr(value) if isinstance(value, (list, dict, set, tuple, str, int, float)) else id(value)
