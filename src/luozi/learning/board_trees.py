"""The search of one move in a forest: select by PUCT, ask the network, back up, for two and more players (max^n)."""

from __future__ import annotations

import math

from luozi.compiled import Array, inline, random_below, signed
from luozi.learning.board_forest import (
    CHILD,
    COUNT,
    DEPTH,
    EDGE_TOTAL,
    EDGE_VISITS,
    EDGES,
    FIRST,
    FULL,
    GAMMAS,
    IS_WAITING,
    KEPT,
    LEAF,
    LEGAL,
    MOVER,
    NODES,
    PLY,
    PRIOR,
    SEEN,
    SORTED,
    TARGET,
    TERMINAL,
    TOTAL,
    TRIED,
    VISITS,
    WAITING,
    ForestContext,
)

UNIT = 1 << 30  # of random numbers


@inline
def uniform(rng: Array) -> float:
    """A random number from 0 to 1, without 1."""
    return float(random_below(rng, UNIT)) / UNIT


@inline
def descend(context: ForestContext, g: int) -> None:
    """Go from the root to a leaf, which then waits for the network; an end of the game is backed up at once."""
    game, forest = context.game, context.forest
    sizes, nodes = forest.sizes, forest.nodes
    forest.state[g] = forest.roots[g]
    depth, node = 0, 0
    if signed(sizes[g, NODES]) == 0:
        new_node(context, g)
    while signed(nodes[g, node, COUNT]) > 0:
        edge = select(context, g, node)
        forest.path[g, depth, 0], forest.path[g, depth, 1] = node, edge
        depth += 1
        game.apply_action(forest.state[g], signed(forest.action[g, edge]))
        node = signed(forest.edges[g, edge, CHILD])
        if node == 0:
            node = new_node(context, g)
            forest.edges[g, edge, CHILD] = node
    sizes[g, DEPTH], sizes[g, LEAF] = depth, node
    if signed(nodes[g, node, COUNT]) == TERMINAL:
        game.returns(forest.state[g], forest.value[g])
        back_up(context, g)
    else:
        ask(context, g)


@inline
def new_node(context: ForestContext, g: int) -> int:
    """A node for the position in `state`; its number."""
    game, forest = context.game, context.forest
    node = signed(forest.sizes[g, NODES])
    forest.sizes[g, NODES] = node + 1
    forest.nodes[g, node, VISITS], forest.nodes[g, node, TOTAL] = 0.0, 0.0
    forest.nodes[g, node, FIRST], forest.nodes[g, node, MOVER] = 0.0, 0.0
    forest.nodes[g, node, TRIED], forest.nodes[g, node, SORTED], forest.nodes[g, node, SEEN] = 0.0, 0.0, 0.0
    if game.is_terminal(forest.state[g]):
        forest.nodes[g, node, COUNT] = TERMINAL
    else:
        forest.nodes[g, node, COUNT] = WAITING
        forest.nodes[g, node, MOVER] = signed(game.current_player(forest.state[g]))
    return node


@inline
def select(context: ForestContext, g: int, node: int) -> int:
    """The edge of the highest PUCT (Silver et al. 2017).

    An edge without visits has the node's mean less a reduction, which grows with the priors of the visited edges
    (first-play urgency of KataGo, Wu 2019). Values go from -1 to 1 here. Of the edges without visits that of the
    highest prior is always the next, so that only one of them is looked at.
    """
    settings, nodes, edges = context.settings, context.forest.nodes, context.forest.edges
    first, tried = signed(nodes[g, node, FIRST]), signed(nodes[g, node, TRIED])
    visits = float(nodes[g, node, VISITS])
    scale, best, chosen = settings.exploration * math.sqrt(visits), -1e30, first
    for edge in range(first, first + tried):
        times = float(edges[g, edge, EDGE_VISITS])
        score = 2.0 * float(edges[g, edge, EDGE_TOTAL]) / times - 1.0
        score += scale * float(edges[g, edge, PRIOR]) / (1.0 + times)
        if score > best:
            best, chosen = score, edge
    if tried < signed(nodes[g, node, COUNT]):
        edge = first + tried
        if signed(nodes[g, node, SORTED]) == tried:
            bring_forward(context, g, node)
        mean, seen = 2.0 * float(nodes[g, node, TOTAL]) / visits - 1.0, float(nodes[g, node, SEEN])
        if mean - settings.fpu_reduction * math.sqrt(seen) + scale * float(edges[g, edge, PRIOR]) > best:
            chosen = edge
            nodes[g, node, TRIED] = tried + 1
            nodes[g, node, SEEN] = seen + float(edges[g, edge, PRIOR])
    return chosen


