"""Games on a Ray cluster. What Ray starts is told by its session (of processes), and ended by number."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from luozi.matches import remote_task as parcel
from luozi.matches.game_runner import Outcome, play_fixture
from luozi.matches.schedule import MatchSchedule, ScheduledGame, board_of, read_contest
from luozi.matches.store import Store
from luozi.matches.workers import Here, game_task
from luozi.messages import LuoziError
from luozi.util import trust
from luozi.util.cluster import Cluster, cannot_join, try_to_join

BIN = Path(sys.executable).parent
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "luozi" * 8}
GAME = """
import os
import luozi

with open("loads.txt", "a") as file:
    print(os.getpid(), file=file)


class Race(luozi.Game):
    players = 2
    actions = 3
    max_length = 21
    state = [("total", "i2"), ("to_move", "i1")]

    def start(self, state):
        state.total = 0

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.total + action < 21

    def apply_action(self, state, action):
        state.total += action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.total == 21

    def returns(self, state, returns):
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0
"""


def repeatable(outcome: Outcome) -> Outcome:
    """What must be the same wherever a game is played."""
    return outcome._replace(data=re.sub(r'"seconds":[^,}]+', "", outcome.data), versions="", finished="")


def played_here(contest: MatchSchedule, games: int) -> list[Outcome]:
    tasks = (game_task(contest, fixture) for fixture in contest.fixtures(games))
    return [repeatable(outcome) for _, outcome in Here().run(tasks)]


def sent_of(contest: MatchSchedule) -> parcel.Parcel:
    return parcel.parcel_of(game_task(contest, contest.fixture(0)))


def done_there(sent: parcel.Parcel, fixture: ScheduledGame) -> tuple[Outcome | None, str]:
    """What comes back from another machine."""
    result, refusal = parcel.do_there(tuple(sent), fixture)
    return None if result is None else pickle.loads(result), refusal


def stored(path: Path, contest: MatchSchedule) -> list[Outcome]:
    store = Store.open(path, create=False)
    outcomes = [repeatable(outcome) for outcome in store.outcomes(contest)]
    store.close()
    return outcomes


# Without Ray ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def own_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a game, in which we are."""
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "race.py").write_text(GAME)
    monkeypatch.chdir(folder)
    yield folder
    parcel.folder_with.cache_clear()
    read_contest.cache_clear()


def test_without_ray_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(LuoziError, match=r"a cluster needs Ray: pip install 'luozi\[cluster\]'"):
        Cluster.at("127.0.0.1:6379")


@pytest.mark.parametrize("address", ["somewhere", "somewhere:else", ":6379"])
def test_a_wrong_address_is_one_sentence(address):
    with pytest.raises(LuoziError, match="is not the address of a cluster: write host:port"):
        Cluster.at(address)


def test_an_address_where_nothing_answers_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        with pytest.raises(LuoziError, match=r"nothing answers at 127.0.0.1:.*: start Ray there"):
            Cluster.at(f"127.0.0.1:{taken.getsockname()[1]}")


def test_an_address_where_something_else_answers_is_one_sentence():
    sentence = r"can't join the cluster at 127.0.0.1:\d+: nothing happened"
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(LuoziError, match=sentence):
        try_to_join(f"127.0.0.1:{other.getsockname()[1]}", seconds=1.0)


def test_a_refusing_cluster_is_one_sentence_about_its_token():
    error = cannot_join("1.2.3.4:6379", "nothing happened", "Unauthenticated: InvalidAuthToken")
    assert "asks for its token: copy ~/.ray/auth_token" in str(error)


def test_another_version_is_one_sentence_with_the_machine():
    outcome, refusal = parcel.luozi_task()("9.9", {}, None, None)
    assert outcome is None
    assert refusal.startswith(f"the machine {socket.gethostname()} has Luozi ")
    assert refusal.endswith("instead of 9.9. Install the same version on all machines.")


def test_a_player_that_cannot_play_is_one_sentence():
    contest = MatchSchedule("connect4", ("nobody", "random"))
    outcome, refusal = done_there(sent_of(contest), next(contest.fixtures()))
    assert outcome is None
    assert refusal.startswith("game 1 can't be played: ")


def test_a_game_file_is_copied_where_it_is_missing(own_game, tmp_path, monkeypatch):
    contest = MatchSchedule.of("race.py", ["random", "random"])
    fixture = next(contest.fixtures())
    expected = repeatable(play_fixture(contest, fixture))
    sent = sent_of(contest)
    monkeypatch.setenv(trust.VARIABLE, trust.inheritance())  # as the other machine gets it
    (own_game / "race.py").unlink()
    board_of.cache_clear()
    parcel.unpacked.cache_clear()
    read_contest.cache_clear()
    outcome, refusal = done_there(sent, fixture)
    assert (repeatable(outcome), refusal) == (expected, "")
    assert Path.cwd().is_relative_to(tmp_path / "cache")


def test_a_changed_game_file_is_not_used(own_game):
    sent = sent_of(MatchSchedule.of("race.py", ["random", "random"]))
    (own_game / "race.py").write_text(GAME + "# another\n")
    copies = parcel.folder_with(sent.folder, sent.files)
    assert copies != own_game
    assert (copies / "race.py").read_text() == GAME


