"""Games of Go and Gomoku as SGF: there and back, files of others, and broken ones."""

from __future__ import annotations

import contextlib
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from go_reference import Reference, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf, sgf_moves

import luozi
from luozi.cli.app import main
from luozi.games.go.rules import Go
from luozi.matches.openings import load_openings
from luozi.messages import LuoziError
from luozi.records import Record, load_record, save_record
from luozi.records.moves import CandidateNote, MoveNote
from luozi.records.sgf import sgf_bytes
from luozi.records.sgf_reader import record_from
from luozi.records.sgf_text import text_of, tree_of
from luozi.terminal.seats import PROGRAM, fill_seats, seats_in_file

# As another program writes them: a game of GNU Go's, a Fox server's komi, a variation, a comment with brackets.
FOREIGN = b"""(;GM[1]FF[4]CA[UTF-8]SZ[9]PW[White \\] player]PB[Black]KM[375]RU[Chinese]RE[W+Resign]
;B[ee]C[the middle \\[sic\\]];W[gc](;B[cg];W[];B[dd]N[main])(;B[gg]C[a variation];W[cc]))"""
THOUGHT = {"iterations": 9, "visits": 5, "means": [0.25, 0.75], "line": ["D4"]}


def played(spelling: str, moves: str) -> Record:
    game = luozi.game(spelling)
    state, actions = game.new_state(), []
    for move in moves.split():
        actions.append(game.string_to_action(state, move))
        state = game.after(state, actions[-1])
    comments = tuple(f"move {number} \\ ]x[" if number % 2 else "" for number in range(len(actions)))
    notes = [MoveNote(0.5, THOUGHT, (CandidateNote(1, 5, (0.25, 0.75), 0.5),)), *[MoveNote()] * (len(actions) - 1)]
    return Record(
        game, ("person", "mcts:c=0.7"), tuple(actions), comments, "2026-01-02 03:04:05", 7, None, "", tuple(notes)
    )


@pytest.mark.parametrize(
    ("spelling", "moves"),
    [
        ("go:size=9,komi=6.5", "E5 C3 pass G7 pass pass"),
        ("go:size=5,rules=japanese,handicap=2,komi=0.5", "A1 E1"),
        ("go:size=9,handicap=2,handicap_at=B8.H2,komi=0.5", "E5 C3"),
        ("go:size=9,black=A1.B1,white=J9,first=white", "C3 D4"),
        ("go:size=25", "Z25 A1"),
        ("gomoku", "h8 h9 a1 o15"),
        ("gomoku:size=9,exact_length=true", "e5 d4"),
    ],
)
def test_a_game_comes_back_with_all_that_was_known(spelling: str, moves: str, tmp_path: Path) -> None:
    record, path = played(spelling, moves), tmp_path / "game.sgf"
    save_record(record, path)
    again = load_record(path)
    assert again.game.spelling == record.game.spelling
    assert (again.actions, again.players, again.seed) == (record.actions, record.players, record.seed)
    assert again.comments == record.comments
    assert again.moves == record.moves


@pytest.mark.parametrize(
    "spelling",
    [
        "go:size=9,komi=6.5",
        "go:size=9,handicap=3,komi=0.5",
        "go:size=9,handicap=2,handicap_at=B8.H2,komi=0.5",
        "go:size=5,black=A1,white=E5",
    ],
)
def test_the_standard_properties_alone_tell_the_game(spelling: str) -> None:
    record = played(spelling, "B3 D4 pass E1")
    again = record_from(sgf_bytes(record, data=False), "it")
    ours, theirs = record.states(), again.states()
    assert [state.board.tolist() for state in ours] == [state.board.tolist() for state in theirs]
    assert [state.to_move for state in ours] == [state.to_move for state in theirs]
    assert again.game.head_start == record.game.head_start


