"""Back-up: what each edge of a path is credited with, recomputed from the iterations themselves."""

from __future__ import annotations

import pytest
from variant_trees import edge_visits, follow, mean_sums, uncompiled

SPELLINGS = ["tictactoe", "lines:rows=3,columns=4,win_length=3,players=3"]


def sums_of(engine, iterations, credit):
    """All sums of a search, and the same recomputed: what an edge gets for a step, so many moves above its end."""
    expected: dict[int, list[float]] = {}
    game, lengths = engine.game, set()
    for step in follow(engine, game.new_state(), iterations):
        lengths.add(step.random_moves)
        for above, edge in enumerate(reversed(step.edges)):
            held = expected.get(edge, [0.0] * game.players)
            expected[edge] = [total + credit(x, above, step) for total, x in zip(held, step.results, strict=True)]
    assert len(lengths) > 3  # games of several lengths
    assert max(engine.thread.path[:, 0]) > 0
    return {edge: mean_sums(engine.tree, edge) for edge in edge_visits(engine.tree)}, expected


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_results_are_discounted_towards_one_half_going_up(spelling):
    engine = uncompiled(spelling, discount=0.9)
    found, expected = sums_of(engine, 150, lambda x, above, step: 0.5 + 0.9**above * (x - 0.5))
    assert found.keys() == expected.keys()
    for edge, sums in expected.items():
        assert found[edge] == pytest.approx(sums, abs=1e-6)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_results_decay_with_every_random_move(spelling):
    engine = uncompiled(spelling, decay=0.8)
    found, expected = sums_of(engine, 150, lambda x, above, step: x * 0.8**step.random_moves)
    assert found.keys() == expected.keys()
    for edge, sums in expected.items():
        assert found[edge] == pytest.approx(sums, abs=1e-6)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_simulation_past_the_horizon_is_a_draw(spelling):
    engine, lengths = uncompiled(spelling, horizon=7), []

    def credit(x, above, step):
        lengths.append(step.random_moves)
        return x if engine.game.is_terminal(step.end) else 0.5

    found, expected = sums_of(engine, 150, credit)
    assert found.keys() == expected.keys()
    assert max(lengths) == 7
    for edge, sums in expected.items():
        assert found[edge] == pytest.approx(sums, abs=1e-6)


def test_decay_comes_before_the_discount():
    engine = uncompiled("tictactoe", decay=0.8, discount=0.7)
    found, expected = sums_of(engine, 100, lambda x, above, step: 0.5 + 0.7**above * (x * 0.8**step.random_moves - 0.5))
    for edge, sums in expected.items():
        assert found[edge] == pytest.approx(sums, abs=1e-6)


def test_neither_alone_changes_which_results_are_seen():
    """With no option the sums are the plain results: what the two tests above compare with is no accident."""
    engine = uncompiled("tictactoe", discount=0.999999)
    found, expected = sums_of(engine, 100, lambda x, above, step: x)
    for edge, sums in expected.items():
        assert found[edge] == pytest.approx(sums, abs=1e-3)
