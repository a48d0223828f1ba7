"""`ReusableTree`: the tree that an engine keeps from search to search, and the positions that were its root.

`ReusableTree.move_to` gets the next position, however it arose. The root moves down along moves and up where
moves were taken back; the rest of the tree stays, so that the root can come back to it. The rest is given back to
the pool when the pool fills.
"""

from __future__ import annotations

from typing import NamedTuple

from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.rules.position import Edit, Position
from luozi.rules.state import State
from luozi.search.options import Options
from luozi.search.tree.children import room_of, root_node, root_visits, used_bytes, used_share
from luozi.search.tree.locking import SHARED_TREES
from luozi.search.tree.pool import Child, edges_in
from luozi.search.tree.reroot import (
    HeldRoot,
    child_by_action,
    clear_positions,
    collect,
    enter_root,
    leave_root,
)
from luozi.search.tree.tree import Tree

MOST_VISITS = 2**32 - 2  # what a counter in the tree can hold
RESERVE = 0.2  # a kept tree that leaves less than this share of the pool is dropped
SPARE = 0.25  # while no more than this share of the pool is in use, moves can be taken back


class RootEntry(NamedTuple):
    """A position that was the root."""

    position: Position
    child: Child | None = None  # its place in the tree, if it has one


class ReusableTree:
    """The tree of one engine."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game, self.options = game, options
        pool = pool_size(game, options)  # of this tree, where an engine has several
        self.tree = tree_class(options)(pool, game.players, game.actions, options.variants(0))
        self._spare = SPARE * (1 - (game.actions + 2) / pool)  # a small pool is for the root's own moves
        self._path: list[RootEntry] = []  # from where the tree begins to the root
        self._held: dict[Position, HeldRoot] = {}  # what former roots have seen
        self._searcher = 0  # who was to move when the last search began

    @property
    def position(self) -> Position | None:
        """Return the position at the tree's root; None as long as there is no tree."""
        return self._path[-1].position if self._path else None

    @property
    def root(self) -> State | None:
        """Its state."""
        return self._path[-1].position.state if self._path else None

    def prepare(self, position: Position, nodes: int = 0) -> None:
        """Go on with the tree if it has this position, else start a new one. A limit in nodes is for one tree alone."""
        found, searcher = self.move_to(position), position.to_move
        foreign = self.options.is_personal(self._searcher, searcher)
        if found and (nodes or self.is_spent):
            self.collect()
        if not found or foreign or self.is_spent:
            self.clear_tree(position)
        if foreign:
            self.tree.clear_history()
        self._searcher = searcher
        if self.options.network:  # it may have known the result of a leaf without looking at a move
            self.tree.doubt_root()

    @property
    def is_spent(self) -> bool:
        """Return whether there is no room for one more search, in the pool or in the counters."""
        return used_share(self.tree) > 1 - RESERVE or root_visits(self.tree) >= MOST_VISITS

    # The root moves -------------------------------------------------------------------------------------------------

    def move_to(self, position: Position) -> bool:
        """Let the root be this position, if the tree has it: after moves, after moves were taken back, or both."""
        if not self._path or not self.options.reuse_tree or self.options.gumbel_candidates:  # it begins with none
            return False
        target = position if position.has_history else self._known(position)
        common = None if target is None else target.common(self._path[-1].position)
        if target is None or common is None or common.length < self._path[0].position.length:
            return False
        following = target.since(common)
        if any(isinstance(one.step, Edit) for one in following):
            return False
        while self._path[-1].position.length > common.length:
            self._step(None)
        for one in following:
            self._step(one)
        return True

    def _known(self, position: Position) -> Position | None:
        """Return the last position on the path with the state of one that has no history."""
        state = position.state
        return next((step.position for step in reversed(self._path) if step.position.state == state), None)

    def _step(self, following: Position | None) -> None:
        """Move the root along the move that leads to a position, or with None back along the move before it."""
        here = self._path[-1]
        self._held[here.position] = leave_root(self.tree, here.child)
        if following is None:
            self._path.pop()
        else:
            assert isinstance(following.step, int)
            self._path.append(RootEntry(following, child_by_action(self.tree, root_node(self.tree), following.step)))
        position, child = self._path[-1]
        held = self._held.get(position)
        if held is not None and held.whole and child is not None:  # the tree has an edge for it by now
            held = None
        enter_root(self.tree, child, held)
        if following is not None and used_share(self.tree) > self._spare:
            self.collect()

    # Forgetting -----------------------------------------------------------------------------------------------------

    def collect(self) -> None:
        """Give back what is not below the root: no move can be taken back."""
        if len(self._path) > 1 or self._held:
            root = self._path[-1].position
            self._held = {one: held for one, held in self._held.items() if one.is_after(root) and not held.whole}
            self._path = [RootEntry(root)]
            collect(self.tree)

    def clear(self) -> None:
        """Forget everything."""
        self.clear_tree(None)
        self.tree.clear_history()

    def clear_tree(self, position: Position | None) -> None:
        """Begin a new tree at a position; what was seen of moves anywhere stays."""
        clear_positions(self.tree)
        self.tree.clear()
        self._held = {}
        self._path = [] if position is None else [RootEntry(position)]

    def restart(self) -> None:
        """Empty the tree at the position of its root."""
        self.clear_tree(self.position)

    @property
    def room(self) -> int:
        """Return how many bytes the pool takes when it is full."""
        return room_of(self.tree)

    @property
    def bytes(self) -> int:
        """Return how many bytes of the pool are in use."""
        return used_bytes(self.tree, self.options.variants(0))


def tree_class(options: Options) -> type[Tree]:
    """Return the class of a tree that one thread searches, or several by the options `locks` and `counters`."""
    if not options.is_raced:
        return Tree
    free = "transpositions" if options.transpositions else options.counters
    return SHARED_TREES[options.locks if options.locks != "free" else free]


def pool_size(game: Game, options: Options) -> int:
    """Return how many edges the pool of one tree has room for."""
    pool = options.pool_size
    if options.max_memory_mb:
        room = int(options.max_memory_mb * 1e6)
        pool = min(pool, edges_in(room, game.players, game.actions, options.variants(0)))
    if pool // options.trees < game.actions + 2:
        each = Message(" for each of {count} trees", count=options.trees) if options.trees > 1 else ""
        raise LuoziError(
            "the node pool has room for {pool} nodes; {game} needs {need} at least{each}: raise pool or memory",
            pool=f"{pool:,}",
            game=game.spelling,
            need=f"{game.actions + 2:,}",
            each=each,
        )
    return pool // options.trees
