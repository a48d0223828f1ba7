"""Compiling beside everything else, for people and programs that do not want to wait. Start with `Preparation`.

Numba compiles under Python's global lock, and one thing at a time: in a thread of this process it would make a prompt
stutter and hold up a first, simple search. So another process compiles (`compiling_apart`) and fills the cache, from
where the machine code is loaded here. Where nothing can be kept, a thread of this process has to do it after all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from luozi.compiled.cache import NotKeptError, cache_folder, kept_only, quietly, reason_not_to_keep
from luozi.players.base import Player
from luozi.players.engine import EnginePlayer, is_plain
from luozi.players.usual_times import note_seconds, usual_seconds
from luozi.rules.game import Game
from luozi.search import Engine, Options
from luozi.util.trust import environment

POLL_SECONDS = 0.05
ENOUGH_POOL = 100_000  # nodes of an engine that only gets things compiled, at most
SLOW_POOL = 20_000  # nodes: uncompiled, a search makes no more
SLOW_SECONDS = 1.0  # of an uncompiled search that has no limit but iterations, of which it makes few
MANY_MOVES = 60  # with so many to choose from, random games tell little
OF_NETWORK = ("network", "prior_power", "decisive_moves", "anti_decisive_moves", "avoid_immediate_loss", "mcts_solver")


@dataclass(frozen=True)
class Stage:
    """Something to be compiled."""

    spelling: str  # a player that needs it, for the other process
    kind: str  # one of its kind takes about as long
    prepare: Callable[[], None]  # compiles it in this process, or loads it
    finish: Callable[[], None] = lambda: None  # hears that it is ready
    done: threading.Event = field(default_factory=threading.Event)


class CompileProgress(NamedTuple):
    """How far a preparation has come, by what is usual."""

    share: float  # of the time, 0 to 1
    left: float  # seconds; 0 or less where it takes longer than usual


class Preparation:
    """Gets stages ready in the background, one after the other; `first` only if another one must be compiled.

    >>> preparation = Preparation("tictactoe", [])
    >>> preparation.over.wait(), preparation.needed
    (True, False)
    """

    def __init__(
        self,
        game: str,
        stages: Sequence[Stage],
        first: Stage | None = None,
        apart: bool = True,
        here: bool = True,
        turn: AbstractContextManager[object] | None = None,
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        self.game, self.stages, self.first = game, stages, first
        self._has_room = has_room  # for more machine code in this process
        self.refused = False  # whether there was none for what is missing
        self.apart, self.here = apart, here  # whether another process may compile; whether this one may
        self._turn = turn or nullcontext()  # who compiles holds it: where many things are prepared, one after another
        self.missing: list[Stage] = []  # what must be compiled
        self.expected: dict[int, float] = {}  # the seconds that each of them usually takes
        self.known = threading.Event()  # whether anything must be compiled
        self.over = threading.Event()
        self._began = time.monotonic()  # the stage that is being compiled
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def needed(self) -> bool:
        """Whether something has to be compiled, as far as is known."""
        return bool(self.missing)

    @property
    def seconds(self) -> float:
        """How long all of it usually takes."""
        return sum(self.expected.values())

    def progress(self) -> CompileProgress | None:
        """How far it is, or None if there is nothing to wait for."""
        waiting = [stage for stage in self.missing if not stage.done.is_set()]
        if not self.known.is_set() or self.over.is_set() or not waiting:
            return None
        later = sum(self.expected[id(stage)] for stage in waiting[1:])
        now = self.expected[id(waiting[0])] - (time.monotonic() - self._began)
        return CompileProgress(min(0.99, max(0.0, 1 - (max(0.0, now) + later) / self.seconds)), now + later)

    def close(self) -> None:
        """Nobody needs it any more: end the other process."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    # In a thread of its own -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            missing = [stage for stage in self.stages if not self._load(stage)]
            if missing and self.first is not None and not self._load(self.first):
                missing.insert(0, self.first)
            self.expected = {id(stage): usual_seconds(stage.kind) for stage in missing}
            self.refused = bool(missing) and not self._has_room()
            self.missing, self._began = missing, time.monotonic()
            self.known.set()
            if missing and not self.refused:
                with self._turn:
                    self._compile(missing)
        finally:
            self.known.set()
            self.over.set()

    def _compile(self, missing: Sequence[Stage]) -> None:
        """Have all of it compiled, beside this process if that can be."""
        self._began = time.monotonic()
        if self.apart and not self._closed and not reason_not_to_keep(cache_folder()):
            with suppress(OSError):
                self._compile_apart(missing)
        for stage in missing if self.here else ():
            self._compile_here(stage)

    def _load(self, stage: Stage) -> bool:
        """Load it if it is in the cache; what else is wrong with it, whoever needs it will hear."""
        try:
            with kept_only(self._has_room()):
                stage.prepare()
        except NotKeptError:
            return False
        except Exception:
            pass
        self._finish(stage)
        return True

    def _compile_here(self, stage: Stage) -> None:
        if stage.done.is_set() or self._closed or not self._has_room():
            return
        with quietly(), suppress(Exception):
            stage.prepare()
        note_seconds(stage.kind, time.monotonic() - self._began)
        self._finish(stage)

    def _compile_apart(self, missing: Sequence[Stage]) -> None:
        """Let the other process compile; what it does not get done is left."""
        self._process = start_apart(self.game, [stage.spelling for stage in missing])
        try:
            assert self._process.stdout is not None
            for stage, _line in zip(missing, self._process.stdout, strict=False):
                seconds = time.monotonic() - self._began
                if self._closed or not self._load(stage):
                    return
                note_seconds(stage.kind, seconds)
        finally:
            self._process.kill()
            self._process.communicate()

    def _finish(self, stage: Stage) -> None:
        self._began = time.monotonic()
        stage.finish()
        stage.done.set()


