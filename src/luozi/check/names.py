"""Check the methods for display: pictures of positions, and names of actions, which must be read back."""

from __future__ import annotations

from luozi.check.problems import RuleError, problem_raised
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.rules.state import State

AMBIGUOUS, READING = "names that several actions share", "string_to_action"
NAMED_ACTIONS = 5  # number of action names that are read back in each position


def look_at_names(game: Game, state: State, place: str) -> None:
    """Call every display method in a position."""
    method, title = "show", type(game).__name__
    try:
        game.show(state)
        method = "action_to_string"
        legal = game.legal_list(state)
        names = [game.action_to_string(state, action) for action in legal]
        method = READING
        read = [game.string_to_action(state, name) for name in names[:NAMED_ACTIONS]]
    except LuoziError as error:
        named = error.message.values.get("title") == f"{title}.{method}"  # prefix of the problem's kind
        told = error.message if named else Message("{name}: {error}", name=f"{title}.{method}", error=error)
        raise RuleError(f"names {method}", told) from None
    except Exception as error:
        raise problem_raised(error, game, method) from None
    if len(set(names)) < len(names):
        told = Message(
            "{text}.action_to_string calls two actions '{name}'; give each legal action a name of its own ({place})",
            text=title,
            name=next(name for name in names if names.count(name) > 1),
            place=place,
        )
        raise RuleError(AMBIGUOUS, told)
    if read != legal[:NAMED_ACTIONS]:
        told = Message(
            "{text}.string_to_action reads '{name}' as {value} and not {other} ({place})",
            text=title,
            name=names[0],
            value=read[0],
            other=legal[0],
            place=place,
        )
        raise RuleError(f"names {READING}", told)
