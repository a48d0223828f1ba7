"""`Tree`: the edges of the pool, what variants of the search store beside them, and equal positions that are one node.

An array of a variant is as long as the pool only if its variant is on: each array costs time to compile, and memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from luozi.compiled import Array, signed, unsigned
from luozi.compiled.arrays import lazy_zeros
from luozi.compiled.atomics import compare_and_swap, fetch_add
from luozi.evaluators.variants import CUT_RULES, TUNED, Variants
from luozi.search.tree.edges import Edges
from luozi.search.tree.pool import (
    CHANCE_OF,
    CUT,
    EXHAUSTED,
    FIXED_POINT,
    HISTORY_SIZE,
    HISTORY_SUM,
    HISTORY_VISITS,
    NEXT_EDGE,
    POSITION_DRAWN,
    POSITION_KEY,
    POSITION_SUM,
    POSITION_VISITS,
    PRIOR,
    PRIOR_SIZE,
    PRIOR_WEIGHT,
    PROVEN,
    RAVE_SIZE,
    RAVE_SUM,
    RAVE_VISITS,
    SEGMENTS,
    TABLE_KEY,
    TABLE_NODE,
    TABLE_SIZE,
    Child,
    table_size,
)

Column = tuple[Array, int]  # an array with an entry for each edge, or node, and how many numbers an entry has


class Tree(Edges):
    """The tree of one thread: the only owner of its arrays. `locking.py` has those that several threads share.

    Where threads share a tree, all that is stored of an edge is written before the edge is shown, and then only what
    the comments below say.
    """

    flags: Array  # [E] u1: CUT, PROVEN; each is set once, PROVEN after `values`
    values: Array  # [E * players] f4: the results of a proven edge; two threads that prove it write the same
    squares: Array  # [E * players] i8: sums of squared results, in fixed point
    rave: Array  # [E * RAVE_SIZE] i8: visits, then the sum, for the player who moves along the edge
    priors: Array  # [E * PRIOR_SIZE] f4: prior value for the mover, the visits it counts for, P of PUCT
    positions: Array  # [N * (3 + players)] i8: hash of a node's position; visits, draws, sums by all ways into it
    table: Array  # [places * TABLE_SIZE] i8: hashes of positions that have a node, and after that the node, complete
    history: Array  # [players * actions * HISTORY_SIZE] i8: visits and sum of a move of a player, anywhere
    cuts: Array  # [CUT_RULES + 1] i8: moves that each rule pruned; last: transpositions found

    def __init__(self, edges: int, players: int, actions: int, variants: Variants | None = None) -> None:
        super().__init__(edges, players, actions)
        variants = Variants() if variants is None else variants
        nodes = len(self.nodes) // (SEGMENTS + self.levels)

        def room(wanted: Any, count: int, kind: type) -> Array:
            return lazy_zeros(count, kind) if wanted else np.zeros(1, kind)

        self.set_fields(
            flags=room(variants.marks, edges, np.uint8),
            values=room(variants.prove, edges * players, np.float32),
            squares=room(variants.formula == TUNED, edges * players, np.int64),
            rave=room(variants.rave, edges * RAVE_SIZE, np.int64),
            priors=room(variants.has_priors, edges * PRIOR_SIZE, np.float32),
            positions=room(variants.share, nodes * (POSITION_SUM + players), np.int64),
            table=room(variants.share, table_size(nodes) * TABLE_SIZE, np.int64),
            history=np.zeros(players * actions * HISTORY_SIZE if variants.history else 1, np.int64),
            cuts=np.zeros(CUT_RULES + 1, np.int64),
        )
        widths = {"flags": 1, "values": players, "squares": players, "rave": RAVE_SIZE, "priors": PRIOR_SIZE}
        side = [(getattr(self, name), width) for name, width in widths.items() if getattr(self, name).size > 1]
        self.columns: list[Column] = [(self.sums, players), (self.drawn, 1), *side]

    def clear_side_tables(self, edge: int) -> None:
        """Clear what is stored of a new edge: its place in the pool may have been another's."""
        if self.flags.shape[0] > 1:
            self.flags[unsigned(edge)] = 0
        if self.rave.shape[0] > 1:
            self.rave[unsigned(edge * RAVE_SIZE + RAVE_VISITS)] = 0
            self.rave[unsigned(edge * RAVE_SIZE + RAVE_SUM)] = 0
        if self.squares.shape[0] > 1:
            for player in range(self.players):
                self.squares[unsigned(edge * self.players + player)] = 0
        if self.priors.shape[0] > 1:
            self.set_prior(edge, 0.0, 0.0, 1.0)

    # Pruned and proven edges --------------------------------------------------------------------------------------

    def has_marks(self) -> bool:
        """Return whether edges can be pruned or proven."""
        return self.flags.shape[0] > 1

    def marks_of(self, edge: int) -> int:
        """Return CUT and PROVEN of an edge, where edges have them."""
        return int(self.flags[unsigned(edge)])

    def is_proven(self, edge: int) -> bool:
        """Return whether an edge leads to a proven result."""
        return self.flags.shape[0] > 1 and int(self.flags[unsigned(edge)]) & PROVEN != 0

    def prune(self, edge: int, rule: int) -> None:
        """Prune a move by a rule."""
        self.mark(self.flags, unsigned(edge), CUT)
        fetch_add(self.cuts, rule, 1)

    def count_cuts(self, rule: int, moves: int) -> None:
        """Count moves that never became children, by a rule of pruning. Threads count at the same time."""
        fetch_add(self.cuts, rule, signed(moves))

    def set_exhausted(self) -> None:
        """Mark the root: all of its moves are proven, and others were excluded."""
        self.mark(self.flags, unsigned(0), EXHAUSTED)

    def is_exhausted(self) -> bool:
        """Return whether no more can be proven: the root is, or all of its moves are that were not excluded."""
        return self.flags.shape[0] > 1 and int(self.flags[unsigned(0)]) & (PROVEN | EXHAUSTED) != 0

    def proven_result(self, edge: int, player: int) -> float:
        """Return the result of a proven edge for a player."""
        return float(self.values[unsigned(edge * self.players + player)])

    def set_proven(self, edge: int, results: Array) -> None:
        """Store the results of an edge, then mark it as proven."""
        for player in range(self.players):
            self.values[unsigned(edge * self.players + player)] = results[player]
        self.mark(self.flags, unsigned(edge), PROVEN)

    def copy_proof(self, edge: int, source: int) -> None:
        """Do the same with the results of another proven edge."""
        for player in range(self.players):
            value = self.values[unsigned(source * self.players + player)]
            self.values[unsigned(edge * self.players + player)] = value
        self.mark(self.flags, unsigned(edge), PROVEN)

    def clear_proofs(self) -> None:
        """Let nothing be proven any more, in the middle of a search."""
        for edge in range(self.used[NEXT_EDGE]):
            self.flags[unsigned(edge)] &= CUT

    def doubt_root(self) -> None:
        """Let the root be unproven: what was proven of it as a leaf says nothing of its moves."""
        self.flags[0] &= CUT

    def cut_counts(self) -> list[int]:
        """Return how many moves each rule pruned, and last how many transpositions were found."""
        counts: list[int] = self.cuts.tolist()
        return counts

    def clear_cuts(self) -> None:
        """Count pruned moves from zero."""
        self.cuts[:] = 0

    # Statistics of variants ---------------------------------------------------------------------------------------

    def has_priors(self) -> bool:
        """Return whether edges have priors."""
        return self.priors.shape[0] > 1

    def prior_of(self, edge: int) -> tuple[float, float]:
        """Return the prior value of a move, and for how many visits it counts."""
        place = unsigned(edge * PRIOR_SIZE)
        return float(self.priors[place + PRIOR]), float(self.priors[place + PRIOR_WEIGHT])

    def chance_of(self, edge: int) -> float:
        """Return the P of PUCT."""
        return float(self.priors[unsigned(edge * PRIOR_SIZE + CHANCE_OF)])

    def set_prior(self, edge: int, prior: float, weight: float, chance: float) -> None:
        """Store the prior value of a move, the visits that it counts for, and the P of PUCT."""
        place = unsigned(edge * PRIOR_SIZE)
        self.priors[place + PRIOR] = prior
        self.priors[place + PRIOR_WEIGHT] = weight
        self.priors[place + CHANCE_OF] = chance

    def rave_of(self, edge: int) -> tuple[float, float]:
        """Return the AMAF visits of a move, and its AMAF mean, 0 without visits."""
        visits = float(self.rave[unsigned(edge * RAVE_SIZE + RAVE_VISITS)])
        return visits, float(self.rave[unsigned(edge * RAVE_SIZE + RAVE_SUM)]) / (max(visits, 1.0) * float(FIXED_POINT))

    def add_rave(self, edge: int, credit: int) -> None:
        """Count an AMAF visit of a move."""
        self.add(self.rave, unsigned(edge * RAVE_SIZE + RAVE_VISITS), 1)
        self.add(self.rave, unsigned(edge * RAVE_SIZE + RAVE_SUM), credit)

    def squares_of(self, edge: int, player: int) -> float:
        """Return the sum of a player's squared results."""
        return float(self.squares[unsigned(edge * self.players + player)]) / float(FIXED_POINT)

    def add_square(self, edge: int, player: int, credit: int) -> None:
        """Add the square of a player's result."""
        result = credit / FIXED_POINT
        square = int(result * result * FIXED_POINT + 0.5)
        self.add(self.squares, unsigned(edge * self.players + player), square)

    def rewrite_squares(self, child: Child, player: int, won: int) -> None:
        """Make all past visits wins of a player, or losses."""
        self.squares[unsigned(child.edge * self.players + player)] = won * self.visits_of(child) * FIXED_POINT

    def history_of(self, player: int, action: int) -> tuple[float, float]:
        """Return how often a player made a move anywhere, and its mean result, 0 if never."""
        place = unsigned((player * self.actions + action) * HISTORY_SIZE)
        seen = float(self.history[place + HISTORY_VISITS])
        return seen, float(self.history[place + HISTORY_SUM]) / (max(seen, 1.0) * float(FIXED_POINT))

    def add_history(self, player: int, action: int, credit: int) -> None:
        """Count a move of a player and its result."""
        place = unsigned((player * self.actions + action) * HISTORY_SIZE)
        self.add(self.history, place + unsigned(HISTORY_VISITS), 1)
        self.add(self.history, place + unsigned(HISTORY_SUM), credit)

    def clear_history(self) -> None:
        """Clear the history of moves."""
        self.history[:] = 0

    def add_draw(self, child: Child) -> None:
        """Count a draw at an edge and, with transpositions, at the position below the edge."""
        self.lock(child.edge)
        self.add(self.drawn, unsigned(child.edge), 1)
        self.drawn[unsigned(self.drawn.shape[0] - 1)] = 1  # several threads write the same
        node = self.node_of(child) if self.positions.shape[0] > 1 else 0
        if node != 0:
            self.count(self.positions, self.position_place(node, POSITION_DRAWN), 1)
        self.unlock(child.edge)

    # Transpositions: a table from hashes to nodes, and the statistics of a position by all ways into it --------------

    def find_key(self, key: int) -> int:
        """Return the place of a key in the table, or the free place where it belongs."""
        mask = self.table.shape[0] // TABLE_SIZE - 1
        place = key & mask
        held = self.table[unsigned(place * TABLE_SIZE)]
        while held != 0 and held != key:
            place = (place + 1) & mask
            held = self.table[unsigned(place * TABLE_SIZE)]
        return place

    def find_position(self, key: int) -> int:
        """Return the node of a position, or 0."""
        return int(self.table[unsigned(self.find_key(key) * TABLE_SIZE + TABLE_NODE)])

    def position_place(self, node: int, field: int) -> int:
        """Return where a field of a node's position lies."""
        return unsigned(self.row_of(node) * (POSITION_SUM + self.players) + field)

    def new_position(self, node: int, key: int) -> None:
        """Store the key of a new node, which nobody sees yet, and no statistics."""
        for field in range(POSITION_SUM + self.players):
            self.positions[self.position_place(node, field)] = key if field == POSITION_KEY else 0

    def enter_position(self, node: int, key: int) -> int:
        """Enter a complete node into the table; return the position's node, which may be one entered before."""
        place = self.find_key(key) * TABLE_SIZE
        self.pause()
        held = compare_and_swap(self.table, place + TABLE_KEY, 0, signed(key))
        while held != 0 and held != key:  # another position has taken the place meanwhile
            place = self.find_key(key) * TABLE_SIZE
            held = compare_and_swap(self.table, place + TABLE_KEY, 0, signed(key))
        self.pause()
        winner = signed(compare_and_swap(self.table, place + TABLE_NODE, 0, signed(node)))
        return node if winner == 0 else winner

    def attach_position(self, child: Child, node: int) -> int:
        """Let an edge lead to a position's node; return the node that it leads to.

        What the edge has seen before counts for the position too.
        """
        self.lock(child.edge)
        held = self.node_of(child)
        if held == 0:
            self.count(self.positions, self.position_place(node, POSITION_VISITS), self.visits_of(child))
            self.count(self.positions, self.position_place(node, POSITION_DRAWN), self.draws_of(child))
            for player in range(self.players):
                self.add_to_position(node, player, self.sum_of(child, player))
            held = self.attach(child, node)
        self.unlock(child.edge)
        return held

    def position_visits(self, node: int) -> int:
        """Return the visits of a position by all ways into it."""
        return int(self.positions[self.position_place(node, POSITION_VISITS)])

    def position_mean(self, node: int, player: int) -> float:
        """Return a player's mean result at a position, by all ways into it."""
        visits = float(max(self.positions[self.position_place(node, POSITION_VISITS)], 1))
        return float(self.positions[self.position_place(node, POSITION_SUM + player)]) / (visits * float(FIXED_POINT))

    def count_position(self, node: int, visits: int) -> None:
        """Count visits of a position, or take them back (-visits)."""
        self.count(self.positions, self.position_place(node, POSITION_VISITS), visits)

    def add_to_position(self, node: int, player: int, credit: int) -> None:
        """Credit a result to a player at a position whose visit was counted."""
        self.count(self.positions, self.position_place(node, POSITION_SUM + player), credit)

    # The path ---------------------------------------------------------------------------------------------------

    def take_edge(self, child: Child, loss: int) -> None:
        """Count an edge as lost until its result comes, and its position too, where threads share the tree."""

    def drop_edge(self, child: Child, loss: int) -> None:
        """Take the loss back: no result will come."""
        self.take_edge(child, -loss)
