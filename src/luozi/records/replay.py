"""A game position by position, with all that a record holds of each: for the terminal, pages and moving pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from luozi.messages import Message, joined
from luozi.records.files import load_record
from luozi.records.moves import chances_in
from luozi.records.record import Record, result_text
from luozi.records.review import MARK, PositionAnalysis, Review, kept_finding, nodes_of
from luozi.records.sgf import is_sgf, record_of
from luozi.records.sgf_text import read_tree
from luozi.rules.board import board_of, cells_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.util.win_rates import WinRates, cells, certain

GRADES = ("", " ?!", " ?", " ??")  # how people mark moves that are doubtful, bad and very bad
MOST_ROWS = 8  # candidates of a position
PART = r"[^,%]{1,60} \d+\.\d(?: %|\d\d)"  # what one may expect
# A comment that only says what everybody may expect, as `estimate` writes it now, and as it did.
ONLY_CHANCES = re.compile(rf"\s*(?:(?:evaluation )?{PART}(?:, {PART})+|\d+(?:\.\d+)? %|value \d\.\d+)\s*")
LOOKED_BACK = 4  # rounds, to find everybody's last move


class ReplayCandidate(NamedTuple):
    """A candidate of a position, as a search saw it."""

    action: int
    name: str
    visits: int
    chances: WinRates | None  # everybody's after it, and that of a draw
    line: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayStep:
    """One position of a game, and the move that led to it."""

    number: int  # of the moves before
    position: Position
    player: int | None = None  # who made the last move; None at the start
    name: str = ""  # of the last move
    comment: str = ""
    last: tuple[int, ...] = ()  # the cells of the last move
    winning: tuple[int, ...] = ()
    chances: WinRates | None = None  # what everybody may expect here; None where nobody searched
    marks: tuple[tuple[int, ...], ...] = ()  # the cells of the last move of each other player
    found: tuple[ReplayCandidate, ...] = ()  # candidates for the next move, the best first
    grade: int = 0  # of the last move: 0 good or not known, 1 doubtful, 2 bad, 3 very bad

    @property
    def state(self) -> State:
        """The state of the position."""
        return self.position.state


@dataclass(frozen=True)
class Replay:
    """A whole game."""

    record: Record
    steps: tuple[ReplayStep, ...]
    findings: Mapping[int, PositionAnalysis] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Who played what."""
        return Message("{game}: {names}", game=self.record.game.spelling, names=joined(self.record.called, " and "))

    @property
    def result(self) -> str:
        """How it ended."""
        return result_text(self.record.game, self.record.results())

    def move_text(self, step: ReplayStep) -> str:
        """The last move in words."""
        if step.player is None:
            return Message("the start")
        return f"{step.number}. {self.record.game.player_name(step.player)} {step.name}{GRADES[step.grade]}"


def load_replay(path: Path, game: str | None = None) -> Replay:
    """A record or an SGF file with what is stored in it; one sentence if it can't be read. `game` as for records."""
    if not is_sgf(path):
        return replay_of(load_record(path, game))
    tree = read_tree(path)
    record = record_of(tree, str(path))
    if record.game.players != 2:
        return replay_of(record)
    kept = [None if node is None else kept_finding(node, record.game.points) for node in nodes_of(tree, record)]
    return replay_of(record, {number: found for number, found in enumerate(kept) if found is not None})


def replay_of(record: Record, findings: Mapping[int, PositionAnalysis] | None = None) -> Replay:
    """All positions of a record.

    >>> import luozi
    >>> steps = replay_of(Record(luozi.game("connect4"), ("person", "random"), (3, 3))).steps
    >>> [(step.number, step.name, step.last) for step in steps]
    [(0, '', ()), (1, '4', (38,)), (2, '4', (31,))]
    """
    findings = findings or {}
    review = Review(record, findings)
    grades = {move.number: move.grade for move in review.judged()} if findings else {}
    steps = [step_of(record, number, findings, grades.get(number, 0)) for number in range(len(record.actions) + 1)]
    return Replay(record, tuple(steps), findings)


