"""Searches on the machines of a Ray cluster. The searches of a machine share its cores through one `MachineSearches`.

A search is a game, its moves so far and a budget; the tree stays on the machine from move to move. When a machine dies
the move is thought about again on another one, or here if there is none.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import luozi
from luozi.games import GAMES
from luozi.games import game as make_game
from luozi.limits import NO_LIMITS, Limits
from luozi.messages import LuoziError, Message, warn_once
from luozi.rules.game import Game
from luozi.rules.packing import pack_game, unpack_game
from luozi.rules.position import Position
from luozi.search import Options, SearchResult
from luozi.search.ready_engine import FULL
from luozi.search.result import Namer
from luozi.search.subtree import Branch
from luozi.search.trace import IterationTrace
from luozi.util.cluster import Cluster, LostError, Machine, least_loaded
from luozi.util.machine import memory_megabytes
from luozi.util.parameters import split_spelling
from luozi.util.trust import foreign
from luozi.web.jobs import Job, JobChoice, SearchPlayer
from luozi.web.limits import ServerLimits
from luozi.web.resources import Resources

MOST_SEARCHES = 256  # of one machine, at once
TRIES = 4  # machines that may die during one move
GRACE_SECONDS = 30.0  # beyond its budget: then a machine that does not answer is taken for dead
NEWS_SECONDS = 1.0
MEMORY_SHARE = 0.5


class ClusterRequest(NamedTuple):
    """A search as it travels."""

    key: str  # whose tree it goes on with
    game: str | bytes  # how it is spelled, or the game itself
    options: Options
    actions: tuple[int, ...]
    limits: Limits = NO_LIMITS
    number: int = 0  # of the job: what is stopped may arrive after its end is asked for
    owner: str = ""
    identity: int | None = None  # of the game that is played


# There ----------------------------------------------------------------------------------------------------------------


class MachineSearches:
    """All searches of one machine."""

    def __init__(self, version: str, threads: int) -> None:
        if luozi.__version__ != version:
            raise LuoziError(
                "this machine has Luozi {version} instead of {version2}", version=luozi.__version__, version2=version
            )
        limits = ServerLimits(engines=MOST_SEARCHES)
        self.resources = Resources(threads, MEMORY_SHARE * memory_megabytes(), limits)
        self.searchers: OrderedDict[str, SearchPlayer] = OrderedDict()
        self.jobs: dict[str, Job] = {}
        self.halted: OrderedDict[str, int] = OrderedDict()  # the last job of each search that was to end
        self.games: dict[str | bytes, Game] = {}
        self._lock = threading.Lock()

    def choose(self, task: ClusterRequest) -> tuple[int, SearchResult, str]:
        """Think about a position."""
        searcher, position = self._searcher(task), self._position(task)
        job = self.jobs[task.key] = Job(position, task.limits, owner=task.owner)
        if self.halted.get(task.key, 0) >= task.number > 0:
            job.cancel.set()
        try:
            choice = searcher.choose(job)
        finally:
            self.jobs.pop(task.key, None)
        assert choice.thought is not None
        return choice.action, without_namer(choice.thought), choice.remark

    def snapshot(self, key: str) -> SearchResult | None:
        """What is known so far, if it is thinking."""
        searcher = self.searchers.get(key)
        thought = None if searcher is None else searcher.snapshot()
        return None if thought is None else without_namer(thought)

    def stop(self, key: str, number: int = 0) -> None:
        """Answer soon, also if the job has not arrived yet: messages to a machine may overtake each other."""
        self.halted[key] = max(number, self.halted.get(key, 0))
        while len(self.halted) > MOST_SEARCHES:
            self.halted.popitem(last=False)
        job = self.jobs.get(key)
        if job is not None:
            job.cancel.set()

    def branches(self, key: str, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """The tree as it is."""
        if key not in self.searchers:
            raise LuoziError("there is no tree yet: let the engine think first")
        return self.searchers[key].branches(depth, visits, path, share)

    def why(self, task: ClusterRequest) -> IterationTrace:
        """One iteration, told whole."""
        return self._searcher(task).why(self._position(task))

    def forget(self, key: str) -> None:
        """Nobody needs this search any more."""
        with self._lock:
            gone = self.searchers.pop(key, None)
        if gone is not None:
            gone.close()

    def _game(self, task: ClusterRequest) -> Game:
        if task.game not in self.games:
            with foreign():
                self.games[task.game] = unpack_game(task.game) if isinstance(task.game, bytes) else make_game(task.game)
        return self.games[task.game]

    def _searcher(self, task: ClusterRequest) -> SearchPlayer:
        game = self._game(task)
        with self._lock:
            if task.key not in self.searchers:
                self.searchers[task.key] = SearchPlayer(self.resources, game, task.options)
            self.searchers.move_to_end(task.key)
            idle = [key for key in self.searchers if key not in self.jobs and key != task.key]
            for key in idle[: max(0, len(self.searchers) - MOST_SEARCHES)]:
                self.searchers.pop(key).close()
            return self.searchers[task.key]

    def _position(self, task: ClusterRequest) -> Position:
        """The position, of the same game as where it was asked about: so the tree is kept."""
        return Position.begin(self._game(task), identity=task.identity).after(task.actions)


def without_namer(thought: SearchResult) -> SearchResult:
    """A thought that can travel; names of lines are made where it arrives."""
    return named(thought, None)


def named(thought: SearchResult, position: Position | None) -> SearchResult:
    """The same thought about a position that names its moves."""
    candidates = tuple(one._replace(position=position) for one in thought.candidates)
    return replace(thought, candidates=candidates, namer=None if position is None else Namer(position))


# Here -----------------------------------------------------------------------------------------------------------------


class ClusterHost:
    """A machine of the cluster and its brain."""

    def __init__(self, machine: Machine, brain: Any) -> None:
        self.machine, self.brain = machine, brain
        self.lives = brain.stop.remote("")  # comes back when its brain is there
        self.is_ready, self.trouble = False, ""


class ClusterMachines:
    """The machines of a cluster, each with a brain; who is there may change at any time."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.hosts: dict[str, ClusterHost] = {}
        self.has_ended = False
        self._lock = threading.Lock()

    @classmethod
    def at(cls, address: str) -> ClusterMachines:
        """Those of the cluster at an address; `local` starts one here."""
        return cls(Cluster.at(address))

    def pick(self, wanted: ClusterHost | None = None) -> ClusterHost | None:
        """The host that has the tree, or the one with the most room; None if there is none."""
        with self._lock:
            self._look()
            if wanted is not None and self.has(wanted):
                return wanted
            machine = least_loaded(host.machine for host in self.hosts.values() if self._is_ready(host))
            return None if machine is None else self.hosts[machine.name]

    def has(self, host: ClusterHost) -> bool:
        """Whether a host is still there."""
        return self.hosts.get(host.machine.name) is host

    def _is_ready(self, host: ClusterHost) -> bool:
        """Whether a host has come up: until one has, searches are done here. One that can't says why, once."""
        if not host.is_ready and not host.trouble and self.cluster.ray.wait([host.lives], timeout=0)[0]:
            try:
                self.cluster.fetch(host.lives, NEWS_SECONDS)
                host.is_ready = True
            except (LostError, LuoziError) as error:
                host.trouble = str(error)
                told = Message("a machine of the cluster can't think: {error}", error=error)
                warn_once(f"cluster {host.machine.name}", told)
        return host.is_ready

    def _look(self) -> None:
        """A brain for each machine. A cluster that has ended is left: Ray would end this process after a while."""
        if self.has_ended:
            return
        try:
            self.cluster.look()
        except LuoziError:
            self.has_ended, self.hosts = True, {}
            self.cluster.close()
            told = Message(
                "the cluster at {address} has ended: this machine searches until Luozi starts again",
                address=self.cluster.address,
            )
            warn_once("cluster", told)
            return
        machines = self.cluster.machines
        self.hosts = {name: host for name, host in self.hosts.items() if self.cluster.has(host.machine)}
        for name in sorted(machines.keys() - self.hosts.keys()):
            self.hosts[name] = self._started(machines[name])

    def _started(self, machine: Machine) -> ClusterHost:
        """A brain on a machine; it may turn out later that it can't live there."""
        kind = self.cluster.ray.remote(num_cpus=0, max_concurrency=MOST_SEARCHES)(MachineSearches)
        brain = kind.options(scheduling_strategy=self.cluster.place(machine))
        return ClusterHost(machine, brain.remote(luozi.__version__, machine.cores))

    def lose(self, host: ClusterHost, what: str) -> None:
        """Its machine or its process seems to be dead."""
        if what == "machine":
            self.cluster.lose(host.machine)
        with self._lock:
            if self.has(host):
                del self.hosts[host.machine.name]

    def close(self) -> None:
        """Leave the cluster, and end it if it is our own."""
        if not self.has_ended:
            self.cluster.close()


