"""Luozi as a Go engine: the Go Text Protocol."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pytest
from conversing import ServerInThread, Talk, recite
from delayed import DelayedStep

from luozi.games.go.points import point_name
from luozi.protocols.gtp import read_command
from luozi.search import Engine, Options, SearchResult
from luozi.servers.conversation import SCRIPT_SECONDS, Conversation
from luozi.servers.gtp.analysis import Analysis
from luozi.servers.gtp.clock import GameClock
from luozi.servers.gtp.move_choice import MoveChoice
from luozi.servers.gtp.server import all_commands, commands_table, new_session, serve
from luozi.servers.gtp.session import INPUT_RULES, GtpOptions

QUICK = Options(iterations=60, seed=1, pool_size=50_000)
CAREFUL = Options(iterations=2000, seed=1, pool_size=100_000)
POINT = re.compile(r"[A-HJ-T]\d+")
GNUGO = shutil.which("gnugo", path="/usr/games:/usr/local/games:/usr/bin:/usr/local/bin")


def answers(*lines: str, options: Options = QUICK, settings: GtpOptions | None = None) -> list[str]:
    """All answers, each without its blank line."""
    output = io.StringIO()
    assert serve(io.StringIO("\n".join(lines) + "\n"), output, options, settings) == 0
    return output.getvalue().removesuffix("\n\n").split("\n\n")


def texts(*lines: str, options: Options = QUICK, settings: GtpOptions | None = None) -> list[str]:
    """The texts of answers that all succeed."""
    said = answers(*lines, options=options, settings=settings)
    assert all(text.startswith("=") for text in said), said
    return [text[1:].strip() for text in said]


def gtp_talk(options: Options = QUICK, settings: GtpOptions | None = None) -> Talk:
    """A session on a small board."""
    return Talk(INPUT_RULES, lambda conversation: new_session(conversation, options, settings or GtpOptions(size=5)))


@pytest.fixture
def talk():
    made = gtp_talk()
    yield made
    made.session.close_search()


def stones(text: str) -> list[str]:
    """Lines that set up a board given in rows."""
    size = len(text.split())
    marked = [("bw"["XO".index(sign)], point) for point, sign in enumerate("".join(text.split())) if sign != "."]
    plays = " ".join(f"{colour} {point_name(size, point)}" for colour, point in marked)
    return [f"boardsize {size}", "komi 0", f"set_position {plays}"]


@pytest.fixture
def engine():
    """An engine that would think for very long."""
    server = ServerInThread(
        lambda *streams: serve(*streams, GtpOptions(size=5, seconds=60)), Options(seed=1, pool_size=200_000)
    )
    yield server
    server.leave()
    assert server.gone() == 0


# The protocol ---------------------------------------------------------------------------------------------------------


def test_an_engine_tells_who_it_is() -> None:
    assert texts("protocol_version", "name", "known_command genmove", "known_command nonsense") == [
        "2",
        "Luozi",
        "true",
        "false",
    ]


def test_every_command_of_version_2_is_there() -> None:
    wanted = """protocol_version name version known_command list_commands quit boardsize clear_board komi
        fixed_handicap place_free_handicap set_free_handicap play genmove undo time_settings time_left final_score
        final_status_list loadsgf reg_genmove showboard"""
    assert set(wanted.split()) <= set(texts("list_commands")[0].split())


def test_commands_of_others_are_there() -> None:
    wanted = """analyze genmove_analyze lz-analyze lz-genmove_analyze kata-analyze kata-genmove_analyze kata-get-rules
        kata-set-rules kata-time_settings kata-list_time_settings gogui-analyze_commands gogui-interrupt
        gogui-play_sequence gogui-setup gogui-setup_player gogui-title gogui-rules_board kgs-genmove_cleanup kgs-rules
        kgs-time_settings kgs-game_over loadsgf printsgf cputime clear_cache get_komi set_position stop"""
    assert set(wanted.split()) <= {listed.name for listed in all_commands()}


@pytest.mark.parametrize(
    ("line", "name", "number"),
    [
        ("play b D4", "play", ""),
        ("  12   play\tb   D4  ", "play", "12"),
        ("12 play b D4 # a remark", "play", "12"),
        ("pl\x07ay b D4\r", "play", ""),
        ("", "", ""),
        ("   # nothing", "", ""),
        ("5", "", "5"),
    ],
)
def test_lines_are_read_as_the_protocol_says(line: str, name: str, number: str) -> None:
    assert read_command(line)[:2] == (number, name)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \t\r\n"])
def test_lines_may_end_in_any_way(end: str) -> None:
    said = recite(serve, QUICK, end.join(["1 boardsize 5", "2 play b C3", "3 quit", ""]))
    assert [line for line in said if line] == ["=1", "=2", "=3"]


def test_numbers_of_commands_come_back_also_with_errors() -> None:
    said = answers("7 name", "8 nonsense", "9 play b Z99", "play x D4")
    assert said[:2] == ["=7 Luozi", "?8 unknown command"]
    assert said[2].startswith("?9 syntax error")
    assert said[3].startswith("? syntax error")


def test_remarks_and_blank_lines_are_not_answered() -> None:
    assert answers("# hello", "", "name", "   ", "#", "name") == ["= Luozi", "= Luozi"]


@pytest.mark.parametrize("size", ["1", "26", "x", "", "9 9", "-5", "9" * 5000])
def test_sizes_that_are_not_offered_are_refused(size: str) -> None:
    said = answers("boardsize 5", f"boardsize {size}", "gogui-rules_board_size")
    assert said[1].startswith("? unacceptable size") or size == "9 9"
    assert said[2] == ("= 9" if size == "9 9" else "= 5")


def test_moves_that_break_the_rules_are_refused_and_nothing_changes() -> None:
    said = answers("boardsize 5", "play b C3", "play w C3", "play b A1", "play b B2", "play w A2", "play w B1", "undo")
    assert said[2].startswith("? illegal move: there is a stone at C3")
    said = answers("boardsize 5", "play b A2", "play b B1", "play w A1", "gogui-rules_side_to_move")
    assert said[3].startswith("? illegal move: it would be suicide")


def test_one_colour_may_play_twice_and_moves_can_be_undone() -> None:
    board = texts("boardsize 3", "play b B2", "play b B1", "play w A1", "undo", "gogui-rules_board")[-1]
    assert board == ". . .\n. X .\n. X ."
    assert answers("boardsize 3", "undo")[-1] == "? cannot undo"


def test_positions_do_not_repeat() -> None:
    rows = [*stones("..... .XO.. XO.O. .XO.. ....."), "play b C3"]
    assert answers(*rows, "play w B3")[-1] == "? illegal move: it would repeat an earlier position"
    assert answers(*rows, "play w A1", "play b E1", "play w B3")[-1] == "="


def test_a_game_may_be_longer_than_any_search_foresees() -> None:
    moves = [f"play {colour} pass" for _ in range(60) for colour in "bw"]
    said = answers("boardsize 3", *moves, "play b B2", "genmove w", "undo", "undo")
    assert all(text.startswith("=") for text in said)


def test_positions_do_not_repeat_however_long_ago_they_were() -> None:
    passes = [f"play {colour} pass" for _ in range(40) for colour in "wb"]
    said = answers(*stones("..... .XO.. XO.O. .XO.. ....."), "play b C3", *passes, "play w B3", "genmove w")
    assert said[-2] == "? illegal move: it would repeat an earlier position"
    assert said[-1].startswith("=")


def test_a_search_that_does_not_know_of_an_old_position_does_not_repeat_it(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk.session.position, "is_repeated", lambda state, action: action < 20)
    assert re.fullmatch("= (pass|.1)", talk.ask("genmove b"))


def test_handicap_stones_stand_where_the_protocol_says() -> None:
    said = answers("boardsize 9", "fixed_handicap 4", "fixed_handicap 2", "clear_board", "fixed_handicap 10")
    assert said[1] == "= C3 G7 C7 G3"
    assert said[2] == "? board not empty"
    assert said[4].startswith("? invalid number of stones")
    for command in ("fixed_handicap 0", "place_free_handicap 0", "fixed_handicap 1"):
        most = 9 if command.startswith("fixed") else 80
        assert answers("boardsize 9", command)[1] == f"? invalid number of stones: it must be 2 to {most}"
    free = answers("boardsize 9", "place_free_handicap 12", "gogui-rules_side_to_move")
    assert len(set(free[1].split()[1:])) == 12
    assert free[2] == "= white"
    said = answers(
        "boardsize 5", "set_free_handicap A1 C3", "clear_board", "set_free_handicap A1", "set_free_handicap A1 A1"
    )
    assert [text[0] for text in said] == ["=", "=", "=", "?", "?"]


def test_nonsense_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # printsgf writes files of any name
    chance = random.Random(1)
    names = [listed.name for listed in all_commands() if "analyze" not in listed.name and "genmove" not in listed.name]
    words = ["b", "w", "D4", "pass", "-1", "9" * 40, "1e99", "nan", "{", "\\", "é", "\x00", "A1", "true", *names]
    lines = [
        " ".join([chance.choice(names), *(chance.choice(words) for _ in range(chance.randrange(5)))])
        for _ in range(300)
    ]
    lines = [line for line in lines if not line.startswith(("quit", "boardsize")) and "quit" not in line.split()[0]]
    said = answers("boardsize 5", *lines, "x" * 100_000, "\x00\x01\xff", "name")
    assert said[-1] == "= Luozi"
    assert not [text for text in said if "unexpected" in text]


def test_a_closed_pipe_ends_it_quietly() -> None:
    command = f"{sys.executable} -m luozi.cli gtp --size 5 --seconds 0.05 | head -1"
    lines = "name\n" * 2000 + "genmove b\n" * 5
    done = subprocess.run(["sh", "-c", command], input=lines, capture_output=True, text=True, timeout=60)
    assert done.stdout == "= Luozi\n"
    assert "Traceback" not in done.stderr


# Moves ----------------------------------------------------------------------------------------------------------------


def test_moves_are_legal_and_on_the_board() -> None:
    said = texts("boardsize 5", *("genmove b", "genmove w") * 6, "showboard")
    assert all(POINT.fullmatch(move) or move in ("pass", "resign") for move in said[1:-1])
    assert len(set(said[1:5])) == 4


def test_a_regression_move_is_not_played() -> None:
    said = texts("boardsize 5", "reg_genmove b", "gogui-rules_board", "reg_genmove b", "gogui-rules_side_to_move")
    assert POINT.fullmatch(said[1])
    assert "X" not in said[2]
    assert said[-1] == "black"


def test_a_stone_in_atari_is_taken() -> None:
    said = texts(*stones("..... ..X.. .XOX. ..... ....."), "genmove b", options=CAREFUL)
    assert said[-1] == "C2"


ALIVE = ".XO.. XXO.O .XOOO XXO.O .XOO."  # White has 15 points, Black 10
DEAD_BLACK = ".XO.. XXO.O .XOO. XXOX. .XOO."


def test_a_pass_is_answered_by_a_pass_where_the_game_is_won() -> None:
    assert texts(*stones(ALIVE), "play b pass", "genmove w", options=CAREFUL)[-1] == "pass"
    assert texts(*stones(DEAD_BLACK), "play b pass", "genmove w", options=CAREFUL)[-1] == "pass"


# Black has an eye of three points in a row: who plays in its middle first lives, or kills. All else is White's.
THREE_IN_A_ROW = "...XO.. XXXXO.. OOOOO.. ....... .OOOOO. ....... ......."


@pytest.mark.parametrize("komi", [-40, -45])  # dead, the group costs Black the game, by its stones or by its eye alone
@pytest.mark.parametrize("passes", [True, False])
def test_a_pass_is_not_answered_by_a_pass_where_a_group_would_die(komi: int, passes: bool) -> None:
    lines = [*stones(THREE_IN_A_ROW), f"komi {komi}", "play w pass", "genmove b"]
    assert texts(*lines, options=CAREFUL, settings=GtpOptions(passes=passes))[-1] == "B7"


@pytest.mark.parametrize(("mean", "played"), [(0.04, "pass"), (0.45, "B1")])
def test_a_pass_is_not_replaced_by_a_move_that_throws_the_game_away(
    mean: float, played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a search that likes a pass best, with half of the games, and then B1."""

    def found(*_about: object) -> Any:
        means = {4: 0.5, 3: mean}
        rows = [SimpleNamespace(action=action, visits=500, means=(one, 1 - one)) for action, one in means.items()]
        return SimpleNamespace(best=rows[0], candidates=rows, player=0)

    monkeypatch.setattr(Conversation, "think", found)
    assert texts("boardsize 2", "kata-set-rules tromp-taylor", "set_position b A1 b A2", "genmove b")[-1] == played


