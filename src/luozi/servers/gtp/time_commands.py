"""Commands that set the clock."""

from __future__ import annotations

from luozi.messages import LuoziError
from luozi.protocols.gtp import colour_in, seconds_in, whole_in
from luozi.servers.command_table import CommandTable
from luozi.servers.gtp.session import GtpSession, Words

TIME_KINDS = ("none", "absolute", "byoyomi", "canadian")

commands = CommandTable[GtpSession, Words]("GTP 2")


@commands.add("time_settings", "MAIN BYO_YOMI STONES")
def time_settings(session: GtpSession, words: Words) -> str:
    """Seconds for the game, then seconds for each so many stones; 0 0 0, or no stones, is no limit."""
    session.clock.set(seconds_in(words, 0), seconds_in(words, 1), whole_in(words, 2, 0, 10**6))
    return ""


@commands.add("time_left", "COLOUR SECONDS STONES")
def time_left(session: GtpSession, words: Words) -> str:
    """What a colour has left: of the main time if STONES is 0, else of byo-yomi for so many stones."""
    session.clock.tell(colour_in(words), seconds_in(words, 1), whole_in(words, 2, 0, 10**6))
    return ""


@commands.add("kata-list_time_settings", "", "KataGo")
def kata_list_time_settings(session: GtpSession, words: Words) -> str:
    """The kinds of clocks that kata-time_settings takes."""
    return " ".join(TIME_KINDS)


@commands.add("kata-time_settings", "KIND NUMBER...", "KataGo")
@commands.add("kgs-time_settings", "KIND NUMBER...", "KGS")
def kata_time_settings(session: GtpSession, words: Words) -> str:
    """none, absolute MAIN, byoyomi MAIN PERIOD PERIODS or canadian MAIN PERIOD STONES."""
    kind, clock = words[0].lower() if words else "", session.clock
    if kind == "none":
        clock.limited = False
    elif kind == "absolute":
        clock.set(seconds_in(words, 1), 0, 0)
    elif kind == "byoyomi":
        clock.set(seconds_in(words, 1), seconds_in(words, 2), 1, whole_in(words, 3, 1, 10**6))
    elif kind == "canadian":
        clock.set(seconds_in(words, 1), seconds_in(words, 2), whole_in(words, 3, 1, 10**6))
    else:
        raise LuoziError("syntax error: the kind of time is one of {names}", names=", ".join(TIME_KINDS))
    return ""
