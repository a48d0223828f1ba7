"""`Engine`: a game, options and a tree. `think` is the one way into the compiled search.

First the solvers look at the root (`root_solvers.py`), then the kernel runs until a limit (`runner.py`), and the result
is read from the root (`final_move.py`). `tree_reuse.py` keeps the tree from search to search.
"""

from __future__ import annotations

import reprlib
import secrets
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from luozi.compiled import new_rng
from luozi.compiled.explaining import compile_errors
from luozi.evaluators.networks import game_with_priors, network_for, network_kind
from luozi.evaluators.thread_state import DONE, RECENT, KernelLimits, ThreadState, new_thread, own_bytes
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits, limits_given, limits_in_force
from luozi.messages import LuoziError
from luozi.removed import missing
from luozi.rules.checked import refuse_faulty
from luozi.rules.compiled_rules import compile_rules
from luozi.rules.game import Game, State, needed_game
from luozi.rules.move_names import actions_along
from luozi.rules.position import Position
from luozi.search.components import components_for
from luozi.search.context import SearchContext
from luozi.search.engine_pool import EnginePool, room_beside
from luozi.search.final_move import forget_owners, result_of
from luozi.search.forest import Forest, first_of, new_progress
from luozi.search.handle import SearchHandle, SearchRequest
from luozi.search.kernel import Evaluator, OutsideKernel, kernel_of
from luozi.search.option_requirements import refuse_missing
from luozi.search.option_types import OptionValues
from luozi.search.options import Options
from luozi.search.result import Namer, SearchResult
from luozi.search.root_solvers import RootSolution, RootSolvers, table_size
from luozi.search.rule_warnings import chosen_moves, look_at_rules, refuse_no_moves
from luozi.search.runner import UNLIMITED, SearchRunner
from luozi.search.subtree import Branch, SearchedTrees, branch_of
from luozi.search.trace import IterationTrace, one_step
from luozi.util.interruptible import StillRunningError, is_main_thread, run_interruptibly
from luozi.util.parameters import join_spelling
from luozi.util.win_rates import EVALUATION, UNDECIDED, WINS

DEFAULT_LIMITS = Limits(seconds=1.0)  # when no limit is given at all


def options_from(game: Game, given: Options | str | None, values: OptionValues) -> Options:
    """Return the options of a search: an object, the text of a player that searches, or by name."""
    if given is None:
        return Options.of(**values)
    if isinstance(given, Options):
        return given
    if not isinstance(given, str):
        wanted = "an Options object, text such as 'mcts:c=0.7', or each by name as in c=0.7"
        raise LuoziError(
            "Engine: {text} is not valid as options. Write {value}.", text=reprlib.repr(given), value=wanted
        )
    from luozi.players import read_spelling, spelled_out  # which imports this module

    kind, options = read_spelling(spelled_out(given, game))
    if kind.name != "mcts":
        raise LuoziError(
            "Engine: '{name}' does not search a tree. Write luozi.player({given}, game), or choose mcts, "
            "strong or level.",
            name=kind.name,
            given=repr(given),
        )
    return Options.of(**options)


