"""The group of all commands: how their help is laid out, and in which language."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from luozi.messages import LuoziError, Message, language, nearest
from luozi.util.old_names import new_flags


class HelpCommand(TyperCommand):
    """One command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What is left over is told in our own words."""
        ctx.allow_extra_args = True
        args = new_flags(args, self.name or "")
        try:
            left: list[str] = super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:  # the sentence asks what the command's options are
                error.ctx = ctx  # type: ignore[attr-defined]
            raise
        if left:
            raise LuoziError("got unexpected extra argument(s) ({text})", text=" ".join(left))
        return left


class Commands(TyperGroup):
    """All commands; their list in the help has whole sentences, and the help is in the person's language."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        if language() != "en":
            from luozi.cli.help_language import SpokenContext

            self.context_class = SpokenContext
        return super().make_context(*given, **named)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = self.context_class
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if super().get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = nearest(args[0], self.commands) or Message("; --help lists what there is")
            raise LuoziError("there is no command '{name}'{nearest}", name=args[0], nearest=near)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_sentence(one.help or "")) for name, one in commands if one])


def first_sentence(text: str) -> str:
    """What a command does.

    >>> first_sentence("Play a game.\\n\\nWithout a terminal, watch one.")
    'Play a game.'
    """
    return " ".join(text.split("\n\n")[0].split())
