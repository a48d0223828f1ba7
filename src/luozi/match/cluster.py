"""Games on many machines, by Ray (`--cluster`): a game is a task of one core; results come back to this machine alone.

A task carries plain values (the contest as text, the numbers of the fixture, the files that the contest names), so that
it arrives, and can say what is wrong, where Luozi is missing or another one. A worker keeps its process from game to
game, and so its compiled code. A game whose machine or process died is sent again by us, not by Ray, which would try
for ever where memory is short.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from luozi import __version__
from luozi.compiled.cache import cache_folder
from luozi.errors import LuoziError
from luozi.match.contest import Contest, Fixture
from luozi.match.execution import DEATHS, IN_FLIGHT, ONE_THREAD, Executor, Task, cores
from luozi.match.playing import Outcome, play_fixture

CONNECT_SECONDS = 5.0  # for an address to answer
TRIAL_SECONDS = 15.0  # for Ray to join; by itself it would try for minutes
LOOK_SECONDS = 2.0  # so often we ask how many cores there are
MISSES = 8  # so many looks in a row may fail; Ray would end this whole process after a minute
MACHINE_DEATHS = 10  # so often may the machine of a game die: seldom the game's fault
OBJECT_STORE = 100 * 2**20  # bytes; games are small

# Ray reads these when it is imported: it must not speak on the user's terminal, nor report to anybody.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": "."}
INIT: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
Files = tuple[tuple[str, str, bytes], ...]  # name, digest, content
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
    if address == "local" and "ray" not in sys.modules:
        # Ray listens to the network, so it wants a secret; without this one it would write one into the home folder.
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    ray = import_ray()
    if address == "local":
        return Cluster(ray, *start_cluster(ray, workers), None)
    return Cluster(ray, join_cluster(ray, address), None, workers)


def import_ray() -> Any:
    """Ray, silenced; one sentence without it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise LuoziError("a cluster needs Ray: pip install 'luozi[cluster]'") from None
    return ray


# Starting and joining -------------------------------------------------------------------------------------------------


def start_cluster(ray: Any, workers: int | None) -> tuple[str, str]:
    """Start a cluster of one machine; its address and its folder."""
    folder = tempfile.mkdtemp(prefix="luozi-cluster-", dir="/tmp")  # a longer path may be too long for Ray's sockets
    try:
        ray.init(
            address="local",
            num_cpus=workers or cores(),
            include_dashboard=False,
            object_store_memory=OBJECT_STORE,
            _temp_dir=folder,
            **INIT,
        )
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise LuoziError(f"Ray does not start: {one_line(error)}") from None
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
        raise LuoziError(f"the cluster at {address} has no cores to play on: start Ray on more machines")
    return address.removeprefix("ray://") if client else ray.get_runtime_context().gcs_address


def check_address(address: str) -> None:
    """One sentence, soon, if nothing answers at an address."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise LuoziError(
            f"'{address}' is not the address of a cluster: write host:port, such as 192.168.1.10:6379, or local"
        )
    if not answers(f"{host}:{port}", CONNECT_SECONDS):
        raise LuoziError(
            f"nothing answers at {address}: start Ray there (ray start --head --port=6379), and let the firewall "
            "open the way to it"
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
        waited = f"no Ray cluster answers within {TRIAL_SECONDS:.0f} seconds"
        raise cannot_join(address, waited, (late.stderr or b"").decode(errors="replace")) from None
    if done.returncode:
        raise cannot_join(address, done.stdout.decode(errors="replace").strip(), done.stderr.decode(errors="replace"))


def cannot_join(address: str, reason: str, log: str = "") -> LuoziError:
    """The sentence for a cluster that runs, but not for us."""
    if "auth" in (reason + log).lower() and "token" in (reason + log).lower():
        return LuoziError(
            f"the cluster at {address} asks for its token: copy ~/.ray/auth_token from there, "
            "and set RAY_AUTH_MODE=token"
        )
    return LuoziError(f"can't join the cluster at {address}: {reason}")


def one_line(error: BaseException) -> str:
    """What an error says, without line ends."""
    return " ".join(str(error).split())


# Playing --------------------------------------------------------------------------------------------------------------


class Cluster:
    """The machines that Ray knows, as many as there are at the moment."""

    def __init__(self, ray: Any, address: str, folder: str | None, limit: int | None) -> None:
        self.ray, self.address, self.folder, self.limit = ray, address, folder, limit
        take_back_signals()
        self.game = ray.remote(num_cpus=1, max_retries=0)(game_task())
        self.workers, self.next_look, self.missed = 1, 0.0, 0
        self._look()

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Outcome]]:
        waiting, deaths = iter(tasks), Counter[tuple[Task, int]]()
        parcels: dict[str, Any] = {}  # what a contest's games need, sent once to each machine
        flying: dict[Any, Task] = {}
        again: list[Task] = []  # their process or machine died
        try:
            while True:
                self._look()
                while len(flying) < (self.limit or IN_FLIGHT * self.workers):
                    task = again.pop() if again else next(waiting, None)
                    if task is None:
                        break
                    flying[self._send(task, parcels)] = task
                if not flying:
                    return
                for reference in self._finished(list(flying)):
                    task = flying.pop(reference)
                    outcome = self._outcome(reference, task, deaths)
                    if outcome is None:
                        again.append(task)
                    else:
                        yield task, outcome
        finally:
            for reference in flying:
                self.ray.cancel(reference)

    def _send(self, task: Task, parcels: dict[str, Any]) -> Any:
        contest = task.contest
        if contest.id not in parcels:
            parcels[contest.id] = self.ray.put(tuple(parcel_of(contest)))
        return self.game.remote(__version__, ONE_THREAD, parcels[contest.id], tuple(task.fixture))

    def _finished(self, flying: list[Any]) -> list[Any]:
        """Wait for a game, but not for ever; take all others that are finished too."""
        done, others = self.ray.wait(flying, num_returns=1, timeout=LOOK_SECONDS)
        return done + self.ray.wait(others, num_returns=len(others), timeout=0)[0] if done and others else done

    def _outcome(self, reference: Any, task: Task, deaths: Counter[tuple[Task, int]]) -> Outcome | None:
        """A finished game, or None if it must be played again."""
        errors = self.ray.exceptions
        try:
            outcome, refusal = self.ray.get(reference)
        except (errors.NodeDiedError, errors.ObjectLostError):
            mourn(task, deaths, MACHINE_DEATHS)
            return None
        except (errors.WorkerCrashedError, errors.OutOfMemoryError):
            mourn(task, deaths, DEATHS)
            return None
        except errors.LocalRayletDiedError:
            raise self._gone() from None
        if refusal:
            raise LuoziError(refusal)
        return Outcome(*outcome)

    def _look(self) -> None:
        """See now and then how many cores there are, and whether the cluster is there at all."""
        if time.monotonic() < self.next_look:
            return
        if answers(self.address, LOOK_SECONDS):
            self.missed = 0
            self.workers = max(1, int(self.ray.cluster_resources().get("CPU", 0)))
        else:
            self.missed += 1
        self.next_look = time.monotonic() + LOOK_SECONDS
        if self.missed >= MISSES:
            raise self._gone()

    def _gone(self) -> LuoziError:
        return LuoziError(
            f"the cluster at {self.address} has ended; what is finished is kept: start it again, "
            "and then the same command"
        )

    def close(self) -> None:
        self.ray.shutdown()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def mourn(task: Task, deaths: Counter[tuple[Task, int]], limit: int) -> None:
    """Count the deaths of a game's process or machine; one sentence when there were too many."""
    deaths[task, limit] += 1
    if deaths[task, limit] >= limit:
        raise LuoziError(
            f"the {'process' if limit == DEATHS else 'machine'} of game {task.fixture.number + 1} died {limit} times: "
            "perhaps there is too little memory (fewer cores for each machine: ray start --num-cpus, or a smaller "
            "pool=), or a rule of the game crashes"
        )


