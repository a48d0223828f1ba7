"""The calls of a game's rules, one at a time, and the memory for their answers.

`ask` is compiled. Its plain twin `ask.py_func` does the same uncompiled.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numba.extending import overload

from luozi.compiled import Array, apart, inline, kernel, new_rng
from luozi.compiled.object_type import methods_of
from luozi.rules.game import Game
from luozi.rules.playout import Playout
from luozi.rules.state import State

# The method to call. WINS is not a method: it calls several.
Method = IntEnum(
    "Method",
    "START IS_TERMINAL CURRENT_PLAYER LEGAL_ACTIONS IS_LEGAL EVALUATE BEGIN RANDOM_ACTION APPLY_ACTION RETURNS "
    "WINNING_ACTIONS PRIORS POLICY_ACTION THREATENING_ACTIONS FORCED_REPLIES CANDIDATES WINS",
    start=0,
)
METHODS = tuple(method.name.lower() for method in Method)[: Method.WINS]
KNOWLEDGE = METHODS[Method.WINNING_ACTIONS :]
WINNING = 2
TESTED_ACTIONS = 64  # number of actions tested by is_legal in each position of larger games


class CheckScratch(NamedTuple):
    """The position, and the arrays that the rules write."""

    states: Array  # [2] the position, and a copy to try moves on
    actions: Array  # [actions] i4: the legal actions
    listed: Array  # [actions] i4: any other list of actions
    legal: Array  # [actions] u1: whether an action is legal, and WINNING if it was said to win
    values: Array  # [actions or players] f8: priors, evaluations and results
    rng: Array  # [1] u8: for choosing moves
    dice: Array  # [1] u8: for everything else, so that optional methods do not change the moves
    drawn: Playout  # chooses the moves of random playouts
    advised: Playout  # chooses the moves of playouts with a policy
    memory: Array  # [1] memory of `drawn`
    advice: Array  # [1] memory of `advised`
    asked: Array  # [1] i8: the method that is running, to report an exception


def new_scratch(game: Game, seed: int) -> CheckScratch:
    """Return memory for one game. The seed determines its moves."""
    drawn, advised = game.random_playout(), game.policy_playout()
    return CheckScratch(
        states=game.empty_states(2),
        actions=np.zeros(game.actions, np.int32),
        listed=np.zeros(game.actions, np.int32),
        legal=np.zeros(game.actions, np.uint8),
        values=np.zeros(max(game.actions, game.players)),
        rng=new_rng(seed),
        dice=new_rng(~seed),
        drawn=drawn,
        advised=advised,
        memory=drawn.new_memory(),
        advice=advised.new_memory(),
        asked=np.zeros(1, np.int64),
    )


def is_written(cls: type[Game], method: str) -> bool:
    """Return whether a class defines an optional method or playout policy of its own."""
    return cls.has_policy() if method == "policy_action" else getattr(cls, method, None) is not getattr(Game, method)


@kernel
def ask(game: Game, room: CheckScratch, method: int, number: int) -> int:
    """Call one method in the position, with a number if it takes one. Return its result, or 0 if it returns nothing."""
    state = room.states[0]
    room.asked[0] = method
    if method == Method.START:
        game.start(state)
    elif method == Method.IS_TERMINAL:
        return int(bool(game.is_terminal(state)))
    elif method == Method.CURRENT_PLAYER:
        return int(game.current_player(state))
    elif method == Method.LEGAL_ACTIONS:
        return int(game.legal_actions(state, room.actions))
    elif method == Method.IS_LEGAL:
        return first_disagreement(game, room, state, number)
    elif method == Method.EVALUATE:
        ask_evaluate(game, state, room.values[: game.players])
    elif method == Method.BEGIN:
        room.drawn.begin(game, state, room.memory[0])
    elif method == Method.RANDOM_ACTION:
        return int(room.drawn.next(game, state, room.memory[0], room.rng, room.listed))
    elif method == Method.APPLY_ACTION:
        game.apply_action(state, int(number))
    elif method == Method.RETURNS:
        game.returns(state, room.values[: game.players])
    else:
        return ask_knowledge(game, room, state, method, number)
    return 0


@inline
def first_disagreement(game: Game, room: CheckScratch, state: State, first: int) -> int:
    """Return the first action, from `first` on, on which is_legal and legal_actions disagree, or -1."""
    for index in range(min(game.actions, TESTED_ACTIONS)):
        action = (first + index) % game.actions
        if ask_is_legal(game, state, action, room.legal[action] != 0) != (room.legal[action] != 0):
            return action
    return -1


@apart
def ask_what_it_knows(game: Game, room: CheckScratch, state: State, method: int, number: int) -> int:
    """Call an optional method that strengthens the search."""
    if method == Method.WINNING_ACTIONS:
        return int(game.winning_actions(state, number, room.listed))
    if method == Method.PRIORS:
        game.priors(state, room.actions, number, room.values[:number])
    elif method == Method.THREATENING_ACTIONS:
        return int(game.threatening_actions(state, room.listed))
    elif method == Method.FORCED_REPLIES:
        return int(game.forced_replies(state, number, room.listed))
    elif method == Method.CANDIDATES:
        return int(game.candidates(state, room.listed, number))
    elif method == Method.POLICY_ACTION:
        return advise(game, room, state)
    elif method == Method.WINS:
        return first_wrong_win(game, room, state, number)
    return 0


@apart
def advise(game: Game, room: CheckScratch, state: State) -> int:
    """Return a move of the playout policy, played on a copy of the position."""
    room.states[1] = state
    room.asked[0] = Method.BEGIN
    room.advised.begin(game, room.states[1], room.advice[0])
    room.asked[0] = Method.POLICY_ACTION
    return int(room.advised.next(game, room.states[1], room.advice[0], room.dice, room.listed))


@apart
def first_wrong_win(game: Game, room: CheckScratch, state: State, count: int) -> int:
    """Return the first legal action that wins at once but was not listed as winning, or the reverse, or -1."""
    player = int(game.current_player(state))
    for index in range(count):
        action = int(room.actions[index])
        room.states[1] = state
        room.asked[0] = Method.APPLY_ACTION
        game.apply_action(room.states[1], action)
        wins = False
        if game.is_terminal(room.states[1]):
            game.returns(room.states[1], room.values[: game.players])
            wins = room.values[player] >= 1.0
        if wins != (room.legal[action] == WINNING):
            return action
    return -1


# What a class need not have -----------------------------------------------------------------------------------------


def ask_is_legal(game: Game, state: State, action: int, otherwise: bool) -> bool:
    """Return what is_legal says. A game without this method agrees with `otherwise`."""
    return bool(game.is_legal(state, action)) if hasattr(game, "is_legal") else otherwise


@overload(ask_is_legal)
def _compiled_ask_is_legal(game, state, action, otherwise):  # type: ignore[no-untyped-def]
    if "is_legal" in methods_of(game.cls):
        return lambda game, state, action, otherwise: bool(game.is_legal(state, action))
    return lambda game, state, action, otherwise: otherwise


def ask_evaluate(game: Game, state: State, guesses: Array) -> None:
    """Call the heuristic evaluation, if there is one."""
    if hasattr(game, "evaluate"):
        game.evaluate(state, guesses)


@overload(ask_evaluate)
def _compiled_ask_evaluate(game, state, guesses):  # type: ignore[no-untyped-def]
    if "evaluate" in methods_of(game.cls):
        return lambda game, state, guesses: game.evaluate(state, guesses)
    return lambda game, state, guesses: None


def ask_knowledge(game: Game, room: CheckScratch, state: State, method: int, number: int) -> int:
    """Call an optional method. Nothing is compiled for a game without any."""
    return ask_what_it_knows(game, room, state, method, number)


@overload(ask_knowledge)
def _compiled_ask_knowledge(game, room, state, method, number):  # type: ignore[no-untyped-def]
    if any(is_written(game.cls, name) for name in KNOWLEDGE):
        return lambda game, room, state, method, number: ask_what_it_knows(game, room, state, method, number)
    return lambda game, room, state, method, number: 0
