"""Parameter tuning: each trial is a short match of a player with other values of its parameters.

Optuna's TPE proposes values in waves (Bergstra et al. 2011). A wave depends on the results of the waves before it
and on nothing else, so that the same command tries the same values on any number of cores. Games and proposals are
stored: a tuning that was stopped goes on, and one that asks for more games begins with those that it has.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from luozi.games import game as make_game
from luozi.matches.openings import Openings, seed_of
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.summary import share
from luozi.matches.tuning.ranges import Tuned, read_ranges, with_old_names
from luozi.matches.workers import Executor
from luozi.messages import LuoziError
from luozi.players import join_player, read_spelling
from luozi.rules.game import Game
from luozi.util.old_names import EXPERIMENTS, new_name, new_names, new_spelling, new_value, old_spelling, to_old_names

WAVE = 10  # trials of the first waves
GROWTH = 5  # a later wave has one trial for each five before it, so that many machines have work
STARTUP = 20  # random trials before TPE has a model
TRIAL_GAMES = 20
DEFINITION = "definition"  # the key under which a tuning is stored

Values = dict[str, Any]


@dataclass(frozen=True)
class Tuning:
    """Which parameters of which player are tuned, against whom, at which game.

    >>> tuning = Tuning.of("mcts:iterations=50", ["c=0.2:2"], "random", game="tictactoe")
    >>> tuning.spelling({"c": 0.7})
    'mcts:iterations=50,c=0.7'
    >>> tuning.contest(0, {"c": 0.7}).players
    ('mcts:iterations=50,c=0.7', 'random')
    """

    base: MatchSchedule  # of the player without the tuned parameters, and all opponents
    tuned: tuple[Tuned, ...]
    trial_games: int = TRIAL_GAMES

    @classmethod
    def of(
        cls,
        player: str,
        parameters: Sequence[str],
        against: str,
        game: str | Game = "connect4",
        seed: int = 1,
        openings: Openings | None = None,
    ) -> Tuning:
        """Return the tuning of what a user writes, checked; the opponent has all other seats."""
        kind, values = read_spelling(player)
        tuned = read_ranges(parameters, kind, values)
        board = make_game(game)
        if board.players < 2:
            raise LuoziError("{game} has one player, so there is no opponent to tune against", game=board.spelling)
        base = MatchSchedule.of(board, [player, *[against] * (board.players - 1)], "match", seed, openings)
        return cls(base, tuned, base.count(TRIAL_GAMES))

    def in_trials(self, games: int) -> Tuning:
        """Return the tuning with at least so many games for each trial."""
        return replace(self, trial_games=self.base.count(games))

    @cached_property
    def id(self) -> str:
        """The id of this tuning, which does not depend on the number of games."""
        ranges = {one.name: str(one) for one in self.stored}
        definition = json.dumps(["tuning", self.base.definition, ranges, self.trial_games])
        return hashlib.blake2b(definition.encode(), digest_size=6).hexdigest()

    @property
    def definition(self) -> dict[str, Any]:
        """The tuning as JSON values, for `stored_tuning`."""
        ranges = [f"{one.name}={one}" for one in self.stored]
        return {"base": self.base.definition, "parameters": ranges, "trial_games": self.trial_games}

    @cached_property
    def label(self) -> str:
        """The tuning in one line, as databases name it: with the first names of options."""
        ranges = ", ".join(f"{one.name}={one}" for one in self.stored)
        game, player, against = map(old_spelling, (self.base.game, self.player, self.against))
        return f"tuning {self.id}: {game}, {player} with {ranges} against {against}"

    @cached_property
    def kind(self) -> str:
        """The kind of player that is tuned."""
        return read_spelling(self.player)[0].name

    @cached_property
    def stored(self) -> tuple[Tuned, ...]:
        """The ranges with the first names of parameters."""
        return tuple(with_old_names(one, self.kind) for one in self.tuned)

    @property
    def player(self) -> str:
        """The player without the tuned parameters."""
        return self.base.players[0]

    @property
    def against(self) -> str:
        """The opponent."""
        return self.base.players[1]

    def spelling(self, values: Values) -> str:
        """Return the player with these values."""
        kind, fixed = read_spelling(self.player)
        return join_player(kind, {**fixed, **values})

    def contest(self, number: int, values: Values) -> MatchSchedule:
        """Return the match that tries these values, with openings of its own."""
        players = [self.spelling(values), *self.base.players[1:]]
        seed = seed_of("trial", self.base.seed, number)
        return MatchSchedule.of(self.base.board, players, "match", seed, self.openings(number))

    def openings(self, number: int) -> Openings:
        """Return the openings of a trial; given lines are used in turn over all trials."""
        lines, rounds = self.base.openings.lines, self.trial_games // self.base.seats
        if not lines:
            return self.base.openings
        start = number * rounds
        return Openings(lines=tuple(lines[place % len(lines)] for place in range(start, start + rounds)))


@dataclass(frozen=True)
class Trial:
    """Values and the match that tries them."""

    number: int
    values: Values
    run: Run

    @property
    def score(self) -> float:
        """Points a game so far, from 0 to 1."""
        games = self.run.counted
        return math.fsum(share(game, 0) for game in games) / len(games)


class TuningRun:
    """A tuning as it is played, with all trials so far."""

    def __init__(self, tuning: Tuning, games: int, store: Store, looking: bool = False) -> None:
        """With `looking`, only read the store."""
        self.tuning, self.store, self.looking = tuning, store, looking
        self.wanted = tuning.base.count(games)
        self.trials: list[Trial] = []

    @property
    def finished(self) -> int:
        """The number of finished games."""
        return sum(len(trial.run.played) for trial in self.trials)

    @property
    def complete(self) -> bool:
        """Whether no game is left to play."""
        return self.finished == self.wanted

    @property
    def pending(self) -> list[Run]:
        """The matches that are not complete."""
        return [trial.run for trial in self.trials if not trial.run.complete]

    def load(self) -> None:
        """Take the finished games from the store, and begin waves until one has games to play."""
        while not self.pending and not self.complete:
            begun = len(self.trials)
            self.begin_wave()
            if len(self.trials) == begun:  # the store has no more proposals
                return

    def play(self, executor: Executor, on_game: Callable[[], None] = lambda: None) -> None:
        """Play the missing games."""
        self.store.measure(self.tuning.label, DEFINITION, {**self.tuning.definition, "games": self.wanted})
        self.load()
        while self.pending:
            play_all(self.pending, self.store, executor, lambda _run, _outcome: on_game())
            self.load()

    def begin_wave(self) -> None:
        """Add the next trials, as far as the number of games allows."""
        start, size = len(self.trials), self.tuning.trial_games
        for number, values in enumerate(self.proposals(start), start):
            games = min(size, self.wanted - number * size)
            if games <= 0:
                return
            run = Run(self.tuning.contest(number, values), games, part_of=self.tuning.label)
            if self.looking:
                run.load_games(self.store)
            else:
                run.load(self.store)
            self.trials.append(Trial(number, values, run))

    def proposals(self, start: int) -> list[Values]:
        """Return the values of the wave that begins with a trial, from the store or new ones."""
        key = f"values from trial {start + 1}"
        kind = self.tuning.kind
        kept: list[Values] | None = self.store.measured(self.tuning.id, key)
        if kept is None and self.looking:
            return []
        if kept is None:
            told = [(to_old_names(trial.values, kind), trial.score) for trial in self.trials]
            seed = seed_of("proposals", self.tuning.base.seed, start)
            kept = propose(self.tuning.stored, told, max(WAVE, start // GROWTH), seed)
            self.store.measure(self.tuning.id, key, kept)
        return [new_names(values, kind) for values in kept]


def shown_label(label: str) -> str:
    """Return the label of a tuning or experiment with the present names of options.

    >>> shown_label("tuning 1: tictactoe, mcts:keep=true with formula=uct|tuned against random")
    'tuning 1: tictactoe, mcts:reuse_tree=true with selection=uct|ucb1_tuned against random'
    """
    parts = re.fullmatch(r"(tuning \w+): (.*), (\S+) with (.*) against (.*)", label)
    if parts is None:
        return EXPERIMENTS.get(label, label)
    head, game, player, ranges, against = parts.groups()
    kind, renamed = player.partition(":")[0], []
    for one in ranges.split(", "):
        name, _equals, values = one.partition("=")
        new = new_name(name, kind)
        renamed.append(f"{new}={'|'.join(new_value(new, value, kind) for value in values.split('|'))}")
    game, player, against = map(new_spelling, (game, player, against))
    return f"{head}: {game}, {player} with {', '.join(renamed)} against {against}"


def stored_tuning(store: Store, label: str) -> TuningRun | None:
    """Return a tuning as it was last asked for, with its finished games; None if the store does not define it."""
    kept = store.measured(label, DEFINITION)
    try:
        base = MatchSchedule.read(kept["base"])
        tuned = read_ranges(kept["parameters"], *read_spelling(base.players[0]))
        run = TuningRun(Tuning(base, tuned, kept["trial_games"]), kept["games"], store, looking=True)
    except (KeyError, TypeError):  # there is none, or another program wrote it
        return None
    run.load()
    return run if run.tuning.label == label else None


def propose(tuned: Sequence[Tuned], told: Sequence[tuple[Values, float]], count: int, seed: int) -> list[Values]:
    """Return so many proposals, given the values that were tried and their scores.

    >>> from luozi.matches.tuning.ranges import Range
    >>> [one] = propose([Range("c", 0.2, 2.0)], [({"c": 1.0}, 0.5)], 1, seed=1)
    >>> 0.2 <= one["c"] <= 2.0
    True
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    distributions = {one.name: one.distribution() for one in tuned}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about experimental features of Optuna
        sampler = optuna.samplers.TPESampler(
            seed=seed % 2**32, multivariate=True, constant_liar=True, n_startup_trials=STARTUP
        )
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for values, score in told:
            study.add_trial(optuna.trial.create_trial(params=values, distributions=distributions, value=score))
        asked = [study.ask(distributions).params for _ in range(count)]
    return [{one.name: one.rounded(values[one.name]) for one in tuned} for values in asked]