def take_back_signals() -> None:
    """Let SIGTERM end Python as Ray has arranged it, instead of Ray's native code, which prints its stack first."""
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


class Parcel(NamedTuple):
    """All that the games of a contest need on another machine."""

    definition: str  # the contest
    folder: str  # where the command runs
    machine: str  # and on which machine
    files: Files  # those that the contest names


def parcel_of(contest: Contest) -> Parcel:
    """What travels, read here."""
    files = tuple((name, digest, Path(name).read_bytes()) for name, digest in contest.files)
    return Parcel(contest.definition, os.getcwd(), socket.gethostname(), files)


# On the other machine -------------------------------------------------------------------------------------------------


def game_task() -> Callable[..., Any]:
    """The function that Ray runs. It travels as a whole, since it is inside another one: Luozi may be missing there."""

    def luozi_game(version: str, settings: dict[str, str], parcel: Any, fixture: Any) -> tuple[Any, str]:
        import os
        import socket

        os.environ.update(settings)  # before the first import of the compiler
        try:
            import luozi
        except ImportError:
            return None, f"the machine {socket.gethostname()} has no Luozi: install version {version} there"
        if luozi.__version__ != version:
            return None, (
                f"the machine {socket.gethostname()} has Luozi {luozi.__version__} instead of {version}: "
                "install the same version on all machines"
            )
        from luozi.match.cluster import play_there

        return play_there(parcel, fixture)

    return luozi_game


def play_there(parcel: Any, fixture: Any) -> tuple[Any, str]:
    """Play a game here for another machine: its outcome, or the sentence that says why not."""
    definition, folder, machine, files = parcel
    try:
        enter_folder(folder, files)
        return tuple(play_fixture(read_contest(definition), Fixture(*fixture))), ""
    except LuoziError as error:
        here = socket.gethostname()
        return None, str(error) if here == machine else f"{error} (on the machine {here})"


@lru_cache(maxsize=8)
def read_contest(definition: str) -> Contest:
    """The contest of a text, made once."""
    return Contest.read(definition)


def enter_folder(folder: str, files: Files) -> None:
    """Go where the names of a contest's files mean here what they mean where the command runs."""
    try:
        os.chdir(folder_with(folder, files))
    except OSError as error:
        raise LuoziError(f"can't copy the files of this match: {error}") from None


@lru_cache(maxsize=8)
def folder_with(folder: str, files: Files) -> Path:
    """The same folder if it has the same files, or one with copies of them."""
    if Path(folder).is_dir() and all(content_at(Path(folder, name)) == content for name, _, content in files):
        return Path(folder)
    copies = cache_folder() / "files" / "-".join(["copies", *(digest for _, digest, _ in files)])
    copies.mkdir(parents=True, exist_ok=True)
    for name, _, content in files:
        if content_at(copies / name) == content:  # an absolute name stands for itself
            continue
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise LuoziError(
                f"'{name}' is missing or different: copy it there, or name it by a path below the current folder"
            )
        write_at_once(copies / name, content)
    return copies


def content_at(path: Path) -> bytes | None:
    """What is in a file, if there is one."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_at_once(path: Path, content: bytes) -> None:
    """Write a file that other processes may write or read at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)
