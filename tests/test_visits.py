"""`--save-candidates`: all candidates of every search are kept, in records and in stores, for whoever asks for them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import luozi
from luozi.cli import app as cli
from luozi.matches.game_runner import moves_of, play_fixture
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.records import Move, load_record
from luozi.reports.contest_pages import command_of

PLAYERS = ["flat:playouts=30", "random"]


def check(game: luozi.Game, moves: tuple[Move, ...], asked: bool) -> int:
    """How many searches had candidates: `flat` tries every legal move and tells where each simulation went."""
    state, searches = game.new_state(), 0
    for move in moves:
        if move.candidates:
            searches += 1
            assert move.thought is not None
            assert sum(candidate.visits for candidate in move.candidates) == move.thought["iterations"] == 30
            assert sorted(candidate.action for candidate in move.candidates) == game.legal_list(state)
            assert {candidate.means for candidate in move.candidates if candidate.action == move.action} == {move.value}
        assert bool(move.candidates) == (asked and move.thought is not None)
        state = game.after(state, move.action)
    return searches


@pytest.mark.parametrize("asked", [False, True])
def test_a_match_keeps_them_if_asked(tmp_path: Path, asked: bool) -> None:
    words = ["match", *PLAYERS, "-g", "tictactoe", "-n", "4", "--workers", "1", "--db", str(tmp_path / "games.db")]
    assert cli.main([*words, "--json", *(["--save-candidates"] if asked else [])]) == 0
    store = Store.open(tmp_path / "games.db", create=False)
    contest = store.entries()[-1].contest
    assert contest == MatchSchedule.of("tictactoe", PLAYERS, visits=asked)
    assert sum(check(contest.board, moves, asked) for moves in store.moves(contest)) > 0 or not asked
    (tmp_path / "game.txt").write_text(store.record(contest, 1))
    assert load_record(tmp_path / "game.txt").moves[4:] == list(store.moves(contest))[1][4:]  # after the opening


@pytest.mark.parametrize("asked", [False, True])
def test_a_played_game_keeps_them_if_asked(tmp_path: Path, asked: bool) -> None:
    path = tmp_path / "game.txt"
    words = ["play", "tictactoe", "--seat", PLAYERS[0], "--seat", PLAYERS[1], "--seed", "1", "--save", str(path)]
    assert cli.main([*words, *(["--save-candidates"] if asked else [])]) == 0
    record = load_record(path)
    assert (check(record.game, record.moves, asked) > 0) == asked
    assert all(move.seconds is not None for move in record.moves)


def test_a_match_with_them_plays_the_same_games_and_is_another_contest() -> None:
    plain, asked = (MatchSchedule.of("tictactoe", PLAYERS, visits=visits) for visits in (False, True))
    assert plain.id != asked.id
    assert "visits" not in plain.definition  # so that matches from before there were visits go on
    assert MatchSchedule.read(asked.definition) == asked
    one, other = (play_fixture(contest, contest.fixture(0)) for contest in (plain, asked))
    assert one.record == other.record
    moves, searched = moves_of(plain, one), moves_of(asked, other)
    assert all(move.candidates == () for move in moves)
    assert any(move.candidates for move in searched)
    assert [move[:2] for move in moves] == [move[:2] for move in searched]
    assert [move.thought for move in moves] == [move.thought for move in searched]
    assert "--save-candidates" in command_of(Run(asked, 10))
    assert "--save-candidates" not in command_of(Run(plain, 10))


@pytest.mark.parametrize(
    "packed", [b"x", b"x\x9c\x03\x00\x00\x00\x00\x01", b"\x78\x9c\x8b\x8e\x05\x00\x01\x15\x00\xb9"]
)
def test_games_that_are_none_get_a_sentence(packed: bytes, tmp_path: Path) -> None:
    contest = MatchSchedule.of("tictactoe", PLAYERS, visits=True)
    store = Store.open(tmp_path / "games.db")
    store.add(contest, play_fixture(contest, contest.fixture(0)))
    with closing(sqlite3.connect(tmp_path / "games.db")) as connection, connection:
        connection.execute("UPDATE games SET record = ?, digest = ''", (packed,))
    with pytest.raises(luozi.LuoziError, match=r"games\.db"):
        list(store.moves(contest))


@pytest.mark.parametrize("candidates", ["5", "[1]", "[[0]]", '[[0,"9",[0.5,0.5]]]', "[[0,9,[0.5]]]"])
def test_candidates_that_are_none_get_a_sentence(candidates: str) -> None:
    contest = MatchSchedule.of("tictactoe", PLAYERS, visits=True)
    data = f'\ndata:\n{{"action":4,"seat":0,"candidates":{candidates}}}\n'
    outcome = play_fixture(contest, contest.fixture(0))._replace(data=data)
    with pytest.raises(luozi.LuoziError, match="its candidates are not lists of an action, its visits and a mean"):
        moves_of(contest, outcome)


def test_python_asks_for_them_by_the_same_name(tmp_path: Path) -> None:
    luozi.match(*PLAYERS, game="tictactoe", games=2, store=tmp_path / "games.db", workers=1, visits=True)
    store = Store.open(tmp_path / "games.db", create=False)
    [entry] = store.entries()
    assert entry.contest.visits
    assert all(check(entry.contest.board, moves, True) for moves in store.moves(entry.contest))
