"""An audit of everything that a search with variants leaves behind, and exact values to compare its proofs with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import luozi
from luozi.games.go.rules import Go
from luozi.search.selection.puct import Puct
from luozi.search.tree.children import Children, children_of, root_draws, root_node, root_visits
from luozi.search.tree.pool import (
    CHANCE_OF,
    CUT,
    EDGES_IN_USE,
    FIXED_POINT,
    MEAN,
    POSITION_SUM,
    POSITION_VISITS,
    PRIOR,
    PRIOR_SIZE,
    PRIOR_WEIGHT,
    PROVEN,
    RAVE_SIZE,
    SEGMENTS,
    SPREAD,
    TRIED,
    UNVISITED,
    VISITS,
    segment_size,
)
from luozi.search.tree.reroot import child_by_action
from luozi.search.tree.tree import Tree

ROUNDED = 3  # fixed-point units that rounding may take away from a sum of results

Vector = tuple[float, ...]


def key_of(game: luozi.Game, state: Any) -> bytes:
    """What makes up a position: all fields but those that the rules never read, or what decides its future in Go."""
    if isinstance(game, Go) and not game.superko:
        return b"".join(np.asarray(state[name]).tobytes() for name in ("board", "ko", "to_move", "passes", "moves"))
    return b"".join(np.asarray(state[name]).tobytes() for name in state.dtype.names if name not in game.scratch_fields)


# Exact values ---------------------------------------------------------------------------------------------------------


class Exact:
    """Solves a small game by trying everything, for any number of players."""

    def __init__(self, game: luozi.Game) -> None:
        self.game, self.memory = game, {}

    def _below(self, state: Any) -> list[Any]:
        return [self.game.after(state, action) for action in self.game.legal_list(state)]

    def possible(self, state: Any) -> frozenset[Vector]:
        """All results that best play for oneself can have, over every way of breaking ties at every position."""
        key = ("possible", key_of(self.game, state))
        if key not in self.memory:
            if self.game.is_terminal(state):
                found = frozenset([tuple(self.game.result(state))])
            else:
                mover = self.game.current_player(state)
                moves = [self.possible(child) for child in self._below(state)]
                worst = [min(result[mover] for result in results) for results in moves]
                found = frozenset(
                    result
                    for index, results in enumerate(moves)
                    for result in results
                    if all(low <= result[mover] for other, low in enumerate(worst) if other != index)
                )
            self.memory[key] = found
        return self.memory[key]

    def standard(self, state: Any) -> Vector | None:
        """What is certain if nothing is where the mover's best moves differ for others."""
        key = ("standard", key_of(self.game, state))
        if key not in self.memory:
            self.memory[key] = self._standard(state)
        return self.memory[key]

    def _standard(self, state: Any) -> Vector | None:
        if self.game.is_terminal(state):
            return tuple(self.game.result(state))
        mover = self.game.current_player(state)
        values = [self.standard(child) for child in self._below(state)]
        alone = tuple(float(player == mover) for player in range(self.game.players))
        if alone in values and self.game.has_single_winner:  # else another win might leave others something
            return alone
        if None in values:
            return None
        best = max(value[mover] for value in values if value)
        candidates = {value for value in values if value and value[mover] == best}
        return candidates.pop() if len(candidates) == 1 else None

    def by_rule(self, state: Any, searcher: int | None) -> Vector:
        """Ties go to the best for who is next to move; with a searcher, first to the worst for the searcher."""
        key = ("rule", searcher, key_of(self.game, state))
        if key not in self.memory:
            if self.game.is_terminal(state):
                self.memory[key] = tuple(self.game.result(state))
            else:
                mover, players = self.game.current_player(state), self.game.players
                turns = [(mover + turn) % players for turn in range(players)]

                def rank(value: Vector) -> tuple[float, ...]:
                    spite = (-value[searcher],) if searcher is not None and searcher != mover else ()
                    return (value[mover], *spite, *(value[player] for player in turns[1:]))

                self.memory[key] = max((self.by_rule(child, searcher) for child in self._below(state)), key=rank)
        return self.memory[key]

    def against(self, state: Any, searcher: int) -> float:
        """The searcher's result when all others play against them."""
        key = ("against", searcher, key_of(self.game, state))
        if key not in self.memory:
            if self.game.is_terminal(state):
                self.memory[key] = self.game.result(state)[searcher]
            else:
                best = max if self.game.current_player(state) == searcher else min
                self.memory[key] = best(self.against(child, searcher) for child in self._below(state))
        return self.memory[key]


