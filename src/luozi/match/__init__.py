"""Games between players: one (`table`) and its record, many (`contest`) and what they say (`summary`).

From lowest to highest: record, table; openings, contest, playing, store, execution; statistics, ratings; running,
summary; tables, report. `match` plays one from Python.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from luozi.match.record import GameRecord, load_record, save_record
from luozi.match.table import Table, play_game

if TYPE_CHECKING:
    from luozi.game import Game
    from luozi.match.openings import Openings
    from luozi.match.summary import Summary

__all__ = ["GameRecord", "Table", "load_record", "match", "play_game", "save_record"]


def match(
    *players: str,
    game: str | Game = "connect4",
    games: int = 100,
    seed: int = 1,
    openings: Openings | None = None,
    sprt: tuple[float, float] | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
) -> Summary:
    """Play a match on all cores and return its result. With a store, what is there already is not played again.

    The game may be an object of your own class, wherever that is: in a file, in the program itself, in a notebook.

    >>> import luozi
    >>> summary = luozi.match("flat:simulations=100", "random", game="tictactoe", games=20, workers=1)
    >>> summary.counted, summary.rows[0].score > 0.5
    (20, True)
    """
    from luozi.match.contest import Contest
    from luozi.match.execution import chosen_executor
    from luozi.match.running import Run, play_all
    from luozi.match.statistics import Sprt
    from luozi.match.store import Store
    from luozi.match.summary import summarise

    run = Run(Contest.of(game, players, "match", seed, openings), games, Sprt(*sprt) if sprt else None)
    kept = Store.open(None if store is None else Path(store))
    executor = chosen_executor(workers, cluster)
    try:
        run.load(kept)
        play_all([run], kept, executor)
    finally:
        executor.close()
        kept.close()
    return summarise(run)
