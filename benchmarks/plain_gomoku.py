"""Gomoku the plain way: a board, is_legal, and a walk along the four directions. No tables."""

import luozi


class PlainGomoku(luozi.Game):
    """Five in a row on 15x15."""

    players = 2
    actions = 225
    state = (("board", "i1", 225), ("to_move", "i1"), ("winner", "i1"), ("stones", "i2"))

    def start(self, state):
        for cell in range(225):
            state.board[cell] = 0
        state.to_move = state.winner = state.stones = 0

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action] == 0

    def apply_action(self, state, action):
        stone = state.to_move + 1
        state.board[action] = stone
        state.stones += 1
        row, column = action // 15, action % 15
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if 1 + self.run(state, row, column, down, right) + self.run(state, row, column, -down, -right) >= 5:
                state.winner = stone
        state.to_move = 1 - state.to_move

    def run(self, state, row, column, down, right):
        """How many stones of the player to move follow in a direction."""
        length = 0
        row, column = row + down, column + right
        while 0 <= row < 15 and 0 <= column < 15 and state.board[row * 15 + column] == state.to_move + 1:
            length += 1
            row, column = row + down, column + right
        return length

    def is_terminal(self, state):
        return state.winner != 0 or state.stones == 225

    def returns(self, state, returns):
        returns[0] = 0.5 if state.winner == 0 else 1.0 if state.winner == 1 else 0.0
        returns[1] = 1.0 - returns[0]
