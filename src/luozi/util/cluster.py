"""Machines of a Ray cluster: joining or starting one, which machines it has, and what comes back from them.

`Cluster` chooses the machine of each piece of work: a machine that vanishes without a word (no power, no network) is
known to be gone a minute later, while Ray would wait for its answers for many minutes, and others with it.
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
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from luozi.messages import LuoziError, Message
from luozi.util.machine import cores
from luozi.util.parsing import whole_number
from luozi.util.tempdirs import OwnFolder

CONNECT_SECONDS = 5.0  # for an address to answer
OBJECT_STORE = 100 * 2**20  # bytes; what travels is small

# Ray reads these when it is imported: it must not write to the user's terminal, report to anybody, or start a cluster
# by itself after we have left one.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": ".", "RAY_ENABLE_AUTO_CONNECT": "0"}
INIT: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
TRIAL = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
except Exception as error:
    print(" ".join(str(error).split()))
    sys.exit(1)
"""


@dataclass(frozen=True)
class Timing:
    """How patient we are, in seconds."""

    trial: float = 15.0  # for Ray to join; by itself it would try for minutes
    look: float = 2.0  # between two looks at which machines there are
    avoid: float = 60.0  # no work for a machine that seems dead; it takes Ray so long to be sure
    misses: int = 8  # so many looks in a row may fail; Ray would end this whole process after a minute


@dataclass(eq=False)
class Machine:
    """A machine of the cluster. One that comes back after it was lost is another object."""

    name: str
    cores: int
    load: int = 0  # pieces of work that it has now


class LostError(Exception):
    """What was asked for is lost: its machine died, or only its process."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what  # "machine" or "process"


class Cluster:
    """The machines that Ray knows, as many as there are at the moment."""

    def __init__(self, ray: Any, address: str, folder: OwnFolder | None = None, timing: Timing | None = None) -> None:
        self.ray, self.address, self.folder, self.timing = ray, address, folder, timing or Timing()
        self.machines: dict[str, Machine] = {}
        self._avoided: dict[str, float] = {}  # machines that seem dead, and until when
        self._next_look, self._missed = 0.0, 0
        self._lock = threading.Lock()
        take_back_signals()
        atexit.register(self.close)  # also where nobody closes it

    @classmethod
    def at(cls, address: str, processes: int | None = None) -> Cluster:
        """Join the cluster at an address; `local` starts one of this machine alone, which ends when it is closed."""
        if address == "local" and "ray" not in sys.modules:
            # Ray listens to the network, so it needs a secret; without this one it would write one to the home folder.
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        ray = import_ray()
        return cls(ray, *start(ray, processes)) if address == "local" else cls(ray, join(ray, address))

    def look(self) -> None:
        """See now and then which machines there are; raise LuoziError when the cluster has ended."""
        with self._lock:
            if time.monotonic() < self._next_look:
                return
            self._missed = 0 if self._update() else self._missed + 1
            self._next_look = time.monotonic() + self.timing.look
        if self._missed >= self.timing.misses:
            raise self.ended()

    def _update(self) -> bool:
        """Ask Ray which machines there are; a machine that is known already stays the same object."""
        if not answers(self.address, self.timing.look):
            return False
        try:
            nodes = self.ray.nodes()
        except self.ray.exceptions.RayError:
            return False
        now, found = time.monotonic(), {}
        for node in nodes:
            name, number = node["NodeID"], int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0
            if number and self._avoided.get(name, 0.0) <= now:
                found[name] = self.machines.get(name) or Machine(name, number)
                found[name].cores = number
        self.machines = found
        return True

    def has(self, machine: Machine) -> bool:
        """Whether a machine is still there."""
        return self.machines.get(machine.name) is machine

    def lose(self, machine: Machine) -> None:
        """Take a machine for dead; if it comes back it is used again, but not at once."""
        with self._lock:
            if self.has(machine):
                del self.machines[machine.name]
                self._avoided[machine.name] = time.monotonic() + self.timing.avoid

    def place(self, machine: Machine) -> Any:
        """Ray's name for "on this machine or nowhere"."""
        return self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(machine.name, soft=False)

    def fetch(self, reference: Any, seconds: float | None = None) -> Any:
        """Return what comes back from a machine.

        Raises: LostError when the machine or its process died or does not answer in time, LuoziError when the cluster
        ended or when the other side raised one.
        """
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference, timeout=seconds)
        except errors.RayTaskError as error:
            cause = getattr(error, "cause", None)
            raise cause if isinstance(cause, LuoziError) else error from None
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.RayActorError):
            raise LostError("process") from None
        except errors.LocalRayletDiedError:
            raise self.ended() from None
        except (errors.RayError, TimeoutError):
            raise LostError("machine") from None

    def ended(self) -> LuoziError:
        """The message for a cluster that was there."""
        return LuoziError(
            "the cluster at {text} has ended; what is finished is kept: start it again, and then the same command",
            text=self.address,
        )

    def close(self) -> None:
        """Leave the cluster, which ends our work there, and end it if it is our own."""
        atexit.unregister(self.close)
        self.ray.shutdown()
        if self.folder is not None:
            self.folder.remove()


