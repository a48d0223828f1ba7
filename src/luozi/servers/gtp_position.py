"""A game of Go as GTP can make one: any colour at any time, stones set up, moves taken back, komi and rules changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from luozi.games import game as make_game
from luozi.games.go.points import point_name
from luozi.games.go.rules import EMPTY, Go
from luozi.games.go.setting_up import forget_moves, give_turn
from luozi.messages import LuoziError


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
        values: dict[str, Any] = {"handicap": handicap} if handicap else {}
        values |= {} if self.compensation is None else {"compensation": self.compensation}
        game = make_game("go", size=self.size, komi=self.komi, rules=self.rules, **values)
        assert isinstance(game, Go)
        return game


class Position:
    """The board now and all that led there."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.handicap = terms, 0
        self.game = terms.game()
        self.begin(())

    def begin(self, stones: Iterable[Play], to_move: int = 0) -> None:
        """Set up stones on an empty board; one sentence, and no change, if they can't stand there."""
        start = make_game(f"go:size={self.terms.size}").new_state()
        for player, point in stones:
            if start.board[point] != EMPTY:
                raise LuoziError("there are two stones at {point}", point=self.name(point))
            self.game.place(start, point, player + 1)
        for point in range(self.game.points):
            if start.board[point] != EMPTY and start.liberties[start.chain[point]] <= 0:
                raise LuoziError("the stone at {point} has no liberty", point=self.name(point))
        if start.captured.any():
            raise LuoziError("some of these stones have no liberty")
        start.to_move, start.history[0], start.ko = to_move, start.hash, -1
        self.states: list[Any] = [start]
        self.plays: list[Play] = []

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

    @property
    def state(self) -> Any:
        """The board now."""
        return self.states[-1]

    @property
    def is_empty(self) -> bool:
        """Whether no stone was ever there."""
        return not self.plays and not self.state.stones.any()

    @property
    def to_move(self) -> int:
        """Who would move if both took turns."""
        return int(self.state.to_move)

    @property
    def has_ended(self) -> bool:
        """Whether both have passed."""
        return bool(self.state.passes >= 2)

    def turn_of(self, player: int) -> Any:
        """The board with a player to move, whoever moved last; two passes are no end, and no game is too long."""
        state = self.state
        if state.to_move == player and not self.game.is_terminal(state) and state.moves < 2 * self.game.points:
            return state
        state = state.copy()
        if state.to_move != player or state.passes >= 2:
            state.passes = 0  # only a pass of the other side counts towards the end
        give_turn(state, player)
        if state.moves >= 2 * self.game.points:
            forget_moves(state, self.game.points)
        return state

    def give_turn(self, player: int) -> None:
        """Let a player move next."""
        self.states[-1] = self.turn_of(player)

    def play(self, player: int, action: int) -> None:
        """A move of either colour; one sentence if it is not legal."""
        state = self.turn_of(player).copy()
        reason = self.reason_against(state, action)
        if reason:
            raise LuoziError("illegal move: {reason}", reason=reason)
        self.game.apply_action(state, action)
        self.states.append(state)
        self.plays.append(Play(player, action))

    def reason_against(self, state: Any, action: int) -> str:
        """Why a move is not legal, or nothing."""
        if self.game.is_legal(state, action) and not self.is_repeated(state, action):
            return ""
        if state.board[action] != EMPTY:
            return f"there is a stone at {self.name(action)}"
        colour = state.to_move + 1
        alone = state.near[action] < 64 and not self.game.can_breathe(state, action, colour)
        return "it would be suicide" if alone else "it would repeat an earlier position"

    def is_repeated(self, state: Any, action: int) -> bool:
        """Whether superko forbids a move because of a position that the record of the game no longer holds."""
        if not self.game.superko or action == self.game.points or len(self.states) <= self.game.points:
            return False
        after = state.copy()
        self.game.apply_action(after, action)
        return any(earlier.hash == after.hash for earlier in self.states)

    def undo(self) -> None:
        """Take the last move back."""
        if not self.plays:
            raise LuoziError("cannot undo")
        self.plays.pop()
        self.states.pop()

    def name(self, point: int) -> str:
        """A point's name."""
        return point_name(self.terms.size, point)
