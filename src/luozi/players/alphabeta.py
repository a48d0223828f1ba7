"""`alphabeta` and `minimax`: depth-first search to a depth, with the game's own `evaluate` at the leaves.

Start with `look_ahead`, the compiled loop over a stack of positions; `AlphaBetaPlayer` calls it one move deeper each
time (iterative deepening). The window is that of player 1's value: player 1 raises alpha, the other lowers beta,
whoever is to move. It needs two players whose values add up to 1. All other games get max^n (Luckhardt and Irani 1986):
every player takes the best own value, and only what follows a win is cut off.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, random_below
from luozi.limits import Limits
from luozi.messages import LuoziError
from luozi.players.base import KernelPlayer, MoveEffort, Seconds, Seed, result_of_moves
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.position import Position
from luozi.search import SearchResult
from luozi.util.parameters import ParameterInfo

Depth = Annotated[
    int | None,
    ParameterInfo(
        "Search depth in moves. Forced replies in line games do not count. Default: with seconds, as deep as the time "
        "allows; otherwise 4 (minimax: 3), or less in slow games.",
        1,
        100,
    ),
]
DEEPEST = 64  # with a clock and no depth
FEW_LINES = 10_000_000  # with neither
# Fields of a frame: the number of moves, the next one, the player to move, the best move, the nodes before this move.
COUNT, NEXT, MOVER, BEST, BEFORE, FRAME_SIZE = 0, 1, 2, 3, 4, 5
ALPHA, BETA = 0, 1
# Indices of `progress`; STOP is 0 as in the search. ESTIMATED counts leaves where the depth ended, not the game.
STOP, NODES, ESTIMATED, UNEQUAL, PROGRESS_SIZE = 0, 1, 2, 3, 4

SOONER = 1e-6  # a result counts this much less for each move before it: wins come early and losses late
DOUBT = 0.02  # evaluations move this much towards 0.5, so that none is better than a win


class AlphaBetaStack(NamedTuple):
    """One frame for each position from the root down; D is the depth plus two."""

    states: Array  # [D] states
    actions: Array  # [D, actions] i4: the moves of each position in the order of search
    keys: Array  # [D, actions] f8: the values by which they are sorted
    frames: Array  # [D, FRAME_SIZE] i8
    values: Array  # [D, players] f8: the best value for the player to move so far
    windows: Array  # [D, 2] f8: player 1's alpha and beta
    legal: Array  # [actions] i4: scratch
    root_values: Array  # [actions, players] f8: the value of each root move; a bound if it was cut off
    root_nodes: Array  # [actions] i8: the positions searched below each root move


# The search ---------------------------------------------------------------------------------------------------------


@kernel
def look_ahead(game: Game, stack: AlphaBetaStack, progress: Array, limit: int, cuts: bool) -> None:
    """Search `limit` moves deep. Frame 0 holds the position and its moves; without `cuts` it is max^n."""
    stack.windows[0, ALPHA], stack.windows[0, BETA] = -1.0, 2.0
    open_frame(stack, 0)
    depth = 0
    while depth >= 0 and progress[STOP] == 0 and progress[UNEQUAL] == 0:
        if stack.frames[depth, NEXT] == stack.frames[depth, COUNT]:
            depth -= 1
            if depth >= 0:
                back_up(stack, progress, depth, cuts)
        elif descend(game, stack, progress, depth, limit, cuts):
            back_up(stack, progress, depth, cuts)
        else:
            depth += 1


@inline
def descend(game: Game, stack: AlphaBetaStack, progress: Array, depth: int, limit: int, cuts: bool) -> bool:
    """Play the next move of a frame; return whether the position after it is a leaf."""
    frame = stack.frames[depth]
    frame[BEFORE] = progress[NODES]
    progress[NODES] += 1
    play(game, stack, depth, int(stack.actions[depth, frame[NEXT]]))
    frame[NEXT] += 1
    if depth + 1 == limit or game.is_terminal(stack.states[depth + 1]):
        value_leaf(game, stack, progress, depth + 1, cuts)
        return True
    stack.windows[depth + 1, ALPHA] = stack.windows[depth, ALPHA]
    stack.windows[depth + 1, BETA] = stack.windows[depth, BETA]
    list_moves(game, stack, progress, depth + 1, limit, cuts)
    open_frame(stack, depth + 1)
    return bool(stack.frames[depth + 1, COUNT] == 0)


@inline
def play(game: Game, stack: AlphaBetaStack, depth: int, action: int) -> None:
    """Write the position after a move into the next frame."""
    stack.states[depth + 1] = stack.states[depth]
    game.apply_action(stack.states[depth + 1], action)


@inline
def open_frame(stack: AlphaBetaStack, depth: int) -> None:
    """Start a frame; a position without a move has equal shares."""
    players = stack.values.shape[1]
    stack.frames[depth, NEXT], stack.frames[depth, BEST] = 0, -1
    for player in range(players):
        stack.values[depth, player] = -1.0 if stack.frames[depth, COUNT] > 0 else 1.0 / players


@inline
def list_moves(game: Game, stack: AlphaBetaStack, progress: Array, depth: int, limit: int, cuts: bool) -> None:
    """List the moves by the values of the positions after them, except above leaves, where sorting costs more than
    it gains.
    """
    frame, actions, keys = stack.frames[depth], stack.actions[depth], stack.keys[depth]
    frame[MOVER] = game.current_player(stack.states[depth])
    frame[COUNT] = game.legal_actions(stack.states[depth], stack.legal)
    for index in range(frame[COUNT]):
        action, key, place = stack.legal[index], 0.0, index
        if depth + 1 < limit and progress[STOP] == 0:
            play(game, stack, depth, int(action))
            value_leaf(game, stack, progress, depth + 1, cuts)
            key = stack.values[depth + 1, frame[MOVER]]
        while place > 0 and key > keys[place - 1]:
            actions[place], keys[place] = actions[place - 1], keys[place - 1]
            place -= 1
        actions[place], keys[place] = action, key


@inline
def value_leaf(game: Game, stack: AlphaBetaStack, progress: Array, depth: int, cuts: bool) -> None:
    """Write the result of a finished game, or the game's evaluation."""
    values, players = stack.values[depth], stack.values.shape[1]
    over = game.is_terminal(stack.states[depth])
    towards_half = SOONER * depth if over else DOUBT
    if over:
        game.returns(stack.states[depth], values)
    else:
        progress[ESTIMATED] += 1
        game.evaluate(stack.states[depth], values)
    if cuts and abs(values[0] + values[1] - 1.0) > 1e-9:
        progress[UNEQUAL] = 1
    for player in range(players):
        value = min(1.0, max(0.0, values[player]))
        values[player] = value + (0.5 - value) * towards_half


