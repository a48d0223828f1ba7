"""One iteration written down: its path and scores, the new node, the playout, the credit.

The loop runs uncompiled for it, with the same parts, tree and random numbers, so that it does what the compiled search
would have done next.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from luozi.evaluators.thread_state import FIXED_POINT
from luozi.rules.state import State
from luozi.search.context import SearchContext, recall_moves
from luozi.search.loop import search
from luozi.search.tree.children import children_of
from luozi.search.tree.pool import Child
from luozi.search.tree.tree import Tree
from luozi.util.parsing import JsonObject

UNLIMITED = 2**62
BEYOND = 1e8  # scores that only sort: all unvisited moves first, lost and cut ones last


@dataclass(frozen=True)
class ChildTrace:
    """A child as selection saw it."""

    action: int
    name: str
    visits: int
    terms: dict[str, float]  # what its score is made of, and the score itself; empty for a move that was never tried

    def as_dict(self) -> JsonObject:
        """Return plain data; what is out of all proportion (tried first, never) is None."""
        terms = {name: value if abs(value) < BEYOND else None for name, value in self.terms.items()}
        return {"action": self.action, "name": self.name, "visits": self.visits, "terms": terms}


@dataclass(frozen=True)
class Selection:
    """What happened at one node of the path."""

    player: int
    visits: int
    choices: tuple[ChildTrace, ...]  # the children that were there
    chosen: int  # an action
    name: str
    new: bool  # the chosen move had never been tried

    def as_dict(self) -> JsonObject:
        """Return the same as dictionaries and lists."""
        return {**asdict(self), "choices": [choice.as_dict() for choice in self.choices]}


@dataclass(frozen=True)
class IterationTrace:
    """One iteration."""

    path: tuple[Selection, ...]  # from the root down
    simulation: tuple[str, ...]  # the moves of the random game, by name; none where the result was certain
    credit: tuple[float, ...]  # what each player got
    reasons: tuple[str, ...] = ()  # what chose each of these moves; empty where the game's simulations don't tell
    actions: tuple[int, ...] = ()  # the same moves by number
    judged: bool = False  # a network or a function said what the position is worth, in place of a random game

    def __str__(self) -> str:
        down = " ".join(f"{one.name}{'*' if one.new else ''}" for one in self.path)
        credit = ", ".join(f"{value:g}" for value in self.credit)
        told = zip(self.reasons or ("",) * len(self.simulation), self.simulation, strict=True)
        moves = [f"{reason} at {name}," if reason else name for reason, name in told]
        played = " ".join(moves).removesuffix(",") or "-"
        return f"select {down or '-'}; {'judge' if self.judged else f'simulate {played}'}; credit {credit}"

    def as_dict(self) -> JsonObject:
        """Return the same as dictionaries and lists.

        >>> IterationTrace((), ("b1",), (1.0, 0.0), actions=(1,)).as_dict()
        {'path': [], 'simulation': ['b1'], 'credit': [1.0, 0.0], 'reasons': [], 'actions': [1], 'judged': False}
        """
        lists = {name: list(getattr(self, name)) for name in ("simulation", "credit", "reasons", "actions")}
        return {"path": [one.as_dict() for one in self.path], **lists, "judged": self.judged}


class Told(NamedTuple):
    """What was recorded; apart from the recorder, whose attributes are those of the game."""

    path: list[Selection]
    moves: list[str]  # those of the path too
    actions: list[int]
    reasons: list[str]


POLICY = ("enter_node", "expand_leaf", "backpropagate", "update_statistics")


class TraceRecorder:
    """Stand in for the game and the selection policy of the loop, and record their calls."""

    def __init__(self, context: SearchContext, told: Told) -> None:
        self._game, self._selection, self._thread, self._told = context.game, context.selection, context.thread, told
        self._playout = getattr(context.evaluator, "playout", None)

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._selection, name, None) if name in POLICY else None
        return own if own is not None else getattr(self._game, name)

    def prepare_evaluation(self, context: SearchContext, depth: int) -> None:
        recall_moves(context.tree, context.thread, depth)  # also where only an evaluator outside asks for them

    def apply_action(self, state: State, action: int) -> None:
        if np.shares_memory(np.asarray(state).view(np.ndarray), self._thread.state.view(np.ndarray)):
            self._told.moves.append(self._game.action_to_string(state, int(action)))
            self._told.actions.append(int(action))
            self._told.reasons.append(self._playout.reason(self._thread.memory[0]) if self._playout else "")
        self._game.apply_action(state, action)

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]:
        tree, position = context.tree, context.thread.state[0].copy()
        before = [
            ChildTrace(
                action,
                self._game.action_to_string(position, action),
                tree.visits_of(child),
                self._selection.terms(context, above, player, child),
            )
            for action, child in children_by_action(tree, node)
        ]
        visits = tree.visits_of(above)
        chosen, fresh = self._selection.select_child(context, node, above, player)
        if chosen.edge:
            action = tree.action_of(chosen)
            name = self._game.action_to_string(position, action)
            self._told.path.append(Selection(int(player), visits, tuple(before), action, name, bool(fresh)))
        return chosen, fresh


class Valuer:
    """Stand in for the evaluator, and record whether it was called: a proven leaf is not evaluated."""

    def __init__(self, evaluator: Any) -> None:
        self._evaluator, self.asked = evaluator, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._evaluator, name)

    def evaluate(self, *about: Any) -> bool:
        self.asked = True
        return bool(self._evaluator.evaluate(*about))


def children_by_action(tree: Tree, node: int) -> list[tuple[int, Child]]:
    """Return the children of a node with their moves."""
    children = children_of(tree, node)
    places = (Child(*place) for place in children.places())
    return list(zip(children.action.tolist(), places, strict=True))


def one_step(context: SearchContext) -> IterationTrace:
    """Run the loop once and tell what it did."""
    told = Told([], [], [], [])
    watcher: Any = TraceRecorder(context, told)
    valuer: Any = Valuer(context.evaluator)
    search.py_func(context._replace(game=watcher, selection=watcher, evaluator=valuer))
    down = len(told.path)
    judged = valuer.asked and len(told.moves) == down and not context.game.is_terminal(context.thread.state[0])
    credit = tuple(float(value) / FIXED_POINT for value in context.thread.credit)
    reasons = tuple(told.reasons[down:]) if any(told.reasons[down:]) else ()
    return IterationTrace(
        tuple(told.path), tuple(told.moves[down:]), credit, reasons, tuple(told.actions[down:]), judged
    )
