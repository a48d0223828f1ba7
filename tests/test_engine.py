"""The engine: limits, stopping, repeating, the kept tree, the final move, and never an illegal move."""

from __future__ import annotations

import math
import threading
import time

import numpy as np
import pytest
from auditing import pool_problems
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.evaluators.thread_state import ITERATIONS, SHARED_WIN, STOP, KernelLimits
from luozi.messages import LuoziError
from luozi.search.as_numbers import FORMULAS
from luozi.search.final_move import margin
from luozi.search.result import wilson_interval
from luozi.search.runner import is_agreed
from luozi.search.tree.children import all_chances, children_of, root_node
from luozi.search.tree.pool import CUT, FIXED_POINT, VISITS, Child

TICTACTOE, CONNECT4 = luozi.game("tictactoe"), luozi.game("connect4")


def test_each_limit_ends_the_search():
    start = CONNECT4.new_state()
    assert luozi.Engine(CONNECT4, seed=1).think(start, iterations=777).iterations == 777
    assert luozi.Engine(CONNECT4, seed=1).think(start, nodes=500, iterations=10**9).nodes == 500
    thought = luozi.Engine(CONNECT4, seed=1).think(start, seconds=0.05, iterations=10**12)
    assert 0 < thought.iterations < 10**12
    mixed = luozi.Engine(CONNECT4, iterations=100, nodes=10**6, seed=1).think(start, seconds=60)
    assert mixed.iterations == 100


def test_stop_from_another_thread_ends_the_search_with_a_legal_move():
    engine, cancel = luozi.Engine(CONNECT4, seed=1), luozi.Cancel()
    timer = threading.Timer(0.2, cancel.set)
    timer.start()
    thought = engine.think(CONNECT4.new_state(), cancel=cancel, seconds=120)
    assert thought.seconds < 120  # it was the stop, not the clock, that ended it
    assert thought.action in CONNECT4.legal_list(CONNECT4.new_state())


def test_the_same_seed_gives_the_same_answer_and_another_seed_another():
    def answer(seed):
        thought = luozi.Engine(CONNECT4, seed=seed).think(CONNECT4.new_state(), iterations=3000)
        return [(candidate.action, candidate.visits, candidate.means) for candidate in thought.candidates]

    assert answer(5) == answer(5)
    assert answer(5) != answer(6)


def test_the_first_search_of_a_game_is_as_the_first_of_all():
    engine = luozi.Engine(CONNECT4, seed=3)
    first = engine.think(CONNECT4.begin(), iterations=500)
    again = engine.think(CONNECT4.begin(), iterations=500)
    assert again.candidates == first.candidates


def test_a_thought_tells_everything_about_every_legal_move():
    thought = luozi.Engine(TICTACTOE, seed=1).think(TICTACTOE.new_state(), iterations=5000)
    assert sorted(candidate.action for candidate in thought.candidates) == list(range(9))
    assert sum(candidate.visits for candidate in thought.candidates) == thought.iterations == 5000
    for candidate in thought.candidates:
        low, high = candidate.interval(0)
        assert 0 <= low <= candidate.means[0] <= high <= 1
        assert sum(candidate.means) == pytest.approx(1)
    assert thought.principal_variation[0] == thought.name
    assert thought.depth == 9
    assert thought.bytes > 0
    assert "5,000 iterations" in str(thought)
    assert "<table" in thought._repr_html_()


def test_the_tree_is_kept_from_move_to_move():
    engine, position = luozi.Engine(CONNECT4, seed=1), CONNECT4.begin()
    first = engine.think(position, iterations=5000)
    second = engine.think(position.after([first.action, position.actions[0]]), iterations=100)
    assert second.reused_visits > 100
    assert sum(candidate.visits for candidate in second.candidates) == second.reused_visits - 1 + second.iterations
    engine.memory.collect()
    assert pool_problems(engine.tree) == []


