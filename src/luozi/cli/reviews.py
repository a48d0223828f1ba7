"""The command `analyze`. Thin, as the rest of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.contests import WorkersOption
from luozi.cli.errors import stoppable
from luozi.cli.outputs import output
from luozi.cli.protocols import notices_to_standard_error
from luozi.matches.analysis import Reviewing
from luozi.messages import LuoziError, Message, counted, translate
from luozi.players.presets import default_player
from luozi.records.review import Review
from luozi.reports.review_pages import refuse_other_page, review_page
from luozi.terminal.progress import Bar
from luozi.util.files import refuse_unwritable, write_whole
from luozi.util.machine import cores

MOST_SHOWN = 10


def analyze(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game of Go or Gomoku, as SGF.")],
    player: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Who analyses: mcts or strong; not given, strong with 1 s a position."),
    ] = None,
    out: Annotated[
        Path | None, output("--out", help="The game with what was found; not given, FILE-analysed.sgf.")
    ] = None,
    html: Annotated[Path | None, output("--html", help="The page; not given, FILE-analysed.html.")] = None,
    workers: WorkersOption = None,
) -> None:
    """Analyse a game: what each move lost, the mistakes, the win rate over the game and whose the points are.

    All is written into the SGF file --out as it is found: the same command goes on where it was stopped, and a file
    that is whole is not searched again.
    """
    if not file.name:
        raise LuoziError("'{file}' is a folder: name a game in it", file=file)
    out = out or file.with_name(f"{file.stem}-analysed.sgf")
    html = html or out.with_suffix(".html")
    for path in (out, html):
        refuse_unwritable(path)
    if html.resolve() in (file.resolve(), out.resolve()):
        raise LuoziError("the page would overwrite the game '{name}'; name another file with --html", name=html)
    refuse_other_page(html)
    reviewing = Reviewing(file, player or default_player(1), out)
    notices_to_standard_error()
    reviewing.prepare()
    missing, found = len(reviewing.missing()), len(reviewing.findings)
    stopped = Message("stopped; the same command goes on from here (what was found is in {text})", text=out)
    with stoppable(lambda: None, stopped), Bar("positions", missing + found, found) as bar:
        review = reviewing.run(workers or cores(), lambda: bar.advance("" if bar.due() else None))
    write_whole(html, review_page(review, title_of(review, file)).encode())
    if reviewing.of_others:
        longer = counted(reviewing.of_others, "position")
        typer.echo(
            translate(
                "{positions} kept the longer analysis of another player; --out with a new file has only this one",
                positions=longer,
            )
        )
    for line in summary(review):
        typer.echo(translate(line))
    typer.echo(translate("written: {text} and {value}", text=out, value=html))


def title_of(review: Review, file: Path) -> str:
    """Who played, or the file's name."""
    names = review.record.called
    return " and ".join(names) if any(name != "person" for name in names) else file.name


def summary(review: Review) -> list[str]:
    """The mistakes in lines of text."""
    lines: list[str] = []
    for player, name in enumerate(("Black", "White")):
        lines.append(
            Message(
                "{who} lost {loss} % of a win by a move on average",
                who=name,
                loss=f"{100 * review.mean_loss(player):.1f}",
            )
        )
    for move in review.mistakes()[:MOST_SHOWN]:
        name = ("Black", "White")[move.player]
        lines.append(
            Message(
                "move {number}, {who} {text}: lost {loss} %, {value} was better",
                number=move.number,
                who=name,
                text=move.name,
                loss=f"{100 * move.loss:.1f}",
                value=move.best,
            )
        )
    return lines
