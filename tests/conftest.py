"""Shared helpers of the tests, and the count of what they compile.

All processes of a run share one folder of compiled code, which stays for the next run. Compiling is most of the time of
a run, so that a run that needs too many kernels fails. A new test may do without one of its own: rules are the same
uncompiled, plain UCT compiles four times as fast as all variants, and sizes share their code (gomoku of 7 and 8, say).
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import luozi
from luozi.compiled import kernel, new_rng
from luozi.compiled.cache import RARELY, KernelCache, cached_kernels
from luozi.statistics import surface

# Kernels that a run of all tests but the long ones may need: 34 and 224 (the input of networks of any board, for each
# kind of game, takes about 60 of 0.3 to 1 s), and a few that are compiled beside a game and counted only if the game
# lasts long enough. Rules for moves in Python (0.4 to 0.7 s each) come with each search.
MOST = {"search": 37, "all": 232}
SHORT = "not long"  # what such a run is told from others by
LOG = "LUOZI_KERNELS"  # names a file: each kernel that a test compiles or loads is written to it


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell: tests send it to processes
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("LUOZI_THREADS", "1")  # code for several threads is compiled apart: few tests need it
    os.environ.setdefault("LUOZI_CACHE", str(Path(config.rootpath, ".pytest_cache", "machine_code")))
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="luozi-state-")  # approvals of tests are no user's
    config.add_cleanup(partial(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True))
    os.environ.setdefault("LUOZI_LANGUAGE", "en")  # whatever the language of this machine
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for the processes to come, which have a core each
    config.stash[BEGAN] = time.time() - 1  # clocks of file systems are coarse
    if os.environ.get(LOG):
        log_kernels(os.environ[LOG])


BEGAN = pytest.StashKey[float]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage rarely, and never again among what was loaded: it is most of the memory of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)


def log_kernels(path: str) -> None:
    """Write every kernel that is compiled, with the seconds of the processor, or loaded, and the test to a file."""
    load, save, begun = KernelCache.load_overload, KernelCache.save_overload, list[float]()

    def note(how: str, cache: KernelCache, signature, codegen) -> None:
        with open(path, "a", encoding="utf-8") as file:
            test = os.environ.get("PYTEST_CURRENT_TEST", "")
            file.write(f"{how:>6} {cache._path(signature, codegen).stem} {test}\n")

    def logged_load(self, signature, target_context):
        result = load(self, signature, target_context)
        if result is not None:
            note("loaded", self, signature, target_context.codegen())
        begun[:] = [time.thread_time()]
        return result

    def logged_save(self, signature, result):
        save(self, signature, result)
        note(f"{time.thread_time() - begun[0]:.1f}", self, signature, result.codegen)

    KernelCache.load_overload, KernelCache.save_overload = logged_load, logged_save


def kernels_since(began: float) -> Counter[str]:
    """How many kernels there are that were compiled or loaded since a time: whole searches, and all."""
    names = [entry.kernel.split("-")[0] for entry in cached_kernels() if entry.used >= began]
    return Counter(search=names.count("search"), all=len(names))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workerinput") or config.option.markexpr != SHORT:
        return
    found = kernels_since(config.stash[BEGAN])
    config.stash[FOUND] = found
    if any(found[kind] > most for kind, most in MOST.items()) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


FOUND = pytest.StashKey[Counter[str]]()


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    found = config.stash.get(FOUND, None)
    if found is None:
        return
    needed = f"the tests needed {found['search']} compiled searches and {found['all']} kernels in all"
    terminalreporter.write_line(needed)
    if any(found[kind] > most for kind, most in MOST.items()):
        allowed = f"{MOST['search']} and {MOST['all']} are allowed (tests/conftest.py)"
        look = f"`{LOG}=kernels.txt make test` on an empty {os.environ['LUOZI_CACHE']} lists them with their tests"
        terminalreporter.write_line(f"too many: {allowed}; {look}", red=True)


@kernel
def play_random_games(game, playout, root, work, memory, rng, actions, results, totals, games):
    """Play random games compiled; add up the results of each player; return the number of moves."""
    moves = 0
    for _ in range(games):
        work[0] = root[0]
        state = work[0]
        playout.begin(game, state, memory[0])
        while not game.is_terminal(state):
            game.apply_action(state, playout.next(game, state, memory[0], rng, actions))
            moves += 1
        game.returns(state, results)
        for player in range(results.shape[0]):
            totals[player] += results[player]
            totals[results.shape[0]] += results[player] == 0.5
    return moves


class RandomGames:
    """Statistics of many compiled random games."""

    def __init__(self, spelling: str, games: int, seed: int = 1) -> None:
        game = luozi.game(spelling)
        playout = game.random_playout()
        root, work = game.empty_states(1), game.empty_states(1)
        root[0] = game.new_state()
        totals = np.zeros(game.players + 1)
        moves = play_random_games(
            *(game, playout, root, work, playout.new_memory(), new_rng(seed)),
            *(np.zeros(game.actions, np.int32), np.zeros(game.players), totals, games),
        )
        self.length = moves / games
        self.draws = totals[-1] / game.players / games
        self.shares = totals[:-1] / games - self.draws / 2  # wins alone


@pytest.fixture(scope="session")
def random_games() -> type[RandomGames]:
    return RandomGames


@pytest.fixture
def as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rules are compiled: for promises that are not about speed or machine code."""
    monkeypatch.setattr(luozi.Game, "compilable", False)


@pytest.fixture(scope="module")
def coarse() -> Iterator[None]:
    """Tuning fits under few settings: for promises about what is asked and told, and not about how good it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface, "SETTINGS", 8)
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """A Chromium for the tests of a module that look at the page; not for others: it has a loop of its own."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run make setup")
    from browsing import browsing

    with browsing() as found:
        yield found
