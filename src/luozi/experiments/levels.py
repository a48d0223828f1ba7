"""`levels`: ten opponents for people, evenly spaced, found by matches between steps of playing strength.

First a ladder of steps plays neighbour against neighbour, from one that makes mistakes at every move to `strong`; the
levels are put between these steps, 150 Elo apart. Then the levels play each other, which shows what they are worth.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from luozi.errors import LuoziError
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.table import COUNT, NUMBER, NUMBER_INTERVAL, SPELLING, Column, Drawing, Kind, Result, Table
from luozi.games import game as make_game
from luozi.match.openings import Openings
from luozi.match.page import Code
from luozi.match.ratings import Ratings, fit_ratings
from luozi.match.running import Run
from luozi.parameters import About, join_spelling, split_spelling
from luozi.players.presets import FEWEST, LEVELS, level_base, step_options
from luozi.text import counted, signed

GAP = 150.0  # Elo between two levels
MISTAKEN = (-1.0, -0.7, -0.45, -0.3, -0.2, -0.1, -0.05)  # steps with mistakes; from 0 on the iterations grow
DOUBLINGS = 2.0  # from one step to the next
NOTE = (
    "A level is `strong` without the exact solver and with fewer iterations; the lowest make mistakes too: so many of "
    "their moves are drawn from all legal ones. Where the whole range from nothing but mistakes to the top is smaller "
    "than nine gaps of 150 Elo, the levels share it evenly."
)
ELO = Kind(lambda value: signed(value))


class Level(NamedTuple):
    """One level as it was found."""

    number: int
    step: float
    expected: float  # its rating by the ladder of steps


class Window(NamedTuple):
    """A match between neighbours on a ladder."""

    run: Run
    group: tuple[int, ...]  # their places


@experiment(
    title="Ten levels",
    source="nobody: a calibration of our own",
    budget=Budget(60, iterations=4096),
    quick=Budget(8, iterations=64),
)
def levels(
    bench: Bench,
    game: Annotated[str, About("the game")] = "connect4",
    save: Annotated[str, About("write the levels into this JSON file, beside those of other games")] = "",
) -> Result:
    """Which settings make ten levels for people, each 150 Elo above the one below, from a beginner to `strong` with the
    given iterations?
    """
    if not bench.budget.iterations:
        raise LuoziError("levels are made of iterations, so that they are the same on every machine: give --iterations")
    steps = ladder_of(bench.budget.iterations)
    matches = windows(bench, game, [spelling(game, step) for step in steps])
    bench.matches([match.run for match in matches])
    rated = rate(matches, len(steps))
    found = placed(steps, [player.elo for player in rated.players]) if rated else []
    checks: list[Window] = []
    if found and all(match.run.complete for match in matches):
        if save:
            write(Path(save), split_spelling(make_game(game).spelling)[0], found)
        checks = windows(bench, game, [spelling(game, level.step) for level in found])
        bench.matches([match.run for match in checks])
    checked = rate(checks, LEVELS) if checks else None
    facts = (
        ("game", Code(game)),
        ("steps", f"{len(steps)}, each against the next"),
        ("openings", "two random moves for each player"),
    )
    tables = level_table(found, checked), step_table(steps, rated)
    return Result(tables, findings(found, checked), facts, (NOTE,), drawing(found, checked))


def ladder_of(iterations: int) -> list[float]:
    """The steps up to so many iterations.

    >>> ladder_of(256)[-3:]
    [0.0, 2.0, 4.0]
    """
    top = float(np.log2(max(iterations, FEWEST) / FEWEST))
    return [*MISTAKEN, *np.arange(0.0, top - 0.5, DOUBLINGS).tolist(), top]


def spelling(game: str, step: float) -> str:
    """The player of a step."""
    return join_spelling("mcts", {**level_base(make_game(game)), **step_options(step)})


def windows(bench: Bench, game: str, players: Sequence[str]) -> list[Window]:
    """Matches between neighbours, as many as the game has players."""
    size = make_game(game).players
    openings = Openings(plies=2 * size)
    found: dict[str, Window] = {}
    for first in range(len(players) - size + 1):
        group = tuple(range(first, first + size))
        run = bench.contest(game, [players[one] for one in group], bench.budget.games, openings=openings)
        found.setdefault(run.contest.id, Window(run, group))
    return list(found.values())


def rate(matches: Sequence[Window], players: int) -> Ratings | None:
    """The ratings of all players from all matches."""
    games = [
        ((match.run.contest.id, game.encounter), [match.group[seat] for seat in game.seats], game.results)
        for match in matches
        for game in match.run.counted
    ]
    return fit_ratings(games, players) if games else None


def placed(steps: Sequence[float], elos: Sequence[float]) -> list[Level]:
    """The levels between the steps: the last one is the last step, the others one gap below each other.

    >>> [round(level.step, 2) for level in placed([0, 2, 4], [0, 1500, 3000])][::3]
    [2.2, 2.8, 3.4, 4.0]
    """
    rising = np.maximum.accumulate(np.asarray(elos, float)) + 1e-6 * np.arange(len(elos))
    gap = min(GAP, float(rising[-1] - rising[0]) / (LEVELS - 1))
    wanted = [float(rising[-1]) - gap * (LEVELS - number) for number in range(1, LEVELS + 1)]
    found = np.interp(wanted, rising, np.asarray(steps, float))
    return [
        Level(number, round(float(step), 2), elo) for number, step, elo in zip(range(1, 11), found, wanted, strict=True)
    ]


def write(path: Path, game: str, found: Sequence[Level]) -> None:
    """Put the levels of a game into a file."""
    try:
        known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        known[game] = {str(level.number): step_options(level.step) for level in found}
        path.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", "utf-8")
    except (OSError, ValueError) as error:
        raise LuoziError(f"can't write the levels into '{path}': {error}") from None


# Tables ---------------------------------------------------------------------------------------------------------------


def level_table(found: Sequence[Level], checked: Ratings | None) -> Table:
    """One line a level: what it is, and how far it is above the one below by the ladder and by matches of its own."""
    columns = (
        Column("level", COUNT),
        Column("strong with", SPELLING),
        Column("Elo, expected", ELO),
        Column("Elo, played", ELO),
        Column("above the one below", ELO),
        Column("95 % interval", NUMBER_INTERVAL),
    )
    rows = []
    for level in found:
        place = level.number - 1
        played = checked.players[place].elo - checked.players[0].elo if checked else None
        step = checked.difference(place, place - 1) if checked and place else None
        ends = (step.elo - step.half_width, step.elo + step.half_width) if step else None
        options = join_spelling("", step_options(level.step)).lstrip(":")
        expected = level.expected - found[0].expected
        rows.append((level.number, options, expected, played, step.elo if step else None, ends))
    return Table("Levels", columns, tuple(rows))


def step_table(steps: Sequence[float], rated: Ratings | None) -> Table:
    """The ladder that they were found on."""
    columns = (
        Column("step", NUMBER),
        Column("strong with", SPELLING),
        Column("Elo", ELO),
        Column("95 % error", NUMBER),
    )
    rows = []
    for place, step in enumerate(steps):
        estimate = rated.difference(place, 0) if rated and place else None
        options = join_spelling("", step_options(step)).lstrip(":")
        rows.append((step, options, estimate.elo if estimate else 0.0, estimate.half_width if estimate else None))
    return Table("Steps", columns, tuple(rows))


def drawing(found: Sequence[Level], checked: Ratings | None) -> Drawing | None:
    """One bar a level."""
    if checked is None:
        return None
    labels = [f"level {level.number}" for level in found]
    elos = [player.elo - checked.players[0].elo for player in checked.players]
    expected = [level.expected - found[0].expected for level in found]

    def draw() -> object:
        from luozi.match.plots import bar_plot

        ends = [(elo, elo) if not place else spread(checked, place, elo) for place, elo in enumerate(elos)]
        return bar_plot(
            labels,
            elos,
            ends,
            expected,
            title="The levels, in Elo above the first",
            value_label="Elo",
            reference_label="as they were placed",
            even=None,
            text=lambda value: f"{value:.0f}",
        )

    said = ", ".join(f"{label}: {elo:.0f}" for label, elo in zip(labels, elos, strict=True))
    return Drawing(draw, f"Bars: Elo of the levels above the first. {said}.")


def spread(checked: Ratings, place: int, elo: float) -> tuple[float, float]:
    """The interval of a level's distance from the first."""
    half = checked.difference(place, 0).half_width
    return elo - half, elo + half


def findings(found: Sequence[Level], checked: Ratings | None) -> tuple[str, ...]:
    """The sentences."""
    if not found:
        return ("No game is finished yet.",)
    if checked is None:
        return ("The levels are placed, and have not met yet.",)
    gaps = [checked.difference(place, place - 1) for place in range(1, LEVELS)]
    mean = sum(gap.elo for gap in gaps) / len(gaps)
    inside = sum(abs(gap.elo - GAP) <= gap.half_width for gap in gaps)
    low, high = min(gaps, key=lambda gap: gap.elo), max(gaps, key=lambda gap: gap.elo)
    return (
        f"From level to level it is {mean:.0f} Elo on average, at least {low.elo:.0f} and at most {high.elo:.0f}; "
        f"{GAP:.0f} lies in the 95 % interval of {inside} of {counted(len(gaps), 'step')}.",
    )
