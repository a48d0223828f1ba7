"""What a page says names no file, no command and no code, wherever it says it: seats, games, records, stored tables."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from web_page import PERSONS, make_sessions, page_at, serving

from luozi.messages import LuoziError
from luozi.players import PLAYERS
from luozi.util.parameters import Parameter, ParameterInfo
from luozi.web import storage as storage_module
from luozi.web.catalog import Catalog
from luozi.web.limits import ServerLimits
from luozi.web.openings import restored
from luozi.web.requests import SeatChoice
from luozi.web.seats import ALLOWED, KEPT_BACK, read_seat
from luozi.web.storage import Storage, storage_at

MANY = ServerLimits(
    engines=16, messages_at_once=10**6, place_messages_at_once=10**6, new_tables=10**6, place_new_tables=10**6
)
VAGUE = "something went wrong"
RECORD = "luozi record 2\ngame: {game}\nplayers: {player} | random\n\n1. X b2\n"
GAME = "tictactoe"


def mine(text: str) -> str:
    """A game's file that shows when it runs."""
    return f"import luozi, pathlib\npathlib.Path({text!r}).write_text('it ran')\nclass G(luozi.Game): pass\n"


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Names of files that are there, and of the same that are not; reading a pipe would never end."""
    monkeypatch.chdir(tmp_path)
    for folder in ("here", "gone"):
        Path(folder).mkdir()
    Path("here/weights.npz").write_bytes(b"PK")
    Path("here/game.py").write_text(mine(str(tmp_path / "ran")))
    os.mkfifo("here/pipe")
    kinds = ["weights.npz", "game.py", "pipe", "game.py:G"]
    pairs = [(f"{tmp_path}/here/{kind}", f"{tmp_path}/gone/{kind}") for kind in kinds]
    return [
        *pairs,
        ("here/game.py", "gone/game.py"),
        ("/dev/zero", "/dev/none"),
        ("../../../etc/passwd", "../../../etc/absent"),
    ]


def seats_with(text: str) -> list[dict[str, Any]]:
    """Seats that hold a text where an option, a name or a command could be."""
    player = {"kind": "player", "name": "mcts"}
    options = [
        {"network": text},
        {"heuristic_weights": text},
        {"playing_style": text},
        {"selection": text},
        {"command": text},
    ]
    searching = [{**player, "options": one} for one in options]
    strong = [{**player, "name": "strong", "options": {"network": text, "seed": 1}}]
    others = [
        {"kind": "player", "name": one} for one in (text, f"gtp:{text}", f"connect4_library:{text}", "gtp", "library")
    ]
    return [*searching, *strong, *others, {"kind": "program", "name": text}]


def messages_with(text: str) -> list[dict[str, Any]]:
    """Messages that hold a text where it could be taken for the name of a file."""
    person = {"kind": "person"}
    games = [text, f"gomoku:blocked={text}", f"go:black={text}", f"hex:position={text}", f"nim:heaps={text}"]
    records = [
        RECORD.format(game=text, player="a"),
        json.dumps({"game": text, "moves": []}),
        f"(;GM[{text}]SZ[{text}])",
    ]
    return [
        *({"type": "new", "game": GAME, "seats": [person, seat]} for seat in seats_with(text)),
        *({"type": "seat", "seat": 1, **seat} for seat in seats_with(text)),
        *({"type": "walk", "player": seat} for seat in seats_with(text)),
        *({"type": "walk", "options": seat.get("options", {})} for seat in seats_with(text)[:5]),
        *({"type": "new", "game": game} for game in games),
        *({"type": "paste", "game": game, "text": "b2"} for game in games),
        *({"type": "edit", "game": game, "pieces": []} for game in games),
        *({"type": kind, "text": one} for kind in ("load", "paste") for one in records),
        {"type": "hello", "table": text, "secret": text},
        {"type": "play", "text": text},
        {"type": "save", "format": text},
    ]


def told(page, message: dict[str, Any]) -> dict[str, Any]:
    """The answer to a message."""
    page.number += 1
    page.socket.send(json.dumps({**message, "id": page.number}))
    return page.until(lambda one: one.get("id") == page.number)


def test_no_text_of_a_page_is_the_name_of_a_file(names, tmp_path):
    with serving(make_sessions(limits=MANY)) as client, page_at(client) as page:
        page.ask("new", game=GAME, seats=PERSONS)
        for pair in names:
            for one, other in zip(*map(messages_with, pair), strict=True):
                answers = [told(page, message) for message in (one, other)]
                assert {answer["type"] for answer in answers} == {"error"}, one
                said = [re.sub(r"here|gone|zero|none|passwd|absent", "?", answer["message"]) for answer in answers]
                assert len({re.split("; | such as ", one)[0] for one in said}) == 1  # nothing is told of what is there
                assert VAGUE not in said[0]
            for address in ("/api/games/{}", "/api/results/{}", "/api/results/whole/{}", "/{}", "/api/lessons/{}"):
                assert {client.get(address.format(text.lstrip("/")))[0] for text in pair} <= {400, 404}
        assert page.ask("play", action=4)["type"] == "moved"
    assert not (tmp_path / "ran").exists()


def test_a_search_without_simulations_takes_a_seat_where_a_board_has_points():
    """The server asks for owners of points only where simulations count them."""
    static = {"kind": "player", "name": "mcts", "options": {"evaluation": "static"}, "iterations": 10}
    with serving() as client, page_at(client) as page:
        assert page.ask("new", game="othello:size=4", seats=[{"kind": "person"}, static])["type"] == "table"
        assert page.ask("walk", player=static)["type"] == "step"


def test_options_take_numbers_and_names_that_are_offered():
    options = {"network": "gomoku", "playing_style": "bold+cautious", "heuristic_weights": "pattern:0.9", "c": "0.5"}
    for name, value in options.items():
        assert read_seat(SeatChoice("player", "mcts", options={name: value}), {}).options


@pytest.mark.parametrize("name", ALLOWED)
def test_no_option_of_any_player_takes_a_text_that_is_not_offered(name):
    offered = next(one for one in Catalog().players() if one.name == name)
    for option in (one.name for one in offered.parameters):
        for text in ("/dev/zero", "x.py", "../networks/gomoku", "gomoku.npz", "~/x", "a:/dev/zero"):
            with pytest.raises(LuoziError):
                read_seat(SeatChoice("player", name, options={option: text}), {})
    for parameter in PLAYERS[name].parameters.values():
        listed = parameter.offered or parameter.about.parts
        assert parameter.kind is not str or listed or parameter.name in KEPT_BACK


def test_a_new_option_takes_no_text_until_it_says_which():
    new = Parameter("new", str, "", ParameterInfo("of any kind"))
    for text in ("/dev/zero", "gomoku"):
        with pytest.raises(LuoziError, match="is not offered here"):
            new.convert_offered(text, "mcts")
    assert new.convert("gomoku", "mcts") == "gomoku"  # on the command line it takes all


@pytest.fixture
def own_game(tmp_path):
    """A game of the user's own that reads a file."""
    game = tmp_path / "mine.py"
    game.write_text(
        "from luozi.games import tictactoe\nimport luozi\nfrom luozi.games.lines.rules import Lines\n"
        "class Mine(Lines):\n    def __init__(self, file: str = '', size: int = 3):\n"
        "        self.text = open(file).read() if file else ''\n        super().__init__(1, size, size, 3)\n"
    )
    (tmp_path / "map").write_text("a map")
    return f"{game}:file={tmp_path / 'map'}"


