"""The page's server: games between people and programs, over the socket."""

from __future__ import annotations

import asyncio
import base64
import io
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from delayed import DelayedStep
from PIL import Image
from web_page import PATIENCE, PERSONS, RANDOM, make_sessions, page_at, serving

import luozi
from luozi.players.simple import RandomPlayer
from luozi.search import compile_process
from luozi.search.readiness import HERE
from luozi.util.win_rates import FEWEST
from luozi.web import search_control as pondering
from luozi.web import socket
from luozi.web.game_history import GameHistory, read_note
from luozi.web.limits import ServerLimits
from luozi.web.requests import SeatChoice
from luozi.web.seat_players import SearchPlayer, options_of, player_for, search_player_for
from luozi.web.seats import Seat
from luozi.web.thinking import stored_note

PLAIN = {"kind": "player", "name": "mcts", "iterations": 3000, "options": {"seed": 1}}


@pytest.fixture(autouse=True)
def _plain_analyst(monkeypatch):
    """Nothing is compiled for these tests but what others need too."""
    monkeypatch.setattr(pondering, "ANALYST", Seat("player", "mcts"))


@pytest.fixture(scope="module")
def client():
    with serving() as found:
        yield found


@pytest.fixture
def page(client):
    with page_at(client) as found:
        yield found


def test_two_persons_play_a_game_to_its_end(page):
    table = page.ask("new", game="tictactoe", seats=PERSONS)
    assert table["type"] == "table"
    assert table["board"]["rows"] == 3
    assert len(table["view"]["moves"]) == 9
    for number, move in enumerate(["a1", "a2", "b1", "b2", "c1"], 1):
        moved = page.ask("play", text=move)
        assert (moved["type"], moved["number"], moved["name"]) == ("moved", number, move)
    assert moved["view"]["terminal"]
    assert sorted(moved["view"]["winning"]) == [6, 7, 8]
    over = page.until_type("over")
    assert over["result"] == [1.0, 0.0]
    assert page.ask("play", text="c3")["type"] == "error"


def test_a_move_is_made_by_its_action_or_its_name_and_never_against_the_rules(page):
    page.ask("new", game="tictactoe", seats=PERSONS)
    assert page.ask("play", action=4)["name"] == "b2"
    for wrong in ({"action": 4}, {"action": 999}, {"text": "b2"}, {"text": "z9"}, {}, {"action": 1, "text": "a1"}):
        answer = page.ask("play", **wrong)
        assert answer["type"] == "error"
        assert answer["message"]
    assert len(page.ask("undo", moves=1)["moves"]) == 0


def test_a_program_answers_and_undo_goes_back_to_the_persons_turn(page):
    page.ask("new", game="tictactoe", seats=[{"kind": "person"}, RANDOM])
    page.ask("play", action=4)
    moved = page.until_type("moved")
    assert (moved["number"], moved["by"]) == (2, 1)
    table = page.ask("undo")
    assert table["moves"] == []
    assert page.ask("undo")["type"] == "error"


def test_programs_play_each_other_and_any_seat_may_be_taken(page):
    page.ask("new", game="tictactoe", seats=[RANDOM, RANDOM])
    assert page.until_type("over")["result"] in ([1.0, 0.0], [0.0, 1.0], [0.5, 0.5])
    page.ask("new", game="tictactoe", seats=[RANDOM, {"kind": "person"}])
    page.until_type("moved")
    table = page.ask("seat", seat=0, kind="person", name="Ada")
    assert table["seats"][0]["name"] == "Ada"
    free = table["view"]["moves"][0]["action"]
    page.ask("play", action=free)
    table = page.ask("seat", seat=0, **RANDOM)
    assert page.until_type("moved")["number"] == 3


