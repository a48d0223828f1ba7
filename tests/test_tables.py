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
from rich.console import Console

from luozi import text
from luozi.cli.app import main
from luozi.contests.contest import Contest
from luozi.contests.running import Run
from luozi.contests.store import Played, Store
from luozi.contests.summary import summarise
from luozi.contests.tables import show_summary
from luozi.experiments import EXPERIMENTS
from luozi.experiments.report import do_experiment
from luozi.experiments.table import Table
from luozi.search import Candidate, Thought
from luozi.terminal.contests import show_store
from luozi.terminal.experiments import show_experiments
from luozi.terminal.lists import show_cache, show_games, show_players, show_thought
from luozi.terminal.progress import Bar
from luozi.tuning.result import Finding, TuningResult
from luozi.tuning.tables import show_result

WIDTHS = (60, 80, 100, 140)
LONG = "mcts:iterations=123456,formula=puct,c=0.7,prior_power=2.0,take_wins=true,final=visits,seed="
NUMBER = re.compile(r"\d[\d.,]*\d|\d")

Show = Callable[[Console], None]


class Seen:
    """What was drawn: the columns and cells of each table, and the text that came out."""

    def __init__(self, show: Show, width: int) -> None:
        self.tables: list[tuple[list[text.Column], list[list[str]]]] = []
        self.file = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            draw = text.draw_table
            for place in (text, sys.modules["luozi.contests.tables"]):
                patch.setattr(place, "draw_table", lambda *call: self.draw(draw, *call))
            show(Console(file=self.file, width=width, force_terminal=True, color_system=None, highlight=False))
        self.text, self.width = self.file.getvalue(), width

    def draw(self, draw: Any, console: Console, columns: Any, rows: Any) -> dict[str, int]:
        self.tables.append((list(columns), [list(row) for row in rows]))
        before = len(self.file.getvalue())
        names = draw(console, *self.tables[-1])
        lines = self.file.getvalue()[before:].splitlines()
        assert [line for line in lines if text.cell_len(line) > console.width and "not shown" not in line] == []
        self.check_numbers(*self.tables[-1], "\n".join(lines), names)
        return names

    def check_numbers(self, columns: Any, rows: Any, drawn: str, names: dict[str, int]) -> None:
        missing = [column.name for column in columns if f"{column.name}" in drawn.partition("not shown")[2]]
        for row in rows:
            for column, cell in zip(columns, row, strict=True):
                if column.name in missing and column.minor:
                    continue
                if column.style.shortens:
                    assert cell in drawn or cell in names
                elif column.style.wraps:
                    assert all(number in NUMBER.findall(drawn) for number in NUMBER.findall(cell)), cell
                else:
                    assert re.search(rf"(?<!\S){re.escape(cell)}(?!\S)", drawn), cell


def contest_shown(players: int, seats: int, kind: str, games: int = 1000, forfeits: bool = False) -> Show:
    """A contest between players with long names, with results of every length."""
    game = "connect4" if seats == 2 else f"five3d:players={seats}"
    contest = Contest.of(game, [f"{LONG}{number}" for number in range(players)], kind)
    run = Run(contest, games)
    for fixture in contest.fixtures(games):
        results = tuple(1.0 if (fixture.number + seat) % seats == 0 else 0.0 for seat in range(seats))
        loser = fixture.seats[0] if forfeits and not results[0] else -1
        reason = "took longer than 123.5 s" if loser >= 0 else ""
        run.add(Played(fixture.number, fixture.encounter, fixture.seats, results, loser, reason, 42))
    summary = cache(lambda: summarise(run))
    return lambda console: show_summary(console, summary())


def store_shown(console: Console) -> None:
    store = Store.open(None)
    for seed in (1, 2):
        store.enter(Contest.of("connect4:rows=9,columns=12,forbidden=3.4", [f"{LONG}1", f"{LONG}2"], seed=seed), 123456)
        store.enter(Contest.of("tictactoe", [f"{LONG}1", "random", "flat"], "round-robin", seed), 1000)
    show_store(console, store)


def tuning_shown(console: Console) -> None:
    findings = (
        Finding("prior_power", "0.2 to 12.5, logarithmic", 3.14159, (1.2345, 10.9876), None, "at the edge: try more"),
        Finding("final", "visits|mean", "visits", None, {"visits": 0.91, "mean": 0.09}, ""),
    )
    values = {"id": "0123456789ab", "game": "connect4", "openings": "4 random moves", "seed": 1, "findings": findings}
    values |= {"rate": 0.573, "interval": (0.512, 0.634), "forfeits": (), "rows": (), "complete": True}
    values |= {"finished": 2000, "wanted": 2000, "against": LONG + "1", "best": LONG + "2", "verify": "luozi match"}
    show_result(console, type("Result", (), {**dict.fromkeys(TuningResult.__annotations__), **values})())  # type: ignore[arg-type]


def thought_shown(console: Console) -> None:
    candidates = tuple(Candidate(n, 123_456_789 - n, (0.57321, 0.42679)) for n in range(8))
    show_thought(console, Thought(0, 0, candidates, (0,), 10**9, 12.34, 10**7, 10**9, 42, 0, False, seed=1))


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


@pytest.mark.parametrize("name", ["match", "match of four", "tournament"])
@pytest.mark.parametrize("width", WIDTHS)
def test_full_names_stand_below_the_table(name: str, width: int) -> None:
    seen = Seen(SHOWN[name], width)
    for label, *_ in seen.tables[0][1]:
        assert f": {label}\n" in seen.text or re.search(rf"^{re.escape(label)}  ", seen.text, re.MULTILINE)


def test_names_that_are_shortened_alike_have_different_numbers() -> None:
    rows = [(f"mcts:iterations={number}000,c=0.7,final=visits", "1") for number in (1, 2)]
    seen = Seen(
        lambda console: text.show_table(console, [text.Column("player", text.NAME), text.Column("x")], rows), 30
    )
    first, second = (line.split()[0] for line in seen.text.splitlines()[2:4])
    assert (first, second) == ("1", "2")
    assert [f"{number}: {name}" for number, (name, _) in enumerate(rows, 1)] == seen.text.splitlines()[4:]


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
    tables = do_experiment(found, bench, found.values({})).result.tables
    assert tables
    for table in tables:
        filled = Table(table.title, table.columns, (*table.rows, tuple(values_of(table)), tuple(values_of(table))))
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
        monkeypatch.setattr("luozi.terminal.progress.Console", lambda console=console, **_: console)
        with Bar("round-robin", 123_456, 1000) as bar:
            bar.advance(note)
            bar.progress.refresh()
        assert "1001/123456" in file.getvalue()
        assert " ".join(note.split()) in " ".join(re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", file.getvalue()).split())
