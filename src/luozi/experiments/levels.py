"""`levels`: ten evenly spaced levels of playing strength for people, calibrated by matches.

First neighbours of a ladder of steps play each other, from one with a random move each turn to `strong`. The levels are
placed between these steps, 150 Elo apart. In each round the levels play each other and are placed again by all games so
far. The games of the last round measure the levels independently, since they placed none.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment, stated
from luozi.experiments.table import INTERVAL, ListDrawing, PointsOf
from luozi.games import game as make_game
from luozi.matches.openings import Openings
from luozi.matches.runner import Run
from luozi.messages import LuoziError, Message
from luozi.players.presets import FEWEST, LEVELS, level_base, step_options
from luozi.reports.pages import Code
from luozi.statistics.ratings import ELO, Ratings, fit_ratings
from luozi.util.files import refuse_unwritable, write_whole
from luozi.util.formats import signed
from luozi.util.parameters import ParameterInfo, join_spelling, split_spelling
from luozi.util.parsing import content_of, json_value
from luozi.util.tables import COUNT, NUMBER, NUMBER_INTERVAL, SPELLING, Kind, TextColumn

GAP = 150.0  # Elo between two levels
MISTAKEN = (-1.0, -0.7, -0.45, -0.3, -0.2, -0.1, -0.05)  # steps with mistakes; from 0 on the iterations grow
DOUBLINGS = 2.0  # from one step to the next
NOTE = (
    "A level is `strong` without the exact solver and with fewer iterations; the lowest make mistakes too: so many of "
    "their moves are drawn from all legal ones. Where the whole range from nothing but mistakes to the top is smaller "
    "than nine gaps of 150 Elo, the levels share it evenly."
)
ELO_KIND = Kind(signed)
LEVEL_COLUMNS = (
    TextColumn("level", COUNT),
    TextColumn("strong with", SPELLING),
    TextColumn("Elo, expected", ELO_KIND),
    TextColumn("Elo, played", ELO_KIND),
    TextColumn("above the one below", ELO_KIND),
    TextColumn(INTERVAL, NUMBER_INTERVAL),
)
STEP_COLUMNS = TextColumn("step", NUMBER), TextColumn("strong with", SPELLING), TextColumn("Elo", ELO_KIND)
DRAWING = ListDrawing(
    "name",
    (PointsOf("Levels", "Elo, played", "interval above the first", "Elo, expected"),),
    Kind("{:.0f}".format),
    "Elo above the first level",
    "as they were placed",
)


class Level(NamedTuple):
    """One level as it was placed."""

    number: int
    step: float
    expected: float  # its rating by the ladder of steps


class Window(NamedTuple):
    """A match between neighbours of a ladder."""

    run: Run
    group: tuple[float, ...]  # their steps


@experiment(
    "levels",
    title="Ten levels",
    source="nobody: a calibration of our own",
    budget=ExperimentBudget(60, iterations=4096),
    quick=ExperimentBudget(8, iterations=64),
)
def measure_levels(
    bench: Bench,
    game: Annotated[str, ParameterInfo("the game")] = "connect4",
    save: Annotated[str, ParameterInfo("write the levels into this JSON file, beside those of other games")] = "",
    rounds: Annotated[
        int, ParameterInfo("how often the levels meet; between two rounds they are placed anew", 1, 20)
    ] = 3,
) -> Design:
    """Which settings make ten levels for people, each 150 Elo above the one below, from a beginner to `strong` with the
    given iterations?
    """
    if not bench.budget.iterations:
        raise LuoziError(
            "levels are defined by iterations, so that they are the same on every machine. Give --iterations."
        )
    if save:
        refuse_unwritable(save)
        levels_in(Path(save))
    steps = ladder_of(bench.budget.iterations)
    matches = windows(bench, game, steps)
    bench.matches([match.run for match in matches])
    begun = any(match.run.counted for match in matches)  # without a game the curve is flat, and places nothing
    found, checked = between(steps, curve(matches, steps)) if begun else [], None
    met = found
    for _ in range(rounds):
        if not found or not all(match.run.complete for match in matches):
            break
        if save:
            write(Path(save), split_spelling(make_game(game).spelling)[0], found)
        checks = windows(bench, game, [level.step for level in found])
        bench.matches([match.run for match in checks])
        met, checked = found, rate(checks)
        known = {match.run.contest.id for match in matches}
        matches += [check for check in checks if check.run.contest.id not in known]
        found = between(steps, curve(matches, steps))
    facts = (
        ("game", Code(game)),
        ("steps", Message("{count}, each against the next", count=len(steps))),
        ("rounds", Message("{count} rounds in which the levels play each other", count=rounds)),
        ("openings", "two random moves for each player"),
    )
    levels = TableDesign("Levels", LEVEL_COLUMNS, level_rows(met, checked))
    ladder = TableDesign("Steps", STEP_COLUMNS, step_rows(steps, curve(matches, steps)))
    return Design((levels, ladder), facts, (NOTE,), DRAWING)


def ladder_of(iterations: int) -> list[float]:
    """Return the steps up to so many iterations.

    >>> ladder_of(256)[-3:]
    [0.0, 2.0, 4.0]
    """
    top = float(np.log2(max(iterations, FEWEST) / FEWEST))
    return [*MISTAKEN, *np.arange(0.0, top - 0.5, DOUBLINGS).tolist(), top]


def spelling(game: str, step: float) -> str:
    """Return the player of a step."""
    return join_spelling("mcts", {**level_base(make_game(game)), **step_options(step)})


def windows(bench: Bench, game: str, steps: Sequence[float]) -> list[Window]:
    """Return matches between neighbouring steps, as many as the game has players."""
    size = make_game(game).players
    openings = Openings(plies=2 * size)
    found: dict[str, Window] = {}
    for first in range(len(steps) - size + 1):
        group = tuple(steps[first : first + size])
        if len(set(group)) < size:
            continue  # two levels came out the same: they have nothing to play for
        players = [spelling(game, step) for step in group]
        run = bench.contest(game, players, bench.budget.games, openings=openings)
        found.setdefault(run.contest.id, Window(run, group))
    return list(found.values())


class Rated(NamedTuple):
    """Steps in order, and their ratings by all games."""

    steps: list[float]
    ratings: Ratings

    def difference(self, one: float, other: float) -> tuple[float, float]:
        """Return the Elo difference of two steps and half the width of its 95 % interval.

        Equal levels have not met, nor may their neighbours in a game of three: their difference is 0.
        """
        if one == other or one not in self.steps or other not in self.steps:
            return 0.0, 0.0
        estimate = self.ratings.difference(self.steps.index(one), self.steps.index(other))
        return estimate.elo, estimate.half_width


def rate(matches: Sequence[Window]) -> Rated | None:
    """Return the ratings of all steps by all matches, or None without games."""
    steps = sorted({step for match in matches for step in match.group})
    games = [
        ((match.run.contest.id, game.encounter), [steps.index(match.group[seat]) for seat in game.seats], game.results)
        for match in matches
        for game in match.run.counted
    ]
    return Rated(steps, fit_ratings(games, len(steps))) if games else None


def curve(matches: Sequence[Window], steps: Sequence[float]) -> list[float]:
    """Return the Elo of each step of the ladder by all games, those of levels between two steps included.

    Strength is linear between steps. The winner beats all others (as in the model of Plackett and Luce); a draw is half
    a win over each. One more draw between neighbours keeps the strength of a player that always wins finite.
    """
    wins: dict[tuple[float, float], float] = defaultdict(float)
    for lower, upper in itertools.pairwise(steps):
        wins[lower, upper] += 0.5
        wins[upper, lower] += 0.5
    for match in matches:
        for game in match.run.counted:
            found = [(match.group[seat], result) for seat, result in zip(game.seats, game.results, strict=True)]
            for (one, own), (other, result) in itertools.permutations(found, 2):
                if own == max(game.results):
                    wins[one, other] += 1.0 if own > result else 0.5
    straight = np.eye(len(steps))
    lead = np.array(
        [[np.interp(one, steps, row) - np.interp(other, steps, row) for row in straight] for one, other in wins]
    )
    counts = np.array(list(wins.values()))

    def unlikelihood(strengths: Any) -> tuple[float, Any]:
        odds = lead @ strengths
        return float(counts @ np.logaddexp(0, -odds)), -(counts * expit(-odds)) @ lead

    strengths = minimize(unlikelihood, np.zeros(len(steps)), jac=True).x
    return [float(strength) for strength in ELO * (strengths - strengths[0])]


def between(steps: Sequence[float], elos: Sequence[float]) -> list[Level]:
    """Place the levels between the steps: the last level is the last step, the others follow one gap below each other.

    >>> [round(level.step, 2) for level in between([0, 2, 4], [0, 1500, 3000])][::3]
    [2.2, 2.8, 3.4, 4.0]
    """
    risen = rising(elos) + 1e-6 * np.arange(len(elos))
    gap = min(GAP, float(risen[-1] - risen[0]) / (LEVELS - 1))
    wanted = [float(risen[-1]) - gap * (LEVELS - number) for number in range(1, LEVELS + 1)]
    found = np.interp(wanted, risen, np.asarray(steps, float))
    return [
        Level(number, round(float(step), 3), elo)
        for number, step, elo in zip(range(1, LEVELS + 1), found, wanted, strict=True)
    ]


def rising(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return the nearest non-decreasing numbers (isotonic regression).

    >>> rising([1, 4, 2, 5]).tolist()
    [1.0, 3.0, 3.0, 5.0]
    """
    blocks: list[tuple[float, int]] = []
    for value in values:
        mean, count = float(value), 1
        while blocks and blocks[-1][0] > mean:
            before, so_many = blocks.pop()
            mean = (mean * count + before * so_many) / (count + so_many)
            count += so_many
        blocks.append((mean, count))
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])


