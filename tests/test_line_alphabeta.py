"""`alphabeta` at line games: what it knows at sight, its board move by move, exact values, clocks and words."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lines_reference import SlowLines

import luozi
from luozi.games.lines.bits import BitLines
from luozi.games.lines.classes import DEAD, FIVE, FOUR, OPEN_FOUR, OPEN_THREE, THREE, line_classes
from luozi.games.lines.rules import Lines
from luozi.players import player
from luozi.players.alphabeta import AlphaBetaPlayer
from luozi.players.line_alphabeta import LineAlphaBetaPlayer
from luozi.players.line_board import ANY_FIVE, ANY_FOUR, ANY_OPEN_FOUR, fits, new_board, put, set_up, take

# What a stone makes ---------------------------------------------------------------------------------------------------


def run_through(line, cell):
    """How many stones in a row there are through a cell."""
    left = right = cell
    while left > 0 and line[left - 1] == "1":
        left -= 1
    while right + 1 < len(line) and line[right + 1] == "1":
        right += 1
    return right - left + 1


def plain_class(line, run, exactly, left=2):
    """What the stone in the middle of a line has made, by trying all further stones."""
    middle = len(line) // 2
    length = run_through(line, middle)
    if length == run or (length > run and not exactly):
        return FIVE
    if not left:
        return DEAD
    further = [
        plain_class(line[:cell] + "1" + line[cell + 1 :], run, exactly, left - 1)
        for cell in range(len(line))
        if line[cell] == "0"
    ]
    if further.count(FIVE):
        return OPEN_FOUR if further.count(FIVE) > 1 else FOUR
    best = max(further, default=DEAD)
    return {OPEN_FOUR: OPEN_THREE, FOUR: THREE}.get(best, DEAD)


@pytest.mark.parametrize(("run", "exactly"), [(5, False), (5, True), (4, False), (3, True)])
def test_a_class_is_what_trying_all_stones_says(run, exactly):
    classes, random = line_classes(run, exactly), np.random.default_rng(run)
    near, seen = run if exactly else run - 1, set()
    for _ in range(300):
        digits = "".join(str(digit) for digit in random.choice(3, 2 * near, p=(0.5, 0.35, 0.15)))
        expected = plain_class(digits[:near] + "1" + digits[near:], run, exactly)
        found = int(classes[int(digits, 3)])
        assert found == expected if max(found, expected) >= THREE else True, digits
        assert found == classes[int(digits[::-1], 3)]
        seen.add(found)
    assert {FIVE, OPEN_FOUR, FOUR, OPEN_THREE, THREE, DEAD} <= seen


# The board ------------------------------------------------------------------------------------------------------------

FAMILIES = [
    (1, 6, 6, 4, 2, False, False, "1.2+4.4"),
    (1, 7, 7, 5, 2, False, True, ""),
    (1, 5, 6, 4, 2, True, False, "2.3"),
    (3, 3, 4, 3, 2, False, False, ""),
    (4, 4, 4, 4, 2, True, False, ""),
]
CHANGING = ("stones", "views", "cell_worth", "cell_threat", "landing", "totals")


def contents(board):
    return {name: getattr(board, name).tolist() for name in CHANGING}


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(FAMILIES), st.lists(st.tuples(st.booleans(), st.integers(0, 10**6)), max_size=40))
def test_what_is_kept_up_is_what_a_new_board_says(numbers, steps):
    game = Lines(*numbers)
    board, played = new_board(game), []
    for back, choice in steps:
        empty = [cell for cell in range(game.cells) if board.stones[cell] == 0]
        if game.gravity:
            empty = [int(cell) for cell in board.landing if cell >= 0]
        if back and played:
            take(board, *played.pop())
        elif empty:
            played.append((empty[choice % len(empty)], len(played) % 2))
            put(board, *played[-1])
    fresh = new_board(game)
    set_up(fresh, board.stones.copy())
    assert contents(board) == contents(fresh)
    for cell, stone in reversed(played):
        take(board, cell, stone)
    assert contents(board) == contents(new_board(game))


@pytest.mark.parametrize("numbers", FAMILIES)
def test_wins_and_fours_are_those_of_the_rules(numbers):
    random, game, fours = np.random.default_rng(3), Lines(*numbers), 0
    closed = {np.unravel_index(cell, numbers[:3]) for cell in np.flatnonzero(game.closed)}
    for _ in range(8):
        slow = SlowLines(numbers[:3], *numbers[3:7], {tuple(map(int, place)) for place in closed})
        board = new_board(game)
        for _ in range(int(random.integers(4, game.playable // 2))):
            legal = sorted(slow.legal())
            action = int(random.choice(legal))
            place = slow.place_of(action)
            if not slow.wins_at(place, slow.to_move):
                cell = int(np.ravel_multi_index(place, numbers[:3]))
                put(board, cell, slow.to_move)
                slow.play(action)
        for one in range(2):
            wins = slow.wins(one)
            assert threatened(game, board, one, ANY_FIVE) == wins
            if not wins and not game.gravity:
                assert threatened(game, board, one, ANY_FOUR | ANY_OPEN_FOUR) == slow.threats(one)
                fours += len(slow.threats(one))
    assert fours > 3 or game.gravity


def threatened(game, board, one, fields):
    """The actions that put a stone where a player's stone makes something."""
    if game.gravity:
        cells = [(action, int(cell)) for action, cell in enumerate(board.landing) if cell >= 0]
    else:
        cells = [(cell, cell) for cell in range(game.cells) if board.stones[cell] == 0]
    return [action for action, cell in cells if int(board.cell_threat[one, cell]) & fields]


