"""The page of a tuning: the answer in one sentence, figures, how to verify it and how it was played, all trials."""

from __future__ import annotations

from luozi.matches.tuning.ranges import written
from luozi.matches.tuning.result import TunedParameter, TuningResult
from luozi.matches.tuning.tables import certainty, findings_table
from luozi.messages import counted
from luozi.reports.figures import svg_text
from luozi.reports.pages import Code, DefinitionList, Details, Item, Line, Section, SvgFigure, Tiles, page
from luozi.reports.tuning_plots import finding_figure
from luozi.util.formats import percent, percent_interval
from luozi.util.tables import COUNT, FIGURE, SHARE, SHARE_INTERVAL, Table, TextColumn

LISTED = 1000  # trials
SCORE = TextColumn("score", SHARE), TextColumn("95 % interval", SHARE_INTERVAL)
HOW = (
    "Each trial is a match of its own. Its games come in groups of one opening in which everybody takes every seat. "
    "Values are proposed by Optuna's TPE. A surface is fitted to all games: its logit is a parabola with smooth "
    "deviations, a Gaussian process. Intervals say where the maximum lies in 95 % of the surfaces that could have "
    "given these results. The same command repeats all of it:"
)


def tuning_page(result: TuningResult) -> str:
    """The whole page."""
    sections = [Section("How it was played", how_played(result))]
    if result.findings:
        sections = [
            Section("", [tiles(result)]),
            Section("Result", result_items(result)),
            Section("Figures", figures(result)),
            Section("Verify it", verifying(result)),
            *sections,
            Section("Trials", [trials(result)]),
        ]
    names = " and ".join(result.parameters)
    title = f"Tuning {names} of {result.player.partition(':')[0]} at {result.game}"
    return page(title, sections, headline(result), f"Luozi tuning {result.id}")


def headline(result: TuningResult) -> Line:
    """The answer in one sentence, and another one if not all is played."""
    if not result.findings:
        return "No game is finished yet."
    rate = f"{percent(result.rate)} (95 % interval {percent_interval(*result.interval)})"
    said = ("The best is ", Code(result.best), ", which should win ", rate, " against ", Code(result.against), ".")
    notes = tuple(f" {finding.name}: {finding.note}." for finding in result.findings if finding.note)
    if result.complete:
        return (*said, *notes)
    missing = f" It is not complete: {result.finished:,} of {counted(result.wanted, 'game')} are finished."
    return (*said, *notes, missing)


def tiles(result: TuningResult) -> Tiles:
    """The numbers that matter most."""
    best = [(f"best {one.name}", written(one.best), certain(one)) for one in result.findings[:4]]
    rate = ("win rate to expect", percent(result.rate), f"95 %: {percent_interval(*result.interval)}")
    return Tiles([*best, rate, ("games", f"{result.finished:,}", f"in {counted(len(result.rows), 'trial')}")])


def certain(finding: TunedParameter) -> str:
    """How certain a best value is."""
    return certainty(finding) if finding.interval is None else f"95 %: {certainty(finding)}"


def result_items(result: TuningResult) -> list[Item]:
    """The table of the parameters."""
    forfeits = [f"Forfeit: {who} {what} ({counted(times, 'game')})." for who, what, times in result.forfeits]
    return [findings_table(result), *forfeits]


def figures(result: TuningResult) -> list[Item]:
    """One figure a parameter."""
    found: list[Item] = []
    for finding in result.findings:
        alt = f"Win rate over {finding.name}; best {written(finding.best)}, {certain(finding)}"
        picture = svg_text(finding_figure(result, finding))
        found.append(SvgFigure(picture, alt, caption(finding, len(result.findings) > 1)))
    return found


def caption(finding: TunedParameter, others: bool) -> str:
    """What a figure shows."""
    if finding.interval is None:
        return "What each choice should win" + (", each with the best of the other parameters." if others else ".")
    adjusted = ", as they would be with the other parameters at their best" if others else ""
    points = f"Points: games of trials near each other with 95 % intervals{adjusted}."
    return f"{points} Blue: the fitted curve and its 95 % band. Orange: the best value and its 95 % interval."


def verifying(result: TuningResult) -> list[Item]:
    """How to measure the best player afresh."""
    why = "The win rate above comes from the games that chose these values. New games verify it:"
    return [why, Code(result.verify)]


def how_played(result: TuningResult) -> list[Item]:
    """What was asked for."""
    facts: list[tuple[str, Line]] = [
        ("game", (Code(result.game),)),
        ("player", (Code(result.player),)),
        ("opponent", (Code(result.against),)),
        ("openings", result.openings),
        ("seed", str(result.seed)),
        ("trials", f"{len(result.rows):,} of {counted(result.rows[0].games, 'game')}" if result.rows else "none"),
    ]
    return [DefinitionList(facts), HOW, Code(result.command)]


def trials(result: TuningResult) -> Item:
    """All trials, folded away."""
    names = [TextColumn(name, FIGURE) for name in result.parameters]
    columns = TextColumn("trial", COUNT), *names, TextColumn("games", COUNT), *SCORE
    rows = [
        (row.number, *(written(row.values[name]) for name in result.parameters), row.games, row.score, row.interval)
        for row in result.rows[:LISTED]
    ]
    return Details(f"{counted(len(rows), 'trial')}", [Table(columns, rows)])
