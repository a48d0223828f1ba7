"""Analysis that streams until any input arrives, in the formats of Leela Zero and KataGo.

The answer begins at once with `=`; then a line of candidates comes every so often, and a blank line ends it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from luozi.evaluators.thread_state import ITERATIONS
from luozi.games.go.points import point_of
from luozi.limits import Cancel, Limits, Stop, calling_at
from luozi.messages import LuoziError
from luozi.protocols.gtp import PASS, RESIGN, read_colour, whole_in
from luozi.rules.position import Position
from luozi.search import Engine, SearchResult
from luozi.search.result import Candidate
from luozi.servers.conversation import MOST_SECONDS, CommandTable
from luozi.servers.gtp.move_choice import MoveChoice
from luozi.servers.gtp.play_commands import make
from luozi.servers.gtp.session import GtpSession, Words
from luozi.util.parsing import whole_number

LEAST_SECONDS = 0.05
FIRST_SECONDS = 0.02  # of an analysis for which more input waits already
SLOW_SECONDS = 2.0  # for one iteration of a search that has none by then
DEFAULT_INTERVAL = 100  # hundredths of a second
SWITCHES = (
    "ownership",
    "movesownership",
    "rootinfo",
    "ownershipstdev",
    "pvvisits",
    "pvedgevisits",
    "movesownershipstdev",
)

Ownership = Sequence[Sequence[float]]  # of each colour: in which share of simulations each point was theirs

commands = CommandTable[GtpSession, Words]("analysis")


@commands.add("lz-analyze", "[COLOUR] [INTERVAL]")
@commands.add("analyze", "[COLOUR] [INTERVAL]")
def analyze(session: GtpSession, words: Words) -> str:
    """Analyse until any input arrives; send candidate moves every INTERVAL hundredths of a second."""
    return stream(Analysis(session, wish_in(session, words)))


@commands.add("kata-analyze", "[COLOUR] [INTERVAL] [ownership true]")
def kata_analyze(session: GtpSession, words: Words) -> str:
    """Analyse in KataGo's format; on request with the ownership of each point."""
    return stream(Analysis(session, wish_in(session, words, is_katago=True)))


@commands.add("lz-genmove_analyze", "[COLOUR] [INTERVAL]")
@commands.add("genmove_analyze", "[COLOUR] [INTERVAL]")
def genmove_analyze(session: GtpSession, words: Words) -> str:
    """Choose and play a move, and send candidate moves meanwhile."""
    return stream_move(Analysis(session, wish_in(session, words)))


@commands.add("kata-genmove_analyze", "[COLOUR] [INTERVAL] [ownership true]")
def kata_genmove_analyze(session: GtpSession, words: Words) -> str:
    """As lz-genmove_analyze in KataGo's format."""
    return stream_move(Analysis(session, wish_in(session, words, is_katago=True)))


@commands.add("kata-search_analyze", "[COLOUR] [INTERVAL]")
def kata_search_analyze(session: GtpSession, words: Words) -> str:
    """As kata-genmove_analyze, without playing the move."""
    return stream_move(Analysis(session, wish_in(session, words, is_katago=True)), plays=False)


@commands.add("stop")
def stop(session: GtpSession, words: Words) -> str:
    """End an analysis, or a genmove with the best move so far."""
    return ""


# What is asked for ----------------------------------------------------------------------------------------------------


@dataclass
class Wish:
    """The request of an analysis: what is sent, and how often."""

    player: int
    is_katago: bool = False  # or Leela Zero's form
    interval: float = DEFAULT_INTERVAL / 100
    most: int = 10**6
    least: int = 0
    switches: dict[str, bool] = field(default_factory=dict)
    only: set[int] = field(default_factory=set)
    never: set[int] = field(default_factory=set)

    def wants(self, name: str) -> bool:
        """Return whether a switch is on; only KataGo's format has any."""
        return self.is_katago and self.switches.get(name, False)

    @property
    def chooses(self) -> bool:
        """Whether moves are restricted."""
        return bool(self.only or self.never)

    def allows(self, action: int) -> bool:
        """Return whether a move may be sent and played."""
        return action not in self.never and (not self.only or action in self.only)


