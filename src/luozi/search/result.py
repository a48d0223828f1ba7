"""`SearchResult`: the move, every candidate with its statistics, and the work done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from luozi.messages import Message, joined
from luozi.removed import missing
from luozi.rules.position import Position
from luozi.search.showing import thought_html
from luozi.util.old_names import to_old_names
from luozi.util.parsing import JsonObject
from luozi.util.win_rates import EVALUATION, FEWEST, WINS, WinRates, cells, certain, counted, evaluated, value_of

Z_95 = 1.959964
# Data keep the names of version 0.1.
JSON_NAMES = {
    "expected": "variation",
    "reused_visits": "kept",
    "pruned": "cuts",
    "transposition_hits": "shared",
    "warnings": "notice",
}
MOST_NAMES = 10_000  # a long analysis passes through many lines
CUT_NAMES = (
    "keep_proven_win",
    "keep_playout_win",
    "decisive_moves",
    "anti_decisive_moves",
    "avoid_immediate_loss",
    "prune_ratio",
    "threat_search",
    "exact_solver_nodes",
    "candidates_only",
    "territory_playouts",
)  # the options


def wilson_interval(mean: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a mean of results in [0, 1] (Wilson 1927; wider than needed where draws are many).

    >>> [round(bound, 3) for bound in wilson_interval(0.5, 100)]
    [0.404, 0.596]
    """
    if count == 0:
        return 0.0, 1.0
    z2 = Z_95 * Z_95 / count
    centre = (mean + z2 / 2) / (1 + z2)
    half = Z_95 * math.sqrt(max(0.0, mean * (1 - mean)) / count + z2 / (4 * count)) / (1 + z2)
    return max(0.0, centre - half), min(1.0, centre + half)


class Candidate(NamedTuple):
    """One legal move."""

    action: int
    visits: int
    means: tuple[float, ...]  # the mean result of every player, 0 to 1
    proven: bool = False  # the means are certain
    cut: bool = False  # a rule of pruning took it away
    prior: float | None = None  # how likely it was before its first visit, where the search goes by that
    line: tuple[int, ...] = ()  # itself and the most visited moves after it; only the leading candidates have one
    ownership: tuple[tuple[float, ...], ...] | None = None  # as the thought's, after this move
    draws: int = 0  # how many of the visits ended drawn
    score: str = ""  # what it is worth where that is no mean of results: `+120`, `wins in 5`
    position: Position | None = None  # where it may be played

    @property
    def name(self) -> str:
        """Return the move's name, which is made when it is asked for."""
        return str(self.action) if self.position is None else self.position.name(self.action)

    @property
    def value(self) -> float:
        """Return the mean result of the player to move, from 0, lost, to 1, won."""
        return self.means[0 if self.position is None else self.position.to_move]

    @property
    def estimated(self) -> bool:
        """Return whether its means only order the moves: they come from a score and are no win rates."""
        return bool(self.score) and not self.proven

    def interval(self, player: int) -> tuple[float, float]:
        """Return the 95 % interval of a player's mean result, as if the simulations were independent."""
        if self.proven:
            return self.means[player], self.means[player]
        return wilson_interval(self.means[player], self.visits)


