"""Strategy libraries of the course platform as players: they know the position, and can do nothing but play."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from opposing import built, eventually, number_of, play_out, running_with

import luozi
from luozi.players import player, read_spelling
from luozi.players.base import ForfeitError


def strategy(behaviour: str, *options: str) -> str:
    """The path of a strategy library with a behaviour."""
    return built("strategy.c", "-shared", "-fPIC", f"-DBEHAVIOUR={behaviour}", *options)


def landlock_version() -> int:
    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)


def course_move(game, state):
    legal = game.legal_list(state)
    return legal[number_of(game, state, own=2, other=1) % len(legal)]


@pytest.mark.parametrize(
    "forbidden", ["", "4.3", *(pytest.param(cell, marks=pytest.mark.long) for cell in ("0.3", "8.3", "7.0", "1.9"))]
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_library_sees_the_position_at_every_move(forbidden, seat):
    game = luozi.game(f"connect4:rows=9,columns=10,blocked={forbidden}")
    outside = player(f"connect4_library:{strategy('PLAYS')}", game)
    for seed in range(2):
        assert play_out(outside, seat, course_move, seed=seed) == ""
    assert play_out(outside, seat, course_move, opening=[3, 3, 3, 3, 3, 3, 3, 3, 0, 9][: 6 + seat]) == ""
    outside.close()


def test_a_library_plays_on_a_board_of_any_size():
    for spelling in (
        "connect4",
        "connect4:rows=1,columns=1",
        "connect4:rows=20,columns=30",
        "lines:win_length=4,gravity=true",
    ):
        outside = player(f"connect4_library:{strategy('PLAYS')}", luozi.game(spelling))
        assert play_out(outside, 0, course_move) == ""
        outside.close()


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("CRASHES", "crashed (signal SIGSEGV)"),
        ("HANGS", "did not answer within 1 s"),
        ("CHEATS", "played (5, "),
        ("GIVES_NOTHING", "returned no move"),
        ("EATS", "crashed (signal SIGSEGV)"),
        ("ABORTS", "crashed (signal SIGABRT)"),
        ("CRASHES_WHEN_LOADED", "crashed (signal SIGSEGV)"),
    ],
)
def test_a_bad_library_forfeits(behaviour, reason):
    seconds = 1 if behaviour == "HANGS" else 60
    outside = player(
        f"connect4_library:seconds={seconds},max_memory_mb=100,{strategy(behaviour)}", luozi.game("connect4")
    )
    assert play_out(outside, 1).startswith(reason)
    with pytest.raises(ForfeitError, match=re.escape(reason)):
        outside.choose(outside.game.new_state())
    outside.close()


def test_a_library_that_hangs_when_it_is_loaded_forfeits(monkeypatch):
    monkeypatch.setattr("luozi.players.external.START_SECONDS", 0.2)
    monkeypatch.setattr(sys.modules["luozi.players.library"], "START_SECONDS", 0.2)
    outside = player(f"connect4_library:{strategy('HANGS_WHEN_LOADED')}", luozi.game("connect4"))
    assert play_out(outside, 0) == "did not answer within 0.2 s"


def test_a_library_can_do_nothing_but_play(tmp_path):
    """It prints, writes, forks, connects, signals, reads and starts a program; it would play in row 200 if it could."""
    if landlock_version() < (1 if os.getuid() == 0 else 6):
        pytest.skip("this kernel has no Landlock, or an old one: other measures hold, but not all that is tested")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    secret.chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as server:
        options = (f"-DPORT={server.getsockname()[1]}", f'-DSECRET="{secret}"')
        outside = player(f"connect4_library:{strategy('PRIES', *options)}", luozi.game("connect4"))
        assert play_out(outside, 0, course_move) == ""
        outside.close()
    assert not list(Path("/tmp").glob("luozi-strategy-*"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_library_ends_when_luozi_is_killed(tmp_path):
    path = strategy("CLINGS")
    command = [sys.executable, "-c", SCRIPT, f"connect4_library:seconds=100,{path}"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # nobody is left to remove its folder
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as luozi_itself:
        luozi_itself.stdout.readline()
        assert len(running_with(path)) >= 2
        luozi_itself.kill()
    assert eventually(lambda: not running_with(path))


SCRIPT = """
import sys, luozi
from luozi.players import player
game = luozi.game("connect4")
outside = player(sys.argv[1], game)
state = game.new_state()
for action in (outside.choose(state), 3):
    state = game.after(state, action)
print("asked", flush=True)
outside.choose(state)
"""


def test_a_library_in_a_private_folder_is_found(tmp_path):
    folder = tmp_path / "a private folder"
    folder.mkdir(mode=0o700)
    copy = shutil.copy(strategy("PLAYS"), folder / "strategy,1.so")
    copy.chmod(0o600)
    outside = player(f"connect4_library:max_memory_mb=200,{copy}", luozi.game("connect4"))
    assert play_out(outside, 0, course_move) == ""
    assert read_spelling(outside.spelling)[1] == {"max_memory_mb": 200, "command": str(copy)}
    outside.close()


def test_a_file_that_is_no_strategy_is_told_apart(tmp_path):
    game, text = luozi.game("connect4"), tmp_path / "text.so"
    text.write_text("no library at all, but long enough to have a header of one" * 10)
    assert play_out(player(f"connect4_library:{text}", game), 0) == "can't be loaded: 'invalid ELF header'"
    other = built("talker.c", "-shared", "-fPIC")
    assert play_out(player(f"connect4_library:{other}", game), 0) == "can't be loaded: 'undefined symbol: getPoint'"
