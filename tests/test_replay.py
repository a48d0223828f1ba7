"""Replays: every game as text, as one HTML file and as a GIF, with all that its record holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image

import luozi
from luozi.cli.app import main
from luozi.drawing.board_picture import PictureLayout
from luozi.drawing.primitives import Disc, Words
from luozi.records import MoveNote, Record, load_record, save_record
from luozi.records.moves import CandidateNote
from luozi.records.replay import load_replay, replay_of
from luozi.reports.gif import frame_of, gif_bytes
from luozi.reports.replays import replay_page

MORRIS = str(Path(__file__).parents[1] / "examples" / "morris.py")
TEXT = "openspiel:name=tic_tac_toe"
GAMES = (
    "tictactoe", "gomoku:size=7", "connect4", "five3d:size=3,win_length=3", "qubic:gravity=true", "go:size=5",
    "othello:size=4", "hex:size=4,swap=true", "y:size=4", "breakthrough:rows=5,columns=4", "amazons:size=4",
    "amazons:size=7", "nim", MORRIS,
)  # fmt: skip


def short_game(spelling, moves=4):
    """The first legal moves of a game."""
    game = luozi.game(spelling)
    state, actions = game.new_state(), []
    while len(actions) < moves and not game.is_terminal(state):
        legal = game.legal_list(state)
        actions.append(legal[len(actions) % len(legal)])
        state = game.after(state, actions[-1])
    return Record(game, tuple(["random"] * game.players), tuple(actions))


def data_in(page):
    return json.loads(re.search(r'id="replay-data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.mark.parametrize("spelling", GAMES)
def test_every_game_is_one_page_that_needs_nothing_else(spelling):
    record = short_game(spelling)
    page = replay_page(replay_of(record))
    data = data_in(page)
    for step, state in zip(data["steps"], record.states(), strict=True):
        assert sorted(cell for cell, _kind in step["pieces"]) == sorted(p[0] for p in record.game.pieces(state))
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert record.game.action_to_string(record.states()[0], record.actions[0]) in page


@pytest.mark.parametrize(
    "spelling", ["tictactoe", "five3d:size=3,win_length=3", "amazons:size=4", "openspiel:name=tic_tac_toe"]
)
def test_every_game_is_a_moving_picture(spelling, tmp_path):
    if spelling == TEXT:
        pytest.importorskip("pyspiel")
    record = short_game(spelling, 3)
    path = tmp_path / "game.gif"
    path.write_bytes(gif_bytes(replay_of(record)))
    with Image.open(path) as image:
        assert image.n_frames == 4
        assert image.info["loop"] == 0


def test_a_frame_has_each_stone_in_its_colour(tmp_path):
    record = short_game("connect4", 2)  # columns 1 and 2
    (tmp_path / "game.gif").write_bytes(gif_bytes(replay_of(record)))
    layout = PictureLayout(record.game.board())
    with Image.open(tmp_path / "game.gif") as image:
        scale = image.width / layout.width
        image.seek(2)
        frame = image.convert("RGB")
    for cell, colour in ((35, (213, 65, 47)), (36, (245, 199, 61)), (37, (230, 237, 246))):
        x, y = layout.centres[cell]
        found = frame.getpixel((round(scale * (x - 9)), round(scale * y)))  # beside the mark of the last move
        assert all(abs(one - other) < 12 for one, other in zip(found, colour, strict=True)), (cell, found)


def test_what_was_thought_is_on_the_page():
    game = luozi.game("tictactoe")
    thought = {"iterations": 820, "means": [0.7, 0.3], "line": ["b2", "a1"]}
    found = (CandidateNote(4, 800, (0.7, 0.3)), CandidateNote(0, 20, (0.5, 0.5)))  # 20 visits are too few for a number
    record = Record(
        game, ("mcts", "person"), (4, 0), ("70.0 %", "oh"), notes=(MoveNote(0.1, thought, found), MoveNote())
    )
    steps = data_in(replay_page(replay_of(record)))["steps"]
    assert [row[:5] for row in steps[0]["found"]] == [
        ["b2", "800", "70.0 %", "30.0 %", "b2 a1"],
        ["a3", "20", "-", "-", ""],
    ]
    assert [row[-2:] for row in steps[0]["found"]] == [["70", 4], ["", -1]]  # on the board: per cent and cell
    assert [step["comment"] for step in steps] == ["", "", "oh"]


def test_a_picture_of_three_players_marks_everybodys_last_stone_and_tells_wins_and_the_draw():
    game = luozi.game("five3d:size=3,win_length=3")
    thought = {"iterations": 5000, "visits": 900, "means": [0.5, 0.46, 0.46], "draw": 0.84}
    notes = (*[MoveNote()] * 3, MoveNote(0.1, thought))
    replay = replay_of(Record(game, ("mcts", "random", "random"), (0, 5, 9, 13), notes=notes))
    scene = frame_of(replay, replay.steps[4])
    rings = [shape for shape in scene.shapes if isinstance(shape, Disc) and shape.fill == "none"]
    centres = PictureLayout(game.board()).centres
    assert sorted((round(ring.x), round(ring.y)) for ring in rings) == sorted(
        (round(centres[cell][0]), round(centres[cell][1])) for cell in (5, 9, 13)
    )
    words = [shape.text for shape in scene.shapes if isinstance(shape, Words)]
    assert words[-1] == "X 8.0 %, O 4.0 %, L 4.0 %, draw 84.0 %"
    random = [shape.text for shape in frame_of(replay, replay.steps[3]).shapes if isinstance(shape, Words)]
    assert not any("%" in text for text in random)  # a move without a search has no numbers


def test_an_expected_line_stands_beside_the_move_it_begins_with_though_another_was_made():
    game = luozi.game("tictactoe")
    considered = (CandidateNote(4, 60, (0.7, 0.3)), CandidateNote(0, 40, (0.5, 0.5)))
    thought = {"iterations": 100, "means": [0.7, 0.3], "line": ["b2", "a1"]}
    record = Record(game, ("person", "b"), (0,), notes=(MoveNote(None, thought, considered),))
    rows = {found.name: found.line for found in replay_of(record).steps[0].found}
    assert rows == {"b2": ("b2", "a1"), "a3": ()}


def test_an_analysed_file_shows_its_mistakes(tmp_path):
    from luozi.records.review import NamedCandidate as Candidate
    from luozi.records.review import PositionAnalysis, write_analysis
    from luozi.records.sgf_text import read_tree

    path = tmp_path / "game.sgf"
    record = Record(luozi.game("gomoku:size=7"), ("person", "person"), (24, 0))
    save_record(record, path)
    tree = read_tree(path)
    values = ((0.6, 0.6, "d4"), (0.6, 0.6, "c3"), (0.9, 0.9, "d5"))
    for node, (value, reply, best) in zip(tree.get_main_sequence(), values, strict=True):
        write_analysis(node, PositionAnalysis("mcts", value, reply, 100, best, (Candidate(best, 90, 0.6, (best,)),)))
    path.write_bytes(tree.serialise())
    replay = load_replay(path)
    assert [step.grade for step in replay.steps] == [0, 0, 3]  # White lost 0.3 of a win
    told = [step.chances.wins for step in replay.steps if step.chances]
    assert told == [(0.6, 0.4), (0.6, 0.4), (0.9, pytest.approx(0.1))]
    page = replay_page(replay)
    assert "O a7 ??" in page
    assert 'data-do="worst"' in page
    assert data_in(page)["steps"][1]["found"][0][:2] == ["c3", "90"]


def test_the_terminal_shows_every_board(capsys, tmp_path):
    save_record(short_game("hex:size=2", 2), tmp_path / "game.txt")
    assert main(["replay", str(tmp_path / "game.txt")]) == 0
    shown = capsys.readouterr().out
    for board in ("   a b\n 1 . .\n  2 . .", "   a b\n 1(X).\n  2 . .", "   a b\n 1 X .\n  2(O)."):
        assert board in shown.replace(" \n", "\n")


@pytest.mark.parametrize("name", ["game.html", "game.gif"])
def test_the_command_writes_a_file_once(capsys, tmp_path, name):
    save_record(short_game("tictactoe", 2), tmp_path / "game.txt")
    command = ["replay", str(tmp_path / "game.txt"), "-o", str(tmp_path / name)]
    assert main(command) == 0
    assert main(command) == 2
    assert "was not overwritten" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0


@pytest.mark.parametrize(
    ("name", "content", "out", "sentence"),
    [
        ("none.txt", None, "", "there is no file"),
        ("game.txt", b"hello\n", "", "line 1: a record starts with"),
        ("game.txt", b"\xff\xfe\x00", "", "is not a text file"),
        ("game.sgf", b"(;GM[1]SZ[9];B[zz])", "", "is no point of this board"),
        ("game.sgf", b"(((", "", "game.sgf"),
        ("game.txt", None, "game.png", "a replay is a file named .html or .gif, not 'game.png'"),
        ("game.txt", None, "no/such/folder.gif", "there is no folder"),
    ],
)
def test_bad_files_get_one_sentence(capsys, tmp_path, name, content, out, sentence):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["replay", str(tmp_path / name), *(["-o", str(tmp_path / out)] if out else [])]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def test_words_of_a_record_can_not_become_part_of_the_page(tmp_path):
    evil = "</script><script>alert(1)</script>"
    record = Record(luozi.game("tictactoe"), (evil, "random"), (4,), (evil,))
    save_record(record, tmp_path / "game.txt")
    assert evil not in replay_page(replay_of(load_record(tmp_path / "game.txt")))


@pytest.mark.long
def test_the_page_is_stepped_through_by_keys_and_clicks(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    path = tmp_path / "game.html"
    path.write_text(replay_page(replay_of(short_game("connect4", 5))), encoding="utf-8")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(path.as_uri())
        counts = [page.locator(".pieces use").count()]
        for key in ("ArrowRight", "End", "ArrowLeft", "Home"):
            page.keyboard.press(key)
            counts.append(page.locator(".pieces use").count())
        page.get_by_role("button", name="one move on").click()
        counts.append(page.locator(".pieces use").count())
        page.locator(".moves button").nth(3).click()
        counts.append(page.locator(".pieces use").count())
        browser.close()
    assert counts == [0, 1, 5, 4, 0, 1, 3]
