"""The results of the folder, on the page: a list that grows, reports, and every game on the board."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from web_page import serving

from luozi.matches.game_runner import play_fixture
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.web.results import is_recent


@pytest.fixture
def folder(tmp_path):
    """A file with a match of which two games are played, and the match."""
    path, contest = (
        tmp_path / "results.db",
        MatchSchedule.of("tictactoe", ["flat:playouts=9", "random"], visits=True),
    )
    store = Store.open(path)
    store.enter(contest, 4)
    for fixture, _ in zip(contest.fixtures(4), range(2), strict=False):
        store.add(contest, play_fixture(contest, fixture))
    store.close()
    return path, contest


def test_a_contest_is_listed_told_reported_and_replayed(folder):
    path, contest = folder
    with serving(results=path) as client:
        [listed] = client.json("/api/results")
        assert (listed["id"], listed["finished"], listed["wanted"], listed["running"]) == (contest.id, 2, 4, True)
        told = client.json(f"/api/results/{contest.id}")
        assert told["summary"]["finished"] == 2
        assert listed["scores"] == [
            row["score"] for row in sorted(told["summary"]["rows"], key=lambda row: row["label"])
        ]
        assert [game["number"] for game in told["games"]] == [1, 2]
        assert len(client.json(f"/api/results/{contest.id}?from=1&count=1")["games"]) == 1
        status, page, headers = client.get(f"/api/results/{contest.id}/report")
        assert status == 200
        assert headers["content-type"].startswith("text/html")
        assert b"<html" in page
        game = client.json(f"/api/results/{contest.id}/games/1")
        assert len(game["views"]) == len(game["moves"]) + 1 == len(game["win_rates"])
        assert game["over"]["result"]
        assert any(thought and thought["candidates"] for thought in game["thoughts"])
        assert game["labels"] == ["flat:playouts=9", "random"]


def test_a_list_grows_while_games_are_played(folder):
    path, contest = folder
    with serving(results=path) as client:
        assert client.json("/api/results")[0]["finished"] == 2
        store = Store.open(path)
        for fixture in list(contest.fixtures(4))[2:]:
            store.add(contest, play_fixture(contest, fixture))
        store.close()
        [listed] = client.json("/api/results")
        assert (listed["finished"], listed["running"]) == (4, False)
        assert sum(listed["scores"]) == pytest.approx(1)


def test_a_contest_of_long_games_is_running_between_two_of_them(folder):
    path, _ = folder
    store = Store.open(path)
    now = datetime.now()
    for number, minutes in ((0, 30), (1, 10)):  # a game takes about twenty minutes
        when = (now - timedelta(minutes=minutes)).isoformat()
        store.connection.execute("UPDATE games SET finished = ? WHERE number = ?", (when, number))
    store.connection.execute("UPDATE contests SET asked = ?", ((now - timedelta(hours=1)).astimezone().isoformat(),))
    store.connection.commit()
    entry = store.entries()[0]
    assert is_recent(store, entry)
    store.connection.execute("UPDATE games SET finished = ?", ((now - timedelta(minutes=10)).isoformat(),))
    assert not is_recent(store, entry)  # games of no time at all
    store.close()


def test_what_is_not_there_gets_a_sentence(folder, tmp_path):
    path, contest = folder
    with serving(results=path) as client:
        for address in ("nosuch", f"{contest.id}/games/3", f"{contest.id}/games/x", f"{contest.id}/games/0", "x" * 500):
            status, content, _ = client.get(f"/api/results/{address}")
            assert status == 400
            assert b"error" in content
    with serving(results=tmp_path / "none.db") as client:
        assert client.json("/api/results") == []
        assert client.get("/api/results/x")[0] == 400


def test_games_and_players_are_told_with_their_parameters():
    with serving() as client:
        games = {game["name"]: game for game in client.json("/api/games")}
        assert games["go"]["players"] == 2
        size = next(one for one in games["gomoku"]["parameters"] if one["name"] == "size")
        assert (size["kind"], size["default"], size["low"], size["high"]) == ("int", 15, 1, 45)
        players = {player["name"]: player for player in client.json("/api/players")}
        assert players["level"]["levels"] == 10
        assert players["mcts"]["budget"] == ["seconds", "iterations"]
        assert not {"gtp", "gomocup", "library"} & players.keys()
        assert "threads" not in {one["name"] for one in players["mcts"]["parameters"]}
        board = client.json("/api/games/connect4:rows=4,columns=5")
        assert (board["board"]["rows"], len(board["view"]["moves"])) == (4, 5)
        assert client.get("/api/games/..%2F..%2Fetc%2Fpasswd")[0] == 400


def test_the_scores_of_a_list_are_those_of_its_table_with_three_players_too(tmp_path):
    path = tmp_path / "results.db"
    contest = MatchSchedule.of(
        "lines:layers=2,rows=2,columns=2,win_length=2,players=3", ["random"] * 2 + ["flat:playouts=2"]
    )
    drawn = MatchSchedule.of("five3d:size=2,win_length=3", ["random", "random", "flat:playouts=2"])  # nobody can win
    store = Store.open(path)
    for each in (contest, drawn):
        store.enter(each, 6)
        for fixture in each.fixtures(6):
            store.add(each, play_fixture(each, fixture))
    store.close()
    with serving(results=path) as client:
        for listed in client.json("/api/results"):
            told = client.json(f"/api/results/{listed['id']}")["summary"]
            scores = {row["label"]: row["score"] for row in told["rows"]}
            assert listed["scores"] == pytest.approx([scores[player] for player in listed["players"]])
            assert sum(listed["scores"]) == pytest.approx(1)
