"""How a page is told a sentence: in English for programs, and as template and values, which it says in its language."""

from __future__ import annotations

from typing import Any

from luozi.messages import LuoziError, Message


class GoneError(LuoziError):
    """What somebody asks for is not there any more, and will not come back."""


def told(sentence: str, name: str = "message") -> dict[str, Any]:
    """A sentence under this name; a sentence with values also as its template and values.

    >>> told(Message("it was stopped"))
    {'message': 'it was stopped'}
    >>> told(Message("only {count} moves were played", count=3))["told"]
    {'template': 'only {count} moves were played', 'values': {'count': 3}}
    """
    message = Message(sentence)
    return {name: str(message), "told": message.data()} if message.template != message else {name: str(message)}


def refusal(error: LuoziError) -> dict[str, Any]:
    """The answer to a message that is refused."""
    gone = {"gone": True} if isinstance(error, GoneError) else {}
    return {"type": "error", **told(error.message), **gone}
