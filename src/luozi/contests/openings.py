"""Where the games of a match start: so many random moves, or the lines of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from luozi.compiled import new_rng, random_below
from luozi.errors import LuoziError
from luozi.players.person import read_move
from luozi.records.sgf import MainLine
from luozi.records.sgf_text import read_tree
from luozi.rules import Game
from luozi.search.noticing import refuse_no_moves

TRIES = 20  # random openings that end the game are drawn again so often; then the longest one is taken


def seed_of(*parts: object) -> int:
    """A seed that depends on all parts and on nothing else, in every process and on every machine.

    >>> seed_of(1, "mcts") == seed_of(1, "mcts") != seed_of(2, "mcts")
    True
    """
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2


class Openings(NamedTuple):
    """Random moves, or given ones; a contest with more openings than are given takes them again in turn."""

    plies: int = 0
    lines: tuple[tuple[int, ...], ...] = ()

    def opening(self, game: Game, seed: int, number: int) -> tuple[int, ...]:
        """The actions of one opening.

        >>> import luozi
        >>> len(Openings(plies=4).opening(luozi.game("connect4"), seed=1, number=0))
        4
        """
        if self.lines:
            return self.lines[number % len(self.lines)]
        longest: tuple[int, ...] = ()
        for attempt in range(TRIES if self.plies else 0):
            actions = random_opening(game, self.plies, seed_of("opening", seed, number, attempt))
            if len(actions) == self.plies:
                return actions
            longest = max(longest, actions, key=len)
        return longest

    def __str__(self) -> str:
        if self.lines:
            return f"{len(self.lines):,} given openings"
        return f"{self.plies} random moves" if self.plies else "the start of the game"


def random_opening(game: Game, plies: int, seed: int) -> tuple[int, ...]:
    """So many random moves, fewer if they would end the game."""
    rng, state = new_rng(seed), game.new_state()
    actions: list[int] = []
    while len(actions) < plies:
        legal = game.legal_list(state)
        refuse_no_moves(game, state, legal)
        action = legal[random_below(rng, len(legal))]
        state = game.after(state, action)
        if game.is_terminal(state):
            break
        actions.append(action)
    return tuple(actions)


def split_moves(text: str) -> list[str]:
    """The names of moves: between spaces, or between commas where names have spaces."""
    return [name.strip() for name in text.split(",")] if "," in text else text.split()


def read_moves(game: Game, names: Sequence[str]) -> tuple[int, ...]:
    """The actions with these names, played from the start."""
    state, actions = game.new_state(), []
    for name in names:
        if game.is_terminal(state):
            raise LuoziError(f"the game was over before '{name}'")
        actions.append(read_move(game, state, name))
        state = game.after(state, actions[-1])
    if game.is_terminal(state):
        raise LuoziError("the game is over after these moves")
    return tuple(actions)


def load_openings(path: Path, game: Game) -> Openings:
    """Openings from a file: the moves of one opening a line, `#` starts a comment; or all variations of an SGF file."""
    if path.suffix.lower() == ".sgf":
        return Openings(lines=tuple(sgf_openings(path, game)))
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LuoziError(f"can't read the openings '{path}': {getattr(error, 'strerror', 'not a text')}") from None
    openings = []
    for number, line in enumerate(lines, 1):
        text = line.partition("# ")[0].strip()
        if not text or (text.startswith("#") and not text[1:2].isdecimal()):
            continue
        try:
            actions = read_moves(game, split_moves(text))
        except LuoziError as error:
            raise LuoziError(f"{path}, line {number}: {error}") from None
        openings.append(actions)
    if not openings:
        raise LuoziError(f"'{path}' holds no opening: write the moves of one a line, such as '4 4 3' in connect4")
    return Openings(lines=tuple(openings))


def sgf_openings(path: Path, game: Game) -> list[tuple[int, ...]]:
    """The moves from the start to the end of each variation."""
    tree = read_tree(path)
    openings = []
    for leaf in leaves_of(tree.get_root()):
        line = MainLine(game, str(path))
        for node in tree.get_sequence_above(leaf):
            line.add(node)
        line.add(leaf)
        if game.is_terminal(line.state):
            raise LuoziError(f"{path}: the game is over after the moves of a variation, so that it is no opening")
        if line.actions:
            openings.append(tuple(line.actions))
    if not openings:
        raise LuoziError(f"'{path}' holds no moves, so that it is no opening")
    return openings


def leaves_of(root: Any) -> list[Any]:
    """The last node of each variation, in order."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(list(node))
        if not len(node):
            found.append(node)
    return found
