"""Messages as text: JSON that every page can read."""

from __future__ import annotations

import json
from typing import Any

from luozi.matches.summary import finite


def dumped(message: Any) -> str:
    """A message as text; a number without end, which JSON does not have, is null.

    >>> dumped({"score": float("inf"), "visits": 1})
    '{"score":null,"visits":1}'
    """
    try:
        return json.dumps(message, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(finite(message), allow_nan=False, separators=(",", ":"))
