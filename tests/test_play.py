"""Playing in a terminal: whole games through a pipe, commands, Ctrl-C, and what the board looks like."""

from __future__ import annotations

import _thread
import io
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import luozi
from luozi.cli.app import main
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.players import Player, player
from luozi.records import LiveGame, load_record
from luozi.terminal.autosave import Autosave
from luozi.terminal.board import board_text, colour, fold_layers
from luozi.terminal.seats import PERSON, PROGRAM, QUICK_PROGRAM, fill_seats, players_of_seats
from luozi.terminal.thinking import Leave, Waiting

HINT = ("--hint", "mcts:iterations=500")


class Played:
    """A run of `luozi play` with lines typed into a pipe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *arguments: str, typed: str = "", status: int = 0) -> str:
        self.monkeypatch.setattr("sys.stdin", io.StringIO(typed.replace(" / ", "\n") + "\n" if typed else ""))
        assert main(["play", *arguments]) == status
        self.out, self.err = self.capsys.readouterr()
        assert "Traceback" not in self.out + self.err
        return self.out


@pytest.fixture(autouse=True)
def kept_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Games are kept in a folder of each test's own; compiled code stays where it is."""
    monkeypatch.setattr("luozi.terminal.autosave.cache_folder", lambda: tmp_path / "cache")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Played:
    return Played(monkeypatch, capsys)


TWO_PERSONS = ("tictactoe", "--seat", "person", "--seat", "person")


