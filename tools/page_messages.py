"""The reference page of the page's messages, written from the structs of the server."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import inspect

from luozi.web.answers import ANSWERS
from luozi.web.catalog import OFFERS
from luozi.web.requests import AnyRequest, SeatChoice

SCALARS = {
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.StrType: "text",
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
    inspect.AnyType: "any value",
}
Struct = inspect.StructType | inspect.TypedDictType | inspect.DataclassType
START = """# Messages of the page

For programs that talk to the server of the page. The server declares each message as a struct. This page is generated
from these structs.

The page opens one WebSocket at `/socket`. A message is one JSON object of at most 1 MiB. The field `type` has the name
that the headings below give.

- The client sends **requests**. `id` is optional: an integer from 0 to 2^53.
- The server sends exactly one **response** to each request: the message that [the table](#responses) names, or `error`.
  The response has the `id` of its request.
- The server also sends **events**, which have no `id`. Examples are moves of other players and search progress.
- Unknown fields are refused. A field marked "optional" may be left out.
- An *action* is the number of a move in its game. A *move number* counts moves: position 0 is the start.
- A *seat* is the number of a player, from 0.

The page "The server of the page" explains sessions, limits and restarts.

## Responses

| request | response |
|---|---|
| `hello` | `table`, or `welcome` without `table` and `secret` |
| `new`, `undo`, `seat`, `resign` | `table` |
| `from_here`, `load`, `paste`, `edit` | `table` of a new session, with its own `secret` |
| `play` | `moved` |
| `hint` | `thinking` with `what` "hint" and `done` true |
| `move_now`, `stop`, `go_on`, `watch`, `analyse` | `ok` |
| `goto` | `shown` |
| `walk`, `step` | `step` |
| `tree` | `tree` |
| `why` | `why` |
| `line` | `line` |
| `save` | `saved` |
| `leave` | `welcome` |

A seat that a client chooses is a `SeatChoice`: a person, a player of Luozi or an external program of the server.
"""


def page_messages() -> str:
    """Return the page: requests, messages of the server, and the data in them."""
    data: dict[type, Struct] = {}
    known = {kind.cls for kind in structs([*AnyRequest.__args__, *ANSWERS])}
    parts = [START, "## Requests"]
    parts += [section(kind, f"`{kind.tag}`") for kind in structs(AnyRequest.__args__)]
    parts.append("## Messages of the server")
    parts += [section(kind, f"`{kind.tag}`") for kind in structs(ANSWERS)]
    collect([*structs(AnyRequest.__args__), *structs(ANSWERS), *structs([SeatChoice, *OFFERS])], data)
    parts.append("## Data")
    parts += [section(kind, f"`{cls.__name__}`") for cls, kind in sorted(data.items(), key=name_of) if cls not in known]
    return "\n\n".join(parts) + "\n"


def name_of(entry: tuple[type, Struct]) -> str:
    """Return the name by which data are sorted."""
    return entry[0].__name__


def structs(classes: Iterable[type]) -> list[inspect.StructType]:
    """Return the descriptions of structs."""
    kinds = inspect.multi_type_info(list(classes))
    return [kind for kind in kinds if isinstance(kind, inspect.StructType)]


def section(kind: Struct, title: str) -> str:
    """Return the heading, the docstring and the fields of a message."""
    meaning = (kind.cls.__doc__ or "").strip().partition("\n\n")[0]
    rows = [
        f"| `{field.encode_name}` | {type_of(field.type)} | {'required' if field.required else 'optional'} "
        f"| {note_of(field.type)} |"
        for field in kind.fields
        if field.name != "id"
    ]
    table = ["| field | type | | meaning |", "|---|---|---|---|", *rows] if rows else ["No fields."]
    return "\n".join([f"### {title}", "", meaning, "", *table])


def type_of(kind: inspect.Type) -> str:
    """Return a type in words, with its bounds."""
    match kind:
        case inspect.Metadata():
            return type_of(kind.type)
        case inspect.StructType() | inspect.TypedDictType() | inspect.DataclassType():
            tag = getattr(kind, "tag", None)
            return f"`{tag or kind.cls.__name__}`"
        case inspect.UnionType():
            parts = dict.fromkeys(type_of(one) for one in kind.types if not is_unset(one))
            return " or ".join(sorted(parts, key=lambda name: name == "null"))
        case inspect.LiteralType():
            return " or ".join(f'"{value}"' for value in kind.values)
        case inspect.ListType() | inspect.VarTupleType():
            return f"list of {type_of(kind.item_type)}{bounds_of(kind)}"
        case inspect.TupleType():
            return f"[{', '.join(type_of(one) for one in kind.item_types)}]"
        case inspect.DictType():
            return f"object of {type_of(kind.value_type)}{bounds_of(kind)}"
    return SCALARS[type(kind)] + bounds_of(kind)


def bounds_of(kind: inspect.Type) -> str:
    """Return the bounds of a number, a text or a list in words; nothing where there are none."""
    low, high = getattr(kind, "ge", None), getattr(kind, "le", None)
    if high is None and isinstance(kind, inspect.IntType) and kind.lt is not None:
        high = kind.lt - 1
    parts = []
    if low is not None and high is not None:
        parts.append(f"{low:,} to {int(high):,}")
    if (most := getattr(kind, "max_length", None)) is not None:
        parts.append(f"at most {most:,}{' characters' if isinstance(kind, inspect.StrType) else ''}")
    return f" ({', '.join(parts)})" if parts else ""


def note_of(kind: inspect.Type) -> str:
    """Return the description of an annotated field; nothing where there is none."""
    if isinstance(kind, inspect.Metadata):
        return (kind.extra_json_schema or {}).get("description", "").replace("|", "\\|")
    if isinstance(kind, inspect.UnionType):
        return next(filter(None, map(note_of, kind.types)), "")
    return ""


def is_unset(kind: inspect.Type) -> bool:
    """Return whether a type only says that a field may be missing."""
    return isinstance(kind, inspect.CustomType | inspect.AnyType)


def collect(kinds: Iterable[inspect.Type], data: dict[type, Struct]) -> None:
    """Add the structs that types refer to."""
    for kind in kinds:
        match kind:
            case inspect.Metadata():
                collect([kind.type], data)
            case inspect.StructType() | inspect.TypedDictType() | inspect.DataclassType():
                if kind.cls not in data:
                    data[kind.cls] = kind
                    collect([field.type for field in kind.fields], data)
            case inspect.UnionType():
                collect(kind.types, data)
            case inspect.ListType() | inspect.VarTupleType():
                collect([kind.item_type], data)
            case inspect.TupleType():
                collect(kind.item_types, data)
            case inspect.DictType():
                collect([kind.value_type], data)
