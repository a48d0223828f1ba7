"""Positions know how they arose, cost little, and never change."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

import luozi
from luozi.compiled import new_rng
from luozi.games.go.scoring import count, simulated_shares
from luozi.messages import LuoziError
from luozi.removed import REMOVED
from luozi.rules.position import EVERY, RECENT, Position

LONG = 5000


class Counting(luozi.Game):
    """A long game: say 0, 1 or 2; nothing else happens."""

    players, actions, max_length = 2, 3, 2 * LONG
    state = (("said", "i4"), ("total", "i8"))

    def start(self, state):
        pass

    def current_player(self, state):
        return state.said % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.said += 1
        state.total += action

    def is_terminal(self, state):
        return state.said == 2 * LONG

    def returns(self, state, returns):
        returns[:] = 0.5


@pytest.fixture(scope="module")
def long() -> Position:
    position = Counting().begin()
    for move in range(LONG):
        position = position.play(move % 3)
    return position


def test_a_position_never_changes():
    game = luozi.game("go:size=5")
    position = game.begin().play("c3")
    given = position.state
    given.board[0], given.to_move = 1, 0
    assert position.state == game.after(game.new_state(), "c3")
    with pytest.raises(ValueError, match="read-only"):
        position._stored()[0].board[0] = 1


def test_play_is_what_the_rules_allow():
    game = luozi.game("tictactoe")
    rng = np.random.default_rng(1)
    for _ in range(50):
        position, state = game.begin(), game.new_state()
        while position.returns is None:
            assert position.actions == tuple(game.legal_list(state))
            for action in set(range(9)) - set(position.actions):
                with pytest.raises(LuoziError, match="the point is occupied"):
                    position.play(action)
            action = int(rng.choice(position.actions))
            position, state = position.play(position.name(action)), game.after(state, action)
            assert position.state == state
        assert list(position.returns) == game.result(state)
        with pytest.raises(LuoziError, match="the game is over: there is no move to play"):
            position.play(0)


def test_equal_positions_arose_by_the_same_steps():
    game, other = luozi.game("tictactoe"), luozi.game("tictactoe")
    one, two = game.begin().play(0).play(4).play(8), other.begin().play(0).play(4).play(8)
    assert one == two
    assert hash(one) == hash(two)
    assert len({one, two}) == 1
    assert one.is_of_another_game(two)
    assert not one.is_of_another_game(one.back(2))
    one = one.play(1).play(2)
    turned = game.begin().play(8).play(4).play(0).play(1).play(2)
    assert turned.state == one.state
    assert turned != one
    assert one != luozi.game("tictactoe:size=4").begin().play(0).play(4).play(8)


def test_a_variation_shares_its_beginning():
    start = luozi.game("connect4").begin()
    line = start.play(3).play(3)
    one, other = line.play(2).play(2), line.play(4)
    assert one.common(other) is line
    assert other.common(one) is line
    assert [position.step for position in one.since(line)] == [2, 2] == list(one.moves[2:])
    assert one.common(one) is one
    assert one.common(start) is start
    again = luozi.game("connect4").begin().play(3).play(3).play(2)
    assert again.common(one) is again
    assert one.common(again) is one.back()
    assert start.common(luozi.game("tictactoe").begin()) is None


def test_an_edit_is_a_step_that_is_no_move():
    game = luozi.game("othello")
    played = game.begin().play(game.begin().actions[0])
    state = played.state
    state.to_move = 1 - state.to_move
    edited = played.edit(state)
    assert edited.to_move != played.to_move
    assert edited.back() is played
    assert edited.moves == ()
    assert edited == played.edit(state)
    assert edited != played.edit(played.state)
    assert edited.play(edited.actions[0]).common(played) is played


def test_few_states_are_kept(long):
    kept = [position for position in long.history() if position._record is not None]
    assert len(kept) <= LONG // EVERY + 2 + RECENT
    for length in (LONG, LONG - 1, 17, 4000, 0):
        position = long.back(LONG - length)
        assert position.state.said == length
        assert position.state.total == sum(move % 3 for move in range(length))
    kept = [position for position in long.history() if position._record is not None]
    assert len(kept) <= LONG // EVERY + 2 + RECENT


def test_nothing_recurses_along_a_long_game(long):
    again = pickle.loads(pickle.dumps(long))
    assert again.identity == long.identity
    assert again.moves == long.moves
    assert "5000 moves, the last 1" in repr(long)
    other = long.game.begin()
    for move in long.moves:
        other = other.play(move)
    assert other == long
    assert other != long.back().play(0)
    assert other.common(long) is other
    del other


def test_a_pickled_position_is_the_same_position():
    game = luozi.game("othello")
    played = game.begin().play(game.begin().actions[0])
    edited = played.edit(played.state).play(played.actions[0])
    again = pickle.loads(pickle.dumps(edited))
    assert again == edited
    assert again.state == edited.state
    assert not again.is_of_another_game(played)


def test_a_record_is_a_position_without_history():
    game = luozi.game("tictactoe")
    position = Position.of(game, game.after(game.new_state(), 4))
    assert position.moves == ()
    assert position.actions == (0, 1, 2, 3, 5, 6, 7, 8)
    assert not position.is_of_another_game(game.begin())
    for wrong in (luozi.game("connect4").new_state(), luozi.game("connect4").begin(), "b2", None):
        with pytest.raises(LuoziError, match="this is not a position of tictactoe"):
            Position.of(game, wrong)


def test_two_threads_may_score_and_search_one_position():
    """Rules use the record as scratch."""
    game = luozi.game("go:size=5")
    position = game.begin()
    for move in ("c3", "b2", "d3", "b3", "c2"):
        position = position.play(move)
    before, failures = position._stored().tobytes(), []
    engine = luozi.Engine(game, seed=1)

    def scored():
        return count(game, position.state, simulated_shares(game, position.state, 1, new_rng(7)))

    expected = scored()

    def score():
        for _ in range(100):
            if scored() != expected:
                failures.append("another score")

    def search():
        for _ in range(100):
            engine.think(position.state, iterations=50)
            if position.actions != tuple(game.legal_list(position.state)):
                failures.append("other moves")

    threads = [threading.Thread(target=work) for work in (score, search)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert position._stored().tobytes() == before


def test_names_that_are_gone_name_what_to_write_instead():
    game = luozi.game("tictactoe")
    engine, player = luozi.Engine(game, compiled=False), luozi.player("random", game)
    for owner, names in ((engine, ("advance", "take_back", "clear")), (player, ("observe", "take_back", "new_game"))):
        for name in names:
            with pytest.raises(AttributeError, match=rf"\.{name} is gone: .*(think|choose)\("):
                getattr(owner, name)
    with pytest.raises(AttributeError, match="'Engine' object has no attribute 'thinks'"):
        engine.thinks()


@pytest.mark.usefixtures("as_written")
def test_no_game_depends_on_the_one_before():
    game = luozi.game("tictactoe")
    for spelling in ("mcts:iterations=60,rave=fuego", "random", "flat:playouts=20", "alphabeta:depth=1"):
        played = []
        one = luozi.player(spelling, game, seed=3)
        for opening in ((), (0, 4), ()):
            position = game.begin().after(opening)
            while position.returns is None:
                position = position.play(one.choose(position))
            played.append(position.moves)
        assert played[0] == played[2]


def test_every_name_that_is_gone_is_on_the_page_about_upgrades():
    page = (Path(__file__).parents[1] / "docs" / "en" / "reference" / "upgrade.md").read_text("utf-8")
    assert [name for name in REMOVED if on_the_page(name) not in page] == []


def on_the_page(name: str) -> str:
    """How the page about upgrades begins the row of a name: of an attribute, an option or a method."""
    kind, _, own = name.partition(".")
    return {"SearchResult": f"| `result.{own}` |", "Options": f"| `{own}` |"}.get(kind, f"| `{name.lower()}(")
