"""Commands by which an engine tells about itself, in GTP 2 and for GoGui and KGS."""

from __future__ import annotations

import time

import luozi
from luozi.servers.command_table import CommandTable
from luozi.servers.gtp.session import GtpSession, Words

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
