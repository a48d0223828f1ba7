"""Pruning: which moves each rule takes away, on positions made by hand, and what is written in their place."""

from __future__ import annotations

import numpy as np
import pytest
from variant_trees import all_nodes, cells_of, edge_visits, follow, mean_sums, played, uncompiled

import luozi
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.variants import CUT_BLOCKS, CUT_GIFTS, CUT_LUCKY, CUT_WINS
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.pool import CUT, TRIED

# Positions in the middle of a game, from which wins are a few moves away.
OPENED = [("tictactoe", (0, 4)), ("lines:rows=3,columns=4,win_length=3,players=3", (0, 5, 3, 8))]
THREE_PLAYERS = "lines:rows=4,columns=4,win_length=3,players=3"


class Plain(luozi.Game):
    """Three in a row as one plain class: it tells nothing about its moves."""

    actions = 9
    state = (("board", "i1", 9), ("to_move", "i1"), ("winner", "i1"), ("stones", "i1"))

    def start(self, state):
        pass

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action] == 0

    def apply_action(self, state, action):
        stone = state.to_move + 1
        state.board[action] = stone
        state.stones += 1
        for a, b, c in LINES:
            if state.board[a] == stone and state.board[b] == stone and state.board[c] == stone:
                state.winner = stone
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.winner != 0 or state.stones == 9

    def returns(self, state, returns):
        for player in range(2):
            returns[player] = 0.5 if state.winner == 0 else (1.0 if state.winner == player + 1 else 0.0)


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def allowed(game, state, **options):
    """The moves that stay in a position, and the rule; everything is None."""
    engine = luozi.Engine(game, compiled=False, seed=1, pool_size=1000, **options)
    engine.thread.state[0] = state
    variants = engine.options.variants(0)
    count, rule = allowed_moves(game, engine.thread, variants)
    assert engine.thread.state[0] == state  # looking ahead leaves the position alone
    return (None, rule) if count == EVERYTHING else (sorted(engine.thread.moves[:count].tolist()), rule)


# Winning moves --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [luozi.game("tictactoe"), Plain()], ids=["told", "tried"])
def test_who_can_win_at_once_has_only_winning_moves(game):
    two_wins = played(game, 0, 1, 4, 2, 3, 8)  # X has 0, 4 and 3: 5 and 6 win
    assert allowed(game, two_wins, decisive_moves=True) == ([5, 6], CUT_WINS)
    assert allowed(game, played(game, 0, 4), decisive_moves=True)[0] is None


def test_taking_wins_holds_in_the_tree_and_in_simulations():
    engine = uncompiled(Plain(), decisive_moves=True)
    game, checked = engine.game, 0
    tree = engine.tree
    for step in follow_plain(engine, 120):
        before_last, last = step[-2], step[-1]
        winners = [a for a in game.legal_list(before_last) if wins(game, before_last, a)]
        assert not winners or wins_now(game, last, game.current_player(before_last))
        checked += bool(winners)
    assert checked > 20
    for node, state in nodes_with_states(engine):
        winners = sorted(a for a in game.legal_list(state) if wins(game, state, a))
        if winners:
            assert sorted(children_of(tree, node).action.tolist()) == winners


def wins_now(game, state, player):
    return game.is_terminal(state) and game.result(state)[player] == 1.0


def wins(game, state, action):
    return wins_now(game, game.after(state, action), game.current_player(state))


def follow_plain(engine, iterations):
    """The positions of each iteration, random ones included, as the rules were asked to make them."""
    game = engine.game
    for _ in range(iterations):
        line = []
        apply = type(game).apply_action

        def noted(state, action, line=line, apply=apply):
            own = np.shares_memory(np.asarray(state).view(np.ndarray), engine.thread.state.view(np.ndarray))
            if own:
                line.append(state.copy())
            apply(game, state, action)
            if own:
                line.append(state.copy())

        game.apply_action = noted
        try:
            engine.think(game.new_state(), iterations=1)
        finally:
            del game.apply_action
        yield line


