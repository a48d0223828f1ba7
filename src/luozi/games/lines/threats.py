"""Threats of line games: the winning segments of one player alone, wins in one, and fours.

Only a segment with stones of a single player can still become a win. The game says how many stones it has
(`open_stones`), from counters or bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, unsigned
from luozi.rules.game import Game
from luozi.rules.state import State

signed: Any = np.int64  # compiled: a signed number, whatever small or unsigned type it was read as
BLOCK = 64  # counters tested together


class LineThreats(Game):
    """The part of `Lines` that finds threats."""

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
        """Return the number of a player's stones in a segment with no others, or -1 if there are others."""
        for other in range(self.players):
            if other != player and state.counts[unsigned(other * self.segments + segment)] != 128 - self.run:
                return -1
        return int(state.counts[unsigned(player * self.segments + segment)]) + self.run - 128

    def is_free(self, state: State, cell: int) -> bool:
        """Return whether a cell is empty and not forbidden."""
        return state.board[cell] == 0

    def would_be_exact(self, state: State, player: int, segment: int) -> bool:
        """Return whether a segment, once full, wins: always, or if no further stone of the player is next to it."""
        if not self.exactly:
            return True
        before, after = int(self.beyond[segment, 0]), int(self.beyond[segment, 1])
        return (before < 0 or self.stone_at(state, before) != player + 1) and (
            after < 0 or self.stone_at(state, after) != player + 1
        )

    def cell_of(self, state: State, action: int) -> int:
        """Return the cell that the stone of an action reaches."""
        return signed(state.landing[action]) if self.gravity else signed(action)

    def action_into(self, state: State, cell: int) -> int:
        """Return the action that places a stone in an empty cell, or -1 if the stone would fall deeper."""
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
        """Return the first segment from this one on with this value of a player's counter, or the number of segments.

        A block of counters without a hit takes one step: the loop over it has no exit, so it can be vectorised.
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
        """Return an empty cell of a segment that has one: the first after `skip` others."""
        for index in range(segment * self.run, segment * self.run + self.run):
            cell = signed(self.segment_cells[index])
            if self.is_free(state, cell):
                if skip == 0:
                    return cell
                skip -= 1
        return -1

    def can_win(self, state: State, player: int) -> bool:
        """Return whether a player would win at once if it were their turn."""
        segment = self.next_with(state, player, 0, 127) if self.may_win(state, player) else self.segments
        while segment < self.segments:
            wins = self.open_stones(state, player, segment) >= 0 and self.would_be_exact(state, player, segment)
            if wins and self.action_into(state, self.free_cell(state, segment, 0)) >= 0:
                return True
            segment = self.next_with(state, player, segment + 1, 127)
        return False

    def may_win(self, state: State, player: int) -> bool:
        """Return whether a win in one is possible at all."""
        first, found = unsigned(player * self.segments), False
        for index in range(first, first + unsigned(self.segments)):
            found |= state.counts[index] == 127
        return found

    def wins_at(self, state: State, cell: int, player: int) -> bool:
        """Return whether a stone of the player in an empty cell would win."""
        for index in range(unsigned(self.first_segment[cell]), unsigned(self.first_segment[cell + 1])):
            segment = signed(self.through[index])
            if self.open_stones(state, player, segment) == self.run - 1 and self.would_be_exact(state, player, segment):
                return True
        return False

    # Fours ------------------------------------------------------------------------------------------------------------

    def threatening_actions(self, state: State, actions: Array) -> int:
        """Write the cells of open segments that miss two stones. With gravity: every move, since it may open the
        cell above.
        """
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
        """Write the attacker's winning cells, if there are as many as other players. Fewer force nobody; more win.

        A stone helps only its owner, so a player who can't win at once now can't win before the attacker's turn. With
        gravity and more than two players, a stone may also open a cell for others: then every reply counts.
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
        """Skip the turn if no move can matter: not with gravity, where a move opens a cell, nor with three players,
        where it may stop another player.
        """
        if self.gravity or self.players > 2:
            return False
        state.to_move = 1 - state.to_move
        return True
