"""What a search finds of every position of a game, kept inside its SGF file, and what follows for the moves.

A search is a little too hopeful for whoever moves first in it. So two are made: of the position, and of the one after
its best move. What a move lost is told by searches of the same kind, those after the best move and after the move
itself; and the win rate of a position is the mean of both.

A `PositionAnalysis` is about one position; `Review` puts those of a game together: what each move lost, and which moves
were mistakes. Findings are written into the file as they come (`keep_finding`), and read back without searching again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from luozi.games import game as make_game
from luozi.messages import LuoziError
from luozi.players import read_spelling, spelled_out
from luozi.records.moves import compact, is_number, is_whole
from luozi.records.record import Record
from luozi.records.sgf_text import SgfNode, SgfTree, escaped, set_text, text_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.util.parsing import JsonObject, JsonValue, json_value
from luozi.util.trust import foreign
from luozi.util.win_rates import (
    EVALUATION,
    PROVEN,
    RATE,
    UNDECIDED,
    WINS,
    WinRates,
    certain,
    counted,
    evaluated,
    remembered,
    sentence,
)

OWN = "LUOZIREVIEW"  # the property with a finding
MARK = "[Luozi]"  # begins our line of a comment
SHOWN = 5  # candidates that are kept
LINE = 8  # moves of a line
DOUBTFUL, BAD, VERY_BAD = 0.05, 0.1, 0.25  # of a win lost by a move
DIGITS = 4
KEYS = {"by", "value", "reply", "visits", "best", "candidates", "ownership"}
MORE = {"draws", "kind", "proven"}  # older ones have none of these


class NamedCandidate(NamedTuple):
    """A candidate, by name."""

    name: str
    visits: int
    rate: float  # of the player to move
    line: tuple[str, ...]
    draw: float = 0.0  # its probability


class PositionAnalysis(NamedTuple):
    """One position as a search saw it."""

    by: str  # the player that searched, all options spelled out
    value: float  # Black's win rate with the best move, as the search of the position sees it
    reply: float  # and as the search of the position after that move does
    visits: int
    best: str
    candidates: tuple[NamedCandidate, ...]
    ownership: tuple[int, ...] = ()  # of each point, from -100 (White's) to 100 (Black's); none if nobody counts
    draws: tuple[float, ...] = ()  # the probability of a draw, as both searches see it; none in older ones
    kind: str = RATE  # what the numbers are: see `luozi.util.win_rates`
    proven: bool = False  # whether they are certain

    @property
    def rate(self) -> float:
        """Black's win rate, without the hope of who moves."""
        return (self.value + self.reply) / 2

    @property
    def chances(self) -> WinRates:
        """Black's and White's, and that of a draw."""
        visits = self.candidates[0].visits if self.kind != RATE and self.candidates else self.visits
        draw = math.fsum(self.draws) / max(1, len(self.draws))
        found = of_kind(self.kind, (self.rate, 1 - self.rate), draw, visits)
        return found._replace(kind=PROVEN) if self.proven else found

    @property
    def work(self) -> float:
        """How much the finding stands on: its visits, and a proof on more than any number of visits."""
        return math.inf if self.proven else self.visits

    def chances_of(self, candidate: NamedCandidate, player: int) -> WinRates:
        """The same after a candidate of a player."""
        own = (candidate.rate, 1 - candidate.rate)
        return of_kind(self.kind, own if player == 0 else own[::-1], candidate.draw, candidate.visits)

    def text(self) -> str:
        """As one line of JSON."""
        rows: list[JsonValue] = [
            [one.name, one.visits, one.rate, list(one.line), *([one.draw] if one.draw else [])]
            for one in self.candidates
        ]
        values: JsonObject = {"by": self.by, "value": self.value, "reply": self.reply}
        values |= {"visits": self.visits, "best": self.best}
        values |= {"candidates": rows, "ownership": list(self.ownership)}
        values |= {} if self.kind == RATE else {"draws": list(self.draws), "kind": self.kind}
        return compact(values | ({"proven": True} if self.proven else {}))


def of_kind(kind: str, means: tuple[float, ...], draw: float, visits: int) -> WinRates:
    """The chances that these numbers say."""
    if kind == EVALUATION:
        return evaluated(means, visits)
    return remembered(means, visits) if kind == RATE else counted(means, draw, visits, kind)


def reviewer(spelling: str, game: Game) -> str:
    """The player that searches, spelled out; with the owners of points where the game has points."""
    kind, _values = read_spelling(spelling)
    spelled = spelled_out(spelling, game, searching=True)
    if kind.name not in ("mcts", "strong", "level"):
        raise LuoziError(
            "only mcts, strong and level can analyse, not '{name}': write --player mcts:...", name=kind.name
        )
    values = read_spelling(spelled)[1]
    if not game.points or "ownership" in values or values.get("evaluation") == "static":
        return spelled
    return f"{spelled}{',' if values else ':'}ownership=true"


