"""The GTP server: its commands about itself, and the table of all commands.

`move_choice` decides which move is played; `position` is the board, which GTP may change in any way; `session` is
what all commands share. The search is compiled in the background from `boardsize` on; until it is compiled, simpler
ones answer in time. A script that comes all at once gets all its searches in full; `quit` or the end of the input
during a search stop it.
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
commands.add_text("protocol_version", "2", "Return the version of the protocol: 2.")
commands.add_text("name", "Luozi", "Return the engine's name.")
commands.add_text("version", luozi.__version__, "Return the engine's version.")
commands.add_text("quit", "", "End the engine.")
commands.add_text(
    "gogui-analyze_commands", "\n".join(GOGUI_COMMANDS), "List the commands of GoGui's analysis menu.", "GoGui"
)
commands.add_text("gogui-interrupt", "", "Announce that a line `# interrupt` stops the search.", "GoGui")
commands.add_text("gogui-title", "Luozi", "Return the title of GoGui's window.", "GoGui")
commands.add_text("gogui-rules_game_id", "Go", "Return the game: Go.", "GoGui")
commands.add_text("kgs-game_over", "", "Note that the game is over.", "KGS")


@commands.add("known_command", "NAME")
def known_command(session: GtpSession, words: Words) -> str:
    """Return whether a command exists: true or false."""
    return "true" if words and words[0] in session.commands else "false"


@commands.add("list_commands")
def list_commands(session: GtpSession, words: Words) -> str:
    """List all commands."""
    return "\n".join(sorted(session.commands))


@commands.add("clear_cache", "", "KataGo")
def clear_cache(session: GtpSession, words: Words) -> str:
    """Discard the tree."""
    session.position.forget_searches()
    return ""


@commands.add("cputime", "", "regression")
def cputime(session: GtpSession, words: Words) -> str:
    """Return the processor time in seconds."""
    return f"{time.process_time():.3f}"


@commands.add("kgs-chat", "KIND NAME WORD...", "KGS")
def kgs_chat(session: GtpSession, words: Words) -> str:
    """Answer a chat message."""
    return "I am Luozi, and I only play."


COMMANDS = {
    name: one
    for table in (commands, *(module.commands for module in (setup, play_commands, records, analysis)))
    for name, one in table.items()
}


def serve(
    input: TextIO, output: TextIO, options: Options | OptionsFor | None = None, settings: GtpOptions | None = None
) -> int:
    """Be a Go engine until `quit` or the end of the input; return the exit status.

    Options may depend on the game, as those of `strong` do; not given, `strong` plays.
    """
    return new_session(Conversation(input, output, INPUT_RULES), options or strong_on, settings).run()


def new_session(
    conversation: Conversation, options: Options | OptionsFor, settings: GtpOptions | None = None
) -> GtpSession:
    """Return a session with all commands."""
    return GtpSession(conversation, options, settings or GtpOptions(), COMMANDS)


def strong_on(game: Game) -> Options:
    """Return the options of `strong` for a game."""
    return Options.of(**strong_options(game))


def all_commands() -> list[Command[GtpSession, Words]]:
    """Return every command, ordered by family and name.

    >>> [command.usage for command in all_commands() if command.name == "play"]
    ['COLOUR POINT']
    """
    return sorted(COMMANDS.values(), key=lambda one: (one.family != "GTP 2", one.family, one.name))


def commands_table() -> str:
    """Return all commands as a table for the documentation."""
    rows = [
        f"| `{' '.join([one.name, *one.usage.split()])}` | {one.family} | {one.meaning} |" for one in all_commands()
    ]
    return "\n".join(["| command | whose | what it does |", "|---|---|---|", *rows])