def test_a_search_tells_what_it_thinks_with_its_move(page):
    page.ask("new", game="tictactoe", seats=[{"kind": "person"}, PLAIN])
    page.ask("play", action=4)
    moved = page.until_type("moved")
    assert moved["thought"]["iterations"] >= 1
    assert {"action", "visits", "means", "interval"} <= moved["thought"]["candidates"][0].keys()
    shown = page.ask("goto", move=1)
    assert shown["last"]["name"] == "b2"
    assert shown["thought"]["candidates"]
    assert shown["means"] == moved["means"]
    tree = page.ask("tree", depth=1)
    assert tree["tree"]["children"]
    below = page.ask("tree", depth=1, path=[tree["tree"]["children"][0]["action"]], view=True)
    assert len(below["view"]["pieces"]) == 2
    why = page.ask("why")
    assert why["move"] == 1
    assert any(choice["terms"] for choice in why["choices"])


def test_a_hint_plays_nothing_and_an_analysis_is_kept_with_the_position(page):
    page.ask("new", game="tictactoe", seats=PERSONS)
    hint = page.ask("hint", seconds=0.05)
    assert (hint["type"], hint["what"], hint["done"]) == ("thinking", "hint", True)
    assert hint["thought"]["candidates"][0]["visits"] > 0
    assert page.ask("goto", move=0)["thought"]["candidates"]
    assert page.ask("analyse", on=True)["type"] == "ok"
    news = page.until_type("thinking")
    assert (news["what"], news["move"]) == ("analysis", 0)
    moved = page.ask("play", action=4)
    assert moved["type"] == "moved"
    page.until(lambda one: one["type"] == "thinking" and one["move"] == 1)
    assert page.ask("analyse", on=False)["type"] == "ok"
    page.until(lambda one: one["type"] == "thinking" and one["move"] == 1 and one["done"])
    table = page.ask("undo", moves=1)
    assert table["win_rates"][0] is not None


def test_a_hint_may_be_about_a_move_that_was_made_after_the_end_too(page):
    page.ask("new", game="tictactoe", seats=PERSONS)
    for action in (0, 3, 1, 4, 2):
        page.ask("play", action=action)
    assert page.ask("hint")["type"] == "error"
    late = page.ask("hint", move=4, seconds=0.05)
    assert (late["what"], late["move"], late["thought"]["action"]) == ("hint", 4, 2)  # which wins at once
    assert page.ask("hint", move=5)["type"] == "error"
    assert page.ask("hint", move=6)["type"] == "error"


def test_an_analysis_that_came_to_its_end_goes_on_with_the_next_position():
    with (
        serving(make_sessions(limits=ServerLimits(engines=16, analysis_seconds=0.05))) as client,
        page_at(client) as page,
    ):
        page.ask("new", game="tictactoe", seats=PERSONS)
        page.ask("analyse", on=True)
        for number, action in enumerate((4, 0, 8)):
            page.until(lambda one, at=number: one["type"] == "thinking" and one["move"] == at and one["done"])
            assert page.ask("play", action=action)["type"] == "moved"


def test_a_program_is_stopped_and_goes_on_or_moves_now(page):
    slow = {"kind": "player", "name": "mcts", "seconds": 60}
    page.ask("new", game="gomoku:size=5", seats=[slow, {"kind": "person"}])
    page.until_type("thinking")
    assert page.ask("hint")["type"] == "error"
    assert page.ask("stop")["type"] == "ok"
    assert page.ask("goto", move=0)["view"]["to_move"] == 0
    assert page.ask("go_on")["type"] == "ok"
    page.until_type("thinking")
    page.ask("move_now")
    assert page.until_type("moved")["by"] == 0


def test_who_resigns_loses_and_may_take_it_back(page):
    page.ask("new", game="tictactoe", seats=PERSONS)
    page.ask("play", action=4)
    table = page.ask("resign")
    assert table["over"]["result"] == [1.0, 0.0]
    assert table["over"]["resigned"] == 1
    table = page.ask("undo")
    assert (table["over"], len(table["moves"])) == (None, 1)


