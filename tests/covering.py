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
    "selection": [
        {},
        {"selection": "cp"},
        {"selection": "ucb1_tuned"},
        {"selection": "puct"},
        {"selection": "random"},
        {"selection": "puct", "prior_power": 3},
    ],
    "rewards": [{}, {"rewards": "plus_minus"}],
    "weights": [
        {},
        {"own_weight": 0.6, "opponent_weight": 0.5},
        {"playing_style": "cautious"},
        {"playing_style": "bold+cautious"},
    ],
    "opponents": [{}, {"opponent_model": "paranoid"}],
    "fpu": [{}, {"fpu": 0.4}],
    "rave": [{}, {"rave": "fuego"}, {"rave": "hand_selected"}, {"rave": "min_mse", "rave_weight": 20}],
    "ancestor": [{}, {"grandfather": "order"}, {"grandfather": "start", "grandfather_visits": 3}],
    "prior": [{}, {"prior_visits": 4}],
    "history": [{}, {"progressive_history": 1.0}],
    "prove": [{}, {"mcts_solver": "standard"}, {"mcts_solver": "paranoid"}, {"mcts_solver": "first_winner"}],
    "discount": [{}, {"backup_discount": 0.95}],
    "decay": [{}, {"playout_discount": 0.9}],
    "keep_proven_win": [{}, {"keep_proven_win": True}],
    "keep_playout_win": [{}, {"keep_playout_win": True}],
    "decisive_moves": [{}, {"decisive_moves": True}, {"decisive_moves": True, "decisive_scope": "tree"}],
    "anti_decisive_moves": [{}, {"anti_decisive_moves": True}],
    "avoid_immediate_loss": [{}, {"avoid_immediate_loss": True}],
    "uncertain": [{}, {"prune_ratio": 0.4, "prune_min_visits": 4, "prune_after": 0.3}],
    "fours": [{}, {"threat_search": True}],
    "solve": [{}, {"exact_solver_nodes": 200}],
    "expand_after": [{}, {"expand_after": 3}],
    "settle": [{}, {"early_stop": True}],
    "share": [{}, {"transpositions": True}],
    "horizon": [{}, {"max_playout_moves": 3}],
    "policy": [{}, {"playout_policy": True}],
    "evaluation": [{}, {"evaluation": "static"}, {"evaluation": "mix", "static_weight": 0.3}],
    "batch": [{}, {"batch_size": 5}, {"batch_size": 3, "virtual_loss": 3}],
    "ownership": [{}, {"ownership": True}],
    "final": [{}, {"final": "max"}, {"final": "margin"}, {"final": "max_robust", "extra_budget": 0.5}],
    "keep": [{}, {"reuse_tree": False}],
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
