"""`scaling`: what threads bring: simulations a second by the way they share a tree, and strength."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from luozi.contests.execution import Here, Later, cores
from luozi.contests.running import Run
from luozi.experiments import scaling_tables as tables
from luozi.experiments.ablation import OPENING, equal_limits, equal_time_text
from luozi.experiments.ablation_tables import ITERATIONS, TIME
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.scaling_tables import Match, Place
from luozi.experiments.speeds import KINDS, Speed, known_kinds, measured_apart, one_tree
from luozi.experiments.table import Result
from luozi.games import game as make_game
from luozi.machine import processor_name
from luozi.messages import LuoziError, Message, nearest
from luozi.outside_text import whole_number
from luozi.parameters import About, join_spelling
from luozi.reports.pages import Code, Line
from luozi.rules import Game

SOURCE = "Enzenberger and Mueller 2009 (Fuego 0.3)"
ALL, BOTH, SPEED, STRENGTH = "all", "both", "speed", "strength"
MOST_THREADS = 256

NOTE = (
    "Speed-ups are to one thread of the code that knows of no others, measured in the same process; intervals are "
    "Student's, over the repeats. The yardstick is as many one-thread searches at once as there are threads, each with "
    "a tree of its own. With threads=1 a kind's code runs in one thread: what it costs to be ready for others. "
    "Lost visits are the root's. Fuego's figures are simulations a second of one core in 2009, with its own knowledge "
    "in them; of its lock-free tree its authors say that it scales significantly better than a locked one."
)
GAMES_NOTE = (
    "Win rates are those of the player with threads against players with one thread in all other seats: 50 % is equal. "
    "Games are played one at a time, so that threads have the machine to themselves."
)


class Plan(NamedTuple):
    """What is to be measured, beside the budget."""

    games: tuple[Game, ...]
    threads: tuple[int, ...]
    kinds: tuple[str, ...]
    playing: tuple[str, ...]
    repeats: int
    span: float


@experiment(
    "scaling",
    title="Threads: speed and strength",
    source=SOURCE,
    budget=Budget(100, iterations=5_000),
    quick=Budget(4, iterations=200),
)
def measure_scaling(
    bench: Bench,
    threads: Annotated[str, About("numbers of threads joined by + or commas; not given, 1+2+4+8+16, quick 1+2")] = "",
    game: Annotated[str, About("games separated by spaces; not given, go:size=9 gomoku five3d, quick gomoku")] = "",
    kinds: Annotated[
        str, About(Message("whose speed is measured, joined by +: {names}", names=", ".join(KINDS)))
    ] = ALL,
    playing: Annotated[str, About("who plays against one thread, joined by +")] = "free",
    measure: Annotated[str, About("speed, strength or both", choices=(BOTH, SPEED, STRENGTH))] = BOTH,
    repeats: Annotated[int | None, About("of each speed; not given, 5, quick 2", 1, 1000)] = None,
    span: Annotated[
        float | None, About("seconds of a search whose speed is measured; not given, 2, quick 0.3", 0.01, 1000)
    ] = None,
) -> Result:
    """How many simulations a second do threads bring, by the way they share a tree, and how much strength, at equal
    time and at equal iterations? Beside the speed stands that of as many searches that share nothing.
    """
    written = game or ("gomoku" if bench.quick else "go:size=9 gomoku five3d")
    plan = Plan(
        tuple(make_game(one) for one in dict.fromkeys(written.split())),
        read_counts(threads or ("1+2" if bench.quick else "1+2+4+8+16")),
        read_kinds(kinds, "kinds"),
        read_kinds(playing, "playing"),
        repeats or (2 if bench.quick else 5),
        span or (0.3 if bench.quick else 2.0),
    )
    if not plan.games:
        raise LuoziError("scaling needs a game: write one or several, separated by spaces")
    play_one_at_a_time(bench)
    speeds = all_speeds(bench, plan) if measure != STRENGTH else {}
    limits = {one.spelling: equal_limits(bench, one) for one in plan.games} if measure != SPEED else {}
    matches = all_matches(bench, plan, limits) if measure != SPEED else {}
    facts: tuple[tuple[str, Line], ...] = (
        ("games", Code(" ".join(one.spelling for one in plan.games))),
        ("machine", Message("{text}, {count} cores", text=processor_name(), count=cores())),
        *((Message("equal time, {text}", text=name), equal_time_text(limit)) for name, limit in limits.items()),
        *(
            [("speeds", Message("{count} repeats of {seconds} s each", count=plan.repeats, seconds=f"{plan.span:g}"))]
            if speeds
            else []
        ),
    )
    notes = (*([NOTE] if speeds else []), *([GAMES_NOTE] if matches else []))
    return Result(
        tables.all_tables(plan.games, speeds, matches),
        tables.findings(plan.games, speeds, matches),
        facts,
        notes,
        tables.drawing(plan.games, speeds, matches, cores()),
    )


def read_counts(written: str) -> tuple[int, ...]:
    """Numbers of threads, in order.

    >>> read_counts("1+2+4"), read_counts("4,1,2,2")
    ((1, 2, 4), (1, 2, 4))
    """
    found = [whole_number(word, 1, MOST_THREADS) for word in re.split("[+,]", written)]
    known = sorted({one for one in found if one is not None})
    if None in found:
        raise LuoziError(
            "threads={value} is not valid; write whole numbers from 1 to {most}, such as 1+2+4 or 1,2,4",
            value=written,
            most=MOST_THREADS,
        )
    return tuple(known)


def read_kinds(written: str, name: str) -> tuple[str, ...]:
    """Kinds by name, or all that the search knows.

    >>> read_kinds("free+global", "kinds")
    ('free', 'global')
    """
    known = known_kinds()
    words = [word.strip() for word in re.split("[+,]", written)]
    for word in words:
        if word not in (ALL, *known):
            raise LuoziError(
                "{name}={value} is not valid: there is no kind '{text}'{nearest}",
                name=name,
                value=written,
                text=word,
                nearest=nearest(word, [ALL, *known]),
            )
    return tuple(known) if ALL in words else tuple(dict.fromkeys(words))


def play_one_at_a_time(bench: Bench) -> None:
    """Threads of two games would compete, so games are played here, one after the other."""
    if isinstance(bench.executor, Later):
        raise LuoziError("scaling plays one game at a time on this machine: leave --cluster out")
    bench.executor = Here()


# Speed ----------------------------------------------------------------------------------------------------------------


def all_speeds(bench: Bench, plan: Plan) -> dict[Place, list[dict[str, Speed]]]:
    """The repeats that are done, by game and number of threads; one measurement after the other."""
    keys: dict[str, Place] = {}
    todo: dict[str, Callable[[], Any]] = {}
    for repeat in range(plan.repeats):  # all of them once before any twice, so that a slow hour is everybody's
        for game in plan.games:
            for count in plan.threads:
                wanted = {
                    "game": game.spelling,
                    "threads": count,
                    "kinds": [kind for kind in plan.kinds if count > 1 or one_tree(kind)],
                    "seconds": plan.span,
                    "seed": bench.seed + repeat,
                    "first": repeat,
                }
                key = speed_key(wanted)
                keys[key] = Place(game.spelling, count)
                todo[key] = partial(measured_apart, wanted)
    values = bench.measurements(todo)
    found: dict[Place, list[dict[str, Speed]]] = {place: [] for place in keys.values()}
    for key, place in keys.items():
        found[place] += [values[key]] if values[key] is not None else []
    return found


def speed_key(wanted: Mapping[str, Any]) -> str:
    """All that a speed depends on."""
    kinds = "+".join(wanted["kinds"])
    return (
        f"{processor_name()}, {cores()} cores, {wanted['game']}, threads {wanted['threads']}, {kinds}, "
        f"{wanted['seconds']:g} s, repeat {wanted['first']}"
    )


# Strength -------------------------------------------------------------------------------------------------------------


def all_matches(bench: Bench, plan: Plan, limits: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[Match, Run]:
    """Threads against one thread, at equal time and at equal iterations, as far as these are known."""
    runs: dict[Match, Run] = {}
    for game in plan.games:
        for way in (TIME, ITERATIONS):
            limit = limits[game.spelling].get(way)
            for kind in plan.playing if limit is not None else ():
                for count in (count for count in plan.threads if count > 1):
                    players = seats_of(game, kind, count, limit or {})
                    runs[Match(game.spelling, kind, count, way)] = bench.contest(
                        game.spelling, players, bench.budget.games, openings=OPENING
                    )
    bench.matches(list(runs.values()))
    return runs


def seats_of(game: Game, kind: str, threads: int, limit: Mapping[str, float]) -> Sequence[str]:
    """The player with threads, and one with one thread for each other seat."""
    with_threads = join_spelling("mcts", {**limit, "threads": threads, **KINDS[kind]})
    return [with_threads, *[join_spelling("mcts", dict(limit))] * (game.players - 1)]
