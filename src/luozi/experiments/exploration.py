"""`exploration`: the win rate by the exploration constant c, over both grids of a student's report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

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
from luozi.experiments.scores import Score, chance_text, same_by_blocks, same_by_counts
from luozi.experiments.table import COUNT, SHARE, SHARE_INTERVAL, YES_NO, Column, Drawing, Kind, Result, Table
from luozi.messages import Message, counted
from luozi.parameters import About, join_spelling
from luozi.players import join_player, read_spelling
from luozi.reports.pages import Code, Line
from luozi.text import percent
from luozi.tuning.result import TuningResult, conclude
from luozi.tuning.trials import TuningRun

# The report's two tables: the win rate over 50 games, 25 in each seat, against one opponent.
COARSE = {0.6: 0.78, 0.7: 0.92, 0.8: 0.88, 0.9: 0.86}
FINE = {
    0.60: 0.78,
    0.62: 0.82,
    0.64: 0.80,
    0.66: 0.84,
    0.68: 0.92,
    0.70: 0.92,
    0.72: 0.92,
    0.74: 0.86,
    0.76: 0.90,
    0.78: 0.84,
    0.80: 0.88,
}
SOURCE_GAMES = 50
BOTH = dict(sorted({**COARSE, **FINE}.items()))  # 0.6, 0.7 and 0.8 are in both, with the same figures

CHOSEN = 1 / math.sqrt(2)  # the report's choice
TUNER = "The tuner, on the first board"
OPPONENT_SHARE = 0.2  # of the budget: our win rates are then about as high as the report's
NOTE = (
    "A draw is half a win; inside: the report's figure lies in our interval. k is the weight of the same formula over "
    f"results from 0 to 1 with sqrt(ln N / n). The report's figures are of {SOURCE_GAMES} games each against another "
    "program, at a budget that it does not tell: levels can't be compared, only how they change with c."
)

CONSTANT = Kind("{:.2f}".format)
COLUMNS = (
    Column("c", CONSTANT),
    Column("k", Kind("{:.3f}".format), minor=True),
    Column("games", COUNT),
    *(Column(name, COUNT, minor=True) for name in ("wins", "draws", "losses")),
    Column("win rate", SHARE),
    Column("95 % interval", SHARE_INTERVAL),
    Column("report", SHARE),
    Column("inside", YES_NO),
)


@experiment(
    "exploration",
    title="The exploration constant",
    source=SOURCE,
    budget=Budget(200, iterations=10_000),
    quick=Budget(40, iterations=1_000),
)
def measure_exploration(
    bench: Bench,
    opponent: Annotated[str, About("whom all values of c meet; not given, mcts with a fifth of the budget")] = "",
    size: Size = "11x11",
    boards: Boards = 5,
    game: OtherGame = "",
    tuning: Annotated[
        int | None,
        About("games of a tuner over the same range, on the first board; 0: none; not given, half of all others", 0),
    ] = None,
) -> Result:
    """How does the win rate against one opponent depend on the constant c of Q/N + c sqrt(2 ln Np / N), with results
    of +1, 0 and -1? The report tried 0.6 to 0.9, then 0.60 to 0.80 in steps of 0.02, and took 1/sqrt(2).
    """
    places = shared_out(bench.budget.games, chosen_boards(game, size, boards, bench.seed))
    other = join_player(*read_spelling(opponent or join_spelling("mcts", bench.budget.limits(OPPONENT_SHARE))))
    runs = {
        c: [bench.contest(board, [searcher(bench.budget, c), other], games) for board, games in places] for c in BOTH
    }
    games = bench.budget.games * len(BOTH) // 2 if tuning is None else tuning
    tunings = [tuner(bench, places[0][0], other, games)] if games else []
    bench.matches(by_board(list(runs.values())), tunings)
    scores, tuned = {c: Score(tuple(found)) for c, found in runs.items()}, [conclude(one) for one in tunings]
    facts = (
        ("boards", boards_text([board for board, _ in places])),
        ("player", Code(searcher(bench.budget, math.nan).replace("nan", "..."))),
        ("opponent", Code(other)),
        ("games", "from the empty board, in pairs with the seats swapped"),
    )
    return result(scores, tuned, facts)


def searcher(budget: Budget, c: float) -> str:
    """The player with this constant."""
    return join_spelling("mcts", {**budget.limits(), **OWN_OPTIONS, "c": c})


def result(scores: Mapping[float, Score], tuned: Sequence[TuningResult], facts: tuple[tuple[str, Line], ...]) -> Result:
    """All that the games say."""
    found = [one for one in tuned if one.findings]
    return Result(
        tables=(
            grid_table("Coarse grid", COARSE, scores),
            grid_table("Fine grid", FINE, scores),
            *(tuner_table(one) for one in tuned),
        ),
        findings=(*findings(scores), *(tuner_text(one) for one in found)),
        facts=facts,
        notes=(NOTE,),
        drawing=drawing(scores, found),
    )


def grid_table(title: str, figures: Mapping[float, float], scores: Mapping[float, Score]) -> Table:
    """One of the report's tables with ours beside it."""
    rows = []
    for c, figure in figures.items():
        score, tally = scores[c], scores[c].tally
        counts = (tally.games, tally.wins, tally.draws, tally.losses)
        inside = None if score.interval is None else score.interval[0] <= figure <= score.interval[1]
        rows.append((c, c / math.sqrt(2), *counts, score.score, score.interval, figure, inside))
    return Table(title, COLUMNS, tuple(rows))


