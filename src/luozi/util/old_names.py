"""Old and new names of options, players and commands: the only table of both.

Old names are accepted wherever people or files give options, and are never shown. Ids of matches, seeds and stored data
are made from the old names, so that matches and training runs of earlier versions can be continued.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, cast

from luozi.messages import LuoziError

Value = TypeVar("Value")

# Old name: new name. Options of `mcts` and `strong`.
SEARCH = {
    "formula": "selection",
    "first_play": "fpu",
    "reduction": "fpu_reduction",
    "growth": "c_growth",
    "own": "own_weight",
    "others": "opponent_weight",
    "personality": "playing_style",
    "opponents": "opponent_model",
    "prior": "prior_visits",
    "rave_prior": "rave_prior_visits",
    "ancestor": "grandfather",
    "ancestor_weight": "grandfather_visits",
    "history": "progressive_history",
    "prove": "mcts_solver",
    "solve": "exact_solver_nodes",
    "share": "transpositions",
    "take_wins": "decisive_moves",
    "block_wins": "anti_decisive_moves",
    "avoid_gifts": "avoid_immediate_loss",
    "pruning": "decisive_scope",
    "fours": "threat_search",
    "network_fours": "network_threat_nodes",
    "candidates": "candidates_only",
    "keep_lucky": "keep_playout_win",
    "keep_won": "keep_proven_win",
    "uncertain": "prune_ratio",
    "uncertain_after": "prune_after",
    "uncertain_visits": "prune_min_visits",
    "territory": "territory_playouts",
    "territory_low": "territory_min_share",
    "territory_high": "territory_max_share",
    "discount": "backup_discount",
    "decay": "playout_discount",
    "horizon": "max_playout_moves",
    "policy": "playout_policy",
    "knowledge": "heuristic_weights",
    "mix": "static_weight",
    "doubt": "opponent_blunder_rate",
    "mistakes": "random_move_rate",
    "noise": "dirichlet_fraction",
    "batch": "batch_size",
    "patience": "extra_budget",
    "settle": "early_stop",
    "resign": "resign_threshold",
    "keep": "reuse_tree",
    "one_tree": "self_play_tree",
    "pool": "pool_size",
    "memory": "max_memory_mb",
}

# Values of these options: old value: new value.
SEARCH_VALUES = {
    "selection": {"tuned": "ucb1_tuned", "chance": "random"},
    "rave": {"schedule": "hand_selected", "least_error": "min_mse"},
    "evaluation": {"simulation": "playout"},
    "final": {"visits": "robust", "mean": "max", "agreement": "max_robust"},
}

MEMORY = {"memory": "max_memory_mb"}
LINES = {"run": "win_length", "exactly": "exact_length", "forbidden": "blocked"}
GO_WEIGHTS = {"answer": "local_capture", "catch": "two_liberties", "few": "max_self_atari", "kill": "throw_in"}
LEARNING = {
    "generation": "games_per_generation",
    "part": "games_per_task",
    "full": "full_iterations",
    "fast": "fast_iterations",
    "noise": "dirichlet_fraction",
    "longest": "max_moves",
    "result_share": "result_weight",
    "batch": "batch_size",
    "rate": "learning_rate",
    "schedule": "lr_schedule",
    "uses": "replay_ratio",
    "ahead": "policy_lag",
    "ladder_every": "eval_every",
    "ladder_games": "eval_games",
    "ladder_iterations": "eval_iterations",
}

# By owner of the options: a player, a game, its weights, training.
OPTIONS: dict[str, dict[str, str]] = {
    "mcts": SEARCH,
    "strong": SEARCH,
    "flat": {"simulations": "playouts"},
    "exact": {"limit": "nodes", "table": "tt_millions"},
    "gtp": MEMORY,
    "gomocup": MEMORY,
    "connect4_library": MEMORY,
    "lines": LINES,
    "tictactoe": LINES,
    "gomoku": LINES,
    "connect4": LINES,
    "five3d": LINES,
    "go": {"compensation": "handicap_bonus", "placed": "handicap_at"},
    "heuristic_weights": GO_WEIGHTS,
    "learn": LEARNING,
}

KINDS = {"library": "connect4_library"}  # of players
COMMANDS = {"course": "connect4-agent"}
EXPERIMENTS = {"reasonable": "three-player", "ladder": "opponents"}

STORE = {"--store": "--db"}
VISITS = {"--visits": "--save-candidates"}
# By command.
FLAGS: dict[str, dict[str, str]] = {
    "play": VISITS,
    "match": {**STORE, **VISITS},
    "tournament": {**STORE, **VISITS},
    "results": STORE,
    "experiment": STORE,
    "tune": {**STORE, "--against": "--opponent"},
    "openings": {
        "--judge": "--evaluator",
        "--within": "--max-imbalance",
        "--choices": "--best-of",
        "--number": "--count",
    },
    "gtp": {
        "--lag": "--lag-buffer",
        "--resign": "--resign-threshold",
        "--no-pass": "--no-early-pass",
        "--commands": "--list-commands",
    },
    "serve": {
        **STORE,
        "--name": "--allowed-host",
        "--program": "--engine",
        "--memory": "--max-memory-mb",
        "--seconds": "--max-seconds",
        "--tables": "--sessions-db",
    },
}


# Attributes and methods of game classes.
GAME_ATTRIBUTES = {
    "assess": "priors_and_values",
    "learn": "set_weights",
    "informed": "with_weights",
    "wins_alone": "single_winner",
    "is_rivalry": "has_single_winner",
    "unshared": "no_transpositions",
    "passing": "pass_action",
    "loose_simulations": "approximate_playouts",
    "policy_knows_wins": "policy_takes_wins",
}


def in_first_names(attributes: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Return the attributes of a game or its class by their old names, sorted. Digests are computed from them.

    >>> in_first_names({"pass_action": 4, "passing": 4, "single_winner": True})
    [('passing', 4), ('wins_alone', True)]
    """
    old = _turned(GAME_ATTRIBUTES)
    return sorted({old.get(name, name): value for name, value in attributes.items()}.items())


