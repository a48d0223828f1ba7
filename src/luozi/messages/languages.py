"""The language of the person at the terminal, and messages in this language."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from luozi.messages.message import Message

if TYPE_CHECKING:
    from gettext import NullTranslations

LANGUAGES = ("en", "zh")
CATALOGUES = Path(__file__).parent / "locale"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # and changes of direction


def language() -> str:
    """Return the language of the terminal: LUOZI_LANGUAGE, or the locale."""
    get = os.environ.get
    name = get("LUOZI_LANGUAGE") or get("LC_ALL") or get("LC_MESSAGES") or get("LANG")
    if not name:
        import locale

        name = locale.getlocale()[0] or "en"
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def translate(text: str, /, **values: object) -> str:
    """Return a message in the person's language. Text without a translation stays as it is.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> translate("{player} wins", player="X"), translate("something else")
    ('X 胜', 'something else')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    spoken = language()
    if not text or (spoken == "en" and not values):
        return printable(str(text))
    message = Message(text, **values)
    if spoken == "en":
        return printable(str(message))
    catalogue = catalogue_of(spoken)

    def template(one: Message) -> str:
        if not one.template:  # gettext stores the header of the catalogue there
            return ""
        return catalogue.ngettext(one.template, one.many, one.number) if one.many else catalogue.gettext(one.template)

    return printable(message.in_language(template))


def printable(text: str) -> str:
    """Return text from outside without what a terminal would obey; lines and tabs stay.

    >>> printable("a\\x1b[2Jb\\n")
    'a?[2Jb\\n'
    """
    return CONTROL.sub("?", text)


def translate_in(context: str, text: str) -> str:
    """Return a translated text whose meaning depends on the context.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> translate_in("search", "score"), translate("score")
    ('评分', '得分率')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    return text if language() == "en" else catalogue_of(language()).pgettext(context, text)


@cache
def catalogue_of(spoken: str) -> NullTranslations:
    """Return the catalogue of another language, or English if it was not built (`make setup` builds it)."""
    import gettext

    return gettext.translation("luozi", CATALOGUES, languages=[spoken], fallback=True)
