"""What Luozi says to people, in English and Chinese: one catalogue for the page and the terminal.

Each JSON file here is a part of the catalogue: `{"key": {"en": "...", "zh": "..."}}`; values come in for `{name}`.
"""

from __future__ import annotations

import json
import locale
import os
from functools import cache
from importlib import resources

LANGUAGES = ("en", "zh")


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Every phrase by its key, in all languages.

    >>> catalogue()["undo"]["zh"]
    '悔棋'
    """
    found: dict[str, dict[str, str]] = {}
    for file in sorted(resources.files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            found |= json.loads(file.read_text(encoding="utf-8"))
    return found


def language() -> str:
    """The language of the person at the terminal, by the locale; LUOZI_LANGUAGE is asked first."""
    names = [os.environ.get(name) for name in ("LUOZI_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")]
    name = next(filter(None, names), None) or locale.getlocale()[0] or "en"
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def say(key: str, /, **values: object) -> str:
    """A phrase in the person's language.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"; say("wins", player="X")
    'X 胜'
    >>> os.environ["LUOZI_LANGUAGE"] = "en"; say("wins", player="X")
    'X wins'
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    return catalogue()[key][language()].format(**values)
