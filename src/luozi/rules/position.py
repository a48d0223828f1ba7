"""A position and how it arose: immutable, so that players, searches, records and pages can share and keep it.

Start with `Position.play`, the one place that decides whether a move is legal.
"""

from __future__ import annotations

import secrets
import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array
from luozi.messages import LuoziError
from luozi.rules.compiled_rules import RulesAnswer, loaded_rules, room_of
from luozi.rules.setup import Setup, setup_state
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.rules.game import Game

EVERY = 32  # every so many moves a position keeps its state
RECENT = 8  # and so do the positions of a game that were used last
POSITION_BYTES = 500  # of a position without its state, about
OVER = "the game is over: there is no move to play"


@dataclass(frozen=True)
class Edit:
    """A step that is no move: the position is changed by hand."""

    setup: Setup | None  # as it was asked for; None: by a record
    data: bytes  # the record, for comparison


class Position:
    """A position of a game, and the moves and edits that led to it.

    >>> import luozi
    >>> start = luozi.game("tictactoe").begin()
    >>> position = start.play("b2").play(0)
    >>> position.length, position.to_move, position.name(1), position.returns
    (2, 0, 'b3', None)
    >>> position.back() == start.play(4), position.common(start.play(4).play(8)) == start.play(4)
    (True, True)
    """

    __slots__ = (
        "__weakref__",
        "_actions",
        "_hash",
        "_names",
        "_recent",
        "_record",
        "_returns",
        "_to_move",
        "game",
        "identity",
        "length",
        "parent",
        "step",
    )

    game: Game
    identity: int | None  # the same in all positions of one game that is played; None: without history, of any game
    parent: Position | None
    step: int | Edit | None  # what led here from the parent; an edit without parent is a start of its own
    length: int  # how many steps led here
    _hash: int

    def __init__(self, game: Game, identity: int | None, parent: Position | None, step: int | Edit | None) -> None:
        self.game, self.identity, self.parent, self.step = game, identity, parent, step
        before = game.spelling if parent is None else parent._hash
        self.length = 0 if parent is None else parent.length + 1
        self._hash = hash((before, step))
        self._recent: deque[weakref.ref[Position]] = deque() if parent is None else parent._recent
        self._record: Array | None = None  # an array of one, read-only: rules write into states, and get copies
        self._actions: tuple[int, ...] | None = None
        self._names: dict[int, str] = {}
        self._returns: tuple[float, ...] | bool | None = False  # False: not known yet
        self._to_move: int | None = None

    # How positions come about -----------------------------------------------------------------------------------------

    @staticmethod
    def begin(game: Game, setup: Setup | None = None, identity: int | None = None) -> Position:
        """The start of a new game; see `Game.begin`. With an identity, of a game that began elsewhere."""
        identity = secrets.randbits(63) if identity is None else identity
        if setup is not None:
            state = setup_state(game, setup)
            position = Position(game, identity, None, Edit(setup, state.tobytes()))
            position._keep(room_of(state))
            return position
        position, rules = Position(game, identity, None, None), loaded_rules(game)
        if rules is None:
            position._keep(room_of(game.new_state()))
        else:
            start = rules.start(game)
            position._keep(start.room)
            position._note(start)
        return position

    @staticmethod
    def of(game: Game, given: Position | State) -> Position:
        """A position of a game; a record becomes a position without history.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> Position.of(game, game.new_state()).length
        0
        """
        dtype = given._stored().dtype if isinstance(given, Position) else getattr(given, "dtype", None)
        if not isinstance(given, (Position, State)) or dtype != game.dtype:
            raise LuoziError("this is not a position of {game}: make one with game.new_state()", game=game.spelling)
        if isinstance(given, Position):
            return given
        position = Position(game, None, None, Edit(None, given.tobytes()))
        position._keep(room_of(given))
        return position

    def play(self, move: int | str) -> Position:
        """The position after a move, which is a number or a name. This is the one check whether a move is legal.

        Raises:
            LuoziError: the move is not legal, or the game is over; the sentence says why.
        """
        if type(move) is int and move >= 0 and (rules := loaded_rules(self.game)) is not None:
            look = rules.look(self.game, self._stored(), move, listing=True) if move < self.game.actions else None
            if look is not None:
                following = Position(self.game, self.identity, self, move)
                following._keep(look.room)
                following._note(look)
                return following
        state = self.state
        if self.returns is not None:
            raise LuoziError(OVER)
        listed = type(move) is int and self._actions is not None and move in self._actions
        action = int(move) if listed else int(self.game.action_of(state, move))
        self.game.apply_action(state, action)
        following = Position(self.game, self.identity, self, action)
        following._keep(room_of(state))
        return following

    def edit(self, change: Setup | State, game: Game | None = None) -> Position:
        """The position after a change by hand: as a setup describes it, or to a record; also of other rules or komi.

        >>> import luozi
        >>> start = luozi.game("othello").begin()
        >>> start.edit(Setup(((0, 0, ""), (1, 1, "")), to_move=0)).actions
        (2,)
        """
        game = self.game if game is None else game
        setup = change if isinstance(change, Setup) else None
        state = setup_state(game, change) if isinstance(change, Setup) else change
        following = Position(game, self.identity, self, Edit(setup, state.tobytes()))
        following._keep(room_of(state))
        return following

    def back(self, steps: int = 1) -> Position:
        """The position so many steps ago."""
        position = self
        for _ in range(steps):
            if position.parent is None:
                raise LuoziError("there is no move to take back")
            position = position.parent
        return position

    # What it is -------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The record of the rules: a copy, which may be written to."""
        return self._stored().copy()[0]

    @property
    def to_move(self) -> int:
        """Whose turn it is."""
        if self._to_move is None:
            self._look()
        if self._to_move is None:
            self._to_move = self.game.player_to_move(self.state)
        return self._to_move

    @property
    def returns(self) -> tuple[float, ...] | None:
        """Every player's result; None as long as the game goes on."""
        if isinstance(self._returns, bool):
            self._look()
        if isinstance(self._returns, bool):
            state = self.state
            self._returns = tuple(self.game.result(state)) if self.game.is_terminal(state) else None
        return self._returns

    @property
    def actions(self) -> tuple[int, ...]:
        """The legal actions in ascending order; none when the game is over."""
        actions = self._actions
        if actions is None:
            self._look(listing=True)
            actions = self._actions
        if actions is None:
            actions = self._actions = tuple(self.game.legal_list(self.state))
        return actions

    def name(self, action: int) -> str:
        """How people write an action here."""
        if action not in self._names:
            state = self._any_state() if self.game.fixed_names else self.state
            self._names[action] = self.game.action_to_string(state, action)
        return self._names[action]

    # How it arose -----------------------------------------------------------------------------------------------------

    def history(self) -> list[Position]:
        """All positions from the start to this one."""
        found = [self]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]

    @property
    def moves(self) -> tuple[int, ...]:
        """The actions since the start, or since the last edit.

        >>> import luozi
        >>> luozi.game("tictactoe").begin().play(4).play("a1").moves
        (4, 6)
        """
        found: list[int] = []
        position = self
        while position.parent is not None and isinstance(position.step, int):
            found.append(position.step)
            position = position.parent
        return tuple(found[::-1])

    @property
    def plays(self) -> tuple[tuple[int, int], ...]:
        """Who made each of these moves, and what it was."""
        line = [self, *self.ancestors(len(self.moves))]
        return tuple((before.to_move, int(move)) for before, move in zip(line[:0:-1], self.moves, strict=True))

    def ancestors(self, steps: int) -> list[Position]:
        """So many positions before this one, the nearest first."""
        found, position = list[Position](), self
        for _ in range(steps):
            position = position.back()
            found.append(position)
        return found

    def common(self, other: Position) -> Position | None:
        """The last position that both came by, one of this position's own; None if not even their starts are equal."""
        one, two = self, other
        while one.length > two.length and one.parent is not None:
            one = one.parent
        while two.length > one.length and two.parent is not None:
            two = two.parent
        found = one
        while one is not two:
            same = one._same_step(two)
            if one.parent is None or two.parent is None:
                return found if same else None
            one, two = one.parent, two.parent
            if not same:
                found = one
        return found

    def since(self, earlier: Position) -> list[Position]:
        """The positions after an earlier one of its own, up to this one."""
        found, position = list[Position](), self
        while position.length > earlier.length and position.parent is not None:
            found.append(position)
            position = position.parent
        return found[::-1]

    @property
    def has_history(self) -> bool:
        """Whether it belongs to a game, or was played on from a record."""
        return self.identity is not None or self.parent is not None

    def is_after(self, earlier: Position) -> bool:
        """Whether moves or edits led here from an earlier position."""
        return self.length > earlier.length and self.back(self.length - earlier.length) == earlier

    def is_of_another_game(self, last: Position | None) -> bool:
        """Whether this is a position of another game than the last one that was looked at.

        Those without history belong to any game.
        """
        return self.identity is not None and (last is None or self.identity != last.identity)

    def after(self, moves: Iterable[int | str]) -> Position:
        """The position after some moves.

        >>> import luozi
        >>> luozi.game("tictactoe").begin().after(["b2", 0]).length
        2
        """
        position = self
        for move in moves:
            position = position.play(move)
        return position

    def _same_step(self, other: Position) -> bool:
        """Whether both came about by the same move or edit, or are the same start."""
        if self.step != other.step:
            return False
        return isinstance(self.step, int) or is_same_game(self.game, other.game)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        one, two = self, other
        if one._hash != two._hash or one.length != two.length:
            return False
        while one is not two:
            if not one._same_step(two):
                return False
            if one.parent is None or two.parent is None:
                return True
            one, two = one.parent, two.parent
        return True

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        """The game, how many steps led here, and the last move."""
        last = f", the last {self.parent.name(self.step)}" if self.parent and isinstance(self.step, int) else ""
        return f"<Position of {self.game.spelling}: {self.length} moves{last}>"

    def __reduce__(self) -> Any:
        history = self.history()
        steps = [one.step if isinstance(one.step, int) else (one.game, one.step) for one in history]
        edited = {place: one._stored().tobytes() for place, one in enumerate(history) if one._is_fixed}
        return restored, (self.identity, steps, edited)

    # States: every 32nd is kept and those that were used last; the others are played again ----------------------------

    @property
    def _is_fixed(self) -> bool:
        """Whether the state is no consequence of a move."""
        return self.parent is None or isinstance(self.step, Edit)

    def _stored(self) -> Array:
        """The state in a read-only array of one, played again where it was dropped."""
        room, position, missing = self._record, self, list[Position]()
        while room is None:
            missing.append(position)
            assert position.parent is not None  # a start keeps its state
            position = position.parent
            room = position._record
        if not missing:
            return room
        rules = loaded_rules(self.game)
        for one in reversed(missing):
            assert isinstance(one.step, int)  # an edit keeps its state
            look = None if rules is None else rules.look(self.game, room, one.step)
            if look is None:
                state = room.copy()[0]
                self.game.apply_action(state, one.step)
            room = room_of(state) if look is None else look.room
            if one is self or one.length % EVERY == 0:
                one._keep(room)
        return room

    def _any_state(self) -> State:
        """The state of this position or of one before it, whichever is kept."""
        position = self
        while position._record is None:
            assert position.parent is not None
            position = position.parent
        return position._record[0]

    def _look(self, listing: bool = False) -> None:
        """Ask the compiled rules, if there are any."""
        rules = loaded_rules(self.game)
        look = None if rules is None else rules.look(self.game, self._stored(), listing=listing)
        if look is not None:
            self._note(look)

    def _note(self, look: RulesAnswer) -> None:
        """Take over what the compiled rules say; what can't be is left to the uncompiled ones, which say why."""
        self._to_move = look.to_move if 0 <= look.to_move < self.game.players else None
        self._returns = look.returns
        if look.actions is not None:
            self._actions = look.actions

    def _keep(self, room: Array) -> Array:
        """Keep a state, and drop the oldest of those that were used lately."""
        room.setflags(write=False)
        self._record = room
        if self.length % EVERY and not self._is_fixed:
            self._recent.append(weakref.ref(self))
            while len(self._recent) > RECENT:
                self._drop_oldest()
        return room

    def _drop_oldest(self) -> None:
        try:
            oldest = self._recent.popleft()()
        except IndexError:  # another thread was faster
            return
        if oldest is not None and oldest is not self:
            oldest._record, oldest._actions, oldest._names = None, None, {}


