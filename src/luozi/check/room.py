"""What a checked game works on and leaves behind: memory, a protocol, and numbers for what can be wrong."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import Array, new_rng
from luozi.rules.game import Game

# Which rule is being asked; the names are the methods'.
Method = IntEnum(
    "Method",
    "START IS_TERMINAL CURRENT_PLAYER LEGAL_ACTIONS IS_LEGAL EVALUATE BEGIN RANDOM_ACTION APPLY_ACTION RETURNS "
    "WINNING_ACTIONS PRIORS POLICY_ACTION THREATENING_ACTIONS FORCED_REPLIES CANDIDATES",
    start=0,
)
METHODS = tuple(method.name.lower() for method in Method)
KNOWLEDGE = METHODS[Method.WINNING_ACTIONS :]
# Places in Room.report; the culprit is the number that is wrong.
Report = IntEnum("Report", "METHOD MOVE CULPRIT", start=0)
# Columns of Room.record, and of Room.worths.
Column = IntEnum("Column", "STATE OVER PLAYER LEGAL COUNT WINS POLICY_MOVE THREATS FORCED KEPT", start=0)
Worth = IntEnum("Worth", "GUESSES PRIORS RESULTS", start=0)
# What `play` may find.
Finding = IntEnum(
    "Finding",
    "FINE BAD_PLAYER BAD_COUNT BAD_ACTION TWICE DISAGREES BAD_GUESS BAD_DRAW TOO_LONG BAD_RETURNS NO_GAME BAD_LIST "
    "NOT_LEGAL NO_WIN MISSED_WIN BAD_PRIOR",
    start=0,
)
UNSET = -1e99  # the result of a player who is forgotten


class CheckScratch(NamedTuple):
    """Working memory of a game, and its protocol."""

    state: Array  # [1] the position
    bytes: Array  # the same memory
    spare: Array  # [1] a position to try moves on
    weights: Array  # u8: random numbers, for digests
    actions: Array  # [actions] i4
    scratch: Array  # [actions] i4
    legal: Array  # [actions] u1: whether an action is among them
    listed: Array  # [actions] u1: whether it is in another list
    values: Array  # [actions] f8: priors
    results: Array  # [players] f8
    guesses: Array  # [players] f8
    rng: Array  # [1] u8: for the moves
    dice: Array  # [1] u8: for everything else, so that knowledge does not change the moves
    knows: Array  # [len(METHODS)] b1: whether the class has written an optional method
    drawn: Any  # what chooses the moves of random simulations
    advised: Any  # and of sensible ones
    memory: Array  # [1] what the first remembers
    advice: Array  # [1] what the second does
    played: Array  # [length limit] i4: the actions
    record: Array  # [length limit + 1, Column] u8: what the rules say of each position, lists as digests
    worths: Array  # [length limit + 1, Worth] f8: weighed sums of guesses, priors and results
    report: Array  # [3] i8: the method that is running, the move, a culprit


def new_room(game: Game, most_moves: int | None = None) -> CheckScratch:
    """Working memory for a game, or for so many moves of it at most."""
    state, limit = game.empty_states(1), min(game.length_limit, most_moves or game.length_limit)
    drawn, advised = game.random_playout(), game.policy_playout()
    size = max(game.dtype.itemsize, game.actions)
    return CheckScratch(
        state=state,
        bytes=np.asarray(state).view(np.uint8),
        spare=game.empty_states(1),
        weights=np.random.default_rng(1).integers(1, 2**63, size, np.uint64),
        actions=np.zeros(game.actions, np.int32),
        scratch=np.zeros(game.actions, np.int32),
        legal=np.zeros(game.actions, np.uint8),
        listed=np.zeros(game.actions, np.uint8),
        values=np.zeros(game.actions),
        results=np.zeros(game.players),
        guesses=np.zeros(game.players),
        rng=new_rng(0),
        dice=new_rng(0),
        knows=np.array([is_written(type(game), method) for method in METHODS]),
        drawn=drawn,
        advised=advised,
        memory=drawn.new_memory(),
        advice=advised.new_memory(),
        played=np.zeros(limit, np.int32),
        record=np.zeros((limit + 1, len(Column)), np.uint64),
        worths=np.zeros((limit + 1, len(Worth))),
        report=np.zeros(3, np.int64),
    )


def is_written(cls: type[Game], method: str) -> bool:
    """Whether a game's class has a method of its own, or for simulations an object."""
    if method == METHODS[Method.POLICY_ACTION]:
        return cls.has_policy()
    return getattr(cls, method, None) is not getattr(Game, method, None)
