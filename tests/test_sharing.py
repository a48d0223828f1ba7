"""Equal positions share one node: what makes positions equal, what a shared node has seen, and how it is chosen."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from auditing import Exact, key_of, nodes_with_states, problems_of, wrong_proofs
from variant_trees import mean_sums, played, uncompiled

import luozi
from luozi.compiled import kernel
from luozi.search.selection.formulas import Look, score
from luozi.search.selection.general import position_key
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.pool import MEAN, SEGMENTS, Child
from luozi.solvers.solver import solve


def key(engine, state):
    """The key under which the search looks a position up."""
    engine.thread.state[0] = state
    return position_key(engine.game, engine.thread)


@pytest.mark.parametrize(
    "spelling", ["tictactoe", "lines:rows=2,columns=3,win_length=3,players=3", "connect4:rows=4,columns=4"]
)
def test_a_position_has_one_node_however_it_is_reached(spelling):
    engine = uncompiled(spelling, share=True)
    game = engine.game
    engine.think(game.new_state(), iterations=700)
    assert problems_of(engine) == []
    nodes = [node for node, _, _ in nodes_with_states(engine)]
    alone = uncompiled(spelling, transpositions=False, fpu=10)
    alone.think(game.new_state(), iterations=700)
    apart = [key_of(game, state) for _, state, _ in nodes_with_states(alone)]
    assert len(set(apart)) < len(apart)  # without sharing, some positions have several nodes
    ways = [int(child) for node, _, children in nodes_with_states(engine) for child in children.node if child]
    assert len(set(ways)) < len(ways)  # with it, several edges lead to one node
    assert len(set(nodes)) == len(nodes)


def test_a_shared_child_has_the_mean_of_all_ways_and_the_visits_of_its_own():
    engine = uncompiled("tictactoe", share=True, c=0.9)
    engine.think(engine.game.new_state(), iterations=700)
    variants, tree, checked = engine.options.variants(0), engine.tree, 0
    visits_by_all, results_by_all = {}, {}
    for _, _, children in nodes_with_states(engine):
        for edge, node, visits in zip(children.edge.tolist(), children.node.tolist(), children.visits, strict=True):
            visits_by_all[node] = visits_by_all.get(node, 0) + int(visits)
            results_by_all[node] = np.add(results_by_all.get(node, [0.0, 0.0]), mean_sums(tree, edge))
    for node, state, children in nodes_with_states(engine):
        first, player = int(tree.nodes[node + SEGMENTS]), engine.game.current_player(state)
        rows = zip(children.node.tolist(), children.visits.tolist(), strict=True)
        for index, (below, visits) in enumerate(itertools.islice(rows, 4)):  # those of the first segment
            if below and visits_by_all[below] != visits:
                child = Child(first + index, first * (MEAN + 2) + index, 4)
                mean = results_by_all[below][player] / visits_by_all[below]
                found = score(tree, variants, child, Look(player, 50, -1.0))
                assert found == pytest.approx(mean + 0.9 * math.sqrt(math.log(50) / visits), abs=1e-6)
                checked += 1
    assert checked > 20


def test_a_kept_tree_still_finds_its_positions():
    engine = uncompiled("tictactoe", share=True)
    game, position = engine.game, engine.game.begin()
    for turn in range(4):
        action = engine.think(position, iterations=250).action
        assert problems_of(engine, kept=turn > 0) == []
        position = position.play(action)
        engine.move_to(position)
        assert problems_of(engine, kept=True) == []
    engine.move_to(position.play(position.actions[0]))
    engine.think(game.begin(), iterations=200)
    assert problems_of(engine) == []


def test_the_key_covers_all_that_the_rules_read_and_nothing_else():
    for spelling in ("tictactoe", "connect4:rows=4,columns=5", "gomoku:size=7", "five3d:size=3,win_length=3"):
        game = luozi.game(spelling)
        engine = uncompiled(game, share=True)
        turns = game.players  # the first and the second move of the same player in another order
        one, other = played(game, *range(turns + 1)), played(game, turns, *range(1, turns), 0)
        assert one != other  # the last move differs
        assert key(engine, one) == key(engine, other)
        for name in one.dtype.names:
            changed = one.copy()
            field = np.asarray(changed[name])
            changed[name] = field + np.ones(1, field.dtype)[0] if field.ndim == 0 else np.roll(field, 1) + 1
            same = key(engine, changed) == key(engine, one)
            assert same == (name in game.scratch_fields), name


def test_keys_of_different_positions_differ():
    game = luozi.game("tictactoe")
    engine, keys = uncompiled(game, share=True), {}
    todo = [game.new_state()]
    while todo:
        state = todo.pop()
        assert keys.setdefault(key(engine, state), key_of(game, state)) == key_of(game, state)
        if state.empty > 5:
            todo += [game.after(state, action) for action in game.legal_list(state)]
    assert len(keys) > 700
    assert len(set(keys.values())) == len(keys)


def ko_positions(game):
    """The same stones, the same side to move, as many moves: once a ko was just taken, once before the last two."""
    stones = [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1), (2, 2), (4, 4), (1, 3)]
    before = [row * 5 + column for row, column in stones]
    take, elsewhere, corner = 1 * 5 + 2, 4 * 5 + 2, 4 * 5
    return played(game, *before, corner, elsewhere, take), played(game, *before, take, elsewhere, corner)


def test_go_positions_that_differ_in_the_ko_alone_do_not_share():
    game = luozi.game("go:size=5,superko=false")
    taken_now, taken_before = ko_positions(game)
    assert (taken_now.board == taken_before.board).all()
    assert taken_now.to_move == taken_before.to_move
    retake = 1 * 5 + 1
    assert retake not in game.legal_list(taken_now)
    assert retake in game.legal_list(taken_before)
    engine = uncompiled(game, share=True)
    assert key(engine, taken_now) != key(engine, taken_before)
    no_ko = taken_now.copy()
    no_ko.ko = -1
    assert key(engine, no_ko) == key(engine, taken_before)


def test_go_with_superko_does_not_share_since_the_past_counts():
    with pytest.raises(luozi.LuoziError, match="superko=false"):
        uncompiled("go:size=5", share=True)


def small_go(size=2, length=9):
    """Go without superko that ends early, so that everything can be tried."""
    game = luozi.game(f"go:size={size},komi=0.5,superko=false,suicide=true")
    game.max_length = length
    return game


def without_history(state):
    """All fields but those that only superko and people read; which stand in the way of going through all positions."""
    left_out = ("history", "captured", "last")
    return b"".join(np.asarray(state[name]).tobytes() for name in state.dtype.names if name not in left_out)


def all_positions(game):
    """Every position that can come up, once for each way in which its fields can differ."""
    todo, seen = [game.new_state()], {}
    while todo:
        state = todo.pop()
        if without_history(state) not in seen:
            seen[without_history(state)] = state
            todo += [game.after(state, action) for action in game.legal_list(state)]
    return list(seen.values())


def values_of(game, state, memory):
    """The result under best play, by trying everything."""
    name = without_history(state)
    if name not in memory:
        mover, below = game.current_player(state), [game.after(state, action) for action in game.legal_list(state)]
        results = [values_of(game, child, memory) for child in below] or [tuple(game.result(state))]
        memory[name] = max(results, key=lambda result: result[mover])
    return memory[name]


@pytest.mark.long
def test_all_go_positions_with_one_key_have_one_future():
    """Every position of Go on 2x2: the same moves, keys after each of them, and result; the rest follows."""
    game = small_go()
    engine, futures, keys = uncompiled(game, share=True), {}, {}
    for state in all_positions(game):
        moves = {action: key(engine, game.after(state, action)) for action in game.legal_list(state)}
        over = game.is_terminal(state)
        future = (over, over and game.result(state), game.current_player(state), moves)
        assert futures.setdefault(key(engine, state), future) == future
        place = (bytes(state.board[:4]), int(state.ko), int(state.to_move), int(state.passes), int(state.moves))
        assert keys.setdefault(key(engine, state), place) == place
    assert len(set(keys.values())) == len(keys) > 500


@pytest.mark.parametrize(
    ("size", "length", "opening"),
    [(3, 8, (4, 1, 3, 5)), *(pytest.param(2, length, (), marks=pytest.mark.long) for length in (8, 9))],
)
def test_two_ways_into_a_node_have_the_same_moves_and_values(size, length, opening):
    game = small_go(size, length)
    start = played(game, *opening)
    engine = uncompiled(game, transpositions=True, mcts_solver="standard", selection="random")
    thought = engine.think(start, iterations=800)
    homes, ways, memory, todo = {}, {}, {}, [(root_node(engine.tree), start)]
    while todo:
        node, state = todo.pop()
        if without_history(state) not in ways.setdefault(node, set()):
            ways[node].add(without_history(state))
            found = (game.legal_list(state), values_of(game, state, memory), game.current_player(state))
            assert homes.setdefault(node, found) == found
            children = children_of(engine.tree, node)
            rows = zip(children.node.tolist(), children.action.tolist(), strict=True)
            todo += [(below, game.after(state, action)) for below, action in rows if below]
    assert thought.transposition_hits > 5
    assert max(map(len, ways.values())) > 1  # positions whose fields differ
    assert wrong_proofs(engine, Exact(game), 0) == []
    assert solve(game, start, compiled=False, table=1).values == values_of(game, start, memory)  # by the same keys


def test_go_shares_and_tells_how_much():
    engine = uncompiled("go:size=3,komi=0.5,superko=false", share=True)
    thought = engine.think(played(engine.game, 4, 1, 3), iterations=500)
    assert problems_of(engine) == []
    ways = [int(child) for _, _, children in nodes_with_states(engine) for child in children.node if child]
    assert thought.transposition_hits == len(ways) - len(set(ways)) > 5
    assert f"{thought.transposition_hits} positions met again" in thought.summary()


def test_keys_are_the_same_compiled():
    @kernel
    def compiled_key(game, states):
        return game.position_key(states[0])

    game, states = small_go(), small_go().empty_states(1)
    states[0] = played(game, 0, 1, 2, 3, 4)
    assert compiled_key(game, states) == game.position_key(states[0]) > 0
