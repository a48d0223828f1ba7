"""Search results and trees as pictures for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from luozi.drawing.board_picture import BLACK, BLUE, LIGHT, WHITE, Marks, scene_of
from luozi.drawing.primitives import Disc, Scene, Shape, Stroke, Words, mixed
from luozi.rules.board import cells_of
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.util.win_rates import short, too_few

if TYPE_CHECKING:
    from luozi.search.result import SearchResult
    from luozi.search.subtree import Branch

MOST_HEAT = 12  # candidates that a board shows
MOST_NODES, MOST_NAMED = 300, 60  # of a tree
LEAST_TOLD = 0.005  # chances below are not written down
ORANGE = "#d55e00"
ACROSS, DOWN, RIM = 26.0, 62.0, 26.0  # between nodes


def heat_of(game: Game, state: State, thought: SearchResult) -> dict[int, tuple[float, str]]:
    """Return the leading candidates by cell: visits as a share of the most visited one's, and the win rate.

    Nothing where too few visits say it.
    """
    most, found = max([1, *(one.visits for one in thought.candidates)]), dict[int, tuple[float, str]]()
    leading = [candidate for candidate in thought.candidates if candidate.visits][:MOST_HEAT]
    for one in [candidate for candidate in leading if not too_few(thought.chances(candidate))]:
        cells = cells_of(game, "clicks", state, one.action)
        cell = cells[min(1, len(cells) - 1)] if cells else None
        if cell is not None and cell not in found:  # the most visited come first
            found[cell] = one.visits / most, short(thought.chances(one), thought.player)
    return found


def policy_of(game: Game, state: State, thought: SearchResult) -> dict[int, tuple[float, str]]:
    """Return what a network proposes before any search, by cell: the share of its likeliest cell, and per cent.

    Where a move has several cells, the last one counts, for all moves that end there.
    """
    priors = dict[int, float]()
    for one in thought.candidates:
        cells = cells_of(game, "clicks", state, one.action) if one.prior else []
        if cells and one.prior:
            priors[cells[-1]] = priors.get(cells[-1], 0.0) + one.prior
    most = max([1e-9, *priors.values()])
    return {cell: (prior / most, f"{100 * prior:.0f}" if prior >= LEAST_TOLD else "") for cell, prior in priors.items()}


def thought_html(thought: SearchResult) -> str:
    """Return the board with a heat map of the candidates, if the game has one, and a table with a bar for each.

    Where a network values positions, another board shows what it proposed before the search.
    """
    position, drawing = thought.position, ""
    if position is not None:
        game, state = position.game, position.state
        maps = {"what the search visited": heat_of(game, state, thought)}
        if thought.learned:
            maps["what the network proposed, in per cent"] = policy_of(game, state, thought)
        for title, heat in maps.items():
            scene = scene_of(game, state, Marks(heat=heat))
            caption = f"<div>{title}</div>" if thought.learned else ""
            drawing += f'<div style="width:22rem">{caption}{scene.svg()}</div>' if scene is not None else ""
    total = max([1, *(candidate.visits for candidate in thought.candidates)])
    rows = []
    for candidate, row in zip(thought.candidates, thought.rows(), strict=False):
        bar = f"<div style='background:#4a7;height:1em;width:{200 * candidate.visits // total}px'></div>"
        rows.append(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}<td>{bar}</td></tr>")
    head = f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in thought.header())}<th></th></tr>"
    rows_of_moves = f'<table style="white-space:nowrap">{head}{"".join(rows)}</table>'
    table = f"<div>{rows_of_moves}<p>{escape(thought.summary())}</p></div>"
    return f'<div style="display:flex;flex-wrap:wrap;gap:1.5rem">{drawing}{table}</div>'


def tree_scene(root: Branch) -> Scene:
    """Return a tree, the root on top.

    Nodes as large as they were visited, blue where who moves at the root does well.
    """
    player, shapes, named = root.player or 0, list[Shape](), list[Shape]()
    fewest = fewest_visits(root)
    width, deepest, count = 0.0, 0, 0

    def lay_out(node: Branch, depth: int) -> float:
        """Draw what is below a node, then the node in the middle of it."""
        nonlocal width, deepest, count
        places = [lay_out(child, depth + 1) for child in node.children if child.visits >= fewest]
        if not places:
            width += ACROSS
        x, y = RIM + ((places[0] + places[-1]) / 2 - RIM if places else width - ACROSS / 2), RIM + depth * DOWN
        deepest, count = max(deepest, depth), count + 1
        radius = 3 + 11 * math.sqrt(node.visits / max(1, root.visits))
        shapes[:0] = [Stroke(((x, y), (place, y + DOWN)), mixed(BLACK, WHITE, 0.35)) for place in places]
        fill = value_colour(node.means[player]) if node.visits else WHITE
        shapes.append(Disc(x, y, radius, fill, BLACK, 2.2 if node.proven else 0.8))
        named.append(Words(x, y + radius + 7, node.name, 8.5, BLACK))
        return x

    lay_out(root, 0)
    words = named if count <= MOST_NAMED else [word for word in named if isinstance(word, Words) and word.y < 2 * DOWN]
    title = f"a tree of {count:,} positions, {root.visits:,} visits at the root"
    return Scene(width + 2 * RIM, deepest * DOWN + 2 * RIM, (*shapes, *words), title)


def value_colour(mean: float) -> str:
    """Return a colour from orange for a loss over a light one to blue for a win.

    >>> value_colour(0.5) == LIGHT, value_colour(1.0) == BLUE
    (True, True)
    """
    return mixed(BLUE if mean > 0.5 else ORANGE, LIGHT, min(1.0, abs(2 * mean - 1)))


def fewest_visits(root: Branch) -> int:
    """Return the fewest visits of a node that is drawn."""
    visits, todo = list[int](), [root]
    while todo:
        node = todo.pop()
        visits.append(node.visits)
        todo += node.children
    visits.sort(reverse=True)
    return visits[MOST_NODES] + 1 if len(visits) > MOST_NODES else 0
