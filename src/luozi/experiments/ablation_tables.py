"""What the games of `ablation` say: scores, verdicts, tables, the drawing and the sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from luozi.contests.playing import moves_of
from luozi.contests.running import Run
from luozi.contests.store import Store
from luozi.experiments.ablation_rows import Option
from luozi.experiments.scores import Interval, Score
from luozi.experiments.table import COUNT, NUMBER, SHARE, SHARE_INTERVAL, SPELLING, TEXT, Column, Drawing, Result, Table
from luozi.messages import Message, counted, joined
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Line
from luozi.text import percent

ITERATIONS, TIME = "equal iterations", "equal time"
WEAKER, STRONGER, UNDECIDED = "weaker", "stronger", "undecided"
AXIS = "win rate with the option   (* tried by the report)"
# What the report says that a rule cuts, with N moves in a position.
ARGUED = {"take_wins": "N - 1", "block_wins": "2N - 2", "avoid_gifts": "2"}

NOTE = (
    "A draw is half a win. The report took out all pruning, the discount, the hash table and the kept tree together, "
    "found its program at its strongest then, and gives no figures. An option is weaker or stronger if its whole "
    "interval is below or above 50 %; one in twenty such intervals misses by chance alone. Iterations at equal "
    "time are those of a game's first search, in the base's. Cut moves are those of the tree, not of simulations. With "
    "two players personality=cautious is the base's own formula: it shows what chance does."
)


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
    return Table("Equal time" if way == TIME else "Equal iterations", columns, lines)


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
    return Message(
        "At {way}, of {each} that the report calls weaker: {verdicts}.",
        way=Message(way),
        each=counted(total, "option"),
        verdicts=verdicts_text(found),
    )


def others(way: str, rows: Sequence[Option], cells: Cells) -> str:
    """What the other options do."""
    found = by_verdict(rows, cells, way, reported=False)
    total = sum(map(len, found.values()))
    if not total:
        return ""
    return Message(
        "At {way}, of {each}: {verdicts}.",
        way=Message(way),
        each=counted(total, "other option"),
        verdicts=verdicts_text(found),
    )


def verdicts_text(found: Mapping[str, Sequence[str]]) -> str:
    """How many options of which verdict, and which they are where it is clear.

    >>> verdicts_text({"weaker": ["share=true"], "stronger": [], "undecided": ["keep=true", "rave=fuego"]})
    '1 weaker (share=true); none stronger; 2 undecided'
    """
    said = []
    for verdict, names in found.items():
        many = str(len(names)) if names else Message("none")
        if names and verdict != UNDECIDED:
            listed = "; ".join(names)
            said.append(Message("{count} {verdict} ({names})", count=many, verdict=Message(verdict), names=listed))
        else:
            said.append(Message("{count} {verdict}", count=many, verdict=Message(verdict)))
    return joined(said, "; ")
