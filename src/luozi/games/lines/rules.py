"""k in a row on a board of one to three dimensions, for two to nine players: one class for all line games.

Gomoku, Connect Four, 3-D five-in-a-row and the others are this class with other numbers (see `games/__init__.py`). A
move costs one increment for each winning segment through its cell. Each player has a counter for each segment, which
starts at 128 - k, so the k-th stone sets its top bit. A state does not depend on the order of moves.
"""

from __future__ import annotations

import itertools

import numpy as np

from luozi.compiled import Array, random_below, unsigned
from luozi.games.bag import Bag
from luozi.games.lines.drawing import (
    action_name,
    board_of_lines,
    draw_layers,
    stones_of,
    threatened_cells,
    won_cells,
)
from luozi.games.lines.knowledge import LineKnowledge, outlook_table, worth_by_missing
from luozi.games.lines.playouts import LinePolicy, round_up
from luozi.messages import LuoziError
from luozi.rules.board import Board, Piece
from luozi.rules.game import DEPTH_FIRST
from luozi.rules.playout import Playout
from luozi.rules.setup import Setup, give_fields
from luozi.rules.state import State

MAX_CELLS, MAX_RUN = 2048, 127
MOST_USUAL = 4096  # minimum number of counters of a large board, so that similar boards share machine code
FOUR, SOLVER_BITS = 4, 62  # nodes of Connect Four's exact solver
EVEN, NEARLY_WON = 16.0, 100.0  # of `evaluate`: the start value of all players, and the value of a win in one


