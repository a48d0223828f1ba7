"""What a user's methods may say: numbers that a search uses as places in its memory must be in range.

Compiled code does not look where it writes, so that one wrong number would end the whole program. Each guard takes a
compiled method and gives one that looks at the answer first; `Game.guards` names them, and `object_type.py` puts them
around the methods of classes that are not Luozi's own. The sentences are completed with the game's attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from luozi.compiled import inline
from luozi.compiled.object_type import is_ours
from luozi.messages import BrokenRuleError

Method = Callable[..., Any]

NOT_FILLED_IN = -1e99


@inline
def all_between(values: Any, count: int, least: float, most: float) -> bool:
    """Whether the first numbers of an array are all in range; one that is not a number is not."""
    wrong = 0
    for index in range(count):
        wrong += not (values[index] >= least and values[index] <= most)
    return wrong == 0


def guarded_player(method: Method) -> Method:
    def current_player(self: Any, state: Any) -> Any:
        player = method(self, state)
        if player < 0 or player >= self.players:
            raise BrokenRuleError(
                "current_player gives a player who is not there; there are {self.players}, the first is 0"
            )
        return player

    return current_player


def guarded_legal(method: Method) -> Method:
    def legal_actions(self: Any, state: Any, actions: Any) -> Any:
        count = method(self, state, actions)
        if count < 0 or count > self.actions or not all_between(actions, count, 0, self.actions - 1):
            raise BrokenRuleError(
                "legal_actions lists an action that is not there, or counts too many; there are {self.actions}, "
                "the first is 0"
            )
        return count

    return legal_actions


def guarded_draw(method: Method) -> Method:
    def random_action(self: Any, state: Any, rng: Any) -> Any:
        action = method(self, state, rng)
        if action < -1 or action >= self.actions:
            raise BrokenRuleError(
                "random_action draws an action that is not there; there are {self.actions}, the first is 0"
            )
        return action

    return random_action


def guarded_policy(method: Method) -> Method:
    def policy_action(self: Any, state: Any, rng: Any, actions: Any) -> Any:
        action = method(self, state, rng, actions)
        if action < -1 or action >= self.actions:
            raise BrokenRuleError(
                "policy_action gives an action that is not there; there are {self.actions}, the first is 0"
            )
        return action

    return policy_action


def guarded_wins(method: Method) -> Method:
    def winning_actions(self: Any, state: Any, player: int, actions: Any) -> Any:
        count = method(self, state, player, actions)
        if count > self.actions or not all_between(actions, count, 0, self.actions - 1):
            raise BrokenRuleError(
                "winning_actions lists an action that is not there, or counts too many; there are {self.actions}, "
                "the first is 0"
            )
        return count

    return winning_actions


def guarded_threats(method: Method) -> Method:
    def threatening_actions(self: Any, state: Any, actions: Any) -> Any:
        count = method(self, state, actions)
        if count > self.actions or not all_between(actions, count, 0, self.actions - 1):
            raise BrokenRuleError(
                "threatening_actions lists an action that is not there, or counts too many; there are {self.actions}, "
                "the first is 0"
            )
        return count

    return threatening_actions


def guarded_replies(method: Method) -> Method:
    def forced_replies(self: Any, state: Any, attacker: int, actions: Any) -> Any:
        count = method(self, state, attacker, actions)
        if count > self.actions or not all_between(actions, count, 0, self.actions - 1):
            raise BrokenRuleError(
                "forced_replies lists an action that is not there, or counts too many; there are {self.actions}, "
                "the first is 0"
            )
        return count

    return forced_replies


def guarded_returns(method: Method) -> Method:
    def returns(self: Any, state: Any, returns: Any) -> None:
        for player in range(self.players):
            returns[player] = NOT_FILLED_IN
        method(self, state, returns)
        if not all_between(returns, self.players, 0.0, 1.0):
            raise BrokenRuleError(
                "returns gives a result that is not from 0 to 1, or none; set the result of every player: "
                "1 won, 0.5 drawn, 0 lost"
            )

    return returns


def guarded_evaluate(method: Method) -> Method:
    def evaluate(self: Any, state: Any, values: Any) -> None:
        method(self, state, values)
        if not all_between(values, self.players, 0.0, 1.0):
            raise BrokenRuleError("evaluate gives a guess that is not from 0 to 1")

    return evaluate


def guarded_priors(method: Method) -> Method:
    def priors(self: Any, state: Any, actions: Any, count: int, values: Any) -> None:
        method(self, state, actions, count, values)
        if not all_between(values, count, 0.0, 1.0):
            raise BrokenRuleError("priors gives a value that is not from 0 to 1")

    return priors


def guarded_assess(method: Method) -> Method:
    def assess(self: Any, state: Any, priors: Any, values: Any) -> None:
        method(self, state, priors, values)
        if not all_between(values, self.players, 0.0, 1.0) or not all_between(priors, self.actions, 0.0, 1.0):
            raise BrokenRuleError("assess gives a value or a prior that is not from 0 to 1")

    return assess


def guarded_candidates(method: Method) -> Method:
    def candidates(self: Any, state: Any, actions: Any, count: int) -> Any:
        kept = method(self, state, actions, count)
        if kept < min(count, 1) or kept > count or not all_between(actions, kept, 0, self.actions - 1):
            raise BrokenRuleError(
                "candidates keeps an action that is not there, none, or more than there were; there are "
                "{self.actions}, the first is 0"
            )
        return kept

    return candidates


def guarded_owners(method: Method) -> Method:
    def point_owners(self: Any, state: Any, owners: Any) -> None:
        method(self, state, owners)
        if not all_between(owners, self.points, 0, self.players):
            raise BrokenRuleError(
                "point_owners gives a point to a player who is not there; 0 is nobody, 1 the first of {self.players}"
            )

    return point_owners


GUARDS = {
    "assess": guarded_assess,
    "current_player": guarded_player,
    "legal_actions": guarded_legal,
    "random_action": guarded_draw,
    "policy_action": guarded_policy,
    "winning_actions": guarded_wins,
    "threatening_actions": guarded_threats,
    "forced_replies": guarded_replies,
    "returns": guarded_returns,
    "evaluate": guarded_evaluate,
    "priors": guarded_priors,
    "candidates": guarded_candidates,
    "point_owners": guarded_owners,
}


class Guarded:
    """A game whose methods are looked at where they run uncompiled, as in a kernel's plain twin."""

    def __init__(self, game: Any) -> None:
        self.guarded_game = game

    def __getattr__(self, name: str) -> Any:
        game, found = self.guarded_game, getattr(self.guarded_game, name)
        if name in GUARDS and not is_ours(found):
            found = partial(GUARDS[name](found.__func__), game)
        vars(self)[name] = found  # so that the next look finds it at once
        return found
