"""The command `luozi`: all its commands, the language of their help, and `main`, which turns errors into sentences.

This is the one place that loads modules late. A command's module has its imports at the top like any other, but
while it is loaded here, a name that it imports from a package that needs the compiler is a `LateName`: the package is
imported when the command runs. So `luozi COMMAND --help` takes 0.2 s instead of 0.7 to 2 s.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

from luozi import __version__
from luozi.cli.errors import INTERRUPTED, print_error
from luozi.messages import LuoziError, Message, language, nearest, on_warning, translate
from luozi.terminal.streams import quiet_output, take_streams
from luozi.util import old_names
from luozi.util.own_code import place_in_own_game
from luozi.util.tempdirs import remove_stale
from luozi.util.trust import only_named

# The module of each command, below luozi.cli; its function has the command's name.
COMMANDS = {
    "play": "playing",
    "think": "playing",
    "games": "looking",
    "players": "looking",
    "check": "looking",
    "doctor": "looking",
    "cache": "looking",
    "gomocup": "serving",
    "gtp": "serving",
    "connect4-agent": "serving",
    "serve": "serving",
    "analyze": "playing",
    "replay": "playing",
    "match": "contests",
    "tournament": "contests",
    "openings": "contests",
    "results": "contests",
    "tune": "experiments",
    "learn": "learning",
    "experiment": "experiments",
}
LIGHT = ("luozi.cli", "luozi.messages", "luozi.util")  # packages without compiled code, imported at once
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class LateName:
    """A function, a class or a table of a module that is imported when the name is first used.

    >>> LateName("string", "capwords")("tree search")
    'Tree Search'
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def content(self) -> Any:
        """Return what the name stands for."""
        return getattr(import_module(self._module), self._name)

    def __call__(self, *given: object, **named: object) -> object:
        return self.content()(*given, **named)

    def __getattr__(self, name: str) -> object:
        return getattr(self.content(), name)

    def __getitem__(self, key: object) -> object:
        return self.content()[key]

    def __instancecheck__(self, one: object) -> bool:
        return isinstance(one, self.content())


@contextmanager
def late_imports() -> Iterator[None]:
    """Give the modules of `luozi.cli` late names while they are loaded; all other modules import as always."""

    def imported(name: str, scope: Mapping[str, object] | None = None, *rest: Any) -> object:
        light = not name.startswith("luozi.") or name.startswith(LIGHT)
        if light or not str((scope or {}).get("__name__")).startswith("luozi.cli."):
            return at_once(name, scope, *rest)
        _, names, *_ = rest
        return SimpleNamespace(**{one: LateName(name, one) for one in names})

    at_once = builtins.__import__
    builtins.__import__ = imported  # type: ignore[assignment]  # a namespace of late names is no module
    try:
        yield
    finally:
        builtins.__import__ = at_once


def import_late_names() -> None:
    """Replace the late names in all modules of `luozi.cli` by what they stand for, before a command runs."""
    for module in [one for name, one in sys.modules.items() if name.startswith("luozi.cli.")]:
        for name, value in list(vars(module).items()):
            if type(value) is LateName:
                setattr(module, name, value.content())


def function_of(name: str) -> Callable[..., None]:
    """Return the function of a command; its module is imported now."""
    with late_imports():
        function: Callable[..., None] = getattr(import_module(f"luozi.cli.{COMMANDS[name]}"), name.replace("-", "_"))
    return function


@cache
def loaded(name: str) -> Any:
    """Return the command of that name, with the options of its function."""
    info = CommandInfo(callback=function_of(name), cls=OneCommand)
    return get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode=None)


class OneCommand(TyperCommand):
    """A command that accepts the old names of its options; what its words name may run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        args = old_names.new_flags(args, self.name or "")
        try:
            left: list[str] = super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:  # the message names the command's options
                error.ctx = ctx  # type: ignore[attr-defined]
            raise
        if left:
            raise LuoziError("got unexpected extra argument(s) ({text})", text=" ".join(left))
        with late_imports():
            approvals = import_module("luozi.cli.approvals")
        approvals.name_arguments(ctx.params)
        import_late_names()
        return left


class Commands(TyperGroup):
    """All commands; their list has the first sentence of each, and the help is in the person's language."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Load what lays out Chinese help only for help that is not English."""
        self.context_class = TyperGroup.context_class
        if language() != "en":
            self.context_class = import_module("luozi.cli.help_language").SpokenContext
        return super().make_context(*given, **named)

    def list_commands(self, ctx: object) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name == "tune" and "numpy" not in sys.modules:
            # all cores play games: threads of linear algebra would only wait for each other
            os.environ.update({thread: os.environ.get(thread, "1") for thread in THREADS})
        command = loaded(cmd_name)
        command.context_class = self.context_class
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = old_names.COMMANDS.get(args[0], args[0])
        if name not in COMMANDS and not name.startswith("-"):
            near = nearest(name, COMMANDS) or Message("; --help lists what there is")
            raise LuoziError("there is no command '{name}'{nearest}", name=name, nearest=near)
        return super().resolve_command(ctx, [name, *args[1:]])

    def format_commands(self, ctx: object, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_sentence(name)) for name in COMMANDS])


def first_sentence(name: str) -> str:
    """Return the first paragraph of a command's help, for the list of all commands."""
    return " ".join((function_of(name).__doc__ or "").split("\n\n")[0].split())


app = typer.Typer(
    name="luozi",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its panels cut numbers in a narrow terminal
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        typer.echo(f"luozi {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Monte-Carlo tree search for board games: play, analyse, compare players, check your own game."""
    on_warning(lambda sentence: typer.echo(f"luozi: {translate(sentence)}", err=True))


GROUP = typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 for a defect of Luozi, 2 for bad input, 130 after Ctrl-C."""
    try:
        take_streams()
        remove_stale()  # what killed processes have left
        words = list(sys.argv[1:] if arguments is None else arguments)
        with only_named(ask_user):
            status = GROUP(args=words or ["--help"], prog_name="luozi", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        quiet_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as error:
        if place_in_own_game(error) is None:
            raise
        return print_error(error)
    except Exception as error:
        return print_error(error)


def ask_user(word: str) -> bool:
    """Ask at the terminal whether a file or a program may run."""
    typer.echo(translate("A file names {name}. Run it? [y/N] ", name=word), err=True, nl=False)
    try:
        return input().strip().lower() in ("y", "yes", "是")
    except EOFError:
        return False
