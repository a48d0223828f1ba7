"""Counting finished games of Go: dead stones, disputed ones, area and territory; beside GNU Go where there is one."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
from go_reference import SIGNS

from luozi.compiled import new_rng
from luozi.games.go.points import point_name, score_text
from luozi.games.go.rules import BLACK, WHITE, Go
from luozi.games.go.scoring import Count, count, simulated_shares, territory_score
from luozi.search import Engine, Options
from luozi.servers.gtp.session import searched_shares

GNUGO = shutil.which("gnugo", path="/usr/games:/usr/local/games:/usr/bin:/usr/local/bin")
GAMES = 30


def position(game: Go, text: str) -> Any:
    state = game.new_state()
    for point, sign in enumerate("".join(text.split())):
        if sign != ".":
            game.place(state, point, SIGNS.index(sign))
    return state


def counted(text: str, rules: str = "chinese", komi: float = 0.0) -> tuple[Go, Count]:
    size = len(text.split())
    game = Go(size, komi=komi, rules=rules)
    state = position(game, text)
    engine = Engine(game, Options(ownership=True, seed=1, pool_size=10_000))
    return game, count(game, state, searched_shares(engine, state, iterations=400))


ALL_ALIVE = ".XO.. XXO.O .XOOO XXO.O .XOO."  # both have two eyes and more, no dame
DEAD_BLACK = ".XO.. XXO.O .XOO. XXOX. .XOO."  # a black stone among White's eyes
DEAD_WHITE = "...XO ..XX. .O.XO ..XXO ...XO"  # White has one eye at the edge and a stone in Black's land
BOTH_IN_THE_OPEN = "..... .X.O. .X.O. .X.O. ....."  # no group has an eye
FINISHED = (
    "..XO... .XXO.O. X.XOO.. .XXO.X. XX.XOO. .X.XO.O .XXXO..",  # a dead black stone at F4
    ".XXO... X.XO.O. .XXOO.. XXXOOO. ..XXO.. .O.XO.. ..XXO..",  # a dead white stone at B2
)


def names(game: Go, points: tuple[int, ...]) -> list[str]:
    return [point_name(game.size, point) for point in points]


def test_nothing_is_dead_where_all_have_two_eyes() -> None:
    _game, found = counted(ALL_ALIVE)
    assert (found.dead, found.undecided) == ((), ())
    assert found.score == 10 - 15
    assert found.is_sure


def test_a_stone_among_the_eyes_of_others_is_dead_and_its_point_theirs() -> None:
    game, found = counted(DEAD_BLACK)
    assert names(game, found.dead) == ["D2"]
    assert found.score == 10 - 15


def test_a_group_without_two_eyes_is_dead_with_all_its_stones() -> None:
    game, found = counted(DEAD_WHITE)
    assert {"E5", "E3", "E2", "E1", "B3"} == set(names(game, found.dead))
    assert found.score == 25


def test_random_games_alone_tell_dead_stones_too() -> None:
    game = Go(5, komi=0)
    state = position(game, DEAD_BLACK)
    found = count(game, state, simulated_shares(game, state, GAMES, new_rng(1)))
    assert (names(game, found.dead), found.score) == (["D2"], 10 - 15)


def test_rules_that_count_the_board_as_it_stands_take_nothing_off() -> None:
    game, found = counted(DEAD_BLACK, "tromp_taylor")
    assert found.dead == ()
    state = position(game, DEAD_BLACK)
    assert found.score == game.score(state)


def test_territory_counts_prisoners_and_dead_stones_twice() -> None:
    game = Go(5, komi=0.5, rules="japanese")
    state = position(game, DEAD_BLACK)
    state.captured[BLACK], state.captured[WHITE] = 3, 1
    found = count(game, state, simulated_shares(game, state, GAMES, new_rng(1)))
    # White has D5 E5 D4 E3 E2 E1 and the dead stone's point, which is a prisoner too; Black has A5 A3 A1.
    assert found.score == (3 + 1) - (7 + 1 + 3) - 0.5


def test_stones_that_may_live_or_not_are_undecided_and_count_as_they_stand() -> None:
    game = Go(5, komi=0)
    state = position(game, BOTH_IN_THE_OPEN)
    shares = [[0.5] * 25, [0.5] * 25]
    found = count(game, state, shares)
    assert len(found.undecided) == state.stones[BLACK] + state.stones[WHITE]
    assert found.dead == ()
    assert found.score == 0
    assert not found.is_sure


def test_nothing_is_sure_while_a_group_that_may_die_has_land_around_it() -> None:
    walls = "....XO... " * 4 + "XXXXXO... OOOOOO... ......... ......... ........."
    doubtful = [0.7 if point % 9 < 5 and point < 45 else 0.0 for point in range(81)]
    shares = [doubtful, [1 - share for share in doubtful]]
    game = Go(9, komi=-51)
    found = count(game, position(game, walls), shares)
    # It lives: 25 points against 56. It dies: none against 81.
    assert (found.score, found.worst, found.is_sure) == (25 - 56 + 51, -81 + 51, False)
    game = Go(9, komi=-90)
    found = count(game, position(game, walls), shares)
    assert (found.worst, found.is_sure) == (-81 + 90, True)


@pytest.mark.parametrize(("text", "score"), [("..... ..... ..O..", 25 - 5), ("..... ..... ..OO.", 25 - 8)])
def test_stones_of_which_nobody_is_sure_are_no_prisoners_however_many_they_are(text: str, score: float) -> None:
    """All is Black's but the stones that may live, and the points beside them."""
    game = Go(5, komi=0, rules="japanese")
    state = position(game, f"{text} ..... .....")
    undecided = [point for point in range(25) if state.board[point] == WHITE]
    assert territory_score(game, state, [BLACK] * 25, undecided) == score


