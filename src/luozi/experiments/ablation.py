"""`ablation`: every option of the search alone against the same base, at equal iterations and at equal time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from luozi.experiments.connect4_boards import game_for_two
from luozi.experiments.frame import (
    Bench,
    Design,
    ExperimentBudget,
    ExperimentRow,
    TableDesign,
    experiment,
    refuse_own_budget,
    score_values,
)
from luozi.experiments.table import INTERVAL, MATCH_COLUMNS, Interval, ListDrawing, PointsOf, Record
from luozi.matches.game_runner import moves_of
from luozi.matches.openings import Openings
from luozi.matches.runner import Run
from luozi.matches.store import Store
from luozi.messages import LuoziError, Message, like
from luozi.records.moves import SearchNote
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Code, Line
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Engine
from luozi.search.fields import CONNECT_FOUR
from luozi.search.option_requirements import refuse_missing
from luozi.search.options import Options
from luozi.util.machine import processor_name
from luozi.util.old_names import new_name, new_names, new_spelling
from luozi.util.parameters import ParameterInfo, join_spelling, parameters_of, split_spelling
from luozi.util.tables import COUNT, FIGURE, NUMBER, SPELLING, TextColumn

ALL, REPORTED = "all", "report"
ITERATIONS, TIME = "equal iterations", "equal time"
TITLES = {ITERATIONS: Message("Equal iterations"), TIME: Message("Equal time")}
OPENING = Openings(plies=2)  # one random move of each player, the same in both games of a pair
# What the report says that a rule cuts, with N moves in a position.
ARGUED = {"decisive_moves": "N - 1", "anti_decisive_moves": "2N - 2", "avoid_immediate_loss": "2"}
NOTE = (
    "A draw is half a win. The report took out all pruning, the discount, the hash table and the kept tree together, "
    "found its program at its strongest then, and gives no figures. An option is weaker or stronger if its whole "
    "interval is below or above 50 %; one in twenty such intervals misses by chance alone. Iterations at equal "
    "time are those of a game's first search, in the base's. Cut moves are those of the tree, not of simulations. With "
    "two players playing_style=cautious is the base's own formula: it shows what chance does."
)
CUT_COLUMNS = (
    TextColumn("option", SPELLING),
    TextColumn("budget"),
    TextColumn("rule", SPELLING),
    TextColumn("moves cut", COUNT),
    TextColumn("cut a search", NUMBER),
    TextColumn("cut in 1,000 iterations", NUMBER),
    TextColumn("report, in one place", FIGURE),
)
DRAWING = ListDrawing(
    "option",
    tuple(PointsOf(title) for title in TITLES.values()),
    x_label="win rate with the option; those above the line were tried by the report",
    even=0.5,
    parts="report",
)
PROBE = 2_000  # iterations a move by which the base's speed is measured where the budget is in seconds


@experiment(
    "ablation",
    title="Every option alone",
    source=CONNECT_FOUR,
    budget=ExperimentBudget(200, iterations=5_000),
    quick=ExperimentBudget(10, iterations=500),
)
def measure_ablation(
    bench: Bench,
    game: Annotated[str, ParameterInfo("a game for two")] = "connect4",
    options: Annotated[
        str,
        ParameterInfo(
            "'all', 'report' (what the report tried), or names such as rave or backup_discount=0.9 joined by +"
        ),
    ] = ALL,
) -> Design:
    """Does an option of the search, switched on alone, make plain UCT weaker or stronger? The report says of pruning,
    discount, hash table and kept tree that all make it weaker.
    """
    board = game_for_two(game)
    asked = chosen(options)
    rows = [option for option in asked if offers(board, option)]
    missing = ", ".join(option.name for option in asked if option not in rows)
    if not rows:
        raise LuoziError(
            "{game} does not define what {text} needs. Choose other options, or another game.",
            game=board.spelling,
            text=missing,
        )
    limits = equal_limits(bench, board)
    scores = {
        (option.name, way): option_row(bench, board.spelling, option, way, limits.get(way))
        for option in rows
        for way in TITLES
    }
    facts: list[tuple[str, Line]] = [
        ("game", Code(board.spelling)),
        ("base", Code(base_player(limits[ITERATIONS], {})) if ITERATIONS in limits else "not measured yet"),
        ("equal time", equal_time_text(limits)),
        ("games", "after one random move of each player, in pairs with the seats swapped"),
        *(
            [
                (
                    "left out",
                    Message("{names}: {game} does not define what they need", names=missing, game=board.spelling),
                )
            ]
            if missing
            else []
        ),
    ]
    tables = [
        TableDesign(title, columns_of(way), [scores[option.name, way] for option in rows])
        for way, title in TITLES.items()
    ]
    cuts = [ExperimentRow({"budget": way}, summarise=partial(cuts_of, scores=row)) for (_, way), row in scores.items()]
    return Design([*tables, TableDesign("Moves cut", CUT_COLUMNS, cuts, if_any=True)], facts, (NOTE,), DRAWING)


# Rows -----------------------------------------------------------------------------------------------------------------


def columns_of(way: str) -> tuple[TextColumn, ...]:
    """Return the columns of one kind of budget."""
    last = TextColumn("iterations" if way == TIME else "cut a search", NUMBER)
    return (
        TextColumn("option", SPELLING),
        *MATCH_COLUMNS,
        TextColumn("verdict", FIGURE),
        TextColumn("report", FIGURE),
        last,
    )


def option_row(bench: Bench, game: str, option: Option, way: str, limit: Mapping[str, float] | None) -> ExperimentRow:
    """Return the row of one option with one kind of budget, without games until the budget is known."""
    runs = [] if limit is None else [contest(bench, game, option, limit)]
    claim = "weaker" if option.reported else None
    return ExperimentRow({"option": option.name, "report": claim}, runs, summarise=partial(option_values, way=way))


def option_values(row: ExperimentRow, way: str) -> dict[str, Any]:
    """Return the score, its verdict, and statistics of the searches."""
    scores = dict(score_values(row))
    effort = effort_of(row.runs[0], row.store) if row.runs else {}
    cuts, searches = effort.get("cuts", {}), effort.get("searches")
    cut = sum(cuts.values()) / searches if cuts else None
    last = {"iterations": effort.get("pace")} if way == TIME else {"cut a search": cut}
    return {**scores, "verdict": verdict_of(scores[INTERVAL]), **last, "effort": effort}


def verdict_of(interval: Interval | None) -> str | None:
    """Return weaker, stronger or undecided, by the interval.

    >>> verdict_of((0.3, 0.49)), verdict_of((0.51, 0.6)), verdict_of((0.45, 0.55))
    ('weaker', 'stronger', 'undecided')
    """
    if interval is None:
        return None
    return "weaker" if interval[1] < 0.5 else "stronger" if interval[0] > 0.5 else "undecided"


def effort_of(run: Run, store: Store) -> dict[str, Any]:
    """Return statistics of the player with the option: searches, iterations, and the moves that each rule pruned.

    The pace is the ratio of iterations, to those of the base, of the first searches of each game: later searches are
    shorter near the end of a game.
    """
    cuts: Counter[str] = Counter()
    searches, iterations, first = 0, 0, [0, 0]
    for player, thought, is_first in thoughts(run, store):
        if is_first:
            first[player] += thought["iterations"]
        if player == 0:
            searches, iterations = searches + 1, iterations + thought["iterations"]
            cuts.update(new_names(thought.get("cuts", {}), "mcts"))
    pace = first[0] / first[1] if all(first) else None
    return {"searches": searches, "iterations": iterations, "cuts": dict(cuts), "pace": pace}


def thoughts(run: Run, store: Store) -> Iterator[tuple[int, SearchNote, bool]]:
    """Yield every search of a match: its player, its statistics, and whether it was the player's first of the game."""
    for outcome in counted_outcomes(run, store):
        seen = set()
        for move in moves_of(run.contest, outcome):
            if move.thought is not None:
                player = outcome.fixture.seats[move.seat]
                yield player, move.thought, player not in seen
                seen.add(player)


