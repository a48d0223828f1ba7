"""Who answers where nobody was named: the strongest player that fits, everywhere the same."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from conversing import Talk

import luozi
from luozi.cli.app import main
from luozi.compiled.cache import NotKeptError
from luozi.players.presets import strong_options
from luozi.rules.game import Game
from luozi.search import Engine, Options
from luozi.search.readiness import BESIDE, CompileSettings, CompileStep, Readiness
from luozi.search.ready_engine import ReadyEngine, by_network, plain_step, spelling_of
from luozi.servers import connect4_agent as course_server
from luozi.servers.conversation import Wanted
from luozi.servers.gomocup import server as gomocup_server
from luozi.servers.gomocup.info import GomocupInfo
from luozi.terminal.seats import PROGRAM, fill_seats
from luozi.util.machine import resident_bytes

STRONG = "strong:seconds=1"
PATIENCE = 60.0  # seconds; only what hangs needs them
OWN = Options(iterations=60, seed=1, c=0.25)  # plain UCT, and yet unlike the stand-in


def test_play_and_think_and_hint_are_answered_by_strong(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr("luozi.cli.playing.analyse", lambda *arguments: heard.append(arguments[1]))
    monkeypatch.setattr(
        "luozi.cli.playing.TerminalSession",
        lambda table, settings: SimpleNamespace(run=lambda: heard.append(settings.hint)),
    )
    assert main(["think", "tictactoe"]) == main(["play", "tictactoe"]) == 0
    assert heard == [STRONG, STRONG] == [PROGRAM, PROGRAM]
    assert fill_seats(luozi.game("tictactoe"), [], True) == ["person", STRONG]


def test_other_programs_are_answered_by_strong(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    for serve in ("serve_gomocup", "serve_agent"):
        monkeypatch.setattr(f"luozi.cli.serving.{serve}", lambda input, output, options: heard.append(options) or 0)
    assert main(["gomocup"]) == main(["connect4-agent"]) == 0
    for name in ("gomoku", "gomoku:size=20,exact_length=true"):
        game = luozi.game(name)
        assert heard[0](game) == Options.of(**strong_options(game))
    for spelling in ("connect4", "connect4:rows=9,columns=12,blocked=3.4"):
        game = luozi.game(spelling)
        assert heard[1](game) == Options.of(**strong_options(game))


def test_options_are_spelled_as_a_player_that_has_them() -> None:
    options = Options.of(**strong_options(luozi.game("gomoku")))
    assert luozi.players.player(spelling_of(options), luozi.game("gomoku")).engine.options == options


# Servers: plain UCT until the full search is compiled ---------------------------------------------------------------


class Compiler:
    """Compiles nothing, and is ready, or gives up, when the test says so."""

    def __init__(self) -> None:
        self.searches: list[ReadyEngine] = []
        self.is_ready = False
        self.begun = threading.Event()
        self.process: subprocess.Popen[str] | None = None

    def compile(self) -> None:
        """The full search is in the cache, or not."""
        if not self.is_ready:
            raise NotKeptError("full")

    def start(self, game: str, names: Sequence[str]) -> subprocess.Popen[str]:
        """The other process, which says nothing until it is killed."""
        command = [sys.executable, "-c", "input(); print('ready')"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.begun.set()
        return self.process

    def search(self, game: Game, options: Options, settings: CompileSettings | None) -> ReadyEngine:
        """A search whose full variant is ready when the test says so, unlike its other parts."""
        assert settings is BESIDE  # what a server compiles itself makes its answers late
        plain = None if by_network(game, options) else plain_step(game)
        full = CompileStep("full", "full", self.compile)
        readiness = Readiness(game.spelling, [full], plain, replace(settings, process=self.start))
        self.searches.append(ReadyEngine(game, options, readiness, full, plain))
        return self.searches[-1]

    def finish(self, well: bool = True) -> None:
        """The full search is compiled, or could not be."""
        assert self.begun.wait(PATIENCE)
        self.is_ready = well
        assert self.process is not None
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)
        assert self.searches[-1].readiness.wait(lambda: self.searches[-1].is_over, PATIENCE)

    @property
    def closed(self) -> bool:
        """Whether the other process is gone."""
        return self.process is not None and self.process.wait(PATIENCE) is not None


@pytest.fixture
def compiler() -> Iterator[Compiler]:
    made = Compiler()
    yield made
    for search in made.searches:
        search.close()


def brain(compiler: Compiler, wanted: Wanted = OWN) -> Talk:
    talk = Talk(gomocup_server.INPUT_RULES, lambda conversation: gomocup_server.new_session(conversation, wanted))
    talk.session.searches = compiler.search
    return talk


def strongest(game: Game) -> Options:
    return Options.of(**strong_options(game))


def engine_of(talk: Talk) -> Engine:
    engine = talk.session.search.engine
    assert isinstance(engine, Engine)
    return engine


def test_a_brain_moves_at_once_and_goes_on_with_the_full_search(compiler: Compiler) -> None:
    talk = brain(compiler)
    talk.ask("START 6", "BEGIN")
    said = talk.output.getvalue().splitlines()
    assert said[0] == "OK"
    told = r"MESSAGE plain UCT plays until the full search is compiled( \(\d+ %, about \d+ s left\))?"
    assert re.fullmatch(told, said[1])
    assert said[-1][0].isdigit()
    assert engine_of(talk).options.c == Options().c
    compiler.finish()
    talk.ask("RESTART")
    talk.ask("BEGIN")
    assert engine_of(talk).options.c == OWN.c
    assert compiler.closed


def test_a_brain_changes_to_the_full_search_between_moves(compiler: Compiler) -> None:
    talk = brain(compiler)
    talk.ask("START 6")
    compiler.finish()
    talk.ask("BEGIN")
    assert engine_of(talk).options.c == OWN.c
    assert compiler.closed


@pytest.mark.parametrize(("more", "compiles"), [(400_000_000, True), (200_000_000, False)])
def test_a_brain_without_room_to_compile_says_so_and_plays(compiler: Compiler, more: int, compiles: bool) -> None:
    talk = brain(compiler)
    talk.ask(f"INFO max_memory {resident_bytes() + more}", "START 6", "BEGIN")
    assert compiler.begun.wait(PATIENCE if compiles else 0) is compiles
    said = talk.output.getvalue().splitlines()
    assert said[0] == "OK"
    assert said[1].startswith(
        "MESSAGE plain UCT plays until" if compiles else "MESSAGE plain UCT plays: the full search"
    )
    assert said[-1][0].isdigit()


def test_a_limit_that_comes_late_ends_the_compiling(compiler: Compiler) -> None:
    talk = brain(compiler)
    talk.ask("START 6")
    assert compiler.begun.wait(PATIENCE)
    talk.ask(f"INFO max_memory {resident_bytes() + 200_000_000}")
    assert compiler.closed
    assert len(compiler.searches) == 2
    assert not compiler.searches[-1].is_compiling
    assert talk.output.getvalue().splitlines() == ["OK"]


def test_what_could_not_be_compiled_is_not_tried_again(compiler: Compiler) -> None:
    talk = brain(compiler)
    talk.ask("START 6")
    compiler.finish(well=False)
    talk.ask("BEGIN", "RESTART", "BEGIN")
    assert not compiler.searches[-1].is_compiling
    assert "MESSAGE plain UCT plays: the full search could not be compiled" in talk.output.getvalue()


# A four that is open at both ends, and one of the other side that is open at one.
OURS = ["7,3,1", "7,4,1", "7,5,1", "7,6,1"]
THEIRS = ["3,9,2", "4,9,2", "5,9,2", "6,9,2"]


def answered(talk: Talk) -> str:
    return talk.output.getvalue().splitlines()[-1]


@pytest.mark.parametrize("rule", [0, 1])
@pytest.mark.parametrize("size", [15, 20])
def test_a_brain_whose_search_is_not_compiled_plays_sensibly(compiler: Compiler, rule: int, size: int) -> None:
    talk = brain(compiler, strongest)
    talk.ask(f"INFO rule {rule}", "INFO timeout_turn 600", f"START {size}")
    talk.ask("BEGIN")
    assert all(abs(2 * int(place) - size) <= 6 for place in answered(talk).split(","))
    win, stopped = [*OURS, *THEIRS, "2,9,1"], [*OURS[:3], "11,11,1", *THEIRS, "2,9,1"]
    for board, right in ((win, {"7,2", "7,7"}), (stopped, {"7,9"})):
        talk.ask("RESTART", "BOARD", *board, "DONE")
        assert answered(talk) in right


def test_a_brain_plays_each_rule_by_the_network_that_learned_it(compiler: Compiler) -> None:
    talk = brain(compiler, strongest)
    for lines, network in (
        (["START 15"], "gomoku"),
        (["INFO rule 1"], "exactly"),
        (["RESTART"], "exactly"),
        (["INFO rule 0", "START 20"], "gomoku"),
    ):
        talk.ask(*lines)
        assert talk.session.options.network == network
        assert talk.session.the_engine().options.network == network
    assert talk.output.getvalue().splitlines() == ["OK"] * 3


@pytest.mark.parametrize("rule", [0, 3])
def test_a_network_sees_that_dead_stones_close_their_cells(compiler: Compiler, rule: int) -> None:
    talk = brain(compiler, strongest)
    board = [*OURS, "7,2,2", "7,7,3", *THEIRS[1:], "12,12,2"]  # our four is dead at both ends, their three is open
    talk.ask(f"INFO rule {rule}", "INFO timeout_turn 400", "START 15", "BOARD", *board, "DONE")
    assert answered(talk) in {"2,9", "3,9", "7,9", "8,9"}


def test_the_memory_of_compiling_is_kept_free() -> None:
    settings = GomocupInfo(max_memory=resident_bytes() + 600_000_000)
    assert settings.pool_megabytes(compiling=True) < settings.pool_megabytes() - 100


def test_an_agent_moves_at_once_and_goes_on_with_the_full_search(compiler: Compiler) -> None:
    talk = Talk(course_server.INPUT_RULES, lambda conversation: course_server.new_session(conversation, OWN))
    talk.session.searches = compiler.search
    talk.ask("new 4 4 -1 -1 first", "go")
    assert engine_of(talk).options.c == Options().c
    compiler.finish()
    talk.ask("go")
    assert engine_of(talk).options.c == OWN.c
    assert len(talk.output.getvalue().splitlines()) == 3


def test_serving_ends_the_compiling(monkeypatch: pytest.MonkeyPatch, compiler: Compiler) -> None:
    monkeypatch.setattr(ReadyEngine, "of", compiler.search)
    gomocup_server.serve(io.StringIO("START 6\nEND\n"), io.StringIO(), OWN)
    assert compiler.closed or not compiler.begun.is_set()
    assert compiler.searches[-1].is_over
