"""One line of play from a root, and how far the work on it is: what the compiled solvers walk up and down.

Connect Four has frames of its own: its positions are two numbers, and a copy of a state for each would take longer than
all the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, signed
from luozi.evaluators.position import hash_mask, position_hash, word_type
from luozi.rules.game import Game

# Places in `progress`, which every solver has. STOP is 0 as in the search.
STOP, NODES, UNEQUAL, TOO_LONG, PROGRESS_SIZE = 0, 1, 2, 3, 4
# The first fields of a frame: how many moves it has, and which is next. The others are the solver's own.
COUNT, NEXT = 0, 1


class SolverStack(NamedTuple):
    """One frame for each position on the way down from the root; D of them."""

    states: Array  # [D] positions
    words: Array  # [D, W] the same memory as whole numbers, for the hash
    mask: Array  # [W] which bits of the words count
    actions: Array  # [D, actions] i4: the moves of a position, in the order in which they are tried
    frames: Array  # [D, frame_size] i8


def new_stack(game: Game, depth: int, frame_size: int) -> SolverStack:
    """Room for a line of so many positions."""
    states = game.empty_states(depth)
    return SolverStack(
        states=states,
        words=states.view(np.ndarray).view(np.uint8).reshape(depth, -1).view(word_type(game.dtype)),
        mask=hash_mask(game),
        actions=np.zeros((depth, game.actions), np.int32),
        frames=np.zeros((depth, frame_size), np.int64),
    )


@inline
def play(game: Game, stack: SolverStack, depth: int, action: int) -> None:
    """Put the position after a move of a frame into the frame below it."""
    stack.states[depth + 1] = stack.states[depth]
    game.apply_action(stack.states[depth + 1], action)


@inline
def play_next(game: Game, stack: SolverStack, depth: int) -> None:
    """Play the move of a frame that is next."""
    frame = stack.frames[depth]
    play(game, stack, depth, signed(stack.actions[depth, frame[NEXT]]))
    frame[NEXT] += 1


@inline
def hash_at(game: Game, stack: SolverStack, depth: int) -> int:
    """The hash of a frame's position."""
    return position_hash(game, stack.states[depth], stack.words[depth], stack.mask)