# What it plays --------------------------------------------------------------------------------------------------------


def random_position(game, random, moves):
    """A position after so many random moves, none of which ended the game."""
    state = game.new_state()
    for _ in range(moves):
        following = game.after(state, int(random.choice(game.legal_list(state))))
        state = state if game.is_terminal(following) else following
    return state


def plain_value(game, state, memory):
    """The result of the player to move, by looking at everything."""
    if game.is_terminal(state):
        return game.result(state)[game.current_player(state)]
    key = tuple(game.stone_at(state, cell) for cell in range(game.cells))
    if key not in memory:
        following = (plain_value(game, game.after(state, action), memory) for action in game.legal_list(state))
        memory[key] = max(1 - value for value in following)
    return memory[key]


SMALL = {  # how many random moves make it small enough to look at everything
    "tictactoe": 2,
    "lines:rows=4,columns=4,win_length=3": 10,
    "lines:rows=4,columns=4,win_length=4": 10,
    "lines:rows=4,columns=4,win_length=3,exact_length=true": 10,
    "lines:rows=5,columns=5,win_length=4,blocked=2.2": 18,
    "lines:layers=2,rows=3,columns=3,win_length=3": 12,
    "connect4:rows=4,columns=4": 10,
    "connect4:rows=4,columns=5,win_length=3,blocked=1.2": 13,
    "lines:layers=3,rows=2,columns=3,win_length=3,gravity=true": 12,
}


@pytest.mark.parametrize("spelling", SMALL)
def test_with_enough_depth_it_plays_perfectly(spelling):
    """By all lines, and its scores say so."""
    game, random, memory = luozi.game(spelling), np.random.default_rng(5), {}
    seat = player("alphabeta:depth=64,seed=1", game)
    assert isinstance(seat, LineAlphaBetaPlayer)
    positions = [random_position(game, random, SMALL[spelling]) for _ in range(30)]
    for state in [one for one in positions if one.empty <= 7][:5]:
        value = plain_value(game, state, memory)
        following = game.after(state, seat.choose(state))
        assert 1 - plain_value(game, following, memory) == value
        assert seat.thought.best.proven == (value != 0.5)
        assert not seat.thought.best.proven or seat.thought.best.means[game.current_player(state)] == value


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("lines:rows=4,columns=4,win_length=3", 1.0),
        pytest.param("lines:rows=4,columns=4,win_length=4", 0.5, marks=pytest.mark.long),
        ("connect4:rows=4,columns=4", 0.5),
        pytest.param("connect4:rows=4,columns=6", 0.0, marks=pytest.mark.long),
        ("lines:rows=5,columns=6,win_length=4", 1.0),
    ],
)
def test_published_values_of_small_boards(spelling, value):
    seat = player("alphabeta:depth=64,seed=1", luozi.game(spelling))
    seat.choose(seat.game.new_state())
    assert seat.thought.best.proven == (value != 0.5)
    assert not seat.thought.best.proven or seat.thought.best.means[0] == value


