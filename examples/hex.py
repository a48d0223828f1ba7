"""Hex: X joins top and bottom, O joins left and right. There are no draws: one of them must succeed."""

import numpy as np

import luozi

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TOP, BOTTOM, LEFT, RIGHT = 0, 1, 2, 3  # the four sides are cells too: stones that stand there from the start


class Hex(luozi.Game):
    """Hex on a rhombus."""

    def __init__(self, size: int = 11):
        self.size, self.cells = size, size * size
        self.actions = self.cells
        self.around = np.array([self.neighbours(cell) for cell in range(self.cells)])
        # `group` joins the stones of a group to one of them, from stone to stone (union-find).
        places = self.cells + 4
        self.state = [("board", "i1", places), ("group", "i2", places), ("to_move", "i1"), ("winner", "i1")]

    def neighbours(self, cell):
        """The six cells around one, a side where the board ends. Only __init__ calls it, so it may make lists."""
        found = []
        for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            row, column = cell // self.size + down, cell % self.size + right
            if row < 0 or row == self.size:
                found.append(self.cells + (TOP if row < 0 else BOTTOM))
            elif column < 0 or column == self.size:
                found.append(self.cells + (LEFT if column < 0 else RIGHT))
            else:
                found.append(row * self.size + column)
        return found

    def start(self, state):
        for cell in range(self.cells + 4):
            state.group[cell] = cell
        for side in range(4):
            state.board[self.cells + side] = 1 if side in (TOP, BOTTOM) else 2

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action] == 0

    def head(self, state, cell):
        """The stone that stands for a whole group; the way there is halved in passing."""
        while state.group[cell] != cell:
            state.group[cell] = state.group[state.group[cell]]
            cell = state.group[cell]
        return cell

    def apply_action(self, state, action):
        own = state.to_move + 1
        state.board[action] = own
        for side in range(6):
            neighbour = self.around[action, side]
            if state.board[neighbour] == own:
                state.group[self.head(state, neighbour)] = self.head(state, action)
        first = self.cells + (TOP if own == 1 else LEFT)
        if self.head(state, first) == self.head(state, first + 1):
            state.winner = own
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.winner != 0

    def returns(self, state, returns):
        returns[0] = 1.0 if state.winner == 1 else 0.0
        returns[1] = 1.0 - returns[0]

    def action_to_string(self, state, action):
        return f"{LETTERS[action % self.size]}{action // self.size + 1}"

    def show(self, state):
        size, stones = self.size, [".XO"[stone] for stone in state.board]
        rows = [f"{' ' * row}{row + 1:2} " + " ".join(stones[row * size :][:size]) for row in range(size)]
        return "\n".join(["   " + " ".join(LETTERS[:size]), *rows])
