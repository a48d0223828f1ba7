"""What is kept of a move as data: who made it, how long it took, what was thought of it and, if asked, all candidates.

These are the numbers; the names and win rates that people read are made from them and never read back. `note_of` turns
a player's thought into a note; `data_line` and `read_data` write and read a move as one line of JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, TypeGuard, cast

from luozi.messages import LuoziError
from luozi.search import Candidate, SearchResult
from luozi.util.old_names import to_old_names
from luozi.util.parsing import JsonObject, JsonValue
from luozi.util.win_rates import EVALUATION, FEWEST, UNDECIDED, WINS, WinRates, certain, counted, evaluated, remembered

LINE = 6  # moves of the expected line that are kept
DIGITS = 4  # after the point
MOST = 2**62
COUNTS = ("iterations", "nodes", "depth", "kept", "shared", "visits")
THOUGHT = {*COUNTS, "means", "line", "cuts", "static", "learned", "draw", "proven", "kind", "positions"}
MOVE, NOTE = {"action", "seat"}, {"seconds", "thought", "candidates"}  # the plain data of a move


class SearchNote(TypedDict, total=False):
    """What is kept of a search; records of before have less."""

    iterations: int
    nodes: int
    depth: int
    kept: int
    shared: int
    visits: int
    means: list[float]
    line: list[str]
    cuts: dict[str, int]
    static: bool
    learned: bool
    draw: float
    proven: bool
    kind: str
    positions: bool


class CandidateNote(NamedTuple):
    """One candidate of a search."""

    action: int
    visits: int
    means: tuple[float, ...]  # the mean result of every player, 0 to 1
    prior: float | None = None  # how likely it was before its first visit, where the search goes by that
    draw: float | None = None  # the share of visits that ended drawn; None for none, and where nobody counted
    proven: bool = False  # the means are certain


class MoveNote(NamedTuple):
    """What is known of a move beside the move itself."""

    seconds: float | None = None  # of thinking; None if nobody has looked at the clock
    thought: SearchNote | None = None  # as `about` tells it; None if the player had nothing to say
    candidates: tuple[CandidateNote, ...] = ()  # if asked for; a legal move that is missing was not visited


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
        """What its player expected of it for everybody, 0 to 1; None if it did not say."""
        means = expected(self.thought)
        return None if means is None else tuple(means)

    @property
    def chances(self) -> WinRates | None:
        """What its player expected: wins and draws apart."""
        return chances_in(self.thought)

    @property
    def note(self) -> MoveNote:
        """All but the move itself."""
        return MoveNote(*self[2:])


def expected(thought: SearchNote | None) -> list[float] | None:
    """Every player's win rate as a thought tells it; evaluations that stand on no simulation are none.

    >>> expected({"means": [0.4, 0.6]}), expected({"means": [0.4, 0.6], "static": True})
    ([0.4, 0.6], None)
    """
    known: SearchNote = thought or {}
    return None if known.get("static") else known.get("means")


def work_of(thought: SearchNote | None) -> float:
    """How much a thought stands on: its iterations, those of the tree that was kept too; a proof on more than any.

    >>> work_of({"iterations": 500, "kept": 20}), work_of({"iterations": 3, "proven": True}), work_of(None)
    (520, inf, 0)
    """
    known: SearchNote = thought or {}
    return math.inf if known.get("proven") else known.get("iterations", 0) + known.get("kept", 0)


def chances_in(thought: SearchNote | None, of: CandidateNote | None = None) -> WinRates | None:
    """Everybody's chances as a thought tells them, after its move or after a candidate; None where it does not say.

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
    """What is kept of what a player thought, with all candidates only if they are asked for."""
    candidates = candidates_of(thought) if thought is not None and with_candidates else ()
    return MoveNote(None if seconds is None else round(seconds, DIGITS), about(thought), candidates)


def about(thought: SearchResult | None) -> SearchNote | None:
    """The statistics of one move; no clock times, so that they repeat."""
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
    """What the means are: certain, values of an evaluator, or results, of which so many were drawn."""
    best = thought.best
    kind: SearchNote = {} if thought.kind == WINS else {"kind": thought.kind}
    kind |= {} if thought.kind == EVALUATION else {"draw": round(drawn_share(best), DIGITS)}
    flags = {"proven": best.proven, "positions": thought.positions}
    return cast(SearchNote, {**kind, **{name: True for name, is_so in flags.items() if is_so}})


def drawn_share(candidate: Candidate) -> float:
    """How many of the visits ended drawn."""
    return candidate.draws / max(candidate.visits, 1)


def candidates_of(thought: SearchResult) -> tuple[CandidateNote, ...]:
    """Every candidate of which something is known, in the order of the thought."""
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
    """A chance with as many digits as are worth keeping: small ones may differ by their order only."""
    return None if prior is None else float(f"{prior:.4g}")


# As JSON --------------------------------------------------------------------------------------------------------------


def data_line(move: Move) -> str:
    """A move as one line.

    >>> data_line(Move(4, 0, 0.5, candidates=(CandidateNote(4, 9, (0.6, 0.4)), CandidateNote(0, 1, (0.0, 1.0), 0.1))))
    '{"action":4,"seat":0,"seconds":0.5,"candidates":[[4,9,[0.6,0.4]],[0,1,[0.0,1.0],0.1]]}'
    """
    return compact(move_data(move))


def move_data(move: Move) -> JsonObject:
    """A move as plain data: what all records hold of it, in text, JSON, SGF and a results database."""
    return {"action": move.action, "seat": move.seat, **note_data(move.note)}


