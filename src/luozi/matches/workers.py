"""Executors run tasks, such as the games of a match: here, in processes of this machine, or on a Ray cluster.

A task that a process or machine did not survive is run again. A task is a `PortableCall`: any process of any machine
returns the same result.
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
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from luozi import __version__
from luozi.matches.game_runner import Outcome, play_fixture
from luozi.matches.remote_task import Part, PortableCall, Result, Shared, luozi_task, packed, parcel_of, unpacked
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.messages import LuoziError, Message
from luozi.util.cluster import Cluster, LostError, Machine, least_loaded
from luozi.util.machine import cores
from luozi.util.trust import environment, inherit, inheritance

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor
    from ray import ObjectRef

Ticket = TypeVar("Ticket")  # of a task that was sent
IN_FLIGHT = 2  # tasks sent for each core, so that no core waits for its next task
DEATHS = {"process": 3, "machine": 10}  # failures after which a task is given up; machines rarely fail by the task
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def game_task(contest: MatchSchedule, fixture: ScheduledGame) -> PortableCall[MatchSchedule, ScheduledGame, Outcome]:
    """Return the task of playing one game."""
    return PortableCall(f"game {fixture.number + 1}", play_fixture, contest, fixture, contest.named_files)


class Executor(ABC):
    """Runs tasks. A caller that leaves the iterator early cancels the tasks that are not finished."""

    workers = 1

    @abstractmethod
    def run(
        self, tasks: Iterable[PortableCall[Shared, Part, Result]]
    ) -> Iterator[tuple[PortableCall[Shared, Part, Result], Result]]:
        """Take tasks as they are needed; yield each with its result, in any order."""

    def close(self) -> None:  # noqa: B027
        """End all workers at once."""


class Here(Executor):
    """Runs one task after the other in this process."""

    def run(
        self, tasks: Iterable[PortableCall[Shared, Part, Result]]
    ) -> Iterator[tuple[PortableCall[Shared, Part, Result], Result]]:
        given, done = tee(tasks)  # no generator: it would be one more frame between a command and each move
        return zip(given, starmap(call, ((task.function, task.shared, task.part) for task in done)), strict=True)


class Elsewhere(Executor, Generic[Ticket]):
    """Runs several tasks at once in other processes."""

    advice: Message  # what to try when tasks do not survive

    def run(
        self, tasks: Iterable[PortableCall[Shared, Part, Result]]
    ) -> Iterator[tuple[PortableCall[Shared, Part, Result], Result]]:
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
                            raise LuoziError(
                                "the {what} of {text} died {count} times: perhaps there is too little memory "
                                "({advice}), or a rule of the game crashes",
                                what=Message(lost.what),
                                text=task.name,
                                count=deaths[task, lost.what],
                                advice=self.advice,
                            ) from None
                    else:
                        yield task, result
        finally:
            for ticket in running:
                self.cancel(ticket)

    @abstractmethod
    def has_room(self, running: int) -> bool:
        """Return whether one more task can be sent while so many run."""

    @abstractmethod
    def send(self, task: PortableCall[Shared, Part, Result]) -> Ticket:
        """Send a task; return its ticket."""

    @abstractmethod
    def finished(self, running: Mapping[Ticket, PortableCall[Shared, Part, Result]]) -> Iterable[Ticket]:
        """Wait a while; return the tickets of tasks that have finished."""

    @abstractmethod
    def result(self, ticket: Ticket) -> Any:
        """Return the result of a finished task. Raises LostError if its process or machine died."""

    @abstractmethod
    def cancel(self, ticket: Ticket) -> None:
        """Cancel a task."""


class Processes(Elsewhere[Future[Any]]):
    """Processes of this machine, one for each core. They keep their compiled code until `close`."""

    advice = Message("fewer --workers, or a smaller pool_size=")

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pool: ProcessPoolExecutor | None = None

    def has_room(self, running: int) -> bool:
        return running < IN_FLIGHT * self.workers

    def send(self, task: PortableCall[Shared, Part, Result]) -> Future[Any]:
        if self.pool is None:
            from loky import ProcessPoolExecutor  # unlike the standard library, imports no main program

            begin = {"initializer": begin_worker, "initargs": (os.getpid(),), "env": ONE_THREAD}
            self.pool = ProcessPoolExecutor(self.workers, **begin)
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
    """The machines of a Ray cluster, which is joined or started with the first task.

    A task takes one core. A worker process keeps its compiled code. Ray does not repeat a task that was lost, since it
    would repeat forever where memory is short; `run` repeats it.
    """

    advice = Message("fewer cores: ray start --num-cpus=..., or a smaller pool_size=")

    def __init__(self, address: str, workers: int | None) -> None:
        self.address, self.wanted, self.workers = address, workers, workers or 1
        self.limit = None if address == "local" else workers  # a cluster that starts here has no more cores than that
        self.machines: dict[ObjectRef, Machine] = {}  # where each task runs
        self.parcels: dict[Any, Any] = {}  # by the shared part of tasks; Ray sends each to a machine once

    @cached_property
    def cluster(self) -> Cluster:
        """The machines."""
        return Cluster.at(self.address, self.wanted)

    @cached_property
    def remote(self) -> Any:
        """The function that Ray runs."""
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
        assert machine is not None  # `has_room` was asked before
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
            time.sleep(0 if lost else self.cluster.timing.look)  # no machine has room
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
    """Return a cluster if one is named, else so many processes, by default one for each core."""
    if cluster is not None:
        return OnCluster(cluster, workers)
    workers = workers or cores()
    return Here() if workers == 1 else Processes(workers)


# In processes of this machine -----------------------------------------------------------------------------------------


def begin_worker(parent: int) -> None:
    """Ignore Ctrl-C, which the parent handles, and end when the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def in_worker(approvals: str, work: bytes, part: Part) -> Any:
    """Run a task in a process of the pool, with the approvals of the parent alone."""
    inherit(approvals)
    function, shared = unpacked(work)
    result = function(shared, part)
    freeze_loaded_objects()
    return result


@cache
def freeze_loaded_objects() -> None:
    """Leave compiled code and libraries out of garbage collection, which took 0.15 s after every game of the pool."""
    gc.freeze()


def end_with(parent: int, every: float = 0.5) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(every)
    os._exit(1)
