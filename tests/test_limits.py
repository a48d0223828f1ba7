"""Limits, cancels and the clock: the smaller limit holds, no cancel is lost, and Ctrl-C is heard everywhere."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from queue import SimpleQueue

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.limits import MOST, NEVER, Cancel, Limits, calling_at, limits_given, limits_in_force
from luozi.players import player
from luozi.removed import RemovedError
from luozi.search.engine_pool import EnginePool
from luozi.util.interruptible import WaitedCall

TICTACTOE = luozi.game("tictactoe")
PATIENCE = 60.0  # seconds; a cancel that is lost needs them
CANCELS = 10_000

counts = st.sampled_from([0, 1, 2, 1000, MOST])
times = st.sampled_from([0.0, 0.001, 1.0, 600.0])
limits = st.builds(Limits, counts, times, counts)


# Limits ---------------------------------------------------------------------------------------------------------------


@given(limits, limits, limits)
def test_the_smaller_limit_holds_and_the_default_where_there_is_none(caller, own, default):
    force = limits_in_force(caller, own, default)
    pairs = [(caller.iterations, own.iterations), (caller.seconds, own.seconds), (caller.nodes, own.nodes)]
    expected = [min([one for one in pair if one > 0], default=0) for pair in pairs]
    if not any(expected):
        assert force is default
    else:
        assert [force.iterations, force.seconds, force.nodes] == expected


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([0, 30, 70]), st.sampled_from([0, 30, 70]), st.booleans())
def test_a_search_keeps_to_the_smaller_one_however_it_is_given(caller, own, as_object):
    engine = luozi.Engine(TICTACTOE, seed=1, compiled=False, iterations=own, seconds=PATIENCE)
    asked = {"limits": Limits(iterations=caller)} if as_object else {"iterations": caller}
    found = engine.think(TICTACTOE.new_state(), **asked, nodes=0 if caller or own else 20)
    expected = min([one for one in (caller, own) if one], default=0)
    assert found.iterations == expected if expected else found.nodes <= 20


def test_with_no_limit_at_all_a_search_takes_a_second_and_a_player_its_default():
    found = luozi.Engine(TICTACTOE, seed=1, compiled=False).think(TICTACTOE.new_state())
    assert 1.0 <= found.seconds < PATIENCE
    flat = player("flat:seed=1", TICTACTOE)
    flat.choose(TICTACTOE.new_state())
    assert flat.thought.iterations == 1000


@pytest.mark.parametrize(
    ("spelling", "force", "least", "most"),
    [
        ("flat:playouts=500,seed=1", Limits(iterations=70), 70, 70),
        ("flat:playouts=70,seed=1", Limits(iterations=500), 70, 70),
        ("flat:seed=1", Limits(iterations=70), 70, 70),
        ("mcts:iterations=500,seed=1", Limits(iterations=70), 70, 70),
        ("mcts:iterations=70,seed=1", Limits(iterations=500), 70, 70),
        ("exact:seed=1", Limits(nodes=10**6), 1, 10**6),
    ],
)
def test_every_player_keeps_to_the_smaller_limit(spelling, force, least, most):
    one = player(spelling, TICTACTOE)
    one.choose(TICTACTOE.new_state(), force)
    assert least <= one.thought.iterations <= most


def test_a_caller_s_time_ends_a_search_in_depth():
    game = luozi.game("connect4")
    for spelling in ("alphabeta:seed=1", "alphabeta:seconds=600,seed=1"):
        one = player(spelling, game)
        assert one.choose(game.new_state(), Limits(seconds=0.1)) in range(7)
        assert one.thought.seconds < PATIENCE
        assert one.thought.depth > 0


def test_exact_gives_up_at_a_callers_limit():
    with pytest.raises(luozi.LuoziError, match="more than 5 positions"):
        player("exact:seed=1", TICTACTOE).choose(TICTACTOE.new_state(), Limits(nodes=5))


@pytest.mark.parametrize("wrong", [{"iterations": -1}, {"seconds": float("nan")}, {"nodes": 1.5}, {"seconds": "2"}])
def test_a_limit_that_is_none_is_refused(wrong):
    with pytest.raises(luozi.LuoziError, match=f"limits: {next(iter(wrong))}=.* is not valid; it must be a"):
        Limits(**wrong)
    with pytest.raises(luozi.LuoziError, match=r"Write Limits\(seconds=1\)"):
        limits_given(1000, 0, 0.0, 0)


def test_what_is_gone_names_what_replaces_it():
    engine = luozi.Engine(TICTACTOE, seed=1, compiled=False)
    for one, name in ((engine, "Engine"), (player("random", TICTACTOE), "Player")):
        with pytest.raises(RemovedError, match=rf"{name}.stop is gone: pass cancel=luozi.Cancel\(\)"):
            one.stop()
        assert not hasattr(one, "stop")
        assert not hasattr(one, "nonsense")


# Cancels --------------------------------------------------------------------------------------------------------------


class Canceller:
    """A thread that sets cancels at times."""

    def __init__(self) -> None:
        self.wanted: SimpleQueue[tuple[float, Cancel] | None] = SimpleQueue()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        while (one := self.wanted.get()) is not None:
            end, cancel = one
            while time.perf_counter() < end:
                pass
            cancel.set()


def searches(engine: luozi.Engine, count: int, seed: int) -> int:
    """Search and cancel at random moments; how many searches a cancel has ended."""
    draw, canceller, cut = random.Random(seed), Canceller(), 0
    state = TICTACTOE.new_state()
    engine.compile()
    for number in range(count):
        cancel, iterations = Cancel(), draw.choice([0, 0, 3, 100])
        if number % 10 == 0:  # a late cancel of an earlier request ends nothing
            assert engine.think(state, iterations=20).iterations == 20
        if draw.random() < 0.1:
            cancel.set()
        else:
            canceller.wanted.put((time.perf_counter() + draw.expovariate(5_000), cancel))
        found = engine.think(state, Limits(iterations, PATIENCE), cancel)
        assert found.seconds < PATIENCE  # or the clock has ended it, not the cancel
        assert found.action in range(9)
        cut += not iterations or found.iterations < iterations
    canceller.wanted.put(None)
    return cut


def test_of_ten_thousand_cancels_none_is_lost():
    """Before, during and after a search; in the main thread, where another one searches, and in others."""
    alone = luozi.Engine(TICTACTOE, seed=1, pool_size=50_000)
    assert searches(alone, CANCELS // 2, 1) > CANCELS // 4
    crowd, found = EnginePool(1, 100, 2), []
    kinds = [luozi.Engine(TICTACTOE, seed=number, pool_size=50_000, workers=crowd) for number in (2, 3)]
    threads = [
        threading.Thread(target=lambda engine=engine: found.append(searches(engine, CANCELS // 4, 5)), daemon=True)
        for engine in kinds
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join(10 * PATIENCE)
    assert len(found) == 2
    assert min(found) > CANCELS // 10


def test_one_cancel_ends_all_that_runs_for_its_request():
    cancel, engines = Cancel(), [luozi.Engine(TICTACTOE, seed=number) for number in range(4)]
    running = [engine.start(TICTACTOE.new_state(), cancel=cancel, seconds=PATIENCE) for engine in engines]
    cancel.set()
    assert all(one.result().seconds < PATIENCE for one in running)


def test_a_cancelled_request_searches_nothing_and_compiles_nothing():
    cancel = Cancel()
    cancel.set()
    engine = luozi.Engine(luozi.game("connect4"), seed=1, threat_search=True, exact_solver_nodes=1000)
    engine.compile = lambda: pytest.fail("compiled")
    found = engine.think(engine.game.new_state(), cancel=cancel)
    assert (found.iterations, found.action in range(7)) == (0, True)
    assert engine.start(engine.game.new_state(), cancel=cancel).result().iterations == 0


@pytest.mark.parametrize("spelling", ["mcts", "flat", "alphabeta", "exact", "minimax", "random", "strong", "level"])
def test_every_player_that_is_cancelled_before_it_begins_moves_at_once(spelling):
    cancel = Cancel()
    cancel.set()
    one = player(spelling, TICTACTOE, seed=1)
    assert one.choose(TICTACTOE.new_state(), Limits(seconds=PATIENCE), cancel) in range(9)


def test_no_call_comes_after_the_block():
    """Whoever has the stop flag next must not be stopped for an earlier request."""
    draw, canceller, late = random.Random(3), Canceller(), 0
    for _ in range(2_000):
        cancel, called, over = Cancel(), [], threading.Event()
        canceller.wanted.put((time.perf_counter() + draw.expovariate(20_000), cancel))
        with cancel.calling(lambda over=over, called=called: called.append(over.is_set())):
            end = time.perf_counter() + draw.expovariate(20_000)
            while time.perf_counter() < end:
                pass
        over.set()
        assert cancel.wait(PATIENCE)
        late += sum(called)
    assert late == 0
    canceller.wanted.put(None)


def test_a_signal_handler_may_set_a_cancel():
    engine = luozi.Engine(TICTACTOE, seed=1)
    for number in range(30):
        cancel = Cancel()
        before = signal.signal(signal.SIGUSR1, lambda *_, cancel=cancel: cancel.set())
        try:
            timer = threading.Timer(0.001 * number, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1])
            timer.start()
            if number % 2:
                assert engine.think(TICTACTOE.new_state(), cancel=cancel, seconds=PATIENCE).seconds < PATIENCE
            else:
                assert cancel.wait(PATIENCE)
            timer.join()
        finally:
            signal.signal(signal.SIGUSR1, before)


def test_waiting_for_a_cancel_has_an_end():
    cancel = Cancel()
    assert not cancel.wait(0.01)
    waiters = [WaitedCall(lambda: cancel.wait(PATIENCE)) for _ in range(5)]
    for one in waiters:
        one.start()
    cancel.set()
    assert all(one.wait(PATIENCE) and one.result() for one in waiters)
    with pytest.raises(luozi.LuoziError, match="NEVER can't be set"):
        NEVER.set()


# The clock ------------------------------------------------------------------------------------------------------------


def test_one_thread_serves_all_deadlines_in_their_order():
    now, heard, ended = time.perf_counter(), [], threading.Event()
    ends = [0.05 * number for number in (4, 1, 3, 2)]
    with calling_at(now + 0.25, ended.set), calling_at(now + 3600, lambda: heard.append("never")):
        with (
            calling_at(now + ends[0], lambda: heard.append(4)),
            calling_at(now + ends[1], lambda: heard.append(1)),
            calling_at(now + ends[2], lambda: heard.append(3)),
            calling_at(now + ends[3], lambda: heard.append(2)),
        ):
            assert ended.wait(PATIENCE)
        assert heard == [1, 2, 3, 4]
        assert time.perf_counter() - now >= 0.25
    clocks = [one for one in threading.enumerate() if one.name == "luozi clock"]
    assert len(clocks) == 1


def test_a_deadline_that_was_not_reached_calls_nothing():
    heard = []
    for _ in range(200):
        with calling_at(time.perf_counter() + 0.001, lambda: heard.append("late")):
            pass
        heard.clear()  # on a busy machine the block may have lasted so long
    with calling_at(time.perf_counter() + 0.01, lambda: heard.append("in time")):
        time.sleep(0.05)
    assert heard == ["in time"]


def test_many_threads_keep_their_time():
    ends: list[float] = []

    def work(seconds: float) -> None:
        began = time.perf_counter()
        found = luozi.Engine(TICTACTOE, seed=1, compiled=False).think(TICTACTOE.new_state(), seconds=seconds)
        ends.append(time.perf_counter() - began if found.seconds >= seconds else 0.0)

    crowd = [threading.Thread(target=work, args=(0.02 * number,)) for number in range(1, 17)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join(PATIENCE)
    assert len(ends) == 16
    assert min(ends) > 0


FORK = """
import os, threading, time, luozi
game = luozi.game("tictactoe")
engine = luozi.Engine(game, seed=1, compiled=False)
assert engine.think(game.new_state(), seconds=0.05).seconds >= 0.05  # now there are a clock and a worker
child = os.fork()
if child == 0:
    engine = luozi.Engine(game, seed=1, compiled=False)
    found = engine.think(game.new_state(), seconds=0.05)
    cancel = luozi.Cancel()
    threading.Timer(0.05, cancel.set).start()
    ended = engine.think(game.new_state(), cancel=cancel, seconds=60)
    names = [one.name for one in threading.enumerate()].count("luozi clock")
    os._exit(0 if 0.05 <= found.seconds < 30 and ended.seconds < 30 and names == 1 else 1)