@inline
def bring_forward(context: ForestContext, g: int, node: int) -> None:
    """Swap the edge of the highest prior among those without visits to their front."""
    edges, actions, nodes = context.forest.edges, context.forest.action, context.forest.nodes
    front = signed(nodes[g, node, FIRST]) + signed(nodes[g, node, TRIED])
    best, highest = front, float(edges[g, front, PRIOR])
    for edge in range(front + 1, signed(nodes[g, node, FIRST]) + signed(nodes[g, node, COUNT])):
        if float(edges[g, edge, PRIOR]) > highest:
            best, highest = edge, float(edges[g, edge, PRIOR])
    edges[g, best, PRIOR] = edges[g, front, PRIOR]
    edges[g, front, PRIOR] = highest
    action = actions[g, best]
    actions[g, best] = actions[g, front]
    actions[g, front] = action
    nodes[g, node, SORTED] = signed(nodes[g, node, TRIED]) + 1


@inline
def ask(context: ForestContext, g: int) -> None:
    """Write what the network is shown of the leaf."""
    game, forest = context.game, context.forest
    depth, history = signed(forest.sizes[g, DEPTH]), forest.recent.shape[1]
    count = signed(game.legal_actions(forest.state[g], forest.legal[g]))
    for index in range(history):
        if index < depth:
            forest.path_recent[g, index] = forest.action[g, signed(forest.path[g, depth - 1 - index, 1])]
        else:
            forest.path_recent[g, index] = forest.recent[g, index - depth]
    context.input.write_planes(
        game, forest.state[g], forest.legal[g], count, forest.path_recent[g], forest.planes[g], forest.numbers[g]
    )
    forest.sizes[g, LEGAL] = without_passes(context, g, count)
    forest.sizes[g, IS_WAITING] = 1
    if depth == 0 and signed(forest.sizes[g, FULL]) == 1:
        keep_planes(context, g)


@inline
def without_passes(context: ForestContext, g: int, count: int) -> int:
    """Leave out actions without a cell early in a game, if there is another: else random networks pass at once."""
    forest = context.forest
    if signed(forest.sizes[g, PLY]) + signed(forest.sizes[g, DEPTH]) >= context.settings.first_pass:
        return count
    kept, mover = 0, signed(forest.nodes[g, signed(forest.sizes[g, LEAF]), MOVER])
    for index in range(count):
        if context.input.first_cell[mover, signed(forest.legal[g, index])] >= 0:
            forest.legal[g, kept] = forest.legal[g, index]
            kept += 1
    return kept if kept > 0 else count


@inline
def keep_planes(context: ForestContext, g: int) -> None:
    """Keep what the network is shown of the root, for the position that will be recorded."""
    forest, row = context.forest, signed(context.forest.sizes[g, KEPT])
    if row < forest.kept_mover.shape[1]:
        for plane in range(forest.planes.shape[1]):
            for cell in range(forest.planes.shape[2]):
                forest.kept_planes[g, row, plane, cell] = forest.planes[g, plane, cell]
        for index in range(forest.numbers.shape[1]):
            forest.kept_numbers[g, row, index] = forest.numbers[g, index]