def nodes_with_states(engine):
    """Every node of a tree with its position."""
    game, todo = engine.game, [(root_node(engine.tree), engine.memory.root)]
    while todo:
        node, state = todo.pop()
        if node:
            yield node, state
            children = children_of(engine.tree, node)
            rows = zip(children.node.tolist(), children.action.tolist(), strict=True)
            todo += [(below, game.after(state, action)) for below, action in rows if below]


# Blocks ---------------------------------------------------------------------------------------------------------------


def test_with_two_players_the_next_ones_win_is_blocked():
    game = luozi.game("tictactoe")
    state = played(game, 0, 8, 1)  # X wins at 2
    assert allowed(game, state, anti_decisive_moves=True) == ([2], CUT_BLOCKS)
    both = played(game, 0, 8, 1, 7)  # X can win at 2 and need not block 6
    assert allowed(game, both, anti_decisive_moves=True)[0] is None


def board_of_three(game, rows):
    """A position of three players written as text, the first to move: its stones are put there in turn."""
    cells = "".join(rows)
    of = [[cell for cell, sign in enumerate(cells) if sign == name] for name in "XOL"]
    assert len(of[0]) == len(of[1]) == len(of[2])
    return played(game, *(cells[turn] for turn in range(len(of[0])) for cells in of))


def test_with_three_players_one_cell_of_the_next_but_one_is_the_next_ones_to_fill():
    game = luozi.game(THREE_PLAYERS)
    one_each = board_of_three(game, ["LL.X", "OX..", "....", "...O"])  # L wins at 2 alone; L is two turns ahead of X
    assert game.winning_actions(one_each, 2, np.zeros(16, np.int32)) == 1
    assert allowed(game, one_each, anti_decisive_moves=True)[0] is None


def test_with_three_players_two_cells_of_the_next_but_one_must_be_filled_now():
    game = luozi.game(THREE_PLAYERS)
    two = board_of_three(game, [".LL.", "X..X", "....", "O..O"])  # L wins at 0 and at 3: O alone can't fill both
    assert allowed(game, two, anti_decisive_moves=True) == ([0, 3], CUT_BLOCKS)


def test_the_nearest_player_is_blocked_first():
    game = luozi.game(THREE_PLAYERS)
    both = board_of_three(game, [".LL.", "X..X", "....", ".OO."])  # L at 0 and 3, and O, who is next, at 12 and 15
    assert allowed(game, both, anti_decisive_moves=True) == ([12, 15], CUT_BLOCKS)
    own = board_of_three(game, [".LL.", "XX..", "....", ".OO."])  # X's own win at 6 comes before all of that
    assert allowed(game, own, anti_decisive_moves=True)[0] is None
    assert allowed(game, own, anti_decisive_moves=True, decisive_moves=True) == ([6], CUT_WINS)


def test_a_restricted_node_has_the_blocks_alone_and_the_others_are_counted():
    game = luozi.game("tictactoe")
    engine = uncompiled(game, anti_decisive_moves=True)
    thought = engine.think(played(game, 0, 8, 1), iterations=1)
    assert children_of(engine.tree, root_node(engine.tree)).action.tolist() == [2]
    assert thought.pruned["anti_decisive_moves"] == 5
    assert [candidate.cut for candidate in thought.candidates].count(True) == 5


# Gifts ----------------------------------------------------------------------------------------------------------------


def test_moves_that_let_the_next_player_win_at_once_are_avoided():
    game = luozi.game("connect4:rows=4,columns=5,win_length=3")
    state = gift_position(game)
    gifts = {
        action
        for action in game.legal_list(state)
        if any(wins(game, game.after(state, action), reply) for reply in game.legal_list(game.after(state, action)))
    }
    legal = set(game.legal_list(state))
    assert gifts
    assert gifts != legal
    assert allowed(game, state, avoid_immediate_loss=True) == (sorted(legal - gifts), CUT_GIFTS)


