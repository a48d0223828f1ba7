"""A board as a drawing: stones, marks, and whose each point is. For Go and Gomoku."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from luozi.games.go.points import LETTERS, star_points
from luozi.games.go.rules import Go

CELL, EDGE = 24, 30
WOOD, GRID, BLACK, WHITE, RED, BLUE = "#e3b566", "#6b5433", "#15181b", "#fbfbf8", "#c8322b", "#1d6fb8"


def board_svg(
    game: Any, state: Any, ownership: Sequence[int] = (), marks: Mapping[int, str] | None = None, last: int = -1
) -> str:
    """A position as SVG. Squares on the points say whose they are; marks are short words on points, by number."""
    size = game.size if isinstance(game, Go) else game.rows
    side = 2 * EDGE + CELL * (size - 1)
    parts = [f'<svg viewBox="0 0 {side} {side}">', f'<rect width="{side}" height="{side}" rx="4" fill="{WOOD}"/>']
    parts += grid(size, side)
    for point in range(size * size):
        x, y = EDGE + CELL * (point % size), EDGE + CELL * (point // size)
        stone = int(state.board[point]) if isinstance(game, Go) else max(0, game.stone_at(state, point))
        if stone:
            fill = BLACK if stone == 1 else WHITE
            parts.append(f'<circle cx="{x}" cy="{y}" r="11" fill="{fill}" stroke="{BLACK}" stroke-width="0.8"/>')
        if point == last:
            parts.append(f'<circle cx="{x}" cy="{y}" r="4.5" fill="none" stroke="{RED}" stroke-width="2"/>')
        if ownership and abs(ownership[point]) >= 10:
            parts.append(owner_square(x, y, ownership[point]))
        if marks and point in marks:
            parts.append(mark(x, y, marks[point], stone))
    return "".join([*parts, "</svg>"])


def grid(size: int, side: int) -> list[str]:
    """Lines, star points and coordinates."""
    end, parts = side - EDGE, []
    for line in range(size):
        at = EDGE + CELL * line
        parts.append(f'<path d="M{EDGE} {at}H{end}M{at} {EDGE}V{end}" stroke="{GRID}" stroke-width="1" fill="none"/>')
        words = f'font-size="10" fill="{GRID}" text-anchor="middle"'
        parts.append(f'<text x="{at}" y="{side - 5}" {words}>{LETTERS[line] if line < len(LETTERS) else "?"}</text>')
        parts.append(f'<text x="9" y="{at + 3.5}" {words}>{size - line}</text>')
    for point in star_points(size):
        x, y = EDGE + CELL * (point % size), EDGE + CELL * (point // size)
        parts.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{GRID}"/>')
    return parts


def owner_square(x: int, y: int, owner: int) -> str:
    """A square as large as a point is sure."""
    half = 1 + 5 * abs(owner) / 100
    fill, edge = (BLACK, WHITE) if owner > 0 else (WHITE, BLACK)
    place = f'x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}"'
    return f'<rect {place} fill="{fill}" stroke="{edge}" stroke-width="0.6" opacity="0.85"/>'


def mark(x: int, y: int, word: str, stone: int) -> str:
    """A letter on a disc."""
    disc = "" if stone else f'<circle cx="{x}" cy="{y}" r="9" fill="{BLUE}"/>'
    ink = RED if stone else WHITE
    text = f'<text x="{x}" y="{y + 4}" font-size="11" font-weight="bold" fill="{ink}" text-anchor="middle">'
    return f"{disc}{text}{escape(word)}</text>"
