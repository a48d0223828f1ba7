"""Simulations of Go: patterns, saving stones, captures, and what they never do."""

from __future__ import annotations

import random

import numpy as np
import pytest

import luozi
from luozi.compiled import kernel, new_rng
from luozi.games.go.cells import BLACK, BORDER, EMPTY, WHITE
from luozi.games.go.patterns import CODES, PATTERNS, pattern_table
from luozi.games.go.playouts import is_foolish
from luozi.games.go.points import point_name, point_of
from luozi.games.go.tactics import (
    has_three,
    how_many,
    last_liberty,
    liberties_after,
    may_be_self_atari,
    stones_taken,
)
from luozi.messages import LuoziError

ONE_STEP = {"save": 1, "pattern": 2, "capture": 3, "answer": 4, "nakade": 5, "catch": 6}
PLACES = ((0, 1), (1, 0), (1, 2), (2, 1), (0, 0), (0, 2), (2, 0), (2, 2))  # of the neighbours in a code


def fits(square, rows):
    """Whether a 3x3 square is what three rows of signs say, with X black."""
    allowed = {"X": "X", "O": "O", ".": ".", "#": "#", "?": "XO.#", "x": "O.#", "o": "X.#"}
    signs = "".join(rows.split())
    return all(cell in allowed[sign] for cell, sign in zip("".join(square), signs, strict=True))


def views(square):
    """The square turned and mirrored in all eight ways."""
    for _ in range(4):
        square = ["".join(column)[::-1] for column in zip(*square, strict=True)]
        yield square
        yield [row[::-1] for row in square]


def swapped(square):
    return [row.translate(str.maketrans("XO", "OX")) for row in square]


def slow_match(code, player):
    """The number of the first pattern that fits somehow, from its description alone."""
    square = [[".", ".", "."] for _ in range(3)]
    for place, (row, column) in enumerate(PLACES):
        square[row][column] = ".XO#"[code >> (2 * place) & 3]
    square = ["".join(row) for row in square]
    for number, pattern in enumerate(PATTERNS, start=1):
        for colours in (square, swapped(square)):
            mover = "XO"[player] if colours is square else "OX"[player]
            if pattern.only and mover != pattern.only:
                continue
            for view in views(colours):
                if fits(view, pattern.rows) and not any(fits(view, rows) for rows in pattern.unless):
                    return number
    return 0


def test_the_table_of_patterns_is_what_a_slow_matcher_finds():
    rng, table = random.Random(1), pattern_table()
    for _ in range(1500):
        code, player = rng.randrange(CODES), rng.randrange(2)
        assert table[player * CODES + code] == slow_match(code, player), (code, player)


# White's fourth stone in an eye of five points puts Black's whole chain in atari; below, Black has other liberties.
KILLS = "O.XXO.. OO.XO.. XXXXO.. OOOOO.. ....... ....... ......."
LOSES = "O.XX... OO.X... XXXX... ....... ....... ....... ......."


def board(text, size=5, to_move="X", last=None):
    """A position from a drawing, the first line on top; the last move is one of its stones."""
    game = luozi.game("go", size=size)
    state = game.new_state()
    for row, line in enumerate(text.split()):
        for column, sign in enumerate(line):
            if sign in "XO":
                game.place(state, row * size + column, BLACK if sign == "X" else WHITE)
    state.to_move, state.moves = "XO".index(to_move), 1
    state.last = point_of(size, last) if last else -1
    return game, state


def answers(text, step, to_move="X", last=None, size=5, **weights):
    """The moves that one step alone finds, by name, and what it says of them; None for a move of another kind."""
    game, state = board(text, size, to_move, last)
    spelling = "+".join(f"{name}:{value}" for name, value in {"order": ONE_STEP[step], **weights}.items())
    game = game.with_weights(spelling)
    policy, found = game.policy_playout(), set()
    memory = policy.new_memory()
    for seed in range(30):
        policy.begin(game, state, memory[0])
        action = policy.next(game, state, memory[0], new_rng(seed), np.zeros(game.actions, np.int32))
        reason = policy.reason(memory[0])
        found.add(None if reason == "random" else f"{reason} at {point_name(size, action)}")
    return found


def test_a_stone_put_in_atari_is_extended_where_it_gains_liberties():
    assert answers("..... .O... OXO.. ..... .....", "save", last="C3") == {"saves at B2"}
    assert answers("XO... .O... OO... ..... .....", "save", last="B5") == {None}
    assert answers("..... .O... .XO.. ..... .....", "save", last="C3") == {None}  # not in atari


