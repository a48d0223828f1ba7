"""Tables for people: games, players, compiled kernels, search results, and what `luozi doctor` reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from luozi.compiled.cache import cache_folder, cached_kernels, reason_not_to_keep
from luozi.games import Listing, is_own
from luozi.games import game as make_game
from luozi.games.lines.drawing import draw_layers
from luozi.games.lines.rules import Lines
from luozi.games.user_files import load_own_game
from luozi.messages import LuoziError, Message, nearest, plural, translate, translate_in
from luozi.players import PLAYERS, spelled_out
from luozi.players.presets import unmeasured
from luozi.players.program import containment
from luozi.players.simple import Person
from luozi.rules.board import POINTS, board_of, board_text
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.search import Engine, SearchResult
from luozi.search.as_numbers import FORMULAS, ONE_WEIGHT
from luozi.search.showing import policy_of
from luozi.util.formats import padded, wrapped
from luozi.util.machine import cores, processor_name
from luozi.util.old_names import KINDS
from luozi.util.parameters import CLASS, Parameter, split_spelling
from luozi.util.parsing import path_of
from luozi.util.tables import FIGURE, LABEL, SPELLING, TEXT, TextColumn, show_table
from luozi.util.win_rates import EVALUATION, FEWEST, sentence

PARAMETERS = (
    TextColumn("parameter", LABEL),
    TextColumn("default", TEXT),
    TextColumn("values", TEXT),
    TextColumn("meaning", TEXT),
)
STRONG = TextColumn("game", LABEL), TextColumn("stands for", TEXT)
FORMULA = TextColumn("formula", LABEL), TextColumn("score of a child", TEXT)
WEIGHTS = TextColumn("k", LABEL), TextColumn("c by default", FIGURE), TextColumn("k by default", FIGURE)
KERNELS = TextColumn("kernel", SPELLING), TextColumn("bytes", FIGURE)


def translated_columns(columns: Sequence[TextColumn]) -> list[TextColumn]:
    """Return columns with translated names."""
    return [column._replace(name=translate(column.name)) for column in columns]


def parameter_row(parameter: Parameter) -> tuple[str, str, str, str]:
    """Return the name, default, range and meaning of a parameter."""
    default = "-" if parameter.default in (None, "") else str(parameter.default)
    shown = default.lower() if isinstance(parameter.default, bool) else default
    source = f" [{translate(parameter.about.source)}]" if parameter.about.source else ""
    return parameter.name, shown, translate(parameter.range), translate(parameter.about.meaning) + source


def show_entry(console: Console, name: str, meaning: str, parameters: Iterable[Parameter]) -> None:
    """Print one game or player with its parameters."""
    show_meaning(console, name, translate(meaning))
    listed = list(parameters)
    if listed:
        show_table(console, translated_columns(PARAMETERS), map(parameter_row, listed))
    console.print()


def show_meaning(console: Console, name: str, meaning: str) -> None:
    """Print a name and its meaning; Chinese has few spaces at which lines could break."""
    line = Text.assemble((name, "bold"), "  ", meaning)
    if not meaning.isascii():
        line = Text("\n".join(wrapped(line.plain, console.width)))
        line.stylize("bold", 0, len(name))
    console.print(line)


def show_games(console: Console, name: str | None) -> None:
    """Print all games, or one, which may be a custom game."""
    listings = Listing.all()
    file, written = split_spelling(name or "")
    if name is not None and is_own(file):
        made = load_own_game(path_of(file), written.get(CLASS, ""))
        meaning = (made.__doc__ or made.__name__).strip().splitlines()[0]
        listings = [Listing.of(name, meaning, made)]
    elif name is not None:
        names = [listing.name for listing in listings]
        listings = [listing for listing in listings if listing.name == name]
        if not listings:
            raise LuoziError("there is no game '{name}'{nearest}", name=name, nearest=nearest(name, names))
    for listing in listings:
        show_entry(console, listing.name, listing.meaning, listing.parameters)
        if name is not None:
            show_weights(console, listing.weights)
    if name is None:
        console.print(translate("Write name:parameter=value,parameter=value, as in connect4:rows=9,columns=12."))
        console.print(
            translate(
                "Your own game is a Python file, as in 'luozi play my_game.py'; OpenSpiel's games are "
                "openspiel:name=breakthrough."
            )
        )


def show_weights(console: Console, weights: Sequence[Parameter]) -> None:
    """Print the heuristic weights of a game."""
    if weights:
        console.print(
            translate(
                "Its heuristic weights, which "
                "mcts:playout_policy=true,prior_visits=20,heuristic_weights=NAME:VALUE+NAME:VALUE sets:"
            )
        )
        show_table(console, translated_columns(PARAMETERS), map(parameter_row, weights))
        console.print()


def show_players(console: Console, name: str | None) -> None:
    """Print all players, or one."""
    kinds = [kind for kind in PLAYERS.values() if KINDS.get(name or "", name) in (None, kind.name)]
    if not kinds and name != Person.spelling:
        raise LuoziError(
            "there is no player '{name}'{nearest}", name=name, nearest=nearest(name or "", [Person.spelling, *PLAYERS])
        )
    if name in (None, Person.spelling):
        show_entry(console, Person.spelling, (Person.__doc__ or "").strip(), ())
    for kind in kinds:
        if kind.name == "strong":
            show_strong(console, kind.meaning)
            continue
        show_entry(console, kind.name, kind.meaning, kind.parameters.values())
        if kind.name == "level":
            show_unmeasured(console, kind.name)
        if "selection" in kind.parameters:
            show_formulas(console)
    if name is None:
        console.print(translate("Write name:parameter=value,parameter=value, as in mcts:iterations=10000,c=0.7."))
        console.print(
            translate(
                "The command of an external program comes last, as in gtp:seconds=10,gnugo --mode gtp --chinese-rules."
            )
        )


def show_strong(console: Console, meaning: str) -> None:
    """Print what `strong` stands for on each game."""
    show_meaning(console, "strong", translate(meaning))
    games = {listing.name: make_game(listing.name) for listing in Listing.all()}
    show_table(
        console, translated_columns(STRONG), [(name, spelled_out("strong", game)) for name, game in games.items()]
    )
    show_unmeasured(console, "strong")


def show_unmeasured(console: Console, player: str) -> None:
    """Print on which games `strong` or the levels were not measured."""
    for note in filter(None, (unmeasured(make_game(listing.name), player) for listing in Listing.all())):
        told = translate(note)
        console.print(Text(told if told.endswith("。") else f"{told[0].upper()}{told[1:]}."))
    console.print(translate("Other boards of a game were not measured either: docs/en/results/strength.md"))
    console.print()


def show_formulas(console: Console) -> None:
    """Print the formulas of the selection policies, all with one weight k on sqrt(ln N / n)."""
    console.print(
        translate("The first three selection policies are w/n + k sqrt(ln N / n). They differ in how k is written:")
    )
    rows = []
    for name, (formula, scale, own) in FORMULAS.items():
        weights = [f"{scale:.3f} c", f"{own:.3f}", f"{scale * own:.3f}"] if name in ONE_WEIGHT else ["-", "-", "-"]
        weights[1] = f"{own:.3f}" if name == "puct" else weights[1]
        rows.append((name, formula, *weights))
    show_table(console, translated_columns((*FORMULA, *WEIGHTS)), rows)
    console.print(
        translate("V is the variance seen plus sqrt(2 ln N / n); P is the game's prior of a move, all of which make 1.")
    )
    console.print()


def show_cache(console: Console) -> None:
    """Print the compiled kernels and their folder."""
    kernels = cached_kernels()
    total = sum(kernel.bytes for kernel in kernels)
    line = plural(
        len(kernels),
        "{count} kernel, {size} MB in {text}",
        "{count} kernels, {size} MB in {text}",
        size=f"{total / 1e6:.1f}",
        text=cache_folder(),
    )
    console.print(Text(translate(line)), soft_wrap=True)
    reason = reason_not_to_keep(cache_folder())
    if reason:
        console.print(Text(translate("nothing can be kept there: {reason}", reason=reason)), soft_wrap=True)
    if kernels:
        show_table(console, translated_columns(KERNELS), [(kernel.kernel, f"{kernel.bytes:,}") for kernel in kernels])


def show_search_result(console: Console, thought: SearchResult) -> None:
    """Print the candidates with their win rates or scores, the principal variation and the work."""
    first, *others = columns_of(thought)
    numbers = 3  # the first columns need no translation: name, visits and share
    rows = [[*row[:numbers], *map(translate, row[numbers:])] for row in thought.rows()]
    evaluated = thought.kind == EVALUATION and not thought.best.score
    if evaluated and not thought.best.proven:
        console.print(Text(translate("values are evaluations of positions, not win rates")))
    show_table(console, (TextColumn(first, LABEL), *(TextColumn(name, FIGURE) for name in others)), rows)
    chances = thought.chances()
    if chances is not None and chances.few:
        console.print(
            Text(
                translate(
                    "only a few visits ({visits}): below {fewest} visits no win rate is shown. Give the search more "
                    "time",
                    visits=f"{thought.best.visits:,}",
                    fewest=FEWEST,
                )
            ),
            soft_wrap=True,
        )
    if thought.learned and thought.position is not None:
        show_policy(console, thought)
    console.print(Text(translate("best line: {line}", line=" ".join(thought.principal_variation[:12]))), soft_wrap=True)
    console.print(Text(work_text(thought), "dim"))


def columns_of(thought: SearchResult) -> list[str]:
    """Return the translated names of the columns; players' names stay."""
    move, _visits, share, *told, interval = thought.header()
    visits = "positions" if thought.positions else "visits"
    last = "certain or cut" if thought.best.score else "95 % interval"
    names = {"score": translate_in("search", "score"), "mean": translate("mean")}
    known = [name if name in thought.names() else names.get(name) or translate(name) for name in told]
    return [*map(translate, (move, visits, share)), *known, translate(last if interval else interval)]