def test_a_game_that_is_lost_and_decided_ends_too() -> None:
    never = GtpOptions(resign=0.0)
    assert texts(*stones(ALIVE), "play w pass", "genmove b", options=CAREFUL, settings=never)[-1] == "pass"


def test_dead_stones_are_taken_before_a_pass_where_the_board_counts_as_it_stands() -> None:
    lines = [*stones("XXO.X .XOOO XXO.. .XO.O XXOO."), "kata-set-rules tromp-taylor", "komi -3"]
    moves = texts(*lines, *("play b pass", "genmove w") * 5, options=CAREFUL)[6::2]
    assert "D5" in moves
    assert "pass" not in moves[: moves.index("D5")]


def test_the_cleanup_of_kgs_captures_before_it_passes() -> None:
    said = texts(*stones("XXO.X X.OO. XXO.. .XO.O XXOO."), "kgs-genmove_cleanup w", "play b pass", options=CAREFUL)
    assert said[-2] in ("D5", "E4")


def test_the_cleanup_of_kgs_plays_like_any_other_move_as_long_as_something_is_left() -> None:
    lines = [*stones("..... ..X.. .XOX. ..... ....."), "{} b"]
    moves = [
        texts(*lines[:-1], lines[-1].format(name), options=CAREFUL)[-1] for name in ("genmove", "kgs-genmove_cleanup")
    ]
    assert moves == ["C2", "C2"]


