"""All players by name. `player("mcts:iterations=1000", game)` is the one way to get one."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from luozi.messages import LuoziError, Message, nearest
from luozi.players.alphabeta import AlphaBetaPlayer, MinimaxPlayer
from luozi.players.base import ForfeitError, Player, ResignationError
from luozi.players.engine import EnginePlayer
from luozi.players.exact import ExactPlayer
from luozi.players.flat import DEFAULT_SIMULATIONS, FlatPlayer
from luozi.players.gomocup import DEFAULT_MEMORY as BRAIN_MEMORY
from luozi.players.gomocup import DEFAULT_SECONDS as BRAIN_SECONDS
from luozi.players.gomocup import GomocupPlayer
from luozi.players.gtp import DEFAULT_SECONDS as ENGINE_SECONDS
from luozi.players.gtp import GtpPlayer
from luozi.players.library import DEFAULT_MEMORY as LIBRARY_MEMORY
from luozi.players.library import DEFAULT_SECONDS as LIBRARY_SECONDS
from luozi.players.library import LibraryPlayer
from luozi.players.line_alphabeta import LineAlphaBetaPlayer
from luozi.players.line_board import fits
from luozi.players.presets import LEVELS, Value, Values, level_options, strong_kind, strong_options, with_values
from luozi.players.random import RandomPlayer
from luozi.rules.checked import refuse_faulty
from luozi.rules.game import Game, needed_game
from luozi.search import Options
from luozi.search.engine import DEFAULT_LIMITS
from luozi.search.option_requirements import refuse_missing
from luozi.solvers.solver import DEFAULT_LIMIT, DEFAULT_SECONDS, DEFAULT_TABLE
from luozi.util.old_names import KINDS, OPTIONS
from luozi.util.parameters import Parameter, ParameterInfo, convert_values, join_spelling, parameters_of, split_spelling

__all__ = [
    "PLAYERS",
    "ForfeitError",
    "Player",
    "PlayerKind",
    "ResignationError",
    "join_player",
    "player",
    "read_spelling",
    "seat_players",
    "spelled_out",
]

Seed = Annotated[int | None, ParameterInfo("the same seed gives the same moves; not given, one is drawn", 0, 2**63 - 1)]
LEAST_SECONDS = 0.001
Seconds = Annotated[
    float | None, ParameterInfo("answer after so many seconds; not given, there is no clock", LEAST_SECONDS, 10**6)
]
Playouts = Annotated[
    int | None,
    ParameterInfo(
        Message(
            "random games a move; not given, {count}, or as many as the seconds allow", count=f"{DEFAULT_SIMULATIONS:,}"
        ),
        1,
        10**15,
    ),
]
Depth = Annotated[
    int | None,
    ParameterInfo(
        "how many moves to look ahead, at line games without forced replies; not given, 4 (minimax 3), fewer where "
        "that takes long, or as many as the seconds allow",
        1,
        100,
    ),
]
LevelNumber = Annotated[int, ParameterInfo("how strong", 1, LEVELS)]
TableSize = Annotated[int, ParameterInfo("the size of the table of positions, in millions", 1, 1024)]
SolveSeconds = Annotated[float, ParameterInfo("give up a move after so many seconds; 0 is no limit", 0, 10**6)]
PositionLimit = Annotated[int, ParameterInfo("give up after so many positions", 1, 10**15)]
Command = Annotated[
    str, ParameterInfo("the program and its arguments, last and as they are: gtp:seconds=9,gnugo --mode gtp")
]
Brain = Annotated[
    str, ParameterInfo("the program and its arguments, last and as they are: gomocup:seconds=9,./pbrain-mine")
]
LibraryFile = Annotated[
    str, ParameterInfo("the shared library, last and as it is: connect4_library:seconds=1,./strategy.so")
]
EngineSeconds = Annotated[
    float | None,
    ParameterInfo(
        Message(
            "the longest an answer may take, which the engine is told; not given, {seconds}, and it is not told",
            seconds=f"{ENGINE_SECONDS:g}",
        ),
        0.001,
        10**6,
    ),
]
MoveSeconds = Annotated[float, ParameterInfo("the longest a move may take", 0.001, 10**6)]
Megabytes = Annotated[int, ParameterInfo("the most memory it may use, in megabytes", 64, 10**6)]
EngineMegabytes = Annotated[
    int | None, ParameterInfo("the most memory it may use, in megabytes; not given, half of the machine's", 64, 10**6)
]


def random(seed: Seed = None) -> Callable[[Game], Player]:
    """Any legal move."""
    return lambda game: RandomPlayer(game, seed)


def mcts(**values: Value) -> Callable[[Game], Player]:
    """Monte-Carlo tree search."""
    return partial(EnginePlayer, options=Options.of(**values))


def strong(**values: Value) -> Callable[[Game], Player]:
    """The player that won the matches on the game; every option of mcts may be given too, and makes it a search."""

    def make(game: Game) -> Player:
        kind, its = stands_for(PLAYERS["strong"], values, game)
        return kind.make(**its)(game)

    return make


def level(number: LevelNumber = 5, seed: Seed = None) -> Callable[[Game], Player]:
    """An opponent for people, from 1, a beginner, to 10, strong: each is about 150 Elo above the one below."""
    return lambda game: EnginePlayer(game, Options.of(**level_options(game, number), seed=seed))


def flat(playouts: Playouts = None, seconds: Seconds = None, seed: Seed = None) -> Callable[[Game], Player]:
    """Random games after each legal move in turn, without a tree; the best mean is played."""
    return lambda game: FlatPlayer(game, playouts, seconds, seed)


def alphabeta(depth: Depth = None, seconds: Seconds = None, seed: Seed = None) -> Callable[[Game], Player]:
    """Alpha-beta: at line games for two with threats and wins by fours; at others with the game's own `evaluate`.

    With three or more players it is max^n, without cuts.
    """

    def make(game: Game) -> Player:
        if fits(game):
            return LineAlphaBetaPlayer(game, depth, seconds, seed)
        return AlphaBetaPlayer(game, depth, seconds, seed)

    return make


def minimax(depth: Depth = None, seconds: Seconds = None, seed: Seed = None) -> Callable[[Game], Player]:
    """Alpha-beta without the cuts: the same values, more slowly."""
    return lambda game: MinimaxPlayer(game, depth, seconds, seed)


def exact(
    nodes: PositionLimit = DEFAULT_LIMIT,
    tt_millions: TableSize = DEFAULT_TABLE,
    seconds: SolveSeconds = DEFAULT_SECONDS,
    seed: Seed = None,
) -> Callable[[Game], Player]:
    """Perfect play, on boards that are small enough; who does not find it in time gives the game up."""
    return lambda game: ExactPlayer(game, nodes, tt_millions, seconds, seed)


def gtp(
    command: Command, seconds: EngineSeconds = None, max_memory_mb: EngineMegabytes = None
) -> Callable[[Game], Player]:
    """An outside program at Go: any engine that speaks the Go Text Protocol."""
    return lambda game: GtpPlayer(game, command, seconds, max_memory_mb)


def gomocup(
    command: Brain, seconds: MoveSeconds = BRAIN_SECONDS, max_memory_mb: Megabytes = BRAIN_MEMORY
) -> Callable[[Game], Player]:
    """An outside program at five in a row: any brain of the Gomocup (piskvork) tournament."""
    return lambda game: GomocupPlayer(game, command, seconds, max_memory_mb)


def connect4_library(
    command: LibraryFile, seconds: MoveSeconds = LIBRARY_SECONDS, max_memory_mb: Megabytes = LIBRARY_MEMORY
) -> Callable[[Game], Player]:
    """An outside strategy at Connect Four: a shared library of the course platform, with getPoint and clearPoint."""
    return lambda game: LibraryPlayer(game, command, seconds, max_memory_mb)


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player: what `name:parameter=value` may say."""

    name: str
    meaning: str
    make: Callable[..., Callable[[Game], Player]]
    parameters: dict[str, Parameter]

    @property
    def runs_command(self) -> bool:
        """Whether it is an outside program: `gtp:seconds=10,gnugo --mode gtp`, the command last and as it is."""
        return "command" in self.parameters


