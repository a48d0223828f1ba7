"""Every table at every width: no number is cut, no name is lost, no line is too long."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from luozi.cli.app import main
from luozi.experiments import EXPERIMENTS
from luozi.experiments.report import do_experiment
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.matches.summary import show_summary, summarise
from luozi.matches.tuning.result import TunedParameter, TuningResult, show_result
from luozi.search import Candidate, SearchResult
from luozi.terminal.contests import show_experiments, show_store
from luozi.terminal.lists import show_cache, show_games, show_players, show_search_result
from luozi.terminal.progress import Bar
from luozi.util import tables
from luozi.util.formats import pieces
from luozi.util.tables import FIGURE, LONGEST_PIECE, SPELLING, Table, TextColumn

WIDTHS = (60, 80, 100, 140)
LONG = "mcts:iterations=123456,selection=puct,c=0.7,prior_power=2.0,decisive_moves=true,final=robust,seed="
NUMBER = re.compile(r"\d[\d.,]*\d|\d")

Show = Callable[[Console], None]


class Seen:
    """What was drawn: the columns and cells of each table, and the text that came out."""

    def __init__(self, show: Show, width: int) -> None:
        self.tables: list[tuple[list[TextColumn], list[list[str]]]] = []
        self.file = io.StringIO()
        places = [module for name, module in sys.modules.items() if name.startswith("luozi.")]
        with pytest.MonkeyPatch.context() as patch:
            draw = tables.show_table
            for place in (place for place in places if getattr(place, "show_table", None) is draw):
                patch.setattr(place, "show_table", lambda *call: self.draw(draw, *call))
            show(Console(file=self.file, width=width, force_terminal=True, color_system=None, highlight=False))
        self.text, self.width = self.file.getvalue(), width

    def draw(self, draw: Any, console: Console, columns: Any, rows: Any, *more: Any) -> None:
        self.tables.append((list(columns), [list(row) for row in rows]))
        before = len(self.file.getvalue())
        draw(console, *self.tables[-1], *more)
        lines = self.file.getvalue()[before:].splitlines()
        assert [line for line in lines if cell_len(line) > console.width and "not shown" not in line] == []
        self.check_cells(*self.tables[-1], "\n".join(lines))

    def check_cells(self, columns: Any, rows: Any, drawn: str) -> None:
        missing = [column.name for column in columns if f"{column.name}" in drawn.partition("not shown")[2]]
        for row in rows:
            for column, cell in zip(columns, row, strict=True):
                if column.name in missing and column.minor:
                    continue
                if column.kind.wraps:
                    assert all(piece in drawn for piece in pieces(cell) if len(piece) <= LONGEST_PIECE), cell
                    assert all(number in NUMBER.findall(drawn) for number in NUMBER.findall(cell)), cell
                else:
                    assert re.search(rf"(?<!\S){re.escape(cell)}(?!\S)", drawn), cell


def contest_shown(players: int, seats: int, kind: str, games: int = 1000, forfeits: bool = False) -> Show:
    """A contest between players with long names, with results of every length."""
    game = "connect4" if seats == 2 else f"five3d:players={seats}"
    contest = MatchSchedule.of(game, [f"{LONG}{number}" for number in range(players)], kind)
    run = Run(contest, games)
    for fixture in contest.fixtures(games):
        results = tuple(1.0 if (fixture.number + seat) % seats == 0 else 0.0 for seat in range(seats))
        loser = fixture.seats[0] if forfeits and not results[0] else -1
        reason = "took longer than 123.5 s" if loser >= 0 else ""
        run.add(ScoredGame(fixture.number, fixture.encounter, fixture.seats, results, loser, reason, 42))
    summary = cache(lambda: summarise(run))
    return lambda console: show_summary(console, summary())


def store_shown(console: Console) -> None:
    store = Store.open(None)
    for seed in (1, 2):
        store.enter(
            MatchSchedule.of("connect4:rows=9,columns=12,blocked=3.4", [f"{LONG}1", f"{LONG}2"], seed=seed), 123456
        )
        store.enter(MatchSchedule.of("tictactoe", [f"{LONG}1", "random", "flat"], "round-robin", seed), 1000)
    show_store(console, store)


def tuning_shown(console: Console) -> None:
    findings = (
        TunedParameter(
            "prior_power", "0.2 to 12.5, logarithmic", 3.14159, (1.2345, 10.9876), None, "at the edge: try more"
        ),
        TunedParameter("final", "visits|mean", "visits", None, {"visits": 0.91, "mean": 0.09}, ""),
    )
    values = {"id": "0123456789ab", "game": "connect4", "openings": "4 random moves", "seed": 1, "findings": findings}
    values |= {"rate": 0.573, "interval": (0.512, 0.634), "forfeits": (), "rows": (), "complete": True}
    values |= {"finished": 2000, "wanted": 2000, "against": LONG + "1", "best": LONG + "2", "verify": "luozi match"}
    show_result(console, type("Result", (), {**dict.fromkeys(TuningResult.__annotations__), **values})())  # type: ignore[arg-type]


def thought_shown(console: Console) -> None:
    candidates = tuple(Candidate(n, 123_456_789 - n, (0.57321, 0.42679)) for n in range(8))
    show_search_result(console, SearchResult(0, 0, candidates, (0,), 10**9, 12.34, 10**7, 10**9, 42, 0, False, seed=1))


SHOWN: dict[str, Show] = {
    "match": contest_shown(2, 2, "match"),
    "match with forfeits": contest_shown(2, 2, "match", forfeits=True),
    "match of four": contest_shown(4, 4, "match"),
    "tournament": contest_shown(12, 2, "round-robin", 4),
    "gauntlet of three seats": contest_shown(4, 3, "gauntlet", 300),
    "results --list": store_shown,
    "tune": tuning_shown,
    "think": thought_shown,
    "games": lambda console: show_games(console, None),
    "players": lambda console: show_players(console, None),
    "experiment list": lambda console: show_experiments(console, EXPERIMENTS.values()),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SHOWN)
def test_a_table_fits_the_terminal(name: str, width: int) -> None:
    assert Seen(SHOWN[name], width).tables


def test_a_long_name_is_broken_between_its_parts_and_never_in_a_number() -> None:
    label, file = f"{LONG}1", io.StringIO()
    columns = [TextColumn("player", SPELLING), TextColumn("games", FIGURE), TextColumn("score", FIGURE)]
    tables.show_table(Console(file=file, width=40), columns, [(label, "1,200", "57.3 %"), ("random", "7", "1.0 %")])
    first, *lines = file.getvalue().splitlines()
    assert first.split() == ["player", "games", "score"]
    assert "".join(line[:24].strip() for line in lines) == f"{label}random"
    assert lines[0].split()[-3:] == ["1,200", "57.3", "%"]
    assert lines[-1].split() == ["random", "7", "1.0", "%"]


def values_of(table: Table) -> Iterator[Any]:
    """A long value for each column, of whatever sort it takes."""
    for column in table.columns:
        for value in ((0.1234, 0.9876), 12_345_678, 0.5731, LONG + "1"):
            if column.kind.code != isinstance(value, str):
                continue
            try:
                column.shown(value)
            except (TypeError, ValueError, AttributeError, KeyError):
                continue
            yield value
            break
        else:
            yield "some words"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_tables_of_experiments_fit_the_terminal(name: str, tmp_path: Path) -> None:
    found = EXPERIMENTS[name]
    bench = found.bench(quick=True).looking()
    results = do_experiment(found, bench, found.values({})).result.tables
    assert results
    for table in results:
        long = tuple(values_of(table))
        filled = Table(table.columns, (*table.rows, long, long), table.title)
        for width in WIDTHS:
            Seen(filled.show, width)


def test_the_list_of_kernels_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path))
    (tmp_path / f"{'a_long_name' * 6}-0123.machinecode").write_bytes(b"1" * 123_456)
    for width in WIDTHS:
        assert "123,456" in Seen(show_cache, width).text


@pytest.mark.parametrize("command", ["match", "tune", "experiment", "play", ""])
def test_help_cuts_no_number(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        assert main([*command.split(), "--help"]) == 0
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= width
        assert "…" not in shown
        assert "..." not in shown.replace("PLAYER...", "").replace("[ARGS]...", "").replace("}...", "")
        for number in {"match": ["10000000", "4611686018427387904", "192.168.1.10:6379"]}.get(command, []):
            assert number in shown


def test_the_progress_of_a_match_cuts_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    note = "57.3 % (50.1 to 64.0 %)  LLR +2.94 of -2.94, 2.95"
    for width in WIDTHS:
        file = io.StringIO()
        console = Console(file=file, width=width, force_terminal=True, color_system=None)
        monkeypatch.setattr("luozi.terminal.progress.TextConsole", lambda console=console, **_: console)
        with Bar("round-robin", 123_456, 1000) as bar:
            bar.advance(note)
            bar.progress.refresh()
        assert "1001/123456" in file.getvalue()
        assert " ".join(note.split()) in " ".join(re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", file.getvalue()).split())
