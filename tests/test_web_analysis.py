"""What an analysis of the page finds is kept with its position: the longest one that there was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import luozi
from luozi.records.moves import MoveNote
from luozi.web.game_history import GameHistory
from luozi.web.seats import Seat
from luozi.web.storage import Storage


def test_a_shorter_analysis_takes_the_place_of_no_longer_one_nor_of_the_longer_thought_of_the_mover() -> None:
    game = luozi.game("tictactoe")
    history = GameHistory(game, "tictactoe", [Seat(), Seat()])

    def note(iterations: int, **more: Any) -> MoveNote:
        return MoveNote(0.1, {"iterations": iterations, "visits": iterations, "means": [0.5, 0.5], **more}, ())

    assert history.find(0, note(500)) is not None
    assert history.find(0, note(400)) is None
    assert history.find(0, note(3, proven=True)) is not None  # a proof is more than any number
    assert history.find(0, note(10**6)) is None
    for moved, analysed, known in ((900, 200, 900), (200, 900, 900)):
        history.findings = {0: note(analysed)}
        history.played.restart([4], notes=[note(moved)])
        assert history.known(0).thought["iterations"] == known
    history.played.restart([4], notes=[note(900, positions=True)])  # positions are no iterations
    history.findings = {0: note(200)}
    assert history.known(0).thought["iterations"] == 200


def test_another_server_does_not_overwrite_a_longer_analysis(tmp_path: Path) -> None:
    storages = [Storage(tmp_path / "tables.db") for _ in range(2)]
    storages[0].add("k", "s", "tictactoe", {}, [])
    for storage, iterations in ((storages[0], 900), (storages[1], 300), (storages[0], 1000), (storages[1], 2)):
        storage.note("k", 0, {"thought": {"iterations": iterations}})
    assert storages[0].find("k").findings[0]["thought"]["iterations"] == 1000
