"""One random game in which every rule is asked and every answer looked at.

`play` is compiled, but its uncompiled twin `play.py_func` serves as well: what the two leave in their `CheckScratch`
must be the same. It knows what is wrong only as a number; `problems.py` has the sentences.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from luozi.check.knowledge import look_at_knowledge, out_of_range
from luozi.check.room import KNOWLEDGE, UNSET, CheckScratch, Column, Finding, Method, Report, Worth, is_written
from luozi.compiled import Array, inline, kernel, random_below
from luozi.compiled.object_type import methods_of
from luozi.rules.game import Game
from luozi.rules.state import State

TESTED_ACTIONS = 64  # of larger games, so many actions are put to is_legal in each position
PROBED_MOVES = 16  # knowledge is tried in each position with so many moves, and less often where there are more


# One game ----------------------------------------------------------------------------------------------------------


@kernel
def play(game: Game, room: CheckScratch, begin: int, until: int) -> Finding:
    """Play one random game, from move `begin` on as a simulation, up to move `until`; return what is wrong."""
    state, report = room.state[0], room.report
    report[Report.METHOD] = Method.START
    game.start(state)
    for move in range(room.record.shape[0]):
        report[Report.MOVE] = move
        room.record[move, Column.STATE] = digest_bytes(room.bytes, room.weights)
        report[Report.METHOD] = Method.IS_TERMINAL
        over = bool(game.is_terminal(state))
        room.record[move, Column.OVER] = over
        if over:
            return Finding.NO_GAME if move == 0 else finish(game, room, state)
        if move == until:
            return Finding.FINE
        problem, count = look(game, room, state, move)
        if problem != Finding.FINE:
            return problem
        if move == room.played.shape[0]:
            return Finding.TOO_LONG
        action = choose(game, room, state, count, move - begin)
        room.played[move] = action
        report[Report.CULPRIT] = action
        if action < 0 or action >= game.actions or (room.legal[action] == 0 and not game.approximate_playouts):
            return Finding.BAD_DRAW
        report[Report.METHOD] = Method.APPLY_ACTION
        game.apply_action(state, int(action))
    return Finding.TOO_LONG


@inline
def look(game: Game, room: CheckScratch, state: State, move: int) -> tuple[Finding, int]:
    """Ask who is to move and what is legal; return what is wrong, and the number of legal actions."""
    report = room.report
    report[Report.METHOD] = Method.CURRENT_PLAYER
    player = int(game.current_player(state))
    room.record[move, Column.PLAYER] = player & 0xFF
    report[Report.CULPRIT] = player
    if player < 0 or player >= game.players:
        return Finding.BAD_PLAYER, 0
    report[Report.METHOD] = Method.LEGAL_ACTIONS
    count = int(game.legal_actions(state, room.actions))
    report[Report.CULPRIT] = count
    if count < 1 or count > game.actions:
        return Finding.BAD_COUNT, 0
    room.legal[:] = 0
    digest = room.weights[0] ^ room.weights[0]  # zero, of the right type
    for index in range(count):
        action = int(room.actions[index])
        report[Report.CULPRIT] = action
        if action < 0 or action >= game.actions:
            return Finding.BAD_ACTION, 0
        if room.legal[action] != 0:
            return Finding.TWICE, 0
        room.legal[action] = 1
        digest ^= room.weights[action]
    room.record[move, Column.LEGAL] = digest
    room.record[move, Column.COUNT] = count
    problem = look_further(game, room, state, move)
    if problem == Finding.FINE and random_below(room.dice, count) < PROBED_MOVES:
        problem = ask_knowledge(game, room, state, move, player, count)
    return problem, count


@inline
def look_further(game: Game, room: CheckScratch, state: State, move: int) -> Finding:
    """Ask the optional rules about a position."""
    report = room.report
    report[Report.METHOD] = Method.IS_LEGAL
    first = random_below(room.rng, game.actions)
    for index in range(min(game.actions, TESTED_ACTIONS)):
        action = (first + index) % game.actions
        report[Report.CULPRIT] = action
        if ask_is_legal(game, state, action, room.legal[action] != 0) != (room.legal[action] != 0):
            return Finding.DISAGREES
    report[Report.METHOD] = Method.EVALUATE
    ask_evaluate(game, state, room.guesses)
    return Finding.BAD_GUESS if out_of_range(room.guesses, room.worths[move], Worth.GUESSES, report) else Finding.FINE


@inline
def choose(game: Game, room: CheckScratch, state: State, count: int, simulated: int) -> int:
    """The next action: any legal one, or in a simulation the game's own draw."""
    if simulated < 0:
        return int(room.actions[random_below(room.rng, count)])
    room.report[Report.METHOD] = Method.BEGIN
    if simulated == 0:
        room.drawn.begin(game, state, room.memory[0])
    room.report[Report.METHOD] = Method.RANDOM_ACTION
    return int(room.drawn.next(game, state, room.memory[0], room.rng, room.scratch))


@inline
def finish(game: Game, room: CheckScratch, state: State) -> Finding:
    """Ask for the results."""
    room.report[Report.METHOD] = Method.RETURNS
    room.results[:] = UNSET
    game.returns(state, room.results)
    return (
        Finding.BAD_RETURNS
        if out_of_range(room.results, room.worths[room.report[Report.MOVE]], Worth.RESULTS, room.report)
        else Finding.FINE
    )


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


def ask_is_legal(game: Game, state: State, action: int, otherwise: bool) -> bool:
    """Whether is_legal says so; a game without it agrees."""
    return bool(game.is_legal(state, action)) if hasattr(game, "is_legal") else otherwise


@overload(ask_is_legal)
def _compiled_ask_is_legal(game, state, action, otherwise):  # type: ignore[no-untyped-def]
    if "is_legal" in methods_of(game.cls):
        return lambda game, state, action, otherwise: bool(game.is_legal(state, action))
    return lambda game, state, action, otherwise: otherwise


def ask_evaluate(game: Game, state: State, guesses: Array) -> None:
    """Let the game guess the results, if it can."""
    if hasattr(game, "evaluate"):
        game.evaluate(state, guesses)


@overload(ask_evaluate)
def _compiled_ask_evaluate(game, state, guesses):  # type: ignore[no-untyped-def]
    if "evaluate" in methods_of(game.cls):
        return lambda game, state, guesses: game.evaluate(state, guesses)
    return lambda game, state, guesses: None


def ask_knowledge(game: Game, room: CheckScratch, state: State, move: int, player: int, count: int) -> Finding:
    """Look at what the game knows beyond its rules, if anything; else nothing is compiled for it."""
    return look_at_knowledge(game, room, state, move, player, count)


@overload(ask_knowledge)
def _compiled_ask_knowledge(game, room, state, move, player, count):  # type: ignore[no-untyped-def]
    if any(is_written(game.cls, method) for method in KNOWLEDGE):
        return lambda game, room, state, move, player, count: look_at_knowledge(game, room, state, move, player, count)
    return lambda game, room, state, move, player, count: Finding.FINE
