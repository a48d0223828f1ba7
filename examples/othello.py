"""Othello: the discs between a new one and another of its colour turn over. Who can turn none must pass."""

import numpy as np

import luozi

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Othello(luozi.Game):
    """Othello on a square board of an even size."""

    def __init__(self, size: int = 8):
        width = size + 2  # the board has a border of empty places, so that lines end without a test for the edge
        self.size, self.cells = size, size * size
        self.actions = self.cells + 1  # the last action is the pass
        self.max_length = 2 * self.cells  # at worst, a pass between any two moves
        self.place = np.array([(cell // size + 1) * width + cell % size + 1 for cell in range(self.cells)])
        self.steps = np.array([-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1])
        self.state = [("board", "i1", width * width), ("to_move", "i1"), ("empty", "i2"), ("passes", "i1")]

    def start(self, state):
        corner = (self.size // 2 - 1) * self.size + self.size // 2 - 1
        for row in range(2):
            for column in range(2):
                state.board[self.place[corner + row * self.size + column]] = 2 if row == column else 1
        state.empty = self.cells - 4

    def current_player(self, state):
        return state.to_move

    def turned(self, state, place, step):
        """How many discs a disc of the player to move turns in one direction."""
        own, count = state.to_move + 1, 0
        while state.board[place + (count + 1) * step] == 3 - own:
            count += 1
        return count if state.board[place + (count + 1) * step] == own else 0

    def legal_actions(self, state, actions):
        count = 0
        for cell in range(self.cells):
            if state.board[self.place[cell]] == 0:
                for step in self.steps:
                    if self.turned(state, self.place[cell], step) > 0:
                        actions[count] = cell
                        count += 1
                        break
        if count == 0:
            actions[0] = self.cells
        return max(count, 1)

    def apply_action(self, state, action):
        if action == self.cells:
            state.passes += 1
        else:
            for step in self.steps:
                for distance in range(self.turned(state, self.place[action], step) + 1):
                    state.board[self.place[action] + distance * step] = state.to_move + 1
            state.empty -= 1
            state.passes = 0
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.empty == 0 or state.passes == 2

    def returns(self, state, returns):
        lead = 0
        for place in self.place:
            lead += (state.board[place] == 1) - (state.board[place] == 2)
        returns[0] = 0.5 if lead == 0 else 1.0 * (lead > 0)
        returns[1] = 1.0 - returns[0]

    def action_to_string(self, state, action):
        return "pass" if action == self.cells else f"{LETTERS[action % self.size]}{action // self.size + 1}"

    def show(self, state):
        discs = [".XO"[state.board[place]] for place in self.place]
        rows = [f"{row + 1:2} " + " ".join(discs[row * self.size :][: self.size]) for row in range(self.size)]
        return "\n".join(["   " + " ".join(LETTERS[: self.size]), *rows])
