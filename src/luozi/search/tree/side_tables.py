"""What variants of the search remember beside the tree. An array is as long as the pool only if its variant is on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, signed, unsigned
from luozi.compiled.arrays import lazy_zeros
from luozi.compiled.atomics import fetch_add
from luozi.evaluators.variants import CUT_RULES, TUNED, Variants
from luozi.search.tree.operations import visits_of
from luozi.search.tree.pool import FIXED_POINT, MEAN, NEXT_EDGE, NEXT_NODE, SEGMENTS, Child, Tree

# Bits of Notes.flags. EXHAUSTED is of the root alone: its moves are proven, and others were excluded.
CUT, PROVEN, EXHAUSTED = 1, 2, 4
# Fields of an edge in Notes.rave and in Notes.priors.
RAVE_VISITS, RAVE_SUM, RAVE_SIZE = 0, 1, 2
PRIOR, PRIOR_WEIGHT, CHANCE_OF, PRIOR_SIZE = 0, 1, 2, 3
# Fields of a node in Notes.positions, of a place in Notes.table, and of a move in Notes.history.
POSITION_KEY, POSITION_VISITS, POSITION_DRAWN, POSITION_SUM = 0, 1, 2, 3
TABLE_KEY, TABLE_NODE, TABLE_SIZE = 0, 1, 2
HISTORY_VISITS, HISTORY_SUM, HISTORY_SIZE = 0, 1, 2


class SideTables(NamedTuple):
    """Beside the edges and nodes of a Tree with P players and A actions. Few arrays: each costs time to compile.

    Where threads share them, all of an edge's notes are written before the edge is shown, and then:
    """

    flags: Array  # [edges] u1: CUT, PROVEN; each is set once, PROVEN after `values`
    values: Array  # [edges * P] f4: the results of a proven edge; two threads that prove it write the same
    squares: Array  # [edges * P] i8: sums of squared results, in fixed point
    rave: Array  # [edges * RAVE_SIZE] i8: visits, then the sum, for the player who moves along the edge
    priors: Array  # [edges * PRIOR_SIZE] f4: worth before the first visit for who moves, in how many visits; PUCT's P
    positions: Array  # [nodes * (3 + P)] i8: the hash of a shared node's position; visits, draws, sums by all ways in
    table: Array  # [places * TABLE_SIZE] i8: hashes of positions that have a node, and after that the node, complete
    history: Array  # [P * A * HISTORY_SIZE] i8: visits and sum of a move of a player, anywhere in any game
    cuts: Array  # [CUT_RULES + 1] i8: how many moves each rule took away; how many positions came up by another way


def new_notes(tree: Tree, variants: Variants) -> SideTables:
    """Room for what these variants remember."""
    edges = len(tree.words) // (MEAN + tree.players)
    nodes = len(tree.nodes) // (SEGMENTS + tree.levels)
    moves = tree.players * tree.actions

    def room(wanted: bool, count: int, kind: type) -> Array:
        return lazy_zeros(count, kind) if wanted else np.zeros(1, kind)

    return SideTables(
        flags=room(variants.marks, edges, np.uint8),
        values=room(bool(variants.prove), edges * tree.players, np.float32),
        squares=room(variants.formula == TUNED, edges * tree.players, np.int64),
        rave=room(bool(variants.rave), edges * RAVE_SIZE, np.int64),
        priors=room(variants.has_priors, edges * PRIOR_SIZE, np.float32),
        positions=room(variants.share, nodes * (POSITION_SUM + tree.players), np.int64),
        table=room(variants.share, table_size(nodes) * TABLE_SIZE, np.int64),
        history=np.zeros(moves * HISTORY_SIZE if variants.history else 1, np.int64),
        cuts=np.zeros(CUT_RULES + 1, np.int64),
    )


def table_size(nodes: int) -> int:
    """Places in the hash table: a power of two, half of them free at least.

    >>> table_size(1000)
    2048
    """
    return 1 << max(4, (2 * nodes - 1).bit_length())


def note_bytes(variants: Variants, players: int) -> tuple[int, int]:
    """How many bytes these variants remember of each edge, and of each node at most."""
    edge = variants.marks + 4 * players * bool(variants.prove) + 8 * players * (variants.formula == TUNED)
    edge += 8 * RAVE_SIZE * bool(variants.rave) + 4 * PRIOR_SIZE * variants.has_priors
    return edge, (8 * (POSITION_SUM + players) + 4 * 8 * TABLE_SIZE) * variants.share


# What is known of an edge ---------------------------------------------------------------------------------------------


@inline
def clear_notes(notes: SideTables, edge: int, players: int) -> None:
    """A new edge has no past; its place in the pool may have one."""
    if notes.flags.shape[0] > 1:
        notes.flags[unsigned(edge)] = 0
    if notes.rave.shape[0] > 1:
        notes.rave[unsigned(edge * RAVE_SIZE + RAVE_VISITS)] = 0
        notes.rave[unsigned(edge * RAVE_SIZE + RAVE_SUM)] = 0
    if notes.squares.shape[0] > 1:
        for player in range(players):
            notes.squares[unsigned(edge * players + player)] = 0
    if notes.priors.shape[0] > 1:
        notes.priors[unsigned(edge * PRIOR_SIZE + PRIOR)] = 0
        notes.priors[unsigned(edge * PRIOR_SIZE + PRIOR_WEIGHT)] = 0
        notes.priors[unsigned(edge * PRIOR_SIZE + CHANCE_OF)] = 1


@inline
def has_marks(notes: SideTables) -> bool:
    """Whether edges can be cut or proven."""
    return notes.flags.shape[0] > 1


@inline
def has_priors(notes: SideTables) -> bool:
    """Whether something is known of moves before their first visit."""
    return notes.priors.shape[0] > 1


@inline
def marks_of(notes: SideTables, edge: int) -> int:
    """CUT and PROVEN, where edges have them."""
    return int(notes.flags[unsigned(edge)])


@inline
def is_proven(notes: SideTables, edge: int) -> bool:
    """Whether an edge leads to a certain result."""
    return notes.flags.shape[0] > 1 and int(notes.flags[unsigned(edge)]) & PROVEN != 0


@inline
def cut(tree: Tree, notes: SideTables, edge: int, rule: int) -> None:
    """Take a move away, by a rule of pruning."""
    tree.access.mark(notes.flags, unsigned(edge), CUT)
    fetch_add(notes.cuts, rule, 1)


@inline
def count_cuts(notes: SideTables, rule: int, moves: int) -> None:
    """Moves that never became children, by a rule of pruning. Threads count at the same time."""
    fetch_add(notes.cuts, rule, signed(moves))


@inline
def set_exhausted(tree: Tree, notes: SideTables) -> None:
    """The root has no move left to find anything out about."""
    tree.access.mark(notes.flags, unsigned(0), EXHAUSTED)


@inline
def is_exhausted(notes: SideTables) -> bool:
    """Whether no more can be found out: the root is proven, or all of its moves are that were not excluded."""
    return notes.flags.shape[0] > 1 and int(notes.flags[unsigned(0)]) & (PROVEN | EXHAUSTED) != 0


@inline
def proven_result(tree: Tree, notes: SideTables, edge: int, player: int) -> float:
    """The certain result of a proven edge."""
    return float(notes.values[unsigned(edge * tree.players + player)])


@inline
def set_proven(tree: Tree, notes: SideTables, edge: int, results: Array) -> None:
    """An edge leads to a certain result."""
    for player in range(tree.players):
        notes.values[unsigned(edge * tree.players + player)] = results[player]
    tree.access.mark(notes.flags, unsigned(edge), PROVEN)


@inline
def copy_proof(tree: Tree, notes: SideTables, edge: int, source: int) -> None:
    """An edge leads to the same certain result as another."""
    for player in range(tree.players):
        value = notes.values[unsigned(source * tree.players + player)]
        notes.values[unsigned(edge * tree.players + player)] = value
    tree.access.mark(notes.flags, unsigned(edge), PROVEN)


@inline
def prior_of(notes: SideTables, edge: int) -> tuple[float, float]:
    """What a move promises before its first visit, and for how many visits that counts."""
    place = unsigned(edge * PRIOR_SIZE)
    return float(notes.priors[place + PRIOR]), float(notes.priors[place + PRIOR_WEIGHT])


@inline
def chance_of(notes: SideTables, edge: int) -> float:
    """PUCT's P."""
    return float(notes.priors[unsigned(edge * PRIOR_SIZE + CHANCE_OF)])