@pytest.mark.parametrize("name", ["{folder}/race.py", "../here/race.py"])
def test_a_file_outside_the_folder_must_be_on_all_machines(own_game, name):
    sent = sent_of(MatchSchedule.of(name.format(folder=own_game), ["random", "random"]))
    assert parcel.folder_with(sent.folder, sent.files) == own_game
    parcel.folder_with.cache_clear()
    (own_game / "race.py").unlink()
    with pytest.raises(LuoziError, match=r"race\.py' is missing or different. Copy it there"):
        parcel.folder_with(sent.folder, sent.files)


# With Ray -------------------------------------------------------------------------------------------------------------


class Session:
    """A command and all processes that it starts."""

    def __init__(self, folder: Path, *command: str, **environment: str) -> None:
        self.output = (folder / f"{time.monotonic_ns()}.txt").open("w+")
        self.process = subprocess.Popen(
            [BIN / command[0], *command[1:]],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=self.output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def text(self) -> str:
        self.output.seek(0)
        return self.output.read()

    def numbers(self, title: str = "") -> list[int]:
        """The processes of this session that run, or those with such a title."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                title_found = (folder / "cmdline").read_bytes().decode(errors="replace")
                state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:  # it has ended
                continue
            if int(session) == self.process.pid and state != "Z" and title_found.startswith(title):
                found.append(int(folder.name))
        return found

    def kill(self) -> None:
        """End all of it at once, as when a machine loses its current."""
        for number in self.numbers():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()

    def close(self) -> None:
        while self.numbers():
            self.kill()
            time.sleep(0.1)
        self.output.close()


def wait_until(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.2)


def count_games(path: Path) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:  # there is no file yet
        return 0


@pytest.mark.long
def test_a_local_cluster_plays_the_same_games_as_one_process_and_leaves_nothing_behind(tmp_path, monkeypatch):
    (tmp_path / "race.py").write_text(GAME)
    monkeypatch.chdir(tmp_path)
    contest = MatchSchedule.of("race.py", ["random", "flat:playouts=30"])
    expected = played_here(contest, 40)
    (tmp_path / "loads.txt").unlink()
    command = ("match", *contest.players, "-g", "race.py", "-n", "40", "--db", "results.db", "--json")
    session = Session(tmp_path, "luozi", *command, "--cluster", "local", "--workers", "2")
    try:
        assert session.process.wait(120) == 0, session.text()
        assert not session.numbers()
        assert not any(word in session.text().lower() for word in ("ray", "token", "warning")), session.text()
        assert stored(tmp_path / "results.db", contest) == expected
        loads = [int(line) for line in (tmp_path / "loads.txt").read_text().split()]
        in_workers = [number for number in loads if number != session.process.pid]
        assert len(set(in_workers)) == len(in_workers) <= 2  # a worker loads a game once
    finally:
        session.close()


class Machines:
    """A cluster of machines of one core, all of them on this one; the first is the head."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sessions = folder, list[Session]()
        with socket.create_server(("", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.ray_folder = f"/tmp/luozi-test-{os.getpid()}"  # a longer path may be too long for Ray's sockets
        self.add("--head", f"--port={self.port}", "--include-dashboard=false")

    def add(self, *place: str) -> Session:
        place = (*(place or (f"--address={self.address}",)), "--num-cpus=1", "--object-store-memory=80000000")
        options = ("--block", "--disable-usage-stats", f"--temp-dir={self.ray_folder}")
        session = Session(self.folder, "ray", "start", *place, *options, **TOKEN)
        self.sessions.append(session)
        wait_until(lambda: "Ray runtime started" in session.text(), "Ray to start")
        return session

    def close(self) -> None:
        for session in self.sessions:
            session.close()
        shutil.rmtree(self.ray_folder, ignore_errors=True)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    try:
        yield found
    finally:
        found.close()


def games_of(machine: Session) -> list[int]:
    """The processes of a machine that play."""
    return machine.numbers("ray::luozi_game")


@pytest.mark.long
def test_a_machine_and_a_process_that_die_cost_no_game_and_double_none(tmp_path, machines):
    contest = MatchSchedule.of("connect4", ["mcts:iterations=5000", "mcts:iterations=4000"])
    path, games = tmp_path / "results.db", 150
    command = ("match", *contest.players, "-n", str(games), "--db", str(path), "--cluster", machines.address)
    first = machines.add()
    match = Session(tmp_path, "luozi", *command, **TOKEN)
    try:
        second = machines.add()  # while the match begins
        wait_until(lambda: count_games(path) > 10 and games_of(first) and games_of(second), "games on all machines")
        first.kill()
        before = count_games(path)
        wait_until(lambda: count_games(path) > before and games_of(second), "games after a machine died")
        os.kill(games_of(second)[0], signal.SIGKILL)
        assert count_games(path) < games
        assert match.process.wait(120) == 0, match.text()
        assert "ray" not in match.text().lower()
    finally:
        match.close()
    found = stored(path, contest)
    assert [outcome.fixture.number for outcome in found] == list(range(games))
    assert found == played_here(contest, games)


@pytest.mark.long
def test_a_game_that_ends_its_process_again_and_again_is_one_sentence(tmp_path):
    deadly = "import sys\nif sys.argv[0].endswith('default_worker.py'):\n    os._exit(1)\n"
    (tmp_path / "race.py").write_text(GAME + deadly)
    command = ("match", "random", "random", "-g", "race.py", "-n", "4", "--db", "results.db", "--cluster", "local")
    session = Session(tmp_path, "luozi", *command, "--workers", "1")
    try:
        assert session.process.wait(120) == 2, session.text()
        assert session.text().startswith("luozi: the process of game "), session.text()
        assert "died 3 times: perhaps there is too little memory" in session.text()
        assert not session.numbers()
    finally:
        session.close()
