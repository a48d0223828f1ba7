"""Statistics of random games: branching factor, length, draws, results by seat, and the speed of plain search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from luozi.check.playing import GameCheck
from luozi.messages import Message
from luozi.rules.game import Game
from luozi.search import Engine

SPEED_SECONDS = 0.5


@dataclass
class GameStatistics:
    """Sums over games of uniformly random legal moves."""

    game: Game
    lengths: list[int] = field(default_factory=list)
    choices: int = 0
    draws: int = 0

    def __post_init__(self) -> None:
        self.turns = np.zeros(self.game.players, np.int64)
        self.points = np.zeros(self.game.players)

    def add(self, played: GameCheck) -> None:
        """Count a finished game."""
        self.lengths.append(len(played.played))
        self.choices += sum(played.choices)
        self.turns += np.bincount(played.movers, minlength=self.game.players)
        self.points += played.results
        self.draws += bool(np.ptp(played.results) == 0) and self.game.players > 1

    def lines(self) -> list[str]:
        """Return the statistics as lines of text."""
        games = len(self.lengths)
        if not games:
            return []
        length = sum(self.lengths) / games
        found: list[str] = [
            Message(
                "random games: {choices} legal moves a turn, {length} moves a game ({low} to {high})",
                choices=f"{self.choices / max(1, sum(self.lengths)):.1f}",
                length=f"{length:.1f}",
                low=min(self.lengths),
                high=max(self.lengths),
            ),
        ]
        if self.game.players > 1:
            found.append(self._results(games))
        names = [self.game.player_name(player) for player in np.flatnonzero(self.turns == 0).tolist()]
        return found + [
            Message("player {text} never moves in {count} games: look at current_player", text=name, count=f"{games:,}")
            for name in names
        ]

    def _results(self, games: int) -> str:
        """Return the mean result of each seat. The first seat's advantage is its excess over an equal share."""
        means = ", ".join(f"{self.game.player_name(seat)} {mean:.3f}" for seat, mean in enumerate(self.points / games))
        lead = (self.points[0] - self.points.mean()) / games
        return Message(
            "results: {text} on average, first seat {lead}, {draws} % draws",
            text=means,
            lead=f"{lead:+.3f}",
            draws=f"{100 * self.draws / games:.1f}",
        )


def speed_of(game: Game) -> str:
    """Return the iterations per second of plain search from the start of the game, as a line of text."""
    thought = Engine(game, seed=1, pool_size=max(100_000, game.actions + 2)).think(
        game.new_state(), seconds=SPEED_SECONDS
    )
    return Message(
        "plain search: {rate} iterations/s from the start",
        rate=f"{thought.iterations / max(thought.seconds, 1e-09):,.0f}",
    )
