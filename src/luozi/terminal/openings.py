"""Balanced openings at the terminal: looking for them with its progress."""

from __future__ import annotations

from itertools import islice

from luozi.compiled.cache import on_compile
from luozi.games import game as make_game
from luozi.matches.balance import balanced_openings
from luozi.players import player
from luozi.terminal.progress import Bar


def print_balanced(
    spelling: str, judge: str, number: int, plies: int | None, choices: int, within: float, seed: int
) -> None:
    """Print so many openings, each as soon as it is found, with a bar on standard error."""
    game = make_game(spelling)
    thinker = player(judge, game, searching=True, seed=seed)
    plies = 2 * game.players if plies is None else plies
    chosen = f" of {choices} choices each" if choices > 1 else ""
    try:
        with Bar("openings", number) as bar:
            on_compile(bar.say)
            print(
                f"# {game.spelling}: {plies} moves{chosen}, even within {within:.0%} by {thinker.spelling}", flush=True
            )
            for found in islice(balanced_openings(game, thinker, plies, within, seed, choices), number):
                print(found, flush=True)
                bar.advance()
    finally:
        thinker.close()
