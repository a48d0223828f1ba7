"""Engines of the page that think on a cluster: a machine that dies costs a repeated move and nothing else."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from web_page import make_sessions, page_at, serving

import luozi
from luozi.limits import Limits
from luozi.search import Options
from luozi.util.cluster import Cluster, Timing
from luozi.web.cluster_search import ClusterMachines, ClusterRequest, MachineSearches

SEATS = [{"kind": "person"}, {"kind": "player", "name": "mcts", "iterations": 50, "options": {"seed": 1}}]


class FakeRay:
    """As much of Ray as the server needs; every machine is this process, until it is dead."""

    def __init__(self, *machines: str) -> None:
        self.alive, self.dying = set(machines), set[str]()
        self.asked: list[tuple[str, str]] = []
        error = type("RayError", (Exception,), {})
        names = ("RayTaskError", "RayActorError", "WorkerCrashedError", "OutOfMemoryError", "LocalRayletDiedError")
        self.exceptions = SimpleNamespace(RayError=error, **{name: type(name, (error,), {}) for name in names})
        strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda machine, soft: machine)
        self.util = SimpleNamespace(scheduling_strategies=strategies)

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeID": name, "Alive": True, "Resources": {"CPU": 1}} for name in sorted(self.alive)]

    def remote(self, **_options: int) -> Any:
        return lambda kind: SimpleNamespace(options=lambda scheduling_strategy: FakeKind(self, scheduling_strategy))

    def wait(self, references: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return references, []

    def get(self, reference: Any, timeout: float) -> Any:
        machine, method, arguments = reference
        self.asked.append((machine.name, method))
        if method == "choose" and machine.name in self.dying:  # in the middle of its thought
            getattr(machine.actor, method)(*arguments)
            self.alive.discard(machine.name)
        if machine.name not in self.alive:
            raise self.exceptions.RayError
        return getattr(machine.actor, method)(*arguments)

    def shutdown(self) -> None:
        self.alive.clear()


class FakeKind:
    """A class that lives on a machine; what is asked of it is done when the answer is fetched."""

    def __init__(self, ray: FakeRay, name: str) -> None:
        self.ray, self.name = ray, name

    def remote(self, *arguments: Any) -> FakeKind:
        self.actor = MachineSearches(*arguments)
        return self

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(remote=lambda *arguments: (self, method, arguments))


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """What listens at the address of the cluster."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as found:
        yield found


@pytest.fixture
def cluster_of(server: socket.socket) -> Callable[..., tuple[FakeRay, Any]]:
    """A cluster, and sessions whose engines search there."""

    def made(*machines: str) -> tuple[FakeRay, Any]:
        ray, sessions = FakeRay(*machines), make_sessions()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        sessions.resources.machines = ClusterMachines(Cluster(ray, address, timing=Timing(look=0.01)))
        return ray, sessions

    return made


def eventually(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():
        time.sleep(0.2)
    return condition()


def test_a_move_is_thought_about_on_the_cluster_and_its_tree_stays_there(cluster_of):
    ray, sessions = cluster_of("a")
    with serving(sessions) as client, page_at(client) as page:
        page.ask("new", game="tictactoe", seats=SEATS)
        page.ask("play", action=4)
        moved = page.until_type("moved")
        assert (moved["by"], moved["thought"]["iterations"] > 0) == (1, True)
        assert moved["thought"]["candidates"][0]["line_names"]
        assert ("a", "choose") in ray.asked
        assert page.ask("tree", depth=1)["tree"]["children"]
        assert page.ask("why")["choices"]


def test_a_machine_that_dies_costs_a_repeated_move_and_nothing_else(cluster_of):
    ray, sessions = cluster_of("a", "b")
    ray.dying = {"a"}
    with serving(sessions) as client, page_at(client) as page:
        page.ask("new", game="tictactoe", seats=SEATS)
        page.ask("play", action=4)
        assert page.until_type("moved")["by"] == 1
        assert [one for one in ray.asked if one[1] == "choose"] == [("a", "choose"), ("b", "choose")]
        ray.alive.clear()  # nobody is left: this machine thinks
        page.ask("undo")
        page.ask("play", action=0)
        assert page.until_type("moved")["by"] == 1


def test_a_cluster_that_ends_is_left_and_this_machine_thinks(cluster_of, server):
    ray, sessions = cluster_of("a")
    with serving(sessions) as client, page_at(client) as page:
        page.ask("new", game="tictactoe", seats=SEATS)
        page.ask("play", action=4)
        assert page.until_type("moved")["by"] == 1
        server.close()
        assert eventually(
            lambda: sessions.resources.machines.pick() is None and sessions.resources.machines.has_ended, 20
        )
        assert not ray.alive  # Ray would end this process
        asked = len(ray.asked)
        page.ask("undo")
        page.ask("play", action=0)
        assert page.until_type("moved")["by"] == 1
        assert len(ray.asked) == asked


def test_what_is_to_end_before_it_has_arrived_ends_at_once():
    searches = MachineSearches(luozi.__version__, 1)
    about = {"key": "k", "game": "tictactoe", "options": Options(seed=1), "actions": ()}
    searches.stop("k", 2)
    began = time.monotonic()
    searches.choose(ClusterRequest(**about, limits=Limits(seconds=600.0), number=2))
    assert time.monotonic() - began < 300
    searches.choose(ClusterRequest(**about, limits=Limits(seconds=0.01), number=3))
    assert not searches.jobs
    searches.resources.close()


@pytest.mark.long
def test_a_real_cluster_of_this_machine_thinks_and_its_death_is_survived():
    pytest.importorskip("ray")
    sessions = make_sessions()
    sessions.resources.machines = machines = ClusterMachines.at("local")
    with serving(sessions) as client, page_at(client) as page:
        page.ask("new", game="tictactoe", seats=SEATS)
        page.ask("play", action=4)
        assert page.until_type("moved")["by"] == 1
        assert eventually(lambda: machines.pick() is not None, 300)
        page.ask("undo")
        page.ask("play", action=4)
        assert page.until_type("moved")["by"] == 1
        [host] = machines.hosts.values()
        assert host.actor is not None
        machines.cluster.ray.kill(host.actor)
        page.ask("undo")
        page.ask("play", action=0)
        assert page.until_type("moved")["by"] == 1
