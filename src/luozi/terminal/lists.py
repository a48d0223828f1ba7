"""The lists of games, players and kernels, all made from the metadata of what they list."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from luozi.compiled.cache import cache_folder, cached_kernels, reason_not_to_keep
from luozi.errors import LuoziError, nearest
from luozi.games import Listing
from luozi.games import game as make_game
from luozi.games.own import load_own_game
from luozi.parameters import Parameter, parameters_of
from luozi.players import PLAYERS, spelled_out
from luozi.players.person import Person
from luozi.search import Thought
from luozi.search.options import FORMULAS, ONE_WEIGHT
from luozi.text import counted, grid


def parameter_table(parameters: Iterable[Parameter], console: Console) -> Table:
    """Name, default, range and meaning of each parameter."""
    table = grid("parameter", "default", "values", "meaning", lines=console.is_terminal)
    table.columns[2].max_width = 25
    for parameter in parameters:
        default = "-" if parameter.default in (None, "") else str(parameter.default)
        shown = default.lower() if isinstance(parameter.default, bool) else default
        source = f" [{parameter.about.source}]" if parameter.about.source else ""
        table.add_row(*map(Text, (parameter.name, shown, parameter.range, parameter.about.meaning + source)))
    return table


def show_entry(console: Console, name: str, meaning: str, parameters: Iterable[Parameter]) -> None:
    """One game or player with its parameters."""
    console.print(Text.assemble((name, "bold"), "  ", meaning))
    listed = list(parameters)
    if listed:
        console.print(parameter_table(listed, console))
    if not console.is_terminal or not listed:
        console.print()


def show_games(console: Console, name: str | None) -> None:
    """All games, or one; a game of one's own is shown too."""
    listings = Listing.all()
    if name is not None and name.endswith(".py"):
        made = load_own_game(Path(name))
        meaning = (made.__doc__ or made.__name__).strip().splitlines()[0]
        listings = [Listing(name, meaning, tuple(parameters_of(made).values()))]
    elif name is not None:
        names = [listing.name for listing in listings]
        listings = [listing for listing in listings if listing.name == name]
        if not listings:
            raise LuoziError(f"there is no game '{name}'{nearest(name, names)}")
    for listing in listings:
        show_entry(console, listing.name, listing.meaning, listing.parameters)
    if name is None:
        console.print("Write name:parameter=value,parameter=value, as in connect4:rows=9,columns=12.")
        console.print(
            "A game of your own is a Python file, as in 'luozi play my_game.py'; "
            "OpenSpiel's are openspiel:name=breakthrough."
        )


def show_players(console: Console, name: str | None) -> None:
    """All players, or one."""
    kinds = [kind for kind in PLAYERS.values() if name in (None, kind.name)]
    if not kinds and name != Person.spelling:
        raise LuoziError(f"there is no player '{name}'{nearest(name or '', [Person.spelling, *PLAYERS])}")
    if name in (None, Person.spelling):
        show_entry(console, Person.spelling, (Person.__doc__ or "").strip(), ())
    for kind in kinds:
        if kind.name == "strong":
            show_strong(console, kind.meaning)
            continue
        show_entry(console, kind.name, kind.meaning, kind.parameters.values())
        if "formula" in kind.parameters:
            show_formulas(console)
    if name is None:
        console.print("Write name:parameter=value,parameter=value, as in mcts:iterations=10000,c=0.7.")
        console.print("An outside program comes last, as in gtp:seconds=10,gnugo --mode gtp --chinese-rules.")


def show_strong(console: Console, meaning: str) -> None:
    """What `strong` stands for on each game."""
    table = grid("game", "stands for", lines=console.is_terminal)
    for listing in Listing.all():
        table.add_row(Text(listing.name), Text(spelled_out("strong", make_game(listing.name))))
    console.print(Text.assemble(("strong", "bold"), "  ", meaning))
    console.print(table)
    console.print()


def show_formulas(console: Console) -> None:
    """How the spellings of UCB compare: all are one weight k on sqrt(ln N / n)."""
    console.print("The first three formulas are w/n + k sqrt(ln N / n), each with its own way to write k:")
    table = grid("formula", "score of a child", "k", "c by default", "k by default", lines=console.is_terminal)
    for name, (formula, scale, own) in FORMULAS.items():
        weights = [f"{scale:.3f} c", f"{own:.3f}", f"{scale * own:.3f}"] if name in ONE_WEIGHT else ["-", "-", "-"]
        weights[1] = f"{own:.3f}" if name == "puct" else weights[1]
        table.add_row(name, formula, *weights)
    console.print(table)
    console.print("V is the variance seen plus sqrt(2 ln N / n); P is the game's prior of a move, all of which make 1.")
    if not console.is_terminal:
        console.print()


def show_cache(console: Console) -> None:
    """The compiled kernels and where they are."""
    kernels = cached_kernels()
    total = sum(kernel.bytes for kernel in kernels)
    line = f"{counted(len(kernels), 'kernel')}, {total / 1e6:.1f} MB in {cache_folder()}"
    console.print(Text(line), soft_wrap=True)
    reason = reason_not_to_keep(cache_folder())
    if reason:
        console.print(Text(f"nothing can be kept there: {reason}"), soft_wrap=True)
    if not kernels:
        return
    table = grid("kernel", "bytes", lines=console.is_terminal)
    table.columns[1].justify = "right"
    for kernel in kernels:
        table.add_row(Text(kernel.kernel), f"{kernel.bytes:,}")
    console.print(table)


def candidates_table(thought: Thought, lines: bool) -> Table:
    """The best candidates as a table."""
    table = grid("move", "visits", "share", "win rate", "95 % interval", lines=lines)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in thought.rows():
        table.add_row(*row)
    return table


def show_thought(console: Console, thought: Thought) -> None:
    """The candidates with their win rates, the best line, and the work done."""
    console.print(candidates_table(thought, console.is_terminal))
    console.print(Text("best line: " + " ".join(thought.variation[:12])), soft_wrap=True)
    console.print(Text(thought.summary(), "dim"))
