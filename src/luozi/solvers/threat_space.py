"""Threat-space search for any game: wins by uninterrupted threats ("fours").

Only moves that force all others are searched, and only the replies that do not lose at once, so such a win is found
many moves deep (Allis, van den Herik and Huntjens 1994). The game names these moves: `threatening_actions` and
`forced_replies`. A win that is found is proven. A search without a win proves nothing, since it ends after a number of
positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel
from luozi.rules.game import Game
from luozi.rules.kernel_runner import STOP, kernel_for
from luozi.rules.state import State
from luozi.solvers.base import (
    COUNT,
    NEXT,
    SolverStack,
    TranspositionTable,
    hash_at,
    new_stack,
    new_table,
    note_at,
    place_of,
    play_next,
    write,
)

POSITIONS = 20_000  # the most positions of a search
MOST_FOURS = 16  # the most threats in a row
# fields of a frame after COUNT and NEXT: the threats before it, and the position's hash
FOURS, POSITION, FRAME_SIZE = 2, 3, 4
# What is known of a position.
OPEN, FAILS, WINS = 0, 1, 2
# Indices of `found` after STOP: positions searched, whether MOST_FOURS was reached anywhere, the length of the line.
SEEN, SHORT, END, FOUND_SIZE = 1, 2, 3, 4
# of the table; a note is the number of threats that are known not to be enough, 1 at least
PLACE_BITS, NOTE_BITS = 14, 5


class ThreatSequence(NamedTuple):
    """The arrays of a search; D is the most positions of a line."""

    stack: SolverStack
    hints: Array  # [D] i4: the move to try first, or -1
    table: TranspositionTable  # positions where the attack fails
    found: Array  # [FOUND_SIZE] i8


def new_attack(game: Game) -> ThreatSequence:
    """Return the arrays for a game."""
    depth = min(MOST_FOURS * game.players, game.length_limit) + 2
    return ThreatSequence(
        stack=new_stack(game, depth, FRAME_SIZE),
        hints=np.zeros(depth, np.int32),
        table=new_table(PLACE_BITS, NOTE_BITS),
        found=np.zeros(FOUND_SIZE, np.int64),
    )


class Fours:
    """Threat-space search for one game.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> state = game.new_state()
    >>> for action in (0, 1, 4, 8):
    ...     state = game.after(state, action)
    >>> Fours(game, compiled=False).win(state) in ([3], [6])  # two in a row, twice
    True
    """

    def __init__(self, game: Game, compiled: bool = True, positions: int = POSITIONS) -> None:
        self.game, self.positions = game, positions
        self.attack = new_attack(game)
        self._search = kernel_for(game, attack_by_fours, compiled)

    def compile(self) -> None:
        """Compile the search for the game."""
        self._search(self.game, self.attack, 0, 0)

    def win(self, state: State) -> list[int]:
        """Return the moves of a proven win of the player to move, replies too, up to the last threat; empty if none
        was found.
        """
        self.attack.stack.states[0] = state
        return self._line([], self.positions)

    def losing_actions(self, state: State) -> list[int]:
        """Return the moves after which the next player has such a win."""
        threat: list[int] = []
        self.attack.stack.states[0] = state
        if self.game.skip_turn(self.attack.stack.states[0]):
            threat = self._line([], self.positions)
            if not threat:
                return []
        return [action for action in self.game.legal_list(state) if self._loses(state, action, threat)]

    def _loses(self, state: State, action: int, threat: list[int]) -> bool:
        self.attack.stack.states[0] = state
        following = self.attack.stack.states[0]
        self.game.apply_action(following, action)
        if self.game.is_terminal(following) or self.game.current_player(following) == self.game.current_player(state):
            return False
        return bool(self._line(threat, self.positions // 4))

    def _line(self, hint: list[int], positions: int) -> list[int]:
        """Search the position in the first frame, short wins first; the moves of `hint` are tried first."""
        attack = self.attack
        attack.hints[:] = -1
        attack.hints[: len(hint)] = hint
        attack.found[SEEN] = 0
        for fours in range(max(1, len(hint) // self.game.players), MOST_FOURS + 1):
            attack.found[SHORT] = 0
            attack.table.words[:] = 0
            if self._search(self.game, attack, fours, positions):
                depths = range(int(attack.found[END]))
                return [int(attack.stack.actions[depth, attack.stack.frames[depth, NEXT] - 1]) for depth in depths]
            if not attack.found[SHORT] or attack.found[SEEN] >= positions or attack.found[STOP]:
                break
        return []


@kernel
def attack_by_fours(game: Game, attack: ThreatSequence, fours: int, positions: int) -> bool:
    """Return whether the attacker, to move in frame 0, wins by at most `fours` threats. The stack then holds the
    line.
    """
    attacker = game.current_player(attack.stack.states[0])
    attack.stack.frames[0, FOURS] = 0
    depth, known = -1, OPEN
    while attack.found[SEEN] < positions and attack.found[STOP] == 0:
        if known == OPEN:
            if depth >= 0:
                follow(game, attack, depth, attacker)
            depth += 1
            known = look(game, attack, depth, attacker, fours)
        elif depth == 0:
            return known == WINS
        else:
            depth -= 1
            known = conclude(game, attack, depth, attacker, fours, known)
    return False


@inline
def follow(game: Game, attack: ThreatSequence, depth: int, attacker: int) -> None:
    """Play the next move of a frame, and count it if it is a threat of the attacker."""
    play_next(game, attack.stack, depth)
    frames, attacks = attack.stack.frames, game.current_player(attack.stack.states[depth]) == attacker
    frames[depth + 1, FOURS] = frames[depth, FOURS] + attacks


@inline
def look(game: Game, attack: ThreatSequence, depth: int, attacker: int, fours: int) -> int:
    """Return what is known of a new position; if OPEN, its frame has the moves to try."""
    state, frame, actions = attack.stack.states[depth], attack.stack.frames[depth], attack.stack.actions[depth]
    attack.found[SEEN] += 1
    attack.found[END] = depth
    frame[NEXT], frame[COUNT] = 0, 0
    if game.is_terminal(state):
        return FAILS
    if game.current_player(state) != attacker:
        count = game.forced_replies(state, attacker, actions)
        if count == 0:
            return WINS
    else:
        if game.winning_actions(state, attacker, actions) > 0:
            frame[NEXT] = 1
            attack.found[END] = depth + 1
            return WINS
        if frame[FOURS] >= fours or depth + game.players >= attack.stack.states.shape[0]:
            attack.found[SHORT] = 1
            return FAILS
        if is_known(game, attack, depth, fours):
            return FAILS
        count = game.threatening_actions(state, actions)
        take_hint(actions, count, attack.hints[depth])
    frame[COUNT] = max(count, 0)
    return OPEN if count > 0 else FAILS


@inline
def conclude(game: Game, attack: ThreatSequence, depth: int, attacker: int, fours: int, known: int) -> int:
    """Return what is known of a position after its last move had this result.

    One threat that wins is enough for the attacker; one reply that holds is enough for the others.
    """
    attacks = game.current_player(attack.stack.states[depth]) == attacker
    if attacks == (known == WINS):
        return known
    if attack.stack.frames[depth, NEXT] < attack.stack.frames[depth, COUNT]:
        return OPEN
    if attacks:
        frame = attack.stack.frames[depth]
        at, rest = place_of(attack.table, int(frame[POSITION]))
        write(attack.table, at, rest, fours - frame[FOURS])
    return known


@inline
def is_known(game: Game, attack: ThreatSequence, depth: int, fours: int) -> bool:
    """Return whether the threats that are left were not enough from this position before."""
    frame = attack.stack.frames[depth]
    frame[POSITION] = hash_at(game, attack.stack, depth)
    at, rest = place_of(attack.table, int(frame[POSITION]))
    return note_at(attack.table, at, rest) >= fours - frame[FOURS]


@inline
def take_hint(actions: Array, count: int, hint: int) -> None:
    """Move `hint` to the front if it is one of the moves."""
    for index in range(count):
        if actions[index] == hint:
            actions[index] = actions[0]
            actions[0] = hint
