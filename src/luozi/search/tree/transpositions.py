"""Equal positions: a table from hashes to nodes, and what a position has seen by all ways into it.

`access.py` tells in which order threads write here.
"""

from __future__ import annotations

from luozi.compiled import inline, kernel, signed, unsigned
from luozi.compiled.atomics import compare_and_swap
from luozi.search.tree.operations import attach, draws_of, expect_visits, is_shared, node_of, row_of, sum_of, visits_of
from luozi.search.tree.pool import FIXED_POINT, Child, Tree
from luozi.search.tree.side_tables import (
    POSITION_DRAWN,
    POSITION_KEY,
    POSITION_SUM,
    POSITION_VISITS,
    TABLE_KEY,
    TABLE_NODE,
    TABLE_SIZE,
    SideTables,
    edge_notes,
    used_nodes,
)


def forget(tree: Tree, notes: SideTables) -> None:
    """Nothing is known of any position of the tree; what was seen of moves anywhere stays."""
    for array, width in edge_notes(tree, notes):
        array[:width] = 0
    if notes.table.size > 1:
        empty_table(notes, used_nodes(tree), tree.players)


@kernel
def empty_table(notes: SideTables, nodes: int, players: int) -> None:
    """Take all nodes out of the hash table. Only their places are touched: most of the table may never have been."""
    width = POSITION_SUM + players
    for node in range(1, nodes):
        key = node * width + POSITION_KEY
        notes.positions[key] = find_key(notes, notes.positions[key])
    for node in range(1, nodes):
        place = unsigned(notes.positions[node * width + POSITION_KEY] * TABLE_SIZE)
        notes.table[place + TABLE_KEY], notes.table[place + TABLE_NODE] = 0, 0


@kernel
def fill_table(notes: SideTables, nodes: int, players: int, row: int) -> None:
    """Put all nodes into an empty hash table."""
    for node in range(1, nodes):
        key = notes.positions[node * (POSITION_SUM + players) + POSITION_KEY]
        place = unsigned(find_key(notes, key) * TABLE_SIZE)
        notes.table[place + TABLE_KEY], notes.table[place + TABLE_NODE] = key, node * row


@inline
def find_key(notes: SideTables, key: int) -> int:
    """The place of a key in the table, or the free place where it belongs."""
    mask = notes.table.shape[0] // TABLE_SIZE - 1
    place = key & mask
    held = notes.table[unsigned(place * TABLE_SIZE)]
    while held != 0 and held != key:
        place = (place + 1) & mask
        held = notes.table[unsigned(place * TABLE_SIZE)]
    return place


@inline
def home_of(notes: SideTables, key: int) -> int:
    """The node of a position, or 0."""
    return int(notes.table[unsigned(find_key(notes, key) * TABLE_SIZE + TABLE_NODE)])


@inline
def new_home(tree: Tree, notes: SideTables, node: int, key: int) -> None:
    """Let a new node, which nobody sees yet, be a position's, with no past."""
    row = row_of(tree, node) * (POSITION_SUM + tree.players)
    for field in range(POSITION_SUM + tree.players):
        notes.positions[unsigned(row + field)] = key if field == POSITION_KEY else 0


@inline
def found_home(tree: Tree, notes: SideTables, node: int, key: int) -> int:
    """Enter a complete node into the table of positions; the position's node, which may be one that came before."""
    place = find_key(notes, key) * TABLE_SIZE
    tree.access.pause()
    held = compare_and_swap(notes.table, place + TABLE_KEY, 0, signed(key))
    while held != 0 and held != key:  # another position has taken the place meanwhile
        place = find_key(notes, key) * TABLE_SIZE
        held = compare_and_swap(notes.table, place + TABLE_KEY, 0, signed(key))
    tree.access.pause()
    winner = signed(compare_and_swap(notes.table, place + TABLE_NODE, 0, signed(node)))
    return node if winner == 0 else winner


