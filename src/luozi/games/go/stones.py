"""The stones of Go: placing, joining and removing them.

Points are numbered row by row from the top left, like the actions. The number after the last point is both the pass and
the border, a cell that is a neighbour of every point at the edge. Writes to the border have no effect, so a move treats
its four neighbours alike, without branches.

A chain of stones is a ring (`link`) named by one of its points (`chain`). Its liberties are counted once for each stone
that touches them (pseudo-liberties): they are cheap to maintain, and zero exactly when there is no liberty.
"""

from __future__ import annotations

import numpy as np

from luozi.games.go.cells import EMPTY, MANY, NEAR_BLACK, NEAR_EMPTY, NEAR_WHITE, NOWHERE
from luozi.games.go.knowledge import GoKnowledge
from luozi.games.go.points import shifted
from luozi.rules.state import State

# Boards up to each of these sizes share a state type and so their machine code. One type for all made 9x9 3 % slower.
SHARED_SIZES = (9, 13, 19, 25)


def fields_for(size: int) -> list[tuple[str, str] | tuple[str, str, int]]:
    """Return the fields of a state for a board."""
    side = next(shared for shared in SHARED_SIZES if size <= shared)
    cells = side * side + 1
    return [
        ("hash", "i8"),  # hash of the stones
        ("history", "i8", 3 * side * side + 1),  # the hash at the start and after each move
        ("board", "u1", cells),  # EMPTY, BLACK, WHITE or BORDER
        ("near", "i2", cells),  # counts of the neighbours of a point, see NEAR_EMPTY
        ("chain", "u2", cells),  # name of a stone's chain; the border for all others
        ("link", "u2", cells),  # next stone of the chain, in a ring; scratch of `score` for empty points
        ("length", "u2", cells),  # stones of the chain with this name
        ("liberties", "i2", cells),  # pseudo-liberties of the chain with this name
        ("empties", "u2", cells),  # all empty points, in no order
        ("place_of", "u2", cells),  # index of an empty point in that list
        ("empty", "u2"),  # number of empty points
        ("stones", "i2", 3),  # stones on the board, of each colour
        ("captured", "i2", 3),  # captured stones of each colour
        ("moves", "u2"),  # unsigned like all array indices: an index that may be negative costs a test
        ("passes", "u2"),  # passes in a row
        ("ko", "i2"),  # point where a ko must not be retaken, or NOWHERE
        ("last", "i2"),  # the last action, or NOWHERE
        ("before", "i2"),  # the action before it
        ("to_move", "u2"),
    ]


