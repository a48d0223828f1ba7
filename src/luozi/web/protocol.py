"""What a page may say: every message is read, checked and bounded here, and nowhere else. Start with `read_message`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from luozi.messages import LuoziError, nearest
from luozi.records.moves import is_number, is_whole
from luozi.util.parsing import json_value, plain, shown
from luozi.web.limits import ServerLimits

MOST_ID = 2**53  # what a page can count to
FORMATS = ("text", "sgf", "json", "html", "gif")
TREES = ("engine", "walk")
SEAT_KINDS = ("person", "player", "program")
LEVELS = 10
LINE = 32  # moves that are looked ahead

Check = Callable[[Any, ServerLimits], bool]


class MessageField(NamedTuple):
    """One field of a message."""

    check: Check
    meaning: str  # what it must be, as the end of a sentence
    needed: bool = False


class ClientMessage(NamedTuple):
    """A message whose fields are what they should be."""

    type: str
    id: int | None
    values: dict[str, Any]


# Fields ---------------------------------------------------------------------------------------------------------------


def is_text(value: Any, most: int) -> bool:
    """Whether this is a text that is not too long and can be written down."""
    if not isinstance(value, str) or len(value) > most:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half a letter
        return False
    return True


def is_word(value: Any, limits: ServerLimits) -> bool:
    """Whether this is a short text."""
    return is_text(value, limits.word)


def is_flag(value: Any, _limits: ServerLimits) -> bool:
    """Whether this is true or false."""
    return isinstance(value, bool)


def is_move_number(value: Any, limits: ServerLimits) -> bool:
    """Whether this can be a number of moves."""
    return is_whole(value, 0, limits.moves)


def is_seconds(value: Any, limits: ServerLimits) -> bool:
    """Whether this is a time to think."""
    return is_number(value, 0.01, limits.seconds)


def is_iterations(value: Any, limits: ServerLimits) -> bool:
    """Whether this is so much to think."""
    return is_whole(value, 1, limits.iterations)


def is_options(value: Any, limits: ServerLimits) -> bool:
    """Whether these are options of a search, by name."""
    plain = isinstance(value, dict) and len(value) <= 60
    return plain and all(is_word(key, limits) and is_scalar(one, limits) for key, one in value.items())


def is_scalar(value: Any, limits: ServerLimits) -> bool:
    """Whether this is one plain value."""
    return isinstance(value, bool) or is_number(value) or is_word(value, limits)


def is_moves(value: Any, limits: ServerLimits) -> bool:
    """Whether these are moves, by action or by name."""
    return isinstance(value, list) and len(value) <= limits.moves and all(is_move(one, limits) for one in value)


def is_move(value: Any, limits: ServerLimits) -> bool:
    """Whether this is a move."""
    return is_whole(value, 0, limits.actions) or is_word(value, limits)


def is_line(value: Any, limits: ServerLimits) -> bool:
    """Whether these are a few moves."""
    return is_moves(value, limits) and len(value) <= LINE


def is_path(value: Any, limits: ServerLimits) -> bool:
    """Whether these are actions from the root of a tree down."""
    return isinstance(value, list) and len(value) <= 200 and all(is_whole(one, 0, limits.actions) for one in value)


def is_pieces(value: Any, limits: ServerLimits) -> bool:
    """Whether these are pieces on a board: cells and players (-1: nobody's), and words for their kinds."""
    return isinstance(value, list) and len(value) <= limits.cells and all(is_piece(one, limits) for one in value)


def is_piece(value: Any, limits: ServerLimits) -> bool:
    """Whether this is a cell, a player and maybe a kind of piece."""
    if not isinstance(value, list) or not 2 <= len(value) <= 3:
        return False
    return is_whole(value[0], 0, 4096) and is_whole(value[1], -1, 15) and all(is_word(one, limits) for one in value[2:])


def is_seat(value: Any, limits: ServerLimits) -> bool:
    """Whether this is somebody who may take a seat."""
    return isinstance(value, dict) and not reason_against_fields(value, SEAT, limits)


def is_seats(value: Any, limits: ServerLimits) -> bool:
    """Whether these are the seats of a game."""
    return isinstance(value, list) and len(value) <= 16 and all(is_seat(one, limits) for one in value)


def one_of(*choices: str) -> MessageField:
    """A field with few values."""
    return MessageField(lambda value, _limits: isinstance(value, str) and value in choices, " or ".join(choices))


def needed(field: MessageField) -> MessageField:
    """A field that must be there."""
    return field._replace(needed=True)


WORD = MessageField(is_word, "a short text")
TEXT = MessageField(lambda value, limits: is_text(value, limits.text), "a text that is not too long")
MOVE = MessageField(is_move_number, "a number of moves")
ACTION = MessageField(lambda value, limits: is_whole(value, 0, limits.actions), "the number of an action")
SECONDS = MessageField(is_seconds, "a number of seconds that the server allows")
ITERATIONS = MessageField(is_iterations, "a number of iterations that the server allows")
FLAG = MessageField(is_flag, "true or false")
OPTIONS = MessageField(is_options, "options by name, each a number, a text, true or false")
PLAYER = MessageField(lambda value, _limits: is_whole(value, 0, 15), "the number of a seat")
SEAT: dict[str, MessageField] = {
    "kind": needed(one_of(*SEAT_KINDS)),
    "name": WORD,
    "level": MessageField(lambda value, _limits: is_whole(value, 1, LEVELS), f"1 to {LEVELS}"),
    "seconds": SECONDS,
    "iterations": ITERATIONS,
    "options": OPTIONS,
}
SEATS = MessageField(is_seats, "a list of seats")

MESSAGES: dict[str, dict[str, MessageField]] = {
    "hello": {"table": WORD, "secret": WORD},
    "new": {"game": needed(WORD), "seats": SEATS, "moves": MessageField(is_moves, "a list of moves")},
    "play": {"action": ACTION, "text": WORD},
    "undo": {"moves": MessageField(lambda value, limits: is_whole(value, 1, limits.moves), "a number of moves")},
    "hint": {"seconds": SECONDS, "move": MOVE},
    "move_now": {},
    "stop": {},
    "go_on": {},
    "analyse": {"on": needed(FLAG), "move": MOVE},
    "watch": {"on": needed(FLAG)},
    "seat": {"seat": needed(PLAYER), **SEAT},
    "resign": {"seat": PLAYER},
    "goto": {"move": needed(MOVE)},
    "from_here": {"move": needed(MOVE)},
    "walk": {
        "move": MOVE,
        "seed": MessageField(lambda value, _: is_whole(value, 0, 2**31), "a seed"),
        "options": OPTIONS,
        "player": MessageField(is_seat, "a player that searches, as a seat"),
    },
    "step": {"count": MessageField(lambda value, limits: is_whole(value, 1, limits.steps), "1 to 1000")},
    "tree": {
        "depth": MessageField(lambda value, _limits: is_whole(value, 0, 6), "0 to 6"),
        "visits": MessageField(lambda value, _limits: is_whole(value, 0, 2**32), "a number of visits"),
        "path": MessageField(is_path, "a list of actions"),
        "of": one_of(*TREES),
        "view": FLAG,
    },
    "why": {},
    "line": {"move": MOVE, "moves": needed(MessageField(is_line, f"a list of at most {LINE} moves"))},
    "save": {"format": needed(one_of(*FORMATS))},
    "load": {"text": needed(TEXT), "seats": SEATS},
    "paste": {"text": needed(TEXT), "game": WORD, "seats": SEATS},
    "edit": {
        "game": WORD,
        "pieces": needed(MessageField(is_pieces, "a list of cells and players")),
        "to_move": PLAYER,
        "seats": SEATS,
    },
    "leave": {},
}


# Reading --------------------------------------------------------------------------------------------------------------


def reason_against_fields(values: Mapping[str, Any], fields: Mapping[str, MessageField], limits: ServerLimits) -> str:
    """What is wrong with the fields of something, or nothing."""
    for name, field in fields.items():
        if field.needed and values.get(name) is None:
            return f"it needs '{name}', {field.meaning}"
    for name, value in values.items():
        if name not in fields:
            return f"it has no '{shown(name)[1:-1]}'"
        if value is not None and not fields[name].check(value, limits):
            return f"its '{name}' must be {fields[name].meaning}"
    return ""


def read_id(text: str | bytes) -> int | None:
    """The id of a message that may be anything, for the answer that says so."""
    try:
        value = json_value(text, "it")
    except LuoziError:
        return None
    number = value.get("id") if isinstance(value, dict) else None
    return number if is_whole(number, 0, MOST_ID) else None


def read_message(text: str | bytes, limits: ServerLimits) -> ClientMessage:
    """A message from its text; one sentence if it is none that the server knows.

    >>> read_message('{"type": "play", "id": 7, "action": 3}', ServerLimits())
    ClientMessage(type='play', id=7, values={'action': 3})
    """
    value = json_value(text, "the message")
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise LuoziError("a message is an object with a type")
    kind, number = value.pop("type"), value.pop("id", None)
    if kind not in MESSAGES:
        raise LuoziError(
            "there is no message '{kind}'{nearest}", kind=plain(kind), nearest=nearest(kind[:50], MESSAGES)
        )
    if number is not None and not is_whole(number, 0, MOST_ID):
        raise LuoziError("the id of a message is a whole number from 0 up")
    reason = reason_against_fields(value, MESSAGES[kind], limits)
    if reason:
        raise LuoziError("the message '{kind}' is not right: {reason}", kind=kind, reason=reason)
    return ClientMessage(kind, number, {name: one for name, one in value.items() if one is not None})
