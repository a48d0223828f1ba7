"""The rows of `ablation`: which options are tried, each alone, and how they are asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from luozi.experiments.frame import refuse_own_budget
from luozi.messages import LuoziError, Message, like
from luozi.rules.game import Game
from luozi.search.option_requirements import refuse_missing
from luozi.search.options import Options
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
    Option({"take_wins": True}, reported=True),
    Option({"block_wins": True}, reported=True),
    Option({"avoid_gifts": True}, reported=True),
    Option({"take_wins": True, "block_wins": True, "avoid_gifts": True}, reported=True),
    Option({"discount": 0.99}, reported=True),
    Option({"keep": True}, {"keep": False}, reported=True),
    Option({"share": True}, reported=True),
)
OTHERS = (
    Option({"formula": "tuned"}),
    Option({"formula": "puct"}),
    Option({"formula": "puct", "prior_power": 4.0}),
    Option({"formula": "chance"}),
    Option({"first_play": 1.0}),
    Option({"rave": "fuego"}),
    Option({"rave": "schedule"}),
    Option({"rave": "least_error"}),
    Option({"ancestor": "order"}),
    Option({"ancestor": "start"}),
    Option({"prior": 10.0}),
    Option({"history": 5.0}),
    Option({"personality": "cautious"}),
    Option({"prove": "standard"}),
    Option({"decay": 0.99}),
    Option({"keep_won": True}),
    Option({"keep_lucky": True}),
    Option({"uncertain": 0.333}),
    Option({"expand_after": 8}),
    Option({"horizon": 16}),
    Option({"policy": True}),
    Option({"evaluation": "static"}),
    Option({"evaluation": "mix"}),
    Option({"batch": 16}),
    Option({"take_wins": True, "block_wins": True, "pruning": "tree"}),
    Option({"fours": True}),
    Option({"solve": 100_000}),
    Option({"final": "mean"}),
)


def chosen(written: str) -> list[Option]:
    """The options that are asked for.

    >>> [option.name for option in chosen("share+rave=fuego")]
    ['share=true', 'rave=fuego']
    """
    found = {option.name: option for word in written.split("+") for option in named(word.strip())}
    return list(found.values())


def named(word: str) -> list[Option]:
    """Everything, the row of this name, all rows that set an option, or a row of one's own.

    >>> [option.name for option in (*named("rave"), *named("rave=fuego,rave_weight=50"))]
    ['rave=fuego', 'rave=schedule', 'rave=least_error', 'rave=fuego,rave_weight=50.0']
    """
    every = (*TRIED, *OTHERS)
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
