"""A user's class that says or writes what can't be: one sentence that names the method, and the program lives on."""

from __future__ import annotations

import linecache
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luozi
from luozi.cli.app import main
from luozi.compiled import kernel, new_rng
from luozi.games.user_files import load_own_game
from luozi.messages import BrokenRuleError
from luozi.players import player
from luozi.rules.kernel_runner import kernel_for


class Row(luozi.Game):
    """Take one of five places in turn; who takes the last one wins. Each test breaks one method of it."""

    actions, points = 5, 5
    state = [("board", "i1", 5), ("to_move", "i1"), ("left", "i1")]  # noqa: RUF012

    def start(self, state):
        state.left = 5

    def current_player(self, state):
        return state.to_move

    def legal_actions(self, state, actions):
        count = 0
        for place in range(5):
            if state.board[place] == 0:
                actions[count] = place
                count += 1
        return count

    def apply_action(self, state, action):
        state.board[action] = state.to_move + 1
        state.left -= 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.left == 0

    def returns(self, state, returns):
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0


def broken(**methods):
    return type("Broken", (Row,), methods)()


# One kernel for each method, as small as can be: the guard is around the method, whoever calls it.


@kernel
def ask_player(game, states, actions, values, rng):
    return game.current_player(states[0])


@kernel
def ask_legal(game, states, actions, values, rng):
    return game.legal_actions(states[0], actions)


@kernel
def ask_draw(game, states, actions, values, rng):
    return game.draw_action(states[0], rng, actions)


@kernel
def ask_policy(game, states, actions, values, rng):
    return game.policy_action(states[0], rng, actions)


@kernel
def ask_wins(game, states, actions, values, rng):
    return game.winning_actions(states[0], 0, actions)


@kernel
def ask_threats(game, states, actions, values, rng):
    return game.threatening_actions(states[0], actions)


@kernel
def ask_replies(game, states, actions, values, rng):
    return game.forced_replies(states[0], 1, actions)


@kernel
def ask_returns(game, states, actions, values, rng):
    game.returns(states[0], values)


@kernel
def ask_evaluate(game, states, actions, values, rng):
    game.evaluate(states[0], values)


@kernel
def ask_priors(game, states, actions, values, rng):
    game.priors(states[0], actions, 2, values)


@kernel
def ask_candidates(game, states, actions, values, rng):
    return game.candidates(states[0], actions, 5)


@kernel
def ask_owners(game, states, actions, values, rng):
    game.point_owners(states[0], actions)


def sentence_of(ask, game, left=5):
    """What is said when a compiled kernel calls the method."""
    states = Row().empty_states(1)
    states[0] = Row().new_state()
    states[0].left = left
    with pytest.raises(luozi.LuoziError) as caught:
        kernel_for(game, ask)(game, states, np.zeros(5, np.int32), np.zeros(2), new_rng(1))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def lists_99(self, state, *rest):
    rest[-1][0] = 99
    return 1


def keeps_99(self, state, actions, count):
    actions[0] = 99
    return 1


def counts_6(self, state, *rest):
    return 6


def gives_99(self, state, *rest):
    return 99


def writes(*numbers):
    def method(self, state, *rest):
        for index in range(len(numbers)):
            rest[-1][index] = numbers[index]

    return method


@pytest.mark.parametrize(
    ("ask", "name", "method"),
    [
        (ask_player, "current_player", lambda self, state: 10**9),
        (ask_player, "current_player", lambda self, state: -1),
        (ask_legal, "legal_actions", lists_99),
        (ask_legal, "legal_actions", counts_6),
        (ask_legal, "legal_actions", lambda self, state, actions: -1),
        (ask_draw, "random_action", gives_99),
        (ask_policy, "policy_action", gives_99),
        (ask_wins, "winning_actions", lists_99),
        (ask_wins, "winning_actions", counts_6),
        (ask_threats, "threatening_actions", lists_99),
        (ask_replies, "forced_replies", lists_99),
        (ask_returns, "returns", writes(1.0, -1.0)),
        (ask_returns, "returns", writes(1.0)),
        (ask_returns, "returns", writes(0.5, float("nan"))),
        (ask_evaluate, "evaluate", writes(2.0)),
        (ask_priors, "priors", writes(0.5, 5.0)),
        (ask_candidates, "candidates", keeps_99),
        (ask_owners, "point_owners", writes(2, 3)),
    ],
)
def test_what_a_method_says_is_looked_at(ask, name, method):
    assert sentence_of(ask, broken(**{name: method})).startswith(f"Broken.{name} ")


@pytest.mark.parametrize(
    ("ask", "name", "method"),
    [
        (ask_candidates, "candidates", counts_6),
        (ask_candidates, "candidates", lambda self, state, actions, count: 0),
        (ask_candidates, "candidates", lambda self, state, actions, count: -7),
        (ask_owners, "point_owners", writes(-1)),
    ],
)
def test_the_same_is_looked_at_where_rules_run_as_plain_python(ask, name, method, monkeypatch):
    monkeypatch.setattr(luozi.Game, "compilable", False)
    assert name in sentence_of(ask, broken(**{name: method}))


