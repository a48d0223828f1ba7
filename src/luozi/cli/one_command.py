"""How a function becomes a command: loaded together with the function's module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand
from typer.main import get_command_from_info
from typer.models import CommandInfo

from luozi.cli.approvals import with_approvals
from luozi.messages import LuoziError
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


def command_of(function: Callable[..., None]) -> Any:
    """The command that a function does; its name, options and help are the function's."""
    info = CommandInfo(callback=with_approvals(function), cls=HelpCommand)
    return get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode=None)
