"""The example games: against other programs, known numbers and brute force. Rules are tested uncompiled."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

import luozi
from luozi.check import check_game

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name, **values):
    return luozi.game(str(EXAMPLES / f"{name}.py"), **values)


@pytest.mark.parametrize("name", ["othello", "hex", "nim"])
def test_examples_are_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 80


@pytest.mark.parametrize("spelling", ["othello.py:size=4", "hex.py:size=3", "nim.py:heaps=1.2.3"])
def test_examples_pass_the_check(spelling):
    report = check_game(str(EXAMPLES / spelling), games=60)
    assert report.ok, report
    assert report.games == report.uncompiled_games == 60


@pytest.mark.long
@pytest.mark.parametrize("spelling", ["othello.py", "hex.py", "nim.py", "nim.py:heaps=2.2.2.2"])
def test_examples_pass_the_long_check(spelling):
    report = check_game(str(EXAMPLES / spelling), games=5000)
    assert report.ok, report


# Othello -----------------------------------------------------------------------------------------------------------


def positions(game, state, depth):
    """Perft: the number of move sequences of a length."""
    if depth == 1:
        return len(game.legal_list(state))
    return sum(positions(game, game.after(state, action), depth - 1) for action in game.legal_list(state))


@pytest.mark.parametrize(
    ("depth", "count"), [(1, 4), (2, 12), (3, 56), (4, 244), pytest.param(5, 1396, marks=pytest.mark.long)]
)
def test_othello_perft(depth, count):
    game = example("othello")
    assert positions(game, game.new_state(), depth) == count


def test_othello_against_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    game, other, rng = example("othello"), pyspiel.load_game("othello"), random.Random(1)
    passes = 0
    for _ in range(6):
        state, position = game.new_state(), other.new_initial_state()
        while not position.is_terminal():
            assert game.legal_list(state) == sorted(position.legal_actions())
            assert game.current_player(state) == position.current_player()
            action = rng.choice(position.legal_actions())
            passes += action == game.cells
            state = game.after(state, action)
            position.apply_action(action)
        while not game.is_terminal(state):  # OpenSpiel ends the game at once where both could only pass
            assert game.legal_list(state) == [game.cells]
            state = game.after(state, game.cells)
        assert game.result(state) == [(value + 1) / 2 for value in position.returns()]
    assert passes > 0


def test_othello_names_and_picture():
    game = example("othello", size=4)
    state = game.after(game.new_state(), game.string_to_action(game.new_state(), "b1"))
    assert game.show(state).splitlines() == ["   a b c d", " 1 . X . .", " 2 . X X .", " 3 . X O .", " 4 . . . ."]


# Hex ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_hex_against_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = example("hex", size=size), random.Random(1)
    other = pyspiel.load_game(f"hex(num_cols={size},num_rows={size})")
    winners = set()
    for _ in range(66 // size):
        state, position = game.new_state(), other.new_initial_state()
        while not position.is_terminal():
            assert not game.is_terminal(state)
            assert game.legal_list(state) == sorted(position.legal_actions())
            assert game.current_player(state) == position.current_player()
            action = rng.choice(position.legal_actions())
            state = game.after(state, action)
            position.apply_action(action)
        assert game.is_terminal(state)
        assert game.result(state) == [(value + 1) / 2 for value in position.returns()]
        winners.add(tuple(game.result(state)))
    assert len(winners) == 2


# Nim ---------------------------------------------------------------------------------------------------------------


def moves_of(heaps):
    """Every way to take stones, as (heap, stones taken)."""
    return [(heap, taken) for heap, stones in enumerate(heaps) for taken in range(1, stones + 1)]


def next_alive(player, out):
    return next(p % 3 for p in range(player + 1, player + 4) if p % 3 not in out)


@cache
def best_results(start, heaps, player, out):
    """Everybody's result if all play for themselves, in a Nim written once more; equal moves: the first."""
    best = None
    for heap, taken in moves_of(heaps):
        left = tuple(stones - taken * (h == heap) for h, stones in enumerate(heaps))
        gone = out
        if sum(left) == 0:
            left, gone = start, (*out, player)
        if len(gone) == 2:
            results = tuple(1.0 if p not in gone else 0.5 * gone.index(p) for p in range(3))
        else:
            results = best_results(start, left, next_alive(player, gone), gone)
        if best is None or results[player] > best[player]:
            best = results
    return best


def solved(game, state):
    if game.is_terminal(state):
        return tuple(game.result(state))
    player = game.current_player(state)
    return max((solved(game, game.after(state, action)) for action in game.legal_list(state)), key=lambda r: r[player])


@pytest.mark.parametrize("heaps", [(1, 2), (2, 2), (1, 1, 1), (4,)])
def test_nim_against_brute_force(heaps):
    game = example("nim", heaps=".".join(map(str, heaps)))
    assert solved(game, game.new_state()) == best_results(heaps, heaps, 0, ())


def test_players_of_nim_drop_out():
    game = example("nim", heaps="1.1")
    state = game.new_state()
    turns = []
    for name in ("1 from 1", "1 from 2", "1 from 1", "1 from 2"):
        turns.append(game.current_player(state))
        state = game.after(state, game.string_to_action(state, name))
    assert turns == [0, 1, 2, 0]  # player 1 takes the last stone and has no turn any more
    assert game.result(state) == [0.5, 0.0, 1.0]


@pytest.mark.usefixtures("as_written")
def test_search_plays_nim_well():
    game = example("nim", heaps="1.2")
    engine = luozi.Engine(game, seed=1)
    state = game.new_state()
    action = engine.think(state, iterations=3000).action
    after = game.after(state, action)
    assert solved(game, after)[0] == solved(game, state)[0]
