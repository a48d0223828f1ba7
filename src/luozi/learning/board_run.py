"""A run of learning by a board network: thousands of games at once in this process, and training between generations.

The folder, the log, the checkpoint evaluation and the end are those of every run (`generations.py`). Games that were
not finished when a run ended are lost; the newest part of the window is kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from luozi import __version__
from luozi.compiled import Array
from luozi.learning.board_learner import BoardLearner
from luozi.learning.board_selfplay import BoardSelfPlay, Positions, SelfPlayReport
from luozi.learning.checkpoint_eval import is_evaluated
from luozi.learning.files import DamagedFileError, read_arrays, write_arrays, written_by
from luozi.learning.folder import Entry
from luozi.learning.generations import LearningRun
from luozi.learning.learner import Losses
from luozi.learning.selfplay import SelfPlayCount
from luozi.matches.openings import seed_of
from luozi.matches.workers import Executor
from luozi.messages import LuoziError, Message

SAVE_SECONDS = 20.0  # at most so much is lost when a run is killed, and the games that are not finished
WINDOW_SECONDS = 120.0  # between two files of the window
WINDOW_BYTES = 14 << 20  # of the file of the window, about
ONE_SIDED, ONE_SIDED_GENERATIONS = 0.95, 8  # a share of the games, in so many generations
PACKED = 4  # how many times smaller its arrays are than in memory, about


class BoardRun(LearningRun):
    """One run of a board network, as far as it is."""

    learner: BoardLearner
    trainer: Any  # `BoardTrainer`, which needs PyTorch

    def load(self) -> None:
        super().load()
        self.games_of_network: BoardSelfPlay | None = None
        self.said_one_sided = False
        self.saved = self.window_saved = self.seconds
        self.read_window()

    # The loop ---------------------------------------------------------------------------------------------------------

    def proceed(self, executor: Executor) -> Iterator[Entry]:
        """Do what is missing, a generation at a time."""
        self.evaluate_checkpoint(executor)
        while not self.complete:
            positions, report = self.play_generation()
            entry = self.learn(positions, report)
            self.generation = entry["generation"]
            self.entries.append(entry)
            self.notice_one_side()
            last = self.complete
            if last or self.seconds > self.saved + SAVE_SECONDS or is_evaluated(self.generation, self.settings):
                self.save()
            self.watcher.generation(self, entry)
            self.evaluate_checkpoint(executor, last)
            yield entry
        self.save(whole=True)
        written_by(self.folder / "final.npz", lambda file: self.learner.save(self.weights(), file, self.notes()))

    def prepare(self) -> None:
        """Compile what games need."""
        self.selfplay()

    def selfplay(self) -> BoardSelfPlay:
        """The games, which go on from generation to generation."""
        if self.games_of_network is None:
            evaluator = self.learner.evaluator(self.weights())
            seed = seed_of("self-play", self.settings.seed, self.generation)
            self.games_of_network = self.learner.selfplay(evaluator, seed)
            self.games_of_network.prepare()
        return self.games_of_network

    def play_generation(self) -> tuple[Positions, SelfPlayReport]:
        """Play with the newest weights until enough positions are recorded."""
        games, wanted = self.selfplay(), self.learner.positions
        evaluator: Any = games.evaluator
        evaluator.load(self.weights())
        self.watcher.begin(Message("generation {number}", number=self.generation + 1), wanted, 0)
        began, shown = time.monotonic(), 0

        def is_over() -> bool:
            nonlocal shown
            done = min(wanted, games.recorded)
            self.playing = SelfPlayCount(games.finished, games.recorded)
            self.pace = games.recorded / max(1e-6, time.monotonic() - began)
            if done > shown:
                self.watcher.games(self, done - shown)
            shown = done
            return self.is_out_of_time and games.recorded > 0

        return games.play(wanted, is_over)

    def learn(self, positions: Positions, report: SelfPlayReport) -> Entry:
        """Train on the window with a generation's positions; the line of the log about it."""
        settings, number, began = self.settings, self.generation + 1, time.monotonic()
        self.playing = SelfPlayCount(0, 0)
        self.trainer.window.add(positions)
        steps = max(1, round(report.positions * settings.replay_ratio / settings.batch_size))
        rate = settings.rate_at(number, settings.progress(self.games + report.games, self.seconds))
        losses: Losses = self.trainer.train(steps, settings.batch_size, rate, seed_of("train", settings.seed, number))
        if not np.isfinite(losses).all():
            raise LuoziError(
                "the training diverged in generation {number}: begin again with a lower learning_rate", number=number
            )
        return {
            "generation": number,
            "games": self.games + report.games,
            "positions": self.positions + report.positions,
            "new_games": report.games,
            "new_positions": report.positions,
            "window_positions": self.trainer.window.used,
            "moves": report.moves / max(1, report.games),
            "wins": [int(wins) for wins in report.wins],
            "draws": report.draws,
            **losses._asdict(),
            "steps": steps,
            "rate": rate,
            "cpu_seconds": round(report.seconds * len(self.selfplay().contexts), 3),
            "play_seconds": round(report.seconds, 3),
            "train_seconds": round(time.monotonic() - began, 3),
            "evaluations": report.evaluations,
            "search_share": round(report.search, 3),
            "waiting_share": round(report.waiting, 3),
            "seconds": round(self.seconds, 3),
            "luozi": __version__,
        }

    def notice_one_side(self) -> None:
        """Say once that one player wins nearly all games: then all moves of the others look equally bad."""
        player = one_sided(self.entries)
        if player is not None and not self.said_one_sided:
            self.said_one_sided = True
            self.watcher.say(
                Message(
                    "player {player} has won nearly all games of {count} generations, so that the others learn little: "
                    "raise random_openings and random_moves, or begin again with another seed",
                    player=player + 1,
                    count=ONE_SIDED_GENERATIONS,
                )
            )

    # Files ------------------------------------------------------------------------------------------------------------

    def save(self, whole: bool = False) -> None:
        """Keep what is needed to go on."""
        if self.entries:
            self.folder.keep_trainer(self.generation, self.trainer.state(), self.entries[-1])
            self.keep_weights()
        self.folder.write_log(self.entries)
        self.saved = self.seconds
        if whole or self.seconds > self.window_saved + WINDOW_SECONDS:
            self.write_window()
            self.window_saved = self.seconds

    def write_window(self) -> None:
        """Keep the newest part of the window."""
        if not self.trainer.window.total:
            return
        columns = self.trainer.window.columns
        each = sum(column[0].numel() * column.element_size() for column in columns)
        newest = self.trainer.window.newest(PACKED * WINDOW_BYTES // each)
        arrays: dict[str, Array] = {"planes": np.packbits(newest.planes, axis=2)}
        arrays |= {name: column for name, column in newest._asdict().items() if name != "planes"}
        write_arrays(self.folder / "window.npz", arrays, compressed=True)

    def read_window(self) -> None:
        """Take up the positions that were kept; without them the window begins anew."""
        file = self.folder / "window.npz"
        if not file.is_file() or not self.generation:
            return
        try:
            arrays = read_arrays(file)
            planes = np.unpackbits(arrays["planes"], axis=2, count=self.learner.view.cells)
            positions = Positions(planes, *(arrays[name] for name in Positions._fields[1:]))
            seen = self.trainer.window.seen
            self.trainer.window.add(positions)
            self.trainer.window.seen = max(seen, len(positions.policy))
        except (DamagedFileError, KeyError, ValueError, RuntimeError) as error:
            self.watcher.say(Message("{error}; the window of positions begins anew", error=error))


def one_sided(entries: list[Entry]) -> int | None:
    """Return the player who won nearly all games of the last generations; None if nobody did.

    >>> one_sided([{"wins": [97, 3], "new_games": 100}] * 8)
    0
    >>> one_sided([{"wins": [97, 3], "new_games": 100}] * 7 + [{"wins": [50, 50], "new_games": 100}]) is None
    True
    """
    last = entries[-ONE_SIDED_GENERATIONS:]
    if len(last) < ONE_SIDED_GENERATIONS:
        return None
    for player in range(len(last[0]["wins"])):
        if all(entry["wins"][player] > ONE_SIDED * entry["new_games"] for entry in last):
            return player
    return None