def _kind(make: Callable[..., Any], parameters_from: Callable[..., Any] | None = None) -> PlayerKind:
    meaning = (make.__doc__ or "").strip().splitlines()[0]
    return PlayerKind(make.__name__, meaning, make, parameters_of(parameters_from or make))


_SEARCH = (_kind(mcts, Options), _kind(strong, Options), _kind(level))
_INSIDE = (*_SEARCH, _kind(flat), _kind(alphabeta), _kind(minimax), _kind(exact), _kind(random))
_KINDS = (*_INSIDE, _kind(gtp), _kind(gomocup), _kind(connect4_library))
PLAYERS: dict[str, PlayerKind] = {kind.name: kind for kind in _KINDS}


def read_spelling(spelling: str) -> tuple[PlayerKind, dict[str, Any]]:
    """The kind of player and the values that are written, checked.

    >>> kind, values = read_spelling("mcts:iterations=1_000,c=0.5")
    >>> kind.name, values
    ('mcts', {'iterations': 1000, 'c': 0.5})
    """
    if not isinstance(spelling, str):
        raise LuoziError("player {text}: a player is text. Write it as in 'mcts:c=0.7'.", text=reprlib.repr(spelling))
    name, _, rest = (part.strip() for part in spelling.partition(":"))
    name = KINDS.get(name, name)
    if name not in PLAYERS:
        raise LuoziError("there is no player '{name}'{nearest}", name=name, nearest=nearest(name, PLAYERS))
    kind = PLAYERS[name]
    written = split_command(rest, kind) if kind.runs_command else split_spelling(spelling)[1]
    return kind, convert_values(written, kind.parameters, name)


