"""`reasonable`: how often programs that play 3-D five in a row against themselves play reasonably, by strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from luozi.contests.playing import actions_of
from luozi.contests.running import Run
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.reasonable import JUDGED, Verdict, judge, refuse_untold
from luozi.experiments.table import COUNT, SHARE, SHARE_INTERVAL, TEXT, Column, Drawing, Result, Table
from luozi.games import game as make_game
from luozi.messages import Message, counted
from luozi.parameters import About, join_spelling
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Code
from luozi.search.thought import wilson_interval
from luozi.text import percent, percent_interval

SOURCE = "a student's report on 3-D five-in-a-row, 2016"
# The report's four strategies as options; what is not the third one searches anew at each move.
SUPPRESSION: dict[str, Any] = {"personality": "balanced"}
PRUNING: dict[str, Any] = {"keep_won": True, "keep_lucky": True}
ONE_TREE: dict[str, Any] = {"one_tree": True}
NO_TREE: dict[str, Any] = {"keep": False}
DECAY: dict[str, Any] = {"decay": 0.99}
GRADES = ("often unreasonable", "sometimes unreasonable", "sometimes reasonable", "often reasonable")
NOTE = (
    "1: opponents are suppressed (A = 0.7, B = 0.3, C = 0.7); 2: a won node keeps its winning move alone, and so does "
    "a new node whose first random move wins; 3: one tree for all seats, kept from move to move; 4: results times 0.99 "
    "for each random move. The report gives grades and no numbers, nor does it tell its A, B, C or decay; we grade at "
    "25, 50 and 75 %. It used about 1,000,000 iterations a move."
)


class Strategy(NamedTuple):
    """One line of the table."""

    label: str
    options: dict[str, Any]
    player: str = "mcts"
    reported: str | None = None  # the report's grade


STRATEGIES = (
    Strategy("plain", NO_TREE),
    Strategy("{1,2}", {**SUPPRESSION, **PRUNING, **NO_TREE}, reported=GRADES[2]),
    Strategy("{1,3}", {**SUPPRESSION, **ONE_TREE}, reported=GRADES[2]),
    Strategy("{2,3}", {**PRUNING, **ONE_TREE}, reported=GRADES[3]),
    Strategy("{1,2,3}, improved", {**SUPPRESSION, **PRUNING, **ONE_TREE}, reported=GRADES[3]),
    Strategy("{1,3,4}", {**SUPPRESSION, **ONE_TREE, **DECAY}, reported=GRADES[0]),
    Strategy("{2,3,4}", {**PRUNING, **ONE_TREE, **DECAY}, reported=GRADES[0]),
    Strategy("strong", {}, player="strong"),
)


@dataclass(frozen=True)
class Judged:
    """The games of one strategy, and what is to be said of them."""

    strategy: Strategy
    verdicts: tuple[Verdict, ...]
    moves: int
    draws: int

    @property
    def games(self) -> int:
        """How many are finished."""
        return len(self.verdicts)

    @property
    def reasonable(self) -> int:
        """How many were played reasonably."""
        return sum(verdict.reasonable for verdict in self.verdicts)

    @property
    def share(self) -> float | None:
        """Of all games."""
        return self.reasonable / self.games if self.games else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval; games are independent."""
        return wilson_interval(self.reasonable / self.games, self.games) if self.games else None

    @property
    def grade(self) -> str | None:
        """In the report's words."""
        return None if self.share is None else grade(self.share)

    def total(self, field: str, player: int | None = None) -> int:
        """A count over all games, of one player or all."""
        counts = [getattr(verdict, field) for verdict in self.verdicts]
        return sum(sum(one) if player is None else one[player] for one in counts)


def grade(share: float) -> str:
    """One of the report's four words for a share of reasonable games.

    >>> grade(0.2), grade(0.5), grade(0.98)
    ('often unreasonable', 'sometimes reasonable', 'often reasonable')
    """
    return GRADES[min(3, int(4 * share))]


@experiment(
    "reasonable",
    title="Reasonable play by three",
    source=SOURCE,
    budget=Budget(201, iterations=20_000),
    quick=Budget(6, iterations=2_000),
)
def measure_reasonable(
    bench: Bench,
    game: Annotated[str, About("the game; any line game")] = "five3d",
) -> Result:
    """How often do programs play reasonably against themselves? Nobody passes up a win, and the win that ends the game
    could not be prevented in its last round. The report's six combinations of four strategies, plain search, and
    `strong`.
    """
    refuse_untold(make_game(game), JUDGED)  # now, not when all games are played
    runs = [strategy_run(bench, game, strategy) for strategy in STRATEGIES]
    bench.matches(runs)
    judged = [judge_run(bench, strategy, run) for strategy, run in zip(STRATEGIES, runs, strict=True)]
    facts = (
        ("game", Code(game)),
        ("games", "the same player in all seats, from the empty board"),
        *((strategy.label, Code(run.contest.players[0])) for strategy, run in zip(STRATEGIES, runs, strict=True)),
    )
    signs = [make_game(game).player_name(player) for player in range(make_game(game).players)]
    tables = main_table(judged), missed_table(judged, signs)
    return Result(tables, findings(judged), facts, (NOTE,), drawing(judged))


