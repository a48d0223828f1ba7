"""Searches on the machines of a Ray cluster.

The tree of a search stays on its machine from move to move. When a machine dies, another one repeats the search, or
this one if no other is left.
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
from luozi.web.limits import ServerLimits
from luozi.web.resources import Resources
from luozi.web.seat_players import Job, JobChoice, SearchPlayer

MOST_SEARCHES = 256  # of one machine, at once
TRIES = 4  # machines that may die during one move
GRACE_SECONDS = 30.0  # beyond its limit: then a machine that does not answer counts as dead
NEWS_SECONDS = 1.0
MEMORY_SHARE = 0.5


class ClusterRequest(NamedTuple):
    """A search as it is sent to a machine."""

    key: str  # of the search, whose tree is kept there
    game: str | bytes  # its spelling, or a custom game itself
    options: Options
    actions: tuple[int, ...]
    limits: Limits = NO_LIMITS
    number: int = 0  # of the job: a request to stop it may arrive sooner than the job
    owner: str = ""
    identity: int | None = None  # of the game that is played


# On a machine of the cluster ------------------------------------------------------------------------------------------


class MachineSearches:
    """All searches of one machine, which share its cores."""

    def __init__(self, version: str, threads: int) -> None:
        if luozi.__version__ != version:
            raise LuoziError(
                "this machine has Luozi {version} instead of {version2}", version=luozi.__version__, version2=version
            )
        limits = ServerLimits(engines=MOST_SEARCHES)
        self.resources = Resources(threads, MEMORY_SHARE * memory_megabytes(), limits)
        self.searches: OrderedDict[str, SearchPlayer] = OrderedDict()
        self.jobs: dict[str, Job] = {}
        self.stopped: OrderedDict[str, int] = OrderedDict()  # by search, the number of the last job that was stopped
        self.games: dict[str | bytes, Game] = {}
        self._lock = threading.Lock()

    def choose(self, request: ClusterRequest) -> tuple[int, SearchResult, str]:
        """Search a position; return the move, the search result and a remark."""
        search, position = self._search(request), self._position(request)
        job = self.jobs[request.key] = Job(position, request.limits, owner=request.owner)
        if self.stopped.get(request.key, 0) >= request.number > 0:
            job.cancel.set()
        try:
            choice = search.choose(job)
        finally:
            self.jobs.pop(request.key, None)
        assert choice.thought is not None
        return choice.action, named(choice.thought, None), choice.remark

    def snapshot(self, key: str) -> SearchResult | None:
        """Return the result so far of a running search."""
        search = self.searches.get(key)
        thought = None if search is None else search.snapshot()
        return None if thought is None else named(thought, None)

    def stop(self, key: str, number: int = 0) -> None:
        """Stop a job, also one that arrives later: messages to a machine may overtake each other."""
        self.stopped[key] = max(number, self.stopped.get(key, 0))
        while len(self.stopped) > MOST_SEARCHES:
            self.stopped.popitem(last=False)
        job = self.jobs.get(key)
        if job is not None:
            job.cancel.set()

    def branches(self, key: str, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """Return a part of a tree, and the moves that lead to its root."""
        if key not in self.searches:
            raise LuoziError("there is no tree yet: start a search first")
        return self.searches[key].branches(depth, visits, path, share)

    def why(self, request: ClusterRequest) -> IterationTrace:
        """Run one iteration and return its trace."""
        return self._search(request).why(self._position(request))

    def forget(self, key: str) -> None:
        """Release the tree of a search."""
        with self._lock:
            gone = self.searches.pop(key, None)
        if gone is not None:
            gone.close()

    def _game(self, request: ClusterRequest) -> Game:
        sent = request.game
        if sent not in self.games:
            with foreign():
                self.games[sent] = unpack_game(sent) if isinstance(sent, bytes) else make_game(sent)
        return self.games[sent]

    def _search(self, request: ClusterRequest) -> SearchPlayer:
        game = self._game(request)
        with self._lock:
            if request.key not in self.searches:
                self.searches[request.key] = SearchPlayer(self.resources, game, request.options)
            self.searches.move_to_end(request.key)
            idle = [key for key in self.searches if key not in self.jobs and key != request.key]
            for key in idle[: max(0, len(self.searches) - MOST_SEARCHES)]:
                self.searches.pop(key).close()
            return self.searches[request.key]

    def _position(self, request: ClusterRequest) -> Position:
        """Return the position, with the identity of its game, so that the tree is kept."""
        return Position.begin(self._game(request), identity=request.identity).after(request.actions)


def named(thought: SearchResult, position: Position | None) -> SearchResult:
    """Return a search result with a position that names its moves; with None it can be sent to another process."""
    candidates = tuple(one._replace(position=position) for one in thought.candidates)
    return replace(thought, candidates=candidates, namer=None if position is None else Namer(position))


# On this machine ------------------------------------------------------------------------------------------------------


class ClusterHost:
    """A machine of the cluster and the Ray actor with its searches."""

    def __init__(self, machine: Machine, actor: Any) -> None:
        self.machine, self.actor = machine, actor
        self.lives = actor.stop.remote("")  # answered when the actor has started
        self.is_ready, self.trouble = False, ""


class ClusterMachines:
    """The machines of a cluster, which may come and go at any time."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.hosts: dict[str, ClusterHost] = {}
        self.has_ended = False
        self._lock = threading.Lock()

    @classmethod
    def at(cls, address: str) -> ClusterMachines:
        """Return the machines of the cluster at an address; `local` starts one here."""
        return cls(Cluster.at(address))

    def player(self, resources: Resources, game: Game, options: Options) -> SearchPlayer:
        """Return a search on these machines."""
        return ClusterPlayer(resources, game, options, self)

    def pick(self, wanted: ClusterHost | None = None) -> ClusterHost | None:
        """Return the host with the tree, if it is there, or the least loaded one; None if there is none."""
        with self._lock:
            self._look()
            if wanted is not None and self.has(wanted):
                return wanted
            machine = least_loaded(host.machine for host in self.hosts.values() if self._is_ready(host))
            return None if machine is None else self.hosts[machine.name]

    def has(self, host: ClusterHost) -> bool:
        """Return whether a host is still there."""
        return self.hosts.get(host.machine.name) is host

    def _is_ready(self, host: ClusterHost) -> bool:
        """Return whether the actor of a host has started; warn once if it can't."""
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
        """Start an actor on each new machine; leave a cluster that has ended, or Ray would end this process."""
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
            kind = self.cluster.ray.remote(num_cpus=0, max_concurrency=MOST_SEARCHES)(MachineSearches)
            actor = kind.options(scheduling_strategy=self.cluster.place(machines[name]))
            self.hosts[name] = ClusterHost(machines[name], actor.remote(luozi.__version__, machines[name].cores))

    def lose(self, host: ClusterHost, what: str) -> None:
        """Forget a host whose machine or process is dead."""
        if what == "machine":
            self.cluster.lose(host.machine)
        with self._lock:
            if self.has(host):
                del self.hosts[host.machine.name]

    def close(self) -> None:
        """Leave the cluster, and end it if this process started it."""
        if not self.has_ended:
            self.cluster.close()


