"""Solvers before the search: threat-space search, exact values, territory pruning. They restrict the root's moves."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, kernel
from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.thread_state import STOP, KernelLimits, ThreadState
from luozi.evaluators.variants import CUT_FOURS, CUT_SOLVED, CUT_TERRITORY, as_record
from luozi.limits import Cancel, Limits
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for, run_stoppable
from luozi.rules.state import State
from luozi.search.components import Components
from luozi.search.context import SearchContext
from luozi.search.forest import Forest
from luozi.search.options import Options
from luozi.search.selection.general import add_all_children, position_key
from luozi.search.selection.puct import add_likeliest
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.pool import EXCLUDED, STRIDES, Child
from luozi.search.tree_reuse import ReusableTree
from luozi.solvers.solver import Solver, best_for_mover, search_for
from luozi.solvers.threat_space import Fours

SOLVER_TABLE = 1  # million positions
SMALLEST_TABLE = 2**-10  # of a million positions, where memory is scarce
TABLE_SHARE = 0.25  # of an engine's memory, if that is bounded


def table_size(game: Game, options: Options, megabytes: float) -> tuple[float, int]:
    """Return the size of the exact solver's table, in millions of positions and in bytes.

    `megabytes` is the engine's whole memory, 0 if it is not bounded.

    >>> import luozi
    >>> game, options = luozi.game("tictactoe"), Options(exact_solver_nodes=1000)
    >>> table_size(game, options, 0), table_size(game, options, 8)
    ((1.0, 25165824), (0.0625, 1572864))
    """
    if not options.exact_solver_nodes:
        return SOLVER_TABLE, 0

    kind, table = search_for(game), float(SOLVER_TABLE)
    while megabytes and table > SMALLEST_TABLE and kind.bytes_for(game, table) > TABLE_SHARE * megabytes * 1e6:
        table /= 2
    return table, kind.bytes_for(game, table)


class RootSolution(NamedTuple):
    """What solvers prove without a search."""

    values: dict[int, tuple[float, ...]] = {}  # noqa: RUF012 (never written) what each move leads to, if all are known
    win: tuple[int, ...] = ()  # the moves of a win by fours


class RootSolvers:
    """The solvers that options ask for; they restrict the root of an engine.

    Where an engine has several trees, each has a root, and a thread of its own.
    """

    def __init__(
        self,
        forest: Forest,
        threads: Sequence[ThreadState],
        compiled: bool,
        components: Components,
        progress: Array,
        table: float = SOLVER_TABLE,
    ) -> None:
        self.game, self.options, self.memories, self.threads = (
            forest.game,
            forest.options,
            forest.memories,
            threads,
        )
        self.components, self.progress, self.compiled = components, progress, compiled and forest.game.compilable
        self._kept: dict[bytes, frozenset[int]] = {}  # the moves of a position that somebody wanted searched alone
        if self.options.threat_search:
            self._fours = Fours(self.game, compiled)
        if self.options.exact_solver_nodes:
            self._solver = Solver(self.game, table, self.options.exact_solver_nodes, 0.0, compiled)

    def compile(self) -> None:
        """Make sure that the solvers are compiled for the game."""
        if self.options.threat_search:
            self._fours.compile()
        if self.options.exact_solver_nodes:
            self._solver.compile()
        if self.options.territory_playouts:
            self._simulate(np.zeros(0, np.int64))

    def forget(self) -> None:
        """Clear all tables."""
        if self.options.exact_solver_nodes:
            self._solver.forget()

    def forget_others(self, state: State, moves: frozenset[int]) -> None:
        """Empty the trees if other moves of this position were searched alone."""
        if self._kept.get(state.tobytes(), moves) != moves:
            del self._kept[state.tobytes()]
            for memory in self.memories:
                memory.restart()

    def keep_to(self, state: State, moves: frozenset[int]) -> None:
        """Let these moves alone be searched."""
        self._kept[state.tobytes()] = moves
        for number, memory in enumerate(self.memories):
            if self._root_moves(memory) != moves or self._wants_moves(memory):
                self.restrict_root(state, sorted(moves), number, sure=False)

    def ask(self, state: State, seconds: float, cancel: Cancel) -> RootSolution:
        """Return what the solvers prove about a position, in a part of the time if that is limited."""
        values = self._solve_moves(state, seconds, cancel) if self.options.exact_solver_nodes else {}
        win = self._look_for_fours(state, seconds, cancel) if self.options.threat_search and not values else []
        if self.options.territory_playouts and not values and not win:
            self._prune_by_territory(state, cancel)
        return RootSolution(values, tuple(win))

    def _prune_by_territory(self, state: State, cancel: Cancel) -> None:
        """Prune moves that change the ownership of the board much less or more than others."""
        moves = np.array(self.game.legal_list(state), np.int64)
        run_stoppable(lambda: self._simulate(moves), self.progress, cancel)
        phi, sure = shares_of_change(self.threads[0].owned[moves].astype(np.float64), self.options.territory_playouts)
        spared = moves == self.game.pass_action  # where all moves but it are bad it changes least
        inside = kept_moves(phi, moves.tolist(), self.options.territory_min_share, self.options.territory_max_share)
        kept = [move for move, stays in zip(moves.tolist(), spared, strict=True) if stays or move in inside]
        if sure and len(kept) < len(moves) and not cancel.is_set():
            for number in range(len(self.memories)):
                self.restrict_root(state, kept, number, sure=False)
            self.memories[0].tree.count_cuts(CUT_TERRITORY, len(moves) - len(kept))

    def _simulate(self, moves: Array) -> None:
        """Play the playouts of each move; no moves at all: compile what plays them."""
        variants = self.options.variants(0)
        switched = as_record(variants) if self.compiled else variants
        run = kernel_for(self.game, simulate_each, self.compiled)
        run(
            self.game,
            self.components.evaluator,
            self.threads[0],
            switched,
            self.progress,
            moves,
            self.options.territory_playouts,
        )

    def _look_for_fours(self, state: State, seconds: float, cancel: Cancel) -> list[int]:
        """Return the moves of a win by threat-space search, which gets at most half of the time.

        Without a win, prune moves that allow the next player one, unless all do.
        """
        won: list[int] = []
        losing: list[int] = []

        def look() -> None:
            won.extend(self._fours.win(state))
            if not won and not self.options.network:  # a network gives its own moves to the root
                losing.extend(self._fours.losing_actions(state))

        run_stoppable(look, self._fours.attack.found, cancel, time.perf_counter() + seconds / 2 if seconds else None)
        kept = [action for action in self.game.legal_list(state) if action not in losing]
        if losing and kept:
            for number, memory in enumerate(self.memories):
                children = self._root_moves(memory)
                if not children or children & set(losing) or self._wants_moves(memory):
                    self.restrict_root(state, kept, number)
            self.memories[0].tree.count_cuts(CUT_FOURS, len(losing))
        return won

    def _solve_moves(self, state: State, seconds: float, cancel: Cancel) -> dict[int, tuple[float, ...]]:
        """Return the exact result of every move, if the solver finds all; prune moves with a worse one.

        Not longer than a quarter of the time.
        """
        solver, left, end = self._solver, self.options.exact_solver_nodes, time.perf_counter() + seconds / 4
        values: dict[int, tuple[float, ...]] = {}
        for action in self.game.legal_list(state):
            limits = Limits(nodes=left, seconds=max(end - time.perf_counter(), 1e-3) if seconds else 0.0)
            try:
                solution = solver.solve(self.game.after(state, action), limits, cancel)
            except LuoziError:  # too many positions, or too long
                solution = None
            if solution is None or not solution.certain:
                return {}
            left = max(1, left - solution.nodes)
            values[action] = solution.values
        best = best_for_mover(self.game, state, values)
        for number, memory in enumerate(self.memories):
            if len(best) < len(values) and self._root_moves(memory) != set(best):
                self.restrict_root(state, best, number)
        self.memories[0].tree.count_cuts(CUT_SOLVED, len(values) - len(best))
        return values

    def _root_moves(self, memory: ReusableTree) -> set[int]:
        """Return the moves that a root has so far."""
        return set(children_of(memory.tree, root_node(memory.tree)).action.tolist())

    def _wants_moves(self, memory: ReusableTree) -> bool:
        """Return whether a root may still get more moves."""
        return memory.tree.tried_of(root_node(memory.tree)) < self.game.actions

    def restrict_root(self, state: State, kept: list[int], number: int = 0, sure: bool = True) -> None:
        """Start one of the trees anew with these moves only; `sure` tells that the others lose."""
        memory, thread = self.memories[number], self.threads[number]
        memory.restart()
        variants = self.options.variants(int(self.game.current_player(state)))
        limits = KernelLimits(self.progress, 0, 0)
        context = SearchContext(self.game, *self.components, memory.tree, thread, limits, variants)
        restrict_root(context, kept, sure)


# Territory pruning ---------------------------------------------------------------------------------------------------

ABOVE_NOISE = 2.0  # D must be so many times what chance alone makes of it


@kernel
def simulate_each(
    game: Any, evaluator: Any, thread: ThreadState, variants: Any, progress: Array, moves: Array, games: int
) -> None:
    """Play `games` playouts of each move of the root, counted in `owned`; the stop flag ends it."""
    for _ in range(games):
        for index in range(moves.shape[0]):
            if progress[STOP] != 0:
                return
            thread.state[0] = thread.root[0]
            thread.row[0] = moves[index]
            game.apply_action(thread.state[0], np.int64(moves[index]))
            evaluator.evaluate(game, thread, variants, progress)


def shares_of_change(owned: npt.NDArray[np.float64], games: int) -> tuple[npt.NDArray[np.float64], bool]:
    """Phi of each move, from [moves, 2, points] counts of as many simulations each; and whether it is more than noise.

    What the board was like before is the mean over all moves, as a random move would make it.

    >>> phi, sure = shares_of_change(np.array([[[100.0, 0.0], [0.0, 100.0]], [[0.0, 100.0], [100.0, 0.0]]]), 100)
    >>> phi.tolist(), sure
    ([0.5, 0.5], True)
    """
    territory = (owned[:, 0] - owned[:, 1]) / games
    changes = territory.mean(axis=0) - territory
    variances = changes.var(axis=1)
    noise = ((1.0 - territory**2) / games).mean() * (1.0 - 1.0 / len(owned))
    total = variances.sum()
    return variances / total if total > 0 else variances, bool(variances.mean() > ABOVE_NOISE * noise)


def kept_moves(phi: npt.NDArray[np.float64], moves: Sequence[int], low: float, high: float) -> list[int]:
    """Return the moves whose Phi is from `low` to `high` even shares; all if none is.

    >>> kept_moves(np.array([0.1, 0.3, 0.6]), [4, 5, 6], 0.5, 1.5)
    [5]
    >>> kept_moves(np.array([0.1, 0.3, 0.6]), [4, 5, 6], 5, 9)
    [4, 5, 6]
    """
    kept = [move for share, move in zip(phi * len(moves), moves, strict=True) if low <= share <= high]
    return kept or list(moves)


# A root with some of its moves ---------------------------------------------------------------------------------------


def restrict_root(context: SearchContext, actions: Collection[int], sure: bool) -> None:
    """Give the root of an empty tree these moves only; decisive moves prune as well.

    `sure` tells that all other moves lose, or throw away a better result.
    """
    game, tree, thread, variants = context.game, context.tree, context.thread, context.variants
    thread.state[0] = thread.root[0]
    moves = list(actions)
    if variants.take_wins or variants.block_wins or variants.avoid_gifts:
        count, _ = allowed_moves(game, thread, variants)
        if count != EVERYTHING:
            moves = [action for action in thread.moves[:count].tolist() if action in actions] or moves
    thread.moves[: len(moves)] = moves
    node = tree.new_node(random_below(thread.rng, STRIDES * tree.actions))
    tree.set_tried(node, tree.actions + (1 if sure else EXCLUDED))  # so that proofs know
    if variants.share:
        tree.new_position(node, position_key(game, thread))
    if variants.ordered:
        add_likeliest(context, node, len(moves))
    else:
        add_all_children(context, node, len(moves), 0)
    if variants.share:
        tree.enter_position(node, position_key(game, thread))
    tree.attach(Child(0, 0, 1), node)
