"""The Go engine: the table of all its commands, and a conversation by it.

Commands are in modules by theme. Which move is made is decided in `move_choice`; the board, which GTP may change in
any way, is `position`; what all commands share is `session`. The search is compiled in the background from `boardsize`
on; until it is ready, simpler ones answer in time. A script that comes all at once gets the whole thinking that it asks
for; `quit` or the end of the input in the middle of a thought end it.
"""

from __future__ import annotations

from typing import TextIO

from luozi.players.presets import strong_options
from luozi.rules.game import Game
from luozi.search import Options
from luozi.servers.command_table import Command
from luozi.servers.conversation import Conversation
from luozi.servers.gtp import analysis, play_commands, protocol, records, setup, time_commands
from luozi.servers.gtp.session import INPUT_RULES, GtpOptions, GtpSession, OptionsFor, Words

THEMES = (protocol, setup, play_commands, time_commands, records, analysis)
COMMANDS = {name: one for theme in THEMES for name, one in theme.commands.items()}


def serve(
    input: TextIO, output: TextIO, options: Options | OptionsFor | None = None, settings: GtpOptions | None = None
) -> int:
    """Be a Go engine until `quit` or the end of the input; the exit status.

    Options may depend on the game, as those of `strong` do; not given, `strong` plays.
    """
    conversation = Conversation(input, output, INPUT_RULES)
    session = new_session(conversation, options or strong_on, settings)
    try:
        return conversation.run(session.answer, session.complain)
    finally:
        session.rest()
        session.forget_readiness()


def new_session(
    conversation: Conversation, options: Options | OptionsFor, settings: GtpOptions | None = None
) -> GtpSession:
    """A session with all commands."""
    return GtpSession(conversation, options, settings or GtpOptions(), COMMANDS)


def strong_on(game: Game) -> Options:
    """What did best on a board of this size."""
    return Options.of(**strong_options(game))


def all_commands() -> list[Command[GtpSession, Words]]:
    """Every command, in the order of families and names.

    >>> [command.usage for command in all_commands() if command.name == "play"]
    ['COLOUR POINT']
    """
    return sorted(COMMANDS.values(), key=lambda one: (one.family != "GTP 2", one.family, one.name))


def commands_table() -> str:
    """All commands as a table for the documentation."""
    rows = [
        f"| `{' '.join([one.name, *one.usage.split()])}` | {one.family} | {one.meaning} |" for one in all_commands()
    ]
    return "\n".join(["| command | whose | what it does |", "|---|---|---|", *rows])
