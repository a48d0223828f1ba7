"""Who answers where nobody was named: the strongest player that fits, everywhere the same."""

from __future__ import annotations

import io
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

import luozi
from luozi.cli.app import main
from luozi.players.presets import strong_options
from luozi.search import Options
from luozi.servers import connect4_agent as course_server
from luozi.servers import gomocup as gomocup_server
from luozi.servers.background import spelled
from luozi.servers.connect4_agent import CourseServer
from luozi.servers.conversation import InputLine
from luozi.servers.gomocup import GomocupServer
from luozi.servers.gomocup_settings import GomocupInfo
from luozi.terminal.seats import PROGRAM, fill_seats
from luozi.util.machine import resident_bytes

STRONG = "strong:seconds=1"
OWN = Options(iterations=60, seed=1, c=0.25)  # plain UCT, and yet unlike the stand-in


def test_play_and_think_and_hint_are_answered_by_strong(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr("luozi.terminal.analysis.analyse", lambda *arguments: heard.append(arguments[3]))
    monkeypatch.setattr(
        "luozi.terminal.session.TerminalSession",
        lambda table, settings: SimpleNamespace(run=lambda: heard.append(settings.hint)),
    )
    assert main(["think", "tictactoe"]) == main(["play", "tictactoe"]) == 0
    assert heard == [STRONG, STRONG] == [PROGRAM, PROGRAM]
    assert fill_seats(luozi.game("tictactoe"), [], True) == ["person", STRONG]


def test_other_programs_are_answered_by_strong(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    for server in (gomocup_server, course_server):
        monkeypatch.setattr(server, "serve", lambda input, output, options: heard.append(options) or 0)
    assert main(["gomocup"]) == main(["course"]) == 0
    for name in ("gomoku", "gomoku:size=20,exactly=true"):
        game = luozi.game(name)
        assert heard[0](game) == Options.of(**strong_options(game))
    for spelling in ("connect4", "connect4:rows=9,columns=12,forbidden=3.4"):
        game = luozi.game(spelling)
        assert heard[1](game) == Options.of(**strong_options(game))


def test_options_are_spelled_as_a_player_that_has_them() -> None:
    options = Options.of(**strong_options(luozi.game("gomoku")))
    assert luozi.players.player(spelled(options), luozi.game("gomoku")).engine.options == options


# Servers: plain UCT until the full search is compiled ---------------------------------------------------------------


class Compiler:
    """Compiles nothing, and is ready when the test says so."""

    def __init__(self) -> None:
        self.over, self.closed, self.begun = threading.Event(), False, False

    def begin(self, game: Any, options: Options) -> Compiler:
        self.begun = True
        return self

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    made = Compiler()
    for server in (gomocup_server, course_server):
        monkeypatch.setattr(server, "is_ready", lambda game, options: made.over.is_set())
        monkeypatch.setattr(server, "compile_beside", made.begin)
    return made


def brain() -> tuple[GomocupServer, io.StringIO]:
    output = io.StringIO()
    return heard(GomocupServer(io.StringIO(), output, OWN)), output


def heard(server: Any) -> Any:
    """A server that answers a line."""
    server._line = InputLine(0, "", 0.0)
    return server


def test_a_brain_moves_at_once_and_goes_on_with_the_full_search(compiler: Compiler) -> None:
    server, output = brain()
    for line in ("START 6", "BEGIN"):
        server.answer(line)
    said = output.getvalue().splitlines()
    assert said[0] == "OK"
    assert said[1] == "MESSAGE plain UCT plays until the full search is compiled"
    assert said[-1][0].isdigit()
    assert server.engine is not None
    assert server.engine.options.c == Options().c
    compiler.over.set()
    server.answer("RESTART")
    server.answer("BEGIN")
    assert server.engine.options.c == OWN.c
    assert compiler.begun
    assert compiler.closed


def test_a_brain_changes_to_the_full_search_between_moves(compiler: Compiler) -> None:
    server, _ = brain()
    server.answer("START 6")
    compiler.over.set()
    server.answer("BEGIN")
    assert server.engine is not None
    assert server.engine.options.c == OWN.c
    assert server.background is None


@pytest.mark.parametrize(("more", "compiles"), [(400_000_000, True), (200_000_000, False)])
def test_a_brain_without_room_to_compile_says_so_and_plays(compiler: Compiler, more: int, compiles: bool) -> None:
    server, output = brain()
    for line in (f"INFO max_memory {resident_bytes() + more}", "START 6", "BEGIN"):
        server.answer(line)
    assert compiler.begun is compiles
    said = output.getvalue().splitlines()
    assert said[0] == "OK"
    assert said[1].startswith(
        "MESSAGE plain UCT plays until" if compiles else "MESSAGE plain UCT plays: the full search"
    )
    assert said[-1][0].isdigit()


def test_a_limit_that_comes_late_ends_the_compiling(compiler: Compiler) -> None:
    server, output = brain()
    server.answer("START 6")
    server.answer(f"INFO max_memory {resident_bytes() + 200_000_000}")
    assert compiler.closed
    assert server.background is None
    assert output.getvalue().splitlines() == ["OK"]


def test_what_could_not_be_compiled_is_not_tried_again(monkeypatch: pytest.MonkeyPatch, compiler: Compiler) -> None:
    monkeypatch.setattr(gomocup_server, "is_ready", lambda game, options: False)
    server, output = brain()
    compiler.over.set()
    for line in ("START 6", "BEGIN", "RESTART", "BEGIN"):
        server.answer(line)
    assert server.background is None
    assert "MESSAGE plain UCT plays: the full search could not be compiled" in output.getvalue()


# A four that is open at both ends, and one of the other side that is open at one.
OURS = ["7,3,1", "7,4,1", "7,5,1", "7,6,1"]
THEIRS = ["3,9,2", "4,9,2", "5,9,2", "6,9,2"]


def answered(output: io.StringIO) -> str:
    return output.getvalue().splitlines()[-1]


@pytest.mark.parametrize("rule", [0, 1])
@pytest.mark.parametrize("size", [15, 20])
def test_a_brain_whose_search_is_not_compiled_plays_sensibly(compiler: Compiler, rule: int, size: int) -> None:
    output = io.StringIO()
    server = heard(GomocupServer(io.StringIO(), output, lambda game: Options.of(**strong_options(game))))
    for line in (f"INFO rule {rule}", "INFO timeout_turn 600", f"START {size}"):
        server.answer(line)
    server.asked = time.monotonic()
    server.answer("BEGIN")
    assert all(abs(2 * int(place) - size) <= 6 for place in answered(output).split(","))
    win, stopped = [*OURS, *THEIRS, "2,9,1"], [*OURS[:3], "11,11,1", *THEIRS, "2,9,1"]
    for board, right in ((win, {"7,2", "7,7"}), (stopped, {"7,9"})):
        server.asked = time.monotonic()
        for line in ("RESTART", "BOARD", *board, "DONE"):
            server.answer(line)
        assert answered(output) in right


def test_a_brain_plays_each_rule_by_the_network_that_learned_it(compiler: Compiler) -> None:
    output = io.StringIO()
    server = heard(GomocupServer(io.StringIO(), output, lambda game: Options.of(**strong_options(game))))
    for lines, network in (
        (["START 15"], "gomoku"),
        (["INFO rule 1"], "exactly"),
        (["RESTART"], "exactly"),
        (["INFO rule 0", "START 20"], "gomoku"),
    ):
        for line in lines:
            server.answer(line)
        assert server.options.network == network
        assert server.the_engine().options.network == network
    assert output.getvalue().splitlines() == ["OK"] * 3


@pytest.mark.parametrize("rule", [0, 3])
def test_a_network_sees_that_dead_stones_close_their_cells(compiler: Compiler, rule: int) -> None:
    output = io.StringIO()
    server = heard(GomocupServer(io.StringIO(), output, lambda game: Options.of(**strong_options(game))))
    board = [*OURS, "7,2,2", "7,7,3", *THEIRS[1:], "12,12,2"]  # our four is dead at both ends, their three is open
    server.asked = time.monotonic()
    for line in (f"INFO rule {rule}", "INFO timeout_turn 400", "START 15", "BOARD", *board, "DONE"):
        server.answer(line)
    assert answered(output) in {"2,9", "3,9", "7,9", "8,9"}


def test_the_memory_of_compiling_is_kept_free() -> None:
    settings = GomocupInfo(max_memory=resident_bytes() + 600_000_000)
    assert settings.pool_megabytes(compiling=True) < settings.pool_megabytes() - 100


def test_an_agent_moves_at_once_and_goes_on_with_the_full_search(compiler: Compiler) -> None:
    output = io.StringIO()
    server = heard(CourseServer(io.StringIO(), output, OWN))
    for line in ("new 4 4 -1 -1 first", "go"):
        server.answer(line)
    assert server.engine is not None
    assert server.engine.options.c == Options().c
    compiler.over.set()
    server.answer("go")
    assert server.engine.options.c == OWN.c
    assert len(output.getvalue().splitlines()) == 3


def test_serving_ends_the_compiling(compiler: Compiler) -> None:
    gomocup_server.serve(io.StringIO("START 6\nEND\n"), io.StringIO(), OWN)
    assert compiler.closed
