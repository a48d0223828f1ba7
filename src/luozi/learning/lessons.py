"""What is done with a generation when it is played: a training."""

from __future__ import annotations

import threading
import time
from functools import partial

from luozi.learning.learner import Losses, Samples, SelfPlayBatch, Trainer
from luozi.learning.settings import LearningOptions
from luozi.matches.openings import seed_of


class Lesson:
    """A training in a thread of its own, so that games can be played meanwhile, and Ctrl-C gets through."""

    def __init__(
        self,
        trainer: Trainer,
        number: int,
        played: SelfPlayBatch,
        samples: Samples,
        steps: int,
        rate: float,
        settings: LearningOptions,
    ) -> None:
        self.number, self.played, self.samples, self.steps, self.rate = number, played, samples, steps, rate
        self.seconds = 0.0
        seed = seed_of("train", settings.seed, number)
        self._train = partial(trainer.train, samples, steps, settings.batch_size, rate, seed)
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
