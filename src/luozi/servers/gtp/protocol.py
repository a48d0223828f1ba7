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


@commands.add("protocol_version")
def protocol_version(session: GtpSession, words: Words) -> str:
    """The version of the protocol: 2."""
    return "2"


@commands.add("name")
def name(session: GtpSession, words: Words) -> str:
    """The engine's name."""
    return "Luozi"


@commands.add("version")
def version(session: GtpSession, words: Words) -> str:
    """The engine's version."""
    return luozi.__version__


@commands.add("known_command", "NAME")
def known_command(session: GtpSession, words: Words) -> str:
    """Whether there is such a command: true or false."""
    return "true" if words and words[0] in session.commands else "false"


@commands.add("list_commands")
def list_commands(session: GtpSession, words: Words) -> str:
    """All commands, one a line."""
    return "\n".join(sorted(session.commands))


@commands.add("quit")
def quit(session: GtpSession, words: Words) -> str:
    """End."""
    return ""


@commands.add("clear_cache", "", "KataGo")
def clear_cache(session: GtpSession, words: Words) -> str:
    """Forget the tree."""
    session.position.forget_searches()
    return ""


@commands.add("cputime", "", "regression")
def cputime(session: GtpSession, words: Words) -> str:
    """The processor's seconds so far."""
    return f"{time.process_time():.3f}"


@commands.add("gogui-analyze_commands", "", "GoGui")
def gogui_analyze_commands(session: GtpSession, words: Words) -> str:
    """What GoGui's menu of analyses offers."""
    return "\n".join(GOGUI_COMMANDS)


@commands.add("gogui-interrupt", "", "GoGui")
def gogui_interrupt(session: GtpSession, words: Words) -> str:
    """Tells that a line `# interrupt` ends thinking."""
    return ""


@commands.add("gogui-title", "", "GoGui")
def gogui_title(session: GtpSession, words: Words) -> str:
    """The title of the window."""
    return "Luozi"


@commands.add("gogui-rules_game_id", "", "GoGui")
def gogui_rules_game_id(session: GtpSession, words: Words) -> str:
    """The game: Go."""
    return "Go"


@commands.add("kgs-game_over", "", "KGS")
def kgs_game_over(session: GtpSession, words: Words) -> str:
    """The game is over."""
    return ""


@commands.add("kgs-chat", "KIND NAME WORD...", "KGS")
def kgs_chat(session: GtpSession, words: Words) -> str:
    """An answer to somebody who talks to the engine."""
    return "I am Luozi, and I only play."
