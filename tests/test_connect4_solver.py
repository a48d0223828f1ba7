"""Connect Four in the exact solver: published values, the general search, plain minimax, and mirror images."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.compiled import kernel
from luozi.compiled.bits import count_ones
from luozi.games.lines.bits import BitLines
from luozi.games.lines.rules import Lines
from luozi.players import player
from luozi.solvers.base import new_table
from luozi.solvers.connect4 import Connect4Search
from luozi.solvers.connect4_proofs import ENTRIES, NOTE_BITS
from luozi.solvers.depth_first import GeneralSearch
from luozi.solvers.solver import Solver, solve

RESULT = {"+": (1.0, 0.0), "=": (0.5, 0.5), "-": (0.0, 1.0)}
# Rows, columns, and who wins (Tromp).
PUBLISHED = [
    (4, 4, "="), (4, 5, "="), (4, 6, "-"), (4, 7, "="), (4, 8, "-"), (5, 4, "="), (5, 5, "="), (5, 6, "="),
    (6, 4, "="), (6, 5, "="), (7, 4, "="), (8, 4, "="), (9, 4, "="),
]  # fmt: skip
PUBLISHED_LONG = [(4, 9, "-"), (5, 7, "="), (5, 8, "+"), (6, 6, "-"), (7, 5, "="), (8, 5, "="), (7, 6, "+")]


def position(game, choices):
    """A position that is not over: each choice picks one of the legal moves, unless it would end the game."""
    state = game.new_state()
    for choice in choices:
        legal = game.legal_list(state)
        following = game.after(state, legal[choice % len(legal)])
        if not game.is_terminal(following):
            state = following
    return state


# Published values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns", "result"), PUBLISHED)
def test_published_values(rows, columns, result):
    assert solve(luozi.game("connect4", rows=rows, columns=columns), seconds=0).values == RESULT[result]


@pytest.mark.long
@pytest.mark.parametrize(("rows", "columns", "result"), PUBLISHED_LONG)
def test_more_published_values(rows, columns, result):
    assert solve(luozi.game("connect4", rows=rows, columns=columns), seconds=0).values == RESULT[result]


@pytest.mark.long
def test_the_centre_alone_wins_on_7x6_with_move_41():
    game = luozi.game("connect4")
    solution = solve(game, seconds=0, limit=10**12)
    assert solution.values == (1.0, 0.0)
    assert solution.optimal_actions() == [3]
    assert solution.moves_left() == 41
    values = solution.solver.values_of_moves(game.new_state())
    assert [values[action][0] for action in range(7)] == [0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0]


# The general search, on random positions ----------------------------------------------------------------------------

BOARDS = {
    "connect4:rows=4,columns=4": 3,
    "connect4:rows=4,columns=5": 4,
    "connect4:rows=5,columns=4": 4,
    "connect4:rows=5,columns=5": 8,
    "connect4:rows=6,columns=4": 6,
    "connect4:rows=4,columns=6": 8,
    "connect4:rows=7,columns=4": 10,
    "connect4": 26,
    "connect4:rows=7,columns=7": 44,  # not in the bits of `BitLines`
    "connect4:rows=4,columns=5,blocked=3.2": 4,
    "connect4:rows=5,columns=5,blocked=2.2": 8,
    "connect4:rows=5,columns=5,blocked=2.1+3.1+0.4": 6,
    "connect4:rows=6,columns=4,blocked=5.0+4.0+0.3+2.2": 4,
    "connect4:rows=6,columns=5,blocked=0.4+1.4+2.4+3.4+4.4+5.4": 8,  # a whole column
    "connect4:rows=6,columns=7,blocked=2.3+4.5": 24,
}


@cache
def solvers(spelling, compiled=True):
    """The solver, and one that searches as for any game, compiled for boards in bits only."""
    game = luozi.game(spelling)
    fast, general = Solver(game, table=1), Solver(game, table=1)
    general.search = GeneralSearch(game, 1, compiled and isinstance(game, BitLines))
    assert isinstance(fast.search, Connect4Search)
    return fast, general


def compare(fast, general, state):
    solution, expected = fast.solve(state), general.solve(state)
    assert solution.values == expected.values
    assert fast.values_of_moves(state) == general.values_of_moves(state)
    assert solution.optimal_actions() == expected.optimal_actions()
    assert solution.best in solution.optimal_actions()


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(list(BOARDS)), st.lists(st.integers(0, 10_000), max_size=20), st.integers(0, 2**32))
def test_same_as_the_general_search(spelling, choices, seed):
    fast, general = solvers(spelling)
    more = np.random.default_rng(seed).integers(0, 10_000, BOARDS[spelling]).tolist()
    compare(fast, general, position(fast.game, [*more, *choices]))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(list(BOARDS)[:4]), st.lists(st.integers(0, 10_000), min_size=16, max_size=16))
def test_same_as_the_general_search_near_the_end(spelling, choices):
    fast, general = solvers(spelling, compiled=False)
    compare(fast, general, position(fast.game, choices))


@pytest.mark.parametrize("spelling", [spelling for spelling, plies in BOARDS.items() if plies <= 8])
def test_same_from_the_start(spelling):
    fast, general = solvers(spelling)
    state = fast.game.new_state()
    assert fast.values_of_moves(state) == general.values_of_moves(state)


def test_both_kinds_of_state():
    bits, counters = (family(1, 5, 5, 4, 2, True, False, "4.1") for family in (BitLines, Lines))
    rng = np.random.default_rng(4)
    for plies in range(6, 22):
        choices = rng.integers(0, 10_000, plies).tolist()
        one, other = (
            solve(bits, position(bits, choices), table=1),
            solve(counters, position(counters, choices), table=1),
        )
        assert (one.values, one.best, one.nodes) == (other.values, other.best, other.nodes)


# How long a game lasts ----------------------------------------------------------------------------------------------


def longest_defence(game, state, memory):
    """Plain minimax: the result of the player to move, and how many moves are left."""
    key = state.tobytes()
    if key not in memory:
        memory[key] = minimax(game, state, memory)
    return memory[key]


def minimax(game, state, memory):
    if game.is_terminal(state):
        return game.result(state)[game.current_player(state)], 0
    following = [longest_defence(game, game.after(state, action), memory) for action in game.legal_list(state)]
    mine = [(1.0 - result, moves + 1) for result, moves in following]
    best = max(result for result, _ in mine)
    lengths = [moves for result, moves in mine if result == best]
    return best, min(lengths) if best == 1.0 else max(lengths)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([("connect4:rows=4,columns=4", 7), ("connect4:rows=5,columns=5,blocked=3.1+0.2", 14)]),
    st.lists(st.integers(0, 10_000), min_size=16, max_size=22),
)
def test_moves_left(board, choices):
    spelling, plies = board
    solver = solvers(spelling)[0]
    state = position(solver.game, choices[: max(plies, len(choices) - 2)])
    assert solver.solve(state).moves_left() == longest_defence(solver.game, state, {})[1]


def test_moves_left_of_known_positions():
    game = luozi.game("connect4")
    state = position(game, [3, 3, 4, 4])
    assert solve(game, state).moves_left() == 3  # three in a row, open at both ends
    state = game.after(state, 2)
    assert solve(game, state).moves_left() == 2
    for action in (1, 5):
        state = game.after(state, action)
    assert (solve(game, state).moves_left(), solve(game, state).best) == (0, -1)
    with pytest.raises(
        luozi.LuoziError, match="does not know how long tictactoe:size=2,win_length=2 lasts, only who wins"
    ):
        solve(luozi.game("tictactoe:size=2,win_length=2"), compiled=False).moves_left()


# Mirror images, plain Python, and a small table ---------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(
        ["connect4:rows=5,columns=5", "connect4:rows=4,columns=6", "connect4:rows=5,columns=5,blocked=4.2"]
    ),
    st.lists(st.integers(0, 4), max_size=16),
)
def test_mirror_images_have_the_same_value(spelling, columns):
    solver = solvers(spelling)[0]
    game, last = solver.game, solver.game.actions - 1
    state, image = game.new_state(), game.new_state()
    for column in columns:
        if game.allows(state, column) and not game.is_terminal(game.after(state, column)):
            state, image = game.after(state, column), game.after(image, last - column)
    values, images = solver.values_of_moves(state), Solver(game, table=1).values_of_moves(image)
    assert values == {last - action: results for action, results in images.items()}


@pytest.mark.parametrize("spelling", ["connect4:rows=4,columns=4", "connect4:rows=4,columns=5,blocked=2.2+0.1"])
def test_uncompiled_is_the_same_search(spelling):
    game = luozi.game(spelling)
    for choices in ([], [1, 2], [0, 1, 2, 3, 0, 1]):
        state = position(game, choices)
        one, other = (solve(game, state, table=1, compiled=compiled) for compiled in (True, False))
        assert (one.values, one.nodes, one.best) == (other.values, other.nodes, other.best)
        assert one.moves_left() == other.moves_left()


def test_a_tiny_table_only_costs_time():
    solver = Solver(luozi.game("connect4:rows=5,columns=6"), table=1)
    normal = solver.solve(solver.game.new_state())
    solver.forget()
    solver.search.tables = solver.search.tables._replace(far=new_table(2, NOTE_BITS, ENTRIES))
    tiny = solver.solve(solver.game.new_state())
    assert tiny.values == normal.values
    assert tiny.nodes > normal.nodes


def test_the_widest_keys_fit_into_the_table():
    game = luozi.game("connect4:rows=14,columns=4")  # 60 bits
    fast = Solver(game, table=1)
    general = Solver(game, table=1)
    general.search = GeneralSearch(game, 1, False)
    rng = np.random.default_rng(5)
    for _ in range(10):
        state = position(game, rng.integers(0, 10_000, 46).tolist())
        assert fast.values_of_moves(state) == general.values_of_moves(state)


# The player ---------------------------------------------------------------------------------------------------------


def test_the_player_wins_what_is_won():
    game = luozi.game("connect4:rows=4,columns=6")  # the second player wins
    for seed in range(3):
        seats = [player("random", game, seed=seed), player("exact", game, seed=seed)]
        state = game.new_state()
        while not game.is_terminal(state):
            state = game.after(state, seats[game.current_player(state)].choose(state))
        assert game.result(state) == [0.0, 1.0]


# Where it is used, and its limits -----------------------------------------------------------------------------------


class OtherRules(BitLines):
    """A class of somebody's own, whose rules may differ."""