def strategy_run(bench: Bench, game: str, strategy: Strategy) -> Run:
    """Games of a strategy against itself."""
    spelling = join_spelling(strategy.player, {**bench.budget.limits(), **strategy.options})
    return bench.contest(game, [spelling] * make_game(game).players, bench.budget.games)


def judge_run(bench: Bench, strategy: Strategy, run: Run) -> Judged:
    """Look at every game again."""
    verdicts, moves, draws = [], 0, 0
    board = make_game(run.contest.game)
    for outcome in counted_outcomes(run, bench.store):
        actions, _ = actions_of(run.contest, outcome)
        verdicts.append(judge(board, actions))
        moves += len(actions)
        draws += max(outcome.results) < 1
    return Judged(strategy, tuple(verdicts), moves, draws)


# Tables ---------------------------------------------------------------------------------------------------------------


def main_table(judged: Sequence[Judged]) -> Table:
    """One line a strategy."""
    columns = (
        Column("strategies", TEXT),
        Column("games", COUNT),
        Column("reasonable", COUNT, minor=True),
        Column("share", SHARE),
        Column("95 % interval", SHARE_INTERVAL),
        Column("grade", TEXT),
        Column("report", TEXT),
        Column("avoidable wins", COUNT, minor=True),
        Column("draws", COUNT, minor=True),
        Column("moves a game", COUNT, minor=True),
    )
    rows = []
    for one in judged:
        avoidable = sum(verdict.avoidable for verdict in one.verdicts)
        length = round(one.moves / one.games) if one.games else None
        counts = (one.games, one.reasonable, one.share, one.interval)
        rows.append(
            (one.strategy.label, *counts, one.grade, one.strategy.reported, avoidable, one.draws, length),
        )
    return Table("Reasonable games", columns, tuple(rows))


def missed_table(judged: Sequence[Judged], signs: Sequence[str]) -> Table:
    """Chances to win and duties to block that were missed, of all and by whom."""
    columns = [Column("strategies", TEXT)]
    names = ", ".join(signs)
    columns += [Column("wins offered", COUNT, minor=True), Column("wins missed", SHARE)]
    columns += [Column(Message("wins missed by {names}", names=names), TEXT)]
    columns += [Column("blocks needed", COUNT, minor=True), Column("blocks missed", SHARE)]
    columns += [Column(Message("blocks missed by {names}", names=names), TEXT)]
    rows = []
    for one in judged:
        row: list[Any] = [one.strategy.label]
        for chances, missed in (("wins_offered", "wins_missed"), ("blocks_needed", "blocks_missed")):
            total, lost = one.total(chances), one.total(missed)
            by_seat = ", ".join(str(one.total(missed, player)) for player in range(len(signs)))
            row += [total, lost / total if total else None, by_seat if one.games else None]
        rows.append(tuple(row))
    return Table("Missed, by opportunity", tuple(columns), tuple(rows))


def drawing(judged: Sequence[Judged]) -> Drawing | None:
    """One bar a strategy, over the report's grade."""
    known = [(one, one.share, one.interval) for one in judged if one.share is not None and one.interval is not None]
    if not known:
        return None
    labels, shares = [one.strategy.label for one, _, _ in known], [share for _, share, _ in known]

    def draw() -> object:
        from luozi.reports.plots import bar_plot

        middles = [
            None if one.strategy.reported is None else 0.125 + 0.25 * GRADES.index(one.strategy.reported)
            for one, _, _ in known
        ]
        return bar_plot(
            labels,
            shares,
            [interval for _, _, interval in known],
            middles,
            title="Reasonable games",
            value_label="share of games",
            reference_label="the middle of the report's grade",
            even=None,
        )

    said = ", ".join(f"{label}: {percent(share)}" for label, share in zip(labels, shares, strict=True))
    return Drawing(draw, f"Bars: the share of reasonable games by strategy. {said}.")


# What it says ---------------------------------------------------------------------------------------------------------


def findings(judged: Sequence[Judged]) -> tuple[str, ...]:
    """The sentences."""
    known = {one.strategy.label: one for one in judged if one.games}
    if not known:
        return ("No game is finished yet.",)
    said: list[str] = []
    for label in ("plain", "{1,2,3}, improved", "strong"):
        one = known.get(label)
        if one is not None and one.share is not None and one.interval is not None:
            said.append(
                Message(
                    "{what}: {count} of {games} are reasonable, {share} ({interval}).",
                    what=Message(label),
                    count=one.reasonable,
                    games=counted(one.games, "game"),
                    share=percent(one.share),
                    interval=percent_interval(*one.interval),
                )
            )
    graded = [one for one in known.values() if one.strategy.reported is not None]
    agree = [one.strategy.label for one in graded if one.grade == one.strategy.reported]
    others = [one.strategy.label for one in graded if one.grade != one.strategy.reported]
    said.append(
        Message(
            "The grade is the report's for {count} of {total}{agree}{others}.",
            count=len(agree),
            total=counted(len(graded), "combination"),
            agree=f": {' '.join(agree)}" if agree else "",
            others=Message("; not for {names}", names=" ".join(others)) if others else "",
        )
    )
    return tuple(said)