class Engine:
    """Searches one game; `options` may be the text of a player, as in `Engine(game, "mcts:c=0.7")`.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> engine, position = luozi.Engine(game, seed=1), game.begin()
    >>> thought = engine.think(position, iterations=2000)
    >>> thought.name, thought.iterations
    ('b2', 2000)
    >>> engine.think(position.play(thought.action), iterations=100).reused_visits > 0  # the tree is kept
    True
    """

    always_full = False  # for measurements: the full search also where the plain one does

    def __init__(
        self,
        game: Game | type[Game],
        options: Options | str | None = None,
        *,
        compiled: bool = True,
        evaluator: Evaluator | None = None,
        workers: EnginePool | None = None,
        **values: Unpack[OptionValues],
    ) -> None:
        game = needed_game(game, "Engine")
        if options is not None and values:
            raise LuoziError("Engine takes options as one object or by name, not both")
        if evaluator is not None and not callable(evaluator):
            raise LuoziError("Engine needs a function as evaluator, not {evaluator}", evaluator=repr(evaluator))
        if compiled:  # uncompiled rules are to be debugged, and what they raise is raised as it is
            refuse_faulty(game)
        self.options = options_from(game, options, values)
        if self.options.heuristic_weights:
            game = game.with_weights(self.options.heuristic_weights)
        refuse_missing(game, self.options, evaluator is not None, compiled)
        if network_kind(game, self.options.network) == "priors":
            game, self.options = game_with_priors(game, self.options.network), replace(self.options, network="")
        self.game, self.compiled = game, compiled
        game.forget_type()  # constants that the rules use may have changed since
        self.seed = secrets.randbits(32) if self.options.seed is None else self.options.seed
        if workers is not None:
            self.options = workers.options_for(self.options, game)
        network = None
        if self.options.network:
            network = network_for(game, self.options.network, self.options.network_threat_nodes)
        self.components = components_for(
            self.options.every_variants(), game, self.always_full, evaluator is not None, network
        )
        self.threads: list[ThreadState] = []
        for number in range(self.options.threads):
            memory = self.components.evaluator.new_memory()
            self.threads.append(new_thread(game, new_rng(self.seed + number), memory, self.options.ownership))
        self.thread = self.threads[0]
        table, beside = table_size(game, self.options, 0.0 if workers is None else self.options.max_memory_mb)
        beside += sum(own_bytes(thread) for thread in self.threads)
        in_all = self.options if workers is None else room_beside(self.options, beside)
        self.forest = Forest(game, in_all)
        self.bytes = beside + self.forest.room  # that it takes at most
        if workers is not None:
            workers.admit(self, self.bytes / 1e6)
        self.memory = self.forest.memories[0]  # the only one, but for parallel=root
        self.tree = self.memory.tree
        self.progress = new_progress(self.options.trees)
        self.kernel = kernel_of(self.forest, self.components, self.threads, compiled, evaluator)
        self.runner = SearchRunner(self.kernel, self.forest, self.progress, workers)
        self.root_solvers = RootSolvers(
            self.forest, self.threads, compiled, self.components, first_of(self.progress), table
        )
        valued = evaluator is not None or self.options.network or self.options.evaluation != "playout"
        counts = UNDECIDED if self.options.max_playout_moves else WINS  # a playout that is stopped early has no result
        self.kind = EVALUATION if valued else counts  # what a mean is of: values of positions, or results
        self._solution = RootSolution()
        self._position: Position | None = None  # the last one of a game that it was given
        self._busy = threading.Lock()
        self._moving = threading.Lock()  # held while the root moves or the tree is cleared, and while somebody reads it
        self._is_lost = False  # whether a rule that never returns has its memory

    def __repr__(self) -> str:
        """Return the game, the options and the visits of the tree."""
        visits = f"{self.forest.visits:,} visits in the tree" if self.memory.root is not None else "no tree yet"
        return f"<Engine for {self.game.spelling}: {join_spelling('mcts', self.options.changed())}, {visits}>"

    # Thinking -------------------------------------------------------------------------------------------------------

    def think(
        self,
        position: Position | State,
        limits: Limits | None = None,
        cancel: Cancel = NEVER,
        *,
        iterations: int = 0,
        seconds: float = 0.0,
        nodes: int = 0,
        moves: Collection[int | str] = (),
    ) -> SearchResult:
        """Search from a position until the first limit is reached, or `cancel` is set.

        Limits are given as an object or by name. Each limit in force is the smaller one of those given and the
        options' own; 0 is no limit. With no limit at all a search takes one second.

        The tree is kept as far as the position and the last one have come by the same moves, unless `game.begin` began
        another game: then the search is as the first one. A state alone is a position without history; its tree is kept
        if it is the last position, or one that led to it.

        With `moves`, numbers or names, these alone are searched, in a tree of their own, and no solver is asked before.
        """
        given = limits_given(limits, iterations, seconds, nodes)
        with self._alone():
            task = self._begin(position, given, moves)
            if not self.kernel.is_prepared and not cancel.is_set():
                self.compile()
            with cancel.calling(task.cancel.set):
                if is_main_thread():
                    return run_interruptibly(partial(self._answer, task), task.cancel.set)
                return self._answer(task)

    def start(
        self,
        position: Position | State,
        limits: Limits | None = None,
        cancel: Cancel = NEVER,
        *,
        iterations: int = 0,
        seconds: float = 0.0,
        nodes: int = 0,
        moves: Collection[int | str] = (),
    ) -> SearchHandle:
        """Begin to think about a position and return at once; see `think` and `SearchHandle`.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> search = luozi.Engine(game, seed=1).start(game.new_state(), iterations=2000)
        >>> search.result().name
        'b2'
        """
        given = limits_given(limits, iterations, seconds, nodes)
        self._take()
        try:
            task = self._begin(position, given, moves)
        except BaseException:
            self._leave(False)
            raise

        def answer(task: SearchRequest) -> SearchResult:
            with cancel.calling(task.cancel.set):
                if not self.kernel.is_prepared and not task.cancel.is_set():
                    self.compile()
                return self._answer(task)

        return SearchHandle(task, answer, self._seen_so_far, self._leave)

    def _begin(
        self, given: Position | State, wanted: Limits = NO_LIMITS, moves: Collection[int | str] = ()
    ) -> SearchRequest:
        """Prepare a search: position, limits and the root of the tree."""
        cancel = Cancel()
        self.runner.begin(cancel)
        self.forest.forget_cuts()
        if self.options.ownership:
            forget_owners(self.threads)
        for thread in self.threads:
            thread.counts[DONE] = 0
        position = self._checked(given)
        limits = limits_in_force(wanted, self.options.limits, DEFAULT_LIMITS)
        state = position.state
        with self._moving:
            # In another game nothing may depend on the one before.
            if position.is_of_another_game(self._position):
                self._forget()
            if position.identity is not None:
                self._position = position
            for memory in self.forest.memories:
                memory.prepare(position, limits.nodes)
        before = position.last_actions(RECENT)
        for thread in self.threads:
            thread.root[0], thread.before[:] = state, before
        refuse_no_moves(self.game, state, position.actions)
        alone = chosen_moves(self.game, state, moves)
        self.root_solvers.forget_others(state, alone)
        self._solution = RootSolution()
        kept, began = self.forest.visits, time.perf_counter()
        return SearchRequest(position, limits, cancel, Namer(position), kept, began, alone, self.seed, self.kind)

    def _answer(self, task: SearchRequest) -> SearchResult:
        """Search, and return the result."""
        began = time.perf_counter()
        if task.moves:
            self.root_solvers.keep_to(task.position.state, task.moves)
        elif not task.cancel.is_set():
            self._solution = self.root_solvers.ask(task.position.state, task.limits.seconds, task.cancel)
        task = task._replace(kept=self.forest.visits, began=began)
        if not self._solution.win and not task.cancel.is_set():
            self.runner.search(task.limits, began)
            if self.options.final == "max_robust":
                self.runner.search_until_agreed(task.limits, began)
        look_at_rules(self.game, self.progress)
        return result_of(self.forest, task, self._solution, self.threads, self.progress, self.thread.rng)

    def _seen_so_far(self, task: SearchRequest) -> SearchResult:
        """Return the result so far, with no random choices."""
        with self._moving:
            return result_of(self.forest, task, self._solution._replace(win=()), self.threads, self.progress, None)

    # Looking inside ------------------------------------------------------------------------------------------------

    def trace(self, position: Position | State) -> IterationTrace:
        """Run one iteration from a position and return all that it did; with `reuse_tree` calls continue each other.

        Where every thread has a tree of its own, it is one of the first thread's.

        >>> import luozi
        >>> game = luozi.game("tictactoe:size=2,win_length=2")
        >>> print(luozi.Engine(game, seed=1).trace(game.new_state()))
        select a1*; simulate b1 b2; credit 1, 0
        """
        with self._alone():
            self._begin(position)
            variants = self.kernel.variants(UNLIMITED)
            limits = KernelLimits(first_of(self.progress), 1, UNLIMITED)
            components = self.components
            if isinstance(self.kernel, OutsideKernel):
                components = components._replace(evaluator=self.kernel)  # type: ignore[arg-type]
            try:
                return one_step(SearchContext(self.game, *components, self.tree, self.thread, limits, variants))
            except BaseException:
                self.memory.restart()  # it may be half written
                raise

    def subtree(self, depth: int = 3, visits: int = 1, path: Sequence[int | str] = ()) -> Branch:
        """Return the tree from its root down to a depth, as plain data, without children that have fewer visits.

        With a path of moves, numbers or names, it is the part of the tree below them. Several trees of one root are
        told as one: visits and results of a move are added up.

        Before the first search there is no tree, and one sentence says so.
        """
        with self._moving:
            root = self._root()
            actions = actions_along(self.game, root, path)
            return branch_of(SearchedTrees(self.game, self.forest.trees, self.kind), root, depth, visits, actions)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one caller at a time in: the tree belongs to one search, also to one that Ctrl-C could not end."""
        self._take()
        left = False
        try:
            yield
        except StillRunningError:
            left = True
            raise
        finally:
            self._leave(left)

    def _leave(self, left: bool) -> None:
        """Let others have the engine; nobody ever, if a search was left that goes on in a rule."""
        self._is_lost = self._is_lost or left
        self._busy.release()

    def _take(self) -> None:
        if self._is_lost:
            title = type(self.game).__name__
            raise LuoziError(
                "this engine can't be used any more: a rule of {title} has not returned since Ctrl-C. Look for a "
                "loop that never ends, and make another engine.",
                title=title,
            )
        if not self._busy.acquire(blocking=False):
            raise LuoziError("this engine is thinking already: wait for it, stop it, or make another engine")

    def _checked(self, given: Position | State) -> Position:
        position = Position.of(self.game, given)
        if position.returns is not None:
            raise LuoziError("the game is over: there is no move to think about")
        return position

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Nothing: it names what replaces an attribute that is gone."""
            raise missing(type(self), name)

    def compile(self) -> None:
        """Make sure that the search is compiled for this game; `think` does it too, before its clock starts."""
        with compile_errors(self.game):
            self.kernel.prepare(self.progress)
            self.root_solvers.compile()
        if self.compiled:
            compile_rules(self.game)

    def move_to(self, position: Position) -> None:
        """Move the root to a position ahead of a search, if the tree has the position.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> engine = luozi.Engine(game, seed=1)
        >>> position = game.begin().play(engine.think(game.begin(), iterations=2000).action)
        >>> engine.move_to(position)  # of another game: the next search begins anew
        >>> engine.think(position, iterations=1000).reused_visits
        0
        """
        with self._alone(), self._moving:
            if not position.is_of_another_game(self._position):
                self.forest.move_to(position)

    def _root(self) -> State:
        """Return the position of the tree's root."""
        if self.memory.root is None:
            raise LuoziError("there is no tree yet: let the engine think about a position first")
        return self.memory.root

    def _forget(self) -> None:
        """Forget the tree and start the random numbers again: the next search is as the first."""
        for memory in self.forest.memories:
            memory.clear()
        self.root_solvers.forget()
        for number, thread in enumerate(self.threads):
            thread.rng[:] = new_rng(self.seed + number)
            for remembered in (thread.counts, thread.stamps, thread.seen):
                remembered[:] = 0