def test_a_new_game_from_here_leaves_the_old_one(page):
    first = page.ask("new", game="tictactoe", seats=PERSONS)
    for action in (4, 0, 8):
        page.ask("play", action=action)
    second = page.ask("from_here", move=2)
    assert [move["action"] for move in second["moves"]] == [4, 0]
    assert second["table"] != first["table"]
    old = page.ask("hello", table=first["table"], secret=first["secret"])
    assert len(old["moves"]) == 3


def test_a_walk_shows_each_iteration_of_a_search(page):
    page.ask("new", game="tictactoe:size=2,win_length=2", seats=PERSONS)
    assert page.ask("step")["type"] == "error"
    assert page.ask("walk")["total"] == 0
    step = page.ask("step")
    [told] = step["steps"]
    assert told["path"][0]["new"]
    assert sum(told["credit"]) == 1
    many = page.ask("step", count=30)
    assert many["total"] == 31
    assert many["tree"]["visits"] == 31
    assert page.ask("tree", of="walk", depth=3)["tree"]["children"]


def test_a_walk_goes_through_the_search_of_a_player_also_where_a_network_judges(page):
    page.ask("new", game="gomoku:size=9", seats=PERSONS)
    assert page.ask("walk", player={"kind": "player", "name": "strong", "seconds": 1.0})["total"] == 0
    [told] = page.ask("step")["steps"]
    assert (told["judged"], told["simulation"]) == (True, [])
    assert sum(told["credit"]) == pytest.approx(1, abs=0.01)
    assert "prior" in page.ask("step")["steps"][0]["path"][0]["choices"][0]["terms"]
    page.ask("walk")
    [plain] = page.ask("step")["steps"]
    assert not plain["judged"]
    assert plain["simulation"]
    for other in ({"kind": "player", "name": "alphabeta"}, {"kind": "person", "name": "Ada"}):
        assert page.ask("walk", player=other)["type"] == "error"


def test_records_are_saved_and_loaded_with_what_was_thought(page):
    page.ask("new", game="gomoku:size=6", seats=[{"kind": "person"}, PLAIN])
    page.ask("play", text="c3")
    page.until_type("moved")
    for form in ("text", "sgf"):
        saved = page.ask("save", format=form)
        table = page.ask("load", text=saved["text"])
        assert table["moves"][0]["name"] == "c3"
        assert table["win_rates"][1] is not None
        assert page.ask("goto", move=1)["thought"]["candidates"]
    assert '"moves"' in page.ask("save", format="json")["text"]


def test_a_game_is_saved_as_a_page_and_as_a_moving_picture(page):
    table = page.ask("new", game="tictactoe", seats=PERSONS)
    assert {"html", "gif"} <= set(table["formats"])
    for action in (4, 0, 8):
        page.ask("play", action=action)
    assert "<svg" in page.ask("save", format="html")["text"]
    saved = page.ask("save", format="gif")
    picture = Image.open(io.BytesIO(base64.b64decode(saved["base64"])))
    assert (saved["name"], picture.format, picture.n_frames) == ("tictactoe.gif", "GIF", 4)


def test_others_at_the_table_hear_of_everything(client):
    with page_at(client) as one, page_at(client) as other:
        table = one.ask("new", game="tictactoe", seats=PERSONS)
        assert other.ask("hello", table=table["table"], secret=table["secret"])["type"] == "table"
        one.ask("play", action=4)
        assert other.until_type("moved")["action"] == 4
        other.ask("resign")
        assert one.until_type("over")["result"] == [1.0, 0.0]


def test_three_players_have_three_seats(page):
    table = page.ask("new", game="tictactoe:size=4,players=3", seats=[{"kind": "person"}, RANDOM, RANDOM])
    assert table["players"] == 3
    page.ask("play", action=0)
    assert [page.until_type("moved")["by"] for _ in range(2)] == [1, 2]


