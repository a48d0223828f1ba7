"""The compiled loop, as it is called for one engine: leaf by leaf, in batches, or with values from elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from luozi.evaluators.heuristic import credit_results
from luozi.evaluators.thread_state import ITERATIONS, STOP, TAKEN, KernelLimits, ThreadState
from luozi.evaluators.variants import Variants, as_record
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.search.components import Components
from luozi.search.context import SearchContext
from luozi.search.forest import Forest, SearchProgress, first_of, share_of
from luozi.search.leaf_parallel import OVER, new_team, search_as_team
from luozi.search.leaves import choose_leaves, credit_leaves, new_leaves, search_in_batches
from luozi.search.loop import search
from luozi.search.tree_reuse import ReusableTree

ENDLESS = 2**31  # so many iterations are no limit: something else ends the search
Loop = Callable[..., Any]  # a kernel: its first argument is the context of a thread
# Positions -> values, or values and priors; with a parameter `legal` or `recent` also their legal or last moves.
Evaluator = Callable[..., Any]


class Kernel:
    """The loop of one thread in one tree, with the components of a search."""

    loops: tuple[Loop, ...] = (search,)

    def __init__(self, memory: ReusableTree, components: Components, threads: Sequence[ThreadState], compiled: bool):
        self.memory, self.components, self.threads = memory, components, threads
        self.compiled = compiled and memory.game.compilable
        self.kernels = [kernel_for(memory.game, loop, compiled) for loop in self.loops]
        self.extra: tuple[Any, ...] = ()  # what the loop gets beside the context

    @property
    def is_prepared(self) -> bool:
        """Return whether all of it is compiled for the game as it is now."""
        return all(kernel.is_prepared for kernel in self.kernels)

    def prepare(self, progress: SearchProgress) -> None:
        """Compile it without a search."""
        self.kernels[0].prepare(self.context(KernelLimits(first_of(progress), 0, 0), self.variants(0)), *self.extra)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        """Search from the root until a limit is reached; `prune_ratio` prunes after so many iterations."""
        self.kernels[0](self.context(limits, self.variants(uncertain_from)), *self.extra)

    def use_threads(self, count: int) -> None:
        """Search with so many of the threads, where they share a tree."""

    def context(self, limits: KernelLimits, variants: Variants) -> SearchContext:
        """Return the arguments of the loop for the first thread."""
        switched = as_record(variants) if self.compiled else variants
        memory = self.memory
        return SearchContext(memory.game, *self.components, memory.tree, self.threads[0], limits, switched)

    def variants(self, uncertain_from: int) -> Variants:
        """Return the options as numbers, for the player to move at the root."""
        game, position = self.memory.game, self.memory.position
        variants = self.memory.options.variants(0 if position is None else position.to_move)
        return variants._replace(uncertain_from=uncertain_from, rivals=game.has_single_winner)


def run_together(works: Sequence[Callable[[], None]], stop_all: Callable[[], None]) -> None:
    """Run all at once, the first in this thread. If one fails, or can't begin, the others are stopped."""
    failures: list[BaseException] = []

    def work(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:
            failures.append(error)
            stop_all()

    others: list[threading.Thread] = []
    try:
        for one in works[1:]:
            other = threading.Thread(target=work, args=(one,), daemon=True)
            other.start()
            others.append(other)
        work(works[0])
    except BaseException:
        stop_all()
        raise
    finally:
        for other in others:
            other.join()
    if failures:
        raise failures[0]


class TeamKernel(Kernel):
    """Several threads search one tree (tree parallelization), each with a record of its own and without the GIL."""

    working = 0  # how many of the threads; 0: all

    def use_threads(self, count: int) -> None:
        self.working = count

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        context, threads = self.context(limits, self.variants(uncertain_from)), self.threads[: self.working or None]
        limits.progress[TAKEN] = limits.progress[ITERATIONS]

        def stop_all() -> None:  # no thread goes on with a broken tree, nor waits for one that has left
            limits.progress[STOP] = 1
            context.tree.give_up()

        contexts = [
            context._replace(thread=thread, tree=context.tree.of_thread(number, len(threads)))
            for number, thread in enumerate(threads)
        ]
        run_together([partial(self.kernels[0], one) for one in contexts], stop_all)


class RootKernel(Kernel):
    """Every thread searches a tree of its own. Each has its share of a limit, so that a search can be repeated."""

    def __init__(self, forest: Forest, components: Components, threads: Sequence[ThreadState], compiled: bool):
        super().__init__(forest.memories[0], components, threads, compiled)
        kind = BatchKernel if forest.options.batch_size > 1 else Kernel
        pairs = zip(forest.memories, threads, strict=True)
        self.parts = [kind(memory, components, [thread], compiled) for memory, thread in pairs]

    @property
    def is_prepared(self) -> bool:
        return self.parts[0].is_prepared

    def prepare(self, progress: SearchProgress) -> None:
        self.parts[0].prepare(progress)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        progress: Any = limits.progress  # of all trees
        trees = len(self.parts)

        def stop_all() -> None:
            progress[STOP] = 1

        def search_one(number: int) -> None:
            shares = (share_of(amount, number, trees) for amount in (limits.iterations, limits.edges))
            self.parts[number].run(KernelLimits(progress.each[number], *shares), uncertain_from)
            done = self.components.solver.is_finished(self.parts[number].memory.tree)
            if done and min(limits.iterations, limits.edges) >= ENDLESS:
                stop_all()  # no thread needs to wait for the clock

        run_together([partial(search_one, number) for number in range(trees)], stop_all)


class LeafKernel(Kernel):
    """One thread searches, and all simulate from its leaf (leaf parallelization)."""

    loops = (search_as_team,)

    def __init__(self, memory: ReusableTree, components: Components, threads: Sequence[ThreadState], compiled: bool):
        super().__init__(memory, components, threads, compiled)
        self.team = new_team(memory.game, memory.options.threads)
        self.extra = (self.team, 0)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        self.team.words[:] = 0
        context = self.context(limits, self.variants(uncertain_from))

        def stop_all() -> None:  # no thread waits for one that has left
            limits.progress[STOP] = 1
            self.team.words[OVER] = 1

        contexts = [context._replace(thread=thread) for thread in self.threads]
        loop = self.kernels[0]
        run_together([partial(loop, one, self.team, number) for number, one in enumerate(contexts)], stop_all)


class BatchKernel(Kernel):
    """Several leaves are selected before the first is evaluated."""

    loops = (search_in_batches,)

    def __init__(self, memory: ReusableTree, components: Components, threads: Sequence[ThreadState], compiled: bool):
        super().__init__(memory, components, threads, compiled)
        self.extra = (new_leaves(memory.game, memory.options.batch_size),)


class OutsideKernel(Kernel):
    """A function evaluates the positions of leaves, a batch at a time."""

    loops = (choose_leaves, credit_leaves)
    evaluator: Evaluator
    wanted: Sequence[str]  # what it gets beside positions

    def __init__(self, memory: ReusableTree, components: Components, threads: Sequence[ThreadState], compiled: bool):
        super().__init__(memory, components, threads, compiled)
        self.leaves = new_leaves(memory.game, memory.options.batch_size)

    def prepare(self, progress: SearchProgress) -> None:
        choose, credit = self.kernels
        context = self.context(KernelLimits(first_of(progress), 0, 0), self.variants(0))
        choose.prepare(context, self.leaves)
        credit.prepare(context, self.leaves, 0, False)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        choose, credit = self.kernels
        context = self.context(limits, self.variants(uncertain_from))
        while count := int(choose(context, self.leaves)):
            valued = False
            try:
                self._value(count)
                valued = True
            finally:
                credit(context, self.leaves, count, valued)

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Any) -> bool:
        """Evaluate the position of a thread as an evaluator of the loop does: for a single iteration."""
        self.leaves.states[0], self.leaves.recent[0] = thread.state[0], thread.recent
        self.leaves.legal[0] = False
        if not game.is_terminal(thread.state[0]):
            self.leaves.legal[0, game.legal_list(thread.state[0])] = True
        self._value(1)
        if game.is_terminal(thread.state[0]):
            game.returns(thread.state[0], thread.results)
        else:
            thread.results[:], thread.chances[:] = self.leaves.values[0], self.leaves.chances[0]
        credit_results(thread)
        return True

    def _value(self, count: int) -> None:
        """Ask for the values of the leaves that are not the end of a game."""
        game, states = self.memory.game, self.leaves.states
        open_ones = [leaf for leaf in range(count) if not game.is_terminal(states[leaf])]
        if not open_ones:
            return
        told = {name: getattr(self.leaves, name)[open_ones] for name in self.wanted}
        answer = self.evaluator(states[open_ones], **told)
        with_priors = isinstance(answer, tuple)
        if with_priors != self.components.selection.takes_priors:
            if with_priors:
                raise LuoziError("the evaluator gives priors: choose selection=puct")
            raise LuoziError("the evaluator gives no priors. Remove selection=puct.")
        values, priors = answer if with_priors else (answer, None)
        self.leaves.values[open_ones] = checked(values, (len(open_ones), game.players), "values")
        if priors is not None:
            self.leaves.chances[open_ones] = checked(priors, (len(open_ones), game.actions), "priors")


