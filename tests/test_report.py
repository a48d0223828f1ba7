"""What a match leaves for others to read: JSON, CSV, plots, pages."""

from __future__ import annotations

import csv
import json
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest

import luozi
from luozi.matches.game_runner import Outcome, moves_of, play_fixture, versions
from luozi.matches.openings import Openings, load_openings
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.matches.summary import summarise
from luozi.matches.workers import Here
from luozi.messages import LuoziError
from luozi.records.record import data_text
from luozi.reports import contest_pages
from luozi.reports.contest_files import (
    counted_outcomes,
    csv_columns,
    csv_line,
    json_text,
    write_csv,
    write_page,
    write_plot,
)
from luozi.reports.contest_pages import command_of, headline
from luozi.reports.figures import IntervalPanel, figure_bytes, list_figure, svg_text
from luozi.reports.pages import COLOURS, Code, Details, Section, SvgFigure, page
from luozi.reports.panels import draw_test, overview, panel_figure, running_score, running_test
from luozi.statistics.matches import Sprt
from luozi.util.tables import Table, TextColumn

VOID = {"meta", "link", "wbr", "br", "hr", "img"}
HARD = 'gtp:echo "<b>" & $x$'
CLOCK = '\ndata:\n{"seconds":0.0}\n{"seconds":0.1}\n{"seconds":0.2}\n'
TINY = "luozi record 1\ngame: go:size=5\nplayers: a | b\n\n1. Black a1\n2. White a2\n3. Black b1\n"


def play(game, players, games, kind="match", openings=None):
    """A contest that is played here, and its store."""
    run, store = Run(MatchSchedule.of(game, players, kind, openings=openings), games), Store.open(None)
    run.load(store)
    play_all([run], store, Here())
    return run, store


def invent(players, results, game="go:size=5", forfeit="", sprt=None, kind="match", **more):
    """A contest with these results of the first player, of which no game was played."""
    contest = MatchSchedule(game, tuple(players), kind, openings=Openings(plies=2), **more)
    run, store = Run(contest, len(results), sprt), Store.open(None)
    run.load(store)
    for fixture, score in zip(contest.fixtures(), results, strict=False):
        first = fixture.seats.index(0) if 0 in fixture.seats else 0
        by_seat = tuple(score if seat == first else 1 - score for seat in range(2))
        loser = fixture.seats[by_seat.index(min(by_seat))] if forfeit else -1
        seeds = contest.seeds(fixture)
        outcome = Outcome(fixture, by_seat, loser, forfeit, 3, seeds, TINY, CLOCK, versions(), "now")
        store.add(contest, outcome)
        run.add(ScoredGame.of(outcome))
    return run, store


@pytest.fixture(scope="module")
def duel():
    return play("tictactoe", ["random", "random"], 40)


@pytest.fixture(scope="module")
def trio():
    return play("tictactoe:players=3,size=4", ["random", "random", "random"], 9)


@pytest.fixture(scope="module")
def tournament():
    return play("connect4", ["random", "random", "random", "random"], 2, "round-robin")


@pytest.fixture(scope="module")
def gauntlet():
    return play("connect4", ["random", "random", "random"], 2, "gauntlet")


@pytest.fixture(scope="module")
def hard():
    return invent([HARD, "random"], [0.0, 1.0] * 10, forfeit="said <script>alert(1)</script>")


@pytest.fixture(scope="module")
def tested():
    return invent(["random", "flat"], [1.0, 0.5] * 40, sprt=Sprt(0, 40))


@pytest.fixture(scope="module")
def tested_trio():
    contest = MatchSchedule.of("tictactoe:players=3,size=4", ["flat:playouts=50", "random", "random"])
    run, store = Run(contest, 60, Sprt(0, 100)), Store.open(None)
    run.load(store)
    play_all([run], store, Here())
    return run, store


@pytest.fixture(scope="module")
def nothing():
    return invent(["random", "flat"], [])


ALL = ["duel", "trio", "tournament", "gauntlet", "hard", "tested", "tested_trio", "nothing"]
DRAWN = [pytest.param(name, marks=pytest.mark.long) if name in ("gauntlet", "tested", "trio") else name for name in ALL]


def text_of_page(run, store, path):
    write_page(path, run, summarise(run), store)
    return path.read_text(encoding="utf-8")


# JSON -----------------------------------------------------------------------------------------------------------------


