"""Nim for two and more players: take any number of stones from one heap.

With three players, taking the last stone is bad: that player is out, the heaps are set up again, and the next player
begins, until one player is left. The first player who is out loses, the others rank in between. With `misere=false` the
player who takes the last stone wins, alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from luozi.compiled import Array
from luozi.messages import LuoziError, Message
from luozi.rules.board import NEUTRAL, Board, Piece
from luozi.rules.game import Game
from luozi.rules.state import State, Values
from luozi.util.parameters import ParameterInfo

MOST_HEAPS, MOST_STONES = 32, 64


class Nim(Game):
    """Nim for three: the player who takes the last stone is out, and the others start a new round."""

    signs = "ABCDEFGHI"

    def __init__(
        self,
        heaps: Annotated[str, ParameterInfo("the stones in each heap, joined by dots", plain=True)] = "3.4.5",
        players: Annotated[int, ParameterInfo("how many players", 2, 9)] = 3,
        misere: Annotated[bool, ParameterInfo("who takes the last stone is out; if not, they win")] = True,
    ) -> None:
        sizes = [int(size) for size in heaps.split(".")] if re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})*", heaps) else [0]
        if len(sizes) > MOST_HEAPS or not 1 <= min(sizes) <= max(sizes) <= MOST_STONES:
            limits = Message("1 to {heaps} heaps of 1 to {stones} stones", heaps=MOST_HEAPS, stones=MOST_STONES)
            raise LuoziError(
                "nim: heaps={value} is not valid; write {limits}, as in 3.4.5", value=heaps[:60], limits=limits
            )
        self.players, self.misere, self.single_winner = players, misere, players == 2 or not misere
        self.heaps, self.largest = np.array(sizes, np.int16), max(sizes)
        # an action takes 1 to `largest` stones from the first heap, the second, ...
        self.actions = len(sizes) * self.largest
        self.max_length = sum(sizes) * (players - 1 if misere else 1)
        # `rank` is 0 for active players, the number of players for the first who is out, ... 2 for the last.
        self.state = [("heaps", "i2", len(sizes)), ("rank", "i1", players), ("playing", "i1"), ("to_move", "i1")]

    def set_up(self, state: State) -> None:
        """Set up all heaps."""
        for heap in range(len(self.heaps)):
            state.heaps[heap] = self.heaps[heap]

    def start(self, state: State) -> None:
        self.set_up(state)
        state.playing = self.players

    def current_player(self, state: State) -> int:
        return state.to_move

    def is_legal(self, state: State, action: int) -> bool:
        return action % self.largest < state.heaps[action // self.largest]

    def is_empty(self, state: State) -> bool:
        """Return whether no stone is left."""
        left = 0
        for stones in state.heaps:
            left += stones
        return left == 0

    def apply_action(self, state: State, action: int) -> None:
        state.heaps[action // self.largest] -= action % self.largest + 1
        if self.is_empty(state):
            if not self.misere:
                state.rank[state.to_move], state.playing = 1, 1
                return
            state.rank[state.to_move] = state.playing
            state.playing -= 1
            self.set_up(state)
        state.to_move = (state.to_move + 1) % self.players
        while state.rank[state.to_move] != 0:  # players who are out have no turn
            state.to_move = (state.to_move + 1) % self.players

    def is_terminal(self, state: State) -> bool:
        return state.playing == 1

    def returns(self, state: State, returns: Values) -> None:
        for player in range(self.players):
            if not self.misere:
                returns[player] = 1.0 * (state.rank[player] == 1)
            else:
                rank = max(state.rank[player], 1)
                returns[player] = (self.players - rank) / (self.players - 1)

    def action_to_string(self, state: State, action: int) -> str:
        return f"{action % self.largest + 1} from {action // self.largest + 1}"

    def show(self, state: State) -> str:
        heaps = [
            f"{heap + 1}: {'o ' * left}{'. ' * (self.heaps[heap] - left)}" for heap, left in enumerate(state.heaps)
        ]
        out = [self.player_name(player) for player in range(self.players) if state.rank[player] > 1]
        return "\n".join([line.rstrip() for line in heaps] + [f"out: {', '.join(out) or 'nobody'}"])

    def board(self) -> Board:
        rows = len(self.heaps)
        missing = [heap * self.largest + at for heap in range(rows) for at in range(self.heaps[heap], self.largest)]
        names = tuple(str(heap + 1) for heap in range(rows))
        return Board.grid(
            rows, self.largest, column_names=("",) * self.largest, row_names=names, missing=tuple(missing)
        )

    def pieces(self, state: State) -> list[Piece]:
        return [(heap * self.largest + at, NEUTRAL, "") for heap, left in enumerate(state.heaps) for at in range(left)]

    def clicks(self, state: State, action: int) -> list[int]:
        """Return the leftmost stone that is taken; all stones to its right are taken too."""
        heap = action // self.largest
        return [heap * self.largest + state.heaps[heap] - action % self.largest - 1]

    def network_cells(self, state: State, cells: Array) -> None:
        """Every stone is nobody's; the kind of players' pieces, of which there are none, takes the first numbers."""
        for heap in range(len(self.heaps)):
            for at in range(state.heaps[heap]):
                cells[heap * self.largest + at] = self.players + 1

    def network_globals(self, state: State, values: Array) -> int:
        """Who is out, from the player to move on."""
        for player in range(self.players):
            values[player] = 1.0 * (state.rank[(state.to_move + player) % self.players] > 0)
        return self.players

    def piece_kinds(self) -> list[tuple[int, str]]:
        return [(NEUTRAL, "")]

    setup_fields = ("rank", "playing")

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        """Set up heaps of these sizes, wherever the stones lie, with all players active."""
        state.heaps[:], state.to_move = 0, to_move
        for cell, _, _ in pieces:
            state.heaps[cell // self.largest] += 1
        if not pieces:
            raise LuoziError("nim: put a stone at least into one of the heaps")

    fixed_names = True
