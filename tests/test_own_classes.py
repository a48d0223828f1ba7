"""Matches of a game whose class is in no file that Luozi knows: in a program, in a module, in a cell of a notebook."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from test_record import OWN_GAME

import luozi
from luozi.matches.game_runner import play_fixture
from luozi.matches.remote_task import do_there, parcel_of
from luozi.matches.schedule import MatchSchedule
from luozi.matches.workers import game_task

GAME = OWN_GAME.replace("    actions = 3\n", "    actions, compilable = 3, False\n")
CELLS = """
import json
import mine

for game in (Subtraction(heap=9), mine.Subtraction(heap=9)):
    summary = luozi.match("flat:playouts=20", "random", game=game, games=6, workers=2)
    print(json.dumps([summary.game, [row.score for row in summary.rows], summary.moves]))
"""


def test_classes_of_the_program_itself_and_of_its_modules_play_in_several_processes(tmp_path: Path) -> None:
    """The program is typed in: like a notebook, it has no file."""
    path = tmp_path / "mine.py"
    path.write_text(GAME, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-"], cwd=tmp_path, input=GAME + CELLS, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    named = luozi.match("flat:playouts=20", "random", game=f"{path}:heap=9", games=6, workers=1)
    expected = ["Subtraction", [row.score for row in named.rows], named.moves]
    assert [json.loads(line) for line in done.stdout.splitlines()] == [expected, expected]


def own_class(source: str = GAME) -> type[luozi.Game]:
    """The class as a cell of a notebook makes it."""
    scope = {"__name__": "__main__"}
    exec(source, scope)
    return scope["Subtraction"]  # type: ignore[return-value]


def test_a_match_of_the_same_class_goes_on_and_of_an_edited_one_does_not() -> None:
    def contest_of(game: luozi.Game) -> MatchSchedule:
        return MatchSchedule.of(game, ["random", "random"])

    first = contest_of(own_class()(9))
    assert contest_of(own_class("# a comment\n" + GAME)(9)).id == first.id
    assert contest_of(own_class()(10)).id != first.id
    assert contest_of(own_class(GAME.replace("heap -= action + 1", "heap -= 1"))(9)).id != first.id


def test_a_class_travels_to_another_machine() -> None:
    contest = MatchSchedule.of(own_class()(9), ["random", "random"])
    fixture = next(contest.fixtures())
    result, refusal = do_there(tuple(parcel_of(game_task(contest, fixture))), fixture)
    assert refusal == ""
    assert pickle.loads(result).record == play_fixture(contest, fixture).record


def test_a_class_instead_of_an_object_is_one_sentence() -> None:
    with pytest.raises(luozi.LuoziError, match=r"Write game=Subtraction\(\)"):
        luozi.match("random", "random", game=own_class(), games=2)  # type: ignore[arg-type]


def test_a_game_that_can_not_travel_is_one_sentence_and_plays_in_one_process() -> None:
    game = own_class()(9)
    game.lock = threading.Lock()  # type: ignore[attr-defined]
    assert luozi.match("random", "random", game=game, games=2, workers=1).counted == 2
    with pytest.raises(luozi.LuoziError, match=r"can't be sent to other processes .*: play with workers=1"):
        luozi.match("random", "random", game=game, games=2, workers=2)


def test_a_stored_match_of_a_class_that_is_gone_is_shown_and_says_what_it_lacks(tmp_path: Path) -> None:
    contest = MatchSchedule.of(own_class()(9), ["random", "random"])
    stored = MatchSchedule.read(contest.definition)
    assert stored.id == contest.id
    with pytest.raises(luozi.LuoziError, match="Subtraction was a class in a program or a notebook"):
        assert stored.board
