"""Leaving a game at a real terminal: it asks once, and the game is kept whatever is pressed."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_record import OWN_GAME

from luozi.records import load_record

CTRL_C, CTRL_D = "\x03", "\x04"
SLOW = ("person", "flat:seconds=60")
PROMPT, QUESTION = "X> ", "y/n> "


class Terminal:
    """`luozi play` in a terminal of its own, with a game that need not be compiled."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        ours, theirs = os.openpty()
        self.fd, self.folder, self.seen = ours, folder, ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "luozi.cli", "play", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, "LUOZI_CACHE": str(folder / "cache"), "TERM": "dumb", "COLUMNS": "200"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)

    def see(self, words: str, seconds: float = 60) -> str:
        """Wait until words are there that were not seen before; what came up to there."""
        end = time.monotonic() + seconds
        while words not in self.seen:
            assert time.monotonic() < end, f"no '{words}' in: {self.seen}"
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096).decode(errors="replace")
                except OSError:  # it has ended
                    assert words in self.seen, f"no '{words}' in: {self.seen}"
        before, _, self.seen = self.seen.partition(words)
        return before

    def press(self, keys: str) -> None:
        time.sleep(0.3 if keys < " " else 0)  # a prompt is on the screen a moment before the key is waited for
        os.write(self.fd, keys.encode())

    def ended(self) -> int:
        while self.process.poll() is None:  # a terminal that nobody reads would hold it up
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096).decode(errors="replace")
                except OSError:
                    break
        return self.process.wait(30)

    def kept(self) -> list[tuple[int, ...]]:
        """The moves of all games that are kept."""
        return [load_record(path).actions for path in sorted((self.folder / "cache" / "games").glob("*.txt"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    game = OWN_GAME.replace("    actions = 3\n", "    actions, compilable = 3, False\n")
    (tmp_path / "own.py").write_text(game, encoding="utf-8")
    return tmp_path


@pytest.fixture
def play(folder: Path) -> Iterator[object]:
    started: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        started.append(Terminal(folder, *arguments))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait()
        os.close(one.fd)


def seats(*players: str) -> list[str]:
    return [word for player in players for word in ("--seat", player)]


def test_pressing_ctrl_c_twice_moves_now_and_asks_before_it_leaves(play) -> None:
    terminal = play("own.py", *seats(*SLOW))
    terminal.see(PROMPT)
    terminal.press("1\n")
    time.sleep(1.0)  # it thinks
    terminal.press(CTRL_C)
    time.sleep(0.2)
    terminal.press(CTRL_C)
    assert "O plays" in terminal.see(QUESTION)
    terminal.press("n\n")
    terminal.see(PROMPT)
    terminal.press("1\n")  # the game goes on
    time.sleep(1.0)
    terminal.press(CTRL_C)
    assert "O plays" in terminal.see(PROMPT)
    terminal.press("quit\n")
    assert terminal.ended() == 0
    assert [len(actions) for actions in terminal.kept()] == [4]


@pytest.mark.parametrize("key", [CTRL_C, pytest.param(CTRL_D, marks=pytest.mark.long)])
def test_leaving_asks_once_and_the_game_goes_on_later(play, key: str) -> None:
    terminal = play("own.py", *seats("person", "person"))
    terminal.see(PROMPT)
    terminal.press("2\n")
    terminal.see("O> ")
    terminal.press(key)
    assert "luozi play --continue" in terminal.see(QUESTION)
    terminal.press(key)
    terminal.see("the game is saved")
    assert terminal.ended() == 0
    assert terminal.kept() == [(1,)]
    again = play("--continue")
    again.see("O> ")
    again.press("3\n")
    again.see(PROMPT)
    again.press(key)
    again.see(QUESTION)
    again.press("y\n")
    assert again.ended() == 0
    assert again.kept() == [(1, 2)]


def test_a_game_whose_program_is_killed_is_kept(play) -> None:
    terminal = play("own.py", *seats("person", "person"))
    terminal.see(PROMPT)
    terminal.press("2\n")
    terminal.see("O> ")
    terminal.process.send_signal(signal.SIGKILL)
    terminal.process.wait()
    assert terminal.kept() == [(1,)]


def test_a_folder_that_can_not_be_written_is_named_before_leaving(play, folder: Path) -> None:
    (folder / "cache").write_text("a file where the folder should be")
    terminal = play("own.py", *seats("person", "person"))
    terminal.see(PROMPT)
    terminal.press("2\n")
    terminal.see("O> ")
    terminal.press(CTRL_D)
    assert re.search("the game can't be saved: .+", terminal.see(QUESTION))
    terminal.press("n\n")
    terminal.see("O> ")
    terminal.press("save mine.txt\n")
    terminal.see("saved to mine.txt")
    terminal.press("quit\n")
    assert terminal.ended() == 0
    assert load_record(folder / "mine.txt", str(folder / "own.py")).actions == (1,)


def test_ctrl_c_while_the_program_is_loaded_is_quiet(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt  # as if it were pressed just now")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-m", "luozi.cli", "games"]
    ended = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
