"""Go in random games: against the plain rules, OpenSpiel and uncompiled code, and what holds in every position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from go_reference import Recorder, Reference, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from luozi.compiled import new_rng, random_below
from luozi.games.go.rules import BLACK, EMPTY, NEAR_EMPTY, WHITE, Go


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("superko", [False, True])
@pytest.mark.parametrize(("size", "games"), [(2, 60), (3, 80), (4, 60), (5, 30)])
def test_legal_moves_boards_and_scores_are_those_of_the_plain_rules(
    size: int, games: int, superko: bool, suicide: bool
) -> None:
    game = Go(size, komi=0, superko=superko, suicide=suicide)
    recorder = Recorder(game, seed=size)
    for _ in range(games):
        reference = Reference(size, superko, suicide)
        played, legal, boards = recorder.play(game.max_length)
        for turn, action in enumerate(played):
            assert np.flatnonzero(legal[turn]).tolist() == reference.legal()
            reference.play(action)
            assert boards[turn].tolist() == reference.board
        assert game.score(recorder.states[0]) == reference.score()


@pytest.mark.parametrize(("size", "games"), [(5, 200), (7, 100), (9, 60)])
def test_random_games_agree_with_openspiel(size: int, games: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Go(size, komi=0, superko=False)
    recorder, rng = Recorder(game, seed=size), new_rng(size)
    theirs = pyspiel.load_game(f"go(board_size={size},komi=0.5)")
    # Their first point is A1, ours the top left one; the pass is the last action of both.
    flip = np.append(np.arange(game.points).reshape(size, size)[::-1].reshape(-1), game.points)
    finished = 0
    for _ in range(games):
        # They end a game that repeats a position, or lasts twice as many moves as there are points.
        played, legal, boards = recorder.play(1 + random_below(rng, 2 * game.points - 4))
        state = theirs.new_initial_state()
        for turn, action in enumerate(played):
            assert set(np.flatnonzero(legal[turn])) == set(flip[state.legal_actions()])
            state.apply_action(int(flip[action]))
            planes = np.array(state.observation_tensor(0)[: 2 * game.points]).reshape(2, -1)
            assert np.array_equal(boards[turn], (planes[0] + 2 * planes[1])[flip[:-1]])
            if state.is_terminal():
                break
        else:
            finished += 1
            compare_score(pyspiel, game, recorder.states[0], [int(flip[action]) for action in played])
    assert finished > games / 2


def compare_score(pyspiel: Any, game: Go, state: Any, played: list[int]) -> None:
    """Their result tells a winner only: with komi half a point above and below our score, that gives the score."""
    score = game.score(state)
    for komi, winner in ((score - 0.5, 1.0), (score + 0.5, -1.0)):
        theirs = pyspiel.load_game(f"go(board_size={game.size},komi={komi})").new_initial_state()
        for action in [*played, game.points, game.points]:
            if not theirs.is_terminal():
                theirs.apply_action(action)
        assert theirs.returns() == [winner, -winner]


def test_light_simulations_last_as_long_as_the_literature_says() -> None:
    recorder = Recorder(Go(9))
    lengths = [len(recorder.play(recorder.game.max_length, light=True)[0]) for _ in range(1500)]
    assert 109 < np.mean(lengths) < 113


# What holds for every position ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "light"), [(3, False), (5, False), (9, False), (9, True)])
def test_compiled_and_uncompiled_rules_give_the_same_bytes(size: int, light: bool) -> None:
    game = Go(size)
    recorder = Recorder(game, seed=3)
    for length in (7, 60, 140):
        rng = recorder.rng.copy()
        played, _, _ = recorder.play(length, light)
        state = game.new_state()
        for action in played:
            if light:
                assert game.random_action(state, rng) == action
            game.apply_action(state, action)
        assert state.tobytes() == recorder.states[0].tobytes()


def check_record(game: Go, state: Any) -> None:
    """Every derived field agrees with the board."""
    reference = Reference(game.size, text=rows(game, state))
    board = reference.board
    empties = [point for point in range(game.points) if board[point] == EMPTY]
    listed = state.empties[: state.empty].tolist()
    assert sorted(listed) == empties
    assert all(listed[state.place_of[point]] == point for point in empties)
    code = 0
    for point in range(game.points):
        near = [board[neighbour] for neighbour in reference.neighbours(point)]
        assert state.near[point] == near.count(BLACK) + 8 * near.count(WHITE) + 64 * near.count(EMPTY)
        if board[point] == EMPTY:
            assert (state.chain[point], state.link[point]) == (game.points, 0)
        else:
            code ^= game.zobrist[3 * point + board[point]]
            check_chain(game, state, reference, point)
    assert state.hash == code == state.history[state.moves]
    assert [state.stones[BLACK], state.stones[WHITE]] == [board.count(BLACK), board.count(WHITE)]


def check_chain(game: Go, state: Any, reference: Reference, point: int) -> None:
    """A stone's chain is a ring of the right stones with at least one liberty."""
    stones, beyond = reference.region(reference.board, point)
    assert EMPTY in beyond
    ring = [point]
    while (following := state.link[ring[-1]]) != point:
        ring.append(following)
    assert set(ring) == stones
    assert len(ring) == state.length[state.chain[point]]
    assert {state.chain[stone] for stone in stones} == {state.chain[point]}
    liberties = sum(state.near[stone] // NEAR_EMPTY for stone in stones)
    assert state.liberties[state.chain[point]] == liberties


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(2, 5),
    superko=st.booleans(),
    suicide=st.booleans(),
    choices=st.lists(st.integers(0, 10**6), min_size=20, max_size=75),
)
def test_the_record_stays_consistent_and_superko_repeats_nothing(
    size: int, superko: bool, suicide: bool, choices: list[int]
) -> None:
    game = Go(size, superko=superko, suicide=suicide)
    state = game.new_state()
    seen = {rows(game, state)}
    for choice in choices:
        moves = game.legal_list(state)
        if not moves:
            break
        action = moves[choice % len(moves)]
        before = state.tobytes()
        following = game.after(state, action)
        assert state.tobytes() == before
        state = following
        check_record(game, state)
        if superko and action < game.points:
            assert rows(game, state) not in seen
        seen.add(rows(game, state))
