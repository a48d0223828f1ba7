"""What networks see of a position: the tables say what `pieces`, `clicks` and the legal moves say."""

from __future__ import annotations

import numpy as np
import pytest

import luozi
from luozi.compiled import kernel
from luozi.evaluators.board_inputs import BoardInput, board_input
from luozi.evaluators.board_tables import neighbour_table
from luozi.rules.board import Board

GAMES = [
    "tictactoe",
    "gomoku",
    "lines:rows=7,columns=8,win_length=4,players=3,blocked=2.2+3.4",
    "connect4",
    "connect4:rows=9,columns=9,players=3",
    "qubic",
    "qubic:gravity=true",
    "five3d",
    "go:size=9",
    "go:size=5,komi=3,suicide=true",
    "othello",
    "othello:size=6",
    "hex:size=7",
    "hex:size=5,swap=true",
    "y:size=7",
    "breakthrough",
    "breakthrough:rows=5,columns=6",
    "amazons:size=10",
    "amazons:size=4",
    "nim",
    "nim:heaps=1.2.3,players=2,misere=false",
    "examples/morris.py",
]


@kernel
def write(board, game, states, legal, count, recent, planes, numbers):
    board.write_planes(game, states[0], legal, count, recent, planes, numbers)


class Playing:
    """A random game, position by position, with the moves that led there."""

    def __init__(self, game, seed):
        self.game, self.rng, self.moves = game, np.random.default_rng(seed), []
        self.state = game.new_state()

    def positions(self, most):
        for _ in range(most):
            legal = self.game.legal_list(self.state)
            if not legal:
                return
            yield self.state, legal
            action = int(self.rng.choice(legal))
            self.moves.insert(0, (self.state.copy(), int(self.game.current_player(self.state)), action))
            self.state = self.game.after(self.state, action)


def cells_of(game, board, state, action):
    """The cells of an action; those of its first sight where they change from move to move."""
    return list(game.clicks(state if board.fixed_clicks else game.new_state(), action))


def expected(game, board: BoardInput, playing, legal):
    """The planes, from what the class says to people."""
    state, mover = playing.state, int(game.current_player(playing.state))
    planes = {name: set() for name in board.plane_names}
    owners = ["own", "other"] if game.players == 2 else ["own", *(f"player +{r}" for r in range(1, game.players))]
    for cell, player, kind in game.pieces(state):
        owner = "nobody's" if player < 0 else owners[(player - mover) % game.players]
        planes[f"{owner} {kind or 'pieces'}"].add(cell)
    for action in legal:
        cells = cells_of(game, board, state, action)
        planes["legal moves: first cell"].update(cells[:1])
        if "legal moves: last cell" in planes:
            planes["legal moves: last cell"].update(cells[-1:])
    described = game.board()
    unusable = {*described.missing, *described.forbidden}
    planes["cells that exist"] = {cell for cell in range(described.cells) if cell not in unusable}
    for back, (before, _, action) in enumerate(playing.moves[: board.history]):
        planes[f"move {back + 1} back"].update(cells_of(game, board, before, action)[-1:])
    return planes


def call(write, game, board, playing, legal):
    actions = np.zeros(game.actions, np.int32)
    actions[: len(legal)] = legal
    recent = np.full(board.history, -1, np.int32)
    for back, (_, _, action) in enumerate(playing.moves[: board.history]):
        recent[back] = action
    planes = np.full((board.planes, board.cells), 7, np.uint8)
    numbers = np.full(board.numbers, 7, np.float32)
    states = game.empty_states(1)
    states[0] = playing.state
    write(board, game, states, actions, len(legal), recent, planes, numbers)
    return planes, numbers


@pytest.mark.parametrize("spelling", GAMES)
def test_planes_are_what_people_see(spelling):
    game = luozi.game(spelling)
    board = board_input(game)
    for seed in range(3):
        playing = Playing(game, seed)
        for _, legal in playing.positions(40):
            planes, numbers = call(write, game, board, playing, legal)
            shown = {
                name: set(np.flatnonzero(row).tolist()) for name, row in zip(board.plane_names, planes, strict=True)
            }
            assert shown == expected(game, board, playing, legal)
            assert planes.max() == 1
            seats = np.eye(game.players)[game.current_player(playing.state)]
            assert numbers[: game.players].tolist() == seats.tolist()
            for back, (before, _, action) in enumerate(playing.moves[: board.history]):
                assert numbers[game.players + back] == (not cells_of(game, board, before, action))
            if len(playing.moves) < 3:
                again = call(write.py_func, game, board, playing, legal)
                assert np.array_equal(planes, again[0])
                assert np.array_equal(numbers, again[1])


@pytest.mark.parametrize("spelling", GAMES)
def test_each_legal_move_has_an_output_of_its_own_with_its_cells(spelling):
    game = luozi.game(spelling)
    board = board_input(game)
    playing = Playing(game, 5)
    for state, legal in playing.positions(60):
        outputs = board.logit_of[game.current_player(state)][legal].tolist()
        assert min(outputs) >= 0
        assert len(set(outputs)) == len(outputs)
        for output, action in zip(outputs, legal, strict=True):
            cells = [cell for cell in board.action_cells[output].tolist() if cell >= 0]
            assert cells == cells_of(game, board, state, action)


def test_the_pass_is_an_output_without_a_cell():
    board = board_input(luozi.game("go"))
    assert (board.logits, board.extras) == (82, 1)
    assert board.action_cells[81].tolist() == [-1, -1, -1]


