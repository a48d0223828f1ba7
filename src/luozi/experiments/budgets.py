"""`budgets`: the win rate of plain UCT by budget, board size and seat."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

from luozi.contests.running import Run, first_player_score
from luozi.contests.store import Played
from luozi.experiments.course import game_for_two
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.ladder import flat_limits
from luozi.experiments.scores import Interval, Score
from luozi.experiments.table import COUNT, SHARE, SHARE_INTERVAL, SPELLING, Column, Drawing, Kind, Result, Table
from luozi.messages import LuoziError, Message, joined
from luozi.parameters import About, join_spelling
from luozi.players import join_player, read_spelling
from luozi.reports.pages import Code, Line
from luozi.statistics.matches import Tally, elo, score_interval
from luozi.text import percent, percent_interval, signed

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the budget: every step doubles it
FIXED_SHARE = 1 / 4
BOARDS = "connect4 gomoku:size=7 gomoku:size=9 gomoku:size=11 gomoku:size=15"
NOTE = (
    "A draw is half a win. The source has the headings of such tests, but no figures. The two games of a pair swap the "
    "seats; intervals by seat take every game for itself."
)
FIXED, HALF = "Against a quarter of the largest budget", "Against half of its own budget"
OPPONENT, SEAT = "Against one opponent", "First seat at equal budgets"


class Cell(NamedTuple):
    """One board at one budget."""

    board: str
    budget: float  # iterations or seconds for a move


Matches = Mapping[Cell, Run]


@experiment(
    "budgets",
    title="Budget, board size and seat",
    source="a thesis on Gomoku by Monte-Carlo tree search",
    budget=Budget(200, iterations=8_000),
    quick=Budget(6, iterations=1_000),
)
def measure_budgets(
    bench: Bench,
    game: Annotated[str, About("games for two, separated by spaces")] = BOARDS,
    opponent: Annotated[str, About("whom all budgets meet; not given, flat with the largest budget")] = "",
) -> Result:
    """How does the win rate of plain UCT depend on its budget, on the size of the board and on the seat? Every budget
    meets a quarter of the largest, an opponent of another kind, half of itself, and itself.
    """
    boards = list(dict.fromkeys(game_for_two(one).spelling for one in game.split()))
    if not boards:
        raise LuoziError("budgets needs a game: write one or several, separated by spaces")
    other = join_player(*read_spelling(opponent or join_spelling("flat", flat_limits(bench.budget, 1))))
    levels = {searcher(bench.budget, share): share for share in SHARES}  # shares of a tiny budget may be the same
    rivals: dict[str, Callable[[float], str]] = {
        FIXED: lambda _: searcher(bench.budget, FIXED_SHARE),
        OPPONENT: lambda _: other,
        HALF: lambda share: searcher(bench.budget, share / 2),
        SEAT: lambda share: searcher(bench.budget, share),
    }
    runs: dict[str, Run] = {}  # by contest: some are in two tables
    tables: dict[str, dict[Cell, Run]] = {title: {} for title in rivals}
    for board, (player, share), title in itertools.product(boards, levels.items(), rivals):
        if title == HALF and rivals[HALF](share) == player:
            continue  # the smallest budget can't be halved
        run = bench.contest(board, [player, rivals[title](share)], bench.budget.games)
        tables[title][Cell(board, worth(bench.budget, share))] = runs.setdefault(run.contest.id, run)
    bench.matches(list(runs.values()))
    unit = "iterations" if bench.budget.iterations else "seconds"
    facts = (
        ("player", Code(join_spelling("mcts", {unit: "..."}))),
        ("a quarter", Code(searcher(bench.budget, FIXED_SHARE))),
        ("one opponent", Code(other)),
        ("games", "from the empty board, in pairs with the seats swapped"),
    )
    return result(tables, unit, facts)


def searcher(budget: Budget, share: float) -> str:
    """Plain UCT with a share of the budget."""
    return join_spelling("mcts", budget.limits(share))


def worth(budget: Budget, share: float) -> float:
    """The share as a number."""
    [value] = budget.limits(share).values()
    return value


# Tables ---------------------------------------------------------------------------------------------------------------


def result(matches: Mapping[str, Matches], unit: str, facts: tuple[tuple[str, Line], ...]) -> Result:
    """All that the games say; `matches` by the titles of the tables."""
    scores = [score_table(title, matches[title], unit) for title in (FIXED, OPPONENT, HALF)]
    tables = (*scores, seat_table(matches[SEAT], unit))
    return Result(tables, findings(matches), facts, (NOTE,), drawing(matches, unit))


def pairs_of(run: Run) -> Tally:
    """The first player's games, in pairs."""
    return Score((run,)).tally


def by_seat(games: Sequence[Played], seat: int) -> Tally:
    """The first player's games in one seat."""
    return Tally.of([(first_player_score(one),) for one in games if one.seats.index(0) == seat])


def of_first_seat(games: Sequence[Played]) -> Tally:
    """What the one who begins gets, whoever that is."""
    scores = [(one.results[0] - one.results[1]) for one in games]
    return Tally.of([(1.0 if score > 0 else 0.5 if score == 0 else 0.0,) for score in scores])


def rate(tally: Tally) -> tuple[float | None, Interval | None]:
    """A score and its interval, if there are games."""
    return (tally.score, score_interval(tally)) if tally.games else (None, None)


def counts(tally: Tally) -> tuple[int, int, int, int]:
    """Games, wins, draws, losses."""
    return tally.games, tally.wins, tally.draws, tally.losses


def columns(unit: str, *more: Column) -> tuple[Column, ...]:
    """What all tables share, and more."""
    return (
        Column("board", SPELLING),
        Column(unit, Kind("{:,g}".format)),
        Column("games", COUNT),
        *(Column(name, COUNT, minor=True) for name in ("wins", "draws", "losses")),
        Column("win rate", SHARE),
        Column("95 % interval", SHARE_INTERVAL),
        *more,
    )


