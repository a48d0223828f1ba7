"""Networks of line patterns: what they call certain is, they see no difference where there is none, they learn."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luozi
from luozi.compiled import new_rng
from luozi.evaluators.line_network import LineNetwork
from luozi.evaluators.line_weights import load_weights, new_weights, save_weights
from luozi.evaluators.thread_state import CERTAIN, CHOICE, MOVES, ONLY_THESE, new_thread
from luozi.games.lines.codes import follow
from luozi.games.lines.rules import winning_segments
from luozi.learning.line_games import careless_players
from luozi.learning.line_training import LineTrainer
from luozi.learning.lines import LineLearner
from luozi.learning.settings import LearningOptions
from luozi.matches.openings import numbered_opening
from luozi.messages import LuoziError
from luozi.search.options import Options
from luozi.solvers.solver import Solver

RULES = {"decisive_moves": True, "anti_decisive_moves": True, "avoid_immediate_loss": True}


def some_weights(game: Any, seed: int = 1) -> dict[str, Any]:
    """Weights in which nothing is zero."""
    rng = np.random.default_rng(seed)
    return {
        name: (array + 0.1 * rng.standard_normal(array.shape)).astype(np.float32)
        for name, array in new_weights(game, seed).items()
    }


class Assessor:
    """Values positions by a network, uncompiled."""

    def __init__(self, game: Any, weights: Any = None, **options: Any) -> None:
        self.game, self.network = game, LineNetwork(game, weights or some_weights(game))
        self.thread = new_thread(game, new_rng(1), self.network.new_memory())
        self.variants = Options(network="any", **(options or RULES)).variants(0)

    def __call__(self, state: Any) -> Any:
        self.thread.state[0] = state
        self.network.evaluate(self.game, self.thread, self.variants, np.zeros(48, np.int64))
        return self.thread.results.copy(), self.thread.chances.copy()

    @property
    def is_certain(self) -> bool:
        return bool(self.thread.counts[CERTAIN])

    @property
    def only(self) -> list[int]:
        allowed = self.thread.counts[CHOICE] == ONLY_THESE
        return self.thread.moves[: self.thread.counts[MOVES]].tolist() if allowed else []


def open_position(game: Any, rng: random.Random, least: int, most: int) -> Any:
    while True:
        state = game.new_state()
        for _ in range(rng.randint(least, most)):
            if not game.is_terminal(state):
                game.apply_action(state, rng.choice(game.legal_list(state)))
        if not game.is_terminal(state):
            return state


@pytest.mark.parametrize(
    ("spelling", "least"),
    [
        ("gomoku:size=4,win_length=4", 4),
        ("connect4:rows=4,columns=4,win_length=3", 2),
        ("gomoku:size=5,win_length=4", 14),
    ],
)
def test_what_is_called_certain_is_what_the_exact_solver_says(spelling: str, least: int) -> None:
    game, rng = luozi.game(spelling), random.Random(1)
    assess, solver, certain = Assessor(game), Solver(game, compiled=False), 0
    for _ in range(25):
        state = open_position(game, rng, least, game.max_length - 2)
        results, _ = assess(state)
        if assess.is_certain:
            certain += 1
            assert tuple(solver.solve(state).values) == tuple(results)
        elif assess.only:  # all other moves lose what these may keep
            best = max(solver.solve(game.after(state, action)).values[state.to_move] for action in assess.only)
            assert best == solver.solve(state).values[state.to_move]
    assert certain > 3


def test_of_three_players_a_certain_winner_wins_whatever_the_others_do() -> None:
    game, rng = luozi.game("five3d:size=3,win_length=3,players=3"), random.Random(2)
    assess, certain = Assessor(game), 0

    def wins(state: Any, player: int) -> bool:
        """Whether a player wins for certain, at their next turn at the latest."""
        if game.is_terminal(state):
            return bool(state.winner == player + 1)
        following = (wins(game.after(state, action), player) for action in game.legal_list(state))
        if game.current_player(state) == player:
            return any(game.after(state, action).winner == player + 1 for action in game.legal_list(state))
        return all(following)

    for _ in range(60):
        state = open_position(game, rng, 9, 20)
        results, _ = assess(state)
        if assess.is_certain and sum(results) == 1 and results[state.to_move] == 0:
            certain += 1
            assert wins(state, int(np.argmax(results)))
    assert certain > 3


@pytest.mark.parametrize(
    ("spelling", "stones"),
    [("gomoku:size=7", 24), ("connect4", 24), ("five3d:size=4,win_length=4", 30), ("five3d", 150)],
)
def test_a_position_with_one_move_is_worth_what_it_is_after_that_move(spelling: str, stones: int) -> None:
    """Where nobody has a choice nothing is learned, so that the network has no idea of such positions."""
    game, rng = luozi.game(spelling), random.Random(5)
    assess, one_move = Assessor(game), 0
    for _ in range(60):
        state = open_position(game, rng, stones // 2, stones)
        results, _ = assess(state)
        was_certain, only = assess.is_certain, assess.only
        if len(only) == 1 and results[state.to_move] < 1.0 and len(game.legal_list(state)) > 1:
            one_move += 1
            later, _ = assess(game.after(state, only[0]))
            assert later.tolist() == pytest.approx(results.tolist(), abs=1e-5)
            assert not was_certain or assess.is_certain
    assert one_move > 3


def test_in_doubt_a_forced_reply_of_others_may_fail_to_come() -> None:
    game, rng = luozi.game("five3d:size=4,win_length=4"), random.Random(5)
    trusting, doubting, seen = Assessor(game), Assessor(game, doubt=0.2, **RULES), 0
    for _ in range(80):
        state = open_position(game, rng, 15, 30)
        mover, following = state.to_move, (state.to_move + 1) % 3
        for root in (mover, following):  # who searches
            doubting.thread.root[0].to_move = root
            plain, _ = trusting(state)
            mixed, _ = doubting(state)
            replies = doubting.only
            if len(replies) != 1 or doubting.is_certain or plain[mover] == 1:
                continue
            trusting(game.after(state, replies[0]))
            if trusting.only or trusting.is_certain:
                continue  # more than one doubt
            seen += 1
            winner = np.eye(3)[following]  # one reply only: the next player could win
            expected = plain if root == mover else 0.8 * plain + 0.2 * winner
            assert mixed.tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    assert seen > 3


def test_who_takes_others_for_blind_counts_on_a_four_of_their_own() -> None:
    game = luozi.game("lines:rows=7,columns=7,win_length=4,players=3")
    state = game.new_state()
    for action in (22, 0, 6, 23, 42, 48):  # the first player has two in a row, the others corners
        state = game.after(state, action)
    means = {}
    for doubt in (0.0, 0.5, 1.0):
        file = str(saved(game))
        engine = luozi.Engine(
            game, compiled=False, seed=1, network=file, opponent_blunder_rate=doubt, network_threat_nodes=0, **RULES
        )
        thought = engine.think(state, iterations=60, moves=[24])  # three in a row, open at both ends
        means[doubt] = thought.best.means[0]
    assert means[0.0] < means[0.5] < means[1.0]


def test_each_rule_can_be_switched_off() -> None:
    game = luozi.game("gomoku:size=9")
    state = game.new_state()
    for action in (0, 40, 1, 41, 2, 42, 80, 43):  # the second player has four in a row, both ends open
        state = game.after(state, action)
    assert Assessor(game)(state)[0].tolist() == [0, 1]
    quiet = Assessor(game, prior_power=1.0)
    quiet.network.fours = 0
    results, _ = quiet(state)
    assert 0 < results[0] < 1
    assert not quiet.only


def test_a_turned_or_mirrored_board_is_worth_the_same() -> None:
    game, rng = luozi.game("gomoku:size=11"), random.Random(3)
    assess, size = Assessor(game), 11
    places = np.arange(size * size).reshape(size, size)
    for _ in range(3):
        moves = rng.sample(range(size * size), 12)
        seen = []
        for turned in (places, np.rot90(places), places[::-1], places.T):
            state = game.new_state()
            where = np.empty(size * size, int)
            where[turned.reshape(-1)] = np.arange(size * size)
            for move in moves:
                state = game.after(state, int(where[move]))
            results, chances = assess(state)
            seen.append((results, chances[where]))
        for results, chances in seen[1:]:
            assert results == pytest.approx(seen[0][0], abs=1e-5)
            assert chances == pytest.approx(seen[0][1], abs=1e-5)


@pytest.mark.parametrize(
    "spelling",
    [
        "connect4:rows=3,columns=4,win_length=3",
        pytest.param("five3d:size=3,win_length=3,players=3", marks=pytest.mark.long),
        pytest.param("gomoku:size=6,exact_length=true", marks=pytest.mark.long),
    ],
)
def test_gradients_are_those_of_the_loss(spelling: str) -> None:
    game = luozi.game(spelling)
    trainer = LineTrainer(game, some_weights(game), compiled=False)
    samples = LineLearner(game).play_uncompiled(
        some_weights(game), LearningOptions(full_iterations=3, fast_iterations=2, full_share=1.0), 1, 1
    )
    chosen = np.arange(min(2, len(samples.mover)))

    def loss(trainer: Any = trainer, samples: Any = samples, chosen: Any = chosen) -> float:
        trainer.room.losses[:] = 0
        trainer.gradients(samples, chosen)
        return float(trainer.room.losses[0] + trainer.room.losses[1])

    slopes = {name: array.copy() for name, array in trainer.gradients(samples, chosen).items()}
    for name, array in trainer.now.items():
        place = int(np.abs(slopes[name]).argmax())
        numbers, step = array.reshape(-1), 4e-3
        before = numbers[place]
        numbers[place] = before + step
        more = loss()
        numbers[place] = before - step
        less = loss()
        numbers[place] = before
        assert (more - less) / (2 * step) == pytest.approx(slopes[name].reshape(-1)[place], rel=0.05, abs=2e-3), name


@pytest.mark.long
@pytest.mark.parametrize("spelling", ["connect4:rows=4,columns=4", "five3d:size=3,win_length=3,players=3"])
def test_compiled_and_uncompiled_training_give_the_same(spelling: str) -> None:
    game = luozi.game(spelling)
    samples = LineLearner(game).play_uncompiled(
        some_weights(game), LearningOptions(full_iterations=4, fast_iterations=2, full_share=1.0), 1, 2
    )
    chosen = np.arange(len(samples.mover))
    one, two = (
        LineTrainer(game, some_weights(game), compiled).gradients(samples, chosen) for compiled in (True, False)
    )
    assert one.keys() == two.keys()
    assert all(one[name] == pytest.approx(two[name], abs=1e-3) for name in one)


@pytest.mark.parametrize("spelling", ["connect4", "connect4:rows=5,columns=5,blocked=2.2", "connect4:win_length=3"])
def test_with_gravity_a_cell_is_seen_with_what_lies_under_and_above_it(spelling: str) -> None:
    game, rng = luozi.game(spelling), random.Random(3)
    assess, lines, seen = Assessor(game), winning_segments((1, game.rows, game.columns), game.run, set()).tolist(), 0
    for _ in range(12):
        state = open_position(game, rng, 8, game.max_length - 3)
        mover, board = state.to_move, [game.stone_at(state, cell) for cell in range(game.cells)]
        follow(assess.network.codes, game, state, assess.thread.memory[0])
        assess.thread.memory[0].empty[0] = board.count(0)
        assess.network.find_kinds(assess.thread.memory[0], mover)

        def winners(cell: int, board: Any = board, mover: int = mover) -> int:
            """For whom a stone here completes a line: the mover 1, the other 2, both 3."""
            through = [[board[other] for other in line if other != cell] for line in lines if cell in line]
            stones = {1 + mover: 1, 2 - mover: 2}
            return sum(worth for stone, worth in stones.items() if any(set(line) == {stone} for line in through))

        for column in range(game.columns):
            empty = [cell for cell in range(column, game.cells, game.columns) if board[cell] == 0][::-1]  # from below
            wins = [winners(cell) for cell in empty] + [0]
            for depth, cell in enumerate(empty):
                turns = [(board.count(0) - len(empty) + below) % 2 for below in range(len(empty))]
                first = next((below for below in range(depth) if wins[below]), None)
                under = 0 if first is None else 1 + 2 * (wins[first] - 1) + turns[first]
                expected = ((min(depth, 3) * 2 + turns[depth]) * 7 + under) * 4 + wins[depth + 1]
                assert assess.thread.memory[0].kinds[cell] == expected
                seen += under > 0
    assert seen > 5


def test_training_brings_the_loss_down_and_goes_on_where_it_was() -> None:
    game = luozi.game("connect4:rows=4,columns=4")
    weights = new_weights(game, 1)
    samples = LineLearner(game).play_uncompiled(
        weights, LearningOptions(full_iterations=4, fast_iterations=2, full_share=1.0), 1, 1
    )
    one = LineTrainer(game, weights, compiled=False)
    first = one.train(samples, 4, 4, 1e-2, 1)
    state = one.state()
    last = one.train(samples, 6, 4, 1e-2, 2)
    assert last.policy < first.policy
    other = LineTrainer(game, weights, compiled=False)
    other.restore(state)
    other.train(samples, 6, 4, 1e-2, 2)
    assert all((array == one.weights()[name]).all() for name, array in other.weights().items())


def test_games_against_itself_are_written_down_as_they_were_played() -> None:
    game = luozi.game("connect4:rows=4,columns=4")
    samples = LineLearner(game).play_uncompiled(
        new_weights(game, 1), LearningOptions(full_iterations=4, fast_iterations=2, full_share=0.5), 3, 2
    )
    assert len(samples.mover) > 4
    for row in range(len(samples.mover)):
        stones = [(samples.board[row] == player + 1).sum() for player in range(2)]
        assert samples.mover[row] == sum(stones) % 2
        assert stones[0] - stones[1] in (0, 1)
        targets = samples.cells[row][samples.cells[row] >= 0]
        assert (samples.board[row][targets] == 0).all()
        if samples.policy_weight[row]:
            assert samples.chances[row].sum() == pytest.approx(1, abs=1e-5)
        assert samples.results[row].sum() == pytest.approx(1)
        assert samples.values[row].sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("spelling", "expected"), [("gomoku:size=6", {0}), ("five3d:size=3,win_length=3", set(range(7)))]
)
def test_some_of_three_players_hardly_search_in_half_of_the_games_to_learn_from(
    spelling: str, expected: set[int]
) -> None:
    game = luozi.game(spelling)
    context, _ = LineLearner(game)._desk(new_weights(game, 1), LearningOptions(), 1, compiled=False)
    seen = [careless_players(context) for _ in range(300)]
    assert set(seen) == expected
    assert game.players == 2 or 100 < seen.count(0) < 200


def test_a_search_with_a_network_solves_a_small_game() -> None:
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, compiled=False, seed=1, network=str(saved(game)), mcts_solver="standard", **RULES)
    state = game.new_state()
    for action in (4, 1):  # the centre, and an edge: a win
        state = game.after(state, action)
    thought = engine.think(state, iterations=60)
    chosen = next(candidate for candidate in thought.candidates if candidate.action == thought.action)
    assert chosen.proven
    assert chosen.means[0] == 1


def saved(game: Any, weights: Any = None, folder: Path | None = None) -> Path:
    file = (folder or Path(__import__("tempfile").mkdtemp())) / "weights.npz"
    save_weights(file, game, weights or some_weights(game))
    return file


def test_weights_come_back_as_they_were_written(tmp_path: Path) -> None:
    game = luozi.game("gomoku")
    weights = some_weights(game)
    loaded = load_weights(saved(game, weights, tmp_path), luozi.game("gomoku:size=9"))  # sizes share weights
    assert all(np.allclose(loaded[name], weights[name], atol=2e-3) for name in weights)
    assert (tmp_path / "weights.npz").stat().st_size < 2_000_000


def test_wrong_weights_get_one_sentence(tmp_path: Path) -> None:
    gomoku, file = luozi.game("gomoku"), saved(luozi.game("gomoku"), None, tmp_path)
    whole = file.read_bytes()
    with pytest.raises(LuoziError, match="another game"):
        load_weights(file, luozi.game("connect4"))
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.npz").write_text("nothing")
    np.savez(tmp_path / "pickled.npz", notes=np.array([{"a": 1}], object))
    np.savez(tmp_path / "version.npz", notes=np.frombuffer(json.dumps({"version": 0}).encode(), np.uint8))
    for name, words in (
        ("half", "damaged"),
        ("text", "damaged"),
        ("pickled", "damaged"),
        ("version", "another version"),
    ):
        with pytest.raises(LuoziError, match=words):
            load_weights(tmp_path / f"{name}.npz", gomoku)
    with pytest.raises(LuoziError, match="no file and no network 'nobody'"):
        luozi.Engine(gomoku, network="nobody")
    with pytest.raises(LuoziError, match="was learned for another game"):
        luozi.Engine(luozi.game("hex"), network=str(file))
    with pytest.raises(LuoziError, match="Remove rave"):
        luozi.Engine(gomoku, network=str(file), rave="fuego")


@pytest.mark.long
@pytest.mark.parametrize("threads", [{}, {"threads": 4}, {"threads": 2, "parallel": "root"}])
def test_compiled_searches_with_a_network_agree_with_the_exact_solver(threads: dict[str, Any]) -> None:
    game, rng = luozi.game("connect4:rows=5,columns=5"), random.Random(7)
    solver = Solver(game)
    engine = luozi.Engine(game, seed=1, network=str(saved(game)), mcts_solver="standard", **RULES, **threads)
    for _ in range(6):
        state = open_position(game, rng, 6, 10)
        thought = engine.think(state, iterations=40_000)
        if thought.best.proven:
            assert thought.best.means[thought.player] == solver.solve(state).values[thought.player]


@pytest.mark.long
@pytest.mark.parametrize(("spelling", "stones"), [("gomoku:size=9", 13), ("five3d", 54), ("connect4", 16)])
def test_compiled_and_uncompiled_networks_give_the_same(spelling: str, stones: int) -> None:
    game = luozi.game(spelling)
    file = saved(game)
    for number in range(3):
        state = game.new_state()
        for action in numbered_opening(game, stones, seed=8, number=number, choices=16):
            game.apply_action(state, action)
        one, two = (
            luozi.Engine(game, seed=1, network=str(file), compiled=compiled, mcts_solver="standard", **RULES).think(
                state, iterations=40
            )
            for compiled in (True, False)
        )
        seen = [[(each.action, each.visits) for each in thought.candidates if each.visits] for thought in (one, two)]
        assert sorted(seen[0]) == sorted(seen[1])


def test_the_policy_is_shown_on_the_board() -> None:
    from rich.console import Console

    from luozi.search.showing import policy_of
    from luozi.terminal.lists import show_search_result

    game = luozi.game("gomoku:size=5,win_length=4")
    state = game.after(game.new_state(), 12)
    engine = luozi.Engine(game, compiled=False, seed=1, network=str(saved(game)), **RULES)
    thought = engine.think(state, iterations=3)
    shown = policy_of(game, state, thought)
    assert max(shown.values())[0] == 1
    assert set(shown) <= set(game.legal_list(state))
    console = Console(record=True, width=100, file=open("/dev/null", "w"))  # noqa: SIM115
    # As after 300 iterations, which take too long uncompiled.
    more = [one._replace(visits=100 * one.visits) for one in thought.candidates]
    show_search_result(console, replace(thought, candidates=more))
    text = console.export_text()
    assert "the network's priors, in per cent" in text
    assert "what the search expects: X" in text
    assert thought._repr_html_().count("<svg") == 2


def test_one_step_is_told_with_every_term() -> None:
    game = luozi.game("gomoku:size=5,win_length=4")
    engine = luozi.Engine(game, compiled=False, seed=1, network=str(saved(game)), mcts_solver="standard", **RULES)
    state = game.after(game.new_state(), 12)
    for _ in range(3):
        step = engine.trace(state)
    assert step.path[0].choices[0].terms["prior"] > 0
    assert sum(step.credit) == pytest.approx(1, abs=1e-6)
    scores = [choice.terms["score"] for choice in step.path[0].choices if choice.visits]
    chosen = next(choice for choice in step.path[0].choices if choice.action == step.path[0].chosen)
    assert chosen.terms["score"] >= max(scores) - 1e-6


def test_a_kept_tree_goes_on_to_win_what_was_proven() -> None:
    game = luozi.game("gomoku:size=6,win_length=4")
    options = {"network": str(saved(game)), "mcts_solver": "standard", **RULES}
    # The first player has three stones in the middle: the other can't hold it.
    position, tried = game.begin().after((14, 0, 15, 5, 20)), 0
    engine = luozi.Engine(game, compiled=False, seed=1, **options)
    lost = [one.action for one in engine.think(position, iterations=20).candidates if one.proven and one.visits]
    for reply in lost[:3]:
        kept = luozi.Engine(game, compiled=False, seed=1, **options)
        kept.think(position, iterations=20)
        thought = kept.think(position.play(reply), iterations=20)
        assert thought.best.visits > 0
        assert thought.best.proven
        assert thought.best.means[0] == 1
        tried += 1
    assert tried == 3


def test_of_four_players_nobody_wins_for_certain_whom_another_may_beat() -> None:
    game = luozi.game("lines:rows=6,columns=6,win_length=3,players=4")
    state = game.new_state()
    board = {0: (35,), 1: (33,), 2: (0, 1), 3: (12, 13, 24, 25)}
    moves = [[*cells] for cells in board.values()]
    assess = Assessor(game)
    for player, cells in enumerate(moves):
        for cell in cells:
            state.to_move = player
            game.apply_action(state, cell)
    state.to_move = 0
    assert not game.is_terminal(state)
    assess(state)
    assert not assess.is_certain


def test_a_win_at_once_is_no_loss_where_it_need_not_be_taken() -> None:
    game = luozi.game("gomoku:size=7,win_length=4")
    state = game.new_state()
    for action in (0, 15, 1, 16, 2, 17):  # both have three in a row, the second with both ends open
        state = game.after(state, action)
    assess = Assessor(game, anti_decisive_moves=True)
    assess.network.fours = 0
    assess(state)
    assert not assess.is_certain


def test_noise_can_bring_any_move_to_the_front() -> None:
    game = luozi.game("gomoku:size=9")
    state = game.after(game.new_state(), 40)
    seen = set()
    for seed in range(8):
        engine = luozi.Engine(
            game, compiled=False, seed=seed, network=str(saved(game)), dirichlet_fraction=1.0, **RULES
        )
        thought = engine.think(state, iterations=2)
        seen |= {candidate.action for candidate in thought.candidates if candidate.visits}
        assert sum(candidate.prior or 0 for candidate in thought.candidates) == pytest.approx(1, abs=1e-4)
    assert len(seen) > 4


def test_a_position_that_is_visited_often_is_looked_at_longer_for_a_win_by_fours() -> None:
    game = luozi.game("gomoku:size=9")
    state = game.new_state()
    for action in (10, 64, 30, 26, 11, 72, 16, 18, 0, 43, 9, 65, 42, 74, 71, 44, 48, 7, 12):
        state = game.after(state, action)  # the first player has made a four, the second must block it
    attacked, assess = game.after(state, 13), Assessor(game)
    assess.network.fours = 1
    assess(attacked)
    assert not assess.is_certain
    rest = luozi.Engine(game, compiled=False, seed=1, threat_search=True).think(attacked, iterations=1)
    assert rest.best.proven
    options = {"network": str(saved(game)), "network_threat_nodes": 1, "mcts_solver": "standard", **RULES}
    engine = luozi.Engine(game, compiled=False, seed=1, **options)  # type: ignore[arg-type]
    assert not engine.think(state, iterations=25).best.proven
    thought = engine.think(state, iterations=40)
    assert thought.best.proven
    assert thought.best.means[0] == 1


def test_c_grows_with_the_logarithm_of_the_visits() -> None:
    game = luozi.game("gomoku:size=5,win_length=4")
    options = {"network": str(saved(game)), "c": 0.8, "c_growth": 9.0, **RULES}
    engine, state = luozi.Engine(game, compiled=False, seed=1, **options), game.after(game.new_state(), 12)
    for _ in range(30):
        step = engine.trace(state)
    place = step.path[0]
    weight = 0.8 * (1 + 9 * math.log((place.visits + 2000) / 2000))
    for choice in place.choices:
        bonus = weight * choice.terms["prior"] * math.sqrt(place.visits) / (1 + choice.visits)
        assert choice.terms["exploration"] == pytest.approx(bonus, rel=1e-6)
    best = max(place.choices, key=lambda choice: choice.terms["score"])
    assert place.chosen == best.action


def test_the_first_stone_belongs_in_the_middle() -> None:
    game = luozi.game("gomoku")
    engine = luozi.Engine(game, compiled=False, seed=1, network="gomoku", **RULES)
    assert engine.think(game.new_state(), iterations=3).name == "h8"


def test_of_moves_that_were_not_visited_the_likeliest_is_played() -> None:
    game = luozi.game("gomoku:size=9")
    state = game.after(game.new_state(), 40)
    for seed in range(4):
        thought = luozi.Engine(game, compiled=False, seed=seed, network=str(saved(game)), **RULES).think(
            state, iterations=1
        )
        assert thought.best.visits == 0
        assert thought.best.prior == max(candidate.prior or 0 for candidate in thought.candidates)


def wins_whatever_others_do(game: Any, board: list[int], player: int, mover: int, rounds: int) -> bool:
    """Whether a player wins with so many more stones before the winning one, by looking at all that matters.

    Somebody else who can win may do it. If all that are still to move could just fill the winning cells, they must.
    """
    lines = winning_segments((game.layers, game.rows, game.columns), game.run, set()).tolist()

    def wins_of(one: int) -> set[int]:
        stones = [[board[cell] for cell in line] for line in lines]
        near = [row.count(one + 1) == game.run - 1 and row.count(0) == 1 for row in stones]
        return {line[row.index(0)] for line, row, is_near in zip(lines, stones, near, strict=True) if is_near}

    def after(cell: int) -> bool:
        board[cell] = mover + 1
        following = (mover + 1) % game.players
        won = wins_whatever_others_do(game, board, player, following, rounds - (mover == player))
        board[cell] = 0
        return won

    if mover == player:
        free = [cell for cell, stone in enumerate(board) if stone == 0]
        return bool(wins_of(player)) or (rounds > 0 and any(after(cell) for cell in free))
    to_come = (player - mover) % game.players
    if wins_of(mover) or len(wins_of(player)) < to_come:
        return False
    return len(wins_of(player)) > to_come or all(after(cell) for cell in wins_of(player))


@pytest.mark.parametrize(
    "spelling", ["lines:layers=4,rows=4,columns=4,win_length=3,players=3", "five3d:size=5,win_length=4"]
)
def test_among_three_a_win_by_stones_that_force_all_others_is_one(spelling: str) -> None:
    game, rng = luozi.game(spelling), random.Random(5)
    assess, fresh, lengths = Assessor(game), Assessor(game), []
    for _ in range(150):
        state = open_position(game, rng, 6 * game.run - 12, 10 * game.run - 12)
        mover, board = int(game.current_player(state)), state.board[: game.cells].tolist()
        results, _ = assess(state)
        before = {name: assess.thread.memory[name].copy() for name in ("code", "made", "threat", "tally", "board")}
        if assess.is_certain and results[mover] == 1 and not wins_whatever_others_do(game, board, mover, mover, 0):
            (first,) = assess.only
            board[first] = mover + 1
            following = (mover + 1) % 3
            won = [wins_whatever_others_do(game, board, mover, following, rounds) for rounds in range(4)]
            assert won[-1]
            lengths.append(won.index(True))
            fresh.thread.memory[:] = fresh.network.new_memory()
            fresh.network.fours = 0
            fresh(state)
            assert all((fresh.thread.memory[name] == array).all() for name, array in before.items())
    assert lengths.count(0) > 1  # a stone that makes three winning cells
    assert len(lengths) > lengths.count(0)  # and longer attacks
