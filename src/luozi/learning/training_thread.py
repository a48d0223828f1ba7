"""What is done with a generation when it is played: a training."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from luozi.learning.learner import Losses, Samples, SelfPlayBatch


class TrainingThread:
    """A training in a thread of its own, so that games can be played meanwhile, and Ctrl-C gets through."""

    def __init__(
        self,
        train: Callable[[], Losses],
        number: int,
        played: SelfPlayBatch,
        samples: Samples,
        steps: int,
        rate: float,
    ) -> None:
        self.number, self.played, self.samples, self.steps, self.rate = number, played, samples, steps, rate
        self.seconds = 0.0
        self._train = train
        self._result: list[Losses] = []
        self._failure: list[BaseException] = []
        self._done = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        began = time.monotonic()
        try:
            self._result.append(Losses(*map(float, self._train())))
        except BaseException as error:
            self._failure.append(error)
        finally:
            self.seconds = time.monotonic() - began
            self._done.set()

    def losses(self) -> Losses:
        """Wait for the end of it."""
        self._done.wait()
        if self._failure:
            raise self._failure[0]
        return self._result[0]
