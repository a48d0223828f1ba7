"""What line games know: wins in one, blocks, guesses at moves, sensible simulations, and wins by fours."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.compiled import new_rng
from luozi.games.lines.bits import BitLines, fits_in_bits
from luozi.games.lines.rules import Lines
from luozi.solvers.threat_space import Fours

GOMOKU = luozi.game("gomoku")
STRONG = {
    "decisive_moves": True,
    "anti_decisive_moves": True,
    "threat_search": True,
    "selection": "puct",
    "playout_policy": True,
    "mcts_solver": "standard",
}


def played(game, moves):
    """The position after moves, by number or by name."""
    state = game.new_state()
    for move in moves.split() if isinstance(moves, str) else moves:
        state = game.after(state, game.string_to_action(state, move) if isinstance(move, str) else move)
    return state


def random_position(game, random, moves):
    """A position after so many random moves, or fewer: nobody has won, and there is a move to play."""
    state = game.new_state()
    for _ in range(moves):
        following = game.after(state, int(random.choice(game.legal_list(state))))
        if game.is_terminal(following):
            break
        state = following
    return state


def wins_of(game, state, player):
    """What the game itself says."""
    actions = np.zeros(game.actions, np.int32)
    return sorted(actions[: game.winning_actions(state, player, actions)].tolist())


def wins_by_looking(game, state, player):
    """The same from the picture of the board alone: walk both ways from each cell and count."""
    box = (game.layers, game.rows, game.columns)
    board = {
        place: game.stone_at(state, cell) for cell, place in enumerate(itertools.product(*(range(n) for n in box)))
    }
    places = list(board)
    steps = [step for step in itertools.product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]

    def run_from(place, step):
        length = 0
        place = tuple(p + s for p, s in zip(place, step, strict=True))
        while board.get(place) == player + 1:
            length += 1
            place = tuple(p + s for p, s in zip(place, step, strict=True))
        return length

    found = []
    for action in game.legal_list(state):
        place = places[int(state.landing[action]) if game.gravity else action]
        lengths = [1 + run_from(place, s) + run_from(place, tuple(-d for d in s)) for s in steps]
        if any(length == game.run if game.exactly else length >= game.run for length in lengths):
            found.append(action)
    return found


families = st.sampled_from(
    [
        # layers, rows, columns, run, players, gravity, exactly, forbidden
        (1, 3, 3, 3, 2, False, False, ""),
        (1, 5, 6, 4, 2, True, False, ""),
        (1, 5, 6, 3, 3, True, False, "2.3"),
        (1, 6, 6, 3, 2, False, True, ""),
        (1, 6, 6, 4, 3, False, True, "1.1+4.2"),
        (3, 3, 3, 3, 4, False, False, "1.1.1"),
        (2, 4, 4, 3, 2, True, True, ""),
        (1, 9, 9, 5, 2, False, True, ""),
        (4, 4, 4, 4, 3, False, False, ""),
        (1, 1, 9, 2, 2, False, False, ""),
        (1, 1, 4, 1, 2, False, False, "0.1"),
    ]
)


def both_kinds(numbers):
    """The game by counters, and by bits too where it fits."""
    kinds = [Lines, BitLines] if fits_in_bits(*numbers[:4]) else [Lines]
    return [kind(*numbers) for kind in kinds]


# Wins in one ----------------------------------------------------------------------------------------------------------


@settings(max_examples=35, deadline=None)
@given(families, st.integers(0, 60), st.integers(0, 2**32))
def test_the_winning_moves_of_every_player_are_those_that_win(numbers, moves, seed):
    for game in both_kinds(numbers):
        state = random_position(game, np.random.default_rng(seed), moves)
        for player in range(game.players):
            expected = wins_by_looking(game, state, player)
            assert wins_of(game, state, player) == expected
            assert game.can_win(state, player) == bool(expected)


def test_positions_with_wins_are_among_those_tried():
    random, wins = np.random.default_rng(1), 0
    game = Lines(1, 6, 6, 3, 2, False, True, "")
    for _ in range(50):
        wins += bool(wins_of(game, random_position(game, random, 12), 0))
    assert wins > 10


# Priors ---------------------------------------------------------------------------------------------------------------


def priors_of(game, state):
    """The game's guess at each legal move, by name."""
    legal = game.legal_list(state)
    actions, values = np.array(legal, np.int32), np.full(len(legal), 0.5)
    game.priors(state, actions, len(legal), values)
    return {game.action_to_string(state, action): value for action, value in zip(legal, values, strict=True)}


