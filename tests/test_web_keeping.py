"""No game is lost: connections drop, servers are killed, and everything is where it was."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from web_page import PATIENCE, PERSONS, RANDOM, Client, make_sessions, page_at, serving
from websockets.exceptions import ConnectionClosed

from luozi.messages import LuoziError
from luozi.web import sessions as sessions_module
from luozi.web.limits import ServerLimits
from luozi.web.storage import Storage, storage_at

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
    with serving(make_sessions(file)) as client, page_at(client) as page:
        table = page.ask("new", game="gomoku:size=5", seats=[{"kind": "person", "name": "Ada"}, RANDOM])
        page.ask("play", text="c3")
        page.until_type("moved")
        page.ask("resign")
        before = page.ask("hello", table=table["table"], secret=table["secret"])
    with serving(make_sessions(file)) as client, page_at(client) as page:
        after = page.ask("hello", table=table["table"], secret=table["secret"])
        assert after == before | {"id": after["id"]}
        assert after["over"]["resigned"] == 0
        assert page.ask("undo")["over"] is None


def started(file: Path) -> tuple[subprocess.Popen[str], int]:
    """A server of its own process, which has said how to end it, and its port."""
    process = subprocess.Popen(
        [*START, "--sessions-db", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert any("Ctrl-C" in one for one in iter(process.stdout.readline, ""))
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
        process.communicate(timeout=PATIENCE)  # which closes its input
    finally:
        process.kill()
    assert process.returncode == 0


def test_a_server_that_is_killed_while_many_move_has_every_move_that_it_confirmed(tmp_path):
    file = tmp_path / "tables.db"
    process, port = started(file)
    confirmed: dict[str, tuple[str, int]] = {}
    killer = threading.Timer(0.5, process.kill)
    try:
        with page_at(Client(port, None)) as page:
            killer.start()
            with suppress(ConnectionClosed):
                while True:
                    table = page.ask("new", game="connect4", seats=PERSONS)
                    for number in range(1, 6):
                        confirmed[table["table"]] = (table["secret"], number - 1)
                        page.ask("play", action=number)
    finally:
        killer.join()
        process.communicate()
    assert confirmed
    with serving(make_sessions(file)) as client, page_at(client) as page:
        for name, (secret, moves) in confirmed.items():
            played = page.ask("hello", table=name, secret=secret)["moves"]
            assert [move["action"] for move in played] in (list(range(1, moves + 1)), list(range(1, moves + 2)))


def test_a_move_is_made_whole_though_who_made_it_is_gone_before_it_is_kept(tmp_path):
    sessions = make_sessions(tmp_path / "tables.db")
    with serving(sessions) as client, page_at(client) as other:
        with page_at(client) as page:
            table = page.ask("new", game="tictactoe", seats=PERSONS)
            other.ask("hello", table=table["table"], secret=table["secret"])
            held, free = threading.Event(), threading.Event()
            sessions.writer.pool.submit(lambda: (held.set(), free.wait(PATIENCE)))
            held.wait(PATIENCE)
            page.send("play", action=4)
            seats = sessions.by_id[table["table"]]
            while not seats.lock.locked():
                time.sleep(0.01)
            page.socket.socket.shutdown(socket.SHUT_RDWR)  # closing alone waits for the thread that reads
        loop = next(iter(sessions.tasks)).get_loop()
        while len(seats.connections) > 1:  # who is gone is noticed when something is said to them
            loop.call_soon_threadsafe(seats.broadcast, {"type": "news"})
            time.sleep(0.01)
        assert seats.lock.locked()
        free.set()
        assert other.until_type("moved")["action"] == 4
        assert other.ask("play", action=0)["number"] == 2


def test_a_file_that_another_program_holds_keeps_nobody_from_talking(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions_module, "PATIENCE_SECONDS", 1.0)
    file = tmp_path / "tables.db"
    with serving(make_sessions(file)) as client, page_at(client) as page, page_at(client) as other:
        table = page.ask("new", game="tictactoe", seats=PERSONS)
        holder = sqlite3.connect(file, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        page.send("play", action=4)
        while not client.sessions.by_id[table["table"]].lock.locked():
            time.sleep(0.01)
        assert other.ask("hello")["type"] == "welcome"
        assert client.json("/api/health")["tables"] == 1
        assert client.sessions.by_id[table["table"]].lock.locked()  # the others were served while it waited
        answer = page.until(lambda message: message.get("id") == page.number)
        assert answer["message"] == "the game can't be kept (another program holds the file), so nothing was changed"
        holder.execute("COMMIT")
        holder.close()
        assert page.ask("play", action=4)["number"] == 1


def small_disk(folder: Path, how: str) -> None:
    """A disk of its own."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", how, "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be made by root only")


