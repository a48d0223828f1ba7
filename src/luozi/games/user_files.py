"""Load custom games from Python files."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from luozi.messages import LuoziError, Message, nearest
from luozi.rules.game import Game
from luozi.util.own_code import OWN
from luozi.util.trust import source_to_run


def load_own_game(path: Path, wanted: str = "") -> type[Game]:
    """Return the game class in a file, selected by name if there are several.

    A class from which another class of the file is derived, or whose name begins with `_`, is only selected by name.

    Raises:
        LuoziError: the file does not run, or the class is not clear. The message names the user's line.
    """
    if not path.is_file():
        raise LuoziError("there is no file '{name}'", name=path)
    if path.suffix != ".py":
        raise LuoziError("'{name}' is not a Python file", name=path)
    source = source_to_run(path)
    # the file may import modules beside it, as if it was run itself
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = f"{OWN}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LuoziError("'{name}' is not a Python file", name=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # not the import system: it might run byte code or newer source
        exec(compile(source, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        raise LuoziError("{text} does not run: {reason}", text=path, reason=_where(error, path)) from None
    found = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Game) and value.__module__ == name
    ]
    return _chosen(found, path, wanted)


def _chosen(found: Sequence[type[Game]], path: Path, wanted: str) -> type[Game]:
    """Return the selected class."""
    named = {one.__name__: one for one in found}
    if not named:
        raise LuoziError("{text} has no class that is a luozi.Game", text=path)
    if wanted:
        if wanted not in named:
            raise LuoziError(
                "{text} has no game class '{name}'{nearest}", text=path, name=wanted, nearest=nearest(wanted, named)
            )
        return named[wanted]
    helpers = {base for one in found for base in one.__mro__[1:]}
    games = [name for name, one in named.items() if one not in helpers and not name.startswith("_")] or [*named]
    if len(games) > 1:
        choices = " or ".join(f"{path}:{name}" for name in games)
        raise LuoziError(
            "{text} has {count} game classes: {names}. Write {value}.",
            text=path,
            count=len(games),
            names=", ".join(games),
            value=choices,
        )
    return named[games[0]]


def _where(error: BaseException, path: Path) -> str:
    """Return an error and the user's line."""
    if isinstance(error, SyntaxError):
        return Message("line {number}: {text}", number=error.lineno, text=error.msg)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    place = Message("line {number}: ", number=lines[-1]) if lines else ""
    return f"{place}{type(error).__name__}: {error}"
