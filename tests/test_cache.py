"""The cache of machine code: hit by a second process, never stale, never disturbed, safe to share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.errors import TypingError

from luozi.compiled import kernel
from luozi.compiled.cache import cache_folder
from luozi.compiled.turns import Turn

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
SCRIPT = """
import sys
import luozi
from luozi.compiled import kernel, new_rng
from luozi.compiled.cache import on_compile

notices = []
on_compile(notices.append)

@kernel
def moves_of_a_game(game, states, rng, scratch):
    state, moves = states[0], 0
    while not game.is_terminal(state):
        game.apply_action(state, game.draw_action(state, rng, scratch))
        moves += 1
    return moves

import numpy as np
game = luozi.game(sys.argv[1])
states = game.empty_states(1)
states[0] = game.new_state()
moves = moves_of_a_game(game, states, new_rng(1), np.zeros(2, np.int32))
print(moves, sum(notice.startswith("compiling ") for notice in notices))
for notice in notices:
    print(notice, file=sys.stderr)
"""


class Workshop:
    """A folder with a user's game, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        self.write("race.py", GAME)
        self.write("steps.py", STEPS)
        self.write("run.py", SCRIPT)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def start(self, game: str = "race.py") -> subprocess.Popen[str]:
        environment = {**os.environ, "LUOZI_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "run.py", game]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def finish(self, process: subprocess.Popen[str]) -> tuple[int, int]:
        output, self.notices = process.communicate(timeout=120)
        assert process.returncode == 0, self.notices
        moves, compiled = output.split()
        return int(moves), int(compiled)

    def run(self, game: str = "race.py") -> tuple[int, int]:
        """The moves of the game, and how many kernels were compiled for it."""
        return self.finish(self.start(game))


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def test_a_second_process_hits_the_cache_and_edits_never_run_old_code(workshop):
    first, compiled = workshop.run()
    assert compiled == 1
    assert "it is kept for the next time" in workshop.notices
    assert workshop.run() == (first, 0)
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
    assert {path.suffix for path in workshop.cache.iterdir()} == {".machinecode"}


def test_nobody_waits_for_a_process_that_was_killed_while_it_compiled(workshop):
    kill = "lambda notice: os.kill(os.getpid(), signal.SIGKILL)"
    workshop.write("run.py", "import os, signal\n" + SCRIPT.replace("notices.append", kill))
    killed = workshop.start()
    assert killed.wait(120) == -signal.SIGKILL
    assert [path.suffix for path in workshop.cache.iterdir()] == [".turn"]  # what it left
    workshop.write("run.py", SCRIPT)
    assert workshop.run()[1] == 1
    assert "waiting" not in workshop.notices
    assert [path.suffix for path in workshop.cache.iterdir()] == [".machinecode"]


def test_whoever_waits_says_so_and_gives_up_in_the_end(monkeypatch, tmp_path):
    turn, other, said = Turn(tmp_path / "file"), Turn(tmp_path / "file"), list[str]()
    turn.wait(lambda: said.append("never"))
    monkeypatch.setattr("luozi.compiled.turns.LONGEST_WAIT_SECONDS", 0.1)
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
