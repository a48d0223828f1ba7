"""A game position by position in the terminal: forward with Enter, back with b, anywhere by a number."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from luozi.messages import translate
from luozi.records.replay import Replay, ReplayStep, found_table, only_says
from luozi.rules.game import Game
from luozi.terminal.board import board_text
from luozi.terminal.lists import named_again
from luozi.util.parsing import whole_number
from luozi.util.tables import FIGURE, LABEL, TextColumn, show_table
from luozi.util.win_rates import EVALUATION, sentence

CANDIDATE, VISITS, LINE = TextColumn("candidate", LABEL), TextColumn("visits", FIGURE), TextColumn("line", LABEL)
HELP = "Enter: next   b: back   a number: that move   m: next mistake   q: quit"
SHOWN = 5


def step_through(replay: Replay) -> None:
    """Show positions as they are asked for; all of them where nobody can ask."""
    console = Console(highlight=False)
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
    """Where to go from a position by what was typed; None: nowhere.

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
    """A position, the move that led to it, and what is known of it."""
    game = replay.record.game
    words = [translate(replay.move_text(step))]
    if step.number == len(replay.steps) - 1:
        words.append(translate(replay.result))
    told = said_of(game, step)
    words += [told] if told else []
    if step.comment.strip() and not only_says(step):
        words.append(" ".join(step.comment.split()))
    console.print()
    console.print(Text("  ".join(words), "bold"), soft_wrap=True)
    marks = {cells[-1] for cells in (step.last, *step.marks) if cells}
    console.print(board_text(game, step.state, console.width, marks))
    if step.found:
        names, rows = found_table(game, step.found[:SHOWN])
        columns = [CANDIDATE, VISITS, *(TextColumn(name, FIGURE) for name in names), LINE]
        show_table(console, [*named_again(columns[:2]), *columns[2:-1], *named_again(columns[-1:])], rows)


def said_of(game: Game, step: ReplayStep) -> str:
    """What everybody may expect of a position, in words; nothing where nobody searched."""
    if step.chances is None:
        return ""
    words = sentence(step.chances, [game.player_name(player) for player in range(game.players)], translate)
    return f"{translate('evaluation')} {words}" if step.chances.kind == EVALUATION else words