def test_a_win_is_worth_most_and_everything_else_next_to_nothing():
    values = priors_of(GOMOKU, played(GOMOKU, "h8 a1 i8 b1 j8 c1 k8 d1"))
    assert {name for name, value in values.items() if value == max(values.values())} == {"g8", "l8"}
    assert values["e1"] < 0.1 < 0.9 < values["g8"]  # even the block


def test_a_needed_block_is_worth_most_when_there_is_no_win():
    values = priors_of(GOMOKU, played(GOMOKU, "h8 a1 i8 b1 j8 c1 o15 d1"))
    assert max(values, key=values.__getitem__) == "e1"
    assert sorted(values.values())[-2] < 0.1


def test_an_open_four_is_worth_more_than_an_open_three_and_that_more_than_a_quiet_move():
    four = priors_of(GOMOKU, played(GOMOKU, "h8 a1 i8 o1 j8 a15"))
    assert max(four, key=four.__getitem__) in ("g8", "k8")
    three = priors_of(GOMOKU, played(GOMOKU, "h8 a1 i8 o1"))
    assert max(three, key=three.__getitem__) in ("g8", "j8")
    assert four["g8"] > three["g8"] > three["h9"] > three["d3"]


def test_stopping_an_open_three_is_worth_more_than_making_one():
    values = priors_of(GOMOKU, played(GOMOKU, "h8 d4 i8 d5 j8"))
    assert max(values, key=values.__getitem__) in ("g8", "k8")
    assert values["g8"] > values["d6"]


def test_the_crossing_of_two_threats_is_worth_more_than_either():
    # Two twos that cross in h8: an open three each way.
    values = priors_of(GOMOKU, played(GOMOKU, "i8 a1 j8 o1 h9 a15 h10 o15"))
    assert max(values, key=values.__getitem__) == "h8"
    # A blocked three and a two that cross in h8: a four and an open three.
    values = priors_of(GOMOKU, played(GOMOKU, "i8 l8 j8 o1 k8 a15 h9 o15 h10 a1"))
    assert max(values, key=values.__getitem__) == "h8"


def test_a_move_under_the_next_players_win_is_worth_least():
    game = luozi.game("connect4")
    state = played(game, [0, 1, 5, 2, 0, 3, 4, 1, 5, 2, 6, 3])  # X must fear row 2 of O: 1, 2, 3 with 0 and 4 free
    values = priors_of(game, state)
    assert min(values.values()) < 0.5 * max(values.values())
    for name, value in values.items():
        after = game.after(state, game.string_to_action(state, name))
        gives = bool(wins_of(game, after, 1))
        assert (value == min(values.values())) <= gives


@settings(max_examples=35, deadline=None)
@given(families, st.integers(0, 40), st.integers(0, 2**32))
def test_priors_are_shares_and_the_same_by_counters_and_by_bits(numbers, moves, seed):
    found = []
    for game in both_kinds(numbers):
        state = random_position(game, np.random.default_rng(seed), moves)
        values = priors_of(game, state)
        assert all(0 <= value <= 1 for value in values.values())
        winning = wins_of(game, state, game.current_player(state))
        if winning:
            best = {game.string_to_action(state, n) for n, v in values.items() if v == max(values.values())}
            assert best == set(winning)
        found.append(list(values.values()))
    assert found[0] == pytest.approx(found[-1], abs=1e-3)  # counters use whole numbers of 1/4096


# The estimate for alpha-beta ------------------------------------------------------------------------------------------


def estimate(moves, game=GOMOKU):
    """What the first player's share is taken for."""
    values = np.zeros(game.players)
    game.evaluate(played(game, moves), values)
    return values[0]


