"""Luozi as a Gomocup brain."""

from __future__ import annotations

import io
import random
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from conversing import Partner, ServerInThread, ServerProcess, Talk, recite
from hypothesis import given, settings
from hypothesis import strategies as st

from luozi.search import Options
from luozi.servers.gomocup import session as gomocup_session
from luozi.servers.gomocup.info import GomocupInfo
from luozi.servers.gomocup.server import INPUT_RULES, new_session, serve
from luozi.servers.gomocup.session import GomocupSession
from luozi.util.machine import resident_bytes

QUICK = Options(iterations=60, seed=1)
CAREFUL = Options(iterations=4000, seed=1)  # finds a win in one
ENDLESS = Options(seed=1)
PLACE = re.compile(r"\d+,\d+")


def answers(*lines: str, options: Options = QUICK) -> list[str]:
    """The answers that are no remarks."""
    return [
        line for line in recite(serve, options, "\n".join(lines) + "\n") if not line.startswith(("MESSAGE", "DEBUG"))
    ]


def gomocup_talk(options: Options) -> Talk:
    """A session that answers one line at a time."""
    return Talk(INPUT_RULES, lambda conversation: new_session(conversation, options))


def placed(*places: str) -> list[str]:
    """Lines that set up a position without any thinking: PLAY moves for whoever is to move."""
    return [f"PLAY {place}" for place in places]


@pytest.fixture
def brain():
    """A brain that would think for very long."""
    server = ServerInThread(serve, ENDLESS)
    yield server
    server.leave()
    assert server.gone() == 0


# The commands one by one --------------------------------------------------------------------------------------------


def test_a_game_begins_with_a_board() -> None:
    said = answers("START 20", "BEGIN", "TURN 3,4", "END")
    assert said[0] == "OK"
    assert len(said) == 3
    assert all(PLACE.fullmatch(move) for move in said[1:])
    assert "3,4" not in said


def test_a_brain_tells_who_it_is_before_any_game() -> None:
    assert answers("ABOUT")[0].startswith('name="Luozi", version="')


def test_remarks_tell_depth_win_rate_and_the_expected_line() -> None:
    remarks = [line for line in recite(serve, QUICK, "START 15\nBEGIN\n") if line.startswith(("MESSAGE", "DEBUG"))]
    assert re.fullmatch(r"MESSAGE depth \d+, win rate [\d.]+ %, line( \d+,\d+)+", remarks[0])
    assert "60 iterations" in remarks[1]


def test_the_tree_is_kept_where_the_expected_move_comes() -> None:
    brain = ServerInThread(serve, Options(iterations=20_000, seed=1))
    brain.send("START 6", "INFO timeout_turn 100000", "BEGIN")
    assert brain.hear() == "OK"
    expected = re.findall(r"\d+,\d+", brain.hear() or "")[1]
    assert "kept" not in (brain.hear() or "")
    assert PLACE.fullmatch(brain.ask() or "")
    brain.send(f"TURN {expected}")
    assert (brain.hear() or "").startswith("MESSAGE")
    assert "visits kept" in (brain.hear() or "")
    brain.leave()
    assert brain.gone() == 0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "  \r\n"])
def test_lines_may_end_in_any_way(end: str) -> None:
    said = recite(serve, QUICK, end.join(["start 15", "Info timeout_turn 1000", "BEGIN", "END", ""]))
    assert said[0] == "OK"
    assert PLACE.fullmatch(said[-1])


@pytest.mark.parametrize(
    "line",
    ["START 0", "START 46", "START", "START x", "START 15 15", "RECTSTART 2048,2", "RECTSTART 15", "START 99999"],
)
def test_a_board_that_is_not_offered_is_refused(line: str) -> None:
    said = answers(line, "BEGIN", "START 6", "BEGIN")
    assert [word.split()[0] for word in said[:2]] == ["ERROR", "ERROR"]
    assert said[2] == "OK"
    assert PLACE.fullmatch(said[3])


def test_boards_need_not_be_square() -> None:
    said = answers("RECTSTART 30,8", "PLAY 29,7", "PLAY 8,8", "TURN 0,7")
    assert said[:2] == ["OK", "29,7"]
    assert said[2].startswith("ERROR 8,8 is not on the board")
    column, row = map(int, said[3].split(","))
    assert column < 30
    assert row < 8


