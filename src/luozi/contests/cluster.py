"""Games on many machines, by Ray (`--cluster`): a game is a task of one core; results come back to this machine alone.

A worker keeps its process from game to game, and so its compiled code. A game whose machine or process died is sent
again by us, not by Ray, which would try for ever where memory is short.
"""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Generic

from luozi import __version__
from luozi.contests.execution import DEATHS, IN_FLIGHT, ONE_THREAD, AnyWork, Executor, Work, cores
from luozi.contests.parcel import game_task
from luozi.messages import LuoziError, Message
from luozi.outside_text import whole_number
from luozi.own_folder import OwnFolder
from luozi.trust import environment

CONNECT_SECONDS = 5.0  # for an address to answer
TRIAL_SECONDS = 15.0  # for Ray to join; by itself it would try for minutes
LOOK_SECONDS = 2.0  # so often we ask how many cores there are
MISSES = 8  # so many looks in a row may fail; Ray would end this whole process after a minute
AVOID_SECONDS = 60.0  # no games for a machine that seems dead; it takes Ray so long to be sure
MACHINE_DEATHS = 10  # so often may the machine of a game die: seldom the game's fault
OBJECT_STORE = 100 * 2**20  # bytes; games are small

# Ray reads these when it is imported: it must not speak on the user's terminal, nor report to anybody.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": "."}
INIT: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
TRIAL = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
except Exception as error:
    print(" ".join(str(error).split()))
    sys.exit(1)
"""


def cluster_executor(address: str, workers: int | None = None) -> Executor:
    """A cluster of this machine alone (`local`, ended with the executor), or the one that runs at an address."""
    ray, where, folder = connected(address, workers)
    return Cluster(ray, where, folder, workers if folder is None else None)


def connected(address: str, workers: int | None) -> tuple[Any, str, OwnFolder | None]:
    """Ray, as part of a cluster; where one sees whether that still runs, and the folder of one that is our own."""
    if address == "local" and "ray" not in sys.modules:
        # Ray listens to the network, so it wants a secret; without this one it would write one into the home folder.
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    ray = import_ray()
    return (ray, *start_cluster(ray, workers)) if address == "local" else (ray, join_cluster(ray, address), None)


def import_ray() -> Any:
    """Ray, silenced; one sentence without it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.exceptions
        import ray.util.scheduling_strategies
    except ImportError:
        raise LuoziError("a cluster needs Ray: pip install 'luozi[cluster]'") from None
    return ray


# Starting and joining -------------------------------------------------------------------------------------------------


def start_cluster(ray: Any, workers: int | None) -> tuple[str, OwnFolder]:
    """Start a cluster of one machine; its address and its folder."""
    folder = OwnFolder("/tmp")  # a longer path may be too long for Ray's sockets
    try:
        ray.init(
            address="local",
            num_cpus=workers or cores(),
            include_dashboard=False,
            object_store_memory=OBJECT_STORE,
            _temp_dir=str(folder.path),
            **INIT,
        )
    except Exception as error:
        folder.remove()
        raise LuoziError("Ray does not start: {reason}", reason=one_line(error)) from None
    return ray.get_runtime_context().gcs_address, folder


def join_cluster(ray: Any, address: str) -> str:
    """Join a cluster that runs; where it can be seen whether it still does."""
    client = address.startswith("ray://")
    if address != "auto":
        check_address(address)
    try_to_join(address)
    try:
        ray.init(address=address, **INIT)
    except Exception as error:
        raise cannot_join(address, one_line(error)) from None
    if not ray.cluster_resources().get("CPU"):
        ray.shutdown()
        raise LuoziError("the cluster at {text} has no cores to play on: start Ray on more machines", text=address)
    return address.removeprefix("ray://") if client else ray.get_runtime_context().gcs_address


def check_address(address: str) -> None:
    """One sentence, soon, if nothing answers at an address."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or whole_number(port, 1, 65535) is None:
        raise LuoziError(
            "'{name}' is not the address of a cluster: write host:port, such as 192.168.1.10:6379, or local",
            name=address,
        )
    if not answers(f"{host}:{port}", CONNECT_SECONDS):
        raise LuoziError(
            "nothing answers at {text}: start Ray there (ray start --head --port=6379), and let the firewall "
            "open the way to it",
            text=address,
        )


def answers(address: str, seconds: float) -> bool:
    """Whether somebody listens at host:port."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except (OSError, OverflowError):
        return False
    return True


