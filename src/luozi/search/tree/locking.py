"""Trees that several threads search: without locks, with a lock for each node, or with one for the whole tree.

What is published, and in which order:

* A segment, by compare-and-swap of its place in the node. The second thread adopts the segment of the first one.
* A node, by compare-and-swap of CHILD in the edge above, when all its first moves are complete. The second thread
  adopts the node of the first one; its own node stays unused in the pool.
* A move of a node that exists: all fields of the edge and its side tables, then CHILDREN, then TRIED. Only the thread
  that holds the node's LOCK adds moves. Without locks the others do not wait for it: they go on with the moves that
  are there, and where there is none they evaluate the node's own position. A move that is made to be taken at once
  has its first visit, as lost, before anybody sees it.
* A proof: first the results, then the mark. A pruned move: the mark; if a rule left it out, TRIED is above the number
  of moves before the node is linked, so that a thread that sees the node sees that it has not got all moves.
* A transposition: the key in the node's own row and the node's first moves, then TABLE_KEY by compare-and-swap, then
  TABLE_NODE by compare-and-swap. The second thread adopts the node of the first one. A thread that finds a key without
  a node makes a node too. What an edge has seen is added to its position before the edge leads there, and both change
  under the edge's lock from then on, so that a position is the sum of its ways whenever no thread is at one.
* Room in the pool, some at a time: each thread holds a piece that nobody else writes to, and new edges and nodes of
  different threads lie in cache lines of their own. The number of edges is added up some iterations later.
* The root's own visits and results, without locks and with exact counters: some iterations at a time, visits first.
* The same for the root's moves, where selection is plain and all of them were tried: a thread chooses among them by a
  view of its own, which has its own results at once and is copied anew when they are flushed. An entry of the buffer
  is what one iteration saw. `flush` adds its visit, then its results, then writes SPREAD and MEAN. Nobody else reads
  entries and views, so no order matters there. All threads flush before a search ends.
* Sums before visits where nothing is locked, so that a mean is never above 1. SPREAD and MEAN are copies for
  selection, written by the thread that came last. Without locks a thread that is interrupted in between writes an old
  copy, which stays until the edge is visited again. Results for people are read from sums and visits, which are exact.
"""

from __future__ import annotations

import math
from typing import Any, Self

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
from luozi.search.tree.pool import (
    BROKEN,
    CACHE_LINE,
    EDGES_IN_USE,
    FIXED_POINT,
    LOCK,
    LOCKS,
    MEAN,
    SPREAD,
    VISITS,
    Child,
)
from luozi.search.tree.selecting import (
    MEANS,
    MOST_MOVES,
    SPREADS,
    best_in_segment,
    copy_some,
    count_visit,
    lose_some,
)
from luozi.search.tree.tree import Tree

SPINS = 64  # tries to get a lock before the processor is given to another thread
ROOM = 512  # words of nodes, or edges, that a thread takes from the pool at a time
LARGE = ROOM // 16  # more than this is taken alone
LAST = 64  # so many pieces are left in the pool when they begin to get smaller, for threads to share the rest
MOST_BUFFERED = 128  # iterations that a thread keeps to itself
MOST_PLAYERS = 26  # whose results are buffered

# The buffer of a thread: at the places of Tree.used where its room in the pool begins, and the edges that it has not
# flushed; at END + these where its room ends. Then the number of the thread, the number of all threads, the edge of the
# root's move that it is at, how many moves of the root are buffered, how many its view has (0: it has none), and whose
# means these are. Then an entry for the root's own edge, and one for each of these moves.
END = 3
NUMBER, THREADS, CHOSEN, MOVES, VIEWED, MOVER, ENTRIES = range(END + 2, END + 9)
# An entry: the edge as a `Child`, its place in the view, its visits, and what was credited to each player.
EDGE, AT, SIZE, INDEX, SEEN, RESULTS = range(6)
BUFFER = ENTRIES + (1 + MOST_BUFFERED) * (RESULTS + MOST_PLAYERS)
ROOT_VISITS, ROOT_SUM = ENTRIES + SEEN, ENTRIES + RESULTS


