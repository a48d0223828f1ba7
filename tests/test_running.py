"""A kernel with a clock: Ctrl-C ends it, and never leaves it behind."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

from luozi.running import STOP, run_with_clock


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
            run_with_clock(work, progress)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended
