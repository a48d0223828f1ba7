"""Commands that start a game: the board, its rules, the clock, handicap stones and positions that are set up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from luozi.games.go.points import free_points, handicap_points
from luozi.messages import LuoziError, Message
from luozi.protocols.gtp import colour_in, number_in, point_in, seconds_in, stones_in, whole_in
from luozi.servers.conversation import CommandTable
from luozi.servers.gtp.position import GtpGame, Play
from luozi.servers.gtp.session import GtpSession, Words
from luozi.util.parsing import json_value, plain

RULE_NAMES = {
    **dict.fromkeys(("chinese", "chinese-ogs", "chinese-kgs", "area"), "chinese"),
    **dict.fromkeys(("japanese", "korean", "territory"), "japanese"),
    **dict.fromkeys(("tromp-taylor", "tromp_taylor", "tromptaylor", "new_zealand", "new-zealand"), "tromp_taylor"),
}

TIME_KINDS = ("none", "absolute", "byoyomi", "canadian")

commands = CommandTable[GtpSession, Words]("GTP 2")


# The board ------------------------------------------------------------------------------------------------------------


@commands.add("boardsize", "SIZE")
def boardsize(session: GtpSession, words: Words) -> str:
    """Start a game on a board of 2 to 25 lines, and begin to compile its search."""
    try:
        size = whole_in(words, 0, 2, 25)
    except LuoziError:
        raise LuoziError("unacceptable size: boards have 2 to 25 lines") from None
    session.position = GtpGame(replace(session.position.terms, size=size))
    clear_board(session, ())
    session.get_ready()
    return ""


@commands.add("clear_board")
def clear_board(session: GtpSession, words: Words) -> str:
    """Start a new game on a board of the same size."""
    session.position = GtpGame(session.position.terms)
    session.hopeless = [0, 0]
    session.clock.new_game()
    return ""


@commands.add("set_position", "COLOUR POINT...", "KataGo")
def set_position(session: GtpSession, words: Words) -> str:
    """Set up stones on an empty board."""
    set_stones(session, plays_in(session, words), 0)
    session.position.set_terms(session.position.terms, 0)
    return ""


@commands.add("gogui-setup", "COLOUR POINT...", "GoGui")
def gogui_setup(session: GtpSession, words: Words) -> str:
    """Add stones to the position; earlier moves can't be taken back."""
    board = session.position.state.board
    kept = [Play(int(board[point]) - 1, point) for point in range(session.position.game.points) if board[point]]
    set_stones(session, [*kept, *plays_in(session, words)], session.position.to_move)
    return ""


@commands.add("gogui-setup_player", "COLOUR", "GoGui")
def gogui_setup_player(session: GtpSession, words: Words) -> str:
    """Set the side to move after a setup."""
    session.position.give_turn(colour_in(words))
    return ""


def plays_in(session: GtpSession, words: Words) -> list[Play]:
    """Return the stones that words name as colours and points in turn."""
    if len(words) % 2:
        raise LuoziError("syntax error: name a colour and a point for each stone")
    size = session.position.terms.size
    return [Play(colour_in(words, place), point_in(words, place + 1, size)) for place in range(0, len(words), 2)]


def set_stones(session: GtpSession, stones: list[Play], to_move: int) -> None:
    """Start a game from stones."""
    if any(stone.action == session.position.game.points for stone in stones):
        raise LuoziError("syntax error: a stone can't pass")
    session.position.begin(stones, to_move)
    session.hopeless = [0, 0]


# The rules ------------------------------------------------------------------------------------------------------------


@commands.add("komi", "POINTS")
def komi(session: GtpSession, words: Words) -> str:
    """Set the komi."""
    points = number_in(words, 0)
    if abs(points) > session.position.game.points:
        raise LuoziError("syntax error: this komi is more than the whole board")
    session.position.change_terms(replace(session.position.terms, komi=points))
    return ""


@commands.add("get_komi", "", "KataGo")
def get_komi(session: GtpSession, words: Words) -> str:
    """Return the komi."""
    return f"{session.position.terms.komi:g}"


@commands.add("kata-get-rules", "", "KataGo")
def kata_get_rules(session: GtpSession, words: Words) -> str:
    """Return the rules as JSON."""
    game = session.position.game
    told = {
        "ko": "POSITIONAL" if game.superko else "SIMPLE",
        "scoring": "TERRITORY" if game.ruleset.territory else "AREA",
        "suicide": game.suicide,
        "tax": "NONE",
        "whiteHandicapBonus": "N" if game.handicap_bonus and not game.ruleset.territory else "0",
        "friendlyPassOk": game.ruleset.removes_dead,
        "hasButton": False,
    }
    return json.dumps(told)


