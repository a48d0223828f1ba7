"""Ladders of Go: who gets away and who is caught, and that reading leaves the board as it was."""

from __future__ import annotations

import random

import numpy as np
from test_go_playouts import answers, board, flood, random_positions

import luozi
from luozi.games.go.cells import EMPTY, NOWHERE
from luozi.games.go.ladders import gets_away, is_caught, lay, lift
from luozi.games.go.points import point_of

# A white stone with its last liberty below and black stones on both sides of its way: the oldest shape there is.
LADDER = "......... ......... ..X...... .XOX..... .X....... ......... ......... ......... ........."
FRIEND = "......... ......... ..X...... .XOX..... .X....... ......... .....O... ......... ........."
OPEN = "......... ......... ..X...... .XOX..... ......... ......... ......... ......... ........."


def away(text, point, size=9):
    game, state = board(text, size, "O")
    return gets_away(game, state, point_of(size, point), 0)


def test_a_stone_in_a_ladder_is_lost_unless_a_friend_stands_on_its_way():
    assert not away(LADDER, "C6")
    assert away(FRIEND, "C6")
    assert away(OPEN, "C6")


def test_a_stone_gets_away_by_capturing_an_attacker():
    attacked = "......... .OX...... OXXX..... .XOX..... .X....... ......... ......... ......... ........."
    assert not away(attacked, "C6")
    assert away("......... .OO...... OXXO..... .XOX..... ......... ......... ......... ......... .........", "C6")


# The white stone of D4 runs along a black wall; the black stone of D5 has just taken one of C5.
KO = "......... ......... ......... ..XO..... .X.XO.... ..XOXX... ..X...... ......... ........."


def test_a_ko_that_must_wait_for_one_move_may_be_taken_on_the_way():
    for ko, expected in (("C5", True), (None, True)):
        game, state = board(KO, 9, "O")
        state.ko = point_of(9, ko) if ko else NOWHERE
        assert runs_plainly(game, state.copy(), point_of(9, "D4"), 30) == expected
        assert gets_away(game, state, point_of(9, "D4"), 0) == expected
    without = KO.replace(".X.XO....", ".XXXO....")  # the ko is filled
    assert not away(without, "D4")
    game, state = board(".OX.X O.O.O OO.OX .XOX. OXX.X", 5, "X")
    stone, attack, escape, state.ko = (point_of(5, name) for name in ("B1", "A2", "D1", "C3"))
    assert not is_caught(game, state, stone, attack, escape)
    assert not caught_plainly(game, state.copy(), stone, attack, 12)


def test_the_right_side_to_start_a_ladder_is_found():
    """From below the white stone runs into the open; from the right it runs along the black wall."""
    game, state = board("......... ......... ..X...... .XO...... .X....... ......... ......... ......... .........", 9)
    stone, right, below = (point_of(9, name) for name in ("C6", "D6", "C5"))
    assert is_caught(game, state, stone, right, below)
    assert not is_caught(game, state, stone, below, right)


def test_simulations_do_not_run_in_a_ladder_and_do_where_it_is_broken():
    assert answers(LADDER, "save", "O", "D6", 9) == {None}
    assert answers(LADDER, "save", "O", "D6", 9, ladders=0) == {"saves at C5"}
    assert answers(FRIEND, "save", "O", "D6", 9) == {"saves at C5"}


def guess(text, move, to_move, **weights):
    game, state = board(text, 9, to_move)
    game = game.with_weights("+".join(f"{name}:{value}" for name, value in weights.items()))
    return game.guess(state, point_of(9, move))


def test_running_in_a_ladder_promises_less_than_running_out_of_one():
    assert guess(LADDER, "C5", "O") < guess(FRIEND, "C5", "O")
    assert guess(LADDER, "C5", "O", read="false") == guess(FRIEND, "C5", "O", read="false")


# Against plain reading ------------------------------------------------------------------------------------------------


def runs_plainly(game, state, point, depth):
    """Whether a chain in atari gets away if it may run or capture what it touches, and the attacker take a liberty."""
    colour = int(state.board[point])
    chain, liberties = flood(game, list(state.board[: game.points]), point)
    tries = set(liberties)
    for stone in chain:
        for other in game.around[4 * stone : 4 * stone + 4]:
            if other < game.points and state.board[other] == 3 - colour:
                found = flood(game, list(state.board[: game.points]), int(other))[1]
                tries |= found if len(found) == 1 else set()
    for action in tries:
        state.to_move = colour - 1
        if not game.is_legal(state, action):
            continue
        after = game.after(state, action)
        left = flood(game, list(after.board[: game.points]), point)[1]
        if len(left) > 1 and not any(caught_plainly(game, after, point, one, depth) for one in left):
            return True
    return False


def caught_plainly(game, state, point, attack, depth):
    """Whether a stone on one of two liberties catches a chain."""
    colour = int(state.board[point])
    state.to_move = 2 - colour
    if depth == 0 or not game.is_legal(state, attack):
        return False
    after = game.after(state, attack)
    if after.board[point] == EMPTY:
        return True
    left = flood(game, list(after.board[: game.points]), point)[1]
    return len(left) == 1 and not runs_plainly(game, after, point, depth - 1)


def positions(size, count, seed):
    for _game, state in random_positions(size, count, seed):
        yield luozi.game("go", size=size, superko=False), state


def test_what_is_said_to_be_caught_is_caught_by_plain_reading_too():
    ladders = 0
    for game, state in positions(5, 120, 5):
        for point in range(game.points):
            if state.board[point] == EMPTY or state.chain[point] != point:
                continue
            liberties = flood(game, list(state.board[: game.points]), point)[1]
            if len(liberties) == 1:
                mover, state.to_move = state.to_move, int(state.board[point]) - 1
                if not gets_away(game, state, point, 0):
                    assert not runs_plainly(game, state.copy(), point, 12)
                    ladders += 1
                state.to_move = mover
            elif len(liberties) == 2:
                one, other = liberties
                if is_caught(game, state, point, one, other):
                    assert caught_plainly(game, state.copy(), point, one, 12)
                    ladders += 1
    assert ladders > 50


FIELDS = ("hash", "history", "board", "near", "chain", "empties", "place_of", "empty", "stones")


def everything(game, state):
    """All of a position that is not scratch; of the chains their rings, lengths and counts."""
    names = [point for point in range(game.points) if state.board[point] != EMPTY and state.chain[point] == point]
    chains = [(name, int(state.length[name]), int(state.liberties[name])) for name in names]
    links = [int(state.link[point]) for point in range(game.points)]
    return [np.array(getattr(state, field)).tolist() for field in FIELDS], chains, links


def test_stones_laid_and_lifted_leave_the_board_as_it_was():
    rng = random.Random(4)
    for game, state in positions(6, 40, 6):
        state.empties[state.empty :] = 0
        before, first = everything(game, state), int(state.moves) + 1
        for _ in range(5):
            laid = 0
            while laid < 12 and state.empty > 1 and first + laid < game.max_length:
                lay(game, state, int(state.empties[rng.randrange(state.empty)]), rng.choice((1, 2)), first + laid)
                laid += 1
            for slot in reversed(range(first, first + laid)):
                lift(game, state, slot)
            state.empties[state.empty :] = 0
            assert everything(game, state) == before
