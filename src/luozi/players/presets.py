"""Named settings of the search for each game: `strong`, and ten levels for people.

Which options are strong was decided by matches, and so were the levels: see docs/strength.md. Names stand for the
spelling of another player, so contests write that down, and their results stay true when a preset changes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any

from luozi.evaluators.networks import shipped_network
from luozi.games import GAMES
from luozi.games.go.knowledge import GoKnowledge
from luozi.games.lines.knowledge import LineKnowledge
from luozi.messages import LuoziError, Message, joined
from luozi.rules.game import Game
from luozi.rules.text_position import KEY as POSITION
from luozi.search import Options
from luozi.search.option_requirements import against_network
from luozi.util.parameters import join_spelling, parameters_of, split_spelling

# All line games: go by what the counters promise, and win and block at once.
KNOWING: dict[str, Any] = {
    "formula": "puct",
    "c": 1.0,
    "prior_power": 6.0,
    "take_wins": True,
    "block_wins": True,
    "settle": True,
}
# For two, simulations stay simple, and fast.
LINES: dict[str, Any] = {**KNOWING, "pruning": "tree", "expand_after": 20}
# On a flat board fours are many: simulations that see them, and a search for wins by them, are worth their time.
FOURS: dict[str, Any] = {**KNOWING, "policy": True, "prove": "standard", "fours": True}
# Three or more: others may leave a threat to us alone, so simulations must know who blocks.
MANY: dict[str, Any] = {**KNOWING, "policy": True, "horizon": 40, "prove": "standard", "expand_after": 4}
# Small enough for the exact solver, from some move on.
SOLVED: dict[str, Any] = {
    **KNOWING,
    "prior_power": 2.0,
    "pruning": "tree",
    "prove": "standard",
    "expand_after": 3,
    "solve": 5_000_000,
}
# Go: simulations that know some, all moves as first, and a start by what each move does (docs/go.md).
GO: dict[str, Any] = {
    "policy": True,
    "rave": "fuego",
    "rave_weight": 3000.0,
    "rave_prior": 5.0,
    "c": 0.0,
    "prior": 10.0,
    "settle": True,
}
# A learned network instead of simulations, with what is certain beside it (docs/learning.md).
LEARNED: dict[str, Any] = {
    "prior_power": 0.7,
    "growth": 0.35,
    "prove": "standard",
    "take_wins": True,
    "block_wins": True,
    "avoid_gifts": True,
    "settle": True,
}
# Networks that did better than simulations in matches, and what is worth its time beside them.
LEARNED_GAMES: dict[str, dict[str, Any]] = {
    "gomoku": LEARNED,
    "exactly": LEARNED,
    "connect4": {**LEARNED, "solve": SOLVED["solve"]},
    "course": LEARNED,
    "qubic": LEARNED,
}
# The options that did best among searches, by game; line games that are not here have LINES or MANY. Where alphabeta
# plays, a static evaluation did better than a mix, but openings can't be judged by it: no simulation is part of it.
STRONG: dict[str, dict[str, Any]] = {
    "gomoku": FOURS,
    "connect4": SOLVED,
    "tictactoe": SOLVED,
    "othello": {"evaluation": "mix", "c": 0.4, "prove": "standard"},
    "breakthrough": {"evaluation": "mix", "c": 0.2, "prove": "standard"},
    "amazons": {"evaluation": "mix", "c": 0.3, "prove": "standard"},
    "hex": {"rave": "fuego", "c": 0.0},
    "y": {"rave": "least_error", "c": 0.0},
    "nim": {"c": 0.4},
}
# Where another kind of player than a search won the matches, and the values that such a player may be given.
STRONG_KINDS: dict[str, str] = {"othello": "alphabeta", "breakthrough": "alphabeta"}
KIND_VALUES = frozenset({"seconds", "seed"})
LEVELS = 10
DEFAULT = "strong"  # who answers wherever nobody was named
# Where matches decided what is strong, on the board of that name.
MATCHED = (
    *("gomoku", "connect4", "qubic", "five3d", "go", "go:size=13"),
    *("othello", "breakthrough", "amazons", "hex", "y", "nim"),
)


def strong_kind(game: Game, values: Collection[str] = ()) -> str:
    """The kind of player that `strong` is when it is given these values: a search where only a search has them.

    >>> import luozi
    >>> game = luozi.game("othello")
    >>> strong_kind(game), strong_kind(game, ["seconds"]), strong_kind(game, ["iterations"])
    ('alphabeta', 'alphabeta', 'mcts')
    """
    kind = STRONG_KINDS.get(split_spelling(game.spelling)[0], "mcts")
    return kind if KIND_VALUES.issuperset(values) else "mcts"


def strong_options(game: Game) -> dict[str, Any]:
    """The options of `strong` as a search, which it is on most games; none where nothing was measured.

    >>> import luozi
    >>> strong_options(luozi.game("gomoku"))["network"]
    'gomoku'
    """
    network = shipped_network(game)
    if network in LEARNED_GAMES and game.compilable:
        return {"network": network, **LEARNED_GAMES[network]}
    return searching_options(game)


def searching_options(game: Game) -> dict[str, Any]:
    """The strongest options without a network.

    >>> import luozi
    >>> searching_options(luozi.game("gomoku"))["policy"]
    True
    """
    if isinstance(game, GoKnowledge):
        return dict(GO)
    name = split_spelling(game.spelling)[0]
    if not isinstance(game, LineKnowledge):
        return dict(STRONG.get(name, {}))
    return dict(MANY if game.players > 2 else STRONG.get(name, LINES))


def default_player(seconds: float | None = None) -> str:
    """Who plays, thinks, gives hints and answers other programs wherever nobody was named.

    >>> default_player(1), default_player()
    ('strong:seconds=1', 'strong')
    """
    return DEFAULT if seconds is None else f"{DEFAULT}:seconds={seconds:g}"


def usual_spelling(spelling: str) -> str:
    """The spelling of a game without parameters that have their usual values: these make no other game of it.

    >>> usual_spelling("go:size=9"), usual_spelling("go:size=13")
    ('go', 'go:size=13')
    """
    family, values = split_spelling(spelling)
    known = parameters_of(GAMES[family]) if family in GAMES else {}
    given = {
        name: value
        for name, value in values.items()
        if (name not in known or known[name].convert(value, family) != known[name].default) and name != POSITION
    }
    return join_spelling(family, given)


def without_folder(spelling: str) -> str:
    """A spelling whose game, if it is a file, is called as its file is: where that lies is nobody's business.

    >>> without_folder("/home/ada/morris.py:size=3"), without_folder("gomoku:size=9")
    ('morris:size=3', 'gomoku:size=9')
    """
    family, values = split_spelling(spelling)
    return join_spelling(PurePath(family).stem if family not in GAMES else family, values)


def unmeasured(game: Game, name: str) -> str:
    """What no match has shown of `strong` or `level` on a game, in one sentence; nothing where all is measured.

    >>> import luozi
    >>> unmeasured(luozi.game("gomoku"), "strong"), unmeasured(luozi.game("go:size=9"), "strong")
    ('', '')
    >>> unmeasured(luozi.game("go:size=19"), "strong").split(": ")[1]
    'on go:size=19 it has what did best on a game like it'
    >>> unmeasured(luozi.game("gomoku:size=9"), "level")
    'the levels were measured on gomoku only: on gomoku:size=9 nobody knows how far apart they are'
    >>> unmeasured(luozi.game("gomoku:size=15"), "level")
    ''
    """
    spelling = without_folder(usual_spelling(game.spelling))
    family = spelling.partition(":")[0]
    if name == "strong" and not strong_options(game):
        return Message("strong was not measured on {game}: it is plain mcts there", game=spelling)
    if name == "strong" and spelling not in MATCHED:
        return Message(
            "strong was measured on {games}: on {game} it has what did best on a game like it",
            games=joined(MATCHED),
            game=spelling,
        )
    if name == "level" and family not in measured_levels():
        return Message("the levels were not measured on {game}: nobody knows how far apart they are", game=spelling)
    if name == "level" and spelling != family:
        return Message(
            "the levels were measured on {games} only: on {game} nobody knows how far apart they are",
            games=family,
            game=spelling,
        )
    return ""


def notes_on(game: Game, names: Iterable[str]) -> dict[str, str]:
    """What people should know of the players at a board, by their names: that nobody has measured how far apart levels
    are, or that `strong` is nothing but plain mcts; that it has options like another game's is not worth a word.

    >>> import luozi
    >>> notes_on(luozi.game("go:size=13"), ["strong", "random"]), list(notes_on(luozi.game("hex"), ["strong", "level"]))
    ({}, ['level'])
    """
    worth = [name for name in dict.fromkeys(names) if name != "strong" or not strong_options(game)]
    return {name: note for name in worth if (note := unmeasured(game, name))}


def with_values(preset: Mapping[str, Any], values: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """A preset with values of the user's own, without those of its options that make no sense beside them.

    >>> import luozi
    >>> with_values({"settle": True, "take_wins": True}, {"final": "mean"}, luozi.game("gomoku"))
    {'take_wins': True, 'final': 'mean'}
    """
    options = {**preset, **values}
    for name in preset:
        reason = reason_against(options, game)
        without = {other: value for other, value in options.items() if other != name}
        if reason and name not in values and reason_against(without, game) != reason:
            options = without
    return options


def reason_against(values: Mapping[str, Any], game: Game) -> str:
    """Why options make no sense together on a game, or nothing."""
    try:
        return against_network(game, Options.of(**values))
    except LuoziError as error:
        return error.message


@cache
def measured_levels() -> dict[str, dict[str, dict[str, Any]]]:
    """The options of the levels by game, as `luozi experiment levels` found them."""
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(
        resources.files("luozi.players").joinpath("levels.json").read_text("utf-8")
    )
    return found


def level_base(game: Game) -> dict[str, Any]:
    """What all levels share: the strongest search without the exact solver, and every move thought about anew."""
    options = {name: value for name, value in strong_options(game).items() if name not in ("solve", "settle")}
    return {**options, "keep": False}


def level_options(game: Game, number: int) -> dict[str, Any]:
    """The options of a level: the strongest search with fewer iterations, and at the lowest levels with mistakes.

    >>> import luozi
    >>> level_options(luozi.game("gomoku"), 1)["mistakes"] > 0
    True
    """
    if not 1 <= number <= LEVELS:
        raise LuoziError("there is no level {number}; levels go from 1 to {most}", number=number, most=LEVELS)
    known = measured_levels().get(split_spelling(game.spelling)[0])
    steps = known[str(number)] if known else step_options(DEFAULT_STEPS[number - 1])
    return {**level_base(game), **steps}


# A step is one number for how strong a level is: up to 0 ever fewer mistakes, then ever more iterations.
DEFAULT_STEPS = (-0.8, -0.5, -0.2, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0)
FEWEST = 16


def step_options(step: float) -> dict[str, Any]:
    """What makes a searcher as strong as a step says.

    >>> step_options(-0.5), step_options(3)
    ({'iterations': 16, 'mistakes': 0.5}, {'iterations': 128})
    """
    if step < 0:
        return {"iterations": FEWEST, "mistakes": round(-step, 3)}
    return {"iterations": round(FEWEST * 2**step)}
