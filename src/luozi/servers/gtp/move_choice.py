"""The move of a GTP server: that of the search, a pass where the game is decided, or a resignation."""

from __future__ import annotations

from functools import cache

from luozi.games.go.points import free_points
from luozi.games.go.rules import EMPTY, Go
from luozi.games.go.scoring import Count, region_of
from luozi.games.go.zones import neighbours
from luozi.players.engine import gives_up
from luozi.protocols.gtp import PASS, RESIGN
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import Engine, SearchResult
from luozi.servers.gtp.session import GtpSession

SHAPES = 30  # points for moves without a search
EARLIEST_RESIGN = 1 / 4  # of the points must have been played
SLOW_COUNT_SECONDS = 10.0  # a move must have, for an uncompiled count
JUDGE_SHARE = 0.2  # of a move's time, for a count
WORTH_A_PASS = 0.1  # a move with so much less win rate than a pass is not played instead of it
NO_CHANCE = 0.1  # a win rate at which a game that is decided may be over


class MoveChoice:
    """Chooses one move of a colour, without playing it.

    `cleanup` is the end of a game on KGS, where dead stones are captured before a pass.
    """

    def __init__(self, session: GtpSession, player: int, cleanup: bool = False) -> None:
        self.session, self.player, self.cleanup = session, player, cleanup
        self.position = session.position.turn_of(player)
        self.state, self.game = self.position.state, session.position.game
        plays = len(session.position.plays)
        self.seconds = session.clock.seconds(player, self.game.points, plays)  # None: without a clock
        self.is_late = plays >= EARLIEST_RESIGN * self.game.points

    def choose(self) -> tuple[str, SearchResult | None]:
        """Return the move by name, and the search result."""
        if self.wins_by_passing():
            return PASS, None
        session, deadline = self.session, self.session.deadline(self.seconds)
        engine, limits = self.engine(), session.options.limits
        thought = session.conversation.think(engine, self.going_on(), deadline, limits)
        return self.name_of(self.decided(thought)), thought

    def engine(self) -> Engine:
        """Return the engine for the move; what stops a search stops the wait for it too."""
        with self.session.conversation.thinking() as cancel:
            if self.session.conversation.hurried:
                cancel.set()
            return self.session.engine_for(self.seconds, cancel)

    def going_on(self) -> Position:
        """Return the position to search; where rules remove dead stones, a second pass must not end it."""
        again = self.position.state
        if self.cleanup or again.passes != 1 or not self.game.ruleset.removes_dead:
            return self.position
        again.passes = 0
        return self.position.edit(again)

    # Counting -----------------------------------------------------------------------------------------------------

    def can_count(self) -> bool:
        """Return whether there is time to count: uncompiled, a count takes long."""
        self.session.engine()
        return self.session.is_compiled or self.seconds is None or self.seconds >= SLOW_COUNT_SECONDS

    def count(self) -> Count:
        """Return the count of the position, made in a small part of the move's time."""
        return self.session.judge(2.0 if self.seconds is None else min(2.0, JUDGE_SHARE * self.seconds))

    def wins_by_passing(self) -> bool:
        """Return whether a pass ends the game and wins it for certain.

        A count that may be needed after the search is made here: then there is no time.
        """
        needed = self.cleanup or self.state.passes == 1 or self.game.ruleset.territory
        if not needed or not self.can_count():
            return False
        found = self.count()
        may_pass = self.session.settings.passes and self.state.passes == 1 and not self.cleanup
        return may_pass and found.is_sure and (found.score > 0) == (self.player == 0) and found.score != 0

    # After the search ---------------------------------------------------------------------------------------------

    def name_of(self, action: int | str) -> str:
        """Return the name of a move in GTP."""
        return action if isinstance(action, str) else self.session.position.name(action)

    def is_legal(self, action: int) -> bool:
        """Return whether a move is legal; superko may forbid more than the search sees."""
        return not self.session.position.reason_against(self.state, action)

    def decided(self, thought: SearchResult) -> int | str:
        """Return the move after a search, or RESIGN."""
        wanted = self.wanted(thought)
        if isinstance(wanted, str) or self.is_legal(wanted):
            return wanted
        return next(one.action for one in thought.candidates if self.is_legal(one.action))

    def wanted(self, thought: SearchResult) -> int | str:
        """Return the best move, a pass or RESIGN, legal or not."""
        best, points = thought.best, self.game.points
        if best.visits <= 1:  # there was no time for more than a glance
            return self.known_shape(best.action)
        if self.gives_up(thought):
            return RESIGN
        if self.cleanup:
            return self.cleaned_up(thought)
        if best.action == points:
            return best.action if self.may_end(thought) else self.best_stone(thought)
        if self.session.settings.passes and self.is_pointless(thought):
            return points
        return best.action

    def known_shape(self, otherwise: int) -> int:
        """Return a handicap point without a stone beside it, else the given move."""
        board = self.state.board
        for point in shapes(self.game.size):
            near = [point, *neighbours(self.game, point)]
            if all(board[one] == EMPTY for one in near) and self.game.is_legal(self.state, point):
                return point
        return otherwise

    def gives_up(self, thought: SearchResult) -> bool:
        """Return whether the win rate was too low for some moves."""
        least = self.session.settings.resign if self.is_late else 0.0
        return gives_up(self.session.hopeless, thought, least) and not self.cleanup

    def may_end(self, thought: SearchResult) -> bool:
        """Return whether the search's pass is played: not where it only wins by stones that count as dead."""
        return self.state.passes == 1 or thought.best.means[thought.player] > 0.5 or not self.stones_left(thought)

    def stones_left(self, thought: SearchResult) -> list[int]:
        """Return moves that fill no own eye, the best first."""
        colour = int(self.state.to_move) + 1
        actions = [candidate.action for candidate in thought.candidates if candidate.action < self.game.points]
        return [action for action in actions if self.game.is_sensible(self.state, action, colour)]

    def best_stone(self, thought: SearchResult) -> int:
        """Return the best move that is no pass, if it is not much worse than a pass."""
        means = {candidate.action: candidate.means[thought.player] for candidate in thought.candidates}
        least = means[self.game.points] - WORTH_A_PASS
        stones = (action for action in self.stones_left(thought) if means[action] >= least)
        return next(stones, self.game.points)

    def is_pointless(self, thought: SearchResult) -> bool:
        """Return whether no move gains anything: every point surely belongs to a side.

        By area such a move costs nothing: it is played unless the opponent has passed. By territory it costs a point.
        """
        rules = self.game.ruleset
        if (self.state.passes == 0 and not rules.territory) or not self.can_count():
            return False
        found = self.count()
        hopeless = (found.score > 0) == (self.player == 1) and thought.best.means[self.player] < NO_CHANCE
        if not (rules.territory or hopeless) or found.undecided or not rules.removes_dead:
            return False
        return is_settled(self.game, self.state, found)

    def cleaned_up(self, thought: SearchResult) -> int:
        """Return the best move until the game is decided; then a capture of dead stones, or a pass without any."""
        game, board, found, best = self.game, self.state.board, self.session.judge(), thought.best.action
        won = found.is_sure and (found.score > 0) == (self.player == 0)
        if best != game.points and not (won and is_settled(game, self.state, found)):
            return best
        dead = [point for point in found.dead if board[point] == 2 - self.player]
        if not dead:
            return game.points
        beside = {near for point in dead for near in neighbours(game, point) if board[near] == EMPTY}
        inside = {near for point in beside for near in neighbours(game, point)} | beside
        moves = self.stones_left(thought)
        return next((move for group in (beside, inside) for move in moves if move in group), game.points)


@cache
def shapes(size: int) -> tuple[int, ...]:
    """Return points for moves without a search, the best first."""
    return tuple(free_points(size, max(2, min(SHAPES, size * size // 4))))


def is_settled(game: Go, state: State, found: Count) -> bool:
    """Return whether every empty point is in a region of one colour once dead stones are removed."""
    board = [EMPTY if point in found.dead else int(state.board[point]) for point in range(game.points)]
    seen: set[int] = set()
    for point in range(game.points):
        if board[point] == EMPTY and point not in seen:
            region, borders = region_of(game, board, point)
            seen |= region
            if len(borders) != 1:
                return False
    return True
