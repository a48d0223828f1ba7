"""The node pool: nothing twice, nothing missing, everything adds up, threads end up with one segment."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from auditing import pool_problems
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.compiled import kernel, new_rng
from luozi.compiled.atomics import fetch_add
from luozi.evaluators.thread_state import ITERATIONS, PROGRESS_SIZE, KernelLimits, new_thread
from luozi.evaluators.variants import Variants, as_record
from luozi.search.components import plain_components
from luozi.search.context import SearchContext
from luozi.search.expansion import expand
from luozi.search.loop import search
from luozi.search.tree.children import children_of, principal_variations, root_node
from luozi.search.tree.locking import SharedTree
from luozi.search.tree.pool import CHILDREN, EDGES_IN_USE, NEXT_EDGE, SEGMENTS, VISITS, level_count, segment_size
from luozi.search.tree.reroot import child_by_action, collect, enter_root
from luozi.search.tree.tree import Tree


def keep_subtree(tree, action):
    """Make the position after a move the root; the visits kept. A move the tree has not seen empties it."""
    enter_root(tree, child_by_action(tree, root_node(tree), action), None)
    collect(tree)
    return int(tree.words[VISITS])


def thread_of(game, seed):
    return new_thread(game, new_rng(seed), plain_components(game).evaluator.new_memory())


def run(kernel, game, tree, thread, limits):
    """Plain UCT."""
    variants = as_record(Variants())
    kernel(SearchContext(game, *plain_components(game), tree, thread, limits, variants))


def grown(spelling: str, iterations: int, pool: int = 100_000, seed: int = 1):
    """A tree, and what is needed to go on with it."""
    game = luozi.game(spelling)
    tree, thread = Tree(pool, game.players, game.actions), thread_of(game, seed)
    thread.root[0] = game.new_state()
    progress = np.zeros(PROGRESS_SIZE, np.int64)
    run(search, game, tree, thread, KernelLimits(progress, iterations, 2**62))
    return game, tree, thread, progress


@given(st.integers(1, 3000))
def test_segments_hold_exactly_the_actions(actions):
    sizes = [segment_size(level, actions) for level in range(level_count(actions))]
    assert sum(sizes) == actions
    assert min(sizes) > 0


@pytest.mark.parametrize("spelling", ["tictactoe", "connect4", "five3d", "gomoku:size=9"])
def test_a_grown_tree_is_sound(spelling):
    _, tree, _, progress = grown(spelling, 5_000)
    assert pool_problems(tree) == []
    assert tree.words[VISITS] == progress[ITERATIONS] == 5_000


def test_the_roots_children_are_all_legal_moves_and_their_visits_add_up():
    game, tree, _, _ = grown("gomoku:size=9", 5_000)
    children = children_of(tree, root_node(tree))
    assert sorted(children.action.tolist()) == game.legal_list(game.new_state())
    assert children.visits.sum() == 5_000
    assert children.means.sum(axis=1) == pytest.approx(1.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 80), st.data())
def test_children_come_once_and_none_is_missing(actions, data):
    game = luozi.game(f"lines:rows=1,columns={actions},win_length=2")
    tree, thread = Tree(1000, 2, actions), thread_of(game, data.draw(st.integers(0, 99)))
    progress = np.zeros(PROGRESS_SIZE, np.int64)
    thread.state[0] = game.new_state()
    node = tree.new_node(data.draw(st.integers(0, 16 * actions - 1)))
    context = SearchContext(game, None, None, None, tree, thread, KernelLimits(progress, 0, 0), Variants())
    while expand(context, node, True)[0]:
        held = children_of(tree, node).action.tolist()
        assert len(set(held)) == len(held)
    assert sorted(children_of(tree, node).action.tolist()) == list(range(actions))


def test_the_order_of_first_visits_does_not_depend_on_how_moves_are_listed():
    class Listed(luozi.Game):
        """A game that lists its moves, in whatever order the table says."""

        actions = 11
        state = (("moves", "i1"),)

        def __init__(self, order):
            self.order = np.array(order)

        def start(self, state): ...

        def current_player(self, state):
            return 0

        def legal_actions(self, state, actions):
            for i in range(len(self.order)):
                actions[i] = self.order[i]
            return len(self.order)

        def apply_action(self, state, action):
            state.moves += 1

        def is_terminal(self, state):
            return state.moves == 3

        def returns(self, state, returns):
            returns[0] = returns[1] = 0.5

    class Tested(Listed):
        def is_legal(self, state, action):
            return action in self.order

    orders = []
    for game in (Listed([1, 5, 10, 2]), Listed([10, 2, 1, 5]), Tested([5, 2, 10, 1])):
        tree, thread = Tree(100, 2, 11), thread_of(game, 1)
        thread.state[0] = game.new_state()
        node = tree.new_node(77)
        limits = KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), 0, 0)
        while expand(SearchContext(game, None, None, None, tree, thread, limits, Variants()), node, True)[0]:
            pass
        orders.append(children_of(tree, node).action.tolist())
    assert sorted(orders[0]) == [1, 2, 5, 10]
    assert orders[0] == orders[1] == orders[2]


@kernel
def publish_many(tree, slots, got, gate):
    """Want the same segments as another thread, at the same time."""
    fetch_add(gate, 0, 1)
    for _ in range(10_000_000):  # wait for the other, but not for ever
        if fetch_add(gate, 0, 0) >= 2:
            break
    for i in range(len(slots)):
        got[i] = tree.publish_segment(slots[i], 4)


def test_two_threads_that_publish_the_same_segment_leave_one():
    for _ in range(20):
        tree = SharedTree(200_000, 2, 9)
        slots = SEGMENTS + (SEGMENTS + tree.levels) * np.arange(1, 20_001)
        got = [np.zeros(len(slots), np.int64) for _ in range(2)]
        gate = np.zeros(1, np.int64)
        publish_many(tree, slots[:0], got[0], np.ones(1, np.int64))  # compiled before the race
        crew = [tree.of_thread(number) for number in range(2)]
        works = zip(crew, got, strict=True)
        threads = [threading.Thread(target=publish_many, args=(own, slots, mine, gate)) for own, mine in works]
        gate[0] = 0
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert (got[0] == got[1]).all()
        assert (got[0] == tree.nodes[slots]).all()
        assert len(set(got[0].tolist())) == len(slots)


@pytest.mark.parametrize("pool", [12, 40, 500])
def test_a_full_pool_stops_the_tree_and_not_the_search(pool):
    _, tree, _, progress = grown("connect4", 3_000, pool)
    assert progress[ITERATIONS] == 3_000
    assert tree.used[NEXT_EDGE] <= pool
    assert pool_problems(tree) == []


@pytest.mark.parametrize("spelling", ["connect4", "five3d", "tictactoe"])
def test_the_kept_subtree_is_the_same_tree(spelling):
    _, tree, _, _ = grown(spelling, 8_000)
    root = children_of(tree, root_node(tree))
    chosen = int(root.visits.argmax())
    before = outline(tree, int(root.node[chosen]))
    kept = keep_subtree(tree, int(root.action[chosen]))
    assert kept == root.visits[chosen] == tree.words[VISITS]
    assert outline(tree, root_node(tree)) == before
    assert pool_problems(tree) == []


def outline(tree, node):
    """A subtree as nested tuples, wherever it lies in the pool."""
    children = children_of(tree, node)
    rows = zip(children.action.tolist(), children.visits.tolist(), children.means.tolist(), children.node, strict=True)
    return [
        (action, visits, means, outline(tree, int(child)) if child else None) for action, visits, means, child in rows
    ]


def test_a_kept_tree_grows_on_and_stays_sound():
    game, tree, thread, progress = grown("connect4", 2_000)
    state = game.new_state()
    for _ in range(6):
        root = children_of(tree, root_node(tree))
        action = int(root.action[root.visits.argmax()])
        keep_subtree(tree, action)
        state = game.after(state, action)
        if game.is_terminal(state):
            break
        thread.root[0] = state
        progress[:] = 0
        run(search, game, tree, thread, KernelLimits(progress, 2_000, 2**62))
        assert pool_problems(tree) == []


def test_an_unseen_move_makes_a_new_root():
    game, tree, _, _ = grown("gomoku:size=9", 3)
    seen = children_of(tree, root_node(tree)).action.tolist()
    unseen = next(action for action in game.legal_list(game.new_state()) if action not in seen)
    assert keep_subtree(tree, unseen) == 0
    assert root_node(tree) == 0
    assert tree.used[EDGES_IN_USE] == 1


def test_compiled_and_uncompiled_search_grow_the_same_tree():
    game, tree, _, _ = grown("tictactoe", 300)
    slow, thread = Tree(100_000, 2, 9), thread_of(game, 1)
    thread.root[0] = game.new_state()
    run(search.py_func, game, slow, thread, KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), 300, 2**62))
    assert outline(slow, root_node(slow)) == outline(tree, root_node(tree))
    assert tree.nodes[root_node(tree) + CHILDREN] == 9


class Growing:
    """The nodes of a tree to which a search adds children between the first and the second look."""

    def __init__(self, before, after):
        self.looks = [before]
        self.after = after

    def __getitem__(self, place):
        return (self.looks.pop() if self.looks else self.after)[place]


def test_a_line_of_a_tree_that_grows_meanwhile_has_only_moves_that_are_there():
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, compiled=False, seed=1)
    engine.think(game.new_state(), iterations=200)
    tree, node = engine.tree, root_node(engine.tree)
    few = segment_size(0, game.actions)
    before = tree.nodes.copy()
    before[node + CHILDREN] = few
    before[node + SEGMENTS + 1 : node + SEGMENTS + tree.levels] = 0
    last = children_of(tree, node).action[:few]
    tree.set_fields(nodes=Growing(before, tree.nodes))
    [line] = principal_variations(tree, [node])
    assert line[0] in last