def parameter_names(function: Callable[..., Any]) -> Collection[str]:
    """Return the names of a function's parameters; nothing if Python can't tell.

    >>> list(parameter_names(lambda positions, legal: legal)), list(parameter_names(print))[:1], parameter_names(max)
    (['positions', 'legal'], ['args'], ())
    """
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return ()


def checked(numbers: Any, shape: tuple[int, int], what: str) -> Any:
    """Return the numbers of an evaluator as an array; raise LuoziError if a search can't use them."""
    try:
        array = np.asarray(numbers, np.float64)
    except (TypeError, ValueError):
        raise LuoziError(
            "the evaluator's {what} are not numbers: return an array of {shape}", what=what, shape=shape
        ) from None
    if array.shape != shape:
        raise LuoziError(
            "the evaluator's {what} have the shape {shape}: return an array of {wanted}",
            what=what,
            shape=array.shape,
            wanted=shape,
        )
    if not (np.isfinite(array).all() and (array >= 0).all() and (array <= 1).all()):
        raise LuoziError("the evaluator's {what} are not all from 0 to 1", what=what)
    return array


def kernel_of(
    forest: Forest,
    components: Components,
    threads: Sequence[ThreadState],
    compiled: bool,
    evaluator: Evaluator | None = None,
) -> Kernel:
    """Return the kernel for an engine's options, with a record for each thread."""
    options, memory = forest.options, forest.memories[0]
    if evaluator is not None:
        outside = OutsideKernel(memory, components, threads, compiled)
        outside.evaluator = evaluator
        outside.wanted = [name for name in ("legal", "recent") if name in parameter_names(evaluator)]
        return outside
    if len(forest.memories) > 1:
        return RootKernel(forest, components, threads, compiled)
    if len(threads) > 1:
        return (LeafKernel if options.parallel == "leaf" else TeamKernel)(memory, components, threads, compiled)
    return (BatchKernel if options.batch_size > 1 else Kernel)(memory, components, threads, compiled)
