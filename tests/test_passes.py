"""A pass is played only where it is better than every other move."""

import random

import pytest

import luozi
from luozi.players import player
from luozi.search.final_move import decide
from luozi.search.result import Candidate

GO = luozi.game("go:size=9")
PASS = GO.pass_action
EMPTY_SEEDS = 25


def passes_on_empty_boards(spelling: str, seeds: int = EMPTY_SEEDS) -> int:
    """How many of so many first moves are passes."""
    one = player(f"{spelling},seed=7" if ":" in spelling else f"{spelling}:seed=7", GO)
    count = 0
    for _ in range(seeds):
        if hasattr(one, "engine"):
            one.engine.memory.clear_tree(None)  # a new tree, and other random numbers than before
        count += one.choose(GO.new_state()) == PASS
    return count


@pytest.mark.parametrize("final", ["visits", "mean", "margin", "agreement"])
@pytest.mark.parametrize("iterations", [1, 30, 100, 200, 400])
def test_no_search_passes_on_an_empty_board(iterations, final):
    assert passes_on_empty_boards(f"mcts:iterations={iterations},final={final}") == 0


@pytest.mark.parametrize(
    "spelling",
    [
        "mcts:iterations=100,random_move_rate=1",
        pytest.param("mcts:iterations=100,selection=puct", marks=pytest.mark.long),
        pytest.param("mcts:iterations=100,rave=fuego", marks=pytest.mark.long),
        "flat:playouts=82",
        "flat:playouts=1000",
        "alphabeta:depth=1",
    ],
)
def test_no_other_player_passes_on_an_empty_board(spelling):
    assert passes_on_empty_boards(spelling) == 0


@pytest.mark.long
@pytest.mark.parametrize("iterations", [100, 150, 200, 250, 300, 350, 400])
def test_no_search_of_thousands_passes_on_an_empty_board(iterations):
    assert passes_on_empty_boards(f"mcts:iterations={iterations}", 2000) == 0


@pytest.mark.long
def test_a_pass_that_wins_at_once_is_played_where_it_is_proven():
    game = luozi.game("go:size=5,komi=-30")  # whoever ends the game, Black has won it
    state = game.after(game.after(game.new_state(), 12), game.pass_action)
    thought = luozi.Engine(game, seed=1, mcts_solver="standard").think(state, iterations=3000)
    assert thought.action == game.pass_action
    assert thought.best.proven


def candidate(action, visits, mean, proven=False, cut=False):
    return Candidate(action, visits, (mean, 1 - mean), proven=proven, cut=cut)


@pytest.mark.parametrize("final", ["visits", "mean", "margin", "agreement"])
@pytest.mark.parametrize(
    ("passed", "stone", "wanted"),
    [
        ((300, 0.9), (20, 0.4), PASS),  # much better, and much visited
        ((300, 0.6), (300, 0.6), 0),  # a tie
        ((12, 0.75), (11, 0.727), 0),  # better by chance
        ((2, 1.0), (2, 1.0), 0),
        ((1, 1.0), (0, 0.5), 0),  # the only move that was tried
        ((9, 1.0, True), (9, 0.9), PASS),  # a proven win
        ((9, 1.0, True), (9, 1.0, True), 0),  # and one of two
        ((9, 0.0, True), (9, 0.0, True), 0),  # both lose
        ((9, 0.1), (9, 0.0, True), PASS),  # everything else loses
        ((300, 0.6), (0, 0.5, False, True), PASS),  # everything else is excluded
    ],
)
def test_a_pass_is_played_where_it_is_better_than_the_best_other_move(passed, stone, wanted, final):
    found = sorted([candidate(PASS, *passed), candidate(0, *stone)], key=lambda one: (-one.visits, one.action == PASS))
    assert decide(found, 0, final, PASS).action == wanted


@pytest.mark.parametrize("spelling", ["mcts:iterations=100", "flat", "alphabeta", "exact"])
def test_a_pass_is_played_where_nothing_else_is_legal(spelling):
    game, rng = luozi.game("othello:size=4"), random.Random(1)
    state = game.new_state()
    while game.legal_list(state) != [game.cells]:
        state = game.new_state() if game.is_terminal(state) else game.after(state, rng.choice(game.legal_list(state)))
    assert player(spelling, game).choose(state) == game.cells


class Equal(luozi.Game):
    """Five moves, each of which ends the game with a draw; the last one is called a pass, and may win."""

    players, actions, max_length, pass_action = 2, 5, 1, 4

    def __init__(self, wins: int = 0):
        self.state, self.wins = [("over", "i1")], wins

    def start(self, state):
        pass

    def current_player(self, state):
        return 0

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.over = 1 + (action == self.pass_action)

    def is_terminal(self, state):
        return state.over > 0

    def returns(self, state, returns):
        returns[0] = 1.0 if self.wins and state.over == 2 else 0.5
        returns[1] = 1.0 - returns[0]

    def evaluate(self, state, values):
        values[0] = values[1] = 0.5


@pytest.mark.parametrize(
    "spelling",
    [
        "mcts:iterations=40",
        "mcts:iterations=40,mcts_solver=standard",
        "flat:playouts=40",
        "alphabeta",
        "minimax",
        "exact",
    ],
)
def test_of_equal_moves_of_any_game_none_is_the_one_that_its_class_names_a_pass(spelling):
    one = player(f"{spelling},seed=3" if ":" in spelling else f"{spelling}:seed=3", Equal())
    chosen = {one.choose(one.game.new_state()) for _ in range(40)}
    assert Equal.pass_action not in chosen
    assert len(chosen) > 1


@pytest.mark.parametrize("prove", ["none", "standard"])
def test_a_pass_that_alone_wins_is_played(prove):
    game = Equal(wins=1)
    engine = luozi.Engine(game, compiled=False, seed=3, mcts_solver=prove)
    assert engine.think(game.new_state(), iterations=60).action == game.pass_action
