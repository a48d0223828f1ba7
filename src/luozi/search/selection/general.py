"""Every other way to choose: all formulas and all that can be known of a move, as run-time numbers."""

from __future__ import annotations

from luozi.compiled import Compilable, apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.position import position_hash
from luozi.evaluators.thread_state import FULL, STAMP, ThreadState
from luozi.evaluators.variants import ANCESTOR_START, CUT_CANDIDATES, NO_ANCESTOR, NO_RAVE, PUCT, SHARED, Variants
from luozi.rules.game import Game
from luozi.search.backpropagation import back_up_fully
from luozi.search.context import SearchContext
from luozi.search.expansion import KNOWN, NEW, UNTRIED, expand
from luozi.search.path import step_of
from luozi.search.selection.amaf import remember_moves
from luozi.search.selection.filling import likelihood, weigh_moves
from luozi.search.selection.formulas import Look, choose_child, marked_score, worth
from luozi.search.selection.score_terms import told_terms
from luozi.search.tree import (
    EXCLUDED,
    STRIDES,
    Child,
    SideTables,
    Tree,
    action_of,
    attach,
    child_count,
    child_in,
    clear_notes,
    count_cuts,
    disown,
    found_home,
    has_priors,
    has_room,
    home_of,
    lead_home,
    new_child,
    new_home,
    new_node,
    node_of,
    position_visits,
    prior_of,
    rave_of,
    segment,
    set_prior,
    set_tried,
    show_children,
    tried_of,
    visits_before,
    visits_of,
)


