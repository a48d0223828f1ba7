"""The built-in opponents: legal moves, wins and blocks in one, repeatable, stoppable, one sentence for errors."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.games.lines.bits import BitLines
from luozi.games.lines.rules import Lines
from luozi.players import PLAYERS, player
from luozi.players.alphabeta import DOUBT, SOONER, AlphaBetaPlayer, MinimaxPlayer

GAMES = ["connect4", "gomoku", "five3d"]  # two compilations: the last two share theirs


def after_moves(game, moves):
    state = game.new_state()
    for action in moves:
        state = game.after(state, action)
    return state


def random_position(game, plies, seed):
    """A position after some random moves, none of which ended the game."""
    rng, state = np.random.default_rng(seed), game.new_state()
    for _ in range(plies):
        following = game.after(state, int(rng.choice(game.legal_list(state))))
        state = state if game.is_terminal(following) else following
    return state


# All players --------------------------------------------------------------------------------------------------------

QUICK = ["flat:playouts=60", "alphabeta:depth=2", "minimax:depth=1", "random"]


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.usefixtures("as_written")
def test_moves_of_written_rules_are_legal_and_repeatable(name):
    look_at_moves("tictactoe", name)


@pytest.mark.parametrize(
    "spelling", [GAMES[0], *(pytest.param(spelling, marks=pytest.mark.long) for spelling in GAMES[1:])]
)
@pytest.mark.parametrize("name", QUICK)
def test_moves_are_legal_and_repeatable(spelling, name):
    look_at_moves(spelling, name)


def look_at_moves(spelling, name):
    game = luozi.game(spelling)
    first, second = player(name, game, seed=5), player(name, game, seed=5)
    for plies in (0, 1, 4, 7, 20):
        state = random_position(game, plies, plies)
        untouched = state.copy()
        chosen = first.choose(state)
        assert chosen in game.legal_list(state)
        assert chosen == second.choose(state)
        assert state == untouched


@pytest.mark.usefixtures("as_written")
def test_a_new_game_starts_the_random_numbers_again():
    game = luozi.game("tictactoe")
    for name in QUICK:
        seat = player(name, game, seed=3)
        before = [seat.choose(game.new_state()) for _ in range(3)]
        again = game.begin()
        assert [seat.choose(again) for _ in range(3)] == before


@pytest.mark.usefixtures("as_written")
def test_a_seed_decides_between_equal_moves():
    game = luozi.game("tictactoe")
    corner = after_moves(game, [4])  # the four corners are equal
    chosen = {player("alphabeta:depth=1", game, seed=seed).choose(corner) for seed in range(20)}
    assert len(chosen) > 1


def test_every_player_is_described():
    for kind in PLAYERS.values():
        assert kind.meaning
        assert all(parameter.about.meaning for parameter in kind.parameters.values())


# A win in one and a threat of one ------------------------------------------------------------------------------------

# X has four (in Connect Four three) in a line with one open end; then the move that completes it.
GOMOKU = [15 * 7 + 0, 0, 15 * 7 + 1, 30, 15 * 7 + 2, 60, 15 * 7 + 3, 90]
CONNECT4 = [0, 6, 0, 5, 0, 6]
FIVE3D = [0, 50, 100, 1, 60, 110, 2, 70, 120, 3, 85, 130]
WINS = [("connect4", CONNECT4, 0), ("gomoku", GOMOKU, 15 * 7 + 4), ("five3d", FIVE3D, 4)]
on_each_board = pytest.mark.parametrize(
    ("spelling", "moves", "winning"), [WINS[0], *(pytest.param(*one, marks=pytest.mark.long) for one in WINS[1:])]
)


@on_each_board
@pytest.mark.parametrize("name", ["flat:playouts=9000", "alphabeta:depth=2", "alphabeta:depth=1", "minimax:depth=2"])
def test_takes_a_win_in_one(spelling, moves, winning, name):
    game = luozi.game(spelling)
    seat = player(name, game, seed=1)
    assert seat.choose(after_moves(game, moves)) == winning
    assert seat.thought.best.means[0] > 0.99


@on_each_board
@pytest.mark.parametrize("name", ["alphabeta:depth=2", "minimax:depth=2", "alphabeta"])
def test_blocks_a_win_in_one(spelling, moves, winning, name):
    """The player just before X is to move: the second of two, the third of three."""
    game = luozi.game(spelling)
    assert player(name, game, seed=1).choose(after_moves(game, moves[:-1])) == winning


def test_flat_blocks_in_connect_four():
    game = luozi.game("connect4")
    assert player("flat:playouts=40000,seed=1", game).choose(after_moves(game, CONNECT4[:-1])) == 0


# Alpha-beta is minimax ------------------------------------------------------------------------------------------------


LONG = [pytest.param(*one, marks=pytest.mark.long) for one in (("tictactoe", 4), ("gomoku", 2))]


@pytest.mark.parametrize(("spelling", "depth"), [("connect4", 5), *LONG])
def test_cuts_do_not_change_the_value(spelling, depth):
    game = luozi.game(spelling)
    for seed in range(12):
        state = random_position(game, 2 + seed, seed)
        seats = [kind(game, depth, seed=1) for kind in (AlphaBetaPlayer, MinimaxPlayer)]
        for seat in seats:
            seat.choose(state)
        assert seats[0].thought.best.means == pytest.approx(seats[1].thought.best.means, abs=1e-12)
        assert seats[0].thought.iterations <= seats[1].thought.iterations


def plain_max_n(game, state, depth, ply=0):
    """max^n without any order or cut, straight from the rules."""
    over = game.is_terminal(state)
    if over or depth == 0:
        values = np.zeros(game.players)
        (game.returns if over else game.evaluate)(state, values)
        return values + (0.5 - values) * (SOONER * ply if over else DOUBT)
    mover = game.current_player(state)
    following = [plain_max_n(game, game.after(state, a), depth - 1, ply + 1) for a in game.legal_list(state)]
    return max(following, key=lambda values: values[mover])


@pytest.mark.parametrize("players", [2, 3])
def test_value_is_that_of_plain_max_n(players):
    game = luozi.game("tictactoe", players=players)
    vars(game)["compilable"] = False  # as for a game whose rules can't be compiled
    for seed in range(6):
        state = random_position(game, seed, seed)
        mover = game.current_player(state)
        for depth in (1, 2):
            for kind in (AlphaBetaPlayer, MinimaxPlayer):
                seat = kind(game, depth, seed=1)
                seat.choose(state)
                reached = seat.thought.depth  # less than asked for if the game was decided before
                expected = plain_max_n(game, state, reached)
                assert seat.thought.best.means[mover] == pytest.approx(expected[mover], abs=1e-12)


class Unequal(BitLines):
    """Both players' estimates may be high: alpha-beta must notice and do without cuts."""

    compilable = False

    def evaluate(self, state, values):
        Lines.evaluate(self, state, values)
        values[0] = min(1.0, 1.5 * values[0])


