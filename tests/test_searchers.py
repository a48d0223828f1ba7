"""Whose search it is: a tree is kept for another player only where no option depends on who searches."""

from __future__ import annotations

from pathlib import Path
from types import MethodType
from typing import Any

import numpy as np
import pytest
from test_excluded import Fork

import luozi
from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_weights import BoardSizes, new_board_weights, save_board_weights
from luozi.evaluators.line_weights import new_weights, save_weights
from luozi.messages import LuoziError
from luozi.rules.position import Position
from luozi.search.options import Options
from luozi.util.parameters import Parameter, parameters_of

LINES = "tictactoe:players=3,size=4,win_length=3"
ITERATIONS, WITH_NETWORK = 50, 12
THREADS = {"threads", "parallel", "locks", "counters"}  # compiled code alone has them; they differ by no player
ENGINES = {
    "pool_size",
    "max_memory_mb",
    "seed",
    "reuse_tree",
    "self_play_tree",
}  # how trees are kept, not what is in them
LIMITS = {"iterations", "seconds", "nodes", "final", "extra_budget"}  # when a search ends

# What an option needs beside itself, where it would do nothing or be refused alone.
PARTNERS: dict[str, dict[str, Any]] = {
    "c": {},
    "rave_weight": {"rave": "fuego"},
    "rave_prior_visits": {"rave": "fuego", "prior_visits": 2.0},
    "grandfather_visits": {"grandfather": "start"},
    "prior_power": {"selection": "puct"},
    "decisive_scope": {"decisive_moves": True},
    "territory_playouts": {"ownership": True},
    "territory_min_share": {"ownership": True, "territory_playouts": 3},
    "territory_max_share": {"ownership": True, "territory_playouts": 3},
    "prune_ratio": {"prune_min_visits": 2, "prune_after": 0.1},
    "prune_after": {"prune_ratio": 0.9, "prune_min_visits": 2},
    "prune_min_visits": {"prune_ratio": 0.9},
    "virtual_loss": {"batch_size": 4},
    "static_weight": {"evaluation": "mix"},
    "extra_budget": {"final": "max_robust"},
    "heuristic_weights": {"playout_policy": True, "max_playout_moves": 3},
}
OF_NETWORK = {"network": "", "decisive_moves": True, "anti_decisive_moves": True}
PARTNERS |= dict.fromkeys(
    ("network", "network_threat_nodes", "fpu_reduction", "c_growth", "opponent_blunder_rate", "dirichlet_fraction"),
    OF_NETWORK,
)
PARTNERS["gumbel_candidates"] = {"network": "board"}
TEXTS = {"playing_style": "bold+cautious", "heuristic_weights": "pattern:0.5", "network": ""}  # where all is allowed


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game, rng = luozi.game(LINES), np.random.default_rng(1)
    file = tmp_path_factory.mktemp("network") / "weights.npz"
    weights = new_weights(game, 1)
    noisy = {name: array + 0.1 * rng.standard_normal(array.shape) for name, array in weights.items()}
    save_weights(file, game, {name: array.astype(np.float32) for name, array in noisy.items()})
    shape, sizes = board_input(luozi.game("tictactoe")), BoardSizes(1, 4, 2)
    save_board_weights(file.with_name("board.npz"), new_board_weights(shape, sizes, 1), shape, sizes)
    return file


def values_of(one: Parameter) -> list[Any]:
    """Values of an option that differ from its default."""
    if one.about.choices:
        return [choice for choice in one.about.choices if choice != one.default]
    if one.kind is bool:
        return [not one.default]
    if one.kind is str:
        return [TEXTS[one.name]]
    value = 0.5 if not one.default else one.default / 2
    if one.kind is int:
        value = 3 if not one.default else one.default + 3
    low, high = one.about.low, one.about.high
    return [min(max(value, -np.inf if low is None else low), np.inf if high is None else high)]


OPTIONS = [
    (one.name, value)
    for one in parameters_of(Options).values()
    for value in values_of(one)
    if one.name not in THREADS | ENGINES | LIMITS
]


def row_of(name: str, value: Any, network: Path) -> dict[str, Any]:
    """An option with what it needs."""
    row = {**PARTNERS.get(name, {}), name: value}
    if "network" in row:
        row["network"] = str(network.with_name("board.npz") if row["network"] == "board" else network)
    return row


def games() -> list[tuple[luozi.Game, Any]]:
    """Games and positions of them; between them they offer what any option needs."""
    found = [(game, game.new_state()) for game in (Fork(1, 3), Fork(1, 2))]
    for spelling, moves in (
        (LINES, (0, 3, 4, 11, 13, 14)),
        ("tictactoe", (0,)),
        ("gomoku:size=6", ()),
        ("go:size=5", ()),
    ):
        game = luozi.game(spelling)
        state = game.new_state()
        for action in moves:
            state = game.after(state, action)
        found.append((game, state))
    return found


def engine_for(row: dict[str, Any]) -> tuple[luozi.Engine, Any]:
    """An engine for the first game that offers what the options need, and a position."""
    for game, state in games():
        try:
            return luozi.Engine(game, compiled=False, seed=1, pool_size=4000, **row), state
        except LuoziError as error:
            reason = str(error)
    raise AssertionError(f"no game of this test allows {row}: {reason}. Add what the option needs to PARTNERS.")


