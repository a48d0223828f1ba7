"""A short run of the fuzzers; `make fuzz` is the long one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fuzz.chance import Chance
from fuzz.commands import Folder, run
from fuzz.harness import FUZZERS, fuzz_one
from fuzz.server import ask_all, fuzz_server
from web_page import make_sessions, serving

from luozi.web.limits import ServerLimits
from luozi.web.session import Session

INPUTS = {"lines": 2000, "spellings": 150, "records": 60, "engines": 200, "stores": 8, "classes": 100, "pages": 120}
INPUTS |= {"weightfiles": 12, "tablefiles": 20}


@pytest.mark.parametrize("name", FUZZERS)
def test_nonsense_gets_a_value_or_a_sentence(name: str) -> None:
    assert fuzz_one(name, INPUTS[name], seed=2026) == 0


def test_whole_commands_end_without_a_traceback(tmp_path) -> None:
    folder = Folder(tmp_path)
    for number in range(3):
        command = folder.command(number, Chance(f"2026 {number}"))
        assert run(command) == "", command.line


def test_the_same_seed_gives_the_same_inputs() -> None:
    tried = []
    for _ in range(2):
        fuzzer = FUZZERS["lines"]()
        fuzzer.run(Chance("1 lines 0"))
        tried.append(fuzzer.input)
    assert tried[0] == tried[1]


def test_a_failure_is_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        share, input = 1, ""

        def run(self, chance: Chance) -> int:
            self.input = "what was tried"
            raise KeyError("oh no")

    monkeypatch.setitem(FUZZERS, "broken", Broken)
    assert fuzz_one("broken", 3, seed=1) == 3
    said = capsys.readouterr().err
    assert "what was tried" in said
    assert "python -m tests.fuzz broken --seed 1 --first 0 --inputs 1" in said


def test_the_fuzzer_of_engines_leaves_no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert fuzz_one("engines", 30, seed=1) == 0
    assert not list(tmp_path.iterdir())


def test_messages_to_a_server_that_runs_break_nothing() -> None:
    assert fuzz_server(80, seed=2026) == 0


def test_a_server_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "move_number", lambda _table, _number: {}["oh no"])
    many = ServerLimits(engines=4, requests_at_once=10**6, place_messages_at_once=10**6, place_new_tables=10**6)
    with serving(make_sessions(limits=many)) as client:
        found = asyncio.run(ask_all(client.port, 100, seed=2026))
    assert any("something went wrong here (KeyError)" in one for one in found)


@pytest.mark.parametrize("number", [481, 1905])
def test_files_of_tables_that_once_broke_the_server_get_a_sentence(number: int) -> None:
    assert fuzz_one("tablefiles", 1, seed=77, first=number) == 0