@pytest.mark.parametrize("placed", ["", ",handicap_at=A1.E4"])
def test_games_of_a_match_hold_their_handicap_and_replay_from_it(placed: str, tmp_path: Path) -> None:
    store, spelling = tmp_path / "games.db", f"go:size=5,handicap=2{placed},komi=0.5"
    luozi.match("random", "random", game=spelling, games=2, store=store, workers=1)
    assert main(["results", "--db", str(store), "--sgf", str(tmp_path / "games")]) == 0
    for file in sorted((tmp_path / "games").iterdir()):
        root = sgf.Sgf_game.from_bytes(file.read_bytes()).get_root()
        black, white, _empty = root.get_setup_stones()
        assert (root.get("HA"), root.get("KM"), len(black), len(white)) == (2, 0.5, 2, 0)
        assert not placed or black == {(0, 0), (3, 4)}
        with_ours, without = load_record(file), record_from(file.read_bytes().replace(b"LUOZI[", b"OTHERS["), "it")
        assert with_ours.results() == without.results()
        start, end = without.states()[0], without.states()[-1]
        assert (start.to_move, without.game.head_start) == (1, 0.5 + 2)  # Chinese rules: a point for each stone
        assert text_of(root, "RE") in (result_by_area(end, 2.5), "Void")


def result_by_area(state: Any, head_start: float) -> str:
    """The result by the plain rules."""
    area = Reference(5, text=rows(Go(5), state)).score() - head_start
    return f"{'B' if area > 0 else 'W'}+{abs(area):g}"


def test_another_library_sees_the_same_board() -> None:
    record = played("go:size=9,handicap=2", "E5 E4 D5")
    tree = sgf.Sgf_game.from_bytes(sgf_bytes(record))
    board, plays = sgf_moves.get_setup_and_moves(tree)
    for colour, move in plays:
        board.play(*move, colour)
    state = record.states()[-1]
    for row in range(9):
        for column in range(9):
            assert board.get(8 - row, column) == (None, "b", "w")[state.board[9 * row + column]]


def test_a_file_of_another_program_is_read() -> None:
    record = record_from(FOREIGN, "it")
    names = [record.game.action_to_string(None, action) for action in record.actions]
    assert names == ["E5", "G7", "C3", "pass", "D6"]
    assert record.game.komi == 7.5
    assert record.players == ("Black", "White ] player")
    assert record.comments[0] == "the middle [sic]"
    assert record.results() == [0.0, 1.0]


def test_variations_and_properties_of_others_stay_in_the_tree() -> None:
    again = tree_of(tree_of(FOREIGN, "it").serialise(), "it")
    branch = again.get_main_sequence()[2]
    assert len(branch) == 2
    assert text_of(branch[1], "C") == "a variation"
    assert text_of(again.get_last_node(), "N") == "main"


@pytest.mark.parametrize(
    ("start", "encoding"),
    [
        (b"(;CA[GB2312]", "gb2312"),
        (b"(;CA[UTF-8]", "utf-8"),
        (b"(;", "utf-8"),  # as many programs write it, though SGF says Latin-1
        (b"\xef\xbb\xbf(;", "utf-8"),
        (b"\xef\xbb\xbf(;CA[ISO-8859-1]", "utf-8"),
        (b"(;CA[martian]", "utf-8"),
        (b"(;CA[UTF-16]", "utf-8"),  # no SGF file can be in it
    ],
)
def test_names_and_comments_are_read_in_the_encoding_of_the_file(start: bytes, encoding: str) -> None:
    text = "SZ[9]PB[古　力]PW[李世石];B[ee]C[好棋])".encode(encoding)
    record = record_from(start + text, "it")
    assert (*record.players, record.comments[0]) == ("古　力", "李世石", "好棋")
    again = record_from(tree_of(start + text, "it").serialise(), "it")
    assert (again.players, again.comments) == (record.players, record.comments)


def test_latin_letters_without_an_encoding_are_read_as_sgf_says() -> None:
    assert record_from("(;SZ[9]PB[Müller];B[ee])".encode("latin-1"), "it").players[0] == "Müller"


