"""Perfect-information games of OpenSpiel (`pip install open_spiel`). They are slow, but everything works with them.

A state is the list of actions that led to it. The rules are OpenSpiel's, called from Python, so nothing is compiled.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from luozi.compiled import Array
from luozi.messages import LuoziError, nearest
from luozi.rules.game import Game
from luozi.rules.state import State


class OpenSpielGame(Game):
    """A game with the rules of OpenSpiel."""

    compilable = False

    def __init__(self, name: str, spiel: Any) -> None:
        self._spiel = spiel
        self.name = name
        self.players = spiel.num_players()
        self.actions = spiel.num_distinct_actions()
        self.max_length = spiel.max_game_length()
        self.state = [("history", "i4", self.max_length), ("length", "i4")]
        low, high = spiel.min_utility(), spiel.max_utility()
        self._low, self._span = low, (high - low) or 1.0
        self._replay = lru_cache(maxsize=4096)(self._replayed)

    def _replayed(self, history: bytes) -> Any:
        """Return OpenSpiel's state after some actions. It is only copied, never changed."""
        if not history:
            return self._spiel.new_initial_state()
        following = self._replay(history[:-4]).clone()
        following.apply_action(int.from_bytes(history[-4:], "little"))
        return following

    def _position(self, state: State) -> Any:
        return self._replay(state.history[: state.length].astype("<i4").tobytes())

    def start(self, state: State) -> None:
        state.length = 0

    def current_player(self, state: State) -> int:
        return int(self._position(state).current_player())

    def legal_actions(self, state: State, actions: Array) -> int:
        legal = self._position(state).legal_actions()
        actions[: len(legal)] = legal
        return len(legal)

    def apply_action(self, state: State, action: int) -> None:
        state.history[state.length] = action
        state.length += 1

    def is_terminal(self, state: State) -> bool:
        return bool(self._position(state).is_terminal())

    def returns(self, state: State, returns: Array) -> None:
        for player, value in enumerate(self._position(state).returns()):
            returns[player] = (value - self._low) / self._span

    def show(self, state: State) -> str:
        return str(self._position(state))

    def action_to_string(self, state: State, action: int) -> str:
        position = self._position(state)
        return str(position.action_to_string(position.current_player(), action))


def from_openspiel(name: str) -> Game:
    """Return a game of OpenSpiel, given by name or by OpenSpiel's own specification with parameters.

    >>> game = from_openspiel("breakthrough(rows=4,columns=4)")
    >>> len(game.legal_list(game.new_state()))
    10
    """
    try:
        import pyspiel
    except ImportError:
        raise LuoziError("OpenSpiel is not installed: pip install open_spiel") from None
    short = name.partition("(")[0]
    if short not in pyspiel.registered_names():
        raise LuoziError(
            "OpenSpiel has no game '{name}'{nearest}", name=short, nearest=nearest(short, pyspiel.registered_names())
        )
    if "filename" in name:  # a specification may come from an untrusted source, and OpenSpiel would open any file
        raise LuoziError("OpenSpiel's game '{name}' reads a file, which Luozi does not allow", name=short)
    try:
        spiel = pyspiel.load_game(name)
    except Exception as error:  # exceptions of several kinds, some of them not OpenSpiel's
        raise LuoziError(
            "OpenSpiel can't make '{name}': {error}", name=name, error=str(error).splitlines()[0]
        ) from None
    kind = spiel.get_type()
    if kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC:
        raise LuoziError("{name} has chance: only games without it can be searched here", name=name)
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise LuoziError("{name} has simultaneous moves: only games with turns can be searched here", name=name)
    if kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
        raise LuoziError(
            "{name} has hidden information: only games with open positions can be searched here", name=name
        )
    made = OpenSpielGame(name, spiel)
    made.validate()
    vars(made)["_spelling"] = f"openspiel:name={name}"
    return made