@pytest.mark.parametrize("line", ["BEGIN", "TURN 1,1", "PLAY 1,1", "TAKEBACK 1,1", "BOARD", "SWAP2BOARD", "RESTART"])
def test_nothing_can_be_played_without_a_board(line: str) -> None:
    assert answers(line)[0].startswith("ERROR there is no board yet")


def test_an_occupied_cell_is_refused_and_nothing_changes() -> None:
    said = answers("START 6", *placed("2,2", "3,3"), "TURN 2,2", "TURN 6,0", "TURN a,b", "TAKEBACK 3,3")
    assert said[3] == "ERROR there is a stone at 2,2 already"
    assert said[4] == "ERROR 6,0 is not on the board"
    assert said[5].startswith("ERROR write a place")
    assert said[6] == "OK"


def test_only_the_last_stone_can_be_taken_back() -> None:
    said = answers("START 6", *placed("2,2", "3,3"), "TAKEBACK 2,2", "TAKEBACK 3,3", "TAKEBACK 2,2", "BEGIN")
    assert said[3].startswith("ERROR the stone at 2,2 is not the last one")
    assert said[4:6] == ["OK", "OK"]
    assert PLACE.fullmatch(said[6])


def test_a_finished_game_takes_no_moves_until_the_next_one() -> None:
    won = placed("0,0", "0,1", "1,0", "1,1", "2,0", "2,1", "3,0", "3,1")
    said = answers("START 6", *won, "TURN 4,0", "TURN 5,5", "BEGIN", "RESTART", "BEGIN")
    assert said[9:11] == ["ERROR the game is over"] * 2
    assert said[11].startswith("ERROR BEGIN is for an empty board")
    assert said[12] == "OK"
    assert PLACE.fullmatch(said[13])


def test_a_win_taken_back_is_none() -> None:
    won = placed("0,0", "0,1", "1,0", "1,1", "2,0", "2,1", "3,0", "3,1", "4,0")
    said = answers("START 15", *won, "TAKEBACK 4,0", "TURN 9,9")
    assert PLACE.fullmatch(said[-1])


# Whole positions ----------------------------------------------------------------------------------------------------

FOUR = ["3,3", "4,3", "5,3", "6,3"]
OTHERS = ["0,0", "2,3", "9,9", "14,0"]


@pytest.mark.parametrize("extra", [[], ["14,14,2"], ["14,14,1"], ["14,14,2", "13,12,2", "1,12,2"]])
def test_a_board_can_be_any_sides(extra: list[str]) -> None:
    board = [f"{place},1" for place in FOUR] + [f"{place},2" for place in OTHERS] + extra
    assert answers("START 15", "BOARD", *board, "DONE", options=CAREFUL)[1] == "7,3"


def test_the_game_goes_on_from_a_board() -> None:
    said = answers("START 15", "BOARD", "7,7,2", "DONE", "TURN 7,7", "TURN 0,0", "TAKEBACK 0,0")
    assert PLACE.fullmatch(said[1])
    assert said[2].startswith("ERROR there is a stone")
    assert PLACE.fullmatch(said[3])
    assert said[4].startswith("ERROR the stone at 0,0 is not the last one")


def test_a_cell_of_nobody_is_closed() -> None:
    board = [f"{place},1" for place in FOUR] + [f"{place},2" for place in OTHERS]
    said = answers("START 15", "BOARD", *board, "7,3,3", "DONE", "TURN 7,3", options=CAREFUL)
    assert said[1] != "7,3"
    assert said[2] == "ERROR there is a stone at 7,3 already"


@pytest.mark.parametrize("wrong", ["7,7,4", "7,7", "15,0,1", "-1,0,1", "1,1,1\n1,1,2", "9" * 500, "1,2,3,4"])
def test_a_wrong_board_is_refused_and_nothing_changes(wrong: str) -> None:
    said = answers("START 15", *placed("2,2"), "BOARD", "5,5,1", wrong, "DONE", "TAKEBACK 2,2")
    assert said[2].startswith("ERROR")
    assert said[3] == "OK"
    assert len(said) == 4


