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
AS_WRITTEN = ("game", "name", "names", "of", "text", "value")  # what is so called in a sentence is never said again


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
def _said() -> tuple[dict[str, str], list[tuple[str, list[str]]]]:
    """Keys of sentences (`told_`) that are always the same, by the sentence; and of all others with their fixed parts,
    those that say most themselves first."""
    told = {key: phrases["en"] for key, phrases in catalogue().items() if key.startswith("told_")}
    fixed = {sentence: key for key, sentence in told.items() if "{" not in sentence}
    parts = {key: re.split(r"\{\w+\}", sentence) for key, sentence in told.items() if "{" in sentence}
    order = sorted(parts, key=lambda key: len("".join(parts[key])), reverse=True)
    return fixed, [(key, parts[key]) for key in order]


@cache
def _pattern(key: str) -> re.Pattern[str]:
    """How to know a sentence again; some of what comes in are figures, without spaces."""
    pattern = re.sub(r"\\\{(low|high|count|number)\\\}", r"(?P<\1>\\S+?)", re.escape(catalogue()[key]["en"]))
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", pattern))


def key_of(sentence: str) -> tuple[str, dict[str, str]] | None:
    """Which sentence of the catalogue this is, and what came into it; None: none.

    >>> key_of("only 3 moves were played"), key_of("something else")
    (('told_moves_played', {'count': '3'}), None)
    """
    fixed, others = _said()
    if sentence in fixed:
        return fixed[sentence], {}
    for key, parts in others:
        if all(part in sentence for part in parts):
            found = _pattern(key).fullmatch(sentence)
            if found is not None:
                return key, found.groupdict()
    return None


def again(sentence: str) -> str:
    """A sentence that was made in English, as an error is, in the person's language, where the catalogue has it.

    What came into it is said again too, each of several `{parts}` by itself; but not what stands in quotes or is a
    name: that is as somebody wrote it.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> again("the game can't be kept (the disk is full), so nothing was changed"), again("something else")
    ('对局无法保存（磁盘已满），未作任何改动。', 'something else')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    found = key_of(sentence) if language() != "en" and re.search("[A-Za-z]", sentence) else None
    if found is None:
        return sentence
    key, values = found
    english = catalogue()[key]["en"]
    for name, value in values.items():
        if name not in AS_WRITTEN and f"'{{{name}}}'" not in english:
            parts = re.split(r"[;,] ", value) if name == "parts" else [value]
            values[name] = "，".join(again(part).rstrip("。") for part in parts)
    return say(key, **values)