def test_hopeless_games_are_given_up_and_others_are_not() -> None:
    lines = [*stones(ALIVE), "komi 25", *("play b pass", "play w pass") * 4]
    moves = ["genmove b", "undo", "genmove b", "undo", "genmove b"]
    assert "resign" in texts(*lines, *moves, options=CAREFUL)
    assert "resign" not in texts(*lines, *moves, options=CAREFUL, settings=GtpOptions(resign=0.0))
    assert "resign" not in texts(*lines, *(move.replace(" b", " w") for move in moves), options=CAREFUL)


def test_final_score_and_status_know_dead_stones() -> None:
    lines = [*stones(DEAD_BLACK), "final_score", "final_status_list dead", "final_status_list alive"]
    said = texts(*lines, "final_status_list seki", "kata-set-rules japanese", "final_score", "luozi-ownership")
    assert said[3:5] == ["W+5", "D2"]
    assert "A4" in said[5]
    assert "D2" not in said[5]
    assert said[6] == ""
    assert said[8] == "W+5"  # 7 points and a prisoner against 3
    assert said[9].splitlines()[0] == "1 1 -1 -1 -1"


@pytest.mark.parametrize("words", [[], ["nonsense"]])
def test_a_status_that_is_none_is_refused_without_counting(talk: Talk, words: list[str]) -> None:
    said = talk.ask(" ".join(["final_status_list", *words]))
    assert said == "? syntax error: the status is alive, dead or seki"
    assert talk.session.judged is None


