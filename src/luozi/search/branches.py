"""A part of the tree as plain data, for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from luozi.errors import LuoziError
from luozi.rules import Game
from luozi.search.showing import tree_scene
from luozi.search.tree import (
    CUT,
    FIXED_POINT,
    PROVEN,
    Notes,
    Tree,
    all_marks,
    children_of,
    root_node,
    root_sums,
    root_visits,
    tried_of,
)


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

    def as_dict(self) -> dict[str, Any]:
        """The same as dictionaries and lists."""
        return asdict(self)

    def _repr_svg_(self) -> str:
        """The tree as a picture, for notebooks."""
        return tree_scene(self).svg()


Trees = Sequence[tuple[Tree, Notes]]
Place = tuple[int, int, int, Any, int]  # what one tree has of a position: the tree's number, node, visits, sums, marks


class _Row(NamedTuple):
    """A position that was reached by a move (-1: the root), with its place in every tree that has it."""

    action: int
    name: str
    places: list[Place]

    @property
    def visits(self) -> int:
        return sum(place[2] for place in self.places)

    @property
    def means(self) -> tuple[float, ...]:
        return tuple((sum(place[3] for place in self.places) / max(self.visits, 1)).tolist())

    @property
    def proven(self) -> bool:
        return any(place[4] & PROVEN for place in self.places)

    @property
    def cut(self) -> bool:
        return all(place[4] & CUT for place in self.places)


def branch_of(game: Game, trees: Trees, state: Any, depth: int, visits: int, path: Sequence[int] = ()) -> Branch:
    """The tree from where a path leads down to a depth, without children that have fewer visits; several are told as
    one.
    """
    places = []
    for number, (tree, notes) in enumerate(trees):
        mark = int(all_marks(notes, np.zeros(1, np.int64))[0])
        places.append((number, root_node(tree), root_visits(tree), root_sums(tree) / FIXED_POINT, mark))
    row = _Row(-1, "", places)
    for action in path:
        found = [] if game.is_terminal(state) else _rows(game, trees, state, row.places)
        below = next((one for one in found if one.action == action), None)
        if below is None:
            raise LuoziError("the tree has no such branch: begin again at its root")
        state, row = game.after(state, action), below
    return _branch(game, trees, state, row, depth, max(visits, 0))


def _branch(game: Game, trees: Trees, state: Any, row: _Row, depth: int, fewest: int) -> Branch:
    over = bool(game.is_terminal(state))
    rows = [] if over else _rows(game, trees, state, row.places)
    shown = [child for child in rows if child.visits >= fewest] if depth > 0 else []
    children = tuple(_branch(game, trees, game.after(state, child.action), child, depth - 1, fewest) for child in shown)
    kind = "terminal" if over else "visited" if row.visits else "unvisited"
    if rows:
        tried = any(tried_of(trees[number][0], node) >= game.actions for number, node, *_ in row.places if node)
        kind = "fully expanded" if tried and all(child.visits for child in rows) else "not fully expanded"
    player = None if over else int(game.current_player(state))
    about = row.visits, row.means, kind, row.proven, row.cut
    action = row.action if row.action >= 0 else None
    return Branch(action, row.name, player, *about, children, len(rows) - len(shown))


def _rows(game: Game, trees: Trees, state: Any, places: list[Place]) -> list[_Row]:
    """Every child, the most visited first."""
    rows: dict[int, _Row] = {}
    for number, node, *_ in places:
        tree, notes = trees[number]
        children = children_of(tree, node)
        sums = children.means * children.visits[:, None]
        columns = (children.action, children.node, children.visits, sums, all_marks(notes, children.edge))
        for action, below, visits, results, mark in zip(*columns, strict=True):
            row = rows.setdefault(int(action), _Row(int(action), game.action_to_string(state, int(action)), []))
            row.places.append((number, int(below), int(visits), results, int(mark)))
    return sorted(rows.values(), key=lambda row: (-row.visits, row.action))
