"""All variants together: every pair of options that makes sense, on several games, with an audit of the whole tree."""

from __future__ import annotations

import pytest
from auditing import Exact, outline, problems_of, wrong_proofs
from covering import VALUES, all_pairs, covering_rows, makes_sense
from test_pruning import Plain
from variant_trees import played, uncompiled

import luozi
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search.options import Options

ROWS = list(covering_rows())
THREE = luozi.game("lines:rows=2,columns=4,win_length=3,players=3")
GAMES = {"tictactoe": luozi.game("tictactoe"), "three players": THREE, "a game of one's own": Plain()}
EXACT = {name: Exact(game) for name, game in GAMES.items()}
NEEDS = {
    "anti_decisive_moves": "winning_actions",
    "prior_visits": "priors",
    "playout_policy": "policy_action",
    "threat_search": "threatening_actions",
}


def offered(game: Game, row: dict) -> dict:
    """The options of a row without those that need what a game does not offer."""
    kept = {name: value for name, value in row.items() if name not in NEEDS or has(game, NEEDS[name])}
    if kept.get("selection") == "puct" and not has(game, "priors"):
        kept = {name: value for name, value in kept.items() if name not in ("selection", "prior_power")}
    if game.players > 2:
        kept.pop("exact_solver_nodes", None)
    if not hasattr(game, "evaluate"):
        kept = {name: value for name, value in kept.items() if name not in ("evaluation", "static_weight")}
    if not game.points:
        kept.pop("ownership", None)
    if not any(kept.get(rule) for rule in ("decisive_moves", "anti_decisive_moves", "avoid_immediate_loss")):
        kept.pop("decisive_scope", None)
    return kept


def has(game: Game, method: str) -> bool:
    return getattr(type(game), method) is not getattr(Game, method)


def spelled(row: dict) -> str:
    return ",".join(f"{name}={value}" for name, value in row.items())


def contains(row: dict, name: str, index: int) -> bool:
    """Whether a row has this value of an option, and of no other value more than that."""
    own = {key for value in VALUES[name] for key in value}
    return {key: value for key, value in row.items() if key in own} == VALUES[name][index]


def test_the_rows_cover_every_pair_that_makes_sense():
    pairs = all_pairs()
    assert len(pairs) > 1000
    for row in ROWS:
        Options(**row)  # which raises if they make no sense together
    for pair in pairs:
        assert any(all(contains(row, name, index) for name, index in pair) for row in ROWS), pair
    assert not makes_sense({"selection": 4, "rave": 1})


def audit(row: dict, moves: int, iterations: int) -> None:
    """Play a few moves of each game by a search with these options; look at the tree after each."""
    for name, game in GAMES.items():
        engine = uncompiled(game, **offered(game, row))
        position, kept = Position.of(game, played(game, 0, 5)), False
        for _ in range(moves):
            thought = engine.think(position, iterations=iterations)
            where = f"{name}, {spelled(row)}:\n{game.show(position.state)}"
            assert problems_of(engine, kept) == [], where
            assert thought.action in position.actions, where
            assert not thought.pool_full
            if engine.options.mcts_solver != "none":
                wrong = wrong_proofs(engine, EXACT[name], position.to_move)
                assert wrong in ([], ["nothing is proven"]), where
            position, kept = position.play(thought.action), engine.options.reuse_tree
            if position.returns is not None:
                break


@pytest.mark.parametrize("row", ROWS[::2], ids=spelled)
def test_every_combination_leaves_a_sound_tree(row):
    audit(row, moves=2, iterations=50)


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=spelled)
def test_every_combination_leaves_a_sound_tree_of_some_size(row):
    audit(row, moves=3, iterations=100)


SETS = [
    {
        "mcts_solver": "standard",
        "keep_proven_win": True,
        "keep_playout_win": True,
        "playout_discount": 0.9,
        "playing_style": "cautious",
    },
    {
        "transpositions": True,
        "decisive_moves": True,
        "anti_decisive_moves": True,
        "avoid_immediate_loss": True,
        "backup_discount": 0.97,
    },
    {"rave": "fuego", "progressive_history": 0.5, "fpu": 0.6, "prune_ratio": 0.3, "prune_min_visits": 5},
    {"selection": "puct", "prior_visits": 3, "grandfather": "start", "mcts_solver": "paranoid"},
    {"selection": "ucb1_tuned", "transpositions": True, "rave": "min_mse", "mcts_solver": "first_winner"},
    {"opponent_model": "paranoid", "rave": "hand_selected", "grandfather": "order", "decisive_moves": True},
    *(
        pytest.param(
            row | {"playout_policy": True}, marks=pytest.mark.long
        )  # simulations by a policy compile all of it again
        for row in (
            {"selection": "puct", "prior_visits": 3, "grandfather": "start", "mcts_solver": "paranoid"},
            {"selection": "random", "mcts_solver": "standard", "keep_proven_win": True},
        )
    ),
    {"selection": "random", "mcts_solver": "standard", "keep_proven_win": True},
]


@pytest.mark.parametrize("row", SETS, ids=spelled)
def test_compiled_and_uncompiled_full_search_leave_the_same_behind(row):
    game = GAMES["tictactoe"]
    fast, slow = (luozi.Engine(game, seed=3, pool_size=20_000, compiled=compiled, **row) for compiled in (True, False))
    position = game.begin()
    for _ in range(3):
        thoughts = [engine.think(position, iterations=120) for engine in (fast, slow)]
        assert thoughts[0].candidates == thoughts[1].candidates
        assert outline(fast) == outline(slow)
        position = position.play(thoughts[0].action)


@pytest.mark.parametrize("row", SETS, ids=spelled)
def test_a_long_compiled_search_leaves_a_sound_tree(row):
    game = GAMES["tictactoe"]
    engine, position, kept = luozi.Engine(game, seed=1, pool_size=200_000, **row), game.begin(), False
    while position.returns is None:
        thought = engine.think(position, iterations=400)
        assert problems_of(engine, kept) == []
        position, kept = position.play(thought.action), True


@pytest.mark.parametrize("row", SETS, ids=spelled)
def test_a_starved_pool_is_never_overrun(row):
    game = GAMES["tictactoe"]
    for pool in (16, 23, 40, 77):
        engine, position = luozi.Engine(game, seed=pool, pool_size=pool, **row), game.begin()
        while position.returns is None:
            thought = engine.think(position, iterations=300)
            assert thought.action in position.actions
            assert sum(candidate.visits for candidate in thought.candidates) > 0
            position = position.play(thought.action)
