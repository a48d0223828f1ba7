"""A new node of the full search: shared with an equal position, or made, with all its moves at once where need be.

All moves of a node are made together if selection looks at unvisited ones, or if a rule of pruning leaves few. Where
it looks at their order only, the likeliest come first, and more when all of these have been visited.
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
from luozi.search.variants import ANCESTOR_START, NO_ANCESTOR, PUCT, SHARED, Variants

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
    node: int,
    count: int,
    rule: int,
) -> tuple[int, int]:
    """The node under the last edge of the path: `node`, which wants more moves, or a new one; 0 when the pool is full.

    `count` moves in `work.moves` have stayed by a rule of pruning, or EVERYTHING. Returns too how many of them the node
    is to be filled from; EVERYTHING if its children come one by one, or if there is no room for more.
    """
    if node != 0:
        if not has_room(tree, next_room(tree, int(tree.nodes[unsigned(node + CHILDREN)]))):
            return node, EVERYTHING
        return node, int(game.legal_actions(scratch.state[0], work.moves))
    word = int(scratch.path[depth, 1] + CHILD * scratch.path[depth, 2])
    key = position_key(game, scratch, work) if variants.share else 0
    if variants.share:
        home = int(notes.table[unsigned(find_key(notes, key) * TABLE_SIZE + TABLE_NODE)])
        if home != 0:
            tree.words[unsigned(word)] = home
            notes.cuts[SHARED] += 1
            add_past(tree, notes, scratch, depth, home)
            return home, EVERYTHING
    restricted = count != EVERYTHING
    if variants.eager and not restricted:
        count = int(game.legal_actions(scratch.state[0], work.moves))
    at_once = min(count, next_room(tree, 0)) if variants.ordered and not restricted else count
    if not has_room(tree, at_once):
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
    """Make moves children of the node: all of the first `count` in `work.moves`, in random order, or the likeliest.

    There is room for them.
    """
    for index in range(count - 1, 0, -1):
        swap(work, index, random_below(scratch.rng, index + 1))
    for index in range(count):
        work.values[index] = 0.5
    if variants.prior_weight > 0.0 or variants.formula == PUCT:
        game.priors(scratch.state[0], work.moves, count, work.values)
    total = 0.0
    for index in range(count):
        total += chance_of(work.values[index], variants)
    if variants.ancestor != NO_ANCESTOR:
        look_up_ancestor(tree, notes, scratch, work, variants, depth, game.current_player(scratch.state[0]))
    now, complete = count, True
    if variants.ordered:
        now, complete = likeliest(tree, work, node, count)
    for index in range(now):
        edge, _, _ = new_edge(tree, node, int(work.moves[index]))
        clear_notes(notes, edge, tree.players)
        if notes.priors.shape[0] > 1:
            set_prior(notes, work, variants, edge, index)
            share = chance_of(work.values[index], variants) / total if total > 0.0 else 1.0 / count
            notes.priors[unsigned(edge * PRIOR_SIZE + CHANCE_OF)] = share
    if complete:
        tree.nodes[unsigned(node + TRIED)] = max(int(tree.nodes[unsigned(node + TRIED)]), tree.actions)


@inline
def swap(work: Work, one: int, other: int) -> None:
    """Let two moves change places, with what is known of them."""
    move, value = work.moves[one], work.values[one]
    work.moves[one], work.values[one] = work.moves[other], work.values[other]
    work.moves[other], work.values[other] = move, value


@inline
def likeliest(tree: Tree, work: Work, node: int, count: int) -> tuple[int, bool]:
    """Bring those of the first moves to the front that the node gets next, the likeliest first.

    Returns how many, and whether they are all that it has not got yet.
    """
    work.counts[STAMP] += 1
    stamp_children(tree, work, node)
    left = 0
    for index in range(count):
        if work.stamps[work.moves[index]] != work.counts[STAMP]:
            swap(work, index, left)
            left += 1
    now = left
    if tree.nodes[unsigned(node + TRIED)] < tree.actions:  # no rule of pruning has left a few
        now = min(left, next_room(tree, int(tree.nodes[unsigned(node + CHILDREN)])))
    for index in range(1, left):  # insertion into the best ones so far
        place = min(index, now)
        if place == now:
            if work.values[index] <= work.values[now - 1]:
                continue
            place = now - 1
            swap(work, index, place)
        while place > 0 and work.values[place] > work.values[place - 1]:
            swap(work, place, place - 1)
            place -= 1
    return now, now == left


@inline
def stamp_children(tree: Tree, work: Work, node: int) -> None:
    """Mark the moves that a node has already."""
    left, level = int(tree.nodes[unsigned(node + CHILDREN)]), 0
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            action = int(tree.words[unsigned(first * (MEAN + tree.players) + index + ACTION * size)])
            work.stamps[action] = work.counts[STAMP]
        left -= size
        level += 1


@inline
def next_room(tree: Tree, have: int) -> int:
    """How many moves more a node gets that has so many: a segment, and at first two, as one is soon used up."""
    room, level = 0, 0
    while room <= have or (level < 2 and room < tree.actions):
        room += segment_size(level, tree.actions)
        level += 1
    return room - have


@inline
def wants_more(tree: Tree, node: int) -> bool:
    """Whether all moves of a node that gets the likeliest first have been visited, and there are more."""
    if tree.nodes[unsigned(node + TRIED)] >= tree.actions:
        return False
    last, level = int(tree.nodes[unsigned(node + CHILDREN)]) - 1, 0
    while last >= segment_size(level, tree.actions):
        last -= segment_size(level, tree.actions)
        level += 1
    first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
    return tree.words[unsigned(first * (MEAN + tree.players) + last + VISITS * size)] > 0


@inline
def chance_of(value: float, variants: Variants) -> float:
    """How likely a move is, by what the heuristic says of it, before all are made to add up to 1."""
    whole = int(variants.prior_power)
    if variants.prior_power != whole or whole > 64:
        return float(value**variants.prior_power)
    power = 1.0  # a few products are much faster
    while whole > 0:
        if whole & 1:
            power *= value
        value *= value
        whole >>= 1
    return power


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
def position_key(game: Any, scratch: Scratch, work: Work) -> int:
    """Sixty-three bits that depend on all that matters in the position the search is at; never 0."""
    key = int(game.position_key(scratch.state[0]))
    if key >= 0:
        return max(key, 1)
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
