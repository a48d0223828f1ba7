"""Players' labels that fit into figures and headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from luozi.messages import LuoziError
from luozi.players import PLAYERS, split_command
from luozi.util.parameters import split_spelling


class Label(NamedTuple):
    """A player's label in parts: `mcts` with its parameters, or a program with its options."""

    kind: str
    pieces: dict[str, str]  # by the name of the parameter or option
    between: str  # pieces
    number: str  # such as ` #2`

    def text(self, without: Collection[str] = ()) -> str:
        """Return the label without some pieces."""
        pieces = [piece for name, piece in self.pieces.items() if name not in without]
        start = ":" if self.between == "," else " "
        return f"{self.kind}{start if pieces else ''}{self.between.join(pieces)}{self.number}"


def short_labels(labels: Sequence[str], longest: int = 30) -> list[str]:
    """Return players' labels without the parameters that all players of a kind share.

    >>> short_labels(["mcts:iterations=1000,c=0.7", "mcts:iterations=1000,c=1.4", "random", "random #2"])
    ['mcts:c=0.7', 'mcts:c=1.4', 'random', 'random #2']
    >>> short_labels(["gtp:/usr/games/gnugo --mode gtp --level 1", "gtp:/usr/games/gnugo --mode gtp --level 10"])
    ['gtp:gnugo --level 1', 'gtp:gnugo --level 10']
    """
    taken = [take_apart(" ".join(label.split())) for label in labels]
    found = []
    for label in taken:
        alike = [other.pieces for other in taken if other.kind == label.kind]
        shared = [name for name, piece in label.pieces.items() if all(other.get(name) == piece for other in alike)]
        found.append(label.text(shared if len(alike) > 1 else ()))
    for cut in (clip_end, clip):
        clipped = [cut(label, longest) for label in found]
        if len(set(clipped)) == len(clipped):
            return clipped
    return [f"{number} {label}" for number, label in enumerate(clipped, 1)]


def take_apart(label: str) -> Label:
    """Return a label's parts; a label that is no player is one part."""
    spelling, number = re.fullmatch(r"(.*?)( #\d+)?", label).groups("")  # type: ignore[union-attr]
    name, _, rest = spelling.partition(":")
    kind = PLAYERS.get(name)
    try:
        if kind is not None and kind.runs_command:
            values = split_command(rest, kind)
            program, *options = re.findall(r"-\S+ [^-\s]\S*|\S+", values.pop("command"))
            pieces = {f"{place} {option.split()[0]}": option for place, option in enumerate(options)}
            pieces |= {key: f"{key}={value}" for key, value in values.items()}
            return Label(f"{name}:{program.rpartition('/')[2]}", pieces, " ", number)
        name, values = split_spelling(spelling)
        return Label(name, {key: f"{key}={value}" for key, value in values.items()}, ",", number)
    except (LuoziError, ValueError):
        return Label(spelling, {}, ",", number)


def clip_end(text: str, longest: int) -> str:
    """Return a text with an ellipsis for its end, if it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def clip(text: str, longest: int) -> str:
    """Return a text with an ellipsis for its middle, if it is too long.

    >>> clip("mcts:iterations=1000,c=0.71", 20)
    'mcts:itera…00,c=0.71'
    """
    half = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - half]}…{text[-half:]}"
