"""Parts of a generation: what is played, by any process or machine. A part's games follow from its seed alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from luozi.games import game as make_game
from luozi.learning.learner import Learner, Played, Weights, joined, learner_for
from luozi.learning.settings import Settings
from luozi.matches.openings import seed_of
from luozi.matches.remote_task import Task
from luozi.matches.schedule import digests
from luozi.messages import Message
from luozi.util.parameters import split_spelling
from luozi.util.trust import foreign


class Part(NamedTuple):
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
    settings: Settings

    def seed(self, part: int) -> int:
        """The seed of a part: it does not matter who plays it."""
        return seed_of("part", self.settings.seed, self.number, part)

    def tasks(self, games: int) -> list[Task[Generation, Part]]:
        """So many games in small pieces."""
        size, files = self.settings.part, digests([split_spelling(self.game)[0]])
        starts = enumerate(range(0, games, size))
        parts = [Part(number, self.seed(number), min(size, games - first)) for number, first in starts]
        return [
            Task(
                Message("part {part} of generation {number}", part=part.number + 1, number=self.number),
                play_part,
                self,
                part,
                files,
            )
            for part in parts
        ]


@lru_cache(maxsize=8)
def learner_of(spelling: str) -> Learner:
    """What can be learned of a game, made once in a process."""
    with foreign():  # who began the run named the game
        return learner_for(make_game(spelling))


def play_part(generation: Generation, part: Part) -> Played:
    """Play a part."""
    return learner_of(generation.game).play(generation.weights, generation.settings, part.seed, part.games)


# Several parts --------------------------------------------------------------------------------------------------------


class Tally:
    """Games and positions."""

    def __init__(self, games: int, positions: int) -> None:
        self.games, self.positions = games, positions

    def plus(self, played: Played) -> Tally:
        """With some more."""
        return Tally(self.games + played.games, self.positions + len(played.samples.board))


def tally_of(parts: Iterable[Played]) -> Tally:
    """Games and positions of some parts."""
    tally = Tally(0, 0)
    for played in parts:
        tally = tally.plus(played)
    return tally


def merged(parts: list[Played]) -> Played:
    """Parts as one."""
    return Played(
        joined([part.samples for part in parts]),
        sum(part.games for part in parts),
        sum(part.moves for part in parts),
        np.sum([part.wins for part in parts], axis=0),
        sum(part.draws for part in parts),
        sum(part.cpu_seconds for part in parts),
    )
