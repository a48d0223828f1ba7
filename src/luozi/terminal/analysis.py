"""`luozi think`: one position, what a program thinks of it, for people or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from luozi.compiled.cache import on_compile
from luozi.messages import LuoziError, Message, translate
from luozi.players import ForfeitError, Player, ResignationError, player
from luozi.players.engine import EnginePlayer
from luozi.players.ready_players import ReadyPlayers
from luozi.records.files import short_sentence
from luozi.rules.game import Game
from luozi.rules.move_names import read_move
from luozi.rules.position import Position
from luozi.search.readiness import HERE
from luozi.search.trace import IterationTrace
from luozi.terminal.board import board_text
from luozi.terminal.lists import show_thought
from luozi.terminal.thinking import Waiting
from luozi.util.machine import usual_threads
from luozi.util.parsing import JsonObject


def analyse(position: Position, spelling: str, seed: int | None, as_json: bool, trace: bool = False) -> None:
    """Think about a position, and print."""
    game = position.game
    defaults = {"threads": usual_threads()} if seed is None else {"seed": seed}
    thinker = player(spelling, game, searching=True, **defaults)
    if trace and not isinstance(thinker, EnginePlayer):
        raise LuoziError("--trace tells of simulations, and {of} has none: choose mcts or strong", of=thinker.spelling)
    waiting, console = Waiting(one_move=True), Console(highlight=False)
    on_compile(waiting.on_compile)
    if not as_json:
        width = console.width if console.is_terminal else 10_000
        console.print(board_text(game, position.state, width), soft_wrap=True)
    waiting.ready = ReadyPlayers(game, [thinker], stand_ins=False, settings=HERE)
    waiting.ready.readiness.start()
    try:
        action = waiting.choose(thinker, position, translate("{seat} thinks", seat=thinker.spelling))
    except (ForfeitError, ResignationError) as loss:
        raise LuoziError("{player} {what}", player=thinker.spelling, what=loss) from None
    if as_json:
        found = description(position, thinker, action) | ({"trace": trace_of(thinker, position)} if trace else {})
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if thinker.thought is not None:
        show_thought(console, thinker.thought)
    else:
        remark, move = f" ({translate(thinker.remark)})" if thinker.remark else "", position.name(action)
        console.print(Text(translate("{seat} plays {move}", seat=thinker.spelling, move=move) + remark))
    for line in trace_of(thinker, position) if trace else []:
        console.print(Text(translate(line)), soft_wrap=True)


def trace_of(thinker: Player, position: Position) -> list[str]:
    """One more iteration of a search, told."""
    return trace_lines(thinker.engine.trace(position)) if isinstance(thinker, EnginePlayer) else []


def trace_lines(step: IterationTrace) -> list[str]:
    """One iteration for people, a line for each move of its simulation.

    >>> trace_lines(IterationTrace((), ("E5", "M11"), (1.0, 0.0), ("random", "hane 3")))
    ['one simulation', '  1 random at E5', '  2 hane 3 at M11', 'credit 1, 0']
    """
    down = " ".join(one.name for one in step.path)
    reasons = step.reasons or ("random",) * len(step.simulation)
    told = enumerate(zip(reasons, step.simulation, strict=True), start=1)
    moves = [
        Message("{number} {reason} at {name}", number=f"{number:>3}", reason=reason, name=name)
        for number, (reason, name) in told
    ]
    credit = ", ".join(f"{value:g}" for value in step.credit)
    return [
        Message("one simulation after {text}", text=down) if down else "one simulation",
        *moves,
        Message("credit {text}", text=credit),
    ]


def position_after(game: Game, actions: Sequence[int], moves: Sequence[str]) -> Position:
    """The position after a record's actions and some named moves."""
    position = Position.begin(game).after(actions)
    for move in moves:
        if position.returns is not None:
            raise LuoziError("the game is over before '{name}'", name=move)
        try:
            position = position.play(read_move(game, position.state, move))
        except LuoziError as error:
            raise LuoziError(short_sentence(error)) from None
    if position.returns is not None:
        raise LuoziError("the game is over: there is no move to think about")
    return position


def description(position: Position, thinker: Player, action: int) -> JsonObject:
    """Everything for a machine."""
    thought = thinker.thought
    remark = {"remark": thinker.remark} if thinker.remark else {}
    found: JsonObject = {
        "game": position.game.spelling,
        "player": thinker.spelling,
        "to_move": position.game.player_name(position.to_move),
        "move": position.name(action),
        "action": action,
        **remark,
    }
    return found if thought is None else thought.as_dict() | found
