"""What a contest plays: pairs, rotations, openings, seeds, and one id for one command."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

import luozi
from luozi.matches.openings import Openings, load_openings, random_opening
from luozi.matches.schedule import MatchSchedule
from luozi.messages import LuoziError

TWO = ["random", "flat:playouts=10"]


def test_a_match_of_two_plays_pairs_from_one_opening_with_swapped_seats() -> None:
    contest = MatchSchedule.of("connect4", TWO)
    fixtures = list(contest.fixtures(6))
    assert [fixture.seats for fixture in fixtures] == [(0, 1), (1, 0)] * 3
    assert [fixture.encounter for fixture in fixtures] == [0, 0, 1, 1, 2, 2]
    openings = [contest.opening(fixture) for fixture in fixtures]
    assert openings[0] == openings[1]
    assert openings[2] == openings[3]
    assert len(set(openings)) > 1


def test_three_players_sit_in_every_seat_once_an_encounter() -> None:
    contest = MatchSchedule.of("five3d", ["random", "random", "flat"])
    fixtures = list(contest.fixtures(3))
    assert [fixture.seats for fixture in fixtures] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert {fixture.encounter for fixture in fixtures} == {0}


def test_an_odd_number_of_games_is_rounded_up_to_whole_pairs() -> None:
    contest = MatchSchedule.of("connect4", TWO)
    assert len(list(contest.fixtures(5))) == contest.count(5) == 6


def test_a_round_robin_lets_all_meet_equally_often() -> None:
    contest = MatchSchedule.of("connect4", ["random", "flat", "alphabeta", "minimax"], "round-robin")
    meetings = Counter(frozenset(fixture.seats) for fixture in contest.fixtures(4))
    assert set(meetings.values()) == {4}
    assert set(meetings) == {frozenset(pair) for pair in itertools.combinations(range(4), 2)}


def test_a_gauntlet_has_the_first_player_in_every_game() -> None:
    contest = MatchSchedule.of("connect4", ["random", "flat", "alphabeta"], "gauntlet")
    seats = [fixture.seats for fixture in contest.fixtures(2)]
    assert all(0 in sitting for sitting in seats)
    assert len(seats) == contest.count(2) == 4


def test_a_tournament_of_three_player_games_takes_all_groups_of_three() -> None:
    contest = MatchSchedule.of("tictactoe:players=3,size=4", ["random", "flat", "mcts", "minimax"], "round-robin")
    groups = Counter(frozenset(fixture.seats) for fixture in contest.fixtures(3))
    assert len(groups) == 4
    assert set(groups.values()) == {3}


def test_more_games_begin_with_the_same_games() -> None:
    contest = MatchSchedule.of("connect4", TWO)
    assert list(contest.fixtures(20))[:8] == list(contest.fixtures(8))


def test_seeds_depend_on_who_sits_where_and_not_on_who_was_named_first() -> None:
    one, other = MatchSchedule.of("connect4", TWO), MatchSchedule.of("connect4", TWO[::-1])
    seeds = {}
    for contest in (one, other):
        for fixture in contest.fixtures(8):
            key = (fixture.round, tuple(contest.players[player] for player in fixture.seats))
            seeds.setdefault(key, []).append((contest.seeds(fixture), contest.opening(fixture)))
    assert len(seeds) == 8
    assert all(first == second for first, second in seeds.values())


def test_two_players_of_one_spelling_get_different_seeds() -> None:
    contest = MatchSchedule.of("connect4", ["random", "random"])
    seeds = [seed for fixture in contest.fixtures(10) for seed in contest.seeds(fixture)]
    assert len(set(seeds)) == len(seeds) == 20
    assert contest.labels == ("random", "random #2")


def test_one_command_has_one_id_however_it_is_spelled() -> None:
    one = MatchSchedule.of("gomoku:size=9", ["mcts:iterations=1000,c=0.7", "random"])
    assert one.id == MatchSchedule.of("gomoku: size=9", ["mcts:iterations=1_000, c=0.70", "random"]).id
    assert one.id != MatchSchedule.of("gomoku:size=9", ["mcts:iterations=1000,c=0.7", "random"], seed=2).id
    assert one.id != MatchSchedule.of("gomoku:size=8", ["mcts:iterations=1000,c=0.7", "random"]).id
    assert MatchSchedule.read(one.definition) == one
    assert MatchSchedule.read(one.definition).id == one.id


def test_a_stored_contest_is_read_without_its_game(tmp_path: Path) -> None:
    path = tmp_path / "hex.py"
    path.write_text(Path("examples/morris.py").read_text(encoding="utf-8"), encoding="utf-8")
    definition = MatchSchedule.of(str(path), ["random", "random"]).definition
    path.unlink()
    assert MatchSchedule.read(definition).count(4) == 4


def test_a_changed_outside_program_is_another_contest(tmp_path: Path) -> None:
    path = tmp_path / "engine.sh"
    ids = []
    for status in (3, 4):
        path.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        ids.append(MatchSchedule.of("go:size=5", [f"gtp:sh {path}", "random"]).id)
    assert ids[0] != ids[1]


def test_changed_rules_are_another_contest_and_a_changed_comment_is_not(tmp_path: Path) -> None:
    path, source = tmp_path / "hex.py", Path("examples/morris.py").read_text(encoding="utf-8")

    def contest_of(text: str) -> MatchSchedule:
        path.write_text(text, encoding="utf-8")
        return MatchSchedule.of(str(path), ["random", "random"])

    before = contest_of(source)
    edited = re.sub(r'^(class .*\n    """)', r"\1Edited: ", "# changed\n\n" + source, count=1, flags=re.MULTILINE)
    assert "Edited" in edited
    assert contest_of(edited).id == before.id
    changed = contest_of(source + "\nCHANGED = 1\n")
    assert changed.id != before.id
    assert changed.changes_since(before) == [str(path)]
    assert changed.changes_since(MatchSchedule.of(str(path), ["random", "flat"])) == []


