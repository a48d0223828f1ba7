"""Nim for two and more: take stones from one heap, as many as you like.

As it is usually played by three, nobody wants the last stone of all: who takes it is out, the heaps are set up again
and the next player begins, until one is left. The first who is out has lost, the others share the ranks between. With
`misere=false` who takes the last stone wins, alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from luozi.messages import LuoziError, Message
from luozi.rules.board import NEUTRAL, Board, Piece
from luozi.rules.game import Game
from luozi.rules.state import State, Values
from luozi.util.parameters import ParameterInfo

MOST_HEAPS, MOST_STONES = 32, 64


class Nim(Game):
    """Nim for three: who takes the last stone is out, and the next round begins without them."""

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
        self.actions = len(sizes) * self.largest  # taking 1 to `largest` stones from the first heap, the second...
        self.max_length = sum(sizes) * (players - 1 if misere else 1)
        # `rank` is 0 for those who play on, then the number of players for the first who is out, ... 2 for the last.
        self.state = [("heaps", "i2", len(sizes)), ("rank", "i1", players), ("playing", "i1"), ("to_move", "i1")]

    def set_up(self, state: State) -> None:
        """All stones are back."""
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
        """Whether no stone is left."""
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
        while state.rank[state.to_move] != 0:  # those who are out have no turn
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
        """The leftmost stone that is taken: it goes with all to the right of it."""
        heap = action // self.largest
        return [heap * self.largest + state.heaps[heap] - action % self.largest - 1]

    def piece_kinds(self) -> list[tuple[int, str]]:
        return [(NEUTRAL, "")]

    setup_fields = ("rank", "playing")

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        """So many stones in each heap, wherever they lie; nobody is out yet."""
        state.heaps[:], state.to_move = 0, to_move
        for cell, _, _ in pieces:
            state.heaps[cell // self.largest] += 1
        if not pieces:
            raise LuoziError("nim: put a stone at least into one of the heaps")

    fixed_names = True
