"""Text of files from outside gives no orders to the terminal, whichever command prints it."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from luozi.cli.app import main
from luozi.matches.game_runner import play_fixture
from luozi.matches.schedule import MatchSchedule, id_of
from luozi.matches.store import Store
from luozi.util import trust

ORDER = "\x1b[2J\x1b]0;title\x07\x9b31m"
ORDERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
RECORDS = {
    "names.txt": f"luozi record 2\ngame: tictactoe\nplayers: a{ORDER} | b\ndate: {ORDER}\n\n1. X b2  # {ORDER}\n",
    "game.txt": f"luozi record 2\ngame: {ORDER}\nplayers: a | b\n",
    "key.txt": f"luozi record 2\ngame: tictactoe\nplayers: a | b\n{ORDER}: x\n",
    "line.txt": f"luozi record 2\ngame: tictactoe\nplayers: a | b\n\n{ORDER}\n",
    "names.sgf": "(;GM[1]FF[4]SZ[9]PB[\x1b[2J\\]\x07]PW[b]C[\x1b[2J\\]];B[bb]C[\x9b31m\x07])",
    "names.json": json.dumps({"game": "tictactoe", "players": [ORDER, "b"], "moves": [{"action": 4, "seat": 0}]}),
    f"{ORDER}.txt": "luozi record 2\n",
}


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """All that a command prints."""
    main(words)
    out, err = capsys.readouterr()
    assert "report it" not in err
    return out + err


@pytest.mark.parametrize("name", RECORDS)
def test_no_record_gives_orders_to_the_terminal(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_text(RECORDS[name], encoding="utf-8")
    for command in (["replay", str(path)], ["play", "--load", str(path)], ["analyze", str(path), "--iterations", "5"]):
        assert not ORDERS.search(printed(capsys, *command)), command


def test_no_file_of_results_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.db"
    store = Store.open(path)
    contest = MatchSchedule.of("tictactoe", ["random", "flat:playouts=5"])
    store.enter(contest, 2)
    store.add(contest, play_fixture(contest, next(contest.fixtures())))
    store.close()
    connection = sqlite3.connect(path)
    for kind, wanted in (("match", ["a", "b"]), ("round-robin", ["a", "b", "c"])):
        values = json.loads(contest.definition) | {"kind": kind, "game": f"tictactoe{ORDER}"}
        text = json.dumps(values | {"players": [f"{name}{ORDER}" for name in wanted]}, sort_keys=True)
        name, asked = id_of(text), "2026-01-01 00:00:00+00:00"
        connection.execute("INSERT INTO contests VALUES (?, ?, ?, 2, 'null', ?)", (name, text, "", asked + ORDER))
        connection.commit()
        assert not ORDERS.search(printed(capsys, "results", name, "--db", str(path)))
    assert not ORDERS.search(printed(capsys, "results", "--list", "--db", str(path)))
    connection.execute("UPDATE contests SET part_of = ? WHERE part_of = ''", (f"tuning {ORDER}",))
    connection.commit()
    connection.close()
    assert not ORDERS.search(printed(capsys, "results", "--list", "--db", str(path)))


def test_a_question_about_what_may_run_shows_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with trust.only_named(lambda word: bool(asked.append(word))):
        assert not trust.says_yes(trust.Runnable("gtp:bad\x1b[2K\n\u202egtp:gnugo", "place", "content"))
    assert asked == ["gtp:bad?[2K??gtp:gnugo"]