def show_policy(console: Console, thought: SearchResult) -> None:
    """Print the board with the network's priors in per cent, and the win rates of the search."""
    position = thought.position
    assert position is not None
    game, state = position.game, position.state
    words = {cell: word for cell, (_, word) in policy_of(game, state, thought).items() if word}
    board = Text(policy_text(game, state, words))
    if board:
        console.print(Text(translate("the network's priors, in per cent:")))
        board.highlight_regex(r"(?<=[ .])[1-9][0-9](?= |$)", "bold reverse")
        console.print(board, soft_wrap=True)
    chances = thought.chances()
    if chances is not None and not chances.few:
        told = sentence(chances, thought.names(), translate)
        console.print(Text(translate("what the search expects: {rates}", rates=told)))


def policy_text(game: Game, state: State, words: dict[int, str]) -> str:
    """Return the board with words in its cells; nothing where the game has no board of rows."""
    if isinstance(game, Lines):
        return draw_layers(game, state, {cell: f"{word:>2} " for cell, word in words.items()})
    board = board_of(game)
    return "" if board is None or board.kind == POINTS else board_text(game, board, state, words=words)


def work_text(thought: SearchResult, details: bool = True) -> str:
    """Return one line about the work of a search; without details only what matters for the answer."""
    return translate(thought.summary(details))


