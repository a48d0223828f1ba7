"""The values of Gomocup's INFO, and what follows: the rule, the time of a move, the memory of the tree."""

from __future__ import annotations

from dataclasses import dataclass

from luozi.limits import Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.protocols.gomocup import CARO, CONTINUOUS, EXACTLY_FIVE, RENJU
from luozi.util.machine import resident_bytes

DEFAULT_SECONDS = 5.0  # a move, without a limit
FASTEST_SECONDS = 0.05  # of a move as fast as possible
SHARE_OF_MATCH = 1 / 20  # of the time that is left for the whole game
MARGIN_SECONDS, MARGIN_SHARE, MOST_MARGIN = 0.04, 0.03, 0.5  # for pipes, Python and a busy machine

RESERVE_BYTES = 15_000_000  # that Python may need later
POOL_SHARE = 0.45  # of the memory that is left: keeping the tree for the next move copies it
LEAST_POOL_BYTES = 2_000_000
COMPILING_BYTES = 310_000_000  # of the process that compiles the full search

NUMBERS = ("timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "rule")
NO_LIMIT = 2**31 - 1  # as a time: there is none
MOST = 2**62


@dataclass
class GomocupInfo:
    """The values of INFO, in the protocol's own names and units."""

    timeout_turn: int | None = None  # ms a move; 0: as fast as possible
    timeout_match: int = 0  # ms a game; 0: no limit
    time_left: int | None = None  # ms left of the game
    max_memory: int = 0  # bytes; 0: no limit
    game_type: int = 0  # 0 a person, 1 another brain, 2 a tournament, 3 over a network
    rule: int = 0
    folder: str = ""  # where files may be kept; there are none

    used_in_game: float = 0.0  # seconds, on our own clock
    used_since_told: float = 0.0  # since the last `time_left`

    def tell(self, key: str, value: str) -> None:
        """Set a value; unknown keys are ignored."""
        if key == "folder":
            self.folder = value
        elif key in NUMBERS:
            try:
                setattr(self, key, max(0, min(int(value), MOST)))
            except ValueError:
                raise LuoziError("INFO {key} needs a whole number", key=key) from None
        if key == "time_left":
            self.used_since_told = 0.0

    # The rule -------------------------------------------------------------------------------------------------------

    @property
    def exactly(self) -> bool:
        """Whether only exactly five win."""
        return bool(self.rule & EXACTLY_FIVE)

    @property
    def continuous(self) -> bool:
        """Whether the game goes on after a five."""
        return bool(self.rule & CONTINUOUS)

    def check_rule(self) -> None:
        """Raise LuoziError if the rule is not supported."""
        names = {RENJU: "renju", CARO: "caro"}
        if self.rule & ~(EXACTLY_FIVE | CONTINUOUS):
            unknown = [name for bit, name in names.items() if self.rule & bit] or ["unknown"]
            raise LuoziError(
                "unsupported rule {rule} ({names}); 0, 1, 2 and 3 are supported",
                rule=self.rule,
                names=" and ".join(unknown),
            )

    # Time -----------------------------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """Start the time of a new game."""
        self.used_in_game = 0.0
        if self.timeout_match > 0:
            self.time_left = None  # what was told was about the game before

    def use(self, seconds: float) -> None:
        """Subtract time that was used."""
        self.used_in_game += seconds
        self.used_since_told += seconds

    def seconds_left(self) -> float:
        """Return the seconds that are left for the game."""
        left = [float("inf")]
        if self.timeout_match > 0:
            left.append(self.timeout_match / 1000 - self.used_in_game)
        if self.time_left is not None and (self.time_left > 0 or self.timeout_match > 0):
            left.append(self.time_left / 1000 - self.used_since_told)
        return max(0.0, min(left))

    def seconds(self, own_limit: float = 0.0) -> float:
        """Return the seconds of a move, from the request on; `own_limit` is the user's limit, 0 for none."""
        is_told = self.timeout_turn is not None and self.timeout_turn < NO_LIMIT
        turn = (self.timeout_turn or 0) / 1000 if is_told else 0.0
        limits = limits_in_force(Limits(seconds=turn), Limits(seconds=own_limit), Limits(seconds=DEFAULT_SECONDS))
        allowed = min(limits.seconds, self.seconds_left() * SHARE_OF_MATCH)
        if allowed <= 0 or self.timeout_turn == 0:
            return FASTEST_SECONDS
        return max(allowed - min(MARGIN_SECONDS + MARGIN_SHARE * allowed, MOST_MARGIN), allowed / 10)

    # Memory ---------------------------------------------------------------------------------------------------------

    def can_compile(self) -> bool:
        """Return whether there is enough memory for another process that compiles the full search."""
        needed = resident_bytes() + COMPILING_BYTES + RESERVE_BYTES + LEAST_POOL_BYTES
        return self.max_memory <= 0 or needed <= self.max_memory

    def pool_megabytes(self, compiling: bool = False) -> float:
        """Return the megabytes that the node pool may take beside what is and will be in memory; 0 is no limit."""
        if self.max_memory <= 0:
            return 0.0
        left = self.max_memory - resident_bytes() - RESERVE_BYTES - compiling * COMPILING_BYTES
        return max(left * POOL_SHARE, LEAST_POOL_BYTES) / 1e6
