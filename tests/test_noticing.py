"""What a search says by itself about rules that are wrong, once, where `luozi check` was never called."""

from __future__ import annotations

import warnings

import pytest

import luozi
from luozi.messages import RulesWarning, errors
from luozi.players import player
from luozi.players.simple import FlatPlayer


class Countdown(luozi.Game):
    """Take one or two of twelve stones in turn; who takes the last one wins."""

    actions = 2
    max_length = 12
    state = [("stones", "i2"), ("to_move", "i1")]  # noqa: RUF012

    def start(self, state):
        state.stones = 12

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.stones

    def apply_action(self, state, action):
        state.stones -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.stones == 0

    def returns(self, state, returns):
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch):
    monkeypatch.setattr(errors, "_told", set())
    monkeypatch.setattr(errors, "_notice", [])


def changed(**attributes):
    return type("Changed", (Countdown,), attributes)()


def said(game, times=1, **options):
    """What is said in a few searches."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for seed in range(times):
            engine = luozi.Engine(game, compiled=False, seed=seed, **options)
            engine.think(game.new_state(), iterations=50)
    assert all(warning.category is RulesWarning for warning in caught)
    return [str(warning.message) for warning in caught]


def test_sound_rules_are_not_spoken_of():
    assert said(Countdown()) == []
    assert said(Countdown(), decisive_moves=True) == []


@pytest.mark.parametrize("options", [{}, {"decisive_moves": True}])
def test_a_length_that_is_too_small_is_told_once(options):
    (sentence,) = said(changed(max_length=1), times=3, **options)
    assert sentence.startswith("Changed: ")
    assert (
        "of the simulated games were not over after 1 moves, and count as shared by all; raise max_length" in sentence
    )


def test_a_length_that_cuts_the_tree_and_no_simulation_is_told():
    (sentence,) = said(changed(max_length=5, is_legal=lambda self, state, action: action == 1), times=2)
    expected = "Changed: there are games of more than 5 moves, where the search is cut short; raise max_length"
    assert sentence.startswith(expected)


def test_a_horizon_is_not_a_mistake():
    assert said(Countdown(), horizon=2) == []


@pytest.mark.parametrize("options", [{}, {"decisive_moves": True}])
def test_a_player_without_moves_is_told_once(options):
    game = changed(is_legal=lambda self, state, action: action < state.stones and state.stones > 3)
    (sentence,) = said(game, times=2, **options)
    assert sentence == (
        "Changed: in 100% of the simulated games the player to move had no action, and they count as shared by all; "
        "end the game there in is_terminal, or skip that player in apply_action"
    )


def test_a_first_player_without_moves_is_refused():
    game = changed(is_legal=lambda self, state, action: False)
    with pytest.raises(luozi.LuoziError, match="Changed allows player 0 no action here"):
        said(game)


def test_flat_tells_too():
    game = changed(max_length=1, compilable=False)
    with pytest.raises(luozi.LuoziError, match="raise max_length"):
        player("flat:playouts=20", game)
    with pytest.warns(RulesWarning, match="raise max_length"):
        FlatPlayer(game, playouts=20).choose(game.new_state())


@pytest.mark.parametrize("options", [{}, {"decisive_moves": True}])
def test_results_of_minus_one_are_refused(options):
    def returns(self, state, returns):
        returns[state.to_move] = -1.0
        returns[1 - state.to_move] = 1.0

    with pytest.raises(luozi.LuoziError, match=r"Changed\.returns gives a result that is not from 0 to 1"):
        said(changed(returns=returns), **options)


def test_the_command_line_says_it_in_one_line(tmp_path, capsys):
    from luozi.cli.app import main

    path = tmp_path / "long.py"
    path.write_text(
        "import luozi\nfrom test_noticing import Countdown\n\n\n"
        "class Long(Countdown):\n    max_length = 1\n    compilable = False\n",
        encoding="utf-8",
    )
    assert main(["think", str(path), "--player", "mcts:iterations=50"]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("luozi: Long.is_terminal has not ended game 1 after 1 moves; ")
