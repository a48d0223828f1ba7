"""What line games know, over boards of many shapes: compiled as uncompiled, and both as the rules have it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from lines_reference import SlowLines

import luozi
from luozi.compiled import kernel, new_rng
from luozi.games.lines.bits import BitLines, fits_in_bits
from luozi.games.lines.rules import Lines

POSITIONS = 3


@kernel
def know_everything(game, playout, memory, states, spare, rng, actions, values, told):
    """All that a game tells of some positions, row by row: a number for each player or action."""
    for i in range(states.shape[0]):
        state, row = states[i], 0
        for player in range(game.players):
            for index in range(game.winning_actions(state, player, actions)):
                told[i, row, actions[index]] += 1
            count = game.forced_replies(state, player, actions)
            for index in range(count):
                told[i, row + 1, actions[index]] += 1
            told[i, row + 2, 0], told[i, row + 2, 1] = count, game.can_win(state, player)
            row += 3
        legal = game.legal_actions(state, actions)
        for index in range(legal):
            values[index] = 0.5
            spare[0] = state
            game.apply_action(spare[0], actions[index])
            told[i, row, actions[index]] = spare[0].winner
        game.priors(state, actions, legal, values)
        for index in range(legal):
            told[i, row + 1, actions[index]] = values[index]
        game.evaluate(state, values)
        for player in range(game.players):
            told[i, row + 2, player] = values[player]
        for index in range(game.threatening_actions(state, actions)):
            told[i, row + 3, actions[index]] += 1
        playout.begin(game, state, memory[0])
        told[i, row + 4, 0] = playout.next(game, state, memory[0], rng, actions)
        told[i, row + 4, 1] = game.skip_turn(state)


def tell(function, game, states):
    """What a game tells of positions, compiled or not."""
    wide = max(game.actions, game.players, 2)
    told = np.zeros((len(states), 3 * game.players + 5, wide))
    actions, values = np.zeros(game.actions, np.int32), np.zeros(wide)
    playout = game.policy_playout()
    room = playout.new_memory(), states.copy(), game.empty_states(1), new_rng(1), actions, values, told
    function(game, playout, *room)
    return told


def some_positions(game, rules, random):
    """Positions in which nobody has won, as the game has them and as the slow one has them."""
    found = []
    for _ in range(POSITIONS):
        state, reference = game.new_state(), SlowLines(*rules)
        for _ in range(int(random.integers(1, game.playable))):
            action = int(random.choice(sorted(reference.legal())))
            if not reference.wins_at(reference.place_of(action), reference.to_move):
                game.apply_action(state, action)
                reference.play(action)
        found.append((state, reference))
    return found


def check_shape(game, rules, random, compiled):
    """Everything about some positions of one shape; how many players there were who could win in one."""
    found = some_positions(game, rules, random)
    states = game.empty_states(len(found))
    for i, (state, _) in enumerate(found):
        states[i] = state
    told = tell(know_everything.py_func, game, states)
    if compiled:
        assert tell(know_everything, game, states) == pytest.approx(told, abs=1e-9), rules
    return sum(check_position(game, rows, reference) for rows, (_, reference) in zip(told, found, strict=True))


def check_position(game, rows, reference):
    """What the game tells of a position is what trying all moves tells."""
    wins = [reference.wins(player) for player in range(game.players)]
    for (told, _, (_, can_win, *_)), winning in zip(rows[:-5].reshape(game.players, 3, -1), wins, strict=True):
        assert np.flatnonzero(told).tolist() == winning
        assert told.max() <= 1
        assert can_win == bool(winning)
    legal, mover = reference.legal(), reference.to_move
    tried, priors, estimate, threats, (policy, *_) = rows[-5:]
    needed = set(wins[mover] or wins[(mover + 1) % game.players])
    assert np.flatnonzero(tried).tolist() == wins[mover]
    assert policy in (needed or legal)
    assert set(np.flatnonzero(priors == priors.max())) <= (needed or legal)
    assert estimate.sum() == pytest.approx(1)
    assert not wins[mover] or estimate[mover] > 0.98
    assert wins[mover] or set(reference.threats(mover)) <= set(np.flatnonzero(threats))
    return sum(map(bool, wins))


def shapes_of(family, players, gravity, random, most):
    """Boards with all sorts of sides that share one record, and so their machine code: games and their rules."""
    found = {}
    small = family is BitLines
    boxes = list(itertools.product(range(1, 5), range(1, 12), range(1, 20)))
    for box in (boxes[i] for i in random.permutation(len(boxes))[:400]):
        run, exactly = int(random.integers(2, 6)), box[0] > 1 or bool(random.integers(2))
        if small != fits_in_bits(*box, run) or not 6 <= np.prod(box) <= 120 or max(box) < run:
            continue
        places = list(itertools.product(*map(range, box)))
        closed = {places[i] for i in random.integers(len(places), size=random.integers(3))}
        text = "+".join(".".join(map(str, place if box[0] > 1 else place[1:])) for place in closed)
        game = family(*box, run, players, gravity, exactly, text)
        found.setdefault(game.dtype, []).append((game, (box, run, players, gravity, exactly, closed)))
    alike = max(found.values(), key=len)
    return alike[:most]


@pytest.mark.parametrize(
    ("family", "players", "gravity", "compiled"),
    [
        (BitLines, 2, False, True),
        (BitLines, 3, True, False),
        pytest.param(BitLines, 3, True, True, marks=pytest.mark.long),
        pytest.param(Lines, 3, False, True, marks=pytest.mark.long),
        (BitLines, 4, False, False),
        (Lines, 2, True, False),
    ],
)
def test_a_board_of_any_shape_knows_what_trying_all_moves_tells(family, players, gravity, compiled):
    random = np.random.default_rng(players)
    most = 8 if family is BitLines else 2
    shapes = shapes_of(family, players, gravity, random, most)
    wins = sum(check_shape(game, rules, random, compiled) for game, rules in shapes)
    assert wins > len(shapes)


def test_the_way_past_the_end_of_a_run_may_be_longer_than_a_word():
    random, rules = np.random.default_rng(1), ((3, 3, 4), 3, 2, False, True, set())
    game = BitLines(3, 3, 4, 3, 2, False, True)
    assert sum(check_shape(game, rules, random, compiled=True) for _ in range(10)) > 10


def test_the_estimate_takes_no_stone_that_makes_too_many_in_a_row_for_a_win():
    game = luozi.game("lines:rows=3,columns=6,win_length=3,gravity=true,exact_length=true")
    state, values = game.new_state(), np.zeros(2)
    for column in (0, 5, 1, 0, 3, 1, 4, 3):  # X X . X X in the lowest row
        state = game.after(state, column)
    game.evaluate(state, values)
    assert game.result(game.after(state, 2)) == [0.5, 0.5]
    assert values[0] < 0.9