@cache
def exactly(value: float) -> float:
    """What a number was before it was stored with fewer digits: a fraction such as 1/3."""
    return float(Fraction(float(value)).limit_denominator(1000))


def wrong_proofs(engine: luozi.Engine, exact: Exact, searcher: int) -> list[str]:
    """Every proven edge whose result is not what exact play gives."""
    options, problems, count = engine.options, [], 0
    values = engine.tree.values.reshape(-1, engine.game.players)
    for edge, state in edges_with_states(engine):
        if not engine.tree.flags[edge] & PROVEN:
            continue
        count += 1
        found = tuple(exactly(value) for value in values[edge])
        if options.opponent_model == "paranoid":
            right = found[searcher] == exact.against(state, searcher)
        elif options.mcts_solver == "standard":
            right = exact.possible(state) == {found}
        else:
            right = found == exact.by_rule(state, searcher if options.mcts_solver == "paranoid" else None)
        if not right:
            problems.append(f"edge {edge} is proven as {found}, which is wrong:\n{engine.game.show(state)}")
    return problems if count else ["nothing is proven"]


# The tree -------------------------------------------------------------------------------------------------------------


def edges_with_states(engine: luozi.Engine) -> Iterator[tuple[int, Any]]:
    """Every edge with the position it leads to; a shared one once for each way that is walked."""
    yield 0, engine.memory.root
    for _, state, children in nodes_with_states(engine):
        for action, edge in zip(children.action.tolist(), children.edge.tolist(), strict=True):
            yield edge, engine.game.after(state, action)


def nodes_with_states(engine: luozi.Engine) -> Iterator[tuple[int, Any, Any]]:
    """Every node with its position and children, once for each position that it stands for: that should be one."""
    game, tree = engine.game, engine.tree
    todo, seen = [(root_node(tree), engine.memory.root)], set()
    while todo:
        node, state = todo.pop()
        if node == 0 or (node, key_of(game, state)) in seen:
            continue
        seen.add((node, key_of(game, state)))
        children = children_of(tree, node)
        yield node, state, children
        rows = zip(children.node.tolist(), children.action.tolist(), strict=True)
        todo += [(below, game.after(state, action)) for below, action in rows if below]


def seen_elsewhere(engine: luozi.Engine) -> dict[int, tuple[int, Any]]:
    """Visits and sums that a position of the tree had as a root, beyond those of its edge."""
    found, memory = {}, engine.memory
    for position, held in memory._held.items():
        moves = [one.step for one in position.since(memory._path[0].position)]
        node, edge = root_node(engine.tree), 0
        for action in moves:
            child = child_by_action(engine.tree, node, action)
            node, edge = engine.tree.node_of(child), child.edge
        if moves:
            found[edge] = int(held.words[VISITS]), held.columns[0]
    return found