def test_a_stone_put_in_atari_is_saved_by_a_capture_too():
    """The extension at A2 would be suicide, and the attacker at B1 has one liberty."""
    assert answers("..... ..... OO... .XO.. XO...", "save", last="B1") == {"saves by a capture at C1"}


def test_the_last_stones_are_captured_where_they_stand_in_atari():
    assert answers("..... .XO.. XO... .XO.. .....", "answer", to_move="X", last="B3") == {"captures at C3"}
    assert answers("..... .XO.. .O... .XO.. .....", "answer", to_move="X", last="B3") == {None}


def test_a_capture_anywhere_is_found():
    assert answers("OX... ..... ..... ..... ...XO", "capture", last="D1") == {"captures at A4", "captures at E2"}


def test_a_hane_is_played_around_the_last_move_and_named():
    """Read off the drawing by hand: the enclosing hane on two sides, the plain ones, and two at the side."""
    expected = {"hane 1 at C3", "hane 1 at C5", "hane 2 at B3", "hane 2 at D3", "side 4 at B5", "side 4 at D5"}
    assert answers("..... .XOX. ..... ..... .....", "pattern", last="C4") == expected
    assert answers("XOX.. ..... ..... ..... ..O..", "pattern", last="C1") == {None}
    found = answers("..... .XOX. ..... ..... O....", "pattern", last="A1", everywhere="true")
    assert "hane 1 at C3" in found


def test_a_chain_of_two_liberties_that_cannot_run_is_caught_and_runs_before_it_can_be():
    """A stone on the first line beside a wall: from one side it is caught, from the other it gets away."""
    wall = "..... ..... XXX.. O.... ....."
    assert answers(wall, "catch", last="A2") == {"catches at B2"}
    assert answers("..... ..... OOO.. X.... ....O", "catch", last="A3") == {"escapes at B2"}


def test_the_middle_of_a_small_eye_is_taken():
    assert answers("...X. XXXX. ..... ..... .....", "nakade", to_move="O", last="D5") == {"nakade at B5"}
    assert answers("....X XXXXX ..... ..... .....", "nakade", to_move="O", last="E5") == {None}


# Liberties against plain flood filling -------------------------------------------------------------------------------


def flood(game, stones, point):
    """The chain of a stone and its liberties, from the board alone."""
    chain, todo, liberties = {point}, [point], set()
    while todo:
        row, column = divmod(todo.pop(), game.size)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if 0 <= row + down < game.size and 0 <= column + right < game.size:
                other = (row + down) * game.size + column + right
                if stones[other] == EMPTY:
                    liberties.add(other)
                elif stones[other] == stones[point] and other not in chain:
                    chain.add(other)
                    todo.append(other)
    return chain, liberties


def random_positions(size, count, seed):
    rng = random.Random(seed)
    game = luozi.game("go", size=size)
    for _ in range(count):
        state = game.new_state()
        for _ in range(rng.randrange(size * size * 2)):
            action = game.random_action(state, new_rng(rng.randrange(10**9)))
            if game.is_terminal(state) or action == game.points:
                break
            game.apply_action(state, action)
        yield game, state


@pytest.mark.parametrize("size", [5, 7])
def test_who_is_in_atari_is_what_flood_filling_finds(size):
    for game, state in random_positions(size, 40, size):
        stones = list(state.board[: game.points])
        for point in range(game.points):
            if stones[point] != EMPTY:
                _chain, liberties = flood(game, stones, point)
                expected = next(iter(liberties)) if len(liberties) == 1 else -1
                assert last_liberty(game.around, state, int(state.chain[point])) == expected
                assert len(liberties) >= 3 or not has_three(state, int(state.chain[point]))


def test_liberties_after_a_move_are_those_on_the_board_after_it():
    for game, state in random_positions(6, 40, 3):
        colour = int(state.to_move) + 1
        for point in game.legal_list(state)[:-1]:
            after = game.after(state, point)
            taken = int(after.captured[3 - colour] - state.captured[3 - colour])
            assert stones_taken(game.around, state, point, colour) == taken
            _chain, liberties = flood(game, list(after.board[: game.points]), point)
            found = how_many(liberties_after(game.around, state, point, colour, 4))
            assert found == min(4, len(liberties)) if taken == 0 else 1 <= found <= min(4, len(liberties))
            assert taken or len(liberties) >= 2 or may_be_self_atari(game.around, state, point, colour)


# Whole simulations ---------------------------------------------------------------------------------------------------


@kernel
def simulate(game, playout, states, memory, rng, actions, moves):
    """One simulation, written down; how many moves it had."""
    count = 0
    playout.begin(game, states[0], memory[0])
    while not game.is_terminal(states[0]):
        moves[count] = playout.next(game, states[0], memory[0], rng, actions)
        game.apply_action(states[0], np.int64(moves[count]))
        count += 1
    return count


