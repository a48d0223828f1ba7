"""The options of the search as the numbers that its compiled code reads."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from luozi.evaluators.variants import CHANCE, PUCT, TUNED, UCT, Variants

if TYPE_CHECKING:
    from luozi.search.options import Options

# name: (the formula, k for c = 1, the formula's own c). Three are one weight k on sqrt(ln N / n) in other words.
FORMULAS = {
    "uct": ("w/n + c sqrt(ln N / n)", 1.0, 0.7),
    "ucb1": ("w/n + c sqrt(2 ln N / n)", math.sqrt(2), 1.0),
    "cp": ("w/n + 2 c sqrt(2 ln N / n)", 2 * math.sqrt(2), 1 / math.sqrt(2)),
    "tuned": ("w/n + sqrt(ln N / n min(1/4, V))", 1.0, 1.0),
    "puct": ("w/n + c P sqrt(N) / (1 + n)", 1.0, 1.0),
    "chance": ("any child, for comparison", 1.0, 1.0),
}

NETWORK_C = 0.65  # of puct with a network
ONE_WEIGHT = ("uct", "ucb1", "cp")

NUMBERS = {"tuned": TUNED, "puct": PUCT, "chance": CHANCE}

# In the order of the numbers in `variants`.
RAVES = ("none", "fuego", "schedule", "least_error")
ANCESTORS = ("none", "order", "start")
PROOFS = ("none", "standard", "paranoid", "first_winner")

# How much a player looks at its own chances (A) and at the best other player's (B).
PERSONALITIES = {"bold": (1.0, 0.0), "balanced": (0.7, 0.3), "cautious": (0.3, 0.7)}


def personality_names() -> list[str]:
    """What `personality` may be, or several of them joined by +."""
    return list(PERSONALITIES)


def weight_of(options: Options) -> float:
    """The k of k * sqrt(ln N / n), for results in [0, 1].

    >>> from luozi.search.options import Options
    >>> weight_of(Options(c=0.8)), weight_of(Options(c=0.8, rewards="plus_minus"))
    (0.8, 0.4)
    """
    _, scale, own = FORMULAS[options.formula]
    if options.network:
        own = NETWORK_C
    k = scale * (own if options.c is None else options.c)
    return k / 2 if options.rewards == "plus_minus" else k


@lru_cache(maxsize=64)  # each search asks for its own
def variants_of(options: Options, player: int) -> Variants:
    """All of it as the full search reads it, when this player searches.

    >>> from luozi.search.options import Options
    >>> variants_of(Options(opponents="paranoid"), 2).paranoid
    2
    """
    own, others = weights_of(options, player)
    return Variants(
        weight=float(weight_of(options)),
        formula=PUCT if options.network else NUMBERS.get(options.formula, UCT),
        own=own,
        others=others,
        first_play=first_play_of(options, own),
        rave=RAVES.index(options.rave),
        rave_weight=options.rave_weight,
        rave_prior=options.rave_prior,
        ancestor=ANCESTORS.index(options.ancestor),
        ancestor_weight=options.ancestor_weight,
        prior_weight=options.prior,
        prior_power=1.0 if options.network else options.prior_power,
        sharpness=options.prior_power if options.network else 1.0,
        reduction=options.reduction,
        growth=options.growth,
        doubt=options.doubt,
        noise=options.noise,
        history=options.history,
        paranoid=player if options.opponents == "paranoid" else -1,
        prove=PROOFS.index(options.prove),
        discount=options.discount,
        decay=options.decay,
        keep_won=options.keep_won,
        keep_lucky=options.keep_lucky,
        take_wins=options.take_wins,
        block_wins=options.block_wins,
        avoid_gifts=options.avoid_gifts,
        tree_only=options.pruning == "tree",
        candidates=options.candidates,
        uncertain_share=options.uncertain,
        uncertain_visits=options.uncertain_visits,
        expand_after=options.expand_after,
        share=options.share,
        horizon=options.horizon,
        policy=options.policy,
        virtual_loss=options.virtual_loss,
        ownership=options.ownership,
        mix={"simulation": 0.0, "static": 1.0, "mix": options.mix}[options.evaluation],
    ).complete()


def first_play_of(options: Options, own: float) -> float:
    """The score of an unvisited move for results in [0, 1]."""
    if options.first_play is None or options.first_play == math.inf:
        return math.inf
    return (options.first_play + own) / 2 if options.rewards == "plus_minus" else options.first_play


def weights_of(options: Options, player: int) -> tuple[float, float]:
    """A and B of the player who searches.

    >>> from luozi.search.options import Options
    >>> weights_of(Options(personality="bold+cautious"), 1)
    (0.3, 0.7)
    """
    if not options.personality:
        return options.own, options.others
    names = options.personality.split("+")
    return PERSONALITIES[names[player % len(names)]]
