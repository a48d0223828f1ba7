"""Gumbel AlphaZero against an own version of the paper's equations, in plain Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luozi
from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_network_reference import forward
from luozi.evaluators.board_weights import BoardSizes, load_board_weights, new_board_weights, save_board_weights
from luozi.search.selection.gumbel import visits_wanted


class Node:
    """A position of the search, with the network's policy and value for all players."""

    def __init__(self, position: luozi.Position, network: Any) -> None:
        self.position, self.visits, self.children = position, 1, dict[int, Node]()
        if position.returns is not None:
            self.value = np.array(position.returns)
            self.sum = self.value.copy()
            return
        game, shape = position.game, board_input(position.game)
        planes, numbers = np.zeros((shape.planes, shape.cells), np.uint8), np.zeros(shape.numbers, np.float32)
        recent, legal = np.array(position.last_actions(8), np.int32), np.array(position.actions, np.int32)
        shape.write_planes(game, position.state, legal, len(legal), recent, planes, numbers)
        logits, result = forward(network, shape, planes, numbers)
        scores = np.array([logits[shape.logit_of[position.to_move, action]] for action in legal])
        scores = np.exp(scores - scores.max())
        self.policy = dict(zip(legal.tolist(), (scores / scores.sum()).tolist(), strict=True))
        own = result[0] + 0.5 * result[2]
        self.value = np.array([own, 1 - own] if position.to_move == 0 else [1 - own, own])
        self.sum = self.value.copy()

    def mean(self, player: int) -> float:
        return float(self.sum[player] / self.visits)


def sigma(node: Node, value: float) -> float:
    return (50 + max((child.visits for child in node.children.values()), default=0)) * value


def improved_policy(node: Node) -> dict[int, float]:
    player, seen = node.position.to_move, node.children
    before = sum(child.visits for child in seen.values())
    mixed = float(node.value[player])
    if before:
        weight = sum(node.policy[action] for action in seen)
        weighed = sum(node.policy[action] * child.mean(player) for action, child in seen.items())
        mixed = (mixed + before * weighed / weight) / (1 + before)
    logits = {
        action: math.log(prior) + sigma(node, seen[action].mean(player) if action in seen else mixed)
        for action, prior in node.policy.items()
    }
    highest = max(logits.values())
    total = sum(math.exp(logit - highest) for logit in logits.values())
    return {action: math.exp(logit - highest) / total for action, logit in logits.items()}


def below(node: Node) -> int:
    """The action whose share of the visits is most below the improved policy (equation 14)."""
    improved = improved_policy(node)
    share = {action: node.children[action].visits if action in node.children else 0 for action in improved}
    return max(improved, key=lambda action: improved[action] - share[action] / node.visits)


def iterate(node: Node, action: int, network: Any) -> np.ndarray:
    if action not in node.children:
        node.children[action] = Node(node.position.play(action), network)
        result = node.children[action].value
    else:
        child = node.children[action]
        over = child.position.returns is not None
        result = child.value if over else iterate(child, below(child), network)
        if over:
            child.visits, child.sum = child.visits + 1, child.sum + result
    node.visits, node.sum = node.visits + 1, node.sum + result
    return result


def halve(root: Node, noise: Any, considered: int, budget: int, network: Any) -> dict[int, int]:
    """Sequential halving (algorithm 2): each round visits the moves that are left equally often."""
    player, seen = root.position.to_move, root.children

    def score(action: int) -> float:
        value = sigma(root, seen[action].mean(player)) if action in seen else 0.0
        return float(noise[action]) + math.log(root.policy[action]) + value

    left = sorted(root.policy, key=score, reverse=True)[:considered]
    rounds, done, planned = math.ceil(math.log2(len(left))), 0, budget - 2
    while done < planned:
        each = max(1, planned // (rounds * len(left)))
        for _ in range(each):
            for action in list(left):
                if done < planned:
                    iterate(root, action, network)
                    done += 1
        left = sorted(left, key=score, reverse=True)[: max(2, len(left) // 2)]
    for _ in range(2):
        most = max(child.visits for child in seen.values())
        iterate(root, max((a for a in seen if seen[a].visits >= most - 1), key=score), network)
    return {action: child.visits for action, child in seen.items()}


@pytest.mark.parametrize(("name", "considered", "iterations"), [("tictactoe", 4, 33), ("tictactoe", 16, 51)])
def test_visits_are_those_of_the_papers_equations(name: str, considered: int, iterations: int, tmp_path: Path) -> None:
    game = luozi.game(name)
    shape, sizes = board_input(game), BoardSizes(2, 8, 4)
    save_board_weights(tmp_path / "one.npz", new_board_weights(shape, sizes, 3), shape, sizes)
    weights, _ = load_board_weights(tmp_path / "one.npz", shape)
    engine = luozi.Engine(game, network=str(tmp_path / "one.npz"), gumbel_candidates=considered, seed=4)
    position = game.begin().play("a1")
    found = engine.think(position, iterations=iterations)
    expected = halve(Node(position, weights), engine.thread.noise, considered, iterations - 1, weights)
    assert {move.action: move.visits for move in found.candidates if move.visits} == expected
    assert expected[found.action] == max(expected.values())


@pytest.mark.parametrize(("considered", "budget"), [(1, 10), (2, 7), (5, 64), (16, 50), (16, 200), (362, 16)])
def test_halving_visits_equally_and_drops_half_of_the_moves_each_round(considered: int, budget: int) -> None:
    visits = [0] * considered
    for done in range(budget):
        wanted = visits_wanted(done, considered, budget)
        visits[visits.index(wanted)] += 1  # there is one
    assert sum(visits) == budget
    assert visits == sorted(visits, reverse=True)


def test_options_that_leave_nothing_to_plan_are_refused() -> None:
    with pytest.raises(luozi.LuoziError, match="Remove early_stop"):
        luozi.Engine(luozi.game("othello"), network="any", gumbel_candidates=16, early_stop=True)
    with pytest.raises(luozi.LuoziError, match="gumbel_candidates has no effect without network"):
        luozi.Engine(luozi.game("othello"), gumbel_candidates=16)
    with pytest.raises(luozi.LuoziError, match="is for networks of any board"):
        luozi.Engine(luozi.game("gomoku"), network="gomoku", gumbel_candidates=16)
