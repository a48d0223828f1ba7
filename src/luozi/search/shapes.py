"""Which parts a search is made of: the smallest ones that do what the variants ask for.

There are few on purpose, since each combination of parts is compiled apart for each game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from luozi.evaluators.estimates import Estimate, MixedPlayout
from luozi.evaluators.playouts import AnyPlayout, PolicyPlayout, RandomPlayout
from luozi.evaluators.variants import Variants


class Shape(NamedTuple):
    """The parts of a search."""

    chooser: Any
    evaluator: Any
    prover: Any


def shape_of(variants: Variants, policy_knows_wins: bool, always_full: bool = False) -> Shape:
    """The parts for these variants."""
    if variants.off and not always_full:
        return plain_shape()
    from luozi.search.choosers.likeliest import Puct
    from luozi.search.choosers.plain import Uct
    from luozi.search.choosers.scored import Scored
    from luozi.search.proving import NoProofs, Proofs

    if always_full or not (variants.ordered or variants.plain):
        return Shape(Scored(), estimator_of(variants) or AnyPlayout(), Proofs())
    evaluator = estimator_of(variants) or playout_of(variants, policy_knows_wins)
    return Shape(Puct() if variants.ordered else Uct(), evaluator, Proofs() if variants.marks else NoProofs())


def estimator_of(variants: Variants) -> Any:
    """What asks the game for its own estimate, or None."""
    if variants.mix == 0.0:
        return None
    return Estimate() if variants.mix == 1.0 else MixedPlayout()


def playout_of(variants: Variants, policy_knows_wins: bool) -> Any:
    """The smallest playout that does."""
    if variants.uniform:
        return RandomPlayout()
    by_policy_alone = variants.free or (policy_knows_wins and not variants.avoid_gifts)
    return PolicyPlayout() if variants.policy and by_policy_alone else AnyPlayout()


def plain_shape() -> Shape:
    """Plain UCT. What most engines never need is not even imported."""
    from luozi.search.choosers.plain import Uct
    from luozi.search.proving import NoProofs

    return Shape(Uct(), RandomPlayout(), NoProofs())
