"""What a line game knows of threats: the winning segments of one player alone, wins in one, and fours.

Only a segment in which one player alone has stones can still become a win. The game itself tells how many stones
(`open_stones`), from counters or from bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, unsigned
from luozi.rules.game import Game
from luozi.rules.state import State

signed: Any = np.int64  # compiled, a number that may be negative, whatever small or unsigned kind it was read as
BLOCK = 64  # counters looked at together


class LineThreats(Game):
    """The part of `Lines` that knows of wins to come."""

    if TYPE_CHECKING:
        run: int
        segments: int
        columns: int
        gravity: bool
        exactly: bool
        first_segment: Array
        through: Array
        beyond: Array
        segment_cells: Array
        above: Array

        def stone_at(self, state: State, cell: int) -> int: ...

    # One segment ------------------------------------------------------------------------------------------------------

    def open_stones(self, state: State, player: int, segment: int) -> int:
        """How many stones a player has in a segment where nobody else has any; -1 if somebody has."""
        for other in range(self.players):
            if other != player and state.counts[unsigned(other * self.segments + segment)] != 128 - self.run:
                return -1
        return int(state.counts[unsigned(player * self.segments + segment)]) + self.run - 128

    def is_free(self, state: State, cell: int) -> bool:
        """Whether a cell is empty, and not forbidden."""
        return state.board[cell] == 0

    def would_be_exact(self, state: State, player: int, segment: int) -> bool:
        """Whether a segment, once full, counts as a win: always, or if no further stone of the player is next to it."""
        if not self.exactly:
            return True
        before, after = int(self.beyond[segment, 0]), int(self.beyond[segment, 1])
        return (before < 0 or self.stone_at(state, before) != player + 1) and (
            after < 0 or self.stone_at(state, after) != player + 1
        )

    def cell_of(self, state: State, action: int) -> int:
        """The cell that the stone of an action comes to lie in."""
        return signed(state.landing[action]) if self.gravity else signed(action)

    def action_into(self, state: State, cell: int) -> int:
        """The action that puts a stone into an empty cell; -1 if it would fall deeper."""
        if not self.gravity:
            return cell
        action = cell % self.actions
        return action if state.landing[action] == cell else -1

    # Wins in one ------------------------------------------------------------------------------------------------------

    def winning_actions(self, state: State, player: int, actions: Array) -> int:
        if not self.may_win(state, player):
            return 0
        count = 0
        segment = self.next_with(state, player, 0, 127)
        while segment < self.segments:
            if self.open_stones(state, player, segment) >= 0 and self.would_be_exact(state, player, segment):
                action = self.action_into(state, self.free_cell(state, segment, 0))
                new = action >= 0
                for index in range(count):
                    new = new and actions[index] != action
                if new:
                    actions[count] = action
                    count += 1
            segment = self.next_with(state, player, segment + 1, 127)
        return count

    def next_with(self, state: State, player: int, segment: int, counter: int) -> int:
        """The first segment from this one on where a player's counter is the one given; all segments if there is none.

        A block of counters without a hit takes one step: the loop over it has no exit, so that it can be vectorised.
        """
        own = player * self.segments
        while segment < self.segments:
            last = min(segment + BLOCK, self.segments)
            found = False
            for index in range(unsigned(own + segment), unsigned(own + last)):
                found |= state.counts[index] == counter
            if found:
                while state.counts[unsigned(own + segment)] != counter:
                    segment += 1
                return segment
            segment = last
        return segment

    def free_cell(self, state: State, segment: int, skip: int) -> int:
        """An empty cell of a segment that has one: the first, or that after skipping so many."""
        for index in range(segment * self.run, segment * self.run + self.run):
            cell = signed(self.segment_cells[index])
            if self.is_free(state, cell):
                if skip == 0:
                    return cell
                skip -= 1
        return -1

    def can_win(self, state: State, player: int) -> bool:
        """Whether a player would win at once if it were their turn."""
        segment = self.next_with(state, player, 0, 127) if self.may_win(state, player) else self.segments
        while segment < self.segments:
            wins = self.open_stones(state, player, segment) >= 0 and self.would_be_exact(state, player, segment)
            if wins and self.action_into(state, self.free_cell(state, segment, 0)) >= 0:
                return True
            segment = self.next_with(state, player, segment + 1, 127)
        return False

    def may_win(self, state: State, player: int) -> bool:
        """Whether it is worth looking for a win in one."""
        first, found = unsigned(player * self.segments), False
        for index in range(first, first + unsigned(self.segments)):
            found |= state.counts[index] == 127
        return found

    def wins_at(self, state: State, cell: int, player: int) -> bool:
        """Whether a stone of the player in an empty cell would win."""
        for index in range(unsigned(self.first_segment[cell]), unsigned(self.first_segment[cell + 1])):
            segment = signed(self.through[index])
            if self.open_stones(state, player, segment) == self.run - 1 and self.would_be_exact(state, player, segment):
                return True
        return False

    # Fours ------------------------------------------------------------------------------------------------------------

    def threatening_actions(self, state: State, actions: Array) -> int:
        """The cells of open segments that miss two stones; with gravity every move, as it may open the cell above."""
        if self.gravity:
            return self.legal_actions(state, actions)
        player, count = signed(state.to_move), 0
        segment = self.next_with(state, player, 0, 126)
        while segment < self.segments:
            if self.open_stones(state, player, segment) >= 0:
                for skip in range(2):
                    cell, new = self.free_cell(state, segment, skip), True
                    for index in range(count):
                        new = new and actions[index] != cell
                    if new:
                        actions[count] = cell
                        count += 1
            segment = self.next_with(state, player, segment + 1, 126)
        return count

    def forced_replies(self, state: State, attacker: int, actions: Array) -> int:
        """The attacker's winning cells, if there are as many as players to fill them: no fewer force, and more win.

        A stone may help its owner only, so nobody who can't win at once now can before the attacker's turn. With
        gravity and more than two players it may also open a cell to somebody else: every reply counts there.
        """
        turns = (attacker + self.players - signed(state.to_move)) % self.players
        for ahead in range(turns):
            if self.can_win(state, (state.to_move + ahead) % self.players):
                return -1
        count = self.winning_actions(state, attacker, actions)
        if count < turns:
            return -1
        if self.gravity and self.players > 2:
            return self.legal_actions(state, actions)
        return 0 if count > turns else count

    def skip_turn(self, state: State) -> bool:
        """Not with gravity, where a move opens a cell, nor with three players, where it may stop somebody else."""
        if self.gravity or self.players > 2:
            return False
        state.to_move = 1 - state.to_move
        return True