class Lines(LineKnowledge):
    """k in a row on a board of layers x rows x columns."""

    single_winner = True
    fixed_names = True
    network = "lines"
    scratch_fields = ("last",)

    def __init__(
        self,
        layers: int = 1,
        rows: int = 15,
        columns: int = 15,
        run: int = 5,
        players: int = 2,
        gravity: bool = False,
        exactly: bool = False,
        forbidden: str = "",
    ) -> None:
        self.layers, self.rows, self.columns, self.run = layers, rows, columns, run
        self.players, self.gravity, self.exactly = players, gravity, exactly
        self.cells = layers * rows * columns
        self._check_sizes()
        box = (layers, rows, columns)
        closed = forbidden_cells(forbidden, box)
        self.closed = np.zeros(self.cells, np.int8)
        self.closed[list(closed)] = 1
        lines = winning_segments(box, run, closed)
        self.segments = len(lines)
        self._make_segment_tables(lines)
        self.worth_of, self.outlooks = worth_by_missing(run), outlook_table(run, players)
        self.beyond = ends_of(lines, box).astype(np.int16)
        self._make_columns(closed)
        self.playable, self.points = self.cells - len(closed), self.cells
        if not self.playable:
            raise LuoziError("a line game needs at least one cell that is not forbidden")
        self.max_length = self.playable
        # Capacities are rounded up, so that games of similar size share machine code.
        self.state = [
            ("counts", "u1", self._counters()),  # a player's stones in a segment, plus 128 - k
            ("board", "i1", round_up(self.cells, 4)),  # 0 empty, 1.. a player's stone, -1 forbidden
            ("landing", "i2", round_up(self.actions, 4) if gravity else 1),  # playable cell of each column, or -1
            ("to_move", "i2"),
            ("winner", "i2"),  # 0 nobody, 1.. a player
            ("empty", "i2"),  # number of empty cells
            ("last", "i2"),  # cell of the last move, or -1
        ]

    def _counters(self) -> int:
        """Return the number of counters: that of a full board of this capacity, so that only the board determines
        the type.
        """
        usual = (4 if self.gravity else 8) * round_up(self.cells, 4)
        return round_up(max(self.players * self.segments, min(usual, MOST_USUAL)), 2)

    def _check_sizes(self) -> None:
        if not 1 <= self.cells <= MAX_CELLS or min(self.layers, self.rows, self.columns) < 1:
            raise LuoziError(
                "a line game has 1 to {most} cells, not {layers}x{rows}x{columns}",
                most=f"{MAX_CELLS:,}",
                layers=self.layers,
                rows=self.rows,
                columns=self.columns,
            )
        if not 1 <= self.run <= MAX_RUN:
            raise LuoziError("win_length={value} is not valid; it must be 1 to {most}", value=self.run, most=MAX_RUN)
        if not 2 <= self.players <= 9:
            raise LuoziError("players={value} is not valid; a line game has 2 to 9 players", value=self.players)

    def _make_segment_tables(self, lines: Array) -> None:
        """Build the segments through each cell and the cells of each segment."""
        cells = lines.reshape(-1)
        self.first_segment = np.cumsum([0, *np.bincount(cells, minlength=self.cells)]).astype(np.uint32)
        self.through = (np.argsort(cells, kind="stable") // self.run).astype(np.uint16)
        self.segment_cells = cells.astype(np.uint16)
        steps = lines[:, 1] - lines[:, 0] if self.run > 1 else np.zeros(len(lines))
        self.direction = steps.astype(np.int16)  # equal for segments on one line through a cell

    def _make_columns(self, closed: set[int]) -> None:
        """Build the columns. With gravity an action is a column; `bottom` is its lowest cell, `above` the next cell up,
        or -1.

        A stone falls down the rows of a flat board, and down the layers of a deep one.
        """
        self.above = np.full(self.cells, -1, np.int16)
        self.bottom = np.zeros(1, np.int16)
        self.actions = self.cells
        if not self.gravity:
            return
        grid = np.arange(self.cells).reshape(self.layers, self.rows, self.columns)
        upward = grid[0, ::-1] if self.layers == 1 else grid.reshape(self.layers, -1)  # from the lowest row or layer
        self.actions = upward.shape[1]
        open_stacks = []
        for stack in upward.T.tolist():
            open_stacks.append([cell for cell in stack if cell not in closed])
        for stack in open_stacks:
            for lower, upper in itertools.pairwise(stack):
                self.above[lower] = upper
        self.bottom = np.array([stack[0] if stack else -1 for stack in open_stacks], np.int16)

    # The rules ------------------------------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        state.to_move = 0
        state.winner = 0
        state.empty = self.playable
        state.last = -1
        board, counts = state.board, state.counts  # uncompiled, each access to a field is a function call
        for cell, is_closed in enumerate(self.closed):
            board[cell] = -is_closed
        for index in range(self.players * self.segments):
            counts[index] = 128 - self.run
        if self.gravity:
            for column in range(self.actions):
                state.landing[column] = self.bottom[column]

    def current_player(self, state: State) -> int:
        return state.to_move

    def is_legal(self, state: State, action: int) -> bool:
        if self.gravity:
            return state.landing[action] >= 0
        return state.board[action] == 0

    def apply_action(self, state: State, action: int) -> None:
        cell = action
        if self.gravity:
            cell = state.landing[action]
            state.landing[action] = self.above[cell]
        player = state.to_move
        state.board[cell] = player + 1
        state.last = cell
        state.empty -= 1
        counts = unsigned(player * self.segments)
        full = 0
        for index in range(unsigned(self.first_segment[cell]), unsigned(self.first_segment[cell + 1])):
            segment = counts + unsigned(self.through[index])
            count = state.counts[segment] + 1
            state.counts[segment] = count
            full |= count
        if full & 128 and (not self.exactly or self.is_exact(state, cell, player)):
            state.winner = player + 1
        state.to_move = player + 1 if player + 1 < self.players else 0

    def is_exact(self, state: State, cell: int, player: int) -> bool:
        """Return whether a full segment through the cell has no further stone of the player at either end."""
        for index in range(self.first_segment[cell], self.first_segment[cell + 1]):
            segment = self.through[index]
            if state.counts[player * self.segments + segment] & 128:
                before, after = self.beyond[segment, 0], self.beyond[segment, 1]
                longer_before = before >= 0 and state.board[before] == player + 1
                longer_after = after >= 0 and state.board[after] == player + 1
                if not longer_before and not longer_after:
                    return True
        return False

    def is_terminal(self, state: State) -> bool:
        return state.winner != 0 or state.empty == 0

    def returns(self, state: State, returns: Array) -> None:
        for player in range(self.players):
            if state.winner == 0:
                returns[player] = 0.5
            else:
                returns[player] = 1.0 if state.winner == player + 1 else 0.0

    # Setting up -----------------------------------------------------------------------------------------------------

    def from_setup(self, state: State, setup: Setup) -> None:
        """Set up any number of stones of any player where gravity allows them. Completed segments are allowed."""
        pieces = sorted(setup.pieces, reverse=self.gravity and self.layers == 1)  # with gravity the lowest first
        if len({cell for cell, _, _ in pieces}) < len(pieces):
            raise LuoziError("two stones are on one cell")
        for cell, player, _ in pieces:
            if not 0 <= cell < self.cells or self.closed[cell]:
                raise LuoziError("a stone is on a cell outside the board")
            if not 0 <= player < self.players:
                raise LuoziError("players are 0 to {most}", most=self.players - 1)
            action = cell % self.actions if self.gravity else cell
            if self.gravity and state.landing[action] != cell:
                raise LuoziError("a stone has nothing below it")
            state.to_move = player
            self.apply_action(state, action)
        state.to_move = setup.to_move
        give_fields(state, setup)

    # Simulations ----------------------------------------------------------------------------------------------------

    def random_playout(self) -> Playout:
        return Playout() if self.gravity else Bag(round_up(self.cells, 4))

    def policy_playout(self) -> Playout:
        return LinePolicy(self)

    def random_action(self, state: State, rng: Array) -> int:
        """Return a random legal action by rejection. With gravity this is fast; other playouts have a bag."""
        action = random_below(rng, self.actions)
        while not self.is_legal(state, action):
            action = random_below(rng, self.actions)
        return action

    # For the exact solver -------------------------------------------------------------------------------------------

    def exact_solver(self) -> str:
        """Return Connect Four's own solver if all columns, with an empty bit on top, fit into one number.

        >>> [Lines(1, rows, 7, 4, gravity=True).exact_solver() for rows in (6, 9)]
        ['connect4', 'depth_first']
        """
        flat = self.layers == 1 and self.gravity and self.players == 2
        four = self.run == FOUR and not self.exactly
        small = self.columns >= FOUR and (self.rows + 1) * self.columns <= SOLVER_BITS
        return "connect4" if flat and four and small else DEPTH_FIRST

    # An estimate for alpha-beta -------------------------------------------------------------------------------------

    def evaluate(self, state: State, values: Array) -> None:
        """Evaluate by each player's share of the segments with only their stones. Each stone more counts eight times as
        much.

        The segments of the player to move count twice. A win in one decides, and so do two winning cells of the next
        player.
        """
        mover = state.to_move
        following, wins, cell, loses = (mover + 1) % self.players, self.gravity and self.lands_on_win(state), -1, False
        for player in range(self.players):
            values[player] = EVEN
        for segment in range(self.segments):
            owner, missing = self.owner_of(state, segment)
            if missing > 0:
                values[owner] += 1 << max(0, 15 - 3 * missing) + (owner == mover)
            if missing == 1 and not self.gravity and self.would_be_exact(state, owner, segment):
                wins = wins or owner == mover
                if owner == following:
                    other = self.free_cell(state, segment, 0)
                    loses = loses or (cell >= 0 and other != cell)
                    cell = other
        total = 0.0
        for player in range(self.players):
            total += values[player]
        if wins or loses:
            values[mover if wins else following] += NEARLY_WON * total
            total += NEARLY_WON * total
        for player in range(self.players):
            values[player] /= total

    def owner_of(self, state: State, segment: int) -> tuple[int, int]:
        """Return the only player with stones in a segment and how many are missing, or (-1, 0) if there is no such
        player.
        """
        owner, missing = -1, 0
        for player in range(self.players):
            stones = int(state.counts[unsigned(player * self.segments + segment)]) + self.run - 128
            if stones > 0:
                if owner >= 0:
                    return -1, 0
                owner, missing = player, self.run - stones
        return owner, missing

    def lands_on_win(self, state: State) -> bool:
        """Return whether, with gravity, the player to move can complete a segment with a falling stone."""
        for action in range(self.actions):
            cell = state.landing[action]
            if cell >= 0:
                for index in range(self.first_segment[cell], self.first_segment[cell + 1]):
                    segment = int(self.through[index])
                    owner, missing = self.owner_of(state, segment)
                    if owner == state.to_move and missing == 1 and self.would_be_exact(state, owner, segment):
                        return True
        return False

    # For people -----------------------------------------------------------------------------------------------------

    def stone_at(self, state: State, cell: int) -> int:
        """Return 0 for an empty cell, 1.. for a player's stone, -1 for a forbidden cell."""
        return state.board[cell]

    def point_owners(self, state: State, owners: Array) -> None:
        for cell in range(self.cells):
            owners[cell] = max(0, self.stone_at(state, cell))

    def network_globals(self, state: State, values: Array) -> int:
        """Nothing: the stones say all."""
        return 0

    def show(self, state: State) -> str:
        return draw_layers(self, state)

    def action_to_string(self, state: State, action: int) -> str:
        return action_name(self, action)

    def board(self) -> Board:
        return board_of_lines(self)

    def pieces(self, state: State) -> list[Piece]:
        return stones_of(self, state)

    def clicks(self, state: State, action: int) -> list[int]:
        return [self.cell_of(state, action)]

    def has_fixed_moves(self) -> bool:
        return not self.gravity

    def winning_cells(self, state: State) -> list[int]:
        return won_cells(self, state)

    def threat_cells(self, state: State) -> list[int]:
        return threatened_cells(self, state)


def winning_segments(box: tuple[int, int, int], run: int, closed: set[int]) -> Array:
    """Return every straight segment of cells that wins, as cell numbers, one a row.

    >>> len(winning_segments((6, 6, 6), 5, set())), len(winning_segments((1, 15, 15), 5, set()))
    (392, 572)
    """
    numbers = np.arange(int(np.prod(box))).reshape(box)
    directions = [step for step in itertools.product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
    found = [np.zeros((0, run), np.int64)]
    for step in directions if run > 1 else [(0, 0, 0)]:
        reach = [(run - 1) * d for d in step]  # a segment begins where its end is inside the board too
        starts = numbers[tuple(slice(max(0, -r), max(0, size - max(0, r))) for r, size in zip(reach, box, strict=True))]
        found.append(starts.reshape(-1, 1) + np.arange(run) * cell_number(step, box))
    lines = np.concatenate(found)
    return lines[~np.isin(lines, list(closed)).any(axis=1)]


def cell_number(place: tuple[int, ...], box: tuple[int, int, int]) -> int:
    """Return the number of the cell at (layer, row, column)."""
    return (place[0] * box[1] + place[1]) * box[2] + place[2]


def ends_of(lines: Array, box: tuple[int, int, int]) -> Array:
    """Return the cells just before and after each segment, -1 outside the board."""
    if lines.shape[1] == 1:
        return np.full((len(lines), 2), -1)
    first, second, last = (np.array(np.unravel_index(lines[:, i], box)) for i in (0, 1, -1))
    beyond = np.stack([2 * first - second, last + second - first], axis=2)
    sides = np.array(box).reshape(3, 1, 1)
    inside = ((beyond >= 0) & (beyond < sides)).all(axis=0)
    return np.where(inside, cell_number(tuple(beyond), box), -1)


def forbidden_cells(text: str, box: tuple[int, int, int]) -> set[int]:
    """Return the cells of a `blocked=` parameter: `row.column` or `layer.row.column`, counted from 0 at the top left.

    >>> sorted(forbidden_cells("0.1+2.2", (1, 3, 3)))
    [1, 8]
    """
    cells = set()
    for part in filter(None, str(text).split("+")):
        wanted = "row.column" if box[0] == 1 else "layer.row.column"
        try:
            place = tuple(int(number) for number in part.split("."))
        except ValueError:
            place = ()
        place = (0, *place) if len(place) == 2 and box[0] == 1 else place
        if len(place) != 3 or not all(0 <= p < size for p, size in zip(place, box, strict=True)):
            raise LuoziError(
                "blocked={value} is not valid; write cells as {wanted}, counted from 0, joined by +",
                value=text,
                wanted=wanted,
            )
        cells.add(cell_number(place, box))
    return cells
