"""A game record as one HTML file: a board to step through, win rates and search results, without links to other files.

The board and its pieces are drawn once; a short script places the pieces of each position. A game that does not
describe its board is shown as text.
"""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from typing import Any

from luozi.drawing.board_picture import MANY, PictureLayout, board_shapes, piece_shapes
from luozi.drawing.primitives import number, shape_svg
from luozi.records.replay import GRADES, Replay, ReplayStep, found_table, only_win_rates
from luozi.reports.pages import Code, DefinitionList, Made, Section, page
from luozi.rules.board import NEUTRAL, Board, board_of, cells_of, pieces_of
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.util.parsing import JsonObject
from luozi.util.win_rates import EVALUATION, PROVEN, sentence, short, too_few

WIDTH, HEIGHT, RIM = 600.0, 150.0, 12.0  # of the graph
DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 5", "1 5", "6 2", "3 6", "10 2 4 2")
DRAWN = "#808080", "1 3"  # the line of draws: its colour and dashes


def replay_page(replay: Replay) -> str:
    """Return the whole file."""
    record = replay.record
    facts: list[tuple[str, Any]] = [("game", Code(record.game.spelling))]
    names = [record.game.player_name(player) for player in range(record.game.players)]
    facts += [(name, Code(player)) for name, player in zip(names, record.called, strict=True)]
    facts += [("date", record.date)] if record.date else []
    facts += [("result", replay.result), ("moves", f"{len(record.actions):,}")]
    sections = [
        Section("", [Made(player_html(replay))]),
        Section("The game", [DefinitionList(facts)]),
    ]
    title = " – ".join(record.called)
    return page(title, sections, "", f"A game of {record.game.spelling}")


def player_html(replay: Replay) -> str:
    """Return the player of the game, with its data and its script."""
    folder = resources.files("luozi.reports").joinpath("replay")
    style, script = (folder.joinpath(name).read_text("utf-8") for name in ("replay.css", "replay.js"))
    data = json.dumps(data_of(replay), separators=(",", ":")).replace("<", "\\u003c")
    moves = "".join(
        f'<li><button type="button" data-step="{step.number}">{escape(move_label(replay, step))}</button></li>'
        for step in replay.steps
    )
    return (
        f"<style>\n{style}</style>\n"
        f'<div class="replay" tabindex="-1"><div class="stage">{board_html(replay)}</div>'
        f'<div class="side">{controls(replay)}<p class="said" aria-live="polite"></p>{graph(replay)}'
        f'<div class="found"></div><ol class="moves" start="0">{moves}</ol></div></div>\n'
        f'<script type="application/json" id="replay-data">{data}</script>\n<script>\n{script}</script>'
    )


def move_label(replay: Replay, step: ReplayStep) -> str:
    """Return a move for the list: player, name, and marks of a mistake."""
    if step.player is None:
        return "start"
    return f"{replay.record.game.player_name(step.player)} {step.name}{GRADES[step.grade]}"


def controls(replay: Replay) -> str:
    """Return buttons and a slider; with known mistakes, also buttons from one to the next."""
    buttons = [("first", "|◀", "to the start"), ("previous", "◀", "one move back"), ("play", "play", "play or stop")]
    buttons += [("next", "▶", "one move on"), ("end", "▶|", "to the end")]
    if any(step.grade for step in replay.steps):
        buttons += [("worse", "◀ ?", "to the mistake before"), ("worst", "? ▶", "to the next mistake")]
    shown = "".join(
        f'<button type="button" data-do="{name}" title="{title}" aria-label="{title}">{sign}</button>'
        for name, sign, title in buttons
    )
    last = len(replay.steps) - 1
    slider = f'<input type="range" min="0" max="{last}" value="0" aria-label="the number of the move">'
    return f'<div class="controls">{shown}</div>{slider}'


# The board ------------------------------------------------------------------------------------------------------------


def board_html(replay: Replay) -> str:
    """Return the empty board with its pieces as definitions, or room for text."""
    game = replay.record.game
    board = board_of(game)
    if board is None:
        return '<pre class="text" role="img"></pre>'
    layout = PictureLayout(board)
    store = "".join(
        f'<g id="piece{place}">{"".join(map(shape_svg, piece_shapes(board, game.players, player, kind)))}</g>'
        for place, (player, kind) in enumerate(kinds_of(replay))
    )
    inside = "".join(map(shape_svg, board_shapes(layout, game.players)))
    size = f"{number(layout.width)} {number(layout.height)}"
    groups = '<g class="heat"></g><g class="pieces"></g><g class="marks"></g>'
    return f'<svg viewBox="0 0 {size}" role="img" aria-label="the board"><defs>{store}</defs>{inside}{groups}</svg>'


