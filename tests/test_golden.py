"""Answers are what they were at commit 4b809c4: games, searches, conversations, messages, stores and ids.

`golden/` asks through the command line, the protocols and the socket only. Where a search was changed on purpose,
`python -m tests.golden --write KIND` writes its transcripts again.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.golden import cases, replay

QUICK = [kind for kind in replay.ASKED if not kind.startswith("long")]


def asked(kinds: list[str]) -> list[pytest.param]:
    """All cases of some kinds."""
    return [pytest.param(kind, name, id=f"{kind} {name}") for kind in kinds for name in replay.ASKED[kind][1]]


def expect_the_same(kind: str, name: str, folder: Path) -> None:
    """Compare an answer with its transcript."""
    assert list(replay.differences(replay.transcript(kind)[name], replay.answer(kind, name, folder))) == []


@pytest.mark.parametrize(("kind", "name"), asked(QUICK))
def test_answers_are_what_they_were(kind: str, name: str, tmp_path: Path) -> None:
    expect_the_same(kind, name, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "name"), asked(["long_games", "long_thoughts"]))
def test_compiled_answers_are_what_they_were(kind: str, name: str, tmp_path: Path) -> None:
    expect_the_same(kind, name, tmp_path)


@pytest.mark.parametrize("name", cases.HALVES)
def test_a_match_that_was_stopped_ends_as_if_it_had_not_been(name: str, tmp_path: Path) -> None:
    """Its first half was played at commit 4b809c4; the games of that half are kept and not played again."""
    store = tmp_path / f"{name}.db"
    shutil.copy(replay.TRANSCRIPTS / f"{name}.db", store)
    with replay.playground(tmp_path):
        before = replay.stored_times(name)
        found = json.loads(json.dumps(replay.whole(name)))
        assert replay.stored_times(name)[: len(before)] == before
    assert len(before) == cases.HALF < found["finished"]
    assert list(replay.differences(replay.transcript("halves")[name], found)) == []


def test_a_store_of_today_is_listed_and_its_games_are_read(tmp_path: Path) -> None:
    with replay.playground(tmp_path):
        for name in cases.HALVES:
            shutil.copy(replay.TRANSCRIPTS / f"{name}.db", tmp_path)
            wanted = replay.transcript("halves")[name]
            assert wanted["id"] in replay.run("results", "--store", f"{name}.db", "--list")
            assert [replay.moves(name, number + 1) for number in range(cases.HALF)] == wanted["moves"][: cases.HALF]


def test_a_difference_is_found() -> None:
    was = {"moves": [[3, 0.25], [4, None]], "id": "a"}
    assert list(replay.differences(was, {**was, "new": 1})) == []
    for now in ({"moves": was["moves"]}, {**was, "moves": [[3, 0.25]]}, {**was, "moves": [[3, 0.26], [4, None]]}):
        assert len(list(replay.differences(was, now))) == 1
