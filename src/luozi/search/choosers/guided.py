"""PUCT by the priors that came with a leaf's value (Silver et al. 2017): a node is made when its position is valued."""

from __future__ import annotations

from luozi.compiled import apart
from luozi.compiled.random import random_below
from luozi.evaluators.thread import FULL
from luozi.search.choosers.filling import likelihood, swap
from luozi.search.choosers.likeliest import Puct, hang_moves
from luozi.search.desk import Desk
from luozi.search.path import step_of
from luozi.search.tree import STRIDES, Child, Tree, attach, has_room, new_node, node_of, set_tried, visits_of


class Guided(Puct):
    """PUCT whose priors the evaluator has left in `thread.chances`, one for each action."""

    takes_priors = True

    def enter(self, desk: Desk, child: Child, depth: int) -> int:
        return node_of(desk.tree, child)

    def grow(self, desk: Desk, depth: int) -> None:
        child = step_of(desk.thread, depth)
        if node_of(desk.tree, child) == 0 and not desk.game.is_terminal(desk.thread.state[0]):
            grow_node(desk, child)

    def awaits(self, tree: Tree, child: Child) -> bool:
        return node_of(tree, child) == 0 and visits_of(tree, child) > 0


@apart
def grow_node(desk: Desk, child: Child) -> None:
    """Make a node under an edge with all moves of its position, the likeliest first."""
    tree, thread = desk.tree, desk.thread
    count = int(desk.game.legal_actions(thread.state[0], thread.moves))
    node = 0
    if has_room(tree, count):
        node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        desk.limits.progress[FULL] = 1
        return
    for index in range(count):
        thread.values[index] = thread.chances[thread.moves[index]]
    for index in range(count - 1, 0, -1):  # equal ones in any order
        swap(thread, index, random_below(thread.rng, index + 1))
    total = 0.0
    for index in range(count):
        total += likelihood(thread.values[index], desk.variants)
    set_tried(tree, node, tree.actions)
    if hang_moves(desk, node, count, total):
        attach(tree, child, node)
    else:
        desk.limits.progress[FULL] = 1
