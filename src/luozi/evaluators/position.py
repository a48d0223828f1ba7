"""A position as whole numbers, and its hash: which of its bits count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, inline, signed
from luozi.compiled.bits import hash_words
from luozi.rules.game import Game
from luozi.rules.state import State

WIDEST = 8  # bytes of a word


def word_type(record: np.dtype[np.void]) -> str:
    """The widest whole number that a position is a multiple of."""
    return f"i{math.gcd(record.itemsize, WIDEST)}"


def hash_mask(game: Game) -> npt.NDArray[Any]:
    """Ones for the bits that make up the position, word by word: not the fields that the rules never read."""
    record = game.dtype
    mask = np.zeros(record.itemsize, np.uint8)
    for name, (kind, offset, *_) in (record.fields or {}).items():
        if name not in game.scratch_fields:
            mask[offset : offset + kind.itemsize] = 255
    return mask.view(word_type(record))


@inline
def position_hash(game: Game, state: State, words: Array, mask: Array) -> int:
    """Sixty-three bits that positions with one future share; the words are the same memory as the state."""
    key = signed(game.position_key(state))
    return key if key >= 0 else hash_words(words, mask)
