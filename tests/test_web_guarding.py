"""Who may talk to the page's server, what it offers, and what no message can do."""

from __future__ import annotations

import http.client
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web_page import PERSONS, make_sessions, page_at, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from luozi.messages import LuoziError
from luozi.web.access_control import AccessControl, is_loopback
from luozi.web.catalog import Catalog
from luozi.web.limits import ServerLimits
from luozi.web.protocol import REQUESTS, read_request
from luozi.web.server import ServerOptions, access_for, address_of


@pytest.fixture(scope="module")
def client():
    with serving() as found:
        yield found


def refused(client, **headers) -> bool:
    """Whether the socket stays closed."""
    try:
        with page_at(client, **headers):
            return False
    except (InvalidStatus, ConnectionClosed):
        return True


def test_only_pages_of_the_server_itself_may_open_the_socket(client):
    own = f"http://127.0.0.1:{client.port}"
    assert not refused(client)
    assert not refused(client, origin=own)
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"{own}.evil.example", "file://", "http://["):
        assert refused(client, origin=origin)
        assert client.get("/api/health", Origin=origin)[0] == 403


def test_no_other_page_makes_the_server_work_by_a_picture_of_it(client):
    for site, mode, status in (
        ("cross-site", "no-cors", 403),
        ("same-site", "no-cors", 403),
        ("cross-site", "navigate", 200),
    ):
        assert client.get("/api/health", Sec_Fetch_Site=site, Sec_Fetch_Mode=mode)[0] == status
    assert client.get("/api/health", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors")[0] == 200


def test_a_name_that_is_not_the_servers_is_refused(client):
    assert client.get("/api/health", Host=f"localhost:{client.port}")[0] == 200
    assert client.get("/api/health", Host="evil.example")[0] == 403
    assert client.get("/api/health", Host="")[0] == 403


def test_elsewhere_than_on_loopback_a_token_is_needed():
    assert access_for(ServerOptions()).token == ""
    drawn = access_for(ServerOptions(host="0.0.0.0"))
    assert len(drawn.token) > 20
    assert drawn.token != access_for(ServerOptions(host="0.0.0.0")).token
    assert is_loopback("::1")
    with serving(access=AccessControl("the token", ())) as client:
        assert client.get("/api/health")[0] == 403
        assert client.get("/api/health", Authorization="Bearer wrong")[0] == 403
        assert client.get("/api/health", Authorization="Bearer the token")[0] == 200
        assert refused(client)
        assert not refused(client, Authorization="Bearer the token")
        status, _, headers = client.get("/?token=the%20token")
        assert (status, headers["location"]) == (303, "/")
        assert "HttpOnly" in headers["set-cookie"]
        assert "samesite=strict" in headers["set-cookie"].lower()
        cookie = headers["set-cookie"].partition(";")[0]
        assert client.get("/api/health", Cookie=cookie)[0] == 200
        assert not refused(client, Cookie=cookie)
        assert client.get("/?token=wrong")[0] == 403


def test_any_token_opens_the_server_that_was_started_with_it():
    token = "落 子&#;"
    asked = address_of("127.0.0.1", 80, token).removeprefix("http://127.0.0.1:80")
    with serving(access=AccessControl(token, ())) as client:
        status, _, headers = client.get(asked)
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].partition(";")[0]
        assert client.get("/api/health", Cookie=f"another{{program}}=1; {cookie}")[0] == 200
        assert client.get("//evil.example/" + asked[1:])[2]["location"] == "/evil.example/"