@inline
def set_prior(notes: SideTables, edge: int, prior: float, weight: float, chance: float) -> None:
    """What is known of a move before its first visit."""
    place = unsigned(edge * PRIOR_SIZE)
    notes.priors[place + PRIOR] = prior
    notes.priors[place + PRIOR_WEIGHT] = weight
    notes.priors[place + CHANCE_OF] = chance


@inline
def rave_of(notes: SideTables, edge: int) -> tuple[float, float]:
    """How often a move came as if first, and its mean then; 0 for a mean of nothing."""
    visits = float(notes.rave[unsigned(edge * RAVE_SIZE + RAVE_VISITS)])
    return visits, float(notes.rave[unsigned(edge * RAVE_SIZE + RAVE_SUM)]) / (max(visits, 1.0) * float(FIXED_POINT))


@inline
def add_rave(tree: Tree, notes: SideTables, edge: int, credit: int) -> None:
    """A move came as if first."""
    tree.access.add(notes.rave, unsigned(edge * RAVE_SIZE + RAVE_VISITS), 1)
    tree.access.add(notes.rave, unsigned(edge * RAVE_SIZE + RAVE_SUM), credit)


@inline
def squares_of(tree: Tree, notes: SideTables, edge: int, player: int) -> float:
    """The sum of a player's squared results."""
    return float(notes.squares[unsigned(edge * tree.players + player)]) / float(FIXED_POINT)