def moves_of(game, run, seed):
    states, moves = game.empty_states(1), np.zeros(game.max_length, np.int64)
    game.start(states[0])
    playout = game.policy_playout()
    actions = np.zeros(game.actions, np.int32)
    return moves[: run(game, playout, states, playout.new_memory(), new_rng(seed), actions, moves)].tolist()


def test_compiled_simulations_play_the_same_moves_as_uncompiled_ones():
    game = luozi.game("go:size=7").with_weights("order:541623+self_atari:0.5+few:2")
    for seed in range(4):
        assert moves_of(game, simulate, seed) == moves_of(game, simulate.py_func, seed)


def test_simulations_are_legal_and_never_fill_a_true_eye():
    game = luozi.game("go:size=6,superko=false")
    for seed in range(6):
        state = game.new_state()
        for action in moves_of(game, simulate.py_func, seed):
            colour = int(state.to_move) + 1
            assert game.is_legal(state, action)
            if action < game.points and not state.near[action] & game.not_own[colour]:
                stones = list(state.board[: game.points])
                assert not is_plain_eye(game, stones, action, colour), point_name(game.size, action)
            game.apply_action(state, action)
        assert game.is_terminal(state)


def is_plain_eye(game, stones, point, colour):
    """Whether all neighbours are own stones, and of the corners at most one is the enemy's, none at the edge."""
    row, column = divmod(point, game.size)

    def at(down, right):
        inside = 0 <= row + down < game.size and 0 <= column + right < game.size
        return stones[(row + down) * game.size + column + right] if inside else BORDER

    sides = [at(*step) for step in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    corners = [at(*step) for step in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
    allowed = 0 if BORDER in sides else 1
    return all(side in (colour, BORDER) for side in sides) and corners.count(3 - colour) <= allowed


def test_a_single_step_tells_what_chose_each_move_of_its_simulation():
    game, state = board("..... .XOX. ..... ..... .....", last="C4")
    engine = luozi.Engine(game, playout_policy=True, rave="fuego", seed=1, compiled=False, pool_size=1000)
    step = engine.trace(state)
    assert len(step.reasons) == len(step.simulation) > 10
    assert "random" in step.reasons
    assert any(reason in {pattern.name for pattern in PATTERNS} for reason in step.reasons)
    number = next(place for place, reason in enumerate(step.reasons) if reason != "random")
    assert f"{step.reasons[number]} at {step.simulation[number]}" in str(step)
    assert luozi.Engine(game, seed=1, compiled=False, pool_size=1000).trace(state).reasons == ()


# Weights -------------------------------------------------------------------------------------------------------------


def test_weights_are_spelled_with_the_player_and_one_by_one():
    options = luozi.Options.of(**{"knowledge": "few:2", "knowledge.pattern": 0.5})
    assert options.heuristic_weights == "few:2+pattern:0.5"
    engine = luozi.Engine(luozi.game("go:size=5"), options)
    assert engine.game.few == 2
    assert luozi.game("go:size=5").few != 2


def test_weights_given_one_by_one_keep_their_order_so_that_a_killed_tuning_goes_on():
    names = ["save", "capture", "answer", "nakade", "pattern", "catch", "ladders", "self_atari"]
    options = luozi.Options.of(**{f"knowledge.{name}": 0.5 for name in names})
    assert options.heuristic_weights == "+".join(f"{name}:0.5" for name in names)


@pytest.mark.parametrize(
    ("text", "said"),
    [("patern:1", "pattern"), ("pattern:2", "0 to 1"), ("pattern", "name:value"), ("few:1+few:2", "few twice")],
)
def test_a_wrong_weight_gets_one_sentence(text, said):
    with pytest.raises(LuoziError, match=said):
        luozi.Engine(luozi.game("go:size=5"), heuristic_weights=text)


def test_games_without_weights_say_so():
    with pytest.raises(LuoziError, match="has none"):
        luozi.Engine(luozi.game("tictactoe"), heuristic_weights="pattern:1")


@pytest.mark.parametrize(
    ("text", "weights", "foolish"), [(KILLS, "kill:0", True), (KILLS, "kill:1", False), (LOSES, "kill:1", True)]
)
def test_many_stones_are_thrown_away_only_to_kill_and_only_where_that_is_wanted(text, weights, foolish):
    game, state = board(text, 7, "O", "A7")
    game = game.with_weights(weights)
    for seed in range(5):
        assert is_foolish(game, state, new_rng(seed), point_of(7, "B7"), WHITE) == foolish