def pool_problems(tree: Tree) -> list[str]:
    """Everything that is wrong with the edges of a tree, in words; nothing if they are sound."""
    problems: list[str] = []
    reached, owners = 1, dict[int, int]()
    todo = [(root_node(tree), root_visits(tree), root_draws(tree), 0, tree.sums[: tree.players])]
    while todo:
        node, visits, drawn, own, sums = todo.pop()
        if node == 0:
            continue
        children = children_of(tree, node)
        reached += len(children.action)
        child_sums = tree.sums.reshape(-1, tree.players)[children.edge]
        for edge in children.edge.tolist():
            if owners.setdefault(edge, node) != node:
                problems.append(f"nodes {owners[edge]} and {node} both have edge {edge}")
        if len(set(children.action.tolist())) < len(children.action):
            problems.append(f"node {node} has a move twice")
        if children.visits.sum() + own > visits:
            problems.append(f"node {node}: its children's visits {children.visits.sum()} exceed its own {visits}")
        if children.draws.sum() > drawn or drawn > visits:
            problems.append(f"node {node}: it saw {drawn} draws, its children {children.draws.sum()}")
        if (child_sums.sum(axis=0) > sums).any():
            problems.append(f"node {node}: its children's results exceed its own")
        problems += [f"node {node}: {problem}" for problem in selection_problems(children)]
        rows = zip(children.node.tolist(), children.visits.tolist(), children.draws.tolist(), child_sums, strict=True)
        todo += [(child, count, draws, 1, row) for child, count, draws, row in rows]
    if reached != tree.used[EDGES_IN_USE]:
        problems.append(f"{reached} edges can be reached, {tree.used[EDGES_IN_USE]} are in use")
    return problems


def selection_problems(children: Children) -> list[str]:
    """What is wrong with the numbers that plain selection reads; see `Edges` for edges without visits."""
    new = children.visits == 0
    means = np.where(new[:, None], UNVISITED, children.means)
    spread = np.where(new, 0.0, 1 / np.sqrt(np.maximum(children.visits, 1)))
    problems = []
    if not np.allclose(children.cached, means, rtol=1e-5, atol=1e-6):
        problems.append("a mean is not its sum over its visits")
    if not np.allclose(children.spread, spread, rtol=1e-5):
        problems.append("a spread is not 1 / sqrt(visits)")
    return problems


