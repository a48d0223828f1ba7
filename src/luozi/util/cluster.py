"""Machines of a Ray cluster: join or start one, list its machines, and fetch results from them.

`Cluster` chooses the machine for each task. A machine that disappears without notice (power, network) is considered
lost after a minute. Ray alone would wait for many minutes.
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

CONNECT_SECONDS = 5.0  # seconds to wait for an address to answer
OBJECT_STORE = 100 * 2**20  # bytes of an object store; tasks and results are small

# Ray reads these when it is imported: it must not write to the terminal, report usage, or start a cluster by itself
# after the connection is closed.
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
    """Timeouts and intervals, in seconds."""

    trial: float = 15.0  # for joining; Ray alone tries for minutes
    look: float = 2.0  # between two queries of the list of machines
    avoid: float = 60.0  # without tasks for a machine that seems lost; Ray needs this long to be sure
    # number of failed queries in a row before the cluster counts as ended; Ray would end this process after a minute
    misses: int = 8


@dataclass(eq=False)
class Machine:
    """A machine of the cluster. A machine that was lost and returns is a new object."""

    name: str
    cores: int
    load: int = 0  # number of tasks it has now


class LostError(Exception):
    """A result is lost because its machine or process died."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what  # "machine" or "process"


class Cluster:
    """The machines that Ray knows at the moment."""

    def __init__(self, ray: Any, address: str, folder: OwnFolder | None = None, timing: Timing | None = None) -> None:
        self.ray, self.address, self.folder, self.timing = ray, address, folder, timing or Timing()
        self.machines: dict[str, Machine] = {}
        self._avoided: dict[str, float] = {}  # machines that seem lost, and until when
        self._next_look, self._missed = 0.0, 0
        self._lock = threading.Lock()
        take_back_signals()
        atexit.register(self.close)  # if the caller does not close it

    @classmethod
    def at(cls, address: str, processes: int | None = None) -> Cluster:
        """Join the cluster at an address. `local` starts a cluster of this machine, which ends when it is closed."""
        if address == "local" and "ray" not in sys.modules:
            # Ray listens on the network and needs a secret; without this one it would write one to the home folder
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        ray = import_ray()
        return cls(ray, *start(ray, processes)) if address == "local" else cls(ray, join(ray, address))

    def look(self) -> None:
        """Update the list of machines if it is old.

        Raises:
            LuoziError: the cluster has ended.
        """
        with self._lock:
            if time.monotonic() < self._next_look:
                return
            self._missed = 0 if self._update() else self._missed + 1
            self._next_look = time.monotonic() + self.timing.look
        if self._missed >= self.timing.misses:
            raise self.ended()

    def _update(self) -> bool:
        """Query Ray for its machines. A known machine remains the same object."""
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
        """Return whether a machine is still in the cluster."""
        return self.machines.get(machine.name) is machine

    def lose(self, machine: Machine) -> None:
        """Mark a machine as lost. If it returns, it is used again after a while."""
        with self._lock:
            if self.has(machine):
                del self.machines[machine.name]
                self._avoided[machine.name] = time.monotonic() + self.timing.avoid

    def place(self, machine: Machine) -> Any:
        """Return Ray's scheduling strategy for this machine only."""
        return self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(machine.name, soft=False)

    def fetch(self, reference: Any, seconds: float | None = None) -> Any:
        """Return a result from a machine.

        Raises:
            LostError: the machine or its process died or does not answer in time.
            LuoziError: the cluster ended, or the other side raised one.
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
        """Return the message for a cluster that has ended."""
        return LuoziError(
            "the cluster at {text} has ended; what is finished is kept: start it again, and then the same command",
            text=self.address,
        )

    def close(self) -> None:
        """Leave the cluster, which ends our tasks on it. A cluster that this process started ends too."""
        atexit.unregister(self.close)
        self.ray.shutdown()
        if self.folder is not None:
            self.folder.remove()


def least_loaded(machines: Iterable[Machine]) -> Machine | None:
    """Return the machine with the fewest tasks per core, or None if there are no machines.

    >>> least_loaded([Machine("small", 1), Machine("large", 4, load=2)]).name
    'large'
    """
    return min(machines, key=lambda one: (one.load + 1) / one.cores, default=None)


def import_ray() -> Any:
    """Import Ray without output.

    Raises:
        LuoziError: Ray is not installed.
    """
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
    """Let Python handle SIGTERM as Ray set it up. Ray's native handler would print its stack first."""
    with suppress(ValueError, TypeError):  # not in the main thread, or not set from Python
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


# Starting and joining -------------------------------------------------------------------------------------------------


def start(ray: Any, processes: int | None) -> tuple[str, OwnFolder]:
    """Start a cluster of this machine. Return its address and its folder."""
    folder = OwnFolder("/tmp")  # Ray's sockets need a short path
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
    """Join a running cluster. Return the address that shows whether it is still running."""
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
    """Check that something answers at an address.

    Raises:
        LuoziError: nothing does.
    """
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
    """Return whether a program listens at host:port."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except (OSError, OverflowError):
        return False
    return True


def try_to_join(address: str, seconds: float = Timing().trial) -> None:
    """Join in another process first, which can be ended if Ray finds no cluster or one that refuses the connection."""
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
    """Return the message for a cluster that cannot be joined."""
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
    """Return the text of an error on one line."""
    return " ".join(str(error).split())
