"""Patterns: what can be seen of a line from an empty cell, a few cells each way.

An arm is one side of the cell, the nearest cell first, up to a wall. Two arms in either order are a pattern, so a line
and its reverse are the same. Where a game is small enough, a pattern has the stones of both players ("joint").
Otherwise each player has patterns in which all other stones are walls.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.games.lines import classes
from luozi.games.lines.classes import BLOCKED, line_classes

if TYPE_CHECKING:
    from luozi.games.lines.rules import Lines

# A cell as a player sees it. OPEN is an empty cell that can be played now, with gravity.
EMPTY, OWN, OTHER, WALL, OPEN = 0, 1, 2, 3, 4
# What a stone in the middle makes: a four that one cell completes, one that several complete, a win.
FOUR, OPEN_FOUR, WIN = 1, 2, 3
THREE, OPEN_THREE = 1, 2  # and a three: one stone short of a four, or of an open four
THREES = {classes.THREE: THREE, classes.OPEN_THREE: OPEN_THREE}
MAKES = {classes.FOUR: FOUR, classes.OPEN_FOUR: OPEN_FOUR, classes.FIVE: WIN}
MOST_PATTERNS = 8000  # maximum size of a table; rarer patterns could not be learned
MOST_REACH = 5

Arm = tuple[int, ...]


class Alphabet(NamedTuple):
    """How the lines of a game are coded."""

    run: int
    exactly: bool
    joint: bool  # one code with the stones of both players, or a code for each player
    falling: bool  # whether OPEN is distinguished from EMPTY

    @property
    def reach(self) -> int:
        """The number of cells seen each way. Farther cells belong to no common win."""
        return self.run if self.exactly else self.run - 1

    @property
    def bits(self) -> int:
        """The bits of one cell in a code."""
        return 3 if self.falling else 2

    @property
    def symbols(self) -> tuple[int, ...]:
        """The possible values of a cell in an arm."""
        return (EMPTY, OWN, *((OTHER,) if self.joint else ()), *((OPEN,) if self.falling else ()))

    @property
    def patterns(self) -> int:
        """The maximum number of patterns.

        >>> Alphabet(5, False, True, False).patterns, Alphabet(4, False, True, True).patterns
        (7381, 3655)
        """
        arms = sum(len(self.symbols) ** length for length in range(self.reach + 1))
        return arms * (arms + 1) // 2


def alphabet_of(run: int, exactly: bool, players: int, gravity: bool) -> Alphabet | None:
    """Return the most detailed alphabet whose patterns can be learned, or None.

    >>> alphabet_of(5, False, 3, False)
    Alphabet(run=5, exactly=False, joint=False, falling=False)
    """
    for joint, falling in itertools.product((True, False), (True, False)):
        alphabet = Alphabet(run, exactly, joint, falling)
        fits = 1 <= alphabet.reach <= MOST_REACH and alphabet.patterns <= MOST_PATTERNS
        if fits and (players == 2 or not joint) and (gravity or not falling):
            return alphabet
    return None


class Patterns(NamedTuple):
    """Tables of arms and patterns. Pattern 0 is a line in which nobody can win."""

    arm_of: Array  # [codes of an arm] i4: number of the arm
    pattern_of: Array  # [arms * arms] i4: pattern of two arms
    exchanged: Array  # [patterns] u2: the pattern with OWN and OTHER exchanged
    makes: Array  # [patterns] u1: what a stone of OWN makes there, and four bits higher what one of OTHER makes
    own_view: Array  # [patterns] i4: the view of OWN, with stones of OTHER as walls
    other_view: Array  # [patterns] i4: the view of OTHER
    views: int
    threes: Array  # [patterns] u1: as `makes`, for threes: THREE or OPEN_THREE

    @property
    def size(self) -> int:
        """The number of patterns."""
        return len(self.makes)


@cache
def patterns_of(alphabet: Alphabet) -> Patterns:
    """Return all patterns of an alphabet.

    >>> patterns_of(Alphabet(5, False, False, False)).size  # of 496: in 26 there is no room for five, and they are one
    471
    """
    reach = alphabet.reach
    arms = [arm for length in range(reach + 1) for arm in itertools.product(alphabet.symbols, repeat=length)]
    number = {arm: index for index, arm in enumerate(arms)}
    arm_of = np.array([number[read_arm(code, alphabet)] for code in range(1 << alphabet.bits * reach)], np.int32)
    pattern_of = np.zeros((len(arms), len(arms)), np.int32)
    makes, threes, own, other = [0], [0], [0], [0]
    views: dict[tuple[Arm, Arm], int] = {}
    for first, second in itertools.combinations_with_replacement(range(len(arms)), 2):
        pair = arms[first], arms[second]
        mine, theirs = view_of(pair, OWN, alphabet), view_of(pair, OTHER, alphabet)
        if mine is None and theirs is None:
            continue
        pattern_of[first, second] = pattern_of[second, first] = len(makes)
        makes.append(stone_makes(mine, alphabet) | stone_makes(theirs, alphabet) << 4)
        threes.append(stone_makes(mine, alphabet, THREES) | stone_makes(theirs, alphabet, THREES) << 4)
        own.append(0 if mine is None else views.setdefault(mine, len(views) + 1))
        other.append(0 if theirs is None else views.setdefault(theirs, len(views) + 1))
    turned = {OWN: OTHER, OTHER: OWN} if alphabet.joint else {}
    other_arm = np.array([number[tuple(turned.get(symbol, symbol) for symbol in arm)] for arm in arms])
    exchanged = np.zeros(len(makes), np.uint16)
    exchanged[pattern_of] = pattern_of[other_arm[:, None], other_arm]
    return Patterns(
        arm_of=arm_of,
        pattern_of=pattern_of.reshape(-1),
        exchanged=exchanged,
        makes=np.array(makes, np.uint8),
        own_view=np.array(own, np.int32),
        other_view=np.array(other, np.int32),
        views=len(views) + 1,
        threes=np.array(threes, np.uint8),
    )


def read_arm(code: int, alphabet: Alphabet) -> Arm:
    """Return the cells of an arm up to the first that ends it."""
    cells = [code >> alphabet.bits * index & (1 << alphabet.bits) - 1 for index in range(alphabet.reach)]
    return tuple(itertools.takewhile(lambda cell: cell in alphabet.symbols, cells))


def view_of(pair: tuple[Arm, Arm], player: int, alphabet: Alphabet) -> tuple[Arm, Arm] | None:
    """Return a pattern as one player sees it, with that player's stones as OWN, or None if there is no room for a
    win.
    """
    if player == OTHER and not alphabet.joint:
        return None
    against = OTHER if player == OWN else OWN
    one, two = (tuple(itertools.takewhile(lambda cell: cell != against, arm)) for arm in pair)
    if len(one) + len(two) + 1 < alphabet.run:
        return None
    mine = [tuple(OWN if cell == player else cell for cell in arm) for arm in (one, two)]
    return min(mine), max(mine)


def stone_makes(view: tuple[Arm, Arm] | None, alphabet: Alphabet, names: Mapping[int, int] = MAKES) -> int:
    """Return what a stone between two arms makes for the player who sees them so.

    >>> free = Alphabet(5, False, False, False)
    >>> stone_makes(((OWN, OWN, EMPTY), (OWN, EMPTY)), free), stone_makes(((OWN, OWN), (OWN, OWN)), free)
    (2, 3)
    """
    if view is None:
        return 0
    before, after = ([int(cell == OWN) for cell in arm] + [BLOCKED] * (alphabet.reach - len(arm)) for arm in view)
    number = int("".join(map(str, [*reversed(before), *after])), 3)
    return names.get(int(line_classes(alphabet.run, alphabet.exactly)[number]), 0)


def directions_of(game: Lines) -> list[tuple[int, int, int]]:
    """Return the steps (layer, row, column) along which the board has room for a win."""
    box, run = (game.layers, game.rows, game.columns), game.run
    ways = (-1, 0, 1)
    steps = [step for step in itertools.product(ways, ways, ways) if step > (0, 0, 0)]
    return [step for step in steps if all(not part or size >= run for part, size in zip(step, box, strict=True))]