@pytest.mark.parametrize(
    "spelling",
    ["my_game.py", "/etc/passwd", "../x.py", "openspiel:name=chess", "tictactoe.py", "", "nosuch", "gomoku:size=x"],
)
def test_a_game_is_one_of_the_house_whatever_a_page_writes(client, spelling, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_game.py").write_text("raise SystemExit('run')")
    with page_at(client) as page:
        assert page.ask("new", game=spelling)["type"] == "error"
        record = f"luozi record 2\ngame: {spelling}\nplayers: a | b\n\n"
        assert page.ask("load", text=record)["type"] == "error"


@pytest.mark.parametrize(
    "record", ["luozi record 2\ngame: go:size=5\nplayers: {0} | {0}\n\n", "(;SZ[5]PB[{0}]PW[{0}];B[cc])"]
)
def test_a_record_that_is_loaded_starts_no_program(client, record, tmp_path):
    started = tmp_path / "started"
    with page_at(client) as page:
        table = page.ask("load", text=record.format(f"gtp:touch {started}"))
    assert table["type"] == "table"
    assert "gtp" not in str(table)
    assert not started.exists()


def test_a_game_of_the_users_own_is_offered_by_its_name(tmp_path):
    file = tmp_path / "堆.py"
    file.write_text(
        "import luozi\nclass Pile(luozi.Game):\n"
        "    '''Take one or two.'''\n"
        "    players, actions, max_length = 2, 2, 7\n"
        "    state = [('left', 'i2'), ('to_move', 'i1')]\n"
        "    def start(self, state): state.left = 7\n"
        "    def current_player(self, state): return state.to_move\n"
        "    def is_legal(self, state, action): return action < state.left\n"
        "    def apply_action(self, state, action):\n"
        "        state.left -= action + 1\n        state.to_move = 1 - state.to_move\n"
        "    def is_terminal(self, state): return state.left == 0\n"
        "    def returns(self, state, returns):\n"
        "        returns[1 - state.to_move], returns[state.to_move] = 1, 0\n"
    )
    with serving(make_sessions(own=[str(file)])) as client, page_at(client) as page:
        assert client.json("/api/games")[-1]["name"] == "堆"
        table = page.ask("new", game="堆", seats=PERSONS)
        assert table["board"] is None
        assert client.json("/api/games/%E5%A0%86")["notes"]["strong"].startswith("strong was not measured on 堆:")
        assert page.ask("play", action=1)["view"]["moves"]
        saved = page.ask("save", format="text")["text"]
        assert "game: 堆.py\n" in saved
        assert str(tmp_path) not in saved
        status, record, headers = client.get(f"/api/tables/{table['table']}/record", X_Secret=table["secret"])
        assert (status, record.decode()) == (200, saved)
        assert headers["content-disposition"].endswith("''%E5%A0%86.txt")
        assert page.ask("load", text=saved)["game"] == "堆"
        assert page.ask("new", game=str(file))["type"] == "error"


@pytest.mark.parametrize(
    "seat",
    [
        {"kind": "player", "name": "gtp", "options": {"command": "sh"}},
        {"kind": "player", "name": "gtp:sh"},
        {"kind": "player", "name": "library"},
        {"kind": "program", "name": "gnugo"},
        {"kind": "player", "name": "mcts", "seconds": 10**6},
        {"kind": "player", "name": "mcts", "iterations": 10**15},
        {"kind": "player", "name": "mcts", "options": {"threads": 64}},
        {"kind": "player", "name": "mcts", "options": {"max_memory_mb": 10**5}},
        {"kind": "player", "name": "mcts", "options": {"nodes": 10**9}},
        {"kind": "player", "name": "mcts", "options": {"c": "0.7,threads=64"}},
        {"kind": "player", "name": "mcts", "options": {"c=1,threads": 64}},
        {"kind": "player", "name": "exact", "options": {"table": 1024}},
        {"kind": "player", "name": "level", "level": 11},
        {"kind": "nobody"},
        {},
    ],
)
def test_no_seat_runs_a_command_or_takes_more_than_the_server_allows(client, seat):
    with page_at(client) as page:
        answer = page.ask("new", game="tictactoe", seats=[seat])
        assert answer["type"] == "error"
        assert page.ask("hello")["type"] == "welcome"


def test_boards_that_are_too_large_for_a_page_are_refused_soon(client):
    with page_at(client) as page:
        for game in ("gomoku:size=45", "lines:rows=1000", "five3d:size=12", "go:size=26"):
            assert page.ask("new", game=game)["type"] == "error"


def test_a_message_that_is_too_long_ends_the_connection_and_nothing_else():
    with serving(make_sessions(limits=ServerLimits(message_bytes=5000, engines=4))) as client, page_at(client) as other:
        with page_at(client) as page:
            page.socket.send(json.dumps({"type": "load", "text": "x" * 10_000}))
            with pytest.raises(ConnectionClosed):
                page.until_type("nothing")
        assert other.ask("hello")["type"] == "welcome"


def test_too_many_new_tables_are_refused():
    with (
        serving(make_sessions(limits=ServerLimits(new_tables=2, open_tables=2, engines=4))) as client,
        page_at(client) as page,
    ):
        answers = [page.ask("new", game="tictactoe", seats=PERSONS)["type"] for _ in range(3)]
        assert answers == ["table", "table", "error"]
    limits = ServerLimits(open_tables=1, engines=4)
    with serving(make_sessions(limits=limits)) as client, page_at(client) as one, page_at(client) as other:
        assert one.ask("new", game="tictactoe", seats=PERSONS)["type"] == "table"
        assert other.ask("new", game="tictactoe", seats=PERSONS)["type"] == "error"


def test_tables_that_are_found_again_take_no_more_room_than_new_ones():
    sessions = make_sessions(limits=ServerLimits(open_tables=2, engines=4))
    with serving(sessions) as client, page_at(client) as page:
        tables = [page.ask("new", game="tictactoe", seats=PERSONS) for _ in range(5)]
        for table in tables:
            assert client.get(f"/api/tables/{table['table']}/record", X_Secret=table["secret"])[0] == 200
            assert len(sessions.by_id) <= 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted({name for kind in REQUESTS.values() for name in kind.__struct_fields__} - {"id"})


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*REQUESTS, "nosuch"]), st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4))
def test_any_message_is_read_whole_or_refused_with_a_sentence(kind, values):
    sentence, message = "", None
    try:
        message = read_request(json.dumps({"type": kind, "id": 1, **values}), ServerLimits())
    except LuoziError as error:
        sentence = str(error)
    assert sentence if message is None else type(message) is REQUESTS[kind]


