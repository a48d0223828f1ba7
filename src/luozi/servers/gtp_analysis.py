"""Analysis that streams until any input arrives, in the words of Leela Zero, KataGo and Sabaki.

The answer begins at once with `=`; then a line of candidates comes every so often, and a blank line ends it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from luozi.evaluators.thread_state import ITERATIONS
from luozi.games.go.points import point_of
from luozi.limits import Cancel, Limits, Stop, calling_at
from luozi.messages import LuoziError
from luozi.protocols.gtp import RESIGN, read_colour
from luozi.rules.position import Position
from luozi.search import Engine, SearchResult
from luozi.search.result import Candidate
from luozi.servers.gtp_base import MOST_SECONDS, command
from luozi.servers.gtp_moves import Moves
from luozi.util.parsing import whole_number

Words = Sequence[str]
LEAST_SECONDS = 0.05
FIRST_SECONDS = 0.02  # that input which waits already leaves an analysis
SLOW_SECONDS = 2.0  # the same for one iteration of a search that found nothing in that time
DEFAULT_INTERVAL = 100  # hundredths of a second
FAMILY = "analysis"
SWITCHES = (
    "ownership",
    "movesownership",
    "rootinfo",
    "ownershipstdev",
    "pvvisits",
    "pvedgevisits",
    "movesownershipstdev",
)


@dataclass
class Wish:
    """What is to be told, and how often."""

    player: int
    interval: float = DEFAULT_INTERVAL / 100
    most: int = 10**6
    least: int = 0
    switches: dict[str, bool] = field(default_factory=dict)
    only: set[int] = field(default_factory=set)
    never: set[int] = field(default_factory=set)

    def wants(self, name: str) -> bool:
        """Whether a switch is on."""
        return self.switches.get(name, False)

    @property
    def chooses(self) -> bool:
        """Whether some moves only are wanted."""
        return bool(self.only or self.never)

    def allows(self, action: int) -> bool:
        """Whether a move may be told, and made."""
        return action not in self.never and (not self.only or action in self.only)


class Analysis(Moves):
    """The commands that tell what the search thinks while it does."""

    @command("lz-analyze", "[COLOUR] [INTERVAL]", FAMILY)
    @command("analyze", "[COLOUR] [INTERVAL]", FAMILY)
    def analyze(self, words: Words) -> None:
        """Tell candidates every INTERVAL hundredths of a second until any input arrives."""
        self.stream(self.wish(words), katago=False)

    @command("kata-analyze", "[COLOUR] [INTERVAL] [ownership true]", FAMILY)
    def kata_analyze(self, words: Words) -> None:
        """As lz-analyze in KataGo's form; if asked, with the owner of each point."""
        self.stream(self.wish(words), katago=True)

    @command("lz-genmove_analyze", "[COLOUR] [INTERVAL]", FAMILY)
    @command("genmove_analyze", "[COLOUR] [INTERVAL]", FAMILY)
    def generate_and_tell(self, words: Words) -> None:
        """Think in the time of a move, tell candidates meanwhile, then `play` and the move."""
        self.stream_move(self.wish(words), katago=False)

    @command("kata-genmove_analyze", "[COLOUR] [INTERVAL] [ownership true]", FAMILY)
    def kata_generate_and_tell(self, words: Words) -> None:
        """As lz-genmove_analyze in KataGo's form."""
        self.stream_move(self.wish(words), katago=True)

    @command("kata-search_analyze", "[COLOUR] [INTERVAL]", FAMILY)
    def kata_search_and_tell(self, words: Words) -> None:
        """As kata-genmove_analyze, but the move is not played."""
        self.stream_move(self.wish(words), katago=True, plays=False)

    @command("stop", "", FAMILY)
    def stop_thinking(self, words: Words) -> str:
        """End an analysis, or a genmove with the best move so far."""
        return ""

    # Words --------------------------------------------------------------------------------------------------------

    def wish(self, words: Words) -> Wish:
        """What a command asks for: colour and interval in either order, then keys and values."""
        wish, left = Wish(self.position.to_move), list(words)
        while left:
            word = left.pop(0).lower()
            player, interval = read_colour(word), whole_number(word, 0, 10**6)
            if player is not None:
                wish.player = player
            elif interval is not None:
                wish.interval = max(interval, 1) / 100
            elif word in ("interval", "maxmoves", "minmoves"):
                number = self.whole(left, 0, 0, 10**6)
                left.pop(0)
                name = {"interval": "interval", "maxmoves": "most", "minmoves": "least"}[word]
                setattr(wish, name, max(number, 1) / 100 if word == "interval" else number)
            elif word in SWITCHES:
                wish.switches[word] = bool(left) and left.pop(0).lower() == "true"
            elif word in ("avoid", "allow"):
                self.restrict(wish, word, left)
            else:
                raise LuoziError("syntax error: {word} is nothing that an analysis could tell", word=ascii(word[:20]))
        return wish

    def restrict(self, wish: Wish, word: str, left: list[str]) -> None:
        """`avoid` or `allow`, a colour, points between commas, and for how many moves."""
        if len(left) < 3:
            raise LuoziError("syntax error: {word} needs a colour, points and a number of moves", word=word)
        player, names, _depth = read_colour(left.pop(0)), left.pop(0).split(","), left.pop(0)
        points = {point for name in names if (point := point_of(self.position.terms.size, name)) is not None}
        if player == wish.player:
            (wish.only if word == "allow" else wish.never).update(points)

    # Streaming ----------------------------------------------------------------------------------------------------

    def stream(self, wish: Wish, katago: bool) -> None:
        """Analyse until something else is asked."""
        position = self.position.turn_of(wish.player)
        self.begin_stream()
        engine = None
        with self.thinking(until_input=True) as cancel:
            while engine is None or not cancel.is_set():
                if engine is self.engine():  # its own limits have ended it: it waits for input, or a better engine
                    self.wait_for_better(cancel)
                    continue
                engine = self.engine_for(None, cancel)
                self.watch(engine, position, wish, katago, self.asked + MOST_SECONDS, cancel)
        self.say("")

    def stream_move(self, wish: Wish, katago: bool, plays: bool = True) -> None:
        """Think as for a move, and tell of it."""
        seconds = self.clock.seconds(wish.player, self.position.game.points, len(self.position.plays))
        position = self.position.turn_of(wish.player)
        state = position.state
        self.begin_stream()
        name, hopeless = "pass", list(self.hopeless)
        self.count_first(state, False, seconds)
        if not (self.may_pass(state, False) and self.wins_by_passing(wish.player, seconds)):
            deadline = self.asked + self.seconds_for_move(seconds)
            with self.thinking() as cancel:
                if self.hurried:
                    cancel.set()
                thought = self.watch(self.engine_for(seconds, cancel), position, wish, katago, deadline, cancel)
            action = self.decided(wish.player, state, thought, False, seconds)
            if not isinstance(action, str) and not wish.allows(action):
                others = (one.action for one in thought.candidates if wish.allows(one.action))
                action = next((one for one in others if not self.position.reason_against(state, one)), action)
            name = self.name_of(action)
        if plays:
            self.make(wish.player, name)
        else:
            self.hopeless = hopeless
            name = thought.name if name == RESIGN else name
        self.say(f"play {name}\n")

    def begin_stream(self) -> None:
        """The first line of the answer."""
        self.engine()
        self.replied = True
        self.say(f"={self.number}")

    def watch(
        self, engine: Engine, position: Position, wish: Wish, katago: bool, deadline: float, cancel: Cancel
    ) -> SearchResult:
        """Think, and tell every interval; the last thought. A better engine that gets ready ends it too."""
        left = min(max(LEAST_SECONDS, deadline - time.monotonic()), MOST_SECONDS)
        wanted = [action for action in position.actions if wish.allows(action)] if wish.chooses else []
        limits = replace(self.options.limits, seconds=left)
        search = engine.start(position, limits, moves=wanted)
        following, least = time.monotonic() + wish.interval, time.perf_counter() + FIRST_SECONDS

        def stop() -> None:
            if cancel.is_set() and time.perf_counter() >= least:
                search.stop()

        told: SearchResult | None = None
        try:
            with cancel.calling(stop), calling_at(least, stop), self.calling_when_better(search.stop, deadline):
                while not search.wait(following - time.monotonic()):
                    following = time.monotonic() + wish.interval
                    if engine.progress[ITERATIONS]:
                        told = search.snapshot()
                        self.tell(told, wish, katago)
        finally:
            search.stop()
            thought = search.result()
        if cancel.is_set() and not thought.iterations:
            thought = engine.think(position, Limits(iterations=1, seconds=SLOW_SECONDS), moves=wanted)
        if told is None or told.iterations < thought.iterations:
            self.tell(thought, wish, katago)
        return thought

    def wait_for_better(self, cancel: Cancel) -> None:
        """Wait for a better engine, or the end of the analysis."""
        ready = self.readiness
        if ready is None:
            cancel.wait()
        else:
            ready.readiness.wait(lambda: ready.has_better, cancel=cancel)

    def calling_when_better(self, stop: Stop, deadline: float) -> AbstractContextManager[None]:
        """Call `stop` when a better engine is ready for an analysis without end."""
        ready = self.readiness
        if ready is None or deadline - self.asked < MOST_SECONDS:
            return nullcontext()

        def look() -> None:
            if ready.has_better:
                stop()

        return ready.readiness.calling(look)

    def tell(self, thought: SearchResult, wish: Wish, katago: bool) -> None:
        """One line about all candidates."""
        shown = [one for one in thought.candidates if one.visits or one.action == thought.action]
        shown = [one for one in shown if wish.allows(one.action)]
        shown = shown[: max(wish.least, min(wish.most, len(shown)))]
        parts = [self.info(thought, one, order, wish, katago) for order, one in enumerate(shown)]
        if katago and wish.wants("rootinfo"):
            best = thought.best
            visits = sum(candidate.visits for candidate in thought.candidates)
            parts.append(f"rootInfo visits {visits} winrate {best.means[thought.player]:.6f}")
        if katago and wish.wants("ownership") and thought.ownership is not None:
            parts.append("ownership " + ownership_text(thought.ownership, thought.player))
        if parts:
            self.say(" ".join(parts))

    def info(self, thought: SearchResult, candidate: Candidate, order: int, wish: Wish, katago: bool) -> str:
        """One candidate."""
        mean, prior = candidate.means[thought.player], candidate.prior or 0.0
        low = candidate.interval(thought.player)[0]
        line = " ".join(thought.line(candidate) or (candidate.name,))
        start = f"info move {candidate.name} visits {candidate.visits}"
        if not katago:
            numbers = f"winrate {round(10_000 * mean)} prior {round(10_000 * prior)} lcb {round(10_000 * low)}"
            return f"{start} {numbers} order {order} pv {line}"
        lead = self.lead(candidate.ownership or thought.ownership, thought.player)
        numbers = f"utility {2 * mean - 1:.6f} winrate {mean:.6f} scoreMean {lead:.2f} scoreLead {lead:.2f}"
        text = f"{start} {numbers} prior {prior:.6f} lcb {low:.6f} order {order} pv {line}"
        if wish.wants("movesownership") and candidate.ownership is not None:
            text += " movesOwnership " + ownership_text(candidate.ownership, thought.player)
        return text

    def lead(self, ownership: Any, player: int) -> float:
        """By how many points a player leads, by the owners of the points; 0 where nobody counts them."""
        if ownership is None:
            return 0.0
        area = sum(ownership[0]) - sum(ownership[1]) - self.position.game.head_start
        return area if player == 0 else -area


def ownership_text(ownership: Any, player: int) -> str:
    """From -1 to 1 for the player to move, row by row from the top.

    >>> ownership_text(((1.0, 0.25), (0.0, 0.75)), 1)
    '-1.00 0.50'
    """
    own, other = ownership[player], ownership[1 - player]
    return " ".join(f"{mine - theirs:.2f}" for mine, theirs in zip(own, other, strict=True))
