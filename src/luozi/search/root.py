"""A root with some of its moves only, for what is found out about them before the search."""

from __future__ import annotations

from collections.abc import Collection

from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.search.context import SearchContext
from luozi.search.selection.general import fill_node, position_key
from luozi.search.selection.puct import add_moves
from luozi.search.tree import EXCLUDED, STRIDES, Child, attach, found_home, new_home, new_node, set_tried


def restrict_root(desk: SearchContext, actions: Collection[int], sure: bool) -> None:
    """Give the root of an empty tree these moves only; rules of pruning that look one move ahead apply as well.

    `sure` tells that all other moves lose, or throw away a better result.
    """
    game, tree, notes, thread, variants = desk.game, desk.tree, desk.notes, desk.thread, desk.variants
    thread.state[0] = thread.root[0]
    moves = list(actions)
    if variants.take_wins or variants.block_wins or variants.avoid_gifts:
        count, _ = allowed_moves(game, thread, variants)
        if count != EVERYTHING:
            moves = [action for action in thread.moves[:count].tolist() if action in actions] or moves
    thread.moves[: len(moves)] = moves
    node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    set_tried(tree, node, tree.actions + (1 if sure else EXCLUDED))  # so that proofs know
    if variants.share:
        new_home(tree, notes, node, position_key(game, thread))
    if variants.ordered:
        add_moves(desk, node, len(moves))
    else:
        fill_node(desk, node, len(moves), 0)
    if variants.share:
        found_home(tree, notes, node, position_key(game, thread))
    attach(tree, Child(0, 0, 1), node)