def test_the_estimate_knows_fours_open_fours_and_threes_and_whose_turn_it_is():
    quiet = "h8 a1 i8 c1 o15 e1"
    three, blocked_three = "h8 a1 i8 c1 j8 e1", "h8 g8 i8 c1 j8 e1"
    assert estimate(three) > estimate(blocked_three) > estimate(quiet) > 0.5
    assert estimate("h8 a1 i8 c1 j8 e1 k8") > 0.98  # O is to move, and can't fill both ends
    four = "h8 g8 i8 c1 j8 e1 k8"
    assert 0.5 < estimate(four) < 0.98  # one end can be filled
    assert estimate(four + " o1") > 0.98  # but was not
    assert estimate("h8 a1 i8 b1 j8 c1 k8 d1") > 0.98  # both have fours: who is to move wins
    assert estimate("g8 i8") > 0.5 > estimate("g8 i8 a1")  # mirrored stones: the turn is worth something


def test_two_fours_in_a_row_of_six_do_not_decide_where_exactly_five_win():
    game = luozi.game("gomoku:exact_length=true")
    assert estimate("h8 a1 i8 c1 j8 e1 k8", game) > 0.98
    assert estimate("h8 f8 i8 c1 j8 e1 l8 o1 m8 g1 a15", game) < 0.98


# Simulations ----------------------------------------------------------------------------------------------------------


@settings(max_examples=35, deadline=None)
@given(families, st.integers(0, 30), st.integers(0, 2**32))
def test_the_policy_plays_legal_moves_wins_when_it_can_and_blocks_when_it_must(numbers, moves, seed):
    for game in both_kinds(numbers):
        state, rng = random_position(game, np.random.default_rng(seed), moves), new_rng(seed)
        scratch = np.zeros(game.actions, np.int32)
        playout = game.policy_playout()
        memory = playout.new_memory()[0]
        playout.begin(game, state, memory)
        while not game.is_terminal(state):
            action, player = int(playout.next(game, state, memory, rng, scratch)), game.current_player(state)
            assert action in game.legal_list(state)
            own, next_ones = wins_of(game, state, player), wins_of(game, state, (player + 1) % game.players)
            if own:
                assert action in own
            elif next_ones:
                assert action in next_ones
            game.apply_action(state, action)


# Wins by fours --------------------------------------------------------------------------------------------------------


def can_force(game, state, attacker):
    """Whether a player wins against all others together, by looking at everything."""

    @cache
    def wins(position):
        if game.is_terminal(position):
            return game.result(position)[attacker] == 1
        following = (wins(game.after(position, action)) for action in game.legal_list(position))
        return any(following) if game.current_player(position) == attacker else all(following)

    return wins(state)


@pytest.mark.parametrize(
    "numbers",
    [
        (1, 4, 4, 3, 2, False, False, ""),
        (1, 3, 5, 3, 3, False, True, "1.1"),
        (1, 4, 4, 3, 2, True, False, ""),
        pytest.param((1, 4, 4, 3, 2, False, True, ""), marks=pytest.mark.long),
        pytest.param((1, 4, 4, 3, 3, False, False, ""), marks=pytest.mark.long),
        pytest.param((1, 4, 4, 3, 3, True, False, ""), marks=pytest.mark.long),
        pytest.param((1, 3, 6, 3, 4, False, False, ""), marks=pytest.mark.long),
    ],
)
def test_a_win_by_fours_is_a_win_against_everything(numbers):
    random, claimed = np.random.default_rng(1), 0
    games = both_kinds(numbers)
    solvers = [Fours(game, compiled=False) for game in games]
    for number in range(40):
        if number >= 20 and claimed > 3:
            break
        seed = int(random.integers(2**32))
        lines = []
        for game, solver in zip(games, solvers, strict=True):
            state = random_position(game, np.random.default_rng(seed), 6 + seed % 5)
            lines.append(solver.win(state))
            if lines[-1]:
                assert can_force(game, state, game.current_player(state))
                assert can_force(game, game.after(state, lines[-1][0]), game.current_player(state))
        assert len({bool(line) for line in lines}) == 1  # by counters as by bits
        claimed += bool(lines[0])
    assert claimed > 3