def new_names(values: Mapping[str, Value], of: str, known: Collection[str] = ()) -> dict[str, Value]:
    """Return options with new names and values, in the same order.

    A name that is `known` stays, since a custom game may use an old name for its weights.

    Raises:
        LuoziError: an option is given by both names.

    >>> new_names({"formula": "tuned", "c": 1, "knowledge.save": 2}, "mcts")
    {'selection': 'ucb1_tuned', 'c': 1, 'heuristic_weights.save': 2}
    >>> new_names({"keep": False, "reuse_tree": True}, "mcts")
    Traceback (most recent call last):
    luozi.LuoziError: mcts: keep is the old name of reuse_tree: give one of them
    """
    if of not in OPTIONS:
        return dict(values)
    names, new_values, renamed = OPTIONS[of], _values_of(of), {}
    for name, value in values.items():
        whole, dot, part = name.partition(".")
        new = name if name in known else names.get(whole, whole) + dot + part
        if new != name and new in values:
            raise LuoziError("{of}: {old} is the old name of {new}: give one of them", of=of, old=name, new=new)
        has_old_values = isinstance(value, str) and new in new_values
        renamed[new] = cast(Value, new_values[new].get(str(value), value)) if has_old_values else value
    return renamed


def new_name(name: str, of: str) -> str:
    """Return the new name of an option or of a part of one, such as knowledge.save. A new name stays."""
    return _with_whole(name, OPTIONS.get(of, {}))


def new_value(name: str, value: Value, of: str) -> Value:
    """Return the new form of a value."""
    return cast(Value, _values_of(of).get(name, {}).get(value, value)) if isinstance(value, str) else value


def to_old_names(values: Mapping[str, Value], of: str) -> dict[str, Value]:
    """Return options with old names and values for stored data; the opposite of `new_names`.

    >>> to_old_names({"selection": "ucb1_tuned", "c": 1}, "mcts")
    {'formula': 'tuned', 'c': 1}
    """
    return {old_name(name, of): old_value(name, value, of) for name, value in values.items()}


