"""What is known of the root's moves: by one tree, or by several that were searched apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.search.tree.children import all_chances, all_marks, all_proven_results, children_of, root_node
from luozi.search.tree.pool import CUT, PROVEN
from luozi.search.tree.tree import Tree


class RootMoves(NamedTuple):
    """The children of a root, one entry each."""

    action: Array
    visits: Array
    means: Array  # [children, players]
    draws: Array  # visits that ended drawn
    marks: Array  # CUT, PROVEN
    results: Array  # [children, players] what a proven one leads to
    chances: Array  # PUCT's P, where there is one, or else NaN
    tree: Array  # the number of the tree that knows most of it
    node: Array  # and the node that it leads to there
    all_tried: bool  # a legal move that is not here was cut


def moves_in(tree: Tree) -> RootMoves:
    """Return the moves of the root of one tree."""
    # Looked at first: a search that goes on may make the last move in between.
    all_tried = bool(root_node(tree) and tree.tried_of(root_node(tree)) >= tree.actions)
    children = children_of(tree, root_node(tree))
    marks, count = all_marks(tree, children.edge), len(children.action)
    results = children.means
    if (marks & PROVEN).any():
        results = np.where((marks & PROVEN)[:, None] > 0, all_proven_results(tree, children.edge), results)
    chances = all_chances(tree, children.edge)
    numbers = np.zeros(count, np.int64)
    return RootMoves(
        children.action,
        children.visits,
        children.means,
        children.draws,
        marks,
        results,
        chances,
        numbers,
        children.node,
        all_tried,
    )


def merged(parts: Sequence[RootMoves]) -> RootMoves:
    """Return the moves of several roots added up (root parallelization: Chaslot et al. 2008).

    Visits and results add up. What one tree has proven is proven; a move is cut if every tree that has it says so.
    """
    if len(parts) == 1:
        return parts[0]
    action, place = np.unique(np.concatenate([part.action for part in parts]), return_inverse=True)
    number = np.repeat(np.arange(len(parts)), [len(part.action) for part in parts])
    columns = [np.concatenate(column) for column in list(zip(*parts, strict=True))[:-1]]
    every = RootMoves._make([*columns, any(part.all_tried for part in parts)])
    visits = np.zeros(len(action), np.int64)
    np.add.at(visits, place, every.visits)
    sums = np.zeros((len(action), every.means.shape[1]))
    np.add.at(sums, place, every.means * every.visits[:, None])
    draws = np.zeros(len(action), np.int64)
    np.add.at(draws, place, every.draws)
    marks = np.full(len(action), CUT, np.uint8)
    np.bitwise_and.at(marks, place, every.marks & CUT)
    np.bitwise_or.at(marks, place, every.marks & PROVEN)
    best, means = _last(place, every.visits, len(action)), sums / np.maximum(visits, 1)[:, None]
    certain = _last(place, every.marks & PROVEN, len(action))
    results = np.where((marks & PROVEN)[:, None] > 0, every.results[certain], means)
    known = every.chances[best], number[best], every.node[best], every.all_tried
    return RootMoves(action, visits, means, draws, marks, results, *known)


def _last(place: Array, worth: Array, count: int) -> Array:
    """Return for each place the entry that is worth most; of equals the first."""
    found = np.zeros(count, np.int64)
    order = np.lexsort((-np.arange(len(place)), worth))
    found[place[order]] = order
    return found