def test_a_whole_game_between_people(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    out = played(*TWO_PERSONS, "--save", str(path), typed="a1 / b1 / a2 / B2 / a3")
    assert "X wins" in out
    assert "(X)" in out
    assert "compiling" not in played.err
    record = load_record(path)
    assert record.results() == [1.0, 0.0]
    assert len(record.actions) == 5


def test_a_whole_game_against_random(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    everywhere = " / ".join(column + row for column in "abc" for row in "123")
    command = ("tictactoe", "--seat", "person", "--seat", "random", "--seed", "3", "--save", str(path))
    out = played(*command, typed=everywhere)
    assert "O plays" in out
    assert load_record(path).results() is not None
    again = load_record(path).actions
    played(*command, "--force", typed=everywhere)
    assert load_record(path).actions == again


def test_bad_moves_get_one_sentence_and_another_try(played: Played) -> None:
    out = played(*TWO_PERSONS, typed="b2 / b2 / b22 / undoo / nonsense words /  / a1")
    assert "move 'b2': the point is occupied" in out
    assert "move 'b22': there is no point 'b22' on this board" in out
    assert "did you mean 'undo'?" in out
    assert "nonsense" in out
    assert "O> a1" in out


def test_the_nearest_legal_move_is_named_on_large_boards(played: Played) -> None:
    out = played("gomoku", "--seat", "person", "--seat", "person", typed="h8 / h888")
    assert "move 'h888': there is no point 'h888' on this board. 224 moves are legal, such as h9, " in out


def test_the_end_of_input_leaves_an_unfinished_game_and_saves_it(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    out = played(*TWO_PERSONS, "--save", str(path), typed="b2")
    assert "resigned" not in out
    assert load_record(path).resigned is None
    assert len(load_record(path).actions) == 1


def test_undo(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    played(*TWO_PERSONS, "--save", str(path), typed="undo / b2 / a1 / undo / c1 / undo / undo / a3 / quit")
    assert load_record(path).text().splitlines()[-1] == "1. X a3"
    assert "no move of yours to take back" in played.out
    assert "saved to" in played.out


def test_undo_takes_back_the_programs_move_too(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    seats = ("--seat", "random", "--seat", "person")
    played("tictactoe:size=5", *seats, "--seed", "1", "--save", str(path), typed="undo / moves / #0 / undo / #1 / quit")
    record = load_record(path)
    assert "no move of yours" in played.out
    assert len(record.actions) in (2, 3)
    assert record.actions[1] == 1


def test_undo_after_the_end(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    out = played(*TWO_PERSONS, "--save", str(path), typed="resign / b2 / undo / a1 / resign / undo / quit")
    assert out.count("O wins (X resigned)") == 1
    assert out.count("X wins (O resigned)") == 1
    assert "the game is over: type undo" in out
    assert load_record(path).resigned is None


def test_save_and_load_during_play(played: Played, tmp_path: Path) -> None:
    path, other = tmp_path / "mine.txt", tmp_path / "other.txt"
    other.write_text("luozi record 1\ngame: go:size=5\nplayers: person | person\n", encoding="utf-8")
    lines = f"b2 / save {path} / a1 / save {path} / save {other} / load {other} / load / load {path} / undo / quit"
    out = played(*TWO_PERSONS, typed=lines)
    assert out.count(f"saved to {path}") == 2  # its own file may be written again
    assert "already a file" in out
    assert "is a record of go:size=5, but this is tictactoe" in out
    assert "write a file's name after load" in out
    assert "the game is saved: 'luozi play --continue' resumes it" in out
    assert other.read_text(encoding="utf-8").startswith("luozi record 1\ngame: go")
    assert len(load_record(path).actions) == 2


def test_going_on_with_a_record(played: Played, tmp_path: Path) -> None:
    path, end = tmp_path / "begun.txt", tmp_path / "end.txt"
    played(*TWO_PERSONS, "--save", str(path), "--seed", "7", typed="a1 / b1 / quit")
    out = played("--load", str(path), "--save", str(end), typed="a2 / b2 / a3 / quit")
    assert "X wins" in out
    assert load_record(end).seed == 7
    assert load_record(end).players == ("person", "person")
    assert len(load_record(end).actions) == 5
    out = played("--load", str(end), typed="")
    assert "X wins" in out
    assert "resigned" not in out
    out = played("--load", str(end), "--seat", "random", "--seat", "random")
    assert "X wins" in out


@pytest.mark.parametrize("name", ["game.txt", "game.sgf"])
@pytest.mark.parametrize("kind", ["gtp", "gomocup", "library"])
def test_a_file_that_is_loaded_starts_no_program(played: Played, tmp_path: Path, name: str, kind: str) -> None:
    path, started = tmp_path / name, tmp_path / "started"
    evil = f"{kind}:touch {started}"
    text = f"luozi record 1\ngame: go:size=5\nplayers: {evil} | person\n"
    path.write_text(f"(;SZ[5]PB[{evil}]PW[person])" if path.suffix == ".sgf" else text, encoding="utf-8")
    played("--load", str(path), status=2)
    assert kind != "gtp" or f"'{kind}:touch {started}' is not run" in played.err
    assert kind != "gtp" or f"add --trust '{kind}:touch {started}'" in played.err
    assert not started.exists()
    played("--load", str(path), "--seat", "random", "--seat", "random")


def test_a_kept_game_goes_on_with_the_programs_that_the_user_chose(played: Played, tmp_path: Path) -> None:
    kept = tmp_path / "cache" / "games" / "kept.txt"
    kept.parent.mkdir(parents=True)
    text = (
        "luozi record 2\ngame: go:size=5\nplayers: person | gtp:cat\nresult: unfinished\n\n1. Black C3\n2. White D3\n"
    )
    kept.write_text(text, encoding="utf-8")
    played("--continue", status=2)
    assert "add --trust gtp:cat" in played.err
    assert "White gtp:cat" in played("--continue", "--trust", "gtp:cat", typed="quit")
    kept.write_text(text, encoding="utf-8")
    assert "White gtp:cat" in played("--continue", typed="quit")


def test_a_game_of_ones_own_is_loaded_where_it_is_named_too(played: Played, tmp_path: Path) -> None:
    from test_record import OWN_GAME

    own, saved = tmp_path / "own.py", tmp_path / "saved.txt"
    own.write_text(OWN_GAME, encoding="utf-8")
    seats = ("--seat", "person", "--seat", "person")
    played(f"{own}:heap=4", *seats, "--save", str(saved), typed=f"1 / save {saved}2 / load {saved}2")
    assert "is not run" not in played.out
    assert "O wins" in played("--continue", typed="3")
    assert "O wins" in played("--load", str(saved), typed="3")
    own.write_text(f"{OWN_GAME}# edited\n", encoding="utf-8")
    played("--load", str(saved), typed="3", status=2)
    assert f"'{own}' is not run: it has changed since you approved it" in played.err
    assert f"add --trust {own}" in played.err
    assert main(["replay", str(saved)]) == 2
    assert main(["replay", str(saved), "--game", str(own)]) == 0
    assert main(["replay", str(saved)]) == 0


@pytest.mark.usefixtures("as_written")
def test_hint(played: Played) -> None:
    out = played(*TWO_PERSONS, *HINT, "--seed", "1", typed="a1 / c3 / a2 / hint / quit")
    assert re.search(r"move +visits +share +X +O +draw", out)
    assert "best line: " in out
    assert "500 iterations" in out
    out = played(*TWO_PERSONS, "--hint", "random", typed="hint / quit")
    assert "random would play" in out


def test_help_moves_and_board(played: Played) -> None:
    out = played(*TWO_PERSONS, typed="help / moves / board / quit")
    assert "resign" in out
    assert "a3 b3 c3 a2 b2 c2 a1 b1 c1" in out
    assert out.count("3  .  .  .") == 2


def test_a_demonstration_where_nobody_is_there(played: Played) -> None:
    out = played("tictactoe", "--seed", "1")
    assert QUICK_PROGRAM in out
    assert re.search(r"X \d+\.\d %, O \d+\.\d %", out)
    assert out.rstrip().splitlines()[-1] in ("A draw", "X wins", "O wins")
    assert "\x1b" not in out


def test_a_game_of_ones_own(played: Played, tmp_path: Path) -> None:
    from test_record import OWN_GAME

    path = tmp_path / "own.py"
    path.write_text(OWN_GAME, encoding="utf-8")
    out = played(f"{path}:heap=4", "--seat", "person", "--seat", "random", typed="4 / 3 / quit")
    assert "move '4': it is not legal here" in out
    assert "O wins" in out


def test_an_error_in_a_game_of_ones_own_names_the_line(played: Played, tmp_path: Path) -> None:
    from test_record import OWN_GAME

    path = tmp_path / "own.py"
    path.write_text(OWN_GAME + "    def show(self, state):\n        return str(1 // 0)\n", encoding="utf-8")
    played(str(path), "--seat", "person", "--seat", "random", typed="1", status=2)
    assert "own.py, line" in played.err
    assert "ZeroDivisionError" in played.err


# Seats --------------------------------------------------------------------------------------------------------------


def test_seats_are_filled() -> None:
    game = luozi.game("five3d")
    assert fill_seats(game, [], True) == [PERSON, PROGRAM, PROGRAM]
    assert fill_seats(game, [], False) == [QUICK_PROGRAM] * 3
    assert fill_seats(game, ["random"], True) == ["random", PROGRAM, PROGRAM]
    with pytest.raises(luozi.LuoziError, match="3 players, but 4 seats"):
        fill_seats(game, ["random"] * 4, True)


def test_equal_programs_draw_different_numbers() -> None:
    game = luozi.game("gomoku")
    one, other = players_of_seats(game, ["random", "random"], 5)
    assert one.spelling == other.spelling == "random"
    assert one.choose(game.new_state()) != other.choose(game.new_state())


# Ctrl-C -------------------------------------------------------------------------------------------------------------


class Slow(Player):
    """Thinks until it is cancelled; presses Ctrl-C itself."""

    def __init__(self, game: luozi.Game, obeys: bool) -> None:
        super().__init__(game)
        self.obeys, self.stopped, self.free = obeys, False, threading.Event()

    def choose(self, state: Any, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        _thread.interrupt_main()
        self.stopped = cancel.wait(60)
        if not self.obeys:
            _thread.interrupt_main()
            self.free.wait()
        return 4


def test_ctrl_c_makes_a_program_move_now() -> None:
    game = luozi.game("tictactoe")
    player = Slow(game, obeys=True)
    assert Waiting().choose(player, game.new_state(), "it thinks") == 4
    assert player.stopped


def test_a_second_ctrl_c_leaves() -> None:
    game = luozi.game("tictactoe")
    player = Slow(game, obeys=False)
    with pytest.raises(Leave):
        Waiting().choose(player, game.new_state(), "it thinks")
    player.free.set()


def test_what_goes_wrong_in_a_program_comes_out() -> None:
    class Broken(Player):
        def choose(self, state: Any, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
            raise luozi.LuoziError("no idea")

    game = luozi.game("tictactoe")
    with pytest.raises(luozi.LuoziError, match="no idea"):
        Waiting().choose(Broken(game), game.new_state(), "it thinks")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError])
def test_leaving_at_the_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, end: type[BaseException]
) -> None:
    typed = iter(["b2", end(), "no", end(), "yes"])

    def ask(prompt: str) -> str:
        line = next(typed)
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", ask)
    path = tmp_path / "game.txt"
    assert main(["play", *TWO_PERSONS, "--save", str(path)]) == 0
    assert "saved to" in capsys.readouterr().out
    assert load_record(path).actions == (4,)
    assert load_record(path).resigned is None


# The board ----------------------------------------------------------------------------------------------------------


def styled(spelling: str, moves: str) -> Any:
    game = luozi.game(spelling)
    state = game.new_state()
    for move in moves.split():
        state = game.after(state, game.string_to_action(state, move))
    return board_text(game, state)


def test_stones_have_colours_and_shapes() -> None:
    text = styled("tictactoe", "b2 a1")
    assert text.plain.splitlines()[3] == "1 (O) .  ."
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}
    assert styles["X"] == colour(0)
    assert styles["O"] == colour(1)
    assert styles["(O)"] == "reverse"


def test_column_names_are_no_stones() -> None:
    text = styled("go:size=19", "O16")
    stones = [span for span in text.spans if span.style in (colour(0), colour(1))]
    rows = {text.plain.count("\n", 0, span.start) for span in stones}
    assert 0 not in rows
    assert 4 in rows


def test_layers_fit_the_screen() -> None:
    game = luozi.game("five3d")
    text = game.show(game.new_state())
    assert fold_layers(text, 200) == text
    for width in (30, 78, 100):
        folded = fold_layers(text, width)
        assert max(map(len, folded.splitlines())) <= width
        assert folded.count("layer") == 6
        assert folded.count(".") == 216


def test_boards_are_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=20).print(styled("gomoku", "h8"), soft_wrap=True)
    assert "(X)" in capsys.readouterr().out


def test_an_endless_line_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("b" * 300_000))
    assert main(["play", "tictactoe", "--seat", "person", "--seat", "random", "--seed", "1"]) == 2
    assert "a line of more than 100,000 characters is no move" in capsys.readouterr().err


def test_a_game_whose_moves_were_all_taken_back_is_not_kept(tmp_path):
    kept = Autosave()
    kept.path = tmp_path / "game.txt"
    game = luozi.game("tictactoe")
    table = LiveGame(game, [player("random", game), player("random", game)], 1)
    table.play(0)
    kept.write(table)
    assert kept.path.exists()
    table.take_back(1)
    kept.write(table)
    assert not kept.path.exists()


@pytest.mark.parametrize("verbose", [False, True])
def test_what_a_search_cut_is_told_only_if_it_is_asked_for(verbose: bool, played: Played) -> None:
    seats = ("--seat", "mcts:iterations=60,decisive_moves=true,seed=1") * 2
    out = played("tictactoe", *seats, *(["--verbose"] if verbose else []))
    assert "60 iterations in" in out
    assert ("cut by decisive_moves" in out) == verbose
    assert bool(re.search(r"\d nodes", out)) == verbose


def test_the_last_stone_of_each_of_three_players_is_marked(played: Played) -> None:
    seats = ("--seat", "person") * 3
    out = played("tictactoe:players=3,size=4,win_length=4", *seats, typed="a1 / b1 / c1 / d1 / quit")
    last = out[out.rindex("\n  1") : out.rindex("\nO>")]
    assert last.split("\n")[1].replace(" ", "") == "1X(O)(L)(X)"
