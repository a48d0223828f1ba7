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
from luozi.search.tree import give_up, part_of_thread
from luozi.search.tree_reuse import ReusableTree

ENDLESS = 2**31  # so many iterations are no limit: something else ends the search
Loop = Callable[..., Any]  # a kernel: its first argument is the context of a thread
# Positions -> values, or values and priors; with a parameter `legal` or `recent` also their legal or last moves.
Evaluator = Callable[..., Any]


class Kernel:
    """The loop with a game, the parts of its shape, a tree and the scratch of a thread."""

    def __init__(self, memory: ReusableTree, shape: Components, thread: ThreadState, compiled: bool) -> None:
        self.memory, self.shape, self.thread = memory, shape, thread
        self.compiled = compiled and memory.game.compilable
        self.kernels = tuple([kernel_for(memory.game, function, compiled) for function in self._functions()])

    def _functions(self) -> tuple[Loop, ...]:
        """What is compiled."""
        return (search,)

    @property
    def is_prepared(self) -> bool:
        """Whether all of it is compiled for the game as it is now."""
        return all(kernel.is_prepared for kernel in self.kernels)

    def prepare(self, progress: SearchProgress) -> None:
        """Compile it; nothing is searched."""
        self.kernels[0].prepare(self._context(KernelLimits(first_of(progress), 0, 0), self.variants(0)))

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        """Search from the root until a limit is reached; only from so many iterations on moves are uncertain."""
        self.kernels[0](self._context(limits, self.variants(uncertain_from)))

    def use_threads(self, count: int) -> None:
        """Search with so many threads of those there are, where they share a tree."""

    def _context(self, limits: KernelLimits, switched: Variants) -> SearchContext:
        variants = as_record(switched) if self.compiled else switched
        memory = self.memory
        return SearchContext(memory.game, *self.shape, memory.tree, memory.notes, self.thread, limits, variants)

    def variants(self, uncertain_from: int) -> Variants:
        """What is switched, for who is to move at the root."""
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


def context_of_thread(context: SearchContext, number: int, crew: Sequence[ThreadState]) -> SearchContext:
    """The context of one of several threads in one tree: its own record, and its part of how they share the tree."""
    return context._replace(thread=crew[number], tree=part_of_thread(context.tree, number, len(crew)))


class TeamKernel(Kernel):
    """Several threads search one tree, each with a record of its own; the interpreter is not needed for it."""

    def __init__(self, memory: ReusableTree, shape: Components, crew: Sequence[ThreadState], compiled: bool) -> None:
        super().__init__(memory, shape, crew[0], compiled)
        self.crew, self.working = crew, len(crew)

    def use_threads(self, count: int) -> None:
        self.working = count

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        context = self._context(limits, self.variants(uncertain_from))
        limits.progress[TAKEN] = limits.progress[ITERATIONS]

        def stop_all() -> None:  # nobody goes on with a tree that is broken, nor waits for who has left
            limits.progress[STOP] = 1
            give_up(context.tree)

        crew = self.crew[: self.working]
        contexts = [context_of_thread(context, number, crew) for number in range(self.working)]
        run_together([partial(self.kernels[0], one) for one in contexts], stop_all)


class RootKernel(Kernel):
    """Every thread searches a tree of its own. Each has its share of a limit, so that a search can be repeated."""

    def __init__(self, forest: Forest, shape: Components, crew: Sequence[ThreadState], compiled: bool) -> None:
        kind = BatchKernel if forest.options.batch_size > 1 else Kernel
        self.parts = [kind(one, shape, thread, compiled) for one, thread in zip(forest.memories, crew, strict=True)]
        super().__init__(forest.memories[0], shape, crew[0], compiled)

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
            own = KernelLimits(
                progress.each[number],
                share_of(limits.iterations, number, trees),
                share_of(limits.edges, number, trees),
            )
            self.parts[number].run(own, uncertain_from)
            done = self.shape.prover.is_done(self.parts[number].memory.notes)
            if done and min(limits.iterations, limits.edges) >= ENDLESS:
                stop_all()  # nobody needs to wait for the clock

        run_together([partial(search_one, number) for number in range(trees)], stop_all)


