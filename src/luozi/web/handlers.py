"""What a session does with each type of request: `HANDLERS` has the function for each.

`open_session` is for the requests that start a session.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from luozi.limits import Limits
from luozi.messages import LuoziError
from luozi.search.trace import IterationTrace
from luozi.web import answers, requests
from luozi.web.board_data import line_changes, position_data, trace_data, trace_with_boards
from luozi.web.search_control import LIVE
from luozi.web.seat_players import StepByStep, options_of
from luozi.web.seats import read_player
from luozi.web.session import Session
from luozi.web.sessions import Sessions
from luozi.web.thinking import QueuedRequest

if TYPE_CHECKING:
    from luozi.web.socket import Connection

HINT_SECONDS = 1.0
SENT_STEPS = 20  # of those that one request asks for
STEP_SECONDS = 1.0  # that one request may take
STEP_DEPTH = 2  # of the tree that is sent with a step
SHARE = 150  # branches with less than one in so many visits of the root are left out
DRAWN = ("html", "gif")  # formats with pictures of all positions
NO_SESSION = "no game is open on this connection: start a new game first"
Handler = Callable[[Session, "Connection", Any], Awaitable[answers.Answer | None]]  # None: the response comes later


# New sessions ---------------------------------------------------------------------------------------------------------


async def open_session(
    sessions: Sessions, here: Session | None, request: requests.OpeningRequest
) -> tuple[Session, str]:
    """Start the session that a request asks for; return it and its secret. `here` is the client's session until now."""
    openings, run = sessions.openings, sessions.openers.run
    if isinstance(request, requests.NewRequest):
        return await sessions.add(await run(openings.new, request.game, request.seats, request.moves or ()))
    usual = None if here is None else [seat.choice for seat in here.history.seats]
    if isinstance(request, requests.FromHereRequest):
        if here is None:
            raise LuoziError(NO_SESSION)
        actions = here.history.position.moves[: here.move_number(request.move)]
        return await sessions.add(await run(openings.new, here.history.spelling, usual, actions))
    seats, spelling = request.seats or usual, here.history.spelling if here is not None else ""
    if isinstance(request, requests.EditRequest):
        game = request.game or spelling
        return await sessions.add(await run(openings.edited, game, request.pieces, request.to_move, seats))
    game = "" if isinstance(request, requests.LoadRequest) else request.game or spelling
    return await sessions.add(await run(openings.read, request.text, game, seats))


# Moves and seats ------------------------------------------------------------------------------------------------------


async def play(session: Session, connection: Connection, request: requests.PlayRequest) -> answers.MovedMessage:
    """Play a move of the side to move."""
    move = request.action if request.text is None else request.text
    if move is None or None not in (request.action, request.text):
        raise LuoziError("a move is an action or a text")
    return await session.play(move, connection)


async def undo(session: Session, connection: Connection, request: requests.UndoRequest) -> answers.TableMessage:
    """Take moves back, by default to the last turn of a person."""
    history = session.history
    has_resigned = history.played.resigned is not None
    moves = request.moves or (0 if has_resigned else history.moves_of_a_turn())
    if moves > history.number or (not moves and not has_resigned):
        raise LuoziError("there is no move to take back")
    return await session.take_back(moves, connection)


async def resign(session: Session, connection: Connection, request: requests.ResignRequest) -> answers.TableMessage:
    """Resign for a person."""
    history = session.history
    if history.is_over:
        raise LuoziError("the game is over")
    seat = history.position.to_move if request.seat is None else request.seat
    if seat >= session.game.players or not history.seats[seat].is_person:
        raise LuoziError("only a person can resign: take that seat first")
    return await session.lose(seat, "", connection)


async def take_seat(session: Session, connection: Connection, request: requests.SeatRequest) -> answers.TableMessage:
    """Give a seat to another player."""
    if request.seat >= session.game.players:
        raise LuoziError(
            "{game} has {count} seats, counted from 0", game=session.history.spelling, count=session.game.players
        )
    seat = session.sessions.openings.seat(session.game, request.choice)
    return await session.seat(request.seat, seat, connection)


# Searches -------------------------------------------------------------------------------------------------------------


