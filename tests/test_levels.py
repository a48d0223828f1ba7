"""The levels: where they are put on a ladder of known strength, and a real small run."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from luozi.experiments import EXPERIMENTS
from luozi.experiments import levels as module
from luozi.experiments.report import do_experiment
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.messages import LuoziError
from luozi.players.presets import LEVELS


def elo_of(step: float) -> float:
    """A made-up curve: steep where mistakes get rare, flat at many iterations."""
    return 1200 * (1 + step) ** 2 if step < 0 else 1200 + 700 * (1 - np.exp(-step / 4))


def window(steps: tuple[float, float], games: int = 2_000) -> module.Window:
    """A match whose score is what the curve says."""
    chance = 1 / (1 + 10 ** ((elo_of(steps[1]) - elo_of(steps[0])) / 400))
    run = Run(MatchSchedule.of("tictactoe", [f"mcts:iterations={100 + round(100 * step)}" for step in steps]), games)
    rng = np.random.default_rng(5)
    for number in range(games):
        score = float(rng.random() < chance)
        seats, results = ((0, 1), (score, 1 - score)) if number % 2 == 0 else ((1, 0), (1 - score, score))
        run.add(ScoredGame(number, number // 2, seats, results, -1, "", 9))
    return module.Window(run, steps)


def test_levels_are_placed_one_gap_apart_below_the_last_step():
    steps = (-1.0, -0.7, -0.4, -0.2, -0.1, 0.0, 2.0, 4.0, 8.0)
    found = module.between(steps, module.curve([window(pair) for pair in itertools.pairwise(steps)], steps))
    assert [level.number for level in found] == list(range(1, 11))
    assert found[-1].step == 8.0
    gaps = np.diff([elo_of(level.step) for level in found])
    assert gaps == pytest.approx([150] * 9, abs=45)


def test_games_between_levels_tell_of_the_steps_around_them():
    """Few games between neighbours on the ladder, many between players on neither step: together they tell."""
    steps = (-1.0, -0.7, -0.4, -0.2, 0.0, 4.0, 8.0)
    matches = [window(pair, games=20) for pair in itertools.pairwise(steps)]

    def worst():
        found = module.between(steps, module.curve(matches, steps))
        return max(abs(gap - 150) for gap in np.diff([elo_of(level.step) for level in found]))

    first = worst()
    for shift in (0.02, 0.05, 0.08):
        levels = np.interp(np.linspace(shift, 6 - shift, 10), range(7), steps).tolist()
        matches += [window(pair) for pair in itertools.pairwise(levels)]
    assert worst() < 70 < first


def test_the_curve_of_three_players_is_plackett_and_luces():
    elos, steps = {0.0: 0.0, 1.0: 200.0, 2.0: 300.0}, (0.0, 1.0, 2.0)
    run = Run(MatchSchedule.of("tictactoe:players=3,size=4", ["random"] * 3), 30_000)
    rng, strengths = np.random.default_rng(3), [10 ** (elo / 400) for elo in elos.values()]
    for number in range(30_000):
        winner = int(rng.choice(3, p=np.array(strengths) / sum(strengths)))
        results = tuple(float(player == winner) for player in range(3))
        run.add(ScoredGame(number, number // 3, (0, 1, 2), results, -1, "", 9))
    assert module.curve([module.Window(run, steps)], steps) == pytest.approx(list(elos.values()), abs=20)


def test_where_there_is_no_room_the_levels_share_it():
    found = module.between([0.0, 1.0, 2.0], [0.0, 90.0, 180.0])
    assert np.diff([level.step for level in found]) == pytest.approx([2 / 9] * 9, abs=0.01)


@pytest.mark.long
def test_a_run_saves_the_levels_that_met_last(tmp_path):
    path = tmp_path / "levels.json"
    values = {"game": "tictactoe", "save": str(path), "rounds": 2}
    experiment = EXPERIMENTS["levels"]
    bench = experiment.bench(games=4, iterations=64, store=Store.open(None))
    rows = do_experiment(experiment, bench, values).result.tables[0].rows
    saved = json.loads(path.read_text("utf-8"))["tictactoe"]
    assert len(rows) == len(saved) == LEVELS
    assert rows[-1][1] == "iterations=64"
    for row in rows:
        expected = ",".join(f"{name}={value}" for name, value in saved[str(row[0])].items())
        assert row[1] == expected


@pytest.mark.parametrize(
    ("save", "said"), [("none/levels.json", "there is no folder '.*none' for 'levels.json'"), ("", "is a folder")]
)
def test_a_file_that_can_not_be_written_is_refused_before_anything_is_played(tmp_path, save, said):
    experiment = EXPERIMENTS["levels"]
    bench = experiment.bench(games=4, iterations=64).looking()
    with pytest.raises(LuoziError, match=said):
        do_experiment(experiment, bench, {"game": "tictactoe", "save": str(tmp_path / save)})
