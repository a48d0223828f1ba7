"""The numbers by which the full search reads its variants. `search/fields.py` tells people what each means."""

from __future__ import annotations

from typing import Any, NamedTuple, get_type_hints

import numpy as np

# Formulas of selection.
UCT, TUNED, PUCT, CHANCE = 0, 1, 2, 3
# How all-moves-as-first statistics are weighed.
NO_RAVE, FUEGO, SCHEDULE, LEAST_ERROR = 0, 1, 2, 3
# What a new node takes from the nearest ancestor where the same player was to move.
NO_ANCESTOR, ANCESTOR_ORDER, ANCESTOR_START = 0, 1, 2
# What a position is worth in which all moves are proven and the best for the mover differ for the others.
NO_PROOF, STANDARD, PARANOID, FIRST_WINNER = 0, 1, 2, 3
# Places in Notes.cuts: how many moves each rule of pruning took away.
CUT_WON, CUT_LUCKY, CUT_WINS, CUT_BLOCKS, CUT_GIFTS, CUT_UNCERTAIN, CUT_FOURS, CUT_SOLVED = range(8)
CUT_CANDIDATES, CUT_TERRITORY, CUT_RULES = 8, 9, 10
SHARED = CUT_RULES  # the place after these: how many positions came up again by another way


class Variants(NamedTuple):
    """Everything that can be switched in the full search. The defaults are plain UCT."""

    weight: float = 0.7  # the k of k * sqrt(ln N / n), or the c of PUCT
    formula: int = UCT
    own: float = 1.0  # A: the mover's own mean
    others: float = 0.0  # B: 1 minus the best other player's mean
    first_play: float = float("inf")  # the score of an unvisited move; infinity: all of them first
    rave: int = NO_RAVE
    rave_weight: float = 1000.0
    rave_prior: float = 0.0  # how many of those visits the game's own heuristic counts for
    ancestor: int = NO_ANCESTOR
    ancestor_weight: float = 10.0
    prior_weight: float = 0.0  # how many visits the game's own heuristic counts for
    prior_power: float = 1.0  # PUCT's P is what the heuristic says to this power
    sharpness: float = 1.0  # with a network: its chances to this power
    reduction: float = -1.0  # how much less than its parent an unvisited move is worth; below 0: it is worth nothing
    growth: float = 0.0  # with a network: how fast its weight grows with the visits of a position
    doubt: float = 0.0  # with a network: how often others fail to stop a threat that is theirs to stop
    vct: int = 0  # with a network: so many positions in a search for a win by threes and fours
    noise: float = 0.0  # the share of chance in the root's priors
    gumbel: int = 0  # with a network: how many moves sequential halving begins with at the root; 0: PUCT chooses
    history: float = 0.0  # the W of progressive history
    paranoid: int = -1  # the player against whom all others play, or -1 for max^n
    prove: int = NO_PROOF
    rivals: bool = False  # who gets 1 leaves nothing to others: a win in sight settles a position
    discount: float = 1.0  # lambda: the h-th ancestor gets 0.5 + lambda^h (x - 0.5)
    decay: float = 1.0  # results are multiplied by this for each random move
    keep_won: bool = False  # a winning move cuts its siblings
    keep_lucky: bool = False  # a first random move that wins becomes the only one
    take_wins: bool = False  # who can win at once does
    block_wins: bool = False  # who can't blocks whoever could
    avoid_gifts: bool = False  # no move that lets the next player win at once
    tree_only: bool = False  # these three do not hold in simulations
    candidates: bool = False  # a new node gets the game's candidates only
    uncertain_from: int = 2**62  # after so many iterations bad children are cut: those below a share
    uncertain_share: float = 0.0  # of the best sibling's mean
    uncertain_visits: int = 0  # a child with fewer stays
    expand_after: int = 1  # a move gets replies after so many visits
    share: bool = False  # equal positions share one node
    horizon: int = 0  # a simulation longer than this is a draw; 0: none is
    policy: bool = False  # the game's own policy plays the simulations
    mix: float = 0.0  # the weight of the game's own estimate beside the simulation; 1: there is none
    virtual_loss: int = 1  # visits that a leaf counts for while it waits for its value
    ownership: bool = False  # simulations count whose each point was
    eager: bool = False  # selection needs all moves of a node at once, unvisited ones too
    ordered: bool = False  # of unvisited moves the likelier always comes first: nodes need only the next ones
    plain: bool = True  # selection is plain UCT: the fast loop does
    uniform: bool = True  # simulations are plain: uniformly random, and nothing is noted of their moves

    @property
    def marks(self) -> bool:
        """Whether moves can be cut or proven."""
        return bool(self.prove or self.keep_won or self.keep_lucky or self.uncertain_share)

    @property
    def has_priors(self) -> bool:
        """Whether something is known of moves before their first visit."""
        return bool(self.prior_weight or self.ancestor or self.formula == PUCT)

    @property
    def off(self) -> bool:
        """Whether nothing is switched on: plain UCT."""
        return self.plain and self.uniform and self.mix == 0.0

    @property
    def free(self) -> bool:
        """Whether no rule holds in simulations."""
        return self.tree_only or not (self.take_wins or self.block_wins or self.avoid_gifts)

    def complete(self) -> Variants:
        """The same with the four fields that follow from the others."""
        notes_all = self.prior_weight or self.ancestor or self.rave or self.history or self.share
        cuts_some = self.keep_won or self.keep_lucky or self.uncertain_share
        weighed = self.own != 1.0 or self.others != 0.0 or self.paranoid >= 0
        fast = not (weighed or self.discount != 1.0)
        ordered = bool(self.formula == PUCT and fast and self.first_play == float("inf"))
        ordered = ordered and not (notes_all or cuts_some or self.candidates)
        eager = bool(self.has_priors or self.rave or self.history or self.first_play < float("inf"))
        eager = eager or self.candidates
        restricts = self.take_wins or self.block_wins or self.avoid_gifts
        plain = fast and not (eager or restricts or self.marks or self.share or self.formula != UCT)
        plain = plain and self.expand_after == 1
        noted = self.rave or self.history or self.keep_lucky or self.decay < 1.0 or self.horizon or self.ownership
        return self._replace(
            eager=eager, ordered=ordered, plain=plain, uniform=self.free and not (noted or self.policy)
        )


# As a record the variants are one pointer for compiled code, and not two dozen numbers for every function.
VARIANTS_TYPE = np.dtype((np.record, [(name, get_type_hints(Variants)[name]) for name in Variants._fields]))


def as_record(variants: Variants) -> Any:
    """The variants as compiled code reads them: one record."""
    return np.array([tuple(variants)], VARIANTS_TYPE)[0]
