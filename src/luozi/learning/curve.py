"""The learning curve: a picture and a page that needs no other file, made of the state of a run (`state_of`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from luozi.learning.settings import LearningOptions
from luozi.messages import Message, counted
from luozi.reports.figures import (
    BLUE,
    FAINT,
    GREEN,
    ORANGE,
    WIDTH,
    Series,
    draw_series,
    heading,
    styled,
    svg_text,
    whole_numbers,
)
from luozi.reports.pages import Code, DefinitionList, Details, Item, Line, Section, SvgFigure, Tiles, page
from luozi.util.formats import signed
from luozi.util.old_names import old_name
from luozi.util.parameters import parameters_of
from luozi.util.tables import COUNT, FIGURE, SPELLING, Kind, Table, TextColumn

State = dict[str, Any]
PANELS = ("losses", "error", "elo", "positions")
LISTED = 1000  # generations on a page
HOW = (
    "Each generation plays games against itself with what the one before has learned, and learns from its positions "
    "and those of the last generations. The policy learns where searches went, the value how games ended, mixed with "
    "what the search thought. On the ladder a generation plays pairs of games from the same opening with swapped seats "
    "against earlier ones; Elo is fitted to all games of the ladder, against its first rung, with 95 % intervals. The "
    "same command goes on with this run, and repeats it in another folder:"
)


@styled
def curve_figure(state: State) -> Figure:
    """All panels in one picture."""
    figure = Figure(figsize=(WIDTH * 1.25, 6.4))
    for axes, name in zip(figure.subplots(2, 2).ravel(), PANELS, strict=True):
        draw_panel(axes, state, name)
    words = f"{state['game']}   {told(state)}, seed {state['settings']['seed']}"
    figure.suptitle(words, x=0.012, ha="left", color=FAINT, fontsize=9)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.09)
    return figure


@styled
def panel_figure(state: State, name: str) -> Figure:
    """One panel."""
    figure = Figure(figsize=(WIDTH, 3.1))
    draw_panel(figure.add_subplot(), state, name)
    return figure


def draw_panel(axes: Axes, state: State, name: str) -> None:
    """One panel over the generations."""
    {"losses": draw_losses, "error": draw_error, "elo": draw_elo, "positions": draw_positions}[name](axes, state)
    whole_numbers(axes.xaxis)
    axes.set_xlabel("generation")


def column(state: State, name: str) -> list[float]:
    """One value of every generation."""
    return [entry[name] for entry in state["entries"]]


def draw_line(axes: Axes, state: State, name: str, colour: str) -> None:
    """One value over the generations."""
    places, values = column(state, "generation"), column(state, name)
    marker = "o" if len(values) < 30 else ""
    axes.plot(places, values, color=colour, linewidth=1.8, marker=marker, markersize=4, label=name)


def legend(axes: Axes) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2)


def draw_losses(axes: Axes, state: State) -> None:
    draw_line(axes, state, "policy", BLUE)
    draw_line(axes, state, "value", ORANGE)
    heading(axes, "Losses")
    legend(axes)


def draw_error(axes: Axes, state: State) -> None:
    draw_line(axes, state, "error", GREEN)
    heading(axes, "Mean squared error of the value")


def draw_elo(axes: Axes, state: State) -> None:
    ratings = state["ladder"]
    if ratings:
        places, elo = [rung["generation"] for rung in ratings], [rung["elo"] for rung in ratings]
        widths = [rung["half_width"] or 0.0 for rung in ratings]
        intervals = [(value - width, value + width) for value, width in zip(elo, widths, strict=True)]
        draw_series(axes, Series("Elo", places, elo, intervals), 0)
    heading(axes, "Ladder: Elo against the first rung", elo_text(ratings))


def draw_positions(axes: Axes, state: State) -> None:
    draw_line(axes, state, "positions", BLUE)
    draw_line(axes, state, "games", ORANGE)
    whole_numbers(axes.yaxis)
    heading(axes, "Games and positions so far")
    legend(axes)


# Words ----------------------------------------------------------------------------------------------------------------


def told(state: State) -> str:
    """How much it is, in a few words."""
    return Message(
        "{generations}, {games}, {positions} in {time}",
        generations=counted(state["generation"], "generation"),
        games=counted(state["games"], "game"),
        positions=counted(state["positions"], "position"),
        time=minutes(state["seconds"]),
    )


def minutes(seconds: float) -> str:
    """A time as people say it.

    >>> minutes(42), minutes(600), minutes(7500)
    ('42 s', '10 min', '2 h 5 min')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    whole = round(seconds / 60)
    return f"{whole} min" if whole < 120 else f"{whole // 60} h {whole % 60} min"