class ClusterPlayer(SearchPlayer):
    """A search that another machine does; here only if there is none."""

    numbers = itertools.count()

    def __init__(self, resources: Resources, game: Game, options: Options, brains: ClusterMachines) -> None:
        super().__init__(resources, game, options)
        self.brains, self.key = brains, f"{os.getpid()}-{next(self.numbers)}"
        self.host: ClusterHost | None = None
        self._answering, self._number = False, 0
        self._errand: Job | None = None  # that another machine thinks about
        own = split_spelling(game.spelling)[0] not in GAMES
        self._travelling: str | bytes = pack_game(game) if own else game.spelling

    @property
    def is_here(self) -> bool:
        """Whether it has to search here, since there is no other machine."""
        return self.host is None and self._engine is not None

    @property
    def is_ready(self) -> bool:
        """OtherPlayer machines compile by themselves."""
        return not self.is_here or super().is_ready

    def get_ready(self) -> None:
        """Nothing is compiled here before it has to be."""
        if self.brains.pick() is None:
            super().get_ready()

    @property
    def stage_in_use(self) -> int:
        """What other machines have compiled they say with their answer."""
        return super().stage_in_use if self.is_here else FULL

    def _task(self, position: Position, limits: Limits = NO_LIMITS, number: int = 0, owner: str = "") -> ClusterRequest:
        return ClusterRequest(
            self.key, self._travelling, self.options, position.moves, limits, number, owner, position.identity
        )

    def choose(self, job: Job) -> JobChoice:
        """Think elsewhere; a machine that dies costs the time and nothing else."""
        for _ in range(TRIES):
            self.host = host = self.brains.pick(self.host)
            if host is None:
                break
            try:
                return self._choose_at(host, job)
            except LostError as lost:
                self.brains.lose(host, lost.what)
        self.host = None
        return super().choose(job)

    def _choose_at(self, host: ClusterHost, job: Job) -> JobChoice:
        self._number += 1
        self._errand, self._answering = job, True
        host.machine.load += 1
        try:
            task = self._task(job.position, job.limits, self._number, job.owner)
            reference = host.brain.choose.remote(task)
            patience = GRACE_SECONDS + (job.limits.seconds or self.resources.limits.seconds)
            with job.cancel.calling(partial(host.brain.stop.remote, self.key, self._number)):
                action, thought, remark = self.brains.cluster.fetch(reference, patience)
        finally:
            self._answering = False
            host.machine.load -= 1
        return JobChoice(action, named(thought, job.position), remark)

    def snapshot(self) -> SearchResult | None:
        """What the other machine knows so far."""
        host, job = self.host, self._errand
        if host is None:
            return super().snapshot()
        if not self._answering or job is None:
            return None
        with suppress(LostError, LuoziError):
            thought = self.brains.cluster.fetch(host.brain.snapshot.remote(self.key), NEWS_SECONDS)
            return None if thought is None else named(thought, job.position)
        return None

    def branches(self, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """The tree where it is."""
        if self.host is None:
            return super().branches(depth, visits, path, share)
        found: tuple[Branch, list[int]] = self._asked(self.host, "branches", self.key, depth, visits, path, share)
        return found

    def why(self, position: Position) -> IterationTrace:
        """One iteration, told whole, where the tree is."""
        if self.host is None:
            return super().why(position)
        step: IterationTrace = self._asked(self.host, "why", self._task(position))
        return step

    def _asked(self, host: ClusterHost, method: str, *arguments: Any) -> Any:
        with suppress(LostError):
            if self.brains.has(host):
                return self.brains.cluster.fetch(getattr(host.brain, method).remote(*arguments), GRACE_SECONDS)
        raise LuoziError("the machine that had this tree is gone: let the engine think again")

    def close(self) -> None:
        """Give the memory back, there too."""
        if self.host is not None:
            with suppress(Exception):
                self.host.brain.forget.remote(self.key)
        super().close()