def test_json_has_no_numbers_that_other_programs_refuse():
    run, _ = invent(["random", "flat"], [1.0] * 4)  # an endless Elo

    def refuse(name):
        raise AssertionError(name)

    found = json.loads(json_text(summarise(run)), parse_constant=refuse)
    assert found["duel"]["elo"] is None
    assert found["rows"][0]["wins"] == 4
    assert list(found) == sorted(found)


# CSV ------------------------------------------------------------------------------------------------------------------


def lines_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ALL)
def test_csv_holds_every_game_as_it_was(name, request, tmp_path):
    run, store = request.getfixturevalue(name)
    write_csv(tmp_path / "games.csv", run, store)
    lines, outcomes = lines_of(tmp_path / "games.csv"), list(counted_outcomes(run, store))
    assert len(lines) == len(outcomes) == len(run.counted)
    seats = range(1, run.contest.seats + 1)
    for number, (line, outcome) in enumerate(zip(lines, outcomes, strict=True), 1):
        assert int(line["game"]) == number == outcome.fixture.number + 1
        assert [line[f"seat_{seat}"] for seat in seats] == [run.contest.labels[p] for p in outcome.fixture.seats]
        assert tuple(float(line[f"result_{seat}"]) for seat in seats) == outcome.results
        assert tuple(int(line[f"seed_{seat}"]) for seat in seats) == outcome.seeds
        assert int(line["moves"]) == outcome.moves
        assert line["reason"] == outcome.forfeit
        assert line["loser"] == ("" if outcome.loser < 0 else run.contest.labels[outcome.loser])


def test_csv_of_the_same_match_differs_in_its_clocks_only(duel, tmp_path):
    again = play("tictactoe", ["random", "random"], 40)
    texts = []
    for number, (run, store) in enumerate((duel, again)):
        path = tmp_path / f"{number}.csv"
        write_csv(path, run, store)
        texts.append([line.rsplit(b",", 3)[0] for line in path.read_bytes().split(b"\n")])
        assert path.read_text().splitlines()[0].endswith(",seconds_1,seconds_2,finished")
    assert texts[0] == texts[1]


class Stones(luozi.Game):
    """Take one to three of nine stones, by turns; the names of players and moves run into each other."""

    actions, max_length = 3, 9
    state = (("stones", "i1"), ("to_move", "i1"))

    def start(self, state):
        state.stones = 9

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.stones

    def apply_action(self, state, action):
        state.stones -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.stones == 0

    def returns(self, state, returns):
        returns[state.to_move], returns[1 - state.to_move] = 0.0, 1.0

    def player_name(self, player):
        return ("red", "red 1")[player]

    def action_to_string(self, state, action):
        return f"{action + 1} of {state.stones}"


@pytest.mark.parametrize("stored", ["with data", "before there were data"])
def test_csv_tells_how_long_each_seat_thought_whatever_they_are_called(stored):
    contest = MatchSchedule.of(Stones(), ["random", "random"], openings=Openings(plies=0))
    for fixture in contest.fixtures(6):
        outcome = play_fixture(contest, fixture)
        clock = [2**turn for turn in range(outcome.moves)]
        moves = [
            move._replace(seconds=seconds) for move, seconds in zip(moves_of(contest, outcome), clock, strict=True)
        ]
        data = data_text(moves)
        if stored != "with data":
            data = re.sub(r'"action":\d+,"seat":\d,', "", data)
        outcome = outcome._replace(data=data)
        line = dict(zip(csv_columns(2), csv_line(contest, outcome), strict=True))
        assert (line["seconds_1"], line["seconds_2"]) == (sum(clock[::2]), sum(clock[1::2]))  # by turns


def test_an_interval_after_a_sequential_test_says_that_it_is_biased(tested, duel):
    summary = summarise(tested[0])
    assert summary.sprt is not None
    assert summary.sprt["biased"]
    assert "intervals are biased" in str(summary)
    assert "biased" not in str(summarise(duel[0]))
    undecided = invent(["random", "flat"], [1.0, 0.0] * 2, sprt=Sprt(0, 40))
    assert "undecided" in str(summarise(undecided[0]))
    assert "biased" not in str(summarise(undecided[0]))


def test_games_after_a_decision_are_left_out(tested, tmp_path):
    run, store = tested
    assert run.verdict == "H1"
    assert run.last < len(run.played) == 80
    write_csv(tmp_path / "games.csv", run, store)
    assert len(lines_of(tmp_path / "games.csv")) == run.last == summarise(run).counted


# Files ----------------------------------------------------------------------------------------------------------------


