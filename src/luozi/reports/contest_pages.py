"""The page of a match or tournament: result in one sentence, tables, figures, the command that repeats it, games."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from luozi.matches.game_runner import Outcome
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.summary import Duel, Summary, ordered, points_table, rating, rows_table, sprt_text
from luozi.messages import counted
from luozi.records.record import move_text
from luozi.reports.contest_files import versions_text
from luozi.reports.figures import HALF_WIDTH, WIDTH, height_for, svg_text
from luozi.reports.labels import short_labels
from luozi.reports.pages import Beside, Code, DefinitionList, Details, Item, Line, Section, SvgFigure, Tiles, page
from luozi.reports.panels import (
    Panel,
    draw_cross_table,
    draw_lengths,
    draw_pairs,
    draw_ratings,
    draw_score,
    draw_seats,
    draw_test,
    panel_figure,
)
from luozi.rules.position import Position
from luozi.util.formats import percent, percent_interval, signed
from luozi.util.tables import COUNT, FIGURE, SPELLING, Table, TextColumn

LISTED = 1000  # games in the list
RECORDS = 3  # records of the first games
FORFEITED = 10  # and of forfeited ones
OPENINGS = 1000  # lines of given openings


@dataclass
class Games:
    """What a page shows of the games, gathered in one pass."""

    versions: Counter[str] = field(default_factory=Counter)
    listed: list[Outcome] = field(default_factory=list)
    records: list[Outcome] = field(default_factory=list)
    forfeited: int = 0

    def add(self, outcome: Outcome) -> None:
        """Add the next game."""
        self.versions[outcome.versions] += 1
        self.forfeited += bool(outcome.forfeit)
        if len(self.listed) < LISTED:
            self.listed.append(outcome)
        if len(self.listed) <= RECORDS or (outcome.forfeit and self.forfeited <= FORFEITED):
            self.records.append(outcome)


def contest_page(run: Run, summary: Summary, outcomes: Iterable[Outcome]) -> str:
    """Return the whole page."""
    games = Games()
    for outcome in outcomes:
        games.add(outcome)
    sections = [Section("How it was played", how_played(run, games))]
    if summary.counted:
        result = [Section("", [tiles(summary)]), Section("Result", result_items(summary))]
        sections = [*result, Section("Figures", figures(run, summary)), *sections, games_section(run, games)]
    return page(title_of(summary), sections, headline(summary), f"Luozi {summary.kind} {summary.id}")


# The answer -----------------------------------------------------------------------------------------------------------


def title_of(summary: Summary) -> str:
    """Return the title: players and game."""
    labels = short_labels([row.label for row in summary.rows])
    if summary.kind != "match" or len(labels) > 4:
        return f"{summary.kind.capitalize()} of {len(labels)} players at {summary.game}"
    return f"{', '.join(labels[:-1])}{' against ' if len(labels) == 2 else ' and '}{labels[-1]} at {summary.game}"


def headline(summary: Summary) -> Line:
    """Return the result in one sentence, and a second one if games are missing."""
    if not summary.counted:
        return "No game is finished yet."
    said = duel_headline(summary, summary.duel) if summary.duel else ratings_headline(summary)
    if summary.complete:
        return said
    return (*said, f" It is not complete: {summary.finished:,} of {counted(summary.wanted, 'game')} are finished.")


def duel_headline(summary: Summary, duel: Duel) -> tuple[str, ...]:
    """Return which of two players is stronger, or that this is not decided."""
    first, second = (Code(row.label) for row in summary.rows)
    (low, high), score, elo = duel.elo_interval, duel.score, duel.elo
    games = counted(summary.counted, "game")
    if high < 0:
        first, second, low, high, score, elo = second, first, -high, -low, 1 - score, -elo
    numbers = f"Elo {signed(elo)}, 95 % interval {signed(low)} to {signed(high)}"
    test = verdict_text(summary)
    if low > 0:
        return (first, " is stronger than ", second, f": it scored {percent(score)} in {games} ({numbers}).", test)
    start = "Neither is clearly stronger: " if test else "Nothing is decided: "
    return (start, first, f" scored {percent(score)} against ", second, f" in {games} ({numbers}).", test)


def verdict_text(summary: Summary) -> str:
    """Return the decision of the sequential test, if there is one."""
    test = summary.sprt
    if test is None or test["verdict"] is None:
        return ""
    low, high = f"{test['elo0']:g}", f"{test['elo1']:g}"
    chosen, other = (high, low) if test["verdict"] == "H1" else (low, high)
    return f" The sequential test decided for Elo {chosen} rather than {other}."


def ratings_headline(summary: Summary) -> tuple[str, ...]:
    """Return who is first, and whether the intervals lie apart."""
    first, second = (summary.rows[player] for player in ordered(summary)[:2])
    start = (Code(first.label), f" is first with Elo {rating(first)}, then ", Code(second.label))
    apart = (first.elo or 0) - (second.elo or 0) > (first.error or 0) + (second.error or 0)
    end = "their 95 % intervals lie apart." if apart else "their 95 % intervals overlap, so this order is not certain."
    return (*start, f" with {rating(second)}; {end}", verdict_text(summary))


def tiles(summary: Summary) -> Tiles:
    """Return the most important numbers."""
    games = ("games", f"{summary.counted:,}", f"{summary.moves:.1f} moves a game")
    if summary.duel is None:
        best = summary.rows[ordered(summary)[0]]
        score = ("best score", percent(best.score), f"95 %: {percent_interval(*best.interval)}")
        elo = ("best rating", signed(best.elo), "" if best.error is None else f"± {best.error:.0f} Elo")
        return Tiles([score, elo, ("players", str(len(summary.rows)), f"{len(best.seats)} at a board"), games])
    duel, (low, high) = summary.duel, summary.duel.elo_interval
    score = ("first player's score", percent(duel.score), f"95 %: {percent_interval(*duel.interval)}")
    elo = ("first player's Elo", signed(duel.elo), f"95 %: {signed(low)} to {signed(high)}")
    return Tiles([score, elo, ("first player is stronger", percent(duel.superiority), "likelihood"), games])


# Result and figures ---------------------------------------------------------------------------------------------------


def result_items(summary: Summary) -> list[Item]:
    """Return the tables."""
    items: list[Item] = [rows_table(summary)]
    if summary.sprt is not None:
        items.append(f"{sprt_text(summary.sprt)}.")
    items.append("A point is a win; players who tie for the first place share it. Intervals are of 95 %.")
    if summary.forfeits:
        columns = TextColumn("forfeited by", SPELLING), TextColumn("what happened"), TextColumn("games", COUNT)
        return [*items, Table(columns, summary.forfeits, "Forfeits: these games are lost")]
    return [*items, "Nobody forfeited a game."]


def figures(run: Run, summary: Summary) -> list[Item]:
    """Return the figures, each with a description."""
    return duel_figures(run, summary, summary.duel) if summary.duel else ratings_figures(run, summary)


def picture(panel: Panel, run: Run, summary: Summary, alt: str, height: float, width: float = WIDTH) -> SvgFigure:
    """Return one panel for the page."""
    return SvgFigure(svg_text(panel_figure(panel, run, summary, height, width)), alt)


def duel_figures(run: Run, summary: Summary, duel: Duel) -> list[Item]:
    """Return the figures of a match of two."""
    first = summary.rows[0].label
    score = f"The score of {first} over the games with its 95 % interval; at the end it is {percent(duel.score)}."
    pairs = f"Bars: how many pairs of games gave {first} 0, ½, 1, 1½, 2 points: {', '.join(map(str, duel.pairs))}."
    items: list[Item] = [picture(draw_score, run, summary, score, 2.9)]
    items += test_figures(run, summary)
    bars = picture(draw_pairs, run, summary, pairs, 2.4, HALF_WIDTH)
    return [*items, Beside([bars, picture(draw_lengths, run, summary, lengths_text(summary), 2.4, HALF_WIDTH)])]


def test_figures(run: Run, summary: Summary) -> list[Item]:
    """Return the figure of the sequential test, if there is one."""
    if summary.sprt is None:
        return []
    return [picture(draw_test, run, summary, f"The course of the test. {sprt_text(summary.sprt)}.", 2.5)]


def ratings_figures(run: Run, summary: Summary) -> list[Item]:
    """Return the figures of a tournament, or of a game for more than two."""
    height = height_for(len(summary.rows))
    order = [summary.rows[player] for player in ordered(summary)]
    ratings = f"Ratings: {', '.join(f'{row.label} {rating(row)}' for row in order)}."
    items: list[Item] = [picture(draw_ratings, run, summary, ratings, height), *test_figures(run, summary)]
    if len(order) > 2:
        alt = "Points against each other as colours; the same as a table follows."
        items.append(picture(draw_cross_table, run, summary, alt, height))
        items.append(
            Details(
                "Points against each other as a table",
                [points_table(summary, short_labels([row.label for row in summary.rows]))],
            )
        )
    alt = "Each player's score in each seat, as in the table of the result."
    items.append(picture(draw_seats, run, summary, alt, height))
    return [*items, picture(draw_lengths, run, summary, lengths_text(summary), 2.4)]


def lengths_text(summary: Summary) -> str:
    """Return the description of the histogram of lengths."""
    return f"A histogram of the moves a game; their mean is {summary.moves:.1f}."


# How it was played ----------------------------------------------------------------------------------------------------


def how_played(run: Run, games: Games) -> list[Item]:
    """Return all that is needed to repeat the match."""
    contest = run.contest
    facts: list[tuple[str, Line]] = [("game", Code(contest.game))]
    facts += [(f"player {number}", Code(label)) for number, label in enumerate(contest.labels, 1)]
    turns = f"; every opening is played {contest.seats} times, with everybody in every seat once"
    facts += [("openings", f"{contest.openings}{turns}"), ("seed", str(contest.seed))]
    facts += [("file", (Code(name), f" with digest {digest}")) for name, digest in contest.files]
    facts += [
        ("played by", f"{versions_text(text)} ({counted(times, 'game')})") for text, times in games.versions.items()
    ]
    return [DefinitionList(facts), "This command plays it again:", Code(command_of(run)), *given_openings(contest)]


def command_of(run: Run) -> str:
    """Return the command that repeats a match.

    >>> command_of(Run(MatchSchedule.of("connect4", ["random", "flat"]), 100))
    'luozi match random flat --game connect4 --games 100 --seed 1 --plies 4'
    """
    contest, sprt = run.contest, run.sprt
    words = ["luozi", "match" if contest.kind == "match" else "tournament", *contest.players]
    words += ["--game", contest.game, "--games", str(run.games), "--seed", str(contest.seed)]
    words += ["--gauntlet"] if contest.kind == "gauntlet" else []
    words += ["--save-candidates"] if contest.visits else []
    words += ["--openings", "openings.txt"] if contest.openings.lines else ["--plies", str(contest.openings.plies)]
    if sprt is not None:
        words += [
            f"--sprt={sprt.elo0:g},{sprt.elo1:g}",
            *([f"--sprt-error={sprt.alpha:g}"] if sprt.alpha != 0.05 else []),
        ]
    return shlex.join(words)


def given_openings(contest: MatchSchedule) -> list[Item]:
    """Return the file of openings, if there was one."""
    lines = contest.openings.lines
    if not lines:
        return []
    text = "\n".join(opening_text(contest, line) for line in lines[:OPENINGS])
    more = [f"Only the first {OPENINGS:,} of {len(lines):,} openings are shown."] if len(lines) > OPENINGS else []
    return [Details("openings.txt", [Code(text), *more])]


def opening_text(contest: MatchSchedule, actions: Sequence[int]) -> str:
    """Return one opening as a line of its file."""
    line = Position.begin(contest.board).after(actions).history()
    names = [move_text(position, action) for position, action in zip(line, actions, strict=False)]
    return (", " if any(" " in name for name in names) else " ").join(names)


# Games ----------------------------------------------------------------------------------------------------------------


def games_section(run: Run, games: Games) -> Section:
    """Return the list of games, and the records of a few."""
    labels, total = short_labels(run.contest.labels), sum(games.versions.values())
    seats = [TextColumn(f"seat {seat}", SPELLING) for seat in range(1, run.contest.seats + 1)]
    columns = [
        TextColumn("game", COUNT),
        *seats,
        TextColumn("result", FIGURE),
        TextColumn("moves", COUNT),
        TextColumn("lost by"),
    ]
    lines = [game_line(labels, outcome) for outcome in games.listed]
    if not any(line[-1] for line in lines):
        columns, lines = columns[:-1], [line[:-1] for line in lines]
    title = f"All {total:,} games" if total <= LISTED else f"The first {LISTED:,} of {total:,} games"
    records = [Details(record_title(labels, outcome), [Code(outcome.record)]) for outcome in games.records]
    more = (
        f"{records_text(games)} Any record: ",
        Code(f"luozi results {run.contest.id} --record NUMBER"),
        "; all games as a table: ",
    )
    command = Code(f"luozi results {run.contest.id} --csv FILE")
    return Section("Games", [Details(title, [Table(columns, lines)]), *records, (*more, command)])


def records_text(games: Games) -> str:
    """Return which records the page has."""
    if not games.forfeited:
        return "These are the records of the first games."
    some = "all" if games.forfeited <= FORFEITED else f"the first {FORFEITED} of {games.forfeited:,}"
    return f"These are the records of the first games and of {some} forfeited ones."


def game_line(labels: Sequence[str], outcome: Outcome) -> tuple[Any, ...]:
    """Return one line of the list."""
    seats = (labels[player] for player in outcome.fixture.seats)
    return (outcome.fixture.number + 1, *seats, result_text(outcome), outcome.moves, ending(labels, outcome))


def ending(labels: Sequence[str], outcome: Outcome) -> str:
    """Return who forfeited or resigned a game; nothing if it was played to its end."""
    return "" if outcome.loser < 0 else f"{labels[outcome.loser]} {outcome.forfeit or 'resigned'}"


def result_text(outcome: Outcome) -> str:
    """Return the results by seat; shares of more than two are rounded."""
    return " : ".join("½" if result == 0.5 else f"{result:.3g}" for result in outcome.results)


def record_title(labels: Sequence[str], outcome: Outcome) -> str:
    """Return the heading of a record."""
    players = " – ".join(labels[player] for player in outcome.fixture.seats)
    lost = f"; {ending(labels, outcome)}" if outcome.loser >= 0 else ""
    return f"Game {outcome.fixture.number + 1}: {players}, {result_text(outcome)}{lost}"
