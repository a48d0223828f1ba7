"""The messages in the source, found by Babel, and whether the catalogue has all of them and no others.

    python -m tools.messages            fails where a message has no Chinese, other placeholders, or is not used
    python -m tools.messages update     adds new messages to the catalogue, to be translated, and drops unused ones

A template is the first argument of one of `KEYWORDS`. What is told by another way, such as the meaning of an option, is
a text of the source that is the same as a message of the catalogue.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
SOURCE, PAGE = ROOT / "src/luozi", ROOT / "page/src"
CATALOGUE = SOURCE / "messages/locale/zh/LC_MESSAGES/luozi.po"
NAMES = re.compile(r"\{\w+\}")
FIRST, SECOND = (1,), (2,)
KEYWORDS = {
    **dict.fromkeys(("Message", "LuoziError", "IllegalMoveError", "ForfeitError", "DamagedError", "wrong"), FIRST),
    **dict.fromkeys(("translate", "said"), FIRST),
    "warn_once": SECOND,
    "RuleError": SECOND,
    "translate_in": ((1, "c"), 2),
    "counted": SECOND,
    "plural": (2, 3),
}
ONE_TEMPLATE = {name for name, places in KEYWORDS.items() if places in (FIRST, SECOND) and name != "counted"}
STRING = re.compile(r'(?="((?:[^"\\\n]|\\.)*)")')  # from every quote on: some stand inside of templates

# What these say is read by programs, in English.
PROTOCOLS = ("servers/gtp", "servers/gomocup", "servers/connect4_agent", "web/protocol")

Key = tuple[str | None, str]  # context and English


def templates(path: Path) -> dict[Key, str]:
    """The messages of a Python file, and the English for many where it is another."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    units = [node.value.value for node in nodes if is_unit(node)]
    found: dict[Key, str] = {(None, f"{{count}} {unit}"): f"{{count}} {unit}s" for unit in units}
    counting = {node.lineno for node in nodes if is_count(node)}
    for line, ids, _, context in extract_from_file("python", path, KEYWORDS):
        one, many = ids if isinstance(ids, tuple) else (ids, "")
        if line in counting and "{" not in one:
            one, many = f"{{count}} {one}", f"{{count}} {one}s"
        found[context, one] = many
    return found


def is_count(node: ast.AST) -> bool:
    """Whether this is `counted(number, noun)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted"


def is_unit(node: ast.AST) -> bool:
    """Whether this says what an experiment counts: `unit="repeat"`."""
    return isinstance(node, ast.keyword) and node.arg == "unit" and isinstance(node.value, ast.Constant)


def all_templates() -> dict[Key, str]:
    """The messages of all Python files but those of protocols."""
    found: dict[Key, str] = {}
    for path in told_files():
        found |= {key: many or found.get(key, "") for key, many in templates(path).items()}
    return found


def told_files() -> list[Path]:
    """The files whose messages people read."""
    names = {path: path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py"))}
    return [path for path, name in names.items() if not name.startswith(PROTOCOLS)]


def glued(path: Path) -> Iterator[str]:
    """Sentences whose values stand inside, so that nobody can translate them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ONE_TEMPLATE:
            place = KEYWORDS[node.func.id][0]
            text = node.args[place - 1] if len(node.args) >= place else None
            choice = isinstance(text, ast.IfExp) and isinstance(text.body, ast.Constant)
            if choice or isinstance(text, ast.JoinedStr | ast.BinOp):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: give the values by name: {ast.unparse(text)}"


def texts() -> set[str]:
    """All texts of the source, those of docstrings by paragraphs."""
    found: set[str] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value, *(" ".join(one.split()) for one in node.value.split("\n\n"))}
    for path in sorted(PAGE.rglob("*.ts*")):
        found |= {one.replace('\\"', '"') for one in STRING.findall(path.read_text("utf-8"))}
    return found


def known() -> Catalog:
    """The catalogue."""
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="zh")


def english(message: Message) -> str:
    """The template of a message."""
    return message.id[0] if message.pluralizable else message.id


def chinese(message: Message) -> str:
    """Its translation: there is one form for all numbers."""
    return message.string[0] if message.pluralizable else message.string


def problems() -> list[str]:
    """What is wrong with the catalogue or the source, a line each."""
    wanted, here = all_templates(), texts()
    found = [line for path in told_files() for line in glued(path)]
    messages = {(one.context, english(one)): one for one in known() if one.id}
    found += [f"not in the catalogue: {one!r}" for _, one in sorted(wanted.keys() - messages.keys(), key=str)]
    for (context, one), message in messages.items():
        if not chinese(message):
            found.append(f"has no Chinese: {one!r}")
        elif set(NAMES.findall(one)) != set(NAMES.findall(chinese(message))):
            found.append(f"has other placeholders: {one!r}")
        if (context, one) not in wanted and (f"{context}|{one}" if context else one) not in here:
            found.append(f"is not used: {one!r}")
    return found


def update() -> None:
    """Add what is new and drop what is not used."""
    catalogue, here = known(), texts()
    wanted = all_templates()
    for message in list(catalogue):
        if message.id and (message.context, english(message)) not in wanted and english(message) not in here:
            catalogue.delete(message.id, message.context)
    for (context, one), many in wanted.items():
        message = catalogue.get(one, context)
        if message is None or (many and not message.pluralizable):
            said = chinese(message) if message is not None else ""
            catalogue.delete(one, context)
            catalogue.add((one, many) if many else one, (said,) if many else said, context=context)
    write(catalogue)


def write(catalogue: Catalog) -> None:
    """The catalogue in the order of its English, so that changes are easy to see."""
    catalogue.header_comment = "# The Chinese of what Luozi says; `make messages` brings new messages here."
    with CATALOGUE.open("wb") as file:
        write_po(file, catalogue, width=120, sort_output=True, omit_header=False, ignore_obsolete=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["update"]:
        update()
    wrong = problems()
    print("\n".join(wrong) or "every message has its Chinese")
    sys.exit(bool(wrong))
