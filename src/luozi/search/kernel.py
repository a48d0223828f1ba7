"""The compiled loop, as it is called for one engine: leaf by leaf, in batches, or with values from elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
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
from luozi.search.forest import Forest, share_of
from luozi.search.loop import search
from luozi.search.tree import give_up, part_of_thread
from luozi.search.tree_reuse import ReusableTree

ENDLESS = 2**31  # so many iterations are no limit: something else ends the search
Evaluator = Callable[[Any], Any]  # positions -> values, or values and priors


class Kernel:
    """The loop with a game, the parts of its shape, a tree and the scratch of a thread."""

    def __init__(self, memory: ReusableTree, shape: Components, thread: ThreadState, compiled: bool) -> None:
        self.memory, self.shape, self.thread = memory, shape, thread
        self.compiled = compiled and memory.game.compilable
        self.kernels = self._kernels(compiled)

    def _kernels(self, compiled: bool) -> tuple[Callable[..., Any], ...]:
        return (kernel_for(self.memory.game, search, compiled),)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        """Search from the root until a limit is reached; only from so many iterations on moves are uncertain."""
        self.kernels[0](self._desk(limits, uncertain_from))

    def use_threads(self, count: int) -> None:
        """Search with so many threads of those there are, where they share a tree."""

    def _desk(self, limits: KernelLimits, uncertain_from: int) -> SearchContext:
        switched = self.variants(uncertain_from)
        variants = as_record(switched) if self.compiled else switched
        return SearchContext(
            self.memory.game, *self.shape, self.memory.tree, self.memory.notes, self.thread, limits, variants
        )

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


def desk_of_thread(desk: SearchContext, number: int, crew: Sequence[ThreadState]) -> SearchContext:
    """The desk of one of several threads in one tree: its own record, and its own part of how they share the tree."""
    return desk._replace(thread=crew[number], tree=part_of_thread(desk.tree, number, len(crew)))


class TeamKernel(Kernel):
    """Several threads search one tree, each with a record of its own; the interpreter is not needed for it."""

    def __init__(self, memory: ReusableTree, shape: Components, crew: Sequence[ThreadState], compiled: bool) -> None:
        super().__init__(memory, shape, crew[0], compiled)
        self.crew, self.working = crew, len(crew)

    def use_threads(self, count: int) -> None:
        self.working = count

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        if not limits.iterations:
            super().run(limits, uncertain_from)  # to compile
            return
        desk = self._desk(limits, uncertain_from)
        limits.progress[TAKEN] = limits.progress[ITERATIONS]

        def stop_all() -> None:  # nobody goes on with a tree that is broken, nor waits for who has left
            limits.progress[STOP] = 1
            give_up(desk.tree)

        crew = self.crew[: self.working]
        desks = [desk_of_thread(desk, number, crew) for number in range(self.working)]
        run_together([partial(self.kernels[0], one) for one in desks], stop_all)


class RootKernel(Kernel):
    """Every thread searches a tree of its own. Each has its share of a limit, so that a search can be repeated."""

    def __init__(self, forest: Forest, shape: Components, crew: Sequence[ThreadState], compiled: bool) -> None:
        kind = BatchKernel if forest.options.batch_size > 1 else Kernel
        self.parts = [kind(one, shape, thread, compiled) for one, thread in zip(forest.memories, crew, strict=True)]
        super().__init__(forest.memories[0], shape, crew[0], compiled)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        progress: Any = limits.progress  # of all trees
        if not limits.iterations:
            self.parts[0].run(limits._replace(progress=progress.each[0]), uncertain_from)  # to compile
            return
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

    def _kernels(self, compiled: bool) -> tuple[Callable[..., Any], ...]:
        from luozi.search.leaf_parallel import new_team, search_as_team

        self.team = new_team(self.memory.game, self.memory.options.threads)
        return (kernel_for(self.memory.game, search_as_team, compiled),)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        from luozi.search.leaf_parallel import OVER

        crew = self.crew if limits.iterations else self.crew[:1]  # or only to compile
        self.team.words[:] = 0
        desk = self._desk(limits, uncertain_from)

        def stop_all() -> None:  # nobody waits for who has left
            limits.progress[STOP] = 1
            self.team.words[OVER] = 1

        desks = [desk._replace(thread=thread) for thread in crew]
        run_together([partial(self.kernels[0], one, self.team, number) for number, one in enumerate(desks)], stop_all)


class BatchKernel(Kernel):
    """Several leaves are chosen before the first is valued."""

    def _kernels(self, compiled: bool) -> tuple[Callable[..., Any], ...]:
        from luozi.search.leaves import new_leaves, search_in_batches

        self.leaves = new_leaves(self.memory.game, self.memory.options.batch_size)
        return (kernel_for(self.memory.game, search_in_batches, compiled),)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        self.kernels[0](self._desk(limits, uncertain_from), self.leaves)


class OutsideKernel(Kernel):
    """Leaves are valued by a function that gets their positions, a batch at a time."""

    def __init__(
        self, memory: ReusableTree, shape: Components, thread: ThreadState, compiled: bool, evaluator: Evaluator
    ) -> None:
        super().__init__(memory, shape, thread, compiled)
        self.evaluator = evaluator

    def _kernels(self, compiled: bool) -> tuple[Callable[..., Any], ...]:
        from luozi.search.leaves import choose_leaves, credit_leaves, new_leaves

        game = self.memory.game
        self.leaves = new_leaves(game, self.memory.options.batch_size)
        return kernel_for(game, choose_leaves, compiled), kernel_for(game, credit_leaves, compiled)

    def run(self, limits: KernelLimits, uncertain_from: int) -> None:
        choose, credit = self.kernels
        desk = self._desk(limits, uncertain_from)
        if not limits.iterations:
            credit(desk, self.leaves, 0, False)  # compiled before the clock starts
        while count := int(choose(desk, self.leaves)):
            valued = False
            try:
                self._value(count)
                valued = True
            finally:
                credit(desk, self.leaves, count, valued)

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Any) -> bool:
        """The position that the thread is at, as an evaluator of the loop values it: for a single step."""
        self.leaves.states[0] = thread.state[0]
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
        answer = self.evaluator(states[open_ones])
        with_priors = isinstance(answer, tuple)
        if with_priors != self.shape.chooser.takes_priors:
            if with_priors:
                raise LuoziError("the evaluator gives priors: choose selection=puct")
            raise LuoziError("the evaluator gives no priors: leave selection=puct out")
        values, priors = answer if with_priors else (answer, None)
        self.leaves.values[open_ones] = checked(values, (len(open_ones), game.players), "values")
        if priors is not None:
            self.leaves.chances[open_ones] = checked(priors, (len(open_ones), game.actions), "priors")


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
