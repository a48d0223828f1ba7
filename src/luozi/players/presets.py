"""Presets of the search for each game: `strong`, and ten levels for people.

Matches decided which options are strong and which make the levels: see docs/en/results/strength.md. A preset stands for
the specification of another player. Matches store that specification, so their results stay true when a preset changes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any

from luozi.evaluators.networks import shipped_board_network, shipped_network
from luozi.games import GAMES
from luozi.games.go.knowledge import GoKnowledge
from luozi.games.lines.knowledge import LineKnowledge
from luozi.messages import LuoziError, Message, joined
from luozi.rules.game import Game
from luozi.rules.text_position import KEY as POSITION
from luozi.search import Options
from luozi.search.option_requirements import against_network
from luozi.util.parameters import join_spelling, parameters_of, split_spelling

Value = str | float | None  # of an option; booleans are numbers
Values = dict[str, Value]

# All line games: PUCT by the game's priors, decisive and anti-decisive moves.
KNOWING: Values = {
    "selection": "puct",
    "c": 1.0,
    "prior_power": 6.0,
    "decisive_moves": True,
    "anti_decisive_moves": True,
    "early_stop": True,
}
# Two players: simple playouts are fast.
LINES: Values = {**KNOWING, "decisive_scope": "tree", "expand_after": 20}
# A flat board has many fours: playouts that see them, and threat-space search at the root, are worth their time.
FOURS: Values = {**KNOWING, "playout_policy": True, "mcts_solver": "standard", "threat_search": True}
# Three or more players: others may leave a block to the searcher, so playouts must know who blocks.
MANY: Values = {
    **KNOWING,
    "playout_policy": True,
    "max_playout_moves": 40,
    "mcts_solver": "standard",
    "expand_after": 4,
}
# Small enough for the exact solver, from some move on.
SOLVED: Values = {
    **KNOWING,
    "prior_power": 2.0,
    "decisive_scope": "tree",
    "mcts_solver": "standard",
    "expand_after": 3,
    "exact_solver_nodes": 5_000_000,
}
# Go: playout policy, RAVE and prior visits (docs/en/explanation/go.md).
GO: dict[str, Any] = {
    "playout_policy": True,
    "rave": "fuego",
    "rave_weight": 3000.0,
    "rave_prior_visits": 5.0,
    "c": 0.0,
    "prior_visits": 10.0,
    "early_stop": True,
}
# A network instead of playouts, with proven values beside it (docs/en/explanation/learning.md).
LEARNED: Values = {
    "prior_power": 0.7,
    "c_growth": 0.35,
    "mcts_solver": "standard",
    "decisive_moves": True,
    "anti_decisive_moves": True,
    "avoid_immediate_loss": True,
    "early_stop": True,
}
# Games on which a network won against playouts in matches, and the options beside it.
LEARNED_GAMES: dict[str, Values] = {
    "gomoku": LEARNED,
    "exactly": LEARNED,
    "connect4": {**LEARNED, "exact_solver_nodes": SOLVED["exact_solver_nodes"]},
    "course": LEARNED,
    "qubic": LEARNED,
}
# The same of networks of any board. Levels do not use them: they were measured without.
BOARD: Values = {"mcts_solver": "standard", "early_stop": True}
BOARD_GAMES: dict[str, Values] = {"othello": BOARD, "breakthrough": BOARD}
# The options that won among searches, by game; line games that are not here have LINES or MANY. Where alphabeta plays,
# a static evaluation won against a mix, but it can't judge openings: it has no playouts.
STRONG: dict[str, Values] = {
    "gomoku": FOURS,
    "connect4": SOLVED,
    "tictactoe": SOLVED,
    "othello": {"evaluation": "mix", "c": 0.4, "mcts_solver": "standard"},
    "breakthrough": {"evaluation": "mix", "c": 0.2, "mcts_solver": "standard"},
    "amazons": {"evaluation": "mix", "c": 0.3, "mcts_solver": "standard"},
    "hex": {"rave": "fuego", "c": 0.0},
    "y": {"rave": "min_mse", "c": 0.0},
    "nim": {"c": 0.4},
}
# Games on which another kind of player won against the search, and the values that such a player accepts.
STRONG_KINDS: dict[str, str] = {"othello": "alphabeta", "breakthrough": "alphabeta"}
KIND_VALUES = frozenset({"seconds", "seed"})
LEVELS = 10
DEFAULT = "strong"  # the player where none is named
# the boards of the matches that decided what is strong
MATCHED = (
    *("gomoku", "connect4", "qubic", "five3d", "go", "go:size=13"),
    *("othello", "breakthrough", "amazons", "hex", "y", "nim"),
)


def strong_kind(game: Game, values: Collection[str] = ()) -> str:
    """Return the kind of player that `strong` is with these values: a search if only a search has them.

    >>> import luozi
    >>> game = luozi.game("breakthrough:rows=6")
    >>> strong_kind(game), strong_kind(game, ["seconds"]), strong_kind(game, ["iterations"])
    ('alphabeta', 'alphabeta', 'mcts')
    """
    kind = "mcts" if board_options(game) else STRONG_KINDS.get(split_spelling(game.spelling)[0], "mcts")
    return kind if KIND_VALUES.issuperset(values) else "mcts"


def strong_options(game: Game) -> Values:
    """Return the options of `strong` as a search; empty if nothing was measured on a game like this.

    >>> import luozi
    >>> strong_options(luozi.game("gomoku"))["network"]
    'gomoku'
    """
    return board_options(game) or options_of_levels(game)


def board_options(game: Game) -> Values:
    """The options with a network of any board, where one comes with Luozi and won its matches; else none."""
    network = shipped_board_network(game) if BOARD_GAMES and game.compilable else ""
    return {"network": network, **BOARD_GAMES[network]} if network in BOARD_GAMES else {}


def options_of_levels(game: Game) -> Values:
    """The strongest options without a network of any board."""
    network = shipped_network(game)
    if network in LEARNED_GAMES and game.compilable:
        return {"network": network, **LEARNED_GAMES[network]}
    return searching_options(game)


def searching_options(game: Game) -> Values:
    """Return the strongest options without a network.

    >>> import luozi
    >>> searching_options(luozi.game("gomoku"))["playout_policy"]
    True
    """
    if isinstance(game, GoKnowledge):
        return dict(GO)
    name = split_spelling(game.spelling)[0]
    if not isinstance(game, LineKnowledge):
        return dict(STRONG.get(name, {}))
    return dict(MANY if game.players > 2 else STRONG.get(name, LINES))


def default_player(seconds: float | None = None) -> str:
    """Return the specification of the player where none is named, with a time limit if `seconds` is given.

    >>> default_player(1), default_player()
    ('strong:seconds=1', 'strong')
    """
    return DEFAULT if seconds is None else f"{DEFAULT}:seconds={seconds:g}"


def board_name(spelling: str) -> str:
    """Return a game's specification without defaults and position, and with the name of its file instead of its path.

    >>> board_name("go:size=9"), board_name("go:size=13"), board_name("/home/ada/morris.py:size=3")
    ('go', 'go:size=13', 'morris:size=3')
    """
    family, values = split_spelling(spelling)
    known = parameters_of(GAMES[family]) if family in GAMES else {}
    given = {
        name: value
        for name, value in values.items()
        if (name not in known or known[name].convert(value, family) != known[name].default) and name != POSITION
    }
    return join_spelling(family if family in GAMES else PurePath(family).stem, given)


def unmeasured(game: Game, name: str) -> str:
    """Return what matches have not measured of `strong` or `level` on a game, as a sentence; empty if all is measured.

    >>> import luozi
    >>> unmeasured(luozi.game("gomoku"), "strong"), unmeasured(luozi.game("go:size=9"), "strong")
    ('', '')
    >>> unmeasured(luozi.game("go:size=19"), "strong").split(": ")[1]
    'on go:size=19 it has the options of the most similar game'
    >>> unmeasured(luozi.game("gomoku:size=9"), "level")
    'the levels were measured on gomoku only: their distances on gomoku:size=9 are unknown'
    >>> unmeasured(luozi.game("gomoku:size=15"), "level")
    ''
    """
    spelling = board_name(game.spelling)
    family = spelling.partition(":")[0]
    if name == "strong" and not strong_options(game):
        return Message("strong was not measured on {game}: it is plain mcts there", game=spelling)
    if name == "strong" and spelling not in MATCHED:
        return Message(
            "strong was measured on {games}: on {game} it has the options of the most similar game",
            games=joined(MATCHED),
            game=spelling,
        )
    if name == "level" and family not in measured_levels():
        return Message("the levels were not measured on {game}: their distances are unknown there", game=spelling)
    if name == "level" and spelling != family:
        return Message(
            "the levels were measured on {games} only: their distances on {game} are unknown",
            games=family,
            game=spelling,
        )
    return ""


def preset_warnings(game: Game, names: Iterable[str]) -> dict[str, str]:
    """Return warnings about the players of a game, by name.

    A warning says that the distance of levels was not measured, or that `strong` is plain mcts. That `strong` has the
    options of a similar game needs no warning.

    >>> import luozi
    >>> preset_warnings(luozi.game("go:size=13"), ["strong", "random"])
    {}
    >>> list(preset_warnings(luozi.game("hex"), ["strong", "level"]))
    ['level']
    """
    worth = [name for name in dict.fromkeys(names) if name != "strong" or not strong_options(game)]
    return {name: note for name in worth if (note := unmeasured(game, name))}


def with_values(preset: Mapping[str, Value], values: Mapping[str, Value], game: Game) -> Values:
    """Return a preset with the user's values, without options of the preset that can't be combined with them.

    >>> import luozi
    >>> with_values({"early_stop": True, "decisive_moves": True}, {"final": "max"}, luozi.game("gomoku"))
    {'decisive_moves': True, 'final': 'max'}
    """
    options = {**preset, **values}
    for name in preset:
        reason = reason_against(options, game)
        without = {other: value for other, value in options.items() if other != name}
        if reason and name not in values and reason_against(without, game) != reason:
            options = without
    return options


def reason_against(values: Mapping[str, Value], game: Game) -> str:
    """Return why options can't be combined on a game, or an empty text."""
    try:
        return against_network(game, Options.of(**values))
    except LuoziError as error:
        return error.message


