"""The statistics of a node's moves: of one tree, or of several added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.search.tree.children import (
    all_chances,
    all_marks,
    all_proven_results,
    children_of,
    root_draws,
    root_node,
    root_sums,
    root_visits,
)
from luozi.search.tree.pool import CUT, FIXED_POINT, PROVEN
from luozi.search.tree.tree import Tree


class RootMoves(NamedTuple):
    """The children of a node, one entry each."""

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


def moves_in(tree: Tree, node: int) -> RootMoves:
    """Return the moves of a node in one tree."""
    # Looked at first: a search that goes on may make the last move in between.
    all_tried = bool(node and tree.tried_of(node) >= tree.actions)
    children = children_of(tree, node)
    marks, results = all_marks(tree, children.edge), children.means
    if (marks & PROVEN).any():
        results = np.where((marks & PROVEN)[:, None] > 0, all_proven_results(tree, children.edge), results)
    chances, numbers = all_chances(tree, children.edge), np.zeros(len(children.action), np.int64)
    counted = children.action, children.visits, children.means, children.draws
    return RootMoves(*counted, marks, results, chances, numbers, children.node, all_tried)


def root_of(tree: Tree) -> RootMoves:
    """Return the root of one tree as an entry with the action -1."""
    edge, visits = np.zeros(1, np.int64), np.array([root_visits(tree)])
    marks, means = all_marks(tree, edge), root_sums(tree)[None] / (FIXED_POINT * max(int(visits[0]), 1))
    results = all_proven_results(tree, edge) if marks[0] & PROVEN else means
    draws, node = np.array([root_draws(tree)]), np.array([root_node(tree)])
    return RootMoves(edge - 1, visits, means, draws, marks, results, edge + np.nan, edge, node, False)


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
