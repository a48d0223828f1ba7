"""PUCT (Rosin 2011; Silver et al. 2017): the mean and c P sqrt(N) / (1 + n), P by the game's own priors.

Of moves that were never visited the likelier always comes first, so that a node holds its likeliest moves only and gets
more when these are used up.
"""

from __future__ import annotations

import math

from luozi.compiled import Compilable, apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.thread_state import FULL
from luozi.search.backpropagation import back_up_plainly
from luozi.search.context import SearchContext
from luozi.search.selection.filling import likeliest, likelihood, next_room, wants_more, weigh_moves
from luozi.search.selection.marking import NEVER, certain_score
from luozi.search.tree import (
    STRIDES,
    Child,
    SideTables,
    Tree,
    attach,
    chance_of,
    child_count,
    child_in,
    claim,
    clear_notes,
    count_cuts,
    has_marks,
    has_room,
    leave,
    mean_of,
    new_child,
    new_node,
    node_of,
    segment,
    set_prior,
    set_tried,
    show_children,
    tried_of,
    visits_before,
    visits_of,
)


class Puct(Compilable):
    """PUCT with the game's priors and nothing else; rules that look one move ahead may leave a node few moves."""

    takes_priors = False  # from an evaluator, with the value of a position
    entry_points: tuple[str, ...] = ("enter", "choose", "remind", "grow", "awaits", "back_up", "learn")

    def enter(self, desk: SearchContext, child: Child, depth: int) -> int:
        tree, variants = desk.tree, desk.variants
        node = node_of(tree, child)
        if node == 0:
            if depth > 0 and visits_before(tree, child, variants.virtual_loss) < variants.expand_after:
                return 0
            return first_moves(desk, child)
        if wants_more(tree, node):
            more_moves(desk, node)
        return node

    def choose(self, desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        explore = desk.variants.weight * math.sqrt(float(max(visits_of(desk.tree, above), 1)))
        return likeliest_child(desk.tree, desk.notes, node, player, explore, 0.0, 0.0)

    def terms(self, desk: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """What the score of a child is made of, and the score; for people, so it is never compiled."""
        tree, notes = desk.tree, desk.notes
        visits, before = visits_of(tree, child), visits_of(tree, above)
        explore = self.weight_after(desk, before) * math.sqrt(float(max(before, 1)))
        mean = mean_of(tree, child, player) if visits else self.unvisited(desk, above, player)
        chance = chance_of(notes, child.edge)
        score = mean + explore * chance / (1 + visits)
        marked = certain_score(tree, notes, child, player, score) if has_marks(notes) else score
        return {"mean": mean, "prior": chance, "exploration": explore * chance / (1 + visits), "score": marked}

    def weight_after(self, desk: SearchContext, visits: int) -> float:
        """The c of a position with so many visits; for people, as `terms` is."""
        return desk.variants.weight

    def unvisited(self, desk: SearchContext, above: Child, player: int) -> float:
        """What an unvisited move counts for instead of a mean."""
        return 0.0

    def remind(self, desk: SearchContext, depth: int) -> None:
        pass

    def grow(self, desk: SearchContext, depth: int) -> None:
        pass

    def awaits(self, tree: Tree, child: Child) -> bool:
        return False

    def back_up(self, desk: SearchContext, depth: int) -> None:
        back_up_plainly(desk, depth)

    def learn(self, desk: SearchContext, depth: int) -> None:
        pass


@apart
def first_moves(desk: SearchContext, child: Child) -> int:
    """A new node under an edge, with its likeliest moves; 0 when the pool is full."""
    game, tree, thread, variants = desk.game, desk.tree, desk.thread, desk.variants
    count, rule = EVERYTHING, 0
    if variants.take_wins or variants.block_wins or variants.avoid_gifts:
        count, rule = allowed_moves(game, thread, variants)
    restricted = count != EVERYTHING
    if not restricted:
        count = signed(game.legal_actions(thread.state[0], thread.moves))
    node = 0
    if has_room(tree, count if restricted else min(count, next_room(tree, 0))):
        node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        desk.limits.progress[FULL] = 1
        return 0
    if restricted:
        set_tried(tree, node, tree.actions + 1)  # so that proofs know
    if not add_moves(desk, node, count):
        desk.limits.progress[FULL] = 1
        return 0
    winner = attach(tree, child, node)
    if restricted and winner == node:
        count_cuts(desk.notes, rule, game.legal_actions(thread.state[0], thread.replies) - count)
    return winner


@apart
def more_moves(desk: SearchContext, node: int) -> None:
    """The next likeliest moves of a node, if there is room."""
    tree = desk.tree
    if not claim(tree, node):
        return
    if not wants_more(tree, node):  # another thread was here before
        pass
    elif has_room(tree, next_room(tree, child_count(tree, node))):
        count = signed(desk.game.legal_actions(desk.thread.state[0], desk.thread.moves))
        if not add_moves(desk, node, count):
            desk.limits.progress[FULL] = 1
    else:
        desk.limits.progress[FULL] = 1
    leave(tree, node)


@apart
def add_moves(desk: SearchContext, node: int, count: int) -> bool:
    """Make the likeliest of the first moves in `thread.moves` children of the node; False when the pool is full."""
    total = weigh_moves(desk.game, desk.thread, desk.variants, count, True)
    return hang_moves(desk, node, count, total, True)


@apart
def hang_moves(desk: SearchContext, node: int, count: int, total: float, all_there: bool) -> bool:
    """The same for moves whose promises are known, with the sum of their chances; whether these are all there are."""
    tree, notes, thread = desk.tree, desk.notes, desk.thread
    now, complete = likeliest(tree, thread, node, count)
    have, made = child_count(tree, node), 0
    while made < now:
        child = new_child(tree, node, have + made, signed(thread.moves[made]))
        if child.edge == 0:  # another thread has taken the room
            break
        clear_notes(notes, child.edge, tree.players)
        share = likelihood(thread.values[made], desk.variants) / total if total > 0.0 else 1.0 / count
        set_prior(notes, child.edge, 0.0, 0.0, share)
        made += 1
    show_children(tree, node, have + made)
    if all_there and complete and made == now:
        set_tried(tree, node, max(tried_of(tree, node), tree.actions))
    return made == now


@inline
def likeliest_child(
    tree: Tree, notes: SideTables, node: int, player: int, explore: float, start: float, reduction: float
) -> tuple[Child, bool]:
    """The child with the best score, and whether it is new; none is looked at behind the first new one.

    Instead of a mean that one has `start`, less by `reduction` times the root of the chances before it.
    """
    left, level, best, chosen, fresh, seen = child_count(tree, node), 0, NEVER, Child(0, 0, 1), False, 0.0
    marked = has_marks(notes)
    while left > 0:
        first, size = segment(tree, node, level)
        for index in range(min(left, size)):
            child = child_in(tree, first, size, index)
            visits = visits_of(tree, child)
            chance = chance_of(notes, child.edge)
            found = explore * chance / (1.0 + float(visits))
            if visits > 0:
                found += mean_of(tree, child, player)
                seen += chance
            else:
                found += max(start - reduction * math.sqrt(seen), 0.0)
            if marked:
                found = certain_score(tree, notes, child, player, found)
            if found > best:
                best, chosen, fresh = found, child, visits == 0
            if visits == 0:
                return chosen, fresh
        left -= size
        level += 1
    return chosen, fresh
