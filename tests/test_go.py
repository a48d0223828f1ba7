"""Go: hand-made positions, eyes, scores, names and pictures. See `test_go_agreement.py` for random games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from go_reference import SIGNS, Reference, rows

from luozi.compiled import new_rng, random_below
from luozi.compiled.object_type import PlainArray
from luozi.games.go.points import handicap_points, point_name
from luozi.games.go.rules import BLACK, NEAR_EMPTY, WHITE, Go
from luozi.games.go.rulesets import RULESETS
from luozi.games.go.setup import forget_moves, give_turn
from luozi.messages import LuoziError
from luozi.rules.game import result_names


def position(game: Go, text: str, player: int = 0) -> Any:
    """A position from rows of `.`, `X` and `O`, as if the game started there."""
    state = game.new_state()
    for point, sign in enumerate("".join(text.split())):
        if sign != ".":
            game.place(state, point, SIGNS.index(sign))
    state.to_move = player
    state.history[0] = state.hash
    return state


def play(game: Go, state: Any, moves: str) -> Any:
    for move in moves.split():
        state = game.after(state, game.string_to_action(state, move))
    return state


def is_legal(game: Go, state: Any, move: str) -> bool:
    try:
        game.string_to_action(state, move)
    except LuoziError:
        return False
    return True


# Captures, ko and suicide ---------------------------------------------------------------------------------------------


def test_a_single_stone_is_captured() -> None:
    game = Go(5)
    state = play(game, position(game, "..... ..X.. .XO.. ..X.. ....."), "D3")
    assert rows(game, state) == "..... ..X.. .X.X. ..X.. ....."
    assert state.captured[WHITE] == 1


def test_a_move_captures_several_chains_at_once() -> None:
    game = Go(5)
    state = play(game, position(game, "..X.. .XOX. .XO.. XO.OX .XXX."), "D3")
    assert rows(game, state) == "..X.. .XOX. .XOX. XO.OX .XXX."
    state.to_move = 0
    state = play(game, state, "C2")
    assert rows(game, state) == "..X.. .X.X. .X.X. X.X.X .XXX."
    assert state.captured[WHITE] == 4


def test_a_capture_that_looks_like_suicide_is_legal() -> None:
    game = Go(5)
    state = play(game, position(game, "..... ..... X.... OX... .OX.."), "A1")
    assert rows(game, state) == "..... ..... X.... .X... X.X.."


def test_a_snapback_takes_back_more_than_was_taken() -> None:
    game = Go(5)
    state = play(game, position(game, "..... ..... OO... XXO.. ..O..", player=1), "A1 B1")
    assert state.captured[WHITE] == 1
    state = play(game, state, "A1")
    assert state.captured[BLACK] == 3
    assert rows(game, state) == "..... ..... OO... ..O.. O.O.."


@pytest.mark.parametrize("superko", [False, True])
def test_a_ko_is_retaken_only_after_a_move_elsewhere(superko: bool) -> None:
    game = Go(5, superko=superko)
    state = play(game, position(game, "..... .XO.. XO.O. .XO.. ....."), "C3")
    assert state.captured[WHITE] == 1
    assert not is_legal(game, state, "B3")
    later = play(game, state, "A1 E5")
    assert is_legal(game, later, "B3")
    assert rows(game, play(game, later, "B3")) == "....X .XO.. XO.O. .XO.. O...."


def test_passing_lifts_a_simple_ko_but_not_superko() -> None:
    for superko in (False, True):
        game = Go(5, superko=superko)
        state = play(game, position(game, "..... .XO.. XO.O. .XO.. ....."), "C3 pass A1")
        assert is_legal(game, state, "B3")  # a stone was added: a new position
        state = play(game, position(game, "..... .XO.. XO.O. .XO.. ....."), "C3")
        state.to_move = 0
        state = play(game, state, "pass")
        assert is_legal(game, state, "B3") is not superko


def test_sending_two_returning_one_is_stopped_by_superko_only() -> None:
    for superko in (False, True):
        game = Go(5, superko=superko)
        state = position(game, ".O.O. XXOO. .XXO. ..... .....", player=1)
        state = play(game, state, "A5 C5")
        assert state.captured[WHITE] == 2
        assert is_legal(game, state, "B5") is not superko


def test_suicide_of_several_stones_depends_on_the_rules() -> None:
    text = "..... ..... ..... OOO.. X.O.."
    assert not is_legal(Go(5), position(Go(5), text), "B1")
    game = Go(5, suicide=True)
    state = play(game, position(game, text), "B1")
    assert rows(game, state) == "..... ..... ..... OOO.. ..O.."
    assert state.captured[BLACK] == 2
    assert state.ko < 0


@pytest.mark.parametrize("suicide", [False, True])
def test_suicide_of_one_stone_is_never_legal(suicide: bool) -> None:
    game = Go(5, suicide=suicide, superko=False)
    assert not is_legal(game, position(game, "..... ..... ..... O.... .O..."), "A1")


# Eyes and simulations -------------------------------------------------------------------------------------------------

EYES = {
    "corner, true": ("..... ..... ..... XX... .X...", "A1", True),
    "corner, false": ("..... ..... ..... XO... .X...", "A1", False),
    "edge, true": ("..... ..... ..... .XXX. .X.X.", "C1", True),
    "edge, false": ("..... ..... ..... .XXO. .X.X.", "C1", False),
    "middle, one corner lost": ("..... .XXO. .X.X. .XXX. .....", "C3", True),
    "middle, two corners lost": ("..... .XXO. .X.X. .OXX. .....", "C3", False),
}


@pytest.mark.parametrize("name", EYES)
def test_true_eyes_are_told_from_false_ones(name: str) -> None:
    text, point, expected = EYES[name]
    game = Go(5)
    state = position(game, text)
    action = game.string_to_action(state, point)
    assert state.near[action] < NEAR_EMPTY
    assert game.is_true_eye(state, action, BLACK) == expected
    assert game.is_sensible(state, action, BLACK) == (not expected)


def test_a_simulation_passes_rather_than_fill_its_last_eyes() -> None:
    game = Go(4)
    state = position(game, ".X.X XXXX OOOO .O.O")
    rng = new_rng(1)
    assert {game.random_action(state, rng) for _ in range(50)} == {game.points}


def test_a_simulation_draws_all_sensible_moves_alike() -> None:
    game = Go(3)
    state = position(game, ".X. XX. ...")
    sensible = [point for point in range(9) if not state.board[point] and game.is_sensible(state, point, BLACK)]
    rng = new_rng(5)
    for draw in (lambda: game.random_action(state, rng), lambda: game.random_listed(state, rng, BLACK)):
        drawn = [draw() for _ in range(2000)]
        assert sorted(set(drawn)) == sensible
        for point in sensible:
            assert abs(drawn.count(point) - 2000 / len(sensible)) < 100


def test_simulations_play_legal_moves_and_fill_no_true_eye() -> None:
    game = Go(5, superko=False)
    for seed in range(6):
        state, rng = game.new_state(), new_rng(seed)
        while not game.is_terminal(state):
            action = game.random_action(state, rng)
            assert game.is_legal(state, action)
            if action < game.points:
                colour = state.to_move + 1
                around = {state.board[n] for n in game.around[4 * action : 4 * action + 4]} - {3}
                assert around != {colour} or not game.is_true_eye(state, action, colour)
            game.apply_action(state, action)


# The score, the end and the names -------------------------------------------------------------------------------------

AREAS = {
    "..... ..... ..... ..... .....": 0,
    "..... ..... ..X.. ..... .....": 25,
    ".X.O. .X.O. .X.O. .X.O. .X.O.": 0,
    ".XO.. .XO.. .XO.. .XO.. .XO..": -5,
    ".XO.X XXOXX OOOOO O.O.O OOOOO": 7 - 17,
    "X...O ..... ..... ..... .....": 0,
    ".X.X. XXXXX OOOOO .OO.. OOO..": 10 - 15,
}


@pytest.mark.parametrize("text", AREAS)
def test_area_is_stones_and_regions_that_reach_one_colour(text: str) -> None:
    game = Go(5, komi=0)
    state = position(game, text)
    before = state.tobytes()
    assert game.score(state) == AREAS[text]
    assert Reference(5, text=text).score() == AREAS[text]
    assert state.tobytes() == before


def test_two_passes_in_a_row_end_the_game() -> None:
    game = Go(5)
    state = play(game, game.new_state(), "pass C3 pass")
    assert not game.is_terminal(state)
    state = play(game, state, "pass")
    assert game.is_terminal(state)
    assert game.legal_list(state) == []
    assert game.result(state) == [0.0, 1.0]
    assert result_names(game, game.result(state)) == "White wins"


def test_an_exact_tie_is_shared_and_half_a_point_is_not() -> None:
    for komi, result in ((9.0, [0.5, 0.5]), (8.5, [1.0, 0.0]), (9.5, [0.0, 1.0])):
        game = Go(3, komi=komi)
        assert game.result(play(game, game.new_state(), "B2 pass pass")) == result


def test_the_longest_game_ends_by_itself() -> None:
    game = Go(2, superko=False)
    state, rng = game.new_state(), new_rng(1)
    while not game.is_terminal(state):
        moves = game.legal_list(state)[:-1] or [game.points]
        state = game.after(state, moves[random_below(rng, len(moves))])
    assert state.moves == game.max_length == 12
    assert sum(game.result(state)) == 1.0


def test_points_have_the_names_of_the_go_text_protocol() -> None:
    game = Go(19)
    state = game.new_state()
    names = {game.action_to_string(state, action): action for action in range(game.actions)}
    assert len(names) == 362
    assert not any(name.startswith("I") for name in names)
    assert (names["A19"], names["T19"], names["A1"], names["T1"], names["pass"]) == (0, 18, 342, 360, 361)
    assert all(game.string_to_action(state, name.lower()) == action for name, action in names.items())


@pytest.mark.parametrize("text", ["I5", "A0", "A10", "K1", "", "5A", "D4", "A²"])
def test_what_is_no_legal_point_gets_a_sentence(text: str) -> None:
    game = Go(9)
    state = play(game, game.new_state(), "D4")
    with pytest.raises(LuoziError, match=f"move '{text}': (there is no point|the point is occupied|no move)"):
        game.string_to_action(state, text)


def test_handicap_stones_stand_on_the_star_points_and_white_moves_first() -> None:
    nineteen = [point_name(19, point) for point in handicap_points(19, 9)]
    assert nineteen == ["D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16", "K10"]
    assert [point_name(9, point) for point in handicap_points(9, 5)] == ["C3", "G7", "C7", "G3", "E5"]
    assert [point_name(19, point) for point in handicap_points(19, 7)][4:] == ["D10", "Q10", "K10"]
    game = Go(13, handicap=3)
    state = game.new_state()
    assert {point_name(13, point) for point in np.flatnonzero(state.board == BLACK)} == {"D4", "K10", "D10"}
    assert game.current_player(state) == 1
    assert state.history[0] == state.hash != 0


@pytest.mark.parametrize(
    ("size", "stones", "sentence"), [(5, 2, "boards from 7x7 on"), (8, 5, "2 to 4"), (7, 5, "2 to 4")]
)
def test_fixed_handicap_has_as_many_points_as_the_go_text_protocol_says(size: int, stones: int, sentence: str) -> None:
    with pytest.raises(LuoziError, match=sentence):
        handicap_points(size, stones)


@pytest.mark.parametrize(("size", "stones"), [(2, 2), (5, 9), (9, 30), (19, 40)])
def test_handicap_goes_beyond_the_marked_points(size: int, stones: int) -> None:
    game = Go(size, handicap=stones)
    state = game.new_state()
    assert state.stones[BLACK] == stones
    assert game.current_player(state) == 1
    fixed = handicap_points(size, min(stones, 9)) if size >= 9 else []
    assert all(state.board[point] == BLACK for point in fixed)


def test_white_gets_a_point_for_each_handicap_stone_where_the_rules_say_so() -> None:
    scores = {}
    for rules in ("chinese", "tromp_taylor", "japanese"):
        game = Go(9, komi=0.5, handicap=4, rules=rules)
        scores[rules] = game.score(play(game, game.new_state(), "pass pass"))
    assert scores == {"chinese": 76.5, "tromp_taylor": 80.5, "japanese": 76.5}
    assert Go(9, komi=0.5, handicap=4, handicap_bonus=False).head_start == 0.5


def test_named_rules_say_what_is_suicide_and_what_is_repetition() -> None:
    names = {rules: (Go(rules=rules).suicide, Go(rules=rules).superko) for rules in RULESETS}
    assert names == {"chinese": (False, True), "tromp_taylor": (True, True), "japanese": (False, False)}
    assert Go(rules="japanese", superko=True).superko
    assert not Go(rules="tromp_taylor", suicide=False).suicide


def test_a_game_may_start_from_stones() -> None:
    game = Go(5, komi=0, black="C3.D3", white="C2", first="white")
    state = game.new_state()
    assert rows(game, state) == "..... ..... ..XX. ..O.. ....."
    assert game.current_player(state) == 1
    assert state.history[0] == state.hash != 0


def test_one_colour_may_play_twice_and_fill_its_own_ko() -> None:
    game = Go(5)
    state = play(game, position(game, "..... .XO.. XO.O. .XO.. ....."), "C3")
    assert not is_legal(game, state, "B3")
    give_turn(state, 0)
    assert is_legal(game, state, "B3")
    state = play(game, state, "B3")
    assert state.board[game.points // 2 - 1] == BLACK


def test_superko_remembers_the_moves_that_no_longer_count() -> None:
    game = Go(5)
    state = play(game, position(game, "..... .XO.. XO.O. .XO.. ....."), "E5 A5 E4 A4 C3")
    state.ko = -1  # superko alone forbids it
    for kept, legal in ((9, False), (1, False), (0, True)):
        forget_moves(state, kept)
        assert state.moves == min(kept, 5)
        assert is_legal(game, state, "B3") is legal


def test_a_game_that_was_too_long_has_no_winner() -> None:
    game = Go(2, superko=False)
    state = game.new_state()
    game.apply_action(state, 0)
    state.moves = game.max_length
    assert game.score(state) != 0
    assert game.result(state) == [0.5, 0.5]
    assert "no result" in game.show(state)


def test_legal_moves_late_in_a_game_are_listed_without_walking_through_its_past(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every view of the page lists them."""
    game, reference, rng = Go(19), Reference(19, superko=True), new_rng(3)
    state = game.new_state()
    while state.moves < 260:
        action = game.random_action(state, rng)
        if game.is_legal(state, action):
            game.apply_action(state, action)
            reference.play(action)
    reads, read = [0], PlainArray.__getitem__

    def counted(array: PlainArray, key: Any) -> Any:
        reads[0] += 1
        return read(array, key)

    monkeypatch.setattr(PlainArray, "__getitem__", counted)
    assert game.legal_list(state) == reference.legal()
    assert reads[0] < 361 * 30


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"size": 2, "handicap": 4}, "2 to 3"),
        ({"handicap": 1}, "2 to 80"),
        ({"handicap": 625}, "0 to 624"),
        ({"handicap": 3, "handicap_at": "D4.E5"}, "handicap=3, but 2 stones are placed: name as many points, or none"),
        ({"handicap": 2, "handicap_at": "D4.D4"}, "two stones stand at D4"),
        ({"rules": "korean"}, "choose one of: chinese, tromp_taylor, japanese"),
        ({"black": "D4.K11"}, "'K11' is no point"),
        ({"black": "D4", "white": "C3.D4"}, "two stones stand at D4"),
        ({"size": 5, "black": "A2.B1", "white": "A1"}, "the stone at A1 has no liberty"),
        ({"size": 26}, "2 to 25"),
        ({"size": 1}, "2 to 25"),
        ({"komi": float("nan")}, "komi"),
    ],
)
def test_parameters_out_of_range_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(LuoziError, match=sentence):
        Go(**wrong)


def test_the_picture_has_coordinates_stars_and_the_last_move() -> None:
    game = Go(7)
    state = play(game, game.new_state(), "D4 C4")
    assert game.show(state).splitlines() == [
        "   A B C D E F G",
        " 7 . . . . . . . 7",
        " 6 . . . . . . . 6",
        " 5 . . + . + . . 5",
        " 4 . .(O)X . . . 4",
        " 3 . . + . + . . 3",
        " 2 . . . . . . . 2",
        " 1 . . . . . . . 1",
        "   A B C D E F G",
        "Black (X) to move; captured by X: 0, by O: 0",
    ]
    assert game.show(play(game, state, "pass pass")).splitlines()[-1].startswith("W+7.5 as the stones stand;")
