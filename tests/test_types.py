"""What type checkers see of public names: mypy reads a small program. The file of option types is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

from tools.option_types import FILE, option_types

ROOT = Path(__file__).parents[1]
PROGRAM = """
import luozi

game = luozi.game("gomoku")
position = game.begin()
engine = luozi.Engine(game, c=0.7, threads=2, selection="puct", seed=None)
result = engine.think(position, seconds=1)
reveal_type(result.candidates[0].value)
reveal_type(result.action)
reveal_type(result.position)
reveal_type(position.play(3))
reveal_type(position.play(3).to_move)
reveal_type(engine.start(position).result())
luozi.Engine(game, cc=1)
luozi.Engine(game, selection="uctt")
luozi.Engine(game, threads="two")
engine.think(position, second=1)
engine.think("gomoku")
"""
EXPECTED = (
    (8, "note", 'Revealed type is "float"'),
    (9, "note", 'Revealed type is "int"'),
    (10, "note", 'Revealed type is "luozi.rules.position.Position | None"'),
    (11, "note", 'Revealed type is "luozi.rules.position.Position"'),
    (12, "note", 'Revealed type is "int"'),
    (13, "note", 'Revealed type is "luozi.search.result.SearchResult"'),
    (14, "error", 'Unexpected keyword argument "cc" for "Engine"'),
    (15, "error", 'Argument "selection" to "Engine" has incompatible type'),
    (16, "error", 'Argument "threads" to "Engine" has incompatible type "str"; expected "int"'),
    (17, "error", 'Unexpected keyword argument "second" for "think" of "Engine"'),
    (18, "error", 'Argument 1 to "think" of "Engine" has incompatible type "str"; expected "Position | State"'),
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of the program."""
    program = tmp_path_factory.mktemp("types") / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    config = str(ROOT / "pyproject.toml")
    output, errors, _ = api.run(["--config-file", config, "--hide-error-context", "--no-pretty", str(program)])
    assert not errors
    return [line.partition("program.py:")[2] for line in output.splitlines() if "program.py:" in line]


@pytest.mark.parametrize(("line", "kind", "text"), EXPECTED, ids=lambda value: str(value)[:30])
def test_mypy_knows_the_types_of_public_names(told: list[str], line: int, kind: str, text: str) -> None:
    assert any(one.startswith(f"{line}: {kind}: {text}") for one in told), told


def test_mypy_finds_nothing_else(told: list[str]) -> None:
    assert {int(one.split(":")[0]) for one in told} == {line for line, _, _ in EXPECTED}


def test_the_types_of_options_are_those_of_their_metadata() -> None:
    assert FILE.read_text(encoding="utf-8") == option_types(), "run: python -m tools.option_types"
