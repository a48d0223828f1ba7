"""`cost`: the time and the memory of one move, plain and improved, each in a process of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Annotated, NamedTuple

from scipy.special import stdtrit

from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment
from luozi.experiments.speeds import run_apart
from luozi.experiments.table import ListDrawing, PointsOf, Record
from luozi.games import game as make_game
from luozi.messages import LuoziError, Message, counted
from luozi.reports.pages import Code
from luozi.search import Engine
from luozi.search.as_numbers import PERSONALITIES
from luozi.search.fields import SUPPRESSION
from luozi.search.options import Options
from luozi.util.machine import processor_name
from luozi.util.parameters import ParameterInfo, join_spelling, parameters_of, split_spelling
from luozi.util.parsing import OptionValue, whole_number
from luozi.util.tables import COUNT, NUMBER, NUMBER_INTERVAL, YES_NO, TextColumn

# The report's table: seconds, and gigabytes of physical memory, for about 1,000,000 iterations a move with 8 threads.
REPORTED = {"plain": (193.0, 10.4), "improved": (245.0, 10.8)}
REPORTED_ITERATIONS = 1_000_000
THREADS = 8  # the report may have counted iterations for each of its threads
ROOM = 3  # places in the node pool for each iteration: more than any search needs; unused ones take no memory
LEAST_ROOM = 10_000

NOTE = (
    "The report's program ran 8 threads on an i7-6700K, and its 1,000,000 iterations may be those of each thread: its "
    "figures stand beside both sizes. Ours runs on one thread; its time is processor time without compilation; its "
    "memory is what is resident after the search and was not before. Figures are medians of the repeats, intervals are "
    "Student's, of their mean. Where the node pool was full, the tree would have taken more memory. A kept tree has "
    "nothing to keep at the first move: more moves show what it does."
)
CASE = TextColumn("search"), TextColumn("iterations", COUNT)
COLUMNS = {
    "Time": (
        *CASE,
        TextColumn("repeats", COUNT),
        TextColumn("CPU-seconds", NUMBER),
        TextColumn("95 % interval of seconds", NUMBER_INTERVAL),
        TextColumn("report's seconds", NUMBER),
    ),
    "Memory": (
        *CASE,
        TextColumn("MB resident", NUMBER),
        TextColumn("95 % interval of MB", NUMBER_INTERVAL),
        TextColumn("bytes an iteration", NUMBER),
        TextColumn("nodes", COUNT, minor=True),
        TextColumn("pool full", YES_NO, minor=True),
        TextColumn("report's MB", NUMBER),
    ),
}
DRAWING = ListDrawing(
    "case",
    (
        PointsOf("Time", "CPU-seconds", "95 % interval of seconds", "report's seconds"),
        PointsOf("Memory", "MB resident", "95 % interval of MB", "report's MB"),
    ),
    NUMBER,
    published="the report, eight threads",
)

# Runs alone in a process, so that nothing else has touched its memory.
CHILD = """
import json, sys, time
import luozi
wanted = json.loads(sys.argv[1])
game = luozi.game(wanted["game"])
def engine():
    return luozi.Engine(game, seed=wanted["seed"], pool_size=wanted["pool"], **wanted["options"])
def resident():
    import resource
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
engine().think(game.new_state(), iterations=10)  # everything is compiled and loaded now
before, began = resident(), time.process_time()
searcher, position, full = engine(), game.begin(), False
while position.length < wanted["moves"] and position.returns is None:
    thought = searcher.think(position, iterations=wanted["iterations"])
    position, full = position.play(thought.action), full or thought.pool_full
moves = position.length
seconds = time.process_time() - began
print(json.dumps({"seconds": seconds / moves, "bytes": resident() - before, "nodes": thought.nodes,
                  "depth": thought.depth, "kept": thought.reused_visits, "moves": moves, "full": full}))
