"""The base class of games: one class with the rules in plain Python, and a NumPy record as the state.

Read `Game` from top to bottom: required attributes and methods, optional ones, and what every game inherits. The names
are OpenSpiel's. The same methods run uncompiled (here) and compiled (in a search).
"""

from __future__ import annotations

import copy
import inspect
import reprlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, Compilable, random_below, signed
from luozi.compiled.object_type import is_ours
from luozi.messages import LuoziError, Message, joined, warn_once
from luozi.rules.board import Described, pieces_of
from luozi.rules.game_validation import FOR_PEOPLE, REQUIRED, must_be_text, record_type, refuse_unfinished
from luozi.rules.guards import GUARDS
from luozi.rules.move_names import action_of, illegal_move
from luozi.rules.playout import Advised, Playout
from luozi.rules.position import Position
from luozi.rules.setup import Setup, give_fields, kept_fields
from luozi.rules.state import Actions as Actions
from luozi.rules.state import State as State
from luozi.rules.state import Values
from luozi.util.old_names import GAME_ATTRIBUTES
from luozi.util.parameters import convert_values, parameters_of, split_parts

DEPTH_FIRST = "depth_first"  # the exact solver for any game


class Game(Described, Compilable):
    """The base class of all games.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> state = game.new_state()
    >>> state = game.after(state, game.string_to_action(state, "b2"))
    >>> game.current_player(state), len(game.legal_list(state))
    (1, 8)
    """

    renamed = GAME_ATTRIBUTES

    def set_by_old_name(self, name: str, value: Any) -> None:
        """Set an attribute by its old name and its new one, and warn once."""
        warn_of_old_name(type(self), name)
        super().set_by_old_name(name, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an attribute by its old name, which older rules may read."""
            if name not in GAME_ATTRIBUTES:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return getattr(self, GAME_ATTRIBUTES[name])

    # What a user must state -----------------------------------------------------------------------------------------
    players: int = 2
    actions: int = 0  # actions are numbered 0 .. actions - 1
    state: Any = ()  # fields of the state, as NumPy writes a structured type; an instance may set it as well

    # What a user may state ------------------------------------------------------------------------------------------
    max_length: int = 0  # maximum number of moves of a game; 0 means `actions`, as in games that use each cell once
    compilable: bool = True  # False for rules that cannot be compiled: they run as plain Python
    scratch_fields: tuple[str, ...] = ()  # fields that are scratch memory: states that differ only in them are equal
    checked: bool = True  # check bounds and `guards`; built-in games need no checks
    guards = GUARDS
    entry_points = (
        *REQUIRED,
        "legal_actions",
        "is_legal",
        "draw_action",
        "next_in_order",
        "evaluate",
        "priors_and_values",
        "winning_actions",
        "immediate_wins",
        "priors",
        "candidates",
        "policy_action",
        "threatening_actions",
        "forced_replies",
        "position_key",
        "point_owners",
        "network_cells",
        "network_globals",
    )
    signs: str = "XOLGHTSVM"  # letters by which `show` marks the stones of players 1, 2, ...
    policy_takes_wins: bool = False  # whether `policy_action` takes immediate wins and blocks the opponent's by itself
    # Whether a result of 1 means 0 for all others, and with two players whether results add up to 1. None: two players.
    single_winner: bool | None = None
    network = ""  # what can be learned: "lines" evaluates positions of line games, "priors" rates moves
    no_transpositions: str = ""  # why two orders of moves never lead to one position, and what to choose instead
    pass_action: int = -1  # the action that passes, if there is one; RAVE does not count a pass at the end of a playout
    fixed_names: bool = False  # whether each action has one name in all positions, and no other action has this name
    setup_fields: tuple[str, ...] = ()  # fields that a setup keeps beside pieces, the player to move and `last`
    points: int = 0  # number of points that can belong to a player at the end (see `point_owners`); 0: none
    weights: type | None = None  # a dataclass with the weights of the heuristic, which `set_weights` takes
    approximate_playouts: bool = (
        False  # whether `random_action` may break a rule that is slow to test, such as superko in Go
    )

    # The rules. The first five must be written, and one of legal_actions and is_legal -------------------------------

    if TYPE_CHECKING:

        def start(self, state: State) -> None:
            """Write the start of the game into the state, which is all zero before."""

        def current_player(self, state: State) -> int:
            """Return the player to move, 0 .. players - 1. The order is free, also several turns in a row."""

        def apply_action(self, state: State, action: int) -> None:
            """Play a legal action: change the state into the next one."""

        def is_terminal(self, state: State) -> bool:
            """Return whether the game is over."""

        def returns(self, state: State, returns: Values) -> None:
            """Write the result of each player of a finished game, from 0 to 1."""

        def is_legal(self, state: State, action: int) -> bool:
            """Return whether an action is legal. Playouts are several times faster with this method."""

        # Optional: the game's own way to draw a legal action in playouts, and a heuristic evaluation for alpha-beta.
        def random_action(self, state: State, rng: Array) -> int: ...

        def evaluate(self, state: State, values: Values) -> None: ...

        def priors_and_values(self, state: State, priors: Values, values: Values) -> None:
            """Write a prior for every action and a value for each player: `priors` and `evaluate` in one call."""

    def legal_actions(self, state: State, actions: Actions) -> int:
        """Write the legal actions into the array, in any order. Return how many there are."""
        count = 0
        for action in range(self.actions):
            if self.is_legal(state, action):
                actions[count] = action
                count += 1
        return count

    def random_playout(self) -> Playout:
        """Return the object that chooses the moves of random playouts. A class may return one with memory."""
        return Playout()

    def policy_playout(self) -> Playout:
        """Return the object that chooses the moves of playouts with a policy. Its attribute `guided` switches the
        policy.
        """
        return Advised()

    @classmethod
    def has_policy(cls) -> bool:
        """Return whether the class has a playout policy of its own."""
        return cls.policy_action is not Game.policy_action or cls.policy_playout is not Game.policy_playout

    # What makes a game stronger; all optional ------------------------------------------------------------------------

    def winning_actions(self, state: State, player: int, actions: Actions) -> int:
        """Write the actions that win at once if it is the player's turn. Return their number, or -1 if unknown."""
        return -1

    def priors(self, state: State, actions: Actions, count: int, values: Values) -> None:
        """Write a prior from 0 to 1 for each of the first `count` actions. All are 0.5 before."""

    def candidates(self, state: State, actions: Actions, count: int) -> int:
        """Move the candidate moves among the first `count` actions to the front. Return how many there are, at least
        one.
        """
        return count

    def policy_action(self, state: State, rng: Array, actions: Actions) -> int:
        """Return a legal action by the playout policy, or -1 if there is none. `actions` is scratch memory."""
        return self.draw_action(state, rng, actions)

    def threatening_actions(self, state: State, actions: Actions) -> int:
        """Write all actions that may threaten an immediate win, which others must answer. Return how many."""
        return 0

    def forced_replies(self, state: State, attacker: int, actions: Actions) -> int:
        """Write the replies that do not lose at once to an attacker's threats. Return how many, or -1 if no reply is
        forced.

        0 means a proven win for the attacker. Return -1 where another player than the attacker wins first.
        """
        return -1

    def skip_turn(self, state: State) -> bool:
        """Pass the turn to the next player if no move of the player to move can improve that player's result."""
        return False

    def position_key(self, state: State) -> int:
        """Return a number from 0 to 2**63 - 1 that only equivalent positions share, or -1 to compare all fields."""
        return -1

    def point_owners(self, state: State, owners: Array) -> None:
        """Write the owner of each of the `points` in a finished game: 0 for nobody, 1 .. for a player. All are 0
        before.
        """

    def network_cells(self, state: State, cells: Array) -> None:
        """Write what stands in each cell, for networks: 0 empty, else 1 + player * kinds + kind, then nobody's kinds.

        Kinds are those of `pieces`, in alphabetical order. Only needed where no field of the record says so.
        """

    def network_globals(self, state: State, values: Array) -> int:
        """Write numbers that a network is to know beside the board, from -4 to 4, and return how many.

        Without this method they are the whole numbers of the record that change, but for hashes.
        """
        return 0

    # A docstring that ids of stored matches contain, as those of `_draw_and_reject` and of `compiled/random.py`.
    def exact_solver(self) -> str:
        """The name of the exact solver that knows these rules; see `luozi.solvers`. Each class says it anew."""
        return DEPTH_FIRST

    def set_weights(self, weights: Any) -> None:
        """Set the weights of the heuristic, an object of the class `weights`."""

    def with_weights(self, spelling: str) -> Game:
        """Return the same game with other weights of its heuristic.

        >>> import luozi
        >>> luozi.game("go").with_weights("prior_near:30").worth_near
        30.0
        """
        if self.weights is None:
            raise LuoziError(
                "mcts: heuristic_weights needs a game that has weights, and {game} has none", game=self.spelling
            )
        values = convert_values(split_parts(spelling), parameters_of(self.weights), "heuristic_weights")
        game = copy.copy(self)
        game.set_weights(self.weights(**values))
        return game

    @property
    def reads_names_itself(self) -> bool:
        """Whether the class reads move names itself. It then may accept more than the names of legal moves."""
        return type(self).string_to_action is not Game.string_to_action

    # For people -----------------------------------------------------------------------------------------------------

    def string_to_action(self, state: State, text: str) -> int:
        """Return the legal action with this name, ignoring case.

        Raises:
            LuoziError: no legal move has this name. The message says why and names legal moves.
        """
        names = {self.action_to_string(state, action).lower(): action for action in self.legal_list(state)}
        wanted = text.strip().lower()
        if wanted in names:
            return names[wanted]
        raise illegal_move(self, state, text)

    def why_illegal(self, state: State, action: int) -> str:
        """Return in a few words why an action is illegal, such as "the point is occupied". Empty: derived from the
        board.
        """
        return ""

    def player_name(self, player: int) -> str:
        """Return the player's sign, or the player's number if there are too few signs."""
        return self.signs[player] if player < len(self.signs) else str(player + 1)

    @property
    def spelling(self) -> str:
        """The game as it is written on the command line and in records."""
        return str(vars(self).get("_spelling") or type(self).__name__)

    # What everybody gets --------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """Return the spelling and the size of the game."""
        return f"<Game {self.spelling}: {self.players} players, {self.actions} actions>"

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The NumPy type of a state."""
        self.validate()
        dtype: np.dtype[np.void] = vars(self)["_dtype"]
        return dtype

    @property
    def has_single_winner(self) -> bool:
        """Whether exactly one player wins: `single_winner`, or by default whether there are two players."""
        return self.players == 2 if self.single_winner is None else bool(self.single_winner)

    @property
    def length_limit(self) -> int:
        """The maximum number of moves of a game."""
        return self.max_length or self.actions

    def new_state(self) -> State:
        """Return the state at the start of the game, or the one given by `position=`."""
        state = self.empty_states(1)[0]
        self.start(state)
        given = vars(self).get("_position")
        if given is not None:
            self.from_setup(state, Setup(*given))
        return state

    def begin(self, setup: Setup | None = None) -> Position:
        """Return the start of a new game, or the position of a setup.

        >>> import luozi
        >>> luozi.game("connect4").begin().play("4").to_move
        1
        """
        return Position.begin(self, setup)

    def setup_of(self, state: State) -> Setup:
        """Return the position as a setup, without the moves that led to it.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> game.setup_of(game.begin().play("b2").state)
        Setup(pieces=((4, 0, ''),), to_move=1, last=4, extra={})
        """
        last = int(state.last) if "last" in (state.dtype.names or ()) else -1
        pieces = tuple((cell, player, kind) for cell, player, kind in pieces_of(self, state))
        return Setup(pieces, int(self.current_player(state)), last if last >= 0 else None, kept_fields(self, state))

    def from_setup(self, state: State, setup: Setup) -> None:
        """Change the start into the position of a setup.

        Raises:
            LuoziError: there is no such position.
        """
        self.from_pieces(state, setup.pieces, setup.to_move)
        give_fields(state, setup)

    def empty_states(self, count: int) -> Array:
        """Return an array of states, all zero."""
        return np.zeros(count, self.dtype)

    def after(self, state: State, action: int | str) -> State:
        """Return the state after an action, given by number or name. The state before does not change."""
        if self.is_terminal(state):
            raise LuoziError("the game is over: there is no move to play")
        following = state.copy()
        self.apply_action(following, self.action_of(state, action))
        return following

    def action_of(self, state: State, move: int | str) -> int:
        """Return the number of a legal action that is given by number or name.

        Raises:
            LuoziError: the move is not legal.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> game.action_of(game.new_state(), "b2")
        4
        """
        return action_of(self, state, move)

    def player_to_move(self, state: State) -> int:
        """Return the player to move.

        Raises:
            LuoziError: the state is not valid, as after a change by hand.
        """
        player = self.current_player(state)
        if not isinstance(player, (int, np.integer)) or not 0 <= player < self.players:
            told = Message(
                "{game}.current_player gives {player} in this position",
                game=type(self).__name__,
                player=reprlib.repr(player),
            )
            raise LuoziError(
                "{what}; players are 0 to {last}: make positions with game.after",
                what=told,
                last=self.players - 1,
            )
        return int(player)

    def allows(self, state: State, action: int | str) -> bool:
        """Return whether an action, given by number or name, is legal. Nothing is legal after the end of the game."""
        if isinstance(action, str):
            try:
                return self.allows(state, self.action_of(state, action))
            except LuoziError:
                return False
        if hasattr(self, "is_legal"):
            return 0 <= action < self.actions and bool(self.is_legal(state, action))
        return action in self.legal_list(state)

    def legal_list(self, state: State) -> list[int]:
        """Return the legal actions in ascending order, none after the end of the game."""
        if self.is_terminal(state):
            return []
        actions = np.zeros(self.actions, np.int32)
        return sorted(int(action) for action in actions[: self.legal_actions(state, actions)])

    def result(self, state: State) -> list[float]:
        """Return the result of each player of a finished game, from 0 to 1: 1 for a win, 0.5 for a draw."""
        values = np.zeros(self.players, np.float64)
        self.returns(state, values)
        return [float(value) for value in values]

    def validate(self) -> None:
        """Check the attributes and methods of the class.

        Raises:
            LuoziError: something is missing or makes no sense.
        """
        if "_dtype" in vars(self):
            return
        refuse_unfinished(self, lists_moves=type(self).legal_actions is not Game.legal_actions)
        vars(self)["_dtype"] = np.dtype((State, record_type(self)))

    # How an action is drawn in a simulation: the fastest way that the class allows --------------------------------

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        take_old_names(cls)
        if not is_ours(cls):
            cls.fixed_names = vars(cls).get("fixed_names", False)  # a derived class may name its moves differently
            for name in FOR_PEOPLE:
                if inspect.isfunction(vars(cls).get(name)):
                    setattr(cls, name, must_be_text(vars(cls)[name], name))
        if "checked" not in vars(cls):
            cls.checked = not is_ours(cls)
        if "exact_solver" not in vars(cls):  # a derived class may have other rules
            cls.exact_solver = Game.exact_solver  # type: ignore[method-assign]
        if hasattr(cls, "random_action"):
            cls.draw_action = _draw_own  # type: ignore[method-assign]
        elif hasattr(cls, "is_legal"):
            cls.draw_action = _draw_and_reject  # type: ignore[method-assign]
        if hasattr(cls, "is_legal"):
            cls.next_in_order = _next_by_testing  # type: ignore[method-assign]
        if cls.winning_actions is not Game.winning_actions:
            cls.immediate_wins = _wins_told  # type: ignore[method-assign]

    def next_in_order(self, state: State, place: int, offset: int, stride: int, inverse: int, actions: Actions) -> int:
        """Return the first place i >= `place` whose action `(offset + i * stride) mod self.actions` is legal.

        Return `self.actions` if there is none. `inverse` is the inverse of the stride; `actions` is scratch memory.
        """
        first = self.actions
        for index in range(self.legal_actions(state, actions)):
            at = (actions[index] + self.actions - offset) % self.actions * inverse % self.actions
            if place <= at < first:
                first = at
        return first

    def immediate_wins(self, states: Array, at: int, spare: Array, free: int, results: Values, moves: Actions) -> int:
        """Write the moves that win at once for the player to move at `states[at]`. Return how many. The default tries
        all moves.

        `spare[free]` and `results` are scratch memory.
        """
        player, count = self.current_player(states[at]), 0
        for index in range(self.legal_actions(states[at], moves)):
            spare[free] = states[at]
            self.apply_action(spare[free], np.int64(moves[index]))  # type: ignore[arg-type]
            if self.is_terminal(spare[free]):
                self.returns(spare[free], results)
                if results[player] >= 1.0:
                    moves[count] = moves[index]
                    count += 1
        return count

    def draw_action(self, state: State, rng: Array, actions: Actions) -> int:
        """Return a random legal action, or -1 if there is none. `actions` is scratch memory."""
        count = self.legal_actions(state, actions)
        if count <= 0:
            return -1
        return actions[random_below(rng, count)]


def take_old_names(cls: type) -> None:
    """Give methods and attributes that a class defines by old names their new names too. The rules may read both."""
    for old, new in GAME_ATTRIBUTES.items():
        if old in vars(cls) and new not in vars(cls):
            warn_of_old_name(cls, old)
            setattr(cls, new, vars(cls)[old])


def warn_of_old_name(cls: type, name: str) -> None:
    """Warn once that an attribute of a class has a new name."""
    sentence = Message(
        "{name}.{old} is called {new} now: both names work", name=cls.__name__, old=name, new=GAME_ATTRIBUTES[name]
    )
    warn_once(f"{cls.__module__}.{cls.__qualname__}.{name}", sentence, FutureWarning)


def _next_by_testing(
    self: Game, state: State, place: int, offset: int, stride: int, inverse: int, actions: Actions
) -> int:
    action = (offset + place * stride) % self.actions
    while place < self.actions and not self.is_legal(state, action):
        place += 1
        action += stride
        if action >= self.actions:
            action -= self.actions
    return place


def _wins_told(self: Game, states: Array, at: int, spare: Array, free: int, results: Values, moves: Actions) -> int:
    return max(0, int(self.winning_actions(states[at], signed(self.current_player(states[at])), moves)))


def _draw_own(self: Game, state: State, rng: Array, actions: Actions) -> int:
    return self.random_action(state, rng)


def _draw_and_reject(self: Game, state: State, rng: Array, actions: Actions) -> int:
    """Draw until a legal action comes up; list them when it takes long."""
    for _ in range(self.actions):
        action = random_below(rng, self.actions)
        if self.is_legal(state, action):
            return action
    count = self.legal_actions(state, actions)
    if count <= 0:
        return -1
    return actions[random_below(rng, count)]


def needed_game(given: Any, what: str) -> Game:
    """Return the given game. A class is instantiated.

    Raises:
        LuoziError: this is neither a game nor a class of games.

    >>> import luozi
    >>> needed_game("tictactoe", "Engine")
    Traceback (most recent call last):
        ...
    luozi.LuoziError: Engine needs a game, not 'tictactoe': write luozi.game('tictactoe')
    """
    if isinstance(given, Game):
        return given
    if isinstance(given, type) and issubclass(given, Game):
        try:
            inspect.signature(given).bind()
        except TypeError as error:
            raise LuoziError(
                "{what} needs a game, not a class: write {name}(...) ({error})",
                what=what,
                name=given.__name__,
                error=error,
            ) from None
        return given()
    if isinstance(given, str):
        raise LuoziError("{what} needs a game, not {given}: write luozi.game({given})", what=what, given=repr(given))
    raise LuoziError("{name} needs a game, not {text}: make one with luozi.game", name=what, text=reprlib.repr(given))


def refuse_other_position(game: Game, state: State) -> None:
    """Raise a LuoziError if this is not a state of the game."""
    if not isinstance(state, State) or state.dtype != game.dtype:
        raise LuoziError("this is not a position of {game}: make one with game.new_state()", game=game.spelling)


def advice_on_length(game: Game) -> str:
    """Return what to do about a game that lasts longer than its `max_length`, which the class may have forgotten to
    set.

    >>> import luozi
    >>> advice_on_length(luozi.game("go"))
    'raise max_length, or end the game in is_terminal'
    """
    if game.max_length:
        return "raise max_length, or end the game in is_terminal"
    return (
        "the class sets no max_length, and a game may then have as many moves as there are actions: set max_length, or "
        "end the game in is_terminal"
    )


def result_names(game: Game, results: Sequence[float]) -> str:
    """Return the result of a finished game in words.

    >>> import luozi
    >>> result_names(luozi.game("tictactoe"), [0.0, 1.0])
    'O wins'
    """
    best = max(results)
    winners = [player for player, value in enumerate(results) if value == best]
    if len(winners) == len(results) and len(results) > 1:
        return Message("a draw")
    names = joined(map(game.player_name, winners), " and ")
    return Message("{text} wins", text=names) if len(winners) == 1 else Message("{text} win", text=names)