def test_values_that_do_not_add_up_are_not_cut():
    game = Unequal(1, 3, 3, 3)
    game.validate()
    for seed in range(4):
        state = random_position(game, seed, seed)
        seat = player("alphabeta:depth=2,seed=1", game)
        seat.choose(state)
        mover = game.current_player(state)
        expected = plain_max_n(game, state, seat.thought.depth)
        assert seat.thought.best.means[mover] == pytest.approx(expected[mover], abs=1e-12)


# The estimate of line games -------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    box=st.tuples(st.integers(1, 2), st.integers(1, 4), st.integers(2, 4)),
    run=st.integers(1, 4),
    players=st.integers(2, 9),
    gravity=st.booleans(),
    exactly=st.booleans(),
    choices=st.lists(st.integers(0, 10_000), max_size=20),
)
def test_estimates_are_shares_and_the_same_on_bits(box, run, players, gravity, exactly, choices):
    games = [family(*box, run, players, gravity, exactly) for family in (Lines, BitLines)]
    states = [game.new_state() for game in games]
    for choice in choices:
        legal = games[0].legal_list(states[0])
        following = [game.after(state, legal[choice % len(legal)]) for game, state in zip(games, states, strict=True)]
        if games[0].is_terminal(following[0]):
            continue
        states = following
    values = [np.zeros(players), np.zeros(players)]
    for game, state, estimate in zip(games, states, values, strict=True):
        game.evaluate(state, estimate)
    assert values[0].tolist() == values[1].tolist()
    assert values[0].sum() == pytest.approx(1.0)
    assert 0 < values[0].min() <= values[0].max() < 1
    mover = games[0].current_player(states[0])
    endings = [games[0].after(states[0], action) for action in games[0].legal_list(states[0])]
    if not exactly and run > 1 and any(games[0].is_terminal(e) and games[0].result(e)[mover] == 1 for e in endings):
        assert values[0][mover] > 0.95


