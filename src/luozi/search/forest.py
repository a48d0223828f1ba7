"""The trees of one engine: one, or with `parallel=root` one for each thread, with what they say together."""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array
from luozi.compiled.arrays import in_own_lines
from luozi.evaluators.thread_state import DEEPEST, FULL, PROGRESS_SIZE, STOP
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search.options import Options
from luozi.search.root_moves import RootMoves, merged, moves_in
from luozi.search.tree.children import all_edges, principal_variations, root_node, root_visits
from luozi.search.tree.tree import Tree
from luozi.search.tree_reuse import ReusableTree


class Forest:
    """Whatever is done to one tree is done to all, and their roots are read as one."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game, self.options = game, options
        self.memories: list[ReusableTree] = []
        for _ in range(options.trees):
            self.memories.append(ReusableTree(game, options))

    @property
    def room(self) -> int:
        """Return how many bytes the pools take when they are full."""
        return sum([memory.room for memory in self.memories])

    # What the trees say together ------------------------------------------------------------------------------------

    @property
    def root(self) -> State | None:
        """Return the position at the roots; None as long as there is no tree."""
        return self.memories[0].root

    @property
    def trees(self) -> list[Tree]:
        """Return every tree."""
        return [memory.tree for memory in self.memories]

    @property
    def visits(self) -> int:
        """Return how many iterations the roots have seen, kept ones included."""
        return sum([root_visits(memory.tree) for memory in self.memories])

    @property
    def most_visits(self) -> int:
        """Return the visits of the root that has seen most."""
        return max([root_visits(memory.tree) for memory in self.memories])

    @property
    def edges(self) -> int:
        """Return how many edges hold a child."""
        return sum([all_edges(memory.tree) for memory in self.memories])

    @property
    def bytes(self) -> int:
        """Return how many bytes of the pools are in use."""
        return sum([memory.bytes for memory in self.memories])

    def moves(self) -> RootMoves:
        """Return the statistics of the root's moves in all trees."""
        found = []
        for memory in self.memories:
            found.append(moves_in(memory.tree, root_node(memory.tree)))
        return merged(found)

    def cuts(self) -> list[int]:
        """Return how many moves each rule pruned, and last how many transpositions were found."""
        return [sum(counts) for counts in zip(*(memory.tree.cut_counts() for memory in self.memories), strict=True)]

    def lines(self, homes: list[tuple[int, int]]) -> list[list[int]]:
        """Return the most visited moves from each of some nodes on, given as the number of a tree and a node in it."""
        found: list[list[int]] = [[] for _ in homes]
        for number, memory in enumerate(self.memories):
            places = [place for place, (tree, _) in enumerate(homes) if tree == number]
            lines = principal_variations(memory.tree, [homes[place][1] for place in places]) if places else []
            for place, line in zip(places, lines, strict=True):
                found[place] = line
        return found

    # What is done to all --------------------------------------------------------------------------------------------

    def move_to(self, position: Position) -> None:
        """Move the roots, as far as the trees have the position."""
        for memory in self.memories:
            memory.move_to(position)

    def forget_cuts(self) -> None:
        """Count cuts from zero."""
        for memory in self.memories:
            memory.tree.clear_cuts()

    def clear_trees(self) -> None:
        """Empty the tree at the position of its root."""
        for memory in self.memories:
            memory.restart()


class Progresses:
    """How the search of each tree is going, seen as one: counts add up, and what is written is written to all."""

    def __init__(self, trees: int) -> None:
        self.each = in_own_lines(np.zeros((trees, PROGRESS_SIZE), np.int64))

    def __getitem__(self, place: int) -> int:
        column = self.each[:, place]
        return int(column.max() if place in (STOP, DEEPEST, FULL) else column.sum())

    def __setitem__(self, place: int | slice, value: int) -> None:
        self.each[:, place] = value


SearchProgress = Array | Progresses  # of one tree, or of several


def new_progress(trees: int) -> SearchProgress:
    """Room for how a search is going, in one tree or in several."""
    return in_own_lines(np.zeros(PROGRESS_SIZE, np.int64)) if trees == 1 else Progresses(trees)


def first_of(progress: SearchProgress) -> Array:
    """That of the first tree."""
    return progress.each[0] if isinstance(progress, Progresses) else progress


def share_of(amount: int, number: int, trees: int) -> int:
    """Return the share of one of several trees in an amount.

    >>> [share_of(10, number, 3) for number in range(3)]
    [4, 3, 3]
    """
    return amount // trees + (number < amount % trees)
