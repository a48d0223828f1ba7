"""Warnings about rules that are wrong, found in the playouts of a search."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from luozi.evaluators.thread_state import DEEPEST, ITERATIONS, STUCK, TOO_LONG
from luozi.messages import LuoziError, Message, warn_once
from luozi.rules.game import Game, advice_on_length
from luozi.rules.state import State
from luozi.search.forest import SearchProgress

FEW = 0.01  # of the simulations: less is not worth a word


def look_at_rules(game: Game, progress: SearchProgress) -> None:
    """Warn once for each class if games do not end: such playouts count as shared by all.

    Where the tree itself is deeper than a game may last, its paths are cut, though simulations from there may end.
    """
    name, simulations = type(game).__name__, max(1, int(progress[ITERATIONS]))
    too_long, stuck = progress[TOO_LONG] / simulations, progress[STUCK] / simulations
    if too_long > FEW:
        warn_once(
            f"{name} too long",
            Message(
                "{name}: {share} of the simulated games were not over after {limit} moves, and count as shared by "
                "all; {advice}",
                name=name,
                share=f"{too_long:.0%}",
                limit=f"{game.length_limit:,}",
                advice=Message(advice_on_length(game)),
            ),
        )
    if progress[DEEPEST] > game.length_limit:
        warn_once(
            f"{name} too long",
            Message(
                "{name}: there are games of more than {limit} moves, where the search is cut short; {advice}",
                name=name,
                limit=f"{game.length_limit:,}",
                advice=Message(advice_on_length(game)),
            ),
        )
    if stuck > FEW:
        warn_once(
            f"{name} stuck",
            Message(
                "{name}: in {share} of the simulated games the player to move had no action, and they count as "
                "shared by all; end the game there in is_terminal, or skip that player in apply_action",
                name=name,
                share=f"{stuck:.0%}",
            ),
        )


def chosen_moves(game: Game, state: State, moves: Any) -> frozenset[int]:
    """Return the actions of `think(moves=...)`, given by numbers or names; raise LuoziError for an illegal one.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> sorted(chosen_moves(game, game.new_state(), ["b2", 0]))
    [0, 4]
    """
    alone = isinstance(moves, (str, int, np.integer))
    return frozenset(game.action_of(state, move) for move in ([moves] if alone else moves))


def refuse_no_moves(game: Game, state: State, legal: Collection[int]) -> None:
    """Raise LuoziError for a position that is not over and has no move."""
    if not legal:
        raise LuoziError(
            "{game} allows player {player} no action here, and is_terminal says that the game goes on; end the "
            "game there, or skip that player in apply_action",
            game=type(game).__name__,
            player=game.current_player(state),
        )
