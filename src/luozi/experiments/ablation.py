"""`ablation`: every option of the search alone against the same base, at equal iterations and at equal time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from luozi.contests.openings import Openings
from luozi.contests.playing import moves_of
from luozi.contests.running import Run
from luozi.contests.store import Store
from luozi.errors import LuoziError, nearest
from luozi.experiments.course import game_for_two
from luozi.experiments.frame import Bench, Budget, experiment, refuse_own_budget
from luozi.experiments.scores import Interval, Score
from luozi.experiments.table import COUNT, NUMBER, SHARE, SHARE_INTERVAL, SPELLING, TEXT, Column, Drawing, Result, Table
from luozi.machine import processor_name
from luozi.parameters import About, join_spelling, parameters_of, split_spelling
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Code, Line
from luozi.rules import Game
from luozi.search import Engine
from luozi.search.needs import refuse_missing
from luozi.search.options import Options
from luozi.search.sources import CONNECT_FOUR
from luozi.text import counted, percent

OPENING = Openings(plies=2)  # one random move of each player, the same in both games of a pair
PROBE = 2_000  # iterations a move by which the base's speed is measured where the budget is in seconds
ITERATIONS, TIME = "equal iterations", "equal time"
WEAKER, STRONGER, UNDECIDED = "weaker", "stronger", "undecided"
ALL, REPORTED = "all", "report"
AXIS = "win rate with the option   (* tried by the report)"


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
# What the report says that a rule cuts, with N moves in a position.
ARGUED = {"take_wins": "N - 1", "block_wins": "2N - 2", "avoid_gifts": "2"}

NOTE = (
    "A draw is half a win. The report took out all pruning, the discount, the hash table and the kept tree together, "
    "found its program at its strongest then, and gives no figures. An option is weaker or stronger if its whole "
    "interval is below or above 50 %; one in twenty such intervals misses by chance alone. Iterations at equal "
    "time are those of a game's first search, in the base's. Cut moves are those of the tree, not of simulations. With "
    "two players personality=cautious is the base's own formula: it shows what chance does."
)


@experiment(
    "ablation",
    title="Every option alone",
    source=CONNECT_FOUR,
    budget=Budget(200, iterations=5_000),
    quick=Budget(10, iterations=500),
)
def measure_ablation(
    bench: Bench,
    game: Annotated[str, About("a game for two")] = "connect4",
    options: Annotated[
        str, About("'all', 'report' (what the report tried), or names such as rave or discount=0.9 joined by +")
    ] = ALL,
) -> Result:
    """Does an option of the search, switched on alone, make plain UCT weaker or stronger? The report says of pruning,
    discount, hash table and kept tree that all make it weaker.
    """
    board = game_for_two(game)
    asked = chosen(options)
    rows = [option for option in asked if offers(board, option)]
    missing = ", ".join(option.name for option in asked if option not in rows)
    if not rows:
        raise LuoziError(f"{board.spelling} does not offer what {missing} needs: choose other options, or another game")
    limits = equal_limits(bench, board)
    cells = {
        (option.name, way): contest(bench, board.spelling, option, limit)
        for option in rows
        for way, limit in limits.items()
    }
    bench.matches(list(cells.values()))
    found = {key: Cell(Score((run,)), Work.of(run, bench.store)) for key, run in cells.items()}
    facts: list[tuple[str, Line]] = [
        ("game", Code(board.spelling)),
        ("base", Code(base_player(limits[ITERATIONS], {})) if ITERATIONS in limits else "not measured yet"),
        ("equal time", equal_time_text(limits)),
        ("games", "after one random move of each player, in pairs with the seats swapped"),
        *([("left out", f"{missing}: {board.spelling} does not offer what they need")] if missing else []),
    ]
    return result(rows, found, tuple(facts))


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
        raise LuoziError(f"ablation has no row that sets {word}: give it a value of your own, as in {word}=...")
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
        raise LuoziError(f"{word} is what the base has already: give another value")
    return known or Option(values)


def refuse_unknown(name: str) -> None:
    """One sentence if the search has no such option."""
    known = parameters_of(Options)
    if name not in known:
        hint = nearest(name, [ALL, REPORTED, *known])
        if "did you mean" not in hint:  # all names would fill the screen
            hint = "; `luozi players` lists those of mcts"
        raise LuoziError(f"ablation has no option '{name}'{hint}")


def offers(game: Game, option: Option) -> bool:
    """Whether a game has what an option needs."""
    try:
        refuse_missing(game, Options.of(**option.values))
    except LuoziError:
        return False
    return True


# Equal budgets --------------------------------------------------------------------------------------------------------


def equal_limits(bench: Bench, game: Game) -> dict[str, dict[str, float]]:
    """The same work and the same time for a move; what is not given follows from the base's speed on this machine."""
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
    """How fast the base is over one game with itself, in processor time."""
    engine, state, moves, used = Engine(game, seed=seed), game.new_state(), 0, 0.0
    engine.compile()
    while not game.is_terminal(state):
        began = time.process_time()
        thought = engine.think(state, iterations=iterations)
        used += time.process_time() - began
        moves += 1
        engine.advance(thought.action)
        state = game.after(state, thought.action)
    return moves * iterations / used