def test_a_full_disk_gets_one_sentence_on_the_page_and_in_the_log_and_nothing_breaks(tmp_path, caplog):
    disk = tmp_path / "disk"
    small_disk(disk, "size=300k")
    try:
        with serving(make_sessions(disk / "tables.db")) as client, page_at(client) as page:
            table = page.ask("new", game="tictactoe", seats=PERSONS)
            (disk / "stuff").write_bytes(b"")
            with suppress(OSError), (disk / "stuff").open("wb", buffering=0) as file:
                while file.write(b"x" * 4096) == 4096:
                    pass
            answers = [page.ask("new", game="tictactoe", seats=PERSONS, moves=[4, 0, 8]) for _ in range(30)]
            sentence = "the game can't be kept (the disk is full), so nothing was changed"
            full = {"reason": {"template": "the disk is full", "values": {}}}
            told = {"template": "the game can't be kept ({reason}), so nothing was changed", "values": full}
            assert answers[-1] == {"type": "error", "message": sentence, "told": told, "id": page.number}
            assert [record.message for record in caplog.records].count(sentence) == 1
            (disk / "stuff").unlink()
            again = page.ask("hello", table=table["table"], secret=table["secret"])
            assert again["moves"] == []
            assert page.ask("play", action=4)["number"] == 1
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_folder_that_may_not_be_written_is_told_at_the_start(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LuoziError, match=r"Not a directory; name another file with --sessions-db$"):
        Storage(tmp_path / "file" / "folder" / "tables.db")
    small_disk(tmp_path / "disk", "ro")
    try:
        with pytest.raises(LuoziError, match=r"the file may not be written; name another file with --sessions-db$"):
            Storage(tmp_path / "disk" / "tables.db")
    finally:
        subprocess.run(["umount", "-l", str(tmp_path / "disk")], check=False)


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
        serving(make_sessions(file)) as first,
        serving(make_sessions(file)) as second,
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
        client.sessions.sweep(0.0)
        assert not client.sessions.by_id
        assert page.ask("play", action=0)["type"] == "error"
        assert len(page.ask("hello", table=table["table"], secret=table["secret"])["moves"]) == 1


@pytest.mark.long
def test_two_thousand_tables_take_little_memory_and_are_all_found_again(tmp_path):
    limits = ServerLimits(new_tables=10**6, place_new_tables=10**6, messages_each_second=10**6, engines=4)
    with serving(make_sessions(tmp_path / "tables.db", limits)) as client, page_at(client) as page:
        tables = [page.ask("new", game="gomoku", seats=PERSONS) for _ in range(100)]
        before = memory()
        took = []
        for _ in range(1900):
            began = time.monotonic()
            tables.append(page.ask("new", game="gomoku", seats=PERSONS))
            took.append(time.monotonic() - began)
        assert len(client.sessions.by_id) <= limits.open_tables
        assert memory() - before < 300
        early, late = sorted(took[:500])[250], sorted(took[-500:])[250]
        assert late < 5 * early + 0.05  # seconds, with many tables as with few
        for table in (tables[0], tables[1000], tables[-1]):
            assert page.ask("hello", table=table["table"], secret=table["secret"])["moves"] == []


def memory() -> float:
    """Megabytes that this process has in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_old_tables_make_room_for_new_ones_and_fresh_ones_stay():
    storage = Storage(None)
    for number in range(5):
        storage.add(str(number), "s", "tictactoe", {}, [(4, {})])
    storage.connection.execute("UPDATE tables SET used = ? WHERE id IN ('1', '3')", (time.time() - 90 * 86_400,))
    storage.forget_old(2)
    assert [storage.find(str(number)) is None for number in range(5)] == [False, True, False, True, False]
    assert storage.connection.execute("SELECT count(*) FROM moves").fetchone() == (3,)


def test_tables_without_a_move_make_room_soon_and_first():
    storage = Storage(None)
    for number in range(4):
        storage.add(str(number), "s", "tictactoe", {}, [(4, {})] if number % 2 else [])
    storage.connection.execute("UPDATE tables SET used = ? WHERE id != '0'", (time.time() - 2 * 3600,))
    storage.forget_old(1)
    assert [storage.find(str(number)) is None for number in range(4)] == [False, False, True, False]


def test_another_programs_file_is_left_alone(tmp_path):
    file = tmp_path / "other.db"
    file.write_bytes(b"something else entirely" * 100)
    with pytest.raises(LuoziError, match="name another"):
        Storage(file)
    assert file.read_bytes().startswith(b"something else")


def test_another_programs_file_with_the_same_number_of_a_format_stays_where_it_is(tmp_path):
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (a)")
        connection.execute("PRAGMA user_version=1")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LuoziError, match="another program's database"):
        storage_at(path)
    assert [path.read_bytes(), *tmp_path.iterdir()] == [before, path]


def test_what_cannot_be_kept_is_not_done_and_a_program_does_not_try_for_ever(tmp_path):
    sessions = make_sessions(tmp_path / "tables.db")
    with serving(sessions) as client, page_at(client) as page:
        table = page.ask("new", game="tictactoe", seats=[{"kind": "person"}, RANDOM])
        page.ask("play", action=4)
        page.until_type("moved")
        before = page.ask("hello", table=table["table"], secret=table["secret"])
        sessions.storage.connection.execute("PRAGMA query_only=1")  # as a disk that is full
        program = {"seat": 0, "kind": "player", "name": "random"}
        for message, values in (("resign", {}), ("undo", {}), ("seat", program)):
            assert "can't be kept" in page.ask(message, **values)["message"]
        after = page.ask("hello", table=table["table"], secret=table["secret"])
        assert after == before | {"id": after["id"]}
        sessions.storage.connection.execute("PRAGMA query_only=0")
        page.ask("undo", moves=1)  # now the program is to move, and waits
        sessions.storage.connection.execute("PRAGMA query_only=1")
        page.ask("go_on")
        page.until_type("trouble")
        assert page.until_type("table")["paused"]
        assert page.ask("leave")["type"] == "welcome"
        assert "trouble" not in [message["type"] for message in page.news]
