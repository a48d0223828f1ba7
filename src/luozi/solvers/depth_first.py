"""The compiled half of `exact`: alpha-beta to the end of the game, depth first, with a table of positions.

Start with `prove`, the loop over a stack of positions. Windows and bounds are those of player 1's result: player 1
raises alpha, the other lowers beta, whoever's turn it is. Games with three or more players, or whose results do not add
up to 1, are solved by max^n (Luckhardt and Irani 1986): everybody takes the best result for themselves. Among equal
moves the lowest action counts, and where that decides what others get, the answer is marked as TIED. Nothing is cut off
but what follows a win that leaves others nothing, where all wins do (`alone`); of these one that wins at once counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from luozi.compiled import Array, inline, kernel, unsigned

# Fields of a frame: how many moves, which is next, who moves, the best move (the table's, at first), the hash, and what
# in its results depends on how ties are broken: LIKE_BEST if moves as good as the best differ for others, or BELOW.
COUNT, NEXT, MOVER, BEST, HASH, TIED, FRAME_SIZE = 0, 1, 2, 3, 4, 5, 6
LIKE_BEST, BELOW = 1, 2
SAME = 1e-9  # results that differ less are equal
# Fields of a window: player 1's alpha and beta, now and as they were when the position was entered.
ALPHA, BETA, FIRST_ALPHA, FIRST_BETA, WINDOW_SIZE = 0, 1, 2, 3, 4
# Fields of an entry of the table; the results follow.
KEY, NOTE, RESULTS = 0, 1, 2
EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a stored result of player 1 is; 0 is an empty entry
# Places in `progress`. STOP is 0 as in the search.
STOP, NODES, UNEQUAL, TOO_LONG, PROGRESS_SIZE = 0, 1, 2, 3, 4

_MIX, _63_BITS = 0x1E3779B97F4A7C15, (1 << 63) - 1


class Stack(NamedTuple):
    """One frame for each position on the way down from the root; D is the most moves of a game, plus two."""

    states: Array  # [D] positions
    words: Array  # [D, W] the same memory as whole numbers, for the hash
    mask: Array  # [W] which bits of the words count
    actions: Array  # [D, actions] i4: the moves of a position, in the order in which they are tried
    frames: Array  # [D, FRAME_SIZE] i8
    results: Array  # [D, players] f8: what is known of the position's value
    windows: Array  # [D, WINDOW_SIZE] f8
    legal: Array  # [actions] i4: scratch
    rank: Array  # [actions] i4: moves with a low rank are tried first


class Table(NamedTuple):
    """Positions that were solved: KEY, NOTE (action, whether tied, kind of bound) and the results, side by side."""

    words: Array  # [entries * width] i8
    floats: Array  # the same memory as f8
    entries: int  # a power of two
    width: int


# The search ---------------------------------------------------------------------------------------------------------


@kernel
def prove(game: Any, stack: Stack, table: Table, progress: Array, limit: int, cuts: bool, alone: bool) -> None:
    """Find the value of the position in frame 0, depth first. `cuts` is alpha-beta; without it this is max^n.

    `alone` says that who gets 1 leaves nothing to others.
    """
    stack.windows[0, ALPHA], stack.windows[0, BETA] = 0.0, 1.0
    depth = 0 if not enter(game, stack, table, progress, 0, cuts, alone) else -1
    while depth >= 0:
        if progress[STOP] != 0 or progress[NODES] > limit or progress[UNEQUAL] != 0 or progress[TOO_LONG] != 0:
            break
        if stack.frames[depth, NEXT] == stack.frames[depth, COUNT]:
            store(table, stack, depth, cuts)
            depth -= 1
            if depth >= 0:
                back_up(stack, depth, cuts, alone)
        elif descend(game, stack, table, progress, depth, cuts, alone):
            back_up(stack, depth, cuts, alone)
        else:
            depth += 1


@inline
def descend(game: Any, stack: Stack, table: Table, progress: Array, depth: int, cuts: bool, alone: bool) -> bool:
    """Play the next move of a frame; whether the position after it is known already."""
    action = int(stack.actions[depth, stack.frames[depth, NEXT]])
    stack.frames[depth, NEXT] += 1
    stack.states[depth + 1] = stack.states[depth]
    game.apply_action(stack.states[depth + 1], action)
    stack.windows[depth + 1, ALPHA] = stack.windows[depth, ALPHA]
    stack.windows[depth + 1, BETA] = stack.windows[depth, BETA]
    return enter(game, stack, table, progress, depth + 1, cuts, alone)


@inline
def enter(game: Any, stack: Stack, table: Table, progress: Array, depth: int, cuts: bool, alone: bool) -> bool:
    """Look at a position for the first time; whether its value is known without a search."""
    state, frame = stack.states[depth], stack.frames[depth]
    frame[BEST], frame[TIED] = -1, 0
    if game.is_terminal(state):
        finish(game, stack, progress, depth, depth, cuts)
        return True
    frame[MOVER] = game.current_player(state)
    frame[HASH] = hash_of(game, stack, depth)
    stack.windows[depth, FIRST_ALPHA] = stack.windows[depth, ALPHA]
    stack.windows[depth, FIRST_BETA] = stack.windows[depth, BETA]
    if look_up(table, stack, depth):
        return True
    progress[NODES] += 1
    if depth + 2 >= stack.states.shape[0]:
        progress[TOO_LONG] = 1
        return True
    frame[COUNT] = game.legal_actions(state, stack.legal)
    if (cuts or alone) and wins_at_once(game, stack, progress, depth, cuts):
        return True
    put_in_order(stack, depth, cuts)
    share = 1.0 / stack.results.shape[1]
    for player in range(stack.results.shape[1]):  # a position without a move counts as shared, as in a simulation
        stack.results[depth, player] = -1.0 if frame[COUNT] > 0 else share
    return bool(frame[COUNT] == 0)


@inline
def finish(game: Any, stack: Stack, progress: Array, ended: int, depth: int, cuts: bool) -> None:
    """Write the result of a finished game into a frame; note it if the results do not add up as alpha-beta needs."""
    game.returns(stack.states[ended], stack.results[depth])
    if cuts and abs(stack.results[depth, 0] + stack.results[depth, 1] - 1.0) > 1e-9:
        progress[UNEQUAL] = 1


@inline
def wins_at_once(game: Any, stack: Stack, progress: Array, depth: int, cuts: bool) -> bool:
    """Whether a move ends the game with the best result there is; it is then the frame's best."""
    frame, mover = stack.frames[depth], stack.frames[depth, MOVER]
    for index in range(frame[COUNT]):
        stack.states[depth + 1] = stack.states[depth]
        game.apply_action(stack.states[depth + 1], int(stack.legal[index]))
        if game.is_terminal(stack.states[depth + 1]):
            finish(game, stack, progress, depth + 1, depth, cuts)
            if stack.results[depth, mover] >= 1.0:
                frame[BEST] = stack.legal[index]
                return True
    return False