def gift_position(game):
    """A position where some moves, but not all, let the next player win at once, and nobody wins now."""
    todo = [game.new_state()]
    while todo:
        state = todo.pop(0)
        legal = game.legal_list(state)
        if any(wins(game, state, action) for action in legal):
            continue
        after = {action: game.after(state, action) for action in legal}
        gifts = [a for a in legal if any(wins(game, after[a], reply) for reply in game.legal_list(after[a]))]
        if 0 < len(gifts) < len(legal):
            return state
        todo += after.values()
    raise AssertionError("there is none")


@pytest.mark.parametrize("game", [luozi.game("tictactoe"), Plain()], ids=["told", "tried"])
def test_gifts_are_told_and_found_alike_and_if_all_are_gifts_all_stay(game):
    threatened = played(game, 0, 8, 1)  # whatever O does but 2 lets X win
    assert allowed(game, threatened, avoid_immediate_loss=True) == ([2], CUT_GIFTS)
    lost = played(game, 0, 1, 4, 8, 3)  # X wins at 5 and at 6
    assert allowed(game, lost, avoid_immediate_loss=True)[0] is None


def test_gifts_are_avoided_also_by_who_could_win_but_need_not():
    game = luozi.game("tictactoe")
    state = played(game, 0, 3, 1, 4)  # X wins at 2; 5 stops O; the other moves let O win at 5
    assert allowed(game, state, avoid_immediate_loss=True) == ([2, 5], CUT_GIFTS)
    assert allowed(game, state, avoid_immediate_loss=True, decisive_moves=True) == ([2], CUT_WINS)


class Silent(Plain):
    """Says that it does not know who wins."""

    def winning_actions(self, state, player, actions):
        return -1


def test_a_game_that_does_not_know_the_wins_of_a_position_has_nothing_pruned_there():
    game = Silent()
    state = played(game, 0, 8, 1)
    for options in ({"decisive_moves": True}, {"anti_decisive_moves": True}, {"avoid_immediate_loss": True}):
        assert allowed(game, state, **options)[0] is None


# Moves cut because another one wins -----------------------------------------------------------------------------------


def replayed(engine, start, iterations, rewrite):
    """Sums of a search and the same recomputed, where `rewrite` tells which edge a step makes a certain win of whom."""
    game, expected, visits, rewritten = engine.game, {}, {}, 0
    for step in follow(engine, start, iterations):
        for edge in step.edges:
            visits[edge] = visits.get(edge, 0) + 1
            held = expected.get(edge, [0.0] * game.players)
            expected[edge] = [total + x for total, x in zip(held, step.results, strict=True)]
        won = rewrite(step)
        if won is not None:
            edge, winner = won
            expected[edge] = [float(visits[edge]) * (player == winner) for player in range(game.players)]
            rewritten += 1
    return expected, rewritten


@pytest.mark.parametrize(("spelling", "opening"), OPENED)
def test_a_won_move_is_kept_alone_and_its_parent_counts_as_won_from_the_start(spelling, opening):
    engine = uncompiled(spelling, keep_proven_win=True)
    game, tree = engine.game, engine.tree

    def rewrite(step):
        mover = game.current_player(step.positions[-2])
        if step.fresh and step.random_moves == 0 and step.results[mover] == 1.0:
            return step.edges[-2], mover
        return None

    expected, rewritten = replayed(engine, played(game, *opening), 400, rewrite)
    assert rewritten > 5
    for edge in edge_visits(tree):
        if edge in expected:
            assert mean_sums(tree, edge) == pytest.approx(expected[edge], abs=1e-6)
    kept = 0
    for node, state in nodes_with_states(engine):
        children = children_of(tree, node)
        flags = engine.tree.flags[children.edge]
        winning = [wins(game, state, action) and seen for action, seen in rows_of(children)]
        if any(winning):
            kept += 1
            assert (flags & CUT == 0).sum() == 1
            assert winning[int((flags & CUT == 0).argmax())]
            assert tree.nodes[node + TRIED] >= game.actions
        else:
            assert not (flags & CUT).any()
    assert kept == rewritten


def rows_of(children):
    return zip(children.action.tolist(), (children.visits > 0).tolist(), strict=True)


