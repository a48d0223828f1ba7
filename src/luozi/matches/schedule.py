"""Schedules: a game, players, a seed and openings define an endless list of games.

A match repeats encounters of the same players; a round of a tournament has an encounter of each group of players. The
games of an encounter start from one opening, and every player has every seat once. A scheduled game does not depend on
when, where and beside how many others it is played, so that results can be repeated.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import math
import os
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from luozi import __version__
from luozi.games import game as make_game
from luozi.matches.openings import Openings, openings_of, seed_of
from luozi.messages import LuoziError, Message, nearest, reason_of
from luozi.players import read_spelling, spelled_out
from luozi.rules.checked import refuse_faulty
from luozi.rules.game import Game
from luozi.rules.packing import digest_of_game, is_spelled, pack_game, unpack_game
from luozi.util.old_names import new_spelling, old_spelling
from luozi.util.parameters import split_spelling
from luozi.util.parsing import is_file, json_value, parts_of, plain, read_bounded
from luozi.util.trust import foreign, is_strict, name_command, name_file

KINDS = ("match", "round-robin", "gauntlet")
MOST_SEED, MOST_GROUPS = 2**256, 10**6
Specification = Annotated[str, Meta(max_length=100_000)]  # of a game or a player


class StoredOpenings(msgspec.Struct, forbid_unknown_fields=True):
    """The openings of a definition."""

    plies: Annotated[int, Meta(ge=0, le=10**9)]
    lines: tuple[tuple[Annotated[int, Meta(ge=0, le=2**62)], ...], ...]


class Definition(msgspec.Struct, forbid_unknown_fields=True):
    """The definition of a schedule as JSON. Older versions did not write the parts that have defaults."""

    game: Specification
    players: Annotated[tuple[Specification, ...], Meta(min_length=2)]
    openings: StoredOpenings
    files: tuple[tuple[str, str], ...]
    kind: Literal["match", "round-robin", "gauntlet"] = "match"
    seed: int = 1
    seats: Annotated[int, Meta(ge=1, le=64)] = 2
    version: Specification = __version__
    visits: bool = False

    def __post_init__(self) -> None:
        groups = math.comb(len(self.players), self.seats)  # 0 if there are more seats than players
        if abs(self.seed) > MOST_SEED or not 0 < groups <= (1 if self.kind == "match" else MOST_GROUPS):
            raise ValueError("these are too many groups of players, or none")


class ScheduledGame(NamedTuple):
    """One game of a schedule."""

    number: int  # in the contest, from 0
    encounter: int  # games of one opening between the same players
    round: int  # which opening
    seats: tuple[int, ...]  # the players, by number, in the order of the seats


@dataclass(frozen=True)
class MatchSchedule:
    """Who plays which game from which openings; the number of games is asked for later.

    >>> contest = MatchSchedule.of("connect4", ["mcts:c=0.7", "mcts:c=1.4"])
    >>> [fixture.seats for fixture in itertools.islice(contest.fixtures(), 3)]
    [(0, 1), (1, 0), (0, 1)]
    """

    game: str
    players: tuple[str, ...]  # specifications in canonical form
    kind: str = "match"
    seed: int = 1
    openings: Openings = field(default_factory=Openings)
    seats: int = 2  # players of a game, and games of an encounter
    files: tuple[tuple[str, str], ...] = ()  # digests of the games, libraries, programs and networks that are named
    version: str = __version__
    visits: bool = False  # whether all candidates of every move are stored
    own: Game | None = field(default=None, compare=False, repr=False)  # a game without a specification

    @classmethod
    def of(
        cls,
        game: str | Game,
        players: Sequence[str],
        kind: str = "match",
        seed: int = 1,
        openings: Openings | Iterable[str | Sequence[int | str]] | None = None,
        visits: bool = False,
    ) -> MatchSchedule:
        """Return the schedule of what a user writes, checked; by default openings are two random moves a player."""
        if kind not in KINDS:
            raise LuoziError("there is no tournament '{name}'{nearest}", name=kind, nearest=nearest(kind, KINDS))
        if isinstance(game, type):
            raise LuoziError("a game is an object, not a class. Write game={text}().", text=game.__name__)
        board = make_game(game)
        refuse_faulty(board)
        own = None if is_spelled(board) else board
        read = [read_spelling(text) for text in players]
        check_number_of_players(board, len(read), kind)
        spellings = tuple(spelled_out(text, board) for text in players)
        for player, values in read:
            name_program(player.name, values)
        named = [word for _, values in read for word in words_of(values.get("command", ""))]
        named += [str(values["network"]) for _, values in read if values.get("network")]
        openings = openings_of(board, openings)
        if own is None:
            files = digests([split_spelling(board.spelling)[0], *named])
        else:
            files = ((board.spelling, digest_of_game(board)), *digests(named))
        return cls(board.spelling, spellings, kind, seed, openings, board.players, files, visits=visits, own=own)

    @cached_property
    def id(self) -> str:
        """The id of this match, the same for the same command."""
        return id_of(self.definition)

    @cached_property
    def definition(self) -> str:
        """The schedule as one line of JSON; of a game without a specification it has the digest.

        Options have their first names, so that the same command has the same id in every version.
        """
        values = asdict(replace(self, own=None)) | {"openings": self.openings._asdict()}
        values["game"] = self.game if self.own is not None else old_spelling(self.game)
        values["players"] = [old_spelling(player) for player in self.players]
        left_out = {"own"} if self.visits else {"own", "visits"}  # so that contests from before there were visits go on
        return json.dumps({name: value for name, value in values.items() if name not in left_out}, sort_keys=True)

    @classmethod
    def read(cls, definition: str, own: Game | None = None) -> MatchSchedule:
        """Return the schedule of a definition. Raises LuoziError if no schedule has it."""
        values = json_value(definition, "the definition of a contest")
        try:
            found = msgspec.convert(values, Definition)
        except msgspec.ValidationError:
            raise LuoziError("the definition of a match is not valid") from None
        parts = msgspec.structs.asdict(found)
        parts["openings"] = Openings(found.openings.plies, found.openings.lines)
        parts["game"] = found.game if own is not None else new_spelling(found.game)
        parts["players"] = tuple(map(new_spelling, found.players))
        return cls(**parts, own=own)

    @cached_property
    def board(self) -> Game:
        """The game. Raises LuoziError if its class was in a program or notebook and was not stored."""
        if self.own is not None:
            return self.own
        if any(name == self.game and not Path(name).is_file() and not name.endswith(".py") for name, _ in self.files):
            raise LuoziError(
                "the game {text} was a class in a program or a notebook, which was not stored", text=self.game
            )
        with foreign():  # `of` has noted the game as named, if the user named it
            return board_of(self.game)

    @cached_property
    def packed(self) -> bytes:
        """A game without a specification, for other processes; empty for other games."""
        return b"" if self.own is None else pack_game(self.own)

    @property
    def named_files(self) -> tuple[tuple[str, str], ...]:
        """The files that the specifications name, with their digests."""
        return tuple(file for file in self.files if self.own is None or file[0] != self.game)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the definition: each other process reads it once."""
        return read_contest, (self.definition, self.packed)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of players in tables: their specifications; the second of a kind gets `#2`."""
        return labels_of(self.players)

    @cached_property
    def _seed_labels(self) -> tuple[str, ...]:
        return labels_of([old_spelling(player) for player in self.players])

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Who meets whom in each round."""
        everybody = range(len(self.players))
        if self.kind == "gauntlet":
            return tuple((0, *others) for others in itertools.combinations(everybody[1:], self.seats - 1))
        return tuple(itertools.combinations(everybody, self.seats))

    @property
    def group_count(self) -> int:
        """How many groups there are; a list of contests counts them without making them."""
        if self.kind == "gauntlet":
            return math.comb(len(self.players) - 1, self.seats - 1)
        return math.comb(len(self.players), self.seats)

    def changes_since(self, other: MatchSchedule) -> list[str]:
        """Return what has changed since the same command asked for the other match; nothing if that was another."""
        if self != replace(other, files=self.files, version=self.version):
            return []
        now, then = dict(self.files), dict(other.files)
        changed = [name for name in sorted({*now, *then}) if now.get(name) != then.get(name)]
        return changed + (["Luozi"] if self.version != other.version else [])

    def fixtures(self, games: int | None = None) -> Iterator[ScheduledGame]:
        """Yield so many games of every group, rounded up to complete encounters, or endlessly many."""
        rounds = itertools.count() if games is None else range(-(-games // self.seats))
        numbers, encounters = itertools.count(), itertools.count()
        for round_ in rounds:
            for group in self.groups:
                encounter = next(encounters)
                for turn in range(self.seats):
                    yield ScheduledGame(next(numbers), encounter, round_, group[turn:] + group[:turn])

    def fixture(self, number: int) -> ScheduledGame:
        """Return a game by its number.

        >>> contest = MatchSchedule.of("tictactoe", ["random", "flat", "exact"], "round-robin")
        >>> all(contest.fixture(one.number) == one for one in contest.fixtures(10))
        True
        """
        encounter, turn = divmod(number, self.seats)
        round_, place = divmod(encounter, self.group_count)
        group = self.groups[place]
        return ScheduledGame(number, encounter, round_, group[turn:] + group[:turn])

    def count(self, games: int) -> int:
        """Return how many games that are in all groups."""
        return -(-games // self.seats) * self.seats * self.group_count

    def seeds(self, fixture: ScheduledGame) -> tuple[int, ...]:
        """Return a seed for each seat, which depends on who has which seat, not on the order of the players."""
        labels = tuple(self._seed_labels[player] for player in fixture.seats)
        return tuple(seed_of(self.seed, fixture.round, labels, seat) for seat in range(len(labels)))

    def opening(self, fixture: ScheduledGame) -> tuple[int, ...]:
        """Return the opening of a game, which is that of all games of its round."""
        return drawn_opening(self, fixture.round)


def labels_of(players: Sequence[str]) -> tuple[str, ...]:
    """Return a different name for each player; the second of a kind gets `#2`.

    >>> labels_of(["random", "flat", "random"])
    ('random', 'flat', 'random #2')
    """
    before: Counter[str] = Counter()
    labels: list[str] = []
    for spelling in players:
        before[spelling] += 1
        labels.append(f"{spelling} #{before[spelling]}" if before[spelling] > 1 else spelling)
    return tuple(labels)


def id_of(definition: str) -> str:
    """The name of the contest that is defined so."""
    return hashlib.blake2b(definition.encode(errors="replace"), digest_size=6).hexdigest()


@lru_cache(maxsize=64)
def board_of(spelling: str) -> Game:
    """The game of a spelling, made once."""
    return make_game(spelling)


@lru_cache(maxsize=256)
def drawn_opening(contest: MatchSchedule, round_: int) -> tuple[int, ...]:
    """Return an opening, drawn once for all games of a round."""
    return contest.openings.opening(contest.board, contest.seed, round_)


@lru_cache(maxsize=8)
def read_contest(definition: str, packed: bytes) -> MatchSchedule:
    """Return the schedule of a definition and a packed game, made once in a process."""
    return MatchSchedule.read(definition, unpack_game(packed) if packed else None)


def name_program(kind: str, values: Mapping[str, Any]) -> None:
    """Note the program of a player as named by the user, if the user's program makes the schedule."""
    if "command" in values and not is_strict():
        (name_file if kind == "connect4_library" else name_command)(values["command"].strip())


def check_number_of_players(game: Game, given: int, kind: str) -> None:
    """Raise LuoziError if there are too few or too many players."""
    wanted = game.players
    if kind == "match" and given != wanted:
        more = Message(". A tournament can have more players.")
        if given < wanted:
            more = Message(". Repeat a player to fill the seats.")
        raise LuoziError(
            "{game} is played by {wanted}, not {given}{more}", game=game.spelling, wanted=wanted, given=given, more=more
        )
    if given < max(2, wanted):
        raise LuoziError(
            "a tournament of {game} needs at least {count} players, not {given}",
            game=game.spelling,
            count=max(2, wanted),
            given=given,
        )


def words_of(command: str) -> list[str]:
    """Return the words of an external program's command, and the path of the program."""
    try:
        words = [str(Path(os.path.expanduser(word))) for word in shlex.split(command)]
    except ValueError:  # the player reports it
        return []
    found = shutil.which(words[0]) if words else None
    return words if found is None else [*words, found]


def digests(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the digests of the files among these names: a changed file makes another match."""
    return tuple((name, digest_of_file(name)) for name in sorted(set(names)) if is_file(name))


def digest_of_file(name: str) -> str:
    """Return the digest of a file, of Python code without comments. Raises LuoziError if it can't be read."""
    try:
        if name.endswith(".py"):
            return hashlib.blake2b(meaning_of(read_bounded(name)), digest_size=8).hexdigest()
        found = hashlib.blake2b(digest_size=8)
        for part in parts_of(name):
            found.update(part)
        return found.hexdigest()
    except OSError as error:
        raise LuoziError(
            "'{name}' can't be read: {reason}. Make it readable.", name=plain(name), reason=reason_of(error)
        ) from None


def meaning_of(content: bytes) -> bytes:
    """Return Python code without comments, layout and docstrings."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # running it reports the error
        return content
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.unparse(tree).encode()
