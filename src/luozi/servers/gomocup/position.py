"""A position as Gomocup may set it up: stones of both sides in any number, and dead ones.

In a continuous game a five does not end the game: its stones stay and count for no side. The cells of dead stones are
forbidden cells of another game, so that the search needs no rule for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from luozi.games import game as make_game
from luozi.games.lines.bits import BitLines
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.protocols.gomocup import OPPONENT, OWN, place_name
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.util.parameters import join_spelling, split_spelling

DEAD = -1  # the owner of a stone that counts for nobody
DEAD_FIELD = 3  # how a line of BOARD marks it
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class GomocupGame:
    """A position, and the stones in the order in which they came."""

    def __init__(self, game: Lines, continuous: bool = False, history: Iterable[tuple[int, int]] = ()) -> None:
        self.open_game, self.continuous = game, continuous
        stones = list(history)
        closed = closed_game(game, [cell for cell, owner in stones if owner == DEAD])
        self.position: Position = Position.begin(closed)
        self._before: list[Position] = []  # the position before each stone
        self.owners: dict[int, int] = {}  # of each cell with a stone, as they are now
        self.history: list[tuple[int, int]] = []  # cell and owner, as they were placed
        for cell, owner in stones:
            self.place(cell, owner)

    @classmethod
    def of_board(cls, game: Lines, continuous: bool, marked: Iterable[tuple[int, int]]) -> GomocupGame:
        """Return the position of BOARD's cells and fields, with the reader of BOARD to move.

        The reader is the first player where both have as many stones, and the second where the opponent has more.
        """
        stones = list(marked)
        fields = [field for _, field in stones]
        own = int(fields.count(OPPONENT) > fields.count(OWN))
        owners = {OWN: own, OPPONENT: 1 - own, DEAD_FIELD: DEAD}
        position = cls(game, continuous, ((cell, owners[field]) for cell, field in stones))
        position.give_turn(own)
        return position

    @property
    def game(self) -> Lines:
        """The game, in which the cells of dead stones are closed."""
        game = self.position.game
        assert isinstance(game, Lines)
        return game

    @property
    def state(self) -> State:
        """The state of the position."""
        return self.position.state

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.position.returns is not None

    def give_turn(self, player: int) -> None:
        """Give a player the next move."""
        if self.position.to_move != player:
            state = self.position.state
            state.to_move = player
            self.position = self.position.edit(state)

    def play(self, cell: int) -> None:
        """Place a stone of the side to move."""
        self.check_on()
        self.place(cell, self.position.to_move)

    def check_on(self) -> None:
        """Raise LuoziError if the game is over."""
        if self.is_over:
            raise LuoziError("the game is over")

    def place(self, cell: int, owner: int) -> None:
        """Place a stone of either side, after which the other is to move, or a dead one, which the game has already."""
        if cell in self.owners:
            raise LuoziError("there is a stone at {place_name} already", place_name=place_name(self.game, cell))
        self._before.append(self.position)
        self.history.append((cell, owner))
        self.owners[cell] = owner
        if owner == DEAD:
            return
        if self.is_over or owner != self.position.to_move:
            self.position = self.position.edit(put(self.game, self.state, cell, owner))
        else:
            self.position = self.position.play(cell)
        if self.continuous and self.state.winner:
            self._bury_fives(cell)

    def take_back(self, cell: int) -> None:
        """Take the last stone back; its side is to move."""
        if not self.history or self.history[-1][0] != cell:
            raise LuoziError("the stone at {place_name} is not the last one", place_name=place_name(self.game, cell))
        _, owner = self.history.pop()
        self.position = self._before.pop()
        if self.continuous:  # dead stones may live again
            self.owners = GomocupGame(self.open_game, True, self.history).owners
        else:
            del self.owners[cell]
        if owner != DEAD:
            self.give_turn(owner)

    def _bury_fives(self, cell: int) -> None:
        to_move = self.position.to_move
        for line in list(self._fives(cell)):
            self.owners.update(dict.fromkeys(line, DEAD))
        game = closed_game(self.open_game, [stone for stone, owner in self.owners.items() if owner == DEAD])
        state = game.new_state()
        for stone, owner in self.owners.items():
            if owner != DEAD:
                put(game, state, stone, owner)
        state.to_move = to_move
        self.position = self.position.edit(state, game)

    def _fives(self, cell: int) -> Iterator[list[int]]:
        """The lines through a stone that win."""
        for down, right in DIRECTIONS:
            line = [cell, *self._neighbours(cell, down, right), *self._neighbours(cell, -down, -right)]
            if len(line) == self.game.run or (len(line) > self.game.run and not self.game.exactly):
                yield line

    def _neighbours(self, cell: int, down: int, right: int) -> Iterator[int]:
        """Yield the stones of the same owner from a cell on in one direction."""
        row, column = divmod(cell, self.game.columns)
        owner = self.owners[cell]
        while True:
            row, column = row + down, column + right
            following = row * self.game.columns + column
            inside = 0 <= row < self.game.rows and 0 <= column < self.game.columns
            if not inside or self.owners.get(following) != owner:
                return
            yield following


def put(game: Lines, state: State, cell: int, owner: int) -> State:
    """Place a stone of either side in a state, and return the state."""
    state.to_move = owner
    game.apply_action(state, cell)
    return state


def closed_game(game: Lines, dead: Iterable[int]) -> Lines:
    """Return the game on a board without the cells of dead stones.

    >>> import luozi
    >>> closed_game(luozi.game("gomoku"), [17]).spelling
    'gomoku:blocked=1.2'
    """
    places = [f"{cell // game.columns}.{cell % game.columns}" for cell in sorted(set(dead))]
    if places:
        family, values = split_spelling(game.spelling)
        closed = make_game(join_spelling(family, {**values, "blocked": "+".join(places)}))
        assert isinstance(closed, Lines)
        game = closed
    if isinstance(game, BitLines):
        game.decisive = game.playable  # BOARD may give one side more stones than turns could
    return game