_, status = os.waitpid(child, 0)
assert engine.think(game.new_state(), seconds=0.05).seconds >= 0.05
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


def test_a_fork_has_a_clock_and_a_worker_of_its_own():
    assert subprocess.run([sys.executable, "-c", FORK], timeout=2 * PATIENCE, check=False).returncode == 0


# Ctrl-C ---------------------------------------------------------------------------------------------------------------

SCRIPT = """
import luozi
game = luozi.game("tictactoe")
engine = luozi.Engine(game, seed=1, compiled={compiled})
engine.think(game.new_state(), iterations=10)
for name in ("mcts:iterations=9", "flat:playouts=9"):  # what is loaded first is not to be interrupted
    luozi.player(name, game).choose(game.new_state())
print("begun", flush=True)
try:
    {search}
except KeyboardInterrupt:
    print("heard", engine.think(game.new_state(), iterations=10).iterations)
"""
SEARCHES = [
    "engine.think(game.new_state(), seconds=600)",
    "engine.start(game.new_state(), seconds=600).result()",
    "luozi.player('mcts:seconds=600', game).choose(game.new_state())",
    "luozi.player('flat:seconds=600', game).choose(game.new_state())",
    "luozi.solve(luozi.game('connect4'), compiled=False, seconds=600)",
]