def cuts_of(_: ExperimentRow, scores: ExperimentRow) -> list[Record]:
    """Return rows of how many moves each rule pruned."""
    [record] = scores.records
    effort = record["effort"]
    return [cut_values(record["option"], rule, count, effort) for rule, count in effort.get("cuts", {}).items()]


def cut_values(option: str, rule: str, count: int, effort: Mapping[str, Any]) -> Record:
    """Return the row of one rule of one option."""
    often = 1000 * count / effort["iterations"] if effort["iterations"] else None  # time may be up before the first
    each = {"cut a search": count / effort["searches"], "cut in 1,000 iterations": often}
    return {"option": option, "rule": rule, "moves cut": count, **each, "report, in one place": ARGUED.get(rule)}


# Equal budgets --------------------------------------------------------------------------------------------------------


def equal_limits(bench: Bench, game: Game) -> dict[str, dict[str, float]]:
    """Return the limits of a move, in iterations and in seconds; one follows from the other by the base's speed."""
    budget = bench.budget
    iterations = budget.iterations or PROBE
    key = f"{processor_name()}, {game.spelling}, {iterations} iterations"
    rate = bench.measure(key, lambda: iterations_per_second(game, iterations, bench.seed))
    if rate is None:
        return {(ITERATIONS if budget.iterations else TIME): budget.limits()}
    seconds = budget.seconds or float(f"{max(0.001, iterations / rate):.2g}")
    count = budget.iterations or max(1, round(float(f"{budget.seconds * rate:.2g}")))
    return {ITERATIONS: {"iterations": count}, TIME: {"seconds": seconds}}


def iterations_per_second(game: Game, iterations: int, seed: int) -> float:
    """Measure the iterations per second of processor time of the base, over one game against itself."""
    engine, position, used = Engine(game, seed=seed), Position.begin(game), 0.0
    engine.compile()
    while position.returns is None:
        began = time.process_time()
        thought = engine.think(position, iterations=iterations)
        used += time.process_time() - began
        position = position.play(thought.action)
    return position.length * iterations / used


def equal_time_text(limits: Mapping[str, Mapping[str, float]]) -> Line:
    """Return the time limit as text."""
    if TIME not in limits:
        return "not measured yet"
    seconds = limits[TIME]["seconds"]
    return Message(
        "{seconds} s a move by the clock, so that a repetition plays other games ({text})",
        seconds=f"{seconds:g}",
        text=processor_name(),
    )


def base_player(limit: Mapping[str, float], values: Mapping[str, Any]) -> str:
    """Return plain UCT with a limit and perhaps an option."""
    return join_spelling("mcts", {**limit, **values})


def contest(bench: Bench, game: str, option: Option, limit: Mapping[str, float]) -> Run:
    """Return the match of the option against the base."""
    players = [base_player(limit, option.values), base_player(limit, option.base)]
    return bench.contest(game, players, bench.budget.games, openings=OPENING)


# Options --------------------------------------------------------------------------------------------------------------


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
        raise LuoziError("ablation has no row for {name}. Give a value, as in {text}=...", name=word, text=word)
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
        raise LuoziError("{name} is the value of the base. Give another value.", name=word)
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
