"""PUCT by the priors that came with a leaf's value (Silver et al. 2017): a node is made when its position is valued."""

from __future__ import annotations

from typing import Any

from luozi.compiled import Array, apart
from luozi.compiled.random import random_below
from luozi.evaluators.thread import FULL, Thread
from luozi.evaluators.variants import Variants
from luozi.search.choosers.filling import likelihood, swap
from luozi.search.choosers.likeliest import Puct, hang_moves
from luozi.search.path import step_of
from luozi.search.tree import STRIDES, Child, Notes, Tree, attach, has_room, new_node, node_of, set_tried, visits_of


class Guided(Puct):
    """PUCT whose priors the evaluator has left in `thread.chances`, one for each action."""

    takes_priors = True

    def enter(
        self,
        game: Any,
        tree: Tree,
        notes: Notes,
        thread: Thread,
        variants: Variants,
        progress: Array,
        child: Child,
        depth: int,
    ) -> int:
        return node_of(tree, child)

    def grow(
        self, game: Any, tree: Tree, notes: Notes, thread: Thread, variants: Variants, progress: Array, depth: int
    ) -> None:
        child = step_of(thread, depth)
        if node_of(tree, child) == 0 and not game.is_terminal(thread.state[0]):
            grow_node(game, tree, notes, thread, variants, progress, child)

    def awaits(self, tree: Tree, child: Child) -> bool:
        return node_of(tree, child) == 0 and visits_of(tree, child) > 0


@apart
def grow_node(
    game: Any, tree: Tree, notes: Notes, thread: Thread, variants: Variants, progress: Array, child: Child
) -> None:
    """Make a node under an edge with all moves of its position, the likeliest first."""
    count = int(game.legal_actions(thread.state[0], thread.moves))
    node = 0
    if has_room(tree, count):
        node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        progress[FULL] = 1
        return
    for index in range(count):
        thread.values[index] = thread.chances[thread.moves[index]]
    for index in range(count - 1, 0, -1):  # equal ones in any order
        swap(thread, index, random_below(thread.rng, index + 1))
    total = 0.0
    for index in range(count):
        total += likelihood(thread.values[index], variants)
    set_tried(tree, node, tree.actions)
    if hang_moves(tree, notes, thread, variants, node, count, total):
        attach(tree, child, node)
    else:
        progress[FULL] = 1
