"""The search options as keyword arguments, for type checkers; written by `python -m tools.option_types`."""

from __future__ import annotations

from typing import Literal, TypedDict


class OptionValues(TypedDict, total=False):
    """What `Engine(game, ...)` and `Options.of(...)` take by name; `luozi.search.fields` says what each means."""

    iterations: int
    seconds: float
    nodes: int
    formula: Literal["uct", "ucb1", "cp", "tuned", "puct", "chance"]
    c: float | None
    rewards: Literal["zero_one", "plus_minus"]
    own: float
    others: float
    personality: str
    first_play: float | None
    rave: Literal["none", "fuego", "schedule", "least_error"]
    rave_weight: float
    rave_prior: float
    ancestor: Literal["none", "order", "start"]
    ancestor_weight: float
    prior: float
    prior_power: float
    history: float
    opponents: Literal["max_n", "paranoid"]
    prove: Literal["none", "standard", "paranoid", "first_winner"]
    discount: float
    decay: float
    keep_won: bool
    keep_lucky: bool
    take_wins: bool
    block_wins: bool
    avoid_gifts: bool
    pruning: Literal["everywhere", "tree"]
    fours: bool
    solve: int
    candidates: bool
    territory: int
    territory_low: float
    territory_high: float
    uncertain: float
    uncertain_after: float
    uncertain_visits: int
    expand_after: int
    share: bool
    horizon: int
    policy: bool
    knowledge: str
    network: str
    network_fours: int
    reduction: float
    growth: float
    doubt: float
    noise: float
    batch: int
    virtual_loss: int
    threads: int
    parallel: Literal["tree", "root", "leaf"]
    locks: Literal["free", "node", "global"]
    counters: Literal["atomic", "plain"]
    ownership: bool
    evaluation: Literal["simulation", "static", "mix"]
    mix: float
    final: Literal["visits", "mean", "margin", "agreement"]
    patience: float
    settle: bool
    mistakes: float
    resign: float
    keep: bool
    one_tree: bool
    pool: int
    memory: float
    seed: int | None
