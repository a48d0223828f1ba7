"""How threads share a tree: here for one thread, which shares nothing; `sharing.py` has all other ways.

An object of these classes is part of the tree, and compiles with it: the code for one thread has nothing of the others.
"""

from __future__ import annotations

from typing import Any

from luozi.compiled import Array, Compilable
from luozi.compiled.atomics import store_release

LOCKS = 4096  # for the statistics of edges; edges that share one wait for each other
CACHE_LINE = 16  # words
NEXT_NODE, NEXT_EDGE, EDGES_IN_USE = 0, 1, 2  # places in Tree.used
BROKEN = 1  # the word after the lock of the tree: a thread has failed, and nobody waits for it
MOST_UNTOLD = 128  # iterations that a thread keeps to itself, where several share a tree
# What each of several threads holds for itself: at the places of Tree.used where its room begins, and the edges that it
# has not told; at END + these where its room ends. The move of the root that it is at; how many moves of the root it
# has not told; how many its own view has (0: it has none), and whose means these are. Then an entry for the root's own
# edge, and one for each of these moves.
END = 3
NUMBER, THREADS, CHOSEN, MOVES, VIEWED, MOVER, ENTRIES = range(END + 2, END + 9)
# An entry: which edge it is, its place in the view, its visits, and what was credited to each player.
EDGE, AT, SIZE, INDEX, SEEN, RESULTS = range(6)
MOST_PLAYERS = 26  # whose results are held
HELD = ENTRIES + (1 + MOST_UNTOLD) * (RESULTS + MOST_PLAYERS)
ROOT_VISITS, ROOT_SUM = ENTRIES + SEEN, ENTRIES + RESULTS


class Alone(Compilable):
    """One thread: nothing is shared."""

    entry_points = (
        *("is_shared", "claim", "leave", "link", "add", "count", "mark", "publish"),
        *("lock_all", "unlock_all", "lock", "unlock", "look", "reserve", "pause", "fetch"),
        *("edges_in_use", "count_edges", "tell", "best_at_root", "entry_of", "hold", "close_entry"),
    )

    def of_thread(self, number: int, threads: int = 1) -> Alone:
        """How one of so many threads shares the tree."""
        return self

    def untold(self, place: int) -> int:
        """What threads have not told yet, for whoever looks while they search."""
        return 0

    def forget_room(self) -> None:
        """The pool begins anew: whatever threads hold of it is nobody's."""

    def is_shared(self) -> bool:
        """Whether other threads may look."""
        return False

    def claim(self, nodes: Array, place: int, locks: Array) -> bool:
        """Whether this thread may add moves to a node now."""
        return True

    def leave(self, nodes: Array, place: int) -> None:
        """Another thread may."""

    def link(self, words: Array, place: int, node: int) -> int:
        """Let an edge lead to a node that is complete; the node that it leads to then."""
        store_release(words, place, node)
        return node

    def add(self, array: Array, place: int, amount: int) -> int:
        """Add to a counter or a sum; what it is then."""
        total = int(array[place]) + amount
        array[place] = total
        return total

    def count(self, array: Array, place: int, amount: int) -> None:
        """Add to what must never be wrong: iterations, and what the pool has given away."""
        array[place] += amount

    def mark(self, flags: Array, place: int, bits: int) -> None:
        """Set some bits."""
        flags[place] |= bits

    def publish(self, array: Array, place: int, value: int) -> None:
        """Write what tells others that something else is complete: whoever looks while the search goes on, too."""
        store_release(array, place, value)

    def look(self, array: Array, place: int) -> int:
        """Read what was published: whatever was written before it can be seen then."""
        return int(array[place])

    def reserve(self, used: Array, place: int, size: int, capacity: int) -> int:
        """Take the next so many of the pool; where they begin, or -1 if there are not so many left."""
        first = int(used[place])
        if first + size > capacity:
            return -1
        used[place] = first + size
        return first

    def edges_in_use(self, used: Array) -> int:
        """How many edges hold a child, as far as this thread knows."""
        return int(used[EDGES_IN_USE])

    def count_edges(self, used: Array, amount: int) -> None:
        """So many edges more hold a child."""
        used[EDGES_IN_USE] += amount

    def tell(self, tree: Any) -> None:
        """Let everybody know what this thread has kept to itself: edges that it has made, and what they have seen."""

    def best_at_root(self, tree: Any, node: int, above: int, player: int, explore: float) -> tuple[int, int, int]:
        """The best child by this thread's own view, if the edge above is the root's and there is one; else edge 0."""
        return 0, 0, 1

    def entry_of(self, edge: int, players: int) -> int:
        """Where to hold what an edge sees, which is told later; 0 for one that everybody is to see at once."""
        return 0

    def hold(self, place: int, amount: int) -> None:
        """Add to what is told later."""

    def close_entry(self, edge: int, players: int) -> None:
        """All that an edge has seen of this iteration is held."""

    def fetch(self, array: Array, place: int) -> None:
        """Something is written soon: its line may come meanwhile from whoever wrote it last."""

    def pause(self) -> None:
        """Something is about to be published, or just was; only tests do something then."""

    def lock_all(self, locks: Array) -> None:
        """Begin to read and write the tree."""

    def unlock_all(self, locks: Array) -> None:
        """End it."""

    def lock(self, locks: Array, edge: int) -> None:
        """Begin to write the statistics of an edge."""

    def unlock(self, locks: Array, edge: int) -> None:
        """End it."""
