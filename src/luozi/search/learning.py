"""What all moves of an iteration teach, wherever they were played: all moves as first (RAVE), and the move history."""

from __future__ import annotations

from luozi.compiled import apart, inline, unsigned
from luozi.search.kernel import Scratch
from luozi.search.moves import SIMULATED, STAMP, Work
from luozi.search.notes import HISTORY_SIZE, HISTORY_SUM, HISTORY_VISITS, RAVE_SIZE, RAVE_SUM, RAVE_VISITS, Notes
from luozi.search.tree import ACTION, CHILD, CHILDREN, FIXED_POINT, MEAN, SEGMENTS, Array, Tree, segment_size
from luozi.search.variants import NO_RAVE, Variants


@apart
def remember_moves(tree: Tree, notes: Notes, scratch: Scratch, work: Work, variants: Variants, depth: int) -> None:
    """All moves as first: at each node of the path, the moves that its mover was the first to play from there on.

    And the history, for which every move counts.
    """
    simulated, stamp = int(work.counts[SIMULATED]), int(work.counts[STAMP]) + 1
    work.counts[STAMP] = stamp
    for index in range(simulated + depth):  # from the last random move back to the first move of the path
        above = simulated + depth - index - 1
        if index < simulated:
            played = simulated - index - 1
            action, player = int(work.played[played, 0]), int(work.played[played, 1])
        else:
            action = int(tree.words[unsigned(scratch.path[above + 1, 1] + ACTION * scratch.path[above + 1, 2])])
            player = int(work.movers[above + 1])
        move, credit = player * tree.actions + action, seen_by(scratch.credit, variants, player)
        work.seen[unsigned(action)] = stamp * tree.players + player  # whoever plays it earlier takes it over
        if variants.history > 0.0:
            notes.history[unsigned(move * HISTORY_SIZE + HISTORY_VISITS)] += 1
            notes.history[unsigned(move * HISTORY_SIZE + HISTORY_SUM)] += credit
        if variants.rave != NO_RAVE and index >= simulated:
            node = int(tree.words[unsigned(scratch.path[above, 1] + CHILD * scratch.path[above, 2])])
            credit_rave(tree, notes.rave, work.seen, node, stamp * tree.players + player, credit)


@inline
def seen_by(credits: Array, variants: Variants, player: int) -> int:
    """This iteration's result as a player sees it, from 0 to 1 in fixed point: see `choosing.worth`."""
    if variants.paranoid >= 0:
        credit = int(credits[variants.paranoid])
        return credit if player == variants.paranoid else FIXED_POINT - credit
    credit = int(credits[player])
    if variants.others == 0.0:
        return credit
    best = 0
    for other in range(credits.shape[0]):
        if other != player:
            best = max(best, int(credits[other]))
    seen = variants.own * credit + variants.others * (FIXED_POINT - best)
    return int(seen / (variants.own + variants.others))


@inline
def credit_rave(tree: Tree, rave: Array, seen: Array, node: int, mark: int, credit: int) -> None:
    """Credit the result to all children of a node whose move bears the mark: its mover played it, then or later."""
    left, level = int(tree.nodes[unsigned(node + CHILDREN)]), 0
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        at = first * (MEAN + tree.players) + ACTION * size
        for index in range(min(left, size)):
            if seen[unsigned(tree.words[unsigned(at + index)])] == mark:
                rave[unsigned((first + index) * RAVE_SIZE + RAVE_VISITS)] += 1
                rave[unsigned((first + index) * RAVE_SIZE + RAVE_SUM)] += credit
        left -= size
        level += 1
