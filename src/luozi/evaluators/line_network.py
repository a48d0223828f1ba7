"""A position of a line game valued by a small network of line patterns, with priors for its moves.

Every empty cell looks up one learned vector for each line through it and adds them up; what is positive of the sum is
the cell's own vector. The sum over cells goes through two small layers to the value, and the first of these turns the
cells' vectors into chances. Beside it stands what is certain: wins at once, cells that must be filled, wins by fours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from luozi.compiled import Array, Compilable, apart, signed, unsigned
from luozi.evaluators.heuristic import credit_results
from luozi.evaluators.line_layers import exponentials, look_at_cells, run_layers, score_cells
from luozi.evaluators.line_weights import (
    CHANNELS,
    DEPTHS,
    HIDDEN,
    OVERS,
    TURNS,
    UNDERS,
    direction_kinds,
    folded,
    game_patterns,
    shapes_of,
)
from luozi.evaluators.thread_state import (
    ALL_MOVES,
    CERTAIN,
    CHOICE,
    EFFORT,
    MOVES,
    ONLY_THESE,
    THESE_FIRST,
    THREAT_BY,
    ThreadState,
)
from luozi.evaluators.variants import Variants
from luozi.evaluators.weight_files import Weights
from luozi.games.lines.codes import A_WIN, LineCodes, follow, open_cell, put, row_of
from luozi.games.lines.continuous_threats import win_by_threats
from luozi.games.lines.rules import Lines
from luozi.games.lines.threat_search import find_defences, fours_at, win_by_fours, win_by_many_fours, wins_of
from luozi.rules.state import State, record_type

TABLES = ("own", "other", "joint", "views")  # folded into one
LONGER = 20  # times as many fours are tried at a position that has become important
MOST_FORCED = 24  # forced replies that are played before a position is valued


@apart
def assess(network: LineNetwork, game: Lines, thread: ThreadState, variants: Variants, fours: int) -> None:
    """`LineNetwork.assess`, compiled apart from the search that calls it."""
    network.assess(game, thread, variants, fours)


@apart
def look_for_threats(network: LineNetwork, game: Lines, thread: ThreadState, nodes: int) -> None:
    """Look for a win by threes and fours of the player to move; if there is one, that is the result, for certain."""
    mover = signed(game.current_player(thread.state[0]))
    follow(network.codes, game, thread.state[0], thread.memory[0])
    first = win_by_threats(network.codes, thread.memory[0], mover, nodes)
    if first >= 0:
        thread.counts[CERTAIN], thread.counts[MOVES], thread.counts[CHOICE] = 1, 1, ONLY_THESE
        thread.moves[0] = first
        for player in range(network.players):
            thread.results[player] = 1.0 if player == mover else 0.0
        credit_results(thread)


class LineNetwork(Compilable):
    """The network of a game, and what is certain beside it."""

    entry_points: tuple[str, ...] = (
        "evaluate",
        "evaluate_again",
        "assess",
        "find_rows",
        "four_rows",
        "find_kinds",
    )
    w_cell: Array  # the weights, by their names
    w_hidden: Array
    w_hidden_bias: Array
    w_second: Array
    w_second_bias: Array
    w_value: Array
    w_value_bias: Array
    w_policy: Array
    w_policy_mix: Array

    def __init__(self, game: Lines, weights: Weights, fours: int = 30) -> None:
        self.codes = LineCodes(game)
        self.fours = 0 if game.gravity else fours
        self.players, self.cells, self.gravity = game.players, game.cells, bool(game.gravity)
        self.attacks = game.players == 2 and not game.gravity  # wins by threes and fours can be looked for
        self.directions, self.rows = self.codes.directions, self.codes.directions * self.codes.codes
        self.channels = CHANNELS
        self.outputs = 1 if game.players == 2 else game.players
        patterns, kinds = game_patterns(game).size, direction_kinds(game)
        players = 1 if self.codes.joint else game.players
        self.base = np.array([[(kind * players + other) * patterns for other in range(players)] for kind in kinds])
        self.table = folded(game, weights)
        self.actions, self.columns = game.actions, game.actions if game.gravity else 1
        self.level, self.height = levels_of(game)
        self.above = game.above.astype(np.int16)
        self.playable, self.middle = int(self.codes.may_be_played.sum()), middle_of(game)
        for name in shapes_of(game):
            if name not in TABLES:
                setattr(self, f"w_{name}", weights[name])

    def new_memory(self) -> Array:
        """The codes of the empty board, and room for one evaluation."""
        memory = np.zeros(1, record_type([*self.codes.fields(), *self.fields()]))
        codes = self.codes.new_memory()
        for name, *_ in self.codes.fields():
            memory[name] = codes[name]
        return memory

    def fields(self) -> list[Any]:
        """What an evaluation needs beside the codes."""
        size = self.codes.capacity
        return [
            ("vectors", "f4", size * CHANNELS),  # of the empty cells that are looked at
            ("looked", "i2", size + 1),  # which these are, and room to write behind the last one
            ("logits", "f4", size),
            ("found", "i4", -(-self.rows // 4) * 4),  # the rows of one cell
            ("empty", "i8", 1),
            ("blocked", "f8", 1),  # how likely it is that the others have filled what they had to,
            ("slipped", "f8", self.players),  # and that a player has won because they did not
            ("kinds", "u1", size if self.gravity else 1),  # of the empty cells: see `find_kinds`
            ("sum", "f4", CHANNELS),
            ("first", "f4", HIDDEN),
            ("second", "f4", HIDDEN),
            ("query", "f4", CHANNELS),
        ]

    def evaluate(self, game: Lines, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        assess(self, game, thread, variants, self.fours)
        return True

    def evaluate_again(self, game: Lines, thread: ThreadState, variants: Variants) -> None:
        """The same for a position that has become important: with a longer look for wins."""
        assess(self, game, thread, variants, LONGER * self.fours)
        nodes = variants.vct * thread.counts[EFFORT]
        if nodes > 0 and self.attacks and thread.counts[CERTAIN] == 0 and not game.is_terminal(thread.state[0]):
            look_for_threats(self, game, thread, nodes)

    def assess(self, game: Lines, thread: ThreadState, variants: Variants, fours: int) -> None:
        """Leave what each player gets in `thread.results` and `credit`, the moves and their chances."""
        state, memory, counts = thread.state[0], thread.memory[0], thread.counts
        counts[CERTAIN], counts[MOVES], counts[CHOICE], counts[THREAT_BY] = 0, 0, ALL_MOVES, -1
        if game.is_terminal(state):
            game.returns(state, thread.results)
            credit_results(thread)
            return
        for action in range(self.actions):
            thread.chances[action] = 0.0
        follow(self.codes, game, state, memory)
        memory.empty[0], memory.blocked[0] = state.empty, 1.0
        for player in range(self.players):
            memory.slipped[player] = 0.0
        mover, winner, forced, only = signed(game.current_player(state)), -1, 0, 0
        while only >= 0 and forced < MOST_FORCED:
            if variants.take_wins or variants.block_wins:
                mover, winner, forced = self.play_forced(game, thread, variants, mover, forced)
            if winner < 0 and fours > 0:
                winner = self.look_for_fours(thread, mover, fours, forced)
            only = -1
            if winner < 0 and variants.avoid_gifts:
                winner, only = self.look_for_defences(game, thread, mover, forced)
            if only >= 0:
                self.fill(game, memory, only, mover)
                mover, forced = (mover + 1) % self.players, forced + 1
        if winner < 0 or (counts[MOVES] == 0 and forced == 0):
            looked = look_at_cells(self, memory, mover)
            self.value(thread, mover)
            if forced == 0:
                self.weigh(game, thread, variants, looked)
        if winner >= 0:
            counts[CERTAIN] = self.players == 2 or forced == 0  # among more, who loses anyway may let anybody win
            for player in range(self.players):
                thread.results[player] = 1.0 if player == winner else 0.0
        for player in range(self.players if forced > 0 and variants.doubt > 0.0 else 0):
            thread.results[player] = memory.blocked[0] * thread.results[player] + memory.slipped[player]
        if forced > 0 or (winner >= 0 and counts[MOVES] > 0):
            for index in range(signed(counts[MOVES])):
                thread.chances[thread.moves[index]] = 1.0 / counts[MOVES]
        credit_results(thread)

    # What is certain ------------------------------------------------------------------------------------------------

    def play_forced(
        self, game: Lines, thread: ThreadState, variants: Variants, mover: int, played: int
    ) -> tuple[int, int, int]:
        """Go on while there is one move only that does not lose at once: who is to move then, who wins, how many moves.

        Nothing is learned of a position without a choice, so that the network has no idea of it. What the first of
        these positions allows is left as the moves of the node.
        """
        memory = thread.memory[0]
        for forced in range(played, MOST_FORCED):
            count = wins_of(self.codes, memory, mover, thread.replies, 1)
            if count > 0 and variants.take_wins:
                self.allow(thread, count, forced)
                return mover, mover, forced
            if count > 0 or not variants.block_wins:
                return mover, -1, forced
            turns, other, alone = 0, mover, True
            while turns + 1 < self.players:  # the first who wins before others can fill all cells
                turns, other = turns + 1, (mover + turns + 1) % self.players
                count = wins_of(self.codes, memory, other, thread.replies, turns + 1)
                if count >= turns:
                    break
                alone = alone and count == 0
            if count < turns:
                return mover, -1, forced
            self.allow(thread, count, forced)
            if forced == 0:
                thread.counts[THREAT_BY] = other
            if count > turns and alone and (self.players == 2 or not self.gravity):
                return mover, other, forced
            if count > 1 or memory.empty[0] == 1:
                return mover, -1, forced
            self.fill(game, memory, signed(thread.replies[0]), mover)
            if mover != signed(game.current_player(thread.root[0])):
                memory.slipped[other] += memory.blocked[0] * variants.doubt
                memory.blocked[0] *= 1.0 - variants.doubt
            mover = (mover + 1) % self.players
        return mover, -1, MOST_FORCED

    def fill(self, game: Lines, memory: State, cell: int, player: int) -> None:
        """Put a stone that `follow` takes back."""
        put(self.codes, memory, cell, player)
        memory.empty[0] -= 1
        if self.gravity:
            open_cell(self.codes, memory, cell % self.columns, signed(game.above[cell]))

    def allow(self, thread: ThreadState, count: int, forced: int) -> None:
        """Let the first cells in `thread.replies` be the only moves of the node, if nothing was played before."""
        if forced == 0:
            thread.counts[MOVES], thread.counts[CHOICE] = count, ONLY_THESE
            for index in range(count):
                thread.moves[index] = thread.replies[index] % self.actions

    def look_for_fours(self, thread: ThreadState, mover: int, fours: int, forced: int) -> int:
        """Who wins by fours: the mover, or -1."""
        if self.players == 2:
            first = win_by_fours(self.codes, thread.memory[0], mover, fours)
        else:
            first = win_by_many_fours(self.codes, thread.memory[0], mover, fours)
        if first < 0:
            return -1
        if forced == 0:
            thread.counts[MOVES], thread.counts[CHOICE] = 1, ONLY_THESE
            thread.moves[0] = first
        return mover

    def look_for_defences(self, game: Lines, thread: ThreadState, mover: int, forced: int) -> tuple[int, int]:
        """Keep the moves after which the next player has no certain win; who wins if there is none, or -1.

        Beside it the cell of the only one that is kept, or -1.
        """
        if self.players > 2 or (forced == 0 and thread.counts[CHOICE] == ONLY_THESE):
            return -1, -1
        if wins_of(self.codes, thread.memory[0], mover, thread.replies, 1) > 0:
            return -1, -1
        memory, other, kept, threats, last = thread.memory[0], 1 - mover, 0, 0, -1
        if self.gravity:
            for action in range(self.actions):
                cell = signed(memory.landing[action])
                if cell >= 0:
                    above = signed(game.above[cell])
                    if above < 0 or fours_at(self.codes, memory, above, other) != A_WIN:
                        if forced == 0:
                            thread.moves[kept] = action
                        kept, last = kept + 1, cell
                    else:
                        threats += 1
        else:
            threats = find_defences(self.codes, memory, other)
            for cell in range(self.cells if threats > 0 else 0):
                helps = memory.hits[cell] == threats or fours_at(self.codes, memory, cell, mover) > 0
                if helps and memory.board[cell] == 0 and memory.near[cell] > 0:
                    if forced == 0:
                        thread.moves[kept] = cell
                    kept, last = kept + 1, cell
        if threats == 0:
            return -1, -1
        if kept == 0:
            return other, -1
        if forced == 0:
            thread.counts[MOVES], thread.counts[CHOICE] = kept, ONLY_THESE
        return -1, last if kept == 1 and memory.empty[0] > 1 else -1

    # The network ----------------------------------------------------------------------------------------------------

    def four_rows(self, memory: State, group: int) -> tuple[int, int, int, int]:
        """Four rows of a cell, as places in the table."""
        at = 4 * group
        return (
            unsigned(memory.found[at]),
            unsigned(memory.found[at + 1]),
            unsigned(memory.found[at + 2]),
            unsigned(memory.found[at + 3]),
        )

    def find_rows(self, memory: State, cell: int, mover: int) -> int:
        """The rows of the table for a cell, as the player to move sees it; how many: 4, 8 ...

        Where players have patterns of their own, most of them say nothing: lines that are too short, or blocked.
        """
        codes, found, size = self.codes, 0, self.codes.capacity * self.directions
        for direction in range(self.directions):
            place = cell * self.directions + direction
            if codes.joint:
                row = row_of(codes, memory, unsigned(place)) + unsigned(mover * codes.views)
                seen = signed(codes.pattern_of[row])
                memory.found[unsigned(found)] = self.base[unsigned(direction), 0] * (seen > 0) + seen
                found += 1
            else:
                for player in range(self.players):
                    seen = signed(codes.pattern_of[row_of(codes, memory, unsigned(player * size + place))])
                    if seen > 0:
                        other = player - mover if player >= mover else player - mover + self.players
                        memory.found[unsigned(found)] = self.base[unsigned(direction), unsigned(other)] + seen
                        found += 1
        while found == 0 or found % 4 != 0:
            memory.found[unsigned(found)] = 0
            found += 1
        return found

    def find_kinds(self, memory: State, mover: int) -> None:
        """With gravity: of which kind each empty cell is, by what lies under and above it in its column."""
        for column in range(self.columns):
            cell = signed(memory.landing[column])
            if cell < 0:
                continue
            rest = memory.empty[0] - (signed(self.height[column]) - signed(self.level[cell]))
            below, under, wins = 0, 0, self.wins_for(memory, cell, mover)
            while cell >= 0:
                above = signed(self.above[cell])
                over = self.wins_for(memory, above, mover) if above >= 0 else 0
                turn = (below + rest) & 1
                depth = min(below, DEPTHS - 1)
                memory.kinds[cell] = ((depth * TURNS + turn) * UNDERS + under) * OVERS + over
                if under == 0 and wins > 0:
                    under = 1 + 2 * (wins - 1) + turn
                cell, below, wins = above, below + 1, over

    def wins_for(self, memory: State, cell: int, mover: int) -> int:
        """Who would win with a stone in a cell: nobody 0, the mover 1, another 2, both 3."""
        wins = 0
        for player in range(self.players):
            if fours_at(self.codes, memory, cell, player) == A_WIN:
                wins |= 1 if player == mover else 2
        return wins

    def value(self, thread: ThreadState, mover: int) -> None:
        """What each player may expect."""
        memory, results = thread.memory[0], thread.results
        run_layers(self, memory)
        for output in range(self.outputs):
            total = float(self.w_value_bias[output])
            for unit in range(HIDDEN):
                total += memory.second[unit] * self.w_value[unit, output]
            results[(mover + output) % self.players] = 1.0 / (1.0 + math.exp(-total))
        if self.outputs == 1:
            results[1 - mover] = 1.0 - results[mover]

    def weigh(self, game: Lines, thread: ThreadState, variants: Variants, looked: int) -> None:
        """Chances of the moves: of those that are allowed, or of all that were looked at."""
        memory, counts = thread.memory[0], thread.counts
        score_cells(self, memory, looked)
        highest = np.float32(-1e30)
        if counts[CHOICE] == ONLY_THESE:
            for index in range(signed(counts[MOVES])):
                thread.chances[thread.moves[index]] = -1.0  # wanted
        kept = 0
        for index in range(looked):
            cell = signed(memory.looked[index])
            action = cell % self.actions if self.gravity else cell
            wanted = memory.landing[action] == cell if self.gravity else True
            if counts[CHOICE] == ONLY_THESE:
                wanted = wanted and thread.chances[action] < 0.0
            if wanted:
                memory.logits[kept] = memory.logits[index]
                memory.looked[kept] = action
                highest = max(highest, memory.logits[index])
                kept += 1
        if kept == 0:
            self.weigh_alike(game, thread)
            return
        total = exponentials(memory, kept, highest, np.float32(variants.sharpness))
        for index in range(kept):
            thread.chances[memory.looked[index]] = memory.logits[index] / total
            thread.moves[index] = memory.looked[index]
        if counts[CHOICE] != ONLY_THESE:
            counts[CHOICE] = THESE_FIRST
        counts[MOVES] = kept

    def weigh_alike(self, game: Lines, thread: ThreadState) -> None:
        """All moves that there are, or only those allowed, are alike; on a large empty board the middle comes first."""
        if thread.counts[CHOICE] != ONLY_THESE:
            thread.counts[MOVES] = signed(game.legal_actions(thread.state[0], thread.moves))
            if self.middle >= 0 and thread.counts[MOVES] == self.playable:
                thread.counts[MOVES], thread.counts[CHOICE], thread.moves[0] = 1, THESE_FIRST, self.middle
        for index in range(signed(thread.counts[MOVES])):
            thread.chances[thread.moves[index]] = 1.0 / thread.counts[MOVES]


def middle_of(game: Lines) -> int:
    """The cell in the middle of a plane, where a first stone belongs; -1 if there is none."""
    middle = (game.rows // 2) * game.columns + game.columns // 2
    return -1 if game.gravity or game.layers > 1 or game.closed[middle] else middle


def levels_of(game: Lines) -> tuple[Array, Array]:
    """With gravity: how many cells lie under each one in its column, and how many a column has."""
    level = np.zeros(game.cells, np.int16)
    height = np.zeros(game.actions, np.int16)
    if game.gravity:
        for column, bottom in enumerate(game.bottom.tolist()):
            cell = bottom
            while cell >= 0:
                level[cell] = height[column]
                height[column] += 1
                cell = signed(game.above[cell])
    return level, height