def kept_states(moves: int) -> int:
    """How many states a game of so many moves keeps at most."""
    return min(moves + 1, moves // EVERY + RECENT + 2)


def restored(identity: int | None, steps: Sequence[Any], edited: dict[int, bytes]) -> Position:
    """The opposite of `Position.__reduce__`."""
    position: Position | None = None
    for place, step in enumerate(steps):
        if isinstance(step, int):
            assert position is not None
            position = Position(position.game, identity, position, step)
            continue
        game, edit = step
        position = Position(game, identity, position, edit)
        position._keep(np.frombuffer(edited[place], game.dtype))
    assert position is not None
    return position


def is_same_game(one: Game, other: Game) -> bool:
    """Whether two objects are the same game: of one class, with the same attributes.

    >>> import luozi
    >>> is_same_game(luozi.game("gomoku"), luozi.game("gomoku")), is_same_game(luozi.game("gomoku"), luozi.game("hex"))
    (True, False)
    """
    if one is other:
        return True
    if type(one) is not type(other) or one.spelling != other.spelling:
        return False
    mine, theirs = ({name: value for name, value in vars(game).items() if name[:1] != "_"} for game in (one, other))
    return mine.keys() == theirs.keys() and all(is_equal(mine[name], theirs[name]) for name in mine)


def is_equal(one: Any, other: Any) -> bool:
    """Whether two attributes are equal, arrays too."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return one is other or bool(one == other)
