"""Nobody who asks for much keeps the engines, threads and tables of the page's server from others."""

from __future__ import annotations

import asyncio
import http.client
import threading
import time
from contextlib import ExitStack

import pytest
from web_page import PATIENCE, PERSONS, make_sessions, page_at, serving

import luozi
from luozi.limits import NEVER, NO_LIMITS
from luozi.players.base import Player
from luozi.web import shares
from luozi.web.game_history import GameHistory
from luozi.web.limits import ServerLimits
from luozi.web.seat_players import Job, OtherPlayer
from luozi.web.sessions import OPENING_THREADS
from luozi.web.shares import CLIENT, Threads

GAME = "tictactoe:size=4"
SLOW = {"kind": "player", "name": "mcts", "seconds": 60.0}  # proves nothing soon
QUICK = {"kind": "player", "name": "mcts", "seconds": 0.05}
HERE = {"seats": [{"kind": "person"}, QUICK]}


def elsewhere(number: int) -> dict[str, str]:
    """An address, as a server before this one says it."""
    return {"X_Forwarded_For": f"192.0.2.{number}"}


def open_many(page, count: int, program=SLOW) -> list[dict]:
    """So many tables, at each of which a program begins to think."""
    return [page.ask("new", game=GAME, seats=[program, program]) for _ in range(count)]


def plays_at_once(page) -> None:
    """A new game, in which a program answers."""
    assert page.ask("new", game=GAME, **HERE)["type"] == "table"
    assert page.ask("play", action=0)["type"] == "moved"
    assert page.until(lambda message: message["type"] in ("moved", "trouble"))["type"] == "moved"


def test_two_hundred_tables_from_four_connections_keep_nobody_waiting():
    sessions = make_sessions(limits=ServerLimits())
    with serving(sessions) as client, page_at(client) as other, ExitStack() as held:
        attackers = [held.enter_context(page_at(client)) for _ in range(4)]
        tables = [table for page in attackers for table in open_many(page, 50)]
        assert [table["type"] for table in tables] == ["table"] * 200
        assert sessions.resources.pool.used < sessions.limits.engines
        plays_at_once(other)
        again = attackers[0].ask("hello", table=tables[0]["table"], secret=tables[0]["secret"])
        assert again["type"] == "table"  # nothing is lost
        assert again["thinking"] or again["moves"]


def test_players_that_take_long_to_get_ready_keep_nobody_from_a_new_game(monkeypatch):
    flat = {"kind": "player", "name": "flat", "seconds": 0.05}
    sessions, is_over = make_sessions(limits=ServerLimits()), threading.Event()
    monkeypatch.setattr(OtherPlayer, "get_ready", lambda self: is_over.wait() and None)
    with serving(sessions) as client, page_at(client) as other, ExitStack() as held:
        held.callback(is_over.set)
        attackers = [held.enter_context(page_at(client)) for _ in range(3)]
        for number in range(OPENING_THREADS):
            assert attackers[number % 3].ask("new", game=GAME, seats=[PERSONS[0], flat])["type"] == "table"
        plays_at_once(other)


def test_a_player_that_thinks_is_not_waited_for_to_get_ready():
    game = luozi.game(GAME)
    one = OtherPlayer(make_sessions().resources, game, "flat", 600.0)
    job = Job(game.begin(), NO_LIMITS)
    thinks = threading.Thread(target=lambda: one.choose(job), daemon=True)
    thinks.start()
    try:
        end = time.monotonic() + PATIENCE
        while one.engine is None and time.monotonic() < end:
            time.sleep(0.01)
        ready = threading.Thread(target=one.get_ready, daemon=True)
        ready.start()
        ready.join(PATIENCE)
        assert not ready.is_alive()
        assert thinks.is_alive()
    finally:
        job.cancel.set()
        thinks.join(PATIENCE)


def test_many_tables_of_one_address_take_half_of_the_engines():
    sessions = make_sessions(limits=ServerLimits(engines=8, place_engines=4, place_new_tables=1000))
    with serving(sessions) as client, ExitStack() as held:
        pages = [held.enter_context(page_at(client, **elsewhere(1))) for _ in range(8)]
        for page in pages:
            assert open_many(page, 1)[0]["type"] == "table"
        other = held.enter_context(page_at(client, **elsewhere(2)))
        plays_at_once(other)
        assert sessions.resources.pool.used <= 5
        pages[0].ask("stop")  # and who waits comes next
        assert pages[4].until_type("thinking")


