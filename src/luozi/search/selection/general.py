"""All selection policies with all statistics of moves, as run-time numbers."""

from __future__ import annotations

from luozi.compiled import apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.position import position_hash
from luozi.evaluators.thread_state import FULL, STAMP, ThreadState
from luozi.evaluators.variants import ANCESTOR_START, CUT_CANDIDATES, NO_ANCESTOR, NO_RAVE, PUCT, SHARED, Variants
from luozi.rules.game import Game
from luozi.search.backpropagation import credit_path_fully
from luozi.search.context import SearchContext, SelectionPolicy, edge_at
from luozi.search.expansion import KNOWN, NEW, UNTRIED, expand
from luozi.search.selection.amaf import update_amaf
from luozi.search.selection.filling import likelihood, load_priors
from luozi.search.selection.formulas import Look, choose_child, marked_score, score_terms_of, worth
from luozi.search.tree.pool import EXCLUDED, STRIDES, Child
from luozi.search.tree.tree import Tree


class GeneralSelection(SelectionPolicy):
    """Selection with every option. Children are made one by one, or all at once if selection reads unvisited ones."""

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        node, variants = context.tree.node_of(child), context.variants
        if node == 0 and (
            depth == 0 or context.tree.visits_before(child, variants.virtual_loss) >= variants.expand_after
        ):
            node = expand_node(context, child, depth)
            if node == 0:
                context.limits.progress[FULL] = 1
        return node

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]:
        tree, child = context.tree, Child(0, 0, 1)
        if tree.tried_of(node) < tree.actions:
            child = expand(context, node, True)
            if child.edge != 0:
                return child, NEW
        if tree.child_count(node) > 0:
            child = choose_child(context, node, player, above)
        return child, KNOWN if tree.visits_of(child) > 0 else UNTRIED

    def terms(self, context: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """Return the terms of a child's score, and the score; for people, so it is never compiled."""
        tree, variants = context.tree, context.variants
        parent = tree.position_visits(tree.node_of(above)) if variants.share else tree.visits_of(above)
        look = Look(player, parent, -1.0)
        found = score_terms_of(tree, variants, child, look)
        if tree.has_priors():
            found["prior"] = tree.prior_of(child.edge)[0]
        if variants.rave != NO_RAVE:
            found["rave"] = tree.rave_of(child.edge)[1]
        return {**found, "score": marked_score(tree, variants, child, look)}

    def backpropagate(self, context: SearchContext, depth: int) -> None:
        credit_path_fully(context, depth)

    def update_statistics(self, context: SearchContext, depth: int) -> None:
        if context.variants.rave != NO_RAVE or context.variants.history > 0.0:
            update_amaf(context, depth)


@apart
def expand_node(context: SearchContext, child: Child, depth: int) -> int:
    """Return the node of the position under an edge: an equal position's, or a new one; 0 when the pool is full."""
    game, tree, thread, variants = context.game, context.tree, context.thread, context.variants
    key = position_key(game, thread) if variants.share else 0
    home = tree.find_position(key) if variants.share else 0
    if home != 0:
        tree.count_cuts(SHARED, 1)
        return tree.attach_position(child, home)
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
    if tree.has_room(count):
        node = tree.new_node(random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        return 0
    if variants.share:
        tree.new_position(node, key)
    if count != EVERYTHING:
        if not add_all_children(context, node, count, depth):
            return 0
        unsure = restricted and rule == CUT_CANDIDATES  # so that proofs know of moves that were left out
        tree.set_tried(node, tree.actions + (EXCLUDED if unsure else int(restricted)))
    winner = attach_transposition(tree, child, node, key) if variants.share else tree.attach(child, node)
    if restricted and winner == node:
        tree.count_cuts(rule, game.legal_actions(thread.state[0], thread.replies) - count)
    return winner


@inline
def attach_transposition(tree: Tree, child: Child, node: int, key: int) -> int:
    """Let an edge lead to a new node of a position, unless another thread was there before; the node that it has."""
    home = tree.enter_position(node, key)
    if home != node:
        tree.disown(node)
        tree.count_cuts(SHARED, 1)
    return tree.attach_position(child, home)


@apart
def add_all_children(context: SearchContext, node: int, count: int, depth: int) -> bool:
    """Make the first `count` moves in `thread.moves` children of the node, in random order; False without room."""
    game, tree, thread, variants = context.game, context.tree, context.thread, context.variants
    total = load_priors(game, thread, variants, count, variants.prior_weight > 0.0 or variants.formula == PUCT)
    if variants.ancestor != NO_ANCESTOR:
        load_grandfather(context, depth, game.current_player(thread.state[0]))
    for index in range(count):
        child = tree.new_child(node, index, signed(thread.moves[index]))
        if child.edge == 0:  # another thread has taken the room
            return False
        tree.clear_side_tables(child.edge)
        if tree.has_priors():
            share = likelihood(thread.values[index], variants) / total if total > 0.0 else 1.0 / count
            prior, weight = prior_worth(thread, variants, index)
            tree.set_prior(child.edge, prior, weight, share)
    tree.set_child_count(node, count)
    return True


@inline
def prior_worth(thread: ThreadState, variants: Variants, index: int) -> tuple[float, float]:
    """Return the prior value of a move, by the game and the grandfather heuristic.

    For how many visits.
    """
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
def load_grandfather(context: SearchContext, depth: int, player: int) -> None:
    """Write down the means of all moves at the nearest ancestor where the same player was to move."""
    tree, thread, variants = context.tree, context.thread, context.variants
    thread.counts[STAMP] += 1
    above = depth - 1
    while above >= 0 and thread.movers[above + 1] != player:
        above -= 1
    if above < 0:
        return
    node = tree.node_of(edge_at(thread, above))
    for index in range(tree.child_count(node)):
        child = tree.child_at(node, index)
        if tree.visits_of(child) > 0:
            action = tree.action_of(child)
            mean = worth(tree, variants, child, player) / (variants.own + variants.others)
            if 0.0 <= mean <= 1.0:  # another thread may have counted its first visit and not its mean
                thread.means[action], thread.stamps[action] = mean, thread.counts[STAMP]


@inline
def position_key(game: Game, thread: ThreadState) -> int:
    """Return the hash of the position that a thread is at: 63 bits, never 0."""
    return max(position_hash(game, thread.state[0], thread.words, thread.mask), 1)
