"""What type checkers see of public names: mypy reads a small program. The file of option types is up to date."""

from __future__ import annotations

import ast
import re
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


SOURCE = ROOT / "src" / "luozi"
MOST_UNTYPED, MOST_METHODS, MOST_PARAMETERS = 577, 40, 6
KERNELS = {"kernel", "inline", "apart", "freely"}  # what is compiled is given all its memory
# The public API, a file of commands, how a game is set up, and an experiment with its parameters.
MANY_PARAMETERS = {
    "cli/contests.py": {"match", "openings", "results", "tournament"},
    "cli/experiments.py": {"experiment", "tune"},
    "cli/learning.py": {"learn"},
    "cli/playing.py": {"play", "think"},
    "cli/serving.py": {"gtp", "serve"},
    "evaluators/board_inputs.py": {"write_planes"},  # compiled
    "experiments/scaling.py": {"measure_scaling"},
    "games/__init__.py": {"lines"},
    "games/go/rules.py": {"__init__"},
    "games/lines/rules.py": {"__init__"},
    "matches/__init__.py": {"match"},
    "matches/tuning/result.py": {"tune"},
    "search/engine.py": {"start", "think"},
}


def parsed() -> dict[str, ast.Module]:
    """The syntax trees of all modules, by their paths."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def test_few_values_are_untyped() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    other_names = {
        path.name: re.findall(r"^\w+(?:: TypeAlias)? = Any\b|\bAny as \w+", text, re.M) for path, text in texts.items()
    }
    assert not any(other_names.values()), other_names
    assert sum(len(re.findall(r"\bAny\b", text)) for text in texts.values()) <= MOST_UNTYPED


def test_no_class_name_stands_for_two_things() -> None:
    found: dict[str, list[str]] = {}
    for path, tree in parsed().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_class_has_too_many_methods() -> None:
    """Those of its bases in Luozi count; a game may have more, since its rules are one class."""
    classes = {
        node.name: node for tree in parsed().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    }

    def family(name: str) -> set[str]:
        bases = {ast.unparse(base).partition("[")[0] for base in classes[name].bases}
        return {name}.union(*(family(base) for base in bases & classes.keys()))

    games = {base for name in classes if "Game" in family(name) for base in family(name)}
    # A tree is one object to compiled code, with a method for each read and each write of its arrays.
    trees = {name for name in classes if "Edges" in family(name)}
    large = {}
    for name in classes.keys() - games - trees:
        methods = {
            node.name
            for one in family(name)
            for node in ast.walk(classes[one])
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        if len(methods) > MOST_METHODS:
            large[name] = len(methods)
    assert large == {}


def test_no_function_has_too_many_parameters() -> None:
    found: dict[str, set[str]] = {}
    for path, tree in parsed().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not is_compiled(node):
                arguments = node.args
                names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
                if len(names) - (names[:1] in (["self"], ["cls"])) > MOST_PARAMETERS:
                    found.setdefault(path, set()).add(node.name)
    assert found == MANY_PARAMETERS


def is_compiled(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a kernel, or what is compiled into one."""
    return any(ast.unparse(one).partition("(")[0] in KERNELS for one in node.decorator_list)
