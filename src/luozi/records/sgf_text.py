"""SGF as text: a file becomes a tree of nodes, errors name their place; points and properties.

The tree is sgfmill's, with all variations, comments and properties of other programs. `sgf` makes games of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from sgfmill import sgf, sgf_grammar

from luozi.messages import LuoziError, Message
from luozi.util.parsing import content_of, path_of, plain, shown

UTF8_MARK = b"\xef\xbb\xbf"
MOST_BYTES = 50_000_000
ENDED = "unexpected end of SGF data"
MEANINGS = {
    "no SGF data found": "no game begins here: an SGF file starts with (;",
    ENDED: "from here on it is no SGF, though the game has not ended",
    "unexpected value": "a value in brackets stands here without the name of a property",
    "unexpected node": "a node stands here outside of the game",
    "empty sequence": "a variation without a node begins here",
    "property with no values": "a property stands here without a value in brackets",
    "property value outside a node": "a property stands here outside of a node",
}


class SgfNode(Protocol):
    """What this package uses of a node of sgfmill."""

    def has_property(self, name: str) -> bool: ...
    def get_raw(self, name: str) -> bytes: ...
    def get_raw_list(self, name: str) -> list[bytes]: ...
    def set_raw(self, name: str, value: bytes) -> None: ...
    def set_raw_list(self, name: str, values: list[bytes]) -> None: ...
    def unset(self, name: str) -> None: ...
    def get_raw_move(self) -> tuple[str | None, bytes | None]: ...
    def get_encoding(self) -> str: ...
    def get_size(self) -> int: ...
    def has_setup_stones(self) -> bool: ...
    def set_setup_stones(self, black: list[tuple[int, int]], white: list[tuple[int, int]]) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[SgfNode]: ...


class SgfTree(Protocol):
    """What this package uses of a game of sgfmill."""

    def get_root(self) -> SgfNode: ...
    def get_main_sequence(self) -> list[SgfNode]: ...
    def get_sequence_above(self, node: SgfNode) -> list[SgfNode]: ...
    def extend_main_sequence(self) -> SgfNode: ...
    def serialise(self) -> bytes: ...


def read_tree(path: Path) -> SgfTree:
    """Return the first game of a file. Raises as `tree_of`."""
    return tree_of(content_of(path_of(path)), str(path))


def tree_of(content: bytes, of: str) -> SgfTree:
    """Return the first game of a text.

    Raises:
        LuoziError: the text is no SGF; the message names the line and column.

    >>> tree_of(b"(;SZ[9];B[ee]", "game.sgf")
    Traceback (most recent call last):
    luozi.LuoziError: game.sgf, line 1, column 13: from here on it is no SGF, though the game has not ended
    """
    marked, content = content.startswith(UTF8_MARK), content.removeprefix(UTF8_MARK)
    if len(content) > MOST_BYTES:
        raise LuoziError("{of} is larger than any game: {count} bytes", of=of, count=f"{len(content):,}")
    try:
        parsed = sgf_grammar.parse_sgf_game(content)
        return sgf.Sgf_game.from_coarse_game_tree(parsed, better_encoding(content, parsed.sequence[0], marked))
    except ValueError as error:
        said = str(error)
    except (LookupError, RecursionError, OverflowError) as error:
        said = f"{type(error).__name__}"
    if said in MEANINGS:
        raise LuoziError(
            "{of}, {place}: {reason}", of=of, place=place_in(content, said), reason=Message(MEANINGS[said])
        )
    if "size" in said or "SZ" in said:
        raise LuoziError(
            "{of}, {place}: boards in SGF have 1 to 26 lines, and are square",
            of=of,
            place=place_of(content, content.find(b"SZ")),
        )
    raise LuoziError("{of} can't be read as SGF: '{said}'", of=of, said=plain(said))


def variations_in(root: SgfNode) -> int:
    """Return the number of variations beside the main line.

    >>> variations_in(tree_of(b"(;SZ[9];B[ee](;W[aa](;B[bb])(;B[cc]))(;W[dd]))", "it").get_root())
    2
    """
    found, nodes = 0, [root]
    while nodes:
        node = nodes.pop()
        found += max(0, len(node) - 1)
        nodes += list(node)
    return found


def better_encoding(content: bytes, root: dict[str, list[bytes]], marked: bool) -> str | None:
    """Return the encoding of a text if its root names a wrong one: many files are UTF-8 and do not say so.

    >>> better_encoding("(;C[好])".encode(), {}, False), better_encoding(b"(;)", {"CA": [b"GB2312"]}, False)
    ('UTF-8', None)
    """
    told = root["CA"][0].decode("ascii", "replace").strip() if "CA" in root else ""
    if content.isascii() and not told:
        return None
    if told and not marked and is_like_ascii(told):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return None if told and is_like_ascii(told) else "ISO-8859-1"
    return "UTF-8"


def is_like_ascii(encoding: str) -> bool:
    """Return whether an encoding exists and has SGF's own characters as one byte each."""
    try:
        return "(;B[aa])".encode(encoding) == b"(;B[aa])"
    except (LookupError, ValueError):
        return False


