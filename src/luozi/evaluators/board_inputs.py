"""What a network sees of a position of any game whose class describes its board, and which output is which action.

`board_input` makes the tables once for each game and tests them; `BoardInput.write_planes` uses them, in compiled
searches and uncompiled alike. Positions are seen as the player to move sees them: their own pieces come first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from luozi.compiled import Array, Compilable, signed
from luozi.compiled.records import byte_of
from luozi.evaluators.board_sample import Sample, sample_of
from luozi.evaluators.board_tables import (
    ClickTable,
    Number,
    Source,
    click_table,
    codes_of,
    existing_cells,
    find_numbers,
    find_sources,
    kinds_of,
    looked_at,
    neighbour_table,
)
from luozi.messages import LuoziError
from luozi.rules.board import Board, board_of
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.util.parameters import split_spelling

HISTORY = 4  # recent moves that are shown
CODES = 256
MOST_NUMBERS = 64
MOST = 4.0  # a number beside the board, scaled


@dataclass(frozen=True)
class Tables:
    """All that is found out about a game, in plain Python."""

    board: Board
    kinds: tuple[str, ...]
    neutral: tuple[str, ...]
    sources: list[Source]
    clicks: ClickTable
    numbers: list[Number]
    own_numbers: int


class BoardInput(Compilable):
    """The tables of one game for networks. Nothing is written to it: threads share one."""

    def __init__(self, game: Game, tables: Tables, history: int) -> None:
        board, clicks = tables.board, tables.clicks
        self.name = family_name(game)  # of the games that share weights
        self.players, self.cells, self.kind, self.history = game.players, board.cells, board.kind, history
        self.rows, self.columns, self.layers = board.rows, board.columns, board.layers
        self.exists = existing_cells(board)  # [cells] u1
        self.neighbours = neighbour_table(board)  # [cells, around] i4, -1: none
        self.around = self.neighbours.shape[1]
        self.kinds, self.neutral, self.fields = tables.kinds, tables.neutral, [s.name for s in tables.sources]
        self._set_actions(clicks)
        self._set_sources(tables.sources)
        self._set_numbers(tables)
        self._name_planes(game)

    def _set_actions(self, clicks: ClickTable) -> None:
        self.logits, self.action_cells, self.action_group = len(clicks.cells), clicks.cells, clicks.group
        self.logit_of = clicks.output_of  # [players, actions] i4: an action's output, -1: unknown
        self.groups = int(clicks.group.max()) + 1
        has_cell = clicks.cells >= 0
        count = has_cell.sum(axis=1)
        self.extras, self.fixed_clicks = int((count == 0).sum()), int(clicks.fixed)
        outputs = np.where(clicks.output_of < 0, len(count), clicks.output_of)
        first = np.append(clicks.cells[:, 0], -1)
        last = np.append(clicks.cells[np.arange(len(count)), np.maximum(count, 1) - 1], -1)
        self.first_cell = first[outputs].astype(np.int16)  # [players, actions]: the first click, -1: none
        self.last_cell = last[outputs].astype(np.int16)  # and the last
        self.without_cell = (np.append(count, 1)[outputs] == 0).astype(np.uint8)  # [players, actions]
        self.has_targets = int((count > 1).any())

    def _set_sources(self, sources: list[Source]) -> None:
        self.sources = len(sources)  # 0: the class has a method `network_cells`
        shape = (max(1, len(sources)), self.cells)
        places, shifts = np.zeros(shape, np.int64), np.zeros(shape, np.uint8)
        masks, codes = np.zeros(len(places), np.uint8), np.zeros((len(places), CODES), np.uint8)
        for row, source in enumerate(sources):
            places[row], shifts[row], masks[row], codes[row] = source.places, source.shifts, source.mask, source.codes
        self.source_places, self.source_shifts, self.source_masks, self.source_codes = places, shifts, masks, codes

    def _set_numbers(self, tables: Tables) -> None:
        each = [(number, player) for number in tables.numbers for player in range(self.players if number.each else 1)]
        self.own_numbers = tables.own_numbers  # how many the class writes by `network_globals`; -1: it has no such
        self.read_numbers = 0 if tables.own_numbers >= 0 else len(each)
        rows = max(1, len(each))
        self.number_place, self.number_player = np.zeros(rows, np.int64), np.full(rows, -1, np.int8)
        self.number_size, self.number_signed = np.ones(rows, np.int8), np.zeros(rows, np.int8)
        self.number_scale = np.ones(rows, np.float32)
        for row, (number, player) in enumerate(each):
            self.number_place[row], self.number_size[row] = number.place, number.size
            self.number_player[row] = player if number.each else -1
            self.number_signed[row], self.number_scale[row] = number.signed, 1.0 / number.scale
        own = [f"number {index + 1}" for index in range(tables.own_numbers)]
        read = [f"{n.name} of player +{player}" if n.each else n.name for n, player in each]
        shown = [f"move {back + 1} back had no cell" for back in range(self.history)]
        seats = [f"seat {seat + 1} moves" for seat in range(self.players)]
        self.number_names = (*seats, *shown, *(own if tables.own_numbers >= 0 else read))
        self.numbers = len(self.number_names)

    def _name_planes(self, game: Game) -> None:
        """The planes in their order, and the plane of each code for each player to move."""
        owners = ["own", "other"] if game.players == 2 else ["own", *(f"player +{r}" for r in range(1, game.players))]
        names = [f"{owner} {kind or 'pieces'}" for owner in owners for kind in self.kinds]
        names += [f"nobody's {kind or 'pieces'}" for kind in self.neutral]
        self.legal_plane = len(names)
        names += ["legal moves: first cell"] + ["legal moves: last cell"] * self.has_targets
        self.exists_plane, self.recent_plane = len(names), len(names) + 1
        names += ["cells that exist", *(f"move {back + 1} back" for back in range(self.history))]
        self.plane_names, self.planes = tuple(names), len(names)
        kinds, players = len(self.kinds), self.players
        self.plane_of = np.full((players, CODES), self.exists_plane, np.int16)  # what is unknown is not shown
        for mover in range(players):
            for code in range(players * kinds + len(self.neutral)):
                owner, kind = divmod(code, kinds)
                own = (owner - mover) % players * kinds + kind
                self.plane_of[mover, code + 1] = own if code < players * kinds else code

    # Compiled ---------------------------------------------------------------------------------------------------------

    def write_planes(
        self, game: Game, state: State, legal: Array, count: int, recent: Array, planes: Array, numbers: Array
    ) -> None:
        """Write what a network sees of a position: `planes` [planes, cells] of 0 and 1, and `numbers`.

        `legal` has the legal actions, `recent` the last ones, the newest first, -1 where there are none.
        """
        mover = signed(game.current_player(state))
        for plane in range(self.planes):
            for cell in range(self.cells):
                planes[plane, cell] = 0
        codes = planes[self.exists_plane]  # until all else is there
        self.read_cells(game, state, codes)
        for cell in range(self.cells):
            if codes[cell] != 0:
                planes[self.plane_of[mover, codes[cell]], cell] = 1
            codes[cell] = self.exists[cell]
        for place in range(count):
            cell = self.first_cell[mover, legal[place]]
            if cell >= 0:
                planes[self.legal_plane, cell] = 1
                if self.has_targets:
                    planes[self.legal_plane + 1, self.last_cell[mover, legal[place]]] = 1
        self.write_recent(recent, planes, numbers, mover)
        self.write_numbers(game, state, numbers, mover)

    def read_cells(self, game: Game, state: State, codes: Array) -> None:
        """Write what stands in each cell into zeros."""
        if self.sources == 0:
            game.network_cells(state, codes)
        for source in range(self.sources):
            for cell in range(self.cells):
                value = byte_of(state, signed(self.source_places[source, cell]))
                value = (value >> self.source_shifts[source, cell]) & self.source_masks[source]
                codes[cell] = max(codes[cell], self.source_codes[source, value])

    def write_recent(self, recent: Array, planes: Array, numbers: Array, mover: int) -> None:
        """Write where the last moves went. Who made them is not told: cells of an action may depend on that."""
        for back in range(self.history):
            none, action = 0, recent[back]
            if action >= 0:
                player = (mover + self.players - 1 - back % self.players) % self.players
                cell = self.last_cell[player, action]
                if cell >= 0:
                    planes[self.recent_plane + back, cell] = 1
                none = self.without_cell[player, action]
            numbers[self.players + back] = none

    def write_numbers(self, game: Game, state: State, numbers: Array, mover: int) -> None:
        """Write the seat to move, and numbers of the record or those that the class gives."""
        for seat in range(self.players):
            numbers[seat] = 0.0
        numbers[mover] = 1.0
        first = self.players + self.history
        if self.own_numbers > 0:
            game.network_globals(state, numbers[first:])
        for row in range(self.read_numbers):
            size, place = signed(self.number_size[row]), signed(self.number_place[row])
            if self.number_player[row] >= 0:
                place += size * ((mover + self.number_player[row]) % self.players)
            value = 0
            for byte in range(size):
                value |= byte_of(state, place + byte) << (8 * byte)
            if self.number_signed[row] and value >> (8 * size - 1):
                value -= 1 << (8 * size)
            numbers[first + row] = min(max(value * self.number_scale[row], -MOST), MOST)


def family_name(game: Game) -> str:
    """The name of a game without its parameters; of a game in a file, that of its class.

    >>> import luozi
    >>> family_name(luozi.game("othello:size=6"))
    'othello'
    """
    name = split_spelling(game.spelling)[0]
    return type(game).__name__ if ".py" in name else name


def board_input(game: Game, history: int = HISTORY) -> BoardInput:
    """What networks see of a game; made and tested at the first call. One sentence if that is not possible.

    >>> import luozi
    >>> board_input(luozi.game("othello")).plane_names[:4]
    ('own pieces', 'other pieces', 'legal moves: first cell', 'cells that exist')
    """
    known: dict[int, BoardInput] = vars(game).setdefault("_board_inputs", {})
    if history not in known:
        known[history] = BoardInput(game, find_tables(game), history)
    return known[history]


def find_tables(game: Game) -> Tables:
    """The tables of a game, from random games."""
    board = board_of(game)
    if board is None:
        raise LuoziError(
            "{game} has no board for a network: its class needs a method board(self) that returns a luozi.Board",
            game=game.spelling,
        )
    sample = sample_of(game)
    states, pieces = looked_at(game, sample)
    kinds, neutral = kinds_of(game, pieces)
    codes = [codes_of(game, found, kinds, neutral, board.cells) for found in pieces]
    sources: list[Source] = []
    if type(game).network_cells is Game.network_cells:
        sources = find_sources(game, states, codes)
        if not sources:
            raise unreadable(game)
    else:
        compare_cells(game, states, codes)
    own = numbers_of_class(game, sample)
    numbers = find_numbers(game, sample, [source.name.split("[")[0] for source in sources]) if own < 0 else []
    return Tables(board, kinds, neutral, sources, click_table(game, sample), numbers, own)


def unreadable(game: Game) -> LuoziError:
    """What is missing where the pieces of `pieces` are nowhere in the record."""
    return LuoziError(
        "{game}: no field of the record says what stands in each cell, as pieces(state) does. Write network_cells(self,"
        " state, cells), or keep the board in a field with one number for each cell",
        game=game.spelling,
    )


def compare_cells(game: Game, states: list[State], codes: list[Array]) -> None:
    """Raise one sentence where `network_cells` and `pieces` differ."""
    for state, expected in zip(states, codes, strict=True):
        cells = np.zeros(len(expected), np.uint8)
        game.network_cells(state, cells)
        wrong = np.flatnonzero(cells != expected)
        if len(wrong):
            raise LuoziError(
                "{game}.network_cells writes {value} into cell {cell}, where pieces(state) means {expected}: 0 is "
                "empty, then 1 + player * kinds + kind, then nobody's kinds",
                game=type(game).__name__,
                value=int(cells[wrong[0]]),
                cell=int(wrong[0]),
                expected=int(expected[wrong[0]]),
            )


def numbers_of_class(game: Game, sample: Sample) -> int:
    """How many numbers `network_globals` writes; -1: the class does not have it."""
    if type(game).network_globals is Game.network_globals:
        return -1
    return int(game.network_globals(sample.states[0], np.zeros(MOST_NUMBERS, np.float32)))
