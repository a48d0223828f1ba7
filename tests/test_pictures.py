"""Pictures: whatever is drawn is SVG that parses, with every stone at its place."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import luozi
from luozi.drawing.board_picture import EDGE, UNIT, Marks, picture, scene_of
from luozi.drawing.primitives import Disc, Stroke
from luozi.rules.board import board_of
from luozi.search.showing import heat_of, tree_scene

MORRIS = str(Path(__file__).parents[1] / "examples" / "morris.py")
GAMES = (
    "tictactoe", "gomoku", "connect4:blocked=3.4", "five3d", "qubic:gravity=true", "go:size=9", "othello", "hex",
    "y", "breakthrough", "amazons", "nim", "lines:layers=2,players=9,rows=3,columns=3,win_length=3", MORRIS,
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


def shapes_of(svg, kind, **wanted):
    """The shapes of one kind that have these attributes."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}{kind}")
    return [one for one in found if all(one.get(name) == value for name, value in wanted.items())]


@pytest.mark.parametrize("spelling", GAMES)
def test_every_board_is_drawn(spelling):
    game = luozi.game(spelling)
    state = game.new_state()
    scene = scene_of(game, game.after(state, game.legal_list(state)[0]))
    root = ElementTree.fromstring(scene.svg())
    width, height = (float(size) for size in root.get("viewBox").split()[2:])
    for circle in root.iter(f"{SVG}circle"):  # nothing stands outside
        x, y, radius = (float(circle.get(name)) for name in ("cx", "cy", "r"))
        assert radius <= x <= width - radius
        assert radius <= y <= height - radius


def test_stones_are_where_they_were_put():
    game = luozi.game("go:size=5")
    state = game.after(game.after(game.new_state(), 7), 24)  # C4, E1
    svg = scene_of(game, state, Marks(last=[24])).svg()
    black, white = (shapes_of(svg, "circle", fill=colour, stroke="#15181b") for colour in ("#15181b", "#fbfbf8"))
    places = [(float(one.get("cx")), float(one.get("cy"))) for one in (*black, *white)]
    assert places == [(EDGE + 2.5 * UNIT, EDGE + 1.5 * UNIT), (EDGE + 4.5 * UNIT, EDGE + 4.5 * UNIT)]
    assert len(shapes_of(svg, "circle", fill="none")) == 1  # the last move
    assert "Black: C4; White: E1" in svg  # for those who can't see it
    words = [one.text for one in shapes_of(svg, "text")]
    assert words == ["A", "B", "C", "D", "E", "5", "4", "3", "2", "1"]


def test_three_players_differ_in_shape_and_colour():
    game = luozi.game("five3d:size=3,win_length=3")
    state = game.new_state()
    for cell in (0, 1, 2):
        state = game.after(state, cell)
    svg = scene_of(game, state).svg()
    assert len(shapes_of(svg, "circle", fill="#0072b2")) == 1
    (square,) = shapes_of(svg, "polygon", fill="#d55e00")
    (triangle,) = shapes_of(svg, "polygon", fill="#00805c")
    assert [len(one.get("points").split()) for one in (square, triangle)] == [4, 3]


@pytest.mark.parametrize("spelling", ["tictactoe", "qubic"])
def test_two_players_on_small_boards_and_in_boxes_are_crosses_and_rings(spelling):
    game = luozi.game(spelling)
    empty = scene_of(game, game.new_state())
    cross = scene_of(game, game.after(game.new_state(), 0))
    both = scene_of(game, game.after(game.after(game.new_state(), 0), 1))
    assert [type(shape) for shape in cross.shapes if shape not in empty.shapes] == [Stroke, Stroke]
    (ring,) = [shape for shape in both.shapes if shape not in cross.shapes]
    assert isinstance(ring, Disc)
    assert ring.fill == "none"


def test_a_picture_marks_the_winning_line():
    game = luozi.game("connect4")
    state = game.new_state()
    for column in (0, 1, 0, 1, 0, 1):
        state = game.after(state, column)
    assert len(shapes_of(picture(game, state, 0).svg, "circle", stroke="#0b8f5a")) == 4
    assert picture(game, state)._repr_html_().startswith("<div")


def test_a_game_without_a_board_is_shown_as_text():
    pytest.importorskip("pyspiel")
    game = luozi.from_openspiel("tic_tac_toe")
    shown = luozi.picture(game, action=0)
    assert shown.svg == ""
    assert shown._repr_html_().startswith("<pre>")
    assert "x" in repr(shown)


@pytest.mark.usefixtures("as_written")
def test_thoughts_and_trees_draw_themselves():
    game = luozi.game("tictactoe")
    state = game.new_state()
    for cell in (0, 3, 1, 4):
        state = game.after(state, cell)
    engine = luozi.Engine(game, seed=1)
    thought = engine.think(state, iterations=200)
    heat = heat_of(game, state, thought)
    assert max(heat, key=lambda cell: heat[cell][0]) == 2  # the winning cell
    html = thought._repr_html_()
    drawing = html[html.index("<svg") : html.index("</svg>") + 6]
    assert len(shapes_of(drawing, "text", **{"font-weight": "bold"})) == sum(text != "" for _, text in heat.values())
    root = engine.subtree(depth=2)
    nodes = shapes_of(root._repr_svg_(), "circle")
    assert len(nodes) == 1 + len(root.children) + sum(len(child.children) for child in root.children)
    assert f"{root.visits:,} visits" in tree_scene(root).title


def test_results_draw_themselves():
    html = luozi.match("random", "random", game="tictactoe", games=4, workers=1)._repr_html_()
    ElementTree.fromstring(f"<div>{html}</div>")
    assert html.count("<tr>") == 3


def test_the_layers_of_a_box_do_not_overlap():
    game = luozi.game("five3d")
    scene = scene_of(game, game.new_state())
    cells = [one for one in shapes_of(scene.svg(), "polygon") if one.get("stroke-width") == "0.7"]
    assert len(cells) == len({one.get("points") for one in cells}) == board_of(game).cells == 216
