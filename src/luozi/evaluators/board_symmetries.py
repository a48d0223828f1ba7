"""Symmetries of a game: rotations and reflections of its board under which moves and results stay the same.

None is taken for granted: each rotation and reflection of the board is tried in random games that are played on the
board and on its image side by side, also with the players exchanged.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, kernel, new_rng, random_below
from luozi.evaluators.board_inputs import BoardInput, board_input
from luozi.messages import LuoziError
from luozi.rules.board import GRID, HEXAGONS, LAYERS, NEUTRAL, Board, board_of
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State

GAMES, MOST_MOVES = 16, 600
GAMES_UNCOMPILED = 2
ROW_HEIGHT = np.sqrt(3) / 2  # of hexagons whose centres are 1 apart
NEAR = 1e-6
TURNS = 12  # of 30 degrees, for hexagons and points
SAME = 1e-9  # results
DIFFERENT, ALIKE, DECIDED = range(3)  # two boards on which a game is played; decided: and somebody won

Permutation = npt.NDArray[np.int32]


class Symmetries(NamedTuple):
    """Rearrangements of a position for a network: `new[i] = old[table[s, i]]`. The first changes nothing."""

    cells: Permutation  # [S, cells]
    logits: Permutation  # [S, logits]
    swaps: npt.NDArray[np.uint8]  # [S]: whether the players are exchanged


def symmetries_of(game: Game) -> Symmetries:
    """The symmetries of a game, found in random games at the first call.

    >>> import luozi
    >>> len(symmetries_of(luozi.game("go:size=5")).cells), len(symmetries_of(luozi.game("breakthrough")).cells)
    (8, 4)
    """
    found: Symmetries | None = vars(game).get("_board_symmetries")
    if found is None:
        found = vars(game)["_board_symmetries"] = find_symmetries(game)
    return found


def find_symmetries(game: Game) -> Symmetries:
    """The same, always looked for anew."""
    seen, board = board_input(game), board_of(game)
    assert board is not None  # `board_input` refuses games without one
    may_swap = game.players == 2 and seen.own_numbers <= 0  # numbers of the class may be a player's, as komi is
    found: list[tuple[Permutation, Permutation, int]] = []
    for cells, swap in itertools.product(candidates(board), range(1 + may_swap)):
        logits = outputs_under(seen, cells)
        same = not found or (logits is not None and holds(game, seen, cells, logits, swap))
        if logits is not None and same:
            found.append((cells, logits, swap))
    columns = list(zip(*found, strict=True))
    return Symmetries(np.array(columns[0]), np.array(columns[1]), np.array(columns[2], np.uint8))


# Of the board ---------------------------------------------------------------------------------------------------------


def candidates(board: Board) -> Iterator[Permutation]:
    """The rotations and reflections of a board that lead from cells to cells, the one that changes nothing first.

    >>> [len(list(candidates(board))) for board in (Board.grid(3, 3), Board.grid(3, 4), Board.hexagons(3, 3))]
    [8, 4, 4]
    """
    places = centres(board)
    exists = np.ones(board.cells, bool)
    exists[[*board.missing, *board.forbidden]] = False
    middle = (places[exists].max(axis=0) + places[exists].min(axis=0)) / 2
    for matrix in turns_of(board):
        centre = middle if board.kind in (GRID, LAYERS) else places[exists].mean(axis=0)
        moved = (places - centre) @ matrix + centre
        nearest = np.abs(moved[:, None] - places[None]).sum(axis=2)
        nearest[:, ~exists] = np.inf
        table = nearest.argmin(axis=1)
        table[~exists] = np.flatnonzero(~exists)
        off = nearest[np.arange(board.cells), table][exists]
        if off.max() < NEAR and len(np.unique(table)) == board.cells and keeps_lines(board, table):
            yield table.astype(np.int32)


def centres(board: Board) -> npt.NDArray[np.float64]:
    """Where each cell is."""
    if board.points:
        return np.array(board.points, np.float64)
    layer, row, column = np.indices((board.layers, board.rows, board.columns)).reshape(3, -1).astype(np.float64)
    if board.kind == HEXAGONS:
        offset = np.array(board.offset or [0.0] * board.rows)
        return np.stack([column + offset[row.astype(int)], row * ROW_HEIGHT], axis=1)
    return np.stack([layer, row, column], axis=1)


def turns_of(board: Board) -> Iterator[npt.NDArray[np.float64]]:
    """Matrices of rotations and reflections, the identity first."""
    if board.kind in (GRID, LAYERS):
        for order in itertools.permutations(range(3)):
            for signs in itertools.product((1.0, -1.0), repeat=3):
                matrix = np.eye(3)[list(order)] * np.array(signs)
                if board.layers > 1 or (order[0] == 0 and signs[0] == 1.0):
                    yield matrix
        return
    for mirror, turn in itertools.product((1.0, -1.0), range(TURNS)):
        sine, cosine = np.sin(2 * np.pi * turn / TURNS), np.cos(2 * np.pi * turn / TURNS)
        yield np.array([[cosine, sine], [-sine, cosine]]) @ np.diag([mirror, 1.0])


def keeps_lines(board: Board, table: Array) -> bool:
    """Whether points that are joined stay joined."""
    joined = {frozenset(line) for line in board.lines}
    return all(frozenset(int(table[point]) for point in line) in joined for line in joined)


# Of the rules ---------------------------------------------------------------------------------------------------------


def outputs_under(seen: BoardInput, cells: Permutation) -> Permutation | None:
    """Where each output of a network goes when the cells do; None: to cells that no action has."""
    new_cells = np.append(cells, -1)[seen.action_cells.view(np.ndarray)]  # the last place is for no cell
    width = (seen.cells + 1) * np.ones(3, np.int64)
    weights = np.append(np.cumprod(width[1:])[::-1], 1) * seen.groups
    keys, images = (rows.astype(np.int64) @ weights + seen.action_group for rows in (seen.action_cells, new_cells))
    order = np.argsort(keys)
    table = order[np.searchsorted(keys[order], images).clip(max=seen.logits - 1)]
    none = seen.action_cells[:, 0] < 0
    table[none] = np.flatnonzero(none)
    return table.astype(np.int32) if np.array_equal(keys[table][~none], images[~none]) else None


def holds(game: Game, seen: BoardInput, cells: Permutation, logits: Permutation, swap: int) -> bool:
    """Whether random games and their images have the same moves and results."""
    first = image_of_start(game, cells, swap)
    if first is None:
        return False
    image = np.argsort(logits)  # the output that an output becomes
    actions = np.full((game.players, game.actions), -1, np.int32)
    for mover in range(game.players):
        other = 1 - mover if swap else mover
        action_of = np.full(seen.logits + 1, -1, np.int32)
        action_of[seen.logit_of[other]] = np.arange(game.actions)
        action_of[-1] = -1  # also the place of outputs that are unknown
        outputs = seen.logit_of[mover]
        actions[mover] = np.where(outputs < 0, -1, action_of[image[outputs]])
    rng, run = new_rng(1), kernel_for(game, play_beside)
    pair, results = game.empty_states(2), np.zeros((2, game.players))
    legal, stamps = np.zeros((2, game.actions), np.int32), np.full(game.actions, -1, np.int64)
    decided = 0
    for _ in range(GAMES if game.compilable else GAMES_UNCOMPILED):
        pair[0], pair[1] = game.new_state(), first
        stamps[:] = -1
        told = run(game, pair, legal, stamps, results, actions, swap, rng, MOST_MOVES)
        if told == DIFFERENT:
            return False
        decided += told == DECIDED
    return decided > 0 or not swap  # players are exchanged only where it was seen that their results are, too


def image_of_start(game: Game, cells: Permutation, swap: int) -> State | None:
    """The start of the game on the image of the board; None if the class can't set it up."""
    start = game.new_state()
    try:
        setup = game.setup_of(start)
        new_cell = np.argsort(cells)
        pieces = tuple(
            sorted((int(new_cell[cell]), 1 - player if swap and player != NEUTRAL else player, kind)
            for cell, player, kind in setup.pieces)
        )  # fmt: skip
        mover = 1 - setup.to_move if swap else setup.to_move
        if pieces == tuple(sorted(setup.pieces)) and mover == setup.to_move:
            return start
        found = game.new_state()
        game.from_setup(found, replace(setup, pieces=pieces, to_move=mover, last=None))
    except (LuoziError, IndexError, ValueError):
        return None
    return found


