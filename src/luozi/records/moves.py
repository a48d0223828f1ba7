"""A move as data: who made it, how long it took, the statistics of its search and, if asked for, all candidates.

These are the numbers; the names and win rates that people read are made from them and never read back. `note_of` turns
a search result into a note; `data_line` and `read_data` write and read a move as one line of JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, TypeGuard, cast

import msgspec
from msgspec import Meta

from luozi.messages import LuoziError, Message
from luozi.search import Candidate, SearchResult
from luozi.util.old_names import to_old_names
from luozi.util.parsing import JsonObject, JsonValue
from luozi.util.win_rates import EVALUATION, FEWEST, UNDECIDED, WINS, WinRates, certain, counted, evaluated, remembered

LINE = 6  # moves of the principal variation that are kept
DIGITS = 4  # after the point
MOST = 2**62
MOVE, NOTE = {"action", "seat"}, {"seconds", "thought", "candidates"}  # the keys of a move

Count = Annotated[int, Meta(ge=0, le=MOST)]
Number = Annotated[float, Meta(ge=-MOST, le=MOST)]
Share = Annotated[float, Meta(ge=0, le=1)]
NO_ACTION = Message("its action and its seat are not numbers of this game")
NO_THOUGHT = Message("its 'thought' is not the statistics of a search")
NO_CANDIDATES = Message("its candidates are not lists of an action, its visits and a mean for each player")
# What is wrong with the data of a move, by the key that is wrong.
WRONG = {
    "action": NO_ACTION,
    "seat": NO_ACTION,
    "seconds": Message("its seconds are no number from 0 up"),
    "thought": NO_THOUGHT,
    "candidates": NO_CANDIDATES,
}


class SearchNote(TypedDict, total=False):
    """The statistics of a search, by the keys of records; older records have fewer."""

    iterations: Count
    nodes: Count
    depth: Count
    kept: Count  # visits of the tree that was reused
    shared: Count  # transpositions that were met
    visits: Count  # of the move that was chosen
    means: list[Number]  # of that move, for each player
    line: list[str]  # the principal variation
    cuts: dict[str, Count]  # moves that each rule pruned
    static: Literal[True]  # the means are values of an evaluator
    learned: Literal[True]  # the means are values of a network
    draw: Share  # of the visits
    proven: Literal[True]
    kind: Annotated[str, Meta(pattern=f"^({EVALUATION}|{UNDECIDED})$")]  # of the means; none for results of playouts
    positions: Literal[True]  # visits are positions


class CandidateNote(NamedTuple):
    """A candidate of a search; in JSON a list of these values, without those missing at its end."""

    action: Count
    visits: Count
    means: tuple[Number, ...]  # the mean result of every player, 0 to 1
    prior: Number | None = None  # its probability before its first visit, where the search has priors
    draw: Share | None = None  # the share of drawn visits; None for none, and where nobody counted
    proven: bool = False  # whether the means are certain


class MoveNote(NamedTuple):
    """What is known of a move beside the move itself."""

    seconds: float | None = None  # of thinking; None if they were not measured
    thought: SearchNote | None = None  # None if the player has no search
    candidates: tuple[CandidateNote, ...] = ()  # if asked for; a legal move that is missing was not visited


class MoveJson(msgspec.Struct, forbid_unknown_fields=True):
    """A note as JSON has it, and the move in all but the oldest data."""

    seconds: Annotated[float, Meta(ge=0, le=MOST)] | None = None
    thought: SearchNote | None = None
    candidates: tuple[CandidateNote, ...] = ()
    action: Count = -1
    seat: Count = -1


class Move(NamedTuple):
    """One move of a game.

    >>> Move(4, 1, 0.5, {"iterations": 100, "means": [0.4, 0.6]}).value
    (0.4, 0.6)
    """

    action: int
    seat: int  # the player who made it, by number
    seconds: float | None = None
    thought: SearchNote | None = None
    candidates: tuple[CandidateNote, ...] = ()

    @property
    def value(self) -> tuple[float, ...] | None:
        """The mean result of each player by the search, 0 to 1; None where it has none."""
        means = expected(self.thought)
        return None if means is None else tuple(means)

    @property
    def chances(self) -> WinRates | None:
        """The win rates and the draw rate by the search."""
        return chances_in(self.thought)

    @property
    def note(self) -> MoveNote:
        """The move without its action and seat."""
        return MoveNote(*self[2:])


def expected(thought: SearchNote | None) -> list[float] | None:
    """Return every player's mean result by a search; values of an evaluator alone are none.

    >>> expected({"means": [0.4, 0.6]}), expected({"means": [0.4, 0.6], "static": True})
    ([0.4, 0.6], None)
    """
    known: SearchNote = thought or {}
    return None if known.get("static") else known.get("means")


def work_of(thought: SearchNote | None) -> float:
    """Return the iterations behind a search, those of the reused tree too; infinite for a proof.

    >>> work_of({"iterations": 500, "kept": 20}), work_of({"iterations": 3, "proven": True}), work_of(None)
    (520, inf, 0)
    """
    known: SearchNote = thought or {}
    return math.inf if known.get("proven") else known.get("iterations", 0) + known.get("kept", 0)


def chances_in(thought: SearchNote | None, of: CandidateNote | None = None) -> WinRates | None:
    """Return everybody's win rates after the move of a search, or after a candidate; None where it has none.

    >>> chances_in({"iterations": 500, "visits": 400, "means": [0.5, 0.5], "draw": 0.5}).parts()
    (0.25, 0.25, 0.5)
    """
    known: SearchNote = thought or {}
    if "means" not in known or (of is not None and not (of.visits or of.proven)):
        return None
    means: Sequence[float] = known["means"]
    visits = known.get("visits", known["iterations"])
    draw, proven = known.get("draw"), known.get("proven", False)
    if of is not None:
        means, visits, proven = of.means, of.visits, of.proven
        draw = of.draw if draw is None or of.draw is not None else 0.0
    if proven:
        return certain(means, visits)
    if known.get("kind") == EVALUATION or known.get("static") or known.get("learned"):
        return evaluated(means, max(visits, FEWEST) if known.get("positions") else visits)
    return remembered(means, visits) if draw is None else counted(means, draw, visits, known.get("kind", WINS))


def note_of(thought: SearchResult | None, seconds: float | None, with_candidates: bool = False) -> MoveNote:
    """Return the note of a search result, with all candidates only if they are asked for."""
    candidates = candidates_of(thought) if thought is not None and with_candidates else ()
    return MoveNote(None if seconds is None else round(seconds, DIGITS), about(thought), candidates)


def about(thought: SearchResult | None) -> SearchNote | None:
    """Return the statistics of a search without clock times, so that a seed repeats them."""
    if thought is None:
        return None
    best = thought.best
    return {
        "iterations": thought.iterations,
        "nodes": thought.nodes,
        "depth": thought.depth,
        "kept": thought.reused_visits,
        "shared": thought.transposition_hits,
        "visits": best.visits,
        **({} if best.estimated else {"means": [round(mean, DIGITS) for mean in best.means]}),
        "line": list(thought.principal_variation[:LINE]),
        **({"cuts": to_old_names(thought.pruned, "mcts")} if thought.pruned else {}),
        **({"static": True} if thought.static else {}),
        **({"learned": True} if thought.learned else {}),  # what a network expects
        **certainty(thought),
    }


def certainty(thought: SearchResult) -> SearchNote:
    """Return what the means are: proven, values of an evaluator, or results and the share of draws."""
    best = thought.best
    kind: SearchNote = {} if thought.kind == WINS else {"kind": thought.kind}
    kind |= {} if thought.kind == EVALUATION else {"draw": round(drawn_share(best), DIGITS)}
    flags = {"proven": best.proven, "positions": thought.positions}
    return cast(SearchNote, {**kind, **{name: True for name, is_so in flags.items() if is_so}})


def drawn_share(candidate: Candidate) -> float:
    """Return the share of visits that ended drawn."""
    return candidate.draws / max(candidate.visits, 1)


def candidates_of(thought: SearchResult) -> tuple[CandidateNote, ...]:
    """Return every candidate with visits, a proof or a prior, in the order of the search result."""
    return tuple(
        CandidateNote(
            one.action,
            one.visits,
            tuple(round(mean, DIGITS) for mean in one.means),
            rounded(one.prior),
            round(drawn_share(one), DIGITS) if one.draws else None,
            one.proven,
        )
        for one in thought.candidates
        if one.visits or one.proven or one.prior is not None
    )


def rounded(prior: float | None) -> float | None:
    """Return a prior with four significant digits."""
    return None if prior is None else float(f"{prior:.4g}")


# As JSON --------------------------------------------------------------------------------------------------------------


def data_line(move: Move) -> str:
    """Return a move as one line of JSON.

    >>> data_line(Move(4, 0, 0.5, candidates=(CandidateNote(4, 9, (0.6, 0.4)), CandidateNote(0, 1, (0.0, 1.0), 0.1))))
    '{"action":4,"seat":0,"seconds":0.5,"candidates":[[4,9,[0.6,0.4]],[0,1,[0.0,1.0],0.1]]}'
    """
    return compact(move_data(move))


def move_data(move: Move) -> JsonObject:
    """Return a move as JSON values: what all records hold of it, in text, JSON, SGF and a results database."""
    return {"action": move.action, "seat": move.seat, **note_data(move.note)}


def note_data(note: MoveNote) -> JsonObject:
    """Return a note as JSON values, without what is not known.

    >>> note_data(MoveNote(0.5, candidates=(CandidateNote(4, 9, (0.5, 0.5)),)))
    {'seconds': 0.5, 'candidates': [[4, 9, [0.5, 0.5]]]}
    """
    values: JsonObject = {} if note.seconds is None else {"seconds": note.seconds}
    values |= {} if note.thought is None else {"thought": cast(JsonObject, note.thought)}
    return values | ({"candidates": [candidate_row(one) for one in note.candidates]} if note.candidates else {})


def compact(value: JsonValue) -> str:
    """Return JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))


