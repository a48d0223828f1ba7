"""Selection: every formula on statistics made by hand, against the formula as its paper or report writes it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from variant_trees import HandMade, all_nodes, cells_of, edge_visits, follow, played, uncompiled

import luozi
from luozi.evaluators.thread_state import SIMULATED
from luozi.evaluators.variants import (
    ANCESTOR_ORDER,
    CHANCE,
    CUT_UNCERTAIN,
    FUEGO,
    LEAST_ERROR,
    PUCT,
    SCHEDULE,
    TUNED,
    Variants,
)
from luozi.search.selection.formulas import any_child
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.pool import CHANCE_OF, CUT, FIXED_POINT, HISTORY_SIZE, PRIOR, PRIOR_SIZE, PRIOR_WEIGHT, RAVE_SIZE

MANY = 2**62
THREE = "lines:rows=3,columns=4,win_length=3,players=3"


def test_uct_adds_the_weighted_root_of_the_logarithm_to_the_movers_mean():
    node = HandMade(Variants(weight=0.9), [(7, (0.2, 0.7)), (13, (0.6, 0.3))])
    assert node.score(0, player=1) == pytest.approx(0.7 + 0.9 * math.sqrt(math.log(20) / 7))
    assert node.score(1, player=0) == pytest.approx(0.6 + 0.9 * math.sqrt(math.log(20) / 13))


@pytest.mark.parametrize(("results", "bounded"), [([1.0] * 3 + [0.0] * 4, True), ([0.5] * 400, False)])
def test_tuned_bounds_the_variance_by_what_was_seen(results, bounded):
    visits, others, mean = len(results), 90, sum(results) / len(results)
    node = HandMade(Variants(formula=TUNED), [(visits, (mean, 1 - mean)), (others, (0.5, 0.5))])
    squares = sum(result * result for result in results)
    node.tree.squares[node.children[0].edge * 2] = round(squares * FIXED_POINT)
    log = math.log(visits + others)
    variance = squares / visits - mean**2 + math.sqrt(2 * log / visits)
    assert (variance > 0.25) == bounded  # both sides of min(1/4, V) are tried
    assert node.score(0) == pytest.approx(mean + math.sqrt(log / visits * min(0.25, variance)), abs=1e-6)


def test_the_squares_that_tuned_reads_are_those_of_the_results():
    engine = uncompiled("tictactoe", selection="ucb1_tuned", backup_discount=0.9)
    squares: dict[int, float] = {}
    for step in follow(engine, engine.game.new_state(), 60):
        for above, edge in enumerate(reversed(step.edges)):
            squares[edge] = squares.get(edge, 0.0) + (0.5 + 0.9**above * (step.results[0] - 0.5)) ** 2
    for edge, expected in squares.items():
        assert engine.tree.squares[edge * 2] / FIXED_POINT == pytest.approx(expected, abs=1e-6)


def test_suppression_weighs_the_movers_mean_and_the_best_other_players():
    means = (0.3, 0.45, 0.2)
    node = HandMade(Variants(weight=0.8, own=0.7, others=0.4), [(11, means), (9, (0.1, 0.1, 0.8))])
    explore = 0.8 * math.sqrt(math.log(20) / 11)
    assert node.score(0, player=0) == pytest.approx(0.7 * 0.3 + 0.4 * (1 - 0.45) + explore)
    assert node.score(0, player=1) == pytest.approx(0.7 * 0.45 + 0.4 * (1 - 0.3) + explore)


def test_each_seat_searches_by_its_own_personality_at_every_node():
    options = luozi.Options(playing_style="bold+balanced+cautious", c=0.5)
    seats = [options.variants(player) for player in range(3)]
    assert [(seat.own, seat.others) for seat in seats] == [(1.0, 0.0), (0.7, 0.3), (0.3, 0.7)]
    assert len({seat.weight for seat in seats}) == 1


def four_players_scene(game):
    """A has four in a row with both ends open, B has three that can grow at one end; B is to move."""
    row_of_a, row_of_b = 6 * (6 * 1 + 1), 6 * (6 * 4 + 3)
    a, b = [row_of_a + column for column in (1, 2, 3, 4)], [row_of_b + column for column in (1, 2, 3)]
    c, d = (5, 180, row_of_b), (215, 185, 210)
    moves = []
    for turn in range(4):
        moves += [cells[turn] for cells in (a, b, c, d) if turn < len(cells)]
    return played(game, *moves), (row_of_b + 4, row_of_b + 5), (row_of_a, row_of_a + 5)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_in_the_scene_of_four_players_the_bold_extend_and_the_cautious_block(seed):
    game = luozi.game("five3d:players=4")
    scene, extending, blocking = four_players_scene(game)
    assert game.current_player(scene) == 1
    for personality, expected in (("bold", extending), ("cautious", blocking)):
        engine = luozi.Engine(game, playing_style=personality, seed=seed, pool_size=200_000)
        assert engine.think(scene, iterations=60_000).action in expected


def test_paranoid_opponents_look_at_the_searchers_result_alone():
    node = HandMade(Variants(weight=0.5, paranoid=2), [(8, (0.5, 0.4, 0.1)), (12, (0.1, 0.1, 0.8))])
    explore = 0.5 * math.sqrt(math.log(20) / 8)
    assert node.score(0, player=2) == pytest.approx(0.1 + explore)
    assert node.score(0, player=0) == node.score(0, player=1) == pytest.approx(1 - 0.1 + explore)


def test_first_play_urgency_is_the_whole_score_of_an_unvisited_move():
    rows = [(0, (0.0, 0.0)), (20, (0.9, 0.1))]
    assert HandMade(Variants(first_play=0.6), rows).score(0) == pytest.approx(0.6)
    assert HandMade(Variants(first_play=0.6), rows).chosen() == 1
    assert HandMade(Variants(first_play=1.9), rows).chosen() == 0
    assert HandMade(Variants(first_play=math.inf, own=2.0), rows).chosen() == 0  # infinity: all of them first


def test_a_first_play_urgency_below_the_best_score_leaves_moves_unvisited():
    engine = uncompiled("tictactoe", fpu=0.3, c=0.1)
    engine.think(engine.game.new_state(), iterations=60)
    assert (children_of(engine.tree, root_node(engine.tree)).visits == 0).any()
    engine = uncompiled("tictactoe", fpu=10, c=0.1)
    engine.think(engine.game.new_state(), iterations=9)
    assert children_of(engine.tree, root_node(engine.tree)).visits.tolist() == [1] * 9


# All moves as first ---------------------------------------------------------------------------------------------------


def with_rave(kind: int, weight: float, seen: list[tuple[int, float]], **values) -> HandMade:
    rows = [(0, (0.0, 0.0)), (0, (0.0, 0.0)), (6, (0.4, 0.6)), (14, (0.7, 0.3))]
    node = HandMade(Variants(rave=kind, rave_weight=weight, weight=0.3, **values), rows)
    for child, (visits, mean) in zip(node.children, seen, strict=True):
        node.tree.rave[child.edge * RAVE_SIZE] = visits
        node.tree.rave[child.edge * RAVE_SIZE + 1] = round(visits * mean * FIXED_POINT)
    return node


def fuegos_bias(visits: int) -> float:
    """What Fuego adds to every child: bias * sqrt(log N / (n + 1))."""
    return 0.3 * math.sqrt(math.log(20) / (visits + 1))


def test_fuego_has_three_cases_and_explores_in_each():
    node = with_rave(FUEGO, 50.0, [(0, 0.0), (10, 0.35), (30, 0.8), (0, 0.0)], first_play=0.45)
    assert node.score(0) == pytest.approx(0.45 + fuegos_bias(0))  # both counts zero: first-play urgency
    assert node.score(1) == pytest.approx(0.35 + fuegos_bias(0))  # no visits: the mean of the moves as first
    weight = 30 / (1 + 30 / 50)
    mean = (6 * 0.4 + weight * 0.8) / (6 + weight)  # else by the counts
    assert node.score(2) == pytest.approx(mean + fuegos_bias(6))
    assert node.score(3) == pytest.approx(0.7 + fuegos_bias(14))


def test_the_schedule_of_gelly_and_silver_goes_by_the_nodes_visits():
    share = math.sqrt(50 / (3 * 20 + 50))  # 2007
    node = with_rave(SCHEDULE, 50.0, [(0, 0.0), (10, 0.35), (30, 0.8), (0, 0.0)])
    assert node.score(2) == pytest.approx((1 - share) * 0.4 + share * 0.8 + fuegos_bias(6))


@pytest.mark.parametrize(("mean", "rave", "bias"), [(0.4, 0.8, 0.1), (0.95, 0.9, 0.05), (0.05, 0.02, 0.3)])
def test_least_error_mixes_the_two_means_so_that_the_squared_error_is_least(mean, rave, bias):
    visits, rave_visits = 8, 20  # of 28 coins, which both means throw, and the second is off by `bias`
    chance = (visits * mean + rave_visits * rave + 1) / (visits + rave_visits + 2)  # the rule of succession
    shares = np.linspace(0, 1, 1_000_001)
    variance = chance * (1 - chance)
    error = (1 - shares) ** 2 * variance / visits + shares**2 * (variance / rave_visits + bias**2)
    share = shares[error.argmin()]
    node = HandMade(
        Variants(rave=LEAST_ERROR, rave_weight=1 / (4 * bias**2), weight=0.3), [(8, (mean, 1.0)), (12, (0.5, 0.5))]
    )
    node.tree.rave[node.children[0].edge * RAVE_SIZE :][:2] = rave_visits, round(rave_visits * rave * FIXED_POINT)
    assert node.score(0) == pytest.approx((1 - share) * mean + share * rave + fuegos_bias(8), abs=1e-5)


def test_with_rave_a_larger_weight_explores_more():
    """Moves that did badly later, never tried themselves: only exploration brings them to a visit."""
    seen = [(40, 0.2), (40, 0.3), (40, 0.4), (40, 0.7)]
    visited = []
    for weight in (0.0, 0.3, 3.0):
        node = with_rave(FUEGO, 1000.0, seen)
        node.variants = node.variants._replace(weight=weight)
        visited.append(node.chosen())
    assert visited == [3, 3, 1]


@pytest.mark.parametrize(
    ("spelling", "passing"), [("lines:rows=4,columns=4,win_length=3,gravity=true", -1), ("go:size=3", 9)]
)
def test_a_move_counts_as_first_for_whoever_played_it_first_and_a_pass_only_where_it_was_made(spelling, passing):
    """In Connect Four a column is played again and again, and games of Go end with passes, which tell nothing of a pass
    now; the moves of each iteration are written down by the rules.
    """
    log: list[tuple[int, int]] = []
    game = luozi.game(spelling)
    play = game.apply_action
    engine = uncompiled(game, rave="fuego")
    engine.game.apply_action = lambda state, action: (  # type: ignore[method-assign]
        log.append((int(game.current_player(state)), int(action))),
        play(state, action),
    )
    rave: dict[int, list[float]] = {}
    for _ in range(120):
        log.clear()
        depth = engine.think(game.new_state(), iterations=1).depth
        moves = log[: depth + int(engine.thread.counts[SIMULATED])]
        result = engine.thread.credit / FIXED_POINT
        node = root_node(engine.tree)
        for above in range(depth):
            mover, action = moves[above]
            children = children_of(engine.tree, node)
            firsts: dict[int, int] = {}
            for player, later in moves[above:]:
                if later != passing or not firsts:
                    firsts.setdefault(later, player)
            for later, edge in zip(children.action.tolist(), children.edge.tolist(), strict=True):
                if firsts.get(later) == mover:
                    count, total = rave.get(edge, [0, 0.0])
                    rave[edge] = [count + 1, total + result[mover]]
            node = int(children.node[children.action == action][0])
    for edge in set(edge_visits(engine.tree)) - {0}:
        count, total = engine.tree.rave[edge * RAVE_SIZE : edge * RAVE_SIZE + 2].tolist()
        assert [count, total / FIXED_POINT] == rave.get(edge, [0, 0.0])


@pytest.mark.parametrize("spelling", ["tictactoe", "lines:rows=3,columns=4,win_length=3,players=3"])
def test_every_move_that_its_player_made_later_counts_as_first(spelling):
    engine = uncompiled(spelling, rave="fuego", history=1.0)
    game, start = engine.game, engine.game.new_state()
    rave: dict[int, list[float]] = {}
    history: dict[tuple[int, int], list[float]] = {}
    for step in follow(engine, start, 150):
        node = root_node(engine.tree)
        for position, edge in zip(step.positions, step.edges[1:], strict=False):
            mover = game.current_player(position)
            later = cells_of(game, step.end, mover) - cells_of(game, position, mover)
            children = children_of(engine.tree, node)
            for action, child in zip(children.action.tolist(), children.edge.tolist(), strict=True):
                if action in later:
                    count, total = rave.get(child, [0, 0.0])
                    rave[child] = [count + 1, total + step.results[mover]]
            node = int(children.node[children.edge == edge][0])
        for player in range(game.players):
            for action in cells_of(game, step.end, player):
                count, total = history.get((player, action), [0, 0.0])
                history[player, action] = [count + 1, total + step.results[player]]
    for edge in edge_visits(engine.tree):
        seen, total = engine.tree.rave[edge * RAVE_SIZE : edge * RAVE_SIZE + 2].tolist()
        assert [seen, total / FIXED_POINT] == rave.get(edge, [0, 0.0])
    for (player, action), expected in history.items():
        place = (player * game.actions + action) * HISTORY_SIZE
        seen, total = engine.tree.history[place : place + 2].tolist()
        assert [seen, total / FIXED_POINT] == expected


def test_progressive_history_fades_as_the_child_loses():
    node = HandMade(Variants(weight=0.4, history=3.0), [(8, (0.25, 0.75)), (0, (0.0, 0.0)), (12, (0.5, 0.5))])
    for player, action, visits, mean in ((0, 0, 40, 0.6), (1, 0, 10, 0.2), (0, 1, 5, 0.8)):
        place = (player * 9 + action) * HISTORY_SIZE
        node.tree.history[place], node.tree.history[place + 1] = visits, round(visits * mean * FIXED_POINT)
    explore = 0.4 * math.sqrt(math.log(20) / 8)
    assert node.score(0, player=0) == pytest.approx(0.25 + explore + 0.6 * 3 / (8 - 8 * 0.25 + 1))
    assert node.score(0, player=1) == pytest.approx(0.75 + explore + 0.2 * 3 / (8 - 8 * 0.75 + 1))
    assert node.score(2, player=0) == pytest.approx(0.5 + 0.4 * math.sqrt(math.log(20) / 12))  # never seen elsewhere
    assert node.chosen() == 1


# What is known before the first visit ---------------------------------------------------------------------------------


def set_prior(node: HandMade, index: int, value: float, weight: float, chance: float = 1.0) -> None:
    place = node.children[index].edge * PRIOR_SIZE
    for field, number in ((PRIOR, value), (PRIOR_WEIGHT, weight), (CHANCE_OF, chance)):
        node.tree.priors[place + field] = number


def test_a_heuristic_start_counts_as_so_many_visits_with_that_mean():
    node = HandMade(Variants(weight=0.5, prior_weight=4.0), [(0, (0.0, 0.0)), (6, (0.2, 0.8)), (14, (0.5, 0.5))])
    for index, value in enumerate((0.9, 0.7, 0.1)):
        set_prior(node, index, value, 4.0)
    assert node.score(0) == pytest.approx(0.9 + 0.5 * math.sqrt(math.log(20) / 4))
    assert node.score(1) == pytest.approx((6 * 0.2 + 4 * 0.7) / 10 + 0.5 * math.sqrt(math.log(20) / 10))


def test_a_new_node_gets_the_games_own_estimates():
    engine = uncompiled("tictactoe", prior=7)
    game = engine.game
    state = played(game, 0, 4, 1, 3)
    engine.think(state, iterations=1)
    children = children_of(engine.tree, root_node(engine.tree))
    values = np.full(9, 0.5)
    game.priors(state, children.action, len(children.action), values)
    rows = engine.tree.priors.reshape(-1, PRIOR_SIZE)[children.edge]
    assert rows[:, PRIOR] == pytest.approx(values[: len(rows)])
    assert set(rows[:, PRIOR_WEIGHT]) == {7.0}
    assert len(set(values[: len(rows)])) > 1  # the estimates differ, so that the order matters


def test_a_prior_counts_among_the_moves_as_first_too():
    """Gelly and Silver 2011 start both statistics with the heuristic: 10 visits of mean 0.35 and 5 of 0.8."""
    node = with_rave(FUEGO, 50.0, [(0, 0.0), (10, 0.35), (30, 0.8), (0, 0.0)], prior_weight=4.0, rave_prior=5.0)
    for index in range(4):
        set_prior(node, index, 0.8, 4.0)
    rave, weight = (10 * 0.35 + 5 * 0.8) / 15, 15 / (1 + 15 / 50)
    expected = (4 * 0.8 + weight * rave) / (4 + weight)
    assert node.score(1) == pytest.approx(expected + 0.3 * math.sqrt(math.log(20) / 5), abs=1e-6)


def test_puct_explores_by_the_prior_and_the_root_of_the_visits():
    node = HandMade(Variants(formula=PUCT, weight=1.5), [(4, (0.3, 0.7)), (0, (0.0, 0.0)), (16, (0.6, 0.4))])
    for index, chance in enumerate((0.2, 0.5, 0.3)):
        set_prior(node, index, 0.0, 0.0, chance)
    assert node.score(0) == pytest.approx(0.3 + 1.5 * 0.2 * math.sqrt(20) / (1 + 4))
    assert node.score(1) == pytest.approx(1.5 * 0.5 * math.sqrt(20))
    assert node.score(2, player=1) == pytest.approx(0.4 + 1.5 * 0.3 * math.sqrt(20) / (1 + 16), abs=1e-6)


def test_the_chances_that_puct_reads_are_the_games_estimates_made_to_add_up():
    engine = uncompiled("tictactoe", selection="puct")
    state = played(engine.game, 0, 4, 1, 3)
    engine.think(state, iterations=1)
    children = children_of(engine.tree, root_node(engine.tree))
    values = np.full(9, 0.5)
    engine.game.priors(state, children.action, len(children.action), values)
    chances = engine.tree.priors.reshape(-1, PRIOR_SIZE)[children.edge, CHANCE_OF]
    assert chances == pytest.approx(values[: len(chances)] / values[: len(chances)].sum())


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        *(("tictactoe", "order"), (THREE, "start")),
        *(pytest.param(*one, marks=pytest.mark.long) for one in (("tictactoe", "start"), (THREE, "order"))),
    ],
)
def test_a_new_node_takes_the_means_of_the_nearest_ancestor_with_the_same_mover(spelling, kind):
    engine = uncompiled(spelling, ancestor=kind, c=0.3, **({"grandfather_visits": 6} if kind == "start" else {}))
    game, start, checked = engine.game, engine.game.new_state(), 0
    before: dict[int, tuple[int, float]] = {}  # the root's children: visits and the first player's mean
    known: set[int] = set()
    for step in follow(engine, start, 250):
        node, depth = root_node(engine.tree), 0
        for edge in step.edges[1:]:
            children = children_of(engine.tree, node)
            if node not in known and depth == game.players:  # the first player's next turn: the root is the ancestor
                rows = engine.tree.priors.reshape(-1, PRIOR_SIZE)[children.edge]
                for action, row in zip(children.action.tolist(), rows.tolist(), strict=True):
                    visits, mean = before.get(action, (0, 0.5))
                    weight = 6 if kind == "start" and visits else 0
                    assert row[PRIOR_WEIGHT] == weight
                    assert row[PRIOR] == pytest.approx(mean if visits else 0.5, abs=1e-6)
                    checked += visits > 1
            known.add(node)
            node, depth = int(children.node[children.edge == edge][0]), depth + 1
        root = children_of(engine.tree, root_node(engine.tree))
        rows = zip(root.action.tolist(), root.visits.tolist(), root.means[:, 0].tolist(), strict=True)
        before = {action: (visits, mean) for action, visits, mean in rows}
    assert checked > 20


def test_an_order_from_the_ancestor_sorts_unvisited_moves_without_a_count():
    node = HandMade(Variants(ancestor=ANCESTOR_ORDER), [(0, (0.0, 0.0)), (0, (0.0, 0.0)), (30, (1.0, 0.0))])
    set_prior(node, 0, 0.4, 0.0)
    set_prior(node, 1, 0.41, 0.0)
    assert node.chosen() == 1  # both come before the visited move, the better one first


# For comparison -------------------------------------------------------------------------------------------------------


def depths(engine) -> float:
    """The mean depth of all edges, each once."""
    total, count, todo = 0, 0, [(root_node(engine.tree), 1)]
    while todo:
        node, depth = todo.pop()
        if node:
            below = children_of(engine.tree, node).node.tolist()
            total, count = total + depth * len(below), count + len(below)
            todo += [(child, depth + 1) for child in below]
    return total / count


def test_a_random_choice_spreads_evenly_and_stays_shallow():
    engines = {
        formula: uncompiled("lines:rows=4,columns=4,win_length=3", selection=formula, **values)
        for formula, values in (("uct", {"c": 0.3}), ("chance", {}))
    }
    for engine in engines.values():
        engine.think(engine.game.new_state(), iterations=1000)
    assert depths(engines["chance"]) < depths(engines["uct"]) - 0.5
    visits = children_of(engines["chance"].tree, root_node(engines["chance"].tree)).visits
    spread = math.sqrt(1000 / 16 * (1 - 1 / 16))
    assert abs(visits - 1000 / 16).max() < 4 * spread
    uneven = children_of(engines["uct"].tree, root_node(engines["uct"].tree)).visits
    assert abs(uneven - 1000 / 16).max() > 4 * spread


def test_chance_looks_at_no_statistics():
    rows = [(100, (1.0, 0.0)), (1, (0.0, 1.0)), (1, (0.0, 1.0)), (1, (0.0, 1.0))]
    node = HandMade(Variants(formula=CHANCE), rows)
    rng = np.array([7], np.uint64)
    drawn = [node.children.index(any_child(node.tree, node.node, rng)) for _ in range(4000)]
    counts = np.bincount(drawn, minlength=4)
    assert abs(counts - 1000).max() < 4 * math.sqrt(4000 * 0.25 * 0.75)


# Uncertain pruning ----------------------------------------------------------------------------------------------------


def test_hopeless_children_are_cut_only_late_and_only_with_enough_visits():
    rows = [(30, (0.6, 0.4)), (30, (0.19, 0.81)), (30, (0.21, 0.79)), (9, (0.0, 1.0)), (0, (0.0, 0.0))]
    for iterations, cut in ((99, []), (100, [1])):
        variants = Variants(uncertain_share=1 / 3, uncertain_from=100, uncertain_visits=10)
        node = HandMade(variants, rows)
        node.chosen(iterations=iterations)
        flags = [int(node.tree.flags[child.edge]) for child in node.children]
        assert [index for index, flag in enumerate(flags) if flag & CUT] == cut  # 0.19 < 0.6 / 3 < 0.21
        assert node.tree.cuts[CUT_UNCERTAIN] == len(cut)


def test_hopeless_is_what_the_mover_thinks():
    variants = Variants(uncertain_share=0.5, uncertain_from=0, uncertain_visits=10)
    node = HandMade(variants, [(30, (0.9, 0.1)), (30, (0.1, 0.9))])
    node.chosen(player=1)
    assert [int(node.tree.flags[child.edge]) for child in node.children] == [CUT, 0]


def test_a_cut_child_is_never_chosen_again_and_one_always_stays():
    variants = Variants(uncertain_share=1.0, uncertain_from=0, uncertain_visits=1)
    node = HandMade(variants, [(30, (0.3, 0.7)), (1, (0.2, 0.8)), (30, (0.3, 0.7))], parent=10**6)
    assert node.chosen() in (0, 2)
    assert int(node.tree.flags[node.children[1].edge]) == CUT
    engine = uncompiled("tictactoe", prune_ratio=1.0, prune_min_visits=1, prune_after=0.2)
    engine.think(engine.game.new_state(), iterations=400)
    for tree_node in all_nodes(engine.tree):
        flags = engine.tree.flags[children_of(engine.tree, tree_node).edge]
        assert not (flags & CUT).all()


def test_uncertain_pruning_starts_after_its_share_of_the_iterations():
    engine = uncompiled("tictactoe", prune_ratio=0.5, prune_after=0.25)
    calls, (kernel,) = [], engine.kernel.kernels

    def recorded(context):
        calls.append((context.limits.iterations, context.variants.uncertain_from))
        kernel(context)

    recorded.is_prepared = kernel.is_prepared
    engine.kernel.kernels = (recorded,)
    engine.think(engine.game.new_state(), iterations=400)
    assert [call for call in calls if call[0]] == [(100, MANY), (400, 0)]


def test_what_was_noted_for_one_who_searches_is_forgotten_when_another_does():
    """A paranoid search counts all results against the searcher: the next one must not go by them."""
    game = luozi.game("lines:rows=3,columns=4,win_length=3,players=3")
    shared = uncompiled(game, opponent_model="paranoid", rave="fuego", progressive_history=1.0, pool_size=20_000)
    start = game.begin()
    thought = shared.think(start, iterations=300)
    assert shared.think(start.play(thought.action), iterations=1).reused_visits == 0
    assert shared.tree.history.reshape(-1, 2)[:, 0].sum() <= game.actions
    # Everybody's own results are the same for all: there nothing is lost.
    plain = uncompiled(game, rave="fuego", pool_size=20_000)
    following = start.play(plain.think(start, iterations=300).action)
    assert plain.think(following, iterations=1).reused_visits > 0
