"""What a network sees of a board, as tables in plain Python: neighbours of cells, where pieces stand in the record,
the cells of each action, and numbers beside the board.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array
from luozi.evaluators.board_sample import Sample
from luozi.messages import LuoziError
from luozi.rules.board import HEXAGONS, MAX_CELLS, NEUTRAL, POINTS, Board, cells_of, pieces_of
from luozi.rules.game import Game
from luozi.rules.state import State, field_names

CLICKS = 3  # of an action; of one with more, the first two and the last
BYTE = 256
LOOKED_AT = 96  # positions whose pieces and clicks are compared: half to find a table, half to test it
LARGEST_NUMBER = 1 << 16  # numbers of the record that can be larger are hashes or bits
Codes = npt.NDArray[np.int64]  # [cells] 0 empty, 1 + player * kinds + kind, then nobody's kinds


# Neighbours -----------------------------------------------------------------------------------------------------------


def existing_cells(board: Board) -> npt.NDArray[np.uint8]:
    """1 for each cell that exists and may be used."""
    exists = np.ones(board.cells, np.uint8)
    exists[[*board.missing, *board.forbidden]] = 0
    return exists


def neighbour_table(board: Board) -> npt.NDArray[np.int32]:
    """For each cell the cells around it, itself included, each direction in a column of its own; -1: there is none.

    >>> neighbour_table(Board.grid(2, 2))[0].tolist()
    [-1, -1, -1, -1, 0, 1, -1, 2, 3]
    >>> neighbour_table(Board.hexagons(2, 2))[1].tolist()
    [-1, -1, 0, 1, -1, 2, 3]
    """
    exists = existing_cells(board)
    rows = [list(_points_around(board, cell) if board.kind == POINTS else _around(board, cell)) for cell in
            range(board.cells)]  # fmt: skip
    width = max(map(len, rows))
    table = np.array([row + [-1] * (width - len(row)) for row in rows], np.int32)
    table[(table >= 0) & (exists[table] == 0)] = -1
    table[exists == 0] = -1
    return table


def _points_around(board: Board, cell: int) -> Iterator[int]:
    """The point itself, then those joined to it."""
    yield cell
    for one, other in board.lines:
        if cell in (one, other):
            yield other if one == cell else one


def _around(board: Board, cell: int) -> Iterator[int]:
    """The cells of a 3x3 or 3x3x3 box around one; of hexagons, the two of each row above and below that touch it."""
    layer, row, column = board.place(cell)
    for up, down, right in itertools.product((-1, 0, 1) if board.layers > 1 else (0,), (-1, 0, 1), (-1, 0, 1)):
        place, beside = (layer + up, row + down), column + right
        if board.kind == HEXAGONS and down and 0 <= place[1] < board.rows:
            if right == 0:
                continue
            beside = column + round(board.offset[row] - board.offset[place[1]] + right / 2) if board.offset else beside
        elif board.kind == HEXAGONS and down and right == 0:
            continue
        inside = 0 <= place[0] < board.layers and 0 <= place[1] < board.rows and 0 <= beside < board.columns
        yield (place[0] * board.rows + place[1]) * board.columns + beside if inside else -1


# Pieces ---------------------------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """A part of the record that says what stands in each cell, or where some of it stands."""

    name: str
    places: npt.NDArray[np.int64]  # [cells]: the byte of the record
    shifts: npt.NDArray[np.uint8]  # [cells]: by so many bits
    mask: int
    codes: npt.NDArray[np.uint8]  # [256]: what a value stands for


def kinds_of(game: Game, looked: Sequence[Sequence[tuple[int, int, str]]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds of players' pieces and of nobody's, in alphabetical order; each board of a game has the same ones."""
    known = [*game.piece_kinds(), *((player, kind) for pieces in looked for _, player, kind in pieces)]
    own = sorted({kind for player, kind in known if player != NEUTRAL}) or [""]
    return tuple(own), tuple(sorted({kind for player, kind in known if player == NEUTRAL}))


def codes_of(
    game: Game, pieces: Sequence[tuple[int, int, str]], kinds: Sequence[str], neutral: Sequence[str], cells: int
) -> Codes:
    """What stands in each cell, as a number."""
    codes = np.zeros(cells, np.int64)
    for cell, player, kind in pieces:
        known = game.players * len(kinds) + neutral.index(kind) if player == NEUTRAL else None
        codes[cell] = 1 + (player * len(kinds) + kinds.index(kind) if known is None else known)
    return codes