@pytest.mark.parametrize(
    ("text", "spelling", "moves"),
    [
        # Who moves first is who makes the first move, unless the file says it.
        ("(;SZ[9]AB[cc][dd];B[ee])", "black=C7.D6", "E5"),
        ("(;SZ[9]AB[cc][dd];W[ee])", "black=C7.D6,first=white", "E5"),
        ("(;SZ[9]AB[cc]AW[dd];W[ee])", "black=C7,white=D6,first=white", "E5"),
        ("(;SZ[9]AB[cc]AW[dd]PL[B];W[ee])", "black=C7,white=D6", "pass E5"),
        ("(;SZ[9];W[ee];B[cc])", "first=white", "E5 C7"),
        # Stones may be set up in nodes of their own, as some servers do with a handicap.
        ("(;SZ[9];AB[gc][cg]HA[2];W[ee])", "handicap=2", "E5"),
        # A handicap is one wherever its stones stand; what is no handicap gives White no points.
        ("(;SZ[9]HA[2]AB[bb][hh];W[ee])", "handicap=2,handicap_at=B8.H2", "E5"),
        ("(;SZ[9]HA[2]AB[bb][hh];B[ee])", "handicap=2,handicap_at=B8.H2,first=black", "E5"),
        ("(;SZ[9]HA[2]AB[bb][hh][aa];W[ee])", "black=B8.H2.A9,first=white", "E5"),
        ("(;SZ[9]AB[aa:bb];AE[ab:bb]AW[cc];PL[W])", "black=A9.B9,white=C7,first=white", ""),
    ],
)
def test_a_game_starts_from_all_that_comes_before_its_first_move(text: str, spelling: str, moves: str) -> None:
    record = record_from(text.replace(";", ";KM[1.5]", 1).encode(), "it")
    assert record.game.spelling == f"go:size=9,komi=1.5,rules=chinese,{spelling}"
    assert [record.game.action_to_string(None, action) for action in record.actions] == moves.split()


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        *[("6.50000", 6.5), (".5", 0.5), ("6.", 6), ("6,5", 6.5), (" 5.5", 5.5), ("-3.5", -3.5), ("0", 0), ("", 7.5)],
        *[("375", 7.5), ("3.75", 7.5), ("650", 6.5)],
    ],
)
def test_komi_is_read_however_it_is_written(text: str, komi: float) -> None:
    game = record_from(f"(;SZ[9]KM[{text}];B[ee])".encode(), "it").game
    assert isinstance(game, Go)
    assert game.komi == komi


