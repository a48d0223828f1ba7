"""A message: text that keeps its template and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

Value = str | int | float  # a value that is a Message is translated too; other text stays as it is
Find = Callable[["Message"], str]  # finds the template of a message in a language


class Message(str):
    """A template and its named values. As text it is English.

    >>> found = Message("only {count} moves were played", count=3)
    >>> found, found.template, found.values
    ('only 3 moves were played', 'only {count} moves were played', {'count': 3})
    >>> Message("it can't be kept ({reason})", reason=Message("the disk is full"))
    "it can't be kept (the disk is full)"
    """

    template: str  # the message id in the catalogues
    values: dict[str, Value]
    many: str = ""  # the template for the plural, if there is one
    number: int = 0  # which of the two templates this is

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Make a message. Without values, the template is plain text with any braces; a message stays the same."""
        if isinstance(template, cls) and not values:
            return template
        kept = dict(zip(values, map(value_of, values.values()), strict=True))
        return cls.made(template.format_map(kept) if kept else template, template=str(template), values=kept)

    @classmethod
    def made(cls, text: str, **attributes: object) -> Self:
        """Make a message from all its parts."""
        self = str.__new__(cls, text)
        self.__dict__.update(attributes)
        return self

    def with_values(self, **values: object) -> Message:
        """Return the message with other values. Values without a placeholder are left out."""
        kept = {name: value for name, value in values.items() if f"{{{name}}}" in self.template}
        return Message(self.template, **{**self.values, **kept})

    def in_language(self, find: Find) -> str:
        """Return the message with another template, and its values in the same language."""
        if not self.values:
            return find(self)
        said = {k: v.in_language(find) if isinstance(v, Message) else v for k, v in self.values.items()}
        return find(self).format_map(said)

    def data(self) -> dict[str, Any]:
        """Return the template and the values, for a page that has the catalogue.

        >>> Message("it can't be kept ({reason})", reason=Message("the disk is full")).data()["values"]
        {'reason': {'template': 'the disk is full', 'values': {}}}
        """
        values = {k: v.data() if isinstance(v, Message) else v for k, v in self.values.items()}
        plurals = {"many": self.many, "number": self.number} if self.many else {}
        return {"template": self.template, "values": values, **plurals}

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), str(self), self.__dict__)


class Joined(Message):
    """Several messages in one."""

    parts: tuple[str, ...]

    def in_language(self, find: Find) -> str:
        """Return all parts and the separator in a language."""
        said = (part.in_language(find) if isinstance(part, Message) else part for part in self.parts)
        return find(self).join(said)

    def data(self) -> dict[str, Any]:
        """Return the separator and the parts as data."""
        parts = [part.data() if isinstance(part, Message) else str(part) for part in self.parts]
        return {"template": self.template, "values": {}, "parts": parts}


def _made(kind: type[Message], text: str, attributes: dict[str, object]) -> Message:
    return kind.made(text, **attributes)


def value_of(value: object) -> Value:
    """Return a value as a message keeps it: a message, a number or text."""
    if isinstance(value, Message):
        return value
    if type(value) in (str, int, float):
        return value  # type: ignore[return-value]
    told = getattr(value, "message", None)  # of a LuoziError
    return told if isinstance(value, Exception) and isinstance(told, Message) else str(value)


def plural(number: int, one: str, many: str, /, **values: object) -> Message:
    """Return a message with a number as `{count}` and a plural form.

    >>> plural(1, "{count} row could not be read", "{count} rows could not be read")
    '1 row could not be read'
    """
    kept = {"count": f"{number:,}"} | {name: value_of(value) for name, value in values.items()}
    text = (one if number == 1 else many).format_map(kept)
    return Message.made(text, template=one, many=many, number=number, values=kept)


def counted(number: int, noun: str) -> Message:
    """Return a number with its noun.

    >>> counted(1, "kernel"), counted(2000, "kernel")
    ('1 kernel', '2,000 kernels')
    """
    return plural(number, f"{{count}} {noun}", f"{{count}} {noun}s")


def joined(parts: Iterable[str], between: str = ", ") -> Message:
    """Return several messages joined into one, such as a list.

    >>> joined([Message("the disk is full"), "a.txt"])
    'the disk is full, a.txt'
    """
    known = tuple(parts)
    return Joined.made(between.join(known), template=between, values={}, parts=known)