class GeneralSelection(Compilable):
    """Everything that can be switched. Children come one by one, or all at once where selection looks at all."""

    takes_priors = False  # from an evaluator, with the value of a position
    entry_points: tuple[str, ...] = ("enter", "choose", "remind", "grow", "awaits", "back_up", "learn")

    def enter(self, desk: SearchContext, child: Child, depth: int) -> int:
        node, variants = node_of(desk.tree, child), desk.variants
        if node == 0 and (
            depth == 0 or visits_before(desk.tree, child, variants.virtual_loss) >= variants.expand_after
        ):
            node = open_node(desk, child, depth)
            if node == 0:
                desk.limits.progress[FULL] = 1
        return node

    def choose(self, desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]:
        tree, child = desk.tree, Child(0, 0, 1)
        if tried_of(tree, node) < tree.actions:
            child = expand(desk, node, True)
            if child.edge != 0:
                return child, NEW
        if child_count(tree, node) > 0:
            child = choose_child(desk, node, player, above)
        return child, KNOWN if visits_of(tree, child) > 0 else UNTRIED

    def terms(self, desk: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """What the score of a child is made of, and the score; for people, so it is never compiled."""
        tree, notes, variants = desk.tree, desk.notes, desk.variants
        parent = position_visits(tree, notes, node_of(tree, above)) if variants.share else visits_of(tree, above)
        look = Look(player, parent, -1.0)
        found = told_terms(tree, notes, variants, child, look)
        if has_priors(notes):
            found["prior"] = prior_of(notes, child.edge)[0]
        if variants.rave != NO_RAVE:
            found["rave"] = rave_of(notes, child.edge)[1]
        return {**found, "score": marked_score(tree, notes, variants, child, look)}

    def remind(self, desk: SearchContext, depth: int) -> None:
        pass

    def grow(self, desk: SearchContext, depth: int) -> None:
        pass

    def awaits(self, tree: Tree, child: Child) -> bool:
        return False

    def back_up(self, desk: SearchContext, depth: int) -> None:
        back_up_fully(desk, depth)

    def learn(self, desk: SearchContext, depth: int) -> None:
        if desk.variants.rave != NO_RAVE or desk.variants.history > 0.0:
            remember_moves(desk, depth)


@apart
def open_node(desk: SearchContext, child: Child, depth: int) -> int:
    """The node of the position under an edge: an equal position's, or a new one; 0 when the pool is full."""
    game, tree, notes, thread, variants = desk.game, desk.tree, desk.notes, desk.thread, desk.variants
    key = position_key(game, thread) if variants.share else 0
    home = home_of(notes, key) if variants.share else 0
    if home != 0:
        count_cuts(notes, SHARED, 1)
        return lead_home(tree, notes, child, home)
    count, rule = EVERYTHING, 0
    if variants.take_wins or variants.block_wins or variants.avoid_gifts:
        count, rule = allowed_moves(game, thread, variants)
    restricted = count != EVERYTHING
    if variants.eager and not restricted:
        count = signed(game.legal_actions(thread.state[0], thread.moves))
        if variants.candidates:
            legal, count, rule = count, signed(game.candidates(thread.state[0], thread.moves, count)), CUT_CANDIDATES
            restricted = count < legal
    node = 0
    if has_room(tree, count):
        node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        return 0
    if variants.share:
        new_home(tree, notes, node, key)
    if count != EVERYTHING:
        if not fill_node(desk, node, count, depth):
            return 0
        unsure = restricted and rule == CUT_CANDIDATES  # so that proofs know of moves that were left out
        set_tried(tree, node, tree.actions + (EXCLUDED if unsure else int(restricted)))
    winner = settle_home(tree, notes, child, node, key) if variants.share else attach(tree, child, node)
    if restricted and winner == node:
        count_cuts(notes, rule, game.legal_actions(thread.state[0], thread.replies) - count)
    return winner


@inline
def settle_home(tree: Tree, notes: SideTables, child: Child, node: int, key: int) -> int:
    """Let an edge lead to a new node of a position, unless another thread was there before; the node that it has."""
    home = found_home(tree, notes, node, key)
    if home != node:
        disown(tree, node)
        count_cuts(notes, SHARED, 1)
    return lead_home(tree, notes, child, home)


@apart
def fill_node(desk: SearchContext, node: int, count: int, depth: int) -> bool:
    """Make the first `count` moves in `thread.moves` children of the node, in random order; False without room."""
    game, tree, notes, thread, variants = desk.game, desk.tree, desk.notes, desk.thread, desk.variants
    total = weigh_moves(game, thread, variants, count, variants.prior_weight > 0.0 or variants.formula == PUCT)
    if variants.ancestor != NO_ANCESTOR:
        look_up_ancestor(desk, depth, game.current_player(thread.state[0]))
    for index in range(count):
        child = new_child(tree, node, index, signed(thread.moves[index]))
        if child.edge == 0:  # another thread has taken the room
            return False
        clear_notes(notes, child.edge, tree.players)
        if has_priors(notes):
            share = likelihood(thread.values[index], variants) / total if total > 0.0 else 1.0 / count
            prior, weight = prior_worth(thread, variants, index)
            set_prior(notes, child.edge, prior, weight, share)
    show_children(tree, node, count)
    return True


@inline
def prior_worth(thread: ThreadState, variants: Variants, index: int) -> tuple[float, float]:
    """What a move promises before its first visit, by the game and by the ancestor's mean; for how many visits."""
    weight, total, order = variants.prior_weight, variants.prior_weight * thread.values[index], 0.0
    if variants.ancestor != NO_ANCESTOR:
        action = thread.moves[index]
        known = thread.stamps[action] == thread.counts[STAMP]
        order = thread.means[action] if known else 0.5
        if known and variants.ancestor == ANCESTOR_START:
            weight += variants.ancestor_weight
            total += variants.ancestor_weight * order
    return total / weight if weight > 0.0 else order, weight


@inline
def look_up_ancestor(desk: SearchContext, depth: int, player: int) -> None:
    """Write down the means of all moves at the nearest ancestor where the same player was to move."""
    tree, notes, thread, variants = desk.tree, desk.notes, desk.thread, desk.variants
    thread.counts[STAMP] += 1
    above = depth - 1
    while above >= 0 and thread.movers[above + 1] != player:
        above -= 1
    if above < 0:
        return
    node = node_of(tree, step_of(thread, above))
    left, level = child_count(tree, node), 0
    while left > 0:
        first, size = segment(tree, node, level)
        for index in range(min(left, size)):
            child = child_in(tree, first, size, index)
            if visits_of(tree, child) > 0:
                action = action_of(tree, child)
                mean = worth(tree, notes, variants, child, player) / (variants.own + variants.others)
                if 0.0 <= mean <= 1.0:  # another thread may have counted its first visit and not its mean
                    thread.means[action], thread.stamps[action] = mean, thread.counts[STAMP]
        left -= size
        level += 1


@inline
def position_key(game: Game, thread: ThreadState) -> int:
    """Sixty-three bits that depend on all that matters in the position the search is at; never 0."""
    return max(position_hash(game, thread.state[0], thread.words, thread.mask), 1)