@pytest.mark.parametrize(
    "text", ["", "[", "{}", "[]", "1", '{"type": 1}', '{"type": "play"', "\0", '{"type": "nosuch"}']
)
def test_what_is_no_message_gets_one_sentence(client, text):
    with page_at(client) as page:
        page.socket.send(text)
        assert page.until_type("error")["message"]
        assert page.ask("hello")["type"] == "welcome"


PIECES = [
    *("api", "games", "results", "whole", "tables", "record", "lessons", "uct", "report", "socket", "health"),
    *("players", "..", "%2e%2e", "%00", "%ff", "%", ";", "1", "?format=gif", "?from=-1&count=x", "?seed=1e9"),
    *("?token=", "gomoku:size=9", "gomoku:size=%27", "my_game.py", "tuning%20x", "%E5%A0%86", "'\"<script>", "{}"),
    *("__class__", "x" * 500),
]


def test_whatever_address_is_asked_for_nothing_breaks(client):
    rng = random.Random(1)
    for _ in range(150):
        address = "/" + "/".join(rng.choices(PIECES, k=rng.randrange(1, 6)))
        method, value = rng.choice(["GET", "GET", "GET", "POST", "PUT", "HEAD", "NONSENSE"]), rng.choice(PIECES)
        connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
        connection.putrequest(method, address)
        connection.putheader(rng.choice(["X-Secret", "Range", "Cookie", "Content-Length", "Accept"]), value)
        connection.endheaders()
        try:
            answer = connection.getresponse()
            assert answer.status < 500 or answer.status == 503, address  # 503: the page is not built
            answer.read()
        finally:
            connection.close()
    assert client.json("/api/health")["tables"] >= 0


def test_a_server_without_its_page_says_how_to_build_it(client):
    status, content, headers = client.get("/")
    if status == 503:
        assert b"make page" in content
    assert "default-src 'self'" in headers["content-security-policy"]
    assert client.get("/api/nosuch")[0] in (404, 503)
    assert client.get("/../../etc/passwd")[0] in (400, 404)


def test_outside_programs_of_the_command_line_are_checked():
    assert Catalog(programs={"gnugo": "gnugo --mode gtp"}).programs["gnugo"] == "gtp:gnugo --mode gtp"
    with pytest.raises(LuoziError, match="letters and digits"):
        Catalog(programs={"a/b": "gnugo"})
