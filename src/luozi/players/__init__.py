"""All players by name. `player("mcts:iterations=1000", game)` makes one."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from luozi.messages import LuoziError, nearest
from luozi.players.alphabeta import AlphaBetaPlayer, Depth, MinimaxPlayer
from luozi.players.base import LEAST_SECONDS, ForfeitError, Player, ResignationError, Seconds, Seed
from luozi.players.engine import EnginePlayer
from luozi.players.gomocup import GomocupPlayer
from luozi.players.gtp import GtpPlayer
from luozi.players.library import LibraryPlayer
from luozi.players.line_alphabeta import LineAlphaBetaPlayer
from luozi.players.line_board import fits
from luozi.players.presets import LEVELS, Value, Values, level_options, strong_kind, strong_options, with_values
from luozi.players.simple import ExactPlayer, FlatPlayer, RandomPlayer
from luozi.rules.checked import refuse_faulty
from luozi.rules.game import Game, needed_game
from luozi.search import Options
from luozi.search.engine import DEFAULT_LIMITS
from luozi.search.option_requirements import refuse_missing
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


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player, and the parameters of its specification `name:parameter=value`."""

    name: str
    meaning: str
    make: Callable[..., Player]  # from the game and the values
    parameters: dict[str, Parameter]

    @classmethod
    def of(cls, name: str, make: Callable[..., Player], parameters_from: Any = None) -> PlayerKind:
        """Return the kind that a class or a function makes; its parameters are those of its signature."""
        parameters = dict(parameters_of(parameters_from or make))
        parameters.pop("game", None)
        return cls(name, (make.__doc__ or "").strip().splitlines()[0], make, parameters)

    @property
    def runs_command(self) -> bool:
        """Whether it is an external program: `gtp:seconds=10,gnugo --mode gtp` has the command last, without quotes."""
        return "command" in self.parameters


def strong(game: Game, **values: Value) -> Player:
    """The strongest player on each game by our matches. With an option of mcts it is always a search."""
    kind, values = resolved_player(PLAYERS["strong"], values, game)
    return kind.make(game, **values)


def level(
    game: Game,
    number: Annotated[int, ParameterInfo("Strength. Each level is about 150 Elo above the one below.", 1, LEVELS)] = 5,
    seed: Seed = None,
) -> Player:
    """An opponent for people, from 1 (beginner) to 10 (strong)."""
    return EnginePlayer(game, **level_options(game, number), seed=seed)


def alphabeta(game: Game, depth: Depth = None, seconds: Seconds = None, seed: Seed = None) -> Player:
    """Alpha-beta search with the game's own `evaluate`; on line games for two with threats and wins by fours.

    With three or more players it is max^n, without cutoffs.
    """
    make = LineAlphaBetaPlayer if fits(game) else AlphaBetaPlayer
    return make(game, depth, seconds, seed)  # type: ignore[arg-type]


PLAYERS: dict[str, PlayerKind] = {
    kind.name: kind
    for kind in (
        PlayerKind.of("mcts", EnginePlayer, Options),
        PlayerKind.of("strong", strong, Options),
        PlayerKind.of("level", level),
        PlayerKind.of("flat", FlatPlayer),
        PlayerKind.of("alphabeta", alphabeta),
        PlayerKind.of("minimax", MinimaxPlayer),
        PlayerKind.of("exact", ExactPlayer),
        PlayerKind.of("random", RandomPlayer),
        PlayerKind.of("gtp", GtpPlayer),
        PlayerKind.of("gomocup", GomocupPlayer),
        PlayerKind.of("connect4_library", LibraryPlayer),
    )
}


