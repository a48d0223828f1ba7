"""Where games are played: here (`Here`), or in processes of this machine (`Processes`). `cluster.py` has many machines.

All have `run(tasks)`, which takes tasks as they are needed and gives what is finished in any order. A process that dies
costs nothing but time: its games are played again. A task is a game of a contest (`Task`), or whatever else is `Work`.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar

from luozi.contests.contest import Contest, Fixture, read_contest
from luozi.contests.parcel import parcel_of
from luozi.contests.playing import Outcome, play_fixture
from luozi.messages import LuoziError
from luozi.trust import inherit, inheritance

IN_FLIGHT = 2  # tasks for each worker that are handed out, so that none waits for the next
DEATHS = 3  # so often may the process of a game die before we give up
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Work(Protocol):
    """Something that any process of any machine can do, and that gives the same wherever it is done."""

    @property
    def name(self) -> str:
        """What it is called in sentences, such as `game 17`."""

    @property
    def luggage(self) -> str:
        """What has the same luggage has the same parcel."""

    @property
    def entrance(self) -> str:
        """The function, as `module:name`, that another machine calls with the parcel and the part; it gives the result
        as plain values, and a sentence if there is none."""

    def do(self) -> Any:
        """Do it here."""

    def call(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What another process of this machine calls."""

    def parcel(self) -> tuple[Any, ...]:
        """Plain values that travel to each machine once."""

    def part(self) -> tuple[Any, ...]:
        """Plain values that travel with each task."""

    def result(self, plain: Any) -> Any:
        """What came back from another machine."""


class Task(NamedTuple):
    """One game to play."""

    contest: Contest
    fixture: Fixture

    @property
    def name(self) -> str:
        return f"game {self.fixture.number + 1}"

    @property
    def luggage(self) -> str:
        return self.contest.id

    @property
    def entrance(self) -> str:
        return "luozi.contests.parcel:play_there"

    def do(self) -> Outcome:
        return play_fixture(*self)

    def call(self) -> tuple[Callable[..., Outcome], tuple[Any, ...]]:
        return play_in_worker, (self.contest.definition, self.contest.packed, self.fixture)

    def parcel(self) -> tuple[Any, ...]:
        return tuple(parcel_of(self.contest))

    def part(self) -> tuple[Any, ...]:
        return tuple(self.fixture)

    def result(self, plain: Any) -> Outcome:
        return Outcome(*plain)


AnyWork = TypeVar("AnyWork", bound=Work)


class Executor(Protocol):
    """Plays games. Leaving the iterator early forgets what is not finished."""

    workers: int

    def run(self, tasks: Iterable[AnyWork]) -> Iterator[tuple[AnyWork, Any]]:
        """Play all games."""

    def close(self) -> None:
        """End all workers at once."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chosen_executor(workers: int | None = None, cluster: str | None = None) -> Executor:
    """All cores of this machine, or so many processes, or a cluster."""
    if cluster is not None:
        return Later(cluster, workers)
    workers = workers or cores()
    return Here() if workers == 1 else Processes(workers)


class Later:
    """A cluster that is joined, or started, when there is a game to play."""

    def __init__(self, address: str, workers: int | None) -> None:
        self.address, self.wanted, self.workers = address, workers, workers or 1
        self.executor: Executor | None = None

    def run(self, tasks: Iterable[AnyWork]) -> Iterator[tuple[AnyWork, Any]]:
        if self.executor is None:
            from luozi.contests.cluster import cluster_executor

            self.executor = cluster_executor(self.address, self.wanted)
            self.workers = self.executor.workers
        yield from self.executor.run(tasks)

    def close(self) -> None:
        if self.executor is not None:
            self.executor.close()


class Here:
    """One game after the other, in this process."""

    workers = 1

    def run(self, tasks: Iterable[AnyWork]) -> Iterator[tuple[AnyWork, Any]]:
        for task in tasks:
            yield task, task.do()

    def close(self) -> None:
        pass


class Processes:
    """A process for each core. They live as long as this object, so that compiled code stays loaded."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pool: Any = None

    def run(self, tasks: Iterable[AnyWork]) -> Iterator[tuple[AnyWork, Any]]:
        waiting, deaths = iter(tasks), Counter[Work]()
        flying: dict[Future[Any], AnyWork] = {}
        again: list[AnyWork] = []  # their process died
        try:
            while True:
                while len(flying) < IN_FLIGHT * self.workers:
                    task = again.pop() if again else next(waiting, None)
                    if task is None:
                        break
                    flying[self._submit(task)] = task
                if not flying:
                    return
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    task = flying.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        again.append(task)
                        self._mourn(task, deaths)
                    else:
                        yield task, future.result()
        finally:
            for future in flying:
                future.cancel()

    def _submit(self, task: Work) -> Future[Any]:
        if self.pool is None:
            self.pool = new_pool(self.workers)
        try:
            function, arguments = task.call()
            return self.pool.submit(in_worker, inheritance(), function, *arguments)
        except BrokenProcessPool:
            self.close()
            return self._submit(task)

    def _mourn(self, task: Work, deaths: Counter[Work]) -> None:
        deaths[task] += 1
        if deaths[task] >= DEATHS:
            raise LuoziError(
                "the process of {text} died {count} times: perhaps there is too little memory (fewer --workers, or "
                "a smaller pool=), or a rule of the game crashes",
                text=task.name,
                count=DEATHS,
            )

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=False, kill_workers=True)
            self.pool = None


def new_pool(workers: int) -> Any:
    """Processes that do not import the user's main program, unlike those of the standard library."""
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, initializer=begin_worker, initargs=(os.getpid(),), env=ONE_THREAD)


def begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when it is gone, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def in_worker(approvals: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Do something in a process of the pool, where nothing runs but what the parent approved."""
    inherit(approvals)
    return function(*arguments)


def play_in_worker(definition: str, packed: bytes, fixture: Fixture) -> Outcome:
    """Play one game in a process of the pool."""
    outcome = play_fixture(read_contest(definition, packed), fixture)
    spare_what_is_loaded()
    return outcome


@cache
def spare_what_is_loaded() -> None:
    """The pool collects garbage after every game: 0.15 s each, unless compiled code and libraries are left out."""
    gc.freeze()


def end_with(parent: int, every: float = 0.5) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(every)
    os._exit(1)