def drawing(scores: Mapping[float, Score], tuned: Sequence[TuningResult]) -> Drawing | None:
    """The win rate over c, ours and the report's, and what the tuner found."""
    known = {c: (score.score, score.interval) for c, score in scores.items() if score.score is not None}
    if not known:
        return None

    def draw() -> object:
        from luozi.reports.plots import rate_plot, styled

        rates, intervals = zip(*known.values(), strict=True)
        figure = rate_plot(
            list(known),
            rates,
            intervals,
            [BOTH[c] for c in known],
            title="Win rate by c",
            x_label="c",
            label="ours, with 95 % intervals",
            reference_label="the report",
            even=None,
        )
        for found in tuned:
            styled(add_tuner)(figure.axes[0], found)
        return figure

    said = ", ".join(f"{c:g}: {percent(rate or 0.0)}" for c, (rate, _) in known.items())
    return Drawing(draw, f"Our win rate by c, beside the report's. {said}.")


# The tuner ------------------------------------------------------------------------------------------------------------


def tuner(bench: Bench, board: str, opponent: str, games: int) -> TuningRun:
    """A tuning over the range of both grids."""
    player = join_spelling("mcts", {**bench.budget.limits(), **OWN_OPTIONS})
    return bench.tuning(player, [f"c={min(BOTH)}:{max(BOTH)}"], opponent, board, games)


def tuner_table(found: TuningResult) -> Table:
    """What the tuner found, in one line."""
    columns = (
        Column("best c", CONSTANT),
        Column(
            "95 % interval of c",
            Kind(lambda ends: Message("{low} to {high}", low=f"{ends[0]:.2f}", high=f"{ends[1]:.2f}"), pair=True),
        ),
        Column("games", COUNT),
        Column("win rate", SHARE),
        Column("95 % interval", SHARE_INTERVAL),
        Column("report's c", Kind("{:.3f}".format)),
    )
    if not found.findings:
        return Table(TUNER, columns, ((None, None, found.finished, None, None, CHOSEN),))
    [best] = found.findings
    row = (best.best, best.interval, found.finished, found.rate, found.interval, CHOSEN)
    return Table(TUNER, columns, (row,))


