"""A part of the tree as plain data, for pictures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from luozi.rules import Game
from luozi.search.tree import (
    CUT,
    FIXED_POINT,
    PROVEN,
    Child,
    Notes,
    Tree,
    all_marks,
    children_of,
    root_node,
    root_visits,
    sum_of,
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


def branch_of(game: Game, tree: Tree, notes: Notes, state: Any, depth: int, visits: int) -> Branch:
    """The tree from its root down to a depth, without children that have fewer visits."""
    root = Child(0, 0, 1)
    seen = root_visits(tree)
    means = tuple(sum_of(tree, root, player) / FIXED_POINT / max(seen, 1) for player in range(tree.players))
    mark = int(all_marks(notes, np.zeros(1, np.int64))[0])
    row = (None, "", seen, means, mark, root_node(tree))
    return _branch(game, tree, notes, state, row, depth, max(visits, 0))


def _branch(game: Game, tree: Tree, notes: Notes, state: Any, row: Any, depth: int, fewest: int) -> Branch:
    action, name, visits, means, mark, node = row
    over = bool(game.is_terminal(state))
    rows = [] if over or not node else _rows(game, tree, notes, state, node)
    shown = [child for child in rows if child[2] >= fewest] if depth > 0 else []
    children = tuple(
        _branch(game, tree, notes, game.after(state, child[0]), child, depth - 1, fewest) for child in shown
    )
    kind = "terminal" if over else "visited" if visits else "unvisited"
    if rows:
        complete = tried_of(tree, node) >= tree.actions and all(child[2] for child in rows)
        kind = "fully expanded" if complete else "not fully expanded"
    player = None if over else int(game.current_player(state))
    proven, cut = bool(mark & PROVEN), bool(mark & CUT)
    return Branch(action, name, player, visits, means, kind, proven, cut, children, len(rows) - len(shown))


def _rows(game: Game, tree: Tree, notes: Notes, state: Any, node: int) -> list[Any]:
    """Action, name, visits, means, marks and node of every child, the most visited first."""
    children = children_of(tree, node)
    marks = all_marks(notes, children.edge)
    columns = (children.action, children.visits, children.means, marks, children.node)
    rows = [
        (action, game.action_to_string(state, action), visits, tuple(means), mark, below)
        for action, visits, means, mark, below in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return sorted(rows, key=lambda row: (-row[2], row[0]))