def kinds_of(replay: Replay) -> list[tuple[int, str]]:
    """Return every kind of piece of the game."""
    game = replay.record.game
    return sorted({piece[1:] for step in replay.steps for piece in pieces_of(game, step.state)} or {(NEUTRAL, "")})


def data_of(replay: Replay) -> JsonObject:
    """Return the data of the script."""
    game = replay.record.game
    board, kinds = board_of(game), {kind: place for place, kind in enumerate(kinds_of(replay))}
    centres = [] if board is None else [[round(x, 1), round(y, 1)] for x, y in PictureLayout(board).centres]
    names = [game.player_name(player) for player in range(game.players)]
    steps = [step_data(replay, step, board, kinds) for step in replay.steps]
    return {"centres": centres, "names": names, "result": replay.result, "steps": steps}


def step_data(replay: Replay, step: ReplayStep, board: Board | None, kinds: dict[tuple[int, str], int]) -> JsonObject:
    """Return the data of one position."""
    game = replay.record.game
    found: JsonObject = {"said": replay.move_text(step), "last": step.last, "winning": step.winning}
    found["told"] = told_of(game, step)
    found["comment"] = "" if only_win_rates(step) else step.comment
    found["grade"] = step.grade
    if board is None:
        found["text"] = game.show(step.state)
    else:
        found["pieces"] = [[cell, kinds[player, kind]] for cell, player, kind in pieces_of(game, step.state)]
    most = max((one.visits for one in step.found), default=1)
    found["others"] = step.marks
    names, rows = found_table(game, step.found)
    mover = -1 if game.is_terminal(step.state) else int(game.player_to_move(step.state))
    found["columns"] = ["candidate", "visits", *names, "line"]
    found["found"] = [
        [
            *row,
            one.visits,
            short(one.chances, mover),
            -1 if too_few(one.chances) else heat_cell(game, step.state, one.action),
        ]
        for one, row in zip(step.found, rows, strict=True)
    ]
    found["most"] = most
    return found


def told_of(game: Game, step: ReplayStep) -> str:
    """Return the expectations of a position as text; nothing if it was not searched."""
    if step.chances is None:
        return ""
    words = sentence(step.chances, [game.player_name(player) for player in range(game.players)])
    return f"evaluation {words}" if step.chances.kind == EVALUATION else words


def heat_cell(game: Game, state: State, action: int) -> int:
    """Return the cell where a candidate is shown, or -1."""
    cells = cells_of(game, "clicks", state, action)
    return cells[min(1, len(cells) - 1)] if cells else -1


# The graph ------------------------------------------------------------------------------------------------------------


def graph(replay: Replay) -> str:
    """Return the graph of the players' win rates, and of draws, over the moves; nothing if the record has none."""
    known = [(step.number, step.chances) for step in replay.steps if step.chances is not None]
    if len(known) < 2:
        return ""
    last, game = max(1, len(replay.steps) - 1), replay.record.game
    parts = [f'<line class="half" x1="{RIM}" x2="{WIDTH - RIM}" y1="{HEIGHT / 2}" y2="{HEIGHT / 2}"/>']
    drawn = any(chances.draw for _place, chances in known)
    names = [escape(game.player_name(player)) for player in range(game.players)] + ["draw"] * drawn
    if len(names) == 2:  # one says it all
        names = names[:1]
    looks = [(MANY[place % len(MANY)], DASHES[place % len(DASHES)]) for place in range(game.players)][: len(names)]
    looks += [DRAWN] * drawn
    for place, (colour, dash) in enumerate(looks):
        points = " ".join(
            f"{number(RIM + (WIDTH - 2 * RIM) * move / last)},"
            f"{number(RIM + (HEIGHT - 2 * RIM) * (1 - (*chances.wins, chances.draw or 0.0)[place]))}"
            for move, chances in known
        )
        look = f'stroke="{colour}" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{points}" fill="none" stroke-width="2" {look}/>')
    parts.append(f'<line class="now" x1="{RIM}" x2="{RIM}" y1="0" y2="{HEIGHT}"/>')
    box = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" data-left="{RIM:g}" data-right="{WIDTH - RIM:g}"'
    drawing = f'<svg {box} role="img" aria-label="chances over the game: {", ".join(names)}">{"".join(parts)}</svg>'
    keys = " ".join(
        f'<span style="color:{colour}">━ {name}</span>' for (colour, _dash), name in zip(looks, names, strict=True)
    )
    kinds = {
        EVALUATION if chances.kind == EVALUATION else "wins" for _place, chances in known if chances.kind != PROVEN
    }
    label = " and ".join(sorted(kinds, reverse=True)) or "wins"
    return f'<figure class="graph">{drawing}<figcaption>{label} {keys}</figcaption></figure>'
