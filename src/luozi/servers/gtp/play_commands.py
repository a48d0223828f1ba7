"""Commands that make moves, show the board, and count the end of a game."""

from __future__ import annotations

import time

from luozi.games.go.points import score_text
from luozi.messages import LuoziError
from luozi.protocols.gtp import COLOURS, RESIGN, colour_in, point_in
from luozi.servers.conversation import CommandTable
from luozi.servers.gtp.move_choice import MoveChoice
from luozi.servers.gtp.session import GtpSession, Words
from luozi.servers.gtp.setup import plays_in

STATUSES = ("alive", "dead", "seki", "black_territory", "white_territory")

commands = CommandTable[GtpSession, Words]("GTP 2")


# Moves ----------------------------------------------------------------------------------------------------------------


@commands.add("play", "COLOUR POINT")
def play(session: GtpSession, words: Words) -> str:
    """Play a move of either colour, which may play twice in a row."""
    session.position.play(colour_in(words), point_in(words, 1, session.position.terms.size))
    return ""


@commands.add("undo")
def undo(session: GtpSession, words: Words) -> str:
    """Take the last move back; the tree is kept."""
    session.position.undo()
    return ""


@commands.add("gogui-play_sequence", "COLOUR POINT...", "GoGui")
def gogui_play_sequence(session: GtpSession, words: Words) -> str:
    """Play several moves; all of them or none."""
    plays, before = plays_in(session, words), len(session.position.plays)
    try:
        for player, action in plays:
            session.position.play(player, action)
    except LuoziError:
        while len(session.position.plays) > before:
            session.position.undo()
        raise
    return ""


@commands.add("genmove", "COLOUR")
def genmove(session: GtpSession, words: Words) -> str:
    """Choose and play a move: a point, pass or resign."""
    player = colour_in(words)
    name, _thought = MoveChoice(session, player).choose()
    make(session, player, name)
    return name


@commands.add("kgs-genmove_cleanup", "COLOUR", "KGS")
def kgs_genmove_cleanup(session: GtpSession, words: Words) -> str:
    """Choose and play a move that captures dead stones, pass without any; never resign."""
    player = colour_in(words)
    name, _thought = MoveChoice(session, player, cleanup=True).choose()
    make(session, player, name)
    return name


@commands.add("reg_genmove", "COLOUR")
def reg_genmove(session: GtpSession, words: Words) -> str:
    """Choose a move without playing it; never resign."""
    player, hopeless = colour_in(words), list(session.hopeless)
    name, thought = MoveChoice(session, player).choose()
    session.hopeless = hopeless
    return name if name != RESIGN or thought is None else thought.name


def make(session: GtpSession, player: int, name: str) -> None:
    """Play an own move, and subtract its time."""
    session.clock.use(player, time.monotonic() - session.conversation.asked)
    if name != RESIGN:
        session.position.play(player, point_in((name,), 0, session.position.terms.size))


# The position ---------------------------------------------------------------------------------------------------------


@commands.add("showboard")
def showboard(session: GtpSession, words: Words) -> str:
    """Show the board as text."""
    return "\n" + session.position.game.show(session.position.state)


@commands.add("gogui-rules_board_size", "", "GoGui")
def gogui_rules_board_size(session: GtpSession, words: Words) -> str:
    """Return the number of lines of the board."""
    return str(session.position.terms.size)


@commands.add("gogui-rules_board", "", "GoGui")
def gogui_rules_board(session: GtpSession, words: Words) -> str:
    """Return the board row by row: X, O and dots."""
    size, board = session.position.terms.size, session.position.state.board
    return "\n".join(" ".join(".XO"[board[row * size + column]] for column in range(size)) for row in range(size))


@commands.add("gogui-rules_legal_moves", "", "GoGui")
def gogui_rules_legal_moves(session: GtpSession, words: Words) -> str:
    """List the legal moves of the side to move; none after two passes."""
    position = session.position
    return "" if position.has_ended else position.names(position.turn_of(position.to_move).actions)


@commands.add("gogui-rules_side_to_move", "", "GoGui")
def gogui_rules_side_to_move(session: GtpSession, words: Words) -> str:
    """Return the side to move."""
    return COLOURS[session.position.to_move]


# The end --------------------------------------------------------------------------------------------------------------


@commands.add("final_score")
def final_score(session: GtpSession, words: Words) -> str:
    """Score by the rules, with dead stones found by playouts: B+3.5, W+12 or 0."""
    return score_text(session.judge().score)


@commands.add("gogui-rules_final_result", "", "GoGui")
def gogui_rules_final_result(session: GtpSession, words: Words) -> str:
    """Return the score, or that the game goes on."""
    return score_text(session.judge().score) if session.position.has_ended else "the game goes on"


@commands.add("final_status_list", "STATUS")
def final_status_list(session: GtpSession, words: Words) -> str:
    """List the stones that are alive, dead or in seki, one chain a line; undecided ones are listed as seki.

    STATUS may also be black_territory or white_territory.
    """
    status, position = words[0].lower() if words else "", session.position
    if status not in STATUSES:
        raise LuoziError("syntax error: the status is alive, dead or seki")
    found, state = session.judge(), position.state
    dead, unsure = set(found.dead), set(found.undecided)
    if status in ("black_territory", "white_territory"):
        colour = 1 + (status == "white_territory")
        owned = [point for point, owner in enumerate(found.owners) if owner == colour != state.board[point]]
        return "\n".join(map(position.name, owned))
    stones = {point for point in range(position.game.points) if state.board[point]}
    wanted = {"alive": stones - dead - unsure, "dead": stones & dead - unsure, "seki": stones & unsure}[status]
    chains: dict[int, list[int]] = {}
    for point in sorted(wanted):
        chains.setdefault(int(state.chain[point]), []).append(point)
    return "\n".join(map(position.names, chains.values()))


@commands.add("luozi-ownership", "", "Luozi")
def luozi_ownership(session: GtpSession, words: Words) -> str:
    """Return the owner of each point without dead stones, row by row: 1 Black, -1 White, 0 neither."""
    size, owners = session.position.terms.size, session.judge().owners
    rows = [owners[row * size : (row + 1) * size] for row in range(size)]
    return "\n".join(" ".join(("0", "1", "-1")[owner] for owner in row) for row in rows)
