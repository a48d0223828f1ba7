"""What a player without a tree has to say about its move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Candidate, SearchResult
from luozi.search.result import Namer
from luozi.search.rule_warnings import refuse_no_moves
from luozi.util.win_rates import EVALUATION, WINS

NO_DRAWS: Mapping[int, int] = {}


class MoveEffort(NamedTuple):
    """What a move took."""

    iterations: int
    seconds: float
    depth: int
    seed: int
    sampled: bool = True  # whether means come from simulations


def thought_of(
    position: Position,
    chosen: int,
    moves: dict[int, tuple[int, tuple[float, ...]]],
    work: MoveEffort,
    draws: Mapping[int, int] = NO_DRAWS,
) -> SearchResult:
    """What a player without a tree has to say: visits and means of each move, the chosen one first, then by mean."""
    player = position.to_move
    order = sorted(moves, key=lambda action: (action != chosen, -moves[action][1][player], action))
    candidates = [Candidate(action, *moves[action], draws=draws.get(action, 0), position=position) for action in order]
    return SearchResult(
        action=chosen,
        player=player,
        candidates=tuple(candidates),
        expected=(chosen,),
        iterations=work.iterations,
        seconds=work.seconds,
        nodes=len(candidates),
        bytes=0,
        depth=work.depth,
        kept=0,
        pool_full=False,
        seed=work.seed,
        sampled=work.sampled,
        positions=not work.sampled,
        namer=Namer(position),
        kind=WINS if work.sampled else EVALUATION,
    )


def without_pass(game: Game, moves: list[int]) -> list[int]:
    """The same moves without the pass; with it where it is the only one.

    >>> import luozi
    >>> game = luozi.game("go:size=5")
    >>> without_pass(game, [3, game.passing]), without_pass(game, [game.passing])
    ([3], [25])
    """
    return [action for action in moves if action != game.passing] or moves


def legal_or_error(position: Position) -> list[int]:
    """The legal moves; one sentence if there is none, or nobody to make them."""
    if position.returns is not None:
        raise LuoziError("the game is over: there is no move to choose")
    assert position.to_move >= 0
    actions = position.actions
    if not actions:
        refuse_no_moves(position.game, position.state, actions)
    return list(actions)
