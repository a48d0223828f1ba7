"""How threads share a tree: alone, without locks, with a lock for each node, or with one for the whole tree.

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
* Sums before visits where nothing is locked, so that a mean is never above 1; MEAN and SPREAD are copies for selection,
  written by whoever was last. Without locks a thread that is interrupted in between writes an old one; it stays until
  the edge is visited again. Whatever is told to people is read off sums and visits, which are exact.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from luozi.compiled import Compilable, signed
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
from luozi.compiled.random import random_below

SPINS = 64  # tries to get a lock before the processor is given to somebody else
LOCKS = 4096  # for the statistics of edges; edges that share one wait for each other
CACHE_LINE = 16  # words
ROOM = 512  # words of nodes, or edges, that a thread takes from the pool at a time
LARGE = ROOM // 16  # more than this is taken alone
LAST = 64  # so many pieces are left in the pool when they begin to get smaller, for threads to share the rest
# Places in Tree.used, and the same in what a thread holds for itself: there the edges that it has not told yet, and
# behind each of the first two where its room ends. Then what it has not told of the root: visits, and results.
NEXT_NODE, NEXT_EDGE, EDGES_IN_USE, END = 0, 1, 2, 3
ROOT_VISITS, ROOT_SUM = END + 2, END + 3
MOST_PLAYERS = 26  # whose results at the root are held
HELD = ROOT_SUM + MOST_PLAYERS
BROKEN = 1  # the word after the lock of the tree: a thread has failed, and nobody waits for it


class Alone(Compilable):
    """One thread: nothing is shared."""

    entry_points = (
        *("is_shared", "claim", "leave", "link", "add", "count", "mark", "publish"),
        *("lock_all", "unlock_all", "lock", "unlock", "look", "reserve", "pause", "fetch"),
        *("edges_in_use", "count_edges", "tell_edges", "holds", "hold", "let_go"),
    )

    def of_thread(self, number: int) -> Alone:
        """How one of several threads shares the tree."""
        return self

    def untold(self, place: int) -> int:
        """What threads have not told yet, for whoever looks while they search."""
        return 0

    def forget_room(self) -> None:
        """The pool begins anew: whatever threads hold of it is nobody's."""

    def is_shared(self) -> bool:
        """Whether other threads may look."""
        return False

    def claim(self, nodes: Any, place: int, locks: Any) -> bool:
        """Whether this thread may add moves to a node now."""
        return True

    def leave(self, nodes: Any, place: int) -> None:
        """Another thread may."""

    def link(self, words: Any, place: int, node: int) -> int:
        """Let an edge lead to a node that is complete; the node that it leads to then."""
        store_release(words, place, node)
        return node

    def add(self, array: Any, place: int, amount: int) -> int:
        """Add to a counter or a sum; what it is then."""
        total = int(array[place]) + amount
        array[place] = total
        return total

    def count(self, array: Any, place: int, amount: int) -> None:
        """Add to what must never be wrong: iterations, and what the pool has given away."""
        array[place] += amount

    def mark(self, flags: Any, place: int, bits: int) -> None:
        """Set some bits."""
        flags[place] |= bits

    def publish(self, array: Any, place: int, value: int) -> None:
        """Write what tells others that something else is complete: whoever looks while the search goes on, too."""
        store_release(array, place, value)

    def look(self, array: Any, place: int) -> int:
        """Read what was published: whatever was written before it can be seen then."""
        return int(array[place])

    def reserve(self, used: Any, place: int, size: int, capacity: int) -> int:
        """Take the next so many of the pool; where they begin, or -1 if there are not so many left."""
        first = int(used[place])
        if first + size > capacity:
            return -1
        used[place] = first + size
        return first

    def edges_in_use(self, used: Any) -> int:
        """How many edges hold a child, as far as this thread knows."""
        return int(used[EDGES_IN_USE])

    def count_edges(self, used: Any, amount: int) -> None:
        """So many edges more hold a child."""
        used[EDGES_IN_USE] += amount

    def tell_edges(self, used: Any) -> None:
        """Let everybody know how many edges this thread has made."""

    def holds(self, edge: int, players: int) -> bool:
        """Whether what an edge has seen is told later: every iteration would write the root's."""
        return False

    def hold(self, place: int, amount: int) -> None:
        """Add to what is told later."""

    def let_go(self, place: int) -> int:
        """What is told now."""
        return 0

    def fetch(self, array: Any, place: int) -> None:
        """Something is written soon: its line may come meanwhile from whoever wrote it last."""

    def pause(self) -> None:
        """Something is about to be published, or just was; only tests do something then."""

    def lock_all(self, locks: Any) -> None:
        """Begin to read and write the tree."""

    def unlock_all(self, locks: Any) -> None:
        """End it."""

    def lock(self, locks: Any, edge: int) -> None:
        """Begin to write the statistics of an edge."""

    def unlock(self, locks: Any, edge: int) -> None:
        """End it."""