@inline
def take_in(context: ForestContext, g: int) -> None:
    """Make the leaf a node with edges by what the network said of it, and back its values up."""
    forest = context.forest
    sizes, leaf = forest.sizes, signed(forest.sizes[g, LEAF])
    sizes[g, IS_WAITING] = 0
    players, mover = forest.value.shape[1], signed(forest.nodes[g, leaf, MOVER])
    for player in range(players):
        forest.value[g, (mover + player) % players] = float(forest.result[g, player])
    count, first = signed(sizes[g, LEGAL]), signed(sizes[g, EDGES])
    if first + count <= forest.action.shape[1]:
        add_edges(context, g, leaf)
        if leaf == 0 and signed(sizes[g, FULL]) == 1 and context.settings.noise > 0.0:
            add_noise(context, g)
    else:
        sizes[g, TARGET] = 0  # no room for more: the search of this move ends
    back_up(context, g)


@inline
def add_edges(context: ForestContext, g: int, leaf: int) -> None:
    """Give the leaf an edge for each legal action, whose prior is the softmax of the logits of the legal ones."""
    forest = context.forest
    count, first = signed(forest.sizes[g, LEGAL]), signed(forest.sizes[g, EDGES])
    mover = signed(forest.nodes[g, leaf, MOVER])
    highest, lowest, total = -1e30, 1e30, 0.0
    for index in range(count):
        output = signed(context.input.logit_of[mover, signed(forest.legal[g, index])])
        if output >= 0:
            highest = max(highest, float(forest.logits[g, output]))
            lowest = min(lowest, float(forest.logits[g, output]))
    unknown = math.exp(0.5 * (lowest - highest)) if lowest <= highest else 1.0  # an action without an output
    for index in range(count):
        edge, action = first + index, signed(forest.legal[g, index])
        output, chance = signed(context.input.logit_of[mover, action]), unknown
        if output >= 0:
            chance = math.exp(float(forest.logits[g, output]) - highest)
        total += chance
        forest.action[g, edge] = action
        forest.edges[g, edge, PRIOR], forest.edges[g, edge, EDGE_VISITS] = chance, 0.0
        forest.edges[g, edge, EDGE_TOTAL], forest.edges[g, edge, CHILD] = 0.0, 0.0
    for edge in range(first, first + count):
        forest.edges[g, edge, PRIOR] = float(forest.edges[g, edge, PRIOR]) / total
    forest.nodes[g, leaf, FIRST], forest.nodes[g, leaf, COUNT] = first, count
    forest.sizes[g, EDGES] = first + count


@inline
def add_noise(context: ForestContext, g: int) -> None:
    """Mix Dirichlet noise into the priors of the root (Silver et al. 2017)."""
    forest, share = context.forest, context.settings.noise
    first, count = signed(forest.nodes[g, 0, FIRST]), signed(forest.nodes[g, 0, COUNT])
    place, total = random_below(forest.rng[g], GAMMAS), 0.0
    for index in range(count):
        total += float(forest.gammas[(place + index) % GAMMAS])
    for index in range(count):
        edge = first + index
        noise = float(forest.gammas[(place + index) % GAMMAS]) / total
        forest.edges[g, edge, PRIOR] = (1.0 - share) * float(forest.edges[g, edge, PRIOR]) + share * noise


@inline
def back_up(context: ForestContext, g: int) -> None:
    """Add the values of the leaf to all nodes and edges of its path, each for the player to move there."""
    forest = context.forest
    nodes, edges, value = forest.nodes, forest.edges, forest.value
    for index in range(signed(forest.sizes[g, DEPTH])):
        node, edge = signed(forest.path[g, index, 0]), signed(forest.path[g, index, 1])
        gain = float(value[g, signed(nodes[g, node, MOVER])])
        nodes[g, node, VISITS] += 1.0
        nodes[g, node, TOTAL] = float(nodes[g, node, TOTAL]) + gain
        edges[g, edge, EDGE_VISITS] += 1.0
        edges[g, edge, EDGE_TOTAL] = float(edges[g, edge, EDGE_TOTAL]) + gain
    leaf = signed(forest.sizes[g, LEAF])
    nodes[g, leaf, VISITS] += 1.0
    nodes[g, leaf, TOTAL] = float(nodes[g, leaf, TOTAL]) + float(value[g, signed(nodes[g, leaf, MOVER])])
    for player in range(value.shape[1]):
        forest.root_total[g, player] += value[g, player]
