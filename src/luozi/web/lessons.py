"""Data of the lessons: what the real engine did, for the page to tell. Start with `lesson`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from luozi.games import game as make_game
from luozi.messages import LuoziError, nearest
from luozi.rules.board import board_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Engine
from luozi.util.parsing import plain
from luozi.web.board_views import shown
from luozi.web.trace_data import line_changes, story

SMALL = "tictactoe:size=2,win_length=2"  # the board of the first lesson on UCT: who has two in a row wins
ITERATIONS = 24
ALLIANCE = Path(__file__).with_name("alliance.json")  # made by tools/scenes.py
MOST_SEED = 1000


def lesson(name: str, seed: int = 1) -> dict[str, Any]:
    """What a lesson needs; one sentence if there is no such lesson.

    >>> lesson("uct")["game"], lesson("alliance")["game"]
    ('tictactoe:size=2,win_length=2', 'five3d')
    """
    if name not in LESSONS:
        raise LuoziError(
            "there is no lesson '{name}'{nearest}", name=plain(name[:50]), nearest=nearest(name[:50], LESSONS)
        )
    return LESSONS[name](max(0, min(seed, MOST_SEED)))


@cache
def uct(seed: int) -> dict[str, Any]:
    """A search on the smallest board, iteration by iteration, with the tree after each."""
    game = make_game(SMALL)
    start, engine = game.begin(), Engine(game, compiled=False, seed=seed, selection="cp")
    steps, trees = [], []
    for _ in range(ITERATIONS):
        steps.append(story(start, engine.trace(start)))
        trees.append(engine.subtree(depth=4, visits=0).as_dict())
    return {**about(start), "seed": seed, "steps": steps, "trees": trees}


@cache
def alliance(_seed: int) -> dict[str, Any]:
    """Three players, and two of them who must stand together: the same positions by several searches."""
    played = json.loads(ALLIANCE.read_text(encoding="utf-8"))
    game = make_game(played["game"])
    return {**about(game.begin()), "acts": [act_data(game, act) for act in played["acts"]]}


def act_data(game: Game, act: dict[str, Any]) -> dict[str, Any]:
    """An act with the board at its start and what each move changes there."""
    start = game.begin().after(act["start"])
    runs = []
    for run in act["runs"]:
        actions = [move["action"] for move in run["moves"]]
        runs.append({**run, "changes": line_changes(start, actions)})
    return {**act, "view": shown(start), "runs": runs}


def about(start: Position) -> dict[str, Any]:
    """The game of a lesson, and its board at the start."""
    game = start.game
    names = [game.player_name(player) for player in range(game.players)]
    return {"game": game.spelling, "player_names": names, "board": board_of(game), "view": shown(start)}


LESSONS = {"uct": uct, "alliance": alliance}