def test_one_action_number_has_other_cells_for_each_player_of_breakthrough():
    game = luozi.game("breakthrough")
    board = board_input(game)
    ahead = 3 * 27 + 1  # the man in cell 27, straight ahead: up for the first player, down for the second
    targets = [board.action_cells[board.logit_of[player, ahead]].tolist() for player in range(2)]
    assert targets == [[27, 19, -1], [27, 35, -1]]


def test_numbers_of_the_record_are_scaled_and_turned_to_the_player_to_move():
    game = luozi.game("breakthrough")
    board = board_input(game)
    state = game.new_state()
    state.left[1] = 4
    states, planes, numbers = game.empty_states(1), np.zeros((board.planes, board.cells), np.uint8), {}
    for mover in range(2):
        state.to_move = mover
        states[0] = state
        found = np.zeros(board.numbers, np.float32)
        write(board, game, states, np.zeros(192, np.int32), 0, np.full(4, -1, np.int32), planes, found)
        numbers[mover] = dict(zip(board.number_names, found.tolist(), strict=True))
    assert numbers[0]["left of player +0"] == numbers[1]["left of player +1"] == 1.0
    assert numbers[0]["left of player +1"] == numbers[1]["left of player +0"] == 0.25


@pytest.mark.parametrize("komi", [7.0, 7.5])
def test_komi_is_a_number_for_the_player_who_gets_it(komi):
    game = luozi.game("go", size=5, komi=komi)
    board = board_input(game)
    for seed, sign in ((0, -1), (1, 1)):
        state = game.new_state()
        state.to_move = seed
        states = game.empty_states(1)
        states[0] = state
        numbers = np.zeros(board.numbers, np.float32)
        planes = np.zeros((board.planes, board.cells), np.uint8)
        write(board, game, states, np.zeros(26, np.int32), 0, np.full(4, -1, np.int32), planes, numbers)
        assert numbers[-1] == pytest.approx(sign * komi / 10)


def test_neighbours_are_the_cells_that_touch():
    square = neighbour_table(Board.grid(3, 4))
    assert square.shape == (12, 9)
    assert square[5].tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    hexagons = luozi.game("hex:size=5")
    for cell, around in enumerate(neighbour_table(hexagons.board()).tolist()):
        touching = {other for other in hexagons.around[cell].tolist() if other < 25}
        assert {other for other in around if other not in (-1, cell)} == touching
        assert around[3] == cell
    cube = neighbour_table(luozi.game("qubic").board())
    assert cube.shape == (64, 27)
    assert sorted(cube[21].tolist()) == sorted(
        16 * layer + 4 * row + column for layer in range(3) for row in range(3) for column in range(3)
    )


def test_points_touch_where_a_line_joins_them():
    game = luozi.game("examples/morris.py")
    around = neighbour_table(game.board())
    assert around[0, 0] == 0
    assert set(around[0].tolist()) == {0, 1, 3, 4, -1}
    assert around.shape == (9, 9)


def test_cells_that_do_not_exist_are_nobodys_neighbours():
    game = luozi.game("y:size=4")
    missing = game.board().missing
    around = neighbour_table(game.board())
    assert not np.isin(around, missing).any()
    assert (around[list(missing)] == -1).all()


class Hidden(luozi.Game):
    """A board of two rows in which stones are kept as a sum: no field has one number for each cell."""

    actions = 8
    state = (("own", "i4", 2), ("to_move", "i1"), ("moves", "i1"))

    def start(self, state):
        pass

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return (state.own[0] // 3**action) % 3 == 0 and (state.own[1] // 3**action) % 3 == 0

    def apply_action(self, state, action):
        state.own[state.to_move] += 3**action * (1 + action % 2)
        state.to_move = 1 - state.to_move
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 8

    def returns(self, state, returns):
        returns[0] = returns[1] = 0.5

    def board(self):
        return luozi.Board.grid(2, 4)

    def pieces(self, state):
        return [(c, p, "") for c in range(8) for p in range(2) if state.own[p] // 3**c % 3]


def test_a_class_whose_pieces_are_nowhere_in_its_record_is_told_what_to_write():
    with pytest.raises(luozi.LuoziError, match="Write network_cells"):
        board_input(Hidden())


class Shown(Hidden):
    def network_cells(self, state, cells):
        for cell in range(8):
            for player in range(2):
                if state.own[player] // 3**cell % 3:
                    cells[cell] = 1 + player


def test_a_class_may_write_its_cells_itself():
    game = Shown()
    board = board_input(game)
    playing = Playing(game, 1)
    for _, legal in playing.positions(8):
        planes, _ = call(write, game, board, playing, legal)
        assert {
            name: set(np.flatnonzero(row).tolist()) for name, row in zip(board.plane_names, planes, strict=True)
        } == expected(game, board, playing, legal)


class Wrong(Hidden):
    def network_cells(self, state, cells):
        cells[3] = 2  # also where nothing stands


def test_cells_that_differ_from_pieces_are_named():
    with pytest.raises(luozi.LuoziError, match="network_cells writes"):
        board_input(Wrong())


def test_a_game_without_a_board_is_told_what_is_missing():
    class Blind(Hidden):
        def board(self):
            return None

    with pytest.raises(luozi.LuoziError, match="needs a method board"):
        board_input(Blind())


class Uncompiled(Hidden):
    def is_terminal(self, state):
        moves = [state.moves]
        return moves[0] == 8


def test_rules_that_do_not_compile_are_named_in_one_sentence():
    with pytest.raises(luozi.LuoziError, match=r"line \d+, in is_terminal"):
        board_input(Uncompiled())