def test_outside_programs_are_those_the_server_was_started_with():
    sessions = make_sessions(programs={"mine": "gtp:true", "none": "no-such-program"})
    with serving(sessions) as client, page_at(client) as page:
        assert page.welcome["programs"] == ["mine", "none"]
        for game, name in (("tictactoe", "mine"), ("go:size=5", "yours"), ("go:size=5", "none")):
            answer = page.ask("new", game=game, seats=[{"kind": "program", "name": name}])
            assert answer["type"] == "error"
        page.ask("new", game="go:size=5", seats=[{"kind": "program", "name": "mine"}, {"kind": "person"}])
        over = page.until_type("over")  # it ends at once, and so forfeits
        assert (over["result"], over["resigned"]) == ([0.0, 1.0], 0)
        assert over["reason"]


@pytest.fixture
def delayed(monkeypatch, tmp_path):
    monkeypatch.setattr(compile_process, "times_file", lambda: tmp_path / "compiling.json")  # or a fast run is noted
    step = DelayedStep()
    yield step
    step.go.set()


@pytest.fixture
def delayed_searches(client, delayed, monkeypatch):
    """Every search of a new table is uncompiled until the test says so."""

    def readiness(game, options):
        made = delayed.search(game, options)
        made.start()
        return made

    monkeypatch.setattr(client.sessions.resources, "readiness", readiness)


@pytest.mark.usefixtures("delayed_searches")
def test_compiling_is_told_while_one_plays(page, delayed):
    page.ask("new", game="tictactoe", seats=[{"kind": "person"}, PLAIN])
    news = page.until_type("compiling")
    assert 0 <= news["part"] < 1
    assert news["seconds"] > 0
    assert (news["engine"], news["done"]) == ("slow", False)
    assert page.ask("play", action=4)["type"] == "moved"
    assert page.until_type("moved")["by"] == 1  # at once, by a simpler search
    delayed.go.set()  # not before: what comes beside an answer is not kept
    page.until(lambda one: one["type"] == "compiling" and one["done"])


def test_a_player_without_a_tree_tells_how_far_its_compiling_is_and_then_moves(page, client, delayed, monkeypatch):
    monkeypatch.setattr(RandomPlayer, "prepare", lambda _player: delayed.compile())
    monkeypatch.setattr(client.sessions.resources, "compiling", lambda: HERE)
    page.ask("new", game="tictactoe", seats=[RANDOM, {"kind": "person"}])
    news = page.until_type("compiling")
    assert (news["engine"], news["done"]) == ("full", False)  # nobody stands in for it
    assert not any(one["type"] == "moved" for one in page.news)
    delayed.go.set()
    assert page.until_type("moved")["by"] == 0


@pytest.mark.usefixtures("delayed_searches")
def test_an_analysis_that_began_before_the_search_was_compiled_goes_on_when_it_is(page, delayed):
    page.ask("new", game="tictactoe", seats=PERSONS)
    page.ask("analyse", on=True)
    guess = page.until(lambda one: one["type"] == "thinking" and one["done"])
    assert (guess["engine"], guess["guess"]) == ("slow", True)
    delayed.go.set()
    assert page.until_type("thinking")["engine"] == "full"
    page.ask("analyse", on=False)


class Deaf:
    """A socket whose page takes nothing and says nothing more, but keeps it open."""

    async def accept(self):
        pass

    async def close(self, _code):
        await asyncio.Event().wait()

    send_text = close

    async def receive(self):
        await asyncio.Event().wait()


def test_a_page_that_reads_nothing_is_let_go_with_what_waits_for_it(monkeypatch):
    monkeypatch.setattr(socket, "SLOW_SECONDS", 0.05)
    monkeypatch.setattr(socket, "GOODBYE_SECONDS", 0.05)

    async def run():
        sessions = make_sessions()
        table, secret = await sessions.add(sessions.openings.new("tictactoe", [SeatChoice("person")] * 2))
        connection = socket.Connection(sessions, Deaf())
        await connection.join(table, secret)
        for _ in range(20):
            connection.send_text("x" * 2**20)
        assert connection._out.qsize() <= 16
        await asyncio.wait_for(connection.run(), PATIENCE)
        assert not table.connections
        sessions.close()

    asyncio.run(run())


