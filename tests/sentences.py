"""Sentences as they stand in the source, to look for them in the catalogue."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def template(node: ast.expr) -> str:
    """A sentence in the source with `x` for what comes in; nothing if it is made elsewhere."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(template, node.values))
    if isinstance(node, ast.FormattedValue):
        inner = node.value
        made = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name)
        if made and inner.func.id == "nearest":
            return "; did you mean 'x'?"
        return "'x'" if made and inner.func.id == "shown" else "x"
    return node.value if isinstance(node, ast.Constant) else ""


def sentences_in(path: Path, function: str = "LuoziError", place: int = 0) -> Iterator[str]:
    """What a file hands to a function, as its first argument or another."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function and len(node.args) > place:
            sentence = template(node.args[place])
            if sentence:
                yield sentence


def all_sentences(path: Path) -> Iterator[str]:
    """Whatever in a file ends with a full stop, but for documentation, notes and what describes a picture."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out: set[int] = set()
    for node in ast.walk(tree):
        beside = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("NOTE")
        beside = beside or (isinstance(node, ast.Call) and ast.unparse(node.func) == "Drawing")
        if beside or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            left_out |= {id(one) for one in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(one) for one in ast.walk(node) if one is not node}
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in left_out:
            sentence = template(node) if isinstance(getattr(node, "value", ""), str) else ""
            if sentence.endswith(".") and " " in sentence:
                yield sentence
