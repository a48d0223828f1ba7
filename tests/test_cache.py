"""The cache of machine code: hit by a second process, never stale, never disturbed, safe to share."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core.errors import TypingError

from luozi.compiled import kernel
from luozi.compiled.cache import RARELY, KernelCache, Turn, cache_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="these tests fork")

GAME = """
import luozi
from steps import STEP, advance

class Race(luozi.Game):
    '''Two runners on a track.'''
    players, actions, max_length = 2, 2, 99
    state = [("place", "i2", 2), ("to_move", "i1")]

    def start(self, state):
        state.place[0] = state.place[1] = state.to_move = 0

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.place[state.to_move] = advance(state.place[state.to_move], action)
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.place[0] >= 30 or state.place[1] >= 30

    def returns(self, state, returns):
        returns[0] = 1.0 if state.place[0] >= 30 else 0.0
        returns[1] = 1.0 - returns[0]
"""
STEPS = """
STEP = 1
def advance(place, action):
    return place + STEP + action
"""
# Forks for every game that it is told to play: a process of its own, without the time to import everything again, and
# without that in which Numba makes itself ready to compile.
SCRIPT = """
import json
import os
import signal
import sys

import numpy as np

import luozi
from luozi.compiled import kernel, new_rng
from luozi.compiled.cache import on_compile


@kernel
def moves_of_a_game(game, states, rng, scratch):
    state, moves = states[0], 0
    while not game.is_terminal(state):
        game.apply_action(state, game.draw_action(state, rng, scratch))
        moves += 1
    return moves


@kernel
def nothing(number):
    return number


def play(spelling, answer, dies):
    notices = []
    on_compile(lambda notice: os.kill(os.getpid(), signal.SIGKILL) if dies else notices.append(notice))
    game = luozi.game(spelling)
    states = game.empty_states(1)
    states[0] = game.new_state()
    moves = moves_of_a_game(game, states, new_rng(1), np.zeros(2, np.int32))
    json.dump([int(moves), notices], answer)


luozi.game("tictactoe")
nothing(1)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    folder, spelling, path, dies = json.loads(line)
    if os.fork() == 0:
        os.chdir(folder)
        os.environ["LUOZI_CACHE"] = os.path.join(folder, "cache")
        sys.path.insert(0, folder)
        with open(path, "w") as answer:
            play(spelling, answer, dies)
        os._exit(0)
"""


class Forge:
    """The script, for all folders."""

    def __init__(self, folder: Path) -> None:
        (folder / "run.py").write_text(SCRIPT)
        environment = {**os.environ, "LUOZI_CACHE": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(folder / "run.py")]
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE)

    def play(self, *task: object) -> None:
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(120) == 0


class Workshop:
    """A folder with a user's game, and a cache of its own."""

    def __init__(self, folder: Path, forge: Forge) -> None:
        self.folder, self.cache, self.started, self.forge = folder, folder / "cache", 0, forge
        self.write("race.py", GAME)
        self.write("steps.py", STEPS)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def start(self, game: str = "race.py", dies: bool = False) -> Path:
        self.started += 1
        answer = self.folder / f"answer{self.started}"
        os.mkfifo(answer)
        self.forge.play(str(self.folder), game, str(answer), dies)
        return answer

    def finish(self, answer: Path) -> tuple[int, int]:
        moves, notices = json.loads(answer.read_text())
        self.notices = "\n".join(notices)
        return moves, sum(notice.startswith("compiling ") for notice in notices)

    def suffixes(self) -> set[str]:
        """The kinds of files in the cache."""
        return {path.suffix for path in self.cache.iterdir()}

    def run(self, game: str = "race.py") -> tuple[int, int]:
        """The moves of the game, and how many kernels were compiled for it."""
        return self.finish(self.start(game))


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    forge = Forge(tmp_path_factory.mktemp("forge"))
    yield forge
    forge.close()


@pytest.fixture
def workshop(tmp_path: Path, forge: Forge) -> Workshop:
    return Workshop(tmp_path, forge)


