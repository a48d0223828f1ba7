"""What can be done with the tree: the only code that knows how its arrays are laid out while a search runs.

A node's children are gone through segment by segment: `segment` says where one begins, `child_in` names its children.
"""

from __future__ import annotations

import math

from luozi.compiled import float32, inline, signed, unsigned
from luozi.search.tree.access import BROKEN, RESULTS, SEEN
from luozi.search.tree.pool import (
    ACTION,
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    FIXED_POINT,
    LOCK,
    MEAN,
    NEXT_EDGE,
    NEXT_NODE,
    ORDER,
    SEGMENTS,
    SPREAD,
    STRIDES,
    TRIED,
    UNVISITED,
    VISITS,
    Child,
    Tree,
    segment_size,
)

# Making ---------------------------------------------------------------------------------------------------------------


@inline
def new_node(tree: Tree, order: int) -> int:
    """Make a node that nobody sees until it is attached; 0 when the pool is full."""
    node = int(tree.access.reserve(tree.used, NEXT_NODE, SEGMENTS + tree.levels, tree.nodes.shape[0]))
    if node < 0:
        return 0
    tree.nodes[unsigned(node + ORDER)] = order
    for field in range(TRIED, SEGMENTS + tree.levels):
        tree.nodes[unsigned(node + field)] = 0
    return node


@inline
def start_anew(tree: Tree) -> None:
    """Forget everything, inside compiled code and where one thread searches."""
    last = unsigned(tree.drawn.shape[0] - 1)
    if tree.drawn[last] != 0:
        for edge in range(tree.used[NEXT_EDGE]):
            tree.drawn[unsigned(edge)] = 0
        tree.drawn[last] = 0
    tree.used[NEXT_NODE], tree.used[NEXT_EDGE], tree.used[EDGES_IN_USE] = SEGMENTS + tree.levels, 1, 1
    for field in range(MEAN + tree.players):
        tree.words[field] = 0
    for player in range(tree.players):
        tree.sums[player] = 0


@inline
def attach(tree: Tree, child: Child, node: int) -> int:
    """Let an edge lead to a complete node; the node that it leads to, which may be one that came before."""
    winner = int(tree.access.link(tree.words, unsigned(child.at + CHILD * child.size), node))
    if winner != node:
        disown(tree, node)
    return winner


@inline
def disown(tree: Tree, node: int) -> None:
    """A node that came too late stays in the pool, and its children are nobody's."""
    tree.access.count_edges(tree.used, -child_count(tree, node))


@inline
def new_child(tree: Tree, node: int, index: int, action: int) -> Child:
    """Make the next child of a node, which nobody sees until it is shown; edge 0 when the pool is full."""
    level, index, size = place_of(tree, index)
    first = publish_segment(tree, node + SEGMENTS + level, size)
    if first == 0:
        return Child(0, 0, 1)
    child = child_in(tree, first, size, index)
    tree.words[unsigned(child.at + VISITS * size)] = 0
    tree.words[unsigned(child.at + CHILD * size)] = 0
    tree.words[unsigned(child.at + ACTION * size)] = action
    tree.floats[unsigned(child.at + SPREAD * size)] = 0.0
    for player in range(tree.players):
        tree.floats[unsigned(child.at + (MEAN + player) * size)] = UNVISITED
        tree.sums[unsigned(child.edge * tree.players + player)] = 0
    return child


@inline
def show_children(tree: Tree, node: int, count: int) -> None:
    """Let a node have so many children: all of them are complete."""
    tree.access.count_edges(tree.used, count - child_count(tree, node))
    tree.access.publish(tree.nodes, unsigned(node + CHILDREN), count)


@inline
def claim(tree: Tree, node: int) -> bool:
    """Whether this thread may add children to a node now; it leaves the node afterwards."""
    return bool(tree.access.claim(tree.nodes, unsigned(node + LOCK), tree.locks))


@inline
def leave(tree: Tree, node: int) -> None:
    """Another thread may add children."""
    tree.access.leave(tree.nodes, unsigned(node + LOCK))