def try_to_join(address: str) -> None:
    """Join in another process first: Ray can be stopped there when it finds no cluster, or one that refuses us."""
    command = [sys.executable, "-c", TRIAL, address]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRIAL_SECONDS)
    except subprocess.TimeoutExpired as late:
        log = (late.stderr or b"").decode(errors="replace")
        raise cannot_join(
            address,
            Message(
                "nothing happened in {seconds} seconds; is this Ray's address, and is this machine part of the "
                "cluster (ray start --address=...)?",
                seconds=f"{TRIAL_SECONDS:.0f}",
            ),
            log,
        ) from None
    if done.returncode:
        raise cannot_join(address, done.stdout.decode(errors="replace").strip(), done.stderr.decode(errors="replace"))


def cannot_join(address: str, reason: str, log: str = "") -> LuoziError:
    """The sentence for a cluster that runs, but not for us."""
    if "auth" in (reason + log).lower() and "token" in (reason + log).lower():
        return LuoziError(
            "the cluster at {text} asks for its token: copy ~/.ray/auth_token from there, and set RAY_AUTH_MODE=token",
            text=address,
        )
    if address == "auto" and "Could not find" in reason:
        return LuoziError(
            "no cluster runs on this machine: start one (ray start --head --port=6379), or give its address"
        )
    return LuoziError("can't join the cluster at {text}: {reason}", text=address, reason=reason)


def one_line(error: BaseException) -> str:
    """What an error says, without line ends."""
    return " ".join(str(error).split())


# Playing --------------------------------------------------------------------------------------------------------------


class Flight(Generic[AnyWork]):
    """The games of one run that are on their way."""

    def __init__(self, tasks: Iterable[AnyWork]) -> None:
        self.waiting = iter(tasks)
        self.again: list[AnyWork] = []  # their process or machine died
        self.flying: dict[Any, tuple[AnyWork, str]] = {}  # by Ray's reference: the game and its machine
        self.load = Counter[str]()  # games for each machine
        self.deaths = Counter[tuple[Work, int]]()
        self.parcels: dict[str, Any] = {}  # by luggage; Ray brings each to a machine once

    def next_task(self) -> AnyWork | None:
        """What to play next, or None if that is all."""
        return self.again.pop() if self.again else next(self.waiting, None)

    def add(self, reference: Any, task: AnyWork, machine: str) -> None:
        """A game is on its way to a machine."""
        self.flying[reference] = task, machine
        self.load[machine] += 1

    def take(self, reference: Any) -> tuple[AnyWork, str]:
        """A game is not on its way any more."""
        task, machine = self.flying.pop(reference)
        self.load[machine] -= 1
        return task, machine

    def mourn(self, task: AnyWork, limit: int) -> None:
        """The process or the machine of a game died: it is played again, but not for ever."""
        self.again.append(task)
        self.deaths[task, limit] += 1
        if self.deaths[task, limit] >= limit:
            raise LuoziError(
                "the {what} of {text} died {count} times: perhaps there is too little memory (fewer cores: ray "
                "start --num-cpus=..., or a smaller pool=), or a rule of the game crashes",
                what="process" if limit == DEATHS else "machine",
                text=task.name,
                count=limit,
            )