class LeafKernel(Kernel):
    """One thread searches, and all simulate from the leaf that it has come to."""

    def __init__(self, memory: ReusableTree, shape: Components, crew: Sequence[ThreadState], compiled: bool) -> None:
        super().__init__(memory, shape, crew[0], compiled)
        self.crew = crew

    def _functions(self) -> tuple[Loop, ...]:
        self.team = new_team(self.memory.game, self.memory.options.threads)
        return (search_as_team,)

    def prepare(self, progress: SearchProgress) -> None:
        self.kernels[0].prepare(self._context(KernelLimits(first_of(progress), 0, 0), self.variants(0)), self.team, 0)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        self.team.words[:] = 0
        context = self._context(limits, self.variants(uncertain_from))

        def stop_all() -> None:  # nobody waits for who has left
            limits.progress[STOP] = 1
            self.team.words[OVER] = 1

        contexts = [context._replace(thread=thread) for thread in self.crew]
        loop = self.kernels[0]
        run_together([partial(loop, one, self.team, number) for number, one in enumerate(contexts)], stop_all)


class BatchKernel(Kernel):
    """Several leaves are chosen before the first is valued."""

    def _functions(self) -> tuple[Loop, ...]:
        self.leaves = new_leaves(self.memory.game, self.memory.options.batch_size)
        return (search_in_batches,)

    def prepare(self, progress: SearchProgress) -> None:
        self.kernels[0].prepare(self._context(KernelLimits(first_of(progress), 0, 0), self.variants(0)), self.leaves)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        self.kernels[0](self._context(limits, self.variants(uncertain_from)), self.leaves)


class OutsideKernel(Kernel):
    """Leaves are valued by a function that gets their positions, a batch at a time."""

    def __init__(
        self, memory: ReusableTree, shape: Components, thread: ThreadState, compiled: bool, evaluator: Evaluator
    ) -> None:
        super().__init__(memory, shape, thread, compiled)
        self.evaluator = evaluator
        self.wanted = [name for name in ("legal", "recent") if name in parameter_names(evaluator)]

    def _functions(self) -> tuple[Loop, ...]:
        self.leaves = new_leaves(self.memory.game, self.memory.options.batch_size)
        return choose_leaves, credit_leaves

    def prepare(self, progress: SearchProgress) -> None:
        choose, credit = self.kernels
        context = self._context(KernelLimits(first_of(progress), 0, 0), self.variants(0))
        choose.prepare(context, self.leaves)
        credit.prepare(context, self.leaves, 0, False)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        choose, credit = self.kernels
        context = self._context(limits, self.variants(uncertain_from))
        while count := int(choose(context, self.leaves)):
            valued = False
            try:
                self._value(count)
                valued = True
            finally:
                credit(context, self.leaves, count, valued)

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Any) -> bool:
        """The position that the thread is at, as an evaluator of the loop values it: for a single step."""
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
        if with_priors != self.shape.chooser.takes_priors:
            if with_priors:
                raise LuoziError("the evaluator gives priors: choose selection=puct")
            raise LuoziError("the evaluator gives no priors: leave selection=puct out")
        values, priors = answer if with_priors else (answer, None)
        self.leaves.values[open_ones] = checked(values, (len(open_ones), game.players), "values")
        if priors is not None:
            self.leaves.chances[open_ones] = checked(priors, (len(open_ones), game.actions), "priors")


def parameter_names(function: Callable[..., Any]) -> Collection[str]:
    """What a function calls its parameters; nothing if Python can't tell.

    >>> list(parameter_names(lambda positions, legal: legal)), list(parameter_names(print))[:1], parameter_names(max)
    (['positions', 'legal'], ['args'], ())
    """
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return ()


def checked(numbers: Any, shape: tuple[int, int], what: str) -> Any:
    """The numbers of an evaluator; one sentence if they are not what a search can use."""
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
    forest: Forest, shape: Components, crew: Sequence[ThreadState], compiled: bool, evaluator: Evaluator | None = None
) -> Kernel:
    """The kernel that an engine's options ask for, with a record for each thread."""
    memory = forest.memories[0]
    if evaluator is not None:
        return OutsideKernel(memory, shape, crew[0], compiled, evaluator)
    if len(forest.memories) > 1:
        return RootKernel(forest, shape, crew, compiled)
    if len(crew) > 1 and forest.options.parallel == "leaf":
        return LeafKernel(memory, shape, crew, compiled)
    if len(crew) > 1:
        return TeamKernel(memory, shape, crew, compiled)
    return (BatchKernel if memory.options.batch_size > 1 else Kernel)(memory, shape, crew[0], compiled)
