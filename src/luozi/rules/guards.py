"""Checks of what the methods of custom classes return: numbers that the search uses as indices must be in range.

Compiled code does not check indices, so one wrong number could crash the process. A guard wraps a method and checks its
result. `Game.guards` lists the guards; `object_type.py` applies them to custom classes. Attributes of the game are
inserted into the messages.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from luozi.compiled import Array, inline
from luozi.compiled.object_type import is_ours
from luozi.messages import BrokenRuleError
from luozi.rules.state import State, Values

if TYPE_CHECKING:
    from luozi.rules.game import Game

Method = Callable[..., Any]
Guard = Callable[[Method], Method]

NOT_FILLED_IN = -1e99
LISTS = "{} lists an action that is not there, or counts too many; there are {{self.actions}}, the first is 0"
DRAWS = "{} an action that is not there; there are {{self.actions}}, the first is 0"


def guard(sentence: str, is_right: Callable[..., bool]) -> Guard:
    """Return a guard that raises a message unless `is_right` accepts the result and what was written into the
    arguments.
    """

    def around(method: Method) -> Method:
        def guarded(self: Any, state: State, *rest: Any) -> Any:
            answer = method(self, state, *rest)
            if not is_right(self, answer, rest):
                raise BrokenRuleError(sentence)
            return answer

        return guarded

    return around


def guarded_returns(method: Method) -> Method:
    """Guard `returns`, which may also have forgotten a player."""

    def returns(self: Game, state: State, returns: Values) -> None:
        for player in range(self.players):
            returns[player] = NOT_FILLED_IN
        method(self, state, returns)
        if not all_between(returns, self.players, 0.0, 1.0):
            raise BrokenRuleError(
                "returns gives a result that is not from 0 to 1, or none; set the result of every player: "
                "1 won, 0.5 drawn, 0 lost"
            )

    return returns


# What is right: of the game, the answer and the arguments after the state ---------------------------------------------


@inline
def all_between(values: Array, count: int, least: float, most: float) -> bool:
    """Return whether the first `count` numbers are in range. NaN is not."""
    wrong = 0
    for index in range(count):
        wrong += not (values[index] >= least and values[index] <= most)
    return wrong == 0


@inline
def is_player(game: Game, answer: int, rest: tuple[Array, ...]) -> bool:
    return answer >= 0 and answer < game.players


@inline
def is_action_or_none(game: Game, answer: int, rest: tuple[Array, ...]) -> bool:
    return answer >= -1 and answer < game.actions


@inline
def are_actions(game: Game, count: int, rest: tuple[Array, ...]) -> bool:
    return count <= game.actions and all_between(rest[-1], count, 0, game.actions - 1)


@inline
def are_legal_actions(game: Game, count: int, rest: tuple[Array, ...]) -> bool:
    return count >= 0 and are_actions(game, count, rest)


@inline
def are_candidates(game: Game, kept: int, rest: Any) -> bool:
    actions, count = rest
    return kept >= min(count, 1) and kept <= count and all_between(actions, kept, 0, game.actions - 1)


@inline
def are_values(game: Game, answer: None, rest: tuple[Array, ...]) -> bool:
    return all_between(rest[-1], game.players, 0.0, 1.0)


@inline
def are_priors(game: Game, answer: None, rest: Any) -> bool:
    return all_between(rest[-1], rest[1], 0.0, 1.0)


@inline
def are_priors_and_values(game: Game, answer: None, rest: tuple[Array, ...]) -> bool:
    return are_values(game, answer, rest) and all_between(rest[0], game.actions, 0.0, 1.0)


@inline
def are_owners(game: Game, answer: None, rest: tuple[Array, ...]) -> bool:
    return all_between(rest[-1], game.points, 0, game.players)


GUARDS: dict[str, Guard] = {
    "priors_and_values": guard(
        "priors_and_values gives a value or a prior that is not from 0 to 1", are_priors_and_values
    ),
    "current_player": guard(
        "current_player gives a player who is not there; there are {self.players}, the first is 0", is_player
    ),
    "legal_actions": guard(LISTS.format("legal_actions"), are_legal_actions),
    "random_action": guard(DRAWS.format("random_action draws"), is_action_or_none),
    "policy_action": guard(DRAWS.format("policy_action gives"), is_action_or_none),
    "winning_actions": guard(LISTS.format("winning_actions"), are_actions),
    "threatening_actions": guard(LISTS.format("threatening_actions"), are_actions),
    "forced_replies": guard(LISTS.format("forced_replies"), are_actions),
    "returns": guarded_returns,
    "evaluate": guard("evaluate gives a guess that is not from 0 to 1", are_values),
    "priors": guard("priors gives a value that is not from 0 to 1", are_priors),
    "candidates": guard(
        "candidates keeps an action that is not there, none, or more than there were; there are {self.actions}, "
        "the first is 0",
        are_candidates,
    ),
    "point_owners": guard(
        "point_owners gives a point to a player who is not there; 0 is nobody, 1 the first of {self.players}",
        are_owners,
    ),
}


class Guarded:
    """A game whose custom methods are guarded where they run uncompiled."""

    def __init__(self, game: Game) -> None:
        self.guarded_game = game

    def __getattr__(self, name: str) -> Any:
        game, found = self.guarded_game, getattr(self.guarded_game, name)
        if name in GUARDS and not is_ours(found):
            found = partial(GUARDS[name](found.__func__), game)
        vars(self)[name] = found  # cached for the next access
        return found