def note_data(note: MoveNote) -> JsonObject:
    """What is known of a move as plain data, without what is not known.

    >>> note_data(MoveNote(0.5, candidates=(CandidateNote(4, 9, (0.5, 0.5)),)))
    {'seconds': 0.5, 'candidates': [[4, 9, [0.5, 0.5]]]}
    """
    values: JsonObject = {} if note.seconds is None else {"seconds": note.seconds}
    values |= {} if note.thought is None else {"thought": cast(JsonObject, note.thought)}
    return values | ({"candidates": candidate_rows(note.candidates)} if note.candidates else {})


def compact(value: JsonValue) -> str:
    """JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))


def candidate_rows(candidates: Iterable[CandidateNote]) -> list[list[JsonValue]]:
    """Candidates as lists: action, visits, means; a prior, the share of draws, and whether it is certain may follow."""
    return [candidate_row(one) for one in candidates]


def candidate_row(one: CandidateNote) -> list[JsonValue]:
    """A candidate as a list, without what it has not got at its end.

    >>> candidate_row(CandidateNote(4, 9, (0.5, 0.5), draw=0.1)), candidate_row(CandidateNote(4, 9, (0.5, 0.5)))
    ([4, 9, [0.5, 0.5], None, 0.1], [4, 9, [0.5, 0.5]])
    """
    more: list[JsonValue] = [one.prior, one.draw, one.proven or None]
    while more and more[-1] is None:
        more.pop()
    return [one.action, one.visits, list(one.means), *more]


def read_data(value: JsonValue, players: int, actions: int = MOST) -> Move:
    """A move from its plain data; one sentence if it is none."""
    if not isinstance(value, dict) or not MOVE <= value.keys() <= MOVE | NOTE:
        raise LuoziError("this is not the data of a move, which has {names}", names=", ".join(sorted(MOVE | NOTE)))
    if not is_whole(value["action"], 0, actions - 1) or not is_whole(value["seat"], 0, players - 1):
        raise LuoziError("its action and its seat are not numbers of this game")
    note = read_note({name: known for name, known in value.items() if name in NOTE}, players, actions)
    return Move(value["action"], value["seat"], *note)


def read_note(value: Mapping[str, JsonValue], players: int, actions: int = MOST) -> MoveNote:
    """The opposite of `note_data`; one sentence if it is no note."""
    if not value.keys() <= NOTE:
        raise LuoziError("this is not the data of a move, which has {names}", names=", ".join(sorted(NOTE)))
    seconds, thought = value.get("seconds"), value.get("thought")
    if seconds is not None and not is_number(seconds, 0):
        raise LuoziError("its seconds are no number from 0 up")
    if thought is not None and not is_thought(thought, players):
        raise LuoziError("its thought is not what a search tells")
    return MoveNote(seconds, thought, read_candidates(value.get("candidates", []), players, actions))


def read_candidates(rows: Any, players: int, actions: int = MOST) -> tuple[CandidateNote, ...]:
    """Candidates from their lists; one sentence if they are none."""
    if not isinstance(rows, list) or not all(is_candidate(row, players, actions) for row in rows):
        raise LuoziError("its candidates are not lists of an action, its visits and a mean for each player")
    return tuple(CandidateNote(action, visits, tuple(means), *more) for action, visits, means, *more in rows)


def is_candidate(row: JsonValue, players: int, actions: int) -> bool:
    """Whether this is a list of one candidate."""
    if not isinstance(row, list) or not 3 <= len(row) <= 6 or (len(row) > 3 and row[-1] is None):
        return False
    prior, draw, proven = [*row[3:], None, None, None][:3]
    more = (
        (prior is None or is_number(prior))
        and (draw is None or is_number(draw, 0, 1))
        and (proven is None or proven is True)
    )
    numbers = is_whole(row[0], 0, actions - 1) and is_whole(row[1], 0)
    return numbers and are_means(row[2], players) and more


def is_thought(thought: JsonValue, players: int) -> TypeGuard[SearchNote]:
    """Whether these are the statistics of one move, as `about` tells them; older ones have less."""
    if not isinstance(thought, dict) or not {"iterations"} <= thought.keys() <= THOUGHT:
        return False
    cuts, line = thought.get("cuts", {}), thought.get("line", [])
    counts = [thought[name] for name in COUNTS if name in thought]
    return (
        isinstance(cuts, dict)
        and all(is_whole(count, 0) for count in (*counts, *cuts.values()))
        and isinstance(line, list)
        and all(isinstance(name, str) for name in line)
        and thought.get("static", True) is thought.get("learned", True) is True
        and thought.get("proven", True) is thought.get("positions", True) is True
        and thought.get("kind", EVALUATION) in (EVALUATION, UNDECIDED)
        and is_number(thought.get("draw", 0), 0, 1)
        and ("means" not in thought or are_means(thought["means"], players))
    )


def are_means(means: JsonValue, players: int) -> TypeGuard[list[float]]:
    """Whether this is a result for each player."""
    return isinstance(means, list) and len(means) == players and all(map(is_number, means))


def is_whole(value: JsonValue | bytes, least: int, most: int = MOST) -> TypeGuard[int]:
    """Whether something is a whole number in a range."""
    return type(value) is int and least <= value <= most


def is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> TypeGuard[float]:
    """Whether something is a finite number in a range."""
    return type(value) in (int, float) and least <= value <= most and abs(value) <= MOST and math.isfinite(value)