def test_without_keep_every_search_starts_anew():
    engine, position = luozi.Engine(CONNECT4, seed=1, reuse_tree=False), CONNECT4.begin()
    action = engine.think(position, iterations=1000).action
    assert engine.think(position.play(action), iterations=10).reused_visits == 0


def test_another_position_than_expected_starts_a_new_tree():
    engine = luozi.Engine(CONNECT4, seed=1)
    engine.think(CONNECT4.new_state(), iterations=1000)
    elsewhere = CONNECT4.after(CONNECT4.after(CONNECT4.new_state(), 0), 6)
    assert engine.think(elsewhere, iterations=10).reused_visits == 0


@settings(max_examples=6, deadline=None)
@given(st.integers(16, 80), st.integers(1, 400), st.integers(0, 99))
def test_a_starved_engine_always_plays_legal_moves_to_the_end(pool, iterations, seed):
    position = CONNECT4.begin()
    engine = luozi.Engine(CONNECT4, pool_size=pool, iterations=iterations, seed=seed)
    while position.returns is None:
        thought = engine.think(position)
        assert thought.action in position.actions
        engine.memory.collect()
        assert pool_problems(engine.tree) == []
        position = position.play(thought.action)


def test_a_full_pool_is_said():
    thought = luozi.Engine(CONNECT4, pool_size=30, seed=1).think(CONNECT4.new_state(), iterations=2000)
    assert thought.pool_full
    assert "pool is full" in thought.summary()
    assert thought.iterations == 2000


def test_the_pools_bytes_are_the_users_to_cap():
    engine = luozi.Engine(CONNECT4, max_memory_mb=1, seed=1)
    tree = engine.tree
    assert tree.words.nbytes + tree.sums.nbytes + tree.nodes.nbytes <= 1_000_000
    assert engine.think(CONNECT4.new_state(), iterations=50_000).bytes <= 1_000_000


def test_a_pool_too_small_for_the_game_is_refused():
    with pytest.raises(luozi.LuoziError, match="raise pool or memory"):
        luozi.Engine(luozi.game("gomoku"), pool_size=100)


def test_a_finished_game_is_refused():
    state = CONNECT4.new_state()
    for action in (0, 1, 0, 1, 0, 1, 0):
        state = CONNECT4.after(state, action)
    with pytest.raises(luozi.LuoziError, match="over"):
        luozi.Engine(CONNECT4, seed=1).think(state, iterations=10)


def test_a_win_in_one_is_found_by_every_final_rule():
    state = CONNECT4.new_state()
    for action in (0, 1, 0, 1, 0, 1):
        state = CONNECT4.after(state, action)
    for final in ("visits", "mean", "margin", "agreement"):
        assert luozi.Engine(CONNECT4, seed=1, final=final).think(state, iterations=2000).action == 0


def test_final_rules_choose_as_they_say():
    thought = luozi.Engine(TICTACTOE, seed=2, final="max").think(TICTACTOE.new_state(), iterations=150)
    assert thought.best.means[0] == max(candidate.means[0] for candidate in thought.candidates)
    thought = luozi.Engine(TICTACTOE, seed=2).think(TICTACTOE.new_state(), iterations=150)
    assert thought.best.visits == max(candidate.visits for candidate in thought.candidates)
    assert margin((0.5, 0.2, 0.3), 0) == pytest.approx(0.2)
    five = luozi.game("five3d:size=3,win_length=3")
    thought = luozi.Engine(five, seed=2, final="margin", compiled=False).think(five.new_state(), iterations=200)
    assert margin(thought.best.means, 0) == max(margin(c.means, 0) for c in thought.candidates if c.visits)


def test_without_a_limit_the_solver_leaves_time_for_the_search():
    game = luozi.game("connect4")
    thought = luozi.Engine(game, seed=1, exact_solver_nodes=50_000_000).think(game.new_state())
    assert thought.iterations > 0
    assert thought.seconds < 10


