"""The compiled loop, as it is called for one engine."""

from __future__ import annotations

from luozi.evaluators.thread import Limits, Thread
from luozi.evaluators.variants import Variants, as_record
from luozi.running import kernel_for
from luozi.search.loop import search
from luozi.search.memory import Memory
from luozi.search.shapes import Shape


class Kernel:
    """The loop with a game, the parts of its shape, a tree and the scratch of a thread."""

    def __init__(self, memory: Memory, shape: Shape, thread: Thread, compiled: bool) -> None:
        self.memory, self.shape, self.thread = memory, shape, thread
        self.compiled = compiled and memory.game.compilable
        self.call = kernel_for(memory.game, search, compiled)

    def run(self, limits: Limits, uncertain_from: int) -> None:
        """Search from the root until a limit is reached; only from so many iterations on moves are uncertain."""
        variants = self.variants(uncertain_from)
        settings = as_record(variants) if self.compiled else (variants,)
        memory = self.memory
        self.call(memory.game, *self.shape, memory.tree, memory.notes, self.thread, limits, settings)

    def variants(self, uncertain_from: int) -> Variants:
        """What is switched, for who is to move at the root."""
        game, root = self.memory.game, self.memory.root
        player = 0 if root is None else int(game.current_player(root))
        variants = self.memory.options.variants(player)
        return variants._replace(uncertain_from=uncertain_from, rivals=game.is_rivalry)
