"""Nodes and edges of a tree that one thread searches: how they are made, found, counted and credited."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from luozi.compiled import KERNEL_PART, Array, Compilable, float32, signed, unsigned
from luozi.compiled.arrays import in_own_lines, lazy_zeros
from luozi.compiled.atomics import store_release
from luozi.compiled.bits import index_of
from luozi.search.tree.pool import (
    ACTION,
    BROKEN,
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    FIRST_SEGMENT,
    FIXED_POINT,
    LOCK_BYTES,
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
    level_count,
    segment_size,
)
from luozi.search.tree.selecting import best_in_segment


class Edges(Compilable):
    """The node pool: a few arrays that are allocated once.

    An edge that was never visited has no results, a SPREAD of 0 and the MEAN UNVISITED for everybody, so that plain
    selection, which reads nothing else, takes it before all others. Read its visits before its mean.

    A node tries its moves in an order of its own: the actions `(offset + i * stride) mod actions`. ORDER gives offset
    and stride, TRIED is how far i has come. So a node needs no list of untried moves.

    Memory that is never touched is never resident.
    """

    jit_options = KERNEL_PART

    nodes: Array  # [N * (4 + levels)] u4: ORDER, TRIED, LOCK, CHILDREN, and the first edge of each segment or 0
    words: Array  # [E * (4 + players)] u4: SPREAD, VISITS, CHILD (a node), ACTION, MEAN...; by segments
    floats: Array  # f4: the same memory as `words`, for SPREAD = 1 / sqrt(visits) and MEAN = sum / visits
    sums: Array  # [E * players] i8: the results credited to each player, in fixed point
    drawn: Array  # [E + 1] u4: how many visits of each edge ended drawn; last: whether any visit ever did
    used: Array  # [3] i8: the next free node and edge, and how many edges hold a child
    locks: Array  # u4: the lock of the whole tree and those of edges, each in a cache line of its own
    strides: Array  # [STRIDES] i8: numbers that have no common divisor with `actions`
    inverses: Array  # [STRIDES] i8: their inverses modulo `actions`
    players: int
    actions: int
    levels: int  # the most segments of a node

    def __init__(self, edges: int, players: int, actions: int) -> None:
        levels = level_count(actions)
        nodes = edges // min(FIRST_SEGMENT, actions) + 2  # each node has a segment, so there can't be more
        words = lazy_zeros(edges * (MEAN + players), np.uint32)
        candidates = np.arange(actions // 3 + 1, 4 * actions + 200)
        strides = (candidates[np.gcd(candidates, actions) == 1][:STRIDES] % actions).tolist()
        inverses = [pow(stride, -1, actions) if actions > 1 else 0 for stride in strides]
        self.set_fields(
            nodes=lazy_zeros(nodes * (SEGMENTS + levels), np.uint32),
            words=words,
            floats=words.view(np.float32),
            sums=lazy_zeros(edges * players, np.int64),
            drawn=lazy_zeros(edges + 1, np.uint32),
            used=in_own_lines(np.array([SEGMENTS + levels, 1, 1])),
            locks=lazy_zeros(LOCK_BYTES // 4, np.uint32),
            strides=np.array(strides, np.int64),
            inverses=np.array(inverses, np.int64),
            players=players,
            actions=actions,
            levels=levels,
        )

    def set_fields(self, **values: object) -> None:
        """Set attributes as they are: uncompiled, a plain array is read faster than a `PlainArray`."""
        self.forget_type()
        vars(self).update(values)

    def clear(self) -> None:
        """Empty the tree."""
        self.locks[:] = 0
        self.clear_draws(0)
        self.used[:] = SEGMENTS + self.levels, 1, 1
        self.clear_buffers()
        self.words[: MEAN + self.players] = 0
        self.sums[: self.players] = 0

    def clear_draws(self, first: int) -> None:
        """Clear the draws of edges from the first on: new edges are not cleared, and untouched memory stays so."""
        if self.drawn[-1]:
            self.drawn[first : int(self.used[NEXT_EDGE])] = 0
            self.drawn[-1] = first > 0

    # Making -------------------------------------------------------------------------------------------------------

    def new_node(self, order: int) -> int:
        """Make a node that nobody sees until it is attached; 0 when the pool is full."""
        node = int(self.reserve(NEXT_NODE, SEGMENTS + self.levels, self.nodes.shape[0]))
        if node < 0:
            return 0
        self.nodes[unsigned(node + ORDER)] = order
        for field in range(TRIED, SEGMENTS + self.levels):
            self.nodes[unsigned(node + field)] = 0
        return node

    def restart(self) -> None:
        """Empty a tree that one thread searches; compiled code may call this."""
        last = unsigned(self.drawn.shape[0] - 1)
        if self.drawn[last] != 0:
            for edge in range(self.used[NEXT_EDGE]):
                self.drawn[unsigned(edge)] = 0
            self.drawn[last] = 0
        self.used[NEXT_NODE], self.used[NEXT_EDGE], self.used[EDGES_IN_USE] = SEGMENTS + self.levels, 1, 1
        for field in range(MEAN + self.players):
            self.words[field] = 0
        for player in range(self.players):
            self.sums[player] = 0

    def attach(self, child: Child, node: int) -> int:
        """Let an edge lead to a complete node; return the node it leads to, which another thread may have attached."""
        winner = int(self.link(self.words, unsigned(child.at + CHILD * child.size), node))
        if winner != node:
            self.disown(node)
        return winner

    def disown(self, node: int) -> None:
        """Count the children of a node that came too late as not in use; the node stays in the pool."""
        self.count_edges(-self.child_count(node))

    def new_child(self, node: int, index: int, action: int) -> Child:
        """Make the next child of a node, which nobody sees until `set_child_count`; edge 0 when the pool is full."""
        level, index, size = self.place_of(index)
        first = self.publish_segment(node + SEGMENTS + level, size)
        if first == 0:
            return Child(0, 0, 1)
        child = self.child_in(first, size, index)
        self.words[unsigned(child.at + VISITS * size)] = 0
        self.words[unsigned(child.at + CHILD * size)] = 0
        self.words[unsigned(child.at + ACTION * size)] = action
        self.floats[unsigned(child.at + SPREAD * size)] = 0.0
        for player in range(self.players):
            self.floats[unsigned(child.at + (MEAN + player) * size)] = UNVISITED
            self.sums[unsigned(child.edge * self.players + player)] = 0
        return child

    def set_child_count(self, node: int, count: int) -> None:
        """Let other threads see the first `count` children of a node: all of them are complete."""
        self.count_edges(count - self.child_count(node))
        self.publish(self.nodes, unsigned(node + CHILDREN), count)

    def publish_segment(self, slot: int, size: int) -> int:
        """Return the first edge of the segment at a slot, made if there is none yet; 0 when the pool is full.

        Of two threads that make it at once the second one adopts the first one's.
        """
        first = signed(self.nodes[unsigned(slot)])
        if first == 0:
            first = self.reserve(NEXT_EDGE, size, self.words.shape[0] // (MEAN + self.players))
            if first < 0:
                return 0
            first = int(self.link(self.nodes, unsigned(slot), first))
        return first

    def has_room(self, count: int) -> bool:
        """Return whether the pool has room for the segments of so many children."""
        room, level = 0, 0
        while room < count:
            room += segment_size(level, self.actions)
            level += 1
        return self.used[NEXT_EDGE] + room <= self.words.shape[0] // (MEAN + self.players)

    # A node -------------------------------------------------------------------------------------------------------

    def child_count(self, node: int) -> int:
        """Return how many children a node has."""
        return signed(self.look(self.nodes, unsigned(node + CHILDREN)))

    def segment(self, node: int, level: int) -> tuple[int, int]:
        """Return the first edge of a node's segment, and its size: see `child_in`."""
        return signed(self.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, self.actions)

    def place_of(self, index: int) -> tuple[int, int, int]:
        """Return where the child of that number lies: its segment, its place there, and the segment's size."""
        level, size = 0, segment_size(0, self.actions)
        while index >= size:
            index -= size
            level += 1
            size = segment_size(level, self.actions)
        return level, index, size

    def child_in(self, first: int, size: int, index: int) -> Child:
        """Return a child by its place in a segment."""
        return Child(first + index, first * (MEAN + self.players) + index, size)

    def child_at(self, node: int, index: int) -> Child:
        """Return a child by its number."""
        level, index, size = self.place_of(index)
        first, _ = self.segment(node, level)
        return self.child_in(first, size, index)

    def last_child(self, node: int) -> Child:
        """Return the child that was made last."""
        return self.child_at(node, self.child_count(node) - 1)

    def order_of(self, node: int) -> tuple[int, int, int]:
        """Return a node's order of moves: offset, stride, and the stride's inverse."""
        order = signed(self.nodes[unsigned(node + ORDER)])
        offset, choice = order // STRIDES, order % STRIDES
        return offset, int(self.strides[choice]), int(self.inverses[choice])

    def tried_of(self, node: int) -> int:
        """Return how far a node has come in its order: `actions` after all moves, more when some are left out.

        From `actions + EXCLUDED` on, the moves left out may be as good as the others; below, they are proven losses.
        """
        return signed(self.look(self.nodes, unsigned(node + TRIED)))

    def set_tried(self, node: int, place: int) -> None:
        """Set how far a node has come in its order; its children are shown before."""
        self.publish(self.nodes, unsigned(node + TRIED), place)

    def row_of(self, node: int) -> int:
        """Return a node's number, for what is stored of each node elsewhere."""
        return node // (SEGMENTS + self.levels)

    # An edge ------------------------------------------------------------------------------------------------------

    def visits_of(self, child: Child) -> int:
        """Return how often an edge was taken."""
        return signed(self.words[unsigned(child.at + VISITS * child.size)])

    def visits_before(self, child: Child, loss: int) -> int:
        """Return the visits without those that this thread itself has just counted on its way down."""
        return self.visits_of(child) - (loss if self.is_shared() else 0)

    def node_of(self, child: Child) -> int:
        """Return the node that an edge leads to, or 0."""
        return signed(self.words[unsigned(child.at + CHILD * child.size)])

    def action_of(self, child: Child) -> int:
        """Return the move of an edge."""
        return signed(self.words[unsigned(child.at + ACTION * child.size)])

    def mean_of(self, child: Child, player: int) -> float:
        """Return an edge's mean result for a player; meaningless without visits."""
        return float(self.floats[unsigned(child.at + (MEAN + player) * child.size)])

    def sum_of(self, child: Child, player: int) -> int:
        """Return what was credited to a player at an edge, in fixed point."""
        return int(self.sums[unsigned(child.edge * self.players + player)])

    def draws_of(self, child: Child) -> int:
        """Return how many visits of an edge ended drawn."""
        return signed(self.drawn[unsigned(child.edge)])

    # Selection ----------------------------------------------------------------------------------------------------

    def best_child(self, node: int, above: Child, player: int, explore: float) -> Child:
        """Return the child with the best mean + explore / sqrt(visits) for the player to move; `above` leads there."""
        return self.best_of_all(node, player, explore)

    def best_of_all(self, node: int, player: int, explore: float) -> Child:
        """Return it by the statistics that all threads see (UCT: Kocsis and Szepesvari 2006)."""
        left, level = self.child_count(node), 0
        best, chosen = unsigned(0), Child(0, 0, 1)
        while left > 0:
            first, size = self.segment(node, level)
            at = first * (MEAN + self.players)
            top = best_in_segment(self.floats, at + (MEAN + player) * size, at, min(left, size), explore)
            # A later segment must be better, not only as good: its index starts anew.
            if top >> unsigned(32) > best >> unsigned(32) or level == 0:
                best, chosen = top, Child(first + index_of(top), at + index_of(top), size)
            left -= size
            level += 1
        return chosen

    # Backpropagation ----------------------------------------------------------------------------------------------

    def begin_credit(self, child: Child, loss: int) -> float:
        """Count one more visit; return 1 / visits, for `add_result`."""
        place = unsigned(child.at + VISITS * child.size)
        inverse = float32(1.0) / float32(self.add(self.words, place, 1))
        self.floats[unsigned(child.at + SPREAD * child.size)] = math.sqrt(inverse)
        return inverse

    def add_result(self, child: Child, player: int, credit: int, inverse: float) -> None:
        """Credit a result, in fixed point, to a player at an edge."""
        total = self.add(self.sums, unsigned(child.edge * self.players + player), credit)
        mean = float32(total) * (inverse * float32(1 / FIXED_POINT))
        self.floats[unsigned(child.at + (MEAN + player) * child.size)] = mean

    def end_credit(self, child: Child) -> None:
        """Finish what `begin_credit` began, after the results of all players."""

    def expect_visits(self, child: Child, visits: int) -> None:
        """Count visits whose results are still to come, or take them back (-visits): until then everybody lost them."""
        self.add(self.words, unsigned(child.at + VISITS * child.size), visits)
        self.copy_statistics(child)

    def take_new(self, child: Child, visits: int) -> None:
        """Do the same for a child that nobody sees yet, where threads share the tree."""

    def copy_statistics(self, child: Child) -> None:
        """Compute SPREAD and MEAN, which selection reads, from the visits and sums."""
        seen = self.visits_of(child)
        inverse = float32(1.0) / float32(max(seen, 1))
        self.floats[unsigned(child.at + SPREAD * child.size)] = math.sqrt(inverse) if seen > 0 else 0.0
        for player in range(self.players):
            mean = float32(self.sum_of(child, player)) * (inverse * float32(1 / FIXED_POINT))
            self.floats[unsigned(child.at + (MEAN + player) * child.size)] = mean if seen > 0 else float32(UNVISITED)

    def rewrite_results(self, child: Child, player: int, won: int) -> None:
        """Make all past visits of an edge wins of a player, or losses."""
        self.sums[unsigned(child.edge * self.players + player)] = won * self.visits_of(child) * FIXED_POINT
        self.floats[unsigned(child.at + (MEAN + player) * child.size)] = won
        self.drawn[unsigned(child.edge)] = 0

    # Threads: what `locking.py` replaces where several share the tree ---------------------------------------------

    def of_thread(self, number: int, threads: int = 1) -> Self:
        """Return the tree as one of so many threads uses it."""
        return self

    def is_shared(self) -> bool:
        """Return whether several threads search this tree."""
        return False

    def claim(self, node: int) -> bool:
        """Return whether this thread may add children to a node now; if so, `release` the node afterwards."""
        return True

    def release(self, node: int) -> None:
        """Let another thread add children to a node."""

    def link(self, words: Array, place: int, node: int) -> int:
        """Let an edge lead to a node that is complete; return the node that it leads to then."""
        store_release(words, place, node)
        return node

    def add(self, array: Array, place: int, amount: int) -> int:
        """Add to a counter or a sum; return what it is then."""
        total = int(array[place]) + amount
        array[place] = total
        return total

    def count(self, array: Array, place: int, amount: int) -> None:
        """Add to a counter that must be exact whatever the option `counters` says."""
        array[place] += amount

    def mark(self, flags: Array, place: int, bits: int) -> None:
        """Set some bits."""
        flags[place] |= bits

    def publish(self, array: Array, place: int, value: int) -> None:
        """Store a value that shows to other threads, and to snapshots, that something else is complete."""
        store_release(array, place, value)

    def look(self, array: Array, place: int) -> int:
        """Return a published value: all that was written before it can be seen then."""
        return int(array[place])

    def reserve(self, place: int, size: int, capacity: int) -> int:
        """Take the next `size` words or edges of the pool; return the first, or -1 if there are not so many left."""
        first = int(self.used[place])
        if first + size > capacity:
            return -1
        self.used[place] = first + size
        return first

    def pause(self) -> None:
        """Mark a place right before or after a publication: tests let other threads run here."""

    def edges_in_use(self) -> int:
        """Return how many edges hold a child, as far as this thread knows."""
        return int(self.used[EDGES_IN_USE])

    def count_edges(self, amount: int) -> None:
        """Count edges that hold a child from now on."""
        self.used[EDGES_IN_USE] += amount

    def flush(self) -> None:
        """Add what this thread has buffered to what all threads read."""

    def buffered(self, place: int) -> int:
        """Return what all threads have in a place of their buffers."""
        return 0

    def clear_buffers(self) -> None:
        """Forget what threads have buffered, and the room in the pool that they hold."""

    def lock_tree(self) -> None:
        """Wait until no other thread is in a tree that has one lock."""

    def unlock_tree(self) -> None:
        """Let another thread in."""

    def lock(self, edge: int) -> None:
        """Wait until no other thread changes the statistics of an edge that has a lock."""

    def unlock(self, edge: int) -> None:
        """Let other threads change them."""

    def fetch_child(self, child: Child) -> None:
        """Ask for the cache lines that are written when an edge is taken."""

    def fetch_next_child(self, node: int) -> None:
        """Ask for the cache lines of the next child of a node."""

    def give_up(self) -> None:
        """Let no thread wait for one that has failed. The tree has to be cleared then."""
        self.locks[BROKEN] = 1
