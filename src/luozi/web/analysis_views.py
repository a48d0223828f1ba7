"""Looking back and looking in: earlier positions, the record, the tree of the engine, and a walk of one's own."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any

from luozi.messages import LuoziError
from luozi.rules.board import PositionData
from luozi.rules.position import Position
from luozi.search.subtree import Branch
from luozi.search.trace import IterationTrace
from luozi.web.board_data import shown
from luozi.web.jobs import Searcher, Walk, options_of
from luozi.web.search_control import SearchControl
from luozi.web.seats import read_player
from luozi.web.session_base import Reply
from luozi.web.trace_data import line_changes, story

if TYPE_CHECKING:
    from luozi.web.socket import Connection

TOLD_STEPS = 20
STEP_SECONDS = 1.0  # the longest a message may keep a table busy
SHARE = 150  # branches with less than one in so many visits of the root are left out
WALK_DEPTH = 2


class AnalysisViews(SearchControl):
    """What changes nothing at the table."""

    # Looking back -----------------------------------------------------------------------------------------------------

    async def on_goto(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """An earlier position, with what was thought of it."""
        number, course = self.move_number(values["move"]), self.course
        seen, thought = await self.hall.work(lambda: (shown(course.at(number)), course.thought(number)))
        last = course.rows[number - 1] if number else None
        about = {"means": course.means(number), "value": course.value(number), "last_moves": course.last_moves(number)}
        return {"type": "shown", "move": number, "view": seen, "last": last, "thought": thought, **about}

    async def on_line(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """What each move of a line changes on the board, from a position on."""
        number = self.move_number(values.get("move"))
        state = self.course.at(number).state
        changes = await self.hall.work(line_changes, self.game, state, values["moves"])
        return {"type": "line", "move": number, "changes": changes}

    async def on_save(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """The record."""
        form = values["format"]
        return {"type": "saved", **await self.hall.work(self.saved, form)}

    def saved(self, form: str) -> dict[str, str]:
        """The record in a form, and a name for its file."""
        content = self.course.file(form, self.hall.offer.outside_spelling(self.course.spelling))
        name = self.course.spelling.partition(":")[0]
        about = {"format": form, "name": f"{name}.{ {'text': 'txt'}.get(form, form) }"}
        if form == "gif":  # the one that is no text
            return {**about, "base64": base64.b64encode(content).decode()}
        return {**about, "text": content.decode()}

    # The engine's tree ------------------------------------------------------------------------------------------------

    def searcher(self) -> Searcher:
        """The search that thinks now, or thought last."""
        thinker = self.thinking.thinker if self.thinking is not None else self.last_searcher
        if not isinstance(thinker, Searcher):
            raise LuoziError("no search has thought here yet: ask for a hint, or begin an analysis")
        return thinker

    async def on_tree(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """A part of a tree as it is now."""
        depth, fewest, path = values.get("depth", 2), values.get("visits", 1), values.get("path", [])
        if values.get("of", "engine") == "walk":
            walk = self.the_walk()
            found = await self.hall.work(self._walk_tree, walk, depth, fewest, path)
            of, actions, root = "walk", list(walk.position.moves), found.visits
        else:
            searcher = self.searcher()
            found, actions = await self.hall.work(searcher.branches, depth, fewest, path, SHARE)
            of, root = "engine", found.visits
        about = {"of": of, "move": len(actions), "path": path, "iterations": root}
        message: dict[str, Any] = {"type": "tree", **about, "tree": found.as_dict()}
        if values.get("view"):
            message["view"] = await self.hall.work(self._view_of, [*actions, *path])
        return message

    def _view_of(self, actions: list[int]) -> PositionData:
        """A position of a tree."""
        return shown(Position.begin(self.game).after(actions))

    async def on_why(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """What selection sees at the root of the engine's tree, term by term."""
        if self.thinking is not None and self.thinking.what != "analysis":
            raise LuoziError("the engine is thinking about a move: wait for it, or stop it first")
        searcher, position = self.searcher(), self.last_position
        self.stop_thinking()
        try:
            step = await self.hall.fetch(searcher.why, position)
        finally:
            self.go_on()
        if not step.path:
            raise LuoziError("nothing was chosen there: the result is certain")
        return {"type": "why", "move": position.length, **step.path[0].as_dict()}

    # A walk -----------------------------------------------------------------------------------------------------------

    async def on_walk(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Begin a walk: an empty tree at a position."""
        position = self.course.at(self.move_number(values.get("move")))
        if position.returns is not None:
            raise LuoziError("the game is over there: a search has nothing to do")
        player = read_player(values.get("player", {"name": "mcts", "options": values.get("options", {})}))
        if not player.searches:
            raise LuoziError("{name} has no iterations to go through: choose mcts, strong or a level", name=player.name)
        options, self.walk = options_of(player, self.game), None  # the memory of the last one is free
        self.walk = await self.hall.fetch(Walk, self.hall.minds, self.game, position, options, values.get("seed", 1))
        return await self._walk_message([])

    async def on_step(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Some iterations of the walk."""
        walk = self.the_walk()
        return await self._walk_message(await self.hall.fetch(self._stepped, walk, values.get("count", 1)))

    def _stepped(self, walk: Walk, count: int) -> list[dict[str, Any]]:
        """So many steps, or as many as the time allows; the last ones are told."""
        steps: list[IterationTrace] = []
        end = time.monotonic() + STEP_SECONDS
        while count > 0 and (not steps or time.monotonic() < end):
            steps = [*steps, *walk.step(1, 1)][-TOLD_STEPS:]
            count -= 1
        before = [step.as_dict() for step in steps[:-1]]
        return [*before, story(self.game, walk.position.state, steps[-1])]  # boards take longer than steps

    def the_walk(self) -> Walk:
        """The walk under way."""
        if self.walk is None:
            raise LuoziError("there is no walk here: begin one first")
        return self.walk

    def _walk_tree(self, walk: Walk, depth: int, visits: int, path: list[int]) -> Branch:
        return walk.engine.branches(depth, visits, path)

    async def _walk_message(self, steps: list[dict[str, Any]]) -> dict[str, Any]:
        walk = self.the_walk()
        tree = (await self.hall.work(self._walk_tree, walk, WALK_DEPTH, 1, [])).as_dict() if walk.total else None
        return {"type": "step", "move": walk.position.length, "total": walk.total, "steps": steps, "tree": tree}
