"""`luozi doctor`: what is installed, where compiled code is kept, and how fast this machine searches."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Callable, Iterator

from luozi.compiled.cache import cache_folder, cached_kernels, reason_not_to_keep
from luozi.games import game
from luozi.messages import Message, translate
from luozi.players.program import how_programs_are_kept
from luozi.search import Engine
from luozi.util.formats import padded
from luozi.util.machine import cores, processor_name

REQUIRED = ("luozi", "numpy", "numba", "llvmlite", "typer", "rich")
OPTIONAL = {"open_spiel": Message("OpenSpiel's games")}
TIMED_GAMES = ("tictactoe", "connect4")


def examine(report: Callable[[str], None], seconds: float = 1.0) -> None:
    """Report everything in the person's language, one line each."""
    for title, text in (*versions(), *machine(), *cache(), *outside(), *compiler()):
        report(f"{padded(translate('{title}:', title=title) if title else '', 12, left=True)} {translate(text)}")
    report(translate("speed, one thread (the first time this compiles):"))
    for name in TIMED_GAMES:
        rate = translate("{low} iterations/s", low=f"{iterations_per_second(name, seconds):,.0f}")
        report(f"  {name:<10} {rate}")


def versions() -> Iterator[tuple[str, str]]:
    """Python, the packages that are needed and those that are not."""
    yield "Python", Message("{low} on {high}", low=platform.python_version(), high=platform.platform())
    for name in REQUIRED:
        yield name, version_of(name) or Message("not installed")
    for name, use in OPTIONAL.items():
        yield name, version_of(name) or Message("not installed (optional: {use})", use=use)


def version_of(package: str) -> str | None:
    """An installed package's version."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def machine() -> Iterator[tuple[str, str]]:
    """The processor and the cores that this process may use."""
    yield "CPU", processor_name()
    yield Message("cores"), Message("{low} of {high} available", low=cores(), high=os.cpu_count())


def cache() -> Iterator[tuple[str, str]]:
    """Where compiled code is kept."""
    kernels, reason = cached_kernels(), reason_not_to_keep(cache_folder())
    yield (
        Message("cache"),
        Message(
            "{text} ({count} kernels, {size} MB)",
            text=cache_folder(),
            count=len(kernels),
            size=f"{sum(k.bytes for k in kernels) / 1000000.0:.1f}",
        ),
    )
    if reason:
        yield "", Message("nothing can be kept there: {reason}; LUOZI_CACHE may name another folder", reason=reason)


def outside() -> Iterator[tuple[str, str]]:
    """What holds outside programs together."""
    yield Message("engines"), Message("outside programs are kept {how}", how=Message(how_programs_are_kept()))


def compiler() -> Iterator[tuple[str, str]]:
    """What makes native code."""
    yield Message("C compiler"), "not needed, Numba brings its own"


def iterations_per_second(name: str, seconds: float) -> float:
    """The speed of a search from the start of a game."""
    searched = game(name)
    thought = Engine(searched, seed=1).think(searched.new_state(), seconds=seconds)
    return thought.iterations / thought.seconds
