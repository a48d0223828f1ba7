"""The house rules: imports point one way, and the tree has one owner."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import luozi

# From lowest to highest; a module may import its own line and those before it.
ORDER = [
    ("messages",),
    ("limits",),
    ("util",),
    ("removed",),
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
# Hidden in functions: the lazy public names, Ctrl-C while modules are loaded, the two of LATER, and what runs in other
# processes. Commands are loaded by luozi/cli/app.py, and by nothing else.
HIDDEN = {
    ("__init__.py", "luozi.removed"),
    ("cli/__main__.py", "luozi.cli.app"),
    ("matches/remote_task.py", "luozi"),
    ("matches/remote_task.py", "luozi.matches.remote_task"),
    ("rules/checked.py", "luozi.check.short"),
    ("search/compile_process.py", "luozi"),
    ("search/engine.py", "luozi.players"),
}
# What draws is loaded when something is drawn, wherever that is: it loads matplotlib, which takes 0.3 s.
DRAWING = {
    "luozi.experiments.drawing",
    "luozi.reports.contest_pages",
    "luozi.reports.figures",
    "luozi.reports.panels",
    "luozi.reports.tuning_pages",
}
SOURCE = Path(luozi.__file__).parent
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
    from luozi.search.tree.tree import Tree

    names = "|".join(name for name in vars(Tree(100, 2, 9)) if name not in ("players", "actions"))
    access = re.compile(rf"\btree\.({names})\b(?!\()")
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


def modules() -> dict[str, Path]:
    """All modules by name."""
    files = {path.relative_to(SOURCE.parent).with_suffix(""): path for path in SOURCE.rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in files.items()}


def imported(node: ast.AST, known: dict[str, Path]) -> list[str]:
    """The modules of luozi that a node imports."""
    names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom):
        assert not node.level, "imports have whole names"
        whole = [f"{node.module}.{one.name}" for one in node.names]
        names = [name if name in known else node.module or "" for name in whole]
    return [name for name in names if name.split(".")[0] == "luozi"]


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def parsed() -> Iterator[tuple[str, str, ast.Module]]:
    """The modules: the name, the path below luozi, and the content."""
    for name, path in modules().items():
        yield name, path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_no_import_is_hidden_but_those_that_are_listed():
    known, found = modules(), set()
    for _, path, content in parsed():
        shown = [one for node in content.body for one in (node.body if is_for_types(node) else [node])]
        hidden = (node for node in ast.walk(content) if node not in shown)
        found |= {(path, name) for node in hidden for name in imported(node, known)}
    assert {(path, name) for path, name in found if name not in DRAWING} == HIDDEN


def test_what_is_imported_for_types_alone_is_of_the_same_package():
    known, wrong = modules(), []
    for name, path, content in parsed():
        for node in (one for block in ast.walk(content) if is_for_types(block) for one in ast.walk(block)):
            others = [one for one in imported(node, known) if one.split(".")[:2] != name.split(".")[:2]]
            wrong += [f"{path} imports {one}" for one in others if path != "__init__.py"]
    assert not wrong


def test_no_modules_of_a_package_import_one_another():
    known = modules()
    needs: dict[str, set[str]] = {}
    for name, _, content in parsed():
        found = {one for node in content.body for one in imported(node, known)}
        needs[name] = {one for one in found if one != "luozi" and one.split(".")[:2] == name.split(".")[:2]}
    assert len(needs["luozi.search.engine"]) > 5
    TopologicalSorter(needs).prepare()  # it names the modules of a cycle
