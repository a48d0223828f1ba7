"""The analysis of a game: a search of every position, stored in its SGF file, and the loss of each move.

A search is slightly biased to the player to move. So each position gets two searches: of the position itself, and of
the position after its best move; its win rate is the mean of both. The loss of a move compares searches of the same
kind: after the best move and after the move played.

`PositionAnalysis` has one position; `Review` has a game: the loss of each move, and the mistakes. Results are written
into the file one by one (`write_analysis`) and read back without a new search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from luozi.games import game as make_game
from luozi.messages import LuoziError
from luozi.players import read_spelling, spelled_out
from luozi.records.moves import Count, Share, compact
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

OWN = "LUOZIREVIEW"  # the SGF property of an analysis
MARK = "[Luozi]"  # the beginning of Luozi's line in a comment
SHOWN = 5  # candidates that are stored
LINE = 8  # moves of a line
DOUBTFUL, BAD, VERY_BAD = 0.05, 0.1, 0.25  # losses in win rate
DIGITS = 4


class NamedCandidate(NamedTuple):
    """A candidate move by its name."""

    name: str
    visits: Count
    rate: Share  # win rate of the player to move
    line: tuple[str, ...]
    draw: Share = 0.0  # draw probability


class AnalysisJson(msgspec.Struct, forbid_unknown_fields=True):
    """The analysis of a position as a file has it; older files do not have the last three values."""

    by: str
    value: Share
    reply: Share
    visits: Count
    best: str
    candidates: tuple[NamedCandidate, ...]
    ownership: tuple[Annotated[int, Meta(ge=-100, le=100)], ...]
    draws: tuple[Share, ...] = ()
    kind: Annotated[str, Meta(pattern=f"^({RATE}|{WINS}|{EVALUATION}|{UNDECIDED})$")] = RATE
    proven: bool = False


class PositionAnalysis(NamedTuple):
    """The analysis of one position."""

    by: str  # the player that searched, as its complete specification
    value: float  # Black's win rate with the best move, by the search of the position
    reply: float  # the same by the search of the position after that move
    visits: int
    best: str
    candidates: tuple[NamedCandidate, ...]
    ownership: tuple[int, ...] = ()  # of each point, from -100 (White) to 100 (Black); empty if the game has no points
    draws: tuple[float, ...] = ()  # draw probability by both searches; empty in older files
    kind: str = RATE  # the kind of these numbers, see `luozi.util.win_rates`
    proven: bool = False  # whether the numbers are proven

    @property
    def rate(self) -> float:
        """Black's win rate, without the bias of the player to move."""
        return (self.value + self.reply) / 2

    @property
    def chances(self) -> WinRates:
        """The win rates of Black and White, and the draw rate."""
        visits = self.candidates[0].visits if self.kind != RATE and self.candidates else self.visits
        draw = math.fsum(self.draws) / max(1, len(self.draws))
        found = of_kind(self.kind, (self.rate, 1 - self.rate), draw, visits)
        return found._replace(kind=PROVEN) if self.proven else found

    @property
    def work(self) -> float:
        """The number of visits; infinite for a proof."""
        return math.inf if self.proven else self.visits

    def chances_of(self, candidate: NamedCandidate, player: int) -> WinRates:
        """Return the win rates after a candidate of a player."""
        own = (candidate.rate, 1 - candidate.rate)
        return of_kind(self.kind, own if player == 0 else own[::-1], candidate.draw, candidate.visits)

    def text(self) -> str:
        """Return the analysis as one line of JSON."""
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
    """Return the win rates that numbers of this kind stand for."""
    if kind == EVALUATION:
        return evaluated(means, visits)
    return remembered(means, visits) if kind == RATE else counted(means, draw, visits, kind)


def analysis_player(spelling: str, game: Game) -> str:
    """Return the complete specification of the player that searches; with ownership if the game has points.

    Raises:
        LuoziError: the player has no win rates.
    """
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
    """Return the analysis of the position after some actions; worker processes call this.

    >>> find("tictactoe", [4, 1, 0], "mcts:iterations=500,seed=1").best
    'c1'
    """
    game, engine = engine_for(spelling, by)
    position = Position.begin(game).after(actions)
    thought = engine.think(position)
    results = position.play(thought.action).returns
    if results is not None:
        return analysis_of(thought, results[0], by, certain(results))
    # a new game, so that the search is not reused
    answer = engine.think(Position.begin(game).after([*actions, thought.action]))
    return analysis_of(thought, answer.best.means[0], by, answer.chances())


_engines: dict[tuple[str, str], tuple[Any, Engine]] = {}


def engine_for(spelling: str, by: str) -> tuple[Any, Engine]:
    """Return one engine for all positions of a game."""
    if (spelling, by) not in _engines:
        _engines.clear()
        with foreign():
            game = make_game(spelling)
        _engines[spelling, by] = game, Engine(game, Options.of(**read_spelling(by)[1]))
    return _engines[spelling, by]