def test_a_won_move_counts_all_other_moves_as_cut():
    game = luozi.game("tictactoe")
    state = played(game, 0, 3, 1, 4)  # five moves left, 2 wins
    engine = uncompiled(game, keep_proven_win=True)
    thought = engine.think(state, iterations=50)
    assert thought.pruned["keep_proven_win"] >= 4  # N - 1 at the root, and more below
    assert thought.action == 2
    root = children_of(engine.tree, root_node(engine.tree))
    before = dict(zip(root.action.tolist(), root.visits.tolist(), strict=True))
    engine.think(state, iterations=20)
    root = children_of(engine.tree, root_node(engine.tree))
    after = dict(zip(root.action.tolist(), root.visits.tolist(), strict=True))
    assert after == {**before, 2: before[2] + 20}


@pytest.mark.parametrize(("spelling", "opening"), OPENED)
def test_a_first_random_move_that_wins_becomes_the_only_one(spelling, opening):
    engine = uncompiled(spelling, keep_playout_win=True)
    game, tree, lucky, cut = engine.game, engine.tree, {}, 0

    def rewrite(step):
        nonlocal cut
        mover = game.current_player(step.positions[-1])
        if step.fresh and step.random_moves == 1 and step.results[mover] == 1.0:
            lucky[step.edges[-1]] = (cells_of(game, step.end, mover) - cells_of(game, step.positions[-1], mover)).pop()
            cut += len(game.legal_list(step.positions[-1])) - 1
            assert int(engine.tree.cuts[CUT_LUCKY]) == len(game.legal_list(step.positions[-1])) - 1
            return step.edges[-1], mover
        return None

    expected, rewritten = replayed(engine, played(game, *opening), 400, rewrite)
    assert rewritten > 5
    assert cut > 0
    for edge, sums in expected.items():
        assert mean_sums(tree, edge) == pytest.approx(sums, abs=1e-6)
    found = {}
    for node in all_nodes(tree):
        children = children_of(tree, node)
        for edge, below in zip(children.edge.tolist(), children.node.tolist(), strict=True):
            if edge in lucky:
                found[edge] = children_of(tree, below).action.tolist()
    assert found == {edge: [action] for edge, action in lucky.items()}


def test_luck_is_not_looked_for():
    """A node whose first random move did not win keeps all its moves, though one of them wins."""
    game = luozi.game("tictactoe")
    engine = uncompiled(game, keep_playout_win=True)
    engine.think(played(game, 0, 4), iterations=1000)
    missed = 0
    for node, state in nodes_with_states(engine):
        children = children_of(engine.tree, node)
        winnable = any(wins(game, state, action) for action in game.legal_list(state))
        if engine.tree.nodes[node + TRIED] == game.actions and winnable:
            missed += 1
            assert sorted(children.action.tolist()) == game.legal_list(state)
    assert missed > 0


def test_a_simulation_that_looks_for_wins_still_draws_moves_as_the_game_does():
    """Go never fills its own eyes in a random game; it must not begin to because a rule of pruning is on."""
    game = luozi.game("go:size=5,komi=0.5")
    engine, filled, drawn = uncompiled(game, decisive_moves=True), 0, 0
    sensible, apply = game.is_sensible, type(game).apply_action

    def noted(state, action):
        nonlocal filled, drawn
        own = np.shares_memory(np.asarray(state).view(np.ndarray), engine.thread.state.view(np.ndarray))
        if own and action < game.points:
            drawn += 1
            filled += not sensible(state, action, state.to_move + 1)
        apply(game, state, action)

    game.apply_action = noted
    engine.think(game.new_state(), iterations=3)  # so few that no move of the tree comes to an eye
    assert drawn > 30
    assert filled == 0


def test_the_bag_of_a_line_game_is_right_after_moves_that_were_not_drawn():
    game = luozi.game("gomoku:size=7")
    engine = uncompiled(game, decisive_moves=True, anti_decisive_moves=True)
    for step in follow(engine, played(game, 0, 48, 1, 47, 2, 46), 15):
        assert sum(len(cells_of(game, step.end, player)) for player in range(2)) == 49 - step.end.empty
