"""A position and the moves that led to it. It is immutable, so players, searches, records and pages can share it.

Start with `Position.play`, the only check whether a move is legal.
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

EVERY = 32  # a position keeps its state every 32 moves
RECENT = 8  # the positions of a game that were used last keep their states too
POSITION_BYTES = 500  # approximate size of a position without its state
OVER = "the game is over: there is no move to play"


@dataclass(frozen=True)
class Edit:
    """A step that is not a move: a change by hand."""

    setup: Setup | None  # the requested setup; None: the state was given
    data: bytes  # the bytes of the state, for comparison


class Position:
    """A position of a game, with the moves and edits that led to it.

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
    identity: int | None  # shared by all positions of one played game; None: without history, of any game
    parent: Position | None
    step: int | Edit | None  # what led here from the parent; an edit without a parent is a start
    length: int  # number of steps that led here
    _hash: int

    def __init__(self, game: Game, identity: int | None, parent: Position | None, step: int | Edit | None) -> None:
        self.game, self.identity, self.parent, self.step = game, identity, parent, step
        before = game.spelling if parent is None else parent._hash
        self.length = 0 if parent is None else parent.length + 1
        self._hash = hash((before, step))
        self._recent: deque[weakref.ref[Position]] = deque() if parent is None else parent._recent
        self._record: Array | None = None  # read-only array of one; rules write into states, so they get copies
        self._actions: tuple[int, ...] | None = None
        self._names: dict[int, str] = {}
        self._returns: tuple[float, ...] | bool | None = False  # False: not computed yet
        self._to_move: int | None = None

    # How positions come about -----------------------------------------------------------------------------------------

    @staticmethod
    def begin(game: Game, setup: Setup | None = None, identity: int | None = None) -> Position:
        """Return the start of a new game; see `Game.begin`. An identity marks it as part of a game that began
        elsewhere.
        """
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
        """Return a position of a game. A state becomes a position without history.

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
        """Return the position after a move, given by number or name. This is the only check whether a move is legal.

        Raises:
            LuoziError: the move is illegal or the game is over. The message says why.
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
        """Return the position after a change by hand: to a setup or a state, or to other rules or another komi.

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
        """Return the position `steps` steps ago."""
        position = self
        for _ in range(steps):
            if position.parent is None:
                raise LuoziError("there is no move to take back")
            position = position.parent
        return position

    # What it is -------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """A copy of the state, which may be changed."""
        return self._stored().copy()[0]

    @property
    def to_move(self) -> int:
        """The player to move."""
        if self._to_move is None:
            self._look()
        if self._to_move is None:
            self._to_move = self.game.player_to_move(self.state)
        return self._to_move

    @property
    def returns(self) -> tuple[float, ...] | None:
        """The result of each player, or None if the game is not over."""
        if isinstance(self._returns, bool):
            self._look()
        if isinstance(self._returns, bool):
            state = self.state
            self._returns = tuple(self.game.result(state)) if self.game.is_terminal(state) else None
        return self._returns

    @property
    def actions(self) -> tuple[int, ...]:
        """The legal actions in ascending order; none if the game is over."""
        actions = self._actions
        if actions is None:
            self._look(listing=True)
            actions = self._actions
        if actions is None:
            actions = self._actions = tuple(self.game.legal_list(self.state))
        return actions

    def name(self, action: int) -> str:
        """Return the name of an action in this position."""
        if action not in self._names:
            state = self._any_state() if self.game.fixed_names else self.state
            self._names[action] = self.game.action_to_string(state, action)
        return self._names[action]

    # How it arose -----------------------------------------------------------------------------------------------------

    def history(self) -> list[Position]:
        """Return all positions from the start to this one."""
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

    def last_actions(self, count: int) -> list[int]:
        """Return the last actions since the start or the last edit, the newest first; -1 for each that is missing.

        >>> import luozi
        >>> luozi.game("tictactoe").begin().play(4).play("a1").last_actions(3)
        [6, 4, -1]
        """
        found: list[int] = []
        position = self
        while len(found) < count and position.parent is not None and isinstance(position.step, int):
            found.append(position.step)
            position = position.parent
        return found + [-1] * (count - len(found))

    @property
    def plays(self) -> tuple[tuple[int, int], ...]:
        """The player and the action of each of these moves."""
        line = [self, *self.ancestors(len(self.moves))]
        return tuple((before.to_move, int(move)) for before, move in zip(line[:0:-1], self.moves, strict=True))

    def ancestors(self, steps: int) -> list[Position]:
        """Return the `steps` positions before this one, the nearest first."""
        found, position = list[Position](), self
        for _ in range(steps):
            position = position.back()
            found.append(position)
        return found

    def common(self, other: Position) -> Position | None:
        """Return the last common ancestor with another position, or None if their starts differ."""
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
        """Return the positions after an earlier one, up to this one."""
        found, position = list[Position](), self
        while position.length > earlier.length and position.parent is not None:
            found.append(position)
            position = position.parent
        return found[::-1]

    @property
    def has_history(self) -> bool:
        """Whether it belongs to a played game, or was played on from a state."""
        return self.identity is not None or self.parent is not None

    def is_after(self, earlier: Position) -> bool:
        """Return whether this position was reached from an earlier one."""
        return self.length > earlier.length and self.back(self.length - earlier.length) == earlier

    def is_of_another_game(self, last: Position | None) -> bool:
        """Return whether this position belongs to another game than the last one.

        Positions without history belong to any game.
        """
        return self.identity is not None and (last is None or self.identity != last.identity)

    def after(self, moves: Iterable[int | str]) -> Position:
        """Return the position after several moves.

        >>> import luozi
        >>> luozi.game("tictactoe").begin().after(["b2", 0]).length
        2
        """
        position = self
        for move in moves:
            position = position.play(move)
        return position

    def _same_step(self, other: Position) -> bool:
        """Return whether both were reached by the same step, or are the same start."""
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
        """Return the game, the number of steps and the last move."""
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
        """Whether the state cannot be replayed from the parent."""
        return self.parent is None or isinstance(self.step, Edit)

    def _stored(self) -> Array:
        """Return the state in a read-only array of one. A dropped state is replayed."""
        room, position, missing = self._record, self, list[Position]()
        while room is None:
            missing.append(position)
            assert position.parent is not None  # a start always keeps its state
            position = position.parent
            room = position._record
        if not missing:
            return room
        rules = loaded_rules(self.game)
        for one in reversed(missing):
            assert isinstance(one.step, int)  # an edit always keeps its state
            look = None if rules is None else rules.look(self.game, room, one.step)
            if look is None:
                state = room.copy()[0]
                self.game.apply_action(state, one.step)
            room = room_of(state) if look is None else look.room
            if one is self or one.length % EVERY == 0:
                one._keep(room)
        return room

    def _any_state(self) -> State:
        """Return the state of this position or of the nearest ancestor that keeps one."""
        position = self
        while position._record is None:
            assert position.parent is not None
            position = position.parent
        return position._record[0]

    def _look(self, listing: bool = False) -> None:
        """Describe the position by the compiled rules, if there are any."""
        rules = loaded_rules(self.game)
        look = None if rules is None else rules.look(self.game, self._stored(), listing=listing)
        if look is not None:
            self._note(look)

    def _note(self, look: RulesAnswer) -> None:
        """Store the description by the compiled rules. The uncompiled rules compute what is missing, and raise if it
        is wrong.
        """
        self._to_move = look.to_move if 0 <= look.to_move < self.game.players else None
        self._returns = look.returns
        if look.actions is not None:
            self._actions = look.actions

    def _keep(self, room: Array) -> Array:
        """Keep a state, and drop the oldest of the recently used ones."""
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
        except IndexError:  # another thread has already dropped it
            return
        if oldest is not None and oldest is not self:
            oldest._record, oldest._actions, oldest._names = None, None, {}


def kept_states(moves: int) -> int:
    """Return the maximum number of states that a game of this length keeps."""
    return min(moves + 1, moves // EVERY + RECENT + 2)


def restored(identity: int | None, steps: Sequence[Any], edited: dict[int, bytes]) -> Position:
    """Return the position that `Position.__reduce__` pickled."""
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
    """Return whether two objects are the same game: the same class with the same attributes.

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
    """Return whether two attributes are equal. Arrays are compared by value."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return one is other or bool(one == other)