def test_a_board_that_is_won_already_is_refused() -> None:
    board = [f"{place},2" for place in [*FOUR, "7,3"]]
    assert answers("START 15", "BOARD", *board, "DONE")[1] == "ERROR the game is over"
    assert answers("START 6", "BOARD", *[f"{n},0,2" for n in range(5)], "DONE")[1] == "ERROR the game is over"


def test_a_board_without_done_ends_with_the_next_command_or_the_input() -> None:
    said = answers("START 6", "BOARD", "1,1,1", "START 6", "BOARD", "1,1,1")
    assert said[0] == "OK"
    assert "DONE is missing" in said[1]
    assert said[2:] == ["OK"]


# Swap2 --------------------------------------------------------------------------------------------------------------


def test_an_opening_of_three_stones_is_proposed() -> None:
    for size in (6, 15):
        stones = answers(f"START {size}", "INFO timeout_turn 300", "SWAP2BOARD", "DONE")[1].split()
        assert len(set(stones)) == 3
        assert all(max(map(int, stone.split(","))) < size for stone in stones)


@pytest.mark.parametrize(
    ("stones", "win_rate", "expected"),
    [
        (["7,7", "8,8", "6,6"], 0.6, "1,1"),
        (["7,7", "8,8", "6,6"], 0.4, "SWAP"),
        (["7,7", "8,8", "6,6"], 0.5, None),
        (["7,7", "8,8", "6,6", "3,3", "9,8"], 0.6, "1,1"),
        (["7,7", "8,8", "6,6", "3,3", "9,8"], 0.5, "1,1"),
        (["7,7", "8,8", "6,6", "3,3", "9,8"], 0.4, "SWAP"),
    ],
)
def test_the_better_side_is_taken_and_two_stones_are_placed_if_there_is_none(
    monkeypatch: pytest.MonkeyPatch, stones: list[str], win_rate: float, expected: str | None
) -> None:
    thought = SimpleNamespace(action=16, player=1, nodes=1, best=SimpleNamespace(means=(1 - win_rate, win_rate)))
    monkeypatch.setattr(GomocupSession, "consider", lambda self, position, deadline: thought)
    said = answers("START 15", "INFO timeout_turn 200", "SWAP2BOARD", *stones, "DONE")
    if expected is not None:
        assert said[1:] == [expected]
    else:
        assert len({*said[1].split(), *stones}) == 5


def test_a_game_goes_on_after_swap2() -> None:
    for stones in (["7,7", "8,8", "6,6"], ["7,7", "8,8", "6,6", "3,3", "9,8"]):
        said = answers("START 15", "INFO timeout_turn 300", "SWAP2BOARD", *stones, "DONE", "TURN 0,14", "TURN 7,7")
        assert re.fullmatch(r"SWAP|\d+,\d+( \d+,\d+)?", said[1])
        assert PLACE.fullmatch(said[2])
        assert said[3].startswith("ERROR there is a stone")


@pytest.mark.parametrize("stones", [["7,7"], ["7,7", "7,7", "8,8"], ["7,7", "8,8", "99,9"], ["1,1,1"] * 3])
def test_no_other_opening_is_taken(stones: list[str]) -> None:
    said = answers("START 15", *placed("0,0"), "SWAP2BOARD", *stones, "DONE", "TAKEBACK 0,0")
    assert said[2].startswith("ERROR")
    assert said[3] == "OK"


# Rules --------------------------------------------------------------------------------------------------------------

NEARLY_SIX = placed("0,0", "0,9", "1,0", "2,9", "2,0", "4,9", "4,0", "6,9", "5,0", "8,9")


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize(("rule", "is_over"), [(0, True), (1, False)])
def test_six_in_a_row_win_unless_the_rule_is_exactly_five(order: str, rule: int, is_over: bool) -> None:
    opening = [f"INFO rule {rule}", "START 15"] if order == "before" else ["START 15", f"INFO rule {rule}"]
    last = answers(*opening, *NEARLY_SIX, "TURN 3,0")[-1]
    assert (last == "ERROR the game is over") == is_over
    assert bool(PLACE.fullmatch(last)) != is_over


