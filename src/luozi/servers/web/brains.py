"""Searches on the machines of a Ray cluster: each has one `Brain`, whose searches share its cores as they do here.

A search is a game, its moves so far and a budget; the tree stays on the machine from move to move. When a machine dies
the move is thought about again on another one, or here if there is none.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import luozi
from luozi.contests.cluster import LOOK_SECONDS, connected, take_back_signals
from luozi.games import GAMES
from luozi.games import game as make_game
from luozi.games.travelling import pack_game, unpack_game
from luozi.machine import memory_megabytes
from luozi.messages import LuoziError, Message, warn_once
from luozi.parameters import split_spelling
from luozi.rules import Game
from luozi.search import Options, Thought
from luozi.search.branches import Branch
from luozi.search.steps import Step
from luozi.search.thought import Namer
from luozi.servers.readiness import FULL
from luozi.servers.web.limits import Limits
from luozi.servers.web.minds import Minds
from luozi.servers.web.thinkers import Budget, Choice, Errand, Line, Searcher
from luozi.trust import foreign

MOST_SEARCHES = 256  # of one machine, at once
TRIES = 4  # machines that may die during one move
GRACE_SECONDS = 30.0  # beyond its budget: then a machine that does not answer is taken for dead
NEWS_SECONDS = 1.0
MEMORY_SHARE = 0.5


class Task(NamedTuple):
    """A search as it travels."""

    key: str  # whose tree it goes on with
    game: str | bytes  # how it is spelled, or the game itself
    options: Options
    actions: tuple[int, ...]
    budget: Budget = Budget()
    number: int = 0  # of the errand: what is stopped may arrive after its end is asked for
    owner: str = ""


# There ----------------------------------------------------------------------------------------------------------------


class Brain:
    """All searches of one machine."""

    def __init__(self, version: str, threads: int) -> None:
        if luozi.__version__ != version:
            raise LuoziError(
                "this machine has Luozi {found} instead of {wanted}", found=luozi.__version__, wanted=version
            )
        limits = Limits(engines=MOST_SEARCHES)
        self.minds = Minds(threads, MEMORY_SHARE * memory_megabytes(), limits)
        self.searchers: OrderedDict[str, Searcher] = OrderedDict()
        self.errands: dict[str, Errand] = {}
        self.halted: OrderedDict[str, int] = OrderedDict()  # the last errand of each search that was to end
        self.games: dict[str | bytes, Game] = {}
        self._lock = threading.Lock()

    def choose(self, task: Task) -> tuple[int, Thought, str]:
        """Think about a position."""
        searcher, line = self._searcher(task), self._line(task)
        errand = self.errands[task.key] = Errand(line, task.budget, owner=task.owner)
        errand.stopped = self.halted.get(task.key, 0) >= task.number > 0
        try:
            choice = searcher.choose(errand)
        finally:
            self.errands.pop(task.key, None)
        assert choice.thought is not None
        return choice.action, without_namer(choice.thought), choice.remark

    def snapshot(self, key: str) -> Thought | None:
        """What is known so far, if it is thinking."""
        searcher = self.searchers.get(key)
        thought = None if searcher is None else searcher.snapshot()
        return None if thought is None else without_namer(thought)

    def stop(self, key: str, number: int = 0) -> None:
        """Answer soon, also if the errand has not arrived yet: messages to a machine may overtake each other."""
        self.halted[key] = max(number, self.halted.get(key, 0))
        while len(self.halted) > MOST_SEARCHES:
            self.halted.popitem(last=False)
        searcher, errand = self.searchers.get(key), self.errands.get(key)
        if searcher is not None and errand is not None:
            searcher.stop(errand)

    def branches(self, key: str, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """The tree as it is."""
        if key not in self.searchers:
            raise LuoziError("there is no tree yet: let the engine think first")
        return self.searchers[key].branches(depth, visits, path, share)

    def why(self, task: Task) -> Step:
        """One iteration, told whole."""
        return self._searcher(task).why(self._line(task))

    def forget(self, key: str) -> None:
        """Nobody needs this search any more."""
        with self._lock:
            gone = self.searchers.pop(key, None)
        if gone is not None:
            gone.close()

    def _game(self, task: Task) -> Game:
        if task.game not in self.games:
            with foreign():
                self.games[task.game] = unpack_game(task.game) if isinstance(task.game, bytes) else make_game(task.game)
        return self.games[task.game]

    def _searcher(self, task: Task) -> Searcher:
        game = self._game(task)
        with self._lock:
            if task.key not in self.searchers:
                self.searchers[task.key] = Searcher(self.minds, game, task.options)
            self.searchers.move_to_end(task.key)
            idle = [key for key in self.searchers if key not in self.errands and key != task.key]
            for key in idle[: max(0, len(self.searchers) - MOST_SEARCHES)]:
                self.searchers.pop(key).close()
            return self.searchers[task.key]

    def _line(self, task: Task) -> Line:
        game = self._game(task)
        states = [game.new_state()]
        for action in task.actions:
            states.append(game.after(states[-1], action))
        return Line(states, task.actions)


def without_namer(thought: Thought) -> Thought:
    """A thought that can travel; names of lines are made where it arrives."""
    return replace(thought, namer=None)


# Here -----------------------------------------------------------------------------------------------------------------


class Machine:
    """A machine of the cluster, as far as the server knows it."""

    def __init__(self, name: str, cores: int, brain: Any, lives: Any) -> None:
        self.name, self.cores, self.brain = name, cores, brain
        self.lives = lives  # comes back when its brain is there
        self.is_ready, self.trouble = False, ""
        self.load = 0  # searches that it has now


class Brains:
    """All machines of a cluster; who is there may change at any time."""

    def __init__(self, ray: Any, folder: Any = None) -> None:
        self.ray, self.folder = ray, folder
        self.machines: dict[str, Machine] = {}
        self.next_look = 0.0
        self._lock = threading.Lock()

    @classmethod
    def at(cls, address: str) -> Brains:
        """Those of the cluster at an address; `local` starts one here."""
        ray, _, folder = connected(address, None)
        take_back_signals()
        return cls(ray, folder)

    def pick(self, wanted: Machine | None = None) -> Machine | None:
        """The machine that has the tree, or the one with the most room; None if there is none."""
        with self._lock:
            self._look()
            if wanted is not None and self.machines.get(wanted.name) is wanted:
                return wanted
            ready = [machine for machine in self.machines.values() if self._is_ready(machine)]
            return min(ready, key=lambda one: (one.load + 1) / one.cores, default=None)

    def _is_ready(self, machine: Machine) -> bool:
        """Whether a machine has come up: until one has, searches are done here. One that can't says why, once."""
        if not machine.is_ready and not machine.trouble and self.ray.wait([machine.lives], timeout=0)[0]:
            try:
                self.answer(machine.lives, NEWS_SECONDS)
                machine.is_ready = True
            except (ConnectionError, LuoziError) as error:
                machine.trouble = str(error)
                warn_once(
                    f"cluster {machine.name}", Message("a machine of the cluster can't think: {error}", error=error)
                )
        return machine.is_ready

    def _look(self) -> None:
        """See now and then which machines there are."""
        if time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + LOOK_SECONDS
        with suppress(Exception):  # a cluster that is gone has no machines
            nodes = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in self.ray.nodes() if node["Alive"]}
            for name in self.machines.keys() - nodes.keys():
                del self.machines[name]
            for name in sorted(nodes.keys() - self.machines.keys()):
                if nodes[name]:
                    brain = self._started(name, nodes[name])
                    self.machines[name] = Machine(name, nodes[name], brain, brain.stop.remote(""))

    def _started(self, name: str, cores: int) -> Any:
        """A brain on a machine; it may turn out later that it can't live there."""
        strategy = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(name, soft=False)
        kind = self.ray.remote(num_cpus=0, max_concurrency=MOST_SEARCHES)(Brain)
        return kind.options(scheduling_strategy=strategy).remote(luozi.__version__, cores)

    def lose(self, machine: Machine) -> None:
        """It seems to be dead; if it comes back it gets a new brain, but not at once."""
        with self._lock:
            if self.machines.get(machine.name) is machine:
                del self.machines[machine.name]
            self.next_look = time.monotonic() + LOOK_SECONDS

    def answer(self, reference: Any, seconds: float) -> Any:
        """What comes back; `LuoziError` with the sentence of the other side, `ConnectionError` if it is dead."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference, timeout=seconds)
        except errors.RayTaskError as error:
            cause = getattr(error, "cause", None)
            sentence = str(cause) if isinstance(cause, LuoziError) else "a search on the cluster went wrong"
            raise LuoziError(sentence) from None
        except (errors.RayError, TimeoutError) as error:
            raise ConnectionError(type(error).__name__) from None

    def close(self) -> None:
        """Leave the cluster, and end it if it is our own."""
        self.ray.shutdown()
        if self.folder is not None:
            self.folder.remove()


class Remote(Searcher):
    """A search that another machine does; here only if there is none."""

    numbers = itertools.count()

    def __init__(self, minds: Minds, game: Game, options: Options, brains: Brains) -> None:
        super().__init__(minds, game, options)
        self.brains, self.key = brains, f"{os.getpid()}-{next(self.numbers)}"
        self.machine: Machine | None = None
        self._answering, self._number = False, 0
        own = split_spelling(game.spelling)[0] not in GAMES
        self._travelling: str | bytes = pack_game(game) if own else game.spelling

    @property
    def is_here(self) -> bool:
        """Whether it has to search here, since there is no other machine."""
        return self.machine is None and self._engine is not None

    @property
    def is_ready(self) -> bool:
        """Other machines compile by themselves."""
        return not self.is_here or super().is_ready

    def get_ready(self) -> None:
        """Nothing is compiled here before it has to be."""
        if self.brains.pick() is None:
            super().get_ready()

    @property
    def stage_in_use(self) -> int:
        """What other machines have compiled they say with their answer."""
        return super().stage_in_use if self.is_here else FULL

    def _task(self, line: Line, budget: Budget, number: int = 0, owner: str = "") -> Task:
        return Task(self.key, self._travelling, self.options, tuple(line.actions), budget, number, owner)

    def choose(self, errand: Errand) -> Choice:
        """Think elsewhere; a machine that dies costs the time and nothing else."""
        for _ in range(TRIES):
            self.machine = machine = self.brains.pick(self.machine)
            if machine is None:
                break
            with suppress(ConnectionError):
                return self._choose_at(machine, errand)
            self.brains.lose(machine)
        return super().choose(errand)

    def _choose_at(self, machine: Machine, errand: Errand) -> Choice:
        self._number += 1
        errand.began, self._errand, self._answering = time.perf_counter(), errand, True
        machine.load += 1
        try:
            task = self._task(errand.line, errand.budget, self._number, errand.owner)
            reference = machine.brain.choose.remote(task)
            if errand.stopped:
                machine.brain.stop.remote(self.key, self._number)
            patience = GRACE_SECONDS + (errand.budget.seconds or self.minds.limits.seconds)
            action, thought, remark = self.brains.answer(reference, patience)
        finally:
            self._answering = False
            machine.load -= 1
        return Choice(action, self._named(thought, errand.line), remark)

    def _named(self, thought: Thought, line: Line) -> Thought:
        return replace(thought, namer=Namer(self.game, line.state))

    def snapshot(self) -> Thought | None:
        """What the other machine knows so far."""
        machine, errand = self.machine, self._errand
        if machine is None:
            return super().snapshot()
        if not self._answering or errand is None:
            return None
        with suppress(ConnectionError, LuoziError):
            thought = self.brains.answer(machine.brain.snapshot.remote(self.key), NEWS_SECONDS)
            return None if thought is None else self._named(thought, errand.line)
        return None

    def stop(self, errand: Errand) -> None:
        """Answer this errand soon."""
        super().stop(errand)
        if self.machine is not None and self._answering and self._errand is errand:
            self.machine.brain.stop.remote(self.key, self._number)

    def branches(self, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """The tree where it is."""
        if self.machine is None:
            return super().branches(depth, visits, path, share)
        return self._asked(self.machine.brain.branches.remote(self.key, depth, visits, path, share))

    def why(self, line: Line) -> Step:
        """One iteration, told whole, where the tree is."""
        if self.machine is None:
            return super().why(line)
        return self._asked(self.machine.brain.why.remote(self._task(line, Budget())))

    def _asked(self, reference: Any) -> Any:
        try:
            return self.brains.answer(reference, GRACE_SECONDS)
        except ConnectionError:
            raise LuoziError("the machine that had this tree is gone: let the engine think again") from None

    def close(self) -> None:
        """Give the memory back, there too."""
        if self.machine is not None:
            with suppress(Exception):
                self.machine.brain.forget.remote(self.key)
        super().close()