def test_a_second_process_hits_the_cache_and_edits_never_run_old_code(workshop, forge, tmp_path_factory):
    first, compiled = workshop.run()
    assert compiled == 1
    assert "it is kept for the next time" in workshop.notices
    workshop.forge = Forge(tmp_path_factory.mktemp("another"))  # a Python that puts things in another order
    assert workshop.run() == (first, 0)
    workshop.forge.close()
    workshop.forge = forge
    workshop.write("steps.py", STEPS.replace("STEP = 1", "STEP = 5"))  # a constant in another file
    second, compiled = workshop.run()
    assert compiled == 1
    assert second < first
    workshop.write("steps.py", STEPS.replace("place + STEP + action", "place + 15"))  # a helper in another file
    third, compiled = workshop.run()
    assert (third, compiled) == (3, 1)
    workshop.write("race.py", GAME.replace(">= 30", ">= 150"))  # the game itself
    assert workshop.run() == (19, 1)
    workshop.write("race.py", GAME)
    workshop.write("steps.py", "# only a comment\n" + STEPS)  # the first rules again: still in the cache
    assert workshop.run() == (first, 0)


def test_another_game_does_not_disturb_the_cache(workshop):
    first = workshop.run()[0]
    workshop.write("other.py", GAME.replace("class Race", "class Other").replace(">= 30", ">= 60"))
    assert workshop.run("other.py")[1] == 1
    assert workshop.run() == (first, 0)


def test_of_processes_that_start_at_once_one_compiles_for_all(workshop):
    workshop.write("other.py", GAME.replace(">= 30", ">= 60"))  # a class of the same name
    processes = [workshop.start(game) for game in ("race.py", "race.py", "other.py")]
    results = [workshop.finish(process) for process in processes]
    assert results[0][0] == results[1][0] < results[2][0]
    assert [results[0][1] + results[1][1], results[2][1]] == [1, 1]
    assert workshop.run() == (results[0][0], 0)
    assert workshop.run("other.py") == (results[2][0], 0)
    assert workshop.suffixes() == {".machinecode", ".passed"}


def test_nobody_waits_for_a_process_that_was_killed_while_it_compiled(workshop):
    assert workshop.start(dies=True).read_text() == ""
    assert workshop.suffixes() == {".passed", ".turn"}  # the short check, and what it left
    assert workshop.run()[1] == 1
    assert "waiting" not in workshop.notices
    assert workshop.suffixes() == {".machinecode", ".passed"}


def test_whoever_waits_says_so_and_gives_up_in_the_end(monkeypatch, tmp_path):
    turn, other, said = Turn(tmp_path / "file"), Turn(tmp_path / "file"), list[str]()
    turn.wait(lambda: said.append("never"))
    monkeypatch.setattr("luozi.compiled.cache.LONGEST_WAIT_SECONDS", 0.1)
    other.wait(lambda: said.append("waiting"))
    assert said == ["waiting"]
    turn.end()
    assert other.take()
    other.end()
    assert not list(tmp_path.iterdir())


def test_rules_that_do_not_compile_keep_nobody_waiting(monkeypatch, tmp_path):
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path))

    @kernel
    def impossible(number):
        return number.no_such_thing

    for _ in range(2):
        with pytest.raises(TypingError):
            impossible(1)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_only_a_slow_start(workshop):
    first = workshop.run()[0]
    for path in workshop.cache.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert workshop.run() == (first, 1)
    assert workshop.run() == (first, 0)


def test_a_cache_that_can_not_be_written_costs_only_time(workshop):
    workshop.cache.write_text("a file where the folder should be")
    assert workshop.run()[1] == 1
    assert "is kept" not in workshop.notices
    assert f"can't be kept in {workshop.cache}" in workshop.notices
    assert "LUOZI_CACHE" in workshop.notices


def test_an_empty_name_of_the_cache_is_none(monkeypatch):
    monkeypatch.delenv("LUOZI_CACHE", raising=False)
    usual = cache_folder()
    monkeypatch.setenv("LUOZI_CACHE", "")
    assert cache_folder() == usual
    assert usual.is_absolute()


def test_garbage_is_looked_for_rarely_only_while_something_is_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    @kernel
    def tripled(number):
        return 3 * number

    @kernel
    def nonsense(number):
        return number.no_such_thing

    seen = []
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path))
    monkeypatch.setattr(KernelCache, "save_overload", lambda *_: seen.append(gc.get_threshold()))
    usual = gc.get_threshold()
    try:
        for often in ((700, 10, 10), (0, 10, 10)):  # 0: it is turned off, and stays so
            gc.set_threshold(*often)
            number = often[0] or 0.5  # a whole number and another: each is compiled
            assert tripled(number) == 3 * number
            with pytest.raises(TypingError):
                nonsense(4)
            assert gc.get_threshold() == often
    finally:
        gc.set_threshold(*usual)
    assert seen == [RARELY, (0, 10, 10)]
