"""The games of the house: against other programs, known numbers and brute force. Rules are tested uncompiled."""

from __future__ import annotations

import random
import re
from functools import cache, reduce
from operator import xor
from pathlib import Path

import numpy as np
import pytest

import luozi
from luozi.check import check_game
from luozi.rules.board import board_of, view

HOUSE = ("othello", "hex", "y", "breakthrough", "amazons", "nim")
MORRIS = str(Path(__file__).parents[1] / "examples" / "morris.py")
SMALL = (
    "othello:size=4",
    "hex:size=3,swap=true",
    "y:size=3",
    "breakthrough:rows=4,columns=3",
    "amazons:size=4",
    "amazons:size=7",
    "nim:heaps=1.2.3",
    "nim:heaps=2.3,players=2,misere=false",
    MORRIS,
)


@pytest.mark.parametrize("name", HOUSE)
def test_each_is_one_short_file(name):
    path = Path(luozi.__file__).parent / "games" / f"{name}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) < 260


OTHERS = [pytest.param(name, marks=pytest.mark.long) for name in ("hex:size=3,swap=true", "amazons:size=4")]


@pytest.mark.parametrize("spelling", ["breakthrough:rows=4,columns=3", *OTHERS])
def test_compiled_rules_are_the_same_as_uncompiled_ones(spelling):
    report = check_game(spelling, games=60)
    assert report.ok, report
    assert report.games == report.uncompiled_games == 60


@pytest.mark.long
@pytest.mark.parametrize("spelling", [*HOUSE, "hex:swap=true", "nim:heaps=2.2.2.2", "amazons:size=6", MORRIS])
def test_all_pass_the_long_check(spelling):
    report = check_game(spelling, games=2000)
    assert report.ok, report


@pytest.mark.parametrize("spelling", SMALL)
def test_every_move_can_be_clicked_and_named(spelling):
    """No two moves of a position have the same clicks or the same name, and each name is understood."""
    game, rng = luozi.game(spelling), random.Random(1)
    state = game.new_state()
    for _ in range(8):
        found = view(game, state)
        clicks = [tuple(move["clicks"]) for move in found["moves"]]
        names = [move["name"].lower() for move in found["moves"]]
        assert len(set(clicks)) == len(clicks)
        assert len(set(names)) == len(names)
        assert all(found["pieces"] or move["clicks"] for move in found["moves"])
        for move in found["moves"][:20]:
            assert game.string_to_action(state, move["name"]) == move["action"]
        missing = set(board_of(game).missing)
        assert missing.isdisjoint(cell for one in clicks for cell in one)
        assert missing.isdisjoint(piece[0] for piece in found["pieces"])
        if game.is_terminal(state):
            return
        state = game.after(state, rng.choice(game.legal_list(state)))


def same_games(game, other, games, name=None, seed=1):
    """Play random games in both programs and compare moves, players, ends and results."""
    rng, lengths = random.Random(seed), []
    for _ in range(games):
        state, position, length = game.new_state(), other.new_initial_state(), 0
        while not position.is_terminal():
            assert not game.is_terminal(state)
            theirs = {name(position, action) if name else action: action for action in position.legal_actions()}
            ours = {game.action_to_string(state, a) if name else a: a for a in game.legal_list(state)}
            assert sorted(ours) == sorted(theirs)
            assert game.current_player(state) == position.current_player()
            chosen = rng.choice(sorted(ours))
            state = game.after(state, ours[chosen])
            position.apply_action(theirs[chosen])
            length += 1
        assert game.is_terminal(state)
        assert game.result(state) == [(value + 1) / 2 for value in position.returns()]
        assert game.length_limit >= length
        lengths.append(length)
    return lengths


# Othello -----------------------------------------------------------------------------------------------------------


def positions(game, state, depth):
    """Perft: the number of move sequences of a length."""
    if depth == 1:
        return len(game.legal_list(state))
    return sum(positions(game, game.after(state, action), depth - 1) for action in game.legal_list(state))


@pytest.mark.parametrize(
    ("depth", "count"), [(1, 4), (2, 12), (3, 56), (4, 244), pytest.param(5, 1396, marks=pytest.mark.long)]
)
def test_othello_perft(depth, count):
    game = luozi.game("othello")
    assert positions(game, game.new_state(), depth) == count


def test_othello_against_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    game, other, rng = luozi.game("othello"), pyspiel.load_game("othello"), random.Random(1)
    passes = 0
    for _ in range(6):
        state, position = game.new_state(), other.new_initial_state()
        while not position.is_terminal():
            assert game.legal_list(state) == sorted(position.legal_actions())
            assert game.current_player(state) == position.current_player()
            action = rng.choice(position.legal_actions())
            passes += action == game.cells
            state = game.after(state, action)
            position.apply_action(action)
        while not game.is_terminal(state):  # OpenSpiel ends the game at once where both could only pass
            assert game.legal_list(state) == [game.cells]
            state = game.after(state, game.cells)
        assert game.result(state) == [(value + 1) / 2 for value in position.returns()]
    assert passes > 0


