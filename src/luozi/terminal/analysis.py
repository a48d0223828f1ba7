"""`luozi think` and `luozi replay`: a position with its search result, and a game position by position."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from luozi.compiled.cache import on_compile
from luozi.messages import LuoziError, Message, translate
from luozi.players import ForfeitError, Player, ResignationError, player
from luozi.players.engine import EnginePlayer, ReadyPlayers
from luozi.records.files import short_sentence
from luozi.records.replay import Replay, ReplayStep, found_table, only_win_rates
from luozi.rules.game import Game
from luozi.rules.move_names import read_move
from luozi.rules.position import Position
from luozi.search.readiness import HERE
from luozi.search.trace import IterationTrace
from luozi.terminal.board import board_text
from luozi.terminal.lists import show_search_result, translated_columns
from luozi.terminal.thinking import Waiting
from luozi.util.console import TextConsole
from luozi.util.machine import usual_threads
from luozi.util.parsing import JsonObject, whole_number
from luozi.util.tables import FIGURE, LABEL, TextColumn, show_table
from luozi.util.win_rates import EVALUATION, sentence


def analyse(position: Position, spelling: str, seed: int | None, as_json: bool, trace: bool = False) -> None:
    """Search a position, and print the result."""
    game = position.game
    defaults = {"threads": usual_threads()} if seed is None else {"seed": seed}
    thinker = player(spelling, game, searching=True, **defaults)
    if trace and not isinstance(thinker, EnginePlayer):
        raise LuoziError("--trace shows a playout, and {of} has none: choose mcts or strong", of=thinker.spelling)
    waiting, console = Waiting(one_move=True), TextConsole(highlight=False)
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
        found = description(position, thinker, action) | ({"trace": trace_text(thinker, position)} if trace else {})
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if thinker.thought is not None:
        show_search_result(console, thinker.thought)
    else:
        remark, move = f" ({translate(thinker.remark)})" if thinker.remark else "", position.name(action)
        console.print(Text(translate("{seat} plays {move}", seat=thinker.spelling, move=move) + remark))
    for line in trace_text(thinker, position) if trace else []:
        console.print(Text(translate(line)), soft_wrap=True)


def trace_text(thinker: Player, position: Position) -> list[str]:
    """Return one more iteration of a search as text."""
    return trace_lines(thinker.engine.trace(position)) if isinstance(thinker, EnginePlayer) else []


def trace_lines(step: IterationTrace) -> list[str]:
    """Return one iteration as text, a line for each move of its playout.

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
    """Return the position after a record's actions and some named moves.

    Raises:
        LuoziError: a move is illegal, or the game is over.
    """
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
    """Return a position and its search result as JSON values."""
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


CANDIDATE, VISITS, LINE = TextColumn("candidate", LABEL), TextColumn("visits", FIGURE), TextColumn("line", LABEL)
HELP = "Enter: next   b: back   a number: that move   m: next mistake   q: quit"
SHOWN = 5


def step_through(replay: Replay) -> None:
    """Show positions as a person asks for them; all of them without a terminal."""
    console = TextConsole(highlight=False)
    console.print(Text(translate(replay.title), "bold"))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for step in replay.steps:
            show_step(console, replay, step)
        return
    number: int | None = 0
    console.print(Text(translate(HELP), "dim"))
    while number is not None:
        show_step(console, replay, replay.steps[number])
        try:
            number = next_step(
                replay, number, input(translate("{number} of {count}> ", number=number, count=len(replay.steps) - 1))
            )
        except EOFError:
            return


def next_step(replay: Replay, number: int, typed: str) -> int | None:
    """Return the number of the next position by what was typed; None to quit.

    >>> from types import SimpleNamespace
    >>> replay = SimpleNamespace(steps=[SimpleNamespace(grade=grade) for grade in (0, 0, 2)])
    >>> [next_step(replay, 1, typed) for typed in ("", "b", "0", "99", "m", "q", "?")]
    [2, 0, 0, 2, 2, None, 1]
    """
    word, last = typed.strip().lower(), len(replay.steps) - 1
    if word in ("q", "quit"):
        return None
    if word in ("", "n", "next"):
        return min(last, number + 1)
    if word in ("b", "back", "p", "previous"):
        return max(0, number - 1)
    if word in ("m", "mistake"):
        return next((at for at in range(number + 1, last + 1) if replay.steps[at].grade), number)
    wanted = whole_number(word, 0, 10**9) if word.isdigit() else None
    return number if wanted is None else min(wanted, last)


def show_step(console: Console, replay: Replay, step: ReplayStep) -> None:
    """Show a position, the move before it, and its win rates and candidates."""
    game = replay.record.game
    words = [translate(replay.move_text(step))]
    if step.number == len(replay.steps) - 1:
        words.append(translate(replay.result))
    told = win_rates_line(game, step)
    words += [told] if told else []
    if step.comment.strip() and not only_win_rates(step):
        words.append(" ".join(step.comment.split()))
    console.print()
    console.print(Text("  ".join(words), "bold"), soft_wrap=True)
    marks = {cells[-1] for cells in (step.last, *step.marks) if cells}
    console.print(board_text(game, step.state, console.width, marks))
    if step.found:
        names, rows = found_table(game, step.found[:SHOWN])
        columns = [CANDIDATE, VISITS, *(TextColumn(name, FIGURE) for name in names), LINE]
        show_table(console, [*translated_columns(columns[:2]), *columns[2:-1], *translated_columns(columns[-1:])], rows)


def win_rates_line(game: Game, step: ReplayStep) -> str:
    """Return the win rates of a position as text; empty without a search."""
    if step.chances is None:
        return ""
    words = sentence(step.chances, [game.player_name(player) for player in range(game.players)], translate)
    return f"{translate('evaluation')} {words}" if step.chances.kind == EVALUATION else words
