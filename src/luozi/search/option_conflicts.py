"""Options of the search that cannot be combined, and which to remove."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luozi.messages import Message

if TYPE_CHECKING:
    from luozi.search.options import Options

# What is about simulations, or about another way to choose.
BESIDE_NETWORK = (
    *(
        "own_weight",
        "opponent_weight",
        "playing_style",
        "fpu",
        "rave",
        "grandfather",
        "prior_visits",
        "progressive_history",
        "opponent_model",
        "backup_discount",
    ),
    *(
        "playout_discount",
        "keep_proven_win",
        "keep_playout_win",
        "decisive_scope",
        "candidates_only",
        "territory_playouts",
        "prune_ratio",
        "expand_after",
        "transpositions",
    ),
    *("max_playout_moves", "playout_policy", "ownership", "evaluation", "batch_size"),
)

# What a network of line patterns does beside its arithmetic.
OF_LINES = (
    "network_threat_nodes",
    "opponent_blunder_rate",
    "decisive_moves",
    "anti_decisive_moves",
    "avoid_immediate_loss",
)

OF_VALUES = (
    "network_threat_nodes",
    "fpu_reduction",
    "c_growth",
    "opponent_blunder_rate",
    "dirichlet_fraction",
    "gumbel_candidates",
)  # what goes with a network that values positions


def idle(options: Options) -> str:
    """Return which option has no effect without another."""
    for name, needed, on in (
        ("rave_weight", "rave", options.rave != "none"),
        ("rave_prior_visits", "rave and prior_visits", options.rave != "none" and options.prior_visits > 0),
        ("prior_power", "selection=puct or network", options.selection == "puct" or bool(options.network)),
        ("network_threat_nodes", "network", bool(options.network)),
        ("fpu_reduction", "network or selection=puct", bool(options.network) or options.selection == "puct"),
        ("c_growth", "network", bool(options.network)),
        (
            "opponent_blunder_rate",
            "network and anti_decisive_moves",
            bool(options.network) and options.anti_decisive_moves,
        ),
        ("dirichlet_fraction", "network", bool(options.network)),
        ("gumbel_candidates", "network", bool(options.network)),
        ("grandfather_visits", "grandfather=start", options.grandfather == "start"),
        (
            "decisive_scope",
            "decisive_moves, anti_decisive_moves or avoid_immediate_loss",
            options.decisive_moves or options.anti_decisive_moves or options.avoid_immediate_loss,
        ),
        ("prune_after", "prune_ratio", options.prune_ratio > 0),
        ("prune_min_visits", "prune_ratio", options.prune_ratio > 0),
        ("territory_playouts", "ownership", options.ownership),
        ("territory_min_share", "territory_playouts", options.territory_playouts > 0),
        ("territory_max_share", "territory_playouts", options.territory_playouts > 0),
        ("extra_budget", "final=max_robust", options.final == "max_robust"),
        ("self_play_tree", "reuse_tree", options.reuse_tree),
        ("static_weight", "evaluation=mix", options.evaluation == "mix"),
        ("parallel", "threads", options.threads > 1),
    ):
        if name in options.on and not on:
            return Message("{name} has no effect without {value}", name=name, value=needed)
    return ""


def at_odds_with_network(options: Options) -> str:
    """Return which option has no effect beside a network that evaluates positions.

    >>> from luozi.search.options import Options
    >>> at_odds_with_network(Options(network="any", rave="fuego"))
    'rave has no effect together with network. Remove rave.'
    """
    if options.network and options.selection not in ("uct", "puct"):
        return Message("network selects by puct. Remove selection={text}.", text=options.selection)
    for name in BESIDE_NETWORK:
        if options.network and name in options.on:
            return Message("{name} has no effect together with network. Remove {text}.", name=name, text=name)
    if options.network and options.parallel == "leaf":
        return "parallel=leaf needs playouts, and network plays none. Remove one of them."
    if options.gumbel_candidates:
        beside = [name for name in ("threads", "early_stop", "dirichlet_fraction") if name in options.on]
        if beside:
            return Message("gumbel_candidates plans every iteration before the first. Remove {name}.", name=beside[0])
    return ""


def at_odds_with_board_network(options: Options) -> str:
    """Return which option is for networks of line patterns only.

    >>> from luozi.search.options import Options
    >>> at_odds_with_board_network(Options(network="any", decisive_moves=True))
    'decisive_moves has no effect together with network. Remove decisive_moves.'
    """
    for name in OF_LINES:
        if name in options.on:
            return Message("{name} has no effect together with network. Remove {text}.", name=name, text=name)
    return ""


def at_odds_with_priors(options: Options) -> str:
    """Return which option has no effect beside a network of priors, which evaluates no position.

    >>> from luozi.search.options import Options
    >>> at_odds_with_priors(Options(network="any")), at_odds_with_priors(Options(network="any", prior_visits=20))
    ('network has no effect without prior_visits or selection=puct in this game. strong sets one of them.', '')
    """
    for name in OF_VALUES:
        if options.network and name in options.on:
            return Message(
                "{name} has no effect here: the network of this game gives priors only. Remove {text}.",
                name=name,
                text=name,
            )
    if options.network and options.selection != "puct":
        if "prior_power" in options.on:
            return "prior_power has no effect without selection=puct in this game"
        if not options.prior_visits:
            return "network has no effect without prior_visits or selection=puct in this game. strong sets one of them."
    return ""


def at_odds_with_formula(options: Options) -> str:
    """Return which option has no effect beside the selection policy."""
    unvisited = [
        name for name in ("fpu", "rave", "grandfather", "prior_visits", "progressive_history") if name in options.on
    ]
    weighed = [
        name for name in ("own_weight", "opponent_weight", "playing_style", "opponent_model") if name in options.on
    ]
    if options.selection in ("ucb1_tuned", "random") and options.c is not None:
        return Message("selection={text} has no constant. Remove c.", text=options.selection)
    if options.selection == "ucb1_tuned" and weighed:
        return Message(
            "selection=ucb1_tuned needs the variance of the mover's own result. Remove {name}.", name=weighed[0]
        )
    if options.selection == "random" and (unvisited or weighed or options.prune_ratio):
        return Message("selection=random reads no score. Remove {name}.", name=[*unvisited, *weighed, "prune_ratio"][0])
    if options.selection == "puct" and options.grandfather == "order":
        return "selection=puct has an order of its own for unvisited moves. Remove grandfather=order."
    return ""


def at_odds(options: Options) -> str:
    """Return which two options contradict each other."""
    weighed = bool(options.playing_style or options.own_weight != 1 or options.opponent_weight)
    if options.playing_style and (options.own_weight != 1 or options.opponent_weight):
        return "playing_style sets own_weight and opponent_weight. Set one or the other."
    if not options.own_weight and not options.opponent_weight:
        return "own_weight=0 and opponent_weight=0 use no result. Raise one of them."
    if options.opponent_model == "paranoid" and weighed:
        return (
            "opponent_model=paranoid uses the result of one player only. Remove own_weight, opponent_weight "
            "and playing_style."
        )
    blocking = [name for name in ("anti_decisive_moves", "avoid_immediate_loss") if name in options.on]
    if options.opponent_model == "paranoid" and blocking:
        return Message(
            (
                "opponent_model=paranoid cannot be combined with {text}: it assumes that the other players do "
                "not block each other. Remove {text}."
            ),
            text=" and ".join(blocking),
        )
    if options.prior_visits and options.fpu is not None:
        return "prior_visits gives every move a value before its first visit. Remove fpu."
    if options.prior_visits and options.grandfather == "order":
        return "prior_visits gives every move a value before its first visit. Remove grandfather=order."
    if options.early_stop and options.final != "robust":
        return Message(
            "early_stop is for the most visited move, and final={text} may play another. Remove early_stop.",
            text=options.final,
        )
    played = [
        name
        for name in ("playout_policy", "max_playout_moves", "playout_discount", "keep_playout_win", "ownership")
        if name in options.on
    ]
    if options.evaluation == "static" and played:
        return Message("evaluation=static plays no playouts. Remove {name}.", name=played[0])
    if options.batch_size > 1 and options.transpositions:
        return (
            "transpositions adds up all visits of a position, and leaves of a batch wait for theirs. Remove batch_size."
        )
    if options.batch_size > 1 and (options.keep_proven_win or options.keep_playout_win):
        return "keep_proven_win and keep_playout_win rewrite visits that leaves of a batch wait for. Remove batch_size."
    if options.transpositions and (options.keep_proven_win or options.keep_playout_win):
        return "keep_proven_win and keep_playout_win rewrite one way into a position. Remove transpositions."
    return ""


def at_odds_with_threads(options: Options) -> str:
    """Return which option is impossible with several threads or with batches of leaves."""
    one_tree = options.is_raced
    if options.threads == 1 and ("locks" in options.on or "counters" in options.on):
        return "locks and counters are for several threads. Set threads, or remove them."
    if options.parallel != "tree" and ("locks" in options.on or "counters" in options.on):
        return Message(
            "with parallel={text} one thread searches each tree. Remove locks and counters.", text=options.parallel
        )
    if options.threads > 1 and options.batch_size > 1 and options.parallel != "root":
        return "batch_size is for one thread in a tree. Remove threads or batch_size, or set parallel=root."
    if options.counters == "plain" and options.transpositions:
        return "with transpositions an edge and its position change together. Remove counters."
    if one_tree and (options.keep_proven_win or options.keep_playout_win):
        return (
            "keep_proven_win and keep_playout_win rewrite visits that other threads count. Remove threads, "
            "or set parallel=root or leaf."
        )
    if options.parallel == "leaf" and options.evaluation == "static":
        return "parallel=leaf needs playouts, and evaluation=static plays none. Remove one of them."
    if options.prune_ratio and options.batch_size > 1:
        return "prune_ratio cuts moves by means that leaves under way make lower. Remove batch_size."
    if options.prune_ratio and one_tree:
        return (
            "prune_ratio cuts moves by means that leaves under way make lower. Remove threads, or set "
            "parallel=root or leaf."
        )
    if options.counters == "plain" and options.virtual_loss > 1:
        return "of plain counters a loss may get lost that is taken back twice. Remove counters or virtual_loss."
    if not one_tree and options.batch_size == 1 and "virtual_loss" in options.on:
        return "virtual_loss is for several threads in one tree, or for batches. Remove it."
    if options.locks != "free" and "counters" in options.on:
        return Message("locks={text} loses no visits. Remove counters.", text=options.locks)
    return ""


CONFLICTS = (idle, at_odds_with_formula, at_odds, at_odds_with_threads)  # each says why options do not fit, or nothing