class ClusterPlayer(SearchPlayer):
    """A search on another machine; on this one only if there is no other."""

    numbers = itertools.count()

    def __init__(self, resources: Resources, game: Game, options: Options, machines: ClusterMachines) -> None:
        super().__init__(resources, game, options)
        self.machines, self.key = machines, f"{os.getpid()}-{next(self.numbers)}"
        self.host: ClusterHost | None = None
        self._number = 0
        self._job: Job | None = None  # that another machine works on
        custom = split_spelling(game.spelling)[0] not in GAMES
        self._sent: str | bytes = pack_game(game) if custom else game.spelling

    @property
    def is_here(self) -> bool:
        """Whether this machine searches, since there is no other."""
        return self.host is None and self.engine is not None

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to compile here; other machines compile by themselves."""
        return not self.is_here or super().is_ready

    @property
    def stage_in_use(self) -> int:
        """How much of the search is compiled here; other machines tell it with their move."""
        return super().stage_in_use if self.is_here else FULL

    def get_ready(self) -> None:
        """Begin to compile the search if there is no other machine."""
        if self.machines.pick() is None:
            super().get_ready()

    def _request(self, position: Position, job: Job | None = None) -> ClusterRequest:
        limits, owner = (NO_LIMITS, "") if job is None else (job.limits, job.owner)
        return ClusterRequest(
            self.key, self._sent, self.options, position.moves, limits, self._number, owner, position.identity
        )

    def choose(self, job: Job) -> JobChoice:
        """Search elsewhere; the search of a machine that dies is repeated."""
        for _ in range(TRIES):
            self.host = host = self.machines.pick(self.host)
            if host is None:
                break
            try:
                return self._choose_at(host, job)
            except LostError as lost:
                self.machines.lose(host, lost.what)
        self.host = None
        return super().choose(job)

    def _choose_at(self, host: ClusterHost, job: Job) -> JobChoice:
        self._number += 1
        self._job = job
        host.machine.load += 1
        try:
            reference = host.actor.choose.remote(self._request(job.position, job))
            patience = GRACE_SECONDS + (job.limits.seconds or self.resources.limits.seconds)
            with job.cancel.calling(partial(host.actor.stop.remote, self.key, self._number)):
                action, thought, remark = self.machines.cluster.fetch(reference, patience)
        finally:
            self._job = None
            host.machine.load -= 1
        return JobChoice(action, named(thought, job.position), remark)

    def snapshot(self) -> SearchResult | None:
        """Return the result so far of the running search."""
        host, job = self.host, self._job
        if host is None:
            return super().snapshot()
        if job is None:
            return None
        with suppress(LostError, LuoziError):
            thought = self.machines.cluster.fetch(host.actor.snapshot.remote(self.key), NEWS_SECONDS)
            return None if thought is None else named(thought, job.position)
        return None

    def branches(self, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """Return a part of the tree from where it is."""
        if self.host is None:
            return super().branches(depth, visits, path, share)
        found: tuple[Branch, list[int]] = self._fetched(self.host, "branches", self.key, depth, visits, path, share)
        return found

    def why(self, position: Position) -> IterationTrace:
        """Run one more iteration where the tree is, and return its trace."""
        if self.host is None:
            return super().why(position)
        step: IterationTrace = self._fetched(self.host, "why", self._request(position))
        return step

    def _fetched(self, host: ClusterHost, method: str, *arguments: Any) -> Any:
        with suppress(LostError):
            if self.machines.has(host):
                return self.machines.cluster.fetch(getattr(host.actor, method).remote(*arguments), GRACE_SECONDS)
        raise LuoziError("the machine with this tree is gone: search again")

    def close(self) -> None:
        """Release the tree, on another machine too."""
        if self.host is not None:
            with suppress(Exception):
                self.host.actor.forget.remote(self.key)
        super().close()
