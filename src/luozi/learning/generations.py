"""A run of training: self-play, training and checkpoint evaluation by turns. `LearningRun.proceed` is the loop.

What a generation gives follows from the settings and what the generations before gave, so that it does not matter who
played its parts, in which order, or how often all of it was killed in between.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from luozi import __version__
from luozi.learning.checkpoint_eval import (
    Checkpoint,
    checkpoint_ratings,
    evaluation_runs,
    is_evaluated,
    open_ladder,
    play_evaluation,
)
from luozi.learning.files import written_by
from luozi.learning.folder import Entry, RunFolder, RunRequest
from luozi.learning.learner import (
    Learner,
    Losses,
    Samples,
    SelfPlayBatch,
    SelfPlayLearner,
    Weights,
    joined,
    shared_out,
    with_targets,
)
from luozi.learning.selfplay import Generation, SelfPlayCount, SelfPlayTask, merged, tally_of
from luozi.learning.training_thread import TrainingThread
from luozi.matches.openings import seed_of
from luozi.matches.remote_task import PortableCall
from luozi.matches.workers import Executor
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.util.parsing import path_of

MINUTE = 60.0


class LearningObserver(Protocol):
    """Who is told how it goes."""

    def say(self, sentence: str) -> None:
        """Something that the user should know."""

    def begin(self, what: str, total: int, done: int) -> None:
        """Games of a generation or of the ladder begin, some of which were finished before."""

    def games(self, run: LearningRun, count: int) -> None:
        """So many more are finished."""

    def generation(self, run: LearningRun, entry: Entry) -> None:
        """A generation has been learned from."""

    def ladder(self, run: LearningRun) -> None:
        """There is a new checkpoint with a rating."""


class LearningRun:
    """One run, as far as it is."""

    def __init__(
        self, folder: RunFolder, game: Game, learner: Learner, asked: RunRequest, watcher: LearningObserver
    ) -> None:
        self.folder, self.game, self.learner, self.asked, self.watcher = folder, game, learner, asked, watcher
        self.settings = asked.settings
        self.entries: list[Entry] = []
        self.checkpoints: list[Checkpoint] = []
        self.generation = 0  # the last one that was learned from
        self.window: dict[int, Samples] = {}
        self.training: TrainingThread | None = None  # the generation that is being learned from
        self.playing = SelfPlayCount(0, 0)  # what is finished of the generation in hand
        self.said_slow, self.is_fresh = False, True
        self.pace = 0.0  # positions a second in its games
        self.seconds_before, self.began = 0.0, time.monotonic()
        self.ladder = open_ladder(folder / "ladder.db", watcher.say)

    # How far it is ----------------------------------------------------------------------------------------------------

    @property
    def games(self) -> int:
        """The games of self-play that were learned from."""
        return int(self.entries[-1]["games"]) if self.entries else 0

    @property
    def positions(self) -> int:
        """The positions that were learned from."""
        return int(self.entries[-1]["positions"]) if self.entries else 0

    @property
    def seconds(self) -> float:
        """How long it has taken, all times together that it was started."""
        return self.seconds_before + time.monotonic() - self.began

    @property
    def is_out_of_time(self) -> bool:
        """Whether the clock ends it."""
        return self.seconds / 60 >= self.settings.minutes_to_go

    @property
    def is_enough(self) -> bool:
        """Whether all games are played that were asked for, and none wait to be learned from."""
        if self.next_number == 1 or self.folder.samples_file(self.next_number).is_file():
            return False
        return self.is_out_of_time or self.games + self.games_in_training >= self.settings.games_to_go

    @property
    def next_number(self) -> int:
        """The generation that is played next."""
        return self.generation + (1 if self.training is None else 2)

    @property
    def complete(self) -> bool:
        """Whether it has done all that was asked for."""
        return self.training is None and self.is_enough

    @property
    def games_in_training(self) -> int:
        """The games that are being learned from."""
        return 0 if self.training is None else self.training.played.games

    @property
    def so_far(self) -> SelfPlayCount:
        """All that is played."""
        known = SelfPlayCount(self.games + self.playing.games, self.positions + self.playing.positions)
        return known if self.training is None else known.plus(self.training.played)

    def seconds_left(self) -> float:
        """By the pace so far."""
        by_clock = 60 * self.settings.minutes_to_go - self.seconds
        done = self.so_far.games
        by_games = (self.settings.games_to_go - done) * self.seconds / max(1, done)
        return max(0.0, min(by_clock, by_games))

    # The loop ---------------------------------------------------------------------------------------------------------

    def proceed(self, executor: Executor) -> Iterator[Entry]:
        """Do what is missing, a generation at a time; the next one may be played while one is learned from."""
        self.evaluate_checkpoint(executor)  # it may have been killed meanwhile
        while self.training is not None or not self.complete:
            number = self.next_number
            played = None if self.is_enough else self.play(number, executor)
            if self.training is not None:
                yield self.finish_training(executor, last=played is None)
            if played is not None:
                self.training = self.begin_training(number, *played)
                if not self.settings.policy_lag:
                    yield self.finish_training(executor, last=self.is_enough)
        written_by(self.folder / "final.npz", lambda file: self.learner.save(self.weights(), file, self.notes()))

    def load(self) -> None:
        """Take up what is in the folder, or begin."""
        start = self.folder.weights_file(0)
        if not start.is_file():
            written_by(start, lambda file: self.learner.save(self.first_weights(), file, self.notes()))
        self.entries = self.folder.read_log()
        self.load_trainer()
        self.entries = [entry for entry in self.entries if entry["generation"] <= self.generation]
        self.folder.write_log(self.entries)
        self.folder.forget_parts(self.generation)
        self.checkpoints = checkpoint_ratings(self.ladder)
        self.seconds_before = float(self.entries[-1]["seconds"]) if self.entries else 0.0
        self.began = time.monotonic()
        for number in range(max(1, self.generation + 2 - self.settings.window), self.generation + 1):
            found = self.folder.read_generation(number)
            if found is not None:
                self.window[number] = found[0].samples

    def load_trainer(self) -> None:
        """Go on with the training where it was, or from the last weights where that can't be."""
        kept = self.folder.read_trainer()
        self.generation, weights = self.newest_weights(None if kept is None else kept[0])
        self.trainer = self.learner.trainer(weights)
        if kept is None:
            return
        number, state, entry = kept
        try:
            self.trainer.restore(state)
        except (KeyError, ValueError):
            self.watcher.say(
                "what the training remembered is of another kind; it goes on from the last weights without it"
            )
            self.trainer = self.learner.trainer(weights)
            return
        self.generation = number
        if number not in [one["generation"] for one in self.entries]:
            self.entries.append(entry)
        self.keep_weights()

    def prepare(self) -> None:
        """Compile what games need, once and before all workers would."""
        cast(SelfPlayLearner, self.learner).play(self.weights(), self.settings, 0, 1)

    def first_weights(self) -> Weights:
        """What the run begins with."""
        if self.asked.begun_from:
            return self.learner.load(path_of(self.asked.begun_from))
        return self.learner.new_weights(seed_of("weights", self.settings.seed))

    def newest_weights(self, until: int | None) -> tuple[int, Weights]:
        """The last weights that can be read, and their generation."""
        names = sorted((file.name for file in (self.folder / "weights").glob("[0-9]*.npz")), reverse=True)
        for number in (int(name.partition(".")[0]) for name in names):
            if until is not None and number > until:
                continue
            try:
                return number, self.learner.load(self.folder.weights_file(number))
            except LuoziError as error:
                self.watcher.say(Message("{error}; the weights before are taken", error=error))
        return 0, self.first_weights()

    # Playing ----------------------------------------------------------------------------------------------------------

    def play(self, number: int, executor: Executor) -> tuple[SelfPlayBatch, float]:
        """All games of a generation, and the seconds of the run then; what is kept of them is not played again."""
        kept = self.folder.read_generation(number, again=True)
        if kept is not None:
            self.playing = tally_of([kept[0]])
            return self.took_up(kept)
        to_go = self.settings.games_to_go - self.games - self.games_in_training
        games = int(min(self.settings.games_per_generation, max(1, to_go)))
        weights = self.newest_weights(max(0, number - 1 - self.settings.policy_lag))[1]
        tasks = Generation(self.game.spelling, number, weights, self.settings).tasks(games)
        done = self.kept_parts(number, [task.part for task in tasks])
        missing = [task for task in tasks if task.part.number not in done]
        self.playing = tally_of(done.values())
        self.watcher.begin(Message("generation {number}", number=number), games, self.playing.games)
        before, began = self.playing.positions, time.monotonic()
        for task, played in executor.run(self.while_there_is_time(missing, done)):
            part = task.part
            self.folder.keep_part(number, part.number, part.seed, played, self.seconds)
            done[part.number] = played
            self.notice_slowness(played)
            self.playing = self.playing.plus(played)
            if self.is_fresh:  # loading and compiling say nothing about the pace
                self.is_fresh, before, began = False, self.playing.positions, time.monotonic()
            self.pace = (self.playing.positions - before) / max(1e-6, time.monotonic() - began)
            self.watcher.games(self, played.games)
        whole, seconds = merged([done[place] for place in sorted(done)]), self.seconds
        self.folder.keep_generation(number, whole, seconds)
        return whole, seconds

    def notice_slowness(self, played: SelfPlayBatch) -> None:
        """Say once that more than a minute of play would be lost."""
        if played.cpu_seconds > MINUTE and played.games > 1 and not self.said_slow:
            self.said_slow = True
            shorter = max(1, int(played.games * MINUTE / played.cpu_seconds))
            self.watcher.say(
                Message(
                    "{count} games take {seconds} s, which would be lost if this is killed: --set "
                    "games_per_task={part} "
                    "keeps them sooner",
                    count=played.games,
                    seconds=f"{played.cpu_seconds:.0f}",
                    part=shorter,
                )
            )

    def kept_parts(self, number: int, parts: Iterable[SelfPlayTask]) -> dict[int, SelfPlayBatch]:
        """What was played of a generation before."""
        found = {part.number: self.folder.read_part(number, part.number, part.seed, part.games) for part in parts}
        return {place: self.took_up(kept)[0] for place, kept in found.items() if kept is not None}

    def took_up(self, kept: tuple[SelfPlayBatch, float]) -> tuple[SelfPlayBatch, float]:
        """Games that were played before took their time."""
        self.seconds_before = max(self.seconds_before, kept[1])
        return kept

    def while_there_is_time(
        self, tasks: Iterable[PortableCall[Generation, SelfPlayTask, SelfPlayBatch]], done: dict[int, SelfPlayBatch]
    ) -> Iterator[PortableCall[Generation, SelfPlayTask, SelfPlayBatch]]:
        """Tasks to do until the clock ends the run; one at least."""
        given = len(done)
        for task in tasks:
            if given and self.is_out_of_time:
                return
            given += 1
            yield task

    # Learning ---------------------------------------------------------------------------------------------------------

    def begin_training(self, number: int, played: SelfPlayBatch, seconds: float) -> TrainingThread:
        """Begin to learn from a generation and those before it."""
        settings, self.playing = self.settings, SelfPlayCount(0, 0)
        self.window[number] = played.samples
        self.window = {one: samples for one, samples in self.window.items() if one > number - settings.window}
        whole = joined(list(self.window.values()))
        self.window = shared_out(whole, {one: len(samples.board) for one, samples in self.window.items()})
        samples = with_targets(whole, settings.result_weight)
        if not len(samples.board):
            raise LuoziError(
                "no position of generation {number} was kept: raise drawn_share or generation", number=number
            )
        steps = max(1, round(len(played.samples.board) * settings.replay_ratio / settings.batch_size))
        rate = settings.rate_at(number, settings.progress(self.games + played.games, seconds))
        seed = seed_of("train", settings.seed, number)
        train = partial(self.trainer.train, samples, steps, settings.batch_size, rate, seed)
        return TrainingThread(train, number, played, samples, steps, rate)

    def finish_training(self, executor: Executor, last: bool) -> Entry:
        """Wait until a generation is learned from, keep everything and evaluate the checkpoint."""
        assert self.training is not None
        trained, losses = self.training, self.training.losses()
        entry = self.entry_of(trained, losses)
        self.folder.keep_trainer(trained.number, self.trainer.state(), entry)
        self.generation, self.training = trained.number, None
        self.entries.append(entry)
        self.keep_weights()
        self.folder.write_log(self.entries)
        self.watcher.generation(self, entry)
        self.evaluate_checkpoint(executor, last)
        return entry

    def entry_of(self, trained: TrainingThread, losses: Losses) -> Entry:
        """The line of the log about a generation."""
        played, new = trained.played, len(trained.played.samples.board)
        return {
            "generation": trained.number,
            "games": self.games + played.games,
            "positions": self.positions + new,
            "new_games": played.games,
            "new_positions": new,
            "window_positions": len(trained.samples.board),
            "moves": played.moves / max(1, played.games),
            "wins": [int(wins) for wins in played.wins],
            "draws": played.draws,
            **{name: value if np.isfinite(value) else 0.0 for name, value in losses._asdict().items()},
            "steps": trained.steps,
            "rate": trained.rate,
            "cpu_seconds": round(played.cpu_seconds, 3),
            "train_seconds": round(trained.seconds, 3),
            "seconds": round(self.seconds, 3),
            "luozi": __version__,
        }

    def weights(self) -> Weights:
        """What has been learned."""
        return self.trainer.weights()

    def keep_weights(self) -> None:
        """Write the weights of this generation, unless they are there."""
        file = self.folder.weights_file(self.generation)
        try:
            if not file.is_file():
                raise LuoziError("not there yet")
            self.learner.load(file)
        except LuoziError:
            written_by(file, lambda unfinished: self.learner.save(self.weights(), unfinished, self.notes()))

    def notes(self) -> dict[str, Any]:
        """What made these weights."""
        last = self.checkpoints[-1].as_dict() if self.checkpoints else None
        made = {"games": self.games, "positions": self.positions, "seconds": round(self.seconds), "ladder": last}
        begun = {"game": self.game.spelling, "generation": self.generation, "from": self.asked.begun_from}
        return {**begun, **made, "command": self.asked.command(self.folder.name), "luozi": __version__}

    # The ladder -------------------------------------------------------------------------------------------------------

    def evaluate_checkpoint(self, executor: Executor, last: bool | None = None) -> None:
        """Let a generation that is evaluated play its matches, if they are not played yet."""
        if not is_evaluated(self.generation, self.settings, self.complete if last is None else last):
            return
        files, say = self.folder.weights_file, self.watcher.say
        runs = evaluation_runs(self.game, self.generation, self.learner, self.settings, files, say)
        for run in runs:
            run.load(self.ladder)
        if all(run.complete for run in runs):
            return
        wanted, finished = sum(run.wanted for run in runs), sum(len(run.played) for run in runs)
        self.watcher.begin(Message("ladder of generation {number}", number=self.generation), wanted, finished)
        play_evaluation(runs, self.ladder, executor, lambda: self.watcher.games(self, 1))
        self.checkpoints = checkpoint_ratings(self.ladder)
        self.watcher.ladder(self)

    def close(self) -> None:
        """Leave the folder to others."""
        self.ladder.close()
        self.folder.leave()