@inline
def add_square(tree: Tree, notes: SideTables, edge: int, player: int, credit: int) -> None:
    """One more squared result."""
    result = credit / FIXED_POINT
    square = int(result * result * FIXED_POINT + 0.5)
    tree.access.add(notes.squares, unsigned(edge * tree.players + player), square)


@inline
def rewrite_squares(tree: Tree, notes: SideTables, child: Child, player: int, won: int) -> None:
    """Let all past visits have been a player's wins, or losses."""
    notes.squares[unsigned(child.edge * tree.players + player)] = won * visits_of(tree, child) * FIXED_POINT


@inline
def history_of(tree: Tree, notes: SideTables, player: int, action: int) -> tuple[float, float]:
    """How often a player made a move anywhere, and its mean result; 0 for a mean of nothing."""
    place = unsigned((player * tree.actions + action) * HISTORY_SIZE)
    seen = float(notes.history[place + HISTORY_VISITS])
    return seen, float(notes.history[place + HISTORY_SUM]) / (max(seen, 1.0) * float(FIXED_POINT))


@inline
def add_history(tree: Tree, notes: SideTables, player: int, action: int, credit: int) -> None:
    """A player made a move somewhere."""
    place = unsigned((player * tree.actions + action) * HISTORY_SIZE)
    tree.access.add(notes.history, place + unsigned(HISTORY_VISITS), 1)
    tree.access.add(notes.history, place + unsigned(HISTORY_SUM), credit)


# Read and written from Python -----------------------------------------------------------------------------------------


def all_marks(notes: SideTables, edges: Array) -> Array:
    """CUT and PROVEN of some edges; nothing where edges have no marks."""
    return notes.flags[edges] if notes.flags.size > 1 else np.zeros(len(edges), np.uint8)


def all_proven_results(tree: Tree, notes: SideTables, edges: Array) -> Array:
    """The certain results of some proven edges, a row each."""
    return notes.values.reshape(-1, tree.players)[edges]


def all_chances(notes: SideTables, edges: Array) -> list[float]:
    """PUCT's P of some edges; nothing where there is none."""
    if notes.priors.size <= 1:
        return []
    chances: list[float] = notes.priors.reshape(-1, PRIOR_SIZE)[edges, CHANCE_OF].tolist()
    return chances


def cut_counts(notes: SideTables) -> list[int]:
    """How many moves each rule took away, and last how many positions came up by another way."""
    counts: list[int] = notes.cuts.tolist()
    return counts


def forget_cuts(notes: SideTables) -> None:
    """Count cuts from zero."""
    notes.cuts[:] = 0


def forget_history(notes: SideTables) -> None:
    """Nothing was seen of any move anywhere."""
    notes.history[:] = 0


# From move to move ----------------------------------------------------------------------------------------------------


def edge_notes(tree: Tree, notes: SideTables) -> list[tuple[Array, int]]:
    """The arrays in use that have an entry for each edge, and how many numbers an entry has."""
    found = []
    for array, width in (
        (notes.flags, 1),
        (notes.values, tree.players),
        (notes.squares, tree.players),
        (notes.rave, RAVE_SIZE),
        (notes.priors, PRIOR_SIZE),
    ):
        if array.size > 1:
            found.append((array, width))
    return found


def node_notes(tree: Tree, notes: SideTables) -> list[tuple[Array, int]]:
    """The array that has an entry for each node, if it is in use."""
    return [(notes.positions, POSITION_SUM + tree.players)] if notes.positions.size > 1 else []


def doubt_root(notes: SideTables) -> None:
    """Let the root's result be uncertain: what was proven of it as a leaf says nothing of its moves."""
    if notes.flags.size > 1:
        notes.flags[0] &= CUT


@inline
def take_proofs_back(tree: Tree, notes: SideTables) -> None:
    """Nothing is certain any more, in the middle of a search."""
    for edge in range(tree.used[NEXT_EDGE]):
        notes.flags[unsigned(edge)] &= CUT


def used_nodes(tree: Tree) -> int:
    """How many rows of the node arrays are in use; the first one is nobody's."""
    return int(tree.used[NEXT_NODE]) // (SEGMENTS + tree.levels)