def test_handicap_counts_for_white_by_chinese_rules() -> None:
    lines = ["boardsize 9", "komi 0.5", "fixed_handicap 4"]
    assert texts(*lines, "final_score")[-1] == "B+76.5"
    assert texts(*lines, "kata-set-rules tromp-taylor", "final_score")[-1] == "B+80.5"
    assert texts(*lines, 'kata-set-rules {"whiteHandicapBonus":"0"}', "final_score")[-1] == "B+80.5"


def test_rules_are_told_as_katago_tells_them() -> None:
    said = texts(
        "kata-set-rules japanese",
        "kata-get-rules",
        'kata-set-rules {"scoring":"AREA","suicide":true}',
        "kata-get-rules",
    )
    assert json.loads(said[1])["scoring"] == "TERRITORY"
    assert json.loads(said[3])["suicide"] is True
    assert answers("kata-set-rules ing")[0].startswith("? there are no rules 'ing'")
    assert answers('kata-set-rules {"bad"')[0] == "? this text is not JSON"


def test_a_sequence_is_played_whole_or_not_at_all() -> None:
    said = answers(
        "boardsize 5", "gogui-play_sequence b C3 w C4 b C3", "gogui-rules_board", "gogui-play_sequence b C3 w C4"
    )
    assert said[1].startswith("? illegal move")
    assert "X" not in said[2]
    assert said[3] == "="


def test_games_are_loaded_and_printed_as_sgf(tmp_path) -> None:
    path, other = tmp_path / "a game.sgf", tmp_path / "other.sgf"
    path.write_text("(;SZ[5]KM[0.5]AB[aa][bb]HA[2]RU[Japanese];W[cc];B[cd];W[ee];W[ea])")
    said = texts(f"loadsgf {path}", "gogui-rules_board", f"loadsgf {path} 2", "gogui-rules_board", "get_komi")
    assert said[1] == "X . . . O\n. X . . .\n. . O . .\n. . X . .\n. . . . O"
    assert said[3] == "X . . . .\n. X . . .\n. . O . .\n. . . . .\n. . . . ."
    assert said[4] == "0.5"
    printed = texts(f"loadsgf {path}", f"printsgf {other}", "printsgf")
    assert "AB[aa][bb]" in printed[2]
    assert texts(f"loadsgf {other}", "gogui-rules_board", "gogui-rules_side_to_move")[1:] == [said[1], "black"]
    assert answers("loadsgf /no/such/file.sgf")[0].startswith("? cannot load file: ")
    path.write_text("(;SZ[5];B[cc];W[cc])")
    assert "node 2" in answers(f"loadsgf {path}")[0]


@pytest.mark.parametrize("wrong", ["KM[abc]", "KM[1e400]", "HA[x]", ";B[ee]W[dd]"])
def test_a_broken_file_changes_nothing(tmp_path, wrong: str) -> None:
    path = tmp_path / "broken.sgf"
    path.write_text(f"(;SZ[9]RU[Japanese]{wrong};B[cc])")
    lines = ["boardsize 5", "komi 3.5", "play b C3"]
    said = answers(*lines, "printsgf", f"loadsgf {path}", "printsgf")
    assert said[4].startswith(f"? cannot load file: {path}: ")
    assert said[5] == said[3]


