"""What Go guesses without a search: each move's promise, and whose the board is."""

from __future__ import annotations

import numpy as np
import pytest
from test_go_playouts import board

import luozi
from luozi.games.go.points import point_name, point_of
from luozi.games.go.rules import Go
from luozi.players import player


def guesses(game, state):
    """What each legal move promises, by name."""
    actions = np.array(game.legal_list(state), np.int32)
    values = np.full(len(actions), 0.5)
    game.priors(state, actions, len(actions), values)
    assert ((values >= 0) & (values <= 1)).all()
    return {point_name(game.size, int(action)): value for action, value in zip(actions, values, strict=True)}


def test_a_capture_promises_more_than_a_plain_move_and_an_own_eye_least():
    found = guesses(*board("..... .XOX. ..X.. ..... .....", last="D4"))
    assert found["C5"] == max(found.values())
    found = guesses(*board(".X... XX... ..... ..... ....."))
    assert found["A5"] == min(found.values())


def test_saving_stones_promises_more_and_self_atari_less():
    found = guesses(*board("....... ..O.... .OXO... ....... ....... ....... .......", 7, last="D5"))
    assert found["C4"] > found["E2"]
    found = guesses(*board("..O.... .O..... ....... ....... ....... ....... .......", 7))
    assert found["B7"] < found["E3"]


def test_openings_do_not_hug_the_edge():
    """On an empty board no point of the first two lines promises as much as any other."""
    for size in (9, 13, 19):
        game = luozi.game("go", size=size)
        found = guesses(game, game.new_state())
        outer = [
            value
            for name, value in found.items()
            if name != "pass" and min(edge_distances(size, point_of(size, name))) < 2
        ]
        inner = [
            value
            for name, value in found.items()
            if name != "pass" and min(edge_distances(size, point_of(size, name))) >= 2
        ]
        assert max(outer) < min(inner)


def edge_distances(size, point):
    row, column = divmod(point, size)
    return row, column, size - 1 - row, size - 1 - column


def test_moves_near_the_last_one_promise_more():
    found = guesses(*board("\n".join(["." * 9] * 4 + ["....X...."] + ["." * 9] * 4), 9, "O", "E5"))
    assert found["E6"] > found["E9"]
    assert found["D5"] > found["B2"]


def test_a_pass_that_ends_a_won_game_promises_most():
    game, state = board("XX... XX... XX... XX... XX...", last="pass")
    state.passes = 1
    assert guesses(game, state)["pass"] == max(guesses(game, state).values())
    state.to_move = 1
    assert guesses(game, state)["pass"] < 0.5


# Whose the board is ---------------------------------------------------------------------------------------------------


def value(text, to_move="X", komi=0.0, size=5):
    game, state = board(text, size, to_move)
    game.head_start = komi
    values = np.zeros(2)
    game.evaluate(state, values)
    assert values.sum() == pytest.approx(1.0)
    return values[0]


def test_an_estimate_is_fair_to_both_colours():
    text = "..X.. .XO.. XO.O. .XO.. ....."
    other = text.translate(str.maketrans("XO", "OX"))
    assert value(text, "X") == pytest.approx(1 - value(other, "O"))
    assert value("..... ..... ..... ..... .....") == 0.5
    assert value("..... ..... ..... ..... .....", komi=7.5) < 0.5


def test_an_estimate_knows_what_white_gets_for_a_handicap():
    values = np.zeros((3, 2))
    for row, terms in enumerate(({"komi": 2}, {"handicap_bonus": True}, {"handicap_bonus": False})):
        game = Go(5, **{"komi": 0, "handicap": 2 * (row > 0), "black": "" if row else "C3.B4", **terms})
        game.evaluate(game.new_state(), values[row])
    assert values[0].tolist() == values[1].tolist()  # Chinese rules: two stones are two points of komi
    assert values[1, 0] < values[2, 0]


def test_more_area_is_worth_more_and_stones_that_can_be_captured_are_lost():
    assert value("XX... XX... XXO.. XXO.. XX...") > value("XX... XX... XXO.. XXO.. .XOO.")
    in_atari = "..... .XO.. .OXO. ..... ....."
    assert value(in_atari, "X") > value(in_atari, "O")


@pytest.mark.usefixtures("as_written")
def test_alpha_beta_has_a_seat_at_go():
    game, state = board("OOOO. XXXXX ..... ..... .....")
    assert point_name(5, player("alphabeta:depth=1,seed=1", game).choose(state)) == "E5"