def start_apart(game: str, players: Sequence[str]) -> subprocess.Popen[str]:
    """The other process: it says a line for each player that is ready, and leaves when its input ends, as it does
    when this process is gone. Ctrl-C is not for it.
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "luozi.players.compiling_apart", game, *players],
        env={**os.environ, **environment(), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


# For players and engines --------------------------------------------------------------------------------------------


class PlayersPreparation(Preparation):
    """Gets the players of a game ready; until then those that think by the clock are stood in for (`stand_in_engine`).

    In a game that can be repeated, a player whose limits are in iterations is waited for: the same seed must give the
    same game.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        apart: bool = True,
        stand_ins: bool = True,
        repeatable: bool = True,
        turn: AbstractContextManager[object] | None = None,
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        kinds: dict[str, dict[int, Player]] = {}
        for one in players:
            if type(one).prepare is not Player.prepare:
                kinds.setdefault(kind_of_player(one), {})[id(one)] = one
        self._stages = {kind: stage_of(kind, list(group.values())) for kind, group in kinds.items()}
        self.stood_in = [
            one for group in kinds.values() for one in group.values() if stand_ins and may_be_stood_in(one, repeatable)
        ]
        first = self._first_stage(game) if self.stood_in else None
        super().__init__(game.spelling, list(self._stages.values()), first, apart, turn=turn, has_room=has_room)

    @property
    def plain(self) -> bool:
        """Whether plain UCT stands in for somebody."""
        return not all(
            isinstance(one, EnginePlayer) and by_network(one.game, one.engine.options) for one in self.stood_in
        )

    def _first_stage(self, game: Game) -> Stage:
        """What stand-ins need; networks need nothing."""
        return plain_stage(game, self._stand_in) if self.plain else Stage("", "", lambda: None, self._stand_in)

    def _stand_in(self) -> None:
        for one in self.stood_in:
            if isinstance(one, EnginePlayer) and not self._stages[kind_of_player(one)].done.is_set():
                one.stand_in = stand_in_engine(one.game, one.engine.options)

    def wait_for(self, player: Player) -> None:
        """Wait until a player can move, be it by its stand-in."""
        stage = self._stages.get(kind_of_player(player))
        while stage is not None and not stage.done.wait(POLL_SECONDS):
            if self.over.is_set() or getattr(player, "stand_in", None) is not None:
                return


