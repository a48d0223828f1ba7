"""What is said when a command fails: one sentence, and an exit status that is not zero."""

from __future__ import annotations

import os
import re
import traceback
from typing import Any

from luozi.messages import LuoziError, Message, nearest, translate
from luozi.outside_text import shown
from luozi.terminal.streams import say_error

BAD_INPUT, INTERNAL = 2, 1
CACHE_ACTIONS = ("list", "clear")


def complain(error: BaseException) -> int:
    """One sentence about what went wrong; the exit status."""
    if os.environ.get("LUOZI_DEBUG"):
        traceback.print_exception(error)
    sentence, status = sentence_about(error)
    say_error(sentence)
    return status


def sentence_about(error: BaseException) -> tuple[str, int]:
    """The sentence and the exit status: the user's input, the user's game, or our fault."""
    if isinstance(error, LuoziError):
        return translate(str(error)), BAD_INPUT
    if hasattr(error, "format_message"):  # the command line itself is wrong
        return translate(usage_sentence(error)), BAD_INPUT
    from luozi.games.own import place_in_own_game

    place = place_in_own_game(error)
    if place is not None:
        return translate(place), BAD_INPUT
    if isinstance(error, OSError) and error.strerror:  # the machine's no: a full disk, a name too long, no permission
        return (
            f"{translate(error.strerror)}{'' if error.filename is None else f': {shown(str(error.filename))}'}",
            BAD_INPUT,
        )
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return translate("unexpected {text}; please report it (LUOZI_DEBUG=1 shows where it happened)", text=what), INTERNAL


def usage_sentence(error: BaseException) -> str:
    """Typer's own errors in the same form as ours."""
    message: str = error.format_message()  # type: ignore[attr-defined]
    unknown = re.match(r"No such (command|option):? '?([^' ]*)", message)
    if unknown is None:
        return message[:1].lower() + message[1:]
    kind, wrong = unknown.groups()
    context: Any = getattr(error, "ctx", None)
    if getattr(context, "info_name", "") == "cache" and wrong.lstrip("-") in CACHE_ACTIONS:
        return Message(
            "there is no option '{name}': write 'luozi cache {action}'", name=wrong, action=wrong.lstrip("-")
        )
    possible = context.command.commands if kind == "command" else getattr(error, "possibilities", None) or ()
    return f"there is no {kind} '{wrong}'{nearest(wrong, possible) or '; --help lists what there is'}"
