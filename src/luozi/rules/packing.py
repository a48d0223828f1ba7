"""Send games whose class is in a script or notebook to other processes, and compute digests of rules."""

from __future__ import annotations

import contextlib
import copy
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import cloudpickle

from luozi.compiled.digest import digest_of
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.util.old_names import in_first_names

PRIVATE = (
    "_board",
    "_compiled_rules",
    "_dtype",
    "_looked_at",
    "_moves",
    "_no_rules_among",
    "_object_type",
)  # attributes that are computed again where they are needed


def is_spelled(game: Game) -> bool:
    """Return whether a game was made from a spelling, so that another process can make it too."""
    return "_spelling" in vars(game)


def bare(game: Game) -> Game:
    """Return a copy with only the attributes that the user set."""
    copied = copy.copy(game)
    for name in PRIVATE:
        vars(copied).pop(name, None)
    return copied


def digest_of_game(game: Game) -> str:
    """Return a short digest of the class and its attributes, which changes with the rules.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> digest_of_game(game) == digest_of_game(luozi.game("tictactoe")) != digest_of_game(luozi.game("qubic"))
    True
    """
    rules = [
        (name, plain_function(value))
        for cls in type(game).__mro__
        if cls.__module__.split(".")[0] not in ("luozi", "builtins")
        for name, value in in_first_names(vars(cls))
        if not name.startswith("__") and name != "fixed_names"  # set by `Game`, not by the rules
    ]
    return digest_of(type(game).__qualname__, rules, in_first_names(vars(bare(game))), lines=False)


def plain_function(value: Any) -> Any:
    """Return the function inside a property or another wrapper of a method."""
    for inside in ("fget", "__func__", "func", "__wrapped__"):
        value = getattr(value, inside, value)
    return value


def pack_game(game: Game) -> bytes:
    """Pickle a game with its class, for another process or machine.

    Raises:
        LuoziError: the class cannot be pickled.
    """
    try:
        with by_value(type(game)):
            return cloudpickle.dumps(bare(game))
    except Exception as error:
        name, reason = type(game).__name__, " ".join(str(error).split())
        raise LuoziError(
            "{name} can't be sent to other processes ({reason}): play with workers=1, or put the class into a "
            "file and name that, as in game='{file}.py'",
            name=name,
            reason=reason,
            file=name.lower(),
        ) from None


def unpack_game(packed: bytes) -> Game:
    """Return the game that `pack_game` pickled."""
    game: Game = cloudpickle.loads(packed)
    game.validate()
    return game


@contextlib.contextmanager
def by_value(cls: type) -> Iterator[None]:
    """Pickle the modules of a class and its bases by value, since other processes may not find them."""
    names = {base.__module__ for base in cls.__mro__ if base.__module__.split(".")[0] not in ("luozi", "builtins")}
    modules = [sys.modules[name] for name in sorted(names - {"__main__"}) if name in sys.modules]
    registered: list[ModuleType] = []
    try:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
            registered.append(module)
        yield
    finally:
        for module in registered:
            cloudpickle.unregister_pickle_by_value(module)