def test_only_for_connect_four():
    assert OtherRules(1, 6, 7, 4, 2, True).exact_solver() == "depth_first"
    assert isinstance(Solver(luozi.game("connect4:rows=4,columns=4,win_length=3"), table=1).search, GeneralSearch)
    for spelling in ("connect4:players=3", "qubic:gravity=true", "connect4:rows=9,columns=7", "tictactoe"):
        assert luozi.game(spelling).exact_solver() == "depth_first"
    assert (
        luozi.game("lines:rows=6,columns=7,win_length=4,gravity=true,exact_length=true").exact_solver() == "depth_first"
    )
    assert luozi.game("lines:rows=6,columns=7,win_length=4,gravity=true").exact_solver() == "connect4"


class SameRules(Lines):
    """A class of somebody's own who says that the rules are those of Connect Four."""

    exact_solver = Lines.exact_solver


class OthersToo(SameRules):
    """What a class says of itself is not said of those derived from it."""


class WrongName(Lines):
    def exact_solver(self):
        return "conect4"


class WrongGame(luozi.Game):
    def exact_solver(self):
        return "connect4"


def test_a_game_names_its_solver_for_itself_alone():
    board = {"rows": 4, "columns": 4, "run": 4, "gravity": True}
    assert isinstance(Solver(SameRules(**board), table=1).search, Connect4Search)
    assert isinstance(Solver(OthersToo(**board), table=1).search, GeneralSearch)
    with pytest.raises(luozi.LuoziError, match=r"WrongName.exact_solver gives 'conect4'; the exact solvers are connec"):
        Solver(WrongName(**board), table=1)
    with pytest.raises(luozi.LuoziError, match="WrongGame is not solved as 'connect4': that is for line games"):
        Solver(WrongGame(), table=1)


def test_the_clock_and_the_limit():
    game = luozi.game("connect4")
    with pytest.raises(luozi.LuoziError, match=r"connect4 is too large for the exact solver: not solved in 0.1 s; "):
        solve(game, seconds=0.1)
    with pytest.raises(luozi.LuoziError, match="more than 1,000 positions"):
        solve(game, limit=1000).moves_left()


@kernel
def count_each(numbers, counts):
    for index in range(numbers.shape[0]):
        counts[index] = count_ones(numbers[index])


def test_count_ones():
    numbers = np.array([0, 1, 2, 3, 255, 2**40, 2**62 - 1, 2**62], np.int64)
    counts = np.zeros_like(numbers)
    count_each(numbers, counts)
    assert counts.tolist() == [0, 1, 1, 2, 8, 1, 62, 1] == [count_ones(number) for number in numbers]
