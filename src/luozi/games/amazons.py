"""Amazons: a queen moves and shoots an arrow that blocks a cell. A player who can't move loses.

A move has three parts: the queen, its target, the target of the arrow. Up to 6x6 all three are one action. On larger
boards there would be too many actions, so each part is an action of its own by the same player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from luozi.compiled import Array, random_below
from luozi.messages import LuoziError
from luozi.rules.board import NEUTRAL, Board, Piece
from luozi.rules.game import Game
from luozi.rules.game_validation import MAX_ACTIONS
from luozi.rules.setup import Setup
from luozi.rules.state import Actions, State, Values
from luozi.util.parameters import ParameterInfo

QUEEN, GOAL, ARROW = 0, 1, 2  # the next part of the move
BLOCKED = 3  # a cell with an arrow, or beyond the edge
QUEENS = 4
EVEN = 20.0  # a lead of this number of reachable cells is half of a win


class Amazons(Game):
    """Amazons: queens move and shoot arrows that block cells. A player who can't move loses."""

    single_winner = True
    fixed_names = True
    scratch_fields = ("queens",)  # the same pieces as in `board`, as a list

    def __init__(self, size: Annotated[int, ParameterInfo("cells a side", 4, 10)] = 10) -> None:
        width = size + 2  # a border of blocked cells ends all lines
        self.size, self.cells, self.width = size, size * size, width
        self.whole = self.cells**3 <= MAX_ACTIONS
        self.actions = self.cells**3 if self.whole else self.cells
        self.max_length = (self.cells - 2 * QUEENS) * (1 if self.whole else 3)  # one arrow a move
        self.place = np.array([(cell // size + 1) * width + cell % size + 1 for cell in range(self.cells)], np.int16)
        self.cell_at = np.full(width * width, -1, np.int16)
        self.cell_at[self.place] = np.arange(self.cells)
        self.steps = np.array([-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1], np.int16)
        third, last = (size - 1) // 3, size - 1
        lower = [(last - third, 0), (last - third, last), (last, third), (last, last - third)]
        first = [row * size + column for row, column in lower]
        self.first = self.place[[first, [self.cells - 1 - cell for cell in first]]]
        self.state = [
            ("squares", "i1", width * width),  # 0 empty, 1 and 2 the players' queens, or BLOCKED
            ("queens", "i2", (2, QUEENS)),
            ("part", "i1"),
            ("chosen", "i1"),  # index of the queen that moves
            ("to_move", "i1"),
            ("over", "i1"),
        ]

    def start(self, state: State) -> None:
        for place in range(self.width * self.width):
            state.squares[place] = BLOCKED if self.cell_at[place] < 0 else 0
        for player in range(2):
            for queen in range(QUEENS):
                state.queens[player, queen] = self.first[player, queen]
                state.squares[self.first[player, queen]] = player + 1

    def current_player(self, state: State) -> int:
        return state.to_move

    # What a queen and an arrow reach ----------------------------------------------------------------------------------

    def reach(self, state: State, place: int, hole: int, actions: Actions, count: int, base: int) -> int:
        """Write `base` plus each cell that a queen reaches, with `hole` counted as empty. Return the new count."""
        for step in self.steps:
            at = place + step
            while state.squares[at] == 0 or at == hole:
                actions[count] = base + self.cell_at[at]
                count += 1
                at += step
        return count

    def draw_reach(self, state: State, place: int, hole: int, rng: Array) -> int:
        """Return one of the places that a queen reaches, uniformly at random, or -1 if there is none."""
        count, drawn = 0, -1
        for step in self.steps:
            at = place + step
            while state.squares[at] == 0 or at == hole:
                count += 1
                if random_below(rng, count) == 0:
                    drawn = at
                at += step
        return drawn

    def can_move(self, state: State, place: int) -> bool:
        """Return whether a neighbouring place is empty."""
        free = False
        for step in self.steps:
            free = free or state.squares[place + step] == 0
        return free

    # The rules ----------------------------------------------------------------------------------------------------

    def legal_actions(self, state: State, actions: Actions) -> int:
        count = 0
        if state.part != QUEEN:
            return self.reach(state, state.queens[state.to_move, state.chosen], -1, actions, 0, 0)
        for queen in range(QUEENS):
            place = state.queens[state.to_move, queen]
            if self.whole:
                count = self.whole_moves(state, place, actions, count)
            elif self.can_move(state, place):
                actions[count] = self.cell_at[place]
                count += 1
        return count

    def whole_moves(self, state: State, place: int, actions: Actions, count: int) -> int:
        """Write all moves of one queen."""
        cell = self.cell_at[place]
        for step in self.steps:
            at = place + step
            while state.squares[at] == 0:
                base = (cell * self.cells + self.cell_at[at]) * self.cells
                count = self.reach(state, at, place, actions, count, base)
                at += step
        return count

    def random_action(self, state: State, rng: Array) -> int:
        """Return a random move: uniform over the queens that can move, then over targets, then over arrows."""
        if state.part != QUEEN:
            return self.cell_at[self.draw_reach(state, state.queens[state.to_move, state.chosen], -1, rng)]
        count, place = 0, -1
        for queen in range(QUEENS):
            if self.can_move(state, state.queens[state.to_move, queen]):
                count += 1
                if random_below(rng, count) == 0:
                    place = state.queens[state.to_move, queen]
        if not self.whole:
            return self.cell_at[place]
        goal = self.draw_reach(state, place, -1, rng)
        arrow = self.draw_reach(state, goal, place, rng)
        return (self.cell_at[place] * self.cells + self.cell_at[goal]) * self.cells + self.cell_at[arrow]

    def apply_action(self, state: State, action: int) -> None:
        if self.whole:
            self.play(state, action // (self.cells * self.cells))
            self.play(state, action // self.cells % self.cells)
            self.play(state, action % self.cells)
        else:
            self.play(state, action)

    def play(self, state: State, cell: int) -> None:
        """Play one part of a move."""
        place, player = self.place[cell], state.to_move
        if state.part == QUEEN:
            for queen in range(QUEENS):
                if state.queens[player, queen] == place:
                    state.chosen = queen
            state.part = GOAL
        elif state.part == GOAL:
            state.squares[state.queens[player, state.chosen]] = 0
            state.squares[place] = player + 1
            state.queens[player, state.chosen] = place
            state.part = ARROW
        else:
            state.squares[place] = BLOCKED
            state.part, state.chosen, state.to_move = QUEEN, 0, 1 - player
            state.over = True
            for queen in range(QUEENS):
                if self.can_move(state, state.queens[1 - player, queen]):
                    state.over = False

    def is_terminal(self, state: State) -> bool:
        return state.over != 0

    def returns(self, state: State, returns: Values) -> None:
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0

    def evaluate(self, state: State, values: Values) -> None:
        """Evaluate by the number of cells that each player's queens reach."""
        lead = 0
        for player in range(2):
            for queen in range(QUEENS):
                lead += (1 - 2 * player) * self.freedom(state, state.queens[player, queen])
        values[0] = 0.5 + 0.5 * lead / (abs(lead) + EVEN)
        values[1] = 1.0 - values[0]

    def freedom(self, state: State, place: int) -> int:
        """Return the number of places that a queen reaches."""
        count = 0
        for step in self.steps:
            at = place + step
            while state.squares[at] == 0:
                count += 1
                at += step
        return count

    # For people -------------------------------------------------------------------------------------------------------

    def board(self) -> Board:
        return Board.grid(self.size, self.size)

    def pieces(self, state: State) -> list[Piece]:
        found: list[Piece] = []
        for cell, place in enumerate(self.place):
            value = state.squares[place]
            if value == BLOCKED:
                found.append((cell, NEUTRAL, "arrow"))
            elif value:
                found.append((cell, value - 1, "queen"))
        return found

    def piece_kinds(self) -> list[tuple[int, str]]:
        return [(0, "queen"), (1, "queen"), (NEUTRAL, "arrow")]

    def setup_of(self, state: State) -> Setup:
        """Return the position as a setup. The queen that moves is given by its cell."""
        place = state.queens[state.to_move, state.chosen] if state.part != QUEEN else -1
        extra = {"part": int(state.part), "chosen": int(self.cell_at[place]) if place >= 0 else -1}
        return replace(Game.setup_of(self, state), extra=extra)

    def from_setup(self, state: State, setup: Setup) -> None:
        self.from_pieces(state, setup.pieces, setup.to_move)
        part, chosen = setup.extra.get("part", QUEEN), setup.extra.get("chosen", -1)
        if part == QUEEN:
            return
        own = state.queens[setup.to_move].tolist()
        place = int(self.place[chosen]) if 0 <= chosen < self.cells else -1
        if place not in own:
            raise LuoziError("amazons: the queen that is about to move is none of its player's")
        state.part, state.chosen, state.over = part, own.index(place), 0

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        state.squares[self.place] = 0
        queens: list[list[int]] = [[], []]
        for cell, player, _ in pieces:
            state.squares[self.place[cell]] = BLOCKED if player < 0 else player + 1
            if player >= 0:
                queens[player].append(int(self.place[cell]))
        if any(len(own) != QUEENS for own in queens):
            raise LuoziError("amazons: each player has {queens} queens", queens=QUEENS)
        state.queens[:], state.to_move = queens, to_move
        state.over = not any(self.can_move(state, place) for place in queens[to_move])

    def clicks(self, state: State, action: int) -> list[int]:
        if not self.whole:
            return [action]
        return [action // (self.cells * self.cells), action // self.cells % self.cells, action % self.cells]

    def show(self, state: State) -> str:
        text = Game.show(self, state)
        if state.part == QUEEN:
            return text
        name = self.board().name_of(int(self.cell_at[state.queens[state.to_move, state.chosen]]))
        return f"{text}\n{'the arrow of' if state.part == ARROW else 'goes on with'} the queen at {name}"
