"""Checkpoint evaluation: now and then the newest weights play matches against earlier ones; all games give ratings.

A checkpoint is a generation. Its matches are contests in the run's own store, each marked with the two generations, so
that ratings can be read off the store alone, wherever the folder is by now.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from luozi.learning.folder import Say
from luozi.learning.learner import Learner
from luozi.learning.settings import LearningOptions
from luozi.matches.openings import seed_of
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.workers import Executor
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.statistics.ratings import fit_ratings
from luozi.util.parsing import JsonObject

LABEL = "ladder: generation {} against {}"
PATTERN = re.compile(r"ladder: generation (\d+) against (\d+)")


@dataclass(frozen=True)
class Checkpoint:
    """A generation on the ladder; Elo against the first checkpoint."""

    generation: int
    elo: float
    half_width: float  # of the 95 % interval
    games: int

    def as_dict(self) -> JsonObject:
        """For JSON."""
        width = self.half_width if math.isfinite(self.half_width) else None
        return {"generation": self.generation, "elo": self.elo, "half_width": width, "games": self.games}


def is_evaluated(generation: int, settings: LearningOptions, last: bool = False) -> bool:
    """Whether a generation is one of the ladder, as the last one always is."""
    return settings.eval_every > 0 and generation > 0 and (last or generation % settings.eval_every == 0)


def opponents(generation: int, every: int) -> list[int]:
    """The earlier checkpoints that a new one meets: the last one, and one half-way to the start.

    >>> opponents(10, 10), opponents(20, 10), opponents(60, 10), opponents(65, 10)
    ([0], [10, 0], [50, 30], [60, 30])
    """
    place = -(-generation // every)
    return [number * every for number in dict.fromkeys((place - 1, place // 2 if place > 2 else 0))]


def evaluation_runs(
    game: Game, generation: int, learner: Learner, settings: LearningOptions, file_of: Callable[[int], Path], say: Say
) -> list[Run]:
    """The matches of a new checkpoint; earlier ones whose weights can't be read are left out."""
    runs = []
    for other in opponents(generation, settings.eval_every):
        try:
            learner.load(file_of(other))
        except LuoziError as error:
            say(Message("{error}; no games of the ladder against generation {number}", error=error, number=other))
            continue
        new, old = (learner.player(file_of(number), settings) for number in (generation, other))
        seed = seed_of("ladder", settings.seed, generation, other)
        contest = MatchSchedule.of(game, [new, *[old] * (game.players - 1)], "match", seed)
        runs.append(Run(contest, settings.eval_games, part_of=LABEL.format(generation, other)))
    return runs


def open_ladder(path: Path, say: Say) -> Store:
    """The store of a ladder; a damaged one is put aside, and the ladder begins anew."""
    try:
        store = Store.open(path)
        checkpoint_ratings(store)
        return store
    except LuoziError as error:
        aside = path.with_name(f"damaged-{path.name}")
        path.replace(aside)
        for rest in ("-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        say(Message("{error}; it is '{name}' now, and the ladder begins anew", error=error, name=aside))
        return Store.open(path)


def play_evaluation(runs: list[Run], store: Store, executor: Executor, on_game: Callable[[], None]) -> None:
    """Play what is missing of a checkpoint."""
    for run in runs:
        run.load(store)
    play_all(runs, store, executor, lambda *_: on_game())


def checkpoint_ratings(store: Store) -> list[Checkpoint]:
    """All checkpoints with their ratings, by generation.

    >>> checkpoint_ratings(Store.open(None))
    []
    """
    orders: list[tuple[Any, tuple[int, ...], tuple[float, ...]]] = []
    for entry in store.entries():
        named = PATTERN.fullmatch(entry.part_of)
        if named is None:
            continue
        new, old = int(named[1]), int(named[2])
        for game in store.played(entry.contest):
            seats = tuple(new if player == 0 else old for player in game.seats)
            orders.append(((entry.contest.id, game.encounter), seats, game.results))
    numbers = sorted({generation for _, seats, _ in orders for generation in seats})
    if not numbers:
        return []
    place = {generation: number for number, generation in enumerate(numbers)}
    ratings = fit_ratings([(one, [place[seat] for seat in seats], got) for one, seats, got in orders], len(numbers))
    found = []
    for generation in numbers:
        estimate = ratings.difference(place[generation], 0)
        games = sum(generation in seats for _, seats, _ in orders)
        found.append(Checkpoint(generation, estimate.elo, estimate.half_width if place[generation] else 0.0, games))
    return found