def test_who_comes_does_not_wait_for_those_who_think():
    sessions = make_sessions(limits=ServerLimits(engines=1))
    done = threading.Event()
    with serving(sessions) as client, page_at(client) as page:
        sessions.searchers.pool.submit(done.wait, PATIENCE)  # an engine that thinks for long
        try:
            assert page.ask("new", game="tictactoe", seats=PERSONS)["type"] == "table"
            assert client.get("/api/games/tictactoe")[0] == 200
        finally:
            done.set()


def test_a_few_simulations_of_a_search_that_is_not_compiled_yet_leave_no_win_rate():
    thought = luozi.Engine(luozi.game("tictactoe"), compiled=False, seed=1).think(
        luozi.game("tictactoe").new_state(), iterations=FEWEST - 1
    )
    assert stored_note(thought).candidates
    best = thought.best._replace(visits=FEWEST)
    enough = replace(thought, candidates=[best, *thought.candidates[1:]])
    assert ["means" in (stored_note(one).thought or {}) for one in (thought, enough)] == [False, True]


def test_what_a_network_judged_is_kept_as_such_so_that_nobody_makes_an_interval_of_it():
    game = luozi.game("tictactoe")
    thought = luozi.Engine(game, compiled=False, seed=1).think(game.new_state(), iterations=30)
    course = GameHistory(game, "tictactoe", [Seat(), Seat()])
    for learned in (False, True):
        data = course.find(0, stored_note(replace(thought, sampled=not learned, learned=learned)))
        course.findings[0] = read_note(data, 0, game.players, game.actions)  # as after a restart
        found = course.thought(0)
        assert (found["sampled"], found["learned"]) == (not learned, learned)


def test_what_nobody_measured_is_told_where_it_says_something():
    """Of `strong`, that it is plain mcts; of levels, that nobody knows how far apart they are."""
    with serving() as client, page_at(client) as page:
        assert client.json("/api/games/go:size=13")["notes"].keys() == {"level"}
        assert client.json("/api/games/gomoku")["notes"] == {}
        assert client.json("/api/games/hex:size=3")["notes"].keys() == {"level"}
        assert page.ask("new", game="hex:size=3", seats=PERSONS)["notes"] == []


OTHERS_GAMES = ["othello", "breakthrough", "amazons", "hex", "y", "nim"]
SEARCHED = ["gomoku", "gomoku:size=9", "connect4", "five3d", "go:size=9", "tictactoe", *OTHERS_GAMES]


@pytest.mark.parametrize("spelling", SEARCHED)
def test_a_search_by_strong_is_there_to_analyse_every_kind_of_game(spelling):
    from luozi.search import Engine
    from luozi.web.seat_players import options_of

    game = luozi.game(spelling)
    assert Engine(game, options_of(Seat(kind="player", name="strong"), game)).game is game


def test_a_seat_with_a_static_evaluation_is_not_asked_for_owners_of_points():
    seat = Seat("player", "mcts", options={"evaluation": "static"})
    assert options_of(seat, luozi.game("othello")).ownership is False


@pytest.mark.parametrize("spelling", ["othello:size=4", "breakthrough:rows=4,columns=4", "hex:size=4"])
def test_strong_moves_at_a_table_as_the_player_that_won_the_matches(spelling):
    """Where that is alpha-beta, analyses still come from a search."""
    game, resources = luozi.game(spelling), SimpleNamespace(limits=ServerLimits(), machines=None)
    seat = Seat("player", "strong", seconds=1.0)
    mover = player_for(resources, game, seat, {})
    assert isinstance(mover, SearchPlayer) == spelling.startswith("hex")
    if not isinstance(mover, SearchPlayer):
        assert mover.spelling == "strong:seconds=1"
        mover.check()
    assert isinstance(player_for(resources, game, replace(seat, iterations=100), {}), SearchPlayer)
    assert isinstance(search_player_for(resources, game, seat), SearchPlayer)
