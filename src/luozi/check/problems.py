"""Errors of a game's class, as messages that name the class, the method and the remedy."""

from __future__ import annotations

import inspect
import re

import numpy as np

from luozi.compiled import Array
from luozi.compiled.explaining import explain_exception, users_frame
from luozi.messages import Message, nearest
from luozi.rules.game import Game
from luozi.rules.state import State, field_names


class RuleError(Exception):
    """A problem of a class: its kind, since each kind is reported once, and a message."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind, self.sentence = kind, sentence


def place_of(number: int, move: int) -> str:
    """Return a position in words. Games and moves count from 1, so move 1 is the start."""
    return Message("game {number}, move {move}", number=number, move=move + 1)


def problem_raised(error: Exception, game: Game, method: str) -> RuleError:
    """Return the problem for an exception in an uncompiled rule, with its usual meaning."""
    sentence = explain_exception(error, game)
    frame = users_frame(error, game)
    line = frame.line if frame and frame.line else ""
    meaning = _meaning(error, game, line)
    told = Message("{what}{meaning}", what=sentence, meaning=meaning) if meaning else sentence
    return RuleError(f"raised {method} {type(error).__name__}", told)


def _meaning(error: Exception, game: Game, line: str) -> str:
    """Return what to do about a common exception."""
    fields = field_names(game.dtype)
    if isinstance(error, OverflowError):
        used = [name for name in fields if re.search(rf"\b{name}\b", line)]
        if used:
            return Message(
                "; the number does not fit the field: give '{field}' a wider type, such as 'i2' or 'i4'", field=used[0]
            )
        return Message("; the number does not fit the field: give the field a wider type, such as 'i2' or 'i4'")
    missing = re.search(r"(?:no attribute|set) '?(\w+)'?", str(error))
    if isinstance(error, AttributeError) and missing and missing[1] not in fields and "self" not in line.split("=")[0]:
        return nearest(missing[1], fields) if "record" in str(error) or "set" in str(error) else ""
    return ""


def first_difference(before: State, after: State) -> tuple[str, str, str]:
    """Return the first field in which two states differ, and its value in both."""
    for name in field_names(before.dtype):
        one, other = np.asarray(getattr(before, name)), np.asarray(getattr(after, name))
        if one.tobytes() != other.tobytes():
            return name, _difference(one, other), _difference(other, one)
    return "?", "?", "?"


def _difference(one: Array, other: Array) -> str:
    if one.ndim == 0:
        return str(one)
    index = tuple(int(i) for i in np.argwhere(one != other)[0])
    return Message("{value} at {place}", value=one[index], place=index[0] if len(index) == 1 else index)


SIGNATURES = {
    "start": "state",
    "current_player": "state",
    "legal_actions": "state, actions",
    "is_legal": "state, action",
    "apply_action": "state, action",
    "is_terminal": "state",
    "returns": "state, returns",
    "begin": "game, state, memory",
    "random_action": "state, rng",
    "evaluate": "state, values",
    "winning_actions": "state, player, actions",
    "priors": "state, actions, count, values",
    "policy_action": "state, rng, actions",
    "threatening_actions": "state, actions",
    "forced_replies": "state, attacker, actions",
    "candidates": "state, actions, count",
    "show": "state",
    "action_to_string": "state, action",
    "string_to_action": "state, text",
}


def wrong_signatures(game: Game) -> list[RuleError]:
    """Return the methods that do not take the arguments with which they are called."""
    found = []
    for method, arguments in SIGNATURES.items():
        function = getattr(game, method, None)
        if function is None or getattr(type(game), method, None) is Game.begin:
            continue
        signature = inspect.signature(function)
        try:
            signature.bind(*arguments.split(", "))
        except TypeError:
            sentence = Message(
                "{text}.{name} takes {value}; write {how}",
                text=type(game).__name__,
                name=method,
                value=signature,
                how=f"{method}(self, {arguments})",
            )
            found.append(RuleError(f"signature {method}", sentence))
    return found
