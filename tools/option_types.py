"""Write the types of the search options as keyword arguments: `python -m tools.option_types`.

They come from the options' metadata in `luozi.search.fields`. A test compares the written file with what this writes.
"""

from __future__ import annotations

import types
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

from luozi.search.fields import Fields
from luozi.util.old_names import SEARCH, SEARCH_VALUES
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
    hints, known, old_values = get_type_hints(Fields), parameters_of(Fields), SEARCH_VALUES
    old = {new: name for name, new in SEARCH.items()}
    now, before = [], []
    for one in fields(Fields):
        choices = (*known[one.name].about.choices, *old_values.get(one.name, ()))
        text = type_text(hints[one.name], choices)
        now.append(f"    {one.name}: {text}\n")
        if one.name in old:
            before.append(f"    {old[one.name]}: {text}\n")
    return HEAD + "".join(now) + "    # Old names, which are still accepted.\n" + "".join(before)


if __name__ == "__main__":
    FILE.write_text(option_types(), encoding="utf-8")
