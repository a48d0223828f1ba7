"""Faulty classes of users are refused by every command that loads them, once, and again when the file is edited."""

from __future__ import annotations

from pathlib import Path

import pytest

import luozi
from luozi.cli.app import main
from luozi.rules import checked

RULES = """
import luozi


class Mine(luozi.Game):
    actions, compilable = 9, False
    state = [("board", "i1", 9), ("count", "i4")]

    def start(self, state):
        state.count = 0

    def current_player(self, state):
        return state.count % 2

    def is_legal(self, state, action):
        return state.board[action] == 0

    def apply_action(self, state, action):
        state.board[action] = 1
        state.count += 1

    def is_terminal(self, state):
        return state.count == 9

    def returns(self, state, returns):
        returns[0] = returns[1] = 0.5
"""
FAULTS = {
    "gives 1000000": RULES.replace(
        "return state.count % 2", "return 1_000_000 if state.count == 5 else state.count % 2"
    ),
    "ZeroDivisionError": RULES.replace(
        "return state.count == 9", "return 1 // (6 - state.count) * 0 or state.count == 9"
    ),
    "is_terminal changes the state's 'board'": RULES.replace(
        "return state.count == 9", "state.board[0] = 2\n        return state.count == 9"
    ),
}
COMMANDS = (
    "think GAME --player mcts:iterations=300",
    "play GAME --seat random --seat random",
    "match random flat --game GAME --games 2 --workers 1",
    "tournament random flat mcts --game GAME --games 2 --workers 1",
    "tune mcts:iterations=9 --against random --param c=0.1:2 --game GAME --games 20 --workers 1",
    "openings GAME",
    "learn GAME",
    "experiment ablation --quick --set game=GAME",
    "experiment cost --quick --set game=GAME",
    "check GAME --games 20",
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checked, "_here", set())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_a_faulty_class(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for fault, rules in FAULTS.items():
        (tmp_path / "mine.py").write_text(rules, encoding="utf-8")
        assert main(command.replace("GAME", "mine.py").split()) == 2
        said = capsys.readouterr()
        assert fault in said.err + said.out


def use(game: luozi.Game, how: str) -> None:
    """One of the ways from Python into a search."""
    if how == "engine":
        luozi.Engine(game)
    elif how == "match":
        luozi.match("random", "random", game=game, games=2, workers=1)
    elif how == "solve":
        luozi.solve(game)
    else:
        luozi.player(how, game)


@pytest.mark.parametrize("how", ["engine", "match", "solve", "mcts", "flat", "random"])
def test_every_way_from_python_refuses_a_faulty_class(how: str) -> None:
    for fault, rules in FAULTS.items():
        scope: dict[str, type[luozi.Game]] = {"__name__": "__main__"}  # type: ignore[dict-item]
        exec(rules, scope)
        with pytest.raises(luozi.LuoziError, match=fault):
            use(scope["Mine"](), how)


def test_a_class_is_checked_once_and_again_when_it_is_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def look(game: luozi.Game) -> bool:
        looked.append(game.spelling)
        return True

    monkeypatch.setattr(checked, "look", look)
    path = tmp_path / "mine.py"
    for rules, times in ((RULES, 1), (RULES, 1), (RULES + "\n# a comment\n", 1), (FAULTS["gives 1000000"], 2)):
        path.write_text(rules, encoding="utf-8")
        monkeypatch.setattr(checked, "_here", set())  # as in another process
        luozi.game("mine.py")
        assert len(looked) == times


def test_a_forgotten_max_length_is_called_so() -> None:
    scope: dict[str, type[luozi.Game]] = {"__name__": "__main__"}  # type: ignore[dict-item]
    exec(
        RULES.replace("actions, comp", "actions, comp")
        .replace("= 9, False", "= 3, False")
        .replace("return state.board[action] == 0", "return True"),
        scope,
    )
    with pytest.raises(luozi.LuoziError, match="the class sets no max_length"):
        luozi.Engine(scope["Mine"])
