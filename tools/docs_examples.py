"""Show examples of docstrings as code: an extension of griffe, which mkdocstrings reads the Python API with."""

from __future__ import annotations

from typing import Any

import griffe


def with_fences(text: str) -> str:
    """Return a docstring whose doctests stand in fenced code blocks.

    >>> with_fences("Return 2.\\n\\n>>> 1 + 1").replace("`", "'")
    "Return 2.\\n\\n'''pycon\\n>>> 1 + 1\\n'''"
    """
    blocks = text.split("\n\n")
    fenced = [f"```pycon\n{block}\n```" if block.lstrip().startswith(">>>") else block for block in blocks]
    return "\n\n".join(fenced)


class Examples(griffe.Extension):
    """Puts the examples of every object into code blocks."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = with_fences(obj.docstring.value)
