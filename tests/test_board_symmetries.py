"""Symmetries of games are those of their rules: no more, and none is left out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import luozi
from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_symmetries import candidates, symmetries_of


def square(size):
    """The eight rearrangements of a square board, by rotating and reflecting an array of its cells."""
    cells = np.arange(size * size).reshape(size, size)
    return {
        tuple(np.rot90(turned, turns).ravel().tolist()) for turned in (cells, cells.T) for turns in range(4)
    }  # fmt: skip


def tables(found, swap):
    return {tuple(row) for row, swaps in zip(found.cells.tolist(), found.swaps.tolist(), strict=True) if swaps == swap}


def test_go_has_the_eight_of_the_square_and_komi_keeps_players_apart():
    found = symmetries_of(luozi.game("go:size=5"))
    assert tables(found, 0) == square(5)
    assert not tables(found, 1)


def test_othello_has_the_eight_of_the_square_and_either_player_may_begin():
    found = symmetries_of(luozi.game("othello:size=6"))
    assert tables(found, 0) == tables(found, 1) == square(6)


def test_breakthrough_is_the_same_left_and_right_and_upside_down_for_the_other_player():
    found = symmetries_of(luozi.game("breakthrough:rows=6,columns=5"))
    cells = np.arange(30).reshape(6, 5)
    assert tables(found, 0) == {tuple(range(30)), tuple(cells[:, ::-1].ravel().tolist())}
    assert tables(found, 1) == {tuple(cells[::-1].ravel().tolist()), tuple(cells[::-1, ::-1].ravel().tolist())}


def test_hex_turns_by_half_and_its_diagonals_exchange_the_players():
    found = symmetries_of(luozi.game("hex:size=5"))
    cells = np.arange(25).reshape(5, 5)
    assert tables(found, 0) == {tuple(range(25)), tuple(cells[::-1, ::-1].ravel().tolist())}
    assert tables(found, 1) == {tuple(cells.T.ravel().tolist()), tuple(cells.T[::-1, ::-1].ravel().tolist())}


def test_connect_four_is_the_same_left_and_right_only():
    found = symmetries_of(luozi.game("connect4"))
    cells = np.arange(42).reshape(6, 7)
    assert tables(found, 0) == {tuple(range(42)), tuple(cells[:, ::-1].ravel().tolist())}
    assert found.logits[1 + int(found.swaps[1])].tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_a_cube_has_48_symmetries_and_the_triangle_of_y_6():
    assert len(tables(symmetries_of(luozi.game("qubic")), 0)) == 48
    found = symmetries_of(luozi.game("y:size=5"))
    assert len(tables(found, 0)) == 6
    missing = set(luozi.game("y:size=5").board().missing)
    assert all(row[cell] == cell for row in found.cells.tolist() for cell in missing)


def test_points_with_lines_have_the_symmetries_of_their_drawing():
    found = symmetries_of(luozi.game("examples/morris.py"))
    assert tables(found, 0) == square(3)


def test_a_closed_cell_leaves_what_keeps_it():
    found = symmetries_of(luozi.game("lines:rows=5,columns=5,win_length=4,blocked=0.0"))
    cells = np.arange(25).reshape(5, 5)
    assert tables(found, 0) == {tuple(range(25)), tuple(cells.T.ravel().tolist())}


@pytest.mark.parametrize("spelling", ["othello", "breakthrough", "gomoku:size=9", "amazons:size=4", "go:size=7"])
def test_outputs_go_where_their_cells_go(spelling):
    game = luozi.game(spelling)
    board, found = board_input(game), symmetries_of(game)
    cells = board.action_cells.astype(int)
    for table, outputs in zip(found.cells, found.logits, strict=True):
        assert sorted(outputs.tolist()) == list(range(board.logits))
        moved = np.where(cells >= 0, np.append(table, -1)[cells], -1)
        assert np.array_equal(cells[outputs], moved)


class Skewed(luozi.Game):
    """Two stones each on a row of six; who has more on the left half has won: left and right differ at the end only."""

    actions = 6
    state = (("board", "i1", 6), ("to_move", "i1"), ("moves", "i1"))

    def start(self, state):
        pass

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action] == 0

    def apply_action(self, state, action):
        state.board[action] = state.to_move + 1
        state.to_move = 1 - state.to_move
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 4

    def returns(self, state, returns):
        lead = 0
        for cell in range(3):
            lead += (state.board[cell] == 1) - (state.board[cell] == 2)
        returns[0] = 0.5 + 0.5 * (lead > 0) - 0.5 * (lead < 0)
        returns[1] = 1.0 - returns[0]

    def board(self):
        return luozi.Board.grid(1, 6)


def test_a_symmetry_of_the_board_that_results_do_not_have_is_refused():
    game = Skewed()
    assert len(list(candidates(game.board()))) > 1
    assert tables(symmetries_of(game), 0) == {tuple(range(6))}


class OneWay(Skewed):
    """A stone may only be put to the right of all others, as long as there is room: moves differ from the start on."""

    def is_legal(self, state, action):
        last = -1
        for cell in range(6):
            if state.board[cell] != 0:
                last = cell
        return state.board[action] == 0 and (action > last or last == 5)

    def returns(self, state, returns):
        returns[0] = returns[1] = 0.5


def test_a_symmetry_of_the_board_that_moves_do_not_have_is_refused():
    assert tables(symmetries_of(OneWay()), 0) == {tuple(range(6))}


def test_rearranged_planes_are_those_of_the_rearranged_game():
    """Two games of Othello side by side: what a network sees of the second is the first one's, rearranged."""
    game = luozi.game("othello:size=6")
    board, found = board_input(game), symmetries_of(game)
    rng = np.random.default_rng(3)
    for table, outputs in itertools.islice(zip(found.cells, found.logits, strict=True), 0, None, 3):
        state, moves = game.new_state(), []
        for _ in range(12):
            legal = game.legal_list(state)
            if not legal:
                break
            planes = seen(board, game, state, moves)
            action = int(rng.choice(legal))
            moves.insert(0, action)
            state = game.after(state, action)
            turned = planes[:, table]
            assert set(np.flatnonzero(turned[board.legal_plane]).tolist()) == {
                int(np.argsort(outputs)[a]) for a in legal if a < game.cells
            }


def seen(board, game, state, moves):
    actions = np.zeros(game.actions, np.int32)
    legal = game.legal_list(state)
    actions[: len(legal)] = legal
    recent = np.array((moves + [-1] * 4)[:4], np.int32)
    planes, numbers = np.zeros((board.planes, board.cells), np.uint8), np.zeros(board.numbers, np.float32)
    board.write_planes(game, state, actions, len(legal), recent, planes, numbers)
    return planes
