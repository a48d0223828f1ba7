"""A new node of the full search: shared with an equal position, or made, with all its moves at once where need be.

All moves of a node are made together if selection looks at unvisited ones, or if a rule of pruning leaves few.
"""

from __future__ import annotations

from typing import Any

from luozi.compiled import apart, inline, unsigned
from luozi.compiled.random import random_below
from luozi.search.choosing import Child, visits_of, worth
from luozi.search.kernel import Scratch
from luozi.search.moves import EVERYTHING, STAMP, Work
from luozi.search.notes import (
    CHANCE_OF,
    POSITION_KEY,
    POSITION_SUM,
    POSITION_VISITS,
    PRIOR,
    PRIOR_SIZE,
    PRIOR_WEIGHT,
    TABLE_KEY,
    TABLE_NODE,
    TABLE_SIZE,
    Notes,
    clear_notes,
    find_key,
)
from luozi.search.tree import (
    ACTION,
    CHILD,
    CHILDREN,
    MEAN,
    NEXT_EDGE,
    SEGMENTS,
    STRIDES,
    TRIED,
    VISITS,
    Tree,
    new_edge,
    new_node,
    segment_size,
)
from luozi.search.variants import ANCESTOR_START, NO_ANCESTOR, PUCT, Variants

_MIX, _63_BITS = 0x1E3779B97F4A7C15, (1 << 63) - 1


@apart
def enter_node(
    game: Any,
    tree: Tree,
    notes: Notes,
    scratch: Scratch,
    work: Work,
    variants: Variants,
    depth: int,
    count: int,
    rule: int,
) -> tuple[int, int]:
    """The node under the last edge of the path, which has none yet; 0 when the pool is full.

    `count` moves in `work.moves` have stayed by a rule of pruning, or EVERYTHING. Returns too how many children the
    node is to be filled with; EVERYTHING if they come one by one.
    """
    word = int(scratch.path[depth, 1] + CHILD * scratch.path[depth, 2])
    key = position_key(work) if variants.share else 0
    if variants.share:
        home = int(notes.table[unsigned(find_key(notes, key) * TABLE_SIZE + TABLE_NODE)])
        if home != 0:
            tree.words[unsigned(word)] = home
            add_past(tree, notes, scratch, depth, home)
            return home, EVERYTHING
    restricted = count != EVERYTHING
    if variants.eager and not restricted:
        count = int(game.legal_actions(scratch.state[0], work.moves))
    if not has_room(tree, count):
        return 0, EVERYTHING
    node = new_node(tree, word, random_below(scratch.rng, STRIDES * tree.actions))
    if node == 0:
        return 0, EVERYTHING
    if restricted:
        tree.nodes[unsigned(node + TRIED)] = tree.actions + 1  # so that proofs know
        notes.cuts[rule] += game.legal_actions(scratch.state[0], work.replies) - count
    if variants.share:
        found_home(tree, notes, node, key)
        add_past(tree, notes, scratch, depth, node)
    return node, count


@inline
def has_room(tree: Tree, count: int) -> bool:
    """Whether the pool has room for the segments of so many children."""
    room, level = 0, 0
    while room < count:
        room += segment_size(level, tree.actions)
        level += 1
    return tree.used[NEXT_EDGE] + room <= tree.words.shape[0] // (MEAN + tree.players)


@apart
def fill_node(
    game: Any,
    tree: Tree,
    notes: Notes,
    scratch: Scratch,
    work: Work,
    variants: Variants,
    node: int,
    count: int,
    depth: int,
) -> None:
    """Make the first moves of `work.moves` the node's children, in random order. There is room for them."""
    for index in range(count - 1, 0, -1):
        other = random_below(scratch.rng, index + 1)
        move = work.moves[index]
        work.moves[index] = work.moves[other]
        work.moves[other] = move
    total = 0.0
    for index in range(count):
        work.values[index] = 0.5
    if variants.prior_weight > 0.0 or variants.formula == PUCT:
        game.priors(scratch.state[0], work.moves, count, work.values)
    for index in range(count):
        total += chance_of(work.values[index], variants)
    if variants.ancestor != NO_ANCESTOR:
        look_up_ancestor(tree, notes, scratch, work, variants, depth, game.current_player(scratch.state[0]))
    for index in range(count):
        edge, _, _ = new_edge(tree, node, int(work.moves[index]))
        clear_notes(notes, edge, tree.players)
        if notes.priors.shape[0] > 1:
            set_prior(notes, work, variants, edge, index)
            share = chance_of(work.values[index], variants) / total if total > 0.0 else 1.0 / count
            notes.priors[unsigned(edge * PRIOR_SIZE + CHANCE_OF)] = share
    tree.nodes[unsigned(node + TRIED)] = max(int(tree.nodes[unsigned(node + TRIED)]), tree.actions)