def least_loaded(machines: Iterable[Machine]) -> Machine | None:
    """Return the machine on which one more piece of work shares its core with the fewest others; None without any.

    >>> least_loaded([Machine("small", 1), Machine("large", 4, load=2)]).name
    'large'
    """
    return min(machines, key=lambda one: (one.load + 1) / one.cores, default=None)


def import_ray() -> Any:
    """Import Ray, silenced; raise LuoziError without it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.exceptions
        import ray.util.scheduling_strategies
    except ImportError:
        raise LuoziError("a cluster needs Ray: pip install 'luozi[cluster]'") from None
    return ray


def take_back_signals() -> None:
    """Let SIGTERM end Python as Ray has arranged it, instead of Ray's native code, which prints its stack first."""
    with suppress(ValueError, TypeError):  # not in the main thread, or not known to Python
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


# Starting and joining -------------------------------------------------------------------------------------------------


def start(ray: Any, processes: int | None) -> tuple[str, OwnFolder]:
    """Start a cluster of this machine; return its address and its folder."""
    folder = OwnFolder("/tmp")  # a longer path may be too long for Ray's sockets
    try:
        ray.init(
            address="local",
            num_cpus=processes or cores(),
            include_dashboard=False,
            object_store_memory=OBJECT_STORE,
            _temp_dir=str(folder.path),
            **INIT,
        )
    except Exception as error:
        folder.remove()
        raise LuoziError("Ray does not start: {reason}", reason=one_line(error)) from None
    return ray.get_runtime_context().gcs_address, folder


def join(ray: Any, address: str) -> str:
    """Join a cluster that runs; return the address at which it can be seen whether it still does."""
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
    is_client = address.startswith("ray://")
    return address.removeprefix("ray://") if is_client else ray.get_runtime_context().gcs_address


def check_address(address: str) -> None:
    """Raise LuoziError, soon, if nothing answers at an address."""
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
    """Whether a program listens at host:port."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except (OSError, OverflowError):
        return False
    return True


def try_to_join(address: str, seconds: float = Timing().trial) -> None:
    """Join in another process first: Ray can be stopped there when it finds no cluster, or one that refuses us."""
    command = [sys.executable, "-c", TRIAL, address]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        log = (late.stderr or b"").decode(errors="replace")
        raise cannot_join(
            address,
            Message(
                "nothing happened in {seconds} seconds; is this Ray's address, and is this machine part of the "
                "cluster (ray start --address=...)?",
                seconds=f"{seconds:.0f}",
            ),
            log,
        ) from None
    if done.returncode:
        raise cannot_join(address, done.stdout.decode(errors="replace").strip(), done.stderr.decode(errors="replace"))


def cannot_join(address: str, reason: str, log: str = "") -> LuoziError:
    """The message for a cluster that runs, but not for us."""
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