def split_command(text: str, kind: PlayerKind) -> dict[str, str]:
    """Known parameters, each followed by a comma, then the command as it is."""
    written: dict[str, str] = {}
    keys = "|".join(key for key in (*kind.parameters, *OPTIONS.get(kind.name, ())) if key != "command")
    while match := re.match(rf"({keys})=([^,]*),\s*", text):
        written[match[1]] = match[2]
        text = text[match.end() :]
    if match := re.match(r"(\w+)=[^,\s]*,", text):  # it looks like a parameter, so it is meant as one
        raise LuoziError(
            "{of} has no parameter '{name}'{nearest}",
            of=kind.name,
            name=match[1],
            nearest=nearest(match[1], kind.parameters),
        )
    if not text:
        raise LuoziError("{of} needs a program: write {text}:PROGRAM", of=kind.name, text=kind.name)
    if "|" in text:  # records put it between players
        raise LuoziError("{of}: a command can't contain '|'; put it into a script and name that", of=kind.name)
    return {**written, "command": text}


def join_player(kind: PlayerKind, values: Values) -> str:
    """The one spelling of a player; the opposite of `read_spelling`."""
    if not kind.runs_command:
        return join_spelling(kind.name, values)
    others = {key: value for key, value in values.items() if key != "command"}
    start = join_spelling(kind.name, others)
    return f"{start},{values['command']}" if others else f"{start}:{values['command']}"


def player(spelling: str, game: Game | type[Game], searching: bool = False, **defaults: Value) -> Player:
    """The player that is written so, at a game. `defaults` hold for parameters that are not written; for what
    `searching` is, see `stands_for`.

    >>> import luozi
    >>> player("random:seed=1", luozi.game("tictactoe")).spelling
    'random:seed=1'
    """
    kind, written = read_spelling(spelling)
    game = needed_game(game, "player")
    refuse_faulty(game)
    known = {key: value for key, value in defaults.items() if key in kind.parameters and key not in written}
    searching = searching or kind.name != "strong" or strong_kind(game, written) == "mcts"
    if "threads" in known and not (searching and may_share(game, kind, {**known, **written}, "seed" in written)):
        del known["threads"]
    values = convert_values({**known, **written}, kind.parameters, kind.name)
    actual, its = stands_for(kind, values, game, searching)
    made = actual.make(**its)(game)
    made.spelling = join_player(kind, values)
    return made


def stands_for(
    kind: PlayerKind, values: dict[str, Any], game: Game, searching: bool = False
) -> tuple[PlayerKind, dict[str, Any]]:
    """The kind and the values that `strong` and `level` stand for at a game; others stand for themselves.

    `searching` asks for a search, which compares moves: alpha-beta finds the value of its move, and bounds for the
    others. Then `strong` is a search with win rates, also where another player wins against it. A player that is no
    search gets as much time as a search where none is given.
    """
    if kind.name == "strong":
        name = "mcts" if searching else strong_kind(game, values)
        if name == "mcts":
            return PLAYERS[name], with_values(strong_options(game), values, game)
        seconds = max(values.get("seconds") or DEFAULT_LIMITS.seconds, LEAST_SECONDS)
        return PLAYERS[name], {**values, "seconds": seconds}
    if kind.name == "level":
        others = {name: value for name, value in values.items() if name != "number"}
        return PLAYERS["mcts"], {**level_options(game, int(values.get("number", 5))), **others}
    return kind, values


def may_share(game: Game, kind: PlayerKind, values: Mapping[str, Any], seeded: bool) -> bool:
    """Whether a player may have more threads than it asked for: not if its answers are to be repeated, or if
    something that it does asks for one.

    >>> import luozi
    >>> game = luozi.game("gomoku")
    >>> [may_share(game, PLAYERS["mcts"], {"threads": 2, **more}, False) for more in ({}, {"batch_size": 8})]
    [True, False]
    """
    preset = strong_options(game) if kind.name == "strong" else {}
    try:
        refuse_missing(game, Options.of(**{**preset, **values}))
    except LuoziError:
        return False
    return not seeded


def spelled_out(spelling: str, game: Game, searching: bool = False) -> str:
    """The one spelling of a player at a game, with what `strong` and `level` stand for there.

    >>> import luozi
    >>> spelled_out("strong:iterations=100,c=2", luozi.game("tictactoe")).split(",")[:2]
    ['mcts:selection=puct', 'c=2.0']
    >>> game = luozi.game("breakthrough")
    >>> spelled_out("strong:seconds=1", game), spelled_out("strong:seconds=1", game, searching=True)
    ('alphabeta:seconds=1.0', 'mcts:evaluation=mix,c=0.2,mcts_solver=standard,seconds=1.0')
    """
    kind, values = read_spelling(spelling)
    return join_player(*stands_for(kind, values, game, searching))


def seat_players(spellings: Sequence[str], make: Callable[[int, str], Player]) -> list[Player]:
    """The players of one game, made one by one by seat and spelling; one that serves all seats is made once.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> one, same = seat_players(["mcts:self_play_tree=true"] * 2, lambda seat, spelling: player(spelling, game))
    >>> one is same
    True
    """
    seated: list[Player] = []
    try:
        for seat, spelling in enumerate(spellings):
            earlier = next((one for one, its in zip(seated, spellings, strict=False) if its == spelling), None)
            served = earlier is not None and earlier.serves_all_seats
            seated.append(earlier if earlier is not None and served else make(seat, spelling))
    except BaseException:
        for one in seated:
            one.close()
        raise
    return seated