def test_files_that_cannot_be_written_get_one_sentence(duel, tmp_path):
    run, store = duel
    for path in (tmp_path, tmp_path / "none" / "games.csv", Path(__file__) / "games.csv"):
        with pytest.raises(LuoziError, match=r"^can't write '.*': [^\n]*$"):
            write_csv(path, run, store)
    with pytest.raises(LuoziError, match=r"a plot is a \.png or an \.svg file, not 'plot.pdf'"):
        write_plot(tmp_path / "plot.pdf", run, summarise(run))


def test_a_file_is_written_whole_or_not_at_all(duel, tmp_path, monkeypatch):
    run, store = duel
    path = tmp_path / "games.csv"
    path.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(LuoziError, match="No space left"):
            write_csv(path, run, store)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    write_csv(path, run, store)  # overwriting is fine
    assert path.read_text().startswith("game,encounter,opening,seat_1")


# Plots ----------------------------------------------------------------------------------------------------------------


def size_of_png(content):
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


@pytest.mark.parametrize("name", DRAWN)
def test_a_plot_is_a_picture_of_readable_size(name, request, tmp_path):
    run, _ = request.getfixturevalue(name)
    write_plot(tmp_path / "plot.png", run, summarise(run))
    width, height = size_of_png((tmp_path / "plot.png").read_bytes())
    assert width == 1680
    assert 200 <= height <= 2400


def test_a_plot_is_the_same_file_every_time(duel, tmp_path):
    run, _ = duel
    for name in ("one.svg", "two.SVG"):
        write_plot(tmp_path / name, run, summarise(run))
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.SVG").read_bytes()
    assert ElementTree.parse(tmp_path / "one.svg").getroot().tag.endswith("svg")


def test_curves_end_at_the_result(tested):
    run, _ = tested
    summary = summarise(run)
    games, scores, lows, highs = running_score(run)
    assert (games[-1], scores[-1], (lows[-1], highs[-1])) == (run.last, summary.duel.score, summary.duel.interval)
    assert [ratios[-1] for ratios in running_test(run)] == [run.last, run.llr]
    assert "accepts Elo 40" in svg_text(panel_figure(draw_test, run, summary))


def test_drawing_leaves_the_settings_of_matplotlib_alone(duel):
    before = dict(matplotlib.rcParams)
    figure_bytes(overview(duel[0], summarise(duel[0])))
    assert dict(matplotlib.rcParams) == before