@kernel
def play_beside(
    game: Game, pair: Array, legal: Array, stamps: Array, results: Array, actions: Array, swap: int, rng: Array,
    most: int,
) -> int:  # fmt: skip
    """Play a random game on two boards, each action on one and its image on the other; DIFFERENT unless they agree."""
    for move in range(most):
        over = game.is_terminal(pair[0])
        if over != game.is_terminal(pair[1]):
            return DIFFERENT
        if over:
            game.returns(pair[0], results[0])
            game.returns(pair[1], results[1])
            decided = False
            for player in range(game.players):
                other = 1 - player if swap else player
                decided = decided or results[0, player] != results[0, 0]
                if abs(results[0, player] - results[1, other]) > SAME:
                    return DIFFERENT
            return DECIDED if decided else ALIKE
        mover, image = game.current_player(pair[0]), game.current_player(pair[1])
        if image != (1 - mover if swap else mover):
            return DIFFERENT
        count = game.legal_actions(pair[0], legal[0])
        if count != game.legal_actions(pair[1], legal[1]) or count <= 0:
            return DIFFERENT
        for place in range(count):
            stamps[legal[1, place]] = move
        for place in range(count):
            action = actions[mover, legal[0, place]]
            if action < 0 or stamps[action] != move:
                return DIFFERENT
        action = legal[0, random_below(rng, count)]
        game.apply_action(pair[0], action)
        game.apply_action(pair[1], actions[mover, action])
    return ALIKE