@pytest.mark.parametrize("rules", ["RU[AGA]", "RU[]", ""])
def test_rules_that_a_file_does_not_name_or_nobody_knows_stay_as_they_were(tmp_path, rules: str) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(f"(;SZ[5]{rules};B[cc])")
    said = texts("boardsize 5", "kata-set-rules japanese", "komi 3.5", f"loadsgf {path}", "kata-get-rules", "get_komi")
    assert '"scoring": "TERRITORY"' in said[4]
    assert said[5] == "3.5"


FILES = (
    "(;SZ[5];B[aa];B[bb];W[cc];B[dd])",  # one colour twice
    "(;SZ[5];B[cc];W[dd];AB[ee];B[bb];W[];B[];B[aa])",  # stones set up in between, moves after two passes
    "(;SZ[5];AB[bb][dd];W[cc];B[aa];W[ee])",
    "(;SZ[5]AB[bb]AW[dd];W[cc];W[aa])",
)


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("text", FILES)
def test_a_file_is_loaded_up_to_any_move_as_gnu_go_does(text: str, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(text)
    moves = range(1, text.count(";B[") + text.count(";W[") + 1)
    lines = [
        line for number in moves for line in (f"loadsgf {path} {number}", "list_stones black", "list_stones white")
    ]
    said = subprocess.run(
        [str(GNUGO), "--mode", "gtp"], input="\n".join([*lines, "quit\n"]), capture_output=True, text=True, check=True
    ).stdout.split("\n\n")
    theirs = [
        (said[3 * one].split()[1], *(set(said[3 * one + n].split()[1:]) for n in (1, 2))) for one in range(len(moves))
    ]
    talk, ours = gtp_talk(), []
    for number in moves:
        talk.ask(f"loadsgf {path} {number}")
        signs = list(enumerate(talk.ask("gogui-rules_board").split()[1:]))
        stones = ({point_name(5, point) for point, sign in signs if sign == one} for one in "XO")
        ours.append((talk.ask("gogui-rules_side_to_move").split()[1], *stones))
    assert ours == theirs


def test_a_file_brings_its_handicap_and_leaves_the_rules_it_does_not_name(tmp_path: Path) -> None:
    free, silent = tmp_path / "free.sgf", tmp_path / "silent.sgf"
    free.write_text("(;SZ[5]KM[0.5]RU[Chinese]HA[2]AB[aa][ee];W[cc])")
    silent.write_text("(;SZ[5];B[cc])")
    talk = gtp_talk(settings=GtpOptions(size=5, komi=3.5, rules="japanese"))
    assert talk.ask(f"loadsgf {silent}") == "="
    assert (talk.session.position.terms.komi, talk.session.position.game.rules) == (3.5, "japanese")
    assert talk.ask(f"loadsgf {free}") == "="
    assert talk.session.position.game.head_start == 0.5 + 2  # a point for each stone, wherever they stand
    assert talk.ask("set_position b C3") == "="
    assert talk.session.position.game.head_start == 0.5


def test_a_file_may_take_stones_away_in_the_middle(tmp_path: Path, talk: Talk) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5];B[ab];W[aa];B[ba];W[cc];AE[cc][ab]AW[dd];W[bb])")
    talk.ask(f"loadsgf {path}")
    assert talk.ask("gogui-rules_board") == "= . X . . .\n. O . . .\n. . . . .\n. . . O .\n. . . . ."
    assert talk.session.position.state.captured[2] == 1  # a prisoner is still one
    path.write_text("(;SZ[5];B[ab];AW[aa];AB[ba])")
    assert re.search(r"^\? .*game.sgf: node 3 can't be played: .*no liberty", talk.ask(f"loadsgf {path}"))
    assert talk.session.position.state.captured[2] == 1  # nothing has changed


# Analysis -------------------------------------------------------------------------------------------------------------


def test_an_analysis_streams_until_any_input(engine: ServerInThread) -> None:
    engine.send("1 lz-analyze b 5")
    assert engine.hear() == "=1"
    for _ in range(3):
        told = engine.hear() or ""
        assert re.match(r"info move \S+ visits \d+ winrate \d+ prior \d+ lcb \d+ order 0 pv( \S+)+", told)
    engine.send("2 name")
    while (line := engine.hear()) and line.startswith("info"):
        pass
    assert line == ""
    assert engine.hear() == "=2 Luozi"


