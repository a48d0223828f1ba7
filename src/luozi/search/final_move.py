"""The move to play, and what is known of every other: read off the root of a tree."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat

import numpy as np

from luozi.compiled import Array, random_below
from luozi.evaluators.thread_state import DEEPEST, DONE, FULL, ITERATIONS, ThreadState
from luozi.evaluators.variants import SHARED
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search.forest import Forest, SearchProgress
from luozi.search.handle import SearchRequest
from luozi.search.result import CUT_NAMES, Candidate, SearchResult
from luozi.search.root_moves import RootMoves
from luozi.search.root_solvers import RootSolution
from luozi.search.tree.pool import CUT, PROVEN

UNREPEATABLE = "the seed can't repeat it, as several threads were in one tree"
LINES = 8  # candidates that have one: as many as a table shows
CERTAIN = 2**20  # of so many draws all are mistakes if `mistakes` is 1


def result_of(
    forest: Forest,
    task: SearchRequest,
    solution: RootSolution,
    threads: Sequence[ThreadState],
    progress: SearchProgress,
    rng: Array | None,
) -> SearchResult:
    """Return the result of a search so far.

    Without `rng` nothing is left to chance, as while the search goes on.
    """
    options, moves, counts = forest.options, forest.moves(), forest.cuts()
    player, passing = task.position.to_move, forest.game.pass_action
    candidates = candidates_of(moves, forest.game.actions, task.position, solution.values, rng, passing)
    if solution.win:
        candidates = with_win(candidates, solution.win, player)
    ends = partial(ends_by_pass, forest.game, task.position.state)
    chosen = 0 if solution.win else candidates.index(decide(candidates, player, options.final, passing, ends))
    if rng is not None and options.random_move_rate and random_below(rng, CERTAIN) < options.random_move_rate * CERTAIN:
        places = [place for place, one in enumerate(candidates) if one.action != passing] or [0]
        chosen = places[random_below(rng, len(places))]
    give_lines(forest, moves, candidates, chosen)
    if options.ownership:
        give_owners(threads, candidates)
    return SearchResult(
        action=candidates[chosen].action,
        player=player,
        candidates=tuple(candidates),
        expected=candidates[chosen].line,
        iterations=int(progress[ITERATIONS]),
        seconds=time.perf_counter() - task.began,
        nodes=forest.edges,
        bytes=forest.bytes,
        depth=int(progress[DEEPEST]),
        reused_visits=task.kept,
        pool_full=bool(progress[FULL]),
        seed=task.seed,
        rewards=options.rewards,
        pruned={name: count for name, count in zip(CUT_NAMES, counts, strict=False) if count},
        transposition_hits=counts[SHARED],
        ownership=ownership_of(threads) if options.ownership else None,
        sampled=options.evaluation != "static" and not options.network,
        learned=bool(options.network),
        kind=task.kind,
        threads=tuple([int(thread.counts[DONE]) for thread in threads]),
        warnings=(UNREPEATABLE,) if options.seed is not None and options.is_raced else (),
        namer=task.namer,
    )


def candidates_of(
    moves: RootMoves,
    actions: int,
    position: Position,
    solved: Mapping[int, tuple[float, ...]],
    rng: Array | None = None,
    passing: int = -1,
) -> list[Candidate]:
    """Return every legal move, the most visited first.

    Moves with equal visits are ordered by mean, prior and number, but the first of them is drawn. A pass comes last.

    `solved` has what an exact solver found out about them. Without `rng` nothing is left to chance, as while the search
    goes on.
    """
    player = position.to_move
    visits, players = np.zeros(actions, np.int64), moves.means.shape[1]
    means = np.full((actions, players), 1 / players)
    visited = moves.visits > 0
    visits[moves.action], means[moves.action[visited]] = moves.visits, moves.means[visited]
    draws = np.zeros(actions, np.int64)
    draws[moves.action] = moves.draws
    chances = np.full(actions, -1.0)
    chances[moves.action] = np.nan_to_num(moves.chances, nan=-1.0)
    legal = in_order(np.array(position.actions, np.int64), visits, means[:, player], chances, rng, passing)
    flags = np.full(actions, CUT if moves.all_tried else 0, np.uint8)  # what was tried and is not here was cut
    flags[moves.action], means[moves.action] = moves.marks, moves.results
    for action, results in solved.items():
        means[action], flags[action] = results, flags[action] | PROVEN
    known = ~np.isnan(moves.chances)
    priors: dict[int, float] = dict(zip(moves.action[known].tolist(), moves.chances[known].tolist(), strict=True))
    in_turn, marks = legal.tolist(), flags[legal]
    columns = (
        in_turn,
        visits[legal].tolist(),
        map(tuple, means[legal].tolist()),
        ((marks & PROVEN) > 0).tolist(),
        ((marks & CUT) > 0).tolist(),
        map(priors.get, in_turn),
        repeat(()),  # lines and owners come later
        repeat(None),
        draws[legal].tolist(),
        repeat(""),
        repeat(position),
    )
    return list(map(Candidate, *columns))


def in_order(legal: Array, visits: Array, means: Array, chances: Array, rng: Array | None, passing: int = -1) -> Array:
    """Return legal moves by visits, then mean, prior and number.

    The first by chance.
    """
    passes = legal == passing
    order = np.lexsort((legal, passes, -chances[legal], -means[legal], -visits[legal]))
    legal, passes = legal[order], passes[order]
    # Few iterations leave many equals: always the first on the board would build rows along its edge.
    start = int(passes[0] and len(legal) > 1)  # the first move that is no pass
    first = legal[start]
    equals = ~passes if len(legal) > 1 else np.ones(1, bool)
    for values in (visits, means, chances):
        equals &= values[legal] == values[first]
    count = int(equals.sum())
    other = start + random_below(rng, count) if rng is not None and count > 1 else start
    legal[start], legal[other] = legal[other], first
    return legal


def give_lines(forest: Forest, moves: RootMoves, candidates: list[Candidate], chosen: int) -> None:
    """Let the leading candidates, and the chosen one, have their lines: the most visited moves from each on."""
    columns = (moves.action.tolist(), moves.tree.tolist(), moves.node.tolist())
    homes = {action: (tree, node) for action, tree, node in zip(*columns, strict=True)}
    leading = [place for place in range(min(LINES, len(candidates))) if candidates[place].visits]
    places = [place for place in {*leading, chosen} if not candidates[place].line]
    lines = forest.lines([homes.get(candidates[place].action, (0, 0)) for place in places])
    for place, line in zip(places, lines, strict=True):
        candidates[place] = candidates[place]._replace(line=(candidates[place].action, *line))


def decide(
    candidates: list[Candidate],
    player: int,
    final: str,
    passing: int = -1,
    ends: Callable[[], bool] = bool,
) -> Candidate:
    """Return the move to play, by the rule of the option `final`; candidates come most visited first.

    A pass is played only where it is better than every other move; `ends` tells whether it ends the game.
    """
    best = by_rule(candidates, player, final)
    others = [candidate for candidate in candidates if candidate.action != passing and not candidate.cut]
    if best.action != passing or not others:
        return best
    other = by_rule(others, player, final)
    return best if is_better(best, other, player, ends()) else other


def by_rule(candidates: list[Candidate], player: int, final: str) -> Candidate:
    """Return the move to play, with proven results, without the rule for passes."""
    visited = [candidate for candidate in candidates if candidate.visits and not candidate.cut]
    hopeful = [candidate for candidate in visited if not (candidate.proven and candidate.means[player] == 0)]
    chosen = preferred(hopeful or visited or candidates, player, final)
    certain = max(
        (candidate for candidate in hopeful if candidate.proven),
        key=lambda candidate: candidate.means[player],
        default=chosen,
    )
    # What is certain is better than what only looks as good; a certain loss never is.
    gain = certain.means[player] - chosen.means[player]
    return certain if gain > 0 or (gain == 0 and not chosen.proven) else chosen


def preferred(candidates: list[Candidate], player: int, final: str) -> Candidate:
    """Return the move to play by the option `final` alone."""
    if final in ("robust", "max_robust") or not candidates[0].visits:
        return candidates[0]
    if final == "max":
        return max(candidates, key=lambda candidate: candidate.means[player])
    return max(candidates, key=lambda candidate: margin(candidate.means, player))


def with_win(candidates: list[Candidate], win: tuple[int, ...], player: int) -> list[Candidate]:
    """Return the candidates with a proven win of a player as the first one."""
    winning = next(candidate for candidate in candidates if candidate.action == win[0])
    means = tuple(float(other == player) for other in range(len(winning.means)))
    rest = [candidate for candidate in candidates if candidate is not winning]
    return [winning._replace(means=means, proven=True, cut=False, line=win), *rest]


def margin(means: tuple[float, ...], player: int) -> float:
    """Return a player's mean minus that of the best other.

    >>> round(margin((0.5, 0.3, 0.2), 0), 3)
    0.2
    """
    return means[player] - max((mean for other, mean in enumerate(means) if other != player), default=0.0)


# Passes --------------------------------------------------------------------------------------------------------------


def ends_by_pass(game: Game, state: State) -> bool:
    """Return whether a pass is legal here and ends the game.

    >>> import luozi
    >>> game = luozi.game("go:size=5")
    >>> state = game.after(game.new_state(), game.pass_action)
    >>> ends_by_pass(game, game.new_state()), ends_by_pass(game, state)
    (False, True)
    """
    if game.pass_action < 0 or game.pass_action not in game.legal_list(state):
        return False
    return bool(game.is_terminal(game.after(state, game.pass_action)))


def is_better(passed: Candidate, other: Candidate, player: int, ends: bool) -> bool:
    """Return whether a pass is better than the best other move by more than one standard error.

    `ends` tells that the pass ends the game, so that its value is exact. Ties are not better.

    >>> stone, wins = Candidate(0, 10, (0.7, 0.3)), Candidate(81, 200, (0.9, 0.1))
    >>> is_better(wins, stone, 0, False), is_better(wins._replace(visits=10, means=(0.7, 0.3)), stone, 0, False)
    (True, False)
    """
    mean = passed.means[player]
    if passed.proven or ends:
        return mean > value_and_noise(other, player)[0] or (mean >= 1 and not other.proven)
    if other.proven and other.means[player] <= 0:
        return True
    if not other.visits:  # a search that leaves moves out has come back to the pass
        return passed.visits > 1
    value, noise = value_and_noise(passed, player)
    rival, more = value_and_noise(other, player)
    return value - rival > math.sqrt(noise + more)


def value_and_noise(candidate: Candidate, player: int) -> tuple[float, float]:
    """Return a mean, drawn towards one half where visits are few, and the variance of that mean.

    >>> [round(number, 3) for number in value_and_noise(Candidate(0, 2, (1.0, 0.0)), 0)]
    [0.75, 0.094]
    """
    if candidate.proven:
        return candidate.means[player], 0.0
    value = (candidate.visits * candidate.means[player] + 1.0) / (candidate.visits + 2.0)
    return value, value * (1.0 - value) / max(candidate.visits, 1)


# Ownership -----------------------------------------------------------------------------------------------------------

Ownership = tuple[tuple[float, ...], ...]  # for each player, the share of simulations in which each point was theirs


def forget_owners(threads: Sequence[ThreadState]) -> None:
    """Before a search."""
    for thread in threads:
        thread.owned[:] = 0
        thread.owned_games[:] = 0


def ownership_of(threads: Sequence[ThreadState]) -> Ownership | None:
    """Over all simulations; None if none was counted."""
    owned = sum(thread.owned.sum(axis=0, dtype=np.int64) for thread in threads)
    return shares(owned, sum(int(thread.owned_games.sum()) for thread in threads))


def give_owners(threads: Sequence[ThreadState], candidates: list[Candidate]) -> None:
    """Tell of every candidate whose each point was after it."""
    for place, candidate in enumerate(candidates):
        owned = sum(thread.owned[candidate.action].astype(np.int64) for thread in threads)
        games = sum(int(thread.owned_games[candidate.action]) for thread in threads)
        candidates[place] = candidate._replace(ownership=shares(owned, games))


def shares(owned: Array, games: int) -> Ownership | None:
    """Counts as shares.

    >>> shares(np.array([[3, 0], [1, 2]]), 4)
    ((0.75, 0.0), (0.25, 0.5))
    """
    return tuple(tuple(points) for points in (owned / games).tolist()) if games else None