@inline
def put_in_order(stack: Stack, depth: int, cuts: bool) -> None:
    """Sort the moves by rank, the table's move first (max^n keeps the order of the actions, which breaks its ties)."""
    frame, actions, rank = stack.frames[depth], stack.actions[depth], stack.rank
    hint = frame[BEST] if cuts else -1
    for index in range(frame[COUNT]):
        action, place = stack.legal[index], index
        while place > 0 and actions[place - 1] != hint and (action == hint or rank[action] < rank[actions[place - 1]]):
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = action
    frame[NEXT], frame[BEST] = 0, -1


@inline
def back_up(stack: Stack, depth: int, cuts: bool, alone: bool) -> None:
    """Take over the value of the move just tried if its player gains by it; skip the rest if that is enough."""
    frame, window, mover = stack.frames[depth], stack.windows[depth], stack.frames[depth, MOVER]
    if not cuts:
        note_ties(stack, depth)
    if stack.results[depth + 1, mover] > stack.results[depth, mover] + (0.0 if cuts else SAME):
        for player in range(stack.results.shape[1]):
            stack.results[depth, player] = stack.results[depth + 1, player]
        frame[BEST] = stack.actions[depth, frame[NEXT] - 1]
    if cuts:
        if mover == 0:
            window[ALPHA] = max(window[ALPHA], stack.results[depth, 0])
        else:
            window[BETA] = min(window[BETA], stack.results[depth, 0])
        if window[ALPHA] >= window[BETA]:
            frame[NEXT] = frame[COUNT]
        else:
            promote_threat(stack, depth)
    elif alone and stack.results[depth, mover] >= 1.0:  # nothing is better than a win
        frame[NEXT], frame[TIED] = frame[COUNT], stack.frames[depth + 1, TIED]


