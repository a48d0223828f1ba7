"""What is learned of Go: the features of moves, the model's gradients, its files, and games that it is learned from."""

from __future__ import annotations

import json
import math
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_go_playouts import board
from test_learning import Listener

import luozi
from luozi.evaluators.go_weights import GROUPS, in_one_row, load_weights, new_weights, save_weights
from luozi.evaluators.weight_files import VERSION
from luozi.games.go.features import (
    BITS,
    CLASS,
    class_count,
    features_of,
    pattern_classes,
    read_cells,
    write_cells,
)
from luozi.games.go.learned import with_model
from luozi.games.go.points import point_of
from luozi.learning.go import GoLearner, as_samples
from luozi.learning.go_training import GoTrainer
from luozi.learning.learner import joined
from luozi.learning.settings import LearningOptions
from luozi.learning.starting import start_run, state_of
from luozi.matches.workers import Here
from luozi.messages import LuoziError
from luozi.players.presets import GO, LINES, with_values

Kinds = dict[str, int]
SIDES, CORNERS = ((-1, 0), (0, -1), (0, 1), (1, 0)), ((-1, -1), (-1, 1), (1, -1), (1, 1))


def some_weights(seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(array.shape).astype(np.float32) for name, array in new_weights().items()}


def model_game(size: int = 5, weights: dict[str, Any] | None = None, **values: Any) -> Any:
    return with_model(luozi.game("go", size=size, **values), in_one_row(weights or new_weights()))


def kinds_of(game: Any, state: Any, action: int) -> Kinds:
    features = features_of(game, state, action)
    return {name: features >> (BITS * place) & 31 for place, name in enumerate(GROUPS)}


def positions(size: int, seed: int, games: int = 2) -> Any:
    """Positions of random games."""
    game, rng = model_game(size), random.Random(seed)
    for _ in range(games):
        state = game.new_state()
        for _ in range(2 * size * size):
            if game.is_terminal(state):
                break
            yield game, state
            points = game.legal_list(state)[:-1]
            state = game.after(state, rng.choice(points) if points and rng.random() < 0.95 else game.points)


class Reading:
    """A position read again, slow and plain: nothing but stones on a grid."""

    def __init__(self, game: Any, state: Any) -> None:
        self.size, self.own = game.size, int(state.to_move) + 1
        self.stones = {divmod(point, game.size): int(state.board[point]) for point in range(game.points)}
        self.last, self.before = (
            divmod(int(move), game.size) if 0 <= move < game.points else None for move in (state.last, state.before)
        )

    def beside(self, point: tuple[int, int], steps: Any = SIDES) -> list[tuple[int, int]]:
        near = [(point[0] + down, point[1] + right) for down, right in steps]
        return [one for one in near if one in self.stones]

    def chain(self, point: tuple[int, int], stones: Any = None) -> tuple[frozenset[Any], set[Any]]:
        """All stones of a chain, and its liberties."""
        stones = stones or self.stones
        found, todo, free = {point}, [point], set()
        while todo:
            for near in self.beside(todo.pop()):
                if stones[near] == 0:
                    free.add(near)
                elif stones[near] == stones[point] and near not in found:
                    found.add(near)
                    todo.append(near)
        return frozenset(found), free

    def chains(self, point: tuple[int, int], colour: int) -> dict[Any, set[Any]]:
        """The chains of a colour beside a point, with their liberties."""
        return dict(self.chain(near) for near in self.beside(point) if self.stones[near] == colour)

    def kinds(self, point: tuple[int, int]) -> Kinds:
        own, enemy = self.chains(point, self.own), self.chains(point, 3 - self.own)
        around = self.beside(point, SIDES + CORNERS)
        is_open = all(self.stones[near] == 0 for near in around)
        edge = min(*point, *(self.size - 1 - place for place in point))
        found = {"line": min(edge, 4) + 1 + 5 * is_open, "pass": 0}
        found |= {"last": self.distance(point, self.last), "before": self.distance(point, self.before)}
        if self.is_eye(point):
            return {**found, "capture": 0, "save": 0, "atari": 0, "danger": 3, "touch": 0}
        taken = [chain for chain, free in enemy.items() if free == {point}]
        after = {**self.stones, **{stone: 0 for chain in taken for stone in chain}, point: self.own}
        stones, free = self.chain(point, after)
        beside_only = {one for one in free if not any(one in chain for chain in taken) or one in self.beside(point)}
        capture = min(2, sum(map(len, taken)))
        if any(self.last in chain for chain in taken):
            capture = 3
        danger = 0 if taken or len(beside_only) > 1 else 1 if len(stones) < 3 else 2
        saved = any(free == {point} for free in own.values())
        attacked = any(len(free) == 2 for free in enemy.values()) and not danger
        touched = {**own, **enemy}
        touch = 0
        if self.last is not None and self.stones[self.last]:
            last_chain = self.chain(self.last)[0]
            beside_last = [self.chain(near)[0] for near in self.beside(self.last) if self.stones[near]]
            touch = 1 if last_chain in touched else 2 if any(chain in touched for chain in beside_last) else 0
        return {**found, "capture": capture, "save": saved, "atari": attacked, "danger": danger, "touch": touch}

    def is_eye(self, point: tuple[int, int]) -> bool:
        sides, corners = self.beside(point), self.beside(point, CORNERS)
        if any(self.stones[near] != self.own for near in sides):
            return False
        return sum(self.stones[near] == 3 - self.own for near in corners) <= (1 if len(corners) == 4 else 0)

    @staticmethod
    def distance(point: tuple[int, int], other: tuple[int, int] | None) -> int:
        if other is None:
            return 0
        down, right = abs(point[0] - other[0]), abs(point[1] - other[1])
        return min(down + right + max(down, right), 17)


