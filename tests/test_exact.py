"""The exact solver: published values, plain brute force, and UCT, which must come to the same moves."""

from __future__ import annotations

import threading
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.players import ForfeitError, player
from luozi.rules.kernel_runner import STOP
from luozi.solvers.base import new_table
from luozi.solvers.depth_first import NOTE_BITS, RESULTS, GeneralSearch
from luozi.solvers.solver import Solver, solve
from luozi.terminal.analysis import analyse
from luozi.terminal.thinking import Waiting

RESULT = {"+": (1.0, 0.0), "=": (0.5, 0.5), "-": (0.0, 1.0)}
CONNECT4 = [(4, 4, "="), (5, 4, "="), (4, 5, "="), (5, 5, "="), (6, 4, "="), (4, 6, "-")]
CONNECT4_LONG = [(6, 5, "="), (5, 6, "="), (4, 7, "="), (7, 4, "="), (8, 4, "="), (7, 5, "=")]
MNK = [(3, 3, 3, "="), (4, 3, 3, "+"), (4, 4, 3, "+"), (4, 4, 4, "="), (5, 4, 4, "=")]


def position(game, choices):
    """A position that is not over: each choice picks one of the legal moves, unless it would end the game."""
    state = game.new_state()
    for choice in choices:
        legal = game.legal_list(state)
        following = game.after(state, legal[choice % len(legal)])
        if not game.is_terminal(following):
            state = following
    return state


def general_solver(game, table=1):
    """The search for any game, for Connect Four too."""
    solver = Solver(game, table=table)
    solver.search = GeneralSearch(game, table, compiled=True)
    return solver


# Published values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns", "result"), CONNECT4)
def test_connect_four(rows, columns, result):
    game = luozi.game("connect4", rows=rows, columns=columns)
    assert general_solver(game).solve(game.new_state()).values == RESULT[result]


@pytest.mark.long
@pytest.mark.parametrize(("rows", "columns", "result"), CONNECT4_LONG)
def test_larger_connect_four(rows, columns, result):
    game = luozi.game("connect4", rows=rows, columns=columns)
    assert general_solver(game, table=4).solve(game.new_state()).values == RESULT[result]


@pytest.mark.parametrize(("rows", "columns", "run", "result"), MNK)
def test_k_in_a_row(rows, columns, run, result):
    assert solve(luozi.game("lines", rows=rows, columns=columns, win_length=run)).values == RESULT[result]


@pytest.mark.long
@pytest.mark.parametrize(
    ("rows", "columns", "run", "result"), [(5, 5, 4, "="), (6, 4, 4, "="), (6, 5, 4, "+"), (5, 5, 5, "=")]
)
def test_larger_k_in_a_row(rows, columns, run, result):
    assert solve(luozi.game("lines", rows=rows, columns=columns, win_length=run), table=32).values == RESULT[result]


# Plain brute force --------------------------------------------------------------------------------------------------


@cache
def lines_of(rows, columns, run):
    starts = [(row, column) for row in range(rows) for column in range(columns)]
    lines = [
        [(row + i * down, column + i * right) for i in range(run)]
        for row, column in starts
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]
    inside = [line for line in lines if all(0 <= row < rows and 0 <= column < columns for row, column in line)]
    return [[row * columns + column for row, column in line] for line in inside]


@cache
def brute_force(board, shape, players):
    """max^n on a tuple of stones, 0 for an empty cell; equal values go to the lowest cell."""
    for line in lines_of(*shape):
        if board[line[0]] and len({board[cell] for cell in line}) == 1:
            return tuple(float(player + 1 == board[line[0]]) for player in range(players))
    if 0 not in board:
        return (0.5,) * players
    mover = sum(1 for stone in board if stone) % players
    following = [
        brute_force((*board[:cell], mover + 1, *board[cell + 1 :]), shape, players)
        for cell, stone in enumerate(board)
        if stone == 0
    ]
    return max(following, key=lambda values: values[mover])


def board_of(game, state):
    return tuple(int(game.stone_at(state, cell)) for cell in range(game.cells))


# Rows, columns, run and players.
SMALL = [(3, 3, 3, 2), (4, 3, 3, 2), (3, 3, 3, 3), (3, 3, 2, 3)]
SOLVERS = {
    key: Solver(luozi.game("lines", rows=key[0], columns=key[1], win_length=key[2], players=key[3]), table=1)
    for key in SMALL
}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(SMALL), st.lists(st.integers(0, 10_000), min_size=4, max_size=9))
def test_same_as_brute_force(key, choices):
    rows, columns, run, players = key
    solver = SOLVERS[key]
    state = position(solver.game, choices)
    board, shape = board_of(solver.game, state), (rows, columns, run)
    solution = solver.solve(state)
    assert solution.values == brute_force(board, shape, players)
    mover = solver.game.current_player(state)
    following = {
        action: brute_force(board_of(solver.game, solver.game.after(state, action)), shape, players)[mover]
        for action in solver.game.legal_list(state)
    }
    best = max(following.values())
    assert solution.optimal_actions() == [action for action, value in following.items() if value == best]
    assert solution.best in solution.optimal_actions()


