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

    evaluator: Any = AnyPlayout()
    if variants.mix > 0.0:
        evaluator = Estimate() if variants.mix == 1.0 else MixedPlayout()
    if always_full or not (variants.ordered or variants.plain):
        return Shape(Scored(), evaluator, Proofs())
    if variants.mix > 0.0:
        pass
    elif variants.uniform:
        evaluator = RandomPlayout()
    elif variants.policy and (variants.free or (policy_knows_wins and not variants.avoid_gifts)):
        evaluator = PolicyPlayout()
    return Shape(Puct() if variants.ordered else Uct(), evaluator, Proofs() if variants.marks else NoProofs())


def plain_shape() -> Shape:
    """Plain UCT. What most engines never need is not even imported."""
    from luozi.search.choosers.plain import Uct
    from luozi.search.proving import NoProofs

    return Shape(Uct(), RandomPlayout(), NoProofs())
