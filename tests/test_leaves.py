"""Leaves that wait for their values together: virtual loss, values and priors from elsewhere."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from auditing import problems_of

import luozi
from luozi.evaluators.thread_state import ITERATIONS
from luozi.search.tree.children import children_of, root_node


def promise(left, action):
    """A prior that makes no two scores equal."""
    return ((left * 5 + action * 4) % 7 + 1.318) / 9.7


class Sticks(luozi.Game):
    """Take one to three sticks; who takes the last one wins. Every move has another prior."""

    players, actions, max_length = 2, 3, 12
    state = [("left", "i2"), ("to_move", "i1")]  # noqa: RUF012

    def start(self, state):
        state.left = 12

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.left

    def apply_action(self, state, action):
        state.left -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.left == 0

    def returns(self, state, returns):
        returns[0], returns[1] = float(state.to_move == 1), float(state.to_move == 0)

    def evaluate(self, state, values):
        values[0] = ((state.left * 7 + state.to_move * 3) % 11) / 10
        values[1] = 1 - values[0]

    def priors(self, state, actions, count, values):
        for index in range(count):
            values[index] = promise(state.left, actions[index])


class Assessed(Sticks):
    """The same, with both in one call."""

    def priors_and_values(self, state, priors, values):
        for action in range(3):
            priors[action] = promise(state.left, action)
        values[0] = ((state.left * 7 + state.to_move * 3) % 11) / 10
        values[1] = 1 - values[0]


class Reference:
    """PUCT with virtual loss by dictionaries, after the formulas of Silver et al. 2017 and Chaslot et al. 2008."""

    def __init__(self, c, loss):
        self.game, self.c, self.loss = Sticks(), c, loss
        self.nodes = {}  # a path -> {action: prior}
        self.visits, self.sums = {}, {}  # of a path

    def worth(self, state):
        if self.game.is_terminal(state):
            return self.game.result(state)
        values = np.zeros(2)
        self.game.evaluate(state, values)
        return values.tolist()

    def grow(self, path, state):
        if self.game.is_terminal(state) or path in self.nodes:
            return
        legal = self.game.legal_list(state)
        values = np.full(3, 0.5)
        self.game.priors(state, np.array(legal, np.int32), len(legal), values)
        total = sum(values[: len(legal)])
        self.nodes[path] = {action: values[index] / total for index, action in enumerate(legal)}

    def score(self, path, action, player):
        child = (*path, action)
        visits = self.visits.get(child, 0)
        mean = self.sums[child][player] / visits if visits else 0.0
        explore = self.c * math.sqrt(max(self.visits.get(path, 0), 1))
        return mean + explore * self.nodes[path][action] / (1 + visits)

    def leaf(self):
        path, state = (), self.game.new_state()
        while path in self.nodes:
            player = self.game.current_player(state)
            path = (*path, max(self.nodes[path], key=lambda action: self.score(path, action, player)))
            state = self.game.after(state, path[-1])
        return path, state

    def count(self, path, visits):
        for end in range(len(path) + 1):
            self.visits[path[:end]] = self.visits.get(path[:end], 0) + visits
            self.sums.setdefault(path[:end], [0.0, 0.0])

    def batch(self, most):
        """Choose leaves until one comes up again; then value all of them."""
        waiting = []
        while len(waiting) < most:
            path, state = self.leaf()
            if waiting and self.visits.get(path, 0) and path not in self.nodes:
                break
            self.count(path, self.loss)
            waiting.append((path, state))
        for path, state in waiting:
            self.count(path, 1 - self.loss)
            self.grow(path, state)
            for end in range(len(path) + 1):
                for player, value in enumerate(self.worth(state)):
                    self.sums[path[:end]][player] += value
        return len(waiting)


def outside(states):
    """What the game says of positions, from elsewhere."""
    game = Sticks()
    values, priors = np.zeros((len(states), 2)), np.zeros((len(states), 3))
    for row, state in enumerate(states):
        game.evaluate(state, values[row])
        for action in range(3):
            priors[row, action] = promise(int(state.left), action)
    return values, priors


@pytest.mark.parametrize(("batch", "loss"), [(1, 1), (4, 1), (4, 3), (16, 2)])
def test_batches_visit_what_the_formulas_say(batch, loss):
    """Terminal leaves end a batch here as in the reference: a leaf that is valued and has no node comes up again."""
    reference, done = Reference(1.3, loss), 0
    while done < 60:
        done += reference.batch(min(batch, 60 - done))
    options = {"selection": "puct", "c": 1.3, "batch_size": batch, "virtual_loss": loss, "seed": 1, "compiled": False}
    engine = luozi.Engine(Sticks(), evaluator=outside, **options)
    thought = engine.think(Sticks().new_state(), iterations=60)
    expected = {action: reference.visits.get((action,), 0) for action in range(3)}
    assert {one.action: one.visits for one in thought.candidates} == expected
    for one in thought.candidates:
        assert one.means[0] == pytest.approx(reference.sums[one.action,][0] / one.visits, abs=1e-6)


def test_a_leaf_that_waits_counts_as_lost_until_its_value_comes():
    game = Sticks()
    seen = []

    def values(states):
        children = children_of(engine.tree, root_node(engine.tree))
        if len(seen) == 3:  # the root is valued, and some of its moves
            waiting = children.visits.sum() - (engine.progress[ITERATIONS] - 1)
            seen.append((int(waiting), len(states), children.visits.copy(), children.means.copy()))
        else:
            seen.append(None)
        return outside(states)

    engine = luozi.Engine(
        game, evaluator=values, selection="puct", batch_size=2, virtual_loss=5, seed=1, compiled=False
    )
    engine.think(game.new_state(), iterations=12)
    waiting, leaves, visits, means = seen[3]
    assert waiting == 5 * leaves  # the root itself was valued first, and is no child
    assert (means.sum(axis=1)[visits >= 5] < 0.999).all()  # nobody has the lost visits
    assert problems_of(engine) == []


@pytest.mark.parametrize(
    "values", [{}, {"selection": "puct"}, {"rave": "fuego", "progressive_history": 1.0}, {"mcts_solver": "standard"}]
)
def test_what_is_in_the_tree_adds_up_after_batches(values):
    game = luozi.game("tictactoe")
    if values.get("formula"):
        game = Sticks()
    engine = luozi.Engine(game, batch_size=7, seed=3, compiled=False, **values)
    thought = engine.think(game.new_state(), iterations=300)
    assert thought.iterations == 300 or any(one.proven for one in thought.candidates)
    assert sum(one.visits for one in thought.candidates) == thought.iterations
    assert problems_of(engine) == []


def test_the_stop_flag_takes_what_waits_back():
    game, cancel = Sticks(), luozi.Cancel()

    def values(states):
        if engine.progress[ITERATIONS] > 20:
            cancel.set()
            raise KeyboardInterrupt
        return outside(states)

    engine = luozi.Engine(game, evaluator=values, selection="puct", batch_size=8, seed=1, compiled=False)
    with pytest.raises(KeyboardInterrupt):
        engine.think(game.new_state(), cancel=cancel, iterations=100)


def test_values_and_priors_may_come_in_one_call():
    """The game's own `priors_and_values` does what `evaluate` and `priors` do, but a node is made with its value."""
    one = luozi.Engine(Assessed(), selection="puct", evaluation="static", seed=1, compiled=False)
    other = luozi.Engine(Sticks(), selection="puct", evaluator=outside, seed=1, compiled=False)
    thoughts = [engine.think(engine.game.new_state(), iterations=80) for engine in (one, other)]
    assert [c[:4] for c in thoughts[0].candidates] == [c[:4] for c in thoughts[1].candidates]
    assert thoughts[0].candidates[0].prior == thoughts[1].candidates[0].prior
    assert problems_of(one) == problems_of(other) == []


