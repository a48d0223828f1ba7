"""The games of a forest: moves, recorded positions, ends; and the threads that play without waiting for Python."""

from __future__ import annotations

from luozi.compiled import Array, apart, inline, kernel, random_below, signed
from luozi.compiled.atomics import fetch_add, give_way, load_acquire, store_release
from luozi.compiled.references import each_by_reference
from luozi.learning.board_forest import (
    ALIVE,
    COUNT,
    DECIDED,
    DRAWS,
    EDGE_VISITS,
    EDGES,
    EVALUATIONS,
    FIRST,
    FULL,
    GAMES,
    IS_WAITING,
    KEPT,
    LOST,
    MOVER,
    MOVES,
    NODES,
    PLY,
    ROWS,
    TARGET,
    VISITS,
    WINS,
    ForestContext,
)
from luozi.learning.board_trees import descend, take_in, uniform

CLEAR = 0.95  # a mean value of some player from which on a game is decided
DECIDED_FULL = 0.3  # of the share of full searches in decided games
# A game whose result seems clear from its first move on is searched and recorded as any other: else a network that
# believes that one player always wins would see only games in which that player does.
NEVER_OPEN = -1
WON = 0.99
# Places in `bells`, in cache lines of their own. Orders are 4 * number + half, or + STOP.
ORDER, DONE, STOP, BELLS = 0, 16, 2, 32
PATIENCE = 4000  # looks at a bell before the processor is left to another thread


@kernel
def start_games(context: ForestContext, low: int, high: int) -> None:
    """Begin the games `low` to `high - 1`."""
    context = each_by_reference(context)
    for g in range(low, high):
        start_game(context, g)


@kernel
def tick(context: ForestContext, low: int, high: int) -> None:
    """Take in what the network said, and go on to the next leaf, in the games `low` to `high - 1`."""
    context = each_by_reference(context)
    advance_games(context, low, high)


@kernel
def serve(context: ForestContext, bells: Array, half: int, low: int, high: int) -> None:
    """Tick games of the one or the other half as ordered, until told to stop, without Python in between.

    A call of a kernel takes Python 50 microseconds for its arguments, one thread at a time.
    """
    context = each_by_reference(context)
    seen = 0
    while True:
        order, looks = load_acquire(bells, ORDER), 0
        while order == seen:
            looks += 1
            if looks > PATIENCE:
                give_way()
            order = load_acquire(bells, ORDER)
        seen = order
        if order & 3 == STOP:
            break
        start = (order & 3) * half
        advance_games(context, start + low, start + high)
        fetch_add(bells, DONE, 1)


@kernel
def ring(bells: Array, order: int) -> None:
    """Give an order to all threads that serve."""
    bells[DONE] = 0
    store_release(bells, ORDER, order)


@kernel
def wait_for(bells: Array, threads: int) -> None:
    """Wait until so many threads have done what was ordered."""
    looks = 0
    while load_acquire(bells, DONE) < threads:
        looks += 1
        if looks > PATIENCE:
            give_way()


@apart
def advance_games(context: ForestContext, low: int, high: int) -> None:
    """One leaf further in each of these games."""
    for g in range(low, high):
        advance(context, g)


@inline
def advance(context: ForestContext, g: int) -> None:
    """Take in an answer of the network, play the moves whose search is over, and search on to the next leaf."""
    forest, sizes = context.forest, context.forest.sizes
    if signed(sizes[g, IS_WAITING]) == 1:
        take_in(context, g)
        context.output.counts[EVALUATIONS] += 1
    while signed(sizes[g, ALIVE]) == 1 and signed(sizes[g, IS_WAITING]) == 0:
        if signed(sizes[g, NODES]) > 0 and signed(forest.nodes[g, 0, VISITS]) > signed(sizes[g, TARGET]):
            play_move(context, g)
        else:
            descend(context, g)


@inline
def start_game(context: ForestContext, g: int) -> None:
    """Begin a game, some with random moves."""
    game, forest, settings = context.game, context.forest, context.settings
    rng, sizes = forest.rng[g], forest.sizes
    over = True
    while over:
        forest.roots[g] = forest.begin[0]  # `game.start` would want a record of zeros
        sizes[g, PLY], sizes[g, KEPT], sizes[g, ALIVE], sizes[g, DECIDED] = 0, 0, 1, NEVER_OPEN
        for index in range(forest.recent.shape[1]):
            forest.recent[g, index] = -1
        over = False
        if uniform(rng) < settings.random_share:
            for _ in range(random_below(rng, settings.random_moves + 1)):
                if not over:
                    play_random_move(context, g)
                    over = game.is_terminal(forest.roots[g])
    new_move(context, g)


@inline
def play_random_move(context: ForestContext, g: int) -> None:
    """Play a random move; nothing if it has no cell, as a pass."""
    forest = context.forest
    mover = signed(context.game.current_player(forest.roots[g]))
    count = signed(context.game.legal_actions(forest.roots[g], forest.legal[g]))
    action = signed(forest.legal[g, random_below(forest.rng[g], count)])
    if count == 1 or context.input.first_cell[mover, action] >= 0:
        play(context, g, action)


@inline
def play(context: ForestContext, g: int, action: int) -> None:
    """Play an action on the board."""
    forest = context.forest
    context.game.apply_action(forest.roots[g], action)
    forest.sizes[g, PLY] += 1
    for index in range(forest.recent.shape[1] - 1, 0, -1):
        forest.recent[g, index] = forest.recent[g, index - 1]
    forest.recent[g, 0] = action


