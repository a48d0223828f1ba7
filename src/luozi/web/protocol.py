"""Messages of a page, read: `read_request` is the one place that decides whether a message is what it should be.

What a message may hold is declared in `requests`; here are the decoder and the sentences about what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import DecodeError, Struct, ValidationError

from luozi.messages import LuoziError, Message, nearest
from luozi.util.parsing import JsonValue, json_value, plain, shown
from luozi.web.limits import ServerLimits
from luozi.web.requests import AnyRequest, Id, Request

REQUESTS: dict[str, type[Request]] = {kind.__struct_config__.tag: kind for kind in get_args(AnyRequest)}
DECODER = msgspec.json.Decoder(AnyRequest)
NO_JSON = (DecodeError, RecursionError, UnicodeError)  # brackets without end, letters that are none
WRONG = (ValidationError, UnicodeError)


Asked = TypeVar("Asked", bound=Struct)


def read_request(text: str | bytes, limits: ServerLimits) -> AnyRequest:
    """A message from its text; one sentence if it is none that the server knows.

    >>> read_request('{"type": "play", "id": 7, "action": 3}', ServerLimits())
    PlayRequest(action=3, text=None, id=7)
    """
    try:
        request = DECODER.decode(text)
    except NO_JSON:
        raise refusal_of(text) from None
    for one in asked_for(request):
        refuse_long(one, limits, request.__struct_config__.tag)
    return request


def refuse_long(asked: Asked, limits: ServerLimits, kind: str | int | None = "seat") -> Asked:
    """The same part of a message; one sentence if it asks for more time than this server allows."""
    for name, most in (("seconds", limits.seconds), ("iterations", limits.iterations)):
        if (getattr(asked, name, None) or 0) > most:
            raise wrong_field(kind, asked, name)
    return asked


def asked_for(request: Request) -> Iterator[Struct]:
    """The parts of a message that may ask for time to think."""
    yield request
    yield from getattr(request, "seats", None) or ()
    player = getattr(request, "player", None)
    if player is not None:
        yield player


def read_id(text: str | bytes) -> int | None:
    """The id of a message that may be anything, for the answer that says so."""
    try:
        value = json_value(text, "it")
        return msgspec.convert(value["id"], Id) if isinstance(value, dict) and "id" in value else None
    except (LuoziError, *WRONG):
        return None


# What is wrong --------------------------------------------------------------------------------------------------------


def refusal_of(text: str | bytes) -> LuoziError:
    """What is wrong with a message that can't be read: its form, its type, or the first field that is not right."""
    try:
        values = json_value(text, "the message")
    except LuoziError as error:
        return error
    kind = values.pop("type", None) if isinstance(values, dict) else None
    if not isinstance(kind, str):
        return LuoziError("a message is an object with a type")
    if kind not in REQUESTS:
        return LuoziError(
            "there is no message '{kind}'{nearest}", kind=plain(kind), nearest=nearest(kind[:50], REQUESTS)
        )
    return field_refusal(kind, values, REQUESTS[kind])


def field_refusal(kind: str, values: Mapping[str, JsonValue], struct: type[Struct]) -> LuoziError:
    """The sentence about the first field that is missing, unknown or out of bounds."""
    fields = {field.name: field for field in msgspec.structs.fields(struct)}
    for name, field in fields.items():
        if field.required and values.get(name) is None:
            return LuoziError(
                "the message '{kind}' is not right: it needs '{field}', {meaning}",
                kind=kind,
                field=name,
                meaning=Message(meaning_of(field.type)),
            )
    for name, value in values.items():
        if name not in fields:
            return LuoziError(
                "the message '{kind}' is not right: it has no '{field}'", kind=kind, field=shown(name)[1:-1]
            )
        try:
            msgspec.convert(value, fields[name].type)
        except WRONG:
            return wrong_field(kind, struct, name)
    return LuoziError("the message '{kind}' is not right", kind=kind)


def wrong_field(kind: str | int | None, struct: Struct | type[Struct], name: str) -> LuoziError:
    """The sentence about a field with a value that it can't have."""
    kinds = {field.name: field.type for field in msgspec.structs.fields(struct)}
    return LuoziError(
        "the message '{kind}' is not right: its '{field}' must be {meaning}",
        kind=kind,
        field=name,
        meaning=Message(meaning_of(kinds[name])),
    )


def meaning_of(kind: Any) -> str:
    """What a field holds, as the end of a sentence.

    >>> from luozi.web.requests import SeatChoice
    >>> meaning_of(Id | None), meaning_of(SeatChoice | None)
    ('a whole number from 0 up', 'a player that searches, as a seat')
    """
    for one in (kind, *get_args(kind)):
        for said in getattr(one, "__metadata__", ()):
            return str(said.description)
    return "a player that searches, as a seat"
