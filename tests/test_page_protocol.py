"""The types of the page are those of the server's structs, and a message that is refused says which field is wrong."""

from __future__ import annotations

import json

import msgspec
import pytest

from luozi.messages import LuoziError
from luozi.web.answers import ANSWERS
from luozi.web.limits import ServerLimits
from luozi.web.protocol import REQUESTS, read_id, read_request
from tools.protocol import FILE, source


def test_the_types_of_the_page_are_written_from_the_structs() -> None:
    assert FILE.read_text(encoding="utf-8") == source(), "run: python -m tools.protocol"


@pytest.mark.parametrize(
    ("values", "template", "field"),
    [
        ({"type": "play", "action": -1}, "the field '{field}' must be {meaning}", "action"),
        ({"type": "play", "action": True}, "the field '{field}' must be {meaning}", "action"),
        ({"type": "play", "text": "x" * 401}, "the field '{field}' must be {meaning}", "text"),
        ({"type": "play", "other": 1}, "there is no field '{field}'", "other"),
        ({"type": "new"}, "the field '{field}' is missing, {meaning}", "game"),
        ({"type": "analyse", "on": None}, "the field '{field}' is missing, {meaning}", "on"),
        ({"type": "new", "game": "go", "seats": [{"kind": "king"}]}, "the field '{field}' must be {meaning}", "seats"),
        ({"type": "new", "game": "go", "seats": [{"kind": "player", "level": 11}]}, "the field '{field}'", "seats"),
        ({"type": "hint", "seconds": 61}, "the field '{field}' must be {meaning}", "seconds"),
        ({"type": "new", "game": "go", "seats": [{"kind": "player", "seconds": 61}]}, "the field '{field}'", "seconds"),
        ({"type": "walk", "player": {"kind": "player", "iterations": 10**9}}, "the field '{field}'", "iterations"),
        ({"type": "line", "moves": [0] * 33}, "the field '{field}' must be {meaning}", "moves"),
        ({"type": "step", "count": 1001}, "the field '{field}' must be {meaning}", "count"),
        ({"type": "edit", "pieces": [[0]]}, "the field '{field}' must be {meaning}", "pieces"),
        ({"type": "edit", "pieces": [[0, 0]] * 1001}, "the field '{field}' must be {meaning}", "pieces"),
    ],
)
def test_a_field_that_is_not_right_is_named(values: dict[str, object], template: str, field: str) -> None:
    with pytest.raises(LuoziError) as refused:
        read_request(json.dumps(values), ServerLimits())
    message = refused.value.message
    assert template in message.template  # type: ignore[attr-defined]
    assert message.values["field"] == field  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('{"type": "nosuch", "id": 3}', 3),
        ('{"type": "play", "id": -1}', None),
        ("[", None),
        ('{"type": 3, "id": 4}', 4),
    ],
)
def test_the_id_of_a_message_that_is_refused_is_read_if_there_is_one(text: str, number: int | None) -> None:
    assert read_id(text) == number


def test_every_message_has_a_type_of_its_own() -> None:
    tags = [msgspec.inspect.type_info(one).tag for one in ANSWERS]  # type: ignore[attr-defined]
    assert len(set(tags)) == len(tags)
    assert len(REQUESTS) == 24