async def move_now(session: Session, _: Connection, _request: requests.MoveNowRequest) -> answers.OkMessage:
    """Have the program move at once."""
    if session.thinking is not None and session.thinking.what == "move":
        session.thinking.move_now()
    elif session.search.paused:
        session.search.paused = False
        session.search.go_on()
    return answers.OkMessage()


async def stop(session: Session, connection: Connection, _: requests.StopRequest) -> answers.OkMessage:
    """Stop the search; a program that was to move pauses."""
    moving = session.thinking is not None and session.thinking.what == "move"
    session.search.analysing = None
    session.search.stop()
    if moving:
        session.search.paused = True
        session.broadcast(answers.PausedMessage(True), connection)
    return answers.OkMessage()


async def go_on(session: Session, connection: Connection, _: requests.GoOnRequest) -> answers.OkMessage:
    """Let programs move again."""
    session.search.paused, session.search.failure = False, ""
    session.broadcast(answers.PausedMessage(False), connection)
    session.search.go_on()
    return answers.OkMessage()


async def analyse(session: Session, _: Connection, request: requests.AnalyseRequest) -> answers.OkMessage:
    """Turn the analysis on or off, of the last position or of another."""
    number = session.move_number(request.move)
    position = LIVE if number == session.history.number else number
    session.search.analyse(position if request.on else None)
    return answers.OkMessage()


async def hint(session: Session, connection: Connection, request: requests.HintRequest) -> None:
    """Start a search for a hint, also about an earlier position; the response comes at its end."""
    position, search = session.history.at(session.move_number(request.move)), session.search
    if position.returns is not None or (request.move is None and session.history.is_over):
        raise LuoziError("the game is over: there is no hint to give")
    if session.thinking is not None and session.thinking.what == "move":
        raise LuoziError("a program is thinking about its move: stop it first, or wait")
    search.stop()
    limits = Limits(seconds=request.seconds or HINT_SECONDS)
    search.think("hint", search.the_analyst(), position, limits, QueuedRequest(connection, request.id))


# Earlier positions and records ----------------------------------------------------------------------------------------


async def go_to(session: Session, _: Connection, request: requests.GoToRequest) -> answers.ShownMessage:
    """Return an earlier position with its search result."""
    number, history, run = session.move_number(request.move), session.history, session.sessions.workers.run
    view, thought = await run(lambda: (position_data(history.at(number)), history.thought(number)))
    return answers.ShownMessage(
        move=number,
        view=view,
        last=history.rows[number - 1] if number else None,
        thought=thought,
        means=history.means(number),
        value=history.value(number),
        last_moves=history.last_moves(number),
    )


async def show_line(session: Session, _: Connection, request: requests.LineRequest) -> answers.LineMessage:
    """Return what each move of a line changes on the board."""
    number = session.move_number(request.move)
    position = session.history.at(number)
    return answers.LineMessage(number, await session.sessions.workers.run(line_changes, position, request.moves))


async def save(session: Session, _: Connection, request: requests.SaveRequest) -> answers.SavedMessage:
    """Return the game in a format."""
    return await in_format(session, request.format)


async def in_format(session: Session, form: str) -> answers.SavedMessage:
    """Return the game in a format. A format with pictures of all positions takes long, so nobody else waits for it."""
    sessions = session.sessions
    return await (sessions.drawers if form in DRAWN else sessions.workers).run(saved, session, form)


def saved(session: Session, form: str) -> answers.SavedMessage:
    """Return the game in a format, and a name for its file."""
    spelling = session.history.spelling
    content = session.history.file(form, session.sessions.catalog.outside_spelling(spelling))
    message = answers.SavedMessage(form, f"{spelling.partition(':')[0]}.{'txt' if form == 'text' else form}")
    if form == "gif":  # the only one that is no text
        message.base64 = base64.b64encode(content).decode()
    else:
        message.text = content.decode()
    return message


# Trees ----------------------------------------------------------------------------------------------------------------


