"""The house rule: imports point one way."""

from __future__ import annotations

import ast
from pathlib import Path

import luozi

# From lowest to highest; a module may import its own line and those before it.
ORDER = [
    ("errors", "machine", "outside_text", "own_folder", "parameters", "text"),
    ("compiled",),
    ("guards",),
    ("game",),
    ("games",),
    ("search",),
    ("check",),
    ("protocols",),
    ("players",),
    ("match",),
    ("experiments",),
    ("doctor", "terminal"),
    ("web",),
    ("cli", "cli_contests", "cli_experiment", "cli_tune"),
]
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
                if parts[0] == "luozi" and len(parts) > 1 and LEVEL.get(parts[1], -1) > LEVEL[own]:
                    wrong.append(f"{path.name} imports {name}")
    assert not wrong