# Features -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 5])
def test_features_are_what_a_plain_reading_of_the_board_finds(size: int) -> None:
    seen: set[tuple[str, int]] = set()
    for game, state in positions(size, size):
        reading = Reading(game, state)
        for action in game.legal_list(state)[:-1]:
            found = kinds_of(game, state, action)
            seen |= set(found.items())
            found |= {name: min(found[name], 1) for name in ("save", "atari")}  # ladders have a test of their own
            assert found == reading.kinds(divmod(action, size)), (game.show(state), action)
    if size == 5:
        assert {(name, kind) for name in ("capture", "danger", "touch") for kind in range(GROUPS[name])} <= seen


LADDERS = [
    (["...XX..", "..XOX..", ".......", "......."], "O", "D5", "save", 1),  # the open board lies before it
    (["...XX..", "..XOX..", "..X....", "...X..."], "O", "D5", "save", 2),
    (["...X...", "..XO...", ".......", "......."], "X", "D5", "atari", 1),
    ([".XO....", ".X.....", "..X....", "......."], "X", "C6", "atari", 2),  # it crawls along the edge into the corner
]


@pytest.mark.parametrize(("rows", "to_move", "move", "name", "kind"), LADDERS)
def test_ladders_tell_a_chain_that_gets_away_from_one_that_does_not(
    rows: list[str], to_move: str, move: str, name: str, kind: int
) -> None:
    _, state = board(" ".join(rows + ["......."] * 3), 7, to_move)
    assert kinds_of(model_game(7), state, point_of(7, move))[name] == kind


def test_a_pass_is_told_by_whether_it_ends_the_game_and_who_wins_then() -> None:
    _, state = board("XX... XX... XX... XX... XX...", last="A1")
    game = model_game(5)
    assert kinds_of(game, state, 25)["pass"] == 1
    state.passes = 1
    assert kinds_of(game, state, 25)["pass"] == 2
    state.to_move = 1
    assert kinds_of(game, state, 25)["pass"] == 3


def test_neighbourhoods_of_one_class_are_those_that_symmetries_and_colours_make_one() -> None:
    """Burnside: 954 in the middle (7632 / 8), 135 at an edge ((243 + 27) / 2), 18 in a corner ((27 + 9) / 2)."""
    assert class_count() == 1 + 954 + 135 + 18
    assert pattern_classes().min() == 0
    rng = random.Random(1)
    for _ in range(30):
        grid = np.array([[rng.choice((0, 0, 1, 2)) for _ in range(3)] for _ in range(3)])
        grid[1, 1] = 0
        same = {class_at(np.rot90(one, turns), 0) for one in (grid, grid.T) for turns in range(4)}
        swapped = np.array([0, 2, 1])[grid]
        assert len({*same, class_at(swapped, 1)}) == 1
    assert class_at(np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]]), 0) != class_at(np.eye(3, k=1, dtype=int), 0)


def class_at(grid: Any, to_move: int) -> int:
    """The class of the middle of a 5x5 board with nine points drawn."""
    game = model_game(5)
    state = game.new_state()
    for row, column in np.argwhere(grid):
        game.place(state, (row + 1) * 5 + column + 1, int(grid[row, column]))
    state.to_move = to_move
    return features_of(game, state, 12) >> CLASS


def test_a_position_that_was_written_down_has_the_same_features() -> None:
    for game, state in positions(5, 9, 1):
        cells, again = np.zeros(26, np.int8), game.new_state()
        write_cells(game, state, cells)
        read_cells(game, again, cells, int(state.to_move))
        legal = game.legal_list(state)
        assert [action for action in range(26) if cells[action] % 4 == 0] == legal
        assert (again.board == state.board).all()
        assert [features_of(game, state, move) for move in legal] == [features_of(game, again, move) for move in legal]


# The model ------------------------------------------------------------------------------------------------------------


