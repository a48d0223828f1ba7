"""One random game in which every rule is called and every answer checked.

The rules may be compiled or uncompiled. The answers are kept: another game with the same seed by the other rules must
get the same answers.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Sequence

import numpy as np

from luozi.check.problems import RuleError, first_difference, place_of, problem_raised
from luozi.check.questions import KNOWLEDGE, METHODS, WINNING, CheckScratch, Method, ask, is_written, new_scratch
from luozi.compiled import Array, random_below
from luozi.messages import Message
from luozi.rules.game import Game
from luozi.rules.state import State

PROBED_MOVES = 16  # optional methods are tested on this many moves per position, and less often where there are more
CLOSE = 1e-9  # compiled and uncompiled floating-point results may differ in their last bits
UNSET = -1e99  # marks the result of a player that `returns` forgot

Answer = int | tuple[float, ...]  # the hash of a position


class GameCheck:
    """The game with this number, which determines its random moves.

    `rules` answers the questions: the game itself, or an object that observes it.
    """

    def __init__(
        self, game: Game, number: int, seed: int, rules: Game | None = None, expected: Sequence[Answer] | None = None
    ) -> None:
        self.game, self.number, self.rules, self.expected = game, number, rules or game, expected
        self.room: CheckScratch = new_scratch(game, seed * 1_000_003 + number)
        self.knows = [name for name in KNOWLEDGE if is_written(type(game), name)]
        self.answers: list[Answer] = []
        self.states: list[int] = []  # hashes of the positions
        self.played: list[int] = []
        self.movers: list[int] = []
        self.choices: list[int] = []  # number of legal moves in each position
        # Every second game is a playout from this move on.
        self.simulated_from = None if number % 2 else (number // 2 - 1) % (2 * game.length_limit // 3 + 1)

    @property
    def place(self) -> str:
        return place_of(self.number, len(self.played))

    def play_uncompiled(self, most_moves: int | None = None) -> bool:
        """Play by uncompiled rules, at most `most_moves` moves. Return whether the game ended.

        Raises:
            RuleError: something is wrong.
        """
        try:
            with np.errstate(all="ignore"):
                return self.play(ask.py_func, most_moves)
        except RuleError:
            raise
        except Exception as error:
            raise problem_raised(error, self.game, self.method) from None

    def play(self, kernel: Callable[..., int] = ask, most_moves: int | None = None) -> bool:
        """Play by compiled rules. Their exceptions are passed on."""
        self.kernel, most = kernel, min(self.game.length_limit, most_moves or self.game.length_limit)
        self.ask(Method.START)
        while not self.is_over():
            self.look()
            if len(self.played) == most:
                if most < self.game.length_limit:
                    return False
                raise self.wrong(NO_END if self.game.max_length else NO_LIMIT, limit=f"{most:,}", number=self.number)
            action = self.choose()
            self.ask(Method.APPLY_ACTION, action)
            self.played.append(action)
        self.finish()
        return True

    # Questions and answers --------------------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """The method that was called last."""
        return METHODS[self.room.asked[0]]

    def ask(self, method: int, number: int = 0) -> int:
        return int(self.kernel(self.rules, self.room, int(method), number))

    def keep(self, method: str, answer: Answer) -> None:
        """Keep an answer. The other rules must have given the same answer."""
        if self.expected is not None:
            other = self.expected[len(self.answers)]
            if answer != other and not are_close(answer, other):
                raise self.difference(method, answer, other)
        self.answers.append(answer)

    def wrong(self, sentence: Message, **values: str | float) -> RuleError:
        """Return an error about the method that was called last."""
        named = {"game": type(self.game).__name__, "method": self.method, "place": self.place}
        return RuleError(f"found {self.method} {sentence}", sentence.with_values(**named, **values))

    # The rules --------------------------------------------------------------------------------------------------------

    def is_over(self) -> bool:
        self.states.append(hash(self.room.states[0].tobytes()))
        self.keep("", self.states[-1])
        over = self.ask(Method.IS_TERMINAL)
        self.keep("is_terminal", over)
        if over and not self.played:
            raise self.wrong(NO_GAME)
        return bool(over)

    def look(self) -> None:
        """Ask for the player to move, the legal actions, and then the optional methods."""
        player = self.ask(Method.CURRENT_PLAYER)
        self.keep("current_player", player)
        if player < 0 or player >= self.game.players:
            raise self.wrong(CHANCE if player < 0 else BAD_PLAYER, culprit=player, last_player=self.game.players - 1)
        count = self.ask(Method.LEGAL_ACTIONS)
        if count == 0:
            lists = type(self.game).legal_actions is not Game.legal_actions
            raise self.wrong(STUCK, allowing="legal_actions" if lists else "is_legal", player=player)
        if count < 0 or count > self.game.actions:
            raise self.wrong(BAD_COUNT, culprit=count, actions=self.game.actions)
        actions = self.look_at_actions(self.room.actions[:count])
        self.keep("legal_actions", tuple(sorted(actions)))
        self.movers.append(player)
        self.choices.append(count)
        self.room.legal[:] = 0
        self.room.legal[actions] = 1
        culprit = self.ask(Method.IS_LEGAL, random_below(self.room.rng, self.game.actions))
        if culprit >= 0:
            raise self.wrong(DISAGREES, culprit=culprit)
        if hasattr(self.game, "evaluate"):
            self.ask(Method.EVALUATE)
            self.look_at_values(self.game.players, BAD_GUESS)
        if random_below(self.room.dice, count) < PROBED_MOVES:
            self.probe(player, actions)

    def choose(self) -> int:
        """Choose the next action: any legal one, or in a playout the game's own choice."""
        room, begin = self.room, self.simulated_from
        if begin is None or len(self.played) < begin:
            action = int(room.actions[random_below(room.rng, self.choices[-1])])
        else:
            if len(self.played) == begin:
                self.ask(Method.BEGIN)
            action = self.ask(Method.RANDOM_ACTION)
        self.keep("random_action", action)
        if not self.may_be_drawn(action):
            raise self.wrong(BAD_DRAW, culprit=action)
        return action

    def may_be_drawn(self, action: int) -> bool:
        inside = 0 <= action < self.game.actions
        return inside and bool(self.room.legal[action] or self.game.approximate_playouts)

    def finish(self) -> None:
        self.room.values[:] = UNSET
        self.ask(Method.RETURNS)
        self.results = self.look_at_values(self.game.players, BAD_RETURNS)

    def look_at_actions(self, listed: Array) -> list[int]:
        """Check the actions of a list: each must exist, and none may be listed twice."""
        actions: list[int] = listed.tolist()
        for action in actions:
            if action < 0 or action >= self.game.actions:
                raise self.wrong(BAD_ACTION, culprit=action, last_action=self.game.actions - 1)
        if len(set(actions)) < len(actions):
            raise self.wrong(TWICE, culprit=next(action for action in actions if actions.count(action) > 1))
        return actions

    def look_at_values(self, count: int, sentence: Message, actions: Sequence[int] = ()) -> tuple[float, ...]:
        """Check numbers from 0 to 1 for the players or for actions."""
        values = tuple(self.room.values[:count].tolist())
        self.keep(self.method, values)
        for index, value in enumerate(values):
            if not 0.0 <= value <= 1.0:
                said = Message("nothing") if value == UNSET else value
                culprit = actions[index] if actions else index
                raise self.wrong(sentence, culprit=culprit, guess=said, prior=said, result=said, number=self.number)
        return values

    # What a game knows beyond its rules -------------------------------------------------------------------------------

    def probe(self, player: int, legal: list[int]) -> None:
        """Compare optional methods with the rules in the same position."""
        others = [(player + turns) % self.game.players for turns in range(1, self.game.players)]
        if "winning_actions" in self.knows:
            for other in others:
                self.look_at_list(Method.WINNING_ACTIONS, other, -1, played=False)
            self.look_at_wins(player, legal)
        if "priors" in self.knows:
            self.room.values[:] = 0.5
            self.ask(Method.PRIORS, len(legal))
            self.look_at_values(len(legal), BAD_PRIOR, legal)
        if "policy_action" in self.knows:
            action = self.ask(Method.POLICY_ACTION)
            self.keep("policy_action", action)
            if not self.may_be_drawn(action):
                raise self.wrong(NOT_LEGAL, culprit=action)
        if "threatening_actions" in self.knows:
            self.look_at_list(Method.THREATENING_ACTIONS, 0, 0)
        for other in others if "forced_replies" in self.knows else ():
            self.look_at_list(Method.FORCED_REPLIES, other, -1)
        if "candidates" in self.knows:
            self.room.listed[: len(legal)] = legal
            self.look_at_list(Method.CANDIDATES, len(legal), 1)

    def look_at_list(self, method: Method, number: int, least: int, played: bool = True) -> list[int] | None:
        """Return the actions that a method lists, or None if it does not know. With `played`, they must be legal."""
        count = self.ask(method, number)
        if count < least or count > self.game.actions:
            raise self.wrong(BAD_LIST, culprit=count, actions=self.game.actions)
        actions = self.look_at_actions(self.room.listed[: max(0, count)])
        self.keep(self.method, tuple(actions) if count >= 0 else count)
        for action in actions if played else ():
            if not self.room.legal[action]:
                raise self.wrong(NOT_LEGAL, culprit=action)
        return actions if count >= 0 else None

    def look_at_wins(self, player: int, legal: list[int]) -> None:
        """Check the winning moves of the player to move by trying all moves."""
        told = self.look_at_list(Method.WINNING_ACTIONS, player, -1)
        if told is None:
            return
        self.room.legal[told] = WINNING
        culprit = self.ask(Method.WINS, len(legal))
        self.room.asked[0] = Method.WINNING_ACTIONS
        if culprit >= 0:
            raise self.wrong(NO_WIN if culprit in told else MISSED_WIN, culprit=culprit)

    # Differences ------------------------------------------------------------------------------------------------------

    def difference(self, method: str, answer: Answer, other: Answer) -> RuleError:
        """Return the error for an answer in which compiled and uncompiled rules differ."""
        if not method:
            method = "apply_action" if self.played else "start"
            field, one, two = first_difference(self.room.states[0], state_after(self.game, self.played))
            how = Message("'{field}' is {one} and {other}", field=field, one=one, other=two)
        else:
            how = Message("{one} and {other}", one=reprlib.repr(answer), other=reprlib.repr(other))
        told = Message(
            "{text}.{name}: compiled and uncompiled rules differ in {place}: {how}",
            text=type(self.game).__name__,
            name=method,
            place=self.place,
            how=how,
        )
        return RuleError(f"differs {method}", told)


