"""What a game knows beyond its rules, compared with what the rules say of the same position.

Winning moves are found by trying all; what is to be played must be legal; what is a number must be from 0 to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from luozi.check.room import CheckScratch, Column, Finding, Method, Report, Worth
from luozi.compiled import Array, apart
from luozi.rules.state import State

_48_BITS = (1 << 48) - 1


@apart
def look_at_knowledge(game: Any, room: CheckScratch, state: State, move: int, player: int, count: int) -> Finding:
    """Ask the optional methods that make a search stronger, those that the class has; return what is wrong."""
    problem = Finding.FINE
    if room.knows[Method.WINNING_ACTIONS]:
        problem = look_at_wins(game, room, state, move, player, count)
    if problem == Finding.FINE and room.knows[Method.PRIORS]:
        problem = look_at_priors(game, room, state, move, count)
    if problem == Finding.FINE and room.knows[Method.POLICY_ACTION]:
        problem = look_at_policy(game, room, state, move)
    if problem == Finding.FINE and room.knows[Method.THREATENING_ACTIONS]:
        room.report[Report.METHOD] = Method.THREATENING_ACTIONS
        found = int(game.threatening_actions(state, room.scratch))
        problem = look_at_list(game, room, move, Column.THREATS, found, 0, True)
    if problem == Finding.FINE and room.knows[Method.FORCED_REPLIES]:
        problem = look_at_replies(game, room, state, move, player)
    if problem == Finding.FINE and room.knows[Method.CANDIDATES]:
        problem = look_at_candidates(game, room, state, move, count)
    return problem


@apart
def look_at_list(
    game: Any, room: CheckScratch, move: int, column: Column, count: int, least: int, played: bool
) -> Finding:
    """Look at a list in `room.scratch`: its length, its actions, and whether they are legal if they are to be played.

    A digest goes into the record, and the actions are marked in `room.listed`.
    """
    digest = ((np.int64(room.record[move, column]) * 33) ^ (count + 2)) & _48_BITS
    room.listed[:] = 0
    room.report[Report.CULPRIT] = count
    if count < least or count > game.actions:
        return Finding.BAD_LIST
    for index in range(count):
        action = int(room.scratch[index])
        room.report[Report.CULPRIT] = action
        if action < 0 or action >= game.actions:
            return Finding.BAD_ACTION
        if room.listed[action] != 0:
            return Finding.TWICE
        if played and room.legal[action] == 0:
            return Finding.NOT_LEGAL
        room.listed[action] = 1
        digest = ((digest * 33) ^ (action + 2)) & _48_BITS
    room.record[move, column] = digest
    return Finding.FINE


@apart
def look_at_wins(game: Any, room: CheckScratch, state: State, move: int, player: int, count: int) -> Finding:
    """The winning moves of every player; those of the player to move are tried, last, so that they stay marked."""
    found = -1
    for turns in range(1, game.players + 1):
        room.report[Report.METHOD] = Method.WINNING_ACTIONS
        found = int(game.winning_actions(state, (player + turns) % game.players, room.scratch))
        problem = look_at_list(game, room, move, Column.WINS, found, -1, turns == game.players)
        if problem != Finding.FINE:
            return problem
    if found < 0:
        return Finding.FINE
    for index in range(count):
        action = int(room.actions[index])
        wins = wins_at_once(game, room, state, action, player)
        if wins != (room.listed[action] != 0):
            room.report[Report.METHOD], room.report[Report.CULPRIT] = Method.WINNING_ACTIONS, action
            return Finding.MISSED_WIN if wins else Finding.NO_WIN
    return Finding.FINE


@apart
def wins_at_once(game: Any, room: CheckScratch, state: State, action: int, player: int) -> bool:
    """Whether the game is over and won after a move."""
    room.spare[0] = state
    room.report[Report.METHOD] = Method.APPLY_ACTION
    game.apply_action(room.spare[0], np.int64(action))
    if not game.is_terminal(room.spare[0]):
        return False
    game.returns(room.spare[0], room.results)
    return bool(room.results[player] >= 1.0)


@apart
def look_at_priors(game: Any, room: CheckScratch, state: State, move: int, count: int) -> Finding:
    """What the moves promise; the array ends where the moves do."""
    room.report[Report.METHOD] = Method.PRIORS
    values = room.values[:count]
    values[:] = 0.5
    game.priors(state, room.actions, count, values)
    if not out_of_range(values, room.worths[move], Worth.PRIORS, room.report):
        return Finding.FINE
    room.report[Report.CULPRIT] = room.actions[room.report[Report.CULPRIT]]
    return Finding.BAD_PRIOR


@apart
def look_at_policy(game: Any, room: CheckScratch, state: State, move: int) -> Finding:
    """A move of the simulation policy, from a copy of the position."""
    room.spare[0] = state
    room.report[Report.METHOD] = Method.BEGIN
    room.advised.begin(game, room.spare[0], room.advice[0])
    room.report[Report.METHOD] = Method.POLICY_ACTION
    action = int(room.advised.next(game, room.spare[0], room.advice[0], room.dice, room.scratch))
    room.report[Report.CULPRIT] = action
    if action < 0 or action >= game.actions or (room.legal[action] == 0 and not game.approximate_playouts):
        return Finding.NOT_LEGAL
    room.record[move, Column.POLICY_MOVE] = action
    return Finding.FINE


@apart
def look_at_replies(game: Any, room: CheckScratch, state: State, move: int, player: int) -> Finding:
    """The replies to threats of each other player."""
    for turns in range(1, game.players):
        room.report[Report.METHOD] = Method.FORCED_REPLIES
        found = int(game.forced_replies(state, (player + turns) % game.players, room.scratch))
        problem = look_at_list(game, room, move, Column.FORCED, found, -1, True)
        if problem != Finding.FINE:
            return problem
    return Finding.FINE


@apart
def look_at_candidates(game: Any, room: CheckScratch, state: State, move: int, count: int) -> Finding:
    """The moves that are worth a look: one at least, and no others than came in."""
    room.report[Report.METHOD] = Method.CANDIDATES
    for index in range(count):
        room.scratch[index] = room.actions[index]
    return look_at_list(game, room, move, Column.KEPT, int(game.candidates(state, room.scratch, count)), 1, True)


@apart
def out_of_range(values: Array, worths: Array, column: Worth, report: Array) -> bool:
    """Whether a value is not from 0 to 1; its index is left in the report, a sum of all that tells them apart too."""
    worths[column] = 0.0
    for index in range(values.shape[0]):
        report[Report.CULPRIT] = index
        worths[column] += values[index] * (index + 1)
        if not (values[index] >= 0.0 and values[index] <= 1.0):
            return True
    return False
