"""Speeds of parallel searches, measured one after the other in one process, so that a slow minute affects all kinds.

The yardstick is as many one-thread searches at once as there are threads, each with its own tree: a shared tree can't
be faster.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from luozi.games import game as make_game
from luozi.messages import LuoziError
from luozi.players.simple import FlatPlayer
from luozi.rules.game import Game
from luozi.search import Engine
from luozi.search.options import Options
from luozi.search.result import SearchResult
from luozi.search.tree.children import root_visits
from luozi.search.tree_reuse import tree_class
from luozi.util.parameters import parameters_of
from luozi.util.trust import environment

# How threads may share the work, by the options that say so; those that the search does not know are left out.
KINDS: dict[str, dict[str, Any]] = {
    "free": {},
    "plain": {"counters": "plain"},
    "node": {"locks": "node"},
    "global": {"locks": "global"},
    "root": {"parallel": "root"},
    "leaf": {"parallel": "leaf"},
}
ONE = "one thread"  # the code that knows of no other thread
APART = "apart"  # the yardstick: as many searches, each on its own
SIMULATIONS = "simulations"  # one thread that only simulates
ROOM = 4_000_000  # places in the node pool for each thread and second; unused ones take no memory
LEAST_ROOM = 200_000
CHILD = "from luozi.experiments.speeds import main; main()"

Speed = dict[str, float]  # simulations a second, cores in use, lost visits, whether the pool was full


def known_kinds() -> list[str]:
    """Return the kinds whose options the search has.

    >>> known_kinds()[:4]
    ['free', 'plain', 'node', 'global']
    """
    known = parameters_of(Options)
    return [kind for kind, values in KINDS.items() if all(allows(known, *item) for item in values.items())]


def allows(known: Mapping[str, Any], name: str, value: Any) -> bool:
    """Return whether an option exists and accepts a value."""
    return name in known and (not known[name].about.choices or value in known[name].about.choices)


def one_tree(kind: str) -> bool:
    """Return whether all threads of this kind share one tree."""
    return "parallel" not in KINDS[kind]


# In a process of its own ----------------------------------------------------------------------------------------------


def measured_apart(wanted: Mapping[str, Any]) -> dict[str, Speed]:
    """Return the result of `measured_here` in a new process."""
    found: dict[str, Speed] = run_apart(CHILD, wanted)
    return found


def run_apart(code: str, wanted: Mapping[str, Any]) -> Any:
    """Return the JSON that code prints in a new process; its argument is JSON too."""
    command = [sys.executable, "-c", code, json.dumps(wanted)]
    environ = {**os.environ, **environment()}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise LuoziError(
            "a measurement failed: {reason}", reason=said[-1] if said else f"exit status {done.returncode}"
        )
    return json.loads(done.stdout)


def main() -> None:
    """Run in the child process."""
    print(json.dumps(measured_here(**json.loads(sys.argv[1]))))


def measured_here(
    game: str, threads: int, kinds: Sequence[str], seconds: float, seed: int, first: int = 0
) -> dict[str, Speed]:
    """Return the speed of each kind, of one thread, and of the yardstick, from the start of a game.

    Everything is compiled before; `first` tells with which the round begins, so that none is always the first.
    """
    board, order = make_game(game), [ONE, *kinds, APART, SIMULATIONS]
    for kind in (ONE, *kinds):
        crew_of(board, kind, threads, LEAST_ROOM, seed)[0].compile()
    found: dict[str, Speed] = {}
    for name in order[first % len(order) :] + order[: first % len(order)]:
        if name == SIMULATIONS:
            found[name] = simulated(board, seconds, seed)
        else:
            found[name] = timed(crew_of(board, name, threads, LEAST_ROOM + int(ROOM * seconds), seed), seconds)
    return found


def crew_of(game: Game, kind: str, threads: int, room: int, seed: int) -> list[Engine]:
    """Return the engine of a kind, or for the yardstick one for each thread."""
    most = int(parameters_of(Options)["pool_size"].about.high or 0)
    if kind in (ONE, APART):
        count = threads if kind == APART else 1
        return [Engine(game, seed=seed + number, pool_size=min(most, room)) for number in range(count)]
    if threads == 1:
        return [shared_by_one(game, KINDS[kind], min(most, room), seed)]
    return [Engine(game, seed=seed, threads=threads, pool_size=min(most, threads * room), **KINDS[kind])]


def shared_by_one(game: Game, values: Mapping[str, Any], room: int, seed: int) -> Engine:
    """Return an engine with one thread and the code of several."""
    engine = Engine(game, seed=seed, pool_size=room)
    kind = tree_class(Options.of(threads=2, **values))
    engine.tree = engine.memory.tree = kind(room, game.players, game.actions)
    return engine


def timed(crew: Sequence[Engine], seconds: float) -> Speed:
    """Measure engines that search at once."""
    thoughts: list[SearchResult | None] = [None] * len(crew)
    together = threading.Barrier(len(crew))

    def think(place: int) -> None:
        together.wait()
        thoughts[place] = crew[place].think(crew[place].game.new_state(), seconds=seconds)

    others = [threading.Thread(target=think, args=(place,), daemon=True) for place in range(1, len(crew))]
    began, used = time.perf_counter(), time.process_time()
    for other in others:
        other.start()
    think(0)
    for other in others:
        other.join()
    busy = (time.process_time() - used) / (time.perf_counter() - began)
    done = [thought for thought in thoughts if thought is not None]
    if len(done) < len(crew):
        raise LuoziError("a search failed; its error is printed above")
    rate = sum(simulations_of(thought) / max(thought.seconds, 1e-9) for thought in done)
    return {
        "rate": rate,
        "busy": busy,
        "lost": lost_share(crew[0], done[0]) if len(crew) == 1 else 0.0,
        "full": float(any(thought.pool_full for thought in done)),
    }


def simulations_of(thought: SearchResult) -> int:
    """Return the playouts of all threads of a search."""
    return sum(thought.threads) or thought.iterations


def lost_share(engine: Engine, thought: SearchResult) -> float:
    """Return the share of visits that the shared counter of the root has lost."""
    if thought.iterations == 0 or getattr(engine.options, "parallel", "tree") != "tree":
        return 0.0
    return 1 - root_visits(engine.tree) / thought.iterations


def simulated(game: Game, seconds: float, seed: int) -> Speed:
    """Measure playouts without a tree."""
    flat = FlatPlayer(game, seconds=seconds, seed=seed)
    flat.prepare()
    began, used = time.perf_counter(), time.process_time()
    flat.choose(game.new_state())
    busy = (time.process_time() - used) / (time.perf_counter() - began)
    assert flat.thought is not None
    return {"rate": flat.thought.iterations / max(flat.thought.seconds, 1e-9), "busy": busy, "lost": 0.0, "full": 0.0}
