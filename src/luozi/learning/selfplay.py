"""Parts of a generation: what is played, by any process or machine. A part's games follow from its seed alone."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from luozi.contests.contest import digests
from luozi.contests.execution import spare_what_is_loaded
from luozi.contests.openings import seed_of
from luozi.contests.parcel import enter_folder
from luozi.games import game as make_game
from luozi.learning.files import played_arrays, read_played
from luozi.learning.learner import Learner, Played, Weights, joined, learner_for
from luozi.learning.settings import Settings
from luozi.messages import LuoziError, Message
from luozi.parameters import split_spelling
from luozi.trust import foreign


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

    def parts(self, games: int) -> list[Part]:
        """So many games in small pieces."""
        size = self.settings.part
        return [Part(self, number, min(size, games - first)) for number, first in enumerate(range(0, games, size))]


@dataclass(frozen=True, eq=False)
class Part:
    """Some games of a generation; a `Work` for executors."""

    generation: Generation
    number: int
    games: int
    entrance = "luozi.learning.selfplay:play_there"

    @property
    def seed(self) -> int:
        return self.generation.seed(self.number)

    @property
    def name(self) -> str:
        return Message("part {part} of generation {number}", part=self.number + 1, number=self.generation.number)

    @property
    def luggage(self) -> str:
        return str(self.generation.number)

    def do(self) -> Played:
        one = self.generation
        return learner_of(one.game).play(one.weights, one.settings, self.seed, self.games)

    def call(self) -> tuple[Callable[..., Played], tuple[Any, ...]]:
        one = self.generation
        return play_in_worker, (one.game, one.weights, one.settings, *self.part())

    def parcel(self) -> tuple[Any, ...]:
        one = self.generation
        named = digests([split_spelling(one.game)[0]])
        files = tuple((name, digest, Path(name).read_bytes()) for name, digest in named)
        return one.game, os.getcwd(), socket.gethostname(), files, one.weights, one.settings.as_dict()

    def part(self) -> tuple[Any, ...]:
        return self.seed, self.games

    def result(self, plain: Any) -> Played:
        return read_played(plain, Path(self.name))


@lru_cache(maxsize=8)
def learner_of(spelling: str) -> Learner:
    """What can be learned of a game, made once in a process."""
    with foreign():  # who began the run named the game
        return learner_for(make_game(spelling))


def play_in_worker(game: str, weights: Weights, settings: Settings, seed: int, games: int) -> Played:
    """Play a part in a process of the pool."""
    played = learner_of(game).play(weights, settings, seed, games)
    spare_what_is_loaded()
    return played


def play_there(parcel: Any, part: Any) -> tuple[Any, str]:
    """Play a part here for another machine: plain arrays, or the sentence that says why not."""
    game, folder, machine, files, weights, settings = parcel
    try:
        enter_folder(folder, files)
        writable = {name: np.array(array) for name, array in weights.items()}  # what Ray brings can't be written to
        return played_arrays(learner_of(game).play(writable, Settings(**settings), *part)), ""
    except LuoziError as error:
        here = socket.gethostname()
        return None, error.message if here == machine else Message(
            "{error} (on the machine {name})", error=error, name=here
        )


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