def pretend(engine: luozi.Engine, searcher: int) -> None:
    """Let another player be the one who searches; whoever is to move is still to move."""
    current_player = engine.game.current_player

    def player_at(_: luozi.Game, state: Any) -> int:
        array = np.asarray(state).view(np.ndarray)
        roots = [engine.thread.root] if engine.memory.root is None else [engine.thread.root, engine.memory.root]
        if any(np.shares_memory(array, np.asarray(root).view(np.ndarray)) for root in roots):
            return searcher
        return int(current_player(state))

    engine.game.current_player = MethodType(player_at, engine.game)


def pretended(game: luozi.Game, state: Any, searcher: int) -> Position:
    """A position in which this player is the one who searches."""

    class Pretended(Position):
        __slots__ = ()
        to_move = property(lambda self: searcher)  # type: ignore[assignment]

    found = Position.of(game, state)
    found.__class__ = Pretended
    return found


SIDE_TABLES = ("flags", "values", "squares", "rave", "priors", "positions", "table", "history", "cuts")


def contents(engine: luozi.Engine) -> list[Any]:
    """All that a search leaves behind, as lists."""
    tree = engine.tree
    arrays = [tree.words, tree.sums, tree.drawn, tree.nodes, tree.used, *(getattr(tree, name) for name in SIDE_TABLES)]
    return [np.asarray(array).tolist() for array in arrays]


def search(engine: luozi.Engine, position: Any) -> luozi.SearchResult:
    return engine.think(position, iterations=WITH_NETWORK if engine.options.network else ITERATIONS)


def tree_after(row: dict[str, Any], searcher: int) -> list[Any]:
    """What a search leaves behind if this player searches; who is to move does not change."""
    engine, state = engine_for(row)
    pretend(engine, searcher)
    search(engine, pretended(engine.game, state, searcher))
    return contents(engine)


def depends_on_searcher(row: dict[str, Any]) -> bool:
    players = engine_for(row)[0].game.players
    first = tree_after(row, 0)
    return any(tree_after(row, searcher) != first for searcher in range(1, players))


def search_as_next(row: dict[str, Any]) -> tuple[luozi.SearchResult, luozi.SearchResult]:
    """Search as one player, play a move and search as the next: with this tree, and with a new one."""
    engine, state = engine_for(row)
    position = Position.of(engine.game, state)
    following, fresh = position.play(search(engine, position).action), engine_for(row)[0]
    fresh.thread.rng[:] = engine.thread.rng
    return search(engine, following), search(fresh, following)


def told(thought: luozi.SearchResult) -> list[Any]:
    return sorted(candidate[:5] for candidate in thought.candidates)


@pytest.mark.parametrize(("name", "value"), OPTIONS, ids=[f"{name}={value}" for name, value in OPTIONS])
def test_a_tree_is_kept_for_another_player_where_it_depends_on_no_option(name: str, value: Any, network: Path) -> None:
    row = row_of(name, value, network)
    with_tree, without = search_as_next(row)
    if with_tree.reused_visits:
        assert not depends_on_searcher(row)
    else:
        assert told(with_tree) == told(without)


NOTED = {
    "rave": "fuego",
    "progressive_history": 1.0,
    "grandfather": "start",
    "transpositions": True,
    "prune_ratio": 0.5,
    "prune_min_visits": 2,
}
PERSONAL: dict[str, dict[str, Any]] = {
    "doubt": {**OF_NETWORK, "opponent_blunder_rate": 0.5},
    "paranoid": {"opponent_model": "paranoid"},
    "paranoid, with notes": {"opponent_model": "paranoid", **NOTED},
    "paranoid, without a tree": {"opponent_model": "paranoid", "progressive_history": 1.0, "reuse_tree": False},
    "paranoid, with proofs": {"opponent_model": "paranoid", "mcts_solver": "standard"},
    "personalities": {"playing_style": "bold+cautious"},
    "personalities, with notes": {"playing_style": "bold+cautious", **NOTED},
    "personalities, with proofs": {"playing_style": "bold+cautious", "mcts_solver": "standard"},
    "fpu": {"playing_style": "balanced+cautious", "fpu": 0.4, "rewards": "plus_minus"},
    "paranoid proofs": {"mcts_solver": "paranoid", "c": 0.0},
}


@pytest.mark.parametrize("row", PERSONAL.values(), ids=PERSONAL)
def test_a_tree_that_depends_on_who_searched_is_not_kept_for_another_player(row: dict[str, Any], network: Path) -> None:
    row = {**row, "network": str(network)} if "network" in row else row
    with_tree, without = search_as_next(row)
    assert with_tree.reused_visits == 0
    assert told(with_tree) == told(without)
    assert depends_on_searcher(row)


@pytest.mark.parametrize("row", PERSONAL.values(), ids=PERSONAL)
def test_a_player_goes_on_with_a_tree_of_its_own(row: dict[str, Any], network: Path) -> None:
    row = {**row, "network": str(network)} if "network" in row else row
    engine, state = engine_for({**row, "reuse_tree": True})
    assert search(engine, state).iterations == search(engine, state).reused_visits > 0


def test_seats_of_one_personality_share_a_tree() -> None:
    with_tree, _ = search_as_next({"playing_style": "bold+bold+cautious"})
    assert with_tree.reused_visits > 0
