"""All ways to search with several threads, with all variants, for long: nothing is lost, and nothing hangs.

The same under a hostile schedule: all threads on one core, which each gives away before everything that it publishes.
"""

from __future__ import annotations

import os
import random
import time
from contextlib import contextmanager

import pytest
from auditing import Exact, pool_problems, problems_of, wrong_proofs
from covering import covering_rows
from hostile import HostileEdgeLockTree, HostileTree, use_tree
from test_combinations import offered, spelled
from test_modes import at_leaves, trees_of
from test_threads import look

import luozi
from luozi.evaluators.thread_state import FULL
from luozi.search.tree.children import root_visits, used_share

PATIENCE = 120  # seconds: a search that takes longer hangs
ITERATIONS = {"leaf": 600}  # of one search, where threads wait for each other
MANY = 5_000  # elsewhere
TREE_MODES = {
    "free": {},
    "plain": {"counters": "plain"},
    "node": {"locks": "node"},
    "global": {"locks": "global"},
    "hostile": {},
}
MODES = {**TREE_MODES, "root": {"parallel": "root"}, "leaf": {"parallel": "leaf"}}
GAMES = [
    "tictactoe",
    "connect4:rows=4,columns=5",
    "lines:rows=2,columns=4,win_length=3,players=3",
    "go:size=3,superko=false",
]
SOLVED = {spelling: Exact(luozi.game(spelling)) for spelling in (GAMES[0], GAMES[2])}  # by trying everything
ELSEWHERE = (
    "evaluation",
    "static_weight",
    "threat_search",
    "exact_solver_nodes",
    "reuse_tree",
    "early_stop",
    "final",
    "extra_budget",
)  # other parts; not about trees
ONE_THREAD = ("keep_proven_win", "keep_playout_win", "prune_ratio", "prune_min_visits", "prune_after")
# What an audit finds in a sound tree that threads made: two that come to a new move at once both simulate from it, and
# copies for selection may be old (see `locking.py`).
FULL_POOL = ("visits below of",)  # there new moves find no room
RACED = ("visits below of", "its means are not", "its spread is not", "skipped a likelier move")


class Full(luozi.Engine):
    """All variants in one shape, so that each mode compiles once for a game."""

    always_full = True


def fitting(row, mode):
    """A row of options without those that a mode refuses, or that have other parts."""
    left_out = [*ELSEWHERE, *([] if mode == "root" else ["batch_size", "virtual_loss"])]
    left_out += ONE_THREAD if mode in TREE_MODES else []
    left_out += ["transpositions"] if mode == "plain" else []
    return {name: value for name, value in row.items() if name not in left_out}


@contextmanager
def one_core(wanted):
    """All threads on one core."""
    cores = os.sched_getaffinity(0)
    try:
        if wanted:
            os.sched_setaffinity(0, {min(cores)})
        yield
    finally:
        os.sched_setaffinity(0, cores)


def engine_for(kind, game, mode, threads, **values):
    engine = kind(game, threads=threads, seed=threads, **{"pool_size": 60_000, **MODES[mode], **values})
    if mode == "hostile":
        use_tree(engine, HostileEdgeLockTree if engine.options.transpositions else HostileTree)
    return engine


def ended(search):
    """The answer of a search, which has to come in time."""
    assert search.wait(PATIENCE), "the search hangs"
    return search.result()


def problems(engine, mode):
    """Everything that is wrong with the trees of an engine."""
    if mode == "plain":
        return look(engine, exact=False)
    allowed = RACED if mode in TREE_MODES else FULL_POOL if engine.progress[FULL] else ()
    found = [problem for one in trees_of(engine) for problem in problems_of(one)]
    return [one for one in found if not (any(text in one for text in allowed) or (mode == "leaf" and at_leaves(one)))]