@pytest.mark.parametrize(
    ("players", "gravity"),
    [(2, True), (3, False), *(pytest.param(*one, marks=pytest.mark.long) for one in ((2, False), (3, True)))],
)
def test_losing_moves_are_those_after_which_the_next_player_wins_by_fours(players, gravity):
    game, random, losing = Lines(1, 4, 5, 3, players, gravity), np.random.default_rng(7), 0
    solver = Fours(game, compiled=False)
    for _ in range(8):
        state = random_position(game, random, 7)
        expected = []
        for action in game.legal_list(state):
            after = game.after(state, action)
            if not game.is_terminal(after) and solver.win(after):
                expected.append(action)
        assert solver.losing_actions(state) == expected
        losing += 0 < len(expected) < len(game.legal_list(state))
    assert losing > 1


def forces_by_fours(game, state, attacker, fours):
    """With two players, straight from the rules: only moves that threaten to win at once, so many at most."""
    if wins_of(game, state, attacker):
        return True
    for action in game.legal_list(state) if fours else []:
        after = game.after(state, action)
        if game.is_terminal(after) or wins_of(game, after, 1 - attacker):
            continue
        cells = wins_of(game, after, attacker)
        if len(cells) > 1:
            return True
        if cells:
            answered = game.after(after, cells[0])
            if not game.is_terminal(answered) and forces_by_fours(game, answered, attacker, fours - 1):
                return True
    return False


@pytest.mark.parametrize("numbers", [(1, 5, 6, 4, 2, False, False, ""), (1, 5, 6, 4, 2, True, False, "")])
def test_no_win_by_fours_is_missed(numbers):
    random, found = np.random.default_rng(2), 0
    for game in both_kinds(numbers):
        solver = Fours(game, compiled=False)
        for _ in range(15):
            state = random_position(game, random, int(random.integers(6, 16)))
            expected = forces_by_fours(game, state, game.current_player(state), 16)
            assert bool(solver.win(state)) == expected
            found += expected
    assert found > 5


BY_FOURS = {  # how many fours in a row X needs, at the shortest
    1: "e6 g11 k7 i10 f8 g10 h10 i8 h6 j8 i11 k8 j7 k6 g8 g6",
    2: "i8 k10 i10 k6 f8 i5 e5 i11 f9 j7 e8 g11 k5 f10 i7 j5",
    3: "j11 i7 i5 e5 i11 e11 g9 g11 g6 e6 j6 k11 g5 h7 f6 j5",
    4: "i9 f7 k6 h5 i7 h11 k9 j10 f8 g10 i8 i11 e8 k8 f6 i10",
    5: "e8 k9 i8 i11 k7 k10 f10 g11 i7 e7 i10 f9 g6 h5 e6 j7",
    6: "k11 e6 g5 k5 h9 h5 k7 f8 g8 f9 g9 e11 i6 j5 j9 h11",
}


@pytest.mark.parametrize("fours", BY_FOURS)
def test_a_win_by_so_many_fours_is_found_and_every_reply_is_forced(fours):
    state = played(GOMOKU, BY_FOURS[fours])
    line = Fours(GOMOKU).win(state)
    assert len(line) == 2 * fours - 1
    for number, action in enumerate(line):
        state = GOMOKU.after(state, action)
        if number % 2 == 0:
            assert not wins_of(GOMOKU, state, 1)
            cells = wins_of(GOMOKU, state, 0)
            assert cells == [line[number + 1]] if number + 1 < len(line) else len(cells) > 1


def test_without_a_win_by_fours_nothing_is_claimed():
    solver = Fours(GOMOKU)
    assert solver.win(GOMOKU.new_state()) == []
    assert solver.win(played(GOMOKU, "h8 a1 i8 o1 j8 h1 o15 i9")) != []  # an open four comes
    assert solver.win(played(GOMOKU, "h8 g8 i8 l8 j8 a1")) == []  # a three without room for five


