"""`cost`: the time and the memory of one move, plain and improved, each in a process of its own."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Annotated, Any, NamedTuple

from scipy.special import stdtrit

from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.table import COUNT, NUMBER, NUMBER_INTERVAL, TEXT, YES_NO, Column, Drawing, Result, Table, number
from luozi.games import game as make_game
from luozi.machine import processor_name
from luozi.messages import LuoziError, Message, counted
from luozi.outside_text import whole_number
from luozi.parameters import About, join_spelling, parameters_of, split_spelling
from luozi.reports.pages import Code
from luozi.search import Engine
from luozi.search.as_numbers import PERSONALITIES
from luozi.search.options import Options
from luozi.search.sources import SUPPRESSION
from luozi.trust import environment

# The report's table: seconds, and gigabytes of physical memory, for about 1,000,000 iterations a move with 8 threads.
REPORTED = {"plain": (193.0, 10.4), "improved": (245.0, 10.8)}
REPORTED_ITERATIONS = 1_000_000
THREADS = 8  # the report may have counted iterations for each of its threads
ROOM = 3  # places in the node pool for each iteration: more than any search needs; unused ones take no memory
LEAST_ROOM = 10_000
NOTHING = "Nothing is measured yet."

NOTE = (
    "The report's program ran 8 threads on an i7-6700K, and its 1,000,000 iterations may be those of each thread: its "
    "figures stand beside both sizes. Ours runs on one thread; its time is processor time without compilation; its "
    "memory is what is resident after the search and was not before. Figures are medians of the repeats, intervals are "
    "Student's, of their mean. A kept tree has nothing to keep at the first move: more moves show what it does."
)

# Runs alone in a process, so that nothing else has touched its memory.
CHILD = """
import json, sys, time
import luozi
wanted = json.loads(sys.argv[1])
game = luozi.game(wanted["game"])
def engine():
    return luozi.Engine(game, seed=wanted["seed"], pool=wanted["pool"], **wanted["options"])
def resident():
    import resource
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
engine().think(game.new_state(), iterations=10)  # everything is compiled and loaded now
before, began = resident(), time.process_time()
searcher, state, moves, full = engine(), game.new_state(), 0, False
while moves < wanted["moves"] and not game.is_terminal(state):
    thought = searcher.think(state, iterations=wanted["iterations"])
    moves, full = moves + 1, full or thought.pool_full
    state = game.after(state, thought.action)
    if moves < wanted["moves"]:
        searcher.advance(thought.action)
seconds = time.process_time() - began
print(json.dumps({"seconds": seconds / moves, "bytes": resident() - before, "nodes": thought.nodes,
                  "depth": thought.depth, "kept": thought.kept, "moves": moves, "full": full}))