def equal_time_text(limits: Mapping[str, Mapping[str, float]]) -> Line:
    """How much time that is."""
    if TIME not in limits:
        return "not measured yet"
    seconds = limits[TIME]["seconds"]
    return f"{seconds:g} s a move, by the clock: these games differ when they are played again ({processor_name()})"


def base_player(limit: Mapping[str, float], values: Mapping[str, Any]) -> str:
    """Plain UCT with a limit and perhaps an option."""
    return join_spelling("mcts", {**limit, **values})


def contest(bench: Bench, game: str, option: Option, limit: Mapping[str, float]) -> Run:
    """The option against the base."""
    players = [base_player(limit, option.values), base_player(limit, option.base)]
    return bench.contest(game, players, bench.budget.games, openings=OPENING)


# What was done in the games -------------------------------------------------------------------------------------------


class Work(NamedTuple):
    """What the searches of a match did."""

    searches: int = 0  # of the player with the option
    iterations: int = 0
    cuts: Mapping[str, int] = {}  # moves that each rule took away
    pace: float | None = None  # iterations of the first search of a game, in those of the base

    @classmethod
    def of(cls, run: Run, store: Store) -> Work:
        """All games of a match."""
        cuts: Counter[str] = Counter()
        searches, iterations, first = 0, 0, [0, 0]
        for player, thought, is_first in thoughts(run, store):
            if is_first:  # later ones are shorter the nearer the end is, whatever the search does
                first[player] += thought["iterations"]
            if player == 0:
                searches, iterations = searches + 1, iterations + thought["iterations"]
                cuts.update(thought.get("cuts", {}))
        return cls(searches, iterations, dict(cuts), first[0] / first[1] if all(first) else None)


def thoughts(run: Run, store: Store) -> Iterator[tuple[int, dict[str, Any], bool]]:
    """Every search in the games of a match: whose it was, its statistics, and whether it was their first in a game."""
    for outcome in counted_outcomes(run, store):
        seen = set()
        for move in moves_of(run.contest, outcome):
            if move.thought is not None:
                player = outcome.fixture.seats[move.seat]
                yield player, move.thought, player not in seen
                seen.add(player)


class Cell(NamedTuple):
    """One option at one kind of budget."""

    score: Score
    work: Work

    @property
    def verdict(self) -> str | None:
        """What the interval says."""
        return verdict_of(self.score.interval)


def verdict_of(interval: Interval | None) -> str | None:
    """Weaker, stronger or undecided.

    >>> verdict_of((0.3, 0.49)), verdict_of((0.51, 0.6)), verdict_of((0.45, 0.55))
    ('weaker', 'stronger', 'undecided')
    """
    if interval is None:
        return None
    return WEAKER if interval[1] < 0.5 else STRONGER if interval[0] > 0.5 else UNDECIDED


UNPLAYED = Cell(Score(()), Work())
Cells = Mapping[tuple[str, str], Cell]  # by the option's name and the kind of budget


# Tables ---------------------------------------------------------------------------------------------------------------


def result(rows: Sequence[Option], cells: Cells, facts: tuple[tuple[str, Line], ...]) -> Result:
    """All that the games say."""
    tables = (*(score_table(way, rows, cells) for way in (ITERATIONS, TIME)), *cut_tables(rows, cells))
    return Result(tables, findings(rows, cells), facts, (NOTE,), drawing(rows, cells))


def score_table(way: str, rows: Sequence[Option], cells: Cells) -> Table:
    """One line an option."""
    columns = (
        Column("option", SPELLING),
        Column("games", COUNT),
        *(Column(name, COUNT, minor=True) for name in ("wins", "draws", "losses")),
        Column("win rate", SHARE),
        Column("95 % interval", SHARE_INTERVAL),
        Column("verdict", TEXT._replace(left=False)),
        Column("report", TEXT._replace(left=False)),
        Column("iterations" if way == TIME else "cut a search", NUMBER),
    )
    lines = tuple(score_row(option, way, cells.get((option.name, way), UNPLAYED)) for option in rows)
    return Table(way.capitalize(), columns, lines)


def score_row(option: Option, way: str, cell: Cell) -> tuple[Any, ...]:
    """One line; dashes where nothing is played yet."""
    claim = WEAKER if option.reported else None
    score, tally, work = cell.score, cell.score.tally, cell.work
    cut = sum(work.cuts.values()) / work.searches if work.cuts else None
    counts = (tally.games, tally.wins, tally.draws, tally.losses)
    last = work.pace if way == TIME else cut
    return (option.name, *counts, score.score, score.interval, cell.verdict, claim, last)


