"""Few combinations of options in which every pair of values that makes sense together occurs once at least."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from luozi.messages import LuoziError
from luozi.search.options import Options

Row = dict[str, Any]

# Values of each option that change the search; the first one is the default. Some come with what belongs to them.
VALUES: dict[str, list[Row]] = {
    "formula": [
        {},
        {"formula": "cp"},
        {"formula": "tuned"},
        {"formula": "puct"},
        {"formula": "chance"},
        {"formula": "puct", "prior_power": 3},
    ],
    "rewards": [{}, {"rewards": "plus_minus"}],
    "weights": [{}, {"own": 0.6, "others": 0.5}, {"personality": "cautious"}, {"personality": "bold+cautious"}],
    "opponents": [{}, {"opponents": "paranoid"}],
    "first_play": [{}, {"first_play": 0.4}],
    "rave": [{}, {"rave": "fuego"}, {"rave": "schedule"}, {"rave": "least_error", "rave_weight": 20}],
    "ancestor": [{}, {"ancestor": "order"}, {"ancestor": "start", "ancestor_weight": 3}],
    "prior": [{}, {"prior": 4}],
    "history": [{}, {"history": 1.0}],
    "prove": [{}, {"prove": "standard"}, {"prove": "paranoid"}, {"prove": "first_winner"}],
    "discount": [{}, {"discount": 0.95}],
    "decay": [{}, {"decay": 0.9}],
    "keep_won": [{}, {"keep_won": True}],
    "keep_lucky": [{}, {"keep_lucky": True}],
    "take_wins": [{}, {"take_wins": True}, {"take_wins": True, "pruning": "tree"}],
    "block_wins": [{}, {"block_wins": True}],
    "avoid_gifts": [{}, {"avoid_gifts": True}],
    "uncertain": [{}, {"uncertain": 0.4, "uncertain_visits": 4, "uncertain_after": 0.3}],
    "fours": [{}, {"fours": True}],
    "solve": [{}, {"solve": 200}],
    "expand_after": [{}, {"expand_after": 3}],
    "settle": [{}, {"settle": True}],
    "share": [{}, {"share": True}],
    "horizon": [{}, {"horizon": 3}],
    "policy": [{}, {"policy": True}],
    "evaluation": [{}, {"evaluation": "static"}, {"evaluation": "mix", "mix": 0.3}],
    "batch": [{}, {"batch": 5}, {"batch": 3, "virtual_loss": 3}],
    "ownership": [{}, {"ownership": True}],
    "final": [{}, {"final": "mean"}, {"final": "margin"}, {"final": "agreement", "patience": 0.5}],
    "keep": [{}, {"keep": False}],
}
NAMES = list(VALUES)

Pick = dict[str, int]  # the index of the value of some options
Pair = tuple[tuple[str, int], tuple[str, int]]


def options_of(pick: Pick) -> Row:
    """The options of a choice, defaults left out."""
    row: Row = {}
    for name, index in pick.items():
        row |= VALUES[name][index]
    return row


def makes_sense(pick: Pick) -> bool:
    """Whether the options allow each other."""
    try:
        Options(**options_of(pick))
    except LuoziError:
        return False
    return True


def all_pairs() -> set[Pair]:
    """Every pair of values of two options that allow each other."""
    pairs = set()
    for one, other in itertools.combinations(NAMES, 2):
        for i, j in itertools.product(range(len(VALUES[one])), range(len(VALUES[other]))):
            if makes_sense({one: i, other: j}):
                pairs.add(((one, i), (other, j)))
    return pairs


def pairs_of(pick: Pick) -> set[Pair]:
    """The pairs that a choice of all options contains."""
    items = [(name, pick[name]) for name in NAMES if name in pick]
    return set(itertools.combinations(items, 2))


def covering_rows() -> Iterator[Row]:
    """Greedily: start with a pair that is still missing, then give each option the value that adds most."""
    missing = all_pairs()
    while missing:
        pick: Pick = dict(min(missing))
        for name in NAMES:
            if name not in pick:
                allowed = [i for i in range(len(VALUES[name])) if makes_sense({**pick, name: i})]
                pick[name] = max(allowed, key=lambda i: len(missing & pairs_of({**pick, name: i})))
        missing -= pairs_of(pick)
        yield options_of(pick)