def are_close(answer: Answer, other: Answer) -> bool:
    """Return whether two answers are equal up to floating-point rounding."""
    if isinstance(answer, int) or isinstance(other, int) or len(answer) != len(other):
        return False
    return np.allclose(answer, other, CLOSE, CLOSE, equal_nan=True)


def state_after(game: Game, actions: Sequence[int]) -> State:
    """Return the position after some moves by uncompiled rules. Like `GameCheck`, it ignores a position given to the
    game.
    """
    state: State = game.empty_states(1)[0]
    game.start(state)
    for action in actions:
        game.apply_action(state, action)
    return state


NO_GAME = Message("{game}.is_terminal says that the game is over before the first move")
BAD_PLAYER = Message("{game}.current_player gives {culprit} in {place}; players are 0 to {last_player}")
CHANCE = Message(
    "{game}.current_player gives {culprit} in {place}; chance (-1) and simultaneous moves (-2) can't be searched"
)
BAD_COUNT = Message(
    "{game}.legal_actions returns {culprit} in {place}; it must return how many actions it wrote, 1 to {actions}, "
    "until the game is over"
)
STUCK = Message(
    "{game}.{allowing} allows player {player} no action in {place}, and is_terminal says that the game goes on; "
    "end the game there, or skip that player in apply_action"
)
BAD_LIST = Message(
    "{game}.{method} returns {culprit} in {place}; it must return how many actions it wrote, at most {actions}"
)
BAD_ACTION = Message("{game}.{method} lists action {culprit} in {place}; actions are 0 to {last_action}")
TWICE = Message("{game}.{method} lists action {culprit} twice in {place}; list each action once")
NOT_LEGAL = Message(
    "{game}.{method} gives action {culprit} in {place}, which is not legal there; give only legal actions"
)
NO_WIN = Message(
    "{game}.winning_actions lists action {culprit} in {place}, but after it the player to move has not won; list "
    "only actions that end the game with a result of 1"
)
MISSED_WIN = Message(
    "{game}.winning_actions leaves out action {culprit} in {place}, which wins at once; list every action that "
    "does, or return -1 where you don't know"
)
BAD_PRIOR = Message("{game}.priors gives action {culprit} {prior} in {place}; a prior must be from 0 to 1")
DISAGREES = Message(
    "{game}.is_legal and legal_actions disagree about action {culprit} in {place}; leave out one or make them agree"
)
BAD_GUESS = Message("{game}.evaluate gives player {culprit} {guess} in {place}; a guess must be from 0 to 1")
BAD_DRAW = Message("{game}.random_action draws {culprit} in {place}, which is not legal; draw only legal actions")
NO_END = Message(
    "{game}.is_terminal has not ended game {number} after {limit} moves; end the game, or raise max_length"
)
NO_LIMIT = Message(
    "{game}.is_terminal has not ended game {number} after {limit} moves, and the class sets no max_length: a game may "
    "then have as many moves as there are actions; set max_length, or end the game"
)
BAD_RETURNS = Message(
    "{game}.returns gives player {culprit} {result} at the end of game {number}; set the result of every player, "
    "from 0 to 1"
)
