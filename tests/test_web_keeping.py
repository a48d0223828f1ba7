"""No game is lost: connections drop, servers are killed, and everything is where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from web_page import PATIENCE, PERSONS, RANDOM, Client, make_hall, page_at, serving

from luozi.errors import LuoziError
from luozi.servers.web.storage import Storage

START = [sys.executable, "-m", "luozi.cli", "serve", "--port", "0", "--no-open", "--threads", "1"]


def test_a_dropped_connection_comes_back_to_the_same_game():
    with serving() as client:
        with page_at(client) as page:
            table = page.ask("new", game="tictactoe", seats=PERSONS)
            page.ask("play", action=4)
            page.socket.socket.close()  # without a word
        with page_at(client) as page:
            again = page.ask("hello", table=table["table"], secret=table["secret"])
            assert [move["action"] for move in again["moves"]] == [4]
            assert page.ask("play", action=0)["number"] == 2


def test_a_table_is_found_only_with_its_own_secret():
    with serving() as client, page_at(client) as one, page_at(client) as other:
        mine, theirs = (page.ask("new", game="tictactoe", seats=PERSONS) for page in (one, other))
        assert mine["table"] != theirs["table"]
        wrong = [(mine["table"], theirs["secret"]), (mine["table"], ""), ("", mine["secret"]), ("no", "no")]
        answers = {other.ask("hello", table=table, secret=secret)["message"] for table, secret in wrong}
        assert len(answers) == 1  # nothing is told of whether there is such a table
        assert other.ask("play", action=4)["type"] == "moved"  # who failed stays where they were
        assert one.ask("goto", move=0)["view"]["pieces"] == []
        for secret in ("", theirs["secret"]):
            assert client.get(f"/api/tables/{mine['table']}/record", X_Secret=secret)[0] == 400
        status, record, _ = client.get(f"/api/tables/{mine['table']}/record", X_Secret=mine["secret"])
        assert status == 200
        assert record.startswith(b"luozi record")


def test_what_is_kept_is_all_of_the_game(tmp_path):
    file = tmp_path / "tables.db"
    with serving(make_hall(file)) as client, page_at(client) as page:
        table = page.ask("new", game="gomoku:size=5", seats=[{"kind": "person", "name": "Ada"}, RANDOM])
        page.ask("play", text="c3")
        page.until_type("moved")
        page.ask("resign")
        before = page.ask("hello", table=table["table"], secret=table["secret"])
    with serving(make_hall(file)) as client, page_at(client) as page:
        after = page.ask("hello", table=table["table"], secret=table["secret"])
        assert after == before | {"id": after["id"]}
        assert after["over"]["resigned"] == 0
        assert page.ask("undo")["over"] is None


def started(file: Path) -> tuple[subprocess.Popen[str], int]:
    """A server of its own process, and its port."""
    process = subprocess.Popen(
        [*START, "--tables", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    return process, int(line.strip().rstrip("/").rpartition(":")[2])


def test_a_server_that_is_killed_loses_nothing_and_the_next_one_ends_with_its_input(tmp_path):
    file = tmp_path / "tables.db"
    process, port = started(file)
    try:
        with page_at(Client(port, None)) as page:
            table = page.ask("new", game="tictactoe", seats=PERSONS)
            for action in (4, 0, 8):
                page.ask("play", action=action)
            process.send_signal(signal.SIGKILL)
            process.wait()
    finally:
        process.kill()
        process.communicate()
    process, port = started(file)
    try:
        with page_at(Client(port, None)) as page:
            again = page.ask("hello", table=table["table"], secret=table["secret"])
            assert [move["action"] for move in again["moves"]] == [4, 0, 8]
        output, _ = process.communicate(timeout=PATIENCE)  # which closes its input
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Ctrl-C" in output


def test_a_server_that_is_told_twice_to_end_says_nothing_about_it(tmp_path):
    process, port = started(tmp_path / "tables.db")
    try:
        with page_at(Client(port, None)) as page:
            page.ask("new", game="tictactoe", seats=PERSONS)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, "")


def test_two_servers_with_one_file_never_mix_two_courses_of_a_game(tmp_path):
    file = tmp_path / "tables.db"
    with (
        serving(make_hall(file)) as first,
        serving(make_hall(file)) as second,
        page_at(first) as one,
        page_at(second) as other,
    ):
        table = one.ask("new", game="tictactoe", seats=PERSONS)
        seat = {"table": table["table"], "secret": table["secret"]}
        other.ask("hello", **seat)
        one.ask("play", action=4)
        one.ask("play", action=0)
        for message in ({"kind": "play", "action": 8}, {"kind": "undo", "moves": 1}):
            kind = message.pop("kind")
            assert other.ask(kind, **message)["type"] == "error"
        other.ask("leave")
        assert [move["action"] for move in other.ask("hello", **seat)["moves"]] == [4, 0]
        assert other.ask("undo", moves=2)["type"] == "table"
        assert "another server" in one.ask("play", action=8)["message"]


def test_tables_nobody_uses_leave_the_memory_and_are_found_again():
    with serving() as client, page_at(client) as page:
        table = page.ask("new", game="tictactoe", seats=PERSONS)
        page.ask("play", action=4)
        page.ask("leave")
        client.hall.sweep(0.0)
        assert not client.hall.tables
        assert page.ask("play", action=0)["type"] == "error"
        assert len(page.ask("hello", table=table["table"], secret=table["secret"])["moves"]) == 1


def test_old_tables_make_room_for_new_ones_and_fresh_ones_stay():
    storage = Storage(None)
    for number in range(5):
        storage.add(str(number), "s", "tictactoe", {}, [(4, {})])
    storage.connection.execute("UPDATE tables SET used = ? WHERE id IN ('1', '3')", (time.time() - 90 * 86_400,))
    storage.forget_old(2)
    assert [storage.find(str(number)) is None for number in range(5)] == [False, True, False, True, False]
    assert storage.connection.execute("SELECT count(*) FROM moves").fetchone() == (3,)


def test_another_programs_file_is_left_alone(tmp_path):
    file = tmp_path / "other.db"
    file.write_bytes(b"something else entirely" * 100)
    with pytest.raises(LuoziError, match="name another"):
        Storage(file)
    assert file.read_bytes().startswith(b"something else")


def test_what_cannot_be_kept_is_not_done_and_a_program_does_not_try_for_ever(tmp_path):
    hall = make_hall(tmp_path / "tables.db")
    with serving(hall) as client, page_at(client) as page:
        table = page.ask("new", game="tictactoe", seats=[{"kind": "person"}, RANDOM])
        page.ask("play", action=4)
        page.until_type("moved")
        before = page.ask("hello", table=table["table"], secret=table["secret"])
        hall.storage.connection.execute("PRAGMA query_only=1")  # as a disk that is full
        program = {"seat": 0, "kind": "player", "name": "random"}
        for message, values in (("resign", {}), ("undo", {}), ("seat", program)):
            assert "can't be kept" in page.ask(message, **values)["message"]
        after = page.ask("hello", table=table["table"], secret=table["secret"])
        assert after == before | {"id": after["id"]}
        hall.storage.connection.execute("PRAGMA query_only=0")
        page.ask("undo", moves=1)  # now the program is to move, and waits
        hall.storage.connection.execute("PRAGMA query_only=1")
        page.ask("go_on")
        page.until_type("trouble")
        assert page.until_type("table")["paused"]
        assert page.ask("leave")["type"] == "welcome"
        assert "trouble" not in [message["type"] for message in page.news]