def find_sources(game: Game, states: Sequence[State], codes: Sequence[Codes]) -> list[Source]:
    """Parts of the record that together say what stands everywhere; none if there are no such parts.

    The first half of the positions is for finding, the other half for testing.
    """
    memory = np.array([np.frombuffer(state.tobytes(), np.uint8) for state in states])
    known, half = np.array(codes), (len(states) + 1) // 2
    found: list[Source] = []
    seen = np.zeros_like(known)
    for name, places, shifts, mask in candidates(game, known.shape[1]):
        values = (memory[:, places] >> shifts) & mask
        table = _table(values[:half], known[:half])
        told = table[values]
        if np.any((told != 0) & (told != known)):
            continue
        source = Source(name, places, shifts, mask, table)
        if np.array_equal(told, known):
            return [source]
        if np.any((told != 0) & (seen == 0)):
            found.append(source)
            seen = np.maximum(seen, told)
    return found if np.array_equal(seen, known) else []


def _table(values: Array, codes: Array) -> npt.NDArray[np.uint8]:
    """What each value stands for; 0 where it says nothing for certain."""
    table, least = np.zeros(BYTE, np.uint8), np.full(BYTE, BYTE)
    np.minimum.at(least, values.reshape(-1), codes.reshape(-1))
    most = np.zeros(BYTE, np.int64)
    np.maximum.at(most, values.reshape(-1), codes.reshape(-1))
    same = least == most
    table[same] = most[same]
    return table


