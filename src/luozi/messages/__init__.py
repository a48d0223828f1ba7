"""Messages for people: templates with named values, and their translations.

A message has a template, such as `only {count} moves were played`, and values. As text it is English; `translate`
returns it in the person's language. The English template is the message id in the gettext catalogues in `locale/`.
"""

from __future__ import annotations

from luozi.messages.errors import (
    BrokenRuleError,
    LuoziError,
    RulesWarning,
    like,
    nearest,
    on_warning,
    reason_of,
    warn_once,
)
from luozi.messages.languages import language, printable, translate, translate_in
from luozi.messages.message import Message, counted, joined, plural

__all__ = [
    "BrokenRuleError",
    "LuoziError",
    "Message",
    "RulesWarning",
    "counted",
    "joined",
    "language",
    "like",
    "nearest",
    "on_warning",
    "plural",
    "printable",
    "reason_of",
    "translate",
    "translate_in",
    "warn_once",
]