class Cluster:
    """The machines that Ray knows, as many as there are at the moment.

    We choose the machine of each game: a machine that vanishes without a word (no current, no network) is known to be
    gone a minute later, while Ray would wait for its answers for many minutes, and others with it.
    """

    def __init__(self, ray: Any, address: str, folder: OwnFolder | None, limit: int | None) -> None:
        self.ray, self.address, self.folder, self.limit = ray, address, folder, limit
        take_back_signals()
        self.game = ray.remote(num_cpus=1, max_retries=0)(game_task())
        self.machines: dict[str, int] = {}  # their cores
        self.avoided: dict[str, float] = {}  # machines that seem dead, and until when
        self.workers, self.next_look, self.missed = 1, 0.0, 0
        self._look()
        atexit.register(self.close)  # also where nobody closes it

    def run(self, tasks: Iterable[AnyWork]) -> Iterator[tuple[AnyWork, Any]]:
        """Play all games; leaving early cancels those that are on their way."""
        flight = Flight(tasks)
        try:
            while True:
                self._look()
                self._forget_dead_machines(flight)
                self._send_all(flight)
                if not flight.flying and self.machines:
                    return
                for reference in self._finished(list(flight.flying)):
                    task, machine = flight.take(reference)
                    outcome = self._outcome(reference, task, machine, flight)
                    if outcome is not None:
                        yield task, outcome
        finally:
            for reference in flight.flying:
                self.ray.cancel(reference)

    def _look(self) -> None:
        """See now and then which machines there are, and whether there is a cluster at all."""
        now = time.monotonic()
        if now < self.next_look:
            return
        if answers(self.address, LOOK_SECONDS):
            cores = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in self.ray.nodes() if node["Alive"]}
            self.machines = {one: number for one, number in cores.items() if number and self.avoided.get(one, 0) <= now}
            everywhere = max(1, sum(self.machines.values()))
            self.workers, self.missed = min(everywhere, self.limit or everywhere), 0
        else:
            self.missed += 1
        self.next_look = time.monotonic() + LOOK_SECONDS
        if self.missed >= MISSES:
            raise self._gone()

    def _forget_dead_machines(self, flight: Flight[Any]) -> None:
        """Play their games elsewhere."""
        for reference, (_, machine) in list(flight.flying.items()):
            if machine not in self.machines:
                self.ray.cancel(reference)
                flight.mourn(flight.take(reference)[0], MACHINE_DEATHS)

    def _send_all(self, flight: Flight[Any]) -> None:
        """Give every machine its share."""
        while self.machines and (self.limit is None or len(flight.flying) < self.limit):
            machine = min(self.machines, key=lambda one: flight.load[one] / self.machines[one])
            if flight.load[machine] >= IN_FLIGHT * self.machines[machine]:
                return
            task = flight.next_task()
            if task is None:
                return
            flight.add(self._send(task, machine, flight.parcels), task, machine)

    def _send(self, task: Work, machine: str, parcels: dict[str, Any]) -> Any:
        """Have a game played on a machine; Ray's reference to what will come back."""
        strategy = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(machine, soft=False)
        if task.luggage not in parcels:
            parcels[task.luggage] = self.ray.put(task.parcel())
        game = self.game.options(scheduling_strategy=strategy)
        return game.remote(
            __version__, {**ONE_THREAD, **environment()}, task.entrance, parcels[task.luggage], task.part()
        )

    def _finished(self, flying: list[Any]) -> list[Any]:
        """Wait for a game, but not for ever; take all others that are finished too."""
        if not flying:  # there is no machine at the moment
            time.sleep(LOOK_SECONDS)
            return []
        done, others = self.ray.wait(flying, num_returns=1, timeout=LOOK_SECONDS)
        return done + self.ray.wait(others, num_returns=len(others), timeout=0)[0] if done and others else done

    def _outcome(self, reference: Any, task: Work, machine: str, flight: Flight[Any]) -> Any:
        """A finished game, or None if it must be played again."""
        errors = self.ray.exceptions
        try:
            outcome, refusal = self.ray.get(reference)
        except (errors.NodeDiedError, errors.ObjectLostError, errors.TaskUnschedulableError):
            self.machines.pop(machine, None)
            self.avoided[machine] = time.monotonic() + AVOID_SECONDS
            flight.mourn(task, MACHINE_DEATHS)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError):
            flight.mourn(task, DEATHS)
        except errors.LocalRayletDiedError:
            raise self._gone() from None
        else:
            if refusal:
                raise LuoziError(refusal)
            return task.result(outcome)
        return None

    def _gone(self) -> LuoziError:
        """The sentence for a cluster that was there."""
        return LuoziError(
            "the cluster at {text} has ended; what is finished is kept: start it again, and then the same command",
            text=self.address,
        )

    def close(self) -> None:
        """Leave the cluster, which ends the games that we have there, and end it if it is our own."""
        atexit.unregister(self.close)
        self.ray.shutdown()
        if self.folder is not None:
            self.folder.remove()


def take_back_signals() -> None:
    """Let SIGTERM end Python as Ray has arranged it, instead of Ray's native code, which prints its stack first."""
    with suppress(ValueError, TypeError):  # not in the main thread, or not known to Python
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))
