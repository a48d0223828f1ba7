"""The sets of rules that go by a name: what each says about suicide, repetition, handicap and counting."""

from __future__ import annotations

from typing import NamedTuple


class Ruleset(NamedTuple):
    """What a name stands for; each part but the counting is a parameter of its own too."""

    superko: bool  # no move may repeat an earlier position of stones; else only a ko may not be retaken at once
    suicide: bool  # chains of two stones and more may be killed by their own player
    compensation: bool  # White gets a point for each handicap stone
    territory: bool  # empty points and prisoners count, stones do not
    removes_dead: bool  # stones that can't live are taken off before the counting


RULESETS = {
    "chinese": Ruleset(superko=True, suicide=False, compensation=True, territory=False, removes_dead=True),
    "tromp_taylor": Ruleset(superko=True, suicide=True, compensation=False, territory=False, removes_dead=False),
    # Each handicap stone is a point of area, but none of territory: simulations count area, and so take it back.
    "japanese": Ruleset(superko=False, suicide=False, compensation=True, territory=True, removes_dead=True),
}
