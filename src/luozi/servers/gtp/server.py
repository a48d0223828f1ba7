"""The GTP server: its commands about itself, and the table of all commands.

Commands are in modules by theme. Which move is made is decided in `move_choice`; the board, which GTP may change in
any way, is `position`; what all commands share is `session`. The search is compiled in the background from `boardsize`
on; until it is ready, simpler ones answer in time. A script that comes all at once gets the whole thinking that it asks
for; `quit` or the end of the input in the middle of a thought end it.
"""

from __future__ import annotations

import time
from typing import TextIO

import luozi
from luozi.players.presets import strong_options
from luozi.rules.game import Game
from luozi.search import Options
from luozi.servers.conversation import Command, CommandTable, Conversation
from luozi.servers.gtp import analysis, play_commands, records, setup
from luozi.servers.gtp.session import INPUT_RULES, GtpOptions, GtpSession, OptionsFor, Words

GOGUI_COMMANDS = (
    "dboard/Ownership/luozi-ownership",
    "string/Final Score/final_score",
    "plist/Final Status: Dead/final_status_list dead",
    "plist/Final Status: Undecided/final_status_list seki",
    "plist/Black Territory/final_status_list black_territory",
    "plist/White Territory/final_status_list white_territory",
    "string/Rules/kata-get-rules",
    "none/Clear Tree/clear_cache",
)

commands = CommandTable[GtpSession, Words]("GTP 2")
commands.add_text("protocol_version", "2", "The version of the protocol: 2.")
commands.add_text("name", "Luozi", "The engine's name.")
commands.add_text("version", luozi.__version__, "The engine's version.")
commands.add_text("quit", "", "End.")
commands.add_text("gogui-analyze_commands", "\n".join(GOGUI_COMMANDS), "What GoGui's menu of analyses offers.", "GoGui")
commands.add_text("gogui-interrupt", "", "Tells that a line `# interrupt` ends thinking.", "GoGui")
commands.add_text("gogui-title", "Luozi", "The title of the window.", "GoGui")
commands.add_text("gogui-rules_game_id", "Go", "The game: Go.", "GoGui")
commands.add_text("kgs-game_over", "", "The game is over.", "KGS")


@commands.add("known_command", "NAME")
def known_command(session: GtpSession, words: Words) -> str:
    """Whether there is such a command: true or false."""
    return "true" if words and words[0] in session.commands else "false"


@commands.add("list_commands")
def list_commands(session: GtpSession, words: Words) -> str:
    """All commands, one a line."""
    return "\n".join(sorted(session.commands))


@commands.add("clear_cache", "", "KataGo")
def clear_cache(session: GtpSession, words: Words) -> str:
    """Forget the tree."""
    session.position.forget_searches()
    return ""


@commands.add("cputime", "", "regression")
def cputime(session: GtpSession, words: Words) -> str:
    """The processor's seconds so far."""
    return f"{time.process_time():.3f}"


@commands.add("kgs-chat", "KIND NAME WORD...", "KGS")
def kgs_chat(session: GtpSession, words: Words) -> str:
    """An answer to somebody who talks to the engine."""
    return "I am Luozi, and I only play."


COMMANDS = {
    name: one
    for table in (commands, *(module.commands for module in (setup, play_commands, records, analysis)))
    for name, one in table.items()
}


def serve(
    input: TextIO, output: TextIO, options: Options | OptionsFor | None = None, settings: GtpOptions | None = None
) -> int:
    """Be a Go engine until `quit` or the end of the input; the exit status.

    Options may depend on the game, as those of `strong` do; not given, `strong` plays.
    """
    return new_session(Conversation(input, output, INPUT_RULES), options or strong_on, settings).run()


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