def candidate_row(one: CandidateNote) -> list[JsonValue]:
    """Return a candidate as a list, without missing values at its end.

    >>> candidate_row(CandidateNote(4, 9, (0.5, 0.5), draw=0.1)), candidate_row(CandidateNote(4, 9, (0.5, 0.5)))
    ([4, 9, [0.5, 0.5], None, 0.1], [4, 9, [0.5, 0.5]])
    """
    more: list[JsonValue] = [one.prior, one.draw, one.proven or None]
    while more and more[-1] is None:
        more.pop()
    return [one.action, one.visits, list(one.means), *more]


def read_data(value: JsonValue, players: int, actions: int = MOST) -> Move:
    """Return a move from its JSON values.

    Raises:
        LuoziError: these are not the values of a move of a game with these numbers of players and actions.
    """
    if not isinstance(value, dict) or not value.keys() >= MOVE:
        raise LuoziError("this is not the data of a move, which has {names}", names=", ".join(sorted(MOVE | NOTE)))
    found = checked_data(value, players, actions)
    if found.action >= actions or found.seat >= players:
        raise LuoziError(NO_ACTION)
    return Move(found.action, found.seat, found.seconds, found.thought, found.candidates)


def read_note(value: Mapping[str, JsonValue], players: int, actions: int = MOST) -> MoveNote:
    """Return a note from its JSON values; the inverse of `note_data`. Raises as `read_data` does."""
    if not value.keys() <= NOTE:
        raise LuoziError("this is not the data of a move, which has {names}", names=", ".join(sorted(NOTE)))
    found = checked_data(value, players, actions)
    return MoveNote(found.seconds, found.thought, found.candidates)


