"""One position: a NumPy record whose fields are attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from luozi.compiled.object_type import PlainArray
from luozi.messages import LuoziError, nearest

Actions = npt.NDArray[np.int32]  # what rules write legal actions into
Values = npt.NDArray[np.float64]  # a number for each player, or for each action

_field_of = np.void.__getitem__


class State(np.record):  # type: ignore[misc]
    """One position: a NumPy record whose fields are attributes. Numbers read from it are Python's own."""

    # Uncompiled rules do little else than this: fields are asked for first, whatever else there is only after that.
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
    """The fields that people know: not the gaps between them.

    >>> field_names(record_type([("to_move", "i1"), ("stones", "i2")]))
    ['to_move', 'stones']
    """
    return [name for name in record.names or () if not name.endswith("_")]


def dtype_of(fields: Any, name: str) -> np.dtype[np.void]:
    """The NumPy type of a list of fields that a user wrote; one sentence, which begins with `name`, if it is none.

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
    """The type of a record with these fields, numbers read from which are Python's own."""
    return np.dtype((State, without_gaps(dtype_of(fields, name))))


def without_gaps(fields: np.dtype[np.void]) -> np.dtype[np.void]:
    """The same fields at the same places, the gaps between them named: NumPy copies gaps as it pleases."""
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