def test_of_equal_moves_any_may_be_played():
    game = luozi.game("gomoku")
    played = {luozi.Engine(game, seed=seed).think(game.new_state(), iterations=30).action for seed in range(30)}
    assert len(played) > 20
    assert max(played) > 150


def test_agreement_searches_on_within_its_patience():
    extended = 0
    for seed in range(8):
        engine = luozi.Engine(TICTACTOE, seed=seed, final="max_robust", extra_budget=3.0)
        thought = engine.think(TICTACTOE.new_state(), iterations=60)
        assert 60 <= thought.iterations <= 60 * (1 + 3)
        extended += thought.iterations > 60
        best_mean = max(candidate.means[0] for candidate in thought.candidates)
        assert thought.best.means[0] == best_mean or thought.iterations == 60 * (1 + 3)
    assert extended


def test_agreement_extends_every_kind_of_budget_and_no_further_than_its_patience(monkeypatch):
    monkeypatch.setattr("luozi.search.runner.is_agreed", lambda *_: False)
    engine = luozi.Engine(CONNECT4, seed=1, final="max_robust", extra_budget=3.0)
    assert engine.think(CONNECT4.begin(), iterations=1000).iterations == 4000
    assert engine.think(CONNECT4.begin(), nodes=1000).nodes == 4000
    assert 0.2 <= engine.think(CONNECT4.begin(), seconds=0.1).seconds < 30


def test_agreement_does_not_look_at_moves_that_were_cut():
    engine = luozi.Engine(TICTACTOE, seed=1, compiled=False, final="max_robust", prune_ratio=0.3, pool_size=1000)
    engine._begin(TICTACTOE.new_state())
    node = engine.tree.attach(Child(0, 0, 1), engine.tree.new_node(0))
    for action, (visits, mean) in enumerate([(10, 0.6), (2, 0.9), (0, 0.0)]):
        edge, at, size = engine.tree.new_child(node, action, action)
        engine.tree.set_child_count(node, action + 1)
        engine.tree.words[at + VISITS * size] = visits
        engine.tree.sums[edge * 2] = int(visits * mean * FIXED_POINT)
        engine.tree.flags[edge] = 0
        if action == 1:
            better = edge
    assert not is_agreed(engine.forest.moves(), 0)
    engine.tree.flags[better] = CUT
    assert is_agreed(engine.forest.moves(), 0)


@pytest.mark.parametrize(
    "values", [{"threat_search": True}, {"exact_solver_nodes": 1000}, {"threat_search": True, "expand_after": 2}]
)
def test_every_move_that_is_kept_at_the_root_is_searched(values):
    """The root gets its moves before the search: none of them has been visited."""
    game = luozi.game("gomoku:size=5")
    engine = luozi.Engine(game, seed=1, compiled=False, pool_size=5000, **values)
    answers = []
    for _ in range(2):
        engine.tree.floats[50:4000] = 0.7  # whatever lay in memory
        engine._begin(game.begin())
        engine.root_solvers.restrict_root(game.new_state(), [3, 7, 12, 18])
        engine.progress[:] = 0
        engine.kernel.run(KernelLimits(engine.progress, 80, 2**62), 2**62)
        children = children_of(engine.tree, root_node(engine.tree))
        assert children.visits.min() > 0
        assert children.visits.sum() == 80
        assert pool_problems(engine.tree) == []
        answers.append(children.visits.tolist())
    assert answers[0] == answers[1]