class Free(Alone):
    """Nobody waits for anybody; no update is lost."""

    def __init__(self) -> None:
        self.held = in_own_lines(np.zeros(HELD, np.int64))
        self._crew = [self]

    def of_thread(self, number: int) -> Free:
        while len(self._crew) <= number:
            other = copy(self)
            other.held = in_own_lines(np.zeros(HELD, np.int64))
            self._crew.append(other)
        return self._crew[number]

    def untold(self, place: int) -> int:
        return sum(int(one.held[place]) for one in self._crew)

    def forget_room(self) -> None:
        for one in self._crew:
            one.held[:] = 0

    def is_shared(self) -> bool:
        return True

    def claim(self, nodes: Any, place: int, locks: Any) -> bool:
        self.pause()
        taken = compare_and_swap(nodes, place, 0, 1) == 0
        self.pause()
        return taken

    def leave(self, nodes: Any, place: int) -> None:
        store_release(nodes, place, 0)

    def link(self, words: Any, place: int, node: int) -> int:
        self.pause()
        winner = int(compare_and_swap(words, place, 0, node))
        self.pause()
        return node if winner == 0 else winner

    def fetch(self, array: Any, place: int) -> None:
        fetch_for_write(array, place)

    def add(self, array: Any, place: int, amount: int) -> int:
        return int(fetch_add(array, place, amount)) + amount

    def count(self, array: Any, place: int, amount: int) -> None:
        fetch_add(array, place, amount)

    def mark(self, flags: Any, place: int, bits: int) -> None:
        self.pause()
        fetch_or(flags, place, bits)

    def publish(self, array: Any, place: int, value: int) -> None:
        self.pause()
        store_release(array, place, value)

    def look(self, array: Any, place: int) -> int:
        return int(load_acquire(array, place))

    def reserve(self, used: Any, place: int, size: int, capacity: int) -> int:
        first = int(self.held[place])
        if first + size > self.held[place + END]:
            return self.take_room(used, place, size, capacity)
        self.held[place] = first + size
        return first

    def take_room(self, used: Any, place: int, size: int, capacity: int) -> int:
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

    def edges_in_use(self, used: Any) -> int:
        return int(used[EDGES_IN_USE] + self.held[EDGES_IN_USE])

    def count_edges(self, used: Any, amount: int) -> None:
        self.held[EDGES_IN_USE] += amount

    def tell_edges(self, used: Any) -> None:
        fetch_add(used, EDGES_IN_USE, self.held[EDGES_IN_USE])
        self.held[EDGES_IN_USE] = 0

    def holds(self, edge: int, players: int) -> bool:
        return edge == 0 and players <= MOST_PLAYERS

    def hold(self, place: int, amount: int) -> None:
        self.held[place] += amount

    def let_go(self, place: int) -> int:
        amount = int(self.held[place])
        self.held[place] = 0
        return amount


class Loose(Free):
    """The same with plain additions: faster, but of two at the same moment one is lost.

    And who is interrupted in the middle of one takes back what others have added meanwhile: with many more threads than
    cores a third of the visits may be gone. So a visit that is taken back may have been lost before.
    """

    def holds(self, edge: int, players: int) -> bool:
        return False

    def add(self, array: Any, place: int, amount: int) -> int:
        total = max(signed(array[place]) + signed(amount), 0)
        array[place] = total
        return total


class NodeLocks(Free):
    """Whoever adds moves to a node, or changes the statistics of an edge, waits for whoever does."""

    def holds(self, edge: int, players: int) -> bool:
        return False

    def claim(self, nodes: Any, place: int, locks: Any) -> bool:
        spins = 0
        while compare_and_swap(nodes, place, 0, 1) != 0 and locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()
        return True

    def lock(self, locks: Any, edge: int) -> None:
        place, spins = (1 + edge % LOCKS) * CACHE_LINE, 0
        while compare_and_swap(locks, place, 0, 1) != 0 and locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()

    def unlock(self, locks: Any, edge: int) -> None:
        store_release(locks, (1 + edge % LOCKS) * CACHE_LINE, 0)


class EdgeLocks(NodeLocks):
    """For shared positions: an edge and the position it leads to change together. Nobody waits to add moves."""

    def claim(self, nodes: Any, place: int, locks: Any) -> bool:
        self.pause()
        return compare_and_swap(nodes, place, 0, 1) == 0


class GlobalLock(Loose):
    """One thread at a time is in the tree; the others simulate, or wait."""

    def lock_all(self, locks: Any) -> None:
        spins = 0
        while compare_and_swap(locks, 0, 0, 1) != 0 and locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()

    def unlock_all(self, locks: Any) -> None:
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
