"""One thought under way at a table: it runs beside everything else, tells its news, and ends with a choice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from luozi.messages import LuoziError
from luozi.records.moves import MoveNote, note_of
from luozi.rules.game import Game
from luozi.search import SearchResult
from luozi.search.engine_pool import EnginePool
from luozi.search.ready_engine import STAGES
from luozi.web.board_views import view
from luozi.web.encoding import dumped
from luozi.web.jobs import Job, JobChoice, Searcher, Thinker

NEWS_SECONDS = 0.1
COMPILING_SECONDS = 0.5
FEEL_SECONDS = 0.1
BEARABLE = 0.01  # seconds of lag that double the time between news
SHARE = 0.25  # of one core, for telling everybody what is being thought
CANDIDATES = 100  # that are told
LINE = 16  # moves of a line
TOLD_WITH_MOVE = 40  # the same with a move
STORED = 40  # and that are kept


def told(thought: SearchResult, most: int = CANDIDATES) -> dict[str, Any]:
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
    return {**found, "hidden": len(thought.candidates) - len(lean)}


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


@dataclass
class Thinking:
    """What is being thought at a table; `what` is move, analysis or hint."""

    what: str
    seat: int
    move: int  # the position, by the number of moves before it
    thinker: Thinker
    errand: Job
    workers: EnginePool
    pace: Pace
    answer_to: Any = None  # the connection and the message that wait for a hint
    made: float = field(default_factory=time.monotonic)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def about(self) -> dict[str, Any]:
        """For the table's message."""
        return {"what": self.what, "seat": self.seat}

    def news(self, thought: SearchResult | None = None, done: bool = False) -> dict[str, Any] | None:
        """What is known now, as a message; None if there is nothing to tell."""
        thought = thought or self.thinker.snapshot()
        if thought is None or (not done and not thought.iterations and not thought.kept):
            return None
        seconds = max(thought.seconds, 1e-3)
        stage = self.thinker.stage_in_use if isinstance(self.thinker, Searcher) else self.thinker.stage
        return {
            "type": "thinking",
            "what": self.what,
            "seat": self.seat,
            "move": self.move,
            "thought": told(thought),
            "rate": round(thought.iterations / seconds),
            "threads": max(1, len(thought.threads)),
            "engine": STAGES[stage],
            "guess": STAGES[stage] != STAGES[-1],  # a simpler search, until the one that was asked for is compiled
            "few": found_few(thought),
            "done": done,
        }

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
            self.errand.cancel.set()

    async def tell_news(
        self, work: Callable[..., Awaitable[Any]], heard: Callable[[], bool], tell: Callable[[str], None]
    ) -> None:
        """Until it is over, tell what is known."""
        self.pace.active += 1
        try:
            cancel = self.errand.cancel
            while not cancel.is_set():
                await asyncio.sleep(self.pace.seconds)
                text = await work(self.news_text) if heard() and not cancel.is_set() else None
                if text is not None and not cancel.is_set():
                    tell(text)
        finally:
            self.pace.active -= 1


class FinishedJob(NamedTuple):
    """A choice and all that is to be told and kept of it, put together where nobody waits for it."""

    choice: JobChoice
    note: MoveNote
    told: dict[str, Any] | None = None  # the thought
    shown: dict[str, Any] | None = None  # the position after the move


def kept(thought: SearchResult | None) -> MoveNote:
    """What is kept of a thought; no win rate where only a few simulations stand behind it, as before it is compiled."""
    note = note_of(thought, None, True)
    if thought is None or not found_few(thought):
        return note
    return note._replace(thought={name: value for name, value in (note.thought or {}).items() if name != "means"})


def think_through(game: Game, thinking: Thinking, one_at_a_time: AbstractContextManager[Any]) -> FinishedJob:
    """Think, in a thread of its own, and put the answer into words; many may end at once, so one after the other."""
    if thinking.what != "move" and thinking.errand.cancel.is_set():  # while it waited
        raise LuoziError("it was stopped")
    choice = thinking.thinker.choose(thinking.errand)
    with one_at_a_time:
        note = kept(choice.thought)
        note = note._replace(candidates=note.candidates[:STORED])
        if thinking.what != "move":
            return FinishedJob(choice, note)
        thought = None if choice.thought is None else told(choice.thought, TOLD_WITH_MOVE)
        return FinishedJob(choice, note, thought, view(game, thinking.errand.position.play(choice.action).state))


def compiling(thinker: Thinker, what: str) -> dict[str, Any] | None:
    """How far compiling is, as a message; None if there is nothing to wait for."""
    progress = thinker.progress()
    if progress is None:
        return None
    about = {"what": what, "part": round(progress.share, 3), "seconds": round(max(0.0, progress.left), 1)}
    return {"type": "compiling", **about, "engine": STAGES[thinker.stage], "done": False}
