"""Named rule sets: suicide, repetition, handicap and counting."""

from __future__ import annotations

from typing import NamedTuple


class Ruleset(NamedTuple):
    """The rules behind a name. Each field except the counting is also a parameter of the game."""

    superko: bool  # a move may not repeat an earlier position; otherwise only immediate ko recapture is illegal
    suicide: bool  # a player may remove own chains of two or more stones
    compensation: bool  # White gets one point for each handicap stone
    territory: bool  # territory scoring: empty points and prisoners count, stones do not
    removes_dead: bool  # dead stones are removed before counting


RULESETS = {
    "chinese": Ruleset(superko=True, suicide=False, compensation=True, territory=False, removes_dead=True),
    "tromp_taylor": Ruleset(superko=True, suicide=True, compensation=False, territory=False, removes_dead=False),
    # A handicap stone is a point of area but not of territory. Playouts count area, so they subtract it again.
    "japanese": Ruleset(superko=False, suicide=False, compensation=True, territory=True, removes_dead=True),
}