class Stones(GoKnowledge):
    """A board and its stones, without the player to move."""

    def make_tables(self) -> None:
        """Build the tables of adjacent and diagonal neighbours of each point, and the random numbers for the hash."""
        grid = np.full((self.size + 2, self.size + 2), self.points, np.uint16)
        grid[1:-1, 1:-1] = np.arange(self.points).reshape(self.size, self.size)
        self.around = shifted(grid, ((-1, 0), (0, -1), (0, 1), (1, 0)))
        self.diagonal = shifted(grid, ((-1, -1), (-1, 1), (1, -1), (1, 1)))
        on_board = self.around.reshape(-1, 4) < self.points
        self.near_at_start = np.append(NEAR_EMPTY * on_board.sum(axis=1), 0).astype(np.int16)
        # An eye is false with two enemy stones at its corners; at the edge of the board, with one.
        self.corners_to_lose = (on_board.sum(axis=1) == 4).astype(np.uint8)
        # What a stone adds to `near`, and the part of `near` that is zero if all neighbours are own stones.
        self.step = np.array([0, NEAR_BLACK - NEAR_EMPTY, NEAR_WHITE - NEAR_EMPTY], np.int16)
        self.not_own = np.array([0, 7 * (NEAR_WHITE + NEAR_EMPTY), 7 * (NEAR_BLACK + NEAR_EMPTY)], np.int16)
        generator = np.random.default_rng(9)
        self.zobrist = generator.integers(1 << 62, size=3 * self.points, dtype=np.int64)

    def place(self, state: State, point: int, colour: int) -> None:
        """Place a stone, capture and set the ko."""
        chain, liberties, danger = state.chain, state.liberties, False
        self.set_down(state, point, colour)
        for side in range(4):
            neighbour = self.around[4 * point + side]
            if state.board[neighbour] == colour:
                self.join(state, chain[point], chain[neighbour])
        for side in range(4):  # after all joins, which would otherwise wait for these stores
            danger |= liberties[chain[self.around[4 * point + side]]] == 0
        state.ko = NOWHERE
        if danger:
            self.capture(state, point, colour)
        state.near[self.points] = 0
        liberties[self.points] = MANY

    def set_down(self, state: State, point: int, colour: int) -> None:
        """Place a stone as a chain of its own, which takes a liberty from its neighbours."""
        near, chain, liberties = state.near, state.chain, state.liberties
        breath, step = near[point] // NEAR_EMPTY, self.step[colour]
        self.fill(state, point, colour)
        for side in range(4):
            neighbour = self.around[4 * point + side]
            near[neighbour] += step
            liberties[chain[neighbour]] -= 1
        chain[point], state.link[point] = point, point
        state.length[point] = 1
        liberties[point] = breath

    def fill(self, state: State, point: int, colour: int) -> None:
        """Take a point out of the list of empty points. The last one of the list moves to its place."""
        empties, place_of = state.empties, state.place_of
        state.empty -= 1
        last, place = empties[state.empty], place_of[point]
        empties[place] = last
        place_of[last] = place
        state.board[point] = colour
        state.stones[colour] += 1
        state.hash ^= self.zobrist[3 * point + colour]

    def join(self, state: State, one: int, other: int) -> None:
        """Join two chains: the shorter takes the name of the longer."""
        if one == other:
            return
        chain, link, length = state.chain, state.link, state.length
        if length[one] < length[other]:
            one, other = other, one
        length[one] += length[other]
        state.liberties[one] += state.liberties[other]
        stone = other
        for _ in range(length[other]):
            chain[stone] = one
            stone = link[stone]
        link[one], link[other] = link[other], link[one]

    def capture(self, state: State, point: int, colour: int) -> None:
        """Capture the chains without liberties around a new stone, then its own chain if it has none."""
        chain, liberties = state.chain, state.liberties
        enemy, taken, ko = 3 - colour, 0, NOWHERE
        for side in range(4):
            neighbour = self.around[4 * point + side]
            if state.board[neighbour] == enemy and liberties[chain[neighbour]] == 0:
                taken += self.remove(state, chain[neighbour], enemy)
                ko = neighbour
        name = chain[point]
        if taken == 1 and state.length[name] == 1 and liberties[name] == 1:
            state.ko = ko
        if liberties[name] == 0:
            self.remove(state, name, colour)

    def remove(self, state: State, name: int, colour: int) -> int:
        """Remove a chain. Return its number of stones."""
        near, chain, link = state.near, state.chain, state.link
        first, taken, step = state.empty, state.length[name], self.step[colour]
        stone = name
        for place in range(first, first + taken):
            state.board[stone] = EMPTY
            state.hash ^= self.zobrist[3 * stone + colour]
            state.empties[place] = stone
            state.place_of[stone] = place
            chain[stone] = self.points
            for side in range(4):
                neighbour = self.around[4 * stone + side]
                near[neighbour] -= step
                state.liberties[chain[neighbour]] += 1
            following = link[stone]
            link[stone] = 0
            stone = following
        state.empty = first + taken
        state.stones[colour] -= taken
        state.captured[colour] += taken
        return taken

    # What a stone would do -------------------------------------------------------------------------------------------

    def can_breathe(self, state: State, point: int, colour: int) -> bool:
        """Return whether a stone on a point without empty neighbours captures, or joins a chain with another
        liberty.
        """
        alive = False
        for side in range(4):
            stone = state.board[self.around[4 * point + side]]
            left = self.liberties_left(state, point, side)
            alive |= (stone == colour) == (left > 0)  # never at the border, which has MANY
        return alive

    def liberties_left(self, state: State, point: int, side: int) -> int:
        """Return the pseudo-liberties of the chain on one side of a point, minus those that a stone on the point
        takes.
        """
        chain = state.chain
        name = chain[self.around[4 * point + side]]
        left = state.liberties[name]
        for other in range(4):
            left -= chain[self.around[4 * point + other]] == name
        return left

    def hash_of_dead(self, state: State, point: int, colour: int) -> int:
        """Return the hash of the enemy chains that lose their last liberty when a stone fills a point."""
        chain, dead = state.chain, 0
        for side in range(4):
            neighbour = self.around[4 * point + side]
            new = state.board[neighbour] == colour and self.liberties_left(state, point, side) == 0
            for earlier in range(side):
                new = new and chain[self.around[4 * point + earlier]] != chain[neighbour]
            if new:
                stone = neighbour
                for _ in range(state.length[chain[neighbour]]):
                    dead ^= self.zobrist[3 * stone + colour]
                    stone = state.link[stone]
        return dead
