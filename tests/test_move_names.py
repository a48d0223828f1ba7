"""Why a move is not legal, and which moves are, for the ways in which the games write their moves."""

from __future__ import annotations

import random

import pytest

import luozi
from luozi.messages import translate
from luozi.rules.move_names import IllegalMoveError

OCCUPIED, NO_PASS, KO = "the point is occupied", "this game has no pass", "it takes the ko back at once"
SUICIDE = "the stone would have no liberty: suicide is not allowed"
REASONS = [
    ("gomoku", "h8", "h8", f"{OCCUPIED}. 224 moves are legal, such as h9, h7, h6"),
    ("gomoku", "h8", "pass", NO_PASS),
    ("gomoku", "h8", "h88", "there is no point 'h88' on this board"),
    ("gomoku", "h8", "h8-h9", "a move here has one point"),
    ("gomoku:size=7,blocked=3.3", "", "d4", "nobody may play on this point"),
    ("tictactoe", "b2", "#4", f"{OCCUPIED}. Legal moves: a3, b3, c3, a2, c2, a1, b1, c1"),
    ("tictactoe", "b2", "#99", "the actions of this game are 0 to 8"),
    ("connect4", "4 4 4 4 4 4", "4", "the column is full. Legal moves: 1, 2, 3, 5, 6, 7"),
    ("connect4", "4", "8", "there is no column '8'"),
    ("connect4", "4", "d4", "there is no column 'd4'"),
    ("connect4:rows=4,columns=5,blocked=0.0", "1 1 1", "1", "the column is full"),
    ("five3d", "1a1", "1a1", OCCUPIED),
    ("five3d", "1a1", "a1", "there is no point 'a1' on this board"),
    ("qubic:gravity=true", "a1 a1 a1 a1", "a1", "the column is full"),
    ("go:size=5", "C3", "c3", OCCUPIED),
    ("go:size=5", "C3", "I5", "there is no point 'I5' on this board"),
    ("go:size=5", "A2 E5 B1", "A1", SUICIDE),
    ("go:size=5", "B2 C2 A3 D3 B4 C4 E5 B3 C3", "B3", KO),
    ("othello", "", "a1", "no disc would turn over. Legal moves: d3, c4, f5, e6"),
    ("othello", "", "d4", OCCUPIED),
    ("othello", "", "pass", "who has another move may not pass"),
    ("hex:size=5", "c3", "c3", OCCUPIED),
    ("hex:size=5,swap=true", "", "swap", "only the second move may be a swap"),
    ("y:size=5", "", "e5", "there is no point 'e5' on this board"),
    ("breakthrough", "", "a2", "the move is not complete"),
    ("breakthrough", "", "a2-a4", "from a2 it can't go on to a4"),
    ("breakthrough", "", "a7-a6", "no piece of yours is on a7"),
    ("breakthrough", "", "b1-b2", "your piece on b1 can't move"),
    ("amazons", "", "e5", "no piece of yours is on e5. Legal moves: a4, j4, d1, g1"),
    ("amazons:size=6", "", "c1-c2/c3", "no piece of yours is on c1"),
    ("nim", "", "9 from 1", "it is not legal here"),
]


@pytest.mark.parametrize(("spelling", "played", "move", "reason"), REASONS)
def test_a_move_that_is_not_legal_gets_its_reason(
    spelling: str, played: str, move: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = luozi.game(spelling)
    state = game.new_state()
    for name in played.split():
        state = game.after(state, name)
    written = move.lstrip("#")
    with pytest.raises(IllegalMoveError) as caught:
        game.after(state, move)
    assert str(caught.value).startswith(f"move '{written}': {reason}")
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    assert translate(caught.value.message).startswith(f"着法“{written}”：")
    assert reason.partition(".")[0] not in translate(caught.value.message)


def test_every_move_that_go_forbids_has_a_reason() -> None:
    game, dice, reasons = luozi.game("go:size=2,superko=true"), random.Random(1), set()
    for _ in range(20):
        state = game.new_state()
        while not game.is_terminal(state):
            for point in range(game.points):
                if not game.allows(state, point):
                    reasons.add(game.why_illegal(state, point))
                    assert (game.why_illegal(state, point) == OCCUPIED) == (state.board[point] != 0)
            state = game.after(state, dice.choice(game.legal_list(state)))
    assert reasons >= {OCCUPIED, SUICIDE, "it repeats an earlier position, which superko forbids"}


def test_moves_are_numbers_or_names_wherever_python_takes_them() -> None:
    game = luozi.game("tictactoe")
    start = game.new_state()
    centre = game.after(start, 4)
    assert game.after(start, "b2") == game.after(start, "#4") == centre
    assert game.allows(start, "b2")
    assert not game.allows(centre, "b2")
    engine = luozi.Engine(game, seed=1, compiled=False, iterations=30)
    for moves in (["b2"], "b2", [4], 4):
        assert engine.think(start, moves=moves).name == "b2"
    begun = game.begin()
    engine.think(begun)
    assert engine.subtree(path=["b2", 0]) == engine.subtree(path=[4, "a3"])
    assert engine.think(begun.play("b2")).reused_visits > 0
    assert "(X)" in str(luozi.picture(game, action="b2"))
    player = luozi.player("mcts:iterations=30", game)
    player.choose(begun)
    player.choose(begun.play("b2"))
    assert player.thought.reused_visits > 0


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("4", "move '4': no move has this name. Write 4 without quotes for action 4, which is b2."),
        (99, "move '99': the actions of this game are 0 to 8. 9 moves are legal, such as "),
        (4.0, "move '4.0': a move is the number of an action, or a name such as 'b2'."),
        (None, "move 'None': a move is the number of an action, or a name such as 'b2'."),
    ],
)
def test_what_is_no_move_gets_a_sentence(move: object, sentence: str) -> None:
    game = luozi.game("tictactoe")
    with pytest.raises(luozi.LuoziError) as caught:
        game.after(game.new_state(), move)  # type: ignore[arg-type]
    assert str(caught.value).startswith(sentence)