"""


class Case(NamedTuple):
    """One row of the table."""

    search: str  # plain or improved
    player: str  # as it is spelled, without its budget
    iterations: int


Measured = Mapping[Case, Sequence[Mapping[str, float]]]  # the repeats that are done


@experiment(
    "cost",
    title="Time and memory of a move",
    source=SUPPRESSION,
    budget=Budget(3, iterations=REPORTED_ITERATIONS),
    quick=Budget(2, iterations=40_000),
    unit="repeat",
)
def measure_cost(
    bench: Bench,
    game: Annotated[str, About("another game")] = "five3d",
    personality: Annotated[str, About("of the improved search", choices=tuple(PERSONALITIES))] = "balanced",
    moves: Annotated[
        int, About("so many moves of one game, one after the other; the time is that of one", 1, 1000)
    ] = 1,
    sizes: Annotated[str, About("measure the budget times each of these, joined by +")] = f"1+{THREADS}",
) -> Result:
    """What do 1,000,000 and 8,000,000 iterations of one move cost in time and memory, plain and improved? Improved is
    suppression of the strongest opponent, keeping moves that win (keep_won, keep_lucky), and the kept tree.
    """
    spelling = make_game(game).spelling
    rows = cases(bench.budget, personality, read_sizes(sizes))
    keys = {
        (case, n): f"{key_of(spelling, case, moves)}, repeat {n}" for case in rows for n in range(bench.budget.games)
    }
    values = bench.measurements(
        {key: partial(measured, spelling, case, moves, bench.seed + n) for (case, n), key in keys.items()}
    )
    found: dict[Case, list[Mapping[str, float]]] = {case: [] for case in rows}
    for (case, _), key in keys.items():
        found[case] += [values[key]] if values[key] is not None else []
    facts = (
        ("game", Code(spelling)),
        ("moves", "the first of a game" if moves == 1 else Message("the first {count} of a game", count=moves)),
        *((case.search, Code(case.player)) for case in rows[: len(REPORTED)]),
        ("processor", processor_name()),
    )
    return Result(cost_tables(found), findings(found), facts, (NOTE,), drawing(found))


def read_sizes(written: str) -> list[int]:
    """The multiples of the budget that are asked for.

    >>> read_sizes("1+8")
    [1, 8]
    """
    sizes = [whole_number(word, 1, 1000) for word in written.split("+")]
    if None in sizes:
        raise LuoziError(
            "sizes={written} is not valid; write whole numbers from 1 to 1000, such as 1+{threads}",
            written=written,
            threads=THREADS,
        )
    return list(dict.fromkeys(size for size in sizes if size is not None))


def cases(budget: Budget, personality: str, sizes: Sequence[int]) -> list[Case]:
    """All rows: both searches for each size."""
    if not budget.iterations:
        raise LuoziError("cost measures the time that iterations take: give --iterations, not --seconds")
    improved = {"personality": personality, "keep_won": True, "keep_lucky": True, "keep": True}
    players = {"plain": join_spelling("mcts", {"keep": False}), "improved": join_spelling("mcts", improved)}
    return [Case(name, player, times * budget.iterations) for times in sizes for name, player in players.items()]


# Measuring ------------------------------------------------------------------------------------------------------------


def key_of(spelling: str, case: Case, moves: int) -> str:
    """All that the cost depends on but the seed."""
    return f"{processor_name()}, {spelling}, {case.player}, {case.iterations} iterations, {counted(moves, 'move')}"


def measured(spelling: str, case: Case, moves: int, seed: int) -> dict[str, float]:
    """The searches of a few moves in a fresh process; their time for one move, and the memory that they took."""
    if not Path("/proc/self/statm").exists():
        raise LuoziError("cost reads the resident memory from /proc, which this system does not have")
    _, options = split_spelling(case.player)
    Engine(
        make_game(spelling), Options.of(**options)
    ).compile()  # into the cache: what compiling leaves would be taken for free
    room = min(int(parameters_of(Options)["pool"].about.high or 0), LEAST_ROOM + ROOM * case.iterations * moves)
    wanted = {"game": spelling, "options": options, "pool": room, "seed": seed}
    wanted |= {"iterations": case.iterations, "moves": moves}
    command = [sys.executable, "-c", CHILD, json.dumps(wanted)]
    environ = {**os.environ, **environment()}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise LuoziError(
            "a measurement failed: {reason}", reason=said[-1] if said else f"exit status {done.returncode}"
        )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of a mean by Student's t; None for a single value. No cost is below nothing.

    >>> [round(end, 2) for end in mean_interval([10.0, 11.0, 12.0])]
    [8.52, 13.48]
    """
    if len(values) < 2:
        return None
    half = float(stdtrit(len(values) - 1, 0.975)) * stdev(values) / math.sqrt(len(values))
    return max(0.0, fmean(values) - half), fmean(values) + half


# Tables ---------------------------------------------------------------------------------------------------------------


# All that is known of a case, in the order of `cost_row`.
COLUMNS = (
    Column("search", TEXT),
    Column("iterations", COUNT),
    Column("repeats", COUNT),
    Column("CPU-seconds", NUMBER),
    Column("95 % interval of seconds", NUMBER_INTERVAL),
    Column("MB resident", NUMBER),
    Column("95 % interval of MB", NUMBER_INTERVAL),
    Column("bytes an iteration", NUMBER),
    Column("nodes", COUNT, minor=True),
    Column("deepest", COUNT, minor=True),
    Column("pool full", YES_NO, minor=True),
    Column("report's seconds", NUMBER),
    Column("report's MB", NUMBER),
)
IN_TABLE = {"Time": (0, 1, 2, 3, 4, 11), "Memory": (0, 1, 5, 6, 7, 8, 10, 12)}  # places in a row


