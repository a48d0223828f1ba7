"""A part of the tree as plain data, for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.search.root_moves import RootMoves, merged, moves_in, root_of
from luozi.search.showing import tree_scene
from luozi.search.tree.children import root_node
from luozi.search.tree.pool import CUT, PROVEN
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


class SearchedTrees(NamedTuple):
    """All trees of one root."""

    game: Game
    trees: Sequence[Tree]
    kind: str = WINS  # what their means are


class _Row(NamedTuple):
    """A position that was reached by a move (-1: the root)."""

    moves: RootMoves  # it and its siblings
    entry: int  # its own
    nodes: list[tuple[Tree, int]]  # its node in every tree that has it, or 0

    @property
    def visits(self) -> int:
        return int(self.moves.visits[self.entry])

    def value(self, kind: str) -> JsonObject | None:
        """Return the win rates as plain data, or None without visits."""
        moves, index, visits = self.moves, self.entry, self.visits
        if moves.marks[index] & PROVEN:
            return certain(moves.results[index].tolist(), visits).as_dict()
        if not visits:
            return None
        means = moves.means[index].tolist()
        if kind == EVALUATION:
            return evaluated(means, visits).as_dict()
        return counted(means, int(moves.draws[index]) / visits, visits, kind).as_dict()


def branch_of(searched: SearchedTrees, state: State, depth: int, visits: int, path: Sequence[int] = ()) -> Branch:
    """Return the tree from the end of a path down to a depth, without children that have fewer visits.

    Several trees are added up.
    """
    game = searched.game
    name, roots = "", [(tree, root_node(tree)) for tree in searched.trees]
    row = _Row(merged([root_of(tree) for tree in searched.trees]), 0, roots)
    for action in path:
        found = [] if game.is_terminal(state) else _rows(row.nodes)[0]
        below = next((one for one in found if one.moves.action[one.entry] == action), None)
        if below is None:
            raise LuoziError("the tree has no such branch: begin again at its root")
        name, state, row = game.action_to_string(state, action), game.after(state, action), below
    return _branch(searched, state, row, name, depth, max(visits, 0))


def _branch(searched: SearchedTrees, state: State, row: _Row, name: str, depth: int, fewest: int) -> Branch:
    game, over, (moves, index, _) = searched.game, bool(searched.game.is_terminal(state)), row
    rows, all_tried = ([], False) if over else _rows(row.nodes)
    shown = [child for child in rows if child.visits >= fewest] if depth > 0 else []
    children = []
    for child in shown:
        action = int(child.moves.action[child.entry])
        after, move = game.after(state, action), game.action_to_string(state, action)
        children.append(_branch(searched, after, child, move, depth - 1, fewest))
    seen = "terminal" if over else "visited" if row.visits else "unvisited"
    if rows:
        seen = "fully expanded" if all_tried and all(child.visits for child in rows) else "not fully expanded"
    return Branch(
        int(moves.action[index]) if moves.action[index] >= 0 else None,
        name,
        None if over else int(game.current_player(state)),
        row.visits,
        tuple(moves.means[index].tolist()),
        seen,
        bool(moves.marks[index] & PROVEN),
        bool(moves.marks[index] & CUT),
        tuple(children),
        len(rows) - len(shown),
        row.value(searched.kind),
    )


def _rows(nodes: list[tuple[Tree, int]]) -> tuple[list[_Row], bool]:
    """Return every child of a position, the most visited first, and whether all its moves were tried."""
    parts = [moves_in(tree, node) for tree, node in nodes]
    moves, rows = merged(parts), []
    for index, action in enumerate(moves.action.tolist()):
        below = []
        for (tree, _), part in zip(nodes, parts, strict=True):
            below += [(tree, node) for node in part.node[part.action == action].tolist()]
        rows.append(_Row(moves, index, below))
    return sorted(rows, key=lambda row: (-row.visits, row.moves.action[row.entry])), moves.all_tried