def find(spelling: str, actions: Sequence[int], by: str) -> PositionAnalysis:
    """Search the position after some actions; this is what other processes do.

    >>> find("tictactoe", [4, 1, 0], "mcts:iterations=500,seed=1").best
    'c1'
    """
    game, engine = engine_for(spelling, by)
    position = Position.begin(game).after(actions)
    thought = engine.think(position)
    results = position.play(thought.action).returns
    if results is not None:
        return finding_of(thought, results[0], by, certain(results))
    answer = engine.think(Position.begin(game).after([*actions, thought.action]))  # another game: a search of its own
    return finding_of(thought, answer.best.means[0], by, answer.chances())


_engines: dict[tuple[str, str], tuple[Any, Engine]] = {}


def engine_for(spelling: str, by: str) -> tuple[Any, Engine]:
    """One engine for all positions of a game."""
    if (spelling, by) not in _engines:
        _engines.clear()
        with foreign():
            game = make_game(spelling)
        _engines[spelling, by] = game, Engine(game, Options.of(**read_spelling(by)[1]))
    return _engines[spelling, by]


def finding_of(thought: SearchResult, reply: float, by: str, after: WinRates | None) -> PositionAnalysis:
    """What is kept of a thought, and of the one after its move."""
    player, best = thought.player, thought.best
    leading = [best, *(one for one in thought.candidates if one is not best and one.visits)][:SHOWN]
    candidates = tuple(
        NamedCandidate(
            one.name,
            one.visits,
            round(one.means[player], DIGITS),
            tuple(thought.line(one)[:LINE]),
            draw_in(thought.chances(one)),
        )
        for one in leading
    )
    owners: tuple[int, ...] = ()
    if thought.ownership is not None:
        owners = tuple(round(100 * (black - white)) for black, white in zip(*thought.ownership, strict=True))
    visits = sum(one.visits for one in thought.candidates)
    rates = round(best.means[0], DIGITS), round(reply, DIGITS)
    draws = draw_in(thought.chances()), draw_in(after)
    sure = best.proven and after is not None and after.kind == PROVEN
    return PositionAnalysis(by, *rates, visits, best.name, candidates, owners, draws, thought.kind, sure)


def draw_in(chances: WinRates | None) -> float:
    """The probability of a draw, as far as one is known."""
    return 0.0 if chances is None else round(chances.draw or 0.0, DIGITS)


# Inside a file --------------------------------------------------------------------------------------------------------


def keep_finding(node: SgfNode, finding: PositionAnalysis) -> None:
    """Write a finding into the node after whose move it was."""
    set_text(node, OWN, finding.text())


def nodes_of(tree: SgfTree, record: Record) -> Iterator[SgfNode | None]:
    """The node of the start and of each move; None for a pass that is not in the file, and for a root with a move."""
    sequence = tree.get_main_sequence()
    nodes = [(node, colour) for node in sequence if (colour := node.get_raw_move()[0]) is not None]
    yield sequence[0] if sequence[0].get_raw_move()[0] is None else None
    place = 0
    for move in record.moves:
        matches = place < len(nodes) and "bw".index(nodes[place][1]) == move.seat
        yield nodes[place][0] if matches else None
        place += matches


def kept_finding(node: SgfNode, points: int) -> PositionAnalysis | None:
    """The finding that a node holds; None where there is none, or something else."""
    text = text_of(node, OWN)
    try:
        value = json_value(text, OWN) if text else None
    except LuoziError:
        return None
    if not isinstance(value, dict) or not KEYS <= value.keys() <= KEYS | MORE or not is_finding(value, points):
        return None
    rows = value["candidates"]
    candidates = tuple(
        NamedCandidate(name, visits, rate, tuple(line), *draw) for name, visits, rate, line, *draw in rows
    )
    by, rate, reply, visits, best = (value[name] for name in ("by", "value", "reply", "visits", "best"))
    more = tuple(value.get("draws", ())), value.get("kind", RATE), value.get("proven", False)
    return PositionAnalysis(by, rate, reply, visits, best, candidates, tuple(value["ownership"]), *more)


def is_finding(value: Mapping[str, JsonValue], points: int) -> bool:
    """Whether the parts are what they should be."""
    rows, owners, draws = value["candidates"], value["ownership"], value.get("draws", [])
    return (
        isinstance(value["by"], str)
        and isinstance(value["best"], str)
        and is_number(value["value"], 0, 1)
        and is_number(value["reply"], 0, 1)
        and is_whole(value["visits"], 0)
        and isinstance(rows, list)
        and all(isinstance(row, list) and len(row) in (4, 5) and is_row(*row) for row in rows)
        and isinstance(owners, list)
        and len(owners) in (0, points)
        and all(is_whole(one, -100, 100) for one in owners)
        and isinstance(draws, list)
        and all(is_number(draw, 0, 1) for draw in draws)
        and value.get("kind", RATE) in (RATE, WINS, EVALUATION, UNDECIDED)
        and isinstance(value.get("proven", False), bool)
    )