def cost_tables(found: Measured) -> tuple[Table, ...]:
    """Time and memory, one line a search and a size."""
    rows = [cost_row(case, repeats) for case, repeats in found.items()]
    return tuple(
        Table(title, tuple(COLUMNS[at] for at in places), tuple(tuple(row[at] for at in places) for row in rows))
        for title, places in IN_TABLE.items()
    )


def cost_row(case: Case, repeats: Sequence[Mapping[str, float]]) -> tuple[Any, ...]:
    """One line; dashes where nothing is measured yet."""
    theirs = REPORTED[case.search][0], 1000 * REPORTED[case.search][1]
    if not repeats:
        return (case.search, case.iterations, 0, *[None] * 8, *theirs)
    seconds, megabytes = column_of(repeats, "seconds"), [value / 1e6 for value in column_of(repeats, "bytes")]
    each = 1e6 * median(megabytes) / (case.iterations * max(1.0, median(column_of(repeats, "moves"))))
    measured = (median(seconds), mean_interval(seconds), median(megabytes), mean_interval(megabytes), each)
    nodes, depth = (round(median(column_of(repeats, name))) for name in ("nodes", "depth"))
    full = any(column_of(repeats, "full"))
    return (case.search, case.iterations, len(repeats), *measured, nodes, depth, full, *theirs)


def column_of(repeats: Sequence[Mapping[str, float]], name: str) -> list[float]:
    """One value of all repeats."""
    return [one[name] for one in repeats]


def drawing(found: Measured) -> Drawing | None:
    """Time and memory, beside the report's."""
    rows = [cost_row(case, repeats) for case, repeats in found.items() if repeats]
    if not rows:
        return None
    names = [f"{row[0]}, {row[1]:,}" for row in rows]

    def draw() -> object:
        from luozi.experiments.charts import Points, amount_panels

        panels = [
            Points(title, *zip(*((row[at], row[at + 1], row[theirs]) for row in rows), strict=True))
            for title, at, theirs in (("CPU-seconds", 3, 11), ("MB resident", 5, 12))
        ]
        return amount_panels(names, panels, "ours, one thread, with 95 % intervals", "the report, eight threads")

    said = "; ".join(f"{name}: {number(row[3])} s, {number(row[5])} MB" for name, row in zip(names, rows, strict=True))
    return Drawing(draw, f"Time and memory of a move, on logarithmic scales, beside the report's. {said}.")


# What it says ---------------------------------------------------------------------------------------------------------


def findings(found: Measured) -> tuple[str, ...]:
    """The sentences."""
    known = {(case.search, case.iterations): cost_row(case, repeats) for case, repeats in found.items() if repeats}
    if not known:
        return (NOTHING,)
    said = [comparison(row) for row in known.values()]
    for iterations in dict.fromkeys(size for _, size in known):
        plain, improved = known.get(("plain", iterations)), known.get(("improved", iterations))
        if plain and improved:
            said.append(
                Message(
                    "At {count} iterations the improved search takes {time} times the time and {memory} times the "
                    "memory of the plain one; in the report, {their_time} and {their_memory} times.",
                    count=f"{iterations:,}",
                    time=f"{improved[3] / plain[3]:.2f}",
                    memory=f"{improved[5] / plain[5]:.2f}",
                    their_time=f"{REPORTED['improved'][0] / REPORTED['plain'][0]:.2f}",
                    their_memory=f"{REPORTED['improved'][1] / REPORTED['plain'][1]:.2f}",
                )
            )
    if any(row[10] for row in known.values()):
        said.append("In some searches the node pool was full: their memory is less than the tree would have taken.")
    return tuple(said)


def comparison(row: Sequence[Any]) -> str:
    """One row beside the report's."""
    search, iterations, seconds, megabytes, theirs, their_megabytes = (row[at] for at in (0, 1, 3, 5, 11, 12))
    return Message(
        "{what}, {count} iterations: {seconds} CPU-seconds and {megabytes} MB; the report, {theirs} s with "
        "{threads} threads and {their_megabytes} MB.",
        what=Message("Plain") if search == "plain" else Message("Improved"),
        count=f"{iterations:,}",
        seconds=number(seconds),
        megabytes=number(megabytes),
        theirs=number(theirs),
        threads=THREADS,
        their_megabytes=number(their_megabytes),
    )