@inline
def back_up(stack: AlphaBetaStack, progress: Array, depth: int, cuts: bool) -> None:
    """Use the value of the last move in its frame, and skip the other moves if it is enough."""
    frame, window, values, mover = (
        stack.frames[depth],
        stack.windows[depth],
        stack.values[depth],
        stack.frames[depth, MOVER],
    )
    players = values.shape[0]
    if depth == 0:
        stack.root_nodes[frame[NEXT] - 1] = progress[NODES] - frame[BEFORE]
        for player in range(players):
            stack.root_values[frame[NEXT] - 1, player] = stack.values[1, player]
    if stack.values[depth + 1, mover] > values[mover]:
        frame[BEST] = stack.actions[depth, frame[NEXT] - 1]
        for player in range(players):
            values[player] = stack.values[depth + 1, player]
    if cuts:
        if mover == 0:
            window[ALPHA] = max(window[ALPHA], values[0])
        else:
            window[BETA] = min(window[BETA], values[0])
    enough = values[mover] >= 1.0 - 0.5 * SOONER * (depth + 1)  # a win with this move: nothing is better
    if enough or (cuts and window[ALPHA] >= window[BETA]):
        frame[COUNT] = frame[NEXT]


# The players --------------------------------------------------------------------------------------------------------


class AlphaBetaPlayer(KernelPlayer):
    """Alpha-beta with iterative deepening, until the depth is reached or the time is up.

    >>> import luozi
    >>> game = luozi.game("connect4")
    >>> state = game.new_state()
    >>> for action in (3, 3, 2, 2):
    ...     state = game.after(state, action)
    >>> player = AlphaBetaPlayer(game, depth=4, seed=1)
    >>> player.choose(state) in (1, 4)  # three in a row with both ends open
    True
    """

    name, own_depth, cuts = "alphabeta", 4, True

    def __init__(self, game: Game, depth: Depth = None, seconds: Seconds = None, seed: Seed = None) -> None:
        super().__init__(game, seed)
        self.limits, self.given_depth = Limits(seconds=seconds or 0.0), depth
        if not callable(getattr(game, "evaluate", None)):
            raise LuoziError(
                "{of} needs a game with evaluate(self, state, values); {game} has none",
                of=self.name,
                game=game.spelling,
            )
        self.cutting = self.cuts and game.players == 2
        self.depth = self._depth_for(self.limits)
        self.stack = new_stack(game, self.depth)
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)

    def _depth_for(self, limits: Limits) -> int:
        """Return the most moves to look ahead: as given, as the time allows, or the default."""
        return min(self.given_depth or (DEEPEST if limits.seconds else self._own_depth()), self.game.length_limit)

    def _own_depth(self) -> int:
        """Return the default depth: 4 or 3, less where that takes long. With cuts about the root of all lines is
        searched.
        """
        depth = self.own_depth
        while depth > 1 and self.game.actions ** (depth / 2 if self.cutting else depth) > FEW_LINES:
            depth -= 1
        return depth

    def prepare(self) -> None:
        self.order: list[int] = []
        self._look(0)

    def _set_up(self, position: Position, legal: list[int], force: Limits) -> None:
        state = position.state
        self.depth = self._depth_for(force)
        if self.depth + 2 > len(self.stack.frames):
            self.stack = new_stack(self.game, self.depth)
        order = self._pass_last(shuffled(legal, self.rng))
        self.found = dict.fromkeys(order, (0, (1 / self.game.players,) * self.game.players))
        self.order, self.reached, self.best = order, 0, order[0]
        self.stack.states[0] = state
        self.stack.frames[0, MOVER] = self.game.current_player(state)
        self._look(0)

    def _tell(self, position: Position, seconds: float) -> SearchResult:
        work = MoveEffort(int(self.progress[NODES]), seconds, self.reached, self.seed, sampled=False)
        return result_of_moves(position, self.best, self.found, work)

    def _work(self, force: Limits) -> None:
        """Search deeper and deeper; the result of a search counts when the search is complete."""
        depth, mover = 1, int(self.stack.frames[0, MOVER])
        while depth <= self.depth:
            self.progress[ESTIMATED] = 0
            self._look(depth)
            if self.progress[UNEQUAL]:  # values that do not add up to 1: alpha-beta would be wrong
                self.cutting, self.progress[UNEQUAL] = False, 0
                continue
            if self.progress[STOP]:
                return
            self._take_over()
            self.reached = depth
            value = self.stack.values[0, mover]
            if self.progress[ESTIMATED] == 0 or abs(value - 0.5) > 0.5 - SOONER * DEEPEST:
                return  # decided: a deeper search changes nothing
            depth += 1

    def _look(self, depth: int) -> None:
        """Search from the root, with its moves in the order of the last search; depth 0 only compiles."""
        count = len(self.order) if depth else 0
        self.stack.actions[0, : len(self.order)] = self.order
        self.stack.frames[0, COUNT] = count
        kernel_for(self.game, look_ahead)(self.game, self.stack, self.progress, depth, self.cutting)

    def _take_over(self) -> None:
        """Store the result of the last search; its best move comes first in the next one."""
        searched = int(self.stack.frames[0, COUNT])
        self.best, mover = int(self.stack.frames[0, BEST]), int(self.stack.frames[0, MOVER])
        for row, action in enumerate(self.order[:searched]):
            self.found[action] = int(self.stack.root_nodes[row]), tuple(self.stack.root_values[row].tolist())
        order = sorted(self.order, key=lambda action: (action != self.best, -self.found[action][1][mover]))
        self.order = self._pass_last(order)

    def _pass_last(self, order: list[int]) -> list[int]:
        """Return the moves with the pass at the end: of equal moves the first is played."""
        return sorted(order, key=lambda action: action == self.game.pass_action)


class MinimaxPlayer(AlphaBetaPlayer):
    """Minimax: alpha-beta without cutoffs, which finds the same values more slowly."""

    name, own_depth, cuts = "minimax", 3, False


def new_stack(game: Game, depth: int) -> AlphaBetaStack:
    """Return a stack for this depth."""
    size = depth + 2
    return AlphaBetaStack(
        states=game.empty_states(size),
        actions=np.zeros((size, game.actions), np.int32),
        keys=np.zeros((size, game.actions), np.float64),
        frames=np.zeros((size, FRAME_SIZE), np.int64),
        values=np.zeros((size, game.players), np.float64),
        windows=np.zeros((size, 2), np.float64),
        legal=np.zeros(game.actions, np.int32),
        root_values=np.zeros((game.actions, game.players), np.float64),
        root_nodes=np.zeros(game.actions, np.int64),
    )


def shuffled(actions: list[int], rng: Array) -> list[int]:
    """Return the actions in random order, which decides between moves of equal value."""
    mixed = list(actions)
    for last in range(len(mixed) - 1, 0, -1):
        other = random_below(rng, last + 1)
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed
