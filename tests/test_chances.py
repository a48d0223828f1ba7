"""Wins and draws told apart: what a search counts, what is told of it, and nothing where too few visits say it."""

from __future__ import annotations

import io
from types import MethodType
from typing import Any

import pytest
from rich.console import Console

import luozi
from luozi.records.moves import chances_in, note_of
from luozi.terminal.lists import show_search_result
from luozi.util.win_rates import FEWEST, sentence

THREE = "lines:rows=4,columns=4,win_length=4,players=3"  # most games end drawn
ROWS: list[dict[str, Any]] = [
    {},
    {"transpositions": True},
    {"batch_size": 4, "virtual_loss": 3},
    {"max_playout_moves": 5},
    {"mcts_solver": "standard", "decisive_moves": True},
    {"transpositions": True, "mcts_solver": "standard", "pool_size": 500},
    {"rave": "fuego", "progressive_history": 1.0, "grandfather": "start", "prior_visits": 2.0},
    {"expand_after": 3},
    {"playout_policy": True, "selection": "puct"},
]
THREADS: list[dict[str, Any]] = [{"parallel": way, "threads": 2} for way in ("tree", "root", "leaf")]


def check_draws(thought: luozi.SearchResult) -> None:
    """A game gives 1 to one of three players or a half to each: so results tell how many were drawn."""
    for candidate in thought.candidates:
        if candidate.visits and not candidate.proven:
            assert 2 * candidate.visits * (sum(candidate.means) - 1) == pytest.approx(candidate.draws, abs=0.01)
    assert any(candidate.draws for candidate in thought.candidates)


@pytest.mark.parametrize("row", [*ROWS, *THREADS], ids=str)
def test_the_draws_of_every_candidate_are_those_of_its_simulations(row: dict[str, Any]) -> None:
    """From move to move, and after a move was taken back."""
    game = luozi.game(THREE)
    engine, position = luozi.Engine(game, compiled="threads" in row, seed=1, **row), game.begin()
    for _ in range(2):
        thought = engine.think(position, iterations=200)
        check_draws(thought)
        position = position.play(thought.action)
    check_draws(engine.think(position.back(2), iterations=100))


def test_every_drawn_simulation_of_two_players_is_counted_once() -> None:
    game, drawn = luozi.game("tictactoe"), 0
    returns = game.returns

    def counted(_: luozi.Game, state: Any, results: Any) -> None:
        nonlocal drawn
        returns(state, results)
        drawn += results[0] == results[1]

    engine = luozi.Engine(game, compiled=False, seed=1)
    engine.game.returns = MethodType(counted, engine.game)
    thought = engine.think(game.new_state(), iterations=300)
    assert sum(candidate.draws for candidate in thought.candidates) == drawn > 0


@pytest.mark.parametrize("spelling", ["tictactoe", THREE])
def test_what_is_told_sums_to_one(spelling: str) -> None:
    game = luozi.game(spelling)
    thought = luozi.Engine(game, compiled=False, seed=1).think(game.new_state(), iterations=2000)
    told = [row["value"] for row in thought.as_dict()["candidates"]]
    known = [value for value in told if not value["few"]]
    assert known
    for value in known:
        assert value["draw"] > 0
        assert sum(value["chances"]) + value["draw"] == pytest.approx(1, abs=3e-6)
    for row in thought.rows():
        cells = [float(cell.removesuffix(" %")) for cell in row[3:-1] if cell != "-"]
        assert not cells or sum(cells) == pytest.approx(100, abs=1e-6)


@pytest.mark.parametrize("visits", [1, FEWEST - 1, FEWEST])
def test_the_terminal_shows_no_number_of_few_visits(visits: int) -> None:
    game = luozi.game("tictactoe")
    thought = luozi.Engine(game, compiled=False, seed=1).think(game.new_state(), iterations=visits, moves=["b2"])
    assert thought.best.visits == visits
    console = Console(file=io.StringIO(), width=100)
    show_search_result(console, thought)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    (row,) = [line for line in said.splitlines() if line.startswith("b2 ")]
    assert (row.count("%") == 1) == (visits < FEWEST)  # the share of the visits
    assert (f"only a few visits ({visits})" in said) == (visits < FEWEST)


def test_playouts_that_are_stopped_early_are_no_draws() -> None:
    """They have no result: what they add is called undecided wherever it is told, in records too."""
    game = luozi.game(THREE)
    thought = luozi.Engine(game, compiled=False, seed=1, max_playout_moves=2).think(
        game.begin(), iterations=300, moves=[0, 5]
    )
    chances = thought.chances()
    assert chances is not None
    assert chances.kind == "undecided"
    assert sum(chances.parts()) == pytest.approx(1)
    assert "undecided" in thought.header()
    assert "draw" not in thought.header()
    assert "undecided" in sentence(chances, thought.names())
    kept = chances_in(note_of(thought, 1.0).thought)
    assert kept is not None
    assert (kept.kind, kept.draw) == ("undecided", pytest.approx(chances.draw, abs=1e-5))
    whole = luozi.Engine(game, compiled=False, seed=1).think(game.begin(), iterations=300, moves=[0, 5])
    assert "draw" in whole.header()
