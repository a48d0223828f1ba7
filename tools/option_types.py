"""Write the types of the search options as keyword arguments: `python -m tools.option_types`.

They come from the options' metadata in `luozi.search.fields`. A test compares the written file with what this writes.
"""

from __future__ import annotations

import types
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

from luozi.search.fields import Fields
from luozi.util.parameters import parameters_of

FILE = Path(__file__).parents[1] / "src/luozi/search/option_types.py"
HEAD = '''"""The search options as keyword arguments, for type checkers; written by `python -m tools.option_types`."""

from __future__ import annotations

from typing import Literal, TypedDict


class OptionValues(TypedDict, total=False):
    """What `Engine(game, ...)` and `Options.of(...)` take by name; `luozi.search.fields` says what each means."""

'''


def quoted(text: str) -> str:
    """A text in quotes, as ruff writes them."""
    return f'"{text}"'


def type_text(hint: type | types.UnionType, choices: tuple[str, ...]) -> str:
    """A type as it is written.

    >>> type_text(float | None, ()), type_text(str, ("uct", "puct"))
    ('float | None', 'Literal["uct", "puct"]')
    """
    if choices:
        return f"Literal[{', '.join(map(quoted, choices))}]"
    return " | ".join(["None" if part is types.NoneType else part.__name__ for part in get_args(hint) or (hint,)])


def option_types() -> str:
    """The text of the file."""
    hints, known = get_type_hints(Fields), parameters_of(Fields)
    lines = [f"    {one.name}: {type_text(hints[one.name], known[one.name].about.choices)}\n" for one in fields(Fields)]
    return HEAD + "".join(lines)


if __name__ == "__main__":
    FILE.write_text(option_types(), encoding="utf-8")
