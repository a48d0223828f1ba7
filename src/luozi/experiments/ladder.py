"""`ladder`: the win rate against opponents from beginner to equal, or against every strategy library in a folder."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from luozi.experiments.course import (
    OWN_OPTIONS,
    SOURCE,
    Boards,
    OtherGame,
    Size,
    boards_text,
    by_board,
    chosen_boards,
    shared_out,
)
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.scores import Score
from luozi.experiments.table import COUNT, SHARE, SHARE_INTERVAL, SPELLING, TEXT, Column, Drawing, Result, Table
from luozi.messages import LuoziError, Message, counted
from luozi.outside_text import path_of
from luozi.parameters import About, join_spelling
from luozi.players import join_player, read_spelling
from luozi.reports.pages import Code
from luozi.text import percent

# The report's table: it won all 50 games against each of 50 programs, numbered 2 to 100, but for these.
EXCEPTIONS = {
    46: 0.98,
    52: 0.98,
    58: 0.98,
    72: 0.96,
    74: 0.98,
    76: 0.98,
    80: 0.96,
    82: 0.98,
    84: 0.92,
    86: 0.98,
    88: 0.94,
    90: 0.94,
    92: 0.90,
    94: 0.96,
    96: 0.94,
    98: 0.90,
    100: 0.92,
}
REPORTED = {number: EXCEPTIONS.get(number, 1.0) for number in range(2, 101, 2)}
LOWEST = min(REPORTED.values())
GROUP = 20  # numbers in a line of the summary
SUFFIXES = (".so", ".dylib")
OWN_CONSTANT = 0.7071  # 1/sqrt(2), the report's choice

NOTE = (
    "A draw is half a win; a game that a player forfeits is lost. The report's opponents are programs of its course, "
    "stronger with higher numbers; ours are other programs, so only the range can be compared."
)
FLAT_SHARES, DEPTHS, TREE_SHARES = (0.01, 0.1, 1.0), (2, 4, 6), (0.01, 0.03, 0.1, 0.3, 1.0)


class Rung(NamedTuple):
    """One opponent."""

    label: str
    spelling: str
    reported: float | None = None  # the report's figure against the program of this number


@experiment(
    "ladder",
    title="The ladder of opponents",
    source=SOURCE,
    budget=Budget(50, seconds=2.5),
    quick=Budget(20, iterations=3_000),
)
def measure_ladder(
    bench: Bench,
    player: Annotated[str, About("who climbs; not given, mcts as in the report, with the budget")] = "",
    libraries: Annotated[str, About("a folder: meet every strategy library (.so) in it instead of our ladder")] = "",
    size: Size = "11x11",
    boards: Boards = 5,
    game: OtherGame = "",
) -> Result:
    """How often does plain UCT win against opponents from beginners to equals? The report's program thought for 2.5 s,
    about a million iterations a move, and met each of the 50 programs of its course in 25 + 25 games.
    """
    places = shared_out(bench.budget.games, chosen_boards(game, size, boards, bench.seed))
    own = join_player(*read_spelling(player or searcher(bench.budget, 1.0)))
    rungs = library_rungs(libraries) if libraries else own_rungs(bench.budget)
    runs = [[bench.contest(board, [own, rung.spelling], games) for board, games in places] for rung in rungs]
    bench.matches(by_board(runs))
    scores = [Score(tuple(found)) for found in runs]
    facts = (
        ("boards", boards_text([board for board, _ in places])),
        ("player", Code(own)),
        ("opponents", opponents_text(libraries)),
        ("games", "from the empty board, in pairs with the seats swapped"),
    )
    tables = own_table(rungs, scores), report_table()
    return Result(tables, findings(rungs, scores), facts, (NOTE,), drawing(rungs, scores))


# Opponents ------------------------------------------------------------------------------------------------------------


def searcher(budget: Budget, share: float) -> str:
    """The report's program with a share of the budget."""
    return join_spelling("mcts", {**budget.limits(share), **OWN_OPTIONS, "c": OWN_CONSTANT})


def own_rungs(budget: Budget) -> list[Rung]:
    """From a beginner to an equal: no search, search without a tree, a few moves ahead, a tree."""
    flat = [join_spelling("flat", flat_limits(budget, share)) for share in FLAT_SHARES]
    ahead = [f"alphabeta:depth={depth}" for depth in DEPTHS]
    tree = [Rung(join_spelling("mcts", budget.limits(share)), searcher(budget, share)) for share in TREE_SHARES]
    rungs = [*(Rung(spelling, spelling) for spelling in ("random", *flat, *ahead)), *tree]
    return list(dict.fromkeys(rungs))  # shares of a tiny budget may be the same


def opponents_text(libraries: str) -> tuple[str, ...]:
    """What the labels leave out."""
    if libraries:
        return ("every strategy library in ", Code(libraries))
    return ("as in the table; mcts with ", Code(join_spelling("", {**OWN_OPTIONS, "c": OWN_CONSTANT}).lstrip(":")))


def flat_limits(budget: Budget, share: float) -> dict[str, float]:
    """The same limits by the names of `flat`."""
    return {"simulations" if name == "iterations" else name: value for name, value in budget.limits(share).items()}


def library_rungs(folder: str) -> list[Rung]:
    """Every strategy library in a folder, those with numbers in their order."""
    path = path_of(folder)
    if not path.is_dir():
        raise LuoziError("there is no folder '{name}' with strategy libraries", name=folder)
    found = sorted((file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file()), key=natural)
    if not found:
        raise LuoziError("the folder '{name}' holds no strategy library (*.so)", name=folder)
    return [Rung(file.name, f"library:{file}", reported(file.stem)) for file in found]


