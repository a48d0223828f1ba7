"""What people write first in Python works, or is answered with what to write."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_record import OWN_GAME

import luozi
from luozi.cli.app import main

TWO = OWN_GAME.replace("class Subtraction", "class First") + OWN_GAME[OWN_GAME.index("class") :].replace(
    "class Subtraction", "class Second"
)


class Small(luozi.Game):
    """Take the only stone."""

    actions, compilable = 1, False
    state = (("taken", "i1"),)

    def __init__(self, size: int = 1) -> None:
        self.size = size

    def start(self, state):
        pass

    def current_player(self, state):
        return state.taken % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.taken = 1

    def is_terminal(self, state):
        return state.taken == 1

    def returns(self, state, returns):
        returns[0], returns[1] = 1.0, 0.0


class Sized(Small):
    def __init__(self, size: int) -> None:
        super().__init__(size)


def test_an_engine_takes_the_text_of_a_player() -> None:
    game = luozi.game("tictactoe")
    assert luozi.Engine(game, "mcts:c=0.7").options == luozi.Options(c=0.7)
    assert luozi.Engine(game, "level:number=3").options.random_move_rate > 0
    with pytest.raises(luozi.LuoziError, match=r"'alphabeta' does not search a tree. Write luozi.player\('alphabeta'"):
        luozi.Engine(game, "alphabeta")
    for wrong in ({"c": 0.7}, 3):
        with pytest.raises(luozi.LuoziError, match=r"is not valid as options\. Write an Options object, text such as"):
            luozi.Engine(game, wrong)  # type: ignore[arg-type]


def test_a_class_is_made_into_a_game() -> None:
    for made in (luozi.Engine(Small).game, luozi.player("random", Small).game, luozi.game(Small)):
        assert isinstance(made, Small)
    assert luozi.solve(Small).values == (1.0, 0.0)
    assert str(luozi.picture(Small))
    with pytest.raises(luozi.LuoziError, match=r"Engine needs a game, not a class: write Sized\(...\) \(.*'size'\)"):
        luozi.Engine(Sized)


def test_what_is_no_game_and_no_player_gets_a_sentence() -> None:
    game = luozi.game("tictactoe")
    for use in (luozi.Engine, luozi.solve, luozi.picture, lambda given: luozi.player("random", given)):
        with pytest.raises(luozi.LuoziError, match=r"needs a game, not 'go': write luozi.game\('go'\)"):
            use("go")
    with pytest.raises(luozi.LuoziError, match="player 3: a player is text"):
        luozi.match(3, "random", game=game, games=2, workers=1)  # type: ignore[arg-type]
    for use in (luozi.solve, luozi.picture):
        with pytest.raises(luozi.LuoziError, match="this is not a position of tictactoe"):
            use(game, "b2")  # type: ignore[arg-type]


def test_public_objects_describe_themselves() -> None:
    game = luozi.game("gomoku:size=7")
    engine = luozi.Engine(game, "mcts:c=0.7,iterations=10", compiled=False)
    assert str(game) == "<Game gomoku:size=7: 2 players, 49 actions>"
    assert str(engine) == "<Engine for gomoku:size=7: mcts:iterations=10,c=0.7, no tree yet>"
    engine.think(game.new_state())
    assert str(engine).endswith("10 visits in the tree>")
    assert str(luozi.player("mcts:c=0.7", game)) == "<EnginePlayer mcts:c=0.7 for gomoku:size=7>"
    assert str(luozi.Options(c=0.7)) == "Options(c=0.7)"
    assert str(luozi.EnginePool(2, 100, 5)) == "<Workers: 2 threads, 0 of 5 engines, 100 MB>"
    assert repr(Small().new_state()) == "<State: taken 0>"
    for one in (Small(), luozi.Playout(), game.board(), engine.start(game.new_state())):
        assert " object at 0x" not in repr(one)


def test_a_name_selects_one_of_two_classes_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.py"
    path.write_text(TWO, encoding="utf-8")
    lists_both = f"two.py has 2 game classes: First, Second. Write {path}:First or {path}:Second."
    for command in ("think", "check", "play", "games", "openings", "match random random --game"):
        assert main([*command.split(), str(path)]) == 2
        assert lists_both in capsys.readouterr().err
    for name in ("First", "Second"):
        made = luozi.game(f"{path}:{name},heap=5")
        assert (type(made).__name__, made.spelling) == (name, f"{path}:{name},heap=5")
        assert main(["games", f"{path}:{name}"]) == 0
    with pytest.raises(luozi.LuoziError, match="has no game class 'Frist'; did you mean 'First'"):
        luozi.game(f"{path}:Frist")


def test_records_and_matches_keep_the_name_of_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.py").write_text(TWO, encoding="utf-8")
    command = "play two.py:First,heap=5 --seat random --seat random --save game.txt"
    assert main(command.split()) == 0
    assert "game: two.py:First,heap=5" in Path("game.txt").read_text(encoding="utf-8")
    assert main(["replay", "game.txt", "--game", "two.py"]) == 0
    assert luozi.match("random", "random", game="two.py:Second", games=2, workers=1).game.startswith("two.py:Second")


def test_a_class_that_others_are_made_from_is_not_the_game(tmp_path: Path) -> None:
    path = tmp_path / "helped.py"
    path.write_text(f"{OWN_GAME}\n\nclass Mine(Subtraction):\n    pass\n", encoding="utf-8")
    assert type(luozi.game(str(path))).__name__ == "Mine"
    assert type(luozi.game(f"{path}:Subtraction")).__name__ == "Subtraction"


def test_openings_may_be_lines_of_named_moves() -> None:
    summary = luozi.match("random", "random", game="connect4", games=4, workers=1, openings=["4 4", (0, "1")])
    assert (summary.counted, summary.openings) == (4, "2 given openings")
    with pytest.raises(luozi.LuoziError, match="move '9': there is no column '9'"):
        luozi.match("random", "random", game="connect4", games=4, workers=1, openings=["4 9"])