@pytest.mark.parametrize("spelling", ["gomoku:size=9", "gomoku:size=8,exact_length=true", "connect4", "qubic"])
def test_a_win_in_one_is_taken_and_a_four_blocked(spelling):
    game, random, taken, blocked = luozi.game(spelling), np.random.default_rng(4), 0, 0
    seat = player("alphabeta:depth=1,seed=1", game)
    for number in range(60):
        state = random_position(game, random, 12 + number % 24)
        mover = game.current_player(state)
        actions = np.zeros(game.actions, np.int32)
        wins = set(actions[: game.winning_actions(state, mover, actions)].tolist())
        needed = set(actions[: game.winning_actions(state, 1 - mover, actions)].tolist())
        if wins or needed:
            assert seat.choose(state) in (wins or needed)
        taken, blocked = taken + bool(wins), blocked + bool(needed and not wins)
    assert taken
    assert blocked


BY_FOURS = {  # how many fours in a row X needs, at the shortest
    1: "e6 g11 k7 i10 f8 g10 h10 i8 h6 j8 i11 k8 j7 k6 g8 g6",
    2: "i8 k10 i10 k6 f8 i5 e5 i11 f9 j7 e8 g11 k5 f10 i7 j5",
    4: "i9 f7 k6 h5 i7 h11 k9 j10 f8 g10 i8 i11 e8 k8 f6 i10",
    6: "k11 e6 g5 k5 h9 h5 k7 f8 g8 f9 g9 e11 i6 j5 j9 h11",
}


@pytest.mark.parametrize("fours", BY_FOURS)
def test_wins_by_fours_are_found_whatever_the_depth(fours):
    game = luozi.game("gomoku")
    state = game.new_state()
    for name in BY_FOURS[fours].split():
        state = game.after(state, game.string_to_action(state, name))
    seat = player("alphabeta:depth=1,seed=1", game)
    replies = np.zeros(game.actions, np.int32)
    while not game.is_terminal(state := game.after(state, seat.choose(state))):
        assert seat.thought.best.proven
        assert game.winning_actions(state, 0, replies) > 0
        state = game.after(state, int(replies[0]))
    assert game.result(state) == [1.0, 0.0]


# Clocks, thoughts and who it is for -----------------------------------------------------------------------------------


def test_a_depth_is_repeatable():
    game, random = luozi.game("gomoku:size=9"), np.random.default_rng(9)
    positions = [random_position(game, random, moves) for moves in (0, 3, 8)]
    answers = []
    for _ in range(2):
        seat = player("alphabeta:depth=4,seed=7", game)
        answers.append(
            [(seat.choose(state), seat.thought.iterations, seat.thought.principal_variation) for state in positions]
        )
    assert answers[0] == answers[1]


def test_the_clock_and_stop_end_it():
    game = luozi.game("gomoku")
    seat = player("alphabeta:seconds=0.1,seed=1", game)
    assert seat.choose(game.new_state()) in range(225)
    assert seat.progress[0] == 1
    assert seat.thought.depth > 1
    patient = player("alphabeta:seconds=60,seed=1", game)
    patient.prepare()
    cancel = luozi.Cancel()
    threading.Timer(0.2, cancel.set).start()
    assert patient.choose(game.new_state(), cancel=cancel) in range(225)
    assert patient.thought.seconds < 60


def test_no_time_is_lost_on_the_only_move():
    game = luozi.game("gomoku")
    state = game.new_state()
    for action in (15 * 7, 0, 15 * 7 + 1, 30, 15 * 7 + 2, 60, 15 * 7 + 3):
        state = game.after(state, action)
    seat = player("alphabeta:seconds=60,seed=1", game)
    assert seat.choose(state) == 15 * 7 + 4
    assert seat.thought.best.score == "forced"
    assert seat.thought.seconds < 30


def test_scores_are_told_as_points_and_not_as_win_rates():
    game = luozi.game("gomoku:size=9")
    seat = player("alphabeta:depth=3,seed=1", game)
    seat.choose(random_position(game, np.random.default_rng(2), 4))
    thought = seat.thought
    assert thought.best.score
    assert thought.depth == 3
    assert len(thought.principal_variation) > 1
    assert thought.rows()[0][3] == thought.best.score
    assert "%" not in thought.rows()[0][3] + thought.rows()[0][4]
    assert "positions" in thought.summary()
    assert [one.cut for one in thought.candidates] == [False] * 40 + [True] * 37  # on 81 cells with four stones
    assert thought.as_dict()["candidates"][0]["score"] == thought.best.score


class Own(BitLines):
    """A class of one's own may have other rules."""


def test_all_other_games_have_the_general_search():
    for game in (luozi.game("five3d"), luozi.game("othello"), luozi.game("gomoku:win_length=8"), Own(1, 3, 3, 3)):
        assert not fits(game)
        assert isinstance(player("alphabeta:depth=1", game), AlphaBetaPlayer)
