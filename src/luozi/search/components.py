"""The components of a search: the smallest ones that do what the variants need.

There are few on purpose, since each combination is compiled for each game.
"""

from __future__ import annotations

from typing import NamedTuple

from luozi.evaluators.board_network import BoardNetwork
from luozi.evaluators.heuristic import Assessment, MixedPlayout, StaticEvaluator
from luozi.evaluators.playouts import AnyPlayout, PolicyPlayout, RandomPlayout
from luozi.evaluators.variants import PUCT, Variants
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.playout import Playout
from luozi.search.context import LeafEvaluator, NoSolver, SelectionPolicy
from luozi.search.mcts_solver import MctsSolver
from luozi.search.selection.general import GeneralSelection
from luozi.search.selection.gumbel import GumbelPuct
from luozi.search.selection.network_puct import BoardPuct, NetworkPuct, ReducingPuct, WideningPuct
from luozi.search.selection.puct import Puct
from luozi.search.selection.uct import Uct


class Components(NamedTuple):
    """The components of a search."""

    selection: SelectionPolicy
    evaluator: LeafEvaluator
    solver: NoSolver


def components_for(
    variants: Variants,
    game: Game,
    always_full: bool = False,
    valued_outside: bool = False,
    network: LeafEvaluator | None = None,
) -> Components:
    """Return the components of a search with these variants; a network evaluates leaves if given."""
    if network is not None:
        return network_components(variants, network)
    if variants.off and not always_full:
        return plain_components(game)
    assessed = variants.mix == 1.0 and callable(getattr(game, "priors_and_values", None))
    if variants.formula == PUCT and (valued_outside or assessed):
        return guided_components(variants, game)

    if always_full or not (variants.ordered or variants.plain):
        kind = PolicyPlayout if variants.policy and variants.free and not always_full else AnyPlayout
        solver = MctsSolver() if variants.marks or always_full or kind is AnyPlayout else NoSolver()
        return Components(GeneralSelection(), estimator_of(variants, game) or kind(advised(variants, game)), solver)
    evaluator = estimator_of(variants, game) or playout_of(variants, game)
    return Components(Puct() if variants.ordered else Uct(), evaluator, MctsSolver() if variants.marks else NoSolver())


def estimator_of(variants: Variants, game: Game) -> StaticEvaluator | MixedPlayout | None:
    """Return the evaluator that calls the game's static evaluation, or None."""
    if variants.mix == 0.0:
        return None
    return StaticEvaluator() if variants.mix == 1.0 else MixedPlayout(advised(variants, game))


def playout_of(variants: Variants, game: Game) -> LeafEvaluator:
    """Return the smallest playout evaluator that suffices."""
    if variants.uniform:
        return RandomPlayout(game.random_playout())
    by_policy_alone = variants.free or (game.policy_takes_wins and not variants.avoid_gifts)
    kind = PolicyPlayout if variants.policy and by_policy_alone else AnyPlayout
    return kind(advised(variants, game))


def advised(variants: Variants, game: Game) -> Playout:
    """Return the game's policy playout, or a random one by the same object: one compilation serves both."""
    playout = game.policy_playout()
    playout.guided = variants.policy
    return playout


def guided_components(variants: Variants, game: Game) -> Components:
    """PUCT by priors that come with the value of a position."""
    ruled = variants.take_wins or variants.block_wins or variants.avoid_gifts or variants.expand_after > 1
    if ruled or not variants.ordered:
        raise LuoziError(
            "mcts: priors that come with a position's value go with selection=puct and mcts_solver, nothing else"
        )
    selection = ReducingPuct() if variants.reduction >= 0.0 else NetworkPuct()
    return Components(selection, Assessment(), MctsSolver() if variants.marks else NoSolver())


def plain_components(game: Game) -> Components:
    """Return the components of plain UCT."""
    return Components(Uct(), RandomPlayout(game.random_playout()), NoSolver())


def network_components(variants: Variants, network: LeafEvaluator) -> Components:
    """PUCT by a network."""
    of_board = GumbelPuct() if variants.gumbel else BoardPuct()
    selection = of_board if isinstance(network, BoardNetwork) else WideningPuct()
    return Components(selection, network, MctsSolver() if variants.marks else NoSolver())
