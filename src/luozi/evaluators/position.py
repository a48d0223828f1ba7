"""A position as whole numbers, and its hash: which of its bits count."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, inline, signed
from luozi.compiled.hashing import hash_words
from luozi.rules.game import Game
from luozi.rules.state import State


def word_type(game: Game) -> str:
    """The widest whole number that a position is a multiple of."""
    return next(f"i{width}" for width in (8, 4, 2, 1) if game.dtype.itemsize % width == 0)


def hash_mask(game: Game) -> npt.NDArray[Any]:
    """Ones for the bits that make up the position, word by word: not the fields that the rules never read."""
    mask = np.zeros(game.dtype.itemsize, np.uint8)
    for name, (kind, offset, *_) in (game.dtype.fields or {}).items():
        if name not in game.scratch_fields:
            mask[offset : offset + kind.itemsize] = 255
    return mask.view(word_type(game))


@inline
def position_hash(game: Game, state: State, words: Array, mask: Array) -> int:
    """Sixty-three bits that positions with one future share; the words are the same memory as the state."""
    key = signed(game.position_key(state))
    return key if key >= 0 else hash_words(words, mask)