def test_compiled_and_uncompiled_batches_are_the_same():
    thoughts = []
    for compiled in (True, False):
        engine = luozi.Engine(luozi.game("tictactoe"), batch_size=5, virtual_loss=2, seed=1, compiled=compiled)
        thoughts.append(engine.think(engine.game.new_state(), iterations=200))
    assert thoughts[0].candidates == thoughts[1].candidates


def test_the_evaluator_gets_a_whole_batch_of_different_positions():
    sizes = []

    def values(states):
        sizes.append(len(states))
        assert len({state.tobytes() for state in states}) == len(states)
        return np.full((len(states), 2), 0.5)

    game = luozi.game("gomoku:size=7")
    luozi.Engine(game, evaluator=values, batch_size=16, seed=1, compiled=False).think(game.new_state(), iterations=100)
    assert sizes == [16] * 6 + [4]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (lambda states: np.zeros((1, 3)), r"values have the shape \(1, 3\): return an array of \(\d+, 2\)"),
        (lambda states: np.full((len(states), 2), 7.0), "values are not all from 0 to 1"),
        (lambda states: np.full((len(states), 2), np.nan), "values are not all from 0 to 1"),
        (lambda states: "nonsense", "values are not numbers"),
        (outside, "gives priors: choose selection=puct"),
    ],
)
def test_an_evaluator_that_says_nonsense_is_told_so(values, sentence):
    engine = luozi.Engine(Sticks(), evaluator=values, batch_size=4, compiled=False)
    with pytest.raises(luozi.LuoziError, match=sentence):
        engine.think(Sticks().new_state(), iterations=10)