@inline
def new_move(context: ForestContext, g: int) -> None:
    """Begin the search of a move with an empty tree."""
    forest, settings, sizes = context.forest, context.settings, context.forest.sizes
    decided = signed(sizes[g, DECIDED]) >= settings.decided_moves
    full = uniform(forest.rng[g]) < settings.full_share * (DECIDED_FULL if decided else 1.0)
    fast = max(4, settings.fast // 2) if decided else settings.fast
    sizes[g, FULL] = 1 if full else 0
    sizes[g, TARGET] = settings.full if full else fast
    sizes[g, NODES], sizes[g, EDGES], sizes[g, IS_WAITING] = 0, 0, 0
    for player in range(forest.root_total.shape[1]):
        forest.root_total[g, player] = 0.0


@inline
def play_move(context: ForestContext, g: int) -> None:
    """Play the move that was searched, and record the position after a full search."""
    forest, sizes = context.forest, context.forest.sizes
    context.output.counts[MOVES] += 1
    highest = 0.0
    for player in range(forest.root_total.shape[1]):
        highest = max(highest, forest.root_total[g, player] / float(forest.nodes[g, 0, VISITS]))
    if highest <= CLEAR:
        sizes[g, DECIDED] = 0
    elif signed(sizes[g, DECIDED]) >= 0:
        sizes[g, DECIDED] += 1
    if signed(sizes[g, FULL]) == 1 and signed(sizes[g, KEPT]) < forest.kept_mover.shape[1]:
        keep(context, g)
    play(context, g, chosen_action(context, g))
    if context.game.is_terminal(forest.roots[g]):
        finish(context, g)
    else:
        new_move(context, g)


@inline
def chosen_action(context: ForestContext, g: int) -> int:
    """An action of the root, drawn by its visits to a power."""
    forest, settings = context.forest, context.settings
    power = 1.0 if signed(forest.sizes[g, PLY]) < settings.early_moves else settings.late_power
    first, count = signed(forest.nodes[g, 0, FIRST]), signed(forest.nodes[g, 0, COUNT])
    most, total = 1.0, 0.0
    for edge in range(first, first + count):
        most = max(most, float(forest.edges[g, edge, EDGE_VISITS]))
    for edge in range(first, first + count):
        total += (float(forest.edges[g, edge, EDGE_VISITS]) / most) ** power
    rest, chosen = total * uniform(forest.rng[g]), -1
    for edge in range(first, first + count):
        share = (float(forest.edges[g, edge, EDGE_VISITS]) / most) ** power
        if share > 0.0 and (rest >= 0.0 or chosen < 0):
            chosen = signed(forest.action[g, edge])
        rest -= share
    return chosen


@inline
def keep(context: ForestContext, g: int) -> None:
    """Record the visits and the mean values of the root, beside its planes (`keep_planes`)."""
    forest = context.forest
    row, mover, players = signed(forest.sizes[g, KEPT]), signed(forest.nodes[g, 0, MOVER]), forest.value.shape[1]
    for output in range(forest.kept_policy.shape[2]):
        forest.kept_policy[g, row, output] = -1
    first, count = signed(forest.nodes[g, 0, FIRST]), signed(forest.nodes[g, 0, COUNT])
    for edge in range(first, first + count):
        output = signed(context.input.logit_of[mover, signed(forest.action[g, edge])])
        if output >= 0:
            forest.kept_policy[g, row, output] = signed(forest.edges[g, edge, EDGE_VISITS])
    forest.kept_mover[g, row] = mover
    for player in range(players):
        mean = forest.root_total[g, (mover + player) % players] / float(forest.nodes[g, 0, VISITS])
        forest.kept_mean[g, row, player] = mean
    forest.sizes[g, KEPT] = row + 1


@inline
def finish(context: ForestContext, g: int) -> None:
    """Hand over the positions of a finished game, and begin the next."""
    game, forest, counts = context.game, context.forest, context.output.counts
    game.returns(forest.roots[g], forest.value[g])
    for cell in range(forest.owners.shape[1]):
        forest.owners[g, cell] = 0
    if game.points > 0:
        game.point_owners(forest.roots[g], forest.owners[g])
    won = False
    for player in range(forest.value.shape[1]):
        if forest.value[g, player] > WON:
            counts[WINS + min(player, 15)] += 1
            won = True
    counts[GAMES] += 1
    counts[DRAWS] += 0 if won else 1
    for row in range(signed(forest.sizes[g, KEPT])):
        if counts[ROWS] < context.output.result.shape[0]:
            write_row(context, g, row)
        else:
            counts[LOST] += 1
    if context.settings.restarts == 1:
        start_game(context, g)
    else:
        forest.sizes[g, ALIVE] = 0


@inline
def write_row(context: ForestContext, g: int, row: int) -> None:
    """Write a recorded position and how its game ended, as the player to move sees it."""
    forest, output = context.forest, context.output
    to, mover, players = signed(output.counts[ROWS]), signed(forest.kept_mover[g, row]), forest.value.shape[1]
    output.counts[ROWS] = to + 1
    for plane in range(output.planes.shape[1]):
        for cell in range(output.planes.shape[2]):
            output.planes[to, plane, cell] = forest.kept_planes[g, row, plane, cell]
    for index in range(output.numbers.shape[1]):
        output.numbers[to, index] = forest.kept_numbers[g, row, index]
    for index in range(output.policy.shape[1]):
        output.policy[to, index] = forest.kept_policy[g, row, index]
    for player in range(players):
        output.result[to, player] = forest.value[g, (mover + player) % players]
        output.mean[to, player] = forest.kept_mean[g, row, player]
    for cell in range(output.owners.shape[1]):
        owner = signed(forest.owners[g, cell])
        output.owners[to, cell] = 0 if owner == 0 else 1 + (owner - 1 - mover + players) % players