@pytest.mark.parametrize(
    ("game", "players", "kind", "said"),
    [
        ("five3d", TWO, "match", "five3d is played by 3, not 2. Repeat a player to fill the seats"),
        ("connect4", [*TWO, "random"], "match", "connect4 is played by 2, not 3. A tournament can have more players"),
        ("five3d", TWO, "round-robin", "needs at least 3 players, not 2"),
        ("connect4", ["random", "flatt"], "match", "there is no player 'flatt'; did you mean 'flat'"),
        ("connect4", ["random", "flat:sims=3"], "match", "flat has no parameter 'sims'"),
        ("conect4", TWO, "match", "there is no game 'conect4'"),
        ("connect4", TWO, "swiss", "there is no tournament 'swiss'"),
    ],
)
def test_what_can_not_be_played_gets_a_sentence(game: str, players: list[str], kind: str, said: str) -> None:
    with pytest.raises(luozi.LuoziError) as caught:
        MatchSchedule.of(game, players, kind)
    assert said in str(caught.value)


# Openings -------------------------------------------------------------------------------------------------------------


def test_random_openings_are_legal_unfinished_and_repeat() -> None:
    game = luozi.game("tictactoe")
    openings = Openings(plies=7)
    for number in range(50):
        actions = openings.opening(game, 3, number)
        assert actions == openings.opening(game, 3, number)
        state = game.new_state()
        for action in actions:
            assert action in game.legal_list(state)
            state = game.after(state, action)
        assert not game.is_terminal(state)
    assert len({openings.opening(game, 3, number) for number in range(50)}) > 40


def test_openings_get_shorter_where_so_many_moves_end_every_game() -> None:
    game = luozi.game("tictactoe:size=2,win_length=2")
    assert len(random_opening(game, 3, 1)) == 2
    assert len(Openings(plies=1000).opening(game, 1, 0)) == 2


def test_openings_come_from_a_file_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# the centre\n4\n4 4 5  # and so on\n\n#3 1\n", encoding="utf-8")
    game = luozi.game("connect4")
    openings = load_openings(path, game)
    assert [len(line) for line in openings.lines] == [1, 3, 2]
    assert openings.opening(game, 1, 4) == openings.lines[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4\n9\n", "line 2: "),
        ("# nothing\n", "has no openings"),
        ("1 1 1 1 1 1 1\n", "line 1: "),
        ("1 2 1 2 1 2 1\n", "line 1: the game is over after these moves"),
    ],
)
def test_a_wrong_file_of_openings_gets_a_sentence_with_the_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(luozi.LuoziError, match=said):
        load_openings(path, luozi.game("connect4"))


def test_a_missing_file_of_openings_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(luozi.LuoziError, match="can't read the openings"):
        load_openings(tmp_path / "none.txt", luozi.game("connect4"))


def test_an_argument_of_a_program_need_not_be_a_file(tmp_path):
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    for argument in ("x" * 300, "~nosuchuser", "~nosuchuser/x", "a'\0'b", "/"):
        contest = MatchSchedule.of("go", ["random", f"gtp:{engine} {argument}"])
        assert [name for name, _ in contest.files] == [str(engine)]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that not even root can read")
def test_a_file_that_can_not_be_read_is_told_in_one_sentence():
    with pytest.raises(LuoziError, match=r"^'/proc/self/mem' can't be read: .+\. Make it readable\.$"):
        MatchSchedule.of("go", ["random", "gtp:cat /proc/self/mem"])


def test_a_definition_with_a_name_without_end_is_none() -> None:
    long = MatchSchedule.of("connect4", TWO).definition.replace('"random"', f'"{"x" * 10**6}"')
    with pytest.raises(LuoziError, match="is not valid"):
        MatchSchedule.read(long)