async def show_tree(session: Session, _: Connection, request: requests.TreeRequest) -> answers.TreeMessage:
    """Return a part of the tree of the engine, also during its search, or of the step-by-step search."""
    run, path = session.sessions.workers.run, request.path or []
    depth = 2 if request.depth is None else request.depth
    visits = 1 if request.visits is None else request.visits
    if request.of == "walk":
        steps = the_steps(session)
        found, actions = await run(steps.engine.subtree, depth, visits, path), list(steps.position.moves)
    else:
        found, actions = await run(session.search.the_search().branches, depth, visits, path, SHARE)
    message = answers.TreeMessage(request.of or "engine", len(actions), path, found.visits, found)
    if request.view:
        start = session.history.start
        message.view = await run(lambda: position_data(start.after([*actions, *path])))
    return message


async def why(session: Session, _: Connection, _request: requests.WhyRequest) -> answers.WhyMessage:
    """Return the terms of the selection policy at the root of the engine's tree."""
    search = session.search
    if session.thinking is not None and session.thinking.what != "analysis":
        raise LuoziError("the engine is thinking about a move: wait for it, or stop it first")
    player, position = search.the_search(), search.last_position
    search.stop()
    try:
        step: IterationTrace = await session.sessions.openers.run(player.why, position)
    finally:
        search.go_on()
    if not step.path:
        raise LuoziError("there is no selection to show: the result is proven")
    return answers.WhyMessage(move=position.length, **trace_data(step)["path"][0])


# Step-by-step searches ------------------------------------------------------------------------------------------------


async def start_steps(session: Session, _: Connection, request: requests.WalkRequest) -> answers.StepMessage:
    """Start a step-by-step search with an empty tree at a position."""
    position = session.history.at(session.move_number(request.move))
    if position.returns is not None:
        raise LuoziError("the game is over there: a search has nothing to do")
    player = read_player(request.player or requests.SeatChoice("player", "mcts", options=request.options))
    if not player.searches:
        raise LuoziError("{name} has no iterations to go through: choose mcts, strong or a level", name=player.name)
    options, session.steps = options_of(player, session.game), None  # the memory of the last one is free
    seed = 1 if request.seed is None else request.seed
    sessions = session.sessions
    session.steps = await sessions.openers.run(StepByStep, sessions.resources, session.game, position, options, seed)
    return await steps_message(session, [])


async def step(session: Session, _: Connection, request: requests.StepRequest) -> answers.StepMessage:
    """Run iterations of the step-by-step search."""
    return await steps_message(
        session, await session.sessions.openers.run(run_steps, the_steps(session), request.count or 1)
    )


def run_steps(steps: StepByStep, count: int) -> list[answers.StepData]:
    """Run iterations for at most STEP_SECONDS; return the last ones, and only the last with boards, which take long."""
    traces: list[IterationTrace] = []
    end = time.monotonic() + STEP_SECONDS
    while count > 0 and (not traces or time.monotonic() < end):
        traces = [*traces, steps.step()][-SENT_STEPS:]
        count -= 1
    return [*map(trace_data, traces[:-1]), trace_with_boards(steps.position, traces[-1])]


def the_steps(session: Session) -> StepByStep:
    """Return the step-by-step search under way."""
    if session.steps is None:
        raise LuoziError("no step-by-step search is running here: start one first")
    return session.steps


async def steps_message(session: Session, steps: list[answers.StepData]) -> answers.StepMessage:
    """Return the message about iterations of the step-by-step search, with the top of its tree."""
    search, tree = the_steps(session), None
    if search.total:
        tree = await session.sessions.workers.run(search.engine.subtree, STEP_DEPTH, 1, [])
    return answers.StepMessage(search.position.length, search.total, steps, tree)


HANDLERS: dict[type[requests.Request], Handler] = {
    requests.PlayRequest: play,
    requests.UndoRequest: undo,
    requests.ResignRequest: resign,
    requests.SeatRequest: take_seat,
    requests.MoveNowRequest: move_now,
    requests.StopRequest: stop,
    requests.GoOnRequest: go_on,
    requests.AnalyseRequest: analyse,
    requests.HintRequest: hint,
    requests.GoToRequest: go_to,
    requests.LineRequest: show_line,
    requests.SaveRequest: save,
    requests.TreeRequest: show_tree,
    requests.WhyRequest: why,
    requests.WalkRequest: start_steps,
    requests.StepRequest: step,
}
