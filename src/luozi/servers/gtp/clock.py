"""The clock of a GTP game: the time that each colour has left, and how much of it a move takes.

A move takes a share of the main time by the moves still to come, more of it early, or a whole period of byo-yomi less
the lag of pipes and networks. One move never takes all the time that is left.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FASTEST = 0.02  # seconds of a move where none are left
LENGTH = 0.8  # of the points are moves in a usual game
LEAST_LEFT = 0.5  # of the points: so many moves are always expected to come
EARLY = 1.5  # times an equal share
MOST_SHARE = 0.2  # of the main time for one move
RESERVE = 0.7  # of the time is kept for lag, if there is little
KEPT_LATE = 0.9  # by which the estimate of lateness falls with each move
LAG_SHARE = 0.02  # of a move's time, for a busy machine


@dataclass
class Left:
    """The time of one colour: seconds, and the stones or periods of byo-yomi (0: in main time)."""

    seconds: float = 0.0
    stones: int = 0


@dataclass
class GameClock:
    """The clock of a game; without `set` there is no limit."""

    lag: float = 0.2  # seconds that pipes and networks may take
    limited: bool = False
    main: float = 0.0
    byo_yomi: float = 0.0  # seconds of a period
    stones: int = 0  # to be played in a period; 0: there is no byo-yomi
    periods: int = 0  # Japanese byo-yomi: each stone has a period; 0: it is Canadian
    late: float = 0.0  # seconds by which moves come later than planned
    planned: float | None = None  # seconds of the current move
    left: list[Left] = field(default_factory=lambda: [Left(), Left()])

    def set(self, main: float, byo_yomi: float, stones: int, periods: int = 0) -> None:
        """Set main time and byo-yomi: Canadian as in `time_settings`, or with `periods` Japanese."""
        self.limited = (main > 0 or byo_yomi > 0) and not (byo_yomi > 0 and stones == 0)
        self.main, self.byo_yomi, self.stones, self.periods = main, byo_yomi, stones, periods
        self.new_game()

    def new_game(self) -> None:
        """Give both colours all their time."""
        for one in self.left:
            one.seconds, one.stones = self.main, 0
            if self.main <= 0:
                self._enter_byo_yomi(one)

    def _enter_byo_yomi(self, one: Left) -> None:
        one.seconds, one.stones = self.byo_yomi, self.periods or self.stones

    def tell(self, player: int, seconds: float, stones: int) -> None:
        """Set the time that a controller says is left."""
        self.limited = True
        self.left[player] = Left(seconds, stones)

    def use(self, player: int, seconds: float) -> None:
        """Subtract the time of a move, and learn how much later than planned moves come on a busy machine."""
        if self.planned is not None:
            self.late = max(seconds - self.planned, KEPT_LATE * self.late)
        self.planned = None
        one = self.left[player]
        in_byo_yomi = one.stones > 0
        one.seconds -= seconds
        if in_byo_yomi and self.periods:
            one.seconds = self.byo_yomi
        elif in_byo_yomi:
            one.stones -= 1
            if one.stones <= 0:
                self._enter_byo_yomi(one)
        elif one.seconds <= 0 and self.byo_yomi > 0:
            self._enter_byo_yomi(one)

    def seconds(self, player: int, points: int, moves: int) -> float | None:
        """Return the seconds for a move after `moves` moves on a board of `points` points; None without a limit.

        >>> clock = GameClock()
        >>> clock.set(0, 30, 5)
        >>> round(clock.seconds(0, 81, 10), 2)
        5.68
        """
        self.planned = self._plan(player, points, moves) if self.limited else None
        return self.planned

    def _plan(self, player: int, points: int, moves: int) -> float:
        one = self.left[player]
        if one.stones > 0:
            return self._safe(one.seconds if self.periods else one.seconds / one.stones)
        coming = max(LENGTH * points - moves, LEAST_LEFT * points) / 2
        share = min(EARLY / coming, MOST_SHARE)
        if self.stones == 0:
            reserve = min(1.5 * max(self.lag, self.late) * coming, RESERVE * one.seconds)
            return max((one.seconds - reserve) * share - self.late, FASTEST)
        period = self.byo_yomi if self.periods else self.byo_yomi / self.stones
        return min(max(self._safe(2 * one.seconds * share), self._safe(period)), one.seconds + self._safe(period))

    def _safe(self, seconds: float) -> float:
        """Return a time less the lag."""
        kept = min(max(self.lag, 1.5 * self.late) + LAG_SHARE * seconds, seconds / 2)
        return max(seconds - max(kept, 1.5 * self.late), FASTEST)  # what was late before may be so again
