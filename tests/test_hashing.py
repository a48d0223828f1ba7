"""The one hash: nothing is lost, nothing collides early, and nobody mixes bits of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luozi
from luozi.compiled import kernel
from luozi.compiled.bits import KEY_BITS, hash_words, stir
from luozi.solvers.base import new_table, note_at, place_of, write


@pytest.mark.parametrize("width", [1, 2, 5, 8, 13])
def test_no_two_numbers_are_stirred_into_one(width):
    assert {stir(number, width) for number in range(1 << width)} == set(range(1 << width))


@kernel
def stir_all(numbers, widths, words, mask, found):
    for index in range(numbers.shape[0]):
        found[index] = stir(int(numbers[index]), int(widths[index]))
    found[numbers.shape[0]] = hash_words(words, mask)


def test_compiled_and_uncompiled_are_the_same_hash():
    rng = np.random.default_rng(1)
    widths = np.array([1, 20, 36, 49, 62, 63, 63], np.int64)
    numbers = np.array([int(rng.integers(0, 2**62)) % (1 << int(width)) for width in widths], np.int64)
    words, mask, found = rng.integers(-(2**31), 2**31, 9).astype(np.int32), np.full(9, -1, np.int32), np.zeros(8, int)
    stir_all(numbers, widths, words, mask, found)
    expected = [stir(int(number), int(width)) for number, width in zip(numbers, widths, strict=True)]
    assert found.tolist() == [*expected, hash_words(words, mask)]
    assert min(found) >= 0


def test_hashes_of_nearby_positions_spread_over_a_small_table():
    places = {hash_words(np.array([one, other]), np.full(2, -1)) & 4095 for one in range(64) for other in range(64)}
    assert len(places) > 4096 * 0.55  # 1 - 1/e of the places, if each is as likely as any other
    assert all(0 <= stir(number, KEY_BITS) < 2**63 for number in range(100))


def test_bits_are_mixed_in_one_place():
    source = Path(luozi.__file__).parent
    holders = [path.name for path in source.rglob("*.py") if "0x1E3779B97F4A7C15" in path.read_text(encoding="utf-8")]
    assert holders == ["bits.py"]


def test_a_table_tells_positions_of_one_place_apart():
    table = new_table(place_bits=3, note_bits=5, width=2)
    keys = [7 + 8 * rest for rest in (0, 1, 2**40)]
    for key in keys:
        at, rest = place_of(table, key)
        assert at == 14
        assert note_at(table, at, rest) == 0
        write(table, at, rest, 31)
        assert [note_at(table, *place_of(table, other)) for other in keys] == [31 * (other == key) for other in keys]