@inline
def chance_of(value: float, variants: Variants) -> float:
    """How likely a move is, by what the heuristic says of it, before all are made to add up to 1."""
    return float(value**variants.prior_power) if variants.prior_power != 1.0 else value


@inline
def set_prior(notes: Notes, work: Work, variants: Variants, edge: int, index: int) -> None:
    """What a move counts for before its first visit: the game's heuristic and the ancestor's mean, weighed."""
    weight, total, order = variants.prior_weight, variants.prior_weight * work.values[index], 0.0
    if variants.ancestor != NO_ANCESTOR:
        action = work.moves[index]
        known = work.stamps[action] == work.counts[STAMP]
        order = work.means[action] if known else 0.5
        if known and variants.ancestor == ANCESTOR_START:
            weight += variants.ancestor_weight
            total += variants.ancestor_weight * order
    notes.priors[unsigned(edge * PRIOR_SIZE + PRIOR_WEIGHT)] = weight
    notes.priors[unsigned(edge * PRIOR_SIZE + PRIOR)] = total / weight if weight > 0.0 else order


@inline
def look_up_ancestor(
    tree: Tree, notes: Notes, scratch: Scratch, work: Work, variants: Variants, depth: int, player: int
) -> None:
    """Write down the means of all moves at the nearest ancestor where the same player was to move."""
    work.counts[STAMP] += 1
    above = depth - 1
    while above >= 0 and work.movers[above + 1] != player:
        above -= 1
    if above < 0:
        return
    node = int(tree.words[unsigned(scratch.path[above, 1] + CHILD * scratch.path[above, 2])])
    left, level = int(tree.nodes[unsigned(node + CHILDREN)]), 0
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            child = Child(first + index, first * (MEAN + tree.players) + index, size)
            if visits_of(tree, child) > 0:
                action = int(tree.words[unsigned(child.at + ACTION * size)])
                mean = worth(tree, notes, variants, child, player) / (variants.own + variants.others)
                work.means[action], work.stamps[action] = mean, work.counts[STAMP]
        left -= size
        level += 1


# Equal positions ------------------------------------------------------------------------------------------------------


@inline
def position_key(work: Work) -> int:
    """Sixty-three bits that depend on every bit that matters in the position the search is at; never 0."""
    bits = 1
    for index in range(work.mask.shape[0]):
        bits = ((bits ^ int(work.words[index] & work.mask[index])) * _MIX) & _63_BITS
        bits ^= bits >> 32
    return max(bits, 1)


@inline
def found_home(tree: Tree, notes: Notes, node: int, key: int) -> None:
    """Enter a new node into the table of positions, with no past."""
    place = unsigned(find_key(notes, key) * TABLE_SIZE)
    notes.table[place + TABLE_KEY], notes.table[place + TABLE_NODE] = key, node
    row = node // (SEGMENTS + tree.levels) * (POSITION_SUM + tree.players)
    for field in range(POSITION_SUM + tree.players):
        notes.positions[unsigned(row + field)] = key if field == POSITION_KEY else 0


@inline
def add_past(tree: Tree, notes: Notes, scratch: Scratch, depth: int, node: int) -> None:
    """One more way into a position: what it has seen before counts for the position too."""
    edge, at, size = int(scratch.path[depth, 0]), int(scratch.path[depth, 1]), int(scratch.path[depth, 2])
    row = node // (SEGMENTS + tree.levels) * (POSITION_SUM + tree.players)
    notes.positions[unsigned(row + POSITION_VISITS)] += int(tree.words[unsigned(at + VISITS * size)])
    for player in range(tree.players):
        notes.positions[unsigned(row + POSITION_SUM + player)] += tree.sums[unsigned(edge * tree.players + player)]
