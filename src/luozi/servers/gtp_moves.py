"""Which move a GTP server makes: what the search says, a pass where the game is decided, or giving up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from typing import Any

from luozi.games.go.points import free_points, point_name
from luozi.games.go.rules import EMPTY
from luozi.games.go.scoring import Count, region_of
from luozi.games.go.zones import neighbours
from luozi.players.resignation import HOPELESS_MOVES, is_hopeless
from luozi.protocols.gtp import RESIGN
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import SearchResult
from luozi.search.ready_engine import FULL
from luozi.servers.gtp_base import GtpBase

SHAPES = 30  # points for moves without any thinking
EARLIEST_RESIGN = 1 / 4  # of the points must have been played
SLOW_COUNT_SECONDS = 10.0  # a move must have, for counting without compiled code
JUDGE_SHARE = 0.2  # of a move's time, for counting
WORTH_A_PASS = 0.1  # a move that promises so much less than a pass is none to play instead of it
NO_CHANCE = 0.1  # a win rate at which a game that is decided may be over


class Moves(GtpBase):
    """Chooses moves."""

    def choose(
        self, player: int, cleanup: bool = False, seconds: float | None = None
    ) -> tuple[str, SearchResult | None]:
        """The move of a colour by name, and what was thought; nothing is played yet."""
        position = self.position.turn_of(player)
        state = position.state
        if seconds is None:
            seconds = self.clock.seconds(player, self.position.game.points, len(self.position.plays))
        self.count_first(state, cleanup, seconds)
        if self.may_pass(state, cleanup) and self.wins_by_passing(player, seconds):
            return "pass", None
        thought = self.think_about(self.going_on(position, cleanup), seconds)
        return self.name_of(self.decided(player, state, thought, cleanup, seconds)), thought

    def going_on(self, position: Position, cleanup: bool) -> Position:
        """The position to think about: where dead stones are taken off, a second pass does not end the game with the
        board as it stands, as the search believes.
        """
        again = position.state
        if cleanup or again.passes != 1 or not self.position.game.ruleset.removes_dead:
            return position
        again.passes = 0
        return position.edit(again)

    def count_first(self, state: State, cleanup: bool, seconds: float | None) -> None:
        """Count before thinking where the count may be needed: afterwards there is no time."""
        wanted = cleanup or state.passes == 1 or self.position.game.ruleset.territory
        if wanted and self.can_count(seconds):
            self.judge(judging_seconds(seconds))

    def can_count(self, seconds: float | None) -> bool:
        """Whether there is time for it: without compiled code it takes some."""
        self.engine()
        ready = self.readiness is not None and self.readiness.stage == FULL
        return ready or seconds is None or seconds >= SLOW_COUNT_SECONDS

    def name_of(self, action: int | str) -> str:
        """A move in the protocol's words."""
        return action if isinstance(action, str) else point_name(self.position.terms.size, action)

    def may_pass(self, state: State, cleanup: bool) -> bool:
        """Whether the other side has just passed, so that a pass would be the end."""
        return self.settings.passes and state.passes == 1 and not cleanup

    def wins_by_passing(self, player: int, seconds: float | None) -> bool:
        """Whether the game is won by the rules if it ends now, for certain."""
        if not self.can_count(seconds):
            return False
        found = self.judge(judging_seconds(seconds))
        return found.is_sure and (found.score > 0) == (player == 0) and found.score != 0

    def decided(
        self, player: int, state: State, thought: SearchResult, cleanup: bool, seconds: float | None
    ) -> int | str:
        """What to do about what the search found; superko may know more than the search."""
        wanted = self.wanted(player, state, thought, cleanup, seconds)
        if isinstance(wanted, str) or not self.position.reason_against(state, wanted):
            return wanted
        others = (one.action for one in thought.candidates)
        return next(action for action in others if not self.position.reason_against(state, action))

    def wanted(
        self, player: int, state: State, thought: SearchResult, cleanup: bool, seconds: float | None
    ) -> int | str:
        """The best move, a pass or giving up."""
        best, points = thought.best, self.position.game.points
        if best.visits <= 1:  # there was no time for more than a glance
            return self.known_shape(state, best.action)
        if self.gives_up(player, thought, cleanup):
            return RESIGN
        if cleanup:
            return self.cleaned_up(player, state, thought)
        if best.action == points:
            return best.action if self.may_end(state, thought) else self.best_stone(state, thought)
        if self.settings.passes and self.is_pointless(player, state, thought, seconds):
            return points
        return best.action

    def known_shape(self, state: State, otherwise: int) -> int:
        """A point where handicap stones would go, with no stone beside it; a move all the same if there is none."""
        game = self.position.game
        for point in shapes(game.size):
            near = [point, *neighbours(game, point)]
            if all(state.board[one] == EMPTY for one in near) and game.is_legal(state, point):
                return point
        return otherwise

    def gives_up(self, player: int, thought: SearchResult, cleanup: bool) -> bool:
        """Whether there has been no hope for some moves."""
        played = len(self.position.plays) >= EARLIEST_RESIGN * self.position.game.points
        hopeless = played and is_hopeless(thought, self.settings.resign)
        self.hopeless[player] = self.hopeless[player] + 1 if hopeless else 0
        return self.hopeless[player] >= HOPELESS_MOVES and not cleanup

    def may_end(self, state: State, thought: SearchResult) -> bool:
        """Whether a pass that the search likes is to be made: not where it only looks like a win by dead stones."""
        return state.passes == 1 or thought.best.means[thought.player] > 0.5 or not self.stones_left(state, thought)

    def stones_left(self, state: State, thought: SearchResult) -> list[int]:
        """Moves that fill no own eye, the best first."""
        game, colour = self.position.game, int(state.to_move) + 1
        actions = [candidate.action for candidate in thought.candidates if candidate.action < game.points]
        return [action for action in actions if game.is_sensible(state, action, colour)]

    def best_stone(self, state: State, thought: SearchResult) -> int:
        """The best move that is no pass, if there is one that is not much worse than a pass."""
        means = {candidate.action: candidate.means[thought.player] for candidate in thought.candidates}
        least = means[self.position.game.points] - WORTH_A_PASS
        stones = (action for action in self.stones_left(state, thought) if means[action] >= least)
        return next(stones, self.position.game.points)

    def is_pointless(self, player: int, state: State, thought: SearchResult, seconds: float | None) -> bool:
        """Whether nothing is left: every point is somebody's for certain, and the move is in somebody's land.

        By area such a move costs nothing, so that it is made unless the other side has passed; by territory it does.
        """
        game = self.position.game
        if (state.passes == 0 and not game.ruleset.territory) or not self.can_count(seconds):
            return False
        found = self.judge(judging_seconds(seconds))
        hopeless = (found.score > 0) == (player == 1) and thought.best.means[player] < NO_CHANCE
        if not (game.ruleset.territory or hopeless) or found.undecided or not game.ruleset.removes_dead:
            return False
        return is_settled(game, state, found)

    def cleaned_up(self, player: int, state: State, thought: SearchResult) -> int:
        """The best move as long as something is left, or lost; then capture what is dead, and pass when nothing is."""
        game, found, best = self.position.game, self.judge(), thought.best.action
        won = found.is_sure and (found.score > 0) == (player == 0)
        if best != game.points and not (won and is_settled(game, state, found)):
            return best
        dead = [point for point in found.dead if state.board[point] == 2 - player]
        if not dead:
            return game.points
        beside = {near for point in dead for near in neighbours(game, point) if state.board[near] == EMPTY}
        inside = {near for point in beside for near in neighbours(game, point)} | beside
        moves = self.stones_left(state, thought)
        return next((move for group in (beside, inside) for move in moves if move in group), game.points)

    def make(self, player: int, name: str) -> None:
        """Play a move of our own; the clock hears of it."""
        self.clock.use(player, time.monotonic() - self.asked)
        if name != RESIGN:
            self.place(player, self.point((name,), 0))

    def place(self, player: int, action: int) -> None:
        """Play a move of either side."""
        self.position.play(player, action)


@cache
def shapes(size: int) -> tuple[int, ...]:
    """Points for moves without any thinking, the best first."""
    return tuple(free_points(size, max(2, min(SHAPES, size * size // 4))))


def judging_seconds(seconds: float | None) -> float:
    """How long counting may take beside a move's time."""
    return 2.0 if seconds is None else min(2.0, JUDGE_SHARE * seconds)


def is_settled(game: Any, state: State, found: Count) -> bool:
    """Whether every empty point lies in a region of one colour once dead stones are off."""
    board = [EMPTY if point in found.dead else int(state.board[point]) for point in range(game.points)]
    seen: set[int] = set()
    for point in range(game.points):
        if board[point] == EMPTY and point not in seen:
            region, borders = region_of(game, board, point)
            seen |= region
            if len(borders) != 1:
                return False
    return True


def names_of(position: Any, points: Sequence[int]) -> str:
    """Points in a row."""
    return " ".join(position.name(point) for point in points)
