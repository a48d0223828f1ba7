"""Which options of the search make no sense together, and what to leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luozi.messages import Message

if TYPE_CHECKING:
    from luozi.search.options import Options

# What is about simulations, or about another way to choose.
BESIDE_NETWORK = (
    *("own", "others", "personality", "first_play", "rave", "ancestor", "prior", "history", "opponents", "discount"),
    *("decay", "keep_won", "keep_lucky", "pruning", "candidates", "territory", "uncertain", "expand_after", "share"),
    *("horizon", "policy", "ownership", "evaluation", "batch"),
)

OF_VALUES = ("network_fours", "reduction", "growth", "doubt", "noise")  # what goes with a network that values positions


def idle(options: Options) -> str:
    """An option that does nothing without another."""
    for name, needed, on in (
        ("rave_weight", "rave", options.rave != "none"),
        ("rave_prior", "rave and prior", options.rave != "none" and options.prior > 0),
        ("prior_power", "formula=puct or network", options.formula == "puct" or bool(options.network)),
        ("network_fours", "network", bool(options.network)),
        ("reduction", "network", bool(options.network)),
        ("growth", "network", bool(options.network)),
        ("doubt", "network and block_wins", bool(options.network) and options.block_wins),
        ("noise", "network", bool(options.network)),
        ("ancestor_weight", "ancestor=start", options.ancestor == "start"),
        (
            "pruning",
            "take_wins, block_wins or avoid_gifts",
            options.take_wins or options.block_wins or options.avoid_gifts,
        ),
        ("uncertain_after", "uncertain", options.uncertain > 0),
        ("uncertain_visits", "uncertain", options.uncertain > 0),
        ("territory", "ownership", options.ownership),
        ("territory_low", "territory", options.territory > 0),
        ("territory_high", "territory", options.territory > 0),
        ("patience", "final=agreement", options.final == "agreement"),
        ("one_tree", "keep", options.keep),
        ("mix", "evaluation=mix", options.evaluation == "mix"),
        ("parallel", "threads", options.threads > 1),
    ):
        if name in options.on and not on:
            return Message("{name} does nothing without {value}", name=name, value=needed)
    return ""


def at_odds_with_network(options: Options) -> str:
    """What a network that values positions leaves nothing to do; another kind of it asks no more than priors do.

    >>> from luozi.search.options import Options
    >>> at_odds_with_network(Options(network="any", rave="fuego"))
    'network values positions and knows nothing of rave: leave rave out'
    """
    if options.network and options.formula not in ("uct", "puct"):
        return Message("network has a formula of its own, puct: leave formula={text} out", text=options.formula)
    for name in BESIDE_NETWORK:
        if options.network and name in options.on:
            return Message(
                "network values positions and knows nothing of {name}: leave {text} out", name=name, text=name
            )
    if options.network and options.parallel == "leaf":
        return "parallel=leaf is about simulations, and a network needs none: leave one of them out"
    return ""


def at_odds_with_priors(options: Options) -> str:
    """What does nothing beside a network that says what moves promise, and values no position.

    >>> from luozi.search.options import Options
    >>> at_odds_with_priors(Options(network="any")), at_odds_with_priors(Options(network="any", prior=20))
    ('network does nothing without prior or formula=puct on this game: strong has one of them', '')
    """
    for name in OF_VALUES:
        if options.network and name in options.on:
            return Message(
                "network values no positions of this game and knows nothing of {name}: leave {text} out",
                name=name,
                text=name,
            )
    if options.network and options.formula != "puct":
        if "prior_power" in options.on:
            return "prior_power does nothing without formula=puct on this game"
        if not options.prior:
            return "network does nothing without prior or formula=puct on this game: strong has one of them"
    return ""


def at_odds_with_formula(options: Options) -> str:
    """What the formula leaves nothing to do."""
    unvisited = list(filter(options.on.__contains__, ("first_play", "rave", "ancestor", "prior", "history")))
    weighed = list(filter(options.on.__contains__, ("own", "others", "personality", "opponents")))
    if options.formula in ("tuned", "chance") and options.c is not None:
        return Message("formula={text} has no constant: leave c out", text=options.formula)
    if options.formula == "tuned" and weighed:
        return Message("formula=tuned needs the variance of the mover's own result: leave {name} out", name=weighed[0])
    if options.formula == "chance" and (unvisited or weighed or options.uncertain):
        return Message(
            "formula=chance looks at no score: leave {name} out", name=[*unvisited, *weighed, "uncertain"][0]
        )
    if options.formula == "puct" and options.ancestor == "order":
        return "formula=puct has an order of its own for unvisited moves: leave ancestor=order out"
    return ""


def at_odds(options: Options) -> str:
    """Two options that ask for different things."""
    weighed = bool(options.personality or options.own != 1 or options.others)
    if options.personality and (options.own != 1 or options.others):
        return "personality sets own and others: give one or the other"
    if not options.own and not options.others:
        return "own=0 and others=0 look at no result: one of them must count"
    if options.opponents == "paranoid" and weighed:
        return "opponents=paranoid looks at one player's result only: leave own, others and personality out"
    blocking = list(filter(options.on.__contains__, ("block_wins", "avoid_gifts")))
    if options.opponents == "paranoid" and blocking:
        return Message("opponents=paranoid lets the others win: leave {text} out", text=" and ".join(blocking))
    if options.prior and options.first_play is not None:
        return "prior gives every move a value before its first visit: leave first_play out"
    if options.prior and options.ancestor == "order":
        return "prior gives every move a value before its first visit: leave ancestor=order out"
    if options.settle and options.final != "visits":
        return Message(
            "settle is about the most visited move, and final={text} plays another: leave settle out",
            text=options.final,
        )
    played = list(filter(options.on.__contains__, ("policy", "horizon", "decay", "keep_lucky", "ownership")))
    if options.evaluation == "static" and played:
        return Message("evaluation=static plays no simulations: leave {name} out", name=played[0])
    if options.batch > 1 and options.share:
        return "share adds up the visits of all ways into a position, and leaves in a batch wait: leave batch out"
    if options.batch > 1 and (options.keep_won or options.keep_lucky):
        return "keep_won and keep_lucky rewrite visits that leaves in a batch wait for: leave batch out"
    if options.share and (options.keep_won or options.keep_lucky):
        return "keep_won and keep_lucky rewrite one way into a position: leave share out"
    return ""


def at_odds_with_threads(options: Options) -> str:
    """What several threads or leaves at a time make impossible."""
    one_tree = options.is_raced
    if options.threads == 1 and ("locks" in options.on or "counters" in options.on):
        return "locks and counters are for several threads: give threads, or leave them out"
    if options.parallel != "tree" and ("locks" in options.on or "counters" in options.on):
        return Message(
            "with parallel={text} one thread alone is in a tree: leave locks and counters out", text=options.parallel
        )
    if options.threads > 1 and options.batch > 1 and options.parallel != "root":
        return "batch is for one thread in a tree: leave threads or batch out, or give parallel=root"
    if options.counters == "plain" and options.share:
        return "with share an edge and its position change together: leave counters out"
    if one_tree and (options.keep_won or options.keep_lucky):
        return (
            "keep_won and keep_lucky rewrite visits that other threads count: leave threads out, or give "
            "parallel=root or leaf"
        )
    if options.parallel == "leaf" and options.evaluation == "static":
        return "parallel=leaf is about simulations, and evaluation=static has none: leave one of them out"
    if options.uncertain and options.batch > 1:
        return "uncertain cuts moves by means that leaves under way make lower: leave batch out"
    if options.uncertain and one_tree:
        return (
            "uncertain cuts moves by means that leaves under way make lower: leave threads out, or give "
            "parallel=root or leaf"
        )
    if options.counters == "plain" and options.virtual_loss > 1:
        return "of plain counters a loss may get lost that is taken back twice: leave counters or virtual_loss out"
    if not one_tree and options.batch == 1 and "virtual_loss" in options.on:
        return "virtual_loss is for several threads in one tree, or for batches: leave it out"
    if options.locks != "free" and "counters" in options.on:
        return Message("locks={text} loses no visits: leave counters out", text=options.locks)
    return ""


CONFLICTS = (idle, at_odds_with_formula, at_odds, at_odds_with_threads)  # each says why options do not fit, or nothing