def test_one_colour_twice_becomes_a_pass_between() -> None:
    record = record_from(b"(;SZ[5];B[aa];B[bb];W[cc])", "it")
    assert [record.game.action_to_string(None, action) for action in record.actions] == ["A5", "pass", "B4", "C3"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "line 1, column 1: no game begins here"),
        (b"no game\nat all", "no game begins here"),
        (b"(;SZ[9];B[ee]", "line 1, column 13"),
        (b"(;SZ[9]\n;B[ee]\n;W[dd", "line 3, column 2"),
        (b"(;SZ[9]\n;B;W[dd])", "line 2, column 3: a property stands here without a value"),
        (b"(;SZ[9]\n[x];W[dd])", "it: the game"),
        (b"(;SZ[99];B[ee])", "boards in SGF have 1 to 26 lines"),
        (b"(;SZ[9:13];B[ee])", "boards in SGF have 1 to 26 lines"),
        (b"(;SZ[9];B[ee];W[ee])", "node 2 is a move at E5, which is not legal there"),
        (b"(;SZ[9];B[zz])", r"node 1 has B\[zz\], which is no point"),
        (b"(;SZ[9];B[ee];AB[cc])", "node 2 sets up stones"),
        (b"(;SZ[9];B[ee];C[x];AE[ee])", "node 3 sets up stones"),
        (b"(;SZ[9]AB[ee]AW[ee];B[aa])", "ee is set up twice"),
        (b"(;GM[4]SZ[15]AB[ee];W[aa])", "only games of Go can"),
        (b"(;SZ[5]AB[xx];W[ee])", r"AB\[xx\] names no point"),
        (b"(;GM[2]SZ[9])", r"GM\[2\]"),
        (b"(;SZ[9];B[];W[];B[ee])", "node 3 comes after the end"),
        (b"(;GM[4]SZ[15];B[aa];B[bb])", "second move of B in a row"),
        (b"(;SZ[9]KM[abc];B[ee])", r"it: the root has KM\[abc\], which is no komi"),
        (b"(;SZ[9]KM[1e400];B[ee])", r"the root has KM\[1e400\], which is no komi"),
        (b"(;SZ[9]HA[x];B[ee])", r"it: the root has HA\[x\], which is no number of stones"),
        (b"(;SZ[9];HA[-2]AB[cc][gg];W[ee])", r"node 1 has HA\[-2\], which is no number of stones"),
        (b"(;SZ[9];B[ee]W[dd])", "it: node 1 has two moves: write each into a node of its own"),
        (b"(;SZ[9];B[aa];B[ee][dd])", "it: node 2 has two moves"),
        (b"(;SZ[9]B[ee]W[dd])", "it: the root has two moves"),
        (b"(;LUOZI[{]SZ[9])", "is not JSON"),
        (b"(;SZ[9];B[ee]LUOZI[{}\\])", "line 1"),
        (b"(;SZ[9];B[ee]LUOZI[{}])", "node 1 has data that can't be read"),
    ],
)
def test_what_is_wrong_gets_one_sentence_with_the_place(text: bytes, sentence: str) -> None:
    if sentence == "it: the game":
        assert record_from(text, "it").game.spelling  # a second value of SZ is no harm
        return
    with pytest.raises(LuoziError, match=sentence):
        record_from(text, "it")


