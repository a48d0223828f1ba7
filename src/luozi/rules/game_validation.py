"""Check that a custom class is a complete game, and say what is missing."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.messages import LuoziError, Message, like
from luozi.rules.state import dtype_of, without_gaps

if TYPE_CHECKING:
    from luozi.rules.game import Game

MAX_ACTIONS = 65_535
SIZES = (("players", 1, 16), ("actions", 1, MAX_ACTIONS), ("max_length", 0, 1_000_000))

REQUIRED = {
    "start": "start(self, state)",
    "current_player": "current_player(self, state)",
    "apply_action": "apply_action(self, state, action)",
    "is_terminal": "is_terminal(self, state)",
    "returns": "returns(self, state, returns)",
}
FOR_PEOPLE = ("show", "action_to_string", "player_name")  # methods whose callers expect text
# OpenSpiel's methods for chance, hidden information and simultaneous moves, which Luozi does not support
REFUSED = {
    "chance_outcomes": "chance",
    "is_chance_node": "chance",
    "information_state_string": "hidden information",
    "information_state_tensor": "hidden information",
    "observation_string": "hidden information",
    "apply_actions": "simultaneous moves",
    "is_simultaneous_node": "simultaneous moves",
}


def refuse_unfinished(game: Game, lists_moves: bool) -> None:
    """Check the methods and numbers of a class.

    Raises:
        LuoziError: a method is missing or not supported, or a number makes no sense.
    """
    name = type(game).__name__
    for method, kind in REFUSED.items():
        if hasattr(game, method):
            raise LuoziError(
                "{name} has {method}: games with {kind} can't be searched here",
                name=name,
                method=method,
                kind=Message(kind),
            )
    if hasattr(game, "begin_simulation"):
        raise LuoziError("{name} has begin_simulation: write a luozi.Playout with begin, and random_playout", name=name)
    for method, spelling in REQUIRED.items():
        if not callable(getattr(game, method, None)):
            own = [n for n in vars(type(game)) if not n.startswith("_") and n != method]
            raise LuoziError(
                "{name} needs a method {spelling}{nearest}", name=name, spelling=spelling, nearest=like(method, own)
            )
    if not lists_moves and not hasattr(game, "is_legal"):
        raise LuoziError("{text} needs legal_actions(self, state, actions) or is_legal(self, state, action)", text=name)
    for attribute, low, high in SIZES:
        value = getattr(game, attribute)
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            raise LuoziError(
                "{name}.{attribute} is {value}; it must be a whole number from {low} to {high}",
                name=name,
                attribute=attribute,
                value=repr(value),
                low=low,
                high=f"{high:,}",
            )


def record_type(game: Game) -> np.dtype[np.void]:
    """Return the NumPy type of a state, without gaps.

    Raises:
        LuoziError: the fields of the class are not valid.
    """
    name = type(game).__name__
    fields = dtype_of(game.state, f"{name}.state")
    if not fields.names:
        raise LuoziError("{text} needs state = [('board', 'i1', 9), ...]: the fields of one position", text=name)
    reserved = [field for field in fields.names if hasattr(np.record, field)]
    if reserved:
        raise LuoziError(
            "{name}.state can't have a field named '{field}': NumPy records use that name",
            name=name,
            field=reserved[0],
        )
    return without_gaps(fields)


def must_be_text(method: Callable[..., str], name: str) -> Callable[..., str]:
    """Return the method of a custom class with a check that it returns text."""

    @functools.wraps(method)
    def checked(*arguments: Any, **keywords: Any) -> str:
        text = method(*arguments, **keywords)
        if not isinstance(text, str):
            title = f"{type(arguments[0]).__name__}.{name}"
            raise LuoziError("{title} returned {value}; it must return text", title=title, value=reprlib.repr(text))
        return text

    return checked
