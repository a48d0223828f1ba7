"""`accuracy`: how often a search keeps the value of a Connect Four position that the exact solver knows."""

from __future__ import annotations

from functools import cache, partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from luozi.experiments.frame import (
    Bench,
    Design,
    ExperimentBudget,
    ExperimentRow,
    TableDesign,
    experiment,
    refuse_own_budget,
)
from luozi.experiments.table import INTERVAL, ListDrawing, PointsOf, Record
from luozi.experiments.three_player import refuse_untold
from luozi.games import game as make_game
from luozi.matches.openings import seed_of
from luozi.messages import LuoziError, Message
from luozi.players import player as make_player
from luozi.players import read_spelling, spelled_out
from luozi.reports.pages import Code
from luozi.rules.game import DEPTH_FIRST, Game
from luozi.rules.state import State
from luozi.search.result import wilson_interval
from luozi.solvers.solver import Solver
from luozi.util.machine import processor_name
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.tables import COUNT, FIGURE, SHARE, SHARE_INTERVAL, SPELLING, TextColumn

SOURCE = "the exact solver"
FEWEST, MOST = 10, 20  # random moves before a position
TRIES = 10_000  # draws of a position
BLOCK = 10  # positions measured together
SECONDS = 5.0  # limit of the general solver for all moves of a position; small boards take milliseconds
ADVICE = "name a Connect Four board that it can manage, such as connect4"
NOTE = (
    "Positions after 10 to 20 random moves in which nobody could win at once and at least one legal move throws the "
    "result away. A move keeps the result if it leads to the same value, won, drawn or lost."
)
COLUMNS = (
    TextColumn("player", SPELLING),
    TextColumn("positions", COUNT),
    TextColumn("kept", COUNT),
    TextColumn("share", SHARE),
    TextColumn(INTERVAL, SHARE_INTERVAL),
    TextColumn("won positions kept", FIGURE, minor=True),
    TextColumn("drawn positions kept", FIGURE, minor=True),
)
DRAWING = ListDrawing("player", (PointsOf("Values kept", "share"),), x_label="share of positions")


class TestPosition(NamedTuple):
    """A position with its exact value."""

    state: State
    value: float  # for the player to move
    keeping: tuple[int, ...]  # the moves that keep it


@experiment(
    "accuracy",
    title="Exact values kept",
    source=SOURCE,
    budget=ExperimentBudget(300, seconds=1.0),
    quick=ExperimentBudget(30, iterations=20_000),
    unit="position",
)
def measure_accuracy(
    bench: Bench,
    players: Annotated[str, ParameterInfo("who is tried, joined by |, without a budget")] = "mcts|strong",
    game: Annotated[str, ParameterInfo("a Connect Four board that the exact solver can manage")] = "connect4",
) -> Design:
    """How often does a search keep the value of a Connect Four position? Random positions where a move can go wrong,
    scored by the exact solver.
    """
    board = make_game(game)
    refuse_untold(board, "name a Connect Four board")
    spellings = [with_budget(bench.budget, one.strip(), board) for one in players.split("|")]
    blocks = range(-(-bench.budget.games // BLOCK))
    machine = f", {processor_name()}" if bench.budget.seconds else ""
    keys = {
        (one, block): f"{board.spelling}, {one}, positions {block * BLOCK}{machine}"
        for one in spellings
        for block in blocks
    }
    rows = [
        ExperimentRow(
            {"player": one},
            measurements={keys[one, block]: partial(tried, board, one, block, bench.seed) for block in blocks},
            summarise=kept_values,
        )
        for one in dict.fromkeys(spellings)
    ]
    facts = (("game", Code(board.spelling)), ("processor", processor_name()))
    return Design((TableDesign("Values kept", COLUMNS, rows),), facts, (NOTE,), DRAWING)


def with_budget(budget: ExperimentBudget, spelling: str, game: Game) -> str:
    """Return the canonical specification of a player with the budget."""
    refuse_own_budget(read_spelling(spelling)[1], spelling)
    start, colon, rest = spelling.partition(":")
    limits = join_spelling("", budget.limits())[1:]
    return spelled_out(f"{start}:{limits}{',' if colon else ''}{rest}", game)


# Positions ------------------------------------------------------------------------------------------------------------


@cache
def solver_of(spelling: str) -> Solver:
    """Return the solver of a board, made once so that its table is reused."""
    board = make_game(spelling)
    return Solver(board, seconds=SECONDS if board.exact_solver() == DEPTH_FIRST else 0)


def values_of_moves(game: Game, state: State) -> dict[int, tuple[float, ...]]:
    """Return the exact results of each legal move."""
    try:
        return solver_of(game.spelling).values_of_moves(state)
    except LuoziError:  # its advice is for players
        raise LuoziError(
            "{game} is too large for the exact solver: {advice}", game=game.spelling, advice=Message(ADVICE)
        ) from None


def position(game: Game, seed: int, number: int) -> TestPosition:
    """Return a random position by its number."""
    rng = np.random.default_rng(seed_of("accuracy", seed, number))
    fewest, most = min(FEWEST, game.length_limit // 4), min(MOST, game.length_limit // 2)
    for _ in range(TRIES):
        state = game.new_state()
        for _ in range(int(rng.integers(fewest, most + 1))):
            if not game.is_terminal(state):
                state = game.after(state, int(rng.choice(game.legal_list(state))))
        if game.is_terminal(state) or anybody_wins_at_once(game, state):
            continue
        mover = int(game.current_player(state))
        values = {action: results[mover] for action, results in values_of_moves(game, state).items()}
        best = max(values.values())
        if min(values.values()) < best:
            return TestPosition(state, best, tuple(action for action, value in values.items() if value == best))
    raise LuoziError("{game} has hardly any position where a move loses the result", game=game.spelling)


def anybody_wins_at_once(game: Game, state: State) -> bool:
    """Return whether any player would win at once if it were their turn."""
    found = np.zeros(game.actions, np.int32)
    return any(game.winning_actions(state, player, found) > 0 for player in range(game.players))


def tried(game: Game, spelling: str, block: int, seed: int) -> list[list[float]]:
    """Return the value of each position of a block, and whether the player's move keeps it."""
    answers = []
    for number in range(block * BLOCK, (block + 1) * BLOCK):
        one = position(game, seed, number)
        searcher = make_player(spelling, game, seed=seed_of("search", seed, number) % 2**31)
        searcher.prepare()
        action = searcher.choose(one.state)
        answers.append([one.value, float(action in one.keeping)])
    return answers


# Rows -----------------------------------------------------------------------------------------------------------------


def kept_values(row: ExperimentRow) -> Record:
    """Return how many values a player kept, of all positions and of won and drawn ones."""
    answers = [answer for block in row.measured.values() for answer in block]
    total, right = len(answers), sum(1 for _, kept in answers if kept)
    found: dict[str, Any] = {"positions": total, "kept": right}
    for name, worth in (("won", 1.0), ("drawn", 0.5)):
        kept = [kept for value, kept in answers if value == worth]
        found |= {f"{name} positions kept": f"{sum(map(bool, kept))} of {len(kept)}"}
    return {**found, "share": right / total, INTERVAL: wilson_interval(right / total, total)} if total else found
