"""One random game in which every rule is asked and every answer looked at.

`play` is compiled, but its uncompiled twin `play.py_func` serves as well: what the two leave in their `Room`s must be
the same. It knows what is wrong only as a number; `problems.py` has the sentences.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from luozi.compiled import inline, kernel, new_rng, random_below
from luozi.compiled.object_type import methods_of
from luozi.game import Game

Array = npt.NDArray[Any]

TESTED_ACTIONS = 64  # of larger games, so many actions are put to is_legal in each position

# Where a game is at, for Room.report; the names are the methods'.
START, IS_TERMINAL, CURRENT_PLAYER, LEGAL_ACTIONS, IS_LEGAL, EVALUATE, BEGIN, DRAW, APPLY, RETURNS = range(10)
METHODS = (
    "start", "is_terminal", "current_player", "legal_actions", "is_legal", "evaluate", "begin_simulation",
    "random_action", "apply_action", "returns",
)  # fmt: skip
METHOD, MOVE, CULPRIT = 0, 1, 2
# Columns of Room.record.
STATE, LEGAL, PLAYER, OVER = 0, 1, 2, 3
# What `play` may find. The culprit is the number in question.
FINE, BAD_PLAYER, BAD_COUNT, BAD_ACTION, TWICE, DISAGREES, BAD_GUESS, BAD_DRAW, TOO_LONG, BAD_RETURNS = range(10)
NO_GAME = 10
UNSET = -1e99  # the result of a player who is forgotten


class Room(NamedTuple):
    """Working memory of a game, and its protocol."""

    state: Array  # [1] the position
    bytes: Array  # the same memory
    weights: Array  # u8: random numbers, for digests
    actions: Array  # [actions] i4
    scratch: Array  # [actions] i4
    legal: Array  # [actions] u1: whether an action is among them
    results: Array  # [players] f8
    guesses: Array  # [players] f8
    rng: Array  # [1] u8
    played: Array  # [length limit] i4: the actions
    record: Array  # [length limit + 1, 4] u8: for each position digests of state and legal actions, player, over
    report: Array  # [3] i8: the method that is running, the move, a culprit


def new_room(game: Game) -> Room:
    """Working memory for a game."""
    state, limit = game.empty_states(1), game.length_limit
    size = max(game.dtype.itemsize, game.actions)
    return Room(
        state=state,
        bytes=np.asarray(state).view(np.uint8),
        weights=np.random.default_rng(1).integers(1, 2**63, size, np.uint64),
        actions=np.zeros(game.actions, np.int32),
        scratch=np.zeros(game.actions, np.int32),
        legal=np.zeros(game.actions, np.uint8),
        results=np.zeros(game.players),
        guesses=np.zeros(game.players),
        rng=new_rng(0),
        played=np.zeros(limit, np.int32),
        record=np.zeros((limit + 1, 4), np.uint64),
        report=np.zeros(3, np.int64),
    )


# One game ----------------------------------------------------------------------------------------------------------


@kernel
def play(game: Any, room: Room, begin: int, until: int) -> int:
    """Play one random game, from move `begin` on as a simulation, up to move `until`; return what is wrong."""
    state, report = room.state[0], room.report
    report[METHOD] = START
    game.start(state)
    for move in range(room.record.shape[0]):
        report[MOVE] = move
        room.record[move, STATE] = digest_bytes(room.bytes, room.weights)
        report[METHOD] = IS_TERMINAL
        over = bool(game.is_terminal(state))
        room.record[move, OVER] = over
        if over:
            return NO_GAME if move == 0 else finish(game, room, state)
        if move == until:
            return FINE
        problem, count = look(game, room, state, move)
        if problem != FINE:
            return problem
        if move == room.played.shape[0]:
            return TOO_LONG
        action = choose(game, room, state, count, move - begin)
        room.played[move] = action
        report[CULPRIT] = action
        if action < 0 or action >= game.actions or (room.legal[action] == 0 and not game.loose_simulations):
            return BAD_DRAW
        report[METHOD] = APPLY
        game.apply_action(state, int(action))
    return TOO_LONG


@inline
def look(game: Any, room: Room, state: Any, move: int) -> tuple[int, int]:
    """Ask who is to move and what is legal; return what is wrong, and the number of legal actions."""
    report = room.report
    report[METHOD] = CURRENT_PLAYER
    player = int(game.current_player(state))
    room.record[move, PLAYER] = player & 0xFF
    report[CULPRIT] = player
    if player < 0 or player >= game.players:
        return BAD_PLAYER, 0
    report[METHOD] = LEGAL_ACTIONS
    count = int(game.legal_actions(state, room.actions))
    report[CULPRIT] = count
    if count < 1 or count > game.actions:
        return BAD_COUNT, 0
    room.legal[:] = 0
    digest = room.weights[0] ^ room.weights[0]  # zero, of the right type
    for index in range(count):
        action = int(room.actions[index])
        report[CULPRIT] = action
        if action < 0 or action >= game.actions:
            return BAD_ACTION, 0
        if room.legal[action] != 0:
            return TWICE, 0
        room.legal[action] = 1
        digest ^= room.weights[action]
    room.record[move, LEGAL] = digest
    return look_further(game, room, state), count


@inline
def look_further(game: Any, room: Room, state: Any) -> int:
    """Ask the optional rules about a position."""
    report = room.report
    report[METHOD] = IS_LEGAL
    first = random_below(room.rng, game.actions)
    for index in range(min(game.actions, TESTED_ACTIONS)):
        action = (first + index) % game.actions
        report[CULPRIT] = action
        if ask_is_legal(game, state, action, room.legal[action] != 0) != (room.legal[action] != 0):
            return DISAGREES
    report[METHOD] = EVALUATE
    ask_evaluate(game, state, room.guesses)
    return BAD_GUESS if out_of_range(room.guesses, report) else FINE


@inline
def choose(game: Any, room: Room, state: Any, count: int, simulated: int) -> int:
    """The next action: any legal one, or in a simulation the game's own draw."""
    if simulated < 0:
        return int(room.actions[random_below(room.rng, count)])
    room.report[METHOD] = BEGIN
    if simulated == 0:
        game.begin_simulation(state)
    room.report[METHOD] = DRAW
    return int(game.draw_action(state, room.rng, room.scratch))


