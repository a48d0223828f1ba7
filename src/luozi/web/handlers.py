"""What a table does with each type of request: `HANDLERS` is the table of functions.

`analysis_views` has those that only look.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from luozi.limits import Limits
from luozi.messages import LuoziError
from luozi.web.answers import Answer, MovedMessage, OkMessage, PausedMessage, TableMessage
from luozi.web.requests import (
    AnalyseRequest,
    GoOnRequest,
    HintRequest,
    MoveNowRequest,
    PlayRequest,
    Request,
    ResignRequest,
    SeatRequest,
    StopRequest,
    UndoRequest,
)
from luozi.web.search_control import LIVE
from luozi.web.seats import read_seat
from luozi.web.session import Session
from luozi.web.thinking import QueuedRequest

if TYPE_CHECKING:
    from luozi.web.socket import Connection

HINT_SECONDS = 1.0
Handler = Callable[[Session, "Connection", Any], Awaitable[Answer | None]]  # None: the answer comes later


# Moves and seats ------------------------------------------------------------------------------------------------------


async def play(session: Session, connection: Connection, request: PlayRequest) -> MovedMessage:
    """A move of whoever is to move."""
    move = request.action if request.text is None else request.text
    if move is None or None not in (request.action, request.text):
        raise LuoziError("a move is an action or a text")
    return await session.play(move, connection)


async def undo(session: Session, connection: Connection, request: UndoRequest) -> TableMessage:
    """Take moves back: to the last turn of a person, if nothing is said."""
    history = session.history
    has_resigned = history.played.resigned is not None
    moves = request.moves or (0 if has_resigned else history.moves_of_a_turn())
    if moves > history.number or (not moves and not has_resigned):
        raise LuoziError("there is no move to take back")
    return await session.take_back(moves, connection)


async def resign(session: Session, connection: Connection, request: ResignRequest) -> TableMessage:
    """A person gives up."""
    history = session.history
    if history.is_over:
        raise LuoziError("the game is over")
    seat = history.position.to_move if request.seat is None else request.seat
    if seat >= session.game.players or not history.seats[seat].is_person:
        raise LuoziError("only a person can resign: take that seat first")
    return await session.lose(seat, "", connection)


async def take_seat(session: Session, connection: Connection, request: SeatRequest) -> TableMessage:
    """Somebody else takes a seat."""
    if request.seat >= session.game.players:
        raise LuoziError(
            "{game} has {count} seats, counted from 0", game=session.history.spelling, count=session.game.players
        )
    seat = read_seat(request.choice, session.sessions.catalog.programs)
    session.sessions.check_seat(session.game, seat)
    return await session.seat(request.seat, seat, connection)


# Searches -------------------------------------------------------------------------------------------------------------


async def move_now(session: Session, _: Connection, _request: MoveNowRequest) -> OkMessage:
    """The program answers at once."""
    if session.thinking is not None and session.thinking.what == "move":
        session.thinking.move_now()
    elif session.search.paused:
        session.search.paused = False
        session.search.go_on()
    return OkMessage()


async def stop(session: Session, connection: Connection, _: StopRequest) -> OkMessage:
    """Nobody thinks, until somebody says so."""
    moving = session.thinking is not None and session.thinking.what == "move"
    session.search.analysing = None
    session.search.stop()
    if moving:
        session.search.paused = True
        session.tell(PausedMessage(True), connection)
    return OkMessage()


async def go_on(session: Session, connection: Connection, _: GoOnRequest) -> OkMessage:
    """Programs move again."""
    session.search.paused, session.search.failure = False, ""
    session.tell(PausedMessage(False), connection)
    session.search.go_on()
    return OkMessage()


async def analyse(session: Session, _: Connection, request: AnalyseRequest) -> OkMessage:
    """Analysis on or off, of the position on the board or of another."""
    number = session.move_number(request.move)
    position = LIVE if number == session.history.number else number
    session.search.analyse(position if request.on else None)
    return OkMessage()


async def hint(session: Session, connection: Connection, request: HintRequest) -> None:
    """What the engine would play, or would have played before a move that was made; the answer comes later."""
    position, search = session.history.at(session.move_number(request.move)), session.search
    if position.returns is not None or (request.move is None and session.history.is_over):
        raise LuoziError("the game is over: there is no hint to give")
    if session.thinking is not None and session.thinking.what == "move":
        raise LuoziError("a program is thinking about its move: stop it first, or wait")
    search.stop()
    limits = Limits(seconds=request.seconds or HINT_SECONDS)
    search.think("hint", search.the_analyst(), position, limits, QueuedRequest(connection, request.id))


HANDLERS: dict[type[Request], Handler] = {
    PlayRequest: play,
    UndoRequest: undo,
    ResignRequest: resign,
    SeatRequest: take_seat,
    MoveNowRequest: move_now,
    StopRequest: stop,
    GoOnRequest: go_on,
    AnalyseRequest: analyse,
    HintRequest: hint,
}
