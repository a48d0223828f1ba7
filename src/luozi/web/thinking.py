"""One thought under way at a table: it runs beside everything else, tells its news, and ends with a choice."""

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
from luozi.web.board_views import shown
from luozi.web.encoding import dumped
from luozi.web.jobs import Job, SearchPlayer, SeatPlayer

if TYPE_CHECKING:
    from luozi.web.socket import Connection

Purpose = Literal["move", "analysis", "hint"]
NEWS_SECONDS = 0.1
COMPILING_SECONDS = 0.5
FEEL_SECONDS = 0.1
BEARABLE = 0.01  # seconds of lag that double the time between news
SHARE = 0.25  # of one core, for telling everybody what is being thought
CANDIDATES = 100  # that are told
LINE = 16  # moves of a line
TOLD_WITH_MOVE = 40  # the same with a move
STORED = 40  # and that are kept


def told(thought: SearchResult, most: int = CANDIDATES) -> ThoughtData:
    """A thought as plain data: the leading candidates, and the first moves of their lines, since naming takes time.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> thought = luozi.Engine(game, seed=1).think(game.new_state(), iterations=2000)
    >>> found = told(thought, 3)
    >>> len(found["candidates"]), found["hidden"], found["variation"][0]
    (3, 6, 'b2')
    """
    known = [one for one in thought.candidates if one.visits or one.proven or one.action == thought.action]
    leading = known[:most] if thought.best in known[:most] else [thought.best, *known[: most - 1]]
    lean = tuple(one._replace(line=one.line[:LINE], ownership=None) for one in leading)
    found = replace(thought, candidates=lean, expected=thought.expected[:LINE]).as_dict()
    return cast(ThoughtData, {**found, "hidden": len(thought.candidates) - len(lean)})


def found_few(thought: SearchResult) -> bool:
    """Whether too few visits stand behind the move for a number."""
    chances = thought.chances()
    return chances is not None and chances.few


class Pace:
    """How often news are told, so that all of them together leave the cores to the engines."""

    def __init__(self) -> None:
        self.active, self.cost = 0, 0.003
        self.lag = 0.0  # seconds by which the network's thread comes too late

    @property
    def seconds(self) -> float:
        """Between two messages of one table.

        >>> pace = Pace()
        >>> pace.active, pace.cost = 50, 0.004
        >>> pace.seconds
        0.8
        """
        return max(NEWS_SECONDS, self.active * self.cost / SHARE) * (1 + self.lag / BEARABLE)

    async def feel(self) -> None:
        """Look all the time how late the network's thread comes: moves go before news."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(FEEL_SECONDS)
            self.lag = 0.8 * self.lag + 0.2 * (time.monotonic() - began - FEEL_SECONDS)

    def took(self, seconds: float) -> None:
        """Telling took so long this time."""
        self.cost = 0.9 * self.cost + 0.1 * min(seconds, 0.1)


class QueuedRequest(NamedTuple):
    """A page that waits for what is found, and the id of its request."""

    connection: Connection
    request: int | None

    def answer(self, message: Answer) -> None:
        """Give it its answer."""
        self.connection.answer(self.request, message)


@dataclass
class Thinking:
    """What is being thought at a table."""

    what: Purpose
    thinker: SeatPlayer
    job: Job
    pace: Pace
    waiting: QueuedRequest | None = None
    made: float = field(default_factory=time.monotonic)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def seat(self) -> int:
        """Who is to move."""
        return self.job.position.to_move

    @property
    def move(self) -> int:
        """The position, by the number of moves before it."""
        return self.job.position.length

    def about(self) -> BusyData:
        """For the table's message."""
        return BusyData(self.seat, self.what)

    def news(self, thought: SearchResult | None = None, done: bool = False) -> ThinkingMessage | None:
        """What is known now; None if there is nothing to tell."""
        thought = thought or self.thinker.snapshot()
        if thought is None or (not done and not thought.iterations and not thought.reused_visits):
            return None
        stage = self.thinker.stage_in_use if isinstance(self.thinker, SearchPlayer) else self.thinker.stage
        return ThinkingMessage(
            self.what,
            self.seat,
            self.move,
            told(thought),
            rate=round(thought.iterations / max(thought.seconds, 1e-3)),
            threads=max(1, len(thought.threads)),
            engine=STAGES[stage],
            guess=STAGES[stage] != STAGES[-1],
            few=found_few(thought),
            done=done,
        )

    def news_text(self) -> str | None:
        """The same as text, made in a thread of its own."""
        began = time.thread_time()  # what it costs, not how long it waits for others
        found = self.news()
        text = None if found is None else dumped(found)
        self.pace.took(time.thread_time() - began)
        return text

    def move_now(self) -> None:
        """Answer at once, if it can."""
        if self.thinker.moves_at_once:
            self.job.cancel.set()

    async def news_texts(
        self, work: Callable[[Callable[[], str | None]], Awaitable[str | None]], is_watched: Callable[[], bool]
    ) -> AsyncIterator[str]:
        """What is known from time to time, until it is over; nothing while nobody watches."""
        self.pace.active += 1
        try:
            cancel = self.job.cancel
            while not cancel.is_set():
                await asyncio.sleep(self.pace.seconds)
                text = await work(self.news_text) if is_watched() and not cancel.is_set() else None
                if text is not None and not cancel.is_set():
                    yield text
        finally:
            self.pace.active -= 1


class FinishedJob(NamedTuple):
    """What a search or a player found, with what is told and kept of it; empty for a move of a person."""

    note: MoveNote = MoveNote()
    remark: str = ""
    thought: SearchResult | None = None
    following: Position | None = None  # after the move; None for a hint or an analysis
    told: ThoughtData | None = None
    shown: PositionData | None = None  # the position after the move


def kept(thought: SearchResult | None) -> MoveNote:
    """What is kept of a thought; no win rate where only a few simulations stand behind it, as before it is compiled."""
    note = note_of(thought, None, True)
    if thought is None or not found_few(thought):
        return note
    told = {name: value for name, value in (note.thought or {}).items() if name != "means"}
    return note._replace(thought=cast(SearchNote, told))


def think_through(thinking: Thinking, one_at_a_time: AbstractContextManager[object]) -> FinishedJob:
    """Think, in a thread of its own, and put the answer into words; many may end at once, so one after the other."""
    if thinking.what != "move" and thinking.job.cancel.is_set():  # while it waited
        raise LuoziError("it was stopped")
    choice = thinking.thinker.choose(thinking.job)
    with one_at_a_time:
        note = kept(choice.thought)
        found = FinishedJob(note._replace(candidates=note.candidates[:STORED]), choice.remark, choice.thought)
        if thinking.what != "move":
            return found
        thought = None if choice.thought is None else told(choice.thought, TOLD_WITH_MOVE)
        following = thinking.job.position.play(choice.action)
        return found._replace(following=following, told=thought, shown=shown(following, with_text=False))


def compiling(thinker: SeatPlayer, what: str) -> CompilingMessage | None:
    """How far compiling is; None if there is nothing to wait for."""
    progress = thinker.progress()
    if progress is None:
        return None
    seconds = round(max(0.0, progress.left), 1)
    return CompilingMessage(what, round(progress.share, 3), seconds, STAGES[thinker.stage], done=False)
