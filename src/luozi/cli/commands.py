"""All commands: what they do, in which module each is, and in which language their help is.

This is the one place that loads commands lazily: `luozi --help`, and the sentence about a command that there is not,
import none of their modules, as these import the compiler. All of these modules have their imports at the top.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from typer.core import TyperGroup

from luozi.messages import LuoziError, Message, language, nearest
from luozi.util import old_names


class Place(NamedTuple):
    """Where a command is."""

    module: str  # of luozi.cli; its function has the command's name
    says: str  # the first sentence of the function's docstring, for the list of all commands
    one_thread: bool = False  # on cores that play games, threads of linear algebra would only wait for each other


COMMANDS = {
    "play": Place(
        "playing", "Play a game in the terminal (connect4 if none is named); 'help' there lists the commands."
    ),
    "think": Place("playing", "Think about a position: print the board and the candidates with their win rates."),
    "games": Place("looking", "List the games and their parameters."),
    "players": Place("looking", "List the players and their options."),
    "check": Place("looking", "Check a game's rules by random play, compiled and uncompiled."),
    "doctor": Place("looking", "Tell what is installed, where compiled code is kept and how fast this machine is."),
    "cache": Place("looking", "List the compiled code that is kept between runs, or clear it."),
    "gomocup": Place(
        "protocols",
        "Be a brain for Gomocup programs, such as piskvork: answer its protocol on the standard input.",
    ),
    "gtp": Place(
        "protocols",
        "Be a Go engine for Sabaki, Lizzie, GoGui, KGS and others: answer the Go Text Protocol on the standard input.",
    ),
    "connect4-agent": Place(
        "protocols",
        "Be an agent for the course platform for Connect Four: new, move, go and quit on the standard input.",
    ),
    "serve": Place(
        "serving",
        "Serve the page: play, analyse and look into the search in a browser; docs/en/how-to/server.md has all of it.",
    ),
    "analyze": Place(
        "reviews",
        "Analyse a game: what each move lost, the mistakes, the win rate over the game and whose the points are.",
    ),
    "replay": Place(
        "replaying",
        "Step through a game: every position with the win rates and the analysis that its record holds.",
    ),
    "match": Place(
        "contests",
        "Play games between players, in pairs from the same opening with the seats swapped, and say who is stronger.",
    ),
    "tournament": Place(
        "contests", "Let many players meet; the result is a cross table and ratings with their errors."
    ),
    "openings": Place(
        "contests",
        "Find openings in which nobody is ahead, for --openings of match, tournament and tune: one a line.",
    ),
    "results": Place(
        "contests", "Show the results of a match or a tournament, finished or not, also while it is played."
    ),
    "tune": Place(
        "tuning",
        "Find the best values of a player's parameters, and say how certain they are.",
        one_thread=True,
    ),
    "learn": Place(
        "learning",
        "Learn to play a game: self-play and training, with a ladder that measures what was learned.",
    ),
    "experiment": Place(
        "experiments",
        "Do an experiment: the table of a source again, with 95 % intervals beside the source's own figures.",
    ),
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@cache
def loaded(name: str) -> Any:
    """The command of that name; its module is imported now."""
    place = COMMANDS[name]
    if place.one_thread and "numpy" not in sys.modules:
        os.environ.update({thread: os.environ.get(thread, "1") for thread in THREADS})
    function = getattr(import_module(f"luozi.cli.{place.module}"), name.replace("-", "_"))
    return import_module("luozi.cli.one_command").command_of(function)


class Commands(TyperGroup):
    """All commands; their list in the help has whole sentences, and the help is in the person's language."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """English help needs none of what lays out Chinese."""
        self.context_class = TyperGroup.context_class
        if language() != "en":
            self.context_class = import_module("luozi.cli.help_language").SpokenContext
        return super().make_context(*given, **named)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        command = loaded(cmd_name)
        command.context_class = self.context_class
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = old_names.COMMANDS.get(args[0], args[0])
        if name not in COMMANDS and not name.startswith("-"):
            near = nearest(name, COMMANDS) or Message("; --help lists what there is")
            raise LuoziError("there is no command '{name}'{nearest}", name=name, nearest=near)
        return super().resolve_command(ctx, [name, *args[1:]])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.says) for name, place in COMMANDS.items()])
