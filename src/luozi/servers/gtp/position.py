"""A game of Go as GTP may change it: any colour at any time, stones set up, moves taken back, other komi and rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from luozi.games import game as make_game
from luozi.games.go.points import point_name
from luozi.games.go.rules import EMPTY, Go
from luozi.games.go.setup import forget_moves, give_turn
from luozi.messages import LuoziError
from luozi.rules.position import Position
from luozi.rules.setup import Setup
from luozi.rules.state import State


class Play(NamedTuple):
    """A move."""

    player: int
    action: int


@dataclass(frozen=True)
class Terms:
    """Size, komi and rules of a game."""

    size: int = 19
    komi: float = 7.5
    rules: str = "chinese"
    compensation: bool | None = None  # whether White gets a point for each handicap stone; None: as the rules say

    def game(self, handicap: int = 0) -> Go:
        """Return the game; `handicap` is the number of stones for which White may get points."""
        values: dict[str, bool | int] = {"handicap": handicap} if handicap else {}
        values |= {} if self.compensation is None else {"handicap_bonus": self.compensation}
        game = make_game("go", size=self.size, komi=self.komi, rules=self.rules, **values)
        assert isinstance(game, Go)
        return game


class GtpGame:
    """A position and its terms; what is no move in turn is an edit of the position."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.handicap = terms, 0
        self.game = terms.game()
        self.begin(())

    def begin(self, stones: Iterable[Play], to_move: int = 0, captured: Sequence[int] = ()) -> None:
        """Set up stones on an empty board; raise LuoziError, and change nothing, if they can't be there."""
        pieces = tuple((point, player, "") for player, point in stones)
        points = [point for point, _, _ in pieces]
        doubled = next((point for point in points if points.count(point) > 1), None)
        if doubled is not None:
            raise LuoziError("there are two stones at {point}", point=self.name(doubled))
        extra = {f"captured.{colour}": int(count) for colour, count in enumerate(captured)}
        try:
            start = Position.begin(self.game).edit(Setup(pieces, to_move, extra=extra))
        except LuoziError as error:
            raise LuoziError("the stone at {point} has no liberty", **error.message.values) from None
        self.start = self.position = start
        self.plays: list[Play] = []
        self._before: list[Position] = []  # the positions before them
        self._hashes = [int(start.state.hash)]  # of all boards, for superko

    def set_handicap(self, points: Sequence[int]) -> None:
        """Set up black handicap stones on an empty board."""
        self.begin([Play(0, point) for point in points], to_move=1)
        self.set_terms(self.terms, len(points))

    def change_terms(self, terms: Terms) -> None:
        """Change komi or rules."""
        self.set_terms(terms, self.handicap)

    def set_terms(self, terms: Terms, handicap: int) -> None:
        """Change the terms, and the number of stones for which White may get points."""
        self.terms, self.handicap = terms, handicap
        self.game = terms.game(handicap)
        self.position = self._by_these_terms(self.position)

    def _by_these_terms(self, position: Position) -> Position:
        return position if position.game is self.game else position.edit(position.state, self.game)

    @property
    def state(self) -> State:
        """The state of the position."""
        return self.position.state

    @property
    def is_empty(self) -> bool:
        """Whether no stone was ever placed."""
        return not self.plays and not self.state.stones.any()

    @property
    def to_move(self) -> int:
        """The side to move if both move in turn."""
        return self.position.to_move

    @property
    def has_ended(self) -> bool:
        """Whether both have passed."""
        return bool(self.state.passes >= 2)

    def turn_of(self, player: int) -> Position:
        """Return the position with a player to move; two passes do not end it, and no number of moves does."""
        state = self.state
        if state.to_move == player and not self.game.is_terminal(state) and state.moves < 2 * self.game.points:
            return self.position
        if state.to_move != player or state.passes >= 2:
            state.passes = 0  # only a pass of the other side counts towards the end
        give_turn(state, player)
        if state.moves >= 2 * self.game.points:
            forget_moves(state, self.game.points)
        return self.position.edit(state)

    def give_turn(self, player: int) -> None:
        """Give a player the next move."""
        self.position = self.turn_of(player)

    def play(self, player: int, action: int) -> None:
        """Play a move of either colour; raise LuoziError if it is not legal."""
        position = self.turn_of(player)
        reason = self.reason_against(position.state, action)
        if reason:
            raise LuoziError("illegal move: {reason}", reason=reason)
        self._before.append(self.position)
        self.position = position.play(action)
        self._hashes.append(int(self.state.hash))
        self.plays.append(Play(player, action))

    def reason_against(self, state: State, action: int) -> str:
        """Return why a move is not legal, or an empty text."""
        if self.game.is_legal(state, action) and not self.is_repeated(state, action):
            return ""
        if state.board[action] != EMPTY:
            return f"there is a stone at {self.name(action)}"
        colour = state.to_move + 1
        alone = state.near[action] < 64 and not self.game.can_breathe(state, action, colour)
        return "it would be suicide" if alone else "it would repeat an earlier position"

    def is_repeated(self, state: State, action: int) -> bool:
        """Return whether superko forbids a move for a position that the state no longer remembers."""
        if not self.game.superko or action == self.game.points or len(self._hashes) <= self.game.points:
            return False
        after = state.copy()
        self.game.apply_action(after, action)
        return int(after.hash) in self._hashes

    def undo(self) -> None:
        """Take the last move back."""
        if not self.plays:
            raise LuoziError("cannot undo")
        self.plays.pop()
        self._hashes.pop()
        self.position = self._by_these_terms(self._before.pop())

    def forget_searches(self) -> None:
        """Have the next search start with an empty tree; moves can still be taken back."""
        self.position = Position.begin(self.game).edit(self.state)

    def name(self, point: int) -> str:
        """Return the name of a point."""
        return point_name(self.terms.size, point)

    def names(self, points: Sequence[int]) -> str:
        """Return the names of points."""
        return " ".join(map(self.name, points))
