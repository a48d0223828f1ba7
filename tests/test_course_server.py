"""Luozi as an agent for the course platform for Connect Four."""

from __future__ import annotations

import random
import re
import threading
from typing import Any

import pytest
from conversing import PATIENCE, Partner, ServerInThread, ServerProcess, recite
from hypothesis import given, settings
from hypothesis import strategies as st

from luozi.cli import app as cli
from luozi.search import Engine, Options, SearchResult
from luozi.servers.connect4_agent import serve

QUICK = Options(iterations=60, seed=1)
CAREFUL = Options(iterations=3000, seed=1)
PLACE = re.compile(r"\d+ \d+")


def answers(*lines: str, options: Options = QUICK) -> list[str]:
    return recite(serve, options, "\n".join(lines) + "\n")


class Referee:
    """The platform's own account of a board: `top` and the forbidden cell."""

    def __init__(self, rows: int, columns: int, no_x: int, no_y: int) -> None:
        self.rows, self.columns, self.no_x, self.no_y = rows, columns, no_x, no_y
        self.board = [[0] * columns for _ in range(rows)]
        self.top = [rows] * columns
        if no_x == rows - 1:
            self.top[no_y] = rows - 1

    def play(self, x: int, y: int, side: int) -> str:
        """Place a stone; what became of the game: "", "won" or "full"."""
        assert 0 <= y < self.columns
        assert self.top[y] > 0
        assert x == self.top[y] - 1
        assert (x, y) != (self.no_x, self.no_y)
        self.board[x][y] = side
        self.top[y] -= 1
        if (self.top[y] - 1, y) == (self.no_x, self.no_y):
            self.top[y] -= 1
        if any(self.count(x, y, a, b) + self.count(x, y, -a, -b) >= 3 for a, b in ((0, 1), (1, 0), (1, 1), (1, -1))):
            return "won"
        return "" if any(self.top) else "full"

    def count(self, x: int, y: int, a: int, b: int) -> int:
        inside = 0 <= x + a < self.rows and 0 <= y + b < self.columns
        if not inside or self.board[x + a][y + b] != self.board[x][y]:
            return 0
        return 1 + self.count(x + a, y + b, a, b)

    def moves(self) -> list[tuple[int, int]]:
        return [(top - 1, column) for column, top in enumerate(self.top) if top > 0]


def play_game(partner: Partner, board: tuple[int, int, int, int], first: bool, chance: random.Random) -> str:
    """A game against random moves; who won."""
    assert partner.ask(f"new {' '.join(map(str, board))} {'first' if first else 'second'}") == "ok"
    referee, ours = Referee(*board), first
    while True:
        if ours:
            answer = partner.ask("go")
            assert answer is not None
            assert PLACE.fullmatch(answer)
            x, y = map(int, answer.split())
        else:
            x, y = chance.choice(referee.moves())
            partner.send(f"move {x} {y}")
        ended = referee.play(x, y, 1 + ours)
        if ended:
            assert partner.ask("go") == "error the game is over"
            return "draw" if ended == "full" else "ours" if ours else "theirs"
        ours = not ours


# (0, 4) the top, (3, 4) the middle, (8, 4) the bottom, a corner, none at all
@pytest.mark.parametrize(
    "board", [(9, 10, 0, 4), (9, 10, 3, 4), (9, 10, 8, 4), (9, 9, 8, 0), (9, 9, 0, 8), (12, 12, 5, 11), (9, 9, -1, -1)]
)
def test_whole_games_are_legal_and_mostly_won_against_random_moves(board: tuple[int, int, int, int]) -> None:
    agent = ServerInThread(serve, Options(iterations=1000, seed=1))
    chance = random.Random(1)
    ends = [play_game(agent, board, first, chance) for first in (True, False)]
    assert ends == ["ours", "ours"]
    agent.leave()
    assert agent.gone() == 0


@pytest.mark.parametrize("no_x", [0, 3, 7])
def test_a_full_board_is_played_to_its_last_cell(no_x: int) -> None:
    """In one column stones of both sides alternate, and on 3x3 there is no room for four."""
    agent = ServerInThread(serve, QUICK)
    assert play_game(agent, (8, 1, no_x, 0), True, random.Random(1)) == "draw"
    assert play_game(agent, (3, 3, min(no_x, 2), 1), False, random.Random(1)) == "draw"
    agent.leave()
    assert agent.gone() == 0


