"""What the tests of search variants share: nodes made by hand, and searches followed one iteration at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import luozi
from luozi.evaluators.thread_state import DEEPEST, PROGRESS_SIZE, KernelLimits, new_thread
from luozi.evaluators.variants import Variants
from luozi.search.context import SearchContext
from luozi.search.selection.formulas import Look, choose_child, score
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.pool import FIXED_POINT, MEAN, VISITS, Child
from luozi.search.tree.tree import Tree


class HandMade:
    """A root whose children have the visits and means that a test gives them."""

    def __init__(
        self, variants: Variants, rows: list[tuple[int, tuple[float, ...]]], parent: int = 0, actions: int = 9
    ) -> None:
        players = len(rows[0][1])
        self.variants = variants.complete()
        self.tree: Tree = Tree(1000, players, actions, self.variants)
        self.node = self.tree.attach(Child(0, 0, 1), self.tree.new_node(0))
        self.parent = parent or sum(visits for visits, _ in rows)
        self.tree.words[VISITS] = self.parent
        self.children = [self._child(action, *row) for action, row in enumerate(rows)]

    def _child(self, action: int, visits: int, means: tuple[float, ...]) -> Child:
        edge, at, size = child = self.tree.new_child(self.node, action, action)
        self.tree.set_child_count(self.node, action + 1)
        self.tree.words[at + VISITS * size] = visits
        for player, mean in enumerate(means):
            self.tree.sums[edge * len(means) + player] = round(visits * mean * FIXED_POINT)
            self.tree.floats[at + (MEAN + player) * size] = mean
        return child

    def score(self, index: int, player: int = 0) -> float:
        return score(self.tree, self.variants, self.children[index], Look(player, self.parent, -1.0))

    def chosen(self, player: int = 0, iterations: int = 0) -> int:
        """Which child selection goes to; -1 for none."""
        game = luozi.game("tictactoe")
        thread = new_thread(game, np.array([1], np.uint64), np.zeros(1))
        limits = KernelLimits(np.full(PROGRESS_SIZE, iterations), 0, 0)
        context = SearchContext(game, None, None, None, self.tree, thread, limits, self.variants)
        child = choose_child(context, self.node, player, Child(0, 0, 1))
        return self.children.index(child) if child.edge else -1


@dataclass(frozen=True)
class Step:
    """One iteration: its path, where its random game ended, and what was known before."""

    edges: list[int]  # from the root's own edge down
    positions: list[Any]  # after each edge
    end: Any
    results: list[float]
    fresh: bool  # the last edge had no visit before

    @property
    def depth(self) -> int:
        return len(self.edges) - 1

    @property
    def random_moves(self) -> int:
        return stones(self.end) - stones(self.positions[-1])


def stones(state: Any) -> int:
    """How many stones are on the board of a line game."""
    return -int(state.empty)


def cells_of(game: luozi.Game, state: Any, player: int) -> set[int]:
    """The cells with a player's stones."""
    return {cell for cell in range(game.cells) if game.stone_at(state, cell) == player + 1}


def follow(engine: luozi.Engine, state: Any, iterations: int) -> Iterator[Step]:
    """Search a line game by single iterations; each one is told after it was backed up."""
    game, tree, seen = engine.game, engine.tree, set()
    engine._thought = lambda *_: None  # nobody looks at it, and it takes longer than an iteration
    for _ in range(iterations):
        engine.think(state, iterations=1)
        edges = engine.thread.path[: int(engine.progress[DEEPEST]) + 1, 0].tolist()
        positions, node = [state], root_node(tree)
        for edge in edges[1:]:
            children = children_of(tree, node)
            row = children.edge.tolist().index(edge)
            positions.append(game.after(positions[-1], int(children.action[row])))
            node = int(children.node[row])
        end = engine.thread.state[0].copy()
        yield Step(edges, positions, end, game.result(end), edges[-1] not in seen)
        seen.update(edges)


def all_nodes(tree: Tree) -> Iterator[int]:
    """Every node once, parents first."""
    todo, seen = [root_node(tree)], set()
    while todo:
        node = todo.pop()
        if node and node not in seen:
            seen.add(node)
            yield node
            todo += children_of(tree, node).node.tolist()


def edge_visits(tree: Tree) -> dict[int, int]:
    """The visits of every edge of a tree."""
    visits = {0: int(tree.words[VISITS])}
    for node in all_nodes(tree):
        children = children_of(tree, node)
        visits |= dict(zip(children.edge.tolist(), children.visits.tolist(), strict=True))
    return visits


def mean_sums(tree: Tree, edge: int) -> list[float]:
    """What is credited to each player at an edge, as results."""
    return (tree.sums[edge * tree.players : (edge + 1) * tree.players] / FIXED_POINT).tolist()


def uncompiled(spelling: str | luozi.Game, **options: Any) -> luozi.Engine:
    """A small engine that needs no compiler."""
    return luozi.Engine(luozi.game(spelling), compiled=False, **{"seed": 1, "pool_size": 20_000, **options})


def played(game: luozi.Game, *moves: int) -> Any:
    """The position after some moves."""
    state = game.new_state()
    for move in moves:
        state = game.after(state, move)
    return state
