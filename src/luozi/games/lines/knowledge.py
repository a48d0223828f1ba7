"""What a line game knows about its moves: a guess at each.

All of it comes from the winning segments: one in which a single player has stones is the nearer to a win the more it
has. Wins in one and fours are in `threats`, sensible simulations in `playouts`.
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

# What a stone is worth (`promise`), in segments that miss two stones after it: each stone more or less is a factor.
FACTOR = 8.0
A_FOUR = FACTOR  # what a stone promises at least that leaves one to a win
OPEN, CROSSING, SURE = 3.0, 8.0, 24.0  # more for an open three, for two threats at once, for threats nobody can fill
GUARD = 0.6  # of what the cell is worth to the next player; those later count less
# A packed sum over segments: the worth in UNITs, and how many segments miss two stones or one, ours and theirs.
UNIT, SUM, OURS, THEIRS, MOST = 4096, (1 << 36) - 1, 36, 48, 4095
# How that becomes a prior: from QUIET, half way to STRONG at HALF.
QUIET, STRONG, HALF = 0.3, 0.9, 6.0
WON, NEEDED, IGNORED = 0.98, 0.6, 0.05  # a win, a block; and what is left of all other moves then
GIFT, WASTE = 0.1, 0.8  # what is left of a move under a cell where the next player wins, or oneself


def worth_by_missing(run: int) -> npt.NDArray[np.float64]:
    """What a segment is worth that misses 0, 1, 2, ... stones."""
    return np.power(FACTOR, 2.0 - np.arange(run)).astype(np.float64)


def outlook_table(run: int, players: int) -> npt.NDArray[np.int64]:
    """For a segment with so many stones of ours, and so many of one other player by turns from now: a packed sum.

    Nobody can win where both have stones, which the number `run` also stands for: the table is zero there.
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


# Long rules, compiled apart from those who call them: a search that had them all inside would take minutes to compile.


@apart
def guess_moves(game: LineKnowledge, state: State, actions: Array, count: int, values: Array) -> None:
    """`LineKnowledge.guess`"""
    game.guess(state, actions, count, values)


@apart
def wins_in_cell(game: LineKnowledge, state: State, cell: int, player: int) -> bool:
    """`LineKnowledge.wins_at`"""
    return game.wins_at(state, cell, player)


@apart
def promised(game: LineKnowledge, state: State, cell: int, player: int) -> float:
    """`LineKnowledge.promise`"""
    return game.promise(state, cell, player)


class LineKnowledge(LineThreats):
    """The part of `Lines` that makes it play better; its rules can do without."""

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
        """By the segments through each cell, one's own and those of the others; wins and needed blocks before all."""
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
        """What an empty cell is worth to the player to move: what it promises them, and what it would the others.

        All numbers of a segment stand in one table, packed, so that most cells take one addition a segment.
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
        """A segment as a place in the table `outlooks`."""
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
        """Who wins first if nobody does anything about it: the one to move, or one with enough winning cells; or -1."""
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
        """What a stone of the player in an empty cell would be worth to them.

        Two segments along one line that miss two stones each are an open three; two winning cells, a winning cell and
        an open three, or two open threes at once are more than one opponent can answer.
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
