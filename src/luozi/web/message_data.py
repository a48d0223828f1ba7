"""How a page is told a sentence: in English for programs, and as template and values, which it says in its language."""

from __future__ import annotations

from typing import cast

from msgspec import UNSET, UnsetType

from luozi.messages import LuoziError, Message
from luozi.web.answers import FailureMessage, SentenceData


class GoneError(LuoziError):
    """What somebody asks for is not there any more, and will not come back."""


def sentence_data(sentence: str) -> SentenceData:
    """A sentence as its template and values."""
    return cast(SentenceData, Message(sentence).data())


def told(sentence: str) -> SentenceData | UnsetType:
    """A sentence with values as its template and values; nothing for one that is its own template.

    >>> told(Message("it was stopped"))
    UNSET
    >>> told(Message("only {count} moves were played", count=3))
    {'template': 'only {count} moves were played', 'values': {'count': 3}}
    """
    message = Message(sentence)
    return sentence_data(message) if message.template != message else UNSET


def refusal(error: LuoziError) -> FailureMessage:
    """The answer to a message that is refused."""
    gone = True if isinstance(error, GoneError) else UNSET
    return FailureMessage(str(error.message), told(error.message), gone)