@inline
def note_ties(stack: Stack, depth: int) -> None:
    """Note if the move just tried is as good as the best for its player but not for others, or depends on a tie."""
    frame, mover = stack.frames[depth], stack.frames[depth, MOVER]
    gain = stack.results[depth + 1, mover] - stack.results[depth, mover]
    if gain > SAME:
        frame[TIED] &= BELOW
    elif gain >= -SAME:
        for player in range(stack.results.shape[1]):
            if abs(stack.results[depth + 1, player] - stack.results[depth, player]) > SAME:
                frame[TIED] |= LIKE_BEST
    if stack.frames[depth + 1, TIED] != 0:
        frame[TIED] |= BELOW


@inline
def promote_threat(stack: Stack, depth: int) -> None:
    """A reply that refuted a move is often a move worth taking away: try it next."""
    frame, actions = stack.frames[depth], stack.actions[depth]
    reply = stack.frames[depth + 1, BEST]
    for index in range(frame[NEXT], frame[COUNT]):
        if actions[index] == reply:
            for place in range(index, frame[NEXT], -1):
                actions[place] = actions[place - 1]
            actions[frame[NEXT]] = reply
            break


# The table ----------------------------------------------------------------------------------------------------------


@inline
def hash_of(game: Any, stack: Stack, depth: int) -> int:
    """Sixty-three bits that depend on everything in the position that counts."""
    key = int(game.position_key(stack.states[depth]))
    if key >= 0:
        return key
    bits = 0
    for index in range(stack.mask.shape[0]):
        bits = ((bits ^ int(stack.words[depth, index] & stack.mask[index])) * _MIX) & _63_BITS
        bits ^= bits >> 32
    return bits


@inline
def look_up(table: Table, stack: Stack, depth: int) -> bool:
    """Whether the table has the value, or a bound outside the window; at least it may have a move to try first."""
    frame, window = stack.frames[depth], stack.windows[depth]
    at = unsigned((frame[HASH] & (table.entries - 1)) * table.width)
    note = table.words[at + NOTE]
    if note == 0 or table.words[at + KEY] != frame[HASH]:
        return False
    frame[BEST] = (note >> 3) - 1
    value, kind = table.floats[at + RESULTS], note & 3
    if kind == EXACT or (kind == AT_LEAST and value >= window[BETA]) or (kind == AT_MOST and value <= window[ALPHA]):
        for player in range(stack.results.shape[1]):
            stack.results[depth, player] = table.floats[at + unsigned(RESULTS + player)]
        frame[TIED] = BELOW if note & 4 else 0
        return True
    return False


@inline
def store(table: Table, stack: Stack, depth: int, cuts: bool) -> None:
    """Keep what was found out about a position, in place of whatever was there."""
    frame, window, value = stack.frames[depth], stack.windows[depth], stack.results[depth, 0]
    kind = EXACT
    if cuts and 0.0 < value <= window[FIRST_ALPHA]:
        kind = AT_MOST
    elif cuts and window[FIRST_BETA] <= value < 1.0:
        kind = AT_LEAST
    at = unsigned((frame[HASH] & (table.entries - 1)) * table.width)
    table.words[at + KEY] = frame[HASH]
    table.words[at + NOTE] = ((frame[BEST] + 1) << 3) + (4 if frame[TIED] != 0 else 0) + kind
    for player in range(stack.results.shape[1]):
        table.floats[at + unsigned(RESULTS + player)] = stack.results[depth, player]
