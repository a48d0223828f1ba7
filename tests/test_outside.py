"""Outside programs as players: they know the position, and whatever goes wrong with them is their loss alone.

The opponents are our own, in `opponents/`, built with the C compiler; at Go there is also GNU Go.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from opposing import built, eventually, is_running, number_of, play_out, running_with

import luozi
from luozi.games.go.points import point_name
from luozi.limits import Cancel
from luozi.messages import LuoziError
from luozi.players import PLAYERS, player, program
from luozi.players.base import ForfeitError, ResignationError, StoppedError
from luozi.players.program import SUPERVISOR, LineSplitter, Program, ReplyDeadline
from luozi.util.tempdirs import OwnFolder, remove_stale

GNUGO = "gtp:gnugo --mode gtp --level 1 --chinese-rules"


@pytest.fixture
def talker(tmp_path):
    """The spelling of a program with a behaviour; it writes down what it hears."""
    return lambda kind, behaviour, options="": (
        f"{kind}:{options}{built('talker.c')} {kind} {behaviour} {tmp_path / 'heard'}"
    )


# Gomocup --------------------------------------------------------------------------------------------------------------


def brain_move(game, state):
    legal = game.legal_list(state)
    return legal[number_of(game, state, own=1, other=2) % len(legal)]


def heard(tmp_path) -> list[str]:
    return (tmp_path / "heard").read_text().splitlines()


@pytest.mark.parametrize(
    ("spelling", "behaviour", "start", "rule"),
    [
        ("gomoku:size=9", "plays", "START 9", "INFO rule 0"),
        ("lines:rows=7,columns=12", "chats", "RECTSTART 12,7", "INFO rule 0"),
        ("gomoku:size=6,exact_length=true", "returns", "START 6", "INFO rule 1"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_brain_sees_the_position_at_every_move(talker, spelling, behaviour, start, rule, seat, tmp_path):
    outside = player(talker("gomocup", behaviour), luozi.game(spelling))
    assert play_out(outside, seat, brain_move) == ""
    assert play_out(outside, seat, brain_move, opening=[3, 9, 30, 31, 17][: 4 + seat]) == ""
    outside.close()
    lines = heard(tmp_path)
    assert lines[0] == start
    assert lines.count(rule) == lines.count("END") == 2
    assert lines[lines.index("INFO time_left 2147483647") + 1].startswith("TURN" if seat else "BEGIN")
    board = lines[lines.index("BOARD") + 1 : lines.index("DONE")]
    assert [line.split(",")[2] for line in board] == (["2", "1", "2", "1", "2"] if seat else ["1", "2", "1", "2"])
    assert lines.count("BOARD") == 1


def test_a_brain_is_told_its_limits_and_a_folder_that_is_removed(talker, tmp_path):
    outside = player(talker("gomocup", "plays", "seconds=1.5,max_memory_mb=70,"), luozi.game("gomoku"))
    outside.choose(outside.game.new_state())
    told = dict(line.split(" ", 2)[1:] for line in heard(tmp_path) if line.startswith("INFO"))
    folder = Path(told.pop("folder"))
    assert folder.is_dir()
    limits = {"timeout_turn": "1500", "timeout_match": "0", "time_left": "2147483647", "max_memory": str(70 * 2**20)}
    assert told == {**limits, "game_type": "1", "rule": "0"}
    outside.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crashes", r"crashed \(signal SIGSEGV\)"),
        ("exits", r"crashed \(exit status 3\): 'out of ideas'"),
        ("leaves", "ended early"),
        ("closes", "closed its output"),
        ("floods", "wrote more than 1 MB at once"),
        ("drones", "wrote a line of more than 64 KB"),
        ("eats", r"used \d+ MB of memory, and 64 MB are allowed"),
        ("cheats", r"played [a-o]\d+, which is not legal"),
        ("strays", "played 15,0, which is not legal"),
        ("babbles", "answered 'the middle, I think', which is not a move"),
        ("fails", "answered 'ERROR I have lost the thread', which is not a move"),
        ("suggests", r"answered 'SUGGEST \d+,\d+', which is not a move"),
        ("refuses", "answered 'ERROR too large' to 'START 15'"),
    ],
)
def test_a_bad_brain_forfeits(talker, behaviour, reason):
    outside = player(talker("gomocup", behaviour, "seconds=60,max_memory_mb=64,"), luozi.game("gomoku"))
    assert re.fullmatch(reason, play_out(outside, 0))
    outside.close()


def test_a_position_that_nobody_told_of_is_shown_as_a_board(talker):
    game = luozi.game("gomoku:size=7")
    outside = player(talker("gomocup", "plays"), game)
    for plies in (2, 0, 7, 1, 8, 3):
        state = game.new_state()
        for action in range(plies):
            state = game.after(state, action * 5)
        assert outside.choose(state) == brain_move(game, state)
    outside.close()


# GTP ------------------------------------------------------------------------------------------------------------------


def test_an_engine_hears_of_every_move(talker, tmp_path):
    game = luozi.game("go:size=5,komi=0.5")
    outside = player(talker("gtp", "returns"), game)
    opening = [game.string_to_action(game.new_state(), name) for name in ("C3", "pass", "D4")]
    assert play_out(outside, 1, opening=opening) == ""
    outside.close()
    lines = heard(tmp_path)
    assert lines[:3] == ["boardsize 5", "clear_board", "komi 0.5"]
    plays = lines.index("play black C3")
    assert lines[plays : plays + 4] == ["play black C3", "play white pass", "play black D4", "genmove white"]
    assert lines[-1] == "quit"
    assert not [line for line in lines if line.startswith("time_settings")]


@pytest.mark.parametrize("behaviour", ["plays", "plain"])
def test_handicap_stones_are_placed_with_or_without_a_command_for_them(talker, behaviour, tmp_path):
    outside = player(talker("gtp", behaviour, "seconds=9,"), luozi.game("go:handicap=3"))
    assert play_out(outside, 1, most=20) == ""
    outside.close()
    lines = heard(tmp_path)
    assert "time_settings 0 9 1" in lines
    asked = lines.index("set_free_handicap C3 G7 C7")
    plain = ["play black C3", "play black G7", "play black C7"] if behaviour == "plain" else []
    assert lines[asked + 1 : asked + 2 + len(plain)] == [*plain, "genmove white"]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crashes", "crashed (signal SIGSEGV)"),
        ("hangs", "did not answer within 1 s"),
        ("murmurs", "did not answer within 2 s"),
        ("eats", "used 200 MB of memory, and 100 MB are allowed"),
        ("stutters", "wrote more than 65,536 lines at once"),
        ("floods", "answered 'MESSAGE I have so much to say', which is not GTP"),
        ("drones", "wrote a line of more than 64 KB"),
        ("cheats", "played A1, which is not legal"),
        ("babbles", "answered 'the middle, I think', which is not a move"),
        ("forgets", "answered 'D4, please', which is not GTP"),
        ("fails", "answered 'I have lost the thread', which is not a move"),
        ("refuses", "refused 'boardsize 9' with 'unacceptable size'"),
    ],
)
def test_a_bad_engine_forfeits(talker, behaviour, reason):
    seconds = re.search(r"within (\d) s", reason)
    options = f"seconds={seconds[1]}," if seconds else "max_memory_mb=100,"
    outside = player(talker("gtp", behaviour, options), luozi.game("go"))
    began = time.process_time()
    assert re.sub(r"used \d+", "used 200", play_out(outside, 0)) == reason
    assert time.process_time() < began + 30  # what a minute of text in vain would take is not spent on it
    outside.close()


def test_an_engine_may_resign(talker):
    outside = player(talker("gtp", "resigns"), luozi.game("go"))
    with pytest.raises(ResignationError):
        play_out(outside, 0)
    outside.close()


def engine_board(outside):
    return [set(outside.ask(f"list_stones {colour}").text.split()) for colour in ("black", "white")]


def own_board(game, state):
    return [{point_name(game.size, p) for p in range(game.points) if state.board[p] == colour} for colour in (1, 2)]


def gnugo_at(game, monkeypatch):
    monkeypatch.setenv("PATH", "/bin")  # where it is not
    try:
        return player(GNUGO, game)
    except LuoziError:
        pytest.skip("GNU Go is not installed: apt-get install gnugo")


@pytest.mark.parametrize("spelling", ["go:size=5,komi=0.5", "go:size=7,handicap=2"])
def test_gnu_go_has_the_same_position_and_beats_random_moves(spelling, monkeypatch):
    game = luozi.game(spelling)
    outside, rival, position = gnugo_at(game, monkeypatch), player("random", game, seed=1), game.begin()
    seat = position.to_move
    while position.returns is None:
        own = position.to_move == seat
        position = position.play(outside.choose(position) if own else rival.choose(position))
        assert not own or engine_board(outside) == own_board(game, position.state)
    assert position.returns[seat] == 1.0
    outside.close()


def test_gnu_go_is_shown_a_position_that_nobody_told_of(monkeypatch):
    game = luozi.game("go:size=9")
    outside, rival, state = gnugo_at(game, monkeypatch), player("random", game, seed=1), game.new_state()
    for _ in range(2):
        for _ in range(21):
            state = game.after(state, rival.choose(state))
        following = game.after(state, outside.choose(state))
        assert engine_board(outside) == own_board(game, following)
    outside.close()


def test_gnu_go_takes_back_what_is_no_longer_played(monkeypatch):
    game = luozi.game("go:size=5")
    outside, position = gnugo_at(game, monkeypatch), game.begin().play("c3")
    following = position.play(outside.choose(position))
    outside.choose(following.play(next(iter(following.actions))))
    running, other = outside.program, position.back().play("b2")
    following = other.play(outside.choose(other))
    assert outside.program is running
    assert engine_board(outside) == own_board(game, following.state)
    outside.close()


# What is left behind --------------------------------------------------------------------------------------------------


WITHOUT_NAMESPACE = """
import importlib.util
spec = importlib.util.spec_from_file_location("keeper", {path!r})
keeper = importlib.util.module_from_spec(spec)
spec.loader.exec_module(keeper)
keeper.live_in_namespace = lambda library, command: None
keeper.main()
"""


@pytest.fixture(params=["namespace", "subreaper"])
def kept(request, monkeypatch, tmp_path_factory):
    """What holds a program together."""
    if sys.platform != "linux":
        pytest.skip("only Linux has keepers")
    if request.param == "namespace" and "namespace," not in program.containment():
        pytest.skip("there are no process namespaces to be had here: be root")
    if request.param == "subreaper":
        script = tmp_path_factory.mktemp("keeper") / "keeper.py"
        script.write_text(WITHOUT_NAMESPACE.format(path=str(SUPERVISOR)))
        monkeypatch.setattr("luozi.players.program.SUPERVISOR", script)
    return request.param


def family(tmp_path) -> list[int]:
    """All processes that were started with the transcript of a program."""
    return running_with(str(tmp_path / "heard"))


@pytest.mark.parametrize("behaviour", ["has-child", "scatters"])
def test_a_program_and_all_that_it_has_started_end_with_the_game(talker, tmp_path, kept, behaviour):
    outside = player(talker("gomocup", behaviour), luozi.game("gomoku"))
    keepers = []
    for _ in range(2):
        outside.choose(outside.game.begin())  # which ends the game before
        assert all(not Path(f"/proc/{keeper}").exists() for keeper in keepers)  # not even as a zombie
        keepers.append(outside.program._run.process.pid)
        assert eventually(lambda: len(family(tmp_path)) == (4 if kept == "namespace" else 3))
    outside.close()
    assert not Path(f"/proc/{keepers[-1]}").exists()
    assert eventually(lambda: not family(tmp_path))


@pytest.mark.parametrize("behaviour", ["spills", "shares"])
def test_what_a_program_has_started_counts_for_its_memory(tmp_path, kept, behaviour):
    program = Program([built("talker.c"), "gtp", behaviour, str(tmp_path / "heard")], memory=64)
    with pytest.raises(ForfeitError, match=r"used \d+ MB of memory, and 64 MB are allowed"):
        program.line(ReplyDeadline(60))
    assert eventually(lambda: not family(tmp_path))


LEAVES_SHARED_MEMORY = """
import ctypes
library, size = ctypes.CDLL(None), ctypes.c_size_t(1_234_567)
assert library.shmget(0, size, 0o1600) >= 0  # no process is attached to it, and nobody removes it
print("made", flush=True)
input()
"""


def shared_memory_of(size: int) -> list[str]:
    """The segments of a size that the system keeps, whoever made them."""
    rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [row for row in rows if row.split()[3] == str(size)]


@pytest.mark.parametrize("kept", ["namespace"], indirect=True)
def test_shared_memory_that_a_program_leaves_goes_with_it(kept):
    program = Program([sys.executable, "-c", LEAVES_SHARED_MEMORY])
    assert program.line(ReplyDeadline(60)) == "made"
    program.end()
    assert shared_memory_of(1_234_567) == []


def test_nothing_is_left_of_a_program_whose_keeper_was_killed(talker, tmp_path, kept):
    outside = player(talker("gomocup", "scatters"), luozi.game("gomoku"))
    outside.choose(outside.game.new_state())
    os.kill(outside.program._run.process.pid, signal.SIGKILL)
    with pytest.raises(ForfeitError, match=r"crashed \(signal SIGKILL\)"):
        outside.program.line(ReplyDeadline(60))
    assert eventually(lambda: not family(tmp_path))


TOLD_TWICE = """
import os, signal, types
ignored = []
def late(number, handler):
    if handler is signal.SIG_IGN and not ignored:  # it is about to stop listening, and is told once more
        ignored.append(handler)
        os.kill(os.getpid(), signal.SIGTERM)
    return signal.signal(number, handler)