def old_name(name: str, of: str) -> str:
    """Return the old name of an option."""
    old = _with_whole(name, _turned(OPTIONS.get(of, {})))
    whole, dot, part = old.partition(".")
    return whole + dot + _turned(GO_WEIGHTS).get(part, part)


def old_value(name: str, value: Value, of: str) -> Value:
    """Return the old form of the value of an option, given by its new name."""
    if name == "heuristic_weights" and isinstance(value, str):
        turned = re.sub(r"\w+(?=:)", lambda weight: _turned(GO_WEIGHTS).get(weight[0], weight[0]), value)
        return cast(Value, turned)
    return cast(Value, _turned(_values_of(of).get(name, {})).get(value, value)) if isinstance(value, str) else value


def old_experiment(name: str) -> str:
    """Return the name of an experiment in stored data.

    >>> old_experiment("opponents")
    'ladder'
    """
    return _turned(EXPERIMENTS).get(name, name)


def new_flags(words: Sequence[str], command: str) -> list[str]:
    """Return the words of a command with new names of options.

    Raises:
        LuoziError: an option is given by both names.

    >>> new_flags(["random", "--store=a.db", "--games", "2"], "match")
    ['random', '--db=a.db', '--games', '2']
    """
    names = FLAGS.get(command, {})
    renamed, given = list(words), {word.partition("=")[0] for word in words}
    for place, word in enumerate(words[: words.index("--")] if "--" in words else words):
        name, equals, value = word.partition("=")
        if name in names:
            renamed[place] = names[name] + equals + value
            if names[name] in given:
                raise LuoziError(
                    "{of}: {old} is the old name of {new}: give one of them", of=command, old=name, new=names[name]
                )
    return renamed


def old_spelling(text: str) -> str:
    """Return a specification with old names, from which ids and seeds are computed.

    >>> old_spelling("mcts:iterations=9,selection=ucb1_tuned"), old_spelling("my_game.py:win_length=4")
    ('mcts:iterations=9,formula=tuned', 'my_game.py:win_length=4')
    """
    name, colon, rest = text.partition(":")
    return _turned(KINDS).get(name, name) + colon + _respelled(rest, name, old_name, old_value)


def new_spelling(text: str) -> str:
    """Return a specification with new names; the opposite of `old_spelling`.

    >>> new_spelling("mcts:iterations=9,formula=tuned")
    'mcts:iterations=9,selection=ucb1_tuned'
    """
    name, colon, rest = text.partition(":")
    return KINDS.get(name, name) + colon + _respelled(rest, KINDS.get(name, name), new_name, new_value)


def old_spellings_in(text: str) -> str:
    """Return a text in which all specifications have old names.

    >>> old_spellings_in("connect4, mcts:iterations=9,final=max, positions 5")
    'connect4, mcts:iterations=9,final=mean, positions 5'
    """
    return re.sub(r"(?<!\S)\w+:\S+", lambda found: old_spelling(found[0]), text)


def _respelled(rest: str, of: str, name_of: Callable[[str, str], str], value_of: Callable[[str, str, str], str]) -> str:
    """Return a specification with other names of options. A command, which comes last, does not change."""
    if of not in OPTIONS:
        return rest

    def other(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        return f"{name_of(name, of)}={value_of(new_name(name, of), value, of)}"

    options = re.match(r"(?:\s*[\w.]+\s*=[^,]*(?:,|$))*", rest)
    until = options.end() if options else 0
    return re.sub(r"([\w.]+)=([^,]*)", other, rest[:until]) + rest[until:]


def _with_whole(name: str, names: Mapping[str, str]) -> str:
    whole, dot, part = name.partition(".")
    return names.get(whole, whole) + dot + part


def _values_of(of: str) -> dict[str, dict[str, str]]:
    return SEARCH_VALUES if OPTIONS.get(of) is SEARCH else {}


def _turned(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