def test_a_move_promises_by_how_likely_the_model_calls_it() -> None:
    weights = some_weights()
    game, (_, state) = model_game(5, weights), list(positions(5, 2))[17]
    legal = game.legal_list(state)
    scores = []
    for action in legal:
        features = features_of(game, state, action)
        kinds = kinds_of(game, state, action).items()
        scores.append(sum(weights[name][kind] for name, kind in kinds) + weights["pattern"][features >> CLASS])
    chances = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
    values = np.zeros(len(legal))
    game.priors(state, np.array(legal), len(legal), values)
    odds = [(len(legal) * chance) ** game.slope for chance in chances]
    assert values == pytest.approx([one / (1 + one) for one in odds], abs=1e-5)


def some_samples(size: int = 4) -> Any:
    rows, rng = [], np.random.default_rng(1)
    for game, state in list(positions(size, 4))[10:14]:
        cells, legal = np.zeros(game.actions, np.int8), game.legal_list(state)
        write_cells(game, state, cells)
        chosen = rng.choice(legal, min(3, len(legal)), replace=False)
        row = {"board": cells, "mover": int(state.to_move), "policy_weight": 1.0, "values": [0.5] * 2}
        targets = np.pad(chosen, (0, 24 - len(chosen)), constant_values=-1)
        shares = np.pad(np.array([0.5, 0.3, 0.2][: len(chosen)]), (0, 24 - len(chosen)))
        rows.append({**row, "cells": targets, "chances": shares / shares.sum(), "results": [1, 0]})
    return as_samples(rows, luozi.game("go", size=size))


def test_gradients_are_those_of_the_loss() -> None:
    samples, trainer = some_samples(), GoTrainer(luozi.game("go:size=4"), some_weights(), compiled=False)
    chosen = np.arange(len(samples.mover))

    def loss() -> float:
        trainer.room.losses[:] = 0
        trainer.gradients(samples, chosen)
        return float(trainer.room.losses[0])

    slopes = trainer.gradients(samples, chosen)
    for name, array in trainer.now.items():
        place = int(np.abs(slopes[name]).argmax())
        before, around = array[place], []
        for step in (1e-2, -1e-2):
            array[place] = before + step
            around.append(loss())
        array[place] = before
        assert (around[0] - around[1]) / 2e-2 == pytest.approx(slopes[name][place], rel=0.02, abs=1e-3), name


def test_training_brings_the_loss_down_and_goes_on_where_it_was() -> None:
    """It begins at the logarithm of the number of moves, all alike, and gets near the entropy of the targets."""
    samples, game = (
        joined([some_samples()] * 50),
        luozi.game("go:size=4"),
    )  # so many that they outweigh the pull to zero
    one, other = (GoTrainer(game, new_weights(), compiled=False) for _ in range(2))
    one.gradients(samples, np.arange(4))
    alike = sum(math.log((cells % 4 == 0).sum()) for cells in samples.board[:4])
    assert one.room.losses[0] == pytest.approx(alike)
    one.train(samples, 1, 8, 1e-2, 1)
    other.restore(one.state())
    for trainer in (one, other):
        trainer.train(samples, 8, 8, 1e-2, 2)
    assert all((array == one.weights()[name]).all() for name, array in other.weights().items())
    one.room.losses[:] = 0
    one.gradients(samples, np.arange(4))
    targets = samples.chances[:4][samples.chances[:4] > 0]
    least = -float((targets * np.log(targets)).sum())
    assert least < one.room.losses[0] < (least + alike) / 2


# Files ----------------------------------------------------------------------------------------------------------------


def saved(folder: Path, weights: dict[str, Any] | None = None) -> Path:
    save_weights(folder / "go.npz", weights or some_weights(), {"learned": "in a test"})
    return folder / "go.npz"


def test_weights_come_back_as_they_were_written_and_fit_any_board(tmp_path: Path) -> None:
    weights, file = some_weights(), saved(tmp_path)
    assert all(np.allclose(array, weights[name], atol=2e-3) for name, array in load_weights(file).items())
    assert file.stat().st_size < 50_000
    for size in (2, 9, 19):
        engine = luozi.Engine(luozi.game("go", size=size), network=str(file), prior_visits=20.0, pool_size=1000)
        assert engine.game.model == pytest.approx(in_one_row(weights), abs=2e-3)


