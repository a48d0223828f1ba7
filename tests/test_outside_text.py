"""Text from outside: whatever it is, the answer is a value, None or one sentence."""

from __future__ import annotations

import os
import random

import pytest

from luozi.errors import LuoziError
from luozi.outside_text import content_of, is_file, json_value, path_of, shown, whole_number


@pytest.mark.parametrize(
    "text", ["", "-", "+", "--1", "1_0", "0x1", "1.0", "1e2", "٣", "²", "9" * 5000, "-" + "9" * 5000]
)
def test_what_is_no_whole_number_is_none(text):
    assert whole_number(text, -(10**30), 10**30) is None


def test_whole_numbers_are_read_as_python_reads_them():
    chance = random.Random(1)
    for _ in range(2000):
        least, most = sorted(chance.randrange(-1000, 1000) for _ in range(2))
        number = chance.randrange(-1200, 1200)
        text = chance.choice([f"{number}", f" {number}\n", f"{number:+06d}"])
        assert whole_number(text, least, most) == (number if least <= number <= most else None)
    assert whole_number("0" * 5000 + "7", 0, 9) == 7


@pytest.mark.parametrize("text", ["~nosuchuser", "~nosuchuser/x", "x" * 300, "x/" * 3000, "a\0b", "\udcff\ud800"])
def test_an_impossible_path_is_one_short_sentence(text):
    with pytest.raises(LuoziError) as told:
        path_of(text)
    assert len(str(told.value).splitlines()) == 1
    assert len(str(told.value)) < 200


def test_a_path_begins_at_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert path_of("~/x") == tmp_path / "x"


def test_what_can_not_be_looked_at_is_no_file(tmp_path):
    for path in ("x" * 300, "a\0b", "\ud800", tmp_path, tmp_path / "missing"):
        assert not is_file(path)
        with pytest.raises(LuoziError):
            content_of(tmp_path / path)


@pytest.mark.parametrize("text", ["", "{", "[" * 10**5, "9" * 5000, b"\xff\xff\xff"])
def test_what_is_no_json_is_one_sentence(text):
    with pytest.raises(LuoziError, match="the seeds is not JSON"):
        json_value(text, "the seeds")


def test_what_is_shown_is_one_line_of_printable_letters():
    chance = random.Random(1)
    for _ in range(200):
        text = os.fsdecode(chance.randbytes(chance.randrange(200)))
        assert shown(text).isprintable()
        assert len(shown(text)) <= 65