def elo_text(rungs: Sequence[dict[str, Any]]) -> str:
    """The last rung's Elo with its interval; a dash without a ladder."""
    if not rungs:
        return "-"
    return f"{signed(rungs[-1]['elo'])} ± {whole_or_dash(rungs[-1]['half_width'])}"


def whole_or_dash(value: float | None) -> str:
    """A width, rounded; a dash where it is not known."""
    return "-" if value is None else f"{value:.0f}"


# The page -------------------------------------------------------------------------------------------------------------


def curve_page(state: State) -> str:
    """The whole page."""
    entries = state["entries"]
    sections = [Section("How it was made", how_made(state))]
    if entries:
        sections = [
            Section("", [tiles(state)]),
            Section("Learning curve", [picture(state, name) for name in PANELS]),
            Section("Ladder", [ladder_table(state)]),
            *sections,
            Section(
                "Generations",
                [Details(counted(len(entries), "generation"), [generations_table(state)])],
            ),
        ]
    return page(f"Learning {state['game']}", sections, headline(state), f"Luozi learning: {state['name']}")


def headline(state: State) -> Line:
    """What it is, in one sentence."""
    if not state["entries"]:
        return "No generation is finished yet."
    ladder = f"; the last rung of the ladder is at {elo_text(state['ladder'])} Elo" if state["ladder"] else ""
    return f"{told(state)}{ladder}."


def tiles(state: State) -> Tiles:
    """The numbers that matter most."""
    last = state["entries"][-1]
    return Tiles(
        [
            ("generations", f"{state['generation']:,}", f"in {minutes(state['seconds'])}"),
            ("games", f"{state['games']:,}", f"{last['moves']:.1f} moves in the last generation"),
            ("positions", f"{state['positions']:,}", f"{last['window_positions']:,} in the window"),
            ("Elo", elo_text(state["ladder"]), "against the first rung, with its 95 % interval"),
            ("policy loss", f"{last['policy']:.3f}", "in the last generation"),
            ("value loss", f"{last['value']:.3f}", f"mean squared error {last['error']:.3f}"),
        ]
    )


CAPTIONS = {
    "losses": "How far predictions were from what was learned, at each training: lower is better.",
    "error": "How far the value was from what it was to learn.",
    "elo": "Bars: 95 % intervals of the difference to the first rung.",
    "positions": "What was learned from, all generations together.",
}


def picture(state: State, name: str) -> SvgFigure:
    """One panel as part of the page."""
    said = f"{CAPTIONS[name]} {told(state)}; last Elo {elo_text(state['ladder'])}"
    return SvgFigure(svg_text(panel_figure(state, name)), said, CAPTIONS[name])


def ladder_table(state: State) -> Item:
    """All evaluated checkpoints."""
    if not state["ladder"]:
        return "No game of the ladder is finished yet."
    rows = [
        (one["generation"], signed(one["elo"]), whole_or_dash(one["half_width"]), one["games"])
        for one in state["ladder"]
    ]
    elo = TextColumn("Elo", FIGURE), TextColumn("95 % interval ±", FIGURE)
    return Table((TextColumn("generation", COUNT), *elo, TextColumn("games", COUNT)), rows)


def how_made(state: State) -> list[Item]:
    """Settings and the command."""
    rows = []
    for name, parameter in parameters_of(LearningOptions).items():
        value, usual = state["settings"][old_name(name, "learn")], parameter.default
        shown = "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
        changed = "" if value == usual else f"usually {'-' if usual is None else usual}"
        rows.append((name, shown, changed, parameter.about.meaning))
    facts: list[tuple[str, Line]] = [
        ("game", (Code(state["game"]),)),
        ("began from", (Code(state["from"]),) if state["from"] else "nothing"),
        ("weights", (Code(state["weights"]),)),
    ]
    table = Table((TextColumn("setting", SPELLING), *map(TextColumn, ("value", "", "meaning"))), rows)
    return [DefinitionList(facts), HOW, Code(state["command"]), Details("All settings", [table])]


COLUMNS = ("games", "positions", "moves", "draws", "policy", "value", "error", "rate", "cpu_seconds", "seconds")


def generations_table(state: State) -> Table:
    """All generations, the last ones if they are many."""
    columns = [TextColumn(name.replace("_", " "), Kind(number)) for name in ("generation", *COLUMNS)]
    rows = [[entry.get(name, 0) for name in ("generation", *COLUMNS)] for entry in state["entries"][-LISTED:]]
    return Table(columns, rows)


def number(value: float) -> str:
    """A number of the log.

    >>> number(12345), number(0.00123456), number(2.5)
    ('12,345', '0.00123', '2.5')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