def wish_in(session: GtpSession, words: Words, is_katago: bool = False) -> Wish:
    """Read the words of a command: colour and interval in either order, then keys and values."""
    wish, left = Wish(session.position.to_move, is_katago), list(words)
    while left:
        word = left.pop(0).lower()
        player, interval = read_colour(word), whole_number(word, 0, 10**6)
        if player is not None:
            wish.player = player
        elif interval is not None:
            wish.interval = max(interval, 1) / 100
        elif word in ("interval", "maxmoves", "minmoves"):
            number = whole_in(left, 0, 0, 10**6)
            left.pop(0)
            name = {"interval": "interval", "maxmoves": "most", "minmoves": "least"}[word]
            setattr(wish, name, max(number, 1) / 100 if word == "interval" else number)
        elif word in SWITCHES:
            wish.switches[word] = bool(left) and left.pop(0).lower() == "true"
        elif word in ("avoid", "allow"):
            restrict(wish, word, left, session.position.terms.size)
        else:
            raise LuoziError("syntax error: an analysis has no word {word}", word=ascii(word[:20]))
    return wish


def restrict(wish: Wish, word: str, left: list[str], size: int) -> None:
    """Read the words after `avoid` or `allow`: a colour, points between commas, and a number of moves."""
    if len(left) < 3:
        raise LuoziError("syntax error: {word} needs a colour, points and a number of moves", word=word)
    player, names, _depth = read_colour(left.pop(0)), left.pop(0).split(","), left.pop(0)
    points = {point for name in names if (point := point_of(size, name)) is not None}
    if player == wish.player:
        (wish.only if word == "allow" else wish.never).update(points)


# Streaming ------------------------------------------------------------------------------------------------------------


def stream(analysis: Analysis) -> str:
    """Analyse until any input arrives."""
    session, conversation = analysis.session, analysis.session.conversation
    position = session.position.turn_of(analysis.wish.player)
    begin_stream(session)
    engine = None
    with conversation.thinking(until_input=True) as cancel:
        while engine is None or not cancel.is_set():
            if engine is session.engine():  # its own limits have ended it: it waits for input, or a better engine
                analysis.wait_for_better(cancel)
                continue
            engine = session.engine_for(None, cancel)
            analysis.watch(engine, position, conversation.asked + MOST_SECONDS, cancel)
    conversation.say("")
    return ""


def stream_move(analysis: Analysis, plays: bool = True) -> str:
    """Search as for a move, and send the analysis meanwhile."""
    session, conversation, wish = analysis.session, analysis.session.conversation, analysis.wish
    choice = MoveChoice(session, wish.player)
    begin_stream(session)
    name, hopeless = PASS, list(session.hopeless)
    if not choice.wins_by_passing():
        deadline = session.deadline(choice.seconds)
        with conversation.thinking() as cancel:
            if conversation.hurried:
                cancel.set()
            engine = session.engine_for(choice.seconds, cancel)
            thought = analysis.watch(engine, choice.position, deadline, cancel)
        name = choice.name_of(allowed_move(choice, thought, wish))
    if plays:
        make(session, wish.player, name)
    else:
        session.hopeless = hopeless
        name = thought.name if name == RESIGN else name
    conversation.say(f"play {name}\n")
    return ""


def allowed_move(choice: MoveChoice, thought: SearchResult, wish: Wish) -> int | str:
    """Return the move or RESIGN; where `avoid` or `allow` excludes the move, the best other one."""
    action = choice.decided(thought)
    if isinstance(action, str) or wish.allows(action):
        return action
    others = (one.action for one in thought.candidates if wish.allows(one.action))
    return next((one for one in others if choice.is_legal(one)), action)


def begin_stream(session: GtpSession) -> None:
    """Send the first line of the answer."""
    session.engine()
    session.replied = True
    session.conversation.say(f"={session.number}")


