"""How threads share a tree: without locks, with a lock for each node, or with one for the whole tree.

An object of these classes is part of the tree, and compiles with it: the code for one thread has nothing of the others.

What is published, and in which order:
* A segment, by compare-and-swap of its place in the node: whoever comes second adopts the first one's.
* A node, by compare-and-swap of CHILD in the edge above, when all its first moves are complete. Whoever comes second
  adopts the first one's; its own node stays unused in the pool.
* A move of a node that exists: all fields of the edge and its notes, then CHILDREN, then TRIED. Only the thread that
  holds the node's LOCK adds moves; without locks the others don't wait for it but go on with the moves that are there.
  A move that is made to be taken at once has its first visit, as lost, before anybody sees it.
* A proof: first the results, then the mark. A cut: the mark; if it is a rule's, TRIED above the number of moves
  before the node is linked, so that whoever sees the node knows that it has not got all of them.
* A shared position: its key in the node's own row and the node's first moves, then TABLE_KEY by compare-and-swap, then
  TABLE_NODE by compare-and-swap. Whoever comes second adopts the first one's; a key without a node yet is nobody's, and
  who comes there makes a node too. What an edge has seen counts for its position before the edge leads there, and both
  change under the edge's lock from then on, so that a position is the sum of its ways whenever nobody is at one.
* Room in the pool, some at a time: each thread holds a piece that nobody else writes to, and new edges and nodes of
  different threads lie in lines of their own. What it has made it tells some iterations later.
* The root's own visits and results, without locks and with exact counters: some iterations at a time, visits first.
* The same for the root's moves, where selection is plain and all of them were tried: a thread chooses among them by a
  view of its own, which has its own results at once and is copied anew when it has told them. An entry is what one
  iteration saw; whoever tells adds its visit, then its results, then writes the copies. Entries and view are nobody
  else's: no order matters there. All are told before a search ends, so that a root that moves has nothing held.
* Sums before visits where nothing is locked, so that a mean is never above 1; MEAN and SPREAD are copies for selection,
  written by whoever was last. Without locks a thread that is interrupted in between writes an old one; it stays until
  the edge is visited again. Whatever is told to people is read off sums and visits, which are exact.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from luozi.compiled import Array, float32, signed, unsigned
from luozi.compiled.arrays import in_own_lines
from luozi.compiled.atomics import (
    compare_and_swap,
    fetch_add,
    fetch_for_write,
    fetch_or,
    give_way,
    load_acquire,
    store_release,
)
from luozi.compiled.bits import index_of
from luozi.compiled.random import random_below
from luozi.search.tree.access import (
    AT,
    BROKEN,
    CACHE_LINE,
    CHOSEN,
    EDGE,
    EDGES_IN_USE,
    END,
    ENTRIES,
    HELD,
    INDEX,
    LOCKS,
    MOST_PLAYERS,
    MOVER,
    MOVES,
    NUMBER,
    RESULTS,
    SEEN,
    SIZE,
    THREADS,
    VIEWED,
    Alone,
)
from luozi.search.tree.fetching import fetch_statistics
from luozi.search.tree.operations import (
    child_at,
    child_count,
    copy_statistics,
    segment,
    tried_of,
    visits_of,
)
from luozi.search.tree.pool import FIXED_POINT, MEAN, SPREAD, VISITS, Child
from luozi.search.tree.selecting import best_in_segment
from luozi.search.tree.viewing import MEANS, MOST_MOVES, SPREADS, copy_some, count_visit, lose_some

SPINS = 64  # tries to get a lock before the processor is given to somebody else
ROOM = 512  # words of nodes, or edges, that a thread takes from the pool at a time
LARGE = ROOM // 16  # more than this is taken alone
LAST = 64  # so many pieces are left in the pool when they begin to get smaller, for threads to share the rest


class Free(Alone):
    """Nobody waits for anybody; no update is lost."""

    def __init__(self) -> None:
        self._take_memory()
        self._crew = [self]

    def _take_memory(self) -> None:
        self.held = in_own_lines(np.zeros(HELD, np.int64))
        self.known = in_own_lines(np.zeros(2 * MOST_MOVES, np.float32))

    def of_thread(self, number: int, threads: int = 1) -> Free:
        while len(self._crew) <= number:
            other = copy(self)
            other._take_memory()
            self._crew.append(other)
        one = self._crew[number]
        one.held[NUMBER], one.held[THREADS] = number, threads
        return one

    def untold(self, place: int) -> int:
        return sum(int(one.held[place]) for one in self._crew)

    def forget_room(self) -> None:
        for one in self._crew:
            one.held[:] = 0

    def is_shared(self) -> bool:
        return True

    def claim(self, nodes: Array, place: int, locks: Array) -> bool:
        self.pause()
        taken = compare_and_swap(nodes, place, 0, 1) == 0
        self.pause()
        return taken

    def leave(self, nodes: Array, place: int) -> None:
        store_release(nodes, place, 0)

    def link(self, words: Array, place: int, node: int) -> int:
        self.pause()
        winner = int(compare_and_swap(words, place, 0, node))
        self.pause()
        return node if winner == 0 else winner

    def fetch(self, array: Array, place: int) -> None:
        fetch_for_write(array, place)

    def add(self, array: Array, place: int, amount: int) -> int:
        return int(fetch_add(array, place, amount)) + amount

    def count(self, array: Array, place: int, amount: int) -> None:
        fetch_add(array, place, amount)

    def mark(self, flags: Array, place: int, bits: int) -> None:
        self.pause()
        fetch_or(flags, place, bits)

    def publish(self, array: Array, place: int, value: int) -> None:
        self.pause()
        store_release(array, place, value)

    def look(self, array: Array, place: int) -> int:
        return int(load_acquire(array, place))

    def reserve(self, used: Array, place: int, size: int, capacity: int) -> int:
        first = int(self.held[place])
        if first + size > self.held[place + END]:
            return self.take_room(used, place, size, capacity)
        self.held[place] = first + size
        return first

    def take_room(self, used: Array, place: int, size: int, capacity: int) -> int:
        """Take a new piece of the pool, or what is wanted alone; where that begins, or -1 if there is not so much left.

        What is left of the old piece is too small for this, and lost, unless the new one follows it.
        """
        # Not an addition that is taken back: what two threads take back could be given away twice.
        first = int(used[place])
        while first + size <= capacity:
            times = min(ROOM, (capacity - first) // LAST) // size if size <= LARGE else 1
            end = first + size * max(times, 1)
            self.pause()
            held = int(compare_and_swap(used, place, first, end))
            if held == first:
                if times > 1:
                    if self.held[place + END] == first:
                        first = int(self.held[place])
                    self.held[place], self.held[place + END] = first + size, end
                return first
            first = held
        return -1

    def edges_in_use(self, used: Array) -> int:
        return int(used[EDGES_IN_USE] + self.held[EDGES_IN_USE])

    def count_edges(self, used: Array, amount: int) -> None:
        self.held[EDGES_IN_USE] += amount

    def hold(self, place: int, amount: int) -> None:
        self.held[place] += amount

    def let_go(self, place: int) -> int:
        """What is told now."""
        amount = int(self.held[place])
        self.held[place] = 0
        return amount

    def entry_of(self, edge: int, players: int) -> int:
        if players > MOST_PLAYERS or (edge != 0 and edge != self.held[CHOSEN]):
            return 0
        return self.entry(0 if edge == 0 else self.held[MOVES] + 1, players)

    def entry(self, number: int, players: int) -> int:
        """Where an entry is: the root's own, then those of its moves."""
        return int(ENTRIES + number * (RESULTS + players))

    def best_at_root(self, tree: Any, node: int, above: int, player: int, explore: float) -> tuple[int, int, int]:
        if above != 0:
            return 0, 0, 1
        self.held[CHOSEN] = 0
        if self.held[VIEWED] == 0 and not self.look_around(tree, node, player):
            return 0, 0, 1
        index = index_of(best_in_segment(self.known, MEANS, SPREADS, self.held[VIEWED], explore))
        child, entry = child_at(tree, node, index), self.entry(self.held[MOVES] + 1, tree.players)
        self.held[entry + EDGE], self.held[entry + AT], self.held[entry + SIZE] = child.edge, child.at, child.size
        self.held[entry + INDEX] = index
        self.held[CHOSEN] = child.edge
        return child.edge, child.at, child.size

    def look_around(self, tree: Any, node: int, player: int) -> bool:
        """Copy what everybody knows of the root's moves; False if selection has to look at what others do there.

        Each thread has a part of the moves. All others look as if somebody were there already, and lost: else all
        threads would go through the same moves in the same order, and write the same lines.
        """
        count = child_count(tree, node)
        if self.entry_of(0, tree.players) == 0 or count > MOST_MOVES or tried_of(tree, node) < tree.actions:
            return False
        done, level = 0, 0
        while done < count:
            first, size = segment(tree, node, level)
            at = first * (MEAN + tree.players)
            copy_some(self.known, SPREADS + done, tree.floats, at + SPREAD * size, min(size, count - done))
            copy_some(self.known, MEANS + done, tree.floats, at + (MEAN + player) * size, min(size, count - done))
            done += size
            level += 1
        threads = max(int(self.held[THREADS]), 1)
        lose_some(self.known, 0, count * self.held[NUMBER] // threads)
        lose_some(self.known, count * (self.held[NUMBER] + 1) // threads, count)
        self.held[VIEWED], self.held[MOVER] = count, player
        return True

    def close_entry(self, edge: int, players: int) -> None:
        if edge != 0:
            entry = self.entry(self.held[MOVES] + 1, players)
            index, result = unsigned(self.held[entry + INDEX]), self.held[entry + RESULTS + self.held[MOVER]]
            count_visit(self.known, index, float32(result) * float32(1 / FIXED_POINT))
            self.held[MOVES] += 1
            self.held[CHOSEN] = 0

    def tell(self, tree: Any) -> None:
        fetch_add(tree.used, EDGES_IN_USE, self.let_go(EDGES_IN_USE))
        if self.entry_of(0, tree.players) == 0:
            return
        for move in range(1, self.held[MOVES] + 1):
            fetch_statistics(tree, self.child_of(self.entry(move, tree.players)))
        for move in range(1, self.held[MOVES] + 1):
            entry = self.entry(move, tree.players)
            self.tell_entry(tree, self.child_of(entry), entry)
        self.tell_entry(tree, Child(0, 0, 1), ENTRIES)
        self.held[CHOSEN], self.held[MOVES], self.held[VIEWED] = 0, 0, 0

    def child_of(self, entry: int) -> Child:
        """The edge of an entry."""
        return Child(self.held[entry + EDGE], self.held[entry + AT], self.held[entry + SIZE])

    def tell_entry(self, tree: Any, child: Child, entry: int) -> None:
        """Add what is held of an edge: its visits first."""
        fetch_add(tree.words, unsigned(child.at + VISITS * child.size), self.let_go(entry + SEEN))
        self.pause()
        for player in range(tree.players):
            fetch_add(tree.sums, unsigned(child.edge * tree.players + player), self.let_go(entry + RESULTS + player))
        if child.edge != 0 or visits_of(tree, child) > 0:
            copy_statistics(tree, child)


class Loose(Free):
    """The same with plain additions: faster, but of two at the same moment one is lost.

    And who is interrupted in the middle of one takes back what others have added meanwhile: with many more threads than
    cores a third of the visits may be gone. So a visit that is taken back may have been lost before.
    """

    def entry_of(self, edge: int, players: int) -> int:
        return 0

    def add(self, array: Array, place: int, amount: int) -> int:
        total = max(signed(array[place]) + signed(amount), 0)
        array[place] = total
        return total


class NodeLocks(Free):
    """Whoever adds moves to a node, or changes the statistics of an edge, waits for whoever does."""

    def entry_of(self, edge: int, players: int) -> int:
        return 0

    def claim(self, nodes: Array, place: int, locks: Array) -> bool:
        spins = 0
        while compare_and_swap(nodes, place, 0, 1) != 0 and locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()
        return True

    def lock(self, locks: Array, edge: int) -> None:
        place, spins = (1 + edge % LOCKS) * CACHE_LINE, 0
        while compare_and_swap(locks, place, 0, 1) != 0 and locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()

    def unlock(self, locks: Array, edge: int) -> None:
        store_release(locks, (1 + edge % LOCKS) * CACHE_LINE, 0)


class EdgeLocks(NodeLocks):
    """For shared positions: an edge and the position it leads to change together. Nobody waits to add moves."""

    def claim(self, nodes: Array, place: int, locks: Array) -> bool:
        self.pause()
        return compare_and_swap(nodes, place, 0, 1) == 0


class GlobalLock(Loose):
    """One thread at a time is in the tree; the others simulate, or wait."""

    def lock_all(self, locks: Array) -> None:
        spins = 0
        while compare_and_swap(locks, 0, 0, 1) != 0 and locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()

    def unlock_all(self, locks: Array) -> None:
        store_release(locks, 0, 0)


class Hostile(Free):
    """For tests: often gives the processor away around a publication, so that the others come in between."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = np.ones(1, np.uint64)  # all threads throw them; what a race does to them is chance too

    def pause(self) -> None:
        if random_below(self.dice, 2) == 0:
            give_way()


class HostileSharing(EdgeLocks):
    """For tests: the same where positions are shared."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = np.ones(1, np.uint64)

    def pause(self) -> None:
        if random_below(self.dice, 2) == 0:
            give_way()


# By what the options `locks` and, without locks, `share` and `counters` say.
ACCESS: dict[str, type[Alone]] = {
    "atomic": Free,
    "plain": Loose,
    "share": EdgeLocks,
    "node": NodeLocks,
    "global": GlobalLock,
}