def interrupted(script: str) -> str:
    """What a script says that is interrupted after its first line."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 0, said
    return said


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("search", SEARCHES)
def test_ctrl_c_ends_what_a_script_searches_and_the_engine_goes_on(search, compiled):
    assert interrupted(SCRIPT.format(search=search, compiled=compiled)) == "heard 10\n"


ENDLESS = """
import numba, numpy, luozi
from luozi.util.interruptible import StillRunningError

@numba.njit(nogil=True)
def never(words):  # as a compiled rule that never returns
    while words[0] == 0:
        words[1] += 1

words = numpy.zeros(2, numpy.int64)
never(numpy.ones(2, numpy.int64))
game = luozi.game("tictactoe")
engine, other = luozi.Engine(game, seed=1, compiled=False), luozi.Engine(game, seed=1, compiled=False)
other.think(game.new_state(), iterations=10)
engine.kernel.run = lambda limits, rest: never(words) if limits.iterations else None
print("begun", flush=True)
try:
    {search}
except StillRunningError:
    print("left")
try:
    engine.think(game.new_state(), iterations=10)
except luozi.LuoziError as error:
    print(error)
print(other.think(game.new_state(), iterations=10).iterations)
"""


@pytest.mark.parametrize("search", SEARCHES[:2])
def test_an_endless_compiled_rule_costs_its_engine_and_nothing_else(search):
    left, sentence, iterations = interrupted(ENDLESS.format(search=search)).splitlines()
    assert (left, iterations) == ("left", "10")
    assert sentence == (
        "this engine can't be used any more: a rule of BitLines has not returned since Ctrl-C. Look for a loop that "
        "never ends, and make another engine."
    )


OWN = '''
import sys
import threading

import luozi


class Late(luozi.Game):
    """Its rules return while they are checked, and not while they are searched."""

    players, actions, max_length, state, compilable = 2, 3, 20, (("left", "i2"),), False

    def start(self, state):
        state.left = 9

    def current_player(self, state):
        return state.left % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        if threading.current_thread().name == "luozi worker":
            print("begun", file=sys.stderr, flush=True)
            while True:
                pass
        state.left -= 1

    def is_terminal(self, state):
        return state.left <= 0

    def returns(self, state, returns):
        returns[0], returns[1] = 1, 0
'''


@pytest.fixture
def thinking(tmp_path):
    """`luozi think` with a player that takes its time, and Ctrl-C when its search runs; status, output and errors."""

    def think(*words: str, ready: str = "") -> tuple[int, str, str]:
        command = [sys.executable, "-m", "luozi.cli", "think", *words]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        ) as process:
            try:
                assert process.stderr is not None
                if ready:
                    while process.stderr.readline().strip() != ready:
                        assert process.poll() is None
                else:
                    is_searching(process.pid)
                process.send_signal(signal.SIGINT)
                said, errors = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
        return process.returncode, said, errors

    return think


def is_searching(number: int) -> None:
    """Wait until a thread beside the main one has worked for a moment."""
    end = time.monotonic() + 2 * PATIENCE
    while max((one.user_time for one in psutil.Process(number).threads()[1:]), default=0.0) < 0.5:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_ctrl_c_makes_a_command_answer_now(thinking):
    status, said, errors = thinking("tictactoe", "--player", "mcts:seconds=600")
    assert (status, "b2" in said) == (0, True), errors


def test_ctrl_c_ends_a_command_whose_rule_never_returns(thinking, tmp_path):
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    status, _, errors = thinking("own.py", "--player", "mcts:seconds=600", ready="begun")
    assert status == 2
    assert "a rule of Late has not returned since Ctrl-C; look for a loop that never ends" in errors
