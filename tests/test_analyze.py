"""Analysing a game: what each move lost, kept in the SGF file and shown on a page."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import luozi.matches.analysis as reviewing_module
from luozi.cli.app import main
from luozi.matches.analysis import Reviewing
from luozi.messages import LuoziError
from luozi.records.review import NamedCandidate, PositionAnalysis, Review, annotate, read_analysis
from luozi.records.sgf_reader import record_from, record_of
from luozi.records.sgf_text import read_tree, text_of, tree_of

PLAYER = "mcts:iterations=6,seed=1"
pytestmark = pytest.mark.usefixtures("as_written")  # the frame is the same, and a few iterations are soon done
# White leaves a stone in atari twice; Black takes it at the end. A variation and a comment must survive.
GAME = b"(;SZ[5]KM[0.5]PB[Li]PW[Wang];B[cc]C[mine];W[bc];B[bb](;W[cd];B[bd];W[ab];B[ac])(;W[ab]C[better]))"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    path.write_bytes(GAME)
    return path


def run(path: Path, *words: str) -> int:
    return main(["analyze", str(path), "--player", PLAYER, "--workers", "1", *words])


def worse_and_worse(spelling: str, actions: list[int], by: str) -> PositionAnalysis:
    """Made up: each move loses a tenth, Black's and White's in turn."""
    rate = 0.5 - 0.1 * (len(actions) % 2)
    return PositionAnalysis(by, rate, rate, 900, "A1", (NamedCandidate("A1", 900, rate, ("A1",)),), (0,) * 25)


@pytest.mark.parametrize("made_up", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_game_gets_a_file_and_a_page(
    game: Path, capsys: pytest.CaptureFixture[str], made_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if made_up:
        monkeypatch.setattr(reviewing_module, "find", worse_and_worse)
    assert main(["analyze", str(game), "--player", "mcts:iterations=1500,seed=1", "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"move \d+, (Black|White) [A-E]\d: lost \d+\.\d %", said)
    tree = read_tree(game.with_name("game-analysed.sgf"))
    nodes = tree.get_main_sequence()
    findings = [read_analysis(node, 25) for node in nodes]
    assert all(found is not None and len(found.ownership) == 25 for found in findings)
    assert text_of(nodes[1], "C").startswith("mine\n[Luozi] Black ")
    assert 0 <= float(text_of(nodes[1], "SBKV")) <= 100
    assert text_of(nodes[3][1], "C") == "better"
    page = game.with_name("game-analysed.html").read_text()
    assert "Li and Wang" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert page.count("<svg") >= 2


def test_what_was_found_is_not_searched_again(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(game) == 0
    out = game.with_name("game-analysed.sgf")
    before = out.read_bytes()
    monkeypatch.setattr(reviewing_module, "find", lambda *_: pytest.fail("it was searched again"))
    assert run(game) == 0
    assert run(out, "--out", str(out), "--html", str(game.with_name("other.html"))) == 0
    assert out.read_bytes() == before


def test_an_analysis_goes_on_where_it_was_stopped(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, asked = game.with_name("out.sgf"), []

    def tired(spelling: str, actions: list[int], by: str) -> PositionAnalysis:
        asked.append(len(actions))
        if len(asked) == 4:
            raise KeyboardInterrupt
        return worse_and_worse(spelling, actions, by)

    monkeypatch.setattr(reviewing_module, "find", tired)
    assert run(game, "--out", str(out)) == 130
    assert run(game, "--out", str(out)) == 0
    assert asked == [0, 1, 2, 3, 3, 4, 5, 6, 7]


def test_another_player_searches_anew(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviewing_module, "find", worse_and_worse)
    assert run(game) == 0
    longer, shorter = (
        Reviewing(game, f"mcts:iterations={n},seed=1", game.with_name("game-analysed.sgf")) for n in (900, 9)
    )
    assert len(longer.missing()) == 8
    assert not shorter.missing()  # what is there stands on more


def finds(visits: Sequence[int], proven: Sequence[int] = ()) -> Callable[..., PositionAnalysis]:
    """Made up: so many visits at each position, some of them proven."""

    def find(_spelling: str, actions: Sequence[int], by: str) -> PositionAnalysis:
        number = len(actions)
        return PositionAnalysis(by, 0.5, 0.5, visits[number], "A1", (), proven=number in proven)

    return find


@pytest.mark.parametrize("again", ["mcts:iterations=100", "mcts:seconds=0.1"])
def test_a_shorter_analysis_never_overwrites_a_longer_one(
    again: str, game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, words = game.with_name("game-analysed.sgf"), ["analyze", str(game), "--workers", "1", "--player"]
    monkeypatch.setattr(reviewing_module, "find", finds([5000] * 8, proven=[7]))
    assert main([*words, "mcts:iterations=5000,seed=1"]) == 0
    before = out.read_bytes()
    monkeypatch.setattr(reviewing_module, "find", finds([100] * 8))
    assert main([*words, again]) == 0
    assert out.read_bytes() == before
    said = capsys.readouterr().out
    assert "8 positions kept the longer analysis of another player" in said
    other = game.with_name("other.sgf")  # alone, in a file of its own
    assert main([*words, again, "--out", str(other)]) == 0
    assert {found.visits for found in Reviewing(game, again, other).findings.values()} == {100}


def test_each_position_keeps_its_longest_analysis(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = game.with_name("out.sgf")
    monkeypatch.setattr(reviewing_module, "find", finds([50, 900, 50, 900, 50, 900, 50, 900], proven=[0]))
    Reviewing(game, "mcts:seconds=1", out).run(1)
    monkeypatch.setattr(reviewing_module, "find", finds([300] * 8, proven=[7]))
    found = Reviewing(game, "mcts:seconds=2", out).run(1).findings
    assert [found[number].visits for number in range(8)] == [50, 900, 300, 900, 300, 900, 300, 300]
    kept = [read_analysis(node, 25) for node in read_tree(out).get_main_sequence()]
    assert [one.visits for one in kept if one is not None] == [50, 900, 300, 900, 300, 900, 300, 300]


def test_what_would_be_searched_in_vain_is_not_searched(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = game.with_name("out.sgf")
    monkeypatch.setattr(reviewing_module, "find", finds([500] * 8))
    Reviewing(game, "mcts:iterations=500", out).run(1)
    assert Reviewing(game, "mcts:iterations=400", out).missing() == []
    assert len(Reviewing(game, "mcts:iterations=600", out).missing()) == 8


def test_a_file_of_another_game_is_not_overwritten(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = game.with_name("other.sgf")
    other.write_bytes(b"(;SZ[5];B[aa])")
    assert run(game, "--out", str(other)) == 2
    assert "is the analysis of another game" in capsys.readouterr().err
    assert other.read_bytes() == b"(;SZ[5];B[aa])"


@pytest.mark.parametrize("copy", [False, True])
def test_files_of_the_user_are_not_overwritten(game: Path, copy: bool, capsys: pytest.CaptureFixture[str]) -> None:
    mine = game.with_name("mine.sgf") if copy else game
    mine.write_bytes(GAME)
    assert run(game, "--out", str(mine)) == 2
    assert "was not overwritten" in capsys.readouterr().err
    assert run(game, "--html", str(game)) == 2
    assert run(game, "--out", str(game.with_name("out.html"))) == 2
    assert "the page would overwrite the game" in capsys.readouterr().err
    assert game.read_bytes() == mine.read_bytes() == GAME


def test_a_page_of_the_user_is_not_overwritten(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = game.with_name("mine.html")
    mine.write_text("<p>mine</p>")
    monkeypatch.setattr(reviewing_module, "find", lambda *_about: pytest.fail("it was searched"))
    assert run(game, "--html", str(mine)) == 2
    assert "the file exists and is not an analysis page" in capsys.readouterr().err
    assert run(game, "--html", str(game.parent)) == 2
    assert mine.read_text() == "<p>mine</p>"
    mine.unlink()
    monkeypatch.setattr(reviewing_module, "find", worse_and_worse)
    assert run(game, "--html", str(mine)) == 0
    assert run(game, "--html", str(mine)) == 0  # its own page may be written again


def test_an_analysis_that_found_nothing_yet_leaves_no_file(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_about: object) -> PositionAnalysis:
        raise KeyboardInterrupt

    monkeypatch.setattr(reviewing_module, "find", interrupted)
    reviewing = Reviewing(game, PLAYER, game.with_name("out.sgf"))
    with pytest.raises(KeyboardInterrupt):
        reviewing.run(1)
    assert not game.with_name("out.sgf").exists()


def test_a_move_in_the_root_does_not_mix_up_positions(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game.write_bytes(b"(;SZ[5]B[cc];W[bc];B[bb])")
    out = game.with_name("out.sgf")
    monkeypatch.setattr(reviewing_module, "find", lambda _spelling, actions, by: finding_after(len(actions), by))
    review = Reviewing(game, PLAYER, out).run(1)
    again = Reviewing(game, PLAYER, out)
    assert again.missing() == []
    assert again.review.findings == review.findings
    assert {number: found.visits for number, found in again.findings.items()} == {1: 1, 2: 2, 3: 3}


def finding_after(moves: int, by: str) -> PositionAnalysis:
    return PositionAnalysis(by, 0.5, 0.5, moves, "A1", ())


@pytest.mark.parametrize("wrong", ["random", "gtp:gnugo", "flat"])
def test_only_a_search_can_analyse(game: Path, wrong: str) -> None:
    with pytest.raises(LuoziError, match="only mcts, strong and level can analyse"):
        Reviewing(game, wrong, game.with_name("out.sgf"))


def test_losses_are_those_of_the_mover_and_never_negative() -> None:
    record = record_from(b"(;SZ[5];B[cc];W[bc];B[bb])", "it")
    rates = [(0.5, 0.6), (0.4, 0.3), (0.7, 0.8), (0.9, 0.9)]

    def finding(value: float, reply: float, best: str) -> PositionAnalysis:
        return PositionAnalysis("x", value, reply, 900, best, (NamedCandidate(best, 900, 0.5, (best,)),))

    findings = {n: finding(*pair, "C3" if n == 0 else "A1") for n, pair in enumerate(rates)}
    judged = Review(record, findings).judged()
    assert [move.name for move in judged] == ["C3", "B3", "B4"]
    assert judged[0].loss == 0  # it was the best
    assert judged[1].loss == pytest.approx(0.7 - 0.3)  # White had 0.7 with the best move and has 0.3 now
    assert judged[2].loss == 0  # it is even better than the best was thought to be
    assert [move.grade for move in judged] == [0, 3, 0]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "latin-1"])
def test_comments_of_others_stay_as_they_were_in_any_encoding(encoding: str) -> None:
    before = ("é\xa0è" if encoding == "latin-1" else "杀棋\u3000[妙\\]").encode(encoding)
    tree = tree_of(b"(;SZ[5];B[cc]C[" + before + b"];W[bb])", "it")
    record, nodes = record_of(tree, "it"), tree.get_main_sequence()[1:]
    findings = {number: PositionAnalysis("x", 0.5, 0.5, 900, "A1", ()) for number in range(3)}
    for _again in range(2):
        annotate(nodes, Review(record, findings))
    assert nodes[0].get_raw("C") == before + b"\n[Luozi\\] Black 50.0 %, White 50.0 %"


@pytest.mark.long
def test_all_cores_find_what_one_does_also_after_a_kill(game: Path) -> None:
    outs = [game.with_name("one.sgf"), game.with_name("two.sgf")]
    words = [sys.executable, "-m", "luozi.cli", "analyze", str(game), "--player", PLAYER]
    subprocess.run([*words, "--out", str(outs[0]), "--workers", "1"], check=True, capture_output=True)
    process = subprocess.Popen([*words, "--out", str(outs[1]), "--workers", "2"], stdout=subprocess.DEVNULL)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(3)
    process.kill()
    process.wait()
    subprocess.run([*words, "--out", str(outs[1]), "--workers", "2"], check=True, capture_output=True)
    assert outs[0].read_bytes() == outs[1].read_bytes()


@pytest.mark.parametrize("name", [".", "/"])
def test_a_folder_gets_a_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(Path(name)) == 2
    assert "is a folder: name a game in it" in capsys.readouterr().err