def test_groups_with_two_eyes_live_and_what_stands_in_an_eye_is_dead_whatever_simulations_say() -> None:
    game = Go(5, komi=0)
    for text, dead in ((ALL_ALIVE, []), (".XO.O XXOO. OXO.O .XOO. XXO.O", ["A3"])):
        found = count(game, position(game, text), [[0.5] * 25, [0.5] * 25])
        assert (names(game, found.dead), found.undecided, found.score) == (dead, (), 10 - 15)
        assert found.is_sure


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        (DEAD_BLACK, ["D2"]),
        (".XO.. XXO.O .XOO. XXOO. .XOX.", ["D1"]),  # at the edge
        (".XO.. XXO.O .XOO. XXOX. .XO..", []),  # it has two liberties
        ("..... .OOO. .OXO. .OXO. .X.X.", []),  # it would join its friends
        (".XOX. OOOX. XXXX. ..... .....", []),  # bait: what takes it can be taken back with all its stones
    ],
)
def test_a_stone_that_can_be_captured_at_once_and_not_saved_is_dead_whatever_simulations_say(
    text: str, dead: list[str]
) -> None:
    game = Go(5, komi=0)
    state = position(game, text)
    before = state.tobytes()
    found = count(game, state, [[0.5] * 25, [0.5] * 25])
    assert names(game, found.dead) == dead
    assert not set(found.dead) & set(found.undecided)
    assert state.tobytes() == before


def test_there_is_no_territory_beside_stones_in_seki() -> None:
    game = Go(5, komi=0, rules="japanese")
    state = position(game, ".XXO. " * 5)
    black = [1.0 if state.board[point] == BLACK else 0.5 for point in range(25)]
    found = count(game, state, [black, [0.5] * 25])
    assert set(names(game, found.undecided)) == {point_name(5, p) for p in range(25) if state.board[p] == WHITE}
    assert found.score == 5


@pytest.mark.skipif(GNUGO is None, reason="install gnugo (Debian's package of that name)")
@pytest.mark.parametrize("text", [ALL_ALIVE, DEAD_BLACK, DEAD_WHITE, *FINISHED])
@pytest.mark.parametrize("rules", ["chinese", "japanese"])
def test_finished_positions_have_the_score_that_gnu_go_gives(text: str, rules: str) -> None:
    game, found = counted(text, rules, komi=0.5)
    stones = [(sign, point) for point, sign in enumerate("".join(text.split())) if sign != "."]
    plays = [f"play {'b' if sign == 'X' else 'w'} {point_name(game.size, point)}" for sign, point in stones]
    lines = [f"boardsize {game.size}", "clear_board", "komi 0.5", *plays, "final_score", "quit"]
    said = subprocess.run(
        [str(GNUGO), "--mode", "gtp", f"--{rules}-rules"], input="\n".join(lines) + "\n", capture_output=True, text=True
    ).stdout.split("\n\n")
    assert said[-3].strip() == f"= {score_text(found.score)}"
