"""A kernel with a clock: Ctrl-C ends it, and never leaves it behind."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

import luozi
from luozi.limits import NEVER, NO_LIMITS
from luozi.players import Player
from luozi.rules.kernel_runner import STOP, run_stoppable
from luozi.terminal import thinking
from luozi.terminal.thinking import Leave, Waiting
from luozi.util import interruptible
from luozi.util.interruptible import StillRunningError, end_call


def test_a_second_ctrl_c_does_not_leave_a_search_running():
    """Whoever comes next takes its memory."""
    progress, ended = np.zeros(8, np.int64), []

    def work():
        while not progress[STOP]:
            time.sleep(0.001)
        time.sleep(0.3)  # the stop flag is not seen at once
        ended.append(True)

    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)  # Ctrl-C may be switched off
    try:
        for delay in (0.1, 0.2):
            threading.Timer(delay, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1]).start()
        with pytest.raises(KeyboardInterrupt):
            run_stoppable(work, progress)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended


@pytest.fixture
def interrupted_after(monkeypatch):
    """A signal, as Ctrl-C is, in a moment; what has not ended is left alone soon."""
    monkeypatch.setattr(interruptible, "STOP_SECONDS", 0.4)
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    threading.Timer(0.2, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1]).start()
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.usefixtures("interrupted_after")
def test_ctrl_c_leaves_alone_what_never_ends():
    leave = threading.Event()
    with pytest.raises(StillRunningError):
        run_stoppable(leave.wait, np.zeros(8, np.int64))
    leave.set()


@pytest.mark.usefixtures("interrupted_after")
def test_ctrl_c_ends_an_uncompiled_rule_that_never_returns():
    ended = []

    def work():
        try:
            while True:
                time.sleep(0.001)
        finally:
            ended.append(True)

    with pytest.raises(KeyboardInterrupt) as caught:
        run_stoppable(work, np.zeros(8, np.int64))
    assert ended
    assert not isinstance(caught.value, StillRunningError)


@pytest.mark.usefixtures("interrupted_after")
def test_ctrl_c_is_heard_after_the_time_is_up():
    """The stop flag does not help where a rule never returns."""
    leave = threading.Event()
    with pytest.raises(StillRunningError):
        run_stoppable(leave.wait, np.zeros(8, np.int64), end=time.perf_counter() + 0.01)
    leave.set()


def test_an_exception_from_another_thread_ends_an_uncompiled_search():
    """Notebooks that run cells in a thread interrupt them so. Rules run in that thread itself."""
    heard, begun = [], threading.Event()

    def rule():
        begun.set()
        while True:
            time.sleep(0.001)

    def cell():
        try:
            run_stoppable(rule, np.zeros(8, np.int64))
        except KeyboardInterrupt:
            heard.append(True)

    thread = threading.Thread(target=cell)
    thread.start()
    begun.wait()
    end_call(thread.ident, KeyboardInterrupt)
    thread.join(60)
    assert heard


@pytest.mark.usefixtures("interrupted_after")
def test_the_tree_of_a_search_that_runs_on_is_nobody_elses(monkeypatch):
    game, leave = luozi.game("tictactoe"), threading.Event()
    engine = luozi.Engine(game, compiled=False)
    monkeypatch.setattr(engine.kernel, "run", lambda limits, rest: leave.wait() if not rest else None)
    with pytest.raises(KeyboardInterrupt):
        engine.think(game.new_state(), iterations=10)
    with pytest.raises(luozi.LuoziError, match="can't be used any more: a rule of BitLines has not returned"):
        engine.think(game.new_state(), iterations=10)
    leave.set()


class Deaf(Player):
    """Answers when the test says so."""

    def __init__(self, game):
        super().__init__(game)
        self.leave = threading.Event()

    def choose(self, state, limits=NO_LIMITS, cancel=NEVER):
        self.leave.wait()
        return 0


@pytest.mark.parametrize(("own", "one_move", "error"), [(True, False, luozi.LuoziError), (False, True, Leave)])
def test_the_first_ctrl_c_ends_the_wait_for_a_rule_that_never_returns(own, one_move, error, monkeypatch):
    monkeypatch.setattr(thinking, "STOP_SECONDS", 0.1)
    player = Deaf(luozi.game("tictactoe"))
    player.game.checked = own
    waiting = Waiting(one_move=one_move)
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    threading.Timer(0.2, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1]).start()
    try:
        with pytest.raises(error, match="a rule of BitLines has not returned since Ctrl-C" if own else None):
            waiting.choose(player, player.game.new_state(), "")
    finally:
        signal.signal(signal.SIGUSR1, before)
        player.leave.set()
