"""Balanced openings at the terminal: looking for them with its progress."""

from __future__ import annotations

from itertools import islice

from luozi.compiled.cache import on_compile
from luozi.contests.balance import balanced_openings
from luozi.games import game as make_game
from luozi.players import player
from luozi.terminal.progress import Bar


def print_balanced(spelling: str, judge: str, number: int, plies: int | None, within: float, seed: int) -> None:
    """Print so many openings, each as soon as it is found, with a bar on standard error."""
    game = make_game(spelling)
    thinker = player(judge, game, seed=seed)
    if plies is None:
        plies = 2 * game.players
    try:
        with Bar("openings", number) as bar:
            on_compile(bar.say)
            print(f"# {game.spelling}: {plies} moves, even within {within:.0%} by {thinker.spelling}", flush=True)
            for found in islice(balanced_openings(game, thinker, plies, within, seed), number):
                print(found, flush=True)
                bar.advance()
    finally:
        thinker.close()