@cache
def measured_levels() -> dict[str, dict[str, Values]]:
    """Return the options of the levels by game, as `luozi experiment levels` found them."""
    found: dict[str, dict[str, Values]] = json.loads(
        resources.files("luozi.players").joinpath("levels.json").read_text("utf-8")
    )
    return found


def level_base(game: Game) -> Values:
    """Return what all levels share: the strongest search without the exact solver and without tree reuse."""
    options = {
        name: value
        for name, value in options_of_levels(game).items()
        if name not in ("exact_solver_nodes", "early_stop")
    }
    return {**options, "reuse_tree": False}


def level_options(game: Game, number: int) -> dict[str, Any]:
    """Return the options of a level: the strongest search with fewer iterations, and with random moves at the lowest
    levels.

    >>> import luozi
    >>> level_options(luozi.game("gomoku"), 1)["random_move_rate"] > 0
    True
    """
    if not 1 <= number <= LEVELS:
        raise LuoziError("there is no level {number}; levels go from 1 to {most}", number=number, most=LEVELS)
    known = measured_levels().get(split_spelling(game.spelling)[0])
    steps = known[str(number)] if known else step_options(DEFAULT_STEPS[number - 1])
    return {**level_base(game), **steps}


# The strength of a level as one number: below 0 the share of random moves, above 0 the binary logarithm of iterations.
DEFAULT_STEPS = (-0.8, -0.5, -0.2, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0)
FEWEST = 16


def step_options(step: float) -> Values:
    """Return the options of a strength.

    >>> step_options(-0.5), step_options(3)
    ({'iterations': 16, 'random_move_rate': 0.5}, {'iterations': 128})
    """
    if step < 0:
        return {"iterations": FEWEST, "random_move_rate": round(-step, 3)}
    return {"iterations": round(FEWEST * 2**step)}