def place_in(content: bytes, said: str) -> str:
    """Return the place of the first error: the end of the shortest beginning of the text with the same error."""
    if said == ENDED:
        return place_of(content, sgf_grammar.tokenise(content)[1] - 1)
    low, high = 0, len(content)
    while low < high:
        middle = (low + high) // 2
        if error_of(content[:middle]) == said:
            high = middle
        else:
            low = middle + 1
    return place_of(content, low - 1)


def error_of(content: bytes) -> str:
    """Return the error of a text."""
    try:
        sgf_grammar.parse_sgf_game(content)
    except ValueError as error:
        return str(error)
    return ""


def place_of(content: bytes, position: int) -> str:
    """Return a place as line and column, both from 1.

    >>> place_of(b"(;SZ[9]\\nKM", 9)
    'line 2, column 2'
    """
    before = content[: max(0, position)]
    return Message("line {line}, column {column}", line=before.count(10) + 1, column=len(before) - before.rfind(10))


def text_of(node: SgfNode, name: str, otherwise: str = "") -> str:
    """Return the text of a property without control characters but line ends."""
    if not node.has_property(name):
        return otherwise
    raw = node.get_raw_list(name)[0]
    try:
        text = raw.decode(node.get_encoding(), "replace")
    except LookupError:
        text = raw.decode("utf-8", "replace")
    return unescaped(text)


def unescaped(text: str) -> str:
    """Return text without SGF's backslashes.

    >>> unescaped("a\\\\]b\\\\\\\\c")
    'a]b\\\\c'
    """
    found, escaped = [], False
    for letter in text.replace("\r\n", "\n").replace("\r", "\n"):
        if escaped or letter != "\\":
            if not (escaped and letter == "\n"):
                found.append(letter)
            escaped = False
        else:
            escaped = True
    return "".join(one for one in found if one in "\n\t" or one.isprintable() or unicodedata.category(one) == "Zs")


def set_text(node: SgfNode, name: str, text: str) -> None:
    """Write a property."""
    node.set_raw(name, escaped(text).encode(node.get_encoding(), "replace"))


def escaped(text: str) -> str:
    """Return text with SGF's backslashes.

    >>> escaped("a]b")
    'a\\\\]b'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]").replace("\0", "")


def letters_of(place: tuple[int, int]) -> str:
    """Return a row and a column from the top left in SGF's letters.

    >>> letters_of((15, 3))
    'dp'
    """
    row, column = place
    return chr(ord("a") + column) + chr(ord("a") + row)


def place_from(letters: str, size: int) -> tuple[int, int] | None:
    """Return the row and column of SGF's letters; None if they are not on the board.

    >>> place_from("dp", 19), place_from("", 19)
    ((15, 3), None)
    """
    if len(letters) != 2 or not all("a" <= letter <= "z" for letter in letters):
        return None
    column, row = (ord(letter) - ord("a") for letter in letters)
    return (row, column) if row < size and column < size else None


def points_of(node: SgfNode, name: str, size: int) -> list[tuple[int, int]]:
    """Return the points of a property, each once, rectangles expanded."""
    found: dict[tuple[int, int], None] = {}  # a file of 500 kB may name 25,000,000 points
    for raw in dict.fromkeys(node.get_raw_list(name) if node.has_property(name) else ()):
        corners = [place_from(part.strip(), size) for part in raw.decode("ascii", "replace").split(":")]
        if len(corners) > 2 or None in corners:
            raise LuoziError(
                "{name}[{value}] names no point of this board",
                name=name,
                value=shown(raw.decode("ascii", "replace"))[1:-1],
            )
        (top, left), (bottom, right) = corners[0], corners[-1]  # type: ignore[misc]
        found |= dict.fromkeys((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
    return list(found)
