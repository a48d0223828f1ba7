"""Compiling in the background: what is ready when, in which process, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from delayed import PATIENCE, DelayedStep, only_kept
from rich.console import Console
from test_leaving import Terminal

import luozi
from luozi.compiled import kernel
from luozi.compiled.cache import NotKeptError, cached_kernels, kept_only
from luozi.players import Player, player, read_spelling, spelled_out
from luozi.players.engine import ReadyPlayers
from luozi.players.simple import Person
from luozi.records.play import LiveGame
from luozi.search import Options
from luozi.search.compile_process import note_seconds, noted_seconds, times_file, usual_seconds
from luozi.search.readiness import CompileSettings, CompileStep, Readiness
from luozi.search.ready_engine import FULL, PLAIN, REMARKS, SLOW, STAGES, ReadyEngine
from luozi.terminal.session import TerminalOptions, TerminalSession
from luozi.terminal.thinking import Waiting

Start = Callable[[str, Sequence[str]], subprocess.Popen[str]]


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Work:
    """Something that is compiled in no time, in a made-up cache: a set of names."""

    def __init__(self, name: str, cache: set[str]) -> None:
        self.name, self.cache, self.loaded, self.compiled_here = name, cache, False, False
        self.step = CompileStep(name, name, self.compile)

    def compile(self) -> None:
        if self.name not in self.cache:
            if only_kept():
                raise NotKeptError(self.name)
            self.compiled_here = True
            self.cache.add(self.name)
        self.loaded = True


def start_python(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def is_over(readiness: Readiness) -> bool:
    """Let it do all that it can."""
    readiness.start()
    return readiness.wait(lambda: readiness.is_over, PATIENCE)


def no_process(game: str, names: Sequence[str]) -> subprocess.Popen[str]:
    raise AssertionError("another process is started")


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


def test_what_is_kept_is_loaded_and_nothing_is_started() -> None:
    plain, full = (Work(name, {"plain", "full"}) for name in ("plain", "full"))
    readiness = Readiness("tictactoe", [full.step], plain.step, CompileSettings(process=no_process))
    assert is_over(readiness)
    assert (full.loaded, plain.loaded, readiness.missing) == (True, False, ())
    assert readiness.progress() is None


def test_the_other_process_compiles_and_the_code_is_loaded_here() -> None:
    cache: set[str] = set()
    started: list[tuple[str, Sequence[str]]] = []

    def start(game: str, names: Sequence[str]) -> subprocess.Popen[str]:
        started.append((game, names))
        cache.update(names)
        return start_python("print('ready'); print('ready')")

    plain, full = Work("plain", cache), Work("full", cache)
    assert is_over(Readiness("tictactoe", [full.step], plain.step, CompileSettings(process=start)))
    assert started == [("tictactoe", ["plain", "full"])]
    assert plain.loaded
    assert full.loaded
    assert not plain.compiled_here
    assert not full.compiled_here


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("failure", ["it ends early", "it keeps nothing", "it can't be started", "nothing can be kept"])
def test_where_the_other_process_does_not_do_it_this_one_does_if_it_may(
    empty_cache: Path, failure: str, here: bool
) -> None:
    def start(game: str, names: Sequence[str]) -> subprocess.Popen[str]:
        if failure == "it can't be started":
            raise OSError
        assert failure != "nothing can be kept"
        return start_python("" if failure == "it ends early" else "print('ready'); print('ready')")

    if failure == "nothing can be kept":
        empty_cache.write_text("a file where the folder should be")
    cache: set[str] = set()
    plain, full = Work("plain", cache), Work("full", cache)
    readiness = Readiness("tictactoe", [full.step], plain.step, CompileSettings(process=start, here=here))
    assert is_over(readiness)
    for work in (plain, full):
        assert work.compiled_here is here
        assert readiness.is_ready(work.step) is here


def test_where_there_is_no_room_nothing_is_compiled() -> None:
    work = Work("full", set())
    readiness = Readiness("tictactoe", [work.step], None, CompileSettings(process=no_process, has_room=lambda: False))
    assert is_over(readiness)
    assert readiness.refused
    assert not work.loaded


def test_waiting_ends_when_it_is_ready_when_time_is_up_and_when_it_is_cancelled() -> None:
    slow = DelayedStep()
    readiness = slow.readiness()
    readiness.start()
    assert slow.begun.wait(PATIENCE)
    assert readiness.is_compiling
    assert not readiness.wait(lambda: readiness.is_ready(slow.step), 0.01)
    cancel = luozi.Cancel()
    cancel.set()
    assert not readiness.wait(lambda: readiness.is_ready(slow.step), cancel=cancel)
    later, heard = luozi.Cancel(), []
    waiting = threading.Thread(
        target=lambda: heard.append(readiness.wait(lambda: readiness.is_over, PATIENCE, later)), daemon=True
    )
    waiting.start()
    later.set()
    waiting.join(PATIENCE)
    assert heard == [False]
    slow.go.set()
    assert readiness.wait(lambda: readiness.is_ready(slow.step), PATIENCE)
    assert readiness.wait(lambda: readiness.is_over, PATIENCE)


def test_the_share_that_is_done_grows_with_each_step() -> None:
    plain, full = DelayedStep("Game Uct RandomPlayout NoSolver"), DelayedStep()
    readiness = full.readiness(first=plain.step)
    readiness.start()
    assert plain.begun.wait(PATIENCE)
    assert readiness.seconds == 40.0
    first = readiness.progress()
    plain.go.set()
    assert full.begun.wait(PATIENCE)
    second = readiness.progress()
    assert first is not None
    assert second is not None
    assert 0 <= first.share < 0.25 <= second.share < 0.99
    assert first.left > 30 >= second.left
    full.go.set()
    assert readiness.wait(lambda: readiness.is_over, PATIENCE)
    assert readiness.progress() is None


def process_is_there(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(number: int) -> None:
    end = time.monotonic() + PATIENCE
    while process_is_there(number):  # nobody tells of the end of another's child
        assert time.monotonic() < end
        time.sleep(0.02)


SLEEPER = "import time\ntime.sleep(1000)\n"
PARENT = (
    "from luozi.search.compile_process import start_process\n"
    "print(start_process('sleeper.py', []).pid, flush=True)\n"
    "input()"
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
    wait_until_gone(other)


def test_closing_ends_the_other_process() -> None:
    started: list[subprocess.Popen[str]] = []
    begun = threading.Event()

    def start(game: str, names: Sequence[str]) -> subprocess.Popen[str]:
        started.append(start_python("import time; time.sleep(1000)"))
        begun.set()
        return started[-1]

    work = Work("full", set())
    readiness = Readiness("tictactoe", [work.step], None, CompileSettings(process=start))
    readiness.start()
    assert begun.wait(PATIENCE)
    readiness.close()
    assert readiness.wait(lambda: readiness.is_over, PATIENCE)
    assert started[0].wait(PATIENCE) == -signal.SIGKILL
    assert not work.compiled_here


# Which search answers -----------------------------------------------------------------------------------------------


def ready_engine(name: str, spelling: str, *ready: str) -> ReadyEngine:
    """A search of which the test says what is compiled: "plain", "full"."""
    game = luozi.game(name)
    made = ReadyEngine.of(game, Options.of(**read_spelling(spelled_out(spelling, game))[1]))
    for step, named in ((made.plain, "plain"), (made.full, "full")):
        if step is not None and named in ready:
            made.readiness.mark_ready(step)
    return made


@pytest.mark.parametrize(
    ("ready", "stage"), [((), SLOW), (("plain",), PLAIN), (("plain", "full"), FULL), (("full",), FULL)]
)
def test_the_best_search_that_is_compiled_answers(ready: tuple[str, ...], stage: int) -> None:
    search = ready_engine("connect4", "strong:seconds=1", *ready)
    assert (search.stage, search.engine_stage, search.has_better) == (stage, -1, True)
    engine = search.best()
    assert (search.engine_stage, search.has_better, search.best() is engine) == (stage, False, True)
    assert engine.compiled is (stage > SLOW)
    assert (engine.options == search.options) is (stage == FULL)
    assert (search.report() is None) is (stage == FULL)


def test_a_better_engine_is_taken_before_a_move_if_there_is_time() -> None:
    search = ready_engine("connect4", "strong:seconds=1")
    slow = search.best()
    assert search.plain is not None
    search.readiness.mark_ready(search.plain)
    assert search.warm_best(seconds=0.1) is slow
    assert search.best() is not slow


def test_a_game_that_differs_in_numbers_shares_what_is_compiled_and_has_an_engine_of_its_own() -> None:
    search = ready_engine("go:size=5", "mcts:seconds=1,take_wins=true")
    engine, other = search.best(), search.for_game(luozi.game("go:size=5,komi=0.5"))
    assert other.best() is not engine
    assert other.best().game is other.game
    search.readiness.mark_ready(search.full)
    assert other.has_better
    assert search.has_better


def test_what_answers_is_told_with_the_share_that_is_done() -> None:
    slow, game = DelayedStep(), luozi.game("connect4")
    search = slow.search(game, Options(take_wins=True))
    assert str(search.report()) == "a search that is not compiled plays until the full search is compiled"
    search.start()
    assert slow.begun.wait(PATIENCE)
    report = search.report()
    assert report is not None
    assert set(report.values) == {"who", "share", "seconds"}
    assert 25 <= float(report.values["seconds"]) <= 30
    slow.go.set()
    assert search.readiness.wait(lambda: search.stage == FULL, PATIENCE)
    assert search.report() is None


def test_what_can_not_be_compiled_is_told() -> None:
    work, game = Work("full", set()), luozi.game("connect4")
    readiness = Readiness(game.spelling, [work.step], None, CompileSettings(process=None, here=False))
    search = ReadyEngine(game, Options(take_wins=True), readiness, work.step)
    assert is_over(readiness)
    assert str(search.report()) == "a search that is not compiled plays: the full search could not be compiled"
    assert not search.best(FULL).compiled


def test_plain_uct_stands_in_where_moves_are_few_and_else_the_network() -> None:
    for spelling, network in (("gomoku", True), ("gomoku:size=20,exactly=true", True), ("connect4:rows=12", False)):
        search = ready_engine(spelling, "strong:seconds=1", "plain")
        assert search.stage == search.least == (SLOW if network else PLAIN)
        stand_in = search.best()
        assert bool(stand_in.options.network) is network
        assert stand_in.compiled is not network


def test_a_player_is_stood_in_for_until_its_engine_is_ready() -> None:
    game = luozi.game("gomoku")
    one = player("strong:seconds=0.3", game)
    players = ReadyPlayers(game, [one], settings=CompileSettings(process=no_process))
    assert str(players.stood_in[one].stand_in()) == "the network, uncompiled,"
    state = game.new_state()
    for action in (112, 0, 113, 2, 114, 4, 115, 111):  # four of the first player, open at one end
        state = game.after(state, action)
    assert one.choose(state) == 116
    assert one.remark == REMARKS[SLOW]
    players.readiness.mark_ready(players.readiness.steps[0])
    assert one.ready.best() is one.engine
    assert REMARKS[one.ready.engine_stage] == ""


def test_the_stages_are_those_that_the_page_knows() -> None:
    assert [STAGES[stage] for stage in (SLOW, PLAIN, FULL)] == ["slow", "plain", "full"]


# Players ------------------------------------------------------------------------------------------------------------


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
    game = luozi.game("tictactoe")
    assert bool(ReadyPlayers(game, [player(spelling, game)]).stood_in) is may


@pytest.mark.parametrize(("threads", "stood_in"), [(2, True), (1, False)])
def test_only_in_a_game_that_can_be_repeated_is_a_player_by_iterations_waited_for(threads: int, stood_in: bool) -> None:
    game = luozi.game("tictactoe")
    program = player("strong:iterations=100", game, threads=threads)
    session = TerminalSession(LiveGame(game, [Person(game), program], 1), TerminalOptions(threads=threads))
    session.prepare(session.programs)
    assert session.ready is not None
    session.ready.readiness.close()
    assert (program in session.ready.stood_in) is stood_in


def test_players_that_are_compiled_alike_are_compiled_once() -> None:
    said: list[Sequence[str]] = []

    def start(game: str, names: Sequence[str]) -> subprocess.Popen[str]:
        said.append(names)
        return start_python("")

    game = luozi.game("five3d:size=3,run=3")
    players = [player(spelling, game) for spelling in ("strong:seconds=1", "strong:seconds=1,seed=4", "strong")]
    assert is_over(ReadyPlayers(game, players, settings=CompileSettings(process=start, here=False)).readiness)
    assert said == [["mcts", "strong:seconds=1.0"]]


def test_who_is_not_stood_in_for_is_waited_for() -> None:
    game = luozi.game("tictactoe")
    one = player("mcts:iterations=10", game)
    players = ReadyPlayers(game, [one], settings=CompileSettings(process=no_process))
    waiting = threading.Thread(target=players.wait_for, args=(one,), daemon=True)
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    players.readiness.mark_ready(players.readiness.steps[0])
    waiting.join(PATIENCE)
    assert not waiting.is_alive()


# What people see ----------------------------------------------------------------------------------------------------


class Delayed(ReadyPlayers):
    """Players of whom one is stood in for by plain UCT, while others wait until the test lets them go."""

    def __init__(self, game: luozi.Game, slow: DelayedStep) -> None:
        super().__init__(game, [player("mcts:seconds=1,take_wins=true", game)])
        self.readiness = slow.readiness("gomoku")

    def wait_for(self, player: Player) -> None:
        self.readiness.wait(lambda: self.readiness.is_over, PATIENCE)


@pytest.mark.parametrize("terminal", [True, False])
def test_waiting_shows_an_estimate_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setattr("luozi.terminal.thinking.EVERY", 0.2)
    game, slow, waiting = luozi.game("tictactoe"), DelayedStep(), Waiting()
    waiting.console = Console(file=io.StringIO(), force_terminal=terminal, width=200, highlight=False)
    waiting.ready = Delayed(game, slow)
    waiting.ready.readiness.start()
    waiting.announce(PATIENCE)
    threading.Timer(0.5, slow.go.set).start()
    waiting.choose(player("random:seed=1", game), game.begin(), "random thinks")
    waiting.announce()
    said = waiting.console.file.getvalue()
    assert "compiling the search for gomoku, about 30 s (once; it is kept for the next time)" in said
    assert "until then plain UCT plays" in said
    assert ("━" in said or "─" in said) is terminal
    assert "s left" in said
    assert "the full search is compiled" in said


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
    plain, full = "Lines Uct RandomPlayout NoSolver", "Lines Puct PolicyPlayout MctsSolver threat_search"
    assert (usual_seconds(plain), usual_seconds(full)) == (10.0, 30.0)
    empty_cache.mkdir()
    note_seconds(full, 50.0)
    assert (usual_seconds(plain), usual_seconds(full)) == (10.0, 50.0)
    assert usual_seconds(full.replace("Lines", "BitLines")) == 50.0
    note_seconds(full, 20.0)
    assert usual_seconds(full) == 35.0


@pytest.mark.parametrize("text", ["", "[]", "{", '{"Lines": "soon"}', '{"Lines": -1}', '{"Lines": 1e99}', "3"])
def test_damaged_times_are_none(empty_cache: Path, text: str) -> None:
    empty_cache.mkdir()
    times_file().write_text(text)
    assert noted_seconds() == {}
    note_seconds("Lines", 3.0)
    assert noted_seconds() == {"Lines": 3.0}