@inline
def lead_home(tree: Tree, notes: SideTables, child: Child, node: int) -> int:
    """Let an edge lead to a position's node; the node that it leads to.

    One more way into the position: what the edge has seen before counts for the position too.
    """
    tree.access.lock(tree.locks, child.edge)
    held = node_of(tree, child)
    if held == 0:
        add_past(tree, notes, child, node)
        held = attach(tree, child, node)
    tree.access.unlock(tree.locks, child.edge)
    return held


@inline
def add_past(tree: Tree, notes: SideTables, child: Child, node: int) -> None:
    """What an edge has seen so far counts for a position too."""
    row = row_of(tree, node) * (POSITION_SUM + tree.players)
    tree.access.count(notes.positions, unsigned(row + POSITION_VISITS), visits_of(tree, child))
    tree.access.count(notes.positions, unsigned(row + POSITION_DRAWN), draws_of(tree, child))
    for player in range(tree.players):
        tree.access.count(notes.positions, unsigned(row + POSITION_SUM + player), sum_of(tree, child, player))


@inline
def position_visits(tree: Tree, notes: SideTables, node: int) -> int:
    """The visits of a position by all ways into it."""
    return int(notes.positions[unsigned(row_of(tree, node) * (POSITION_SUM + tree.players) + POSITION_VISITS)])


@inline
def position_mean(tree: Tree, notes: SideTables, node: int, player: int) -> float:
    """A player's mean result at a position, by all ways into it."""
    place = row_of(tree, node) * (POSITION_SUM + tree.players)
    visits = float(max(notes.positions[unsigned(place + POSITION_VISITS)], 1))
    return float(notes.positions[unsigned(place + POSITION_SUM + player)]) / (visits * float(FIXED_POINT))


@inline
def count_position(tree: Tree, notes: SideTables, node: int, visits: int) -> None:
    """Count visits of a position, or take them back (-visits)."""
    place = unsigned(row_of(tree, node) * (POSITION_SUM + tree.players) + POSITION_VISITS)
    tree.access.count(notes.positions, place, visits)


@inline
def add_to_position(tree: Tree, notes: SideTables, node: int, player: int, credit: int) -> None:
    """Credit a result to a player at a position whose visit was counted."""
    place = unsigned(row_of(tree, node) * (POSITION_SUM + tree.players) + POSITION_SUM + player)
    tree.access.count(notes.positions, place, credit)


@inline
def add_draw(tree: Tree, notes: SideTables, child: Child) -> None:
    """Count a draw at an edge and, where positions are shared, at the position below the edge."""
    tree.access.lock(tree.locks, child.edge)
    tree.access.add(tree.drawn, unsigned(child.edge), 1)
    tree.drawn[unsigned(tree.drawn.shape[0] - 1)] = 1  # several threads write the same
    node = node_of(tree, child) if notes.positions.shape[0] > 1 else 0
    if node != 0:
        place = unsigned(row_of(tree, node) * (POSITION_SUM + tree.players) + POSITION_DRAWN)
        tree.access.count(notes.positions, place, 1)
    tree.access.unlock(tree.locks, child.edge)


# On the way down ------------------------------------------------------------------------------------------------------


@inline
def take_edge(tree: Tree, notes: SideTables, child: Child, loss: int) -> None:
    """Where threads share the tree, an edge counts as lost until its result comes, and so does its position."""
    if is_shared(tree):
        tree.access.lock(tree.locks, child.edge)
        expect_visits(tree, child, loss)
        node = node_of(tree, child) if notes.table.shape[0] > 1 else 0
        if node != 0:
            count_position(tree, notes, node, loss)
        tree.access.unlock(tree.locks, child.edge)


@inline
def drop_edge(tree: Tree, notes: SideTables, child: Child, loss: int) -> None:
    """No result will come: the loss is taken back."""
    take_edge(tree, notes, child, -loss)