def cut_tables(rows: Sequence[Option], cells: Cells) -> tuple[Table, ...]:
    """How many moves each rule of pruning took away, if any did."""
    found = [
        cut_row(option, way, rule, count, cell.work)
        for option in rows
        for way in (ITERATIONS, TIME)
        if (cell := cells.get((option.name, way)))
        for rule, count in cell.work.cuts.items()
    ]
    columns = (
        Column("option", SPELLING),
        Column("budget", TEXT),
        Column("rule", SPELLING),
        Column("moves cut", COUNT),
        Column("cut a search", NUMBER),
        Column("cut in 1,000 iterations", NUMBER),
        Column("report, in one place", TEXT._replace(left=False)),
    )
    return (Table("Moves cut", columns, tuple(found)),) if found else ()


def cut_row(option: Option, way: str, rule: str, count: int, work: Work) -> tuple[Any, ...]:
    """One rule of one option."""
    often = 1000 * count / work.iterations if work.iterations else None  # time may be up before the first one
    return option.name, way, rule, count, count / work.searches, often, ARGUED.get(rule)


def drawing(rows: Sequence[Option], cells: Cells) -> Drawing | None:
    """A list of options with the score of each, at equal iterations and at equal time."""
    known = [row for row in rows if any(played(cells, row, way) for way in (ITERATIONS, TIME))]
    if not known:
        return None
    parts = [place for place in range(1, len(known)) if known[place].reported != known[place - 1].reported]

    def draw() -> object:
        from luozi.experiments.charts import Points, score_panels

        panels = []
        for way in (ITERATIONS, TIME):
            scores = [cells[row.name, way].score if (row.name, way) in cells else None for row in known]
            rates = [None if score is None else score.score for score in scores]
            panels.append(
                Points(way.capitalize(), rates, [None if score is None else score.interval for score in scores])
            )
        names = [f"{row.name.replace(',', ', ')}{' *' if row.reported else ''}" for row in known]
        return score_panels([shortened(name) for name in names], panels, AXIS, parts)

    said = "; ".join(f"{way}: {', '.join(rates_of(known, cells, way))}" for way in (ITERATIONS, TIME))
    return Drawing(draw, f"The win rate with each option against the base; above the line, the report's. {said}.")


def shortened(name: str) -> str:
    """A name that fits beside a panel."""
    return name.replace("take_wins=true, block_wins=true, avoid_gifts=true", "all three of these")


def played(cells: Cells, option: Option, way: str) -> bool:
    """Whether there is a score."""
    return (option.name, way) in cells and cells[option.name, way].score.score is not None


def rates_of(rows: Sequence[Option], cells: Cells, way: str) -> list[str]:
    """Every score in words."""
    return [f"{row.name} {percent(cells[row.name, way].score.score or 0)}" for row in rows if played(cells, row, way)]


# What it says ---------------------------------------------------------------------------------------------------------


def findings(rows: Sequence[Option], cells: Cells) -> tuple[str, ...]:
    """The sentences."""
    said = [
        sentence
        for way in (ITERATIONS, TIME)
        for sentence in (claim(way, rows, cells), others(way, rows, cells))
        if sentence
    ]
    return tuple(said) or ("No game is finished yet.",)


def by_verdict(rows: Sequence[Option], cells: Cells, way: str, reported: bool) -> dict[str, list[str]]:
    """The names of options by what their intervals say."""
    found: dict[str, list[str]] = {WEAKER: [], STRONGER: [], UNDECIDED: []}
    for row in rows:
        if row.reported == reported and played(cells, row, way):
            found[cells[row.name, way].verdict or UNDECIDED].append(row.name)
    return found


def claim(way: str, rows: Sequence[Option], cells: Cells) -> str:
    """Whether the report's options are weaker."""
    found = by_verdict(rows, cells, way, reported=True)
    total = sum(map(len, found.values()))
    if not total:
        return ""
    return f"At {way}, of {counted(total, 'option')} that the report calls weaker: {verdicts_text(found)}."


def others(way: str, rows: Sequence[Option], cells: Cells) -> str:
    """What the other options do."""
    found = by_verdict(rows, cells, way, reported=False)
    total = sum(map(len, found.values()))
    if not total:
        return ""
    return f"At {way}, of {counted(total, 'other option')}: {verdicts_text(found)}."


def verdicts_text(found: Mapping[str, Sequence[str]]) -> str:
    """How many options of which verdict, and which they are where it is clear.

    >>> verdicts_text({"weaker": ["share=true"], "stronger": [], "undecided": ["keep=true", "rave=fuego"]})
    '1 weaker (share=true); none stronger; 2 undecided'
    """
    said = []
    for verdict, names in found.items():
        shown = f" ({'; '.join(names)})" if names and verdict != UNDECIDED else ""
        said.append(f"{len(names) or 'none'} {verdict}{shown}")
    return "; ".join(said)
