"""What a check asks a game, one rule at a time, and the memory in which the answers are left.

`ask` is compiled, and its plain twin `ask.py_func` serves as well: who asks need not know which of them answers.
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

# Which rule is being asked; the names are the methods'. WINS is no rule: it asks several.
Method = IntEnum(
    "Method",
    "START IS_TERMINAL CURRENT_PLAYER LEGAL_ACTIONS IS_LEGAL EVALUATE BEGIN RANDOM_ACTION APPLY_ACTION RETURNS "
    "WINNING_ACTIONS PRIORS POLICY_ACTION THREATENING_ACTIONS FORCED_REPLIES CANDIDATES WINS",
    start=0,
)
METHODS = tuple(method.name.lower() for method in Method)[: Method.WINS]
KNOWLEDGE = METHODS[Method.WINNING_ACTIONS :]
WINNING = 2
TESTED_ACTIONS = 64  # of larger games, so many actions are put to is_legal in each position


class CheckScratch(NamedTuple):
    """The position, and what the rules write."""

    states: Array  # [2] the position, and one to try moves on
    actions: Array  # [actions] i4: the legal actions
    listed: Array  # [actions] i4: any other list of actions
    legal: Array  # [actions] u1: whether an action is legal, and WINNING if it was said to win
    values: Array  # [actions or players] f8: priors, guesses and results
    rng: Array  # [1] u8: for the moves
    dice: Array  # [1] u8: for everything else, so that knowledge does not change the moves
    drawn: Playout  # what chooses the moves of random simulations
    advised: Playout  # and of sensible ones
    memory: Array  # [1] what the first remembers
    advice: Array  # [1] what the second does
    asked: Array  # [1] i8: the method that is running, for who gets an exception


def new_scratch(game: Game, seed: int) -> CheckScratch:
    """Memory for one game; the seed decides about its moves."""
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
    """Whether a game's class has an optional method of its own, or for simulations an object."""
    return cls.has_policy() if method == "policy_action" else getattr(cls, method, None) is not getattr(Game, method)


@kernel
def ask(game: Game, room: CheckScratch, method: int, number: int) -> int:
    """Ask one rule about the position, with a number where it takes one; return 0 where it returns nothing."""
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
    """The first action, of some from this one on, about which is_legal and legal_actions disagree; -1 if none."""
    for index in range(min(game.actions, TESTED_ACTIONS)):
        action = (first + index) % game.actions
        if ask_is_legal(game, state, action, room.legal[action] != 0) != (room.legal[action] != 0):
            return action
    return -1


@apart
def ask_what_it_knows(game: Game, room: CheckScratch, state: State, method: int, number: int) -> int:
    """Ask an optional method that makes a search stronger."""
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
    """A move of the simulation policy, from a copy of the position."""
    room.states[1] = state
    room.asked[0] = Method.BEGIN
    room.advised.begin(game, room.states[1], room.advice[0])
    room.asked[0] = Method.POLICY_ACTION
    return int(room.advised.next(game, room.states[1], room.advice[0], room.dice, room.listed))


@apart
def first_wrong_win(game: Game, room: CheckScratch, state: State, count: int) -> int:
    """The first of the legal actions that wins at once without being marked as winning, or the other way; or -1."""
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


def ask_knowledge(game: Game, room: CheckScratch, state: State, method: int, number: int) -> int:
    """Ask what the game knows beyond its rules; where it knows nothing, nothing is compiled for it."""
    return ask_what_it_knows(game, room, state, method, number)


@overload(ask_knowledge)
def _compiled_ask_knowledge(game, room, state, method, number):  # type: ignore[no-untyped-def]
    if any(is_written(game.cls, name) for name in KNOWLEDGE):
        return lambda game, room, state, method, number: ask_what_it_knows(game, room, state, method, number)
    return lambda game, room, state, method, number: 0
