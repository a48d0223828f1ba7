"""What Luozi says to people, in English and Chinese: one catalogue for the page and the terminal.

Each JSON file here is a part of the catalogue: `{"key": {"en": "...", "zh": "..."}}`; values come in for `{name}`.
"""

from __future__ import annotations

import json
import locale
import os
import re
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


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """How to know each sentence of the catalogue (`told_`) again, and its key: those that say most themselves first."""
    told = {key: phrases["en"] for key, phrases in catalogue().items() if key.startswith("told_")}
    found = []
    for key in sorted(told, key=lambda key: len(re.sub(r"\{\w+\}", "", told[key])), reverse=True):
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(told[key]))
        found.append((re.compile(pattern), key))
    return found


def again(sentence: str) -> str:
    """A sentence that was made in English, as an error is, in the person's language, where the catalogue has it.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> again("the game can't be kept (the disk is full), so nothing was changed"), again("something else")
    ('对局无法保存（磁盘已满），未作任何改动。', 'something else')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    if language() == "en":
        return sentence
    for pattern, key in _patterns():
        found = pattern.fullmatch(sentence)
        if found is not None:
            return say(key, **{name: again(value) for name, value in found.groupdict().items()})
    return sentence