def test_othello_names_and_picture():
    game = luozi.game("othello:size=4")
    state = game.after(game.new_state(), game.string_to_action(game.new_state(), "b1"))
    assert game.show(state).splitlines() == ["   a b c d", " 1 . X . .", " 2 . X X .", " 3 . X O .", " 4 . . . ."]


# Hex and Y ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_hex_against_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    same_games(luozi.game("hex", size=size), pyspiel.load_game(f"hex(board_size={size})"), 44 // size)


@pytest.mark.parametrize("size", [2, 4])
def test_the_swap_of_hex_against_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    other = pyspiel.load_game(f"hex(board_size={size},swap=True)")
    same_games(luozi.game("hex", size=size, swap=True), other, 60)


def test_a_swapped_stone_is_mirrored():
    game = luozi.game("hex:size=3,swap=true")
    state = game.after(game.new_state(), 2)  # c1, at X's side
    assert game.action_to_string(state, 9) == "swap"
    state = game.after(state, 9)
    assert view(game, state)["pieces"] == [(6, 1, "")]  # a3, at O's side
    assert game.current_player(state) == 0
    assert 9 not in game.legal_list(state)


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_y_against_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    same_games(luozi.game("y", size=size), pyspiel.load_game(f"y(board_size={size})"), 44 // size)


def joined(board, stones, starts, goals):
    """Whether some of these stones lead from one side to another, found by walking."""
    reached = stones & starts
    while True:
        steps = {cell + step for cell in reached for step in (-board, -board + 1, -1, 1, board - 1, board)}
        near = {
            cell
            for cell in steps & stones
            if any(abs(cell % board - old % board) <= 1 for old in reached if cell - old in near_by(board))
        }
        if near <= reached:
            return bool(reached & goals)
        reached |= near


def near_by(board):
    return (-board, -board + 1, -1, 1, board - 1, board)


def test_every_full_board_of_hex_has_one_winner():
    size, rng = 5, random.Random(1)
    game = luozi.game("hex", size=size)
    rows = [set(range(row * size, (row + 1) * size)) for row in (0, size - 1)]
    columns = [set(range(column, size * size, size)) for column in (0, size - 1)]
    for _ in range(40):
        cells = rng.sample(range(size * size), size * size)
        black, white = set(cells[::2]), set(cells[1::2])
        assert joined(size, black, *rows) != joined(size, white, *columns)
        state = game.new_state()
        for cell in cells:
            if not game.is_terminal(state):
                state = game.after(state, cell)
        assert game.result(state)[0] == joined(size, black, *rows)


def test_the_winning_group_of_hex_is_marked():
    game = luozi.game("hex:size=3")
    state = game.new_state()
    for cell in (1, 0, 4, 2, 8, 3, 7):
        state = game.after(state, cell)
    assert view(game, state)["winning"] == [1, 4, 7, 8]


# Breakthrough ------------------------------------------------------------------------------------------------------


def mirrored(rows):
    """OpenSpiel's Black starts from the top, our X from the bottom."""

    def name(position, action):
        start, end = re.findall(r"[a-z]\d+", position.action_to_string(position.current_player(), action))
        return "-".join(f"{cell[0]}{rows + 1 - int(cell[1:])}" for cell in (start, end))

    return name


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (6, 5), (5, 3)])
def test_breakthrough_against_openspiel(rows, columns):
    pyspiel = pytest.importorskip("pyspiel")
    game = luozi.game("breakthrough", rows=rows, columns=columns)
    other = pyspiel.load_game(f"breakthrough(rows={rows},columns={columns})")
    same_games(game, other, 4, mirrored(rows))


def test_who_is_across_or_has_taken_all_wins():
    game = luozi.game("breakthrough:rows=4,columns=2")
    state = game.new_state()
    for name in ("a1-a2", "a4-a3", "a2-b3", "a3-a2", "b3-a4"):
        state = game.after(state, game.string_to_action(state, name))
    assert game.result(state) == [1.0, 0.0]
    assert view(game, state)["winning"] == [0]


def second_players_guess(game, change):
    state, values = game.new_state(), np.zeros(2)
    change(state)
    game.evaluate(state, values)
    assert sum(values) == pytest.approx(1.0)
    return values[1]


def test_alphabeta_has_something_to_go_by():
    """A guess at the result: O likes a corner of Othello, a queen of X that is shut in, and a man that is far ahead."""
    othello, amazons, breakthrough = (luozi.game(name) for name in ("othello", "amazons", "breakthrough"))
    corner, beside, middle = (
        second_players_guess(othello, lambda state, cell=cell: state.squares.put(othello.place[cell], 2))
        for cell in (0, 1, 20)
    )
    assert corner > middle > beside
    shut, free = (
        second_players_guess(amazons, lambda state, cells=cells: state.squares.put(amazons.place[cells], 3))
        for cells in ([82, 83, 84, 92, 94], [])
    )
    assert shut > free == 0.5
    behind, ahead = (
        second_players_guess(breakthrough, lambda state, cell=cell: state.men.__setitem__((1, 0), cell))
        for cell in (16, 40)
    )
    assert ahead > behind


