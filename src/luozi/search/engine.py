"""`Engine`: a game, options and a tree. `think` is the one way into the compiled search."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from luozi.compiled import Array, new_rng, random_below
from luozi.compiled.explaining import compile_errors
from luozi.errors import LuoziError
from luozi.evaluators.thread import DEEPEST, FULL, ITERATIONS, PROGRESS_SIZE, STOP, Limits, new_thread
from luozi.evaluators.variants import CUT_FOURS, CUT_SOLVED, SHARED, Variants, as_record
from luozi.rules import Game, State
from luozi.running import kernel_for, run_with_clock
from luozi.search.branches import Branch, branch_of
from luozi.search.decision import candidates_of, decide, line_of, with_win
from luozi.search.loop import search
from luozi.search.needs import refuse_missing
from luozi.search.noticing import look_at_rules, refuse_no_moves
from luozi.search.options import Budget, Options
from luozi.search.settling import EQUAL, ends_alike, is_agreed, is_settled
from luozi.search.shapes import shape_of
from luozi.search.steps import Step, one_step
from luozi.search.thinking import Search, Task
from luozi.search.thought import CUT_NAMES, Thought
from luozi.search.tree import (
    children_of,
    clear,
    count_cuts,
    cut_counts,
    edges_in,
    edges_in_use,
    forget,
    forget_cuts,
    forget_history,
    forget_proofs,
    keep_subtree,
    new_notes,
    new_tree,
    note_bytes,
    root_node,
    root_visits,
    tried_of,
    used_bytes,
    used_share,
)

UNLIMITED = 2**62
MOST_VISITS = 2**32 - 2  # what a counter in the tree can hold
DEFAULT_SECONDS = 1.0  # when no limit is given at all
FEW = 500  # iterations between two looks whether the choice is settled, at least
ALIKE = 1 / 8  # of the budget: then a search in which every game ends alike is over
SOLVER_TABLE = 1  # million positions
CERTAIN = 2**20  # of so many draws all are mistakes if `mistakes` is 1
RESERVE = 0.2  # a kept tree that leaves less than this share of the pool is dropped


class Engine:
    """Searches one game.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> engine = luozi.Engine(game, seed=1)
    >>> thought = engine.think(game.new_state(), iterations=2000)
    >>> thought.name, thought.iterations
    ('b2', 2000)
    >>> engine.advance(thought.action)  # the tree is kept
    """

    always_full = False  # for measurements: the full search also where the plain one does

    def __init__(self, game: Game, options: Options | None = None, *, compiled: bool = True, **values: Any) -> None:
        if not isinstance(game, Game):
            raise LuoziError(f"Engine needs a game, not {game!r}: write luozi.game({str(game)!r})")
        if options is not None and values:
            raise LuoziError("Engine takes options as one object or by name, not both")
        self.game = game
        game.forget_type()  # constants that the rules use may have changed since
        self.options = Options.of(**values) if options is None else options
        self.seed = secrets.randbits(32) if self.options.seed is None else self.options.seed
        refuse_missing(game, self.options)
        self.tree = new_tree(self._pool_size(), game.players, game.actions)
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        self.notes = new_notes(self.tree, self.options.variants(0))
        self._compiled = compiled and game.compilable
        self.shape = shape_of(self.options.every_variants(), game, self.always_full)
        memory = self.shape.evaluator.new_memory()
        self.thread = new_thread(game, new_rng(self.seed), memory, self.options.ownership)
        self._kernel = kernel_for(game, search, compiled)
        if self.options.fours:
            from luozi.solvers.fours import Fours

            self._fours = Fours(game, compiled)
        self._values: dict[int, tuple[float, ...]] = {}  # of the root's moves, if the exact solver found them
        if self.options.solve:
            from luozi.solvers.solver import Solver

            self._solver = Solver(game, SOLVER_TABLE, compiled=compiled)
        self._busy = threading.Lock()
        self._stopped = False
        self._root: Any = None  # the position at the tree's root
        self._searcher = 0  # who was to move when the last search began

    def _pool_size(self) -> int:
        pool = self.options.pool
        if self.options.memory:
            notes = note_bytes(self.options.variants(0), self.game.players)
            pool = min(pool, edges_in(int(self.options.memory * 1e6), self.game.players, self.game.actions, *notes))
        if pool < self.game.actions + 2:
            raise LuoziError(
                f"the node pool has room for {pool:,} nodes; {self.game.spelling} needs "
                f"{self.game.actions + 2:,} at least: raise pool or memory"
            )
        return pool

    # Thinking -------------------------------------------------------------------------------------------------------

    def think(
        self, state: Any, *, iterations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Thought:
        """Search from a position until the first limit is reached; limits not given are the options' own."""
        with self._alone():
            return self._answer(self._begin(state, iterations=iterations, seconds=seconds, nodes=nodes))

    def start(
        self, state: Any, *, iterations: int | None = None, seconds: float | None = None, nodes: int | None = None
    ) -> Search:
        """Begin to think about a position and return at once; see `Search`.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> search = luozi.Engine(game, seed=1).start(game.new_state(), iterations=2000)
        >>> search.result().name
        'b2'
        """
        self._take()
        try:
            task = self._begin(state, iterations=iterations, seconds=seconds, nodes=nodes)
        except BaseException:
            self._busy.release()
            raise
        return Search(task, self._answer, self._seen_so_far, self.stop, self._busy.release)

    def _begin(self, state: Any, **limits: float | None) -> Task:
        """Everything before the search; from here on `stop` is never lost."""
        self._stopped = False
        self.progress[:] = 0
        forget_cuts(self.notes)
        self._check(state)
        budget = self.options.budget(**limits)
        if not any(budget):
            budget = budget._replace(seconds=DEFAULT_SECONDS)
        self._prepare(state)
        names = {action: self.game.action_to_string(state, action) for action in self.game.legal_list(state)}
        refuse_no_moves(self.game, state, names)
        self._values = {}
        return Task(state, budget, names, root_visits(self.tree), time.perf_counter())

    def _answer(self, task: Task) -> Thought:
        """The search, and what it found."""
        self.compile()
        state, budget, began = task.state, task.budget, time.perf_counter()
        self._values = self._solve_moves(state, budget.seconds) if self.options.solve else {}
        won = self._look_for_fours(state, budget.seconds) if self.options.fours and not self._values else []
        task = task._replace(kept=root_visits(self.tree), began=began)
        if not won:
            self._search(budget, began)
            if self.options.final == "agreement":
                self._search_until_agreed(budget, began)
        look_at_rules(self.game, self.progress)
        return self._thought(task, won, self.thread.rng)

    def _seen_so_far(self, task: Task) -> Thought:
        """What is known while the search goes on, with nothing left to chance."""
        return self._thought(task, [], None)

    # Looking inside ------------------------------------------------------------------------------------------------

    def step(self, state: Any) -> Step:
        """One iteration from a position, told whole; with `keep` (the default) steps go on from each other.

        >>> import luozi
        >>> game = luozi.game("tictactoe:size=2,run=2")
        >>> print(luozi.Engine(game, seed=1).step(game.new_state()))
        select a1*; simulate b1 b2; credit 1, 0
        """
        with self._alone():
            self._begin(state)
            variants = self._variants(UNLIMITED)
            limits = Limits(self.progress, 1, UNLIMITED)
            return one_step(self.game, self.shape, self.tree, self.notes, self.thread, limits, variants)

    def branches(self, depth: int = 3, visits: int = 1) -> Branch:
        """The tree from its root down to a depth, as plain data; children with fewer visits are left out and counted.

        Before the first search there is no tree, and one sentence says so.
        """
        if self._root is None:
            raise LuoziError("there is no tree yet: let the engine think about a position first")
        return branch_of(self.game, self.tree, self.notes, self._root, depth, visits)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One caller at a time: the tree belongs to one search."""
        self._take()
        try:
            yield
        finally:
            self._busy.release()

    def _take(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise LuoziError("this engine is thinking already: wait for it, stop it, or make another engine")

    def _check(self, state: Any) -> None:
        if not isinstance(state, State) or state.dtype != self.game.dtype:
            raise LuoziError(f"this is not a position of {self.game.spelling}: make one with game.new_state()")
        if self.game.is_terminal(state):
            raise LuoziError("the game is over: there is no move to think about")
        self.game.player_to_move(state)

    def stop(self) -> None:
        """End the search that is running in another thread; it returns the best move so far."""
        self._stopped = True
        self.progress[STOP] = 1
        if self.options.fours:
            self._fours.attack.found[STOP] = 1
        if self.options.solve:
            self._solver.progress[STOP] = 1

    def compile(self) -> None:
        """Make sure that the search is compiled for this game; `think` does it too, before its clock starts."""
        with compile_errors(self.game):
            self._run(Limits(self.progress, 0, 0), UNLIMITED)
            if self.options.fours:
                self._fours.compile()
            if self.options.solve:
                self._solver.compile()

    def _run(self, limits: Limits, uncertain_from: int, _end: float | None = None) -> None:
        """Call the compiled search."""
        variants = self._variants(uncertain_from)
        settings = as_record(variants) if self._compiled else (variants,)
        self._kernel(self.game, *self.shape, self.tree, self.notes, self.thread, limits, settings)

    def _variants(self, uncertain_from: int) -> Variants:
        """What is switched, for who is to move at the root."""
        player = 0 if self._root is None else int(self.game.current_player(self._root))
        return self.options.variants(player)._replace(uncertain_from=uncertain_from, rivals=self.game.is_rivalry)

    def _prepare(self, state: Any) -> None:
        """Go on with the tree if it is this position's, else start a new one."""
        too_full = used_share(self.tree) > 1 - RESERVE
        counted_out = root_visits(self.tree) >= MOST_VISITS
        if not self.options.keep or self._root is None or self._root != state or too_full or counted_out:
            self._clear_tree()
        elif self.game.current_player(state) != self._searcher:
            if self.options.notes_are_personal:
                self._clear_tree()
                forget_history(self.notes)
            elif self.options.proofs_are_personal:
                forget_proofs(self.tree, self.notes)
        self._searcher = self.game.current_player(state)
        self._root = state.copy()
        self.thread.root[0] = state

    def _look_for_fours(self, state: Any, seconds: float) -> list[int]:
        """The moves of a win by fours; without one, moves that allow the next player such a win are cut if not all do.

        Not longer than half of the time.
        """
        won: list[int] = []
        losing: list[int] = []

        def look() -> None:
            won.extend(self._fours.win(state))
            losing.extend([] if won else self._fours.losing_actions(state))

        self._fours.attack.found[STOP] = 0
        if self._stopped:  # a stop that comes in between stays
            self._fours.attack.found[STOP] = 1
        run_with_clock(look, self._fours.attack.found, seconds / 2 if seconds else None)
        kept = [action for action in self.game.legal_list(state) if action not in losing]
        if losing and kept:
            children = set(children_of(self.tree, root_node(self.tree)).action.tolist())
            if not children or children & set(losing) or self._wants_moves():
                self._restrict_root(state, kept)
            count_cuts(self.notes, CUT_FOURS, len(losing))
        return won

    def _solve_moves(self, state: Any, seconds: float) -> dict[int, tuple[float, ...]]:
        """What every move leads to, if the exact solver can tell; then moves that throw the result away are cut.

        Not longer than a quarter of the time.
        """
        from luozi.solvers.solver import best_for_mover

        solver, left, end = self._solver, self.options.solve, time.perf_counter() + seconds / 4
        values: dict[int, tuple[float, ...]] = {}
        for action in self.game.legal_list(state):
            solver.limit, solver.seconds = left, max(end - time.perf_counter(), 1e-3) if seconds else 0.0
            try:
                solution = solver.solve(self.game.after(state, action), lambda: self._stopped)
            except LuoziError:  # too many positions, or too long
                solution = None
            if solution is None or not solution.certain:
                return {}
            left = max(1, left - solution.nodes)
            values[action] = solution.values
        best = best_for_mover(self.game, state, values)
        children = children_of(self.tree, root_node(self.tree)).action.tolist()
        if len(best) < len(values) and set(children) != set(best):
            self._restrict_root(state, best)
        count_cuts(self.notes, CUT_SOLVED, len(values) - len(best))
        return values

    def _wants_moves(self) -> bool:
        """Whether the root may still get other moves than it has."""
        return tried_of(self.tree, root_node(self.tree)) < self.game.actions

    def _restrict_root(self, state: Any, kept: list[int]) -> None:
        """Start a new tree with these moves only."""
        from luozi.search.root import restrict_root

        self._clear_tree()
        variants = self.options.variants(int(self.game.current_player(state)))
        restrict_root(self.game, self.tree, self.notes, self.thread, variants, kept)

    def _search(self, budget: Budget, began: float) -> None:
        """Search until a limit is reached."""
        seconds = budget.seconds
        most = MOST_VISITS - root_visits(self.tree) + int(self.progress[ITERATIONS])
        limits = Limits(self.progress, min(budget.iterations or UNLIMITED, most), budget.nodes or UNLIMITED)
        left = max(0.0, began + seconds - time.perf_counter()) if seconds else None
        try:
            if self.options.uncertain and not self.progress[ITERATIONS]:
                late = self.options.uncertain_after
                early = limits._replace(iterations=int(late * limits.iterations), edges=int(late * limits.edges))
                run_with_clock(lambda: self._run(early, UNLIMITED), self.progress, left and late * left)
                self._rearm()
                left = max(0.0, began + seconds - time.perf_counter()) if seconds else None
            work = self._run_until_settled if self.options.settle else self._run
            end = None if left is None else time.perf_counter() + left
            run_with_clock(lambda: work(limits, 0, end), self.progress, left)
        except BaseException:
            self._clear_tree()  # it may be half written
            raise

    def _run_until_settled(self, limits: Limits, uncertain_from: int, end: float | None) -> None:
        """Search, and now and then look whether it still matters: for the most visited move, or for any result.

        After a part of the budget in which every game ended alike, moves are as good as each other.
        """
        began, before = time.perf_counter(), int(self.progress[ITERATIONS])
        while True:
            done = int(self.progress[ITERATIONS])
            until = min(limits.iterations, done + max(FEW, (done - before) // 8))
            self._run(limits._replace(iterations=until), uncertain_from)
            now, seen = time.perf_counter(), int(self.progress[ITERATIONS])
            left = float(limits.iterations - seen)
            if end is not None:
                left = min(left, (end - now) * (seen - before) / max(now - began, 1e-6))
            if seen < until or seen >= limits.iterations or is_settled(self.tree, self.notes, left):
                return
            if (seen - before) >= ALIKE * (seen - before + left) and ends_alike(self.tree):
                return

    def _rearm(self) -> None:
        """Take the stop flag down after the clock has put it up; one that `stop` puts up stays, whenever it comes."""
        self.progress[STOP] = 0
        if self._stopped:
            self.progress[STOP] = 1

    def _search_until_agreed(self, budget: Budget, began: float) -> None:
        """Erica's rule: search on, a tenth of the budget at a time, while the two first choices differ."""
        for tenth in range(1, int(10 * self.options.patience + EQUAL) + 1):
            if self._stopped or is_agreed(self.tree, self.notes, int(self.game.current_player(self._root))):
                return
            done = int(self.progress[ITERATIONS])
            self._rearm()
            self._search(budget.times(1 + tenth / 10), began)
            if self.progress[ITERATIONS] == done and not budget.seconds:  # a full pool, or a proven root
                return

    # The tree from move to move -------------------------------------------------------------------------------------

    def advance(self, action: int) -> None:
        """Tell the engine that a move was played, its own or another's: what it knows below that move is kept."""
        with self._alone():
            if self._root is None:
                return
            self._root = self.game.after(self._root, action)
            if self.options.keep:
                keep_subtree(self.tree, action, self.notes)
            else:
                self._clear_tree()

    def clear(self) -> None:
        """Forget the tree and start the random numbers again: the next search is as the first."""
        with self._alone():
            self._clear_tree()
            forget_history(self.notes)
            self._root = None
            if self.options.solve:
                self._solver.forget()
            self.thread.rng[:] = new_rng(self.seed)
            for remembered in (self.thread.counts, self.thread.stamps, self.thread.seen):
                remembered[:] = 0

    def _clear_tree(self) -> None:
        forget(self.tree, self.notes)
        clear(self.tree)

    # The answer -----------------------------------------------------------------------------------------------------

    def _thought(self, task: Task, won: list[int], rng: Array | None) -> Thought:
        state, player = task.state, int(self.game.current_player(task.state))
        candidates = candidates_of(self.tree, self.notes, task.names, player, self._values, rng)
        if won:
            candidates = with_win(candidates, won[0], player)
        chosen = candidates[0] if won else decide(candidates, player, self.options.final)
        if rng is not None and self.options.mistakes and random_below(rng, CERTAIN) < self.options.mistakes * CERTAIN:
            chosen, won = candidates[random_below(rng, len(candidates))], []
        line = won or line_of(self.tree, chosen.action)
        counts = cut_counts(self.notes)
        return Thought(
            action=chosen.action,
            player=player,
            candidates=tuple(candidates),
            variation=tuple(self._names(state, line)),
            iterations=int(self.progress[ITERATIONS]),
            seconds=time.perf_counter() - task.began,
            nodes=edges_in_use(self.tree),
            bytes=self._bytes(),
            depth=int(self.progress[DEEPEST]),
            kept=task.kept,
            pool_full=bool(self.progress[FULL]),
            seed=self.seed,
            rewards=self.options.rewards,
            cuts={name: count for name, count in zip(CUT_NAMES, counts, strict=False) if count},
            shared=counts[SHARED],
        )

    def _bytes(self) -> int:
        """How much of the pool is in use, with what is remembered beside it."""
        return used_bytes(self.tree, *note_bytes(self.options.variants(0), self.game.players))

    def _names(self, state: Any, line: list[int]) -> list[str]:
        names = []
        for action in line:
            names.append(self.game.action_to_string(state, action))
            state = self.game.after(state, action)
        return names