class SharedTree(Tree):
    """A tree without locks and with exact counters: no thread waits for another."""

    buffer: Array  # [BUFFER] i8: see above
    root_view: Array  # [2 * MOST_MOVES] f4: 1 / sqrt(visits) of the root's moves, then their means for the mover

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.others: list[Any] = []  # the same arrays for each other thread, with a buffer and a view of its own
        self._new_buffer()

    def _new_buffer(self) -> None:
        buffer, view = np.zeros(BUFFER, np.int64), np.zeros(2 * MOST_MOVES, np.float32)
        self.set_fields(buffer=in_own_lines(buffer), root_view=in_own_lines(view))

    def of_thread(self, number: int, threads: int = 1) -> Self:
        while len(self.others) < number:
            other = object.__new__(type(self))
            # Without the list of others: a circle would keep the arrays until Python looks for garbage.
            vars(other).update({**vars(self), "others": ()})
            other._new_buffer()
            self.others.append(other)
        one: Self = self if number == 0 else self.others[number - 1]
        one.buffer[NUMBER], one.buffer[THREADS] = number, threads
        return one

    def buffered(self, place: int) -> int:
        return int(self.buffer[place]) + sum(int(one.buffer[place]) for one in self.others)

    def clear_buffers(self) -> None:
        for one in (self, *self.others):
            one.buffer[:] = 0

    def is_shared(self) -> bool:
        return True

    # Publications -------------------------------------------------------------------------------------------------

    def claim(self, node: int) -> bool:
        self.pause()
        taken = compare_and_swap(self.nodes, unsigned(node + LOCK), 0, 1) == 0
        self.pause()
        return taken

    def release(self, node: int) -> None:
        store_release(self.nodes, unsigned(node + LOCK), 0)

    def wait_for(self, words: Array, place: int) -> None:
        """Wait for a lock."""
        spins = 0
        while compare_and_swap(words, place, 0, 1) != 0 and self.locks[BROKEN] == 0:
            spins += 1
            if spins % SPINS == 0:
                give_way()

    def link(self, words: Array, place: int, node: int) -> int:
        self.pause()
        winner = int(compare_and_swap(words, place, 0, node))
        self.pause()
        return node if winner == 0 else winner

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

    # Room in the pool ---------------------------------------------------------------------------------------------

    def reserve(self, place: int, size: int, capacity: int) -> int:
        first = int(self.buffer[place])
        if first + size > self.buffer[place + END]:
            return self.take_room(place, size, capacity)
        self.buffer[place] = first + size
        return first

    def take_room(self, place: int, size: int, capacity: int) -> int:
        """Take a new piece of the pool, or `size` alone; return where that begins, or -1 if too little is left.

        What is left of the old piece is too small for this, and lost, unless the new one follows it.
        """
        # Not an addition that is taken back: what two threads take back could be given away twice.
        first = int(self.used[place])
        while first + size <= capacity:
            times = min(ROOM, (capacity - first) // LAST) // size if size <= LARGE else 1
            end = first + size * max(times, 1)
            self.pause()
            held = int(compare_and_swap(self.used, place, first, end))
            if held == first:
                if times > 1:
                    if self.buffer[place + END] == first:
                        first = int(self.buffer[place])
                    self.buffer[place], self.buffer[place + END] = first + size, end
                return first
            first = held
        return -1

    def edges_in_use(self) -> int:
        return int(self.used[EDGES_IN_USE] + self.buffer[EDGES_IN_USE])

    def count_edges(self, amount: int) -> None:
        self.buffer[EDGES_IN_USE] += amount

    # The path: an edge counts as lost from the way down until its result comes (virtual loss) -----------------------

    def take_edge(self, child: Child, loss: int) -> None:
        self.lock(child.edge)
        self.expect_visits(child, loss)
        node = self.node_of(child) if self.table.shape[0] > 1 else 0
        if node != 0:
            self.count_position(node, loss)
        self.unlock(child.edge)

    def expect_visits(self, child: Child, visits: int) -> None:
        if self.entry_of(child.edge) == 0:
            self.add(self.words, unsigned(child.at + VISITS * child.size), visits)
            self.copy_statistics(child)

    def take_new(self, child: Child, visits: int) -> None:
        """Count visits of a child that nobody sees yet: nobody else writes it, so that nothing has to be atomic."""
        self.words[unsigned(child.at + VISITS * child.size)] = visits
        self.floats[unsigned(child.at + SPREAD * child.size)] = 1.0 / math.sqrt(float32(visits))
        for player in range(self.players):
            self.floats[unsigned(child.at + (MEAN + player) * child.size)] = 0.0

    def begin_credit(self, child: Child, loss: int) -> float:
        """Take back what was counted on the way down beyond one visit."""
        self.lock(child.edge)
        entry = self.entry_of(child.edge)
        if entry != 0:
            self.buffer[entry + SEEN] += 1
        elif loss != 1:
            self.add(self.words, unsigned(child.at + VISITS * child.size), 1 - loss)
        return float32(1.0)

    def add_result(self, child: Child, player: int, credit: int, inverse: float) -> None:
        entry = self.entry_of(child.edge)
        if entry != 0:
            self.buffer[entry + RESULTS + player] += credit
        else:
            self.add(self.sums, unsigned(child.edge * self.players + player), credit)

    def end_credit(self, child: Child) -> None:
        """Write SPREAD and MEAN now: other threads may have come in between."""
        if self.entry_of(child.edge) != 0:
            self.close_entry(child.edge)
        else:
            self.copy_statistics(child)
        self.unlock(child.edge)

    # The buffer of the root's edges -------------------------------------------------------------------------------

    def entry_of(self, edge: int) -> int:
        """Return where to buffer what an edge sees; 0 for an edge whose statistics are not buffered."""
        if self.players > MOST_PLAYERS or (edge != 0 and edge != self.buffer[CHOSEN]):
            return 0
        return self.entry(0 if edge == 0 else self.buffer[MOVES] + 1)

    def entry(self, number: int) -> int:
        """Return where an entry is: the root's own, then those of its moves."""
        return int(ENTRIES + number * (RESULTS + self.players))

    def close_entry(self, edge: int) -> None:
        """Finish the entry of one iteration."""
        if edge != 0:
            entry = self.entry(self.buffer[MOVES] + 1)
            index, result = unsigned(self.buffer[entry + INDEX]), self.buffer[entry + RESULTS + self.buffer[MOVER]]
            count_visit(self.root_view, index, float32(result) * float32(1 / FIXED_POINT))
            self.buffer[MOVES] += 1
            self.buffer[CHOSEN] = 0

    def flush(self) -> None:
        fetch_add(self.used, EDGES_IN_USE, self.take_buffered(EDGES_IN_USE))
        if self.entry_of(0) == 0:
            return
        for move in range(1, self.buffer[MOVES] + 1):
            self.fetch_statistics(self.child_of(self.entry(move)))
        for move in range(1, self.buffer[MOVES] + 1):
            self.flush_entry(self.child_of(self.entry(move)), self.entry(move))
        self.flush_entry(Child(0, 0, 1), ENTRIES)
        self.buffer[CHOSEN], self.buffer[MOVES], self.buffer[VIEWED] = 0, 0, 0

    def take_buffered(self, place: int) -> int:
        """Return what is buffered at a place, and clear it."""
        amount = int(self.buffer[place])
        self.buffer[place] = 0
        return amount

    def child_of(self, entry: int) -> Child:
        """Return the edge of an entry."""
        return Child(self.buffer[entry + EDGE], self.buffer[entry + AT], self.buffer[entry + SIZE])

    def flush_entry(self, child: Child, entry: int) -> None:
        """Add what is buffered of an edge: its visits first."""
        visits = self.take_buffered(entry + SEEN)
        fetch_add(self.words, unsigned(child.at + VISITS * child.size), visits)
        self.pause()
        for player in range(self.players):
            credit = self.take_buffered(entry + RESULTS + player)
            fetch_add(self.sums, unsigned(child.edge * self.players + player), credit)
        if child.edge != 0 or self.visits_of(child) > 0:
            self.copy_statistics(child)

    # A thread's view of the root's moves --------------------------------------------------------------------------

    def best_child(self, node: int, above: Child, player: int, explore: float) -> Child:
        if above.edge == 0:
            self.buffer[CHOSEN] = 0
            if self.buffer[VIEWED] != 0 or self.copy_view(node, player):
                return self.best_in_view(node, explore)
        return self.best_of_all(node, player, explore)

    def best_in_view(self, node: int, explore: float) -> Child:
        """Return the best of the root's moves by this thread's own view, and begin an entry for it."""
        index = index_of(best_in_segment(self.root_view, MEANS, SPREADS, self.buffer[VIEWED], explore))
        child, entry = self.child_at(node, index), self.entry(self.buffer[MOVES] + 1)
        self.buffer[entry + EDGE], self.buffer[entry + AT], self.buffer[entry + SIZE] = child.edge, child.at, child.size
        self.buffer[entry + INDEX] = index
        self.buffer[CHOSEN] = child.edge
        return child

    def copy_view(self, node: int, player: int) -> bool:
        """Copy the statistics of the root's moves; False if selection has to look at what others do there.

        Each thread has a part of the moves. All others look as if a thread were there already, and lost: else all
        threads would go through the same moves in the same order, and write the same lines.
        """
        count = self.child_count(node)
        if self.entry_of(0) == 0 or count > MOST_MOVES or self.tried_of(node) < self.actions:
            return False
        done, level = 0, 0
        while done < count:
            first, size = self.segment(node, level)
            at = first * (MEAN + self.players)
            copy_some(self.root_view, SPREADS + done, self.floats, at + SPREAD * size, min(size, count - done))
            copy_some(self.root_view, MEANS + done, self.floats, at + (MEAN + player) * size, min(size, count - done))
            done += size
            level += 1
        threads = max(int(self.buffer[THREADS]), 1)
        lose_some(self.root_view, 0, count * self.buffer[NUMBER] // threads)
        lose_some(self.root_view, count * (self.buffer[NUMBER] + 1) // threads, count)
        self.buffer[VIEWED], self.buffer[MOVER] = count, player
        return True

    # Cache lines: a line that another core wrote last takes as long to come as a hundred instructions, and an atomic
    # operation waits for all that was written before it. Lines that were asked for together come together. ----------

    def fetch_child(self, child: Child) -> None:
        if self.entry_of(child.edge) == 0:
            self.fetch_statistics(child)
        fetch_for_write(self.nodes, unsigned(self.node_of(child) + LOCK))

    def fetch_statistics(self, child: Child) -> None:
        """Ask for what is counted of an edge, and copied."""
        fetch_for_write(self.words, unsigned(child.at + VISITS * child.size))
        fetch_for_write(self.words, unsigned(child.at + SPREAD * child.size))
        for player in range(self.players):
            fetch_for_write(self.words, unsigned(child.at + (MEAN + player) * child.size))
        fetch_for_write(self.sums, unsigned(child.edge * self.players))

    def fetch_next_child(self, node: int) -> None:
        """Ask for where the next child of a node will lie, if its segment is there: else nobody has written it."""
        count = self.child_count(node)
        if count < self.actions:
            level, index, size = self.place_of(count)
            first, _ = self.segment(node, level)
            if first != 0:
                child = self.child_in(first, size, index)
                for field in range(MEAN + self.players):
                    fetch_for_write(self.words, unsigned(child.at + field * child.size))
                fetch_for_write(self.sums, unsigned(child.edge * self.players))


class PlainCounterTree(SharedTree):
    """The same with plain additions: faster, but of two at the same moment one is lost.

    A thread that is interrupted in the middle of an addition also takes back what others have added meanwhile. With
    many more threads than cores a third of the visits may be lost, so a visit that is taken back may be lost already.
    """

    def entry_of(self, edge: int) -> int:
        return 0

    def add(self, array: Array, place: int, amount: int) -> int:
        total = max(signed(array[place]) + signed(amount), 0)
        array[place] = total
        return total


class NodeLockTree(SharedTree):
    """A thread that adds moves to a node, or changes the statistics of an edge, waits for one that does the same."""

    def entry_of(self, edge: int) -> int:
        return 0

    def claim(self, node: int) -> bool:
        self.wait_for(self.nodes, unsigned(node + LOCK))
        return True

    def lock(self, edge: int) -> None:
        self.wait_for(self.locks, (1 + edge % LOCKS) * CACHE_LINE)

    def unlock(self, edge: int) -> None:
        store_release(self.locks, (1 + edge % LOCKS) * CACHE_LINE, 0)


class EdgeLockTree(NodeLockTree):
    """For transpositions: an edge and the position it leads to change together. No thread waits to add moves."""

    def claim(self, node: int) -> bool:
        self.pause()
        return compare_and_swap(self.nodes, unsigned(node + LOCK), 0, 1) == 0


class GlobalLockTree(PlainCounterTree):
    """One thread at a time is in the tree; the others simulate, or wait."""

    def lock_tree(self) -> None:
        self.wait_for(self.locks, 0)

    def unlock_tree(self) -> None:
        store_release(self.locks, 0, 0)


# By the options: `locks`, or without locks `transpositions` and `counters`.
SHARED_TREES: dict[str, type[SharedTree]] = {
    "atomic": SharedTree,
    "plain": PlainCounterTree,
    "transpositions": EdgeLockTree,
    "node": NodeLockTree,
    "global": GlobalLockTree,
}
