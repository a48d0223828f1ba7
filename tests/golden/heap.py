"""A custom game for golden matches: take one to three from a heap; the last one to take wins."""

import luozi


class Heap(luozi.Game):
    """Take one to three from a heap."""

    actions, compilable = 3, False

    def __init__(self, heap: int = 12):
        self.heap = self.max_length = heap
        self.state = [("heap", "i4"), ("to_move", "i4")]

    def start(self, state):
        state.heap = self.heap
        state.to_move = 0

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.heap

    def apply_action(self, state, action):
        state.heap -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.heap == 0

    def returns(self, state, returns):
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0