# Games of one's own, uncompiled -------------------------------------------------------------------------------------


class Pile(luozi.Game):
    """Take 1 or 2 of a pile; who takes one moves again, once. Who takes the last wins, or shares in it."""

    actions, max_length, compilable = 2, 20, False
    state = (("left", "i1"), ("to_move", "i1"), ("again", "i1"), ("winner", "i1"))

    def __init__(self, size, loser_gets=0.0):
        self.size, self.loser_gets = size, loser_gets

    def start(self, state):
        state.left, state.to_move, state.again, state.winner = self.size, 0, 0, -1

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.left

    def apply_action(self, state, action):
        state.left -= action + 1
        state.winner = state.to_move
        if action == 0 and state.again == 0:
            state.again = 1
        else:
            state.again, state.to_move = 0, 1 - state.to_move

    def is_terminal(self, state):
        return state.left == 0

    def returns(self, state, returns):
        for who in range(2):
            returns[who] = 1.0 if who == state.winner else self.loser_gets


def by_the_rules(game, state):
    """max^n over the game's own methods."""
    if game.is_terminal(state):
        return tuple(game.result(state))
    mover = game.current_player(state)
    following = [by_the_rules(game, game.after(state, action)) for action in game.legal_list(state)]
    return max(following, key=lambda values: values[mover])


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize("loser_gets", [0.0, 0.25])
def test_any_order_of_turns_and_any_sum_of_results(size, loser_gets):
    game = Pile(size, loser_gets)
    solution = solve(game, table=1)
    assert solution.values == by_the_rules(game, game.new_state())
    assert solution.solver.search.cuts == (loser_gets == 0.0)
    assert player("exact:seed=1", game).choose(game.new_state()) in solution.optimal_actions()


def test_uncompiled_is_the_same_search():
    game = luozi.game("tictactoe")
    compiled, uncompiled = solve(game), solve(game, compiled=False)
    assert (compiled.values, compiled.nodes, compiled.best) == (uncompiled.values, uncompiled.nodes, uncompiled.best)


# The table and the limits -------------------------------------------------------------------------------------------


def test_a_tiny_table_only_costs_time():
    solver = general_solver(luozi.game("connect4:rows=4,columns=4"))
    normal = solver.solve(solver.game.new_state())
    solver.search.table = new_table(6, NOTE_BITS, RESULTS + 2)
    tiny = solver.solve(solver.game.new_state())
    assert tiny.values == normal.values
    assert tiny.nodes > normal.nodes


def test_too_large_is_one_sentence():
    game = luozi.game("connect4")
    for solver in (Solver(game, table=1), general_solver(game)):
        solver.limit = 1000
        with pytest.raises(
            luozi.LuoziError, match=r"connect4 is too large for the exact solver: more than 1,000 positions; "
        ):
            solver.solve(game.new_state())
    exact = player("exact:nodes=500", game)
    with pytest.raises(luozi.LuoziError, match="more than 500 positions"):
        exact.choose(game.new_state())


def test_a_finished_game_has_its_result():
    game = luozi.game("tictactoe")
    state = game.new_state()
    for action in (0, 3, 1, 4, 2):
        state = game.after(state, action)
    solution = solve(game, state)
    assert (solution.values, solution.best, solution.optimal_actions()) == ((1.0, 0.0), -1, [])


# The player ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spelling", "least"), [("lines:rows=4,columns=3,win_length=3", 1.0), ("tictactoe", 0.5)])
def test_the_player_gets_its_value_against_anybody(spelling, least):
    game = luozi.game(spelling)
    for seed in range(5):
        seats = [player("exact", game, seed=seed), player("random", game, seed=seed)]
        state = game.new_state()
        while not game.is_terminal(state):
            state = game.after(state, seats[game.current_player(state)].choose(state))
        assert game.result(state)[0] >= least


def test_the_player_wins_at_once_and_holds_out():
    game = luozi.game("lines:rows=4,columns=4,win_length=3")
    state = game.new_state()
    for action in (5, 15, 6, 12):
        state = game.after(state, action)
    for seed in range(4):
        assert player("exact", game, seed=seed).choose(state) in (4, 7)
    lost = game.after(state, 10)  # two ways to win: one can be stopped, and no move of O's own wins
    for seed in range(4):
        following = game.after(lost, player("exact", game, seed=seed).choose(lost))
        assert not game.is_terminal(following)


def test_stop_ends_a_hopeless_proof():
    game = luozi.game("connect4")
    exact = player(f"exact:nodes={10**12},seed=1", game)
    cancel = luozi.Cancel()
    threading.Timer(0.3, cancel.set).start()
    assert exact.choose(game.new_state(), cancel=cancel) in range(7)
    assert exact.thought is None
    assert exact.remark == "stopped before it had solved connect4: this move is a guess"


