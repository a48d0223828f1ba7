"""The fields of a state, or of a playout's memory, as a user writes them: what can't be one gets a clear sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_record import OWN_GAME

import luozi
from luozi.cli.app import main

WRITTEN = re.search(r"state = (\[.*\])", OWN_GAME)
OBJECTS = ['("heap", "O")', '("heap", object)', '("heap", "O", 3)', '("heap", [("x", "O")])']


@pytest.mark.parametrize("field", OBJECTS)
@pytest.mark.parametrize("command", ["think {} --player mcts:iterations=5", "check {} --games 2", "play {}"])
def test_a_field_of_python_objects_is_refused_by_every_command(
    field: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert WRITTEN is not None
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = tmp_path / "own.py"
    path.write_text(OWN_GAME.replace(WRITTEN[1], f"[{field}, ('to_move', 'i1')]"), encoding="utf-8")
    sentence = "Subtraction.state: the field 'heap' holds Python objects. Give it a type of numbers, such as 'i4'"
    assert main(command.format(path).split()) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"luozi: {sentence}"
    with pytest.raises(luozi.LuoziError, match=re.escape(sentence)):
        luozi.game(str(path))


@pytest.mark.parametrize("fields", [[("bag", "O")], 5, [("bag", "no such type")]])
def test_the_memory_of_a_playout_is_checked_too(fields: object) -> None:
    class Bag(luozi.Playout):
        pass

    Bag.fields = fields
    with pytest.raises(luozi.LuoziError, match=r"^Bag\.fields"):
        Bag().new_memory()