@inline
def finish(game: Any, room: Room, state: Any) -> int:
    """Ask for the results."""
    room.report[METHOD] = RETURNS
    room.results[:] = UNSET
    game.returns(state, room.results)
    return BAD_RETURNS if out_of_range(room.results, room.report) else FINE


@inline
def out_of_range(values: Array, report: Array) -> bool:
    """Whether a value is not from 0 to 1; its index is left in the report."""
    for index in range(values.shape[0]):
        report[CULPRIT] = index
        if not (values[index] >= 0.0 and values[index] <= 1.0):
            return True
    return False


# What differs between compiled and uncompiled code -------------------------------------------------------------------


def digest_bytes(data: Array, weights: Array) -> int:
    """A number that tells positions apart."""
    return int((data * weights[: len(data)]).sum())


@overload(digest_bytes)
def _compiled_digest_bytes(data, weights):  # type: ignore[no-untyped-def]
    def digest(data, weights):  # type: ignore[no-untyped-def]
        total = weights[0] ^ weights[0]
        for index in range(data.shape[0]):
            total += np.uint64(data[index]) * weights[index]
        return total

    return digest


def ask_is_legal(game: Any, state: Any, action: int, otherwise: bool) -> bool:
    """Whether is_legal says so; a game without it agrees."""
    return bool(game.is_legal(state, action)) if hasattr(game, "is_legal") else otherwise


@overload(ask_is_legal)
def _compiled_ask_is_legal(game, state, action, otherwise):  # type: ignore[no-untyped-def]
    if "is_legal" in methods_of(game.cls):
        return lambda game, state, action, otherwise: bool(game.is_legal(state, action))
    return lambda game, state, action, otherwise: otherwise


def ask_evaluate(game: Any, state: Any, guesses: Array) -> None:
    """Let the game guess the results, if it can."""
    if hasattr(game, "evaluate"):
        game.evaluate(state, guesses)


@overload(ask_evaluate)
def _compiled_ask_evaluate(game, state, guesses):  # type: ignore[no-untyped-def]
    if "evaluate" in methods_of(game.cls):
        return lambda game, state, guesses: game.evaluate(state, guesses)
    return lambda game, state, guesses: None
