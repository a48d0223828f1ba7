"""The language of the person at the terminal, and messages in it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from luozi.messages.message import Message

if TYPE_CHECKING:
    from gettext import NullTranslations

LANGUAGES = ("en", "zh")
CATALOGUES = Path(__file__).parent / "locale"


def language() -> str:
    """The language of the person at the terminal, by the locale; LUOZI_LANGUAGE is asked first."""
    get = os.environ.get
    name = get("LUOZI_LANGUAGE") or get("LC_ALL") or get("LC_MESSAGES") or get("LANG")
    if not name:
        import locale

        name = locale.getlocale()[0] or "en"
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def translate(text: str, /, **values: object) -> str:
    """A message in the person's language; a text of which the catalogue has nothing stays as it is.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> translate("{player} wins", player="X"), translate("something else")
    ('X 胜', 'something else')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    spoken = language()
    if not text or (spoken == "en" and not values):
        return str(text)
    message = Message(text, **values)
    if spoken == "en":
        return str(message)
    catalogue = catalogue_of(spoken)

    def template(one: Message) -> str:
        if not one.template:  # gettext keeps its own notes there
            return ""
        return catalogue.ngettext(one.template, one.many, one.number) if one.many else catalogue.gettext(one.template)

    return message.in_language(template)


def translate_in(context: str, text: str) -> str:
    """A text that has several meanings, of which the context tells one.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> translate_in("search", "score"), translate("score")
    ('评分', '得分率')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    return text if language() == "en" else catalogue_of(language()).pgettext(context, text)


@cache
def catalogue_of(spoken: str) -> NullTranslations:
    """What Luozi says in another language; English where it was not built (`make setup` does)."""
    import gettext

    return gettext.translation("luozi", CATALOGUES, languages=[spoken], fallback=True)