def score_table(title: str, matches: Matches, unit: str) -> Table:
    """One line a board and a budget, with the win rate in either seat."""
    seats = [
        (Column("as first", SHARE), Column("95 % interval as first", SHARE_INTERVAL, minor=True)),
        (Column("as second", SHARE), Column("95 % interval as second", SHARE_INTERVAL, minor=True)),
    ]
    rows = []
    for cell, run in matches.items():
        tally = pairs_of(run)
        in_seats = [value for seat in (0, 1) for value in rate(by_seat(run.counted, seat))]
        rows.append((cell.board, cell.budget, *counts(tally), *rate(tally), *in_seats))
    return Table(title, columns(unit, *seats[0], *seats[1]), tuple(rows))


def seat_table(matches: Matches, unit: str) -> Table:
    """One line a board and a budget: how much it is worth to begin."""
    rows = []
    for cell, run in matches.items():
        tally = of_first_seat(run.counted)
        rows.append((cell.board, cell.budget, *counts(tally), *rate(tally)))
    return Table(SEAT, columns(unit), tuple(rows))


def drawing(matches: Mapping[str, Matches], unit: str) -> Drawing | None:
    """The win rates over the budget, a line a board."""
    tallies = {
        title: {cell: of_first_seat(run.counted) if title == SEAT else pairs_of(run) for cell, run in found.items()}
        for title, found in matches.items()
    }
    known = {title: {cell: tally for cell, tally in found.items() if tally.games} for title, found in tallies.items()}
    if not any(known.values()):
        return None
    boards = list(dict.fromkeys(cell.board for found in known.values() for cell in found))

    def draw() -> object:
        from luozi.experiments.charts import Series, line_panels

        panels = []
        for title, found in known.items():
            lines = []
            for board in boards:
                points = [(cell.budget, tally) for cell, tally in found.items() if cell.board == board]
                x, values = [at for at, _ in points], [tally for _, tally in points]
                lines.append(Series(board, x, [one.score for one in values], [score_interval(one) for one in values]))
            panels.append((title, lines))
        return line_panels(panels, f"{unit} a move")

    said = "; ".join(f"{title}: {', '.join(map(point_text, found.items()))}" for title, found in known.items())
    return Drawing(draw, f"Win rates by budget, a line a board. {said}.")


def point_text(point: tuple[Cell, Tally]) -> str:
    """One point of the figure in words."""
    cell, tally = point
    return f"{cell.board} {cell.budget:,g} {percent(tally.score)}"


# What it says ---------------------------------------------------------------------------------------------------------


def findings(matches: Mapping[str, Matches]) -> tuple[str, ...]:
    """The sentences."""
    said = (*doubling(matches[HALF]), *levels_text(matches[OPPONENT]), *beginning(matches[SEAT]))
    return said or ("No game is finished yet.",)


def pooled(matches: Matches) -> Tally:
    """All games of several matches, in pairs."""
    return sum((pairs_of(run) for run in matches.values()), Tally())


def doubling(half: Matches) -> tuple[str, ...]:
    """What twice the budget is worth: in all, at the smallest and at the largest budget."""
    if not pooled(half).games:
        return ()
    sentences = [
        Message(
            "Twice the budget wins {score} of games, {elo} Elo.",
            score=score_text(pooled(half)),
            elo=signed(elo(pooled(half).score)),
        )
    ]
    ends = [pooled(at_budget(half, end({cell.budget for cell in half}))) for end in (min, max)]
    if all(tally.games for tally in ends) and len({cell.budget for cell in half}) > 1:
        first, last = (score_text(tally) for tally in ends)
        least, most = (end(cell.budget for cell in half) for end in (min, max))
        sentences.append(
            Message(
                "Over all boards that is {first} for {least} a move, and {last} for {most}.",
                first=first,
                least=f"{least:,g}",
                last=last,
                most=f"{most:,g}",
            )
        )
    return tuple(sentences)


def at_budget(matches: Matches, budget: float) -> Matches:
    """The matches at one budget, on all boards."""
    return {cell: run for cell, run in matches.items() if cell.budget == budget}


def levels_text(fixed: Matches) -> tuple[str, ...]:
    """How the win rate against one opponent grows on each board."""
    said = []
    for board in dict.fromkeys(cell.board for cell in fixed):
        tallies = {cell.budget: pairs_of(run) for cell, run in fixed.items() if cell.board == board}
        known = {budget: tally for budget, tally in tallies.items() if tally.games}
        if known:
            least, most = known[min(known)], known[max(known)]
            said.append(
                Message("{low} to {high} on {text}", low=percent(least.score), high=percent(most.score), text=board)
            )
    if not said:
        return ()
    return (
        Message(
            "From the smallest to the largest budget, the win rate against one opponent goes from {parts}.",
            parts=joined(said, "; "),
        ),
    )


def beginning(equal: Matches) -> tuple[str, ...]:
    """What the first seat is worth on each board."""
    said = []
    for board in dict.fromkeys(cell.board for cell in equal):
        games = [game for cell, run in equal.items() if cell.board == board for game in run.counted]
        if games:
            said.append(Message("{score} on {text}", score=score_text(of_first_seat(games)), text=board))
    return (
        (Message("Who begins against an equal wins, over all budgets, {parts}.", parts=joined(said, "; ")),)
        if said
        else ()
    )


def score_text(tally: Tally) -> str:
    """A score with its interval.

    >>> score_text(Tally.of([(1, 0)] * 50))
    '50.0 % (48.0 to 52.0 %)'
    """
    return f"{percent(tally.score)} ({percent_interval(*score_interval(tally))})"