class Audit:
    """Looks at a whole tree; `problems` is everything that is wrong, in words."""

    def __init__(self, engine: luozi.Engine, kept: bool = False) -> None:
        self.engine, self.options, self.kept = engine, engine.options, kept
        self.values_the_root = engine.components.selection.takes_priors  # before any of its moves
        self.tree, self.players = engine.tree, engine.game.players
        self.problems: list[str] = []
        if kept:
            engine.memory.collect()
        self.elsewhere = seen_elsewhere(engine)
        self.ways: dict[int, list[int]] = {root_node(self.tree): [0]}  # the edges that lead to each node
        self.homes: dict[bytes, int] = {}
        self.edges = {0: (int(self.tree.words[VISITS]), 0, 1)}  # visits, place and segment size of each edge
        nodes: dict[int, Any] = {}
        for node, state, children in nodes_with_states(engine):
            self._positions(node, state, node in nodes)
            if node not in nodes:
                nodes[node] = children
                self._moves(node, state, children)
                self._collect(node, children)
        for node, children in nodes.items():
            self._totals(node, children)
        for edge, (visits, at, size) in self.edges.items():
            self._edge(edge, visits, at, size)
        self._check(len(self.edges) == self.tree.used[EDGES_IN_USE], "edges in use can't be reached")

    def _check(self, right: Any, problem: str) -> None:
        if not right:
            self.problems.append(problem)

    def _positions(self, node: int, state: Any, again: bool) -> None:
        self._check(not again, f"node {node} stands for two positions")
        if self.options.transpositions:
            home = self.homes.setdefault(key_of(self.engine.game, state), node)
            self._check(home == node, f"nodes {home} and {node} are one position")

    def _moves(self, node: int, state: Any, children: Any) -> None:
        """No move twice, none that is illegal, none missing where all were tried, and never all of them cut."""
        actions, legal = children.action.tolist(), set(self.engine.game.legal_list(state))
        tried = int(self.tree.nodes[node + TRIED])
        self._check(len(set(actions)) == len(actions), f"node {node} has a move twice")
        self._check(set(actions) <= legal, f"node {node} has an illegal move")
        if tried == self.tree.actions:
            self._check(set(actions) == legal, f"node {node} misses a move")
        cuts = self.options.decisive_moves or self.options.anti_decisive_moves or self.options.avoid_immediate_loss
        cuts = (
            cuts
            or self.options.keep_proven_win
            or self.options.keep_playout_win
            or self.options.threat_search
            or self.options.exact_solver_nodes
        )
        self._check(tried <= self.tree.actions or cuts, f"node {node} is pruned without a rule")
        if self.tree.flags.size > 1 and actions:
            flags = self.tree.flags[children.edge]
            self._check(not (flags & CUT).all(), f"all moves of node {node} are cut")
        if self.options.selection == "puct" and actions:
            chances = self.tree.priors.reshape(-1, PRIOR_SIZE)[children.edge, CHANCE_OF]
            complete = tried >= self.tree.actions
            self._check(chances.sum() < 1 + 1e-5, f"the chances at node {node} add up to more than 1")
            self._check(not complete or chances.sum() > 1 - 1e-5, f"the chances at node {node} do not add up to 1")
            if isinstance(self.engine.components.selection, Puct):
                self._order(node, chances, children.visits)

    def _order(self, node: int, chances: Any, visits: Any) -> None:
        """The likeliest moves came first, and were visited first."""
        self._check((chances[1:] <= chances[:-1]).all(), f"the moves of node {node} are not in order")
        unvisited = visits == 0
        self._check((unvisited[1:] >= unvisited[:-1]).all(), f"node {node} skipped a likelier move")

    def _collect(self, node: int, children: Any) -> None:
        level, before, width = 0, 0, MEAN + self.players
        for index, edge in enumerate(children.edge.tolist()):
            while index - before >= segment_size(level, self.tree.actions):
                before += segment_size(level, self.tree.actions)
                level += 1
            first, size = int(self.tree.nodes[node + SEGMENTS + level]), segment_size(level, self.tree.actions)
            self.edges[edge] = (int(children.visits[index]), first * width + index - before, size)
            if children.node[index]:
                self.ways.setdefault(int(children.node[index]), []).append(edge)

    def _totals(self, node: int, children: Any) -> None:
        """A node was entered as often as its children, and more for each edge while it had no node."""
        ways = self.ways[node]
        sums = self.tree.sums.reshape(-1, self.players)
        visits, total = sum(self.edges[edge][0] for edge in ways), sums[ways].sum(axis=0)
        for edge in ways:
            visits, total = visits + self.elsewhere.get(edge, (0, 0))[0], total + self.elsewhere.get(edge, (0, 0))[1]
        if self.options.transpositions:
            row = self.tree.positions.reshape(-1, POSITION_SUM + self.players)[node // (SEGMENTS + self.tree.levels)]
            seen, results = int(row[POSITION_VISITS]), row[POSITION_SUM:]
            if self.kept:  # ways from outside the kept tree are gone, but not what they saw
                self._check(seen >= visits, f"node {node}: {seen} visits, by the ways into it {visits}")
            else:
                self._check(seen == visits and (results == total).all(), f"node {node} is not the sum of its ways")
            visits, total = seen, results
        below, left = int(children.visits.sum()), total - sums[children.edge].sum(axis=0)
        fresh, patience = len(ways) - (0 in ways), self.options.expand_after
        certain, root = self.options.mcts_solver != "none", 0 in ways and (self.kept or self.values_the_root)
        low, high = visits - patience * (fresh + (1 if root else 0)), visits - fresh
        if self.options.transpositions and self.kept:
            low = 0  # ways that are gone took their own first visits with them
        self._check(below <= high, f"node {node}: {below} visits below, {visits} by {len(ways)} ways")
        # Without locks a thread does not wait for the one that adds a node's first move: it evaluates the node's own
        # position. How often that happens depends on the scheduler, so that only locks give a lower bound.
        waits = not self.options.is_raced or self.options.locks != "free"
        self._check(certain or not waits or below >= low, f"node {node}: only {below} visits below of {visits}")
        if not (self.options.keep_proven_win or self.options.keep_playout_win or self.options.backup_discount < 1):
            self._check((left >= -ROUNDED).all(), f"node {node}: its children's results exceed its own")
            most = (visits - below) * FIXED_POINT + ROUNDED
            self._check((left <= most).all(), f"node {node}: more than its own results are left")

    def _edge(self, edge: int, visits: int, at: int, size: int) -> None:
        """The means are those of the sums, between 0 and 1; so are all side tables."""
        sums = self.tree.sums[edge * self.players : (edge + 1) * self.players]
        self._check((sums >= 0).all() and (sums <= visits * FIXED_POINT).all(), f"edge {edge}: means beyond [0, 1]")
        if visits:
            means = [self.tree.floats[at + (MEAN + player) * size] for player in range(self.players)]
            exact = sums / FIXED_POINT / visits
            self._check(np.allclose(means, exact, atol=1e-5), f"edge {edge}: its means are not those of its sums")
            spread = self.tree.floats[at + SPREAD * size]
            self._check(np.isclose(spread, visits**-0.5), f"edge {edge}: its spread is not that of its visits")
        elif edge:
            means = [self.tree.floats[at + (MEAN + player) * size] for player in range(self.players)]
            new = np.allclose(means, UNVISITED) and self.tree.floats[at + SPREAD * size] == 0
            self._check(new, f"edge {edge} has no visits, and selection would not take it first")
        if self.tree.flags.size > 1:
            self._check(self.tree.flags[edge] <= CUT | PROVEN, f"edge {edge} has strange flags")
        by_other_ways = (
            edge == 0 and self.kept and self.options.transpositions
        )  # what a kept root has seen, without squares
        if self.tree.squares.size > 1 and not by_other_ways:
            squares = self.tree.squares[edge * self.players : (edge + 1) * self.players]
            few = visits + ROUNDED  # each one rounded
            self._check((squares <= sums + few).all(), f"edge {edge}: squares above the results")
            if visits:
                low = sums / FIXED_POINT * sums / visits
                self._check((squares >= low - few).all(), f"edge {edge}: squares below the mean's")
        if self.tree.rave.size > 1:
            count, total = self.tree.rave[edge * RAVE_SIZE : (edge + 1) * RAVE_SIZE].tolist()
            self._check(0 <= total <= count * FIXED_POINT, f"edge {edge}: all moves as first beyond [0, 1]")
            self._check(edge == 0 or self.kept or count >= visits, f"edge {edge}: a visit is a first move too")
        if self.tree.priors.size > 1 and edge:
            row = self.tree.priors[edge * PRIOR_SIZE : (edge + 1) * PRIOR_SIZE].tolist()
            self._check(0 <= row[PRIOR] <= 1 and row[PRIOR_WEIGHT] >= 0, f"edge {edge}: prior {row}")


def problems_of(engine: luozi.Engine, kept: bool = False) -> list[str]:
    """Everything that is wrong with an engine's tree; nothing if it is sound."""
    return Audit(engine, kept).problems


def outline(engine: luozi.Engine) -> list[Any]:
    """Everything that a search left behind, comparable: all that is in use of the tree."""
    edges = sorted(set(itertools.chain([0], *(c.edge.tolist() for _, _, c in nodes_with_states(engine)))))
    found: list[Any] = [engine.tree.used.tolist(), engine.tree.cuts.tolist(), engine.tree.history.tolist()]
    for node, state, children in nodes_with_states(engine):
        found.append((node, key_of(engine.game, state), children.action.tolist(), children.visits.tolist()))
    columns = [(engine.tree.sums, engine.game.players), (engine.tree.flags, 1), (engine.tree.rave, RAVE_SIZE)]
    columns += [(engine.tree.values, engine.game.players), (engine.tree.squares, engine.game.players)]
    columns += [(engine.tree.priors, PRIOR_SIZE)]
    for array, width in columns:
        if array.size > 1:
            found.append(array.reshape(-1, width)[edges].tolist())
    return found
