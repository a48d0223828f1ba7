"""The house rules: imports point one way, and the tree has one owner."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import luozi

# From lowest to highest; a module may import its own line and those before it.
ORDER = [
    ("messages",),
    ("removed",),
    ("limits",),
    ("util",),
    ("compiled",),
    ("rules",),
    ("drawing",),
    ("games",),
    ("evaluators",),
    ("solvers",),
    ("search",),
    ("check",),
    ("protocols",),
    ("players",),
    ("records",),
    ("statistics",),
    ("matches",),
    ("reports",),
    ("learning",),
    ("experiments",),
    ("servers", "web"),
    ("terminal",),
    ("cli",),
]
# Loaded when a user's first class is made, which only then is checked; and when a search is named as a player is.
LATER = {("rules", "check"), ("search", "players")}
LEVEL = {name: level for level, names in enumerate(ORDER) for name in names}


def test_imports_point_up_only():
    source = Path(luozi.__file__).parent
    wrong = []
    for path in source.rglob("*.py"):
        own = path.relative_to(source).parts[0].removesuffix(".py")
        if own in ("__init__", "__main__"):
            continue
        assert own in LEVEL, f"{path} has no place in the order of imports"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = (
                    [f"{node.module}.{a.name}" for a in node.names] if node.module == "luozi" else [node.module or ""]
                )
            for name in names:
                parts = name.split(".")
                if parts[0] != "luozi" or len(parts) < 2 or (own, parts[1]) in LATER:
                    continue
                if LEVEL.get(parts[1], -1) > LEVEL[own]:
                    wrong.append(f"{path.name} imports {name}")
    assert not wrong


def test_neither_the_search_nor_the_general_solver_names_a_game():
    """A game says what it is good for; only a solver or network that is made for a game knows its rules."""
    source = Path(luozi.__file__).parent
    folders = [path for folder in ("evaluators", "search", "solvers") for path in (source / folder).rglob("*.py")]
    general = [path for path in folders if not path.name.startswith(("connect4", "go_", "line_"))]
    wrong = [path.name for path in general if "luozi.games" in path.read_text(encoding="utf-8")]
    assert not wrong


def test_only_the_tree_touches_its_arrays():
    """All access is by verbs, so that layout, locks and atomics are the business of one folder."""
    from luozi.search.tree import SideTables, Tree

    names = "|".join(name for kind in (Tree, SideTables) for name in kind._fields if name not in ("players", "actions"))
    access = re.compile(rf"\b(tree|notes)\.({names})\b(?!\()")
    source = Path(luozi.__file__).parent
    owner = source / "search" / "tree"
    wrong = [
        f"{path.name}, line {number}"
        for path in source.rglob("*.py")
        if owner not in path.parents
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if access.search(line)
    ]
    assert not wrong


def test_no_module_has_the_name_of_what_it_defines():
    """A name means one thing: importing a module never hides a function of the same name."""
    source = Path(luozi.__file__).parent
    same = []
    for path in source.rglob("*.py"):
        own = path.parent.name if path.name == "__init__.py" else path.stem
        defined = (node for node in ast.parse(path.read_text(encoding="utf-8")).body)
        names = [node.name for node in defined if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        same += [str(path.relative_to(source))] if own in names else []
    assert not same