def analysis_of(thought: SearchResult, reply: float, by: str, after: WinRates | None) -> PositionAnalysis:
    """Return the analysis of a search result and of the win rates after its move."""
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
    """Return the draw probability, 0 if it is unknown."""
    return 0.0 if chances is None else round(chances.draw or 0.0, DIGITS)


# Inside a file --------------------------------------------------------------------------------------------------------


def write_analysis(node: SgfNode, finding: PositionAnalysis) -> None:
    """Write an analysis into the node after whose move the position arises."""
    set_text(node, OWN, finding.text())


def nodes_of(tree: SgfTree, record: Record) -> Iterator[SgfNode | None]:
    """Yield the node of the start and of each move; None for a pass that the file does not have, and for a root with
    a move.
    """
    sequence = tree.get_main_sequence()
    nodes = [(node, colour) for node in sequence if (colour := node.get_raw_move()[0]) is not None]
    yield sequence[0] if sequence[0].get_raw_move()[0] is None else None
    place = 0
    for move in record.moves:
        matches = place < len(nodes) and "bw".index(nodes[place][1]) == move.seat
        yield nodes[place][0] if matches else None
        place += matches


def read_analysis(node: SgfNode, points: int) -> PositionAnalysis | None:
    """Return the analysis in a node; None if there is none, or it is invalid."""
    text = text_of(node, OWN)
    try:
        value = msgspec.convert(json_value(text, OWN), AnalysisJson) if text else None
    except (LuoziError, msgspec.ValidationError):
        return None
    if value is None or len(value.ownership) not in (0, points):
        return None
    return PositionAnalysis(*msgspec.structs.astuple(value))


# The game as a whole --------------------------------------------------------------------------------------------------


class ReviewedMove(NamedTuple):
    """A move and its loss."""

    number: int  # from 1
    player: int
    name: str
    before: float  # the player's win rate with the best move
    after: float  # and with this one
    best: str

    @property
    def loss(self) -> float:
        """The win rate that the move lost; 0 if it was as good as the best."""
        return max(0.0, self.before - self.after)

    @property
    def grade(self) -> int:
        """0 good, 1 doubtful, 2 bad, 3 very bad."""
        return sum(self.loss >= bound for bound in (DOUBTFUL, BAD, VERY_BAD))


@dataclass(frozen=True)
class Review:
    """A game and the analysis of its positions; positions after the end have none."""

    record: Record
    findings: Mapping[int, PositionAnalysis]  # by the number of moves before

    def rate(self, moves: int) -> float | None:
        """Return Black's win rate after a number of moves: by the analysis, or the result."""
        return self.findings[moves].rate if moves in self.findings else self.result(moves)

    def chances(self, moves: int) -> WinRates | None:
        """Return the win rates after a number of moves."""
        if moves in self.findings:
            return self.findings[moves].chances
        returns = self.record.positions[moves].returns
        return None if returns is None else certain(returns)

    def result(self, moves: int) -> float | None:
        """Return Black's result if the game is over after a number of moves."""
        returns = self.record.positions[moves].returns
        return None if returns is None else returns[0]

    def judged(self) -> list[ReviewedMove]:
        """Return all moves whose loss is known."""
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
        """Return the moves that were at least doubtful, the worst first."""
        return sorted((move for move in self.judged() if move.grade), key=lambda move: -move.loss)

    def mean_loss(self, player: int) -> float:
        """Return the mean loss of a player's moves."""
        losses = [move.loss for move in self.judged() if move.player == player]
        return math.fsum(losses) / len(losses) if losses else 0.0


def win_rates_text(chances: WinRates) -> str:
    """Return the win rates of both as text."""
    words = sentence(chances, ("Black", "White"))
    return f"evaluation {words}" if chances.kind == EVALUATION else words


def annotate(nodes: Sequence[SgfNode | None], review: Review) -> None:
    """Write comments, win rates and marks of bad moves where other programs show them.

    `nodes` are those of the moves in order; None if the file does not have one.
    """
    for move in review.judged():
        node = nodes[move.number - 1]
        if node is None:
            continue
        rate, chances = review.rate(move.number) or 0.0, review.chances(move.number)
        words = f"{MARK} {win_rates_text(chances)}" if chances is not None else MARK
        if move.grade:
            words += f"; {move.name} lost {100 * move.loss:.1f} %, {move.best} was better"
        comment = node.get_raw("C") if node.has_property("C") else b""
        kept = [line for line in comment.splitlines() if not line.startswith(escaped(MARK).encode())]
        # the bytes of others stay, in whatever encoding
        node.set_raw("C", b"\n".join([*kept, escaped(words).encode()]))
        set_text(node, "SBKV", f"{100 * rate:.2f}")
        for name in ("DO", "BM"):
            if node.has_property(name):
                node.unset(name)
        if move.grade == 1:
            node.set_raw("DO", b"")
        elif move.grade:
            node.set_raw("BM", str(move.grade - 1).encode())
