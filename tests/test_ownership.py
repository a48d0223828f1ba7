"""Whose each point was at the end of simulations."""

from __future__ import annotations

import numpy as np
import pytest

import luozi


def owners(game, state):
    found = np.zeros(game.points, np.int8)
    game.point_owners(state, found)
    return found.tolist()


def test_shares_are_those_of_the_simulations_as_they_ended():
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, ownership=True, seed=1, compiled=False)
    ends, finish = [], engine.components.evaluator.playout.finish

    def watched(game, state, memory, owners):
        ends.append([game.stone_at(state, cell) for cell in range(9)])
        finish(game, state, memory, owners)

    engine.components.evaluator.playout.finish = watched
    thought = engine.think(game.new_state(), iterations=200)
    for player in (0, 1):
        expected = [np.mean([end[cell] == player + 1 for end in ends]) for cell in range(9)]
        assert thought.ownership[player] == pytest.approx(expected)
    for candidate in thought.candidates:
        assert candidate.ownership[0][candidate.action] == 1.0  # the move itself is on the board


@pytest.mark.long
@pytest.mark.parametrize("name", ["tictactoe", "go:size=5"])
def test_compiled_and_uncompiled_agree(name):
    game, told = luozi.game(name), []
    for compiled in (True, False):
        engine = luozi.Engine(game, ownership=True, seed=1, compiled=compiled)
        told.append(engine.think(game.new_state(), iterations=60))
    assert told[0].ownership == told[1].ownership
    assert told[0].candidates == told[1].candidates


def test_go_counts_stones_and_regions_of_one_colour():
    """Against an independent board, over random games."""
    game, random = luozi.game("go:size=5,superko=false"), np.random.default_rng(3)
    for _ in range(30):
        state = game.new_state()
        for _ in range(int(random.integers(0, 40))):
            if game.is_terminal(state):
                break
            legal = [action for action in game.legal_list(state) if action < 25] or [25]
            state = game.after(state, int(random.choice(legal)))
        board = [int(state.board[point]) for point in range(25)]
        assert owners(game, state) == expected_owners(board)
        assert sum(1 if o == 1 else -1 if o == 2 else 0 for o in owners(game, state)) - 7.5 == game.score(state)


def expected_owners(board):
    """Flood fill, point by point."""
    found = list(board)
    for start in range(25):
        if board[start] == 0:
            region, edge, todo = {start}, set(), [start]
            while todo:
                row, column = divmod(todo.pop(), 5)
                for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                    if 0 <= r < 5 and 0 <= c < 5:
                        if board[5 * r + c]:
                            edge.add(board[5 * r + c])
                        elif 5 * r + c not in region:
                            region.add(5 * r + c)
                            todo.append(5 * r + c)
            found[start] = edge.pop() if len(edge) == 1 else 0
    return found


def test_every_search_counts_anew_and_a_game_without_points_is_refused():
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, ownership=True, seed=1, compiled=False)
    for _ in range(2):
        thought = engine.think(game.new_state(), iterations=50)
        assert engine.thread.owned_games.sum() == 50
    assert thought.as_dict()["ownership"][0] == list(thought.ownership[0])

    class Pointless(type(luozi.game("tictactoe"))):
        points = 0

        def __init__(self):
            super().__init__(1, 3, 3, 3)
            self.points = 0

    with pytest.raises(luozi.LuoziError, match="ownership needs a game that has points"):
        luozi.Engine(Pointless(), ownership=True)
