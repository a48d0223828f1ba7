"""Three men's morris: put three men on the points, then move them along the lines; three in a row win."""

import itertools

import numpy as np

import luozi

SIDE, MEN, POINTS = 3, 3, 9
ROWS = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
LONGEST = 60  # men can move to and fro: after so many moves nobody has won


class Morris(luozi.Game):
    """Three men's morris on nine points."""

    actions = POINTS + POINTS * POINTS  # a point for a new man; from one point to another
    max_length = LONGEST

    def __init__(self):
        self.state = [("board", "i1", POINTS), ("to_move", "i1"), ("winner", "i1"), ("moves", "i2")]
        self.rows = np.array(ROWS)
        self.joined = np.zeros((POINTS, POINTS), np.int8)
        for row in ROWS:
            for one, other in itertools.pairwise(row):
                self.joined[one, other] = self.joined[other, one] = 1

    def start(self, state):
        pass

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        if state.moves < 2 * MEN:
            return action < POINTS and state.board[action] == 0
        if action < POINTS:
            return False
        one, other = (action - POINTS) // POINTS, (action - POINTS) % POINTS
        return state.board[one] == state.to_move + 1 and state.board[other] == 0 and self.joined[one, other] == 1

    def apply_action(self, state, action):
        if action >= POINTS:
            state.board[(action - POINTS) // POINTS] = 0
            action = (action - POINTS) % POINTS
        state.board[action] = state.to_move + 1
        state.moves += 1
        state.to_move = 1 - state.to_move
        self.find_winner(state)

    def find_winner(self, state):
        """Whether somebody has a row, or the player to move is stuck."""
        for row in self.rows:
            if state.board[row[0]] == state.board[row[1]] == state.board[row[2]] != 0:
                state.winner = state.board[row[0]]
        if state.winner == 0 and self.is_stuck(state):
            state.winner = 2 - state.to_move

    def is_stuck(self, state):
        """Whether the player to move has no move."""
        moves = 0
        for action in range(self.actions):
            moves += self.is_legal(state, action)
        return moves == 0

    def is_terminal(self, state):
        return state.winner != 0 or state.moves == LONGEST

    def returns(self, state, returns):
        returns[0] = 0.5 if state.winner == 0 else 2.0 - state.winner
        returns[1] = 1.0 - returns[0]

    # How it is drawn: points with lines, and two clicks for a move --------------------------------------------------

    def board(self):
        points = [(point % SIDE, point // SIDE) for point in range(POINTS)]
        lines = [(row[at], row[at + 1]) for row in ROWS for at in range(2)]
        return luozi.Board.network(points, lines)

    def clicks(self, state, action):
        return [action] if action < POINTS else list(divmod(action - POINTS, POINTS))

    def from_pieces(self, state, pieces, to_move):
        men = [sum(player == each for _, player, _ in pieces) for each in range(2)]
        if men != [MEN, MEN] and (men[0] - men[1] != to_move or max(men) > MEN):
            raise luozi.LuoziError(f"players put {MEN} men each on the board in turn, not {men[0]} and {men[1]}")
        for point, player, _ in pieces:
            state.board[point] = player + 1
        state.to_move = to_move
        state.moves = len(pieces) + (to_move if men == [MEN, MEN] else 0)
        self.find_winner(state)

    def winning_cells(self, state):
        return [point for row in ROWS if all(state.board[p] == state.winner for p in row) for point in row]