def test_where_all_engines_think_who_has_most_answers_at_once():
    sessions = make_sessions(limits=ServerLimits(engines=4, place_engines=4))
    with serving(sessions) as client, ExitStack() as held:
        pages = [held.enter_context(page_at(client, **elsewhere(1))) for _ in range(4)]
        for page in pages:
            open_many(page, 1)
            page.until_type("thinking")
        assert sessions.resources.pool.used == 4
        plays_at_once(held.enter_context(page_at(client, **elsewhere(2))))
        assert any(table.history.number for table in sessions.by_id.values())  # a move was made with what was known


def test_engines_at_rest_leave_before_anybody_is_refused_and_their_tables_go_on():
    sessions = make_sessions(limits=ServerLimits(engines=2, place_engines=2))
    with serving(sessions) as client, ExitStack() as held:
        pages = [held.enter_context(page_at(client, **elsewhere(number))) for number in range(1, 6)]
        for page in pages:
            plays_at_once(page)
        assert sessions.resources.pool.used <= 2
        for page in pages:
            assert page.ask("hint", seconds=0.05)["type"] == "thinking"
            assert page.ask("walk")["type"] == "step"
            assert page.ask("step", count=2)["total"] == 2


def test_what_takes_the_memory_of_all_engines_is_given_up_too():
    limits = ServerLimits(engines=8)  # 25 MB each
    sessions = make_sessions(limits=limits)
    exact = {"kind": "player", "name": "exact", "seconds": 0.05, "options": {"table": 2}}  # 50 MB
    with serving(sessions) as client, ExitStack() as held:
        pages = [held.enter_context(page_at(client, **elsewhere(number))) for number in range(1, 16)]
        for page in pages:
            assert page.ask("new", game="tictactoe", seats=[{"kind": "person"}, exact])["type"] == "table"
            page.ask("play", action=0)
            answer = page.until(lambda message: message["type"] in ("moved", "trouble"))
            assert answer["type"] == "moved", answer
        assert sessions.resources.pool.taken <= sessions.resources.pool.megabytes


def test_tables_at_which_nobody_is_leave_the_memory_though_programs_think_there():
    sessions = make_sessions(limits=ServerLimits(open_tables=8, engines=4))
    with serving(sessions) as client, page_at(client) as page, page_at(client) as other:
        tables = open_many(page, 20)
        assert [table["type"] for table in tables] == ["table"] * 20
        assert other.ask("new", game=GAME, seats=PERSONS)["type"] == "table"
        assert len(sessions.by_id) <= 8
        assert page.ask("hello", table=tables[0]["table"], secret=tables[0]["secret"])["type"] == "table"


def test_on_one_machine_who_asks_much_leaves_others_an_answer():
    limits = ServerLimits(requests_each_second=0.01, requests_at_once=1, always_each_second=0.01, always_at_once=2)
    with serving(make_sessions(limits=limits)) as client:
        one = http.client.HTTPConnection("127.0.0.1", client.port, timeout=PATIENCE)
        answers = []
        for _ in range(5):
            one.request("GET", "/api/health")
            answer = one.getresponse()
            answers.append(answer.status)
            answer.read()
        one.close()
        assert answers == [200, 200, 200, 429, 429]
        assert client.get("/api/health")[0] == 200
        assert client.get("/api/health", **elsewhere(1))[0] == 200
        assert client.get("/api/health", **elsewhere(1))[0] == 429


def test_on_one_machine_who_sends_much_leaves_others_a_word():
    few = {"place_messages_each_second": 0.01, "place_messages_at_once": 3, "place_new_tables": 1}
    limits = ServerLimits(always_each_second=0.01, **few)
    with serving(make_sessions(limits=limits)) as client, page_at(client) as one, page_at(client) as other:
        answers = [one.ask("hello")["type"] for _ in range(3 + limits.always_at_once + 1)]
        assert answers[-1] == "error"
        assert [other.ask("new", game="tictactoe", seats=PERSONS)["type"] for _ in range(3)] == ["table"] * 3