def test_a_clock_that_runs_out_gives_the_game_up_and_is_no_guess():
    game = luozi.game("connect4:rows=7,columns=7")
    for spelling in ("exact:seconds=0.01,seed=1", "exact:nodes=100,seed=1"):
        with pytest.raises(ForfeitError, match=r"gave up: connect4.* is too large for the exact solver"):
            player(spelling, game).choose(game.new_state())


class SlowProofs:
    """In place of the clock: every position takes as long as it is told to; what was left before each is kept."""

    def __init__(self, monkeypatch, seconds):
        self.now, self.seconds, self.allowed, self.end = 0.0, seconds, [], 0.0
        monkeypatch.setattr("luozi.solvers.solver.time", SimpleNamespace(perf_counter=lambda: self.now))
        monkeypatch.setattr("luozi.solvers.solver.run_stoppable", self.run)
        work = GeneralSearch.work

        def slow_work(search, progress, limit):
            if limit > 0:
                self.allowed.append(self.end - self.now)
                self.now += self.seconds
            work(search, progress, limit)

        monkeypatch.setattr(GeneralSearch, "work", slow_work)

    def run(self, work, progress, cancel, end):
        progress[STOP], self.end = 0, end
        return work()


def exact_of_one_second(game):
    exact = player("exact:seconds=1,seed=1", game)
    exact.solver = Solver(game, table=1, seconds=exact.solver.seconds, compiled=False)
    return exact


def test_all_positions_that_a_move_needs_share_one_clock(monkeypatch):
    game = luozi.game("tictactoe")
    state = position(game, [4, 0, 0])  # six moves are left, so seven positions are solved
    slow = SlowProofs(monkeypatch, 0.3)
    with pytest.raises(ForfeitError, match=r"gave up: tictactoe is too large for the exact solver: not solved in 1 s"):
        exact_of_one_second(game).choose(state)
    assert slow.allowed == pytest.approx([1.0, 0.7, 0.4, 0.1])


def test_every_move_has_a_clock_of_its_own(monkeypatch):
    game = luozi.game("tictactoe")
    slow, exact = SlowProofs(monkeypatch, 0.1), exact_of_one_second(game)
    state = position(game, [4, 0, 0])
    for positions in (7, 6):
        state = game.after(state, exact.choose(state))
        assert slow.allowed == pytest.approx([1.0 - 0.1 * number for number in range(positions)])
        slow.allowed.clear()


def test_a_match_counts_what_exact_gave_up_as_forfeits():
    summary = luozi.match("exact:nodes=100", "random", game="connect4", games=2, workers=1)
    assert [(row.forfeits, row.score) for row in summary.rows] == [(2, 0.0), (0, 1.0)]
    assert "forfeit: exact:nodes=100 gave up: connect4 is too large" in " ".join(str(summary).split())


def test_a_move_that_was_asked_for_at_once_is_told_to_be_a_guess(monkeypatch, capsys):
    class Impatient(Waiting):
        def choose(self, one, state, label):
            cancel = luozi.Cancel()
            threading.Timer(0.2, cancel.set).start()
            return one.choose(state, cancel=cancel)

    monkeypatch.setattr("luozi.terminal.analysis.Waiting", Impatient)
    analyse(luozi.game("connect4:rows=7,columns=7").begin(), "exact:nodes=1000000000000", 1, False)
    assert "this move is a guess" in " ".join(capsys.readouterr().out.split())


# UCT comes to the same moves ----------------------------------------------------------------------------------------

STARTS = ["tictactoe", "lines:rows=4,columns=3,win_length=3", "lines:rows=4,columns=4,win_length=3"]
GRAVITY = ["connect4:rows=4,columns=4", "connect4:rows=4,columns=5", "connect4:rows=5,columns=4"]


def iterations_to_agree(game, state, optimal, seed):
    """How many iterations UCT needs at most to choose one of some moves."""
    for iterations in (20_000, 200_000, 2_000_000):
        if luozi.Engine(game, seed=seed).think(state, iterations=iterations).action in optimal:
            return iterations
    return None


@pytest.mark.parametrize(
    "spelling",
    [
        *(STARTS[0], GRAVITY[0]),
        *(pytest.param(spelling, marks=pytest.mark.long) for spelling in STARTS[1:] + GRAVITY[1:]),
    ],
)
def test_uct_converges_to_the_exact_move(spelling):
    game = luozi.game(spelling)
    solver = Solver(game, table=1)
    rng = np.random.default_rng(7)
    needed = []
    for plies in (0, 0, 2, 3, 4, 5, 6, 7):
        state = position(game, rng.integers(0, 10_000, plies).tolist())
        needed.append(iterations_to_agree(game, state, solver.solve(state).optimal_actions(), seed=plies))
    assert None not in needed, "UCT never found the best move"
    assert needed.count(20_000) >= 6
