"""How a run goes on a cluster: which machine gets which game, what happens when one dies. Ray is played by a fake."""

from __future__ import annotations

import pickle
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from luozi.matches.game_runner import play_fixture
from luozi.matches.remote_task import PortableCall
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.matches.workers import OnCluster, game_task
from luozi.messages import LuoziError
from luozi.util.cluster import Cluster, Timing


class FakeRay:
    """As much of Ray as a run needs; `answer(machine, fixture)` is what a game gives: an error, or None for never."""

    def __init__(self, answer: Callable[[str, ScheduledGame], object], **cores: int) -> None:
        self.answer, self.cores = answer, cores
        self.later: dict[int, dict[str, int]] = {}  # cores from some look on
        self.looks = 0
        self.sent: list[tuple[str, int]] = []
        self.open: dict[int, tuple[str, ScheduledGame]] = {}
        self.most_open = 0
        self.cancelled: list[int] = []
        self.machine = ""
        base = type("RayError", (Exception,), {})
        names = ("NodeDiedError", "WorkerCrashedError", "OutOfMemoryError", "LocalRayletDiedError")
        names += ("RayTaskError", "RayActorError")
        self.exceptions = SimpleNamespace(RayError=base, **{name: type(name, (base,), {}) for name in names})
        strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda machine, soft: machine)
        self.util = SimpleNamespace(scheduling_strategies=strategies)

    def nodes(self):
        self.looks += 1
        self.cores = self.later.get(self.looks, self.cores)
        return [{"NodeID": name, "Alive": cores > 0, "Resources": {"CPU": cores}} for name, cores in self.cores.items()]

    def shutdown(self):
        self.cores = {}

    def put(self, value):
        return value

    def options(self, scheduling_strategy):
        self.machine = scheduling_strategy
        return SimpleNamespace(remote=self.send)

    def send(self, version, settings, sent, fixture):
        self.sent.append((self.machine, fixture.number))
        self.open[len(self.sent)] = self.machine, fixture
        self.most_open = max(self.most_open, len(self.open))
        return len(self.sent)

    def wait(self, references, num_returns, timeout):
        done = [one for one in references if self.answer(*self.open[one]) is not None]
        return done[:num_returns], [one for one in references if one not in done[:num_returns]]

    def get(self, reference, timeout):
        found = self.answer(*self.open.pop(reference))
        if isinstance(found, Exception):
            raise found
        return found

    def cancel(self, reference):
        self.cancelled.append(reference)
        del self.open[reference]

    def remote(self, **_):
        return lambda function: self


@pytest.fixture
def contest() -> MatchSchedule:
    return MatchSchedule.of("tictactoe", ["random", "random"])


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """What listens at the address of the cluster."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as found:
        yield found


@pytest.fixture
def on(server: socket.socket) -> Callable[..., OnCluster]:
    """An executor on a fake Ray that looks each time."""

    def made(ray: FakeRay, workers: int | None = None, **timing: float) -> OnCluster:
        executor = OnCluster("a cluster", workers)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        executor.cluster = Cluster(ray, address, timing=Timing(**{"look": 0.001, **timing}))
        return executor

    return made


def finished(contest: MatchSchedule, fixture: ScheduledGame) -> tuple[bytes, str]:
    return pickle.dumps(play_fixture(contest, fixture)), ""


def tasks_of(contest: MatchSchedule, games: int) -> Iterator[PortableCall[MatchSchedule, ScheduledGame]]:
    return (game_task(contest, fixture) for fixture in contest.fixtures(games))


def test_every_machine_gets_games_by_its_cores_and_no_more_than_two_for_each(contest, on):
    ray = FakeRay(lambda machine, fixture: finished(contest, fixture), small=1, large=3)
    done = list(on(ray).run(tasks_of(contest, 40)))
    assert sorted(task.part.number for task, _ in done) == list(range(40))
    assert all(task.part == outcome.fixture for task, outcome in done)
    assert ray.most_open == 8
    assert Counter(machine for machine, _ in ray.sent) == {"small": 10, "large": 30}


def test_workers_limit_the_games_at_a_time(contest, on):
    ray = FakeRay(lambda machine, fixture: finished(contest, fixture), small=1, large=3)
    assert len(list(on(ray, 3).run(tasks_of(contest, 20)))) == 20
    assert ray.most_open == 3


def test_games_of_a_machine_that_vanishes_are_played_elsewhere(contest, on):
    ray = FakeRay(lambda machine, fixture: None if machine == "mute" else finished(contest, fixture), mute=1, good=1)
    done = []
    for task, _ in on(ray).run(tasks_of(contest, 20)):
        done.append(task.part.number)
        if len(done) == 12:
            ray.cores = {"mute": 0, "good": 1, "new": 1}
    assert sorted(done) == list(range(20))
    assert len(ray.cancelled) == 2
    assert "new" in {machine for machine, _ in ray.sent}


def test_a_run_waits_while_there_is_no_machine(contest, on):
    ray = FakeRay(lambda machine, fixture: finished(contest, fixture))
    ray.later = {3: {"late": 1}}
    assert len(list(on(ray).run(tasks_of(contest, 4)))) == 4


def test_leaving_early_cancels_what_is_on_its_way(contest, on):
    ray = FakeRay(lambda machine, fixture: finished(contest, fixture), one=4)
    run = on(ray).run(tasks_of(contest, 100))
    next(run)
    run.close()
    assert len(ray.sent) == 8
    assert len(ray.cancelled) == 7


def test_a_machine_that_seems_dead_gets_no_games(contest, on):
    ray = FakeRay(lambda machine, fixture: None, dead=1, good=1)
    died = ray.exceptions.NodeDiedError()
    ray.answer = lambda machine, fixture: died if machine == "dead" else finished(contest, fixture)
    assert len(list(on(ray).run(tasks_of(contest, 20)))) == 20
    assert [machine for machine, _ in ray.sent].count("dead") <= 2


@pytest.mark.parametrize(
    ("error", "deaths", "sentence"),
    [
        ("WorkerCrashedError", 3, "the process of game 1 died 3 times"),
        ("NodeDiedError", 10, "the machine of game 1 died"),
    ],
)
def test_a_game_that_dies_again_and_again_is_one_sentence(contest, on, error, deaths, sentence):
    ray = FakeRay(lambda machine, fixture: getattr(ray.exceptions, error)(), one=1)
    with pytest.raises(LuoziError, match=sentence):
        list(on(ray, 1, avoid=0.0).run(tasks_of(contest, 2)))
    assert len(ray.sent) == deaths


def test_what_a_machine_refuses_is_that_sentence(contest, on):
    ray = FakeRay(lambda machine, fixture: (None, "this can't be"), one=1)
    with pytest.raises(LuoziError, match=r"^this can't be$"):
        list(on(ray).run(tasks_of(contest, 2)))


def test_a_cluster_that_ends_is_one_sentence(contest, on, server):
    ray = FakeRay(lambda machine, fixture: None, one=1)
    run = on(ray).run(tasks_of(contest, 2))
    server.close()
    with pytest.raises(LuoziError, match=r"the cluster at 127.0.0.1:.* has ended; what is finished is kept"):
        next(run)