def test_whatever_a_search_takes_from_a_class_is_looked_at():
    """A number is used as a place in memory; these give none: they write the position, or say yes or no, or a hash.

    Those for networks write bytes, for each of which there is a plane, and numbers.
    """
    harmless = {"start", "apply_action", "is_terminal", "is_legal", "position_key", "network_cells", "network_globals"}
    ours = {"next_in_order", "draw_action", "immediate_wins"}  # made of the others
    assert set(luozi.Game.entry_points) - harmless - ours <= set(luozi.Game.guards)


def test_the_range_is_told():
    assert sentence_of(ask_player, broken(current_player=gives_99)) == (
        "Broken.current_player gives a player who is not there; there are 2, the first is 0 "
        "(`luozi check` tells in which game and move)"
    )


def test_an_index_out_of_range_is_told_with_its_line():
    game = broken(returns=writes(1.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    sentence = sentence_of(ask_returns, game)
    assert sentence.startswith("test_guards.py, line ")
    assert "in method: IndexError: index 2 is out of bounds" in sentence


def test_an_index_out_of_range_that_random_games_do_not_meet(monkeypatch):
    monkeypatch.setattr("luozi.rules.kernel_runner.PATIENCE_SECONDS", 0.1)

    def current_player(self, state):
        return state.board[90 + state.left] if state.left == 7 else state.to_move

    sentence = sentence_of(ask_player, broken(current_player=current_player), left=7)
    assert sentence.startswith("Broken: a compiled rule raised IndexError: index is out of bounds")


def own_file(folder, line, instead):
    """A file with the rules of a Row, one line of them another."""
    text = Path(__file__).read_text(encoding="utf-8")
    rules = text[text.index("class Row") : text.index("def broken")]
    assert line in rules
    path = folder / "own.py"
    path.write_text("import luozi\n\n" + rules.replace(line, instead), encoding="utf-8")
    return path


def test_a_users_own_assert_names_its_line(tmp_path):
    path = own_file(tmp_path, "return state.to_move", 'assert state.left < 5, "too many"; return state.to_move')
    assert sentence_of(ask_player, load_own_game(path)()).startswith(
        "own.py, line 13, in current_player: AssertionError: too many: `assert state.left < 5"
    )
    path.write_text("# A comment moves the line.\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    linecache.clearcache()
    assert sentence_of(ask_player, load_own_game(path)()).startswith("own.py, line 14, in current_player: Assertion")


def test_an_index_in_a_file_names_its_line(tmp_path):
    path = own_file(tmp_path, "return state.to_move", "return state.to_move + 0 * state.board[99]")
    assert sentence_of(ask_player, load_own_game(path)()).startswith("own.py, line 13, in current_player: ")


def test_luozis_own_games_are_not_slowed_down():
    assert not luozi.game("tictactoe").checked
    assert not luozi.game("go").checked
    assert Row().checked
    assert not broken(checked=False).checked


@pytest.mark.parametrize("spelling", ["mcts:iterations=10", "flat:playouts=10", "alphabeta:depth=1", "exact"])
def test_a_position_changed_by_hand_is_refused(spelling):
    game = luozi.game("tictactoe")
    state = game.new_state()
    state.to_move = 100
    with pytest.raises(luozi.LuoziError, match="current_player gives 100 in this position; players are 0 to 1"):
        player(spelling, game).choose(state)


@pytest.mark.long
def test_the_process_lives_on(tmp_path):
    """The plain search in a process of its own, for a class that the guards stop."""
    own = own_file(tmp_path, "return state.to_move", "return 10**9 * (state.left < 4)")
    command = [sys.executable, "-m", "luozi.cli", "think", str(own), "--player", "mcts:iterations=1000"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.splitlines()[-1].startswith("luozi: Row.current_player gives 1000000000 in game 1, move 3; ")


@pytest.mark.usefixtures("as_written")
def test_a_class_that_the_guards_stop_is_one_sentence_of_a_command(tmp_path, capsys):
    own = own_file(tmp_path, "return state.to_move", "return 10**9 * (state.left < 4)")
    assert main(["think", str(own), "--player", "mcts:iterations=100"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("luozi: Row.current_player gives 1000000000 in game 1, ")


class Astray(luozi.Playout):
    """Draws moves that are not there, so seldom that a short check meets none."""

    def next(self, game, state, memory, rng, actions):
        if luozi.random_below(rng, 1000) == 0:
            return 99
        return game.draw_action(state, rng, actions)


def test_a_playout_that_gives_an_action_that_is_not_there_is_told():
    class Led(type(luozi.game("tictactoe"))):
        def random_playout(self):
            return Astray()

    engine = luozi.Engine(Led(1, 3, 3, 3), seed=1)
    with pytest.raises(luozi.LuoziError, match="policy_playout's next gives an action that is not there; there are 9"):
        engine.think(engine.game.new_state(), iterations=10_000)


def test_a_playout_that_gives_points_to_nobody_who_plays_is_told():
    def finish(self, game, state, memory, owners):
        owners[0] = 3

    looked_at = luozi.Playout.guards["finish"](finish)
    with pytest.raises(BrokenRuleError, match="finish gives a point to a player who is not there"):
        looked_at(None, Row(), None, None, np.zeros(5, np.int8))