@dataclass
class Analysis:
    """One analysis."""

    session: GtpSession
    wish: Wish

    def watch(self, engine: Engine, position: Position, deadline: float, cancel: Cancel) -> SearchResult:
        """Search, and send the analysis every interval; return the result. A better engine ends it too."""
        wish = self.wish
        left = min(max(LEAST_SECONDS, deadline - time.monotonic()), MOST_SECONDS)
        wanted = [action for action in position.actions if wish.allows(action)] if wish.chooses else []
        limits = replace(self.session.options.limits, seconds=left)
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
                        self.tell(told)
        finally:
            search.stop()
            thought = search.result()
        if cancel.is_set() and not thought.iterations:
            thought = engine.think(position, Limits(iterations=1, seconds=SLOW_SECONDS), moves=wanted)
        if told is None or told.iterations < thought.iterations:
            self.tell(thought)
        return thought

    def wait_for_better(self, cancel: Cancel) -> None:
        """Wait until a better engine is compiled, or the analysis ends."""
        ready = self.session.search
        if ready is None:
            cancel.wait()
        else:
            ready.readiness.wait(lambda: ready.has_better, cancel=cancel)

    def calling_when_better(self, stop: Stop, deadline: float) -> AbstractContextManager[None]:
        """Return a context that calls `stop` when a better engine is compiled, for an analysis without end."""
        ready = self.session.search
        if ready is None or deadline - self.session.conversation.asked < MOST_SECONDS:
            return nullcontext()

        def look() -> None:
            if ready.has_better:
                stop()

        return ready.readiness.calling(look)

    # Lines --------------------------------------------------------------------------------------------------------

    def tell(self, thought: SearchResult) -> None:
        """Send one line about all candidates."""
        wish = self.wish
        shown = [one for one in thought.candidates if one.visits or one.action == thought.action]
        shown = [one for one in shown if wish.allows(one.action)]
        shown = shown[: max(wish.least, min(wish.most, len(shown)))]
        parts = [self.info(thought, one, order) for order, one in enumerate(shown)]
        if wish.wants("rootinfo"):
            best = thought.best
            visits = sum(candidate.visits for candidate in thought.candidates)
            parts.append(f"rootInfo visits {visits} winrate {best.means[thought.player]:.6f}")
        if wish.wants("ownership") and thought.ownership is not None:
            parts.append("ownership " + ownership_text(thought.ownership, thought.player))
        if parts:
            self.session.conversation.say(" ".join(parts))

    def info(self, thought: SearchResult, candidate: Candidate, order: int) -> str:
        """Return the text about one candidate."""
        mean, prior = candidate.means[thought.player], candidate.prior or 0.0
        low = candidate.interval(thought.player)[0]
        line = " ".join(thought.line(candidate) or (candidate.name,))
        start = f"info move {candidate.name} visits {candidate.visits}"
        if not self.wish.is_katago:
            numbers = f"winrate {round(10_000 * mean)} prior {round(10_000 * prior)} lcb {round(10_000 * low)}"
            return f"{start} {numbers} order {order} pv {line}"
        lead = self.lead(candidate.ownership or thought.ownership, thought.player)
        numbers = f"utility {2 * mean - 1:.6f} winrate {mean:.6f} scoreMean {lead:.2f} scoreLead {lead:.2f}"
        text = f"{start} {numbers} prior {prior:.6f} lcb {low:.6f} order {order} pv {line}"
        if self.wish.wants("movesownership") and candidate.ownership is not None:
            text += " movesOwnership " + ownership_text(candidate.ownership, thought.player)
        return text

    def lead(self, ownership: Ownership | None, player: int) -> float:
        """Return by how many points a player leads, by the ownership of points; 0 without ownership."""
        if ownership is None:
            return 0.0
        area = sum(ownership[0]) - sum(ownership[1]) - self.session.position.game.head_start
        return area if player == 0 else -area


def ownership_text(ownership: Ownership, player: int) -> str:
    """Return the ownership of points from -1 to 1 for the player to move, row by row from the top.

    >>> ownership_text(((1.0, 0.25), (0.0, 0.75)), 1)
    '-1.00 0.50'
    """
    own, other = ownership[player], ownership[1 - player]
    return " ".join(f"{mine - theirs:.2f}" for mine, theirs in zip(own, other, strict=True))
