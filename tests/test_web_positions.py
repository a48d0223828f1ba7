"""Positions that are pasted or set up become games as any other."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest
from web_page import PERSONS, make_sessions, page_at, serving

import luozi
from luozi.messages import LuoziError
from luozi.rules.board import view
from luozi.web.position_editor import read_board, set_up
from luozi.web.requests import PlacedPiece

MORRIS = str(Path(__file__).parents[1] / "examples" / "morris.py")
LINES = [
    "tictactoe",
    "gomoku:size=7",
    "connect4",
    "qubic",
    "qubic:gravity=true",
    "five3d:size=4,win_length=4",
    "go:size=7",
]
OTHERS = [MORRIS, "othello:size=6", "hex:size=5", "y:size=4", "breakthrough:rows=6,columns=4", "amazons:size=5", "nim"]
GAMES = [*LINES, *OTHERS]


AMAZONS = [[0, 0, "queen"], [1, 0, "queen"], [2, 0, "queen"], [3, 0, "queen"]]
AMAZONS += [[cell, 1, "queen"] for cell in range(12, 16)]


def placed(pieces):
    """Pieces as a page puts them."""
    return [PlacedPiece(*piece) for piece in pieces]


def random_position(spelling: str, seed: int):
    """A game and a position some moves on."""
    game, rng = luozi.game(spelling), random.Random(seed)
    state = game.new_state()
    for _ in range(rng.randint(0, 12)):
        legal = [action for action in game.legal_list(state) if not spelling.startswith("go") or action < game.points]
        following = game.after(state, rng.choice(legal))
        if game.is_terminal(following):
            break
        state = following
    return game, state


@pytest.mark.parametrize("spelling", GAMES)
def test_stones_that_are_set_up_stand_where_they_were_put(spelling):
    for seed in range(5):
        game, state = random_position(spelling, seed)
        wanted = view(game, state)
        pieces = wanted["pieces"]
        made = luozi.game(set_up(game, spelling, placed(pieces), wanted["to_move"]))
        found = view(made, made.new_state())
        assert sorted(found["pieces"]) == sorted(wanted["pieces"])
        assert found["to_move"] == wanted["to_move"]


@pytest.mark.parametrize("spelling", GAMES)
def test_a_board_as_text_is_read_back(spelling):
    for seed in range(5):
        game, state = random_position(spelling, seed)
        found = read_board(game, game.show(state))
        assert found is not None
        assert sorted(found[0]) == sorted(map(tuple, view(game, state)["pieces"]))


def test_a_board_as_text_may_say_who_is_to_move():
    game = luozi.game("go:size=5")
    assert read_board(game, game.show(game.after(game.new_state(), 12))) == ([(12, 0, "")], 1)
    othello = luozi.game("othello:size=4")
    assert read_board(othello, f"{othello.show(othello.new_state())}\nO to move")[1] == 1


def test_marks_without_coordinates_are_read_too():
    assert read_board(luozi.game("hex:size=2"), "X .\n. O") == ([(0, 0, ""), (3, 1, "")], None)
    assert read_board(luozi.game("hex:size=2"), "X .\n. O .") is None


@pytest.mark.parametrize(
    ("spelling", "pieces", "to_move"),
    [
        ("amazons:size=4", [(0, 0), (5, 1), (7, -1)], 0),  # too few queens
        ("breakthrough:rows=4,columns=2", [(0, 0), (3, 1)], 0),  # across already
        ("breakthrough:rows=4,columns=2", [(5, 0)], 0),  # nobody to play against
        ("nim", [], 0),
        ("y:size=3", [(8, 0)], 0),  # the triangle ends before
        ("hex:size=3", [(9, 0)], 0),
        ("hex:size=3", [(0, -1)], 0),  # there is no such piece
        ("hex:size=3", [(0, 0)], 2),  # nobody
        (MORRIS, [(0, 0)], 0),  # not their turn, says the class
        ("tictactoe", [(0, 0), (1, 0)], None),  # nobody moves twice
        ("tictactoe", [(0, 0)], 0),  # not their turn
        ("tictactoe", [(0, 0), (0, 1)], None),  # two on one cell
        ("tictactoe", [(9, 0)], None),  # beside the board
        ("tictactoe", [(0, 2)], None),  # nobody
        ("connect4", [(0, 0)], None),  # nothing below it
        ("tictactoe", [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 1)], None),  # both have won
        ("go:size=5", [(0, 0), (1, 1), (5, 1)], None),  # no liberty
        ("go:size=5", [(25, 0)], None),
    ],
)
def test_what_can_not_stand_there_gets_a_sentence(spelling, pieces, to_move):
    with pytest.raises(LuoziError):
        luozi.game(set_up(luozi.game(spelling), spelling, placed(pieces), to_move))


def test_a_won_position_can_be_set_up():
    pieces = placed([(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)])
    game = luozi.game(set_up(luozi.game("tictactoe"), "tictactoe", pieces, None))
    assert game.result(game.new_state()) == [1.0, 0.0]


def test_positions_and_moves_are_pasted_and_set_up_at_a_table():
    with serving() as client, page_at(client) as page:
        first = page.ask("new", game="tictactoe", seats=PERSONS)
        assert first["editable"]
        page.ask("play", action=4)
        board = page.ask("goto", move=1)["view"]["text"]
        for text, moves in ((board, 0), ("b2", 1), ("1. b2", 1), (". . .\n. X .\n. . .", 0)):
            table = page.ask("paste", text=text, game="tictactoe")
            assert (table["type"], len(table["moves"])) == ("table", moves)
            assert (table["view"]["pieces"], table["view"]["to_move"]) == ([[4, 0, ""]], 1)
            assert table["table"] != first["table"]
            assert [seat["kind"] for seat in table["seats"]] == ["person", "person"]
        table = page.ask("edit", pieces=[[0, 0], [4, 1]], to_move=0)
        assert sorted(piece[:2] for piece in table["view"]["pieces"]) == [[0, 0], [4, 1]]
        table = page.ask("edit", game="go:size=5", pieces=[[12, 1]], to_move=0, seats=PERSONS)
        assert table["view"]["pieces"] == [[12, 1, ""]]
        assert page.ask("play", text="a1")["number"] == 1
        saved = page.ask("save", format="sgf")["text"]
        assert page.ask("load", text=saved)["view"]["pieces"] == [[12, 1, ""], [20, 0, ""]]
        table = page.ask("edit", game="amazons:size=4", pieces=[*AMAZONS, [5, -1, "arrow"]], to_move=1, seats=PERSONS)
        assert table["view"]["to_move"] == 1
        assert [5, -1, "arrow"] in table["view"]["pieces"]
        again = page.ask("load", text=page.ask("save", format="text")["text"])
        assert again["view"] == table["view"]
        for text in ("", "nonsense here", "(;GM[2])", "luozi record 9", "luozi record 2\ngame: go"):
            assert page.ask("paste", text=text)["type"] == "error"


def test_after_a_record_is_opened_nobody_moves_until_the_person_says_so(tmp_path):
    program, person = {"kind": "player", "name": "random"}, PERSONS[0]
    text = "(;GM[4]SZ[5];B[cc](;W[aa](;B[bb])(;B[ab]))(;W[ee];B[dd]))"
    with serving(make_sessions(tmp_path / "tables.db")) as client, page_at(client) as page:
        for kind in ("load", "paste"):
            table = page.ask(kind, text=text, seats=[person, program])
            assert (len(table["moves"]), table["left_out"], table["paused"]) == (3, 2, True)
            page.ask("seat", seat=0, **program)  # who plays may be chosen first
            page.ask("leave")
    with (
        serving(make_sessions(tmp_path / "tables.db")) as client,
        page_at(client) as page,
    ):  # a server that starts again
        table = page.ask("hello", table=table["table"], secret=table["secret"])
        assert (len(table["moves"]), table["left_out"], table["paused"]) == (3, 2, True)
        assert not [message for message in page.news if message["type"] == "moved"]
        page.ask("go_on")
        assert page.until_type("moved")["number"] == 4
        board = page.ask("paste", text=". . .\nX . .\n. . .", game="tictactoe", seats=[person, program])
        assert (board["left_out"], board["paused"]) == (0, True)
        mine = page.ask("paste", text="b2 a1", game="tictactoe", seats=[person, program])
        assert not mine["paused"]  # the person is to move


def test_the_moves_of_a_line_are_told_as_changes_of_the_board():
    with serving() as client, page_at(client) as page:
        page.ask("new", game="othello", seats=PERSONS)
        page.ask("play", text="d3")
        found = page.ask("line", moves=["c5", "e6"])
        assert [(one["player"], len(one["add"])) for one in found["changes"]] == [(1, 2), (0, 2)]
        first = page.ask("line", move=0, moves=[page.ask("goto", move=0)["view"]["moves"][0]["action"]])
        assert first["move"] == 0
        for wrong in (["c5", "c5"], [5000], ["nowhere"]):
            assert page.ask("line", moves=wrong)["type"] == "error"
        assert "at most" in page.ask("line", moves=[0] * 33)["message"]


def test_what_a_board_says_beside_its_pieces_is_not_lost_unnoticed():
    """Somebody is out, or a queen has moved and not yet shot: pieces alone do not tell."""
    with serving() as client, page_at(client) as page:
        page.ask("new", game="nim:heaps=1.1", seats=[*PERSONS, PERSONS[0]])
        for move in ("1 from 1", "1 from 2"):
            assert page.ask("play", text=move)["view"]["text"] == ""  # there is a board to draw
        text = page.ask("goto", move=2)["view"]["text"]
        assert "out: B" in text
        assert "can't be set up" in page.ask("paste", text=text)["message"]
        assert page.ask("paste", text=text.replace("out: B", "out: nobody"))["type"] == "table"


def test_what_is_saved_as_json_is_opened_again_with_what_was_thought():
    with serving() as client, page_at(client) as page:
        page.ask("new", game="tictactoe", seats=PERSONS)
        for name in ("b2", "a1", "c3"):
            page.ask("play", text=name)
        over = page.ask("resign")
        text = page.ask("save", format="json")["text"]
        value = json.loads(text)
        value["moves"][1]["thought"] = {"iterations": 50, "means": [0.6, 0.4]}
        for kind in ("load", "paste"):
            again = page.ask(kind, text=json.dumps(value))
            assert [move["name"] for move in again["moves"]] == ["b2", "a1", "c3"]
            assert again["moves"][1]["means"] == [0.6, 0.4]
            assert again["over"] == over["over"]
        for wrong in ("{", "{}", '{"game": "tictactoe", "moves": [1]}', '{"game": "/etc/passwd", "moves": []}'):
            assert page.ask("load", text=wrong)["type"] == "error"
        twice = {"game": "tictactoe", "moves": [{"action": 4, "seat": 0}, {"action": 4, "seat": 1}]}
        assert page.ask("load", text=json.dumps(twice))["type"] == "error"


def test_a_board_of_points_is_printed_and_read_where_its_points_lie():
    game = luozi.game(MORRIS)
    state = game.new_state()
    for point in (4, 0, 5):
        state = game.after(state, point)
    assert game.show(state) == "O . .\n. X X\n. . ."
    lines = "O---.---.\n| \\ | / |\n.---X---X\n| / | \\ |\n.---.---.\nO to move"
    assert read_board(game, lines) == ([(0, 1, ""), (4, 0, ""), (5, 0, "")], 1)
    assert read_board(game, "O . .\n. X X\n. .") is None


def test_a_position_on_points_is_pasted_and_a_game_that_takes_none_says_so(tmp_path):
    text = Path(MORRIS).read_text(encoding="utf-8")
    begin, end = text.index("    def from_pieces"), text.index("    def winning_cells")
    (tmp_path / "bare.py").write_text(text[:begin] + text[end:], encoding="utf-8")
    with serving(make_sessions(own=[MORRIS, str(tmp_path / "bare.py")])) as client, page_at(client) as page:
        board = "O . .\n. X X\n. . .\nO to move"
        table = page.ask("paste", text=board, game="morris", seats=PERSONS)
        assert sorted(table["view"]["pieces"]) == [[0, 1, ""], [4, 0, ""], [5, 0, ""]]
        assert table["view"]["to_move"] == 1
        refused = page.ask("paste", text=board, game="bare", seats=PERSONS)
        assert refused["message"] == "bare can't be given a position: play or paste the moves that lead there"
        assert len(page.ask("paste", text="5 1 6", game="bare", seats=PERSONS)["moves"]) == 3


@pytest.mark.parametrize("text", ["a" + "\n" * 400_000 + "b", "a" + "\n " * 200_000 + "b", "x (x" * 100_000])
def test_text_of_any_length_is_no_board_after_a_moment(text):
    began = time.process_time()
    assert read_board(luozi.game("gomoku"), text) is None
    assert time.process_time() - began < 10.0  # hours where every line is looked at from every other


def test_a_move_of_any_length_is_no_move_after_a_moment():
    game, began = luozi.game("gomoku"), time.process_time()
    with pytest.raises(LuoziError, match="there is no point"):
        game.begin().play("h" * 480_000)
    assert time.process_time() - began < 1.0
