"""A game of Go as GTP can make one: any colour at any time, stones set up, moves taken back, komi and rules changed."""

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
    """What a game is played by."""

    size: int = 19
    komi: float = 7.5
    rules: str = "chinese"
    compensation: bool | None = None  # whether White gets a point for each handicap stone; None: as the rules say

    def game(self, handicap: int = 0) -> Go:
        """The game; handicap stones are here for what White gets for them."""
        values: dict[str, bool | int] = {"handicap": handicap} if handicap else {}
        values |= {} if self.compensation is None else {"handicap_bonus": self.compensation}
        game = make_game("go", size=self.size, komi=self.komi, rules=self.rules, **values)
        assert isinstance(game, Go)
        return game


class GtpGame:
    """The position now and the terms of the game: what is no move of a game is an edit of the position."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.handicap = terms, 0
        self.game = terms.game()
        self.begin(())

    def begin(self, stones: Iterable[Play], to_move: int = 0, captured: Sequence[int] = ()) -> None:
        """Set up stones on an empty board; one sentence, and no change, if they can't stand there."""
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
        self._before: list[Position] = []  # the positions before them, whoever was to move there
        self._hashes = [int(start.state.hash)]  # of all boards, for superko

    def set_handicap(self, points: Sequence[int]) -> None:
        """Black stones on an empty board, for which White may get points."""
        self.begin([Play(0, point) for point in points], to_move=1)
        self.set_terms(self.terms, len(points))

    def change_terms(self, terms: Terms) -> None:
        """Other komi or rules for the same board."""
        self.set_terms(terms, self.handicap)

    def set_terms(self, terms: Terms, handicap: int) -> None:
        """Other terms, and for how many stones White may get points."""
        self.terms, self.handicap = terms, handicap
        self.game = terms.game(handicap)
        self.position = self._by_these_terms(self.position)

    def _by_these_terms(self, position: Position) -> Position:
        return position if position.game is self.game else position.edit(position.state, self.game)

    @property
    def state(self) -> State:
        """The board now."""
        return self.position.state

    @property
    def is_empty(self) -> bool:
        """Whether no stone was ever there."""
        return not self.plays and not self.state.stones.any()

    @property
    def to_move(self) -> int:
        """Who would move if both took turns."""
        return self.position.to_move

    @property
    def has_ended(self) -> bool:
        """Whether both have passed."""
        return bool(self.state.passes >= 2)

    def turn_of(self, player: int) -> Position:
        """The position with a player to move, whoever moved last; two passes are no end, and no game is too long."""
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
        """Let a player move next."""
        self.position = self.turn_of(player)

    def play(self, player: int, action: int) -> None:
        """A move of either colour; one sentence if it is not legal."""
        position = self.turn_of(player)
        reason = self.reason_against(position.state, action)
        if reason:
            raise LuoziError("illegal move: {reason}", reason=reason)
        self._before.append(self.position)
        self.position = position.play(action)
        self._hashes.append(int(self.state.hash))
        self.plays.append(Play(player, action))

    def reason_against(self, state: State, action: int) -> str:
        """Why a move is not legal, or nothing."""
        if self.game.is_legal(state, action) and not self.is_repeated(state, action):
            return ""
        if state.board[action] != EMPTY:
            return f"there is a stone at {self.name(action)}"
        colour = state.to_move + 1
        alone = state.near[action] < 64 and not self.game.can_breathe(state, action, colour)
        return "it would be suicide" if alone else "it would repeat an earlier position"

    def is_repeated(self, state: State, action: int) -> bool:
        """Whether superko forbids a move because of a position that the record of the game no longer holds."""
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
        """Let the next search be the first of a game; moves can still be taken back."""
        self.position = Position.begin(self.game).edit(self.state)

    def name(self, point: int) -> str:
        """A point's name."""
        return point_name(self.terms.size, point)

    def names(self, points: Sequence[int]) -> str:
        """Points in a row."""
        return " ".join(map(self.name, points))