def checked_data(value: Mapping[str, JsonValue], players: int, actions: int) -> MoveJson:
    """Return the values of a move or a note, checked but for its action and seat."""
    try:
        found = msgspec.convert(value, MoveJson)
    except msgspec.ValidationError as error:
        key = str(error).partition("`$.")[2].partition(".")[0].partition("[")[0].rstrip("`")
        known = Message("this is not the data of a move, which has {names}", names=", ".join(sorted(MOVE | NOTE)))
        raise LuoziError(WRONG.get(key, known)) from None
    thought = found.thought
    if thought is not None:
        is_whole_note = "iterations" in thought and len(thought) == len(cast(JsonObject, value["thought"]))
        if not is_whole_note or len(thought.get("means", range(players))) != players:
            raise LuoziError(NO_THOUGHT)
    if any(one.action >= actions or len(one.means) != players for one in found.candidates):
        raise LuoziError(NO_CANDIDATES)
    return found


def is_whole(value: JsonValue | bytes, least: int, most: int = MOST) -> TypeGuard[int]:
    """Return whether a value is an integer in a range."""
    return type(value) is int and least <= value <= most


def is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> TypeGuard[float]:
    """Return whether a value is a finite number in a range."""
    return type(value) in (int, float) and least <= value <= most and abs(value) <= MOST and math.isfinite(value)
