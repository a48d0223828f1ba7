"""What a failing command prints: one message; and its exit status, which is not zero."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from luozi.messages import LuoziError, Message, nearest, reason_of, translate
from luozi.terminal.streams import say_error
from luozi.util.own_code import place_in_own_game
from luozi.util.parsing import shown

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 1, 130
CACHE_ACTIONS = ("list", "clear")


@contextmanager
def stoppable(report: Callable[[], None], stopped: str) -> Iterator[None]:
    """Report and exit with 130 on Ctrl-C or SIGTERM."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # further Ctrl-C are ignored
        report()
        typer.echo(translate(stopped), err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def interrupt(_number: int, _frame: object) -> None:
    """Treat SIGTERM as Ctrl-C."""
    raise KeyboardInterrupt


def resume_hint(path: object) -> str:
    """Return the message of a command that was stopped and keeps its results."""
    return Message("stopped; run the same command to resume (results are in {path})", path=path)


def print_error(error: BaseException) -> int:
    """Print the message about an error; return the exit status."""
    if os.environ.get("LUOZI_DEBUG"):
        traceback.print_exception(error)
    sentence, status = message_about(error)
    say_error(sentence)
    return status


def message_about(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit status: bad input, an error in the user's game, or a defect of Luozi."""
    if isinstance(error, LuoziError):
        return translate(error.message), BAD_INPUT
    if hasattr(error, "format_message"):  # an error in the command line
        return translate(usage_sentence(error)), BAD_INPUT

    place = place_in_own_game(error)
    if place is not None:
        return translate(place), BAD_INPUT
    if isinstance(error, OSError) and error.strerror:  # a full disk, a long name, no permission
        return (
            f"{translate(reason_of(error))}{'' if error.filename is None else f': {shown(str(error.filename))}'}",
            BAD_INPUT,
        )
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return translate("unexpected {text}; please report it (LUOZI_DEBUG=1 shows where it happened)", text=what), INTERNAL


# What Typer finds wrong with a value, by pydantic's name for it.
WRONG_VALUES = {
    "int_parsing": Message("Input should be a valid integer, unable to parse string as an integer"),
    "int_from_float": Message("Input should be a valid integer, got a number with a fractional part"),
    "float_parsing": Message("Input should be a valid number, unable to parse string as a number"),
    "less_than_equal": Message("Input should be less than or equal to {le}"),
    "greater_than_equal": Message("Input should be greater than or equal to {ge}"),
}


def usage_sentence(error: Any) -> str:
    """Return the message of a Typer error, in the form of our own."""
    found = type(error).__name__
    if found == "NoSuchOption":
        return unknown_option(error)
    if found == "BadOptionUsage":
        option = next((one for one in error.ctx.command.params if error.option_name in one.opts), None)
        if option is None or option.is_flag:
            return Message("option '{name}' does not take a value.", name=error.option_name)
        return Message("option '{name}' requires an argument.", name=error.option_name)
    if found == "MissingParameter" and error.param.param_type_name == "argument":
        return Message("missing argument '{name}'.", name=Message(error.param.get_error_hint()[1:-1]))
    if found == "MissingParameter":
        return Message("missing option '{name}'.", name=error.param.opts[0])
    if found == "BadParameter" and error.param is not None:
        return bad_value(error)
    message: str = error.format_message()
    return message[:1].lower() + message[1:]


def unknown_option(error: Any) -> str:
    """Return the message about an unknown option."""
    wrong = error.option_name
    if getattr(error.ctx, "info_name", "") == "cache" and wrong.lstrip("-") in CACHE_ACTIONS:
        return Message(
            "there is no option '{name}': write 'luozi cache {action}'", name=wrong, action=wrong.lstrip("-")
        )
    lists = Message("; --help lists what there is")
    return Message(
        "there is no option '{name}'{nearest}", name=wrong, nearest=nearest(wrong, error.possibilities or ()) or lists
    )


def bad_value(error: Any) -> str:
    """Return the message about an invalid value."""
    reason = wrong_value(error)
    names = error.param.opts if error.param.param_type_name == "option" else [error.param.get_error_hint()[1:-1]]
    if len(names) == 2:
        return Message("invalid value for '{name}' / '{text}': {reason}", name=names[0], text=names[1], reason=reason)
    return Message("invalid value for '{name}': {reason}", name=names[0], reason=reason)


def wrong_value(error: Any) -> str:
    """Return why a value is invalid."""
    errors = getattr(error.__cause__, "errors", None)
    [first, *_] = errors() if errors is not None else [{}]
    known = WRONG_VALUES.get(first.get("type", ""))
    return Message(error.message) if known is None else known.with_values(**first.get("ctx", {}))
