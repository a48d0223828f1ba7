"""Looking back and looking in: earlier positions, the record, the tree of the engine, and a walk of one's own.

Nothing of it changes the game. `VIEWS` has the function for each type of request.
"""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING

from luozi.messages import LuoziError
from luozi.search.trace import IterationTrace
from luozi.web.answers import (
    LineMessage,
    SavedMessage,
    ShownMessage,
    StepData,
    StepMessage,
    TreeMessage,
    WhyMessage,
)
from luozi.web.board_views import shown
from luozi.web.handlers import Handler
from luozi.web.jobs import StepByStep, options_of
from luozi.web.requests import (
    GoToRequest,
    LineRequest,
    Request,
    SaveRequest,
    SeatChoice,
    StepRequest,
    TreeRequest,
    WalkRequest,
    WhyRequest,
)
from luozi.web.seats import read_player
from luozi.web.session import Session
from luozi.web.trace_data import line_changes, step_data, story

if TYPE_CHECKING:
    from luozi.web.socket import Connection

TOLD_STEPS = 20
STEP_SECONDS = 1.0  # the longest a message may keep a table busy
SHARE = 150  # branches with less than one in so many visits of the root are left out
WALK_DEPTH = 2


# Looking back ---------------------------------------------------------------------------------------------------------


async def go_to(session: Session, _: Connection, request: GoToRequest) -> ShownMessage:
    """An earlier position, with what was thought of it."""
    number, history = session.move_number(request.move), session.history
    view, thought = await session.sessions.work(lambda: (shown(history.at(number)), history.thought(number)))
    return ShownMessage(
        move=number,
        view=view,
        last=history.rows[number - 1] if number else None,
        thought=thought,
        means=history.means(number),
        value=history.value(number),
        last_moves=history.last_moves(number),
    )


async def look_at_line(session: Session, _: Connection, request: LineRequest) -> LineMessage:
    """What each move of a line changes on the board, from a position on."""
    number = session.move_number(request.move)
    position = session.history.at(number)
    return LineMessage(number, await session.sessions.work(line_changes, position, request.moves))


async def save(session: Session, _: Connection, request: SaveRequest) -> SavedMessage:
    """The record."""
    return await session.sessions.work(saved, session, request.format)


def saved(session: Session, form: str) -> SavedMessage:
    """The record in a form, and a name for its file."""
    spelling = session.history.spelling
    content = session.history.file(form, session.sessions.catalog.outside_spelling(spelling))
    message = SavedMessage(form, f"{spelling.partition(':')[0]}.{'txt' if form == 'text' else form}")
    if form == "gif":  # the one that is no text
        message.base64 = base64.b64encode(content).decode()
    else:
        message.text = content.decode()
    return message


# The engine's tree ----------------------------------------------------------------------------------------------------


async def look_at_tree(session: Session, _: Connection, request: TreeRequest) -> TreeMessage:
    """A part of a tree as it is now."""
    depth = 2 if request.depth is None else request.depth
    fewest, path = 1 if request.visits is None else request.visits, request.path or []
    work = session.sessions.work
    if request.of == "walk":
        walk = the_walk(session)
        found, actions = await work(walk.engine.subtree, depth, fewest, path), list(walk.position.moves)
    else:
        found, actions = await work(session.search.the_searcher().branches, depth, fewest, path, SHARE)
    message = TreeMessage(request.of or "engine", len(actions), path, found.visits, found)
    if request.view:
        start = session.history.start
        message.view = await work(lambda: shown(start.after([*actions, *path])))
    return message


async def why(session: Session, _: Connection, _request: WhyRequest) -> WhyMessage:
    """What selection sees at the root of the engine's tree, term by term."""
    search = session.search
    if session.thinking is not None and session.thinking.what != "analysis":
        raise LuoziError("the engine is thinking about a move: wait for it, or stop it first")
    searcher, position = search.the_searcher(), search.last_position
    search.stop()
    try:
        step: IterationTrace = await session.sessions.fetch(searcher.why, position)
    finally:
        search.go_on()
    if not step.path:
        raise LuoziError("nothing was chosen there: the result is certain")
    return WhyMessage(move=position.length, **step_data(step)["path"][0])


# A walk ---------------------------------------------------------------------------------------------------------------


async def begin_walk(session: Session, _: Connection, request: WalkRequest) -> StepMessage:
    """Begin a walk: an empty tree at a position."""
    position = session.history.at(session.move_number(request.move))
    if position.returns is not None:
        raise LuoziError("the game is over there: a search has nothing to do")
    player = read_player(request.player or SeatChoice("player", "mcts", options=request.options))
    if not player.searches:
        raise LuoziError("{name} has no iterations to go through: choose mcts, strong or a level", name=player.name)
    options, session.walk = options_of(player, session.game), None  # the memory of the last one is free
    seed = 1 if request.seed is None else request.seed
    resources = session.sessions.resources
    session.walk = await session.sessions.fetch(StepByStep, resources, session.game, position, options, seed)
    return await walk_message(session, [])


async def step(session: Session, _: Connection, request: StepRequest) -> StepMessage:
    """Some iterations of the walk."""
    return await walk_message(session, await session.sessions.fetch(stepped, the_walk(session), request.count or 1))


def stepped(walk: StepByStep, count: int) -> list[StepData]:
    """So many steps, or as many as the time allows; the last ones are told."""
    steps: list[IterationTrace] = []
    end = time.monotonic() + STEP_SECONDS
    while count > 0 and (not steps or time.monotonic() < end):
        steps = [*steps, *walk.step(1, 1)][-TOLD_STEPS:]
        count -= 1
    return [*map(step_data, steps[:-1]), story(walk.position, steps[-1])]  # boards take longer than steps


def the_walk(session: Session) -> StepByStep:
    """The walk under way."""
    if session.walk is None:
        raise LuoziError("there is no walk here: begin one first")
    return session.walk


async def walk_message(session: Session, steps: list[StepData]) -> StepMessage:
    """How far the walk is, with the top of its tree."""
    walk, tree = the_walk(session), None
    if walk.total:
        tree = await session.sessions.work(walk.engine.subtree, WALK_DEPTH, 1, [])
    return StepMessage(walk.position.length, walk.total, steps, tree)


VIEWS: dict[type[Request], Handler] = {
    GoToRequest: go_to,
    LineRequest: look_at_line,
    SaveRequest: save,
    TreeRequest: look_at_tree,
    WhyRequest: why,
    WalkRequest: begin_walk,
    StepRequest: step,
}