def tuner_text(found: TuningResult) -> str:
    """The same as a sentence."""
    [best] = found.findings
    low, high = best.interval or (min(BOTH), max(BOTH))
    lies = "lies" if low <= CHOSEN <= high else "does not lie"
    note = f" ({best.note})" if best.note else ""
    return (
        f"The tuner, with {counted(found.finished, 'game')}, puts the best c at {best.best:g}, between {low:g} and "
        f"{high:g} with 95 % confidence{note}; the report's choice of 1/sqrt(2) {lies} there."
    )


def add_tuner(axes: Any, found: TuningResult) -> None:
    """The tuner's answer in the figure: its c and its win rate, each with its interval."""
    from luozi.reports.plots import GREEN, distances

    [best] = found.findings
    c, rate = [best.best], [found.rate]
    up, across = distances(rate, [found.interval]), distances(c, [best.interval or (best.best, best.best)])
    axes.errorbar(c, rate, up, across, color=GREEN, elinewidth=1.2, capsize=3.5, zorder=4)
    axes.plot(c, rate, color=GREEN, marker="*", markersize=12, linewidth=0, label="the tuner's best c", zorder=5)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2)


# What it says ---------------------------------------------------------------------------------------------------------


def findings(scores: Mapping[float, Score]) -> tuple[str, ...]:
    """The sentences."""
    known = {c: score for c, score in scores.items() if score.score is not None}
    if not known:
        return ("No game is finished yet.",)
    return (ours(known), resolution(known), theirs(), agreement(known))


def ours(scores: Mapping[float, Score]) -> str:
    """The range of our win rates, and whether it means anything."""
    rates = {c: score.score or 0.0 for c, score in scores.items()}
    worst, best = min(rates, key=lambda c: rates[c]), max(rates, key=lambda c: rates[c])
    likelihood, blocks = same_by_blocks([score.pairs for score in scores.values()])
    said = Message(
        "The win rate runs from {least} at c = {worst} to {most} at c = {best}",
        least=percent(rates[worst]),
        worst=f"{worst:g}",
        most=percent(rates[best]),
        best=f"{best:g}",
    )
    if rates[worst] == rates[best]:
        return Message("The win rate is {rate} at every c.", rate=percent(rates[best]))
    if not blocks:
        return Message("{found}; too few games are finished to say whether the values differ.", found=said)
    pairs = counted(blocks, "pair")
    return Message(
        "{found}; over {pairs} of games, the {count} values of c differ {chance}.",
        found=said,
        pairs=pairs,
        count=len(rates),
        chance=chance_text(likelihood),
    )


def resolution(scores: Mapping[float, Score]) -> str:
    """How large a difference must be to be seen."""
    widths = [high - low for low, high in (score.interval or (0.0, 1.0) for score in scores.values())]
    points = 100 * math.sqrt(2) * sum(widths) / len(widths) / 2
    return Message(
        "Two single values of c can be told apart from about {points} percentage points on.", points=f"{points:.0f}"
    )


def theirs() -> str:
    """Whether the report's own figures mean anything."""
    coarse, fine = (
        chance_text(same_by_counts([SOURCE_GAMES * rate for rate in grid.values()], SOURCE_GAMES))
        for grid in (COARSE, FINE)
    )
    return Message(
        "The report's own figures differ in the coarse grid {coarse}, in the fine grid {fine}.",
        coarse=coarse,
        fine=fine,
    )


def agreement(scores: Mapping[float, Score]) -> str:
    """Which of the report's figures our intervals hold."""
    outside = [c for c, score in scores.items() if not in_interval(score, BOTH[c])]
    inside = len(scores) - len(outside)
    told = {"count": inside, "total": len(scores)}
    if not outside:
        return Message("{count} of the report's {total} figures lie inside our 95 % intervals.", **told)
    return Message(
        "{count} of the report's {total} figures lie inside our 95 % intervals; outside: c = {names}.",
        names=", ".join(f"{c:g}" for c in outside),
        **told,
    )


def in_interval(score: Score, figure: float) -> bool:
    """Whether the report's figure could be ours."""
    low, high = score.interval or (0.0, 1.0)
    return low <= figure <= high
