"""Compiling in the background: what is ready when, in which process, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from test_leaving import Terminal

import luozi
from luozi.compiled import kernel
from luozi.compiled.cache import NotKeptError, cached_kernels, kept_only
from luozi.players import player, preparing, usual_times
from luozi.players.engine import BY_SLOW, BY_STAND_IN
from luozi.players.person import Person
from luozi.players.preparing import PlayersPreparation, Preparation, Stage, may_be_stood_in, stand_in_engine
from luozi.records.play import LiveGame
from luozi.terminal.session import TerminalOptions, TerminalSession
from luozi.terminal.thinking import Waiting

PATIENCE = 60.0  # seconds; only what hangs needs them


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Work:
    """Something that is compiled in no time, in a made-up cache: a set of names."""

    def __init__(self, name: str, cache: set[str]) -> None:
        self.name, self.cache, self.loaded, self.compiled_here = name, cache, False, False

    def prepare(self) -> None:
        if self.name not in self.cache:
            if getattr(luozi.compiled.cache._here, "kept_only", False):
                raise NotKeptError(self.name)
            self.compiled_here = True
            self.cache.add(self.name)
        self.loaded = True

    def stage(self) -> Stage:
        return Stage(self.name, self.name, self.prepare)


def start_python(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def test_nothing_is_compiled_where_only_kept_code_is_wanted(empty_cache: Path) -> None:
    @kernel
    def doubled(number):
        return 2 * number

    with kept_only(), pytest.raises(NotKeptError):
        doubled(4)
    assert not cached_kernels()
    assert doubled(4) == 8
    with kept_only():
        assert doubled(5) == 10


def test_what_is_kept_is_loaded_and_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "start_apart", None)
    plain, full = (Work(name, {"plain", "full"}) for name in ("plain", "full"))
    preparation = Preparation("tictactoe", [full.stage()], plain.stage())
    assert preparation.over.wait(PATIENCE)
    assert (full.loaded, plain.loaded, preparation.needed) == (True, False, False)


def test_the_other_process_compiles_and_the_code_is_loaded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: set[str] = set()
    started: list[tuple[str, list[str]]] = []

    def start(game: str, names: list[str]) -> subprocess.Popen[str]:
        started.append((game, names))
        cache.update(names)
        return start_python("print('ready'); print('ready')")

    monkeypatch.setattr(preparing, "start_apart", start)
    plain, full = Work("plain", cache), Work("full", cache)
    preparation = Preparation("tictactoe", [full.stage()], plain.stage())
    assert preparation.over.wait(PATIENCE)
    assert started == [("tictactoe", ["plain", "full"])]
    assert plain.loaded
    assert full.loaded
    assert not plain.compiled_here
    assert not full.compiled_here


@pytest.mark.parametrize("failure", ["it ends early", "it keeps nothing", "it can't be started", "nothing can be kept"])
def test_where_the_other_process_does_not_do_it_this_one_does(
    monkeypatch: pytest.MonkeyPatch, empty_cache: Path, failure: str
) -> None:
    def start(game: str, names: list[str]) -> subprocess.Popen[str]:
        if failure == "it can't be started":
            raise OSError
        assert failure != "nothing can be kept"
        return start_python("" if failure == "it ends early" else "print('ready'); print('ready')")

    monkeypatch.setattr(preparing, "start_apart", start)
    if failure == "nothing can be kept":
        empty_cache.write_text("a file where the folder should be")
    cache: set[str] = set()
    plain, full = Work("plain", cache), Work("full", cache)
    assert Preparation("tictactoe", [full.stage()], plain.stage()).over.wait(PATIENCE)
    assert plain.compiled_here
    assert full.compiled_here


def process_is_there(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


SLEEPER = "import time\ntime.sleep(1000)\n"
PARENT = (
    "from luozi.players.preparing import start_apart\nprint(start_apart('sleeper.py', []).pid, flush=True)\ninput()"
)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("end", ["killed", "left"])
def test_the_other_process_never_outlives_this_one(tmp_path: Path, end: str) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    other = int(parent.stdout.readline())
    assert process_is_there(other)
    if end == "killed":
        parent.kill()
    parent.communicate("\n" if end == "left" else None)
    wait_until(lambda: not process_is_there(other))


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_closing_ends_the_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []

    def start(game: str, names: list[str]) -> subprocess.Popen[str]:
        started.append(start_python("import time; time.sleep(1000)"))
        return started[-1]

    monkeypatch.setattr(preparing, "start_apart", start)
    work = Work("full", set())
    preparation = Preparation("tictactoe", [work.stage()])
    wait_until(lambda: preparation._process is not None)
    preparation.close()
    assert preparation.over.wait(PATIENCE)
    assert started[0].poll() == -signal.SIGKILL
    assert not work.compiled_here


# Players ------------------------------------------------------------------------------------------------------------


def test_a_stand_in_moves_until_the_engine_is_ready() -> None:
    game = luozi.game("tictactoe")
    one = player("mcts:seconds=1", game)
    thoughts = {name: SimpleNamespace(action=number) for number, name in enumerate(("engine", "stand_in"))}
    engine, stand_in = (
        SimpleNamespace(think=lambda *asked, name=name: thoughts[name], compiled=True) for name in thoughts
    )
    one.engine, one.stand_in = engine, stand_in
    assert (one.choose(game.new_state()), one.remark) == (1, BY_STAND_IN)
    one.stand_in = None
    assert (one.choose(game.new_state()), one.remark) == (0, "")


@pytest.mark.parametrize(
    ("spelling", "may"),
    [
        ("strong:seconds=1", True),
        ("strong", True),
        ("strong:iterations=100", False),
        ("level:number=3", False),
        ("mcts:seconds=1", False),
        ("flat", False),
    ],
)
def test_who_thinks_by_the_clock_is_stood_in_for_and_games_by_iterations_repeat(spelling: str, may: bool) -> None:
    assert may_be_stood_in(player(spelling, luozi.game("tictactoe"))) is may


@pytest.mark.parametrize(("threads", "stood_in"), [(2, True), (1, False)])
def test_only_in_a_game_that_can_be_repeated_is_a_player_by_iterations_waited_for(monkeypatch, threads, stood_in):
    monkeypatch.setattr(preparing.Preparation, "__init__", lambda self, *given, **named: None)
    game = luozi.game("tictactoe")
    program = player("strong:iterations=100", game, threads=threads)
    session = TerminalSession(LiveGame(game, [Person(game), program], 1), TerminalOptions(threads=threads))
    session.prepare(session.programs)
    assert session.preparation is not None
    assert (program in session.preparation.stood_in) is stood_in


def test_until_it_is_compiled_a_network_plays_uncompiled_on_wide_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(preparing, "start_apart", lambda game, names: started.append(names) or start_python(""))
    monkeypatch.setattr(Preparation, "_compile_here", lambda self, stage: None)
    game = luozi.game("gomoku")
    one = player("strong:seconds=0.3", game)
    preparation = PlayersPreparation(game, [one])
    assert preparation.over.wait(PATIENCE)
    assert started == [["strong:seconds=0.3"]]
    assert not preparation.plain
    state = game.new_state()
    for action in (112, 0, 113, 2, 114, 4, 115, 111):  # four of the first player, open at one end
        state = game.after(state, action)
    assert one.choose(state) == 116
    assert one.remark == BY_SLOW


def test_plain_uct_stands_in_where_moves_are_few() -> None:
    for spelling, network in (
        ("gomoku", True),
        ("gomoku:size=20,exact_length=true", True),
        ("connect4:rows=12", False),
    ):
        game = luozi.game(spelling)
        stand_in = stand_in_engine(game, player("strong:seconds=1", game).engine.options)
        assert bool(stand_in.options.network) is network
        assert stand_in.compiled is not network


def test_players_that_are_compiled_alike_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[list[str]] = []
    monkeypatch.setattr(preparing, "start_apart", lambda game, names: said.append(names) or start_python(""))
    monkeypatch.setattr(Preparation, "_compile_here", lambda self, stage: None)
    game = luozi.game("five3d:size=3,win_length=3")
    players = [player(spelling, game) for spelling in ("strong:seconds=1", "strong:seconds=1,seed=4", "strong")]
    assert PlayersPreparation(game, players).over.wait(PATIENCE)
    assert said == [["mcts", "strong:seconds=1.0"]]


# What people see ----------------------------------------------------------------------------------------------------


class Slow(Preparation):
    """Nothing happens until it is let go."""

    plain = True  # plain UCT stands in

    def __init__(self) -> None:
        self.go, self.stood_in = threading.Event(), [object()]
        super().__init__("gomoku", [Stage("strong", "Lines Puct", self._wait)], apart=False)

    def _wait(self) -> None:
        if getattr(luozi.compiled.cache._here, "kept_only", False):
            raise NotKeptError("no")
        self.go.wait(PATIENCE)

    def wait_for(self, player: Any) -> None:
        self.over.wait(PATIENCE)


@pytest.mark.parametrize("terminal", [True, False])
def test_waiting_shows_an_estimate_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setattr("luozi.terminal.thinking.EVERY", 0.2)
    game, slow, waiting = luozi.game("tictactoe"), Slow(), Waiting()
    waiting.console = Console(file=io.StringIO(), force_terminal=terminal, width=200, highlight=False)
    waiting.preparation = slow  # type: ignore[assignment]
    waiting.announce(PATIENCE)
    threading.Timer(0.5, slow.go.set).start()
    waiting.choose(player("random:seed=1", game), game.new_state(), "random thinks")
    waiting.announce()
    said = waiting.console.file.getvalue()
    assert "compiling the search for gomoku, about 30 s (once; it is kept for the next time)" in said
    assert "until then the program plays by plain UCT" in said
    assert ("━" in said or "─" in said) is terminal
    assert "s left" in said
    assert "the full search is ready" in said


def test_the_board_is_there_before_anything_is_compiled(tmp_path: Path) -> None:
    """With an empty cache; leaving at once ends the compiling too."""
    terminal = Terminal(tmp_path, "tictactoe")
    try:
        seen = terminal.see("X> ")
        assert "compiling the search for tictactoe in the background" in seen
        assert seen.index("a  b  c") < seen.index("compiling")
        assert not list((tmp_path / "cache").glob("*.machinecode"))
        terminal.press("quit\n")
        assert terminal.ended() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.fd)


# How long it takes --------------------------------------------------------------------------------------------------


def test_the_estimate_is_what_the_same_took_before(empty_cache: Path) -> None:
    plain, full = "Lines Uct RandomPlayout NoProofs", "Lines Puct PolicyPlayout Proofs fours"
    assert (usual_times.usual_seconds(plain), usual_times.usual_seconds(full)) == (10.0, 30.0)
    empty_cache.mkdir()
    usual_times.note_seconds(full, 50.0)
    assert (usual_times.usual_seconds(plain), usual_times.usual_seconds(full)) == (10.0, 50.0)
    assert usual_times.usual_seconds(full.replace("Lines", "BitLines")) == 50.0
    usual_times.note_seconds(full, 20.0)
    assert usual_times.usual_seconds(full) == 35.0


@pytest.mark.parametrize("text", ["", "[]", "{", '{"Lines": "soon"}', '{"Lines": -1}', '{"Lines": 1e99}', "3"])
def test_damaged_times_are_none(empty_cache: Path, text: str) -> None:
    empty_cache.mkdir()
    usual_times.times_file().write_text(text)
    assert usual_times.noted() == {}
    usual_times.note_seconds("Lines", 3.0)
    assert usual_times.noted() == {"Lines": 3.0}