def read_spelling(spelling: str) -> tuple[PlayerKind, dict[str, Any]]:
    """Return the kind of player of a specification, and its values, checked.

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
    """Return the parameters before the command, each of which ends with a comma, and the command."""
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
    """Return the canonical specification of a player; the inverse of `read_spelling`."""
    if not kind.runs_command:
        return join_spelling(kind.name, values)
    others = {key: value for key, value in values.items() if key != "command"}
    start = join_spelling(kind.name, others)
    return f"{start},{values['command']}" if others else f"{start}:{values['command']}"


def player(spelling: str, game: Game | type[Game], searching: bool = False, **defaults: Value) -> Player:
    """Return the player of a specification, for a game.

    `defaults` are values of parameters that the specification does not have; `searching` asks for a search where
    `strong` is another player (`resolved_player`).

    >>> import luozi
    >>> player("random:seed=1", luozi.game("tictactoe")).spelling
    'random:seed=1'
    """
    kind, written = read_spelling(spelling)
    game = needed_game(game, "player")
    refuse_faulty(game)
    known = {key: value for key, value in defaults.items() if key in kind.parameters and key not in written}
    searching = searching or kind.name != "strong" or strong_kind(game, written) == "mcts"
    if "threads" in known and not (searching and may_use_threads(game, kind, {**known, **written}, "seed" in written)):
        del known["threads"]
    values = convert_values({**known, **written}, kind.parameters, kind.name)
    actual, its = resolved_player(kind, values, game, searching)
    made = actual.make(game, **its)
    made.spelling = join_player(kind, values)
    return made


def resolved_player(
    kind: PlayerKind, values: dict[str, Any], game: Game, searching: bool = False
) -> tuple[PlayerKind, dict[str, Any]]:
    """Return the kind and the values that `strong` and `level` stand for on a game; others stand for themselves.

    `searching` asks for a search, which has win rates of all moves: alpha-beta has the value of its move, and bounds
    for the others. Then `strong` is a search also where another player wins against it. A player that is no search gets
    the default time of a search if no time is given.
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


def may_use_threads(game: Game, kind: PlayerKind, values: Mapping[str, Any], seeded: bool) -> bool:
    """Return whether a player may have more threads than its specification says.

    It may not if a seed has to repeat its moves, or if one of its options needs one thread.

    >>> import luozi
    >>> game = luozi.game("gomoku")
    >>> [may_use_threads(game, PLAYERS["mcts"], {"threads": 2, **more}, False) for more in ({}, {"batch_size": 8})]
    [True, False]
    """
    preset = strong_options(game) if kind.name == "strong" else {}
    try:
        refuse_missing(game, Options.of(**{**preset, **values}))
    except LuoziError:
        return False
    return not seeded


def spelled_out(spelling: str, game: Game, searching: bool = False) -> str:
    """Return the canonical specification of a player on a game, with what `strong` and `level` stand for there.

    >>> import luozi
    >>> spelled_out("strong:iterations=100,c=2", luozi.game("tictactoe")).split(",")[:2]
    ['mcts:selection=puct', 'c=2.0']
    >>> game = luozi.game("breakthrough:rows=6")
    >>> spelled_out("strong:seconds=1", game), spelled_out("strong:seconds=1", game, searching=True)
    ('alphabeta:seconds=1.0', 'mcts:evaluation=mix,c=0.2,mcts_solver=standard,seconds=1.0')
    """
    kind, values = read_spelling(spelling)
    return join_player(*resolved_player(kind, values, game, searching))


def seat_players(spellings: Sequence[str], makers: Sequence[Callable[[], Player]]) -> list[Player]:
    """Return the players of one game, by seat, from what makes each; one that serves all seats is made once.

    >>> import luozi
    >>> from functools import partial
    >>> make = partial(player, "mcts:self_play_tree=true", luozi.game("tictactoe"))
    >>> one, same = seat_players(["mcts:self_play_tree=true"] * 2, [make, make])
    >>> one is same
    True
    """
    seated: list[Player] = []
    try:
        for spelling, make in zip(spellings, makers, strict=True):
            earlier = next((one for one, its in zip(seated, spellings, strict=False) if its == spelling), None)
            seated.append(earlier if earlier is not None and earlier.serves_all_seats else make())
    except BaseException:
        for one in seated:
            one.close()
        raise
    return seated