"""


class Case(NamedTuple):
    """One row of the table."""

    search: str  # plain or improved
    player: str  # as it is spelled, without its budget
    iterations: int


@experiment(
    "cost",
    title="Time and memory of a move",
    source=SUPPRESSION,
    budget=ExperimentBudget(3, iterations=REPORTED_ITERATIONS),
    quick=ExperimentBudget(2, iterations=40_000),
    unit="repeat",
)
def measure_cost(
    bench: Bench,
    game: Annotated[str, ParameterInfo("another game")] = "five3d",
    personality: Annotated[str, ParameterInfo("of the improved search", choices=tuple(PERSONALITIES))] = "balanced",
    moves: Annotated[
        int, ParameterInfo("so many moves of one game, one after the other; the time is that of one", 1, 1000)
    ] = 1,
    sizes: Annotated[str, ParameterInfo("measure the budget times each of these, joined by +")] = f"1+{THREADS}",
) -> Design:
    """What do 1,000,000 and 8,000,000 iterations of one move cost in time and memory, plain and improved? Improved is
    suppression of the strongest opponent, keeping moves that win (keep_proven_win, keep_playout_win), and tree reuse.
    """
    spelling = make_game(game).spelling
    asked = cases(bench.budget, personality, read_sizes(sizes))
    rows = [case_row(bench, spelling, case, moves) for case in asked]
    facts = (
        ("game", Code(spelling)),
        ("moves", "the first of a game" if moves == 1 else Message("the first {count} of a game", count=moves)),
        *((case.search, Code(case.player)) for case in asked[: len(REPORTED)]),
        ("processor", processor_name()),
    )
    tables = [TableDesign(title, columns, rows) for title, columns in COLUMNS.items()]
    return Design(tables, facts, (NOTE,), DRAWING)


def read_sizes(written: str) -> list[int]:
    """Return the multiples of the budget that a user writes.

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


def cases(budget: ExperimentBudget, personality: str, sizes: Sequence[int]) -> list[Case]:
    """Return all rows: both searches for each size."""
    if not budget.iterations:
        raise LuoziError("cost measures the time of iterations. Give --iterations, not --seconds.")
    improved: dict[str, OptionValue] = {
        "playing_style": personality,
        "keep_proven_win": True,
        "keep_playout_win": True,
        "reuse_tree": True,
    }
    players = {"plain": join_spelling("mcts", {"reuse_tree": False}), "improved": join_spelling("mcts", improved)}
    return [Case(name, player, times * budget.iterations) for times in sizes for name, player in players.items()]


def case_row(bench: Bench, spelling: str, case: Case, moves: int) -> ExperimentRow:
    """Return a row of both tables, with its repeats."""
    seconds, gigabytes = REPORTED[case.search]
    known = {"search": case.search, "iterations": case.iterations, "case": f"{case.search}, {case.iterations:,}"}
    known |= {"report's seconds": seconds, "report's MB": 1000 * gigabytes}
    repeats = {
        f"{key_of(spelling, case, moves)}, repeat {n}": partial(measured, spelling, case, moves, bench.seed + n)
        for n in range(bench.budget.games)
    }
    return ExperimentRow(known, measurements=repeats, summarise=cost_values)


# Measuring ------------------------------------------------------------------------------------------------------------


def key_of(spelling: str, case: Case, moves: int) -> str:
    """Return all that the cost depends on, without the seed."""
    return f"{processor_name()}, {spelling}, {case.player}, {case.iterations} iterations, {counted(moves, 'move')}"


def measured(spelling: str, case: Case, moves: int, seed: int) -> dict[str, float]:
    """Measure searches of a few moves in a new process: time of a move, and memory."""
    if not Path("/proc/self/statm").exists():
        raise LuoziError("cost reads the resident memory from /proc, which this system does not have")
    _, options = split_spelling(case.player)
    Engine(
        make_game(spelling), Options.of(**options)
    ).compile()  # into the cache: what compiling leaves would be taken for free
    room = min(int(parameters_of(Options)["pool_size"].about.high or 0), LEAST_ROOM + ROOM * case.iterations * moves)
    wanted = {"game": spelling, "options": options, "pool": room, "seed": seed}
    wanted |= {"iterations": case.iterations, "moves": moves}
    found: dict[str, float] = run_apart(CHILD, wanted)
    return found


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean by Student's t, cut at 0; None for a single value.

    >>> [round(end, 2) for end in mean_interval([10.0, 11.0, 12.0])]
    [8.52, 13.48]
    """
    if len(values) < 2:
        return None
    half = float(stdtrit(len(values) - 1, 0.975)) * stdev(values) / math.sqrt(len(values))
    return max(0.0, fmean(values) - half), fmean(values) + half


# Rows -----------------------------------------------------------------------------------------------------------------


def cost_values(row: ExperimentRow) -> Record:
    """Return medians of the repeats and intervals of their means."""
    repeats: Sequence[Mapping[str, float]] = list(row.measured.values())
    if not repeats:
        return {"repeats": 0}
    found = {name: [one[name] for one in repeats] for name in ("seconds", "bytes", "moves", "nodes", "full")}
    seconds, megabytes = found["seconds"], [value / 1e6 for value in found["bytes"]]
    iterations = row.known["iterations"] * max(1.0, median(found["moves"]))
    return {
        "repeats": len(repeats),
        "CPU-seconds": median(seconds),
        "95 % interval of seconds": mean_interval(seconds),
        "MB resident": median(megabytes),
        "95 % interval of MB": mean_interval(megabytes),
        "bytes an iteration": 1e6 * median(megabytes) / iterations,
        "nodes": round(median(found["nodes"])),
        "pool full": any(found["full"]),
    }
