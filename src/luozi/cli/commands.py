"""The group of all commands: how their help is laid out, and in which language."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from luozi.messages import language


class Commands(TyperGroup):
    """All commands; their list in the help has whole sentences, and the help is in the person's language."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        if language() != "en":
            from luozi.cli.spoken import SpokenContext

            self.context_class = SpokenContext
        return super().make_context(*given, **named)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = self.context_class
        return command

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
