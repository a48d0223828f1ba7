"""Steps down a gradient: Adam (Kingma and Ba 2015), and a running average of the weights, which is what plays."""

from __future__ import annotations

import numpy as np

from luozi.compiled import signed
from luozi.learning.learner import Weights

MOMENTS = (0.9, 0.999)
SMALL = 1e-8
AVERAGE = 0.01  # the share of a step in the average of the weights


class Adam:
    """Weights, Adam's moments and the average.

    >>> one = Adam({"x": np.array([1.0])}, {})
    >>> one.follow({"x": np.array([0.5])}, rate=0.25)
    >>> one.weights()["x"].round(4).tolist()
    [0.75]
    """

    def __init__(self, weights: Weights, decay: dict[str, float]) -> None:
        self.now = {name: array.astype(np.float32) for name, array in weights.items()}
        self.average = {name: array.copy() for name, array in self.now.items()}
        self.moments = [{name: np.zeros_like(array) for name, array in self.now.items()} for _ in MOMENTS]
        self.decay = decay  # by name: how fast weights go towards zero, times the rate
        self.step = 0

    def follow(self, slopes: Weights, rate: float) -> None:
        """One step, and one of the average."""
        self.step += 1
        first, second = self.moments
        for name, array in self.now.items():
            slope = slopes[name]
            first[name] += (1 - MOMENTS[0]) * (slope - first[name])
            second[name] += (1 - MOMENTS[1]) * (slope * slope - second[name])
            ahead = first[name] / (1 - MOMENTS[0] ** self.step)
            scale = np.sqrt(second[name] / (1 - MOMENTS[1] ** self.step)) + SMALL
            array *= 1 - rate * self.decay.get(name, 0.0)
            array -= rate * ahead / scale
            self.average[name] += max(AVERAGE, 1 / self.step) * (array - self.average[name])

    def weights(self) -> Weights:
        """The average: what plays."""
        return {name: array.copy() for name, array in self.average.items()}

    def state(self) -> Weights:
        """All of it, to go on from."""
        state = {f"{part}.{name}": array.copy() for part, arrays in self._parts() for name, array in arrays.items()}
        return state | {"step": np.array([self.step])}

    def restore(self, state: Weights) -> None:
        """Go on from a state."""
        for part, arrays in self._parts():
            for name, array in arrays.items():
                array[:] = state[f"{part}.{name}"]
        self.step = signed(state["step"][0])

    def _parts(self) -> list[tuple[str, Weights]]:
        return [("now", self.now), ("average", self.average), ("first", self.moments[0]), ("second", self.moments[1])]