def test_a_six_is_no_four_where_exactly_five_win():
    free, exact = luozi.game("gomoku"), luozi.game("gomoku:exact_length=true")
    moves = "h8 g8 i8 n8 j8 a1 m8 o1"  # X has h i j . . m: both fours would make six
    for game, expected in ((free, True), (exact, False)):
        cells = {game.string_to_action(game.new_state(), name) for name in ("k8", "l8")}
        after = game.after(played(game, moves), min(cells))
        assert bool(wins_of(game, after, 0)) is expected


def test_the_search_for_fours_ends_after_so_many_positions():
    state = played(GOMOKU, BY_FOURS[6])
    assert Fours(GOMOKU, positions=20).win(state) == []


def test_the_engine_plays_a_win_by_fours_and_says_that_it_is_certain():
    state = played(GOMOKU, BY_FOURS[3])
    thought = luozi.Engine(GOMOKU, threat_search=True, compiled=False, seed=1).think(state, iterations=1)
    assert thought.best.proven
    assert thought.best.means == (1.0, 0.0)
    assert len(thought.principal_variation) == 5
    assert thought.principal_variation[0] == thought.name == "g7"
    assert thought.candidates[0] == thought.best
    assert "certain" in str(thought)


ALONE = {"threat_search": True, "compiled": False}


@pytest.mark.long
@pytest.mark.parametrize("options", [ALONE, STRONG])
def test_the_engine_leaves_out_moves_that_allow_a_win_by_fours(options):
    state = played(GOMOKU, BY_FOURS[2] + " a1")  # O is to move, and X still threatens to win
    thought = luozi.Engine(GOMOKU, seed=1, **options).think(state, iterations=3)
    left = [candidate for candidate in thought.candidates if not candidate.cut]
    assert 0 < len(left) < 40
    solver = Fours(GOMOKU)
    assert all(not solver.win(GOMOKU.after(state, candidate.action)) for candidate in left)
    assert not thought.best.cut
    assert "cut by fours" in str(thought)


def test_when_every_move_allows_a_win_by_fours_all_stay():
    state = played(GOMOKU, "h8 a1 h9 o1 h10 a15 j8 o15 k8 c3 n3")  # two open threes
    thought = luozi.Engine(GOMOKU, threat_search=True, compiled=False, seed=1).think(state, iterations=3)
    assert not any(candidate.cut for candidate in thought.candidates)


def test_fours_are_refused_for_a_game_that_does_not_tell_its_threats():
    with pytest.raises(luozi.LuoziError, match="threat_search needs a game that has threatening_actions, and go"):
        luozi.Engine(luozi.game("go"), threat_search=True)


# Wins and blocks in one -----------------------------------------------------------------------------------------------


def urgent_positions(game, random, count):
    """Positions in the middle of the board where a block is needed, and where one was missed, in turn."""
    cells = [row * 15 + column for row in range(4, 12) for column in range(4, 12)]
    for number in range(count):
        state = game.new_state()
        for action in random.permutation(cells).tolist():
            mover, other = state.to_move, 1 - state.to_move
            if wins_of(game, state, mover) or (number % 2 and wins_of(game, state, other)):
                yield state
                break
            game.apply_action(state, action)


def misses(options, count, seed):
    """How many wins in one and blocks in one an engine misses."""
    engine, missed, seen = luozi.Engine(GOMOKU, seed=1, **options), 0, 0
    for state in urgent_positions(GOMOKU, np.random.default_rng(seed), count):
        mover = state.to_move
        right = wins_of(GOMOKU, state, mover) or wins_of(GOMOKU, state, 1 - mover)
        missed += engine.think(state, iterations=10).action not in right
        seen += 1
    assert seen > 0.9 * count
    return missed


@pytest.mark.parametrize("fours", [True, False])
@pytest.mark.long
def test_no_win_or_block_in_one_is_missed(fours):
    assert misses(STRONG | {"threat_search": fours}, 30, seed=3) == 0


def test_no_win_or_block_in_one_is_missed_as_written():
    assert misses(STRONG | {"compiled": False, "threat_search": False}, 6, seed=3) == 0


@pytest.mark.long
def test_no_win_or_block_in_one_is_missed_in_ten_thousand_positions():
    assert misses(STRONG, 10_000, seed=4) == 0