def test_a_file_can_not_name_a_class_to_run(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("raise SystemExit('it ran')")
    record = record_from(b'(;SZ[9]LUOZI[{"game":"%s"}];B[ee])' % str(own).encode(), "it")
    assert record.game.spelling.startswith("go:size=9")


@given(st.binary(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_game_or_a_sentence(noise: bytes) -> None:
    for text in (noise, FOREIGN[: len(noise) * 3] + noise + FOREIGN[len(noise) * 3 :]):
        with contextlib.suppress(LuoziError):
            record_from(text, "it").text()


def test_play_and_think_read_and_write_sgf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = tmp_path / "game.sgf", tmp_path / "other.sgf"
    path.write_bytes(b"(;SZ[5]KM[0.5];B[cc];W[cd])")
    assert main(["think", "--load", str(path), "--player", "random", "--json"]) == 0
    assert '"to_move": "Black"' in capsys.readouterr().out
    assert main(["play", "--load", str(path), "--seat", "random", "--seat", "random", "--save", str(other)]) == 0
    again = load_record(other)
    assert again.actions[:2] == (12, 17)
    assert again.results() is not None
    assert main(["play", "tictactoe", "--seat", "random", "--seat", "random", "--save", str(tmp_path / "no.sgf")]) == 2
    assert "can't be written as SGF" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "seats"),
    [
        ("PB[Lee Sedol]PW[Gu Li]", ["person", PROGRAM]),
        ("", ["person", PROGRAM]),
        ("PB[Lee Sedol]PW[random]", ["person", "random"]),
        ("PB[person]PW[person]", ["person", "person"]),
        ('PB[Lee Sedol]PW[Gu Li]LUOZI[{"players":["person","person"\\]}]', ["person", "person"]),
    ],
)
def test_names_of_people_are_no_players(names: str, seats: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(f"(;SZ[5]{names};B[cc];W[cd])", encoding="utf-8")
    record = load_record(path)
    assert fill_seats(record.game, seats_in_file(record), anybody_there=True) == seats


def test_names_of_people_and_the_comment_on_the_game_stay_when_it_is_played_on(tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{name}.sgf" for name in ("first", "second", "third"))
    first.write_text("(;SZ[5]PB[Lee Sedol]PW[Gu \\] Li]C[a famous\ngame];B[cc];W[cd])", encoding="utf-8")
    seats = ["--seat", "random", "--seat", "random"]
    for path, saved in ((first, second), (second, third)):
        assert main(["play", "--load", str(path), *seats, "--save", str(saved)]) == 0
        again = load_record(saved)
        assert (again.called, again.remark) == (("Lee Sedol", "Gu ] Li"), "a famous\ngame")
        assert again.players == ("random", "random")
    assert main(["play", "go:size=5", *seats, "--save", str(tmp_path / "new.sgf")]) == 0
    assert load_record(tmp_path / "new.sgf").names == ()


@pytest.mark.parametrize(
    ("text", "game", "sentence"),
    [
        (b"(;GM[4]SZ[9];B[cc])", "go:size=9", "is a game of kind GM[4]; openings of go:size=9 are GM[1]"),
        (b"(;SZ[15];B[cc])", "gomoku", "is a game of kind GM[1]; openings of gomoku are GM[4]"),
        (b"(;SZ[9];B[cc])", "go:size=5", "has a board of 9x9; openings of go:size=5 need SZ[5]"),
        (b"(;B[cc])", "go:size=5", "has a board of 19x19"),
        (b"(;GM[4]SZ[9];B[cc])", "gomoku", "has a board of 9x9"),
        (b"(;SZ[5]AB[aa];B[cc])", "go:size=5", "sets up stones that go:size=5 does not begin with"),
        (b"(;SZ[5]AW[aa];B[cc])", "go:size=5", "sets up stones"),
        (b"(;GM[4]SZ[15]AB[aa];B[cc])", "gomoku", "sets up stones"),
        (b"(;SZ[5];W[cc])", "go:size=5,handicap=2", "sets up stones that"),
        (b"(;SZ[5]AB[zz];B[cc])", "go:size=5", "AB[zz] names no point of this board"),
        (b"(;GM[4]SZ[4];B[cc])", "hex:size=4", "SGF can't describe openings of hex:size=4"),
    ],
)
def test_openings_of_another_game_or_start_are_refused(text: bytes, game: str, sentence: str, tmp_path: Path) -> None:
    book = tmp_path / "book.sgf"
    book.write_bytes(text)
    with pytest.raises(LuoziError, match=re.escape(sentence)):
        load_openings(book, luozi.game(game))


def test_openings_begin_with_the_stones_of_the_game(tmp_path: Path) -> None:
    book, game = tmp_path / "book.sgf", luozi.game("go:size=9,handicap=2,handicap_at=B8.H2")
    book.write_bytes(b"(;SZ[9]HA[2]AB[bb][hh];W[ee])")
    assert load_openings(book, game).lines == ((40,),)


def test_matches_take_openings_from_sgf_and_give_games_as_sgf(tmp_path: Path) -> None:
    book, store, folder = tmp_path / "book.sgf", tmp_path / "results.db", tmp_path / "games"
    book.write_bytes(b"(;SZ[5];B[cc](;W[bb])(;W[cd];B[dd]))")
    words = ["match", "random:seed=1", "random:seed=2", "-g", "go:size=5", "-n", "4", "--workers", "1"]
    assert main([*words, "--db", str(store), "--openings", str(book)]) == 0
    assert main(["results", "--db", str(store), "--sgf", str(folder)]) == 0
    games = [load_record(path) for path in sorted(folder.iterdir())]
    assert [game.actions[:3] for game in games][1:4:2] == [(12, 6, games[1].actions[2]), (12, 17, 18)]
    assert all(game.results() is not None for game in games)
    assert main(["results", "--db", str(store), "--sgf", str(folder)]) == 2


def test_points_that_are_named_without_end_take_no_memory() -> None:
    content = b"(;GM[1]SZ[19]AB" + b"[aa:ss]" * 60_000 + b"[aa:rr]" * 10_000 + b";B[aa])"
    tracemalloc.start()
    with pytest.raises(LuoziError):
        record_from(content, "the file")
    assert tracemalloc.get_traced_memory()[1] < 200e6
    tracemalloc.stop()