# Clocks, thoughts and errors ------------------------------------------------------------------------------------------


def test_stop_ends_the_thinking():
    game = luozi.game("connect4")
    seat = player("alphabeta:seconds=30,seed=1", game)
    seat.choose(after_moves(game, [0, 6, 0, 6, 0, 6]))  # a win in one: decided, so the clock does not matter
    cancel = luozi.Cancel()
    threading.Timer(0.3, cancel.set).start()
    assert seat.choose(game.new_state(), cancel=cancel) in range(7)
    assert seat.progress[0] == 1
    assert seat.thought.seconds < 30  # it was the stop, not the clock, that ended it
    assert seat.thought.depth > 2


@pytest.mark.parametrize("name", ["flat:seconds=0.1", "alphabeta:seconds=0.1", "minimax:seconds=0.1"])
def test_a_clock_ends_a_search_that_would_go_on_for_ever(name):
    game = luozi.game("connect4")
    seat = player(name, game, seed=1)
    assert seat.choose(game.new_state()) in range(7)
    assert seat.progress[0] == 1  # it was told to stop
    assert seat.thought.iterations > 100


def test_flat_tells_what_it_saw():
    game = luozi.game("connect4")
    seat = player("flat:playouts=7001,seed=1", game)
    chosen = seat.choose(game.new_state())
    assert sum(candidate.visits for candidate in seat.thought.candidates) == seat.thought.iterations == 7001
    assert {candidate.visits for candidate in seat.thought.candidates} == {1000, 1001}
    assert seat.thought.best.means[0] == max(candidate.means[0] for candidate in seat.thought.candidates)
    assert all(sum(candidate.means) == pytest.approx(1.0) for candidate in seat.thought.candidates)
    assert seat.thought.candidates[0].action == chosen == 3


def test_flat_with_fewer_simulations_than_moves():
    game = luozi.game("gomoku")
    seat = player("flat:playouts=10,seed=1", game)
    assert seat.choose(game.new_state()) in range(10)


class Blank(luozi.Game):
    """A game of one move."""

    actions, state, compilable = 1, (("over", "i1"),), False

    def start(self, state):
        state.over = 0

    def current_player(self, state):
        return 0

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.over = 1

    def is_terminal(self, state):
        return state.over == 1

    def returns(self, state, returns):
        returns[0], returns[1] = 1.0, 0.0


def test_a_game_without_evaluate():
    for name in ("alphabeta", "minimax"):
        expected = rf"^{name} needs a game with evaluate\(self, state, values\); Blank has none$"
        with pytest.raises(luozi.LuoziError, match=expected):
            player(name, Blank())
    for name in ("flat", "exact", "random"):
        assert player(name, Blank()).choose(Blank().new_state()) == 0


@pytest.mark.parametrize(
    "wrong", ["flat:playouts=0", "alphabeta:depth=0", "exact:tt_millions=x", "minimax:deep=2", "flit"]
)
def test_errors_are_one_sentence(wrong):
    with pytest.raises(luozi.LuoziError) as error:
        player(wrong, luozi.game("tictactoe"))
    assert "\n" not in str(error.value)


def test_a_finished_game_has_no_move():
    game = luozi.game("tictactoe")
    over = after_moves(game, [0, 3, 1, 4, 2])
    for name in ("flat", "alphabeta", "minimax", "exact", "random"):
        with pytest.raises(luozi.LuoziError, match="the game is over"):
            player(name, game).choose(over)


class Stuck(Blank):
    """A game that goes on where there is no move."""

    def is_legal(self, state, action):
        return False

    def evaluate(self, state, values):
        values[0], values[1] = 0.5, 0.5


@pytest.mark.parametrize("name", ["random", "flat", "alphabeta", "minimax", "exact"])
def test_a_position_without_moves_that_is_not_over(name):
    with pytest.raises(
        luozi.LuoziError, match=r"^Stuck.is_legal allows player 0 no action .*, and is_terminal says that"
    ):
        player(name, Stuck()).choose(Stuck().new_state())
