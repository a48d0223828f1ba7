"""The rows of `ablation`: which options are tried, each alone, and how they are asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from luozi.experiments.frame import refuse_own_budget
from luozi.messages import LuoziError, Message, like
from luozi.rules.game import Game
from luozi.search.option_requirements import refuse_missing
from luozi.search.options import Options
from luozi.util.old_names import new_name, new_spelling
from luozi.util.parameters import join_spelling, parameters_of, split_spelling

ALL, REPORTED = "all", "report"


class Option(NamedTuple):
    """One row: what is switched on, and what the base has instead."""

    values: Mapping[str, Any]
    base: Mapping[str, Any] = {}
    reported: bool = False  # the report tried it, and left it out

    @property
    def name(self) -> str:
        """As it is typed."""
        return join_spelling("", dict(self.values)).lstrip(":")


# The report's own, in its order: pruning 2.1 to 2.3, the discount, the kept tree, the hash table.
TRIED = (
    Option({"decisive_moves": True}, reported=True),
    Option({"anti_decisive_moves": True}, reported=True),
    Option({"avoid_immediate_loss": True}, reported=True),
    Option({"decisive_moves": True, "anti_decisive_moves": True, "avoid_immediate_loss": True}, reported=True),
    Option({"backup_discount": 0.99}, reported=True),
    Option({"reuse_tree": True}, {"reuse_tree": False}, reported=True),
    Option({"transpositions": True}, reported=True),
)
OTHERS = (
    Option({"selection": "ucb1_tuned"}),
    Option({"selection": "puct"}),
    Option({"selection": "puct", "prior_power": 4.0}),
    Option({"selection": "random"}),
    Option({"fpu": 1.0}),
    Option({"rave": "fuego"}),
    Option({"rave": "hand_selected"}),
    Option({"rave": "min_mse"}),
    Option({"grandfather": "order"}),
    Option({"grandfather": "start"}),
    Option({"prior_visits": 10.0}),
    Option({"progressive_history": 5.0}),
    Option({"playing_style": "cautious"}),
    Option({"mcts_solver": "standard"}),
    Option({"playout_discount": 0.99}),
    Option({"keep_proven_win": True}),
    Option({"keep_playout_win": True}),
    Option({"prune_ratio": 0.333}),
    Option({"expand_after": 8}),
    Option({"max_playout_moves": 16}),
    Option({"playout_policy": True}),
    Option({"evaluation": "static"}),
    Option({"evaluation": "mix"}),
    Option({"batch_size": 16}),
    Option({"decisive_moves": True, "anti_decisive_moves": True, "decisive_scope": "tree"}),
    Option({"threat_search": True}),
    Option({"exact_solver_nodes": 100_000}),
    Option({"final": "max"}),
)


def chosen(written: str) -> list[Option]:
    """The options that are asked for.

    >>> [option.name for option in chosen("share+rave=fuego")]
    ['transpositions=true', 'rave=fuego']
    """
    found = {option.name: option for word in written.split("+") for option in named(word.strip())}
    return list(found.values())


def named(word: str) -> list[Option]:
    """Everything, the row of this name, all rows that set an option, or a row of one's own.

    >>> [option.name for option in (*named("rave"), *named("rave=fuego,rave_weight=50"))]
    ['rave=fuego', 'rave=hand_selected', 'rave=min_mse', 'rave=fuego,rave_weight=50.0']
    """
    every = (*TRIED, *OTHERS)
    word = new_spelling(f"mcts:{word}").removeprefix("mcts:") if "=" in word else new_name(word, "mcts")
    if word in (ALL, REPORTED):
        return list(every if word == ALL else TRIED)
    rows = [option for option in every if word in (option.name, option.name.removesuffix("=true"))]
    if rows or "=" in word:
        return rows or [own(word)]
    refuse_unknown(word)
    rows = [option for option in every if word in option.values]
    if not rows:
        raise LuoziError(
            "ablation has no row that sets {name}: give it a value of your own, as in {text}=...", name=word, text=word
        )
    return rows


def own(word: str) -> Option:
    """A row with values of one's own; the known row if there is one with these values."""
    written = split_spelling(f"mcts:{word}")[1]
    for name in written:
        refuse_unknown(name)
    refuse_own_budget(written, word)
    options = Options.of(**written)
    values = {name: getattr(options, name) for name in written}
    known = next((option for option in (*TRIED, *OTHERS) if option.values == values), None)
    if known is None and options == Options():
        raise LuoziError("{name} is what the base has already: give another value", name=word)
    return known or Option(values)


def refuse_unknown(name: str) -> None:
    """One sentence if the search has no such option."""
    known = parameters_of(Options)
    if name not in known:
        hint = like(name, [ALL, REPORTED, *known]) or Message("; `luozi players` lists those of mcts")
        raise LuoziError("ablation has no option '{name}'{hint}", name=name, hint=hint)


def offers(game: Game, option: Option) -> bool:
    """Whether a game has what an option needs."""
    try:
        refuse_missing(game, Options.of(**option.values))
    except LuoziError:
        return False
    return True
