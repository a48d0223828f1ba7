"""The command `learn`."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.contests import ClusterOption, WorkersOption
from luozi.cli.errors import stoppable
from luozi.cli.experiments import read_settings
from luozi.cli.outputs import JsonOption, console, output
from luozi.games import game as make_game
from luozi.learning.curve import curve_figure, curve_page, told
from luozi.learning.folder import RunFolder
from luozi.learning.generations import LearningRun
from luozi.learning.learner import learner_for
from luozi.learning.starting import all_states, start_run, state_of
from luozi.matches.workers import Executor, Here, chosen_executor
from luozi.messages import Message, translate
from luozi.reports.figures import figure_bytes
from luozi.terminal.learning import LearningProgress, show_runs, show_settings
from luozi.util.files import refuse_no_folder, write_whole
from luozi.util.parsing import path_of

PLACE = Path("luozi-learning")
SHARE = 50  # drawing the curve may cost 1/50 of the time


def learn(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="The game, such as gomoku:size=9.")] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the training run, new or to be resumed. Default: the game's name."),
    ] = None,
    begun_from: Annotated[
        str,
        typer.Option(
            "--from", metavar="WEIGHTS", help="Start from the weights in this file. Default: from random weights."
        ),
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A training setting; --settings lists all. You can repeat it."),
    ] = None,
    place: Annotated[
        Path,
        output(
            "--folder",
            metavar="FOLDER",
            help="Folder with training runs, each in its own subfolder.",
            check=refuse_no_folder,
        ),
    ] = PLACE,
    list_all: Annotated[bool, typer.Option("--list", help="List all training runs.")] = False,
    list_settings: Annotated[bool, typer.Option("--settings", help="List all training settings.")] = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    trust: TrustOption = None,
) -> None:
    """Train a network for a game by self-play.

    Checkpoints are evaluated against earlier ones. Everything is stored: run the same command again to resume.
    """
    place = path_of(place)
    if list_settings:
        show_settings(console())
    elif list_all:
        show_all(place, as_json)
    else:
        progress, values = LearningProgress(), read_settings(settings or [])
        run = start_run(game, name, begun_from, values, progress, place)
        do_learn(run, progress, chosen_executor(workers, cluster), as_json)


def show_all(place: Path, as_json: bool) -> None:
    """Print all runs, as a table or as JSON."""
    states = all_states(place, lambda sentence: typer.echo(f"luozi: {translate(sentence)}", err=True))
    if as_json:
        typer.echo(json.dumps(states, indent=2))
    else:
        show_runs(console(140), states, str(place))


def do_learn(run: LearningRun, progress: LearningProgress, executor: Executor, as_json: bool) -> None:
    """Continue a run, and report; Ctrl-C reports what there is."""
    try:
        with stoppable(lambda: report(run.folder, progress, as_json), resume_message(run.folder)):
            if run.complete:
                progress.say(
                    Message(
                        "the run '{name}' is complete: --set minutes=... or games=... extends it, "
                        "--name starts another",
                        name=run.folder.name,
                    )
                )
            elif not isinstance(executor, Here):
                run.prepare()
            follow(run, executor)
            report(run.folder, progress, as_json)
            print_play_command(run.folder)
    finally:
        progress.end()
        executor.close()
        run.close()


def follow(run: LearningRun, executor: Executor) -> None:
    """Run what is missing, and draw the curve after each generation unless that takes too much of the time."""
    next_time = 0.0
    for _ in run.proceed(executor):
        began = time.monotonic()
        if began >= next_time:
            write_curve(run.folder)
            next_time = time.monotonic() + SHARE * (time.monotonic() - began)


def write_curve(folder: RunFolder) -> None:
    """Write the learning curve as a picture and as a page."""
    state = state_of(folder)
    write_whole(folder / "learning.png", figure_bytes(curve_figure(state)))
    write_whole(folder / "learning.html", curve_page(state).encode())


def report(folder: RunFolder, progress: LearningProgress, as_json: bool) -> None:
    """Write the files, and print JSON or where the curve is."""
    progress.end()
    write_curve(folder)
    state = state_of(folder)
    if as_json:
        typer.echo(json.dumps(state, indent=2))
    typer.echo(
        translate(
            "{name}: {progress}; the curve is {file}",
            name=folder.name,
            progress=told(state),
            file=folder / "learning.html",
        ),
        err=True,
    )


def resume_message(folder: RunFolder) -> str:
    """Return the message of a run that was stopped."""
    place = folder.path.parent
    words = ["luozi", "learn", "--name", folder.name, *(["--folder", str(place)] if place != PLACE else [])]
    return Message("stopped; '{command}' resumes", command=shlex.join(words))


def print_play_command(folder: RunFolder) -> None:
    """Print the command that plays against the trained network."""
    asked = folder.read_asked()
    player = learner_for(make_game(asked.game), asked.settings).player(folder / "final.npz", asked.settings)
    command = shlex.join(["luozi", "play", asked.game, "--seat", "person", "--seat", player])
    typer.echo(translate("play with it: {command}", command=command), err=True)