def test_a_report_without_pictures_does_not_load_matplotlib():
    code = "import sys, luozi.reports.contest_files, luozi.reports.pages; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Pages ----------------------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Checks that tags are balanced, and gathers text, identifiers and addresses."""

    def __init__(self, text):
        super().__init__()
        self.open, self.names, self.addresses, self.words, self.tags = [], [], [], "", set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.names += [value for key, value in attributes if key == "id"]
        self.addresses += [value for key, value in attributes if key in ("src", "href", "xlink:href", "action")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.words += data


@pytest.mark.parametrize("name", DRAWN)
def test_a_page_is_one_sound_file_that_asks_for_nothing(name, request, tmp_path):
    text = text_of_page(*request.getfixturevalue(name), tmp_path / "page.html")
    found = Reader(text)
    assert {"html", "title", "main", "h1"} <= found.tags
    assert not {"script", "b", "img", "iframe"} & found.tags
    assert re.match(r'<!DOCTYPE html>\s*<html lang="en">', text)
    assert not re.search(r"https?:|@import|url\((?!#)|//", text.replace("</", ""))
    assert all(address.startswith(("data:", "#")) for address in found.addresses)
    assert len(set(found.names)) == len(found.names)
    assert {address[1:] for address in found.addresses if address[0] == "#"} <= set(found.names)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(found.names)


def test_a_page_shows_labels_as_they_are_written(hard, tmp_path):
    text = text_of_page(*hard, tmp_path / "page.html")
    words = Reader(text).words
    assert HARD in words
    assert "said <script>alert(1)</script>" in words
    assert "&lt;b&gt;" in text
    assert shlex.quote(HARD) in words


def test_a_page_is_the_same_file_every_time(tournament, tmp_path):
    assert text_of_page(*tournament, tmp_path / "one") == text_of_page(*tournament, tmp_path / "two")


def test_a_page_says_what_is_known(duel, tested, hard, trio, nothing):
    def said(run):
        return "".join(headline(summarise(run)))

    assert said(nothing[0]) == "No game is finished yet."
    assert said(hard[0]).startswith(f"Nothing is decided: {HARD} scored 50.0 % against random in 20 games (Elo +0")
    assert re.match(r"random is stronger than flat: it scored .* Elo 40 rather than 0\.$", said(tested[0]))
    mirrored, _ = invent(["random", "flat"], [0.0] * 40)
    assert said(mirrored).startswith(
        "flat is stronger than random: it scored 100.0 % in 40 games (Elo +∞, 95 % interval +"
    )
    assert re.match(r"random.* is first with Elo \+\d+ ± \d+, then random", said(trio[0]))
    started, _ = invent(["random", "flat"], [1.0, 0.0])
    started.wanted = 10
    assert said(started).endswith("It is not complete: 2 of 10 games are finished.")


def test_a_page_of_many_games_stays_short(hard, tmp_path, monkeypatch):
    monkeypatch.setattr(contest_pages, "LISTED", 5)
    monkeypatch.setattr(contest_pages, "FORFEITED", 4)
    words = Reader(text_of_page(*hard, tmp_path / "page.html")).words
    assert "The first 5 of 20 games" in words
    assert "the first 4 of 20 forfeited ones" in words
    assert words.count("luozi record 1") == 4


def test_figures_follow_the_colours_of_the_page(duel):
    run, _ = duel
    drawn = SvgFigure(svg_text(overview(run, summarise(run))), 'a "quoted" < word').html()
    assert "var(--blue)" in drawn
    assert "var(--font)" in drawn
    assert 'aria-label="a &quot;quoted&quot; &lt; word"' in drawn
    assert not any(colour.light in drawn for colour in COLOURS.values())


def test_words_in_figures_stay_as_they_are():
    figure = list_figure(['id="x" url(#y) #0072b2 $z$'], [IntervalPanel("", [1.0], [None])])
    assert 'id="x" url(#y) #0072b2 $z$' in Reader(SvgFigure(svg_text(figure), "alt").html()).words


def test_any_page_can_be_built_from_few_parts():
    items = [
        "<p>",
        ("run ", Code("a<b")),
        Code("one\ntwo"),
        Table([TextColumn("x"), TextColumn("y")], [["1", "2"]]),
        Details("more", ["less"]),
    ]
    found = Reader(page("A & B", [Section("Heading", items)], "lead", "kind"))
    assert all(
        word in found.words for word in ("A & B", "Heading", "<p>", "run a<b", "one\ntwo", "more", "less", "kind")
    )
    assert {"details", "summary", "table", "pre"} <= found.tags


# Again ----------------------------------------------------------------------------------------------------------------


def contest_of(command):
    """The contest that a command line asks for."""
    from luozi.cli.contests import chosen_openings

    words = iter(shlex.split(command)[1:])
    kind = {"match": "match", "tournament": "round-robin"}[next(words)]
    players, options = [], {}
    for word in words:
        if word == "--gauntlet":
            kind = "gauntlet"
        elif word.startswith("--") and "=" not in word:
            options[word] = next(words)
        elif not word.startswith("--"):
            players.append(word)
    plies, path = options.get("--plies"), options.get("--openings")
    openings = chosen_openings(options["--game"], None if plies is None else int(plies), path and Path(path))
    return MatchSchedule.of(options["--game"], players, kind, int(options["--seed"]), openings)


@pytest.mark.parametrize("name", ["duel", "trio", "tournament", "gauntlet", "tested"])
def test_the_command_on_a_page_is_the_same_contest(name, request):
    run, _ = request.getfixturevalue(name)
    assert contest_of(command_of(run)).id == run.contest.id
    assert ("--sprt=0,40" in command_of(run)) == (name == "tested")


def test_given_openings_can_be_taken_from_the_page(tmp_path, monkeypatch):
    run, store = play("tictactoe", ["random", "random"], 4, openings=Openings(lines=((4, 0), (0, 1, 2))))
    write_page(tmp_path / "page.html", run, summarise(run), store)
    words = Reader((tmp_path / "page.html").read_text(encoding="utf-8")).words
    lines = re.search(r"openings\.txt\s*(\w\d \w\d\n\w\d \w\d \w\d)", words.partition("--openings openings.txt")[2])
    monkeypatch.chdir(tmp_path)
    Path("openings.txt").write_text(lines[1])
    assert load_openings(Path("openings.txt"), luozi.game("tictactoe")) == run.contest.openings
    assert contest_of(command_of(run)).id == run.contest.id
