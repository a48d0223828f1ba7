"""A game that can be learned without a network: its weights are how strong it is, and its games are random.

It is a game's file of its own (`luozi learn tests/learnable.py`), so that every process finds its learner. Nothing is
compiled. For tests that end a run in the middle, `LUOZI_TEST_PAUSE` makes each game take so many seconds, and
`LUOZI_TEST_PLAYS` names a file in which each part that is played leaves its seed.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np

import luozi
from luozi.learning.learner import MOST_MOVES, Losses, Samples, SelfPlayBatch
from luozi.messages import LuoziError

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class FakeTrainer:
    """Adds the mean result of the first player, the rate and a random number at each step."""

    def __init__(self, weights):
        self.kept = {"weights": weights["strength"].copy(), "steps": np.zeros(1)}

    def train(self, samples, steps, batch, rate, seed):
        rng = np.random.default_rng(seed)
        drawn = samples.results[rng.integers(0, len(samples.results), batch), 0].mean()
        self.kept["weights"] = self.kept["weights"] + np.array([1.0, drawn, rate + rng.random()])
        self.kept["steps"] = self.kept["steps"] + steps
        return Losses(1 / (1 + float(self.kept["weights"][0])), float(drawn), float(drawn) ** 2)

    def weights(self):
        return {"strength": self.kept["weights"].copy()}

    def state(self):
        return {name: array.copy() for name, array in self.kept.items()}

    def restore(self, state):
        self.kept = {name: array.copy() for name, array in state.items()}


class FakeLearner:
    """Strength is one more after each generation; players that have learned play a few random games first."""

    game = "learnable"

    def __init__(self, rules):
        self.rules = rules

    def new_weights(self, seed):
        return {"strength": np.array([0.0, 0.0, np.random.default_rng(seed).random()])}

    def play(self, weights, settings, seed, games):
        if os.environ.get("LUOZI_TEST_PLAYS"):
            with open(os.environ["LUOZI_TEST_PLAYS"], "a") as file:
                file.write(f"{seed}\n")
        rng, rows, wins, draws, moves = np.random.default_rng(seed), [], np.zeros(2, np.int64), 0, 0
        for _ in range(games):
            time.sleep(float(os.environ.get("LUOZI_TEST_PAUSE", "0")))
            state, positions = self.rules.new_state(), []
            while not self.rules.is_terminal(state):
                action = int(rng.choice(self.rules.legal_list(state)))
                positions.append((np.array(state["board"]).reshape(9).copy(), len(positions) % 2, action))
                state = self.rules.after(state, action)
            result = np.array(self.rules.result(state), np.float32)
            wins += result == 1.0
            draws += int(result[0] == 0.5)
            moves += len(positions)
            rows += [(*one, result) for one in positions]
        cells, chances = np.full((len(rows), MOST_MOVES), -1), np.zeros((len(rows), MOST_MOVES))
        cells[:, 0], chances[:, 0] = [row[2] for row in rows], 1
        value = np.full((len(rows), 2), min(1.0, float(weights["strength"].sum()) / 100))
        boards, movers, results = ([row[place] for row in rows] for place in (0, 1, 3))
        columns = boards, movers, cells, chances, np.ones(len(rows)), value, results
        kinds = ("i1", "i1", "i2", "f4", "f4", "f4", "f4")
        samples = Samples(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))
        return SelfPlayBatch(samples, games, moves, wins, draws, 0.0)

    def trainer(self, weights):
        return FakeTrainer(weights)

    def player(self, file, settings):
        return "flat:playouts=20" if self.load(file)["strength"][0] >= 2 else "random"

    def save(self, weights, file, notes):
        np.savez(file, game=np.array(self.game), notes=np.array(json.dumps(notes)), **weights)

    def load(self, file):
        try:
            with np.load(Path(file), allow_pickle=False) as found:
                game, strength = str(found["game"]), found["strength"]
        except Exception:
            raise LuoziError(f"'{file}' holds no weights") from None
        if game != self.game:
            raise LuoziError(f"'{file}' holds weights of {game}, not of {self.game}")
        return {"strength": strength}


class Learnable(luozi.Game):
    """Three in a row, uncompiled."""

    players, actions, compilable = 2, 9, False
    state = [("board", "i1", 9), ("to_move", "i1"), ("winner", "i1"), ("moves", "i1")]  # noqa: RUF012

    def learner(self):
        return FakeLearner(self)

    def start(self, state):
        pass

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action] == 0

    def apply_action(self, state, action):
        state.board[action] = state.to_move + 1
        state.moves += 1
        for one, two, three in LINES:
            if state.board[one] == state.board[two] == state.board[three] == state.to_move + 1:
                state.winner = state.to_move + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.winner != 0 or state.moves == 9

    def returns(self, state, returns):
        returns[0] = 0.5 if state.winner == 0 else 2.0 - state.winner
        returns[1] = 1.0 - returns[0]
