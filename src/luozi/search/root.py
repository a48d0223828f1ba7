"""A root with some of its moves only, for what is found out about them before the search."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from luozi.compiled.random import random_below
from luozi.search.filling import fill_node, found_home, position_key
from luozi.search.kernel import Scratch
from luozi.search.moves import EVERYTHING, Work, allowed_moves
from luozi.search.notes import Notes
from luozi.search.tree import CHILD, STRIDES, TRIED, Tree, new_node
from luozi.search.variants import Variants


def restrict_root(
    game: Any,
    tree: Tree,
    notes: Notes,
    scratch: Scratch,
    work: Work,
    variants: Variants,
    told: bool | None,
    actions: Collection[int],
) -> None:
    """Give the root of an empty tree these moves only; rules of pruning that look one move ahead apply as well."""
    scratch.state[0] = scratch.root[0]
    moves = list(actions)
    if variants.take_wins or variants.block_wins or variants.avoid_gifts:
        count, _ = allowed_moves(game, scratch.state, scratch.results, work, variants, told)
        if count != EVERYTHING:
            moves = [action for action in work.moves[:count].tolist() if action in actions] or moves
    work.moves[: len(moves)] = moves
    node = new_node(tree, CHILD, random_below(scratch.rng, STRIDES * tree.actions))
    tree.nodes[node + TRIED] = tree.actions + 1  # so that proofs know
    if variants.share:
        found_home(tree, notes, node, position_key(game, scratch, work))
    fill_node(game, tree, notes, scratch, work, variants, node, len(moves), 0)
