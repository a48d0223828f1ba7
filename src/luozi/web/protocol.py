"""Messages of the page as JSON: `read_request` checks what a page sends, `dumped` writes what it is sent.

`requests` and `answers` declare the messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast, get_args

import msgspec
import numpy as np
from msgspec import UNSET, DecodeError, Struct, UnsetType, ValidationError

from luozi.messages import LuoziError, Message, nearest
from luozi.util.parsing import JsonValue, json_value, plain, shown
from luozi.web.answers import FailureMessage, SentenceData
from luozi.web.limits import ServerLimits
from luozi.web.requests import AnyRequest, Id, Request

REQUESTS: dict[str, type[Request]] = {kind.__struct_config__.tag: kind for kind in get_args(AnyRequest)}
LIMITED = tuple(  # those whose parts may ask for more time than the server allows
    kind for kind in REQUESTS.values() if {"seconds", "iterations", "seats", "player"} & {*kind.__struct_fields__}
)
DECODER = msgspec.json.Decoder(AnyRequest)
NO_JSON = (DecodeError, RecursionError, UnicodeError)  # RecursionError: brackets without end
WRONG = (ValidationError, UnicodeError)
Part = TypeVar("Part", bound=Struct)


class GoneError(LuoziError):
    """What a client asks for does not exist any more."""


# Reading --------------------------------------------------------------------------------------------------------------


def read_request(text: str | bytes, limits: ServerLimits) -> AnyRequest:
    """Return the request that a text holds.

    Raises:
        LuoziError: the server knows no such message, or a field is out of bounds.

    >>> read_request('{"type": "play", "id": 7, "action": 3}', ServerLimits())
    PlayRequest(action=3, text=None, id=7)
    """
    try:
        request = DECODER.decode(text)
    except NO_JSON:
        raise refusal_of(text) from None
    for part in parts_with_limits(request) if isinstance(request, LIMITED) else ():
        refuse_long(part, limits, request.__struct_config__.tag)
    return request


def refuse_long(part: Part, limits: ServerLimits, kind: str | int | None = "seat") -> Part:
    """Return a part of a message unchanged; raise LuoziError if it asks for more time than the server allows."""
    for name, most in (("seconds", limits.seconds), ("iterations", limits.iterations)):
        if (getattr(part, name, None) or 0) > most:
            raise wrong_field(kind, part, name)
    return part


def parts_with_limits(request: Request) -> Iterator[Struct]:
    """Yield the parts of a message that may have search limits."""
    yield request
    yield from getattr(request, "seats", None) or ()
    player = getattr(request, "player", None)
    if player is not None:
        yield player


def read_id(text: str | bytes) -> int | None:
    """Return the id of a message that may be malformed, for the response that refuses it."""
    try:
        value = json_value(text, "it")
        return msgspec.convert(value["id"], Id) if isinstance(value, dict) and "id" in value else None
    except (LuoziError, *WRONG):
        return None


def refusal_of(text: str | bytes) -> LuoziError:
    """Return the error for a message that can't be read: its form, its type, or its first wrong field."""
    try:
        values = json_value(text, "the message")
    except LuoziError as error:
        return error
    kind = values.pop("type", None) if isinstance(values, dict) else None
    if not isinstance(kind, str):
        return LuoziError("a message is an object with a type")
    if kind not in REQUESTS:
        return LuoziError("unknown message '{kind}'{nearest}", kind=plain(kind), nearest=nearest(kind[:50], REQUESTS))
    return field_refusal(kind, values, REQUESTS[kind])


def field_refusal(kind: str, values: Mapping[str, JsonValue], struct: type[Struct]) -> LuoziError:
    """Return the error for the first field that is missing, unknown or out of bounds."""
    fields = {field.name: field for field in msgspec.structs.fields(struct)}
    for name, field in fields.items():
        if field.required and values.get(name) is None:
            return LuoziError(
                "message '{kind}': the field '{field}' is missing, {meaning}",
                kind=kind,
                field=name,
                meaning=Message(meaning_of(field.type)),
            )
    for name, value in values.items():
        if name not in fields:
            return LuoziError("message '{kind}': there is no field '{field}'", kind=kind, field=shown(name)[1:-1])
        try:
            msgspec.convert(value, fields[name].type)
        except WRONG:
            return wrong_field(kind, struct, name)
    return LuoziError("message '{kind}': it cannot be read", kind=kind)


def wrong_field(kind: str | int | None, struct: Struct | type[Struct], name: str) -> LuoziError:
    """Return the error for a field whose value is not allowed."""
    kinds = {field.name: field.type for field in msgspec.structs.fields(struct)}
    return LuoziError(
        "message '{kind}': the field '{field}' must be {meaning}",
        kind=kind,
        field=name,
        meaning=Message(meaning_of(kinds[name])),
    )


def meaning_of(kind: Any) -> str:
    """Return what a field holds, as the end of a sentence.

    >>> from luozi.web.requests import SeatChoice
    >>> meaning_of(Id | None), meaning_of(SeatChoice | None)
    ('a whole number from 0 up', 'a player that searches, as a seat')
    """
    for one in (kind, *get_args(kind)):
        for said in getattr(one, "__metadata__", ()):
            return str(said.description)
    return "a player that searches, as a seat"


# Writing --------------------------------------------------------------------------------------------------------------


def plain_value(value: Message | np.generic) -> str | int | float | bool:
    """Return what JSON has for a message with values, or for a number of NumPy."""
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, np.generic):
        found: int | float | bool = value.item()
        return found
    raise TypeError(type(value).__name__)


ENCODER = msgspec.json.Encoder(enc_hook=plain_value)


def dumped(message: object) -> str:
    """Return a message as JSON; infinite numbers, which JSON does not have, become null.

    >>> dumped({"score": float("inf"), "visits": 1})
    '{"score":null,"visits":1}'
    """
    try:
        return ENCODER.encode(message).decode()
    except UnicodeEncodeError:  # a lone surrogate, which a client has sent and reads in the refusal
        return json.dumps(msgspec.to_builtins(message, enc_hook=plain_value), separators=(",", ":"))


def sentence_data(sentence: str) -> SentenceData:
    """Return a sentence as its template and values, from which the page makes it in its own language."""
    return cast(SentenceData, Message(sentence).data())


def told(sentence: str) -> SentenceData | UnsetType:
    """Return a sentence with values as its template and values; UNSET for one that is its own template.

    >>> told(Message("it was stopped"))
    UNSET
    >>> told(Message("only {count} moves were played", count=3))
    {'template': 'only {count} moves were played', 'values': {'count': 3}}
    """
    message = Message(sentence)
    return sentence_data(message) if message.template != message else UNSET


def refusal(error: LuoziError) -> FailureMessage:
    """Return the response to a request that fails."""
    gone = True if isinstance(error, GoneError) else UNSET
    return FailureMessage(str(error.message), told(error.message), gone)