@inline
def publish_segment(tree: Tree, slot: int, size: int) -> int:
    """The segment at a slot, made if there is none yet; whoever comes second adopts the first one's. 0 when full."""
    first = signed(tree.nodes[unsigned(slot)])
    if first == 0:
        first = tree.access.reserve(tree.used, NEXT_EDGE, size, tree.words.shape[0] // (MEAN + tree.players))
        if first < 0:
            return 0
        first = int(tree.access.link(tree.nodes, unsigned(slot), first))
    return first


@inline
def has_room(tree: Tree, count: int) -> bool:
    """Whether the pool has room for the segments of so many children."""
    room, level = 0, 0
    while room < count:
        room += segment_size(level, tree.actions)
        level += 1
    return tree.used[NEXT_EDGE] + room <= tree.words.shape[0] // (MEAN + tree.players)


@inline
def edges_in_use(tree: Tree) -> int:
    """How many edges hold a child, as far as this thread knows."""
    return int(tree.access.edges_in_use(tree.used))


# Threads --------------------------------------------------------------------------------------------------------------


@inline
def is_shared(tree: Tree) -> bool:
    """Whether several threads search this tree."""
    return bool(tree.access.is_shared())


@inline
def enter_tree(tree: Tree) -> None:
    """Begin to read and write the tree; where it has one lock, wait for whoever is in it."""
    tree.access.lock_all(tree.locks)


@inline
def leave_tree(tree: Tree) -> None:
    """Let others in."""
    tree.access.unlock_all(tree.locks)


@inline
def tell(tree: Tree) -> None:
    """Let other threads know what this one has made and seen."""
    tree.access.tell(tree)


def give_up(tree: Tree) -> None:
    """A thread has failed: the others stop waiting for it. The tree is worth nothing then, and has to be cleared."""
    tree.locks[BROKEN] = 1


# A node ---------------------------------------------------------------------------------------------------------------


@inline
def child_count(tree: Tree, node: int) -> int:
    """How many children a node has."""
    return signed(tree.access.look(tree.nodes, unsigned(node + CHILDREN)))


@inline
def segment(tree: Tree, node: int, level: int) -> tuple[int, int]:
    """Where a node's segment begins, and its size. Children lie in them one after another: see `child_in`."""
    return signed(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)


@inline
def place_of(tree: Tree, index: int) -> tuple[int, int, int]:
    """Where a node's child lies: its segment, its place there, and the segment's size."""
    level, size = 0, segment_size(0, tree.actions)
    while index >= size:
        index -= size
        level += 1
        size = segment_size(level, tree.actions)
    return level, index, size


@inline
def child_in(tree: Tree, first: int, size: int, index: int) -> Child:
    """A child by its place in a segment."""
    return Child(first + index, first * (MEAN + tree.players) + index, size)


@inline
def child_at(tree: Tree, node: int, index: int) -> Child:
    """A child by its number."""
    level, index, size = place_of(tree, index)
    first, _ = segment(tree, node, level)
    return child_in(tree, first, size, index)


@inline
def last_child(tree: Tree, node: int) -> Child:
    """The child that was made last."""
    return child_at(tree, node, child_count(tree, node) - 1)


@inline
def find_child(tree: Tree, node: int, action: int) -> Child:
    """The child of a move; edge 0 if the node has none."""
    left = child_count(tree, node)
    for level in range(tree.levels):
        first, size = segment(tree, node, level)
        for index in range(min(left, size)):
            child = child_in(tree, first, size, index)
            if action_of(tree, child) == action:
                return child
        left -= min(left, size)
    return Child(0, 0, 1)


@inline
def order_of(tree: Tree, node: int) -> tuple[int, int, int]:
    """A node's order of moves: offset, stride, and the stride's inverse."""
    order = signed(tree.nodes[unsigned(node + ORDER)])
    offset, choice = order // STRIDES, order % STRIDES
    return offset, int(tree.strides[choice]), int(tree.inverses[choice])


@inline
def tried_of(tree: Tree, node: int) -> int:
    """How far a node has come in its order: `actions` when all moves were tried, more when some were left out.

    From `actions + EXCLUDED` on, those that were left out may be as good as the others; below, they lose for certain.
    """
    return signed(tree.access.look(tree.nodes, unsigned(node + TRIED)))


@inline
def set_tried(tree: Tree, node: int, place: int) -> None:
    """Note how far a node has come in its order; its children are shown before."""
    tree.access.publish(tree.nodes, unsigned(node + TRIED), place)


@inline
def row_of(tree: Tree, node: int) -> int:
    """A node's number, for what is kept of each node elsewhere."""
    return node // (SEGMENTS + tree.levels)


# A child --------------------------------------------------------------------------------------------------------------


@inline
def visits_of(tree: Tree, child: Child) -> int:
    """How often an edge was taken."""
    return signed(tree.words[unsigned(child.at + VISITS * child.size)])


@inline
def visits_before(tree: Tree, child: Child, loss: int) -> int:
    """The same without what this thread itself has just counted on its way down."""
    return visits_of(tree, child) - (loss if is_shared(tree) else 0)


@inline
def node_of(tree: Tree, child: Child) -> int:
    """The node that an edge leads to, or 0."""
    return signed(tree.words[unsigned(child.at + CHILD * child.size)])


@inline
def action_of(tree: Tree, child: Child) -> int:
    """The move of an edge."""
    return signed(tree.words[unsigned(child.at + ACTION * child.size)])


@inline
def mean_of(tree: Tree, child: Child, player: int) -> float:
    """An edge's mean result for a player; look at its visits first."""
    return float(tree.floats[unsigned(child.at + (MEAN + player) * child.size)])


@inline
def sum_of(tree: Tree, child: Child, player: int) -> int:
    """What was credited to a player at an edge, in fixed point."""
    return int(tree.sums[unsigned(child.edge * tree.players + player)])


@inline
def begin_credit(tree: Tree, child: Child, loss: int) -> float:
    """One more visit; returns 1 / visits, for `add_result`.

    Where threads share the tree it was counted on the way down; what was counted beyond it is taken back.
    """
    tree.access.lock(tree.locks, child.edge)
    place = unsigned(child.at + VISITS * child.size)
    if tree.access.is_shared():
        entry = tree.access.entry_of(child.edge, tree.players)
        if entry != 0:
            tree.access.hold(entry + SEEN, 1)
        elif loss != 1:
            tree.access.add(tree.words, place, 1 - loss)
        return float32(1.0)
    inverse = float32(1.0) / float32(tree.access.add(tree.words, place, 1))
    tree.floats[unsigned(child.at + SPREAD * child.size)] = math.sqrt(inverse)
    return inverse


@inline
def add_result(tree: Tree, child: Child, player: int, credit: int, inverse: float) -> None:
    """Credit a result, in fixed point, to a player at an edge."""
    entry = tree.access.entry_of(child.edge, tree.players)
    if entry != 0:
        tree.access.hold(entry + RESULTS + player, credit)
        return
    total = tree.access.add(tree.sums, unsigned(child.edge * tree.players + player), credit)
    if not tree.access.is_shared():
        mean = float32(total) * (inverse * float32(1 / FIXED_POINT))
        tree.floats[unsigned(child.at + (MEAN + player) * child.size)] = mean


@inline
def draws_of(tree: Tree, child: Child) -> int:
    """How many visits of an edge ended drawn."""
    return signed(tree.drawn[unsigned(child.edge)])


@inline
def end_credit(tree: Tree, child: Child) -> None:
    """After the results. Where threads share the tree, others may have come in between: all copies are made now."""
    if tree.access.entry_of(child.edge, tree.players) != 0:
        tree.access.close_entry(child.edge, tree.players)
    elif tree.access.is_shared():
        copy_statistics(tree, child)
    tree.access.unlock(tree.locks, child.edge)


@inline
def expect_visits(tree: Tree, child: Child, visits: int) -> None:
    """Count visits whose results are still to come, or take them back (-visits): until then everybody lost them."""
    if tree.access.entry_of(child.edge, tree.players) != 0:
        return
    tree.access.add(tree.words, unsigned(child.at + VISITS * child.size), visits)
    copy_statistics(tree, child)


@inline
def take_new(tree: Tree, child: Child, visits: int) -> None:
    """The same for a child that nobody sees yet: nobody else writes it, so that nothing has to be atomic."""
    if is_shared(tree):
        tree.words[unsigned(child.at + VISITS * child.size)] = visits
        tree.floats[unsigned(child.at + SPREAD * child.size)] = 1.0 / math.sqrt(float32(visits))
        for player in range(tree.players):
            tree.floats[unsigned(child.at + (MEAN + player) * child.size)] = 0.0


@inline
def copy_statistics(tree: Tree, child: Child) -> None:
    """Write what selection reads, by the visits and sums that there are."""
    seen = visits_of(tree, child)
    inverse = float32(1.0) / float32(max(seen, 1))
    tree.floats[unsigned(child.at + SPREAD * child.size)] = math.sqrt(inverse) if seen > 0 else 0.0
    for player in range(tree.players):
        mean = float32(sum_of(tree, child, player)) * (inverse * float32(1 / FIXED_POINT))
        tree.floats[unsigned(child.at + (MEAN + player) * child.size)] = mean if seen > 0 else float32(UNVISITED)


@inline
def rewrite_results(tree: Tree, child: Child, player: int, won: int) -> None:
    """Let all past visits of an edge have been a player's wins, or losses."""
    tree.sums[unsigned(child.edge * tree.players + player)] = won * visits_of(tree, child) * FIXED_POINT
    tree.floats[unsigned(child.at + (MEAN + player) * child.size)] = won
    tree.drawn[unsigned(child.edge)] = 0