def test_a_step_asks_the_evaluator_too():
    engine = luozi.Engine(Sticks(), evaluator=outside, selection="puct", seed=1)
    steps = [engine.trace(Sticks().new_state()) for _ in range(3)]
    assert [len(step.path) for step in steps] == [0, 1, 1] or [len(step.path) for step in steps] == [0, 1, 2]
    assert steps[0].credit == pytest.approx((((12 * 7) % 11) / 10, 1 - ((12 * 7) % 11) / 10), abs=1e-6)
    assert all(a.path != b.path or not a.path for a, b in pairwise(steps))


def test_an_evaluator_that_is_no_function_is_told_so():
    with pytest.raises(luozi.LuoziError, match="needs a function as evaluator, not 5"):
        luozi.Engine(Sticks(), evaluator=5)


def test_an_evaluator_gets_the_legal_and_the_last_moves_where_it_asks_for_them():
    game = luozi.game("tictactoe")
    seen = 0

    def values(states, legal, recent):
        nonlocal seen
        for state, allowed, last in zip(states, legal, recent, strict=True):
            assert np.flatnonzero(allowed).tolist() == game.legal_list(state)
            position = game.begin()
            for action in [action for action in last[::-1].tolist() if action >= 0]:
                position = position.play(action)
            assert game.legal_list(position.state) == game.legal_list(state)
            assert position.length == game.actions - allowed.sum()
            seen += 1
        return np.full((len(states), 2), 0.5), np.ones((len(states), game.actions))

    engine = luozi.Engine(game, evaluator=values, selection="puct", batch_size=4, seed=1)
    position = game.begin().play("b2").play("a1")
    engine.think(position, iterations=200)
    engine.trace(position)
    assert seen > 50


def test_first_play_urgency_is_there_for_an_evaluator_too():
    def values(states):
        return np.full((len(states), 2), 0.7), np.linspace(0.1, 1, 9)[None].repeat(len(states), 0)

    game = luozi.game("tictactoe")
    visits = {}
    for reduction in (None, 0.0, 10.0):
        options = {} if reduction is None else {"fpu_reduction": reduction}
        engine = luozi.Engine(game, evaluator=values, selection="puct", seed=1, compiled=False, **options)
        visits[reduction] = sorted(move.visits for move in engine.think(game.begin(), iterations=60).candidates)
    assert visits[None] == visits[10.0]  # an unvisited move is worth nothing
    assert visits[0.0] != visits[None]
    with pytest.raises(luozi.LuoziError, match="fpu_reduction has no effect without network or an evaluator"):
        luozi.Engine(luozi.game("gomoku"), selection="puct", fpu_reduction=0.1)
