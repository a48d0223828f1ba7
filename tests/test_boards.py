"""Board descriptions: every built-in game has one, moves and coordinates agree with it, and bad ones get a sentence."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest

import luozi
from luozi.rules.board import Board, board_of, view
from luozi.rules.packing import digest_of_game

BUILT_IN = [
    "tictactoe",
    "tictactoe:size=2,win_length=2",
    "gomoku:size=9",
    "gomoku:size=7,exact_length=true,blocked=3.3",
    "connect4",
    "connect4:rows=5,columns=6,blocked=3.4",
    "five3d:size=3,win_length=3",
    "qubic:gravity=true",
    "lines:rows=1,columns=5,win_length=3",
    "go:size=5",
]


def played(game, moves, seed=1):
    """Positions of a random game."""
    state, rng = game.new_state(), random.Random(seed)
    yield state
    for _ in range(moves):
        if game.is_terminal(state):
            return
        state = game.after(state, rng.choice(game.legal_list(state)))
        yield state


@pytest.mark.parametrize("spelling", BUILT_IN)
def test_a_click_puts_the_piece_where_it_was(spelling):
    game = luozi.game(spelling)
    board = board_of(game)
    for state in played(game, 12):
        found = json.loads(json.dumps(view(game, state)))
        before = {cell: player for cell, player, _kind in found["pieces"]}
        assert [move["action"] for move in found["moves"]] == game.legal_list(state)
        assert found["terminal"] == game.is_terminal(state)
        for move in found["moves"]:
            if not move["clicks"]:
                assert move["name"] == "pass"
                continue
            (cell,) = move["clicks"]
            assert cell not in before
            assert cell not in board.forbidden
            after = {piece[0]: piece[1] for piece in view(game, game.after(state, move["action"]))["pieces"]}
            assert after[cell] == found["to_move"]
            if board.style != "columns":
                assert move["name"] == board.name_of(cell)  # coordinates are the same everywhere


def test_a_description_is_plain_data():
    for spelling in BUILT_IN:
        board = board_of(luozi.game(spelling))
        assert json.loads(json.dumps(board.as_dict())) == board.as_dict()
        assert len(board.column_names) == board.columns
        assert len(board.row_names) == board.rows


def test_go_has_no_column_i_and_gomoku_counts_from_the_bottom():
    go, gomoku = (board_of(luozi.game(name)) for name in ("go:size=19", "gomoku"))
    assert (go.name_of(0), go.name_of(8), go.name_of(360)) == ("A19", "J19", "T1")
    assert (gomoku.name_of(0), gomoku.name_of(8), gomoku.name_of(224)) == ("a15", "i15", "o1")
    assert [gomoku.name_of(star) for star in sorted(gomoku.stars)] == ["d12", "l12", "h8", "d4", "l4"]


def test_the_winning_line_and_threats_of_connect_four():
    game = luozi.game("connect4")
    state = game.new_state()
    for column in (3, 4, 3, 4, 3):
        state = game.after(state, column)
    assert view(game, state)["threats"] == [17]  # on top of three in the fourth column
    state = game.after(game.after(state, 0), 3)
    assert view(game, state)["winning"] == [17, 24, 31, 38]
    assert view(game, state)["result"] == [1.0, 0.0]


def test_six_in_a_row_is_no_winning_line_of_exactly_five():
    game = luozi.game("lines:rows=2,columns=8,win_length=5,exact_length=true")
    state = game.new_state()
    for cell in (0, 8, 1, 9, 2, 10, 4, 12, 5, 13):
        state = game.after(state, cell)
    assert view(game, state)["threats"] == []  # the third cell would make six
    assert view(game, game.after(state, 3))["winning"] == []


class Corners(luozi.Game):
    """Two players fill a square of points."""

    actions = 4
    state = [("board", "i1", (2, 2)), ("to_move", "i1"), ("stones", "i1")]  # noqa: RUF012
    given: object = Board.network([(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 1), (2, 3)])

    def start(self, state):
        pass

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action // 2, action % 2] == 0

    def apply_action(self, state, action):
        state.board[action // 2, action % 2] = state.to_move + 1
        state.to_move, state.stones = 1 - state.to_move, state.stones + 1

    def is_terminal(self, state):
        return state.stones == 4

    def returns(self, state, returns):
        returns[:] = 0.5

    def board(self):
        return self.given


def test_a_class_need_only_say_what_its_board_is():
    game = Corners()
    found = view(game, game.after(game.after(game.new_state(), 3), 0))
    assert found["pieces"] == [(0, 1, ""), (3, 0, "")]
    assert [move["clicks"] for move in found["moves"]] == [[1], [2]]


def test_a_class_without_a_board_has_moves_and_text():
    game = luozi.from_openspiel("tic_tac_toe") if pytest.importorskip("pyspiel") else None
    assert board_of(game) is None
    found = view(game, game.new_state())
    assert len(found["moves"]) == 9
    assert found["moves"][0]["clicks"] == []
    assert found["text"].splitlines()[0] == "..."


def test_a_helper_of_rules_that_is_called_board_is_no_description():
    class Helper(Corners):
        def board(self, state, place):  # type: ignore[override]
            return state.board[place // 2, place % 2]

        def is_legal(self, state, action):
            return self.board(state, action) == 0

    game = Helper()
    assert board_of(game) is None
    assert len(view(game, game.new_state())["moves"]) == 4


def test_a_table_of_rules_that_is_called_board_is_no_description():
    class Table(Corners):
        def __init__(self):
            self.board = np.arange(4)  # type: ignore[method-assign, assignment]

    game = Table()
    assert board_of(game) is None
    assert game.show(game.new_state()).startswith("board [[0, 0]")
    assert game.action_to_string(game.new_state(), 3) == "3"


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"given": 3}, "Corners.board returned 3; it must return a luozi.Board"),
        ({"pieces": lambda self, state: [(0, 5, "")]}, "Corners.pieces gives (0, 5, '')"),
        ({"pieces": lambda self, state: [1]}, "Corners.pieces gives 1"),
        ({"clicks": lambda self, state, action: [9]}, "Corners.clicks gives 9; the cells of this board are 0 to 3"),
    ],
)
def test_a_bad_description_gets_a_sentence(attributes, sentence):
    game = type("Corners", (Corners,), attributes)()
    with pytest.raises(luozi.LuoziError, match="^" + re.escape(sentence)):
        view(game, game.new_state())


@pytest.mark.parametrize(
    "make",
    [
        lambda: Board("cube"),
        lambda: Board.grid(0, 3),
        lambda: Board.grid(3, 3, stars=(9,)),
        lambda: Board.grid(3, 3, row_names=("1",)),
        lambda: Board.network([(0, 0)], [(0, 1)]),
    ],
)
def test_a_board_that_can_not_be_gets_a_sentence(make):
    with pytest.raises(luozi.LuoziError, match="a board"):
        make()


def test_drawing_is_no_part_of_the_machine_code():
    from luozi.compiled.object_type import reachable_methods

    names = {method.__name__ for method in reachable_methods(type(luozi.game("gomoku")))}
    assert "apply_action" in names
    assert not names & {"board", "pieces", "clicks", "winning_cells", "threat_cells", "from_pieces"}


def test_a_game_that_was_drawn_is_still_the_same_game():
    from luozi.rules.packing import digest_of_game

    game = Corners()
    before = digest_of_game(game)
    board_of(game)
    assert digest_of_game(game) == before


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"clicks": lambda self, state, action: [0]}, "Corners.clicks gives two actions the same cells, 0"),
        ({"clicks": lambda self, state, action: [9]}, "Corners.clicks gives 9; the cells of this board are 0 to 3"),
        ({"pieces": lambda self, state: state.board.fill(1) or []}, "Corners changes the position when it is drawn"),
        ({"pieces": lambda self, state: 1 / 0}, "ZeroDivisionError"),
        ({"given": "grid"}, "Corners.board returned 'grid'; it must return a luozi.Board"),
        ({"from_pieces": lambda self, *_: None}, "Corners.from_pieces does not make the position that it is given"),
        ({"from_pieces": lambda self, *_: 1 / 0}, "ZeroDivisionError"),
    ],
)
def test_the_check_looks_at_the_description(attributes, sentence):
    from luozi.check import check_game

    game = type("Corners", (Corners,), {**attributes, "compilable": False})()
    report = check_game(game, games=3)
    assert sentence in " ".join(report.sentences)


def test_names_that_are_looked_up_do_not_make_a_game_another():
    """What a page has asked of a game is no part of its identity."""
    fresh, used = Corners(), Corners()
    view(used, used.new_state())
    assert digest_of_game(used) == digest_of_game(fresh)
