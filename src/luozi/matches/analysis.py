"""Analysis of a game record on all cores; its file is written repeatedly, so that an interrupted analysis goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from luozi.matches.remote_task import PortableCall
from luozi.matches.workers import chosen_executor
from luozi.messages import LuoziError
from luozi.players import read_spelling
from luozi.records.record import Record
from luozi.records.review import (
    PositionAnalysis,
    Review,
    analysis_player,
    annotate,
    engine_for,
    find,
    nodes_of,
    read_analysis,
    write_analysis,
)
from luozi.records.sgf_reader import record_of
from luozi.records.sgf_text import SgfTree, read_tree
from luozi.util.files import write_whole
from luozi.util.parsing import is_file, path_of

WRITE_SECONDS = 1.0  # between two writings of the file


class Reviewing:
    """A game record and the analysis of its positions so far."""

    def __init__(self, path: Path, player: str, output: Path) -> None:
        self.path, self.output = path_of(path), path_of(output)
        self.tree = read_tree(self.path)
        self.record: Record = record_of(self.tree, str(self.path))
        if self.record.game.players != 2 or not self.record.actions:
            raise LuoziError("'{text}' has no moves to analyse", text=path)
        self.by = analysis_player(player, self.record.game)
        self.nodes = list(nodes_of(self.tree, self.record))
        self.findings: dict[int, PositionAnalysis] = {}
        self.longer: dict[int, PositionAnalysis] = {}  # in the output file; a shorter search does not replace them
        self.read_kept(self.tree)
        if is_file(self.output):
            self.read_earlier()
        self.written = time.monotonic()

    def read_kept(self, tree: SgfTree) -> None:
        """Take the analysis of the same player from a file."""
        for number, found in self.kept(tree).items():
            if found.by == self.by:
                self.take(number, found)

    def take(self, number: int, finding: PositionAnalysis) -> None:
        """Keep the analysis of a position, or a longer one that is known."""
        known = [one[number] for one in (self.findings, self.longer) if number in one]
        self.findings[number] = max([finding, *known], key=lambda one: one.work)

    def kept(self, tree: SgfTree) -> dict[int, PositionAnalysis]:
        """Return the analysis in a file, of any player."""
        nodes = enumerate(nodes_of(tree, self.record))
        found = {number: read_analysis(node, self.record.game.points) for number, node in nodes if node is not None}
        return {number: finding for number, finding in found.items() if finding is not None}

    def read_earlier(self) -> None:
        """Continue the analysis in the output file. Raises LuoziError if it is of another game or no analysis."""
        tree = read_tree(self.output)
        earlier = record_of(tree, str(self.output))
        if earlier.actions != self.record.actions or earlier.game.spelling != self.record.game.spelling:
            raise LuoziError(
                "'{name}' is the analysis of another game and was not overwritten. Choose another file with --out.",
                name=self.output,
            )
        self.longer = self.kept(tree)
        if not self.longer:
            raise LuoziError(
                "'{name}' is not an analysis and was not overwritten. Choose another file with --out.", name=self.output
            )
        self.read_kept(tree)
        most = read_spelling(self.by)[1].get("iterations") or math.inf
        for number, found in self.longer.items():
            if found.work > most:  # a search of this player would have fewer iterations
                self.take(number, found)

    def missing(self) -> list[int]:
        """Return the numbers of the positions that are not yet searched."""
        wanted = [number for number, position in enumerate(self.record.positions) if position.returns is None]
        return [number for number in wanted if number not in self.findings and self.nodes[number] is not None]

    def prepare(self) -> None:
        """Compile the search once, before the processes load it."""
        if self.missing():
            engine_for(self.record.game.spelling, self.by)[1].compile()

    def run(self, workers: int, on_finding: Callable[[], None] = lambda: None) -> Review:
        """Search the missing positions; write the file now and then, and at the end."""
        try:
            for number, finding in found_by(workers, self.record, self.missing(), self.by):
                self.take(number, finding)
                on_finding()
                if time.monotonic() - self.written > WRITE_SECONDS:
                    self.write()
        finally:
            self.write()
        return self.review

    @property
    def of_others(self) -> int:
        """How many positions keep the longer analysis of another player."""
        return sum(finding.by != self.by for finding in self.findings.values())

    @property
    def review(self) -> Review:
        """The analysis so far."""
        return Review(self.record, dict(sorted(self.findings.items())))

    def write(self) -> None:
        """Write the file in one step, if any position was searched."""
        if not self.findings:
            return
        for number, finding in self.findings.items():
            if (node := self.nodes[number]) is not None:
                write_analysis(node, finding)
        annotate(self.nodes[1:], self.review)
        write_whole(self.output, self.tree.serialise())
        self.written = time.monotonic()


def search_position(shared: tuple[str, str], actions: tuple[int, ...]) -> PositionAnalysis:
    """Search the position after some actions."""
    spelling, by = shared
    return find(spelling, actions, by)


def found_by(workers: int, record: Record, numbers: list[int], by: str) -> Iterator[tuple[int, PositionAnalysis]]:
    """Yield the analysis of positions as they finish, from this process or from several."""
    executor, shared = chosen_executor(max(1, min(workers, len(numbers)))), (record.game.spelling, by)
    moves = (tuple(record.actions[:number]) for number in numbers)
    tasks = (PortableCall(f"position {len(actions) + 1}", search_position, shared, actions) for actions in moves)
    try:
        for task, finding in executor.run(tasks):
            yield len(task.part), finding
    finally:
        executor.close()