def step_of(record: Record, number: int, findings: Mapping[int, PositionAnalysis], grade: int) -> ReplayStep:
    """One position."""
    game, position = record.game, record.positions[number]
    ended = position.returns is not None and board_of(game) is not None
    winning = cells_of(game, "winning_cells", position.state) if ended else []
    found = found_in(record, number, findings)
    if number == 0:
        return ReplayStep(0, position, chances=chances_after(record, 0, findings), found=found)
    move, before = record.moves[number - 1], record.positions[number - 1]
    return ReplayStep(
        number,
        position,
        move.seat,
        before.name(move.action),
        comment_of(record, number),
        tuple(cells_of(game, "clicks", before.state, move.action)),
        tuple(winning),
        chances_after(record, number, findings),
        last_of_others(record, number),
        found,
        grade,
    )


def found_table(game: Game, found: Sequence[ReplayCandidate]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Candidates for a table: the players' names, with a draw if there may be one, and a row for each candidate.

    Those with few visits have no numbers.
    """
    known = [one.chances for one in found if one.chances is not None and not one.chances.few]
    drawn = [chances.draw_name for chances in known if chances.draw][:1]
    names = [game.player_name(player) for player in range(game.players)] + drawn
    rows = []
    for one in found:
        told = cells(one.chances, bool(drawn)) if one.chances in known and one.chances else ["-"] * len(names)
        rows.append((one.name, f"{one.visits:,}", *told, " ".join(one.line)))
    return names, rows


def only_says(step: ReplayStep) -> bool:
    """Whether a comment only says what the chances say."""
    return step.chances is not None and ONLY_CHANCES.fullmatch(step.comment) is not None


def comment_of(record: Record, number: int) -> str:
    """What people or players said of a move; what an analysis wrote for other programs is told by numbers here."""
    lines = record.comments[number - 1].splitlines() if record.comments else []
    return "\n".join(line for line in lines if not line.startswith(MARK))


def last_of_others(record: Record, number: int) -> tuple[tuple[int, ...], ...]:
    """The cells of the last move of each player but the one who moved last, of three players and more."""
    game, found = record.game, dict[int, tuple[int, ...]]()
    for place in range(max(0, number - LOOKED_BACK * game.players), number):
        cells = tuple(cells_of(game, "clicks", record.positions[place].state, record.actions[place]))
        found[record.moves[place].seat] = cells
    if number:
        found.pop(record.moves[number - 1].seat, None)
    return tuple(found.values()) if game.players > 2 else ()


def chances_after(record: Record, number: int, findings: Mapping[int, PositionAnalysis]) -> WinRates | None:
    """What everybody may expect after so many moves: the result, what an analysis found, or what the mover thought."""
    returns = record.positions[number].returns
    if returns is not None:
        return certain(returns)
    found = findings[number].chances if number in findings else record.moves[number - 1].chances if number else None
    return None if found is None or found.few else found


def found_in(record: Record, number: int, findings: Mapping[int, PositionAnalysis]) -> tuple[ReplayCandidate, ...]:
    """The candidates that are stored for a position."""
    position = record.positions[number]
    if number in findings:
        names = {position.name(action): action for action in position.actions}
        kept = [one for one in findings[number].candidates if one.name in names]
        told, player = findings[number].chances_of, position.to_move
        made = (ReplayCandidate(names[one.name], one.name, one.visits, told(one, player), one.line) for one in kept)
        return tuple(made)[:MOST_ROWS]
    if number >= len(record.moves):
        return ()
    move = record.moves[number]
    best = sorted(move.candidates, key=lambda one: (-one.visits, one.action != move.action))[:MOST_ROWS]
    line: Sequence[str] = (move.thought or {}).get("line", ())
    shown = [one for one in best if one.visits and chances_in(move.thought, one) is not None]
    rows = [(one, position.name(one.action)) for one in shown]
    # The line belongs to the move that the search would have made; a person may have made another.
    return tuple(
        ReplayCandidate(
            one.action, name, one.visits, chances_in(move.thought, one), tuple(line) if name in line[:1] else ()
        )
        for one, name in rows
    )
