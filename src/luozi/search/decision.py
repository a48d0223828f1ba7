"""The move to play, and what is known of every other: read off the root of a tree."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from luozi.compiled import Array, random_below
from luozi.evaluators.thread import DEEPEST, DONE, FULL, ITERATIONS, Thread
from luozi.evaluators.variants import SHARED
from luozi.search.advice import Advice
from luozi.search.memory import Memory
from luozi.search.ownership import give_owners, ownership_of
from luozi.search.thinking import Task
from luozi.search.thought import CUT_NAMES, Candidate, Thought
from luozi.search.tree import (
    CUT,
    PROVEN,
    Notes,
    Tree,
    all_chances,
    all_marks,
    all_proven_results,
    children_of,
    cut_counts,
    edges_in_use,
    principal_variations,
    root_node,
    tried_of,
)

LINES = 8  # candidates that have one: as many as a table shows
CERTAIN = 2**20  # of so many draws all are mistakes if `mistakes` is 1


def thought_of(
    memory: Memory,
    task: Task,
    advice: Advice,
    crew: Sequence[Thread],
    progress: Array,
    seed: int,
    rng: Array | None = None,
) -> Thought:
    """What a search has found out so far; without `rng` nothing is left to chance, as while the search goes on."""
    game, options, tree, notes = memory.game, memory.options, memory.tree, memory.notes
    player = int(game.current_player(task.state))
    candidates = candidates_of(tree, notes, task.names, player, advice.values, rng)
    if advice.win:
        candidates = with_win(candidates, advice.win, player)
    chosen = 0 if advice.win else candidates.index(decide(candidates, player, options.final))
    if rng is not None and options.mistakes and random_below(rng, CERTAIN) < options.mistakes * CERTAIN:
        chosen = random_below(rng, len(candidates))
    give_lines(tree, candidates, chosen)
    if options.ownership:
        give_owners(crew, candidates)
    counts = cut_counts(notes)
    return Thought(
        action=candidates[chosen].action,
        player=player,
        candidates=tuple(candidates),
        variation=task.namer.names(candidates[chosen].line),
        iterations=int(progress[ITERATIONS]),
        seconds=time.perf_counter() - task.began,
        nodes=edges_in_use(tree),
        bytes=memory.bytes,
        depth=int(progress[DEEPEST]),
        kept=task.kept,
        pool_full=bool(progress[FULL]),
        seed=seed,
        rewards=options.rewards,
        cuts={name: count for name, count in zip(CUT_NAMES, counts, strict=False) if count},
        shared=counts[SHARED],
        ownership=ownership_of(crew) if options.ownership else None,
        sampled=options.evaluation != "static",
        threads=tuple(int(thread.counts[DONE]) for thread in crew),
        namer=task.namer,
    )


def candidates_of(
    tree: Tree,
    notes: Notes,
    names: Mapping[int, str],
    player: int,
    solved: Mapping[int, tuple[float, ...]],
    rng: Array | None = None,
) -> list[Candidate]:
    """Every legal move, the most visited first; equal visits by mean, then by number, but the first by chance.

    `names` has the legal moves, `solved` what an exact solver found out about them. Without `rng` nothing is left to
    chance, as while the search goes on.
    """
    # Looked at first: a search that goes on may make the last move in between.
    all_tried = root_node(tree) and tried_of(tree, root_node(tree)) >= tree.actions
    children = children_of(tree, root_node(tree))
    visits = np.zeros(tree.actions, np.int64)
    means = np.full((tree.actions, tree.players), 1 / tree.players)
    visits[children.action], means[children.action] = children.visits, children.means
    legal = in_order(np.fromiter(names, np.int64, len(names)), visits, means[:, player], rng)
    flags = np.full(tree.actions, CUT if all_tried else 0, np.uint8)  # what was tried and is not here was cut
    flags[children.action] = all_marks(notes, children.edge)
    certain = (flags[children.action] & PROVEN) > 0
    if certain.any():
        means[children.action[certain]] = all_proven_results(tree, notes, children.edge[certain])
    for action, results in solved.items():
        means[action], flags[action] = results, flags[action] | PROVEN
    priors: dict[int, float] = dict(zip(children.action.tolist(), all_chances(notes, children.edge), strict=False))
    actions, marks = legal.tolist(), flags[legal]
    columns = (
        actions,
        map(names.__getitem__, actions),
        visits[legal].tolist(),
        map(tuple, means[legal].tolist()),
        ((marks & PROVEN) > 0).tolist(),
        ((marks & CUT) > 0).tolist(),
        map(priors.get, actions),
    )
    return list(map(Candidate, *columns))


def in_order(legal: Array, visits: Array, means: Array, rng: Array | None) -> Array:
    """The most visited moves first, of these the best mean, of these the lowest number; the first of all by chance."""
    legal = legal[np.lexsort((legal, -means[legal], -visits[legal]))]
    # Few iterations leave many equals: always the first on the board would build rows along its edge.
    first = legal[0]
    equals = (visits[legal] == visits[first]) & (means[legal] == means[first])
    other = random_below(rng, int(equals.sum())) if rng is not None and equals[1:].any() else 0
    legal[0], legal[other] = legal[other], first
    return legal


def give_lines(tree: Tree, candidates: list[Candidate], chosen: int) -> None:
    """Let the leading candidates, and the chosen one, have their lines: the most visited moves from each on."""
    children = children_of(tree, root_node(tree))
    nodes = dict(zip(children.action.tolist(), children.node.tolist(), strict=True))
    leading = [place for place in range(min(LINES, len(candidates))) if candidates[place].visits]
    places = [place for place in {*leading, chosen} if not candidates[place].line]
    lines = principal_variations(tree, [nodes.get(candidates[place].action, 0) for place in places])
    for place, line in zip(places, lines, strict=True):
        candidates[place] = candidates[place]._replace(line=(candidates[place].action, *line))


def decide(candidates: list[Candidate], player: int, final: str) -> Candidate:
    """The move to play, by the rule of the option `final`; candidates come most visited first."""
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
    """The best by the rule alone."""
    if final in ("visits", "agreement") or not candidates[0].visits:
        return candidates[0]
    if final == "mean":
        return max(candidates, key=lambda candidate: candidate.means[player])
    return max(candidates, key=lambda candidate: margin(candidate.means, player))


def with_win(candidates: list[Candidate], win: tuple[int, ...], player: int) -> list[Candidate]:
    """The same candidates with a certain win of a player, which comes first."""
    winning = next(candidate for candidate in candidates if candidate.action == win[0])
    means = tuple(float(other == player) for other in range(len(winning.means)))
    rest = [candidate for candidate in candidates if candidate is not winning]
    return [winning._replace(means=means, proven=True, cut=False, line=win), *rest]


def margin(means: tuple[float, ...], player: int) -> float:
    """A player's mean minus that of the best other.

    >>> round(margin((0.5, 0.3, 0.2), 0), 3)
    0.2
    """
    return means[player] - max((mean for other, mean in enumerate(means) if other != player), default=0.0)
