"""Each player's probability of winning, and the probability of a draw, as people see them.

A search adds up results, in which a draw counts one half for each player. Here wins and draws are separate, so they sum
to 1 for any number of players. If an evaluator gives values and no results, the values are divided by their sum and
labelled as an evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from luozi.messages import Message
from luozi.util.parsing import JsonObject

# With fewer visits no number is shown, and nothing is judged by it. The 95 % interval of a mean of this many results
# extends at most 9.6 percentage points to each side (Wilson 1927), about the loss by a bad move.
FEWEST = 100
WINS, RATE, EVALUATION, PROVEN = "wins", "rate", "evaluation", "proven"  # kinds of numbers
UNDECIDED = "undecided"  # wins of playouts, some of which stop early and count as half a win for each player
DIGITS = 6  # decimals in data
HALF = 0.5  # what a draw gives each player


class WinRates(NamedTuple):
    """Each player's probability of winning and the probability of a draw. They sum to 1.

    >>> counted((0.75, 0.25), 0.5, 1000)
    WinRates(wins=(0.5, 0.0), draw=0.5, kind='wins', visits=1000)
    """

    wins: tuple[float, ...]
    draw: float | None  # None if draws are not counted
    kind: str  # one of the kinds above; RATE: wins and half the draws of two players, as in old records
    visits: int

    @property
    def few(self) -> bool:
        """Whether there are too few visits to show numbers.

        >>> counted((1.0, 0.0), 0.0, 1).few, certain((1.0, 0.0)).few
        (True, False)
        """
        return self.kind != PROVEN and self.visits < FEWEST

    @property
    def draw_name(self) -> str:
        """The name of the part that is nobody's win.

        >>> counted((0.5, 0.5), 1.0, 1000).draw_name, counted((0.5, 0.5), 1.0, 1000, UNDECIDED).draw_name
        ('draw', 'undecided')
        """
        return Message("undecided") if self.kind == UNDECIDED else Message("draw")

    def good_for(self, player: int) -> float:
        """Return a single number for comparisons: wins and an equal share of draws. For two players, this is the
        mean value.
        """
        return self.wins[player] + (self.draw or 0.0) / len(self.wins)

    def parts(self) -> tuple[float, ...]:
        """The numbers to show: each player's, and the draw's if it is counted."""
        return (*self.wins, self.draw) if self.draw else self.wins

    def as_dict(self) -> JsonObject:
        """Return plain data, without numbers if there are too few visits.

        >>> counted((1.0, 0.0), 0.0, 1).as_dict()
        {'chances': None, 'draw': None, 'kind': 'wins', 'few': True}
        """
        few, draw = self.few, None if self.draw is None else round(self.draw, DIGITS)
        wins = [round(one, DIGITS) for one in self.wins]
        return {"chances": None if few else wins, "draw": None if few else draw, "kind": self.kind, "few": few}


def too_few(chances: WinRates | None) -> bool:
    """Return whether there are win rates with too few visits."""
    return chances is not None and chances.few


def value_of(chances: WinRates | None) -> JsonObject | None:
    """Return win rates as plain data, or None."""
    return None if chances is None else chances.as_dict()


def cells(chances: WinRates, draw: bool | None = None) -> list[str]:
    """Return the numbers as texts that sum to 100 % or 1.000. `draw`: include the draw always, or only if it is
    counted.

    >>> cells(counted((0.75, 0.25), 0.5, 1000)), cells(evaluated((0.7, 0.7), 1000))
    (['50.0 %', '0.0 %', '50.0 %'], ['0.500', '0.500'])
    >>> cells(WinRates((0.002, 0.0011, 0.0), 0.9969, WINS, 5000))
    ['0.20 %', '0.11 %', '0.00 %', '99.69 %']
    """
    with_draw = bool(chances.draw) if draw is None else draw
    parts = (*chances.wins, chances.draw or 0.0) if with_draw else chances.wins
    if chances.kind == EVALUATION:  # an evaluation is not a probability, so it has no per cent sign
        return [f"{float(part) / 100:.3f}" for part in per_cents(parts)]
    return [f"{part} %" for part in per_cents(parts, decimals_of(chances.wins))]


def decimals_of(wins: Sequence[float]) -> int:
    """Return the decimals of per cents: more if wins are rare, so that moves can be distinguished.

    >>> decimals_of((0.0, 0.0)), decimals_of((0.02, 0.3)), decimals_of((0.002, 0.001))
    (1, 1, 2)
    """
    return 2 if 0 < max(wins) < 0.01 else 1


def short(chances: WinRates | None, player: int) -> str:
    """Return a player's win rate in per cent for a cell of a board: `=` for a proven draw, empty for evaluations and
    too few visits.

    >>> short(counted((0.75, 0.25), 0.5, 1000), 0), short(certain((0.5, 0.5)), 0), short(evaluated((0.7, 0.7), 500), 0)
    ('50', '=', '')
    """
    if chances is None or chances.few or chances.kind == EVALUATION:
        return ""
    return "=" if chances.kind == PROVEN and chances.draw else f"{100 * chances.wins[player]:.0f}"


def sentence(chances: WinRates, names: Sequence[str], said: Callable[[str], str] = str) -> str:
    """Return the win rates of all players in one line.

    >>> sentence(counted((0.75, 0.25), 0.5, 1000), ("X", "O"))
    'X 50.0 %, O 0.0 %, draw 50.0 %'
    """
    found = cells(chances)
    every = (*names, said(chances.draw_name))[: len(found)]
    return ", ".join(f"{name} {cell}" for name, cell in zip(every, found, strict=True))


def counted(means: Sequence[float], draws: float, visits: int, kind: str = WINS) -> WinRates:
    """Return the win rates for mean results and the share of visits that ended in a draw.

    Other results, as when places are shared, count as their share of a win.
    """
    draw = min(max(draws, 0.0), 1.0)
    sum_of_results = 1 - draw + draw * HALF * len(means)  # every game gives 1 to one player, or one half to all
    scale = sum(means) / sum_of_results or 1.0
    wins = [max(0.0, mean / scale - draw * HALF) for mean in means]
    return WinRates(divided(wins, 1 - draw), draw, kind, visits)


def evaluated(values: Sequence[float], visits: int) -> WinRates:
    """Return an evaluator's values as an evaluation.

    >>> evaluated((0.5, 0.25, 0.25), 500).wins, evaluated((0.3, 0.9), 500).wins
    ((0.5, 0.25, 0.25), (0.25, 0.75))
    """
    return WinRates(divided(values, 1.0), None, EVALUATION, visits)


def certain(results: Sequence[float], visits: int = 0) -> WinRates:
    """Return a proven result. It is a draw if no player gets more than the others.

    >>> certain((0.5, 0.5)), certain((0.0, 0.5, 0.5)).wins
    (WinRates(wins=(0.0, 0.0), draw=1.0, kind='proven', visits=0), (0.0, 0.5, 0.5))
    """
    drawn = max(results) - min(results) < 1e-6
    wins = (0.0,) * len(results) if drawn else divided(results, 1.0)
    return WinRates(wins, float(drawn), PROVEN, visits)


def remembered(means: Sequence[float], visits: int) -> WinRates:
    """Return the win rates of means alone, as in old records. With three or more players, they determine the share of
    draws.

    >>> [round(one, 3) for one in remembered((0.6, 0.4, 0.4), 1000).parts()]
    [0.2, 0.0, 0.0, 0.8]
    >>> remembered((0.7, 0.3), 1000).kind
    'rate'
    """
    if len(means) < 3:
        return WinRates(divided(means, 1.0), None, RATE, visits)
    draws = (sum(means) - 1) / (HALF * len(means) - 1)
    return counted(means, min(draws, 2 * min(means)), visits)


def divided(values: Iterable[float], total: float) -> tuple[float, ...]:
    """Return values divided by their sum times `total`, or equal parts if the sum is 0."""
    found = list(map(float, values))
    whole = math.fsum(found)
    if total <= 0:
        return (0.0,) * len(found)
    if abs(whole - total) < 1e-9:  # unchanged to the last bit
        return tuple(found)
    return tuple([total * value / whole if whole > 0 else total / len(found) for value in found])


def per_cents(parts: Sequence[float], decimals: int = 1) -> list[str]:
    """Return the parts of a whole as per cents that sum to exactly 100, by the method of largest remainders.

    >>> per_cents([1 / 3, 1 / 3, 1 / 3]), per_cents([0.0005, 0.9995], 0)
    (['33.4', '33.3', '33.3'], ['0', '100'])
    """
    units = 100 * 10**decimals
    whole = math.fsum(parts)
    exact = [units * part / whole for part in parts] if whole > 0 else [units / len(parts)] * len(parts)
    # rounding errors are removed first, so that equal parts get equal numbers in any order
    lower = [math.floor(one + 1e-9) for one in exact]
    order = sorted(range(len(exact)), key=lambda place: (-round(exact[place] - lower[place], 9), place))
    for place in order[: units - sum(lower)]:
        lower[place] += 1
    return [f"{one / 10**decimals:.{decimals}f}" for one in lower]
