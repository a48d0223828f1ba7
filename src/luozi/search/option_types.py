"""The search options as keyword arguments, for type checkers; written by `python -m tools.option_types`."""

from __future__ import annotations

from typing import Literal, TypedDict


class OptionValues(TypedDict, total=False):
    """What `Engine(game, ...)` and `Options.of(...)` take by name; `luozi.search.fields` says what each means."""

    iterations: int
    seconds: float
    nodes: int
    selection: Literal["uct", "ucb1", "cp", "ucb1_tuned", "puct", "random", "tuned", "chance"]
    c: float | None
    rewards: Literal["zero_one", "plus_minus"]
    own_weight: float
    opponent_weight: float
    playing_style: str
    fpu: float | None
    rave: Literal["none", "fuego", "hand_selected", "min_mse", "schedule", "least_error"]
    rave_weight: float
    rave_prior_visits: float
    grandfather: Literal["none", "order", "start"]
    grandfather_visits: float
    prior_visits: float
    prior_power: float
    progressive_history: float
    opponent_model: Literal["max_n", "paranoid"]
    mcts_solver: Literal["none", "standard", "paranoid", "first_winner"]
    backup_discount: float
    playout_discount: float
    keep_proven_win: bool
    keep_playout_win: bool
    decisive_moves: bool
    anti_decisive_moves: bool
    avoid_immediate_loss: bool
    decisive_scope: Literal["everywhere", "tree"]
    threat_search: bool
    exact_solver_nodes: int
    candidates_only: bool
    territory_playouts: int
    territory_min_share: float
    territory_max_share: float
    prune_ratio: float
    prune_after: float
    prune_min_visits: int
    expand_after: int
    transpositions: bool
    max_playout_moves: int
    playout_policy: bool
    heuristic_weights: str
    network: str
    network_threat_nodes: int
    network_vct_nodes: int
    fpu_reduction: float
    c_growth: float
    opponent_blunder_rate: float
    dirichlet_fraction: float
    gumbel_candidates: int
    batch_size: int
    virtual_loss: int
    threads: int
    parallel: Literal["tree", "root", "leaf"]
    locks: Literal["free", "node", "global"]
    counters: Literal["atomic", "plain"]
    ownership: bool
    evaluation: Literal["playout", "static", "mix", "simulation"]
    static_weight: float
    final: Literal["robust", "max", "margin", "max_robust", "visits", "mean", "agreement"]
    extra_budget: float
    early_stop: bool
    random_move_rate: float
    resign_threshold: float
    reuse_tree: bool
    self_play_tree: bool
    pool_size: int
    max_memory_mb: float
    seed: int | None
    # Old names, which are still accepted.
    formula: Literal["uct", "ucb1", "cp", "ucb1_tuned", "puct", "random", "tuned", "chance"]
    own: float
    others: float
    personality: str
    first_play: float | None
    rave_prior: float
    ancestor: Literal["none", "order", "start"]
    ancestor_weight: float
    prior: float
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
    share: bool
    horizon: int
    policy: bool
    knowledge: str
    network_fours: int
    reduction: float
    growth: float
    doubt: float
    noise: float
    batch: int
    mix: float
    patience: float
    settle: bool
    mistakes: float
    resign: float
    keep: bool
    one_tree: bool
    pool: int
    memory: float
