"""`person`: somebody at the keyboard. `read_move` is the one place where typed and recorded moves become actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from luozi.errors import LuoziError
from luozi.outside_text import whole_number
from luozi.players.base import Player
from luozi.rules import Game


def read_move(game: Game, state: Any, text: str) -> int:
    """The legal action with this name; `#17` is action 17, for games whose names are not distinct.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> read_move(game, game.new_state(), "b2"), read_move(game, game.new_state(), "#4")
    (4, 4)
    """
    wanted = text.strip()
    known = read_by_itself(game, state, wanted)
    if known is not None:
        return known
    legal = game.legal_list(state)
    # Exact names come first: in chess, bxc3 and Bxc3 are two moves.
    exact = next((action for action in legal if game.action_to_string(state, action) == wanted), None)
    if exact is not None:
        return exact
    number = whole_number(wanted[1:], 0, game.actions - 1) if wanted[:1] == "#" else None
    if number is not None and number in legal:
        return number
    return int(game.string_to_action(state, text))


def read_by_itself(game: Game, state: Any, name: str) -> int | None:
    """The action whose exact name a game reads itself: all other moves need not be looked at, which in Go is slow."""
    if type(game).string_to_action is Game.string_to_action:
        return None
    try:
        action = game.string_to_action(state, name)
        return int(action) if game.action_to_string(state, action) == name and game.allows(state, action) else None
    except Exception:  # whatever a class of one's own does with a text that it does not know: it is asked again
        return None


class Person(Player):
    """Somebody who types moves."""

    spelling = "person"

    def __init__(self, game: Game, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__(game)
        self.ask, self.tell = ask, tell

    def choose(self, state: Any) -> int:
        """Ask until the answer is a legal move. The terminal asks in its own way, with commands beside moves."""
        sign = self.game.player_name(self.game.current_player(state))
        while True:
            try:
                return read_move(self.game, state, self.ask(f"{sign}> "))
            except LuoziError as error:
                self.tell(str(error))
