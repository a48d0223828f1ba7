"""The figure of an experiment, from the columns of tables that its design names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from luozi.experiments.table import CurveDrawing, CurvesOf, ListDrawing, Record, Result
from luozi.reports.figures import CurvePanel, IntervalPanel, ListGuides, Series, curve_figure, list_figure
from luozi.reports.labels import short_labels


def draw(result: Result) -> Figure | None:
    """Return the figure, or None if there is nothing to draw yet."""
    match result.drawing:
        case ListDrawing() as drawing:
            return draw_list(result, drawing)
        case CurveDrawing() as drawing:
            panels = curve_panels(result, drawing)
            mark, yardstick = drawing.mark, drawing.yardstick
            return curve_figure(panels, drawing.x_label, drawing.logarithmic, mark, yardstick) if panels else None
        case None:
            return None


def description(result: Result) -> str:
    """Return a description of the figure for people who can't see it."""
    panels = dict.fromkeys(f"{panel.value} ({panel.table})" for panel in result.drawing.panels if result.drawing)  # type: ignore[union-attr]
    return f"{'; '.join(panels)}, with 95 % intervals. The tables have the same numbers."


def records_of(result: Result, title: str) -> Sequence[Record]:
    """Return the records of a table; none if there is no such table."""
    table = result.table(title)
    return () if table is None else table.records


# A list of names ------------------------------------------------------------------------------------------------------


def draw_list(result: Result, drawing: ListDrawing) -> Figure | None:
    """Draw points with intervals beside names, for rows with at least one value."""
    columns = [records_of(result, panel.table) for panel in drawing.panels]
    rows = [
        row
        for row in zip(*columns, strict=True)
        if any(record.get(panel.value) is not None for record, panel in zip(row, drawing.panels, strict=True))
    ]
    if not rows:
        return None
    first = [row[0] for row in rows]
    parts = [
        at for at in range(1, len(rows)) if drawing.parts and first[at][drawing.parts] != first[at - 1][drawing.parts]
    ]
    panels = [
        IntervalPanel(
            f"{panel.table}: {panel.value}",
            [row[place].get(panel.value) for row in rows],
            [row[place].get(panel.interval) for row in rows],
            [row[place].get(panel.published) for row in rows] if panel.published else (),
        )
        for place, panel in enumerate(drawing.panels)
    ]
    names = short_labels([str(record[drawing.names]) for record in first])
    show = drawing.kind.show
    return list_figure(names, panels, show, drawing.x_label, drawing.published, ListGuides(drawing.even, parts))


# Lines ----------------------------------------------------------------------------------------------------------------


def curve_panels(result: Result, drawing: CurveDrawing) -> list[CurvePanel]:
    """Return the panels that have something to draw."""
    panels: dict[str, CurvePanel] = {}
    for curves in drawing.panels:
        known = [record for record in records_of(result, curves.table) if record.get(curves.value) is not None]
        for part in dict.fromkeys(record.get(curves.split) for record in known):
            title = (curves.title or curves.table).format(part)
            rows = [record for record in known if record.get(curves.split) == part]
            lines = [*(panels[title].lines if title in panels else ()), *lines_of(curves, rows, drawing.published)]
            panels[title] = CurvePanel(title, lines, curves.y_label, curves.even, curves.proportional)
    return list(panels.values())


def lines_of(curves: CurvesOf, rows: Sequence[Record], published: str) -> Iterator[Series]:
    """Yield the lines of some rows, and the published one."""
    names = [", ".join(str(row[name]) for name in curves.lines) or curves.label for row in rows]
    for label in dict.fromkeys(names):
        own = [row for row, name in zip(rows, names, strict=True) if name == label]
        across = [row.get(curves.x_interval) for row in own] if curves.x_interval else ()
        x, values, ends = zip(*((row[curves.x], row[curves.value], row[curves.interval]) for row in own), strict=True)
        yield Series(label, x, values, ends, across)
    theirs = [(row[curves.x], row[curves.published]) for row in rows if curves.published]
    if theirs:
        at, rates = zip(*theirs, strict=True)
        yield Series(published, at, rates, published=True)
