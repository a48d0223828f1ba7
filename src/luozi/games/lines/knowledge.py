"""Move priors of line games, from the winning segments.

A segment with stones of a single player is nearer to a win the more it has. Wins in one and fours are in `threats`, the
playout policy in `playouts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, apart, unsigned
from luozi.games.lines.threats import LineThreats, signed
from luozi.rules.game import Game
from luozi.rules.state import State

if TYPE_CHECKING:
    pass

# Value of a stone (`promise`) in segments that miss two stones after it: each stone more or less is a factor.
FACTOR = 8.0
A_FOUR = FACTOR  # minimum value of a stone that leaves one stone to a win
# bonus for an open three, for two threats at once, for threats that cannot be blocked
OPEN, CROSSING, SURE = 3.0, 8.0, 24.0
GUARD = 0.6  # share of the cell's value to the next player; later players count less
# A packed sum over segments: the value in UNITs, and how many miss two stones or one, own and others'.
UNIT, SUM, OURS, THEIRS, MOST = 4096, (1 << 36) - 1, 36, 48, 4095
# The value as a prior: from QUIET, half way to STRONG at HALF.
QUIET, STRONG, HALF = 0.3, 0.9, 6.0
WON, NEEDED, IGNORED = 0.98, 0.6, 0.05  # prior of a win, of a block; and the factor for all other moves then
GIFT, WASTE = 0.1, 0.8  # factor for a move under a cell where the next player wins, or the mover


def worth_by_missing(run: int) -> npt.NDArray[np.float64]:
    """Return the value of a segment that misses 0, 1, 2, ... stones."""
    return np.power(FACTOR, 2.0 - np.arange(run)).astype(np.float64)


def outlook_table(run: int, players: int) -> npt.NDArray[np.int64]:
    """Return the packed sum for a segment by the number of own stones and of another player's, by turns from now.

    A segment with stones of both, coded as `run`, is worth nothing.
    """
    worth, table = worth_by_missing(run), np.zeros((players - 1, run + 1, run + 1), np.int64)
    guards = [GUARD / turns for turns in range(1, players)]
    near = run - 1 in (1, 2)
    table[:, 0, 0] = int(UNIT * worth[run - 1] * (1 + sum(guards))) + (near << OURS) + (near << THEIRS)
    for stones in range(1, run):
        missing = run - 1 - stones
        threat = missing in (1, 2)
        table[:, stones, 0] = int(UNIT * worth[missing]) + (threat << OURS)
        for turns, guard in enumerate(guards):
            table[turns, 0, stones] = int(UNIT * guard * worth[missing]) + (threat << THEIRS)
    return table.reshape(-1)


# Long rules are compiled as separate functions: inlined into a search, they would take minutes to compile.


@apart
def guess_moves(game: LineKnowledge, state: State, actions: Array, count: int, values: Array) -> None:
    """`LineKnowledge.guess` as a separate function"""
    game.guess(state, actions, count, values)


@apart
def wins_in_cell(game: LineKnowledge, state: State, cell: int, player: int) -> bool:
    """`LineKnowledge.wins_at` as a separate function"""
    return game.wins_at(state, cell, player)


@apart
def promised(game: LineKnowledge, state: State, cell: int, player: int) -> float:
    """`LineKnowledge.promise` as a separate function"""
    return game.promise(state, cell, player)


class LineKnowledge(LineThreats):
    """The part of `Lines` that improves play. The rules do not depend on it."""

    entry_points = (*Game.entry_points, "guess", "wins_at", "promise")
    policy_takes_wins = True

    if TYPE_CHECKING:
        direction: Any
        worth_of: Array
        outlooks: Array

    # A guess at each move ---------------------------------------------------------------------------------------------

    def priors(self, state: State, actions: Array, count: int, values: Array) -> None:
        guess_moves(self, state, actions, count, values)

    def guess(self, state: State, actions: Array, count: int, values: Array) -> None:
        """Write priors from the segments through each cell, own and others'. Wins and forced blocks come first."""
        mover = signed(state.to_move)
        urgent = self.urgent_player(state, actions, count)
        for index in range(count):
            cell = self.cell_of(state, int(actions[index]))
            if urgent >= 0 and not wins_in_cell(self, state, cell, urgent):
                values[index] = IGNORED
                continue
            worth = self.worth_to_all(state, cell, mover)
            value = QUIET + (STRONG - QUIET) * worth / (worth + HALF)
            if urgent >= 0:
                value = WON if urgent == mover else NEEDED + (WON - NEEDED) * value
            elif self.gravity and self.above[cell] >= 0:
                above = signed(self.above[cell])
                if wins_in_cell(self, state, above, (mover + 1) % self.players):
                    value *= GIFT
                elif wins_in_cell(self, state, above, mover):
                    value *= WASTE
            values[index] = value

    def worth_to_all(self, state: State, cell: int, mover: int) -> float:
        """Return the value of an empty cell to the player to move: its value for that player and what it denies to
        others.

        All numbers of a segment are packed in one table, so most cells take one addition a segment.
        """
        total = 0
        for index in range(unsigned(self.first_segment[cell]), unsigned(self.first_segment[cell + 1])):
            total += self.outlooks[unsigned(self.outlook(state, mover, signed(self.through[index])))]
        if total >> THEIRS < 2 and (total >> OURS) & MOST < 2:
            return (total & SUM) * (1.0 / UNIT)
        worth = 0.0
        for turns in range(self.players):
            weight = GUARD / turns if turns > 0 else 1.0
            worth += weight * promised(self, state, cell, (mover + turns) % self.players)
        return worth

    def outlook(self, state: State, mover: int, segment: int) -> int:
        """Return the index of a segment in the table `outlooks`."""
        own = int(state.counts[unsigned(mover * self.segments + segment)]) + self.run - 128
        if self.players == 2:
            theirs = int(state.counts[unsigned((1 - mover) * self.segments + segment)]) + self.run - 128
            return own * (self.run + 1) + theirs
        turns, theirs = 1, 0
        for ahead in range(1, self.players):
            player = mover + ahead if mover + ahead < self.players else mover + ahead - self.players
            stones = int(state.counts[unsigned(player * self.segments + segment)]) + self.run - 128
            if stones > 0:
                turns, theirs = ahead, stones if theirs == 0 else self.run
        return ((turns - 1) * (self.run + 1) + own) * (self.run + 1) + theirs

    def urgent_player(self, state: State, actions: Array, count: int) -> int:
        """Return the player who wins first if not stopped: the player to move, or one with enough winning cells; or
        -1.
        """
        for turns in range(self.players):
            player, cells = (signed(state.to_move) + turns) % self.players, 0
            if self.can_win(state, player):
                if turns < 2:
                    return player
                for index in range(count):
                    cells += wins_in_cell(self, state, self.cell_of(state, int(actions[index])), player)
                if cells >= turns:
                    return player
        return -1

    def promise(self, state: State, cell: int, player: int) -> float:
        """Return the value of a stone of the player in an empty cell.

        Two segments on one line that miss two stones each are an open three. Two winning cells, a winning cell with an
        open three, or two open threes are more than one opponent can answer.
        """
        worth, fours, threes, line, in_line = 0.0, 0, 0, -1, 0
        for index in range(unsigned(self.first_segment[cell]), unsigned(self.first_segment[cell + 1])):
            segment = signed(self.through[index])
            stones = self.open_stones(state, player, segment)
            if stones >= 0:
                missing = self.run - 1 - stones
                worth += self.worth_of[missing]
                fours += missing == 1
                if missing == 2:
                    in_line = in_line + 1 if self.direction[segment] == line else 1
                    line = self.direction[segment]
                    threes += in_line == 2
        if fours >= self.players:
            return worth + SURE
        return worth + OPEN * threes + (CROSSING if fours + threes >= self.players else 0.0)
