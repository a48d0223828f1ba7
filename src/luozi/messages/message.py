"""A sentence that keeps its template and its values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

Value = str | int | float  # a value that is itself a Message is translated too; every other text stays as it is written
Find = Callable[["Message"], str]  # the template of a message in some language


class Message(str):
    """A template and its named values; as text it is English.

    >>> found = Message("only {count} moves were played", count=3)
    >>> found, found.template, found.values
    ('only 3 moves were played', 'only {count} moves were played', {'count': 3})
    >>> Message("it can't be kept ({reason})", reason=Message("the disk is full"))
    "it can't be kept (the disk is full)"
    """

    template: str  # the id of the message in the catalogues
    values: dict[str, Value]
    many: str = ""  # the template for any number but 1, where it is another one
    number: int = 0  # which of the two templates this is

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Without values the template is the text, braces and all; a message stays the same."""
        if isinstance(template, cls) and not values:
            return template
        kept = {name: value_of(value) for name, value in values.items()}
        return cls.made(template.format_map(kept) if kept else template, template=str(template), values=kept)

    @classmethod
    def made(cls, text: str, **attributes: object) -> Self:
        """A message of which all is known."""
        self = str.__new__(cls, text)
        self.__dict__.update(attributes)
        return self

    def with_values(self, **values: object) -> Message:
        """The same message with other values; those that the template has no place for are left out."""
        kept = {name: value for name, value in values.items() if f"{{{name}}}" in self.template}
        return Message(self.template, **{**self.values, **kept})

    def in_language(self, find: Find) -> str:
        """The same with another template and with its values in the same language."""
        if not self.values:
            return find(self)
        said = {k: v.in_language(find) if isinstance(v, Message) else v for k, v in self.values.items()}
        return find(self).format_map(said)

    def data(self) -> dict[str, Any]:
        """The template and the values, for a page that has the catalogue.

        >>> Message("it can't be kept ({reason})", reason=Message("the disk is full")).data()["values"]
        {'reason': {'template': 'the disk is full', 'values': {}}}
        """
        values = {k: v.data() if isinstance(v, Message) else v for k, v in self.values.items()}
        plurals = {"many": self.many, "number": self.number} if self.many else {}
        return {"template": self.template, "values": values, **plurals}

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), str(self), self.__dict__)


class Joined(Message):
    """Several messages as one."""

    parts: tuple[str, ...]

    def in_language(self, find: Find) -> str:
        """Each part by itself, and what stands between them."""
        said = (part.in_language(find) if isinstance(part, Message) else part for part in self.parts)
        return find(self).join(said)

    def data(self) -> dict[str, Any]:
        """What stands between the parts, and the parts."""
        parts = [part.data() if isinstance(part, Message) else str(part) for part in self.parts]
        return {"template": self.template, "values": {}, "parts": parts}


def _made(kind: type[Message], text: str, attributes: dict[str, object]) -> Message:
    return kind.made(text, **attributes)


def value_of(value: object) -> Value:
    """A value as a message keeps it: a sentence, a number or a text."""
    if isinstance(value, Message):
        return value
    if type(value) in (str, int, float):
        return value  # type: ignore[return-value]
    told = getattr(value, "message", None)  # of an error that is ours
    return told if isinstance(value, Exception) and isinstance(told, Message) else str(value)


def plural(number: int, one: str, many: str, /, **values: object) -> Message:
    """A message with a number as `{count}`, which is another one where the number is not 1.

    >>> plural(1, "{count} row could not be read", "{count} rows could not be read")
    '1 row could not be read'
    """
    kept = {"count": f"{number:,}"} | {name: value_of(value) for name, value in values.items()}
    text = (one if number == 1 else many).format_map(kept)
    return Message.made(text, template=one, many=many, number=number, values=kept)


def counted(number: int, noun: str) -> Message:
    """A number and its noun.

    >>> counted(1, "kernel"), counted(2000, "kernel")
    ('1 kernel', '2,000 kernels')
    """
    return plural(number, f"{{count}} {noun}", f"{{count}} {noun}s")


def joined(parts: Iterable[str], between: str = ", ") -> Message:
    """Several messages as one, such as the parts of a list.

    >>> joined([Message("the disk is full"), "a.txt"])
    'the disk is full, a.txt'
    """
    known = tuple(parts)
    return Joined.made(between.join(known), template=between, values={}, parts=known)
