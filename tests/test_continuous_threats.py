"""Wins by threes and fours are wins: every reply to them loses, and nothing is left on the board that tries them."""

from __future__ import annotations

import numpy as np
import pytest

import luozi
from luozi.compiled import kernel
from luozi.games.lines.codes import LineCodes, follow
from luozi.games.lines.continuous_threats import win_by_threats
from luozi.games.lines.threat_search import win_by_fours


@kernel
def by_threats(codes, game, states, memory, player, limit):
    follow(codes, game, states[0], memory[0])
    return win_by_threats(codes, memory[0], player, limit)


@kernel
def by_fours(codes, game, states, memory, player, limit):
    follow(codes, game, states[0], memory[0])
    return win_by_fours(codes, memory[0], player, limit)


class Asked:
    """One game's codes, and room for a position."""

    def __init__(self, spelling):
        self.game = luozi.game(spelling)
        self.codes = LineCodes(self.game)
        self.memory, self.states = self.codes.new_memory(), self.game.empty_states(1)

    def first_move(self, state, limit, how=by_threats):
        self.states[0] = state
        player = int(self.game.current_player(state))
        return int(how(self.codes, self.game, self.states, self.memory, player, limit))


def immediate(game, state):
    """The moves that end the game with a win, by playing them."""
    mover = int(game.current_player(state))
    after = ((action, game.after(state, action)) for action in game.legal_list(state))
    return [action for action, following in after if game.is_terminal(following) and game.result(following)[mover] == 1]


def position(game, own, other, to_move=0):
    """Stones of the player to move and of the other one, in turn."""
    state = game.new_state()
    game.from_setup(
        state,
        luozi.Setup(
            tuple((game.string_to_action(game.new_state(), m), to_move, "") for m in own.split())
            + tuple((game.string_to_action(game.new_state(), m), 1 - to_move, "") for m in other.split()),
            to_move,
        ),
    )
    return state


def test_two_open_twos_that_cross_win_by_a_double_three():
    asked = Asked("gomoku")
    state = position(asked.game, "f8 g8 h9 h10", "b2 c4 l12 m3")
    assert asked.first_move(state, 600, by_fours) < 0
    assert asked.first_move(state, 600) >= 0


def test_one_open_two_wins_nothing():
    asked = Asked("gomoku")
    assert asked.first_move(position(asked.game, "f8 g8", "b2 c4"), 2000) < 0


def test_the_defenders_own_fours_refute_slow_threats():
    """The same double three where the defender completes a four in reply, and wins first."""
    asked = Asked("gomoku")
    assert asked.first_move(position(asked.game, "f8 g8 h9 h10", "b2 b3 b4 m3"), 2000) < 0


@pytest.mark.parametrize(
    "spelling", ["gomoku", "gomoku:size=9", "gomoku:exact_length=true", "gomoku:win_length=4,size=7"]
)
def test_whatever_the_reply_the_win_goes_on(spelling):
    """A win that is claimed is one: after its first move each legal reply leaves a win that is claimed or shown."""
    asked, rng, seen = Asked(spelling), np.random.default_rng(4), 0
    for _ in range(400):
        state = random_position(asked.game, rng)
        if asked.game.is_terminal(state) or immediate(asked.game, state):
            continue
        first = asked.first_move(state, 200)
        if first < 0 or asked.first_move(state, 600, by_fours) >= 0:
            continue
        seen += 1
        assert every_reply_loses(asked, asked.game.after(state, first), first)
        if seen == 3:
            break
    assert seen == 3


def every_reply_loses(asked, following, last, shown=True):
    """Whether the player who has just moved wins after each reply.

    Where a search from there finds nothing, since it begins elsewhere, a move near the last one must show it.
    """
    game = asked.game
    if game.is_terminal(following):
        return True
    if immediate(game, following):
        return False
    for reply in game.legal_list(following):
        state = game.after(following, reply)
        if game.is_terminal(state):
            return False
        if asked.first_move(state, 1500) >= 0 or immediate(game, state):
            continue
        moves = (game.after(state, move) for move in game.legal_list(state) if is_near(game, move, last))
        if not shown or not any(every_reply_loses(asked, after, last, False) for after in moves):
            return False
    return True


def is_near(game, move, other):
    return max(abs(move // game.columns - other // game.columns), abs(move % game.columns - other % game.columns)) <= 4


def random_position(game, rng):
    state = game.new_state()
    for action in random_near_moves(game, rng, int(rng.integers(8, 22))):
        if not game.is_terminal(state):
            state = game.after(state, action)
    return state


def random_near_moves(game, rng, count):
    """Different cells near the middle, so that stones meet."""
    rows, columns = np.divmod(np.arange(game.cells), game.columns)
    close = (abs(rows - game.rows // 2) <= 3) & (abs(columns - game.columns // 2) <= 3)
    return rng.choice(np.flatnonzero(close), size=count, replace=False).tolist()


def test_the_codes_are_as_before():
    asked = Asked("gomoku")
    state = position(asked.game, "f8 g8 h9 h10", "b2 c4 l12 m3")
    asked.first_move(state, 600)
    scratch = {"threats", "known", "hits", "line", "fours", "chain", "active", "place"}
    fresh = Asked("gomoku")
    fresh.first_move(state, 600, by_fours)
    for name in asked.memory.dtype.names:
        if name not in scratch:
            assert np.array_equal(asked.memory[0][name], fresh.memory[0][name]), name
    assert set(asked.memory[0]["active"][: asked.memory[0]["actives"]].tolist()) == set(
        fresh.memory[0]["active"][: fresh.memory[0]["actives"]].tolist()
    )


def test_a_search_with_the_network_sees_a_game_that_is_lost_by_threes():
    """After 21 moves of a lost game every reply lets the opponent win by threes and fours."""
    moves = "j6 g6 g7 j4 h2 h4 f6 h8 h5 f5 h7 i7 e5 e7 k6 l6 g4 i6 d4 c3 f4"
    game = luozi.game("gomoku")
    position = game.begin()
    for move in moves.split():
        position = position.play(move)
    rates = []
    for nodes in (0, 16):
        engine = luozi.Engine(game, network="gomoku", mcts_solver="standard", network_vct_nodes=nodes, seed=1)
        rates.append(engine.think(position, iterations=20_000).best.means[1])
    assert rates[0] > 0.4
    assert rates[1] < 0.1
