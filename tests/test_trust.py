"""What runs: only what the user named, approved or confirms. A hostile file of each kind leaves no trace of its code.

The code would make a file, the canary; whatever is opened, shown, exported or gone on with, the canary must not appear.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from fuzz.stores import make_old
from test_record import OWN_GAME
from web_page import make_sessions, page_at, serving

import luozi
from luozi.cli.app import main
from luozi.matches.game_runner import play_fixture
from luozi.matches.remote_task import do_there, packed
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.workers import Processes, game_task, in_worker
from luozi.records import load_record
from luozi.util import trust

STORED = "stored.db"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No approvals of an earlier test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    return tmp_path / "state"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def folder(tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What somebody downloaded: a hostile game file, and files of every kind that name it, or a hostile command."""
    made, found = tmp_path / "made", tmp_path / "found"
    made.mkdir()
    found.mkdir()
    evil, touch = found / "evil.py", f"touch {canary}"
    (made / "good.py").write_text(OWN_GAME, encoding="utf-8")
    evil.write_text(f"open({str(canary)!r}, 'w').close()\n{OWN_GAME}", encoding="utf-8")
    moves = "players: {} | random\n\n1. X 2\n"
    (found / "game.txt").write_text(f"luozi record 1\ngame: evil.py\n{moves.format('random')}", encoding="utf-8")
    (found / "game.json").write_text(
        json.dumps({"luozi": 1, "game": "evil.py", "players": ["random", "random"], "moves": []}), encoding="utf-8"
    )
    for kind, game in (("gtp", "go:size=5"), ("gomocup", "gomoku:size=9")):
        text = f"luozi record 1\ngame: {game}\nplayers: person | {kind}:{touch}\n"
        (found / f"{kind}.txt").write_text(text, encoding="utf-8")
    (found / "gtp.sgf").write_text(f"(;SZ[5]PB[person]PW[gtp:{touch}])", encoding="utf-8")
    keep_hostile(made, found)
    (found / "runs" / "bad").mkdir(parents=True)
    asked = {"format": 1, "luozi": "0.1.0", "game": str(evil), "settings": {}, "from": ""}
    (found / "runs" / "bad" / "settings.json").write_text(json.dumps(asked), encoding="utf-8")
    head = {"version": 2, "family": {"game": str(evil)}}
    np.savez(found / "bad.npz", notes=np.frombuffer(json.dumps(head).encode(), np.uint8))
    kept = tmp_path / "cache" / "games"
    kept.mkdir(parents=True)
    text = f"luozi record 2\ngame: {evil}\nplayers: random | random\nresult: unfinished\n\n1. X 2\n"
    (kept / "20250101-000000-1.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(found)
    return found


def keep_hostile(made: Path, found: Path) -> None:
    """Stores whose contests are of the hostile game, in today's format and an old one, and of a tuning and more."""
    contest = MatchSchedule.of(str(made / "good.py"), ["random:seed=1", "random"])
    outcomes = [play_fixture(contest, fixture) for fixture in contest.fixtures(2)]
    go = MatchSchedule.of("go:size=5", ["random", "random"])
    for name, evil in (("evil.py", "evil.py"), (STORED, str(found / "evil.py"))):
        hostile = replace(contest, game=evil)
        tuning = f"tuning 0123456789ab: {evil}, random with seed=1:9 against random"
        for part_of in ("", tuning, "reasonable"):
            store = Store.open(found / STORED)
            one = replace(hostile, seed=hostile.seed + len(part_of) + len(name))
            store.enter(one, 2, part_of=part_of)
            for outcome in outcomes if not part_of else ():
                store.add(one, outcome._replace(seeds=one.seeds(outcome.fixture)))
            run = {"quick": True, "seed": 1, "games": 1, "iterations": 1, "seconds": 0.0, "values": {"game": evil}}
            store.measure("reasonable", "how it was done", [run])
            store.close()
    shutil.copy(found / STORED, found / "old.db")
    make_old(found / "old.db")
    programs = replace(go, players=(f"gtp:touch {found.parent / 'canary'}", "random"))
    store = Store.open(found / "programs.db")
    store.enter(programs, 2)
    store.close()


COMMANDS = [
    "play --load game.txt",
    "play --load game.txt --seat random --seat random",
    "play --load game.json",
    "play --load gtp.txt",
    "play --load gtp.sgf",
    "play --load gomocup.txt",
    "play tictactoe --load game.txt",
    "play --continue",
    "think --load game.txt",
    "think --load game.json --player random",
    "replay game.txt",
    "replay game.json",
    "replay game.txt --out replay.html",
    "replay game.txt --out replay.gif --game other.py",
    "analyze gtp.sgf --player mcts:iterations=2 --workers 1",
    *[
        f"results --db {store} {words}".strip()
        for store in (STORED, "old.db", "programs.db")
        for words in (
            "",
            "--list",
            "--json",
            "--record 1",
            "--sgf games",
            "--csv x.csv",
            "--plot x.svg",
            "--html x.html",
        )
    ],
    f"results --db {STORED} --recover new.db",
    "learn --list --folder runs",
    "learn --name bad --folder runs --workers 1",
    "think gomoku:size=9 --player mcts:iterations=2,network=bad.npz",
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_runs_what_a_file_names(command: str, canary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(command.split())
    said = capsys.readouterr()
    assert status in (0, 2)
    assert "Traceback" not in said.out + said.err
    assert "report it" not in said.err
    assert not canary.exists()


def test_no_page_runs_what_a_store_names(folder: Path, canary: Path) -> None:
    for name in (STORED, "old.db", "programs.db"):
        with serving(results=folder / name) as client:
            for one in client.json("/api/results"):
                for path in ("", "/report", "/games/1", "/games/2"):
                    assert client.get(f"/api/results/{one['id']}{path}")[0] in (200, 400)
                if one["part_of"]:
                    client.get(f"/api/results/whole/{quote(one['part_of'])}")
        assert not canary.exists()


def test_no_table_of_earlier_runs_what_it_names(folder: Path, tmp_path: Path, canary: Path) -> None:
    file = tmp_path / "tables.db"
    with serving(make_sessions(file)) as client, page_at(client) as page:
        table = page.ask("new", game="tictactoe", seats=[{"kind": "person"}, {"kind": "person"}])
    import sqlite3

    evil = {"kind": "program", "name": f"gtp:touch {canary}"}
    for game, seats in (("evil.py", []), (str(folder / "evil.py"), []), ("go:size=5", [evil, evil])):
        connection = sqlite3.connect(file)
        connection.execute("UPDATE tables SET game = ?, about = ?", (game, json.dumps({"seats": seats})))
        connection.commit()
        connection.close()
        with serving(make_sessions(file)) as client, page_at(client) as page:
            page.ask("hello", table=table["table"], secret=table["secret"])
        assert not canary.exists()


@pytest.mark.parametrize("name", ["game.txt", "game.json"])
def test_python_runs_no_game_file_that_only_a_record_names(folder: Path, canary: Path, name: str) -> None:
    with pytest.raises(luozi.LuoziError, match=r"evil.py' is not run: a file names it.*call luozi.game with it first"):
        load_record(folder / name)
    assert not canary.exists()


def test_a_worker_runs_only_what_its_parent_approved(folder: Path, canary: Path) -> None:
    contest = replace(MatchSchedule.of(str(folder.parent / "made" / "good.py"), ["random", "random"]), game="evil.py")
    fixture = next(contest.fixtures())
    executor = Processes(1)
    try:
        with pytest.raises(luozi.LuoziError, match=r"evil.py' is not run"):
            list(executor.run([game_task(contest, fixture)]))
    finally:
        executor.close()
    sent = (packed(play_fixture, contest), str(folder), "elsewhere", ())
    assert "evil.py' is not run" in do_there(sent, fixture)[1]
    assert not canary.exists()


def test_a_worker_inherits_approvals_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "mine.py"
    own.write_text(OWN_GAME, encoding="utf-8")
    contest = MatchSchedule.of(str(own), ["random", "random"])
    fixture = next(contest.fixtures())
    executor = Processes(1)
    try:
        [(_, outcome)] = executor.run([game_task(contest, fixture)])
        assert outcome.moves
        own.write_text(f"{OWN_GAME}\n# another\n", encoding="utf-8")
    finally:
        executor.close()
    other = Processes(1)
    try:
        with pytest.raises(luozi.LuoziError, match="is not run"):
            list(other.run([game_task(contest, fixture)]))
    finally:
        other.close()


# What does run --------------------------------------------------------------------------------------------------------


def ran(canary: Path) -> bool:
    """Whether the code has run since this was asked last."""
    found = canary.exists()
    canary.unlink(missing_ok=True)
    return found


@pytest.mark.usefixtures("folder")
def test_what_is_named_runs_and_is_approved_until_it_is_edited(
    canary: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = ["replay", "game.txt"]
    assert main(replay) == 2
    assert "add --trust evil.py" in capsys.readouterr().err
    assert not ran(canary)
    assert main([*replay, "--trust", "evil.py"]) == 0
    assert ran(canary)
    assert main(replay) == 0  # approved by now, for every command
    assert ran(canary)
    assert main(["results", "--db", STORED, "--csv", "x.csv"]) == 0
    evil = folder / "evil.py"
    evil.write_text(f"{evil.read_text()}\n# edited\n", encoding="utf-8")
    ran(canary)
    capsys.readouterr()
    assert main(replay) == 2
    said = capsys.readouterr().err
    assert "has changed since you approved it" in said
    assert "add --trust evil.py" in said
    assert not ran(canary)
    assert main(["games", "evil.py"]) == 0  # named again, by another command
    assert main(replay) == 0


@pytest.mark.usefixtures("folder")
def test_the_same_content_elsewhere_is_not_approved(tmp_path: Path, canary: Path, monkeypatch) -> None:
    """Beside it may lie other modules, which it would import."""
    assert main(["replay", "game.txt", "--trust", "evil.py"]) == 0
    elsewhere = Path(shutil.copytree(tmp_path / "found", tmp_path / "elsewhere"))
    monkeypatch.chdir(elsewhere)
    ran(canary)
    assert main(["replay", "game.txt"]) == 2
    assert not ran(canary)


def test_compiled_code_beside_an_approved_file_does_not_run(folder: Path, canary: Path) -> None:
    """Python would load it instead of the file where their times agree."""
    evil, good = folder / "evil.py", folder / "good.py"
    hostile = f"open({str(canary)!r}, 'w').close()\n{OWN_GAME}"
    evil.write_text(hostile, encoding="utf-8")
    good.write_text(f"{OWN_GAME}#".ljust(len(hostile), "x"), encoding="utf-8")
    for one in (evil, good):
        os.utime(one, (10**9, 10**9))
    subprocess.run([sys.executable, "-m", "py_compile", str(evil)], check=True)
    cache = folder / "__pycache__"
    [compiled] = cache.glob("evil.*.pyc")
    compiled.rename(cache / compiled.name.replace("evil", "good"))
    luozi.game(str(good))
    assert not canary.exists()


def test_a_command_is_approved_as_it_is_written_in_its_folder(
    folder: Path, canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load = ["play", "--load", "gtp.txt"]
    assert main([*load, "--trust", f"gtp:touch {canary}2"]) == 2
    assert f"add --trust 'gtp:touch {canary}'" in capsys.readouterr().err
    assert main([*load, "--trust", f"gtp:touch {canary}"]) == 0
    assert main(load) == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["play", "--load", str(folder / "gtp.txt")]) == 2


@pytest.mark.parametrize("words", ["--trust nothing.py", "--trust game"])
def test_trust_names_something_that_is_there(folder: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "game.txt", *words.split()]) == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_path_to_read_is_not_named_to_run(canary: Path, folder: Path) -> None:
    """A file may be a record and a program at once."""
    text = f"open({str(canary)!r}, 'w').close()\n{OWN_GAME}"
    Path("both.py").write_text(text, encoding="utf-8")
    Path("names.txt").write_text((folder / "game.txt").read_text().replace("evil", "both"), encoding="utf-8")
    assert main(["play", "tictactoe", "--load", "both.py"]) == 2
    assert main(["replay", "names.txt", "--out", "both.py"]) == 2
    assert not canary.exists()


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), ("", 2)])
def test_a_person_at_the_terminal_is_asked(
    folder: Path, canary: Path, answer: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    said = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n\n\n\n"))
    monkeypatch.setattr("sys.stderr", said)
    assert main(["replay", "game.txt", "--out", "out.html"]) == status
    assert "A file names evil.py. Run it? [y/N]" in said.getvalue()
    assert ran(canary) is (status == 0)


def test_an_own_game_goes_on_after_it_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "mine.py"
    own.write_text(OWN_GAME, encoding="utf-8")

    def play(*words: str) -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO("1\nquit\n"))
        return main(["play", *words])

    assert play(str(own), "--seat", "person", "--seat", "person") == 0
    assert play("--continue") == 0
    own.write_text(f"{OWN_GAME}# edited\n", encoding="utf-8")
    capsys.readouterr()
    assert play("--continue") == 2
    assert f"add --trust {own}" in capsys.readouterr().err
    assert play("--continue", "--trust", str(own)) == 0


