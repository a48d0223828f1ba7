"""Where games are played: here (`Here`), in processes of this machine (`Processes`), on many machines (`OnCluster`).

All have `run(tasks)`, which takes tasks as they are needed and gives what is finished in any order. A process or
machine that dies costs nothing but time: its games are played again. A task is a game of a contest, or anything else
that any process of any machine can do with the same result.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache, cached_property
from itertools import starmap, tee
from operator import call
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from luozi import __version__
from luozi.matches.game_runner import Outcome, play_fixture
from luozi.matches.remote_task import Part, PortableCall, Result, Shared, luozi_task, packed, parcel_of, unpacked
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.messages import LuoziError
from luozi.util.cluster import Cluster, LostError, Machine, least_loaded
from luozi.util.machine import cores
from luozi.util.trust import environment, inherit, inheritance

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor
    from ray import ObjectRef

Ticket = TypeVar("Ticket")  # stands for a task that runs
IN_FLIGHT = 2  # tasks for each core that are handed out, so that none waits for the next
DEATHS = {"process": 3, "machine": 10}  # so often may that of a task die; a machine seldom dies by the task's fault
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def game_task(contest: MatchSchedule, fixture: ScheduledGame) -> PortableCall[MatchSchedule, ScheduledGame, Outcome]:
    """One game to play."""
    return PortableCall(f"game {fixture.number + 1}", play_fixture, contest, fixture, contest.named_files)


class Executor(Protocol):
    """Does tasks. Leaving the iterator early forgets what is not finished."""

    workers: int

    def run(
        self, tasks: Iterable[PortableCall[Shared, Part, Result]]
    ) -> Iterator[tuple[PortableCall[Shared, Part, Result], Result]]:
        """Do all tasks; give each with its result."""

    def close(self) -> None:
        """End all workers at once."""


class Here:
    """One task after the other, in this process."""

    workers = 1

    def run(
        self, tasks: Iterable[PortableCall[Shared, Part, Result]]
    ) -> Iterator[tuple[PortableCall[Shared, Part, Result], Result]]:
        given, done = tee(tasks)  # no generator: it would be one more frame between a command and each move
        return zip(given, starmap(call, ((task.function, task.shared, task.part) for task in done)), strict=True)

    def close(self) -> None:
        pass


class Elsewhere(ABC, Generic[Ticket]):
    """Does tasks in other processes, several at once; a ticket stands for each that runs."""

    workers: int

    def run(
        self, tasks: Iterable[PortableCall[Shared, Part, Result]]
    ) -> Iterator[tuple[PortableCall[Shared, Part, Result], Result]]:
        """Do all tasks."""
        waiting, over = iter(tasks), False
        again: list[PortableCall[Shared, Part, Result]] = []  # their process or machine died
        deaths = Counter[tuple[PortableCall[Shared, Part, Result], str]]()
        running: dict[Ticket, PortableCall[Shared, Part, Result]] = {}
        try:
            while running or again or not over:
                while self.has_room(len(running)):
                    task = again.pop() if again else next(waiting, None)
                    over = task is None
                    if task is None:
                        break
                    running[self.send(task)] = task
                for ticket in self.finished(running):
                    task = running.pop(ticket)
                    try:
                        result = self.result(ticket)
                    except LostError as lost:
                        again.append(task)
                        deaths[task, lost.what] += 1
                        if deaths[task, lost.what] >= DEATHS[lost.what]:
                            raise self.deadly(task, lost.what, deaths[task, lost.what]) from None
                    else:
                        yield task, result
        finally:
            for ticket in running:
                self.cancel(ticket)

    @abstractmethod
    def deadly(self, task: PortableCall[Shared, Part, Result], what: str, times: int) -> LuoziError:
        """The message for a task whose process or machine has died too often."""

    @abstractmethod
    def has_room(self, running: int) -> bool:
        """Whether one more task may be sent while so many run."""

    @abstractmethod
    def send(self, task: PortableCall[Shared, Part, Result]) -> Ticket:
        """Have a task done; return its ticket."""

    @abstractmethod
    def finished(self, running: Mapping[Ticket, PortableCall[Shared, Part, Result]]) -> Iterable[Ticket]:
        """Wait for some tickets, but not for ever."""

    @abstractmethod
    def result(self, ticket: Ticket) -> Any:
        """Return what was done; LostError if its process or machine died."""

    @abstractmethod
    def cancel(self, ticket: Ticket) -> None:
        """Forget a task."""


class Processes(Elsewhere[Future[Any]]):
    """A process for each core. They live as long as this object, so that compiled code stays loaded."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pool: ProcessPoolExecutor | None = None

    def deadly(self, task: PortableCall[Shared, Part, Result], what: str, times: int) -> LuoziError:
        return LuoziError(
            "the process of {text} died {count} times: perhaps there is too little memory (fewer --workers, or "
            "a smaller pool_size=), or a rule of the game crashes",
            text=task.name,
            count=times,
        )

    def has_room(self, running: int) -> bool:
        return running < IN_FLIGHT * self.workers

    def send(self, task: PortableCall[Shared, Part, Result]) -> Future[Any]:
        if self.pool is None:
            self.pool = new_pool(self.workers)
        try:
            return self.pool.submit(in_worker, inheritance(), packed(task.function, task.shared), task.part)
        except BrokenProcessPool:
            self.close()
            return self.send(task)

    def finished(self, running: Mapping[Future[Any], PortableCall[Shared, Part, Result]]) -> Iterable[Future[Any]]:
        return wait(running, return_when=FIRST_COMPLETED).done if running else ()

    def result(self, ticket: Future[Any]) -> Any:
        try:
            return ticket.result()
        except BrokenProcessPool:
            raise LostError("process") from None

    def cancel(self, ticket: Future[Any]) -> None:
        ticket.cancel()

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=False, kill_workers=True)
            self.pool = None


