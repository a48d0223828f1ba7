"""All settings of learning, in one place: meaning, range and default. `--set`, lists and docs come from here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated

from luozi.messages import LuoziError
from luozi.util.parameters import ParameterInfo, convert_values, parameters_of
from luozi.util.parsing import JsonObject, OptionValue

USUAL_MINUTES = 60.0  # where neither minutes nor games are given
SCHEDULES = ("steps", "cosine", "constant")
KINDS = ("", "board", "lines", "priors")
WARM_UP, WARM_UP_SHARE = 2, 0.3  # generations at the beginning, and their share of the rate
STEPS = ((0.6, 1.0), (0.85, 0.5), (math.inf, 0.2))  # until which share of the run, which share of the rate
COSINE_LEAST = 0.05
# What differs for board networks where nothing else is set.
BOARD_DEFAULTS: dict[str, OptionValue] = {
    "full_iterations": 128,
    "fast_iterations": 24,
    "full_share": 0.25,
    "temperature_moves": 10,
    "lr_schedule": "cosine",
}


@dataclass(frozen=True)
class LearningOptions:
    """How `luozi learn` learns.

    >>> LearningOptions.of({"full": "800"}).full_iterations
    800
    >>> LearningOptions().minutes_to_go, LearningOptions(games=500).minutes_to_go
    (60.0, inf)
    """

    minutes: Annotated[
        float | None,
        ParameterInfo("stop after this time; 60 if neither minutes nor games is given", 0.01, 10**6),
    ] = None
    games: Annotated[int | None, ParameterInfo("stop after this number of self-play games", 1, 10**9)] = None
    games_per_generation: Annotated[int, ParameterInfo("games between two trainings", 1, 10**6)] = 1000
    games_per_task: Annotated[
        int, ParameterInfo("games that a worker returns together; at most these are lost", 1, 1000)
    ] = 8
    full_iterations: Annotated[
        int, ParameterInfo("iterations of a full search, whose visits the policy learns", 1, 10**6)
    ] = 400
    fast_iterations: Annotated[int, ParameterInfo("iterations of the other searches", 1, 10**6)] = 80
    full_share: Annotated[
        float, ParameterInfo("share of the moves with a full search (playout cap randomization, Wu 2019)", 0, 1)
    ] = 0.4
    dirichlet_fraction: Annotated[
        float, ParameterInfo("share of Dirichlet noise in the root priors of a full search", 0, 1)
    ] = 0.25
    temperature_moves: Annotated[
        int,
        ParameterInfo(
            "moves of a game that are drawn by their visits; later moves are nearly always the best", 0, 1000
        ),
    ] = 6
    max_moves: Annotated[int, ParameterInfo("moves after which a game is a draw; 0: chosen for the game", 0, 10**6)] = 0
    drawn_share: Annotated[
        float,
        ParameterInfo(
            "share of the positions of drawn games that are kept; each counts 1 / drawn_share times for the value",
            0,
            1,
        ),
    ] = 0.3
    result_weight: Annotated[
        float,
        ParameterInfo("weight of the game's result in the value target; the rest is the value of the search", 0, 1),
    ] = 0.85
    batch_size: Annotated[int, ParameterInfo("positions of a training step", 1, 10**6)] = 256
    learning_rate: Annotated[float, ParameterInfo("the highest learning rate", 1e-7, 1)] = 2e-3
    lr_schedule: Annotated[
        str, ParameterInfo("how the learning rate falls to the end of the run", choices=SCHEDULES)
    ] = "steps"
    replay_ratio: Annotated[float, ParameterInfo("how often each position is used, on average", 0.01, 1000)] = 4.0
    window: Annotated[int, ParameterInfo("generations whose positions are used", 1, 10**5)] = 40
    policy_lag: Annotated[
        int,
        ParameterInfo(
            "1: a generation is played during the training of the one before, with weights that are one older; "
            "0: afterwards",
            0,
            1,
        ),
    ] = 1
    eval_every: Annotated[int, ParameterInfo("generations between two checkpoint evaluations; 0: none", 0, 10**6)] = 10
    eval_games: Annotated[
        int, ParameterInfo("games of a new checkpoint against each of two earlier ones", 2, 10**6)
    ] = 40
    eval_iterations: Annotated[int, ParameterInfo("iterations per move in evaluation games", 1, 10**9)] = 200
    kind: Annotated[
        str,
        ParameterInfo(
            "network that is learned: board for any game with a board, lines, or priors of moves; not given: the "
            "game's own kind, else board",
            choices=KINDS,
        ),
    ] = ""
    network_size: Annotated[
        str,
        ParameterInfo(
            "size of a new board network: tiny has 4 blocks of 32 channels, small 6 of 64, medium 10 of 96; not given: "
            "small with a GPU, else tiny",
            choices=("", "tiny", "small", "medium"),
        ),
    ] = ""
    device: Annotated[
        str,
        ParameterInfo("where a board network runs; not given: a GPU if there is one", choices=("", "cpu", "cuda")),
    ] = ""
    threads: Annotated[int, ParameterInfo("threads of board self-play; 0: one for each processor core", 0, 1024)] = 0
    parallel_games: Annotated[
        int, ParameterInfo("games of board self-play at once; 0: 8,192 with a GPU, else 256", 0, 10**6)
    ] = 0
    positions_per_generation: Annotated[
        int,
        ParameterInfo("positions between two trainings of a board network; 0: 40,000 with a GPU, else 1,000", 0, 10**8),
    ] = 0
    window_positions: Annotated[
        int,
        ParameterInfo(
            "positions in the replay window of a board network; 0: 1,500,000 with a GPU, else 200,000", 0, 10**8
        ),
    ] = 0
    random_openings: Annotated[
        float, ParameterInfo("share of the games of board self-play that begin with random moves", 0, 1)
    ] = 0.7
    random_moves: Annotated[int, ParameterInfo("random moves at the beginning of such games, at most", 0, 1000)] = 6
    first_pass: Annotated[
        int,
        ParameterInfo(
            "moves of a game of board self-play before which nobody passes while there is another move", 0, 10**6
        ),
    ] = 0
    seed: Annotated[
        int, ParameterInfo("the same seed repeats the run, if games is given and minutes is not", 0, 2**62)
    ] = 1

    @classmethod
    def of(cls, values: Mapping[str, OptionValue]) -> LearningOptions:
        """Settings from what people write, checked; the rest as by default."""
        return cls().changed(values)

    def changed(self, values: Mapping[str, OptionValue]) -> LearningOptions:
        """The same with other values, checked.

        >>> LearningOptions().changed({"batch_size": 0})
        Traceback (most recent call last):
        luozi.LuoziError: learn: batch_size=0 is not valid; it must be 1 to 1,000,000
        """
        settings = replace(self, **convert_values(dict(values), parameters_of(LearningOptions), "learn"))
        if settings.fast_iterations > settings.full_iterations:
            raise LuoziError(
                "learn: fast_iterations={value} is more than full_iterations={name}; give full_iterations too",
                value=settings.fast_iterations,
                name=settings.full_iterations,
            )
        return settings

    def as_dict(self) -> JsonObject:
        """All of them as plain values."""
        return asdict(self)

    @property
    def minutes_to_go(self) -> float:
        """When the clock ends the run."""
        if self.minutes is None:
            return USUAL_MINUTES if self.games is None else math.inf
        return self.minutes

    @property
    def games_to_go(self) -> float:
        """When the number of games ends the run."""
        return math.inf if self.games is None else self.games

    def progress(self, games: int, seconds: float) -> float:
        """The share of the run that is done; by games alone where they are given, so that a run repeats.

        >>> LearningOptions(games=400).progress(100, 99.0), LearningOptions(minutes=10).progress(100, 60.0)
        (0.25, 0.1)
        """
        return games / self.games if self.games is not None else seconds / 60 / self.minutes_to_go

    def rate_at(self, generation: int, progress: float) -> float:
        """The learning rate of a generation, counted from 1, after this share of the run.

        >>> settings = LearningOptions(learning_rate=1.0)
        >>> [round(settings.rate_at(number, share), 2) for number, share in ((1, 0), (3, 0.5), (9, 0.9))]
        [0.3, 1.0, 0.2]
        """
        if generation <= WARM_UP:
            return self.learning_rate * WARM_UP_SHARE
        if self.lr_schedule == "constant":
            return self.learning_rate
        if self.lr_schedule == "cosine":
            return self.learning_rate * max(COSINE_LEAST, (1 + math.cos(math.pi * min(1.0, progress))) / 2)
        return self.learning_rate * next(share for until, share in STEPS if progress < until)