def stage_of(kind: str, players: Sequence[Player]) -> Stage:
    """What some players that are compiled alike need."""

    def prepare() -> None:
        for one in players:
            one.prepare()

    def finish() -> None:
        for one in players:
            if isinstance(one, EnginePlayer):
                one.stand_in = None

    return Stage(players[0].spelling, kind, prepare, finish)


def plain_stage(game: Game, finish: Callable[[], None]) -> Stage:
    """Plain UCT, which is compiled soonest."""
    return Stage("mcts", kind_of(small_engine(game)), lambda: small_engine(game).compile(), finish)


def kind_of_player(player: Player) -> str:
    """What decides how a player is compiled for its game."""
    return kind_of(player.engine) if isinstance(player, EnginePlayer) else type(player).__name__


def may_be_stood_in(player: Player, repeatable: bool = True) -> bool:
    """Whether another may play for it: it searches in another way, and where games repeat, by the clock alone."""
    if not isinstance(player, EnginePlayer) or is_plain(player.engine.options):
        return False
    return not repeatable or bool(player.engine.options.seconds or not player.engine.options.limits)


def plain_options(options: Options) -> Options:
    """Plain UCT with the same limits and the same room."""
    same = ("iterations", "seconds", "nodes", "seed", "pool_size", "max_memory_mb", "reuse_tree")
    return Options(**{name: getattr(options, name) for name in same})


def by_network(game: Game, options: Options) -> bool:
    """Whether the network of a search stands in for it, uncompiled, and not plain UCT, compiled.

    A few positions that it judges are worth more than many random games, unless moves are few: on a board of Connect
    Four 40 such positions lose to the million games of the same time.
    """
    return has_network(game, options) and game.actions > MANY_MOVES


def has_network(game: Game, options: Options) -> bool:
    """Whether a network judges positions, which it can do uncompiled."""
    return bool(options.network) and game.network == "lines"


def stand_in_engine(game: Game, options: Options) -> Engine:
    """Who answers until a search is compiled: its network, uncompiled, or plain UCT, which is compiled soonest."""
    if by_network(game, options):
        slow = slow_options(game, options)
        if slow.limits and not slow.seconds:
            slow = replace(slow, seconds=SLOW_SECONDS)
        return Engine(game, slow, compiled=False)
    return Engine(game, plain_options(options))


def slow_options(game: Game, options: Options) -> Options:
    """What to search by uncompiled: the network with what it knows for certain, else plain UCT; the limits stay."""
    slow = replace(plain_options(options), pool_size=max(SLOW_POOL, 4 * game.actions), max_memory_mb=0.0)
    if has_network(game, options):
        known = {name: getattr(options, name) for name in OF_NETWORK}
        slow = replace(slow, **known)
    return slow


def small_engine(game: Game, options: Options | None = None) -> Engine:
    """An engine that only gets things compiled, or answers questions beside the game: it has no limits of its own."""
    pool = max(game.actions + 2, min(ENOUGH_POOL, 4 * game.actions + 16))
    wanted = Options() if options is None else options.without_limits()
    return Engine(game, replace(wanted, pool_size=pool * wanted.trees, max_memory_mb=0.0))


def kind_of(engine: Engine) -> str:
    """The game's class and the parts of the search: what decides how long it takes to compile."""
    parts = [type(part).__name__ for part in (engine.game, *engine.shape)]
    extras = [name for name in ("threat_search", "exact_solver_nodes") if getattr(engine.options, name)]
    return " ".join([*parts, *extras])
