"""Parts of a generation: what is played, by any process or machine. A part's games follow from its seed alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from luozi.games import game as make_game
from luozi.learning.learner import SelfPlayBatch, SelfPlayLearner, Weights, joined, learner_for
from luozi.learning.settings import LearningOptions
from luozi.matches.openings import seed_of
from luozi.matches.remote_task import PortableCall
from luozi.matches.schedule import digests
from luozi.messages import LuoziError, Message
from luozi.util.parameters import split_spelling
from luozi.util.trust import foreign


class SelfPlayTask(NamedTuple):
    """Some games of a generation."""

    number: int
    seed: int
    games: int


@dataclass(frozen=True, eq=False)
class Generation:
    """What all parts of a generation share."""

    game: str  # its spelling
    number: int
    weights: Weights  # that play
    settings: LearningOptions

    def seed(self, part: int) -> int:
        """The seed of a part: it does not matter who plays it."""
        return seed_of("part", self.settings.seed, self.number, part)

    def tasks(self, games: int) -> list[PortableCall[Generation, SelfPlayTask, SelfPlayBatch]]:
        """So many games in small pieces."""
        size, files = self.settings.games_per_task, digests([split_spelling(self.game)[0]])
        starts = enumerate(range(0, games, size))
        parts = [SelfPlayTask(number, self.seed(number), min(size, games - first)) for number, first in starts]
        return [
            PortableCall(
                Message("part {part} of generation {number}", part=part.number + 1, number=self.number),
                play_part,
                self,
                part,
                files,
            )
            for part in parts
        ]


@lru_cache(maxsize=8)
def learner_of(spelling: str) -> SelfPlayLearner:
    """What can be learned of a game, made once in a process."""
    with foreign():  # who began the run named the game
        return cast(SelfPlayLearner, learner_for(make_game(spelling)))


def play_part(generation: Generation, part: SelfPlayTask) -> SelfPlayBatch:
    """Play a part."""
    learner = learner_of(generation.game)
    if not hasattr(learner, "play"):
        raise LuoziError("{game}: a board network plays all its games in one process", game=generation.game)
    return learner.play(generation.weights, generation.settings, part.seed, part.games)


# Several parts --------------------------------------------------------------------------------------------------------


class SelfPlayCount:
    """Games and positions."""

    def __init__(self, games: int, positions: int) -> None:
        self.games, self.positions = games, positions

    def plus(self, played: SelfPlayBatch) -> SelfPlayCount:
        """With some more."""
        return SelfPlayCount(self.games + played.games, self.positions + len(played.samples.board))


def tally_of(parts: Iterable[SelfPlayBatch]) -> SelfPlayCount:
    """Games and positions of some parts."""
    tally = SelfPlayCount(0, 0)
    for played in parts:
        tally = tally.plus(played)
    return tally


def merged(parts: list[SelfPlayBatch]) -> SelfPlayBatch:
    """Parts as one."""
    return SelfPlayBatch(
        joined([part.samples for part in parts]),
        sum(part.games for part in parts),
        sum(part.moves for part in parts),
        np.sum([part.wins for part in parts], axis=0),
        sum(part.draws for part in parts),
        sum(part.cpu_seconds for part in parts),
    )
