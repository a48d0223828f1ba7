"""What an engine remembers from search to search: the tree, the notes beside it, and the positions it belongs to.

When a move is played the root moves down and the rest of the tree stays, so that the root can move up again when the
move is taken back. Only when the pool fills is the rest given back to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from luozi.messages import LuoziError, Message
from luozi.rules import Game
from luozi.search.options import Options
from luozi.search.tree import (
    ACCESS,
    Alone,
    Child,
    Held,
    clear,
    collect,
    doubt_root,
    edges_in,
    enter_root,
    forget,
    forget_history,
    leave_root,
    new_notes,
    new_tree,
    note_bytes,
    place_of,
    room_of,
    root_node,
    root_visits,
    used_bytes,
    used_share,
)

MOST_VISITS = 2**32 - 2  # what a counter in the tree can hold
RESERVE = 0.2  # a kept tree that leaves less than this share of the pool is dropped
SPARE = 0.25  # while no more than this share of the pool is in use, moves can be taken back


class Step(NamedTuple):
    """A position that was the root, and how it came about."""

    state: Any
    action: int = -1
    child: Child | None = None  # its place in the tree, if it has one


class Memory:
    """The tree of one engine."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game, self.options = game, options
        pool = pool_size(game, options)  # of this tree, where an engine has several
        self.tree = new_tree(pool, game.players, game.actions, access_of(options))
        self._spare = SPARE * (1 - (game.actions + 2) / pool)  # a small pool is for the root's own moves
        self.notes = new_notes(self.tree, options.variants(0))
        self._path: list[Step] = []  # from where the tree begins to the root
        self._held: dict[tuple[int, ...], Held] = {}  # what former roots have seen, by the moves that lead there
        self._searcher = 0  # who was to move when the last search began

    @property
    def root(self) -> Any:
        """The position at the tree's root; None as long as there is no tree."""
        return self._path[-1].state if self._path else None

    def prepare(self, state: Any, nodes: int = 0) -> None:
        """Go on with the tree if it has this position, else start a new one. A limit in nodes is for one tree alone."""
        found, searcher = self.go_to(state), int(self.game.current_player(state))
        foreign = self.options.is_personal(self._searcher, searcher)
        if found and (nodes or self.is_spent):
            self.collect()
        if not found or foreign or self.is_spent:
            self.clear_tree(state)
        if foreign:
            forget_history(self.notes)
        self._searcher = searcher
        if self.options.network:  # it may have known the result of a leaf without looking at a move
            doubt_root(self.notes)

    @property
    def is_spent(self) -> bool:
        """Whether there is no room for one more search, in the pool or in the counters."""
        return used_share(self.tree) > 1 - RESERVE or root_visits(self.tree) >= MOST_VISITS

    # The root moves -------------------------------------------------------------------------------------------------

    def advance(self, action: int) -> None:
        """A move was played: the root moves down."""
        if not self._path:
            return
        state = self.game.after(self.root, action)
        if not self.options.keep:
            self.clear_tree(state)
            return
        self._leave()
        self._path.append(Step(state, action, place_of(self.tree, root_node(self.tree), action)))
        self._enter()
        if used_share(self.tree) > self._spare:
            self.collect()

    def go_to(self, state: Any) -> bool:
        """Let the root move up to a position that it came by; whether there is one, or it is the root's own."""
        found = [depth for depth, step in enumerate(self._path) if step.state == state]
        if not found or not self.options.keep:
            return False
        while len(self._path) > found[-1] + 1:
            self._leave()
            self._path.pop()
            self._enter()
        return True

    def _leave(self) -> None:
        self._held[self._moves()] = leave_root(self.tree, self.notes, self._path[-1].child)

    def _enter(self) -> None:
        child, held = self._path[-1].child, self._held.get(self._moves())
        if held is not None and held.whole and child is not None:  # the tree has an edge for it by now
            held = None
        enter_root(self.tree, self.notes, child, held)

    def _moves(self) -> tuple[int, ...]:
        return tuple(step.action for step in self._path[1:])

    # Forgetting -----------------------------------------------------------------------------------------------------

    def collect(self) -> None:
        """Give back what is not below the root: no move can be taken back."""
        if len(self._path) > 1 or self._held:
            moves = self._moves()
            below = {key[len(moves) :]: held for key, held in self._held.items() if key[: len(moves)] == moves}
            self._held = {key: held for key, held in below.items() if key and not held.whole}
            self._path = [Step(self.root)]
            collect(self.tree, self.notes)

    def clear(self) -> None:
        """Forget everything."""
        self.clear_tree(None)
        forget_history(self.notes)

    def clear_tree(self, state: Any) -> None:
        """Forget every position but the root's; what was seen of moves anywhere stays."""
        forget(self.tree, self.notes)
        clear(self.tree)
        self._held = {}
        self._path = [] if state is None else [Step(state.copy())]

    @property
    def room(self) -> int:
        """How much memory the pool takes when it is full, with what is noted beside it."""
        return room_of(self.tree, self.notes)

    @property
    def bytes(self) -> int:
        """How much of the pool is in use, with what is noted beside it."""
        return used_bytes(self.tree, *note_bytes(self.options.variants(0), self.game.players))


def access_of(options: Options) -> Alone:
    """How the threads of a search share its tree."""
    if not options.is_raced:
        return Alone()
    free = "share" if options.share else options.counters
    return ACCESS[options.locks if options.locks != "free" else free]()


def pool_size(game: Game, options: Options) -> int:
    """How many edges the pool of one tree has room for."""
    pool = options.pool
    if options.memory:
        notes = note_bytes(options.variants(0), game.players)
        pool = min(pool, edges_in(int(options.memory * 1e6), game.players, game.actions, *notes))
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