def test_a_game_of_the_users_own_reads_only_the_file_of_the_command_line(own_game, names):
    catalog = Catalog([own_game])
    assert catalog.game("mine").text == "a map"
    assert catalog.game("mine:size=4").actions == 16
    assert catalog.game(catalog.inside_spelling(catalog.game("mine:size=4").spelling)).actions == 16
    for text in (*sum(names, ()), "map"):
        with pytest.raises(LuoziError, match="is not offered here"):
            catalog.game(f"mine:file={text}")
    with pytest.raises(LuoziError, match="1,000 at most"):
        catalog.game("mine:size=1000000")


@pytest.mark.parametrize("field", ["name", "level", "seconds", "iterations", "options"])
def test_null_in_a_seat_is_as_if_it_were_not_there(field):
    with serving() as client, page_at(client) as page:
        for kind, name in (("person", "Ada"), ("player", "random"), ("player", "level"), ("player", "mcts")):
            seat = {"kind": kind, "name": name, field: None}
            answer = page.ask("new", game=GAME, seats=[{"kind": "person"}, seat])
            assert answer["type"] == "table", answer
            answer = told(page, {"type": "seat", "seat": 1, **seat})
            assert answer["type"] == "table", answer
        seat = {"kind": "player", "name": "mcts", field: None}
        assert told(page, {"type": "walk", "player": seat})["type"] == "step"
        assert told(page, {"type": "new", "game": GAME, "seats": [None, seat]})["type"] == "error"
        assert told(page, {"type": "new", "game": GAME, "seats": [{"kind": None}]})["type"] == "error"


# Tables that were kept ------------------------------------------------------------------------------------------------


def changed(file: Path, command: str, *values: Any) -> None:
    """What somebody else wrote into the file of tables."""
    connection = sqlite3.connect(file)
    with connection:
        connection.execute(command, values)
    connection.close()


@pytest.fixture
def kept(tmp_path):
    """A file of tables with one game in it, and what finds that game again."""
    file = tmp_path / "tables.db"
    with serving(make_sessions(file)) as client, page_at(client) as page:
        table = page.ask("new", game=GAME, seats=PERSONS)
        page.ask("play", action=4)
    return file, {"table": table["table"], "secret": table["secret"]}


