"""Phrases that are wrong everywhere, and where they stand in documentation, docstrings, comments and messages.

    python -m tools.words           fails where such a phrase stands
    python -m tools.words src/luozi/search      looks only there

Each phrase has a sentence that contains it and one that may look alike, which a test compares. Words that are wrong in
some meanings only do not belong here.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("src/luozi", "docs", "README.md", "README.zh.md", "CONTRIBUTING.md", "page/src", "examples")
PROSE = (".md", ".po")
CODE = (".py", ".ts", ".tsx")
GENERATED = ("protocol.ts", "zh.json")


class Phrase(NamedTuple):
    """A phrase to avoid."""

    pattern: str
    instead: str
    wrong: str  # a sentence that contains it
    right: str  # a sentence that does not


PHRASES = (
    Phrase(r"games? of the house", "built-in game", "any game of the house", "the games of the tournament"),
    Phrase(r"\b(?:of )?one['\u2019]s own\b", "custom, your own", "a game of one's own", "a game of your own"),
    Phrase(r"\bis given it\b", "takes it as an argument", "every verb is given it whole", "the seed is given"),
    Phrase(r"\bwho(?:ever)? comes (?:first|second|last)\b", "the first thread", "who comes second", "who plays"),
    Phrase(r"\bin vain\b", "without effect, rejected", "nothing is drawn in vain", "in value"),
    Phrase(r"\bgets? ready\b|\bmak(?:es?|ing) ready\b", "compile, prepare", "it makes ready", "it is ready"),
    Phrase(r"\bverbs? of the loop\b", "functions of the loop", "the verbs of the loop", "the body of the loop"),
    Phrase(r"\bso many (?!that\b)", "this number of, a number of", "wait so many seconds", "so many that it fails"),
    Phrase(r"\bone sentence (?:if|about|which|that|where|with)\b", "Raises: LuoziError",
           "one sentence if it is none", "one sentence a line"),
    Phrase(r"\bnobody knows\b", "it is unknown", "-1: nobody knows", "nobody has won"),
    Phrase(r"\bwhat (?:it|they|this|he|she) (?:is|are) worth\b|\bworth of a (?:leaf|node)\b", "its value",
           "say what it is worth", "it is worth trying"),
    Phrase(r"\b(?:tells?|told) (?:it|them) (?:whole|at once)\b", "writes, reports", "it tells it at once", "is told"),
    Phrase(r"\berrands?\b", "job", "an errand of a player", "an error"),
    Phrase(r"\bkeepers?\b", "supervisor process", "the keeper of a program", "a housekeeping task"),
    Phrase(r"\bstrangers?\b", "untrusted client", "a stranger may choose", "a strange value"),
    Phrase(r"\bat the latest moment\b|\bwithout a word\b", "without output", "works without a word", "a word"),
    Phrase("结点", "节点", "展开一个结点", "展开一个节点"),
    Phrase("回传", "反向传播", "把结果回传", "反向传播"),
    Phrase("朴素 ?UCT", "普通 UCT", "朴素 UCT", "普通 UCT"),
    Phrase("自对弈", "自我对弈", "自对弈学习", "自我对弈"),
    Phrase("走棋方|下棋方", "行棋方", "轮到走棋方", "轮到行棋方"),
    Phrase("您", "你", "您可以", "你可以"),
)  # fmt: skip


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file with their lines: prose line by line, of Python only comments and strings."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(content).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                yield from enumerate(token.string.splitlines(), token.start[0])
    else:
        yield from enumerate(content.splitlines(), 1)


def files_in(place: Path) -> Iterator[Path]:
    """Yield the files of a place that people read or write."""
    found = sorted(place.rglob("*")) if place.is_dir() else [place]
    for path in found:
        parts = path.relative_to(ROOT).parts
        if path.suffix in PROSE + CODE and path.name not in GENERATED and "node_modules" not in parts:
            yield path


def hits_in(text: str) -> list[Phrase]:
    """Return the phrases that a text contains."""
    return [phrase for phrase in PHRASES if re.search(phrase.pattern, text, re.IGNORECASE)]


def main(places: list[str]) -> int:
    """Print where phrases stand; return 1 if there are any."""
    count = 0
    for place in places or PLACES:
        for path in files_in((ROOT / place).resolve()):
            for line, text in texts_of(path):
                for phrase in hits_in(text):
                    print(f"{path.relative_to(ROOT)}:{line}: {text.strip()[:100]}\n    write: {phrase.instead}")
                    count += 1
    print(f"{count} phrases to avoid" if count else "no phrase to avoid")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