def test_a_win_in_one_is_played() -> None:
    moves = ["move 8 0", "move 8 9", "move 7 0", "move 7 9", "move 6 0", "move 6 9"]
    assert answers("new 9 10 0 0 first", *moves, "go", options=CAREFUL) == ["ok", "5 0"]
    assert answers("new 9 10 0 0 second", *moves, "move 8 4", "go", options=CAREFUL) == ["ok", "5 9"]


def test_who_is_to_move_follows_from_the_moves_alone() -> None:
    said = answers("new 9 10 0 0 second", "go", "go", "move 8 9", "go")
    assert said[0] == "ok"
    assert all(PLACE.fullmatch(move) for move in said[1:] if not move.startswith("error"))
    assert len(said) >= 4


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_lines_may_end_in_any_way(end: str) -> None:
    said = recite(serve, QUICK, end.join(["NEW 9 9 4 4 first", "Go", "quit", "go", ""]))
    assert said[0] == "ok"
    assert len(said) == 2


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("new 9 9 4 4", "write new"),
        ("new 9 9 4 4 third", "write new"),
        ("new 9 x 4 4 first", "write new"),
        ("new 0 9 0 0 first", "rows"),
        ("new 99999 9 0 0 first", "rows"),
        ("new 9 9 9 9 first", "blocked"),
        ("move 8", "write move"),
        ("move 8 9", "row 8, column 9"),
        ("move 7 1", "row 7, column 1"),
        ("move -1 1", "row -1, column 1"),
        ("move 4 4", "row 4, column 4"),
        ("g", "no command 'G'"),
        ("\x00\x01", "no command"),
        ("x" * 10**6, "no command"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_changes_nothing(line: str, part: str) -> None:
    said = answers("new 9 9 4 4 second", line, "move 8 0", "move 7 0", "move 6 0", "go")
    assert said[0] == "ok"
    assert said[1].startswith("error ")
    assert part in said[1]
    assert PLACE.fullmatch(said[2])
    assert len(said) == 3


def test_nothing_can_be_played_without_a_game() -> None:
    assert [line.split(":")[0] for line in answers("go", "move 1 1")] == ["error there is no game yet"] * 2


def test_a_new_game_may_start_while_it_thinks() -> None:
    agent = ServerInThread(serve, Options(seconds=10**5, seed=1))
    assert agent.ask("new 9 9 4 4 first") == "ok"
    for _ in range(3):
        answer = agent.ask("go", "new 9 10 8 0 second", "move 7 0")
        if answer != "ok":  # it had not begun to think when `new` came
            assert PLACE.fullmatch(answer or "")
            assert agent.ask() == "ok"
    agent.send("go")
    agent.leave()
    assert agent.gone() == 0


def test_a_move_that_a_new_game_cuts_short_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    think = Engine.think

    def watched(self: Engine, *arguments: Any, **limits: Any) -> SearchResult:
        begun.set()
        return think(self, *arguments, **limits)

    agent = ServerInThread(serve, Options(seconds=10**5, seed=1))
    assert agent.ask("new 9 9 4 4 first") == "ok"
    monkeypatch.setattr(Engine, "think", watched)
    agent.send("go")
    assert begun.wait(PATIENCE)
    assert agent.ask("new 9 9 0 0 first") == "ok"
    agent.leave()
    assert agent.hear() is None


COMMANDS = ["new", "new 9 9 4 4 first", "new 9 9 0 0 second", "move", "move 8 1", "move 7 1", "go", "first", "-1", "9"]
NEARLY = st.lists(st.sampled_from(COMMANDS), max_size=2).map(" ".join)
ANYTHING = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=30, deadline=None)
@given(st.lists((NEARLY | ANYTHING).filter(lambda line: not line.strip().upper().startswith("QUIT")), max_size=12))
def test_no_nonsense_ends_it(lines: list[str]) -> None:
    said = answers(*lines, "new 9 9 8 8 second", "move 7 8", "go")
    assert said[-2] == "ok"
    assert PLACE.fullmatch(said[-1])
    for line in said:
        assert line == "ok" or PLACE.fullmatch(line) or line.startswith("error ")


def test_only_the_search_can_be_served(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("connect4-agent", "gomocup"):
        assert cli.main([command, "--player", "random"]) == 2
        assert "only mcts" in capsys.readouterr().err


def test_a_process_of_its_own() -> None:
    agent = ServerProcess("connect4-agent", "--player", "mcts:iterations=500,seed=1")
    assert play_game(agent, (9, 10, 8, 4), True, random.Random(1)) == "ours"
    agent.send("quit")
    assert agent.gone() == 0