class OnCluster(Elsewhere["ObjectRef"]):
    """Many machines, by Ray; the cluster is joined, or started, when there is a task.

    A task takes one core. A worker keeps its process, and so its compiled code. A task whose machine or process died is
    sent again by us, not by Ray, which would try for ever where memory is short.
    """

    def __init__(self, address: str, workers: int | None) -> None:
        self.address, self.wanted, self.workers = address, workers, workers or 1
        self.limit = None if address == "local" else workers  # our own cluster has no more cores than that
        self.machines: dict[ObjectRef, Machine] = {}  # where each task is
        self.parcels: dict[Any, Any] = {}  # by what tasks share; Ray brings each to a machine once

    def deadly(self, task: PortableCall[Shared, Part, Result], what: str, times: int) -> LuoziError:
        return LuoziError(
            "the {what} of {text} died {count} times: perhaps there is too little memory (fewer cores: ray "
            "start --num-cpus=..., or a smaller pool_size=), or a rule of the game crashes",
            what=what,
            text=task.name,
            count=times,
        )

    @cached_property
    def cluster(self) -> Cluster:
        """The machines."""
        return Cluster.at(self.address, self.wanted)

    @cached_property
    def remote(self) -> Any:
        """What Ray runs."""
        return self.cluster.ray.remote(num_cpus=1, max_retries=0)(luozi_task())

    def has_room(self, running: int) -> bool:
        self.cluster.look()
        machines = self.cluster.machines.values()
        everywhere = max(1, sum(machine.cores for machine in machines))
        self.workers = min(everywhere, self.limit or everywhere)
        machine = least_loaded(machines)
        is_free = machine is not None and machine.load < IN_FLIGHT * machine.cores
        return is_free and (self.limit is None or running < self.limit)

    def send(self, task: PortableCall[Shared, Part, Result]) -> ObjectRef:
        machine = least_loaded(self.cluster.machines.values())
        assert machine is not None  # there is room
        if task.shared not in self.parcels:
            self.parcels[task.shared] = self.cluster.ray.put(tuple(parcel_of(task)))
        there = self.remote.options(scheduling_strategy=self.cluster.place(machine))
        reference = there.remote(__version__, {**ONE_THREAD, **environment()}, self.parcels[task.shared], task.part)
        self.machines[reference] = machine
        machine.load += 1
        return reference

    def finished(self, running: Mapping[ObjectRef, PortableCall[Shared, Part, Result]]) -> list[ObjectRef]:
        lost = [reference for reference in running if not self.cluster.has(self.machines[reference])]
        if lost or not running:
            time.sleep(0 if lost else self.cluster.timing.look)  # there is no machine at the moment
            return lost
        wait, seconds = self.cluster.ray.wait, self.cluster.timing.look
        done, others = wait(list(running), num_returns=1, timeout=seconds)
        return done + wait(others, num_returns=len(others), timeout=0)[0] if done and others else done

    def result(self, ticket: ObjectRef) -> Any:
        machine = self.machines[ticket]
        if not self.cluster.has(machine):
            self.cancel(ticket)
            raise LostError("machine")
        self._leave(ticket)
        try:
            result, refusal = self.cluster.fetch(ticket)
        except LostError as lost:
            if lost.what == "machine":
                self.cluster.lose(machine)
            raise
        if refusal:
            raise LuoziError(refusal)
        return pickle.loads(result)

    def _leave(self, ticket: ObjectRef) -> None:
        self.machines.pop(ticket).load -= 1

    def cancel(self, ticket: ObjectRef) -> None:
        self._leave(ticket)
        self.cluster.ray.cancel(ticket)

    def close(self) -> None:
        if "cluster" in vars(self):
            self.cluster.close()


def chosen_executor(workers: int | None = None, cluster: str | None = None) -> Executor:
    """All cores of this machine, or so many processes, or a cluster."""
    if cluster is not None:
        return OnCluster(cluster, workers)
    workers = workers or cores()
    return Here() if workers == 1 else Processes(workers)


# In processes of this machine -----------------------------------------------------------------------------------------


def new_pool(workers: int) -> ProcessPoolExecutor:
    """Processes that do not import the user's main program, unlike those of the standard library."""
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, initializer=begin_worker, initargs=(os.getpid(),), env=ONE_THREAD)


def begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when it is gone, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def in_worker(approvals: str, work: bytes, part: Part) -> Any:
    """Do a task in a process of the pool, where nothing runs but what the parent approved."""
    inherit(approvals)
    function, shared = unpacked(work)
    result = function(shared, part)
    spare_what_is_loaded()
    return result


@cache
def spare_what_is_loaded() -> None:
    """The pool collects garbage after every game: 0.15 s each, unless compiled code and libraries are left out."""
    gc.freeze()


def end_with(parent: int, every: float = 0.5) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(every)
    os._exit(1)