@pytest.mark.parametrize("size", [6, 15])
def test_a_continuous_game_goes_on_after_a_five_whose_stones_count_for_nobody(size: int) -> None:
    end = size - 1
    five = placed("0,0", f"0,{end}", "1,0", f"2,{end}", "2,0", f"4,{end}", "4,0", f"1,{end}", "3,0", f"5,{end}")
    assert answers("INFO rule 0", f"START {size}", *five)[-1] == "ERROR the game is over"
    said = answers("INFO rule 2", f"START {size}", *five, "TURN 5,0")  # a sixth stone beside the dead five
    assert not [word for word in said if word.startswith("ERROR")]
    assert PLACE.fullmatch(said[-1])


def test_a_five_of_a_continuous_game_can_be_taken_back() -> None:
    five = placed("0,0", "0,9", "1,0", "2,9", "2,0", "4,9", "4,0", "6,9", "3,0")
    said = answers("INFO rule 2", "START 15", *five, "TAKEBACK 3,0", "INFO rule 0", *placed("3,0"), "TURN 5,5")
    assert said[-1] == "ERROR the game is over"


@pytest.mark.parametrize(("rule", "name"), [(4, "renju"), (5, "renju"), (8, "caro"), (16, "unknown")])
def test_other_rules_are_refused(rule: int, name: str) -> None:
    said = answers(f"INFO rule {rule}", "START 6", "BEGIN", "INFO rule 0", "START 6", "BEGIN")
    assert "unsupported rule" in said[0]
    assert name in said[0]
    assert said[2] == "OK"
    assert PLACE.fullmatch(said[3])
    late = answers("START 6", f"INFO rule {rule}", "BEGIN", "TURN 1,1", "INFO rule 1", "BEGIN")
    assert [line.startswith("ERROR unsupported rule") for line in late] == [False, True, True, True, False]


# What INFO tells ----------------------------------------------------------------------------------------------------