def candidates(game: Game, cells: int) -> Iterator[tuple[str, Array, Array, int]]:
    """Parts of the record with one entry or one bit for each cell: whole entries first, then bits.

    Entries may be in the order of the cells, or where an attribute of the game says, as beside a border.
    """
    indexes: list[tuple[str, Array]] = [("", np.arange(cells))]
    for name, value in sorted(vars(game).items()):
        if isinstance(value, np.ndarray) and value.shape == (cells,) and value.dtype.kind in "iu" and value.min() >= 0:
            indexes.append((f"[{name}]", value.view(np.ndarray).astype(np.int64)))
    fields = []
    for name in field_names(game.dtype):
        kind, offset = field_of(game, name)
        count, base = int(np.prod(kind.shape)) if kind.shape else 1, kind.base
        if base.kind in "iub" and base.isnative and name not in game.scratch_fields:
            fields.append((name, offset, count, base.itemsize))
    lowest = (lambda size: 0) if sys.byteorder == "little" else (lambda size: size - 1)
    for (name, offset, count, size), (title, index) in itertools.product(fields, indexes):
        blocks = max(1, count // cells) if not title else 1
        for block in range(blocks if count >= cells else 0):
            places = block * cells + index
            if places.max() < count:
                yield name + title, offset + places * size + lowest(size), np.zeros(cells, np.uint8), BYTE - 1
    for (name, offset, count, size), (title, index) in itertools.product(fields, indexes):
        for word in range(count if index.max() < 8 * size and len(np.unique(index)) == cells else 0):
            inside = index // 8 if sys.byteorder == "little" else size - 1 - index // 8
            yield f"{name}{title}", offset + word * size + inside, (index % 8).astype(np.uint8), 1


# Actions --------------------------------------------------------------------------------------------------------------


class ClickTable(NamedTuple):
    """Which outputs of a network there are, by the cells that a person would click, and which one is an action's."""

    cells: npt.NDArray[np.int16]  # [outputs, 3], -1: no click
    group: npt.NDArray[np.int16]  # [outputs]: the order number among those with the same cells
    output_of: npt.NDArray[np.int32]  # [players, actions], -1: unknown
    fixed: bool  # whether an action's cells depend on nothing, or on whose turn it is only


def click_table(game: Game, sample: Sample) -> ClickTable:
    """The cells of each action: of all, if they never change; else as in the first position where it is legal."""
    start = game.new_state()
    if game.has_fixed_moves():
        return _outputs(game, {(0, action): clicked(game, start, action) for action in range(game.actions)}, True)
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for mover, action in np.argwhere(sample.seen >= 0).tolist():
        known[mover, action] = clicked(game, sample.states[sample.seen[mover, action]], action)
    fixed = _are_fixed(game, sample, known)
    by_action: dict[int, set[tuple[int, ...]]] = {}
    for (_, action), cells in known.items():
        by_action.setdefault(action, set()).add(cells)
    if fixed and any(len(cells) > 1 for cells in by_action.values()):
        return _outputs(game, known, True)
    first = np.where(sample.seen < 0, len(sample.states), sample.seen)
    same: dict[tuple[int, int], tuple[int, ...]] = {}
    for action in range(game.actions):
        if action in by_action:
            same[0, action] = known[int(first[:, action].argmin()), action]
        elif fixed:
            same |= _tried(game, start, action)
    return _outputs(game, same, fixed)


def clicked(game: Game, state: State, action: int) -> tuple[int, ...]:
    """The cells of an action, three at most."""
    cells = list(game.clicks(state, action))
    if not all(type(cell) is int and 0 <= cell < MAX_CELLS for cell in cells):
        cells = cells_of(game, "clicks", state, action)  # refuses them, or makes them plain numbers
    return tuple(cells if len(cells) <= CLICKS else [*cells[: CLICKS - 1], cells[-1]])


def _tried(game: Game, state: State, action: int) -> dict[tuple[int, int], tuple[int, ...]]:
    """The cells of an action that was never legal, if the class names some all the same."""
    try:
        cells = clicked(game, state, action)
    except Exception:  # what a user's class raises for an action that is not legal may be anything
        return {}
    return {(0, action): cells} if cells else {}


def _are_fixed(game: Game, sample: Sample, known: dict[tuple[int, int], tuple[int, ...]]) -> bool:
    """Whether actions have the same cells in later positions too."""
    for at in spread(len(sample.states), LOOKED_AT // 2):
        mover = int(sample.movers[at])
        for action in game.legal_list(sample.states[at]):
            if (mover, action) in known and clicked(game, sample.states[at], action) != known[mover, action]:
                return False
    return True


def _outputs(game: Game, known: dict[tuple[int, int], tuple[int, ...]], fixed: bool) -> ClickTable:
    """An output for each (cells, order number), in the order of the actions; `known` is by mover and action."""
    movers = {mover for mover, _ in known}
    output_of = np.full((game.players, game.actions), -1, np.int32)
    outputs: dict[tuple[tuple[int, ...], int], int] = {}
    for mover in sorted(movers):
        used: dict[tuple[int, ...], int] = {}
        for action in range(game.actions):
            cells = known.get((mover, action))
            if cells is not None:
                group = used.get(cells, 0) if cells else 0
                used[cells] = group + 1
                key = (cells, group) if cells else ((), -1 - action)
                output_of[mover, action] = outputs.setdefault(key, len(outputs))
    if movers == {0}:
        output_of[:] = output_of[0]
    if not outputs:
        raise LuoziError("{game}: no action was legal in random games", game=game.spelling)
    table = np.full((len(outputs), CLICKS), -1, np.int16)
    for row, (cells, _) in enumerate(outputs):
        table[row, : len(cells)] = cells
    group_of = np.array([max(0, group) for _, group in outputs], np.int16)
    return ClickTable(table, group_of, output_of, fixed)


# Numbers beside the board ---------------------------------------------------------------------------------------------


class Number(NamedTuple):
    """A whole number of the record, or one for each player."""

    name: str
    place: int  # the first byte
    size: int
    signed: bool
    each: bool  # one for each player
    scale: float


def find_numbers(game: Game, sample: Sample, used: Sequence[str]) -> list[Number]:
    """Numbers of the record that change; not whose turn it is, nor the last move, nor a hash."""
    found = []
    for name in field_names(game.dtype):
        kind, offset = field_of(game, name)
        each = kind.shape == (game.players,) and game.players > 1
        if kind.base.kind not in "iu" or not kind.base.isnative or name in used or name in game.scratch_fields:
            continue
        if kind.shape and not each:
            continue
        values = sample.states[name].astype(np.float64)
        most = float(np.abs(values).max(initial=0.0))
        if (
            name == "last"
            or np.ptp(values) == 0
            or most >= LARGEST_NUMBER
            or (not each and np.array_equal(values, sample.movers))
        ):
            continue
        found.append(Number(name, offset, kind.base.itemsize, kind.base.kind == "i", each, most))
    return found


def field_of(game: Game, name: str) -> tuple[np.dtype[Any], int]:
    """The type of a field of the record, and its first byte."""
    fields = game.dtype.fields
    assert fields is not None
    return fields[name][0], int(fields[name][1])


def spread(count: int, most: int) -> list[int]:
    """So many numbers below `count`, evenly spread.

    >>> spread(10, 4)
    [0, 3, 6, 9]
    """
    return sorted(set(np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist())) if count else []


def looked_at(game: Game, sample: Sample) -> tuple[list[State], list[list[tuple[int, int, str]]]]:
    """Some positions, in random order, and the pieces in them."""
    chosen = np.random.default_rng(1).permutation(spread(len(sample.states), LOOKED_AT)).tolist()
    states = [sample.states[at] for at in chosen]
    return states, [pieces_of(game, state) for state in states]