def write(path: Path, game: str, found: Sequence[Level]) -> None:
    """Write the levels of a game into a file."""
    known = levels_in(path)
    known[game] = {str(level.number): step_options(level.step) for level in found}
    write_whole(path, (json.dumps(dict(sorted(known.items())), indent=1) + "\n").encode())


def levels_in(path: Path) -> dict[str, Any]:
    """Return the levels of a file by game. Raises LuoziError if the file has something else."""
    known = json_value(content_of(path), f"'{path}'") if path.is_file() else {}
    if not isinstance(known, dict):
        raise LuoziError(
            "can't write the levels into '{name}': the file has other content. Choose another file.", name=path
        )
    return known


# Rows -----------------------------------------------------------------------------------------------------------------


def level_rows(found: Sequence[Level], checked: Rated | None) -> list[ExperimentRow]:
    """Return the rows of the levels: options, and distances by the ladder and by their own matches."""
    rows = []
    for place, level in enumerate(found):
        known: dict[str, Any] = {"level": level.number, "name": f"level {level.number}"}
        known |= {"strong with": options_text(level.step), "Elo, expected": level.expected - found[0].expected}
        if checked:
            elo, half = checked.difference(level.step, found[0].step)
            known |= {"Elo, played": elo, "interval above the first": (elo - half, elo + half)}
        if checked and place:
            elo, half = checked.difference(level.step, found[place - 1].step)
            known |= {"above the one below": elo, INTERVAL: (elo - half, elo + half)}
        rows.append(ExperimentRow(known, summarise=stated))
    return rows


def options_text(step: float) -> str:
    """Return the options of a step."""
    return join_spelling("", step_options(step)).lstrip(":")


def step_rows(steps: Sequence[float], elos: Sequence[float]) -> list[ExperimentRow]:
    """Return the rows of the ladder."""
    known = (
        {"step": step, "strong with": options_text(step), "Elo": elo} for step, elo in zip(steps, elos, strict=True)
    )
    return [ExperimentRow(one, summarise=stated) for one in known]
