"""The playout policy of Go: it replies to the last move if a reply is urgent, and otherwise plays anywhere.

Start with `GoPolicy.next`. It tries the steps in the order of `game.steps`, each with its own probability. The first
step that finds moves plays one of them. The memory holds what the playout needs beside the state: the chains in atari.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from luozi.compiled import Array, apart, inline, random_below, signed
from luozi.games.go.cells import EMPTY, NEAR_EMPTY
from luozi.games.go.ladders import gets_away
from luozi.games.go.patterns import CODES, PATTERNS
from luozi.games.go.tactics import (
    catches,
    how_many,
    last_liberty,
    leaves_in_atari,
    liberties_after,
    liberties_of,
    may_be_in_atari,
    may_be_self_atari,
    may_have_two,
    one_of,
    stones_after,
    stones_taken,
)
from luozi.rules.game import Game
from luozi.rules.playout import Playout
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

# The steps; the option `order` names them by these digits.
NO_STEP, SAVE, PATTERN, CAPTURE, ANSWER, NAKADE, CATCH = 0, 1, 2, 3, 4, 5, 6
STEPS = 6
# What chose a move: a step, or a pattern by its number.
RANDOM, EXTENDS, ESCAPES, FIRST_PATTERN = 0, 16, 17, 32
REASONS = {
    RANDOM: "random",
    SAVE: "saves by a capture",
    EXTENDS: "saves",
    CAPTURE: "captures",
    ANSWER: "captures",
    NAKADE: "nakade",
    CATCH: "catches",
    ESCAPES: "escapes",
}
STONES = NEAR_EMPTY - 1  # the part of `near` that counts stones
MOST_KILLERS = 6  # at most this number of stones can be a killing shape inside an eye
DRAWS = 8  # draws before all empty points are listed instead
SURE = 1 << 16


@inline
def happens(rng: Array, chance: int) -> bool:
    """Return True with a probability of `chance` in SURE."""
    return chance >= SURE or random_below(rng, SURE) < chance


@inline
def neighbourhood(game: Go, state: State, point: int) -> int:
    """Return the eight neighbours of a point as a code for `patterns`."""
    code = 0
    for side in range(4):
        code |= signed(state.board[game.around[4 * point + side]]) << (2 * side)
        code |= signed(state.board[game.diagonal[4 * point + side]]) << (2 * side + 8)
    return code


@inline
def is_foolish(game: Go, state: State, rng: Array, point: int, colour: int) -> bool:
    """Return whether a move is a self-atari without gain that this playout avoids."""
    if game.refuse == 0 or not may_be_self_atari(game.around, state, point, colour):
        return False
    lost = stones_thrown_away(game.around, state, point, colour)
    if lost > game.few:
        return not may_kill(game, state, rng, point, colour, lost)
    return lost > 0 and happens(rng, signed(game.refuse))


@inline
def may_kill(game: Go, state: State, rng: Array, point: int, colour: int, lost: int) -> bool:
    """Return whether this playout sacrifices these stones to kill: not more than a dead shape, in a place where all
    chains are short of liberties.
    """
    wanted = game.kill > 0 and lost <= MOST_KILLERS and happens(rng, signed(game.kill))
    return wanted and leaves_in_atari(game.around, state, point, colour)


@apart
def stones_thrown_away(around: Array, state: State, point: int, colour: int) -> int:
    """Return the number of own stones that a move puts in atari without capturing."""
    if how_many(liberties_after(around, state, point, colour, 2)) >= 2:
        return 0
    if stones_taken(around, state, point, colour) > 0:
        return 0
    return stones_after(around, state, point, colour)


@inline
def gains(game: Go, state: State, point: int, colour: int) -> bool:
    """Return whether a move is sensible and leaves its chain at least two liberties."""
    if not game.is_sensible(state, point, colour):
        return False
    return how_many(liberties_after(game.around, state, point, colour, 2)) >= 2


class GoPolicy(Playout):
    """Save chains, follow patterns, capture; otherwise play any move that is not a bad self-atari."""

    def __init__(self, game: Game) -> None:
        self.guided = True
        cells = len(game.new_state().board)
        self.fields = [
            ("seen", "i2"),  # number of moves played at its last call
            ("rule", "i2"),  # what chose the last move
            ("hot", "?"),  # whether the last move may have put anything in atari
            ("here", "i2", 5),  # the last liberty of the chains on four sides of the last move, and of its own; or -1
            ("threatened", "i2"),  # length of the list
            ("ataris", "u2", cells),  # one stone of each chain that was put in atari, and may still be
        ]

    def begin(self, game: Go, state: State, memory: State) -> None:
        memory.seen = -2  # there is no move before the first one

    def next(self, game: Go, state: State, memory: State, rng: Array, actions: Array) -> int:
        move = self.urgent(game, state, memory, rng) if self.guided else -1
        if move >= 0:
            return move
        memory.rule = RANDOM
        return self.quiet(game, state, rng)

    def reason(self, memory: State) -> str:
        """Return the step or the name of the pattern."""
        rule = signed(memory.rule)
        if not self.guided:
            return ""
        return PATTERNS[rule - FIRST_PATTERN].name if rule >= FIRST_PATTERN else REASONS[rule]

    def urgent(self, game: Go, state: State, memory: State, rng: Array) -> int:
        """Return a move of the first step that finds one, or -1."""
        self.follow(game, state, memory)
        last, move = signed(state.last), -1
        near = 0 <= last < game.points
        for place in range(STEPS):
            step = signed(game.steps[place])
            if step == NO_STEP or not happens(rng, signed(game.chances[step])):
                continue
            if step == CAPTURE:
                move = self.capture(game, state, memory, rng)
            elif memory.hot and step == SAVE:
                move = self.save(game, state, memory, rng, last)
            elif near and step == PATTERN:
                move = self.pattern(game, state, memory, rng, last)
            elif memory.hot and step == ANSWER:
                move = self.answer(state, memory)
            elif near and step == CATCH:
                move = self.catch(game, state, memory, rng, last)
            elif near and step == NAKADE:
                move = self.nakade(game, state, memory, last)
            if move >= 0:
                return move
        return -1

    # The chains in atari ----------------------------------------------------------------------------------------------

    def follow(self, game: Go, state: State, memory: State) -> None:
        """Add the chains that the last move left in atari to the list. At the start of a playout, search the whole
        board.
        """
        if memory.seen + 1 != state.moves or memory.threatened + 5 > game.points:
            memory.threatened = 0
            for point in range(game.points):
                # a chain that is not in atari leaves the list later
                if state.chain[point] == point and may_be_in_atari(state, point):
                    memory.ataris[memory.threatened] = point
                    memory.threatened += 1
        last = signed(state.last)
        memory.seen, memory.hot = state.moves, False
        if 0 <= last < game.points:
            hot = may_be_in_atari(state, signed(state.chain[last]))
            for side in range(4):
                hot |= may_be_in_atari(state, signed(state.chain[game.around[4 * last + side]]))
            if hot:
                memory.hot = True
                for side in range(5):
                    neighbour = last if side == 4 else signed(game.around[4 * last + side])
                    memory.here[side] = self.note(game, state, memory, neighbour)

    def note(self, game: Go, state: State, memory: State, stone: int) -> int:
        """Add the chain of a stone to the list if it is in atari. Return its last liberty, or -1."""
        name = signed(state.chain[stone])
        liberty = last_liberty(game.around, state, name)
        if liberty < 0:
            return -1
        new = True
        for place in range(memory.threatened):
            new = new and state.chain[memory.ataris[place]] != name
        if new:
            memory.ataris[memory.threatened] = stone
            memory.threatened += 1
        return liberty

    # The steps --------------------------------------------------------------------------------------------------------

    def save(self, game: Go, state: State, memory: State, rng: Array, last: int) -> int:
        """Save a chain that the last move put in atari: extend to at least two liberties, or capture an attacker."""
        colour, chosen, count = signed(state.to_move) + 1, -1, 0
        reads = happens(rng, signed(game.ladders))
        for side in range(4):
            neighbour = signed(game.around[4 * last + side])
            if memory.here[side] < 0 or state.board[neighbour] != colour:
                continue
            name, escape = signed(state.chain[neighbour]), signed(memory.here[side])
            if gains(game, state, escape, colour) and not (reads and not gets_away(game, state, name, 0)):
                count += 1
                if random_below(rng, count) == 0:
                    chosen, memory.rule = escape, EXTENDS
            stone = name
            for _ in range(signed(state.length[name])):
                for other in range(4):
                    attacker = signed(game.around[4 * stone + other])
                    if state.board[attacker] == 3 - colour:
                        target = last_liberty(game.around, state, signed(state.chain[attacker]))
                        if target >= 0 and target != state.ko:
                            count += 1
                            if random_below(rng, count) == 0:
                                chosen, memory.rule = target, SAVE
                stone = signed(state.link[stone])
        return chosen

    def pattern(self, game: Go, state: State, memory: State, rng: Array, last: int) -> int:
        """Play a move by a 3x3 pattern, on the eight points around the last move or on the whole board."""
        chosen, count, colour = -1, 0, signed(state.to_move) + 1
        for place in range(signed(state.empty) if game.everywhere else 8):
            if game.everywhere:
                point = signed(state.empties[place])
            elif place < 4:
                point = signed(game.around[4 * last + place])
            else:
                point = signed(game.diagonal[4 * last + place - 4])
            if state.board[point] != EMPTY or state.near[point] & STONES == 0:
                continue
            code = (colour - 1) * CODES + neighbourhood(game, state, point)
            if game.fitting[code >> 5] >> (code & 31) & 1 == 0 or not game.is_sensible(state, point, colour):
                continue
            if not is_foolish(game, state, rng, point, colour):
                count += 1
                if random_below(rng, count) == 0:
                    chosen, memory.rule = point, FIRST_PATTERN + signed(game.patterns[code]) - 1
        return chosen

    def capture(self, game: Go, state: State, memory: State, rng: Array) -> int:
        """Capture a chain anywhere, larger ones with higher probability. Chains no longer in atari leave the list."""
        chosen, total, place, enemy = -1, 0, 0, 2 - signed(state.to_move)
        while place < memory.threatened:
            stone = signed(memory.ataris[place])
            name = signed(state.chain[stone])
            target = last_liberty(game.around, state, name)
            if target < 0:
                memory.threatened -= 1
                memory.ataris[place] = memory.ataris[memory.threatened]
                continue
            place += 1
            if state.board[stone] == enemy and target != state.ko:
                length = signed(state.length[name])
                total += length
                if random_below(rng, total) < length:
                    chosen, memory.rule = target, CAPTURE
        return chosen

    def answer(self, state: State, memory: State) -> int:
        """Capture the stones of the last move."""
        target = signed(memory.here[4])
        if target < 0 or target == state.ko:
            return -1
        memory.rule = ANSWER
        return target

    def catch(self, game: Go, state: State, memory: State, rng: Array, last: int) -> int:
        """Catch a chain of two liberties at the last move, of either colour."""
        chosen, count, colour = -1, 0, signed(state.to_move) + 1
        for side in range(5):
            neighbour = last if side == 4 else signed(game.around[4 * last + side])
            name = signed(state.chain[neighbour])
            if not may_have_two(state, name):
                continue
            found, victim = liberties_of(game.around, state, name, 3), signed(state.board[neighbour])
            if how_many(found) != 2:
                continue
            for place in range(2):
                point, escape = one_of(found, place), one_of(found, 1 - place)
                if catches(game.around, state, point, escape, victim) and gains(game, state, point, colour):
                    count += 1
                    if random_below(rng, count) == 0:
                        chosen, memory.rule = point, CATCH if victim != colour else ESCAPES
        return chosen

    def nakade(self, game: Go, state: State, memory: State, last: int) -> int:
        """Play the middle of a small eye beside the last move: a point whose empty neighbours lead nowhere else."""
        for side in range(4):
            point = signed(game.around[4 * last + side])
            if state.board[point] != EMPTY or state.near[point] < NEAR_EMPTY:
                continue
            middle = point
            if state.near[point] < 2 * NEAR_EMPTY:  # not a middle itself, but it may be beside one
                for other in range(4):
                    beside = signed(game.around[4 * point + other])
                    middle = beside if state.board[beside] == EMPTY else middle
            if self.is_middle(game, state, middle):
                memory.rule = NAKADE
                return middle
        return -1

    def is_middle(self, game: Go, state: State, middle: int) -> bool:
        """Return whether a point has at least two empty neighbours with no others, and one colour around them."""
        near = signed(state.near[middle])
        if near < 2 * NEAR_EMPTY:
            return False
        seen = near
        for side in range(4):
            end = signed(game.around[4 * middle + side])
            if state.board[end] == EMPTY:
                if state.near[end] >= 2 * NEAR_EMPTY:
                    return False
                seen |= signed(state.near[end])
        return (seen & 7 == 0) != (seen >> 3 & 7 == 0)

    def quiet(self, game: Go, state: State, rng: Array) -> int:
        """Return a random sensible move that is not a bad self-atari (only with the policy), or a pass."""
        colour, chosen, count = signed(state.to_move) + 1, signed(game.points), 0
        for turn in range(DRAWS + signed(state.empty)):
            drawn = turn < DRAWS
            point = signed(state.empties[random_below(rng, signed(state.empty)) if drawn else turn - DRAWS])
            if not game.is_sensible(state, point, colour):
                continue
            if not self.guided or not is_foolish(game, state, rng, point, colour):
                if drawn:
                    return point
                count += 1
                if random_below(rng, count) == 0:
                    chosen = point
        return chosen