def test_moves_that_are_avoided_are_not_searched_and_those_allowed_alone_are() -> None:
    for words, told in (("avoid b C3,pass 1", 24), ("allow b A1,A2 1", 2)):
        said = answers("boardsize 5", f"lz-genmove_analyze b 1 {words}", options=CAREFUL)[-1]
        last = [line for line in said.splitlines() if line.startswith("info")][-1]
        visits = [int(part.split()[0]) for part in last.split("visits ")[1:]]
        assert len(visits) == told
        assert sum(visits) == CAREFUL.iterations
        assert "C3" not in [part.split()[0] for part in last.split("info move ")[1:]]


def test_katagos_form_has_owners_of_points() -> None:
    said = answers(*stones(ALIVE), "kata-analyze b 5 ownership true maxmoves 2 rootInfo true", "name")
    line = said[3].splitlines()[1]
    owners = [float(word) for word in line.partition("ownership ")[2].split()]
    assert len(owners) == 25
    assert owners[0] > 0.5 > -0.5 > owners[4]
    assert line.count("info move") == 2
    assert "rootInfo visits" in line
    assert said[4] == "= Luozi"


def test_a_move_that_is_told_meanwhile_is_played() -> None:
    said = answers("boardsize 5", "kata-genmove_analyze b 5", "gogui-rules_board")
    lines = said[1].splitlines()
    assert lines[0] == "="
    assert lines[-1].startswith("play ")
    assert "X" in said[2]