class Namer:
    """Name the moves of lines from one position on; common moves are named once."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self._known: dict[tuple[int, ...], str] = {}
        self._positions: dict[tuple[int, ...], Position] = {(): position}

    def names(self, line: Sequence[int]) -> tuple[str, ...]:
        """Return the moves of a line by name."""
        if len(self._known) > MOST_NAMES:
            self._known, self._positions = {}, {(): self.position}
        known, positions, found = self._known, self._positions, []  # another thread may begin anew
        for length in range(1, len(line) + 1):
            so_far = tuple(line[:length])
            if so_far not in known:
                known[so_far] = self._after(positions, so_far[:-1]).name(so_far[-1])
            found.append(known[so_far])
        return tuple(found)

    def _after(self, positions: dict[tuple[int, ...], Position], line: tuple[int, ...]) -> Position:
        """Return the position after a line whose beginnings were named before."""
        if line not in positions:
            positions[line] = self._after(positions, line[:-1]).play(line[-1])
        return positions[line]


@dataclass(frozen=True)
class SearchResult:
    """The result of `Engine.think`."""

    action: int
    player: int  # who is to move
    candidates: tuple[Candidate, ...]  # every legal move, the most visited first
    expected: tuple[int, ...]  # the principal variation
    iterations: int
    seconds: float
    nodes: int
    bytes: int
    depth: int
    reused_visits: int  # visits that came with the kept tree
    pool_full: bool
    seed: int
    rewards: str = "zero_one"
    pruned: dict[str, int] = field(default_factory=dict)  # how many moves each rule of pruning took away, by its option
    transposition_hits: int = 0  # how often a new move led to a position that had come up by another way
    tied: bool = False  # whether means of others than the player depend on how ties are broken later on
    sampled: bool = (
        True  # whether means come from simulations; if not, visits are positions and intervals have no sense
    )
    learned: bool = False  # whether means are what a network expects: win rates, but without intervals
    kind: str = WINS  # what the means of moves that are not proven are: of results, or EVALUATION, values of positions
    positions: bool = False  # whether visits are positions of a full-width search, of which few say no less
    ownership: tuple[tuple[float, ...], ...] | None = None  # in which share of simulations each player had each point
    threads: tuple[int, ...] = ()  # how many iterations each thread of the search did
    warnings: tuple[str, ...] = ()  # what somebody who asked for this search may expect of it in vain
    namer: Namer | None = field(default=None, repr=False, compare=False)  # of the position

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Nothing: it names what replaces an attribute that is gone."""
            raise missing(type(self), name)

    @property
    def best(self) -> Candidate:
        """Return the candidate that is played."""
        for candidate in self.candidates:
            if candidate.action == self.action:
                return candidate
        raise LookupError(f"no candidate has the action {self.action}")

    def chances(self, candidate: Candidate | None = None) -> WinRates | None:
        """Return each player's probability of winning and that of a draw after a candidate; not given, after the best.

        None where nothing is known: without a visit, or where moves have points only.

        >>> import luozi
        >>> game = luozi.game("tictactoe:size=2,win_length=2")
        >>> found = luozi.Engine(game, seed=1, prove="standard").think(game.new_state(), iterations=200).chances()
        >>> found.wins, found.draw, found.kind
        ((1.0, 0.0), 0.0, 'proven')
        """
        one = self.best if candidate is None else candidate
        if one.proven:
            return certain(one.means, one.visits)
        if not one.visits or one.score:
            return None
        if self.kind == EVALUATION:
            return evaluated(one.means, max(one.visits, FEWEST) if self.positions else one.visits)
        return counted(one.means, one.draws / one.visits, one.visits, self.kind)

    @property
    def static(self) -> bool:
        """Return whether means are no win rates but evaluations of positions some moves ahead, as alpha-beta's."""
        return not self.sampled and not self.learned and not self.best.proven

    @property
    def name(self) -> str:
        """Return the move's name."""
        return self.best.name

    @property
    def position(self) -> Position | None:
        """Return the position that was thought about."""
        return None if self.namer is None else self.namer.position

    @property
    def principal_variation(self) -> tuple[str, ...]:
        """Return the principal variation, by name, which takes a moment."""
        return tuple(map(str, self.expected)) if self.namer is None else self.namer.names(self.expected)

    def line(self, candidate: Candidate) -> tuple[str, ...]:
        """Return a candidate's line by name, which takes a moment; nothing if it has none.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> thought = luozi.Engine(game, seed=1).think(game.new_state(), iterations=2000)
        >>> thought.line(thought.best) == thought.principal_variation
        True
        """
        if candidate.action == self.action:
            return self.principal_variation
        return self.namer.names(candidate.line) if self.namer is not None else ()

    def as_dict(self) -> JsonObject:
        """Return everything as plain data that `json.dumps` takes.

        >>> import json, luozi
        >>> game = luozi.game("tictactoe")
        >>> thought = luozi.Engine(game, seed=1).think(game.new_state(), iterations=2000)
        >>> json.loads(json.dumps(thought.as_dict()))["candidates"][0]["name"]
        'b2'
        """
        named = [(JSON_NAMES.get(one.name, one.name), one.name) for one in fields(self) if one.name != "namer"]
        found = {name: getattr(self, attribute) for name, attribute in named}
        return found | {
            "fewest": FEWEST,
            "value": value_of(self.chances()),
            "candidates": [self._candidate(candidate) for candidate in self.candidates],
            "variation": list(self.principal_variation),
            "threads": list(self.threads),
            "notice": joined(self.warnings) if self.warnings else "",
            "cuts": to_old_names(self.pruned, "mcts"),
            "ownership": None if self.ownership is None else [list(points) for points in self.ownership],
        }

    def _candidate(self, candidate: Candidate) -> JsonObject:
        found = {"action": candidate.action, "name": candidate.name, **candidate._asdict()}
        del found["position"]
        return found | {
            "means": list(candidate.means),
            "value": value_of(self.chances(candidate)),
            "line": list(candidate.line),
            "line_names": list(self.line(candidate)) if candidate.line else [],
            "ownership": None if candidate.ownership is None else [list(points) for points in candidate.ownership],
            "interval": list(candidate.interval(self.player)) if self.sampled else None,
        }

    def shown(self, mean: float) -> str:
        """Return a mean in the scheme of rewards that was asked for; no per cent where it is no win rate."""
        if self.static:
            return f"{mean:.3f}"
        return f"{2 * mean - 1:+.3f}" if self.rewards == "plus_minus" else f"{100 * mean:.1f} %"

    def header(self, count: int = 8) -> tuple[str, ...]:
        """Return the titles of the columns of `rows`."""
        return ("move", "visits", "share", *self._told(self._rates(count)), "95 % interval")

    def rows(self, count: int = 8) -> list[tuple[str, ...]]:
        """Return the best candidates for a table: move, visits, share, win rate of each player, the mover's interval.

        Moves with few visits have no such numbers.
        """
        rates = self._rates(count)
        total = max(1, sum([candidate.visits for candidate in self.candidates]))
        table, columns, drawn = [], self._told(rates), bool(self._draws(rates))
        for one, its_rates in zip(self.candidates, rates, strict=False):
            told = self._cells(one, its_rates, len(columns), drawn)
            about = "certain" if one.proven else "cut" if one.cut else self._interval(one, its_rates)
            table.append((one.name, f"{one.visits:,}", f"{100 * one.visits / total:.1f} %", *told, about))
        return table

    def names(self) -> tuple[str, ...]:
        """Return the names of the players."""
        game = self.position.game if self.position is not None else None
        players = range(len(self.best.means))
        return tuple([str(player + 1) if game is None else game.player_name(player) for player in players])

    def _rates(self, count: int) -> list[WinRates | None]:
        """Return the win rates of the first candidates, None for those with too few visits."""
        known = map(self.chances, self.candidates[:count])
        return [None if rates is None or rates.few else rates for rates in known]

    def _told(self, rates: list[WinRates | None]) -> tuple[str, ...]:
        """Return the titles of the columns with win rates."""
        if self.best.score:
            return ("score",)
        mean = ("mean",) if self.rewards == "plus_minus" else ()
        return (*mean, *self.names(), *self._draws(rates))

    def _draws(self, rates: list[WinRates | None]) -> tuple[str, ...]:
        """Return the title of the column of draws, if any of the first candidates has some."""
        for one in rates:
            if one is not None and one.draw:
                return (one.draw_name,)
        return ()

    def _cells(self, candidate: Candidate, rates: WinRates | None, columns: int, drawn: bool) -> list[str]:
        if self.best.score:
            return [candidate.score or "-"]
        if rates is None:
            return ["-"] * columns
        mean = [self.shown(candidate.means[self.player])] if self.rewards == "plus_minus" else []
        return [*mean, *cells(rates, drawn)]

    def _interval(self, candidate: Candidate, rates: WinRates | None) -> str:
        """Return the interval of the mover's probability of winning, as if the playouts were independent."""
        if rates is None or rates.kind == EVALUATION:
            return "-"
        low, high = wilson_interval(rates.wins[self.player], candidate.visits)
        return Message("{low} % to {high} %", low=f"{100 * low:.1f}", high=f"{100 * high:.1f}")

    def summary(self, details: bool = True) -> str:
        """Return one line about the work done.

        Without details, how much it was and what people must know of the answer.
        """
        parts = [self._amount(), *(self._details() if details else [])]
        if self.tied:
            parts.append(
                Message("of moves that are equal for their player, the first was taken: others may get more or less")
            )
        if self.pool_full:
            parts.append(Message("the node pool is full: the tree no longer grows"))
        parts += [Message(warning) for warning in self.warnings]
        return joined(parts)

    def _amount(self) -> str:
        """Return how many iterations were done in how many seconds."""
        rate = Message(" ({rate}/s)", rate=f"{self.iterations / self.seconds:,.0f}") if self.seconds > 0 else ""
        told = {"count": f"{self.iterations:,}", "seconds": f"{self.seconds:.2f}", "rate": rate}
        if self.sampled or self.learned:
            return Message("{count} iterations in {seconds} s{rate}", **told)
        return Message("{count} positions in {seconds} s{rate}", **told)

    def _details(self) -> list[str]:
        """Return the parts about threads, the tree and pruned moves."""
        parts: list[str] = []
        if len(self.threads) > 1:
            parts.append(
                Message(
                    "{count} threads ({each})",
                    count=len(self.threads),
                    each=", ".join(f"{done:,}" for done in self.threads),
                )
            )
        if self.bytes:
            parts += [Message("{count} nodes", count=f"{self.nodes:,}"), f"{self.bytes / 1e6:.1f} MB"]
        if self.depth:
            parts.append(Message("depth {depth}", depth=self.depth))
        if self.reused_visits:
            parts.append(Message("{count} visits kept", count=f"{self.reused_visits:,}"))
        if self.transposition_hits:
            parts.append(Message("{count} positions met again", count=f"{self.transposition_hits:,}"))
        return parts + [
            Message("{count} cut by {name}", count=f"{count:,}", name=name) for name, count in self.pruned.items()
        ]

    def __str__(self) -> str:
        table = [self.header(), *self.rows()]
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
        return "\n".join([*lines, "line: " + " ".join(self.principal_variation), self.summary()])

    def _repr_html_(self) -> str:
        """Return a picture for notebooks: the candidates on the board, and a bar of visits for each."""
        return thought_html(self)