def test_info_is_never_answered_unless_it_is_wrong() -> None:
    keys = ("timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "rule", "unheard_of")
    assert answers(*(f"INFO {key} 1" for key in keys), "INFO folder /some where", "INFO evaluate_not 1", "INFO") == []
    assert answers("INFO timeout_turn soon")[0].startswith("ERROR INFO timeout_turn needs a whole number")


def test_info_evaluate_tells_what_the_search_found() -> None:
    said = recite(serve, CAREFUL, "START 15\nBEGIN\nINFO evaluate 3,4\n")
    assert re.fullmatch(r"DEBUG 3,4 had [\d,]+ visits and a win rate of [\d.]+ %", said[-1])


@given(st.integers(1, 10**6), st.integers(1, 10**7), st.integers(0, 10**7), st.floats(0, 100))
def test_time_is_never_used_up(turn: int, match: int, left: int, used: float) -> None:
    told = GomocupInfo(timeout_turn=turn, timeout_match=match, time_left=left)
    told.use(used)
    seconds = told.seconds()
    assert seconds > 0
    remaining = min(left / 1000, match / 1000) - used
    if remaining > 0:
        assert seconds < min(turn / 1000, remaining / 10)


def test_own_limits_and_the_protocols_hold_together() -> None:
    assert GomocupInfo(timeout_turn=10_000).seconds(own_limit=1.0) <= 1.0
    assert GomocupInfo(timeout_turn=1_000).seconds(own_limit=10.0) <= 1.0
    assert GomocupInfo(timeout_turn=0).seconds() <= 0.1
    assert GomocupInfo(timeout_turn=2**31 - 1, time_left=2**31 - 1).seconds() <= 10
    assert GomocupInfo(time_left=0).seconds() == GomocupInfo().seconds()


def test_a_match_that_lasts_takes_ever_less_time_a_move() -> None:
    told = GomocupInfo(timeout_turn=30_000, timeout_match=60_000)
    for _ in range(200):
        told.use(told.seconds())
    assert told.seconds_left() > 0
    told.new_game()
    assert told.seconds_left() == 60


def test_less_memory_is_a_smaller_pool() -> None:
    assert GomocupInfo().pool_megabytes() == 0
    large, small = GomocupInfo(max_memory=10**10).pool_megabytes(), GomocupInfo(max_memory=10**8).pool_megabytes()
    assert 0 < small < large < 10**4
    talk = gomocup_talk(Options(max_memory_mb=1.0))
    assert talk.ask("START 15") == "OK"
    pool = len(talk.session.the_engine().tree.words)
    assert talk.ask("INFO max_memory 100000000") == ""
    assert len(talk.session.the_engine().tree.words) == pool
    free = gomocup_talk(Options())
    assert free.ask("INFO max_memory 100000000", "START 15") == "OK"
    assert pool < len(free.session.the_engine().tree.words) < 3 * pool


# While it thinks ----------------------------------------------------------------------------------------------------


def test_stop_makes_it_move_now(brain: Partner) -> None:
    assert brain.ask("START 15", "INFO timeout_turn 10000000") == "OK"
    for stop in ("STOP", "YXSTOP"):
        brain.send("RESTART", "BEGIN")
        assert brain.hear() == "OK"
        assert PLACE.fullmatch(brain.ask(stop) or "")


def test_other_lines_wait(brain: Partner) -> None:
    assert brain.ask("START 15", "INFO timeout_turn 10000000") == "OK"
    brain.send("BEGIN", "INFO timeout_turn 1", "RESTART", "ABOUT", "STOP")
    assert PLACE.fullmatch(brain.ask() or "")
    assert brain.ask() == "OK"
    assert (brain.ask() or "").startswith("name=")
    assert PLACE.fullmatch(brain.ask("BEGIN") or "")


@pytest.mark.parametrize("end", ["END", None])
def test_it_leaves_at_once(brain: ServerInThread, end: str | None) -> None:
    assert brain.ask("START 15", "INFO timeout_turn 10000000") == "OK"
    brain.send("BEGIN")
    if end:
        brain.send(end)
    else:
        brain.leave()
    assert brain.gone() == 0


def test_it_leaves_when_nobody_listens() -> None:
    class Closed:
        def write(self, text: str) -> None:
            raise BrokenPipeError

    assert serve(io.StringIO("START 6\nBEGIN\nABOUT\n"), Closed(), QUICK) == 0  # type: ignore[arg-type]


# Nonsense -----------------------------------------------------------------------------------------------------------

WORDS = ["START", "TURN", "BEGIN", "BOARD", "DONE", "INFO", "ABOUT", "RECTSTART", "RESTART", "TAKEBACK", "PLAY", "STOP"]
KEYS = ["timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "evaluate", "folder"]
ARGUMENTS = ["", "6", "6,6", "1,1", "1,1,1", "2,1,2", "-1,0", "x", "1e9", "9" * 30, "\x00\xff", *KEYS]
NEARLY = st.lists(st.sampled_from([*WORDS, *ARGUMENTS, "SWAP2BOARD"]), max_size=3).map(" ".join)
ANYTHING = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=30)


def is_harmless(line: str) -> bool:
    """Whether a line neither ends the conversation nor makes the test slow by a large board."""
    return not line.strip().upper().startswith("END") and not re.search(r"START\W*\w{2}", line.upper())


@settings(max_examples=30, deadline=None)
@given(st.lists((NEARLY | ANYTHING).filter(is_harmless), max_size=12))
def test_no_nonsense_ends_it(lines: list[str]) -> None:
    said = answers(*lines, "INFO rule 0", "INFO max_memory 0", "START 6", *placed("1,1"), "TURN 2,2")
    assert said[-3:-1] == ["OK", "1,1"]
    assert PLACE.fullmatch(said[-1])
    for line in said:
        assert re.match(r"OK$|ERROR \w|UNKNOWN |name=|SWAP$|\d+,\d+( \d+,\d+)*$", line)


def test_a_very_long_line_is_one_unknown_command() -> None:
    assert answers("x" * 10**6, "ABOUT")[0].startswith("UNKNOWN")
    assert len(answers("START 15 " * 10**5, "ABOUT")) == 2


def test_our_own_mistakes_do_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("oh\nno")

    monkeypatch.setattr(gomocup_session, "game_spelling", fail)
    assert answers("START 15", "ABOUT")[0] == "ERROR unexpected RuntimeError: oh no"


# Whole games --------------------------------------------------------------------------------------------------------


class Referee:
    """Five in a row by its own reckoning."""

    def __init__(self, size: int, exactly: bool = False) -> None:
        self.size, self.exactly = size, exactly
        self.board: dict[tuple[int, int], int] = {}

    def play(self, text: str, side: int) -> str:
        """Place a stone; what became of the game: "", "won" or "full"."""
        x, y = map(int, text.split(","))
        assert 0 <= x < self.size
        assert 0 <= y < self.size
        assert (x, y) not in self.board
        self.board[x, y] = side
        lengths = [1 + self.count(x, y, a, b) + self.count(x, y, -a, -b) for a, b in ((0, 1), (1, 0), (1, 1), (1, -1))]
        if any(length == 5 or (length > 5 and not self.exactly) for length in lengths):
            return "won"
        return "full" if len(self.board) == self.size**2 else ""

    def count(self, x: int, y: int, a: int, b: int) -> int:
        same = self.board.get((x + a, y + b)) == self.board[x, y]
        return 1 + self.count(x + a, y + b, a, b) if same else 0

    def empty(self) -> list[str]:
        cells = [(x, y) for x in range(self.size) for y in range(self.size)]
        return [f"{x},{y}" for x, y in cells if (x, y) not in self.board]


def play_game(partner: Partner, size: int, exactly: bool, first: bool, chance: random.Random) -> str:
    """A game against random moves; how it ended."""
    referee, ended = Referee(size, exactly), ""
    line = "BEGIN" if first else ""
    while not ended:
        if line:
            answer = partner.ask(line)
            assert answer is not None
            ended = referee.play(answer, 1)
        if not ended:
            move = chance.choice(referee.empty())
            line, ended = f"TURN {move}", referee.play(move, 2)
            if ended:
                assert partner.ask(line) == "ERROR the game is over"
    return ended


@pytest.mark.parametrize(("size", "exactly"), [(6, False), (6, True), (15, False), (15, True)])
def test_whole_games_are_legal_and_end_when_a_referee_says_so(size: int, exactly: bool) -> None:
    brain = ServerInThread(serve, Options(iterations=1000, seed=1))
    chance = random.Random(1)
    for first in (True, False):
        assert brain.ask(f"INFO rule {int(exactly)}", f"START {size}") == "OK"
        assert play_game(brain, size, exactly, first, chance) in ("won", "full")
    brain.leave()
    assert brain.gone() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
def test_a_process_of_its_own_keeps_to_the_memory_of_a_tournament() -> None:
    brain = ServerProcess("gomocup", "--player", "mcts:seed=1")
    assert brain.ask("INFO max_memory 350000000", "INFO timeout_turn 500", "START 15") == "OK"
    for line in ("BEGIN", "TURN 0,0", "TURN 14,14"):
        answer = brain.ask(line)
        assert PLACE.fullmatch(answer or "") or (answer or "").startswith("ERROR there is a stone")
    status = Path(f"/proc/{brain.process.pid}/status").read_text(encoding="ascii")
    assert 1024 * int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) < 350_000_000
    brain.send("END")
    assert brain.gone() == 0


def test_a_board_of_lines_without_end_is_kept_no_longer_than_a_board() -> None:
    talk = gomocup_talk(QUICK)
    talk.ask("START 6", "BOARD", *["1,1,1"] * 1000)
    assert talk.session.listed is not None
    assert 36 < len(talk.session.listed) < 40  # more than fit, so that DONE finds them wrong


def test_a_second_game_has_as_large_a_tree_as_the_first() -> None:
    talk, pools = gomocup_talk(Options(iterations=400_000, seed=1)), []
    talk.ask(f"INFO max_memory {resident_bytes() + 150_000_000}", f"INFO timeout_turn {10**6}")
    for line in ("START 15", "RESTART", "RESTART"):
        talk.ask(line)
        pools.append(len(talk.session.the_engine().tree.words))
        talk.ask("BEGIN")
    assert min(pools) > 0.85 * pools[0]
