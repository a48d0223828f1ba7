"""Line games: against an independent implementation, exact counts and known statistics."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lines_reference import SlowLines

import luozi
from luozi.compiled import kernel
from luozi.games.lines.bits import BitLines
from luozi.games.lines.rules import Lines, winning_segments


@st.composite
def line_games(draw):
    box = (draw(st.integers(1, 3)), draw(st.integers(1, 5)), draw(st.integers(1, 5)))
    run, players = draw(st.integers(1, 5)), draw(st.integers(2, 4))
    gravity, exactly = draw(st.booleans()), draw(st.booleans())
    places = list(itertools.product(*(range(size) for size in box)))
    closed = draw(st.sets(st.sampled_from(places), max_size=min(3, len(places) - 1)))
    return box, run, players, gravity, exactly and run > 1, closed


@settings(max_examples=150, deadline=None)
@given(line_games(), st.randoms(use_true_random=False))
def test_both_forms_play_as_an_independent_implementation(setup, random):
    box, run, players, gravity, exactly, closed = setup
    text = "+".join(".".join(map(str, place if box[0] > 1 else place[1:])) for place in closed)
    forms = [Lines(*box, run, players, gravity, exactly, text)]
    if box[0] * (box[1] + 1) * (box[2] + 1) <= 62:
        forms.append(BitLines(*box, run, players, gravity, exactly, text))
    slow = SlowLines(box, run, players, gravity, exactly, closed)
    states = [game.new_state() for game in forms]
    while not slow.over():
        for game, state in zip(forms, states, strict=True):
            assert not game.is_terminal(state)
            assert set(game.legal_list(state)) == slow.legal()
            assert game.current_player(state) == slow.to_move
        action = random.choice(sorted(slow.legal()))
        slow.play(action)
        for game, state in zip(forms, states, strict=True):
            game.apply_action(state, action)
    for game, state in zip(forms, states, strict=True):
        assert game.is_terminal(state)
        expected = [0.5] * players if slow.winner is None else [float(p == slow.winner) for p in range(players)]
        assert game.result(state) == expected


@pytest.mark.parametrize(
    ("box", "run", "count"),
    [((6, 6, 6), 5, 392), ((1, 15, 15), 5, 572), ((1, 6, 7), 4, 69), ((4, 4, 4), 4, 76), ((1, 3, 3), 3, 8)],
)
def test_segment_counts_are_the_known_ones(box, run, count):
    assert len(winning_segments(box, run, set())) == count


@kernel
def replay(game, states, actions, count):
    """Play given actions compiled, one state for each move."""
    for i in range(count):
        states[i + 1] = states[i]
        game.apply_action(states[i + 1], actions[i])


@pytest.mark.parametrize("spelling", ["connect4", "gomoku:size=9,exact_length=true", "five3d:players=4", "tictactoe"])
def test_compiled_rules_equal_uncompiled_rules(spelling):
    game = luozi.game(spelling)
    random = np.random.default_rng(1)
    for _ in range(4):
        states, actions, state = game.empty_states(game.length_limit + 1), [], game.new_state()
        states[0] = state
        slow = [state.tobytes()]
        while not game.is_terminal(state):
            actions.append(int(random.choice(game.legal_list(state))))
            state = game.after(state, actions[-1])
            slow.append(state.tobytes())
        replay(game, states, np.array(actions, np.int32), len(actions))
        assert [states[i].tobytes() for i in range(len(slow))] == slow


def test_random_games_have_the_known_statistics(random_games):
    five3d = random_games("five3d", 40_000)
    assert five3d.length == pytest.approx(152.1, abs=0.7)
    assert five3d.draws == pytest.approx(0.0184, abs=0.003)
    assert five3d.shares == pytest.approx([0.337, 0.326, 0.318], abs=0.01)
    gomoku = random_games("gomoku", 40_000)
    assert gomoku.length == pytest.approx(109.0, abs=0.6)
    assert gomoku.shares[0] == pytest.approx(0.509, abs=0.01)


def test_a_column_skips_the_forbidden_cell():
    game = luozi.game("connect4:rows=9,columns=9,blocked=7.2")
    state = game.new_state()
    for _ in range(2):
        state = game.after(state, 2)
    assert state.last == 6 * 9 + 2  # the second stone lies above the forbidden cell
    assert game.show(state).splitlines()[-2].split()[2] == "#"


def test_a_forbidden_cell_on_the_bottom_lifts_the_first_stone():
    game = luozi.game("connect4:rows=9,columns=9,blocked=8.0")
    assert game.after(game.new_state(), 0).last == 7 * 9


def test_a_forbidden_cell_blocks_a_line():
    game = luozi.game("lines:rows=1,columns=5,win_length=3,blocked=0.2")
    state = game.new_state()
    for action in (0, 3, 1, 4):
        state = game.after(state, action)
    assert game.is_terminal(state)
    assert game.result(state) == [0.5, 0.5]


def test_six_in_a_row_wins_unless_five_exactly_are_asked_for():
    for exactly, over in (("false", True), ("true", False)):
        game = luozi.game(f"gomoku:exact_length={exactly}")
        state = game.new_state()
        for mine, theirs in zip(
            ["a1", "b1", "c1", "e1", "f1", "d1"], ["a9", "c9", "e9", "g9", "i9", "k9"], strict=True
        ):
            state = game.after(state, game.string_to_action(state, mine))
            last = game.is_terminal(state)
            if mine != "d1":
                state = game.after(state, game.string_to_action(state, theirs))
        assert last is over


@pytest.mark.parametrize(
    ("spelling", "sentence"),
    [
        ("lines:rows=50,columns=50", "1 to 2,048 cells"),
        ("lines:players=10", "2 to 9"),
        ("gomoku:win_length=0", "1 to 127"),
        ("connect4:blocked=1", "row.column"),
        ("lines:rows=1,columns=1,blocked=0.0", "at least one cell"),
    ],
)
def test_bounds_are_stated(spelling, sentence):
    with pytest.raises(luozi.LuoziError, match=sentence):
        luozi.game(spelling)


def test_a_board_of_2048_cells_and_nine_players_can_be_played():
    game = luozi.game("lines:layers=8,rows=16,columns=16,win_length=6,players=9")
    state = game.new_state()
    for action in (0, 5, 2047):
        state = game.after(state, action)
    assert game.current_player(state) == 3


def test_every_move_can_be_named_and_found_again():
    for spelling in ("gomoku", "five3d", "connect4", "qubic:gravity=true", "lines:rows=1,columns=60"):
        game = luozi.game(spelling)
        state = game.new_state()
        for action in game.legal_list(state)[:: 1 + game.actions // 20]:
            assert game.string_to_action(state, game.action_to_string(state, action).upper()) == action
