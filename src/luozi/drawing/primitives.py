"""Pictures of few shapes: discs, areas, strokes and words, drawn as SVG here and as pixels by `reports.gif`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

Point = tuple[float, float]


class Disc(NamedTuple):
    """A circle, filled or not."""

    x: float
    y: float
    radius: float
    fill: str = "none"
    stroke: str = "none"
    width: float = 0.0


class Area(NamedTuple):
    """A polygon."""

    points: tuple[Point, ...]
    fill: str = "none"
    stroke: str = "none"
    width: float = 0.0


class Stroke(NamedTuple):
    """A line through some points."""

    points: tuple[Point, ...]
    stroke: str
    width: float = 1.0


class Words(NamedTuple):
    """Text around a point."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    bold: bool = False


Shape = Disc | Area | Stroke | Words


class Scene(NamedTuple):
    """A picture, and its content in words."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""

    def svg(self) -> str:
        """Return the picture as self-contained SVG.

        >>> Scene(9, 9, (Disc(4, 4, 2.5, "#000"),)).svg()
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="2.5" fill="#000"/></svg>'
        """
        about = f' role="img" aria-label="{escape(self.title)}"' if self.title else ""
        size = f"{number(self.width)} {number(self.height)}"
        inside = "".join(map(shape_svg, self.shapes))
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}"{about}>{inside}</svg>'


def number(value: float) -> str:
    """Return a coordinate with at most two decimals.

    >>> number(3.0), number(2.346)
    ('3', '2.35')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def outline(stroke: str, width: float) -> str:
    """Return the SVG attributes of a line around a shape."""
    return f' stroke="{stroke}" stroke-width="{number(width)}"' if stroke != "none" else ""


def shape_svg(shape: Shape) -> str:
    """Return a shape as SVG."""
    if isinstance(shape, Disc):
        place = f'cx="{number(shape.x)}" cy="{number(shape.y)}" r="{number(shape.radius)}"'
        return f'<circle {place} fill="{shape.fill}"{outline(shape.stroke, shape.width)}/>'
    if isinstance(shape, Words):
        weight = ' font-weight="bold"' if shape.bold else ""
        look = f'font-size="{number(shape.size)}" font-family="sans-serif" fill="{shape.fill}"{weight}'
        place = f'x="{number(shape.x)}" y="{number(shape.y + 0.36 * shape.size)}" text-anchor="middle"'
        return f"<text {place} {look}>{escape(shape.text)}</text>"
    points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
    if isinstance(shape, Area):
        return f'<polygon points="{points}" fill="{shape.fill}"{outline(shape.stroke, shape.width)}/>'
    return f'<polyline points="{points}" fill="none"{outline(shape.stroke, shape.width)}/>'


def moved(shapes: Iterable[Shape], x: float, y: float) -> list[Shape]:
    """Return the shapes moved by a distance."""
    found: list[Shape] = []
    for shape in shapes:
        if isinstance(shape, (Disc, Words)):
            found.append(shape._replace(x=shape.x + x, y=shape.y + y))
        else:
            found.append(shape._replace(points=tuple((px + x, py + y) for px, py in shape.points)))
    return found


def polygon(corners: int, radius: float, turn: float = -90.0, inner: float = 1.0) -> tuple[Point, ...]:
    """Return a regular polygon around 0; with `inner` below 1 a star of twice as many corners.

    >>> [(round(x), round(y)) for x, y in polygon(4, 10)]
    [(0, -10), (10, 0), (0, 10), (-10, 0)]
    """
    steps = corners if inner == 1.0 else 2 * corners
    sizes = [radius * (inner if inner < 1.0 and step % 2 else 1.0) for step in range(steps)]
    angles = [math.radians(turn + 360 * step / steps) for step in range(steps)]
    return tuple((size * math.cos(angle), size * math.sin(angle)) for size, angle in zip(sizes, angles, strict=True))


def mixed(colour: str, ground: str, share: float) -> str:
    """Return a colour mixed with the one below it.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(parts(colour), parts(ground), strict=True)
    return "#" + "".join(f"{round(one * share + other * (1 - share)):02x}" for one, other in pairs)


def parts(colour: str) -> Sequence[int]:
    """Return red, green and blue, 0 to 255."""
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def is_dark(colour: str) -> bool:
    """Return whether light text is easier to read on a colour."""
    red, green, blue = parts(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140