def is_row(name: JsonValue, visits: JsonValue, rate: JsonValue, line: JsonValue, draw: JsonValue = 0.0) -> bool:
    """Whether these are the parts of a candidate."""
    words = isinstance(name, str) and isinstance(line, list) and all(isinstance(word, str) for word in line)
    return words and is_whole(visits, 0) and is_number(rate, 0, 1) and is_number(draw, 0, 1)


# The game as a whole --------------------------------------------------------------------------------------------------


class ReviewedMove(NamedTuple):
    """A move and what it cost."""

    number: int  # from 1
    player: int
    name: str
    before: float  # the mover's win rate with the best move
    after: float  # and with this one
    best: str

    @property
    def loss(self) -> float:
        """How much of a win the move gave away; nothing where it was as good as the best."""
        return max(0.0, self.before - self.after)

    @property
    def grade(self) -> int:
        """0 good, 1 doubtful, 2 bad, 3 very bad."""
        return sum(self.loss >= bound for bound in (DOUBTFUL, BAD, VERY_BAD))


@dataclass(frozen=True)
class Review:
    """A game and the findings of all its positions; positions after the end have none."""

    record: Record
    findings: Mapping[int, PositionAnalysis]  # by the number of moves before

    def rate(self, moves: int) -> float | None:
        """Black's win rate after so many moves: what was found, or the result of a game that was over."""
        return self.findings[moves].rate if moves in self.findings else self.result(moves)

    def chances(self, moves: int) -> WinRates | None:
        """Everybody's chances after so many moves, and that of a draw."""
        if moves in self.findings:
            return self.findings[moves].chances
        returns = self.record.positions[moves].returns
        return None if returns is None else certain(returns)

    def result(self, moves: int) -> float | None:
        """Black's result of a game that was over after so many moves."""
        returns = self.record.positions[moves].returns
        return None if returns is None else returns[0]

    def judged(self) -> list[ReviewedMove]:
        """All moves of which enough is known."""
        found = []
        for number, move in enumerate(self.record.moves):
            following = self.findings.get(number + 1)
            after = self.result(number + 1) if following is None else following.value
            known = self.chances(number), self.chances(number + 1)
            if number not in self.findings or after is None or any(one is None or one.few for one in known):
                continue
            finding, name = self.findings[number], self.record.positions[number].name(move.action)
            before = after if finding.best == name else finding.reply
            own = (before, after) if move.seat == 0 else (1 - before, 1 - after)
            found.append(ReviewedMove(number + 1, move.seat, name, *own, finding.best))
        return found

    def mistakes(self) -> list[ReviewedMove]:
        """The moves that were at least doubtful, the worst first."""
        return sorted((move for move in self.judged() if move.grade), key=lambda move: -move.loss)

    def mean_loss(self, player: int) -> float:
        """What a player's moves lost on average."""
        losses = [move.loss for move in self.judged() if move.player == player]
        return math.fsum(losses) / len(losses) if losses else 0.0


def told_by(chances: WinRates) -> str:
    """What both may expect, in words."""
    words = sentence(chances, ("Black", "White"))
    return f"evaluation {words}" if chances.kind == EVALUATION else words


def annotate(nodes: Sequence[SgfNode | None], review: Review) -> None:
    """Write what is known of each move where other programs show it: comments, win rates and marks of bad moves.

    `nodes` are those of the moves, in order; None where the file has none.
    """
    for move in review.judged():
        node = nodes[move.number - 1]
        if node is None:
            continue
        rate, chances = review.rate(move.number) or 0.0, review.chances(move.number)
        words = f"{MARK} {told_by(chances)}" if chances is not None else MARK
        if move.grade:
            words += f"; {move.name} lost {100 * move.loss:.1f} %, {move.best} was better"
        comment = node.get_raw("C") if node.has_property("C") else b""
        kept = [line for line in comment.splitlines() if not line.startswith(escaped(MARK).encode())]
        node.set_raw("C", b"\n".join([*kept, escaped(words).encode()]))  # others' bytes stay, in whatever encoding
        set_text(node, "SBKV", f"{100 * rate:.2f}")
        for name in ("DO", "BM"):
            if node.has_property(name):
                node.unset(name)
        if move.grade == 1:
            node.set_raw("DO", b"")
        elif move.grade:
            node.set_raw("BM", str(move.grade - 1).encode())
