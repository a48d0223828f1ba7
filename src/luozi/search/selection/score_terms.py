"""The score of a child as a sum, for people: it is never compiled."""

from __future__ import annotations

from luozi.evaluators.variants import NO_RAVE, PUCT, Variants
from luozi.search.selection.formulas import (
    Look,
    exploration,
    progressive_history,
    score,
    view_of,
    worth,
)
from luozi.search.tree import Child, SideTables, Tree, has_priors, prior_of, visits_of

SUMMANDS = ("mean", "others", "known", "exploration", "history")  # the rest of a choice's terms goes into these
SMALL = 1e-12


def told_terms(tree: Tree, notes: SideTables, variants: Variants, child: Child, look: Look) -> dict[str, float]:
    """What a score adds up: the mover's mean times A, what suppresses the others, what is known besides, exploration.

    `known` is what priors and all-moves-as-first change, and the urgency of a move that was never tried.
    """
    visits = visits_of(tree, child)
    found = {"mean": variants.own * view_of(tree, notes, variants, child, look.player) if visits else 0.0}
    if variants.others > 0.0 and visits:
        found["others"] = worth(tree, notes, variants, child, look.player) - found["mean"]
    counted = float(visits) + (prior_of(notes, child.edge)[1] if has_priors(notes) else 0.0)
    if variants.rave != NO_RAVE and variants.formula != PUCT:
        counted += 1.0
    if counted > 0.0 or variants.formula == PUCT:
        found["exploration"] = exploration(tree, notes, variants, child, look, counted)
    if variants.history > 0.0:
        found["history"] = progressive_history(tree, notes, variants, child, look.player)
    rest = score(tree, notes, variants, child, look) - sum(found.values())
    return {**found, "known": rest} if abs(rest) > SMALL else found
