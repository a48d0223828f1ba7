"""Board networks: their arithmetic by definition, and their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from board_shapes import SHAPES, Shape, grid_shape, random_input

import luozi
from luozi.evaluators.board_network_reference import convolved, forward
from luozi.evaluators.board_weights import (
    BoardSizes,
    family_of,
    load_board_weights,
    new_board_weights,
    save_board_weights,
    shapes_of,
)
from luozi.evaluators.weight_files import write_weights

SMALL = BoardSizes(3, 8, 4)


@pytest.mark.parametrize("name", SHAPES)
def test_a_convolution_is_the_sum_over_a_cells_neighbours(name: str) -> None:
    shape, rng = SHAPES[name], np.random.default_rng(1)
    taps = 2 if shape.kind == "points" else shape.neighbours.shape[1]
    values, weights, bias = rng.normal(size=(3, shape.cells)), rng.normal(size=(2, taps, 3)), rng.normal(size=2)
    found = convolved(values, weights, bias, shape)
    for cell in range(shape.cells):
        expected = bias.copy()
        near = [int(other) for other in shape.neighbours[cell]]
        if shape.kind == "points":
            others = [values[:, other] for other in near[1:] if other >= 0]
            expected += weights[:, 0] @ values[:, cell] + weights[:, 1] @ np.mean(others, 0)
        else:
            for tap, other in enumerate(near):
                expected += weights[:, tap] @ values[:, other] if other >= 0 else 0
        np.testing.assert_allclose(found[:, cell], expected * shape.exists[cell], atol=1e-12)


@pytest.mark.parametrize("name", SHAPES)
def test_a_network_gives_a_score_for_each_action_and_chances_that_add_up_to_one(name: str) -> None:
    shape = SHAPES[name]
    weights = new_board_weights(shape, SMALL, 1)
    logits, result = forward(weights, shape, *random_input(shape, 1))
    assert logits.shape == (len(shape.action_cells),)
    assert result.shape == (shape.players + 1,)
    assert result.sum() == pytest.approx(1)
    assert logits.std() > 0


def test_a_turned_board_turns_the_scores_where_the_weights_are_symmetric() -> None:
    shape = grid_shape(4, 5)
    weights = new_board_weights(shape, SMALL, 1)
    for name in weights:
        if weights[name].ndim == 3:
            weights[name] = weights[name] + weights[name][:, ::-1]
    planes, values = random_input(shape, 1)
    logits, result = forward(weights, shape, planes, values)
    turned, same = forward(weights, shape, planes[:, ::-1], values)
    np.testing.assert_allclose(turned[:20], logits[19::-1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(same, result, rtol=1e-4, atol=1e-5)


def test_missing_cells_say_nothing() -> None:
    shape = SHAPES["missing cells"]
    weights = new_board_weights(shape, SMALL, 1)
    planes, values = random_input(shape, 1)
    one, _ = forward(weights, shape, planes, values)
    without = Shape(**{**vars(shape), "neighbours": np.where(np.isin(shape.neighbours, (0, 5)), -1, shape.neighbours)})
    other, _ = forward(weights, without, planes, values)
    there = np.append(shape.exists > 0, True)
    np.testing.assert_allclose(one[there], other[there], rtol=1e-6)


def test_two_actions_with_the_same_clicks_differ_by_a_learned_number() -> None:
    shape = SHAPES["two clicks"]
    weights = new_board_weights(shape, SMALL, 1)
    logits, _ = forward(weights, shape, *random_input(shape, 1))
    assert logits[1] - logits[0] == pytest.approx(weights["offset"][1] - weights["offset"][0], abs=1e-5)


def test_a_file_serves_all_sizes_of_a_board(tmp_path: Path) -> None:
    small, large = grid_shape(4, 4), grid_shape(9, 9)
    weights = new_board_weights(small, SMALL, 1)
    save_board_weights(tmp_path / "one.npz", weights, small, SMALL, {"generation": 3})
    found, sizes = load_board_weights(tmp_path / "one.npz", large)
    assert sizes == SMALL
    assert set(found) == set(shapes_of(large, SMALL))
    np.testing.assert_array_equal(found["mix.w"], weights["mix.w"].astype(np.float16))


def changed(shape: Shape, **more: Any) -> Shape:
    return Shape(**{**vars(shape), **more})


@pytest.mark.parametrize("other", [{"name": "another"}, {"planes": 6}, {"numbers": 4}, {"players": 3}, {"history": 0}])
def test_weights_of_another_game_are_refused(other: dict[str, Any], tmp_path: Path) -> None:
    shape = grid_shape(4, 4)
    save_board_weights(tmp_path / "one.npz", new_board_weights(shape, SMALL, 1), shape, SMALL)
    with pytest.raises(luozi.LuoziError, match="was learned for another game"):
        load_board_weights(tmp_path / "one.npz", changed(shape, **other))


@pytest.mark.parametrize("sizes", [None, [], [3, 8], [3, 8, "4"], [3, 8, -4], [10**9, 8, 4], [True, 8, 4]])
def test_sizes_that_are_none_are_refused(sizes: Any, tmp_path: Path) -> None:
    shape = grid_shape(4, 4)
    write_weights(tmp_path / "one.npz", family_of(shape), new_board_weights(shape, SMALL, 1), {"sizes": sizes})
    with pytest.raises(luozi.LuoziError, match="is damaged: its sizes"):
        load_board_weights(tmp_path / "one.npz", shape)


def test_an_array_of_another_shape_is_refused(tmp_path: Path) -> None:
    shape = grid_shape(4, 4)
    weights = new_board_weights(shape, SMALL, 1)
    weights["cell.w"] = np.zeros(5, np.float32)
    save_board_weights(tmp_path / "one.npz", weights, shape, SMALL)
    with pytest.raises(luozi.LuoziError, match=r"is damaged: its cell\.w"):
        load_board_weights(tmp_path / "one.npz", shape)