def search_and_audit(engine, mode, spelling, iterations):
    """One search of so many iterations; all that must hold of it."""
    game = engine.game
    state = game.after(game.new_state(), 0)
    thought = ended(engine.start(state, iterations=iterations))
    proven = all(c.proven for c in thought.candidates) or any(
        c.proven and c.means[thought.player] == 1 for c in thought.candidates
    )
    assert thought.iterations == sum(thought.threads)
    assert thought.iterations == iterations or proven
    visits = sum(root_visits(memory.tree) for memory in engine.forest.memories)
    assert visits == thought.iterations if mode != "plain" else 0.5 * thought.iterations <= visits <= thought.iterations
    assert problems(engine, mode) == []
    assert all(used_share(memory.tree) <= 1 for memory in engine.forest.memories)
    if engine.options.mcts_solver != "none" and spelling in SOLVED:
        for one in trees_of(engine):
            assert wrong_proofs(one, SOLVED[spelling], game.current_player(state)) in ([], ["nothing is proven"])
    return thought.iterations


def stop_at_random(engine, mode, rng):
    """A stop always works, and leaves nothing expected."""
    search = engine.start(engine.game.new_state(), seconds=600)
    time.sleep(rng.random() * 0.003)
    search.stop()
    thought = ended(search)
    visits = sum(root_visits(memory.tree) for memory in engine.forest.memories)
    assert mode == "plain" or visits == thought.iterations + thought.reused_visits
    assert [problem for one in trees_of(engine) for problem in look(one, exact=mode != "plain")] == []


def stress(spelling, mode, threads, rows, iterations, kind=Full):
    """Search with every row; how many iterations that were."""
    game, rng, done = luozi.game(spelling), random.Random(threads), 0
    with one_core(mode == "hostile"):
        for number, row in enumerate(rows):
            values = {**fitting(offered(game, row), mode), **({"pool_size": 1_000} if number % 4 == 3 else {})}
            if game.no_transpositions:
                values.pop("share", None)
            engine = engine_for(kind, game, mode, threads, **values)
            engine.compile()  # that takes long, and is no hanging
            try:
                done += search_and_audit(engine, mode, spelling, iterations)
                stop_at_random(engine, mode, rng)
            except AssertionError as error:
                raise AssertionError(f"{mode}, {threads} threads, {spelling}, {spelled(values)}: {error}") from error
    return done


@pytest.mark.long
@pytest.mark.parametrize("threads", [4, 16])
@pytest.mark.parametrize("mode", MODES)
def test_all_variants_hold_with_many_threads(mode, threads):
    assert stress("tictactoe", mode, threads, list(covering_rows()), ITERATIONS.get(mode, MANY)) > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", ["free", "root", "leaf"])
@pytest.mark.parametrize("spelling", GAMES[1:])
def test_variants_hold_in_other_games(spelling, mode):
    """Every fourth row: each game and mode is compiled apart."""
    for threads in (4, 16):
        assert stress(spelling, mode, threads, list(covering_rows())[::4], ITERATIONS.get(mode, MANY)) > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_millions_of_plain_iterations_hold(mode):
    """The plain search is the fastest: threads meet most often."""
    iterations = {"leaf": 5_000, "hostile": 50_000}.get(mode, 500_000)
    for threads in (4, 16):
        assert stress("tictactoe", mode, threads, [{}], iterations, luozi.Engine) == iterations


@pytest.mark.parametrize("mode", [pytest.param("free", marks=pytest.mark.long), "hostile", "root", "leaf"])
def test_each_mode_holds_for_a_moment(mode):
    assert stress("tictactoe", mode, 4, [{}], ITERATIONS.get(mode, MANY), luozi.Engine) > 0


@pytest.mark.long
def test_a_pool_that_fills_gives_nothing_away_twice():
    """Segments of several sizes: what one thread can't have, another may."""
    game = luozi.game("gomoku:size=7")
    engine = luozi.Engine(game, seed=1, threads=16, pool_size=700)
    use_tree(engine, HostileTree)
    full = 0
    for _ in range(150):
        full += engine.think(game.begin(), iterations=2_000).pool_full
        assert [problem for problem in pool_problems(engine.tree) if "both have edge" in problem] == []
    assert full > 50
