"""Messages as text: JSON that every page can read."""

from __future__ import annotations

import json

import msgspec
import numpy as np

from luozi.messages import Message


def plain_value(value: Message | np.generic) -> str | int | float | bool:
    """What stands in JSON for a sentence with values, or for a number of NumPy."""
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, np.generic):
        found: int | float | bool = value.item()
        return found
    raise TypeError(type(value).__name__)


ENCODER = msgspec.json.Encoder(enc_hook=plain_value)


def dumped(message: object) -> str:
    """A message as text; a number without end, which JSON does not have, is null.

    >>> dumped({"score": float("inf"), "visits": 1})
    '{"score":null,"visits":1}'
    """
    try:
        return ENCODER.encode(message).decode()
    except UnicodeEncodeError:  # half a letter, which somebody sent and is told of
        return json.dumps(msgspec.to_builtins(message, enc_hook=plain_value), separators=(",", ":"))