def test_wrong_weights_get_one_sentence(tmp_path: Path) -> None:
    go, whole = luozi.game("go:size=5"), saved(tmp_path).read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    head = {"version": 0, "family": {"game": "go"}}
    np.savez(tmp_path / "version.npz", notes=np.frombuffer(json.dumps(head).encode(), np.uint8))
    np.savez(tmp_path / "short.npz", notes=np.frombuffer(json.dumps({**head, "version": VERSION}).encode(), np.uint8))
    claims = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("capture.npy", claims.ljust(127) + b"\n")
    for name, words in (
        ("half", "damaged"),
        ("version", "another version"),
        ("short", "its capture is not as it should be"),
        ("none", "there is no file and no network"),
        ("huge", "damaged"),
    ):
        with pytest.raises(LuoziError, match=words):
            luozi.Engine(go, network=str(tmp_path / f"{name}.npz"), prior_visits=20.0)
    with pytest.raises(LuoziError, match=r"another game \(5 in a row, 2 players, 2-D\)"):
        luozi.Engine(go, network="gomoku", prior_visits=20.0)
    with pytest.raises(LuoziError, match=r"another game \(go\)"):
        luozi.Engine(luozi.game("gomoku"), network=str(tmp_path / "go.npz"))


# The search -----------------------------------------------------------------------------------------------------------


def test_the_priors_of_new_nodes_come_from_the_model_and_simulations_go_on(tmp_path: Path) -> None:
    """A model that wants the second line is looked at there first; results are those of simulations."""
    weights = new_weights()
    weights["line"][[2, 7]] = 8.0
    game, file = luozi.game("go:size=5"), saved(tmp_path, weights)
    engine = luozi.Engine(game, compiled=False, seed=1, network=str(file), selection="puct", prior_power=4)
    thought = engine.think(game.new_state(), iterations=8)
    visited = [one for one in thought.candidates if one.visits]
    assert len(visited) > 1
    assert all(game.line[one.action] == 1 for one in visited)
    assert not thought.learned
    assert {mean for one in visited for mean in one.means} <= {0.0, 1.0, 0.5, 1 / 3, 2 / 3, 0.25, 0.75}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "network has no effect without prior_visits or selection=puct in this game"),
        (
            {"prior_visits": 20, "c_growth": 0.3},
            "c_growth has no effect here",
        ),
        ({"prior_visits": 20, "prior_power": 2}, "prior_power has no effect without selection=puct in this game"),
    ],
)
def test_options_that_do_nothing_beside_it_get_one_sentence(tmp_path: Path, options: Any, sentence: str) -> None:
    with pytest.raises(LuoziError, match=sentence):
        luozi.Engine(luozi.game("go:size=5"), network=str(saved(tmp_path)), **options)


def test_strong_keeps_its_options_beside_a_network_in_go_and_leaves_some_out_in_line_games() -> None:
    assert with_values(GO, {"network": "any"}, luozi.game("go")) == {**GO, "network": "any"}
    left = with_values(LINES, {"network": "any"}, luozi.game("qubic"))
    assert left == {name: LINES[name] for name in LINES if name not in ("decisive_scope", "expand_after")} | {
        "network": "any"
    }


# Learning -------------------------------------------------------------------------------------------------------------

QUICK = {"full": "3", "fast": "2", "longest": "5", "full_share": "0.7", "drawn_share": "1"}


def test_games_against_itself_are_written_down_as_they_were_played() -> None:
    game = luozi.game("go:size=3")
    settings = LearningOptions.of(QUICK)
    played, again = (GoLearner(game).play_uncompiled(some_weights(), settings, 3, 2) for _ in range(2))
    samples = played.samples
    assert all((one == other).all() for one, other in zip(samples, again.samples, strict=True))
    assert len(samples.mover) >= 2
    assert played.moves <= 2 * 5
    for row in range(len(samples.mover)):
        targets = samples.cells[row][samples.cells[row] >= 0]
        assert (samples.board[row][targets] % 4 == 0).all()
        assert samples.chances[row].sum() == pytest.approx(1, abs=1e-5)
        assert samples.results[row].sum() == samples.values[row].sum() == pytest.approx(1)
        assert (samples.board[row] // 4 == 1).sum() <= 1


def test_go_is_learned_as_line_games_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generations, log, weights and a final file through the same frame; stopped, it goes on."""
    monkeypatch.setattr(GoLearner, "play", GoLearner.play_uncompiled)
    monkeypatch.setattr(GoLearner, "trainer", lambda self, weights: GoTrainer(self.game, weights, compiled=False))
    settings = {**QUICK, "games": "4", "generation": "2", "ladder_every": "0", "batch": "4", "seed": "2"}
    for generations in (1, 2):
        run = start_run("go:size=3", "short", "", settings, Listener(), tmp_path)
        try:
            for _, _ in zip(range(generations), run.proceed(Here()), strict=False):
                pass
        finally:
            run.close()
    state = state_of(run.folder)
    assert (state["generation"], state["games"]) == (2, 4)
    assert state["entries"][0]["policy"] > 0
    assert any(array.any() for array in load_weights(run.folder.weights_file(2)).values())
    player = GoLearner(run.game).player(run.folder / "final.npz", run.settings)
    assert player.startswith("strong:network=")