# Amazons -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [8, 10])
def test_amazons_against_openspiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    same_games(luozi.game("amazons", size=size), pyspiel.load_game(f"amazons(board_size={size})"), 2)


def test_a_whole_move_of_amazons_is_its_three_parts():
    """Up to 6x6 a move is one action; OpenSpiel has three of a cell each."""
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = luozi.game("amazons:size=6"), random.Random(1)
    state, position = game.new_state(), pyspiel.load_game("amazons(board_size=6)").new_initial_state()
    while not position.is_terminal():
        theirs = set()
        for queen in position.legal_actions():
            for goal in position.child(queen).legal_actions():
                arrows = position.child(queen).child(goal).legal_actions()
                theirs |= {(queen, goal, arrow) for arrow in arrows}
        ours = {tuple(game.clicks(state, action)): action for action in game.legal_list(state)}
        assert set(ours) == theirs
        chosen = rng.choice(sorted(ours))
        state = game.after(state, ours[chosen])
        for cell in chosen:
            position.apply_action(cell)
    assert game.result(state) == [(value + 1) / 2 for value in position.returns()]


def test_amazons_has_so_many_first_moves():
    """The known number of the usual board."""
    game, count = luozi.game("amazons"), 0
    state = game.new_state()
    for queen in game.legal_list(state):
        moved = game.after(state, queen)
        count += sum(len(game.legal_list(game.after(moved, goal))) for goal in game.legal_list(moved))
    assert count == 2176


# Nim ---------------------------------------------------------------------------------------------------------------


def moves_of(heaps):
    """Every way to take stones, as (heap, stones taken)."""
    return [(heap, taken) for heap, stones in enumerate(heaps) for taken in range(1, stones + 1)]


def next_alive(player, out):
    return next(p % 3 for p in range(player + 1, player + 4) if p % 3 not in out)


@cache
def best_results(start, heaps, player, out):
    """Everybody's result if all play for themselves, in a Nim written once more; equal moves: the first."""
    best = None
    for heap, taken in moves_of(heaps):
        left = tuple(stones - taken * (h == heap) for h, stones in enumerate(heaps))
        gone = out
        if sum(left) == 0:
            left, gone = start, (*out, player)
        if len(gone) == 2:
            results = tuple(1.0 if p not in gone else 0.5 * gone.index(p) for p in range(3))
        else:
            results = best_results(start, left, next_alive(player, gone), gone)
        if best is None or results[player] > best[player]:
            best = results
    return best


def solved(game, state):
    if game.is_terminal(state):
        return tuple(game.result(state))
    player = game.current_player(state)
    return max((solved(game, game.after(state, action)) for action in game.legal_list(state)), key=lambda r: r[player])


@pytest.mark.parametrize("heaps", [(1, 2), (2, 2), (1, 1, 1), (4,)])
def test_nim_against_brute_force(heaps):
    game = luozi.game("nim", heaps=".".join(map(str, heaps)))
    assert solved(game, game.new_state()) == best_results(heaps, heaps, 0, ())


def test_players_of_nim_drop_out():
    game = luozi.game("nim", heaps="1.1")
    state = game.new_state()
    turns = []
    for name in ("1 from 1", "1 from 2", "1 from 1", "1 from 2"):
        turns.append(game.current_player(state))
        state = game.after(state, game.string_to_action(state, name))
    assert turns == [0, 1, 2, 0]  # player 1 takes the last stone and has no turn any more
    assert game.result(state) == [0.5, 0.0, 1.0]


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("heaps", [(1, 2, 3), (1, 1), (2, 3), (1, 1, 1), (3,), (2, 2, 1)])
def test_nim_for_two_goes_by_the_sum_without_carry(heaps, misere):
    """Bouton 1902: the first player wins unless the sum is 0; misère, heaps of one stone are the other way round."""
    wins = (reduce(xor, heaps) != 0) != (misere and max(heaps) == 1)
    game = luozi.game("nim", heaps=".".join(map(str, heaps)), players=2, misere=misere)
    assert solved(game, game.new_state()) == ((1.0, 0.0) if wins else (0.0, 1.0))


@pytest.mark.parametrize("heaps", ["", "3..4", "0.1", "65", "a", ".".join(["1"] * 33)])
def test_heaps_that_can_not_be_get_a_sentence(heaps):
    with pytest.raises(luozi.LuoziError, match="nim: heaps="):
        luozi.game("nim", heaps=heaps)


@pytest.mark.usefixtures("as_written")
def test_search_plays_nim_well():
    game = luozi.game("nim", heaps="1.2")
    engine = luozi.Engine(game, seed=1)
    state = game.new_state()
    action = engine.think(state, iterations=3000).action
    after = game.after(state, action)
    assert solved(game, after)[0] == solved(game, state)[0]
