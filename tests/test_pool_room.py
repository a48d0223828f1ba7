"""Room in the node pool where threads share it: each holds a piece of its own, and no piece is anybody else's."""

from __future__ import annotations

import random
import weakref
from itertools import pairwise

import pytest

import luozi
from luozi.search.tree.locking import END, ROOM, SharedTree
from luozi.search.tree.pool import MEAN, NEXT_EDGE, NEXT_NODE

SIZES = (4, 4, 4, 4, 8, 8, 16, 32, 64, 101)  # segments of a large board, small ones most often
CAPACITY = 20_000
NODE = 6  # words: of a node with nine moves


def crew_of(threads):
    first = SharedTree(1000, 2, 9)
    return [first.of_thread(number) for number in range(threads)]


def taken_until_full(crew, sizes, place=NEXT_EDGE):
    """Whoever's turn it is by chance takes something, until nobody gets the smallest; where and how much."""
    dice, taken, left = random.Random(1), [], list(crew)
    while left:
        one, size = dice.choice(left), dice.choice(sizes)
        first = one.reserve(place, size, CAPACITY)
        if first >= 0:
            taken.append((first, size))
        elif size == min(sizes):
            left.remove(one)
    return sorted(taken)


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_nothing_is_given_away_twice_and_the_pool_is_not_overrun(threads):
    crew = crew_of(threads)
    taken = taken_until_full(crew, SIZES)
    assert all(first + size <= following for (first, size), (following, _) in pairwise(taken))
    assert taken[0][0] == 1
    assert sum(taken[-1]) <= crew[0].used[NEXT_EDGE] <= CAPACITY


@pytest.mark.parametrize(("threads", "lost"), [(1, 0.02), (2, 0.06), (16, 0.12)])
def test_little_of_the_pool_is_lost_between_pieces(threads, lost):
    taken = taken_until_full(crew_of(threads), SIZES)
    assert sum(size for _, size in taken) >= (1 - lost) * (CAPACITY - 1)


def test_nodes_lie_where_their_number_says():
    """The place of a node is a multiple of what a node takes."""
    taken = taken_until_full(crew_of(3), (NODE,), NEXT_NODE)
    assert all(first % NODE == 0 for first, _ in taken)
    assert len(taken) >= CAPACITY // NODE - 1 - 3 * ROOM // NODE


def test_threads_write_new_edges_apart_from_each_other():
    """Neighbours in memory, which one line holds, are one thread's."""
    crew = crew_of(2)
    pieces = [[one.reserve(NEXT_EDGE, 4, 100 * CAPACITY) for one in crew] for _ in range(ROOM // 4)]
    mine, others = zip(*pieces, strict=True)
    assert max(mine) < min(others)
    assert list(mine) == list(range(1, 1 + ROOM, 4))


def test_a_pool_that_begins_anew_is_whole_again():
    """What threads held of the old one is forgotten, or two would have the same."""
    engine = luozi.Engine(luozi.game("tictactoe"), threads=3, pool_size=5_000, seed=1)
    tree = engine.tree
    capacity = len(tree.words) // (MEAN + tree.players)
    crew = [tree.of_thread(number) for number in range(3)]
    assert len({one.reserve(NEXT_EDGE, 4, capacity) for one in crew}) == 3
    tree.clear()
    assert [int(one.buffer[NEXT_EDGE + END]) for one in crew] == [0, 0, 0]
    assert crew[1].reserve(NEXT_EDGE, 4, capacity) == 1


def test_the_memory_of_a_shared_tree_is_free_as_soon_as_nobody_uses_it():
    tree = SharedTree(1000, 2, 9)
    gone = weakref.ref(tree.of_thread(1)), weakref.ref(tree)
    del tree
    assert [one() for one in gone] == [None, None]
