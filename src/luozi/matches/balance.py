"""Openings that leave nobody ahead: random ones, of which a program keeps those that it takes for even."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from luozi.matches.openings import numbered_opening
from luozi.messages import LuoziError
from luozi.players import Player
from luozi.rules.game import Game
from luozi.rules.position import Position

PATIENCE = 1000  # so many openings in a row that are not even: then there may be none


class EvaluatedOpening(NamedTuple):
    """An opening, and what every player may expect of it."""

    actions: tuple[int, ...]
    names: tuple[str, ...]
    means: tuple[float, ...]

    def within(self, distance: float) -> bool:
        """Whether nobody's mean result is further than this from what all may expect on average.

        That is not always an equal share of one win: a draw is half a win for each, however many there are.

        >>> EvaluatedOpening((), (), (0.6, 0.4)).within(0.15), EvaluatedOpening((), (), (0.6, 0.2, 0.2)).within(0.15)
        (True, False)
        >>> EvaluatedOpening((), (), (0.5, 0.5, 0.5)).within(0.15)
        True
        """
        average = sum(self.means) / len(self.means)
        return all(abs(mean - average) <= distance for mean in self.means)

    def __str__(self) -> str:
        apart = ", " if any(" " in name for name in self.names) else " "
        return f"{apart.join(self.names)}  # {', '.join(f'{mean:.0%}' for mean in self.means)}"


def judge_opening(game: Game, judge: Player, actions: tuple[int, ...]) -> EvaluatedOpening:
    """What a program expects after these moves."""
    position, names = Position.begin(game), list[str]()
    for action in actions:
        names.append(position.name(action))
        position = position.play(action)
    judge.choose(position)
    thought = judge.thought
    if thought is None or thought.static:
        raise LuoziError("{player} tells no win rates: let mcts or strong be the judge", player=judge.spelling)
    return EvaluatedOpening(actions, tuple(names), thought.best.means)


def judged_openings(game: Game, judge: Player, plies: int, seed: int, choices: int = 1) -> Iterator[EvaluatedOpening]:
    """Random openings without end, none twice in a row of PATIENCE, each with what the judge expects of it."""
    seen: set[tuple[int, ...]] = set()
    known = 0
    for number in range(10**9):
        actions = numbered_opening(game, plies, seed, number, choices)
        if actions not in seen:
            seen.add(actions)
            known = 0
            yield judge_opening(game, judge, actions)
        known += 1
        if known > PATIENCE:
            raise LuoziError(
                "there are no more than {count} openings of {plies} moves: ask for fewer, or for longer ones",
                count=f"{len(seen):,}",
                plies=plies,
            )


def balanced_openings(
    game: Game, judge: Player, plies: int, within: float, seed: int, choices: int = 1
) -> Iterator[EvaluatedOpening]:
    """Openings in which nobody is ahead by more than `within`, as many as are asked for.

    >>> import luozi
    >>> from luozi.players import player
    >>> board = luozi.game("tictactoe")
    >>> judge = player("mcts:iterations=300,seed=1", board)
    >>> even = next(balanced_openings(board, judge, plies=2, within=0.1, seed=1))
    >>> len(even.actions), even.within(0.1)
    (2, True)
    """
    in_vain = 0
    for judged in judged_openings(game, judge, plies, seed, choices):
        in_vain += 1
        if judged.within(within):
            in_vain = 0
            yield judged
        elif in_vain >= PATIENCE:
            raise LuoziError(
                "none of {count} openings was even within {distance}: raise --max-imbalance, or change --plies",
                count=f"{PATIENCE:,}",
                distance=f"{within:.0%}",
            )
