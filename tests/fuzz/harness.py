"""Runs the fuzzers: so many inputs in all, shared out among them, each with a time limit."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .chance import Chance
from .classes import Classes
from .engines import Engines
from .lines import Lines
from .pages import Pages
from .records import Records
from .spellings import Spellings
from .stores import Stores
from .table_files import TableFiles
from .weights import WeightFiles

LONGEST_SECONDS = 20.0  # of the processor for one input: more is a hang
LONGEST_WAIT = 300.0  # seconds on the clock: a busy machine is no hang, waiting for what never comes is
MOST_FAILURES = 10  # of one fuzzer; then it stops
SHOWN = 1000  # characters of an input


class Fuzzer(Protocol):
    """What a fuzzer must have."""

    share: float  # of all inputs, beside the others' shares
    input: str  # what was tried last

    def run(self, chance: Chance) -> int:
        """Try something; how many inputs that was."""


OF_FILES = (Stores, TableFiles, WeightFiles)
FUZZERS: dict[str, Callable[[], Any]] = {
    kind.__name__.lower(): kind for kind in (Lines, Spellings, Records, Engines, Classes, Pages, *OF_FILES)
}


class HangError(BaseException):
    """An input took too long; nothing may catch this."""


def fuzz(names: Sequence[str], inputs: int, seed: int, first: int = 0, files: int = 0) -> int:
    """Run these fuzzers, those of files with at least so many files; how many inputs failed."""
    total = sum(FUZZERS[name].share for name in names)  # type: ignore[attr-defined]
    failures = 0
    for name in names:
        share = FUZZERS[name].share / total  # type: ignore[attr-defined]
        least = files if FUZZERS[name] in OF_FILES else 1
        failures += fuzz_one(name, max(least, round(inputs * share)), seed, first)
    return failures


def fuzz_one(name: str, inputs: int, seed: int, first: int = 0) -> int:
    """Run one fuzzer for so many inputs; every try has chance of its own, so that it can be repeated alone."""
    fuzzer: Fuzzer = FUZZERS[name]()
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(alarm, hang)
    done, tries, failures, began, slowest = 0, first, 0, time.monotonic(), 0.0
    while done < inputs and failures < MOST_FAILURES:
        fuzzer.input, started = "", time.monotonic()
        signal.setitimer(signal.ITIMER_PROF, LONGEST_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, LONGEST_WAIT)
        try:
            done += fuzzer.run(Chance(f"{seed} {name} {tries}"))
        except (Exception, HangError, SystemExit) as error:
            failures += 1
            done += 1
            tell(f"python -m tests.fuzz {name} --seed {seed} --first {tries} --inputs 1", fuzzer.input, error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        tries, slowest = tries + 1, max(slowest, time.monotonic() - started)
    seconds = time.monotonic() - began
    print(f"{name}: {done:,} inputs in {seconds:.1f} s, the slowest {slowest:.2f} s, {failures} failures", flush=True)
    return failures


def hang(_number: int, _frame: object) -> None:
    """The time of one input is over."""
    raise HangError(f"still going on after {LONGEST_SECONDS:g} s of work or {LONGEST_WAIT:g} s of waiting")


def tell(again: str, tried: str, error: BaseException) -> None:
    """All about a failure."""
    print(f"\nFAILED: {again}\n{tried[:SHOWN]}\n", file=sys.stderr)
    print("".join(line[:SHOWN] for line in traceback.format_exception(error)), file=sys.stderr)
