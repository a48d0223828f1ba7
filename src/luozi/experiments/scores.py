"""The score of one player against another over several boards, and whether scores differ by more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import chdtrc

from luozi.matches.runner import Run, first_player_score
from luozi.statistics.matches import MatchScore, score_interval

Interval = tuple[float, float]
Block = tuple[str, int]  # a board and an encounter on it


@dataclass(frozen=True)
class Score:
    """The first player's games in matches against the same opponent, one match a board."""

    runs: tuple[Run, ...]

    @cached_property
    def encounters(self) -> dict[Block, list[float]]:
        """The scores of all games: one or two for each encounter."""
        found: dict[Block, list[float]] = {}
        for run in self.runs:
            for game in run.counted:
                found.setdefault((run.contest.game, game.encounter), []).append(first_player_score(game))
        return found

    @cached_property
    def tally(self) -> MatchScore:
        """All games; those of several matches on one board are added up."""
        return sum((MatchScore.of(Score((run,)).encounters.values()) for run in self.runs), MatchScore())

    @property
    def score(self) -> float | None:
        """Points a game; a draw is half a point."""
        return self.tally.score if self.tally.games else None

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval."""
        return score_interval(self.tally) if self.tally.games else None

    @property
    def pairs(self) -> dict[Block, float]:
        """The points of whole pairs of games."""
        return {block: sum(scores) for block, scores in self.encounters.items() if len(scores) == 2}

    def forfeits(self, player: int) -> int:
        """How many games the first (0) or the second (1) player forfeited."""
        return sum(bool(game.forfeit) and game.loser == player for run in self.runs for game in run.counted)


def same_by_blocks(columns: Sequence[Mapping[Block, float]]) -> tuple[float, int]:
    """How likely differences at least as large are if all columns are alike, and how many blocks tell so.

    The blocks are those that all columns have. Within a block, values are exchangeable if the columns are alike; from
    this follows Q, which is Cochran's (1950) for values of 0 and 1, and is chi-square for many blocks.

    >>> same_by_blocks([{("", n): n % 2 for n in range(40)}, {("", n): 1 for n in range(40)}])[0] < 0.001
    True
    """
    blocks = sorted(set.intersection(*(set(column) for column in columns))) if columns else []
    if len(columns) < 2 or not blocks:
        return 1.0, len(blocks)
    values = np.array([[column[block] for column in columns] for block in blocks], float)
    within = ((values - values.mean(1, keepdims=True)) ** 2).sum()
    sums = values.sum(0)
    if within == 0:
        return 1.0, len(blocks)
    statistic = (len(columns) - 1) * ((sums - sums.mean()) ** 2).sum() / within
    return float(chdtrc(len(columns) - 1, statistic)), len(blocks)


def same_by_counts(wins: Sequence[float], games: int) -> float:
    """How likely differences at least as large are if all won equally often; Pearson's chi-square (1900).

    >>> round(same_by_counts([39, 46, 44, 43], 50), 2)
    0.23
    """
    won = np.array(wins, float)
    mean = won.mean() / games
    if mean in (0.0, 1.0):
        return 1.0
    statistic = ((won - won.mean()) ** 2).sum() / (games * mean * (1 - mean))
    return float(chdtrc(len(won) - 1, statistic))
