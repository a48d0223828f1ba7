"""What an engine remembers from search to search: the tree, the notes beside it, and the position it belongs to."""

from __future__ import annotations

from typing import Any

from luozi.errors import LuoziError
from luozi.rules import Game
from luozi.search.options import Options
from luozi.search.tree import (
    clear,
    edges_in,
    forget,
    forget_history,
    forget_proofs,
    keep_subtree,
    new_notes,
    new_tree,
    note_bytes,
    root_visits,
    used_bytes,
    used_share,
)

MOST_VISITS = 2**32 - 2  # what a counter in the tree can hold
RESERVE = 0.2  # a kept tree that leaves less than this share of the pool is dropped


class Memory:
    """The tree of one engine."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game, self.options = game, options
        self.tree = new_tree(pool_size(game, options), game.players, game.actions)
        self.notes = new_notes(self.tree, options.variants(0))
        self.root: Any = None  # the position at the tree's root
        self._searcher = 0  # who was to move when the last search began

    def prepare(self, state: Any) -> None:
        """Go on with the tree if it is this position's, else start a new one."""
        if not self.options.keep or self.root is None or self.root != state or self.is_spent:
            self.clear_tree()
        elif self.game.current_player(state) != self._searcher:
            self._forget_personal()
        self._searcher = self.game.current_player(state)
        self.root = state.copy()

    @property
    def is_spent(self) -> bool:
        """Whether there is no room for one more search, in the pool or in the counters."""
        return used_share(self.tree) > 1 - RESERVE or root_visits(self.tree) >= MOST_VISITS

    def _forget_personal(self) -> None:
        """Take back what was noted for another who searched."""
        if self.options.notes_are_personal:
            self.clear_tree()
            forget_history(self.notes)
        elif self.options.proofs_are_personal:
            forget_proofs(self.tree, self.notes)

    def advance(self, action: int) -> None:
        """A move was played: what is known below it stays."""
        if self.root is None:
            return
        self.root = self.game.after(self.root, action)
        if self.options.keep:
            keep_subtree(self.tree, action, self.notes)
        else:
            self.clear_tree()

    def clear(self) -> None:
        """Forget everything."""
        self.clear_tree()
        forget_history(self.notes)
        self.root = None

    def clear_tree(self) -> None:
        """Forget every position; what was seen of moves anywhere stays."""
        forget(self.tree, self.notes)
        clear(self.tree)

    @property
    def bytes(self) -> int:
        """How much of the pool is in use, with what is noted beside it."""
        return used_bytes(self.tree, *note_bytes(self.options.variants(0), self.game.players))


def pool_size(game: Game, options: Options) -> int:
    """How many edges the pool has room for."""
    pool = options.pool
    if options.memory:
        notes = note_bytes(options.variants(0), game.players)
        pool = min(pool, edges_in(int(options.memory * 1e6), game.players, game.actions, *notes))
    if pool < game.actions + 2:
        raise LuoziError(
            f"the node pool has room for {pool:,} nodes; {game.spelling} needs "
            f"{game.actions + 2:,} at least: raise pool or memory"
        )
    return pool
