"""Nim for three: take stones from one heap, as many as you like, but not the last one of all: who takes it is out.

The heaps are then set up again, and the next player begins, until one player is left. The first who is out has lost,
the second has half won.
"""

import numpy as np

import luozi

PLAYERS = 3


class Nim(luozi.Game):
    """Nim for three players; `heaps` such as 3.4.5 says how many stones lie in each heap."""

    players = PLAYERS
    signs = "ABC"

    def __init__(self, heaps: str = "3.4.5"):
        self.heaps = np.array([int(stones) for stones in heaps.split(".")])
        self.largest = max(self.heaps)
        self.actions = len(self.heaps) * self.largest  # taking 1 to `largest` stones from the first heap, the second...
        self.max_length = sum(self.heaps) * (PLAYERS - 1)
        # `place` is 0 for those who play on, then 3 for the first who is out, 2 for the second.
        self.state = [("heaps", "i2", len(self.heaps)), ("place", "i1", PLAYERS), ("playing", "i1"), ("to_move", "i1")]

    def set_up(self, state):
        for heap in range(len(self.heaps)):
            state.heaps[heap] = self.heaps[heap]

    def start(self, state):
        self.set_up(state)
        state.playing = PLAYERS

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action % self.largest < state.heaps[action // self.largest]

    def stones_left(self, state):
        left = 0
        for stones in state.heaps:
            left += stones
        return left

    def apply_action(self, state, action):
        state.heaps[action // self.largest] -= action % self.largest + 1
        if self.stones_left(state) == 0:
            state.place[state.to_move] = state.playing
            state.playing -= 1
            self.set_up(state)
        state.to_move = (state.to_move + 1) % PLAYERS
        while state.place[state.to_move] != 0:  # those who are out have no turn
            state.to_move = (state.to_move + 1) % PLAYERS

    def is_terminal(self, state):
        return state.playing == 1

    def returns(self, state, returns):
        for player in range(PLAYERS):
            returns[player] = 1.0 if state.place[player] == 0 else (PLAYERS - state.place[player]) / (PLAYERS - 1)

    def action_to_string(self, state, action):
        return f"{action % self.largest + 1} from {action // self.largest + 1}"

    def show(self, state):
        heaps = [f"{heap + 1}: {'o ' * stones}" for heap, stones in enumerate(state.heaps)]
        out = [self.player_name(player) for player in range(PLAYERS) if state.place[player]]
        return "\n".join([line.rstrip() for line in heaps] + [f"out: {', '.join(out) or 'nobody'}"])
