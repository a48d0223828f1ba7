"""Text from outside: whatever it is, the answer is a value, None or one sentence."""

from __future__ import annotations

import os
import random
import socket

import pytest

from luozi.messages import LuoziError
from luozi.util.parsing import content_of, is_file, json_value, parts_of, path_of, read_bounded, shown, whole_number


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


def irregular_files(folder):
    """What has a name but is no file: each of these hangs, never ends or fails when it is read as one."""
    pipe, listening = folder / "pipe", socket.socket(socket.AF_UNIX)
    os.mkfifo(pipe)
    listening.bind(str(folder / "socket"))
    listening.close()
    return [folder, pipe, folder / "socket", "/dev/zero", "/dev/null", "/dev/stdin"]


def test_only_regular_files_are_read(tmp_path):
    for path in irregular_files(tmp_path):
        for read in (content_of, lambda one: list(parts_of(one))):
            with pytest.raises((LuoziError, OSError), match="a folder, a device or a pipe"):
                read(path)


def test_the_bytes_that_are_read_are_bounded_and_not_the_size_that_is_told(tmp_path):
    (tmp_path / "long").write_bytes(b"x" * 1000)
    assert read_bounded(tmp_path / "long", 1000) == b"".join(parts_of(tmp_path / "long", 1000)) == b"x" * 1000
    assert os.stat("/proc/self/maps").st_size == 0
    for path in (tmp_path / "long", "/proc/self/maps"):
        for read in (read_bounded, lambda one, most: list(parts_of(one, most))):
            with pytest.raises(OSError, match="more than"):
                read(path, 999)


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