REQUIRED = ("luozi", "numpy", "numba", "llvmlite", "typer", "rich")
OPTIONAL = {"open_spiel": Message("OpenSpiel's games")}
TIMED_GAMES = ("tictactoe", "connect4")


def report_environment(report: Callable[[str], None], seconds: float = 1.0) -> None:
    """Report all facts, one line each."""
    for title, text in (*versions(), *machine(), *cache(), *outside(), *compiler()):
        report(f"{padded(translate('{title}:', title=title) if title else '', 12, left=True)} {translate(text)}")
    report(translate("speed, one thread (the first time this compiles):"))
    for name in TIMED_GAMES:
        rate = translate("{low} iterations/s", low=f"{iterations_per_second(name, seconds):,.0f}")
        report(f"  {name:<10} {rate}")


def versions() -> Iterator[tuple[str, str]]:
    """Yield Python and the required and optional packages."""
    yield "Python", Message("{low} on {high}", low=platform.python_version(), high=platform.platform())
    for name in REQUIRED:
        yield name, version_of(name) or Message("not installed")
    for name, use in OPTIONAL.items():
        yield name, version_of(name) or Message("not installed (optional: {use})", use=use)


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def machine() -> Iterator[tuple[str, str]]:
    """Yield the processor and the cores that this process may use."""
    yield "CPU", processor_name()
    yield Message("cores"), Message("{low} of {high} available", low=cores(), high=os.cpu_count())


def cache() -> Iterator[tuple[str, str]]:
    """Yield the folder of compiled code."""
    kernels, reason = cached_kernels(), reason_not_to_keep(cache_folder())
    yield (
        Message("cache"),
        Message(
            "{text} ({count} kernels, {size} MB)",
            text=cache_folder(),
            count=len(kernels),
            size=f"{sum(k.bytes for k in kernels) / 1000000.0:.1f}",
        ),
    )
    if reason:
        yield "", Message("nothing can be kept there: {reason}; LUOZI_CACHE may name another folder", reason=reason)


def outside() -> Iterator[tuple[str, str]]:
    """Yield how external programs are contained."""
    yield Message("engines"), Message("external programs run {how}", how=Message(containment()))


def compiler() -> Iterator[tuple[str, str]]:
    """Yield what makes native code."""
    yield Message("C compiler"), "not needed, Numba brings its own"


def iterations_per_second(name: str, seconds: float) -> float:
    """Return the speed of a search from the start of a game."""
    searched = make_game(name)
    thought = Engine(searched, seed=1).think(searched.new_state(), seconds=seconds)
    return thought.iterations / thought.seconds
