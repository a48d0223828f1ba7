"""What a game is: one class with the rules in plain Python, and a NumPy record as the position.

Read `Game` from top to bottom: what a user must write, what they may write, and what everybody gets for it.
The words are OpenSpiel's. The same methods run uncompiled (here) and compiled (in a search).
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
    """The base of every game.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> state = game.new_state()
    >>> state = game.after(state, game.string_to_action(state, "b2"))
    >>> game.current_player(state), len(game.legal_list(state))
    (1, 8)
    """

    renamed = GAME_ATTRIBUTES

    def set_by_old_name(self, name: str, value: Any) -> None:
        """Let an attribute that was set by its old name have its new one too, and say so once."""
        warn_of_old_name(type(self), name)
        super().set_by_old_name(name, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The value of an attribute by its old name, which rules of before may read."""
            if name not in GAME_ATTRIBUTES:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return getattr(self, GAME_ATTRIBUTES[name])

    # What a user must state -----------------------------------------------------------------------------------------
    players: int = 2
    actions: int = 0  # action numbers are 0 .. actions - 1
    state: Any = ()  # the fields of a position, as NumPy writes a structured type; an attribute may do too

    # What a user may state ------------------------------------------------------------------------------------------
    max_length: int = 0  # the most moves a game can last; 0 means `actions`, as where each place is used once
    compilable: bool = True  # False where the rules call on what can't be compiled: they then run as plain Python
    scratch_fields: tuple[str, ...] = ()  # fields that the rules never read: positions that differ in them are equal
    checked: bool = True  # bounds checks and `guards`: no mistake ends the program; Luozi's own games need none
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
    )
    signs: str = "XOLGHTSVM"  # how `show` marks the stones of players 1, 2, ...
    policy_takes_wins: bool = False  # whether `policy_action` wins where it can and blocks where it must all by itself
    # Whether who gets 1 leaves nothing to others; with two players, whether results add up to 1. None: only those do.
    single_winner: bool | None = None
    network = ""  # what can be learned of it: "lines" value its positions, "priors" say what its moves promise
    no_transpositions: str = ""  # why no two ways lead to one position, if they never do, and what to choose instead
    pass_action: int = (
        -1
    )  # the action that is a pass, if there is one: at the end of a game it tells nothing of a pass now
    fixed_names: bool = False  # whether each action has one name in all positions, and no other action has it
    setup_fields: tuple[str, ...] = ()  # what a setup keeps of the record beside pieces, whose turn it is and `last`
    points: int = 0  # how many points can be a player's when the game is over (see `point_owners`); 0: none
    weights: type | None = None  # a dataclass: the numbers in what the game knows, which `set_weights` takes
    approximate_playouts: bool = (
        False  # whether `random_action` may break a rule that is slow to test, as superko in Go
    )

    # The rules. The first five must be written, and one of legal_actions and is_legal -------------------------------

    if TYPE_CHECKING:

        def start(self, state: State) -> None:
            """Make the record the position in which the game starts; it comes in all zero."""

        def current_player(self, state: State) -> int:
            """Whose turn it is, 0 .. players - 1: in any order, several times in a row, or never again."""

        def apply_action(self, state: State, action: int) -> None:
            """Play a legal action: change the record into the next position."""

        def is_terminal(self, state: State) -> bool:
            """Whether the game is over."""

        def returns(self, state: State, returns: Values) -> None:
            """Fill in one number in [0, 1] for each player of a finished game."""

        def is_legal(self, state: State, action: int) -> bool:
            """Whether an action may be played; with it random games are several times faster."""

        # Optional: a game's own way to draw a legal action in random games, and a guess at the returns for alpha-beta.
        def random_action(self, state: State, rng: Array) -> int: ...

        def evaluate(self, state: State, values: Values) -> None: ...

        def priors_and_values(self, state: State, priors: Values, values: Values) -> None:
            """What `evaluate` and `priors` say in one call: a chance for every action, and a value for each player."""

    def legal_actions(self, state: State, actions: Actions) -> int:
        """Write the legal actions into the array, in any order; return how many there are."""
        count = 0
        for action in range(self.actions):
            if self.is_legal(state, action):
                actions[count] = action
                count += 1
        return count

    def random_playout(self) -> Playout:
        """What chooses the moves of random simulations; one of your own may have memory."""
        return Playout()

    def policy_playout(self) -> Playout:
        """The same for sensible simulations; it has an attribute `guided`, without which its moves are random."""
        return Advised()

    @classmethod
    def has_policy(cls) -> bool:
        """Whether the class has sensible simulations of its own."""
        return cls.policy_action is not Game.policy_action or cls.policy_playout is not Game.policy_playout

    # What makes a game stronger; all optional ------------------------------------------------------------------------

    def winning_actions(self, state: State, player: int, actions: Actions) -> int:
        """Write the actions that would win at once if it were the player's turn; how many, or -1: nobody knows."""
        return -1

    def priors(self, state: State, actions: Actions, count: int, values: Values) -> None:
        """Write what each of the first `count` actions promises the player to move, from 0 to 1; all come in as 0.5."""

    def candidates(self, state: State, actions: Actions, count: int) -> int:
        """Bring those of the first `count` legal actions to the front that are worth a look; how many, one at least."""
        return count

    def policy_action(self, state: State, rng: Array, actions: Actions) -> int:
        """A sensible legal action for simulations; -1 if there is none. `actions` is scratch."""
        return self.draw_action(state, rng, actions)

    def threatening_actions(self, state: State, actions: Actions) -> int:
        """Write all actions that may threaten to win at once, so that every other player has to answer; how many."""
        return 0

    def forced_replies(self, state: State, attacker: int, actions: Actions) -> int:
        """Write the actions that do not lose at once to a player's threats; how many, or -1: nobody is forced.

        If there are none, the attacker wins for certain. Where another player than the attacker wins first: -1.
        """
        return -1

    def skip_turn(self, state: State) -> bool:
        """Give the turn to the next player, if no move of the one to move could make more possible for them."""
        return False

    def position_key(self, state: State) -> int:
        """A number from 0 to 2**63 - 1 that positions with one future share, and no others; -1: by their fields."""
        return -1

    def point_owners(self, state: State, owners: Array) -> None:
        """Write whose each of the `points` is when the game is over: 0 nobody's, 1.. a player's; all come in as 0."""

    def exact_solver(self) -> str:
        """The name of the exact solver that knows these rules; see `luozi.solvers`. Each class says it anew."""
        return DEPTH_FIRST

    def set_weights(self, weights: Any) -> None:
        """Take over the numbers in what the game knows; an object of the class `weights`."""

    def with_weights(self, spelling: str) -> Game:
        """The same game with other weights in what it knows.

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
        """Whether the class has a `string_to_action` of its own, which need not name every legal move."""
        return type(self).string_to_action is not Game.string_to_action

    # For people -----------------------------------------------------------------------------------------------------

    def string_to_action(self, state: State, text: str) -> int:
        """The legal action that a person means, whatever the case.

        Raises:
            LuoziError: no legal move has this name; the sentence says why, and which moves are legal.
        """
        names = {self.action_to_string(state, action).lower(): action for action in self.legal_list(state)}
        wanted = text.strip().lower()
        if wanted in names:
            return names[wanted]
        raise illegal_move(self, state, text)

    def why_illegal(self, state: State, action: int) -> str:
        """Say in a few words why an action is not legal here, as in "the point is occupied"; empty: by the board."""
        return ""

    def player_name(self, player: int) -> str:
        """A player's name: the sign, or the number where there are too few signs."""
        return self.signs[player] if player < len(self.signs) else str(player + 1)

    @property
    def spelling(self) -> str:
        """How this game is written on the command line and in records."""
        return str(vars(self).get("_spelling") or type(self).__name__)

    # What everybody gets --------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """What the game is: how it is written, and its size."""
        return f"<Game {self.spelling}: {self.players} players, {self.actions} actions>"

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The NumPy type of a position."""
        self.validate()
        dtype: np.dtype[np.void] = vars(self)["_dtype"]
        return dtype

    @property
    def has_single_winner(self) -> bool:
        """What `single_winner` says; where it says nothing, two players are taken for rivals."""
        return self.players == 2 if self.single_winner is None else bool(self.single_winner)

    @property
    def length_limit(self) -> int:
        """The most moves a game can last."""
        return self.max_length or self.actions

    def new_state(self) -> State:
        """The position in which the game starts, or the one that it was given."""
        state = self.empty_states(1)[0]
        self.start(state)
        given = vars(self).get("_position")
        if given is not None:
            self.from_setup(state, Setup(*given))
        return state

    def begin(self, setup: Setup | None = None) -> Position:
        """The start of a new game; with a setup, from that position.

        >>> import luozi
        >>> luozi.game("connect4").begin().play("4").to_move
        1
        """
        return Position.begin(self, setup)

    def setup_of(self, state: State) -> Setup:
        """A position as it can be set up again, without the moves that led there.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> game.setup_of(game.begin().play("b2").state)
        Setup(pieces=((4, 0, ''),), to_move=1, last=4, extra={})
        """
        last = int(state.last) if "last" in (state.dtype.names or ()) else -1
        pieces = tuple((cell, player, kind) for cell, player, kind in pieces_of(self, state))
        return Setup(pieces, int(self.current_player(state)), last if last >= 0 else None, kept_fields(self, state))

    def from_setup(self, state: State, setup: Setup) -> None:
        """Change the start into a position that is set up; a LuoziError if there is none."""
        self.from_pieces(state, setup.pieces, setup.to_move)
        give_fields(state, setup)

    def empty_states(self, count: int) -> Array:
        """Room for positions, all zero."""
        return np.zeros(count, self.dtype)

    def after(self, state: State, action: int | str) -> State:
        """The position after an action, which is a number or a name; the position before stays as it was."""
        if self.is_terminal(state):
            raise LuoziError("the game is over: there is no move to play")
        following = state.copy()
        self.apply_action(following, self.action_of(state, action))
        return following

    def action_of(self, state: State, move: int | str) -> int:
        """The number of a legal action that is given by its number or its name; one sentence if it is not legal.

        >>> import luozi
        >>> game = luozi.game("tictactoe")
        >>> game.action_of(game.new_state(), "b2")
        4
        """
        return action_of(self, state, move)

    def player_to_move(self, state: State) -> int:
        """Whose turn it is; one sentence if that is nobody, as after a change of the record by hand."""
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
        """Whether an action, a number or a name, is legal in a position where the game goes on."""
        if isinstance(action, str):
            try:
                return self.allows(state, self.action_of(state, action))
            except LuoziError:
                return False
        if hasattr(self, "is_legal"):
            return 0 <= action < self.actions and bool(self.is_legal(state, action))
        return action in self.legal_list(state)

    def legal_list(self, state: State) -> list[int]:
        """The legal actions in ascending order; none when the game is over."""
        if self.is_terminal(state):
            return []
        actions = np.zeros(self.actions, np.int32)
        return sorted(int(action) for action in actions[: self.legal_actions(state, actions)])

    def result(self, state: State) -> list[float]:
        """The result of every player in a finished game: 1 won, 0.5 drawn, 0 lost, or anything between."""
        values = np.zeros(self.players, np.float64)
        self.returns(state, values)
        return [float(value) for value in values]

    def validate(self) -> None:
        """Raise one sentence if the class is not a whole game."""
        if "_dtype" in vars(self):
            return
        refuse_unfinished(self, lists_moves=type(self).legal_actions is not Game.legal_actions)
        vars(self)["_dtype"] = np.dtype((State, record_type(self)))

    # How an action is drawn in a simulation: the fastest way that the class allows --------------------------------

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        take_old_names(cls)
        if not is_ours(cls):
            cls.fixed_names = vars(cls).get("fixed_names", False)  # whatever its base promises of other names
            for name in FOR_PEOPLE:
                if inspect.isfunction(vars(cls).get(name)):
                    setattr(cls, name, must_be_text(vars(cls)[name], name))
        if "checked" not in vars(cls):
            cls.checked = not is_ours(cls)
        if "exact_solver" not in vars(cls):  # a class derived from another may have other rules
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
        """The first place i from `place` on whose action `(offset + i * stride) mod self.actions` is legal.

        `self.actions` if there is none; `inverse` undoes the stride, and `actions` is scratch.
        """
        first = self.actions
        for index in range(self.legal_actions(state, actions)):
            at = (actions[index] + self.actions - offset) % self.actions * inverse % self.actions
            if place <= at < first:
                first = at
        return first

    def immediate_wins(self, states: Array, at: int, spare: Array, free: int, results: Values, moves: Actions) -> int:
        """Write the moves that win at once for the player to move at `states[at]`; how many. Here by trying all.

        `spare[free]` and `results` are scratch.
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
        """A random legal action, or -1 if there is none; `actions` is scratch."""
        count = self.legal_actions(state, actions)
        if count <= 0:
            return -1
        return actions[random_below(rng, count)]


def take_old_names(cls: type) -> None:
    """Let what a class defines by old names have its new ones too; rules may read it by both."""
    for old, new in GAME_ATTRIBUTES.items():
        if old in vars(cls) and new not in vars(cls):
            warn_of_old_name(cls, old)
            setattr(cls, new, vars(cls)[old])


def warn_of_old_name(cls: type, name: str) -> None:
    """Say once what an attribute of a class is called now."""
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
    """The game that somebody gives; a class is made into a game. One sentence if it is none.

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
    """Raise one sentence where a position is none of the game's."""
    if not isinstance(state, State) or state.dtype != game.dtype:
        raise LuoziError("this is not a position of {game}: make one with game.new_state()", game=game.spelling)


def advice_on_length(game: Game) -> str:
    """What to do where games are longer than they may be; a class may have forgotten to say how long that is.

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
    """A finished game's result in words.

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