def test_approvals_that_can_not_be_kept_hold_for_the_command(folder: Path, state: Path, canary: Path) -> None:
    state.write_text("a file where a folder should be")
    assert main(["replay", "game.txt", "--trust", "evil.py"]) == 0
    assert ran(canary)
    assert main(["replay", "game.txt"]) == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("content", [b"\xff\x00[[[", b"[" * 100_000, b'{"digest": 1}\n{"place": 2}\n[]\nnull\n'])
def test_a_damaged_file_of_approvals_approves_nothing(state: Path, content: bytes, canary: Path) -> None:
    assert main(["replay", "game.txt", "--trust", "evil.py"]) == 0
    [file] = (path for path in state.rglob("*") if path.is_file())
    file.write_bytes(content)
    ran(canary)
    assert main(["replay", "game.txt"]) == 2
    assert not ran(canary)
    assert main(["replay", "game.txt", "--trust", "evil.py"]) == 0
    assert main(["replay", "game.txt"]) == 0


def call(function: Callable[[], object]) -> str:
    """The sentence that it fails with."""
    with pytest.raises(luozi.LuoziError) as caught:
        function()
    return str(caught.value)


@pytest.mark.usefixtures("folder")
def test_what_a_worker_inherits_is_all_that_runs_there(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As in a child process, whose environment it is."""
    monkeypatch.setenv("LUOZI_TRUST", "")
    assert "is not run" in call(lambda: luozi.game("evil.py"))
    contest = replace(MatchSchedule.of("tictactoe", ["random", "random"]), game="evil.py")
    work, fixture = packed(play_fixture, contest), next(contest.fixtures())
    assert "is not run" in call(lambda: in_worker("0123,4567", work, fixture))


@pytest.mark.parametrize("name", ["efg_game", "nfg_game"])
def test_no_game_of_openspiel_opens_a_file(name: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not a game", encoding="utf-8")
    assert "reads a file" in call(lambda: luozi.game(f"openspiel:name={name}(filename={secret})"))


def test_a_command_is_approved_until_its_program_is_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    with trust.only_named():
        trust.name_command(str(script))
        trust.command_to_start("gtp", str(script), [str(script)])
    with trust.only_named():
        trust.command_to_start("gtp", str(script), [str(script)])  # approved by now
    script.write_text("#!/bin/sh\necho another\n", encoding="utf-8")
    with trust.only_named():
        assert "has changed" in call(lambda: trust.command_to_start("gtp", str(script), [str(script)]))
