"""Proven values: right for any number of players, whatever the rule for ties, against trying everything."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from auditing import Exact, edges_with_states, exactly, wrong_proofs
from variant_trees import HandMade, played, uncompiled

import luozi
from luozi.evaluators.thread_state import SHARED_WIN
from luozi.evaluators.variants import CHANCE, STANDARD, Variants
from luozi.players.simple import ExactPlayer
from luozi.search.final_move import decide
from luozi.search.result import Candidate
from luozi.search.tree.pool import PROVEN
from luozi.solvers.solver import solve

RULES = ["standard", "paranoid", "first_winner"]
THREE = "lines:rows=2,columns=4,win_length=3,players=3"


class Pile(luozi.Game):
    """Take one to three of a pile, three players in turn: who takes the last one wins, and the one before is second."""

    players, actions, max_length = 3, 3, 12
    state = (("left", "i2"), ("to_move", "i2"))

    def __init__(self, size: int = 8):
        self.size = size

    def start(self, state):
        state.left = self.size

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.left

    def apply_action(self, state, action):
        state.left -= action + 1
        state.to_move = (state.to_move + 1) % 3

    def is_terminal(self, state):
        return state.left == 0

    def returns(self, state, returns):
        returns[(state.to_move + 2) % 3] = 1.0
        returns[(state.to_move + 1) % 3] = 0.5
        returns[state.to_move] = 0.0


class Lottery(luozi.Game):
    """Three moves five times, then a result out of a table: positions in which the mover decides who else wins."""

    players, actions, max_length = 3, 3, 5
    state = (("path", "i4"), ("moves", "i4"))

    def __init__(self, seed: int, prizes: bool = False):
        generator = np.random.default_rng(seed)
        vectors, favourite = np.array([*np.eye(3), [0.5, 0.5, 0.5]]), seed % 3
        if prizes:  # a win leaves a second prize to one of the others
            vectors = np.array(list(itertools.permutations((1.0, 0.5, 0.0))))
        drawn = generator.integers(len(vectors), size=3**5)
        drawn[generator.random(3**5) < 0.5] = favourite  # so that some positions are won for certain
        self.table, self.single_winner = vectors[drawn].reshape(-1), not prizes

    def start(self, state):
        pass

    def current_player(self, state):
        return state.moves % 3

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.path = 3 * state.path + action
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 5

    def returns(self, state, returns):
        for player in range(3):
            returns[player] = self.table[3 * state.path + player]


class SharedWins(luozi.Game):
    """Four moves in any order of turns, then a result out of a table: several may win, or get something of a win."""

    players, actions, max_length = 3, 3, 4
    state = (("path", "i4"), ("moves", "i4"))

    def __init__(self, seed: int, players: int = 3, single_winner: bool | None = False):
        generator, self.players, self.single_winner = np.random.default_rng(seed), players, single_winner
        vectors = np.array(list(itertools.product((0.0, 1 / 3, 1 / 2, 1.0), repeat=players)))
        vectors = vectors[generator.permutation(len(vectors))[:6]]  # a few, so that there are ties
        vectors = np.concatenate([vectors, np.eye(players), np.eye(players), 1 - np.eye(players)])
        self.table = vectors[generator.integers(len(vectors), size=3**4)].reshape(-1)
        self.turns = generator.integers(players, size=5)

    def start(self, state):
        pass

    def current_player(self, state):
        return self.turns[state.moves]

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.path = 3 * state.path + action
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 4

    def returns(self, state, returns):
        for player in range(self.players):
            returns[player] = self.table[self.players * state.path + player]


def proven_root(engine):
    """The certain result of the root, or None."""
    if not engine.tree.flags[0] & PROVEN:
        return None
    return tuple(engine.tree.values[: engine.game.players].tolist())


def searched(game, state, iterations=6000, **options):
    engine = uncompiled(game, pool_size=60_000, **options)
    engine.think(state, iterations=iterations)
    return engine


@pytest.mark.parametrize("prove", RULES)
@pytest.mark.parametrize("opening", [(0, 4, 8), (0, 1), (4, 1, 3), (1, 3, 8, 0)])
def test_with_two_players_every_rule_finds_the_exact_value(prove, opening):
    game = luozi.game("tictactoe")
    state, exact = played(game, *opening), Exact(game)
    engine = searched(game, state, mcts_solver=prove)
    assert wrong_proofs(engine, exact, game.current_player(state)) == []
    assert proven_root(engine) == solve(game, state, compiled=False, table=1).values
    assert exact.possible(state) == {proven_root(engine)}


def rule_value(exact, state, prove, searcher):
    """What a rule makes of a position when everything has been searched."""
    if prove == "standard":
        return exact.standard(state)
    return exact.by_rule(state, searcher if prove == "paranoid" else None)


# Choosing at random goes to what is not certain yet: such a search ends only when everything is settled.


@pytest.mark.parametrize("prove", RULES)
@pytest.mark.parametrize("prizes", [False, True])
def test_with_three_players_every_proof_is_what_its_rule_says(prove, prizes):
    for seed in range(2):
        game = Lottery(seed, prizes)
        exact = Exact(game)
        engine = searched(game, game.new_state(), mcts_solver=prove, iterations=1500, selection="random")
        assert wrong_proofs(engine, exact, 0) == []
        assert proven_root(engine) == rule_value(exact, game.new_state(), prove, 0)
        engine = searched(game, game.new_state(), mcts_solver=prove, iterations=500, c=2.0)
        assert wrong_proofs(engine, exact, 0) == []


@pytest.mark.parametrize("prove", RULES)
@pytest.mark.parametrize("opening", [(0, 5, 2), (1, 4, 2)])
def test_the_same_on_a_board_for_three(prove, opening):
    game = luozi.game(THREE)
    state, exact = played(game, *opening), Exact(game)
    searcher = game.current_player(state)
    engine = searched(game, state, mcts_solver=prove, selection="random")
    assert wrong_proofs(engine, exact, searcher) == []
    assert proven_root(engine) == rule_value(exact, state, prove, searcher)


def certain_wins():
    """Positions in which one player wins however ties are broken, and the exact results."""
    board = luozi.game("lines:rows=3,columns=3,win_length=2,players=3")
    lots = [(Lottery(seed), opening) for seed in range(6) for opening in ((), (1,), (0, 1), (2, 0))]
    for game, opening in [(board, (0, 8)), (board, (4, 0)), (board, (0, 5)), *lots]:
        state, exact = played(game, *opening), Exact(game)
        if len(exact.possible(state)) == 1 and exact.standard(state) is not None:
            yield game, state, exact.possible(state)


@pytest.mark.parametrize("prove", RULES)
def test_wins_that_hold_however_ties_are_broken_are_found_by_every_rule(prove):
    winners = set()
    for game, state, certain in certain_wins():
        engine = searched(game, state, mcts_solver=prove, selection="random")
        assert {proven_root(engine)} == certain
        winners.add(int(np.argmax(proven_root(engine))))
    assert len(winners) > 1  # not always the same player's


@pytest.mark.parametrize("prove", RULES)
@pytest.mark.parametrize("size", [3, 5, 7, 8])
def test_a_win_that_leaves_others_something_is_weighed_against_the_other_wins(prove, size):
    game = Pile(size)
    exact = Exact(game)
    engine = searched(game, game.new_state(), mcts_solver=prove, iterations=1000, selection="random")
    assert wrong_proofs(engine, exact, 0) == []
    assert proven_root(engine) == rule_value(exact, game.new_state(), prove, 0)


PRUNED = [
    {},
    {"decisive_moves": True},
    {"decisive_moves": True, "avoid_immediate_loss": True},
    {"keep_proven_win": True, "keep_playout_win": True},
]


@pytest.mark.parametrize("options", PRUNED, ids=str)
@pytest.mark.parametrize("players", [3, pytest.param(2, marks=pytest.mark.long)])
def test_where_wins_are_shared_only_what_holds_however_ties_are_broken_is_proven(players, options):
    settled = 0
    for seed in range(3):
        game = SharedWins(seed, players)
        exact, state = Exact(game), game.new_state()
        for formula in ({"selection": "random"}, {"c": 0.7}):
            engine = searched(game, state, mcts_solver="standard", iterations=300, **formula, **options)
            assert wrong_proofs(engine, exact, int(game.current_player(state))) in ([], ["nothing is proven"])
            edges = edges_with_states(engine)
            settled += sum(engine.tree.flags[edge] & PROVEN > 0 for edge, at in edges if not game.is_terminal(at))
    assert settled > 5 or options


@pytest.mark.parametrize("prove", RULES)
def test_where_wins_are_shared_a_search_of_everything_proves_what_its_rule_says(prove):
    for seed in range(6):
        game = SharedWins(seed)
        exact, searcher = Exact(game), int(game.current_player(game.new_state()))
        engine = searched(game, game.new_state(), mcts_solver=prove, iterations=600, selection="random")
        assert wrong_proofs(engine, exact, searcher) == []
        assert in_fractions(proven_root(engine)) == rule_value(exact, game.new_state(), prove, searcher)
        engine = searched(game, game.new_state(), mcts_solver=prove, opponent_model="paranoid", iterations=600, c=20.0)
        assert wrong_proofs(engine, exact, searcher) == []


@pytest.mark.parametrize("players", [2, 3])
def test_proofs_that_a_shared_win_contradicts_are_withdrawn(players):
    noticed = 0
    for seed in range(8):
        game = SharedWins(seed, players, single_winner=None if players == 2 else True)  # what it does not keep
        engine = searched(game, game.new_state(), mcts_solver="standard", iterations=300, selection="random")
        if engine.thread.counts[SHARED_WIN]:
            noticed += 1
            assert wrong_proofs(engine, Exact(game), int(game.current_player(game.new_state()))) == []
    assert noticed > 2


@pytest.mark.parametrize(("results", "shared"), [((1.0, 0.5), True), ((0.0, 0.0), True), ((1.0, 0.0), False)])
def test_one_simulated_result_is_enough_to_see_that_wins_are_shared(results, shared):
    """Proofs come from a few ends of the game, and simulations have seen many more of them."""
    game = SharedWins(1, players=2, single_winner=None)
    game.table = np.tile(results, len(game.table) // 2)
    engine = searched(game, game.new_state(), mcts_solver="standard", iterations=1)
    assert bool(engine.thread.counts[SHARED_WIN]) == shared


def in_fractions(results):
    return results and tuple(exactly(value) for value in results)


def test_the_exact_solver_says_whether_its_values_depend_on_ties():
    seen = set()
    for seed, (players, told) in itertools.product(range(8), ((2, False), (2, None), (3, False))):
        game = SharedWins(seed, players, single_winner=told)
        exact = Exact(game)
        for opening in ((), (0,), (1,), (2, 1)):
            state = played(game, *opening)
            solution = solve(game, state, compiled=False, table=1)
            possible = exact.possible(state)
            assert solution.values in possible
            assert not solution.certain or possible == {solution.values}
            assert told is None or solution.certain == (exact.standard(state) is not None)
            seen.add((solution.certain, len(possible) > 1))
    assert {(True, False), (False, True)} <= seen


def test_the_rules_for_ties_differ_where_they_should():
    """If all three rules gave the same everywhere, the tests above could not tell them apart."""
    values = {prove: [] for prove in RULES}
    for seed in range(8):
        game = Lottery(seed)
        exact = Exact(game)
        for opening in itertools.chain.from_iterable(itertools.product(range(3), repeat=moves) for moves in range(4)):
            state = played(game, *opening)
            for prove in RULES:
                values[prove].append(rule_value(exact, state, prove, 0))
                assert values[prove][-1] is None or values[prove][-1] in exact.possible(state)
    assert None in values["standard"]
    assert len(set(values["standard"])) > 3
    assert values["paranoid"] != values["first_winner"]


@pytest.mark.parametrize("prove", RULES)
def test_against_paranoid_opponents_a_proof_is_the_searchers_minimax_value(prove):
    for seed in range(2):
        game = Lottery(seed)
        for opening in ((), (1,), (0, 2)):
            state, exact = played(game, *opening), Exact(game)
            searcher = game.current_player(state)
            engine = searched(game, state, mcts_solver=prove, opponent_model="paranoid", c=20.0, iterations=1500)
            assert wrong_proofs(engine, exact, searcher) == []
            assert proven_root(engine)[searcher] == exact.against(state, searcher)


def test_a_proven_root_ends_the_search():
    game = luozi.game("tictactoe")
    state = played(game, 0, 3, 1, 4)
    thought = uncompiled(game, mcts_solver="standard").think(state, iterations=10_000)
    assert thought.iterations < 100
    assert thought.action == 2
    assert thought.best.proven
    assert thought.best.means == (1.0, 0.0)


def test_proofs_of_one_searcher_are_not_anothers():
    """Kept for the next player, what was certain under the paranoid rule is proven anew."""
    changed = 0
    for seed in range(4):
        game = Lottery(seed)
        position, exact = game.begin(), Exact(game)
        engine = uncompiled(game, mcts_solver="paranoid", selection="random")
        for action in (0, 1):
            state, searcher = position.state, position.to_move
            engine.think(position, iterations=1500)
            assert wrong_proofs(engine, exact, searcher) == []
            changed += exact.by_rule(state, searcher) != exact.by_rule(state, (searcher + 2) % 3)
            position = position.play(action)
    assert changed


def prove_children(node, values):
    for child, value in zip(node.children, values, strict=True):
        if value is not None:
            node.tree.flags[child.edge] |= PROVEN
            node.tree.values[child.edge * len(value) : (child.edge + 1) * len(value)] = value


def test_a_lost_move_comes_last_and_a_certain_result_is_its_own_score():
    rows = [(5, (0.9, 0.1)), (5, (0.1, 0.9)), (5, (0.2, 0.8))]
    node = HandMade(Variants(prove=STANDARD, weight=0.1), rows)
    prove_children(node, [(0.0, 1.0), None, None])
    assert node.chosen(player=0) == 2  # not the lost one, good as it looked
    prove_children(node, [(0.0, 1.0), (0.5, 0.5), None])
    assert node.chosen(player=0) == 1  # 0.5 for certain is more than 0.2 and a little
    prove_children(node, [(0.0, 1.0)] * 3)
    assert node.chosen(player=0) in (0, 1, 2)  # all lost: one of them all the same


def test_chance_visits_what_is_open_before_what_is_certain():
    node = HandMade(Variants(prove=STANDARD, formula=CHANCE), [(5, (0.9, 0.1))] * 3)
    prove_children(node, [(1.0, 0.0), None, (0.5, 0.5)])
    assert {node.chosen() for _ in range(5)} == {1}


def candidate(action, visits, mean, proven):
    return Candidate(action, visits, (mean, 1 - mean), proven)


def test_what_is_certain_is_played_before_what_looks_as_good_but_never_a_certain_loss():
    open_loss, loss = candidate(0, 9, 0.0, False), candidate(1, 20, 0.0, True)
    draw, win = candidate(2, 3, 0.5, True), candidate(3, 1, 1.0, True)
    looks_even, looks_good = candidate(4, 50, 0.5, False), candidate(5, 60, 0.7, False)
    assert decide([loss, open_loss], 0, "visits") == open_loss
    assert decide([looks_even, draw], 0, "visits") == draw
    assert decide([looks_good, draw], 0, "visits") == looks_good
    assert decide([looks_good, draw, win], 0, "visits") == win
    assert decide([loss], 0, "visits") == loss


def test_the_exact_player_says_when_its_figures_depend_on_ties():
    told = set()
    for seed in range(8):
        game = SharedWins(seed)
        game.compilable = False
        exact = ExactPlayer(game, tt_millions=1, seed=1)
        exact.choose(game.new_state())
        certain = [len(Exact(game).possible(game.after(game.new_state(), action))) == 1 for action in range(3)]
        assert all(certain) or exact.thought.tied
        assert ("others may get more or less" in exact.thought.summary()) == exact.thought.tied
        told.add(exact.thought.tied)
    assert True in told
