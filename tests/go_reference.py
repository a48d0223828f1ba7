"""What the tests of Go share: the rules once more, slow and plain, and random games played by compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from luozi.compiled import kernel, new_rng, random_below
from luozi.games.go.rules import BLACK, EMPTY, WHITE, Go

SIGNS = ".XO"


def rows(game: Go, state: Any) -> str:
    signs = "".join(SIGNS[state.board[point]] for point in range(game.points))
    return " ".join(signs[row * game.size : (row + 1) * game.size] for row in range(game.size))


class Reference:
    """The rules again, as slow and plain as can be."""

    def __init__(self, size: int, superko: bool = False, suicide: bool = False, text: str = "") -> None:
        self.size, self.superko, self.suicide = size, superko, suicide
        self.board = [SIGNS.index(sign) for sign in text.replace(" ", "")] or [0] * size * size
        self.history, self.player, self.ko = {tuple(self.board)}, 0, -1

    def neighbours(self, point: int) -> list[int]:
        row, column = divmod(point, self.size)
        near = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
        return [r * self.size + c for r, c in near if 0 <= r < self.size and 0 <= c < self.size]

    def region(self, board: list[int], point: int) -> tuple[set[int], set[int]]:
        """The connected points of one kind, and the kinds at their border."""
        found, beyond, todo = {point}, set(), [point]
        while todo:
            for near in self.neighbours(todo.pop()):
                if board[near] != board[point]:
                    beyond.add(board[near])
                elif near not in found:
                    found.add(near)
                    todo.append(near)
        return found, beyond

    def after(self, point: int) -> tuple[list[int], int]:
        """The board after a move and the ko point; an empty board list if the move is not legal."""
        if self.board[point] or point == self.ko:
            return [], -1
        own, board, taken = self.player + 1, list(self.board), set()
        board[point] = own
        for near in self.neighbours(point):
            if board[near] == 3 - own:
                chain, beyond = self.region(board, near)
                taken |= chain if 0 not in beyond else set()
        for stone in taken:
            board[stone] = 0
        chain, beyond = self.region(board, point)
        if 0 not in beyond:
            if not self.suicide or len(chain) == 1:
                return [], -1
            for stone in chain:
                board[stone] = 0
        if self.superko and tuple(board) in self.history:
            return [], -1
        liberties = [near for near in self.neighbours(point) if board[near] == 0]
        ko = min(taken) if len(taken) == 1 and len(chain) == 1 and len(liberties) == 1 else -1
        return board, ko

    def legal(self) -> list[int]:
        return [point for point in range(self.size**2) if self.after(point)[0]] + [self.size**2]

    def play(self, point: int) -> None:
        self.board, self.ko = self.after(point) if point < self.size**2 else (self.board, -1)
        self.history.add(tuple(self.board))
        self.player = 1 - self.player

    def score(self) -> int:
        area = self.board.count(BLACK) - self.board.count(WHITE)
        for point, stone in enumerate(self.board):
            if stone == EMPTY:
                beyond = self.region(self.board, point)[1]
                area += (beyond == {BLACK}) - (beyond == {WHITE})
        return area


@kernel
def record_game(game, states, rng, actions, light, played, legal, boards):  # type: ignore[no-untyped-def]
    """Play random moves, all legal ones alike or as in a simulation; note the moves, the legal sets and the boards."""
    state = states[0]
    game.start(state)
    count = 0
    while count < played.shape[0] and not game.is_terminal(state):
        if light:
            action = np.int64(game.random_action(state, rng))
        else:
            choices = game.legal_actions(state, actions)
            for index in range(choices):
                legal[count, actions[index]] = 1
            action = np.int64(actions[random_below(rng, choices)])
        played[count] = action
        game.apply_action(state, action)
        for point in range(game.points):
            boards[count, point] = state.board[point]
        count += 1
    return count


class Recorder:
    """Random games of one Go, played by compiled code."""

    def __init__(self, game: Go, seed: int = 1) -> None:
        self.game, self.rng = game, new_rng(seed)
        self.actions = np.zeros(game.actions, np.int32)

    def play(self, length: int, light: bool = False) -> tuple[list[int], Any, Any]:
        """The moves of a game, the legal sets before and the boards after each; the last position is in `states`."""
        self.states = self.game.empty_states(1)
        played = np.zeros(length, np.int64)
        legal = np.zeros((length, self.game.actions), np.uint8)
        boards = np.zeros((length, self.game.points), np.uint8)
        count = record_game(self.game, self.states, self.rng, self.actions, light, played, legal, boards)
        return played[:count].tolist(), legal, boards