def test_seats_of_kept_tables_name_no_files_either(kept, names, tmp_path):
    file, found = kept
    for text in sum(names[::2], ()):
        for seat in seats_with(text):
            about = {"seats": [{"kind": "person"}, {**seat, "spelling": f"mcts:network={text}"}]}
            changed(file, "UPDATE tables SET about = ?", json.dumps(about))
            course = restored(Catalog(), Storage(file).find(found["table"]))
            assert [one.kind for one in course.seats] == ["person", "person"]
        changed(file, "UPDATE tables SET game = ?", text)
        with pytest.raises(LuoziError):
            restored(Catalog(), Storage(file).find(found["table"]))
        changed(file, "UPDATE tables SET game = ?", GAME)
    assert not (tmp_path / "ran").exists()


DAMAGES = [
    *("UPDATE tables SET about = ? WHERE id = ?", "UPDATE tables SET game = ? WHERE id = ?"),
    *("UPDATE tables SET secret = ? WHERE id = ?", "UPDATE moves SET action = ? WHERE owner = ?"),
    *("UPDATE moves SET data = ? WHERE owner = ?", "UPDATE moves SET number = ? WHERE owner = ?"),
    "INSERT INTO findings SELECT id, 0, ? FROM tables WHERE id = ?",
]
VALUES = [
    *("", "null", "[]", "1", "{", "[" * 10_000, '{"seats": null}', '{"seats": [null, 7, []]}', '{"seconds": "x"}'),
    *('{"seats": [{"kind": "player", "name": null, "options": null}]}', '{"resigned": "x", "forfeit": [], "date": {}}'),
    *('{"thought": {"iterations": null}}', '{"candidates": [[null]]}', '{"remark": 7}', b"\xff\xfe", -1, 9, 2**62, 1.5),
]


def test_a_damaged_table_is_one_clear_sentence_and_the_server_goes_on(kept):
    file, found = kept
    spoilt = list(product(DAMAGES, VALUES))
    connection = sqlite3.connect(file)
    with connection:
        for number, (command, value) in enumerate(spoilt):
            name = f"k{number}"
            row = "SELECT ?, secret, game, about, made, used FROM tables WHERE id = ?"
            connection.execute(f"INSERT INTO tables {row}", (name, found["table"]))
            connection.execute("INSERT INTO moves VALUES (?, 1, 4, '{}')", (name,))
            connection.execute(command, (value, name))
    connection.close()
    with serving(make_sessions(file, MANY)) as client, page_at(client) as page:
        for number, tried in enumerate(spoilt):
            answer = page.ask("hello", table=f"k{number}", secret=found["secret"])
            assert answer["type"] in ("table", "error"), tried
            assert VAGUE not in str(answer), tried
        assert page.ask("hello", **found)["type"] == "table"


@pytest.mark.parametrize(
    "command",
    [
        "ALTER TABLE tables DROP COLUMN secret",
        "ALTER TABLE moves RENAME COLUMN data TO other",
        "DROP TABLE findings",
        "CREATE TRIGGER t AFTER INSERT ON moves BEGIN DELETE FROM tables; END",
    ],
)
def test_a_damaged_file_is_kept_aside_and_the_server_starts_with_a_new_one(kept, command, warned):
    file, found = kept
    changed(file, command)
    before = file.read_bytes()
    storage = storage_at(file)
    assert (storage.count(), storage.find(found["table"])) == (0, None)
    assert file.with_name("tables.db.damaged-1").read_bytes() == before
    kept_as = "it is kept as 'tables.db.damaged-1', and a new file begins"
    assert warned == [f"'{file}' is damaged: its tables are not those of games; {kept_as}"]


@pytest.mark.parametrize("where", [20, 4096, 8192])
def test_so_is_one_whose_bytes_are_damaged(kept, where, warned):
    file, found = kept
    changed(file, "PRAGMA journal_mode=DELETE")
    content = bytearray(file.read_bytes())
    content[where : where + 2000] = b"\xa5" * 2000
    file.write_bytes(content)
    storage = storage_at(file)
    assert (storage.count(), storage.find(found["table"])) == (0, None)
    assert file.with_name("tables.db.damaged-1").read_bytes() == bytes(content)
    assert "is damaged: games can't be kept in it; it is kept as 'tables.db.damaged-1'" in warned[0]


@pytest.fixture
def warned(monkeypatch):
    """What is said to who starts the server."""
    said = []
    monkeypatch.setattr(storage_module, "warn_once", lambda _kind, sentence: said.append(sentence))
    return said


@pytest.mark.parametrize("name", ["/dev/zero", "here/pipe", "here"])
def test_games_are_kept_in_a_file_and_nowhere_else(names, name):
    with pytest.raises(LuoziError, match="a folder, a device or a pipe"):
        Storage(Path(name))