@pytest.mark.parametrize(("words", "move"), [("avoid b C3 1", "C2"), ("allow b A1,B1 1", "A1"), ("avoid w C3 1", "C3")])
def test_moves_that_are_to_be_avoided_are_not_made(
    talk: Talk, words: str, move: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    thought = SimpleNamespace(candidates=[SimpleNamespace(action=action) for action in (12, 17, 20, 25)])
    monkeypatch.setattr(Analysis, "watch", lambda *_: thought)
    monkeypatch.setattr(MoveChoice, "decided", lambda *_: 12)
    assert talk.ask(f"genmove_analyze b {words}") == f"=\nplay {move}"
    assert [talk.session.position.name(play.action) for play in talk.session.position.plays] == [move]


def test_moves_that_are_only_told_do_not_count_towards_giving_up(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    thought = SimpleNamespace(name="C3")

    def lost(choice: MoveChoice, _thought: object) -> str:
        choice.session.hopeless[choice.player] += 1
        return "resign"

    monkeypatch.setattr(Analysis, "watch", lambda *_: thought)
    monkeypatch.setattr(Conversation, "think", lambda *_: thought)
    monkeypatch.setattr(MoveChoice, "decided", lost)
    assert talk.ask("kata-search_analyze b") == "=\nplay C3"
    assert talk.ask("reg_genmove b") == "= C3"
    assert talk.session.hopeless == [0, 0]
    assert talk.ask("genmove b") == "= resign"
    assert talk.session.hopeless == [1, 0]


@pytest.mark.parametrize("word", ["stop", "# interrupt"])
def test_a_long_thought_is_ended_with_the_best_move_so_far(
    engine: ServerInThread, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, think, thinking = time.monotonic(), Engine.think, threading.Event()

    def watched(searching: Engine, *arguments: Any, **named: Any) -> SearchResult:
        thinking.set()
        return think(searching, *arguments, **named)

    monkeypatch.setattr(Engine, "think", watched)
    engine.send("genmove b")
    assert thinking.wait(40)
    engine.send(word)
    assert re.match(r"= [A-E][1-5]$", engine.hear() or "")
    assert time.monotonic() - began < 40


def test_pondering_ends_when_something_is_asked() -> None:
    settings = GtpOptions(size=5, seconds=0.05, ponder=True)
    server = ServerInThread(lambda *streams: serve(*streams, settings), Options(seed=1, pool_size=100_000))
    for line in ("genmove b", "genmove w", "undo", "genmove w"):
        server.send(line)
        assert (server.hear() or "").startswith("=")
        assert server.hear() == ""
        time.sleep(0.05)
    server.leave()
    assert server.gone() == 0


def test_a_move_passes_six_functions_before_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []
    think = Engine.think

    def watched(engine: Engine, *arguments: Any, **named: Any) -> SearchResult:
        frames = [one for one in traceback.extract_stack() if "/luozi/" in one.filename]
        passed[:] = [one.name for one in frames if "/tests/" not in one.filename]
        return think(engine, *arguments, **named)

    monkeypatch.setattr(Engine, "think", watched)
    assert texts("boardsize 5", "genmove b", "genmove w")[1:]
    assert passed == ["_answer_all", "answer_line", "answer", "genmove", "choose", "think"]


def test_the_tree_is_kept_from_move_to_move_and_after_undo() -> None:
    talk = gtp_talk(Options(iterations=500, seed=1, pool_size=100_000))
    talk.ask("genmove b")
    _name, thought = MoveChoice(talk.session, 1).choose()
    assert thought is not None
    assert thought.reused_visits > 0
    assert talk.ask(f"play w {thought.name}") == talk.ask("undo") == "="
    _name, again = MoveChoice(talk.session, 1).choose()
    assert again is not None
    assert again.reused_visits >= thought.iterations
    talk.session.close_search()


def test_whose_points_are_is_counted_wherever_the_player_simulates() -> None:
    assert gtp_talk(Options.of(iterations=10)).session.options.ownership
    assert not gtp_talk(Options.of(iterations=10, evaluation="static")).session.options.ownership


# Time -----------------------------------------------------------------------------------------------------------------


def game_of(clock: GameClock, moves: int, points: int) -> float:
    """Play so many moves, each as slow as the clock allows and a little more; the least that was ever left."""
    least = 10.0**9
    for move in range(moves):
        seconds = clock.seconds(0, points, 2 * move)
        assert seconds is not None
        least = min(least, clock.left[0].seconds - seconds)
        clock.use(0, seconds + 0.1)
    return least


@pytest.mark.parametrize("main", [10.0, 60.0, 600.0])
def test_sudden_death_is_never_lost_and_most_of_the_time_is_used(main: float) -> None:
    clock = GameClock()
    clock.set(main, 0, 0)
    moves = 60 if main > 30 else 30
    assert game_of(clock, moves, 81) > 0
    assert clock.left[0].seconds < 0.6 * main


@pytest.mark.parametrize(("main", "late"), [(30.0, 0.25), (60.0, 0.5)])
def test_a_busy_machine_does_not_lose_on_time(main: float, late: float) -> None:
    clock = GameClock()
    clock.set(main, 0, 0)
    for move in range(60):
        seconds = clock.seconds(0, 81, 2 * move)
        assert seconds is not None
        clock.use(0, seconds + late)
        assert clock.left[0].seconds > 0


def test_canadian_byo_yomi_is_shared_out() -> None:
    clock = GameClock()
    clock.set(0, 30, 5)
    assert 5 < (clock.seconds(0, 361, 100) or 0) < 6
    assert game_of(clock, 100, 361) > 0


@pytest.mark.parametrize("late", [0.0, 0.1, 0.3])
def test_canadian_byo_yomi_is_not_lost_where_every_move_comes_late(late: float) -> None:
    clock, left = GameClock(), 10.0
    clock.set(0, left, 25)
    for stones_left in range(25, 0, -1):
        clock.tell(0, left, stones_left)
        seconds = clock.seconds(0, 81, 100)
        assert seconds is not None
        clock.use(0, seconds + late)
        left -= seconds + late
        assert left > 0


def test_japanese_byo_yomi_is_used_whole() -> None:
    clock = GameClock()
    clock.set(10, 30, 1, periods=3)
    assert game_of(clock, 1, 361) < 10
    clock.tell(0, 30, 3)
    assert 28 < (clock.seconds(0, 361, 100) or 0) < 30
    assert game_of(clock, 50, 361) > 0


def test_no_limit_is_no_limit() -> None:
    clock = GameClock()
    for settings in ((0, 0, 0), (0, 1, 0)):
        clock.set(*settings)
        assert clock.seconds(0, 81, 0) is None


def serve_uncompiled(input: TextIO, output: TextIO, options: Options, compiling: DelayedStep) -> int:
    """Be an engine whose search is compiled when the test says so."""
    conversation = Conversation(input, output, INPUT_RULES)
    session = new_session(conversation, options, GtpOptions(size=5))
    session.searches = compiling.search
    try:
        return conversation.run(session.answer, session.complain)
    finally:
        session.rest()
        session.close_search()


@pytest.fixture
def delayed() -> Iterator[DelayedStep]:
    step = DelayedStep()
    yield step
    step.go.set()


@pytest.fixture
def uncompiled(delayed: DelayedStep) -> Callable[[Options], ServerInThread]:
    """Starts such a server."""

    def start(options: Options) -> ServerInThread:
        return ServerInThread(lambda *about: serve_uncompiled(*about, delayed), options)

    return start


def test_moves_come_in_time_where_nothing_is_compiled_yet(delayed: DelayedStep) -> None:
    began, output = time.monotonic(), io.StringIO()
    lines = ("boardsize 5", "time_settings 0 1 1", "genmove b", "genmove w", "final_score", "")
    serve_uncompiled(io.StringIO("\n".join(lines)), output, Options(seed=1), delayed)
    said = output.getvalue().removesuffix("\n\n").split("\n\n")
    assert all(text.startswith("=") for text in said)
    assert POINT.fullmatch(said[2][2:])
    assert POINT.fullmatch(said[3][2:])
    assert said[4][2:]
    assert time.monotonic() - began < 30  # a busy machine; without a clock a move takes 5 s


def test_an_analysis_goes_on_with_a_better_search_as_soon_as_it_is_compiled(
    delayed: DelayedStep, uncompiled: Callable[[Options], ServerInThread]
) -> None:
    server = uncompiled(Options(seed=1, pool_size=50_000))
    server.send("lz-analyze b 100000")
    assert server.hear() == "="
    assert delayed.begun.wait(60)
    delayed.go.set()
    assert (server.hear() or "").startswith("info move")  # what the simpler search found; the next news are far off
    server.leave()
    assert server.gone() == 0


def test_a_move_by_iterations_waits_for_the_search_and_the_end_of_the_input_ends_the_waiting(
    delayed: DelayedStep, uncompiled: Callable[[Options], ServerInThread]
) -> None:
    server = uncompiled(QUICK)
    server.send("genmove b")
    assert delayed.begun.wait(60)
    time.sleep(SCRIPT_SECONDS)  # not a script, which gets all the thinking that it asks for
    server.leave()
    assert (server.hear() or "").startswith("=")
    assert server.gone() == 0
    assert not delayed.go.is_set()


def test_clocks_are_set_in_all_ways() -> None:
    said = answers(
        "time_settings 300 10 5",
        "time_left b 12.5 0",
        "kgs-time_settings byoyomi 60 10 3",
        "kata-time_settings canadian 60 10 5",
        "kata-time_settings none",
        "time_settings x",
        "kgs-time_settings fischer 1 2",
        "time_left red 1 1",
    )
    assert [text[0] for text in said] == ["="] * 5 + ["?"] * 3


@pytest.mark.parametrize(
    "wrong",
    [
        *["time_settings -1 10 5", "time_settings 300 -10 5", "time_settings 300 10 -5", "time_left b -1 0"],
        *["kata-time_settings absolute -1", "kgs-time_settings byoyomi 60 -1 3", "kata-time_settings canadian -1 5 5"],
    ],
)
def test_a_time_below_zero_is_refused_and_changes_nothing(talk: Talk, wrong: str) -> None:
    assert talk.ask("time_settings 300 10 5") == "="
    assert talk.ask(wrong).startswith("? syntax error: ")
    clock = talk.session.clock
    assert (clock.main, clock.byo_yomi, clock.stones) == (300, 10, 5)
    assert [one.seconds for one in clock.left] == [300, 300]


# Games against another program ----------------------------------------------------------------------------------------


@pytest.mark.skipif(GNUGO is None, reason="install gnugo (Debian's package of that name)")
@pytest.mark.parametrize(("size", "colour"), [(5, 0), (7, 1)])
def test_a_game_against_gnu_go_ends_with_one_score(size: int, colour: int) -> None:
    """Every move is legal for both, and both count the same at the end."""
    theirs = subprocess.Popen(
        [str(GNUGO), "--mode", "gtp", "--chinese-rules", "--level", "1", "--seed", "3", "--never-resign"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    ours = ServerInThread(lambda *streams: serve(*streams, GtpOptions(resign=0.0)), Options(iterations=1500, seed=2))

    def ask_them(line: str) -> str:
        theirs.stdin.write(line + "\n")
        said = [theirs.stdout.readline()]
        while said[-1].strip():
            said.append(theirs.stdout.readline())
        assert said[0].startswith("="), (line, said)
        return said[0][1:].strip()

    def ask_us(line: str) -> str:
        ours.send(line)
        said = ours.hear() or ""
        assert said.startswith("="), (line, said)
        assert ours.hear() == ""
        return said[1:].strip()

    for line in (f"boardsize {size}", "clear_board", "komi 0.5"):
        ask_them(line), ask_us(line)
    moves: list[str] = []
    while moves[-2:] != ["pass", "pass"]:
        assert len(moves) < 3 * size * size
        name = "bw"[len(moves) % 2]
        first, second = (ask_us, ask_them) if len(moves) % 2 == colour else (ask_them, ask_us)
        moves.append(first(f"genmove {name}").lower())
        assert moves[-1] != "resign"
        second(f"play {name} {moves[-1]}")
    assert ask_us("final_score") == ask_them("final_score")
    theirs.stdin.close()
    theirs.wait()
    ours.leave()
    assert ours.gone() == 0


def test_the_documentation_lists_all_commands() -> None:
    """`luozi gtp --list-commands` prints the table."""
    assert (
        (Path(__file__).parent.parent / "docs" / "en" / "reference" / "gtp.md")
        .read_text(encoding="utf-8")
        .endswith(commands_table() + "\n")
    )
