"""One running search or player of a session: its progress for the page, and its result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from luozi.messages import LuoziError
from luozi.records.moves import MoveNote, SearchNote, note_of
from luozi.rules.board import PositionData
from luozi.rules.position import Position
from luozi.search import SearchResult
from luozi.search.ready_engine import STAGES
from luozi.web.answers import Answer, BusyData, CompilingMessage, ThinkingMessage, ThoughtData
from luozi.web.board_data import position_data
from luozi.web.protocol import dumped
from luozi.web.seat_players import STOPPED, Job, SearchPlayer, SeatPlayer

if TYPE_CHECKING:
    from luozi.web.socket import Connection

Purpose = Literal["move", "analysis", "hint"]
NEWS_SECONDS = 0.1
COMPILING_SECONDS = 0.5
LAG_SECONDS = 0.1  # between two measurements of the lag
BEARABLE = 0.01  # seconds of lag that double the time between progress messages
SHARE = 0.25  # of one core, for progress messages of all sessions
CANDIDATES = 100  # that are sent
LINE = 16  # moves of a line
SENT_WITH_MOVE = 40  # candidates that are sent with a move
STORED = 40  # candidates that are stored


def thought_data(thought: SearchResult, most: int = CANDIDATES) -> ThoughtData:
    """Return a search result for the page: its leading candidates, with short lines, since naming moves takes time.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> thought = luozi.Engine(game, seed=1).think(game.new_state(), iterations=2000)
    >>> found = thought_data(thought, 3)
    >>> len(found["candidates"]), found["hidden"], found["variation"][0]
    (3, 6, 'b2')
    """
    known = [one for one in thought.candidates if one.visits or one.proven or one.action == thought.action]
    leading = known[:most] if thought.best in known[:most] else [thought.best, *known[: most - 1]]
    lean = tuple(one._replace(line=one.line[:LINE], ownership=None) for one in leading)
    found = replace(thought, candidates=lean, expected=thought.expected[:LINE]).as_dict()
    return cast(ThoughtData, {**found, "hidden": len(thought.candidates) - len(lean)})


def has_few_visits(thought: SearchResult) -> bool:
    """Return whether the best move has too few visits for a win rate."""
    chances = thought.chances()
    return chances is not None and chances.few


class Pace:
    """The time between progress messages, so that all of them together leave the cores to the searches."""

    def __init__(self) -> None:
        self.active, self.cost = 0, 0.003
        self.lag = 0.0  # seconds by which the network's thread is late

    @property
    def seconds(self) -> float:
        """Seconds between two progress messages of one session.

        >>> pace = Pace()
        >>> pace.active, pace.cost = 50, 0.004
        >>> pace.seconds
        0.8
        """
        return max(NEWS_SECONDS, self.active * self.cost / SHARE) * (1 + self.lag / BEARABLE)

    async def measure_lag(self) -> None:
        """Measure without end how late the network's thread is: moves go before progress."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(LAG_SECONDS)
            self.lag = 0.8 * self.lag + 0.2 * (time.monotonic() - began - LAG_SECONDS)

    def took(self, seconds: float) -> None:
        """Note the time that one progress message took."""
        self.cost = 0.9 * self.cost + 0.1 * min(seconds, 0.1)


class QueuedRequest(NamedTuple):
    """A request that is answered when its search ends."""

    connection: Connection
    request: int | None

    def answer(self, message: Answer) -> None:
        """Send the response."""
        self.connection.answer(self.request, message)


@dataclass
class Thinking:
    """A running search or player of a session."""

    what: Purpose
    player: SeatPlayer
    job: Job
    pace: Pace
    waiting: QueuedRequest | None = None
    made: float = field(default_factory=time.monotonic)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def seat(self) -> int:
        """The side to move."""
        return self.job.position.to_move

    @property
    def move(self) -> int:
        """The move number of the position."""
        return self.job.position.length

    def about(self) -> BusyData:
        """Return what runs, for the state of the session."""
        return BusyData(self.seat, self.what)

    def progress(self, thought: SearchResult | None = None, done: bool = False) -> ThinkingMessage | None:
        """Return the message about a search result, by default the one so far; None if there is none."""
        thought = thought or self.player.snapshot()
        if thought is None or (not done and not thought.iterations and not thought.reused_visits):
            return None
        stage = self.player.stage_in_use if isinstance(self.player, SearchPlayer) else self.player.stage
        return ThinkingMessage(
            self.what,
            self.seat,
            self.move,
            thought_data(thought),
            rate=round(thought.iterations / max(thought.seconds, 1e-3)),
            threads=max(1, len(thought.threads)),
            engine=STAGES[stage],
            guess=STAGES[stage] != STAGES[-1],
            few=has_few_visits(thought),
            done=done,
        )

    def progress_text(self) -> str | None:
        """Return the message about the result so far as JSON, and note the time that it takes."""
        began = time.thread_time()
        found = self.progress()
        text = None if found is None else dumped(found)
        self.pace.took(time.thread_time() - began)
        return text

    def move_now(self) -> None:
        """Have the player move at once, if it can."""
        if self.player.moves_at_once:
            self.job.cancel.set()

    async def progress_texts(
        self, run: Callable[[Callable[[], str | None]], Awaitable[str | None]], is_watched: Callable[[], bool]
    ) -> AsyncIterator[str]:
        """Yield progress messages until the job ends; none while nobody watches."""
        self.pace.active += 1
        try:
            cancel = self.job.cancel
            while not cancel.is_set():
                await asyncio.sleep(self.pace.seconds)
                text = await run(self.progress_text) if is_watched() and not cancel.is_set() else None
                if text is not None and not cancel.is_set():
                    yield text
        finally:
            self.pace.active -= 1


class FinishedJob(NamedTuple):
    """The result of a search or a player, as it is stored and sent; empty for a move of a person."""

    note: MoveNote = MoveNote()
    remark: str = ""
    thought: SearchResult | None = None
    following: Position | None = None  # after the move; None for a hint or an analysis
    thought_data: ThoughtData | None = None
    view: PositionData | None = None  # the position after the move


def stored_note(thought: SearchResult | None) -> MoveNote:
    """Return what is stored of a search result; no win rate with few visits, as before a search is compiled."""
    note = note_of(thought, None, True)
    note = note._replace(candidates=note.candidates[:STORED])
    if thought is None or not has_few_visits(thought):
        return note
    told = {name: value for name, value in (note.thought or {}).items() if name != "means"}
    return note._replace(thought=cast(SearchNote, told))


def finished(thinking: Thinking, one_at_a_time: AbstractContextManager[object]) -> FinishedJob:
    """Run a job to its end, in a thread of its own; many that end together write their data one after the other."""
    if thinking.what != "move" and thinking.job.cancel.is_set():  # while it waited
        raise LuoziError(STOPPED)
    choice = thinking.player.choose(thinking.job)
    with one_at_a_time:
        found = FinishedJob(stored_note(choice.thought), choice.remark, choice.thought)
        if thinking.what != "move":
            return found
        data = None if choice.thought is None else thought_data(choice.thought, SENT_WITH_MOVE)
        following = thinking.job.position.play(choice.action)
        return found._replace(following=following, thought_data=data, view=position_data(following, with_text=False))


def compiling(player: SeatPlayer, game: str) -> CompilingMessage | None:
    """Return the message about a player's compilation; None if nothing is compiled."""
    progress = player.progress()
    if progress is None:
        return None
    seconds = round(max(0.0, progress.left), 1)
    return CompilingMessage(game, round(progress.share, 3), seconds, STAGES[player.stage], done=False)
