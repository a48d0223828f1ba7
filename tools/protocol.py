"""The messages of the page as TypeScript: `page/src/protocol.ts` is written from the structs of the server.

python -m tools.protocol            writes the file
python -m tools.protocol check      fails where it differs
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, get_args

from msgspec import inspect

from luozi.web.answers import ANSWERS
from luozi.web.catalog import OFFERS
from luozi.web.requests import AnyRequest

FILE = Path(__file__).resolve().parents[1] / "page/src/protocol.ts"
HEAD = """/** What the page and the server say to each other, written by `python -m tools.protocol`. */

/** Anything that the server may send; views may define further types of their own. */
export type Message = { type: string; id?: number } & Record<string, unknown>;

/** A text without values is its own template. */
export type Sentence = string | Told;

export type Piece = [cell: number, player: number, kind: string];
"""
SCALARS = {
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.StrType: "string",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "unknown",
}
SENTENCE, PIECE = "string | Told", "[number, number, string]"
RECORDS = (inspect.StructType, inspect.TypedDictType, inspect.DataclassType)
ENDS = ("Message", "Data")  # of names in Python, left out on the page
OTHER_NAMES = {f"{name}Message": f"{name}Answer" for name in ("Line", "Tree", "Step", "Why")}  # the rest is taken there


def name_of(cls: type) -> str:
    """What a class is called on the page.

    >>> from luozi.web.answers import MovedMessage
    >>> name_of(MovedMessage)
    'Moved'
    """
    if cls.__name__ in OTHER_NAMES:
        return OTHER_NAMES[cls.__name__]
    for end in ENDS:
        if cls.__name__.endswith(end):
            return cls.__name__.removesuffix(end)
    return cls.__name__


class Writer:
    """Interfaces in the order in which they are met."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}

    def type_of(self, kind: inspect.Type) -> str:
        """A type in TypeScript."""
        match kind:
            case inspect.Metadata():
                return self.type_of(kind.type)
            case inspect.StructType(array_like=True):
                parts = [f"{one.name}{'' if one.required else '?'}: {self.type_of(one.type)}" for one in kind.fields]
                return f"[{', '.join(parts)}]"
            case inspect.StructType() | inspect.TypedDictType() | inspect.DataclassType():
                return self.interface(kind)
            case inspect.UnionType():
                names = dict.fromkeys(self.type_of(one) for one in kind.types if not isinstance(one, inspect.AnyType))
                return self.named(" | ".join(sorted(names, key=lambda name: name == "null")))
            case inspect.LiteralType():
                return " | ".join(f'"{value}"' for value in kind.values)
            case inspect.ListType() | inspect.VarTupleType():
                inner = self.type_of(kind.item_type)
                return f"({inner})[]" if " | " in inner else f"{inner}[]"
            case inspect.TupleType():
                return self.named(f"[{', '.join(map(self.type_of, kind.item_types))}]")
            case inspect.DictType():
                return f"Record<{self.type_of(kind.key_type)}, {self.type_of(kind.value_type)}>"
        return SCALARS[type(kind)]

    def named(self, written: str) -> str:
        """A type by the name that it has at the head of the file."""
        return {PIECE: "Piece", SENTENCE: "Sentence"}.get(written, written)

    def interface(self, kind: Any) -> str:
        """Write a record as an interface, once; its name."""
        name = name_of(kind.cls)
        if name not in self.written:
            self.written[name] = ""  # it may hold itself
            lines = [f"/** {(kind.cls.__doc__ or name).strip().splitlines()[0]} */", f"export interface {name} {{"]
            if isinstance(kind, inspect.StructType) and kind.tag is not None:
                lines.append(f'  {kind.tag_field}: "{kind.tag}";')
            whole = isinstance(kind, inspect.DataclassType)  # every field of it is sent
            lines += [self.field(field, not field.required and not whole) for field in kind.fields]
            self.written[name] = "\n".join([*lines, "}"])
        return name

    def field(self, field: inspect.Field, optional: bool) -> str:
        """One line of an interface, with its comment."""
        said = ""
        if isinstance(field.type, inspect.Metadata) and field.type.extra_json_schema:
            said = field.type.extra_json_schema.get("description", "")
        end = f" // {said}" if said else ""
        return f"  {field.encode_name}{'?' if optional else ''}: {self.type_of(field.type)};{end}"


def source() -> str:
    """The whole file."""
    writer = Writer()
    answers = [writer.type_of(one) for one in inspect.multi_type_info((*ANSWERS, *OFFERS))][: len(ANSWERS)]
    requests = [writer.type_of(one) for one in inspect.multi_type_info(get_args(AnyRequest))]
    unions = [
        f"/** Every message of the server. */\nexport type AnyAnswer = {' | '.join(answers)};",
        f"/** Every message of a page. */\nexport type AnyRequest = {' | '.join(requests)};",
    ]
    return "\n".join([HEAD, "\n\n".join([*(text for text in writer.written.values() if text), *unions])]) + "\n"


def main(words: list[str]) -> int:
    """Write the file, or compare it."""
    if words != ["check"]:
        FILE.write_text(source(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != source():
        print(f"{FILE.name} differs from the structs of the server: run 'python -m tools.protocol'")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
