"""Nobody gets more of the page's server than their share: of requests, messages, tables and connections."""

from __future__ import annotations

import json

import pytest
from web_page import PERSONS, make_sessions, page_at, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from luozi.web.access_control import AddressQuotas
from luozi.web.limits import ServerLimits
from luozi.web.socket import TOO_MUCH

ELSEWHERE = {"X_Forwarded_For": "192.0.2.7"}  # as a server before this one on the same machine says it


def test_who_asks_too_often_gets_one_sentence_and_others_are_served():
    sessions = make_sessions(limits=ServerLimits(requests_each_second=0.01, requests_at_once=3, engines=4))
    with serving(sessions) as client:
        answers = [client.get("/api/health", **ELSEWHERE) for _ in range(5)]
        assert [status for status, _, _ in answers] == [200, 200, 200, 429, 429]
        assert json.loads(answers[-1][1]) == {"error": TOO_MUCH}
        assert answers[-1][2]["retry-after"]
        with pytest.raises((InvalidStatus, ConnectionClosed)), page_at(client, **ELSEWHERE):
            pass
        assert client.get("/api/health", X_Forwarded_For="192.0.2.8")[0] == 200


def test_guessing_the_token_counts_as_asking():
    from luozi.web.access_control import AccessControl

    sessions = make_sessions(limits=ServerLimits(requests_each_second=0.01, requests_at_once=2, engines=4))
    with serving(sessions, AccessControl("the token", ())) as client:
        answers = [client.get("/api/health", Authorization=f"Bearer {guess}", **ELSEWHERE)[0] for guess in "abc"]
        assert answers == [403, 403, 429]


def test_all_pages_of_one_address_share_what_it_may_send():
    limits = ServerLimits(place_messages_each_second=0.01, place_messages_at_once=3, engines=4)
    with serving(make_sessions(limits=limits)) as client:
        with page_at(client, **ELSEWHERE) as one, page_at(client, **ELSEWHERE) as other:
            assert [one.ask("hello")["type"], other.ask("hello")["type"], one.ask("hello")["type"]] == ["welcome"] * 3
            assert other.ask("hello")["message"] == TOO_MUCH
        with page_at(client, X_Forwarded_For="192.0.2.8") as third:
            assert third.ask("hello")["type"] == "welcome"


def test_one_address_opens_so_many_pages_and_makes_so_many_tables():
    limits = ServerLimits(place_connections=2, place_new_tables=2, engines=4)
    with serving(make_sessions(limits=limits)) as client:
        with page_at(client, **ELSEWHERE) as one, page_at(client, **ELSEWHERE) as other:
            with pytest.raises((InvalidStatus, ConnectionClosed)), page_at(client, **ELSEWHERE):
                pass
            answers = [page.ask("new", game="tictactoe", seats=PERSONS)["type"] for page in (one, other, one)]
            assert answers == ["table", "table", "error"]
        with page_at(client, **ELSEWHERE) as again:  # who has left makes room
            assert again.ask("hello")["type"] == "welcome"


def test_addresses_are_not_remembered_without_end():
    quotas = AddressQuotas(ServerLimits(), most=10)
    quotas.at("192.0.2.1").connections = 1
    for number in range(50):
        assert quotas.admits(f"198.51.100.{number}")
    assert len(quotas.quotas) == 10
    assert quotas.at("192.0.2.1").connections == 1