def natural(path: Path) -> list[tuple[float, str]]:
    """2 before 10, and numbers before names."""
    return [(int(digits) if digits else math.inf, word) for digits, word in re.findall(r"(\d*)(\D*)", path.name)]


def reported(stem: str) -> float | None:
    """The report's figure against the program of this number."""
    return REPORTED.get(int(stem)) if stem.isdecimal() else None


# Tables ---------------------------------------------------------------------------------------------------------------


def own_table(rungs: Sequence[Rung], scores: Sequence[Score]) -> Table:
    """One line an opponent."""
    with_report = any(rung.reported is not None for rung in rungs)
    rows = []
    for rung, score in zip(rungs, scores, strict=True):
        tally = score.tally
        counts = (tally.games, tally.wins, tally.draws, tally.losses)
        figure = (rung.reported,) if with_report else ()
        forfeits = (score.forfeits(1), score.forfeits(0))
        rows.append((rung.label, *counts, *forfeits, score.score, score.interval, *figure, in_range(score)))
    columns = (
        Column("opponent", SPELLING),
        Column("games", COUNT),
        *(Column(name, COUNT, minor=True) for name in ("wins", "draws", "losses")),
        Column("forfeits", COUNT),
        Column("own forfeits", COUNT, minor=True),
        Column("win rate", SHARE),
        Column("95 % interval", SHARE_INTERVAL),
        *([Column("report", SHARE)] if with_report else []),
        Column(f"{100 * LOWEST:.0f}-100 %", TEXT._replace(left=False)),
    )
    return Table("Ours", columns, tuple(rows))


def in_range(score: Score) -> str | None:
    """Whether the win rate is in the report's range."""
    if score.score is None or score.interval is None:
        return None
    return "yes" if score.score >= LOWEST else "perhaps" if score.interval[1] >= LOWEST else "no"


def report_table() -> Table:
    """The report's 50 figures in groups of ten opponents."""
    columns = (
        Column("opponents", TEXT),
        *(Column(name, COUNT) for name in ("programs", "all won")),
        *(Column(name, SHARE) for name in ("lowest", "mean", "highest")),
    )
    groups = [range(start, start + GROUP) for start in range(1, 100, GROUP)]
    rows = [
        report_row(
            Message("{low} to {high}", low=group[1], high=group[-1]), [REPORTED[number] for number in group[1::2]]
        )
        for group in groups
    ]
    return Table("The report: 50 games against each program", columns, (*rows, report_row("all", [*REPORTED.values()])))


def report_row(name: str, rates: Sequence[float]) -> tuple[str, int, int, float, float, float]:
    """A group of the report's opponents in one line."""
    return name, len(rates), rates.count(1.0), min(rates), math.fsum(rates) / len(rates), max(rates)


def drawing(rungs: Sequence[Rung], scores: Sequence[Score]) -> Drawing | None:
    """One bar an opponent, over the report's range."""
    known = [
        (rung, score.score, score.interval)
        for rung, score in zip(rungs, scores, strict=True)
        if score.score is not None
    ]
    if not known:
        return None
    rungs_, rates, intervals = zip(*known, strict=True)
    labels = [rung.label for rung in rungs_]

    def draw() -> object:
        from luozi.reports.plots import bar_plot, short_labels

        figures = [rung.reported for rung in rungs_]
        return bar_plot(
            short_labels(labels),
            rates,
            intervals,
            figures if any(figure is not None for figure in figures) else None,
            title=f"Win rate; dashed: the report's lowest, {100 * LOWEST:.0f} %",
            reference_label="the report",
            even=LOWEST,
        )

    said = ", ".join(f"{label}: {percent(rate)}" for label, rate in zip(labels, rates, strict=True))
    return Drawing(draw, f"Bars: our win rate against each opponent. {said}.")


# What it says ---------------------------------------------------------------------------------------------------------


def findings(rungs: Sequence[Rung], scores: Sequence[Score]) -> tuple[str, ...]:
    """The sentences."""
    known = [(rung, score) for rung, score in zip(rungs, scores, strict=True) if score.score is not None]
    if not known:
        return ("No game is finished yet.",)
    return (*reach(known), *forfeits(known))


def reach(known: Sequence[tuple[Rung, Score]]) -> tuple[str, ...]:
    """How far up the ladder the report's range is kept, and who is the hardest."""
    kept = sum(in_range(score) == "yes" for _, score in known)
    below = [rung.label for rung, score in known if in_range(score) == "no"]
    hardest, lowest = min(known, key=lambda one: one[1].score or 0.0)
    first = Message(
        "Against {count} of {opponents} the win rate is {least} or more, as the report's is against all of "
        "its {total}; the lowest is {rate}, against {text}.",
        count=kept,
        opponents=counted(len(known), "opponent"),
        least=percent(LOWEST),
        total=len(REPORTED),
        rate=percent(lowest.score or 0.0),
        text=hardest.label,
    )
    if not below:
        return (first, Message("Against none is the whole 95 % interval below {least}.", least=percent(LOWEST)))
    return (
        first,
        Message(
            "The whole 95 % interval is below {least} against {names}.", least=percent(LOWEST), names=", ".join(below)
        ),
    )


def forfeits(known: Sequence[tuple[Rung, Score]]) -> tuple[str, ...]:
    """Games that did not end on the board."""
    theirs, ours = (sum(score.forfeits(player) for _, score in known) for player in (1, 0))
    if not theirs + ours:
        return ("Nobody forfeited a game.",)
    return (
        Message(
            "Opponents forfeited {theirs}, the player {ours}.",
            theirs=counted(theirs, "game"),
            ours=counted(ours, "game"),
        ),
    )
