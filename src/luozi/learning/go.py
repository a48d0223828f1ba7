"""What can be learned of Go: what its moves promise, by games against itself with the usual search.

Games begin with a few random moves. A share of the moves gets a full search, whose visits are to be learned; the others
a short one. Most games end when their result is all but certain, so that the time goes to positions that are open;
some are played to the end, where passes are learned. Chance is in the openings and in which moves are played, none in
the priors.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import cast

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.go_weights import in_one_row, load_weights, new_weights, save_weights
from luozi.games.go.features import write_cells
from luozi.games.go.learned import with_model
from luozi.games.go.rules import Go
from luozi.learning.go_training import GoTrainer
from luozi.learning.learner import KINDS, MOST_MOVES, Samples, SelfPlayBatch, Trainer, Weights
from luozi.learning.settings import LearningOptions
from luozi.players.presets import GO
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.util.parsing import JsonObject

LATER_POWER = 3.0  # after the first moves a move is drawn by its visits to this power
CERTAIN = 0.1  # what is left to the loser where a game may end
TO_THE_END = 0.25  # of the games
OPENING = 4  # random moves at most
POOL = 200_000


class GoLearner:
    """Learns what moves of Go promise."""

    def __init__(self, game: Go) -> None:
        self.game = game

    def new_weights(self, seed: int) -> Weights:
        return new_weights()

    def trainer(self, weights: Weights) -> Trainer:
        return GoTrainer(self.game, weights)

    def player(self, file: Path, settings: LearningOptions) -> str:
        return f"strong:network={file},iterations={settings.eval_iterations}"

    def save(self, weights: Weights, file: Path, notes: JsonObject) -> None:
        save_weights(file, weights, notes)

    def load(self, file: Path) -> Weights:
        return load_weights(file)

    def play(self, weights: Weights, settings: LearningOptions, seed: int, games: int) -> SelfPlayBatch:
        return self._play(weights, settings, seed, games, True)

    def play_uncompiled(self, weights: Weights, settings: LearningOptions, seed: int, games: int) -> SelfPlayBatch:
        """The same as plain Python plays it, for tests and for who wants to look on."""
        return self._play(weights, settings, seed, games, False)

    def _play(
        self, weights: Weights, settings: LearningOptions, seed: int, games: int, compiled: bool
    ) -> SelfPlayBatch:
        began, rng = time.process_time(), np.random.default_rng(seed)
        values = {name: value for name, value in GO.items() if name not in ("early_stop", "network")}
        pool = max(POOL, 4 * settings.full_iterations)
        options = Options(**values, pool_size=pool, seed=seed % 2**62)
        engine = Engine(with_model(self.game, in_one_row(weights)), options, compiled=compiled)
        played = [SelfPlay(engine, settings, rng) for _ in range(games)]
        for one in played:
            one.play()
        results = [one.results for one in played]
        return SelfPlayBatch(
            samples=as_samples([row for one in played for row in one.rows()], self.game),
            games=games,
            moves=sum(one.moves for one in played),
            wins=np.array([sum(result[player] == 1.0 for result in results) for player in range(2)], np.int64),
            draws=sum(bool(result[0] == 0.5) for result in results),
            cpu_seconds=time.process_time() - began,
        )


SampleRow = dict[str, Array | float]  # a position, by the names of columns


class SelfPlay:
    """One game of an engine against itself."""

    def __init__(self, engine: Engine, settings: LearningOptions, rng: np.random.Generator) -> None:
        self.engine, self.settings, self.rng = engine, settings, rng
        self.game = cast(Go, engine.game)
        self.position: Position = Position.begin(self.game)
        self.positions: list[SampleRow] = []
        self.moves, self.results = 0, np.full(2, 0.5)

    def play(self) -> None:
        """From a random opening to the end, or until it is all but certain."""
        self.open_up()
        may_end = self.rng.random() >= TO_THE_END
        longest = self.settings.max_moves or self.game.max_length
        while self.position.returns is None and self.moves < longest:
            thought = self.think()
            if may_end and min(thought.best.means) < CERTAIN:
                self.results = np.round(np.array(thought.best.means))
                return
            self.move(self.drawn(thought))
        if self.position.returns is not None:
            self.results = np.array(self.position.returns)

    def open_up(self) -> None:
        """A few moves anywhere but at the edge."""
        for _ in range(int(self.rng.integers(0, OPENING + 1))):
            inside = [move for move in self.position.actions[:-1] if self.game.line[move] > 0]
            if inside and self.position.returns is None:
                self.position = self.position.play(int(self.rng.choice(inside)))

    def think(self) -> SearchResult:
        """A full search, which is written down, or a short one."""
        full = self.rng.random() < self.settings.full_share
        thought = self.engine.think(
            self.position, iterations=self.settings.full_iterations if full else self.settings.fast_iterations
        )
        if full:
            self.write(thought)
        return thought

    def write(self, thought: SearchResult) -> None:
        """A position with what the search thought of it."""
        board = np.zeros(self.game.actions, np.int8)
        write_cells(self.game, self.position.state, board)
        cells, chances = np.full(MOST_MOVES, -1, np.int16), np.zeros(MOST_MOVES, np.float32)
        best = sorted(thought.candidates, key=lambda one: -one.visits)[:MOST_MOVES]
        for place, one in enumerate(best):
            if one.visits > 0:
                cells[place], chances[place] = one.action, one.visits
        row: SampleRow = {
            "board": board,
            "mover": self.position.to_move,
            "cells": cells,
            "chances": chances / chances.sum(),
        }
        self.positions.append({**row, "policy_weight": 1.0, "values": np.array(thought.best.means)})

    def drawn(self, thought: SearchResult) -> int:
        """A move drawn by its visits, later nearly the best."""
        visits = np.array([one.visits for one in thought.candidates], np.float64)
        shares = visits ** (1.0 if self.moves < self.settings.temperature_moves else LATER_POWER)
        return int(thought.candidates[self.rng.choice(len(shares), p=shares / shares.sum())].action)

    def move(self, action: int) -> None:
        """Play a move."""
        self.position = self.position.play(action)
        self.moves += 1

    def rows(self) -> list[SampleRow]:
        """The positions with their result; of drawn games only some."""
        drawn = self.results[0] == 0.5
        kept = [one for one in self.positions if not drawn or self.rng.random() < self.settings.drawn_share]
        return [{**one, "results": self.results} for one in kept]


def as_samples(rows: list[SampleRow], game: Go) -> Samples:
    """Positions as columns; without weights for values, as the model of moves values no position."""
    widths: dict[str, tuple[int, ...]] = {"board": (game.actions,), "cells": (MOST_MOVES,), "chances": (MOST_MOVES,)}
    widths |= {"mover": (), "policy_weight": (), "values": (2,), "results": (2,)}
    columns: dict[str, Array] = {}
    for name, width in widths.items():
        columns[name] = np.array([row[name] for row in rows], getattr(KINDS, name)).reshape(len(rows), *width)
    return Samples(**columns)
