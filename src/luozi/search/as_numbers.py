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
    "ucb1_tuned": ("w/n + sqrt(ln N / n min(1/4, V))", 1.0, 1.0),
    "puct": ("w/n + c P sqrt(N) / (1 + n)", 1.0, 1.0),
    "random": ("any child, for comparison", 1.0, 1.0),
}

NETWORK_C = 0.65  # of puct with a network
ONE_WEIGHT = ("uct", "ucb1", "cp")

NUMBERS = {"ucb1_tuned": TUNED, "puct": PUCT, "random": CHANCE}

# In the order of the numbers in `variants`.
RAVES = ("none", "fuego", "hand_selected", "min_mse")
ANCESTORS = ("none", "order", "start")
PROOFS = ("none", "standard", "paranoid", "first_winner")

# How much a player looks at its own chances (A) and at the best other player's (B).
PERSONALITIES = {"bold": (1.0, 0.0), "balanced": (0.7, 0.3), "cautious": (0.3, 0.7)}


def playing_style_names() -> list[str]:
    """Return what `playing_style` may be, or several of them joined by +."""
    return list(PERSONALITIES)


def weight_of(options: Options) -> float:
    """Return the k of k * sqrt(ln N / n), for results in [0, 1].

    >>> from luozi.search.options import Options
    >>> weight_of(Options(c=0.8)), weight_of(Options(c=0.8, rewards="plus_minus"))
    (0.8, 0.4)
    """
    _, scale, own = FORMULAS[options.selection]
    if options.network:
        own = NETWORK_C
    k = scale * (own if options.c is None else options.c)
    return k / 2 if options.rewards == "plus_minus" else k


@lru_cache(maxsize=64)  # each search asks for its own
def variants_of(options: Options, player: int) -> Variants:
    """Return the options as numbers for compiled code, when this player searches.

    >>> from luozi.search.options import Options
    >>> variants_of(Options(opponents="paranoid"), 2).paranoid
    2
    """
    own, others = weights_of(options, player)
    return Variants(
        weight=float(weight_of(options)),
        formula=PUCT if options.network else NUMBERS.get(options.selection, UCT),
        own=own,
        others=others,
        first_play=first_play_of(options, own),
        rave=RAVES.index(options.rave),
        rave_weight=options.rave_weight,
        rave_prior=options.rave_prior_visits,
        ancestor=ANCESTORS.index(options.grandfather),
        ancestor_weight=options.grandfather_visits,
        prior_weight=options.prior_visits,
        prior_power=1.0 if options.network else options.prior_power,
        sharpness=options.prior_power if options.network else 1.0,
        reduction=options.fpu_reduction if options.network or options.is_on("fpu_reduction") else -1.0,
        growth=options.c_growth,
        doubt=options.opponent_blunder_rate,
        vct=options.network_vct_nodes,
        noise=options.dirichlet_fraction,
        gumbel=options.gumbel_candidates,
        history=options.progressive_history,
        paranoid=player if options.opponent_model == "paranoid" else -1,
        prove=PROOFS.index(options.mcts_solver),
        discount=options.backup_discount,
        decay=options.playout_discount,
        keep_won=options.keep_proven_win,
        keep_lucky=options.keep_playout_win,
        take_wins=options.decisive_moves,
        block_wins=options.anti_decisive_moves,
        avoid_gifts=options.avoid_immediate_loss,
        tree_only=options.decisive_scope == "tree",
        candidates=options.candidates_only,
        uncertain_share=options.prune_ratio,
        uncertain_visits=options.prune_min_visits,
        expand_after=options.expand_after,
        share=options.transpositions,
        horizon=options.max_playout_moves,
        policy=options.playout_policy,
        virtual_loss=options.virtual_loss,
        ownership=options.ownership,
        mix={"playout": 0.0, "static": 1.0, "mix": options.static_weight}[options.evaluation],
    ).complete()


def first_play_of(options: Options, own: float) -> float:
    """Return the score of an unvisited move for results in [0, 1]."""
    if options.fpu is None or options.fpu == math.inf:
        return math.inf
    return (options.fpu + own) / 2 if options.rewards == "plus_minus" else options.fpu


def weights_of(options: Options, player: int) -> tuple[float, float]:
    """Return A and B of the player who searches.

    >>> from luozi.search.options import Options
    >>> weights_of(Options(playing_style="bold+cautious"), 1)
    (0.3, 0.7)
    """
    if not options.playing_style:
        return options.own_weight, options.opponent_weight
    names = options.playing_style.split("+")
    return PERSONALITIES[names[player % len(names)]]