keeper.signal = types.SimpleNamespace(**{**vars(signal), "signal": late})
keeper.main()
"""


def test_a_keeper_that_is_told_twice_to_end_takes_all_along(talker, tmp_path, monkeypatch):
    if sys.platform != "linux":
        pytest.skip("only Linux has keepers")
    script = tmp_path / "keeper.py"
    script.write_text(WITHOUT_NAMESPACE.format(path=str(SUPERVISOR)).replace("keeper.main()\n", TOLD_TWICE))
    monkeypatch.setattr("luozi.players.program.SUPERVISOR", script)
    outside = player(talker("gomocup", "scatters"), luozi.game("gomoku"))
    outside.choose(outside.game.new_state())
    outside.close()
    assert eventually(lambda: not family(tmp_path))


def test_a_program_that_does_not_want_to_end_is_killed(talker):
    outside = player(talker("gomocup", "lingers"), luozi.game("gomoku"))
    outside.choose(outside.game.new_state())
    program = outside.program._run.process.pid
    outside.close()
    assert not Path(f"/proc/{program}").exists()


def test_a_program_ends_when_nobody_holds_its_player(talker):
    outside = player(talker("gomocup", "plays"), luozi.game("gomoku"))
    outside.choose(outside.game.new_state())
    program = outside.program._run.process.pid
    del outside
    assert eventually(lambda: not Path(f"/proc/{program}").exists())


def test_a_program_outlives_the_thread_that_asked_first(talker):
    outside = player(talker("gomocup", "plays"), luozi.game("gomoku"))
    asking = threading.Thread(target=outside.choose, args=(outside.game.new_state(),))
    asking.start()
    asking.join()
    time.sleep(0.1)
    assert is_running(outside.program._run.process.pid)
    outside.close()


SCRIPT = """
import sys, luozi
from pathlib import Path
from luozi.players import player, program
program.SUPERVISOR = Path(sys.argv[2])
game = luozi.game("gomoku")
outside = player(sys.argv[1], game)
outside.choose(game.new_state())
print(outside.program._run.process.pid, flush=True)
input()
"""


@pytest.fixture
def killed(talker, tmp_path, kept):
    """Kill Luozi in a game with a program that has a child somewhere, and see what happens."""

    def kill(before):
        script = [sys.executable, "-c", SCRIPT, talker("gomocup", "scatters"), str(program.SUPERVISOR)]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        with subprocess.Popen(
            script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as luozi_itself:
            before(int(luozi_itself.stdout.readline()))
            luozi_itself.kill()

    return kill


def test_a_program_ends_with_its_family_when_luozi_is_killed(killed, tmp_path):
    killed(lambda keeper: None)
    assert eventually(lambda: not family(tmp_path))


def test_what_a_killed_luozi_left_is_removed_at_the_next_start(killed, tmp_path, kept):
    def kill_keeper_too(keeper):
        remove_stale(str(tmp_path))
        assert len(list(tmp_path.glob("luozi-own-*"))) == 1  # it lives, and so its folder stays
        os.kill(keeper, signal.SIGSTOP)
        threading.Timer(0.5, os.kill, (keeper, signal.SIGKILL)).start()

    killed(kill_keeper_too)
    left = 1 if kept == "subreaper" else 0  # it has lost its keeper
    assert eventually(lambda: len(family(tmp_path)) == left)
    assert len(list(tmp_path.glob("luozi-own-*"))) == 1
    folder = OwnFolder(str(tmp_path))
    assert list(tmp_path.glob("luozi-own-*")) == [folder.base]
    folder.remove()
    assert eventually(lambda: not family(tmp_path))


def test_ctrl_c_leaves_a_game_of_programs_of_which_one_hangs(talker, tmp_path):
    seats = ["--seat", talker("gomocup", "hangs", "seconds=100,"), "--seat", "random"]
    command = [Path(sys.executable).with_name("luozi"), "play", "gomoku", *seats]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as game:
        assert eventually(lambda: (tmp_path / "heard").exists() and any("TURN" in line for line in heard(tmp_path)))
        game.send_signal(signal.SIGINT)
        assert game.wait(20) is not None


# Mistakes of the user -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "game", "sentence"),
    [
        ("gtp:gnugo", "gomoku:size=9", "gtp plays Go only, not gomoku:size=9"),
        (
            "gomocup:cat",
            "connect4",
            "gomocup plays five in a row for two on a flat board without gravity and forbidden",
        ),
        ("gomocup:cat", "gomoku:blocked=0.0", "gomocup plays five in a row"),
        ("gomocup:cat", "gomoku:players=3", "gomocup plays five in a row"),
        (
            "connect4_library:x.so",
            "gomoku",
            "connect4_library plays Connect Four for two on a flat board with one forbidden cell or none",
        ),
        ("connect4_library:x.so", "connect4:blocked=0.0+1.1", "connect4_library plays Connect Four"),
        ("connect4_library:x.so", "connect4", "there is no library 'x.so'; give the path of a shared library"),
        ("gtp:no-such-engine --fast", "go", "there is no program 'no-such-engine'; give a path or install it"),
        ("gtp:./no-such-engine", "go", "there is no program './no-such-engine'; give a path or install it"),
        ("gtp:/etc/passwd", "go", "'/etc/passwd' is not a program that can be run; make it executable"),
        ("gtp:engine 'x", "go", "the command 'engine 'x' can't be read: no closing quotation"),
        ("gtp:~nosuchuser/engine", "go", "there is no program '~nosuchuser/engine'; give a path or install it"),
        (f"gtp:{'x' * 300}", "go", "there is no program 'xxx"),
        ("connect4_library:~nosuchuser/x.so", "connect4", "nobody's home is '~nosuchuser'; write the whole path"),
        (f"connect4_library:{'x' * 300}", "connect4", "'xxxxx"),
        ("connect4_library:x\0.so", "connect4", "'x?.so' can't be a file's name"),
        ("gomocup:max_memory_mb=1,cat", "gomoku", "gomocup: max_memory_mb=1 is not valid; it must be 64 to 1,000,000"),
        ("gomocup:", "gomoku", "gomocup needs a program: write gomocup:PROGRAM"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(spelling, game, sentence):
    with pytest.raises(LuoziError) as told:
        player(spelling, luozi.game(game))
    assert str(told.value).startswith(sentence)
    assert not isinstance(told.value, ForfeitError)


def test_a_file_that_the_system_can_not_start_forfeits(tmp_path):
    script = tmp_path / "script"
    script.write_bytes(b"\x7fELF, but no more")
    script.chmod(0o755)
    reason = play_out(player(f"gomocup:{script}", luozi.game("gomoku")), 0)
    assert reason == "crashed (exit status 1): 'can't be started: Exec format error'"


def test_a_program_that_does_not_read_is_not_waited_for():
    program = Program([shutil.which("sleep"), "100"])
    with pytest.raises(ForfeitError, match=r"did not read its input within 0.1 s"):
        program.send("x" * 2**20, ReplyDeadline(0.1))
    program.end()
    assert program.over


def test_who_waits_for_a_program_to_read_can_be_cancelled():
    program, cancel = Program([shutil.which("sleep"), "100"]), Cancel()
    threading.Timer(0.05, cancel.set).start()
    with pytest.raises(StoppedError, match="the program was stopped before it answered"):
        program.send("x" * 2**20, ReplyDeadline(60, cancel=cancel))
    with pytest.raises(StoppedError):
        program.send("x" * 2**20, ReplyDeadline(60, cancel=cancel))
    assert not program.over
    program.end()


def test_all_that_is_sent_arrives_however_slowly_it_is_read():
    program = Program(["/bin/sh", "-c", f"sleep 0.2; head -c {2**20} | wc -c; sleep 100"])
    program.send("x" * (2**20 - 1), ReplyDeadline(60))
    assert program.line(ReplyDeadline(60)).strip() == str(2**20)
    program.end()


def test_an_answer_counts_when_it_came_not_when_it_was_looked_at():
    early, late = (Program(["/bin/sh", "-c", f"sleep {wait}; echo here; sleep 100"]) for wait in (0, 0.4))
    clock = ReplyDeadline(0.3)
    assert eventually(lambda: early._run.lines and late._run.lines and not clock.left)
    assert early.line(clock) == "here"
    with pytest.raises(ForfeitError, match=r"did not answer within 0.3 s"):
        late.line(clock)
    early.end()


def test_lines_are_the_same_in_whatever_pieces_they_come():
    chance = random.Random(1)
    for _ in range(300):
        text = bytes(chance.choice(b"\r\nab") for _ in range(chance.randrange(30)))
        splitter, lines = LineSplitter(), []
        cuts = [0, *sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(8))), len(text)]
        for start, end in itertools.pairwise(cuts):
            lines += splitter.feed(text[start:end])
        assert [*lines, bytes(splitter.rest)] == re.split(rb"\r\n|\r|\n", text)


def test_outside_programs_are_listed_with_their_parameters():
    assert {kind.name for kind in PLAYERS.values() if kind.runs_command} == {"gtp", "gomocup", "connect4_library"}


# Whatever they say ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gtp", "gomocup"])
def test_numbers_without_end_are_no_move(talker, kind):
    outside = player(talker(kind, "counts"), luozi.game("go" if kind == "gtp" else "gomoku"))
    assert re.fullmatch(r"answered '[A0-9,]+\.\.\.', which is not a move", play_out(outside, 0))
    outside.close()


def random_answer(chance):
    """What an engine might say: pieces of real answers and of anything else."""
    pieces = ["A", "D4", "t19", "pass", "resign", "7", "0,0", ",", "9" * 5000, "-", "\t", " ", "²", "٣", "\0", "\ud800"]
    return chance.choice(["= ", "=1 ", "? ", ""]) + "".join(chance.choice(pieces) for _ in range(chance.randrange(4)))


def test_any_answer_is_a_move_a_resignation_or_a_forfeit():
    chance = random.Random(1)
    commands = {"gtp:cat": "go", "gomocup:cat": "gomoku", f"connect4_library:{__file__}": "connect4"}
    outsiders = [player(spelling, luozi.game(game)) for spelling, game in commands.items()]
    seats, moves = [(outside, outside.game.new_state()) for outside in outsiders], 0
    for _ in range(500):
        answer = random_answer(chance)
        for outside, state in seats:
            outside.program, outside.genmove, outside.plays_sent, outside.failure = (
                Spoken([answer, ""]),
                "genmove",
                [],
                "",
            )
            with suppress(ForfeitError, ResignationError):
                moves += outside.game.allows(state, outside.choose(state))
    assert moves  # some of it makes sense


class Spoken:
    """A program that only says these lines."""

    def __init__(self, lines):
        self.lines = iter(lines)

    def send(self, text, clock): ...

    def end(self, farewell=""): ...

    def line(self, clock):
        for text in self.lines:
            return text
        raise ForfeitError("did not answer in time")
