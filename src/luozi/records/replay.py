"""A game position by position with all that its record holds: for the terminal, pages and animations."""

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
from luozi.records.review import MARK, PositionAnalysis, Review, nodes_of, read_analysis
from luozi.records.sgf import is_sgf
from luozi.records.sgf_reader import record_of
from luozi.records.sgf_text import read_tree
from luozi.rules.board import board_of, cells_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.util.win_rates import WinRates, cells, certain

GRADES = ("", " ?!", " ?", " ??")  # the signs of doubtful, bad and very bad moves
MOST_ROWS = 8  # the most candidates of a position
PART = r"[^,%]{1,60} \d+\.\d(?: %|\d\d)"  # one player's part of a win rate
# A comment that repeats the win rates, as `estimate` writes it now and wrote it before.
ONLY_CHANCES = re.compile(rf"\s*(?:(?:evaluation )?{PART}(?:, {PART})+|\d+(?:\.\d+)? %|value \d\.\d+)\s*")
LOOKED_BACK = 4  # rounds in which the last move of every player is looked for


class ReplayCandidate(NamedTuple):
    """A candidate of a position with its search statistics."""

    action: int
    name: str
    visits: int
    chances: WinRates | None  # win rates after it, and the draw rate
    line: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayStep:
    """One position of a game, and the move that led to it."""

    number: int  # moves before it
    position: Position
    player: int | None = None  # the player of the last move; None at the start
    name: str = ""  # of the last move
    comment: str = ""
    last: tuple[int, ...] = ()  # the cells of the last move
    winning: tuple[int, ...] = ()
    chances: WinRates | None = None  # win rates; None without a search
    marks: tuple[tuple[int, ...], ...] = ()  # the cells of the last move of each other player
    found: tuple[ReplayCandidate, ...] = ()  # candidates for the next move, the best first
    grade: int = 0  # of the last move: 0 good or unknown, 1 doubtful, 2 bad, 3 very bad

    @property
    def state(self) -> State:
        """The state of the position."""
        return self.position.state


@dataclass(frozen=True)
class Replay:
    """A game as a list of positions."""

    record: Record
    steps: tuple[ReplayStep, ...]
    findings: Mapping[int, PositionAnalysis] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The game and its players."""
        return Message("{game}: {names}", game=self.record.game.spelling, names=joined(self.record.called, " and "))

    @property
    def result(self) -> str:
        """The result as text."""
        return result_text(self.record.game, self.record.results())

    def move_text(self, step: ReplayStep) -> str:
        """Return the last move as text."""
        if step.player is None:
            return Message("the start")
        return f"{step.number}. {self.record.game.player_name(step.player)} {step.name}{GRADES[step.grade]}"


def load_replay(path: Path, game: str | None = None) -> Replay:
    """Return the replay of a record or an SGF file with its analysis. Raises as `load_record`."""
    if not is_sgf(path):
        return replay_of(load_record(path, game))
    tree = read_tree(path)
    record = record_of(tree, str(path))
    if record.game.players != 2:
        return replay_of(record)
    kept = [None if node is None else read_analysis(node, record.game.points) for node in nodes_of(tree, record)]
    return replay_of(record, {number: found for number, found in enumerate(kept) if found is not None})


def replay_of(record: Record, findings: Mapping[int, PositionAnalysis] | None = None) -> Replay:
    """Return the replay of a record.

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
    """Return one position of a replay."""
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
    """Return the columns (player names, and a draw if there may be one) and rows of a table of candidates.

    Candidates with few visits have no win rates.
    """
    known = [one.chances for one in found if one.chances is not None and not one.chances.few]
    drawn = [chances.draw_name for chances in known if chances.draw][:1]
    names = [game.player_name(player) for player in range(game.players)] + drawn
    rows = []
    for one in found:
        told = cells(one.chances, bool(drawn)) if one.chances in known and one.chances else ["-"] * len(names)
        rows.append((one.name, f"{one.visits:,}", *told, " ".join(one.line)))
    return names, rows


def only_win_rates(step: ReplayStep) -> bool:
    """Return whether a comment only repeats the win rates."""
    return step.chances is not None and ONLY_CHANCES.fullmatch(step.comment) is not None


def comment_of(record: Record, number: int) -> str:
    """Return the comment of a move without the line that an analysis wrote for other programs."""
    lines = record.comments[number - 1].splitlines() if record.comments else []
    return "\n".join(line for line in lines if not line.startswith(MARK))


def last_of_others(record: Record, number: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of the last move of each player but the last one, in games of three or more."""
    game, found = record.game, dict[int, tuple[int, ...]]()
    for place in range(max(0, number - LOOKED_BACK * game.players), number):
        cells = tuple(cells_of(game, "clicks", record.positions[place].state, record.actions[place]))
        found[record.moves[place].seat] = cells
    if number:
        found.pop(record.moves[number - 1].seat, None)
    return tuple(found.values()) if game.players > 2 else ()


def chances_after(record: Record, number: int, findings: Mapping[int, PositionAnalysis]) -> WinRates | None:
    """Return the win rates after a number of moves: the result, the analysis, or the search of the player who moved."""
    returns = record.positions[number].returns
    if returns is not None:
        return certain(returns)
    found = findings[number].chances if number in findings else record.moves[number - 1].chances if number else None
    return None if found is None or found.few else found


def found_in(record: Record, number: int, findings: Mapping[int, PositionAnalysis]) -> tuple[ReplayCandidate, ...]:
    """Return the stored candidates of a position."""
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
    # the line belongs to the move of the search; a person may have played another
    return tuple(
        ReplayCandidate(
            one.action, name, one.visits, chances_in(move.thought, one), tuple(line) if name in line[:1] else ()
        )
        for one, name in rows
    )
