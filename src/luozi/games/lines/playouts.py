"""Playouts of line games: a bag of empty cells, and a policy that follows the newest threats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from luozi.compiled import Array, apart, random_below, unsigned
from luozi.games.bag import Bag
from luozi.games.lines.threats import signed
from luozi.rules.playout import Playout
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.lines.rules import Lines

# What a new stone threatens: an immediate win, or two fours with one more stone.
WINS_IN_ONE, TWO_FOURS = 1, 2
NEAR_TRIES = 4  # for a move near the last ones


def round_up(size: int, base: int) -> int:
    """Return the power of `base` (at least 16) that holds `size`.

    >>> round_up(225, 4), round_up(1144, 2)
    (256, 2048)
    """
    capacity = 16
    while capacity < size:
        capacity *= base
    return capacity


@apart
def near_cell(playout: Any, game: Lines, state: State, memory: State, rng: Array, mover: int) -> int:
    """`LinePolicy.near_action` as a separate function: inlined, it would enlarge every search that calls it."""
    return playout.near_action(game, state, memory, rng, mover)


class LinePolicy(Bag):
    """Wins, blocks and double threats first, then cells near the last stones, then any cell."""

    entry_points = (*Playout.entry_points, "near_action")

    def __init__(self, game: Lines) -> None:
        super().__init__(1 if game.gravity else round_up(game.cells, 4))
        self.guided = True
        self.fields = [
            *self.fields,
            ("seen", "i2"),  # number of empty cells at the last call
            ("recent", "i2", game.players),  # each player's last cell plus 1, or 0
            ("threats", "i2", game.players),  # what that stone threatens
        ]

    def begin(self, game: Lines, state: State, memory: State) -> None:
        memory.seen = 0
        if not game.gravity:
            self.fill(game, state, memory)

    def next(self, game: Lines, state: State, memory: State, rng: Array, actions: Array) -> int:
        """Win, or block the first player who would win; otherwise make a double threat, or prevent one."""
        if not self.guided:
            return self.any_action(game, state, memory, rng)
        self.follow(game, state, memory)
        mover = signed(state.to_move)
        for turns in range(game.players):
            player = (mover + turns) % game.players
            count = self.new_wins(game, state, memory, player, actions)
            if count > 0 and count >= turns:
                return signed(actions[random_below(rng, count)])
        if not game.gravity:
            for turns in range(game.players):
                cell = self.double_threat(game, state, memory, (mover + turns) % game.players, actions)
                if cell >= 0:
                    return cell
            cell = near_cell(self, game, state, memory, rng, mover)
            if cell >= 0:
                return cell
        return self.any_action(game, state, memory, rng)

    def any_action(self, game: Lines, state: State, memory: State, rng: Array) -> int:
        """Return a random legal action, or -1. The bag may be outdated if some moves did not come from it."""
        if state.empty == 0:
            return -1
        if game.gravity:
            return game.random_action(state, rng)
        while True:
            if memory.left <= 0:  # emptied by a caller that did not play all cells it drew
                self.fill(game, state, memory)
            action = self.draw(memory, rng)
            if game.is_legal(state, action):
                return action

    def near_action(self, game: Lines, state: State, memory: State, rng: Array, mover: int) -> int:
        """Return a cell of an open segment through the mover's or the opponent's last cell, or -1 after a few failed
        tries.
        """
        for _ in range(NEAR_TRIES):
            player = mover if random_below(rng, 2) == 0 else (mover + game.players - 1) % game.players
            cell = signed(memory.recent[player]) - 1 if player == mover else signed(state.last)
            if cell >= 0 and game.first_segment[cell] < game.first_segment[cell + 1]:
                first = signed(game.first_segment[cell])
                choice = random_below(rng, signed(game.first_segment[cell + 1]) - first)
                segment = signed(game.through[first + choice])
                stones = game.open_stones(state, player, segment)
                if stones >= 0:
                    return game.free_cell(state, segment, random_below(rng, game.run - stones))
        return -1

    def follow(self, game: Lines, state: State, memory: State) -> None:
        """Track each player's last cell while all moves come from the policy: new threats go through it."""
        if memory.seen == state.empty + 1:
            previous = state.to_move - 1 if state.to_move > 0 else game.players - 1
            memory.recent[previous] = state.last + 1
            memory.threats[previous] = (
                0 if game.gravity else self.threats_through(game, state, previous, signed(state.last))
            )
        else:
            for player in range(game.players):
                memory.recent[player] = 0
        memory.seen = state.empty

    def threats_through(self, game: Lines, state: State, player: int, cell: int) -> int:
        """Return what a player's new stone threatens until that player's next move: WINS_IN_ONE, TWO_FOURS, both or
        0.
        """
        wins, fours = 0, 0
        for index in range(unsigned(game.first_segment[cell]), unsigned(game.first_segment[cell + 1])):
            segment = signed(game.through[index])
            counter = state.counts[unsigned(player * game.segments + segment)]
            if counter >= 126 and game.open_stones(state, player, segment) >= 0:
                wins += counter == 127
                fours += counter == 126
        return (WINS_IN_ONE if wins > 0 else 0) + (TWO_FOURS if fours > 1 else 0)

    def new_wins(self, game: Lines, state: State, memory: State, player: int, actions: Array) -> int:
        """Return the number of winning actions, as `winning_actions` does, given that older winning cells are used
        or blocked.
        """
        cell = signed(memory.recent[player]) - 1
        if cell < 0 or game.gravity:
            return game.winning_actions(state, player, actions)
        if memory.threats[player] & WINS_IN_ONE == 0:
            return 0
        count = 0
        for index in range(unsigned(game.first_segment[cell]), unsigned(game.first_segment[cell + 1])):
            segment = signed(game.through[index])
            if state.counts[unsigned(player * game.segments + segment)] != 127:
                continue
            if game.open_stones(state, player, segment) >= 0 and game.would_be_exact(state, player, segment):
                action, new = game.free_cell(state, segment, 0), True
                for other in range(count):
                    new = new and actions[other] != action
                if new:
                    actions[count] = action
                    count += 1
        return count

    def double_threat(self, game: Lines, state: State, memory: State, player: int, actions: Array) -> int:
        """Return a cell where a stone of the player makes two winning cells, by segments through the last cell, or
        -1.
        """
        last = signed(memory.recent[player]) - 1
        if last < 0 or memory.threats[player] & TWO_FOURS == 0:
            return -1
        count = 0
        for index in range(unsigned(game.first_segment[last]), unsigned(game.first_segment[last + 1])):
            segment = signed(game.through[index])
            if state.counts[unsigned(player * game.segments + segment)] != 126 or count + 2 > game.actions:
                continue
            if game.open_stones(state, player, segment) >= 0:
                one, two = game.free_cell(state, segment, 0), game.free_cell(state, segment, 1)
                for other in range(0, count, 2):
                    if one == actions[other] and two != actions[other + 1]:
                        return one
                    if one == actions[other + 1] and two != actions[other]:
                        return one
                    if two == actions[other] and one != actions[other + 1]:
                        return two
                    if two == actions[other + 1] and one != actions[other]:
                        return two
                actions[count], actions[count + 1] = one, two
                count += 2
        return -1
