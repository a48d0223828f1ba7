"""One state of a game: a NumPy record with its fields as attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from luozi.compiled.object_type import PlainArray
from luozi.messages import LuoziError, nearest

Actions = npt.NDArray[np.int32]  # array into which rules write legal actions
Values = npt.NDArray[np.float64]  # array of one number per player or per action

_field_of = np.void.__getitem__


class State(np.record):  # type: ignore[misc]
    """One state: a NumPy record with its fields as attributes. Numbers read from it are Python numbers."""

    # Uncompiled rules spend most of their time here, so fields are looked up before anything else.
    def __getattribute__(self, name: str) -> Any:
        try:
            value = _field_of(self, name)
        except (IndexError, KeyError, ValueError):
            return super().__getattribute__(name)
        return value.item() if isinstance(value, np.generic) else value.view(PlainArray)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except (IndexError, KeyError, ValueError):
            if name in (self.dtype.fields or ()):
                raise
            raise AttributeError(f"state has no field '{name}'{nearest(name, field_names(self.dtype))}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.dtype == other.dtype and self.tobytes() == other.tobytes()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.tobytes())

    def __repr__(self) -> str:
        return f"<State: {self}>"

    def __str__(self) -> str:
        return ", ".join(f"{name} {np.asarray(getattr(self, name)).tolist()}" for name in field_names(self.dtype))


def field_names(record: np.dtype[np.void]) -> list[str]:
    """Return the names of the fields, without the gaps between them.

    >>> field_names(record_type([("to_move", "i1"), ("stones", "i2")]))
    ['to_move', 'stones']
    """
    return [name for name in record.names or () if not name.endswith("_")]


def dtype_of(fields: Any, name: str) -> np.dtype[np.void]:
    """Return the NumPy type for a list of fields that a user wrote.

    Raises:
        LuoziError: it is not a list of fields. The message begins with `name`.

    >>> dtype_of([("to_move", "i1"), ("board", "O")], "Hex.state")
    Traceback (most recent call last):
    luozi.LuoziError: Hex.state: the field 'board' holds Python objects. Give it a type of numbers, such as 'i4'
    """
    try:
        found = np.dtype(list(fields), align=True)
    except (TypeError, ValueError) as error:
        raise LuoziError(
            "{text} is not a list of fields like ('board', 'i1', 9): {reason}", text=name, reason=error
        ) from None
    for field in found.names or ():
        if found.fields[field][0].hasobject:  # type: ignore[index]
            raise LuoziError(
                "{text}: the field '{name}' holds Python objects. Give it a type of numbers, such as 'i4'",
                text=name,
                name=field,
            )
    return found


def record_type(fields: Any, name: str = "the list of fields") -> np.dtype[np.void]:
    """Return the type of a record with these fields, from which Python numbers are read."""
    return np.dtype((State, without_gaps(dtype_of(fields, name))))


def without_gaps(fields: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the same fields with the gaps between them named, because NumPy does not copy unnamed gaps reliably."""
    named: list[Any] = []
    end = 0
    for name in fields.names or ():
        kind, offset = fields.fields[name][:2]  # type: ignore[index]
        if offset > end:
            named.append((f"gap{end}_", "u1", offset - end))
        named.append((name, kind))
        end = offset + kind.itemsize
    if fields.itemsize > end:
        named.append((f"gap{end}_", "u1", fields.itemsize - end))
    return np.dtype(named)
