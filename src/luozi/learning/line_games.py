"""Games of a line network against itself, whole games in compiled code.

Games begin with some random stones, kept if a short search calls the position open. A share of the moves gets a full
search, with chance in the root's priors, whose visits the policy is to learn; the others a short one. A game ends as
soon as its result is certain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, apart, inline, kernel, random_below, signed
from luozi.compiled.references import each_by_reference
from luozi.evaluators.thread_state import CERTAIN
from luozi.evaluators.variants import Variants
from luozi.games.lines.knowledge import A_FOUR
from luozi.games.lines.rules import Lines
from luozi.search.context import SearchContext
from luozi.search.loop import backpropagate, evaluate_leaf, select_leaf
from luozi.search.tree.pool import PROVEN, Child

UNIT = 1 << 30  # of random numbers
MOST_OPENINGS = 30  # tried before one is taken as it is
EVEN = 0.25  # how far from an even share a mover's hopes may be after an opening
UNEVEN = 0.05  # and how often farther ones are taken
LIVELY_SHARE = 0.75  # of the openings of three and more players
LIVELIEST = 24  # for three and more, a stone of an opening is the most promising one of up to so many at random
CARELESS_SHARE = 0.5  # of the games of three and more: some of the players hardly search in them,
CARELESSLY = 8  # with so many times fewer iterations than in other short searches
WON_WEIGHT = 0.5  # of the policy where a win is certain
LATER_POWER = 3.0  # after the first moves a move is drawn by its visits to this power
# Places in `SampleWriter.numbers`.
ROWS, GAMES, MOVES, DRAWS, NUMBERS = 0, 1, 2, 3, 4


class SelfPlayOptions(NamedTuple):
    """How games are played."""

    full: int  # iterations
    fast: int
    full_share: float
    drawn_moves: int  # at the beginning of a game, by their visits
    longest: int
    drawn_share: float  # of the positions of drawn games that are kept
    least_stones: int  # of an opening
    most_stones: int


class SampleWriter(NamedTuple):
    """What is written down: the columns of samples, and counts."""

    board: Array
    mover: Array
    cells: Array
    chances: Array
    policy_weight: Array
    values: Array
    results: Array
    wins: Array
    numbers: Array  # [NUMBERS] i8


@kernel
def play_games(desk: SearchContext, quiet: Variants, plan: SelfPlayOptions, session: SampleWriter, games: int) -> None:
    """Play so many games, or until the columns are full; `quiet` are the variants of short searches."""
    desk = each_by_reference(desk)
    longest = desk.thread.path.shape[0]
    for _ in range(games):
        if session.numbers[ROWS] + longest > session.mover.shape[0]:
            break
        begin_game(desk, quiet, plan)
        play_game(desk, quiet, plan, session)


@apart
def begin_game(desk: SearchContext, quiet: Variants, plan: SelfPlayOptions) -> None:
    """Random stones, until a short search calls the position open."""
    game, thread = desk.game, desk.thread
    root = thread.root[0]
    for _ in range(MOST_OPENINGS):
        game.start(root)
        stones = plan.least_stones + random_below(thread.rng, plan.most_stones - plan.least_stones + 1)
        if game.players > 2:
            build_lines(desk, plan.most_stones)
        else:
            place_stones(desk, stones)
        if game.is_terminal(root):
            continue
        if think(desk, quiet, plan.fast):
            continue
        average = 0.0
        for player in range(game.players):
            average += desk.tree.mean_of(Child(0, 0, 1), player) / game.players
        hopes = desk.tree.mean_of(Child(0, 0, 1), signed(game.current_player(root)))
        if abs(hopes - average) < EVEN or chance(thread.rng) < UNEVEN:
            return
    game.start(root)


@inline
def place_stones(desk: SearchContext, stones: int) -> None:
    """Random moves; on a large flat board near a random point."""
    game, thread = desk.game, desk.thread
    root = thread.root[0]
    spread = 2 + random_below(thread.rng, 4)
    row, column = random_below(thread.rng, game.rows), random_below(thread.rng, game.columns)
    if game.rows > 10:
        row, column = 3 + random_below(thread.rng, game.rows - 6), 3 + random_below(thread.rng, game.columns - 6)
    placed, tries = 0, 0
    while placed < stones and not game.is_terminal(root) and tries < 1000:
        tries += 1
        action = np.int64(random_below(thread.rng, game.actions))
        if not game.gravity and game.layers == 1 and game.cells > 100:
            away = max(abs(action // game.columns - row), abs(action % game.columns - column))
            if away > spread:
                continue
        if game.is_legal(root, action):
            game.apply_action(root, action)
            placed += 1


@inline
def build_lines(desk: SearchContext, most: int) -> None:
    """Stones with which each player builds lines of their own: from random ones three players nearly always draw.

    Most openings have many stones, well chosen; the others any number of them.
    """
    game, thread = desk.game, desk.thread
    root, stones, choices = thread.root[0], random_below(thread.rng, most + 1), 1 + random_below(thread.rng, LIVELIEST)
    if chance(thread.rng) < LIVELY_SHARE:
        stones, choices = most - stones // 2, LIVELIEST - choices // 2
    for _ in range(stones):
        best, highest = np.int64(-1), -1.0
        for _ in range(choices):
            action = np.int64(random_below(thread.rng, game.actions))
            if game.is_legal(root, action):
                promise = game.promise(root, game.cell_of(root, action), signed(game.current_player(root)))
                if promise < A_FOUR and promise > highest:
                    best, highest = action, promise
        if best >= 0 and not game.is_terminal(root):
            game.apply_action(root, best)


@inline
def chance(rng: Array) -> float:
    """A random number from 0 to 1."""
    return float(random_below(rng, UNIT)) / UNIT


@apart
def think(desk: SearchContext, variants: Variants, iterations: int) -> bool:
    """Search from the root, in an empty tree; whether its result is certain. It stands in `thread.results`."""
    used = SearchContext(
        desk.game, desk.selection, desk.evaluator, desk.solver, desk.tree, desk.thread, desk.limits, variants
    )
    thread = desk.thread
    searcher = signed(desk.game.current_player(thread.root[0]))
    desk.tree.restart()
    desk.tree.clear_side_tables(0)
    for iteration in range(iterations):
        depth = select_leaf(used)
        if not desk.solver.check_leaf(used, depth, searcher):
            evaluate_leaf(used, depth)
        if iteration == 0 and thread.counts[CERTAIN] != 0:
            return True
        backpropagate(used, depth)
        if iteration == 0 and desk.tree.child_count(desk.tree.node_of(Child(0, 0, 1))) == 1:
            return False  # there is nothing to choose
        if desk.tree.is_proven(0):
            for player in range(desk.game.players):
                thread.results[player] = desk.tree.proven_result(0, player)
            return True
    return False


@apart
def play_game(desk: SearchContext, quiet: Variants, plan: SelfPlayOptions, session: SampleWriter) -> None:
    """Play from the root to the end, or until the result is certain, and write it down."""
    game, thread, numbers = desk.game, desk.thread, session.numbers
    root, first, moves = thread.root[0], signed(session.numbers[ROWS]), 0
    finished, careless = False, careless_players(desk)
    while not finished and moves < plan.longest:
        hurries = (careless >> signed(game.current_player(root))) & 1 == 1
        full = not hurries and chance(thread.rng) < plan.full_share
        fast = max(1, plan.fast // CARELESSLY) if hurries else plan.fast
        certain = think(desk, desk.variants, plan.full) if full else think(desk, quiet, fast)
        if certain:
            write_certain(desk, session)
            finished = True
        else:
            if desk.tree.child_count(desk.tree.node_of(Child(0, 0, 1))) > 1:
                write_position(desk, session, 1.0 if full else 0.0)
            action = drawn_move(desk, 1.0 if moves < plan.drawn_moves else LATER_POWER)
            game.apply_action(root, action)
            moves += 1
            if game.is_terminal(root):
                game.returns(root, thread.results)
                finished = True
    winner = -1
    for player in range(game.players):
        if not finished:
            thread.results[player] = 0.5
        elif thread.results[player] > 0.99:
            winner = player
    end_game(desk, plan, session, first, winner)
    numbers[GAMES] += 1
    numbers[MOVES] += moves


@inline
def careless_players(desk: SearchContext) -> int:
    """Which players hardly search in a game, as bits: some of three and more, so that nobody learns to rely on others.

    Where all play well, the last who can stop a threat always does, and most games are drawn.
    """
    players = desk.game.players
    if players < 3 or chance(desk.thread.rng) >= CARELESS_SHARE:
        return 0
    return 1 + random_below(desk.thread.rng, (1 << players) - 2)


@inline
def end_game(desk: SearchContext, plan: SelfPlayOptions, session: SampleWriter, first: int, winner: int) -> None:
    """Give every position of a game its result; of drawn games only some are kept."""
    numbers, kept = session.numbers, first
    for row in range(first, signed(numbers[ROWS])):
        if winner >= 0 or chance(desk.thread.rng) < plan.drawn_share:
            copy_row(session, row, kept)
            for player in range(desk.game.players):
                session.results[kept, player] = desk.thread.results[player]
            kept += 1
    numbers[ROWS] = kept
    if winner >= 0:
        session.wins[winner] += 1
    else:
        numbers[DRAWS] += 1


@inline
def copy_row(session: SampleWriter, source: int, to: int) -> None:
    """Move a position up."""
    if source == to:
        return
    for cell in range(session.board.shape[1]):
        session.board[to, cell] = session.board[source, cell]
    session.mover[to], session.policy_weight[to] = session.mover[source], session.policy_weight[source]
    for index in range(session.cells.shape[1]):
        session.cells[to, index], session.chances[to, index] = (
            session.cells[source, index],
            session.chances[source, index],
        )
    for player in range(session.values.shape[1]):
        session.values[to, player] = session.values[source, player]


@inline
def new_row(desk: SearchContext, session: SampleWriter) -> int:
    """A row with the position at the root, and nothing to be learned of it yet."""
    game, root = desk.game, desk.thread.root[0]
    row = signed(session.numbers[ROWS])
    session.numbers[ROWS] = row + 1
    for cell in range(game.cells):
        session.board[row, cell] = game.stone_at(root, cell)
    session.mover[row], session.policy_weight[row] = game.current_player(root), 0.0
    for index in range(session.cells.shape[1]):
        session.cells[row, index], session.chances[row, index] = -1, 0.0
    return row


@apart
def write_certain(desk: SearchContext, session: SampleWriter) -> None:
    """The position whose result is certain; if its mover wins, by a move that is known, that is to be learned."""
    tree, game, thread = desk.tree, desk.game, desk.thread
    row = new_row(desk, session)
    for player in range(game.players):
        session.values[row, player] = thread.results[player]
    mover = signed(game.current_player(thread.root[0]))
    node = tree.node_of(Child(0, 0, 1))
    if thread.results[mover] < 0.99:
        return
    if node == 0:
        return
    left, level = tree.child_count(node), 0
    alone = left == 1
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            proven = desk.tree.marks_of(child.edge) & PROVEN != 0
            if alone or (proven and tree.proven_result(child.edge, mover) > 0.99):
                session.cells[row, 0] = game.cell_of(thread.root[0], tree.action_of(child))
                session.chances[row, 0], session.policy_weight[row] = 1.0, WON_WEIGHT
                return
        left -= size
        level += 1


@apart
def write_position(desk: SearchContext, session: SampleWriter, weight: float) -> None:
    """The position at the root, with what the search thought of it."""
    tree, game, thread = desk.tree, desk.game, desk.thread
    row = new_row(desk, session)
    for player in range(game.players):
        session.values[row, player] = tree.mean_of(Child(0, 0, 1), player)
    total = 0.0
    count, hopeful = list_moves(desk)
    session.policy_weight[row] = weight if hopeful else 0.0
    if weight > 0.0 and hopeful:
        for index in range(min(count, session.cells.shape[1])):
            best = index
            for other in range(index + 1, count):
                if thread.values[other] > thread.values[best]:
                    best = other
            move, value = thread.moves[best], thread.values[best]
            thread.moves[best], thread.values[best] = thread.moves[index], thread.values[index]
            thread.moves[index], thread.values[index] = move, value
            if value > 0.0:
                session.cells[row, index] = game.cell_of(thread.root[0], np.int64(move))
                session.chances[row, index] = value
                total += value
        for index in range(session.cells.shape[1]):
            session.chances[row, index] /= max(total, 1.0)


@inline
def list_moves(desk: SearchContext) -> tuple[int, bool]:
    """The root's moves in `thread.moves` and their visits in `thread.values`, none for those that lose.

    Returns how many, and whether one of those visited does not lose; else all count alike.
    """
    tree, thread = desk.tree, desk.thread
    mover = signed(desk.game.current_player(thread.root[0]))
    node, count, level, hopeful = tree.node_of(Child(0, 0, 1)), 0, 0, 0.0
    left = tree.child_count(node)
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            proven = desk.tree.marks_of(child.edge) & PROVEN != 0
            lost = proven and tree.proven_result(child.edge, mover) < 0.01
            thread.moves[count] = tree.action_of(child)
            thread.values[count] = 0.0 if lost else float(tree.visits_of(child))
            hopeful += thread.values[count]
            count += 1
        left -= size
        level += 1
    if hopeful == 0.0:  # all that was visited loses
        for index in range(count):
            thread.values[index] = 1.0
    return count, hopeful > 0.0


@inline
def drawn_move(desk: SearchContext, power: float) -> int:
    """A move drawn by its visits to a power."""
    thread, total = desk.thread, 0.0
    count, _ = list_moves(desk)
    for index in range(count):
        thread.values[index] = thread.values[index] ** power
        total += thread.values[index]
    rest = chance(thread.rng) * total
    for index in range(count):
        rest -= thread.values[index]
        if rest < 0.0:
            return signed(thread.moves[index])
    return signed(thread.moves[0])


def new_session(rows: int, game: Lines, most_moves: int) -> SampleWriter:
    """Columns with room for so many positions."""
    return SampleWriter(
        board=np.zeros((rows, game.cells), np.int8),
        mover=np.zeros(rows, np.int8),
        cells=np.full((rows, most_moves), -1, np.int16),
        chances=np.zeros((rows, most_moves), np.float32),
        policy_weight=np.zeros(rows, np.float32),
        values=np.zeros((rows, game.players), np.float32),
        results=np.zeros((rows, game.players), np.float32),
        wins=np.zeros(game.players, np.int64),
        numbers=np.zeros(NUMBERS, np.int64),
    )