@commands.add("kata-set-rules", "RULES", "KataGo")
def kata_set_rules(session: GtpSession, words: Words) -> str:
    """Set the rules: chinese, japanese, tromp-taylor, or JSON as of kata-get-rules."""
    text, bonus = " ".join(words).strip(), None
    if text.startswith("{"):
        wanted = json_value(text, "this text")
        bonus = handicap_bonus(wanted)
        territory = str(wanted.get("scoring", "AREA")).upper() == "TERRITORY"
        name = "japanese" if territory else "tromp-taylor" if wanted.get("suicide") else "chinese"
    else:
        name = text.lower()
    if name not in RULE_NAMES:
        raise LuoziError("there are no rules '{name}' here; choose chinese, japanese or tromp-taylor", name=plain(name))
    session.position.change_terms(replace(session.position.terms, rules=RULE_NAMES[name], compensation=bonus))
    return ""


def handicap_bonus(wanted: Mapping[str, str]) -> bool | None:
    """Return whether rules in JSON give White a point for each handicap stone; None where they say nothing."""
    known = {"": None, "0": False, "N": True}
    bonus = str(wanted.get("whiteHandicapBonus", ""))
    if bonus not in known:
        raise LuoziError("whiteHandicapBonus '{bonus}' is not known here; choose 0 or N", bonus=plain(bonus))
    return known[bonus]


@commands.add("kgs-rules", "RULES", "KGS")
def kgs_rules(session: GtpSession, words: Words) -> str:
    """Set the rules: chinese, japanese, new_zealand, or aga, which is played as chinese."""
    name = words[0].lower() if words else ""
    return kata_set_rules(session, ["chinese"] if name == "aga" else words)


# The clock ----------------------------------------------------------------------------------------------------------


@commands.add("time_settings", "MAIN BYO_YOMI STONES")
def time_settings(session: GtpSession, words: Words) -> str:
    """Set seconds for the game, then seconds for each STONES moves; 0 0 0, or no stones, is no limit."""
    session.clock.set(seconds_in(words, 0), seconds_in(words, 1), whole_in(words, 2, 0, 10**6))
    return ""


@commands.add("time_left", "COLOUR SECONDS STONES")
def time_left(session: GtpSession, words: Words) -> str:
    """Set the time that a colour has left: of the main time if STONES is 0, else for so many stones."""
    session.clock.tell(colour_in(words), seconds_in(words, 1), whole_in(words, 2, 0, 10**6))
    return ""


@commands.add("kata-list_time_settings", "", "KataGo")
def kata_list_time_settings(session: GtpSession, words: Words) -> str:
    """List the kinds of clocks of kata-time_settings."""
    return " ".join(TIME_KINDS)


@commands.add("kata-time_settings", "KIND NUMBER...", "KataGo")
@commands.add("kgs-time_settings", "KIND NUMBER...", "KGS")
def kata_time_settings(session: GtpSession, words: Words) -> str:
    """Set the clock: none, absolute MAIN, byoyomi MAIN PERIOD PERIODS or canadian MAIN PERIOD STONES."""
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


# Handicap stones ------------------------------------------------------------------------------------------------------


@commands.add("fixed_handicap", "STONES")
def fixed_handicap(session: GtpSession, words: Words) -> str:
    """Place black stones on the handicap points of an empty board."""
    check_empty(session)
    stones = whole_in(words, 0, 0, 625)
    try:
        points = handicap_points(session.position.terms.size, stones if stones > 1 else 1)
    except LuoziError as error:
        raise LuoziError("invalid number of stones: {allowed}", allowed=stones_allowed(error)) from None
    session.position.set_handicap(points)
    return session.position.names(points)


@commands.add("place_free_handicap", "STONES")
def place_free_handicap(session: GtpSession, words: Words) -> str:
    """Place black stones on an empty board, where the engine chooses; any number that leaves a point free."""
    check_empty(session)
    try:
        points = free_points(session.position.terms.size, max(1, whole_in(words, 0, 0, 625)))
    except LuoziError as error:
        raise LuoziError("invalid number of stones: {allowed}", allowed=stones_allowed(error)) from None
    session.position.set_handicap(points)
    return session.position.names(points)


@commands.add("set_free_handicap", "POINT...")
def set_free_handicap(session: GtpSession, words: Words) -> str:
    """Place black stones on an empty board, at given points."""
    check_empty(session)
    points = stones_in(words, session.position.terms.size)
    if not 2 <= len(points) < session.position.game.points or len(set(points)) < len(points):
        raise LuoziError("bad vertex list: name two points or more, each once, and leave one free")
    session.position.set_handicap(points)
    return ""


def check_empty(session: GtpSession) -> None:
    """Raise LuoziError if the board is not empty."""
    if not session.position.is_empty:
        raise LuoziError("board not empty")


def stones_allowed(error: LuoziError) -> str:
    """Return the allowed numbers of handicap stones from the error of a game; a command can't ask for none.

    >>> allowed = Message("it must be 0, or {low} to {most}", low=2, most=9)
    >>> stones_allowed(LuoziError("go: handicap={value} is not valid; {allowed}", value=1, allowed=allowed))
    'it must be 2 to 9'
    """
    allowed = error.message.values.get("allowed", error.message)
    most = allowed.values.get("most") if isinstance(allowed, Message) else None
    return Message("it must be {low} to {most}", low=2, most=most) if most else str(allowed)
