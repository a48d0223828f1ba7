"""All cores think where one person or program waits; what is to be repeated, and matches, have one thread."""

from __future__ import annotations

import os

import pytest

import luozi
from luozi.cli.serving import served_options
from luozi.messages import LuoziError
from luozi.players import player
from luozi.terminal.seats import players_of_seats
from luozi.util.machine import usual_threads


@pytest.fixture
def game():
    return luozi.game("tictactoe")


def test_all_cores_are_used_unless_the_environment_says_otherwise(monkeypatch):
    monkeypatch.delenv("LUOZI_THREADS")
    assert usual_threads() == len(os.sched_getaffinity(0))
    monkeypatch.setenv("LUOZI_THREADS", "3")
    assert usual_threads() == 3


@pytest.mark.parametrize("nonsense", ["x", "0", "-1", "257", "9" * 5000])
def test_nonsense_in_the_environment_gets_one_sentence(monkeypatch, nonsense):
    monkeypatch.setenv("LUOZI_THREADS", nonsense)
    with pytest.raises(LuoziError, match=r"^LUOZI_THREADS is .*; write a whole number from 1 to 256$"):
        usual_threads()


@pytest.mark.parametrize("spelling", ["mcts", "strong", "strong:seconds=0.1", "mcts:rave=fuego"])
def test_a_player_takes_the_threads_it_is_offered(game, spelling):
    assert player(spelling, game, threads=4).threads == 4


@pytest.mark.parametrize(
    "spelling", ["mcts:seed=1", "mcts:batch_size=8", "mcts:threads=1", "strong:seed=7", "level:number=2"]
)
def test_a_player_that_asks_for_one_thread_or_for_a_seed_keeps_one(game, spelling):
    assert player(spelling, game, threads=4).threads == 1


def test_what_is_written_stands(game):
    assert player("mcts:threads=2", game, threads=4).threads == 2


def test_programs_at_a_persons_board_share_the_cores_and_matches_do_not(game):
    assert [one.threads for one in players_of_seats(game, ["mcts", "strong"], 1, threads=4)] == [4, 4]
    assert [player(one, game, seed=1).threads for one in ("mcts", "strong")] == [1, 1]  # as contests seat them


@pytest.mark.parametrize(
    ("spelling", "threads"),
    [(None, 4), ("mcts", 4), ("mcts:seed=1", 1), ("strong:threads=2", 2), ("mcts:batch_size=2", 1)],
)
def test_protocols_answer_with_all_cores_unless_told_otherwise(monkeypatch, spelling, threads):
    monkeypatch.setenv("LUOZI_THREADS", "4")
    assert served_options(spelling, "gomoku").threads == threads


class Unsaid(type(luozi.game("tictactoe"))):
    """Tic-tac-toe by somebody who says nothing about shared wins."""

    single_winner = None


class AsWritten(type(luozi.game("tictactoe"))):
    """Tic-tac-toe that can't be compiled."""

    compilable = False


@pytest.mark.parametrize(("kind", "spelling"), [(Unsaid, "mcts:mcts_solver=standard"), (AsWritten, "mcts")])
def test_a_game_that_threads_can_not_play_gets_one(kind, spelling):
    assert player(spelling, kind(1, 3, 3, 3), threads=2).threads == 1
