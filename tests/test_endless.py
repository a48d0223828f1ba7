"""A rule that never returns becomes one sentence, in whichever thread it runs and whoever plays."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

import luozi
from luozi.players import player
from luozi.records import play_game
from luozi.rules import watchdog as watching
from luozi.rules.watchdog import patience, try_patiently

SECONDS = 0.2
SENTENCE = r"Endless\.is_terminal has not returned in 0\.2 s; look for a loop that never ends"


class Endless(luozi.Game):
    """Take one or two from a heap of nine; near the end nobody comes to a decision."""

    actions, max_length, state = 2, 9, [("heap", "i8"), ("to_move", "i8")]

    def start(self, state):
        state.heap = 9

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.heap

    def apply_action(self, state, action):
        state.heap -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        while state.heap < 5:
            with suppress(Exception):
                self.think()
        return False

    def think(self):
        pass

    def returns(self, state, returns):
        returns[0] = returns[1] = 0.5


class Uncompiled(Endless):
    compilable = False


Uncompiled.__name__ = "Endless"


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", SECONDS)


@pytest.mark.parametrize("name", ["random", "flat:playouts=50", "mcts:iterations=50"])
def test_whoever_plays(name: str) -> None:
    game = Uncompiled()
    with pytest.raises(luozi.LuoziError, match=f"^{SENTENCE}$"), patience(game):
        play_game(game, [player(f"{name}{',' if ':' in name else ':'}seed=1", game) for _ in range(2)])


def test_compiled_rules_are_tried_before() -> None:
    with pytest.raises(luozi.LuoziError, match=f"^{SENTENCE}$"):
        try_patiently(Endless())


def test_a_match_is_not_held_up(tmp_path) -> None:
    with pytest.raises(luozi.LuoziError, match=f"^game 1 can't be played: {SENTENCE}$"):
        luozi.match("mcts:iterations=9", "random", game=Endless(), games=2, workers=1, store=tmp_path / "store.db")


def test_a_rule_that_is_only_often_asked_is_left_alone() -> None:
    game, over = Uncompiled(), threading.Event()
    threading.Timer(4 * SECONDS, over.set).start()
    with patience(game):
        while not over.is_set():
            game.after(game.new_state(), 0)


def test_nothing_watches_our_own_games() -> None:
    assert not watching._Watch(luozi.game("tictactoe"), SECONDS).rules