@pytest.mark.parametrize("form", ["gif", "html"])
def test_pictures_of_whole_games_keep_nobody_waiting_who_looks_back_or_begins_a_game(form, monkeypatch):
    free, file = threading.Event(), GameHistory.file

    def slow(history, wanted, spelled):
        assert wanted not in ("gif", "html") or free.wait(PATIENCE)
        return file(history, wanted, spelled)

    monkeypatch.setattr(GameHistory, "file", slow)
    with serving() as client, ExitStack() as held, page_at(client) as other:
        drawing = [held.enter_context(page_at(client)) for _ in range(10)]
        for page in drawing:
            page.ask("new", game="tictactoe", seats=PERSONS, moves=[4])
        numbers = [page.send("save", format=form) for page in drawing]
        assert other.ask("new", game="tictactoe", seats=PERSONS, moves=[4, 0])["type"] == "table"
        assert other.ask("goto", move=1)["type"] == "shown"
        assert other.ask("save", format="text")["type"] == "saved"
        free.set()
        for page, number in zip(drawing, numbers, strict=True):
            assert page.until(lambda message, number=number: message.get("id") == number)["type"] == "saved"


# Threads --------------------------------------------------------------------------------------------------------------


def run(work):
    """Run it in a loop of its own, for so long at most."""
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


async def asked(threads: Threads, client: str, function, *arguments):
    """Have something done for a client."""
    CLIENT.set(client)
    return await threads.run(function, *arguments)


def test_clients_take_turns_and_none_has_all_threads():
    async def work():
        threads, free, order = Threads(2, "test", 2), threading.Event(), []
        running = [asyncio.ensure_future(asked(threads, "a", free.wait, PATIENCE)) for _ in range(3)]
        await asyncio.sleep(0)
        await asked(threads, "b", order.append, "at once")  # one thread is left
        running += [asyncio.ensure_future(asked(threads, one, order.append, one)) for one in "aaac"]
        free.set()
        await asyncio.gather(*running)
        assert order[:2] == ["at once", "c"]
        assert (threads._free, dict(threads._running), dict(threads._waiting)) == (2, {}, {})
        threads.close()

    run(work())


def test_work_that_nobody_waits_for_any_more_keeps_its_thread_until_it_is_over():
    async def work():
        threads, free = Threads(1, "test", 1), threading.Event()
        begun = threading.Event()
        first = asyncio.ensure_future(asked(threads, "a", lambda: (begun.set(), free.wait(PATIENCE))))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        waiting = asyncio.ensure_future(asked(threads, "b", list))
        last = asyncio.ensure_future(asked(threads, "c", list))
        await asyncio.sleep(0)
        first.cancel()
        waiting.cancel()
        await asyncio.gather(first, waiting, return_exceptions=True)
        assert threads._free == 0
        free.set()
        assert await last == []
        while not threads._free:
            await asyncio.sleep(0.001)
        threads.close()

    run(work())


def test_a_player_that_does_not_stop_keeps_others_waiting_for_a_while_only(monkeypatch):
    monkeypatch.setattr(shares, "ROOM_SECONDS", 0.3)
    monkeypatch.setattr(shares, "ANSWER_SECONDS", 0.1)
    free = threading.Event()

    class Deaf(Player):
        spelling, bytes = "random", 200 * 10**6  # all of it

        def choose(self, state, limits=NO_LIMITS, cancel=NEVER):
            free.wait(PATIENCE)
            return 0

    monkeypatch.setattr("luozi.web.seat_players.player", lambda spelling, game, **values: Deaf(game))
    sessions = make_sessions(limits=ServerLimits(engines=2))
    with serving(sessions) as client, page_at(client) as page, page_at(client) as other:
        try:
            page.ask("new", game=GAME, seats=[{"kind": "player", "name": "flat"}, SLOW])
            other.ask("new", game=GAME, **HERE)
            other.ask("play", action=0)
            assert "MB more are needed" in other.until_type("trouble")["message"]
        finally:
            free.set()
        page.until_type("moved")
        assert other.ask("go_on")["type"] == "ok"  # later there is room again
        assert other.until_type("moved")["type"] == "moved"
