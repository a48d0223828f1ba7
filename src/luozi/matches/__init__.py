"""Matches and tournaments: schedule, openings, workers, results database, summary and tuning. `match` plays one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from luozi.matches.openings import Openings
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.summary import Summary, summarise
from luozi.matches.workers import chosen_executor
from luozi.rules.game import Game
from luozi.statistics.matches import Sprt

__all__ = ["match"]


def match(
    *players: str,
    game: str | Game = "connect4",
    games: int = 100,
    seed: int = 1,
    openings: Openings | Iterable[str | Sequence[int | str]] | None = None,
    sprt: tuple[float, float] | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    visits: bool = False,
) -> Summary:
    """Play a match on all cores and return its result. With a store, games that it has are not played again.

    The game may be an object of a class in a file, a program or a notebook. Openings may be lines of moves, as in
    `openings=["4 4 3", "1"]`. With `visits` the store keeps all candidates of every search, for `Store.moves`.

    >>> import luozi
    >>> summary = luozi.match("flat:playouts=100", "random", game="tictactoe", games=20, workers=1)
    >>> summary.counted, summary.rows[0].score > 0.5
    (20, True)
    """
    run = Run(MatchSchedule.of(game, players, "match", seed, openings, visits), games, Sprt(*sprt) if sprt else None)
    kept = Store.open(None if store is None else Path(store))
    executor = chosen_executor(workers, cluster)
    try:
        run.load(kept)
        play_all([run], kept, executor)
    finally:
        executor.close()
        kept.close()
    return summarise(run)