def test_a_simulation_that_the_stop_flag_cuts_off_counts_for_nothing():
    game = luozi.game("gomoku:size=9")
    for values in ({}, {"max_playout_moves": 500}):
        engine = luozi.Engine(game, seed=1, compiled=False, pool_size=5000, **values)
        playout = engine.components.evaluator.playout
        draw, moves = playout.next, []

        def stopping(*arguments, moves=moves, draw=draw, engine=engine):
            moves.append(1)
            if len(moves) == 200:
                engine.progress[STOP] = 1
            return draw(*arguments)

        playout.next = stopping
        thought = engine.think(game.new_state(), iterations=1000)
        assert 0 < thought.iterations < 200
        assert engine.tree.words[VISITS] == thought.iterations
        assert engine.tree.sums[0] % (FIXED_POINT // 2) == 0
        assert engine.tree.sums[:2].sum() == thought.iterations * FIXED_POINT
        assert pool_problems(engine.tree) == []


@pytest.mark.parametrize(
    ("values", "k"),
    [
        ({"selection": "ucb1"}, math.sqrt(2)),  # X + sqrt(2 ln n / n_j)
        ({"selection": "cp"}, 2.0),  # X + 2 Cp sqrt(2 ln n / n_j), Cp = 1 / sqrt 2
        ({"selection": "uct", "c": 1.3}, 1.3),  # w/v + C sqrt(ln sum v / v)
        (
            {"selection": "ucb1", "rewards": "plus_minus", "c": 0.7},
            0.7 / math.sqrt(2),
        ),  # +1/0/-1 and c sqrt(2 ln Np / N)
    ],
)
def test_every_spelling_of_ucb_is_reduced_to_one_weight(values, k):
    assert luozi.Options.of(**values).weight == pytest.approx(k)


def test_equal_weights_search_alike_whatever_their_spelling():
    spellings = [{"selection": "uct", "c": 1.0}, {"selection": "ucb1", "c": 1 / math.sqrt(2)}]
    spellings.append({"selection": "uct", "c": 2.0, "rewards": "plus_minus"})
    answers = [
        [
            c.visits
            for c in luozi.Engine(CONNECT4, seed=1, **values).think(CONNECT4.new_state(), iterations=2000).candidates
        ]
        for values in spellings
    ]
    assert answers[0] == answers[1] == answers[2]


def test_a_larger_constant_explores_more():
    def spread(c):
        visits = [
            x.visits
            for x in luozi.Engine(CONNECT4, seed=1, c=c).think(CONNECT4.new_state(), iterations=5000).candidates
        ]
        return np.std(visits)

    assert spread(0.1) > spread(0.7) > spread(5.0)


def test_selection_is_the_formula_on_the_visits_of_every_child():
    """Replay a search by hand from its own statistics: the next child visited is the formula's first choice."""
    engine = luozi.Engine(TICTACTOE, seed=4, c=0.9)
    before = engine.think(TICTACTOE.new_state(), iterations=200)
    after = engine.think(TICTACTOE.new_state(), iterations=1)
    visits = {candidate.action: candidate.visits for candidate in before.candidates}
    chosen = next(c.action for c in after.candidates if c.visits > visits[c.action])
    scores = {c.action: c.means[0] + 0.9 * math.sqrt(math.log(200) / c.visits) for c in before.candidates}
    assert scores[chosen] == pytest.approx(max(scores.values()), abs=1e-6)


def test_rewards_of_plus_and_minus_one_are_shown_so():
    thought = luozi.Engine(TICTACTOE, seed=1, rewards="plus_minus").think(TICTACTOE.new_state(), iterations=500)
    assert thought.shown(0.75) == "+0.500"


def test_the_means_of_three_players_add_up():
    game = luozi.game("five3d:size=3,win_length=3")
    thought = luozi.Engine(game, seed=1).think(game.new_state(), iterations=3000)
    for candidate in thought.candidates:
        assert len(candidate.means) == 3
        assert sum(candidate.means) == pytest.approx(1, abs=0.5)  # a draw is worth half a win to each of three


def test_an_uncompiled_engine_gives_the_same_answer():
    fast = luozi.Engine(TICTACTOE, seed=7).think(TICTACTOE.new_state(), iterations=300)
    slow = luozi.Engine(TICTACTOE, seed=7, compiled=False).think(TICTACTOE.new_state(), iterations=300)
    assert slow.candidates == fast.candidates


def test_an_openspiel_game_can_be_searched():
    pytest.importorskip("pyspiel")
    game = luozi.from_openspiel("breakthrough(rows=4,columns=3)")
    thought = luozi.Engine(game, seed=1).think(game.new_state(), iterations=100)
    assert thought.action in game.legal_list(game.new_state())


@pytest.mark.parametrize("name", ["kuhn_poker", "backgammon", "matrix_rps", "phantom_ttt"])
def test_games_with_chance_hidden_information_or_simultaneous_moves_are_refused(name):
    pytest.importorskip("pyspiel")
    with pytest.raises(luozi.LuoziError, match=r"chance|hidden information|simultaneous"):
        luozi.from_openspiel(name)


def test_wrong_options_get_a_sentence():
    for values, sentence in (
        ({"sedd": 1}, "did you mean 'seed'"),
        ({"c": "x"}, "c=x is not valid"),
        ({"selection": "ucb"}, "did you mean 'ucb1'"),
        ({"iterations": -5}, "must be 0 to"),
    ):
        with pytest.raises(luozi.LuoziError, match=sentence):
            luozi.Engine(TICTACTOE, **values)
    assert set(FORMULAS) == {"uct", "ucb1", "cp", "ucb1_tuned", "puct", "random"}


def test_the_interval_is_wilsons():
    # Newcombe (1998), table I, method 3: 81 of 263 gives 0.2553 to 0.3662
    low, high = wilson_interval(81 / 263, 263)
    assert (low, high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_one_search_at_a_time():
    engine = luozi.Engine(CONNECT4, seed=1)
    engine.compile()
    limits, cancel = luozi.Limits(seconds=60), luozi.Cancel()
    thread = threading.Thread(target=engine.think, args=(CONNECT4.new_state(), limits, cancel))
    thread.start()
    while not engine.progress[ITERATIONS]:
        time.sleep(0.01)
    for call in (lambda: engine.think(CONNECT4.new_state()), lambda: engine.move_to(CONNECT4.begin())):
        with pytest.raises(luozi.LuoziError, match="thinking already"):
            call()
    cancel.set()
    thread.join(30)
    assert not thread.is_alive()
    assert pool_problems(engine.tree) == []


def test_a_stop_also_ends_the_search_for_agreement(monkeypatch):
    engine = luozi.Engine(CONNECT4, seed=1, final="max_robust", extra_budget=100.0)
    searches, cancel = [], luozi.Cancel()
    monkeypatch.setattr(engine.runner, "search", lambda *arguments: (searches.append(arguments), cancel.set()))
    engine.think(CONNECT4.new_state(), cancel=cancel, iterations=10)
    assert len(searches) == 1


def test_counters_never_overflow():
    engine = luozi.Engine(TICTACTOE, seed=1)
    engine.think(TICTACTOE.new_state(), iterations=10)
    engine.tree.words[1] = 2**32 - 5
    assert engine.think(TICTACTOE.new_state(), iterations=100).iterations == 3
    assert engine.think(TICTACTOE.new_state(), iterations=100).reused_visits == 0


def test_what_is_not_a_position_of_the_game_is_refused():
    engine = luozi.Engine(CONNECT4, seed=1)
    for wrong in (None, 3, TICTACTOE.new_state()):
        with pytest.raises(luozi.LuoziError, match="not a position of connect4"):
            engine.think(wrong, iterations=10)
    with pytest.raises(luozi.LuoziError, match=r"luozi\.game\('connect4'\)"):
        luozi.Engine("connect4")
    for wrong_action in (3.7, "x", 99):
        with pytest.raises(luozi.LuoziError, match=f"move '{wrong_action}': "):
            CONNECT4.after(CONNECT4.new_state(), wrong_action)


def test_options_are_checked_however_they_are_made():
    for values in ({"c": -5.0}, {"final": "zzz"}, {"selection": "zzz"}):
        with pytest.raises(luozi.LuoziError, match="not valid"):
            luozi.Options(**values)
    with pytest.raises(luozi.LuoziError, match="not both"):
        luozi.Engine(CONNECT4, luozi.Options(), c=3.0)


def test_kept_moves_of_the_root_come_likeliest_first():
    """PUCT looks no further than the first move without visits."""
    game = luozi.game("gomoku:size=7")
    state = game.new_state()
    for action in (24, 23, 17, 31):
        state = game.after(state, action)
    engine = luozi.Engine(
        game, seed=3, compiled=False, pool_size=5000, selection="puct", threat_search=True, prior_power=4.0
    )
    engine._begin(state)
    engine.root_solvers.restrict_root(state, [action for action in game.legal_list(state) if action > 1])
    children = children_of(engine.tree, root_node(engine.tree))
    chances = all_chances(engine.tree, children.edge).tolist()
    assert len(chances) == len(game.legal_list(state)) - 2
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > chances[-1]


def test_a_seat_that_is_bold_does_not_make_the_others_so():
    game = luozi.game("tictactoe:players=3,size=4,win_length=3")
    state = game.after(game.new_state(), 0)
    found = []
    for personality in ("bold+cautious", "cautious", "bold"):
        engine = luozi.Engine(game, seed=1, compiled=False, pool_size=5000, playing_style=personality)
        found.append([candidate[:2] for candidate in engine.think(state, iterations=200).candidates])
    assert found[0] == found[1] != found[2]


def test_in_a_new_game_an_engine_is_as_new():
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, seed=1, compiled=False, pool_size=5000, mcts_solver="standard", rave="fuego")
    first = engine.think(game.begin().after([0, 1, 4]), iterations=300)
    engine.thread.counts[SHARED_WIN] = 1
    again = engine.think(game.begin().after([0, 1, 4]), iterations=300)
    assert again.candidates == first.candidates
    assert again.iterations == first.iterations < 300


# Some moves only ------------------------------------------------------------------------------------------------------


def visited(thought):
    return {candidate.action for candidate in thought.candidates if candidate.visits}


@pytest.mark.parametrize(
    ("spelling", "options"),
    [
        ("tictactoe", {}),
        ("tictactoe", {"selection": "puct", "decisive_moves": True, "mcts_solver": "standard"}),
        ("tictactoe", {"rave": "fuego", "transpositions": True}),
        ("tictactoe", {"threads": 2, "parallel": "root"}),
        ("tictactoe", {"exact_solver_nodes": 100_000}),
        pytest.param("connect4:rows=4,columns=5", {"network": "connect4"}, marks=pytest.mark.long),
    ],
)
def test_moves_that_are_named_are_searched_alone(spelling, options):
    game = luozi.game(spelling)
    compiled = "threads" in options or "network" in options
    engine = luozi.Engine(game, seed=1, compiled=compiled, pool_size=20_000, **options)
    state = game.new_state()
    thought = engine.think(state, iterations=60, moves=[0, 3])
    assert visited(thought) == {0, 3}
    assert thought.action in (0, 3)
    again = engine.think(state, iterations=60, moves=[0, 3])
    assert again.reused_visits >= 60  # the same question goes on
    assert visited(engine.think(state, iterations=60, moves=[1])) == {1}
    if "solve" not in options:
        assert len(visited(engine.think(state, iterations=200))) == len(game.legal_list(state))


def test_moves_named_at_one_position_do_not_matter_at_the_next():
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, seed=1, compiled=False, pool_size=20_000)
    start = game.begin()
    engine.think(start, iterations=80, moves=[2])
    following = engine.think(start.play(2), iterations=80)
    assert following.reused_visits > 0
    assert len(visited(following)) == 8
    assert len(visited(engine.think(start, iterations=80))) == 9


def test_moves_that_are_not_legal_are_refused():
    game = luozi.game("tictactoe")
    with pytest.raises(LuoziError, match="move '9': the actions of this game are 0 to 8"):
        luozi.Engine(game, seed=1, compiled=False).think(game.new_state(), iterations=5, moves=[1, 9])
