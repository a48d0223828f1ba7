"""A part of the tree as plain data, for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.search.showing import tree_scene
from luozi.search.tree.children import (
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
from luozi.util.parsing import JsonObject
from luozi.util.win_rates import EVALUATION, WINS, certain, counted, evaluated


@dataclass(frozen=True)
class Branch:
    """A position of the tree, reached by a move."""

    action: int | None  # None for the root
    name: str
    player: int | None  # who is to move here; None when the game is over
    visits: int
    means: tuple[float, ...]
    state: str  # unvisited, visited, not fully expanded, fully expanded or terminal
    proven: bool
    cut: bool
    children: tuple[Branch, ...]  # the most visited first
    hidden: int  # children that are not among them
    value: dict[str, Any] | None = None  # what everybody may expect; None without a visit

    def as_dict(self) -> JsonObject:
        """Return the same as dictionaries and lists."""
        return asdict(self)

    def _repr_svg_(self) -> str:
        """Return the tree as a picture, for notebooks."""
        return tree_scene(self).svg()


Trees = Sequence[Tree]


class SubtreeNode(NamedTuple):
    """What one tree has of a position."""

    tree: int  # its number
    node: int
    visits: int
    sums: Any
    draws: int
    marks: int
    results: Any  # of a proven one


class _Row(NamedTuple):
    """A position that was reached by a move (-1: the root), with its place in every tree that has it."""

    action: int
    name: str
    places: list[SubtreeNode]

    @property
    def visits(self) -> int:
        return sum(place.visits for place in self.places)

    @property
    def means(self) -> tuple[float, ...]:
        return tuple((sum(place.sums for place in self.places) / max(self.visits, 1)).tolist())

    @property
    def proven(self) -> bool:
        return any(place.marks & PROVEN for place in self.places)

    @property
    def cut(self) -> bool:
        return all(place.marks & CUT for place in self.places)

    def value(self, kind: str) -> JsonObject | None:
        """Return the win rates as plain data, or None without visits."""
        sure = next((place.results for place in self.places if place.marks & PROVEN), None)
        if sure is not None:
            return certain(tuple(map(float, sure)), self.visits).as_dict()
        if not self.visits:
            return None
        if kind == EVALUATION:
            return evaluated(self.means, self.visits).as_dict()
        draws = sum(place.draws for place in self.places)
        return counted(self.means, draws / self.visits, self.visits, kind).as_dict()


class SearchedTrees(NamedTuple):
    """All trees of one root."""

    game: Game
    trees: Trees
    kind: str = WINS  # what their means are


def branch_of(searched: SearchedTrees, state: State, depth: int, visits: int, path: Sequence[int] = ()) -> Branch:
    """Return the tree from the end of a path down to a depth, without children that have fewer visits.

    Several trees are added up.
    """
    game, places = searched.game, []
    for number, tree in enumerate(searched.trees):
        root = np.zeros(1, np.int64)
        mark = int(all_marks(tree, root)[0])
        results = all_proven_results(tree, root)[0] if mark & PROVEN else None
        sums = root_sums(tree) / FIXED_POINT
        places.append(SubtreeNode(number, root_node(tree), root_visits(tree), sums, root_draws(tree), mark, results))
    row = _Row(-1, "", places)
    for action in path:
        found = [] if game.is_terminal(state) else _rows(searched, state, row.places)
        below = next((one for one in found if one.action == action), None)
        if below is None:
            raise LuoziError("the tree has no such branch: begin again at its root")
        state, row = game.after(state, action), below
    return _branch(searched, state, row, depth, max(visits, 0))


def _branch(searched: SearchedTrees, state: State, row: _Row, depth: int, fewest: int) -> Branch:
    game, trees, kind = searched
    over = bool(game.is_terminal(state))
    rows = [] if over else _rows(searched, state, row.places)
    shown = [child for child in rows if child.visits >= fewest] if depth > 0 else []
    following = ((game.after(state, child.action), child) for child in shown)
    children = tuple(_branch(searched, after, child, depth - 1, fewest) for after, child in following)
    seen = "terminal" if over else "visited" if row.visits else "unvisited"
    if rows:
        tried = any(trees[number].tried_of(node) >= game.actions for number, node, *_ in row.places if node)
        seen = "fully expanded" if tried and all(child.visits for child in rows) else "not fully expanded"
    player = None if over else int(game.current_player(state))
    about = row.visits, row.means, seen, row.proven, row.cut
    action = row.action if row.action >= 0 else None
    return Branch(action, row.name, player, *about, children, len(rows) - len(shown), row.value(kind))


def _rows(searched: SearchedTrees, state: State, places: list[SubtreeNode]) -> list[_Row]:
    """Return every child, the most visited first."""
    game, trees, _ = searched
    rows: dict[int, _Row] = {}
    for number, node, *_ in places:
        tree = trees[number]
        children = children_of(tree, node)
        sums = children.means * children.visits[:, None]
        marks = all_marks(tree, children.edge)
        results = all_proven_results(tree, children.edge) if (marks & PROVEN).any() else sums
        columns = (children.action, children.node, children.visits, sums, children.draws, marks, results)
        for action, *about in zip(*columns, strict=True):
            row = rows.setdefault(int(action), _Row(int(action), game.action_to_string(state, int(action)), []))
            below, visits, total, drawn, mark, sure = about
            row.places.append(SubtreeNode(number, int(below), int(visits), total, int(drawn), int(mark), sure))
    return sorted(rows.values(), key=lambda row: (-row.visits, row.action))
