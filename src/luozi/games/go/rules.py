"""The rules of Go on boards from 2x2 to 25x25, with area scoring. Start with `apply_action`.

`stones` has what a move does to the stones, `scoring` the counting of territory and dead stones.
"""

from __future__ import annotations

import copy
from typing import Annotated

import numpy as np

from luozi.compiled import Array, apart, is_among, random_below
from luozi.compiled.bits import KEY_BITS, stir
from luozi.games.go.cells import BLACK, BORDER, MANY, NEAR_BLACK, NEAR_EMPTY, NEAR_WHITE, NOWHERE, WHITE
from luozi.games.go.cells import EMPTY as EMPTY
from luozi.games.go.knowledge import Weights
from luozi.games.go.points import board_of_go, draw_board, handicap_places, named_points, point_name, point_of
from luozi.games.go.rulesets import RULESETS
from luozi.games.go.setup import refuse_stones
from luozi.games.go.stones import Stones, fields_for
from luozi.messages import LuoziError
from luozi.rules.board import Board
from luozi.rules.game import Game
from luozi.rules.move_names import illegal_move
from luozi.rules.setup import Setup, give_fields
from luozi.rules.state import State
from luozi.util.parameters import ParameterInfo, parameters_of

NETWORK_KOMI = 10.0  # points of komi that are 1 for a network
TRIES = 8  # random draws before all empty points are listed instead


@apart
def list_legal(game: Game, state: State, actions: Array) -> int:
    """`Game.legal_actions`, compiled as a separate function because several places call it."""
    count = 0
    for action in range(game.actions):
        if game.is_legal(state, action):
            actions[count] = action
            count += 1
    return count


class Go(Stones):
    """Go with area scoring."""

    signs, single_winner = "XO", True
    approximate_playouts = True  # playouts skip the test for superko

    def __init__(
        self,
        size: Annotated[int, ParameterInfo("points a side", 2, 25)] = 9,
        komi: Annotated[float, ParameterInfo("points that White gets for moving second", -625, 625)] = 7.5,
        handicap: Annotated[
            int, ParameterInfo("black stones on the board at the start; White moves first", 0, 624)
        ] = 0,
        superko: Annotated[
            bool | None, ParameterInfo("no move may repeat an earlier position of stones; not given, as the rules say")
        ] = None,
        suicide: Annotated[
            bool | None,
            ParameterInfo(
                "chains of two stones and more may be killed by their own player; not given, as the rules say"
            ),
        ] = None,
        rules: Annotated[
            str,
            ParameterInfo(
                "chinese, tromp_taylor (with suicide, and no points for handicap) or japanese", choices=(*RULESETS,)
            ),
        ] = "chinese",
        handicap_bonus: Annotated[
            bool | None, ParameterInfo("White gets a point for each handicap stone; not given, as the rules say")
        ] = None,
        black: Annotated[str, ParameterInfo("black stones at the start beside these, as in D4.E5", plain=True)] = "",
        white: Annotated[str, ParameterInfo("white stones at the start, as in C3.C4", plain=True)] = "",
        first: Annotated[
            str,
            ParameterInfo("who moves first; not given, Black, or White after handicap", choices=("", "black", "white")),
        ] = "",
        handicap_at: Annotated[
            str,
            ParameterInfo("where the handicap stones stand, as in D4.E5; not given, on the usual points", plain=True),
        ] = "",
    ) -> None:
        self.size, self.komi, self.handicap = size, float(komi), handicap
        self.superko, self.suicide, self.handicap_bonus = superko, suicide, handicap_bonus
        self.rules, self.black, self.white, self.first, self.handicap_at = rules, black, white, first, handicap_at
        for name, parameter in parameters_of(Go).items():
            parameter.convert(getattr(self, name), "go")
        self.ruleset = RULESETS[rules]
        self.superko = self.ruleset.superko if superko is None else superko
        self.suicide = self.ruleset.suicide if suicide is None else suicide
        self.handicap_bonus = self.ruleset.compensation if handicap_bonus is None else handicap_bonus
        self.no_transpositions = "superko looks at every earlier one; choose superko=false" if self.superko else ""
        self.head_start = self.komi + handicap * self.handicap_bonus  # White's points beside the area
        self.points = size * size
        self.actions, self.pass_action = self.points + 1, self.points
        # Ko fights can make a random game very long, and without superko endless. After three moves for each point
        # the game ends without a winner.
        self.max_length = 3 * self.points
        self.handicap_stones = np.array(
            [*handicap_places(size, handicap, handicap_at), *named_points(size, black)], np.uint16
        )
        self.white_stones = np.array(named_points(size, white), np.uint16)
        self.first_player = int(first == "white" or (not first and handicap > 0))
        self.make_tables()
        self.state = fields_for(size)
        self.set_weights(Weights())
        if black or white or handicap_at:
            refuse_stones(self)

    # The rules ------------------------------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        board, near, chain, liberties = state.board, state.near, state.chain, state.liberties
        link, length, empties, place_of = state.link, state.length, state.empties, state.place_of
        for cell, near_cell in enumerate(self.near_at_start):  # the border is the last index
            board[cell] = EMPTY if cell < self.points else BORDER
            near[cell] = near_cell
            chain[cell] = self.points
            link[cell], length[cell] = 0, 0
            liberties[cell] = 0 if cell < self.points else MANY
            empties[cell], place_of[cell] = cell, cell
        state.empty = self.points
        for colour in range(3):
            state.stones[colour], state.captured[colour] = 0, 0
        state.moves, state.passes, state.hash, state.to_move = 0, 0, 0, 0
        for point in self.handicap_stones:
            self.place(state, point, BLACK)
        for point in self.white_stones:
            self.place(state, point, WHITE)
        state.to_move = self.first_player
        state.history[0] = state.hash
        state.ko, state.last, state.before = NOWHERE, NOWHERE, NOWHERE

    def current_player(self, state: State) -> int:
        return state.to_move

    def is_terminal(self, state: State) -> bool:
        return state.passes >= 2 or state.moves >= self.max_length

    def returns(self, state: State, returns: Array) -> None:
        score = self.score(state) if state.passes >= 2 else 0.0  # a game that exceeded the maximum length has no score
        returns[0] = 0.5 if score == 0.0 else (1.0 if score > 0.0 else 0.0)
        returns[1] = 1.0 - returns[0]

    def apply_action(self, state: State, action: int) -> None:
        if action == self.points:
            state.passes += 1
            state.ko = NOWHERE
        else:
            state.passes = 0
            self.place(state, action, state.to_move + 1)
        state.moves += 1
        state.history[state.moves] = state.hash
        state.before, state.last = state.last, action
        state.to_move = 1 - state.to_move

    # Setting up -----------------------------------------------------------------------------------------------------

    setup_fields = ("ko", "passes", "captured", "before")

    def from_setup(self, state: State, setup: Setup) -> None:
        """Set up stones on an empty board, whatever the start of this game has. Superko has no earlier positions."""
        empty = copy.copy(self)
        empty.handicap_stones = empty.white_stones = self.handicap_stones[:0]
        empty.start(state)
        for cell, player, _ in setup.pieces:
            if not 0 <= cell < self.points or state.board[cell] != EMPTY or player not in (0, 1):
                raise LuoziError("go: each stone needs a point of its own")
            self.place(state, cell, player + 1)
        for cell, _, _ in setup.pieces:
            if state.board[cell] == EMPTY or state.liberties[state.chain[cell]] <= 0:
                raise LuoziError(
                    "go: the stone at {point} has no liberty; leave it out", point=point_name(self.size, cell)
                )
        state.to_move, state.history[0], state.ko, state.last = setup.to_move, state.hash, NOWHERE, NOWHERE
        give_fields(state, setup)

    # Which moves are legal ------------------------------------------------------------------------------------------

    def is_legal(self, state: State, action: int) -> bool:
        if action == self.points:
            return True
        if state.board[action] != EMPTY or action == state.ko:
            return False
        colour = state.to_move + 1
        alive = state.near[action] >= NEAR_EMPTY or self.can_breathe(state, action, colour)
        if not alive and (not self.suicide or state.near[action] & self.not_own[3 - colour] == 0):
            return False
        return not self.superko or not self.is_repeated(state, action, colour, alive)

    def legal_actions(self, state: State, actions: Array) -> int:
        return list_legal(self, state, actions)

    def is_repeated(self, state: State, point: int, colour: int, alive: bool) -> bool:
        """Return whether a move repeats an earlier position. Before the first capture, only suicide can."""
        if alive and state.captured[BLACK] + state.captured[WHITE] == 0:
            return False
        dead = 3 - colour if alive else colour
        following = state.hash ^ self.hash_of_dead(state, point, dead)
        if alive:
            following ^= self.zobrist[3 * point + colour]
        return is_among(following, state.history, state.moves + 1)

    def position_key(self, state: State) -> int:
        """Return a key of the stones, the ko, the player to move and the remaining length. With superko the history
        counts too.
        """
        if self.superko:
            return -1
        rest = (state.moves * 4 + state.passes) * 2 + state.to_move
        return (state.hash ^ stir(rest * 1024 + state.ko + 1, KEY_BITS)) & ((1 << KEY_BITS) - 1)

    def network_globals(self, state: State, values: Array) -> int:
        """Komi and what handicap gives, for the player to move; stones and moves say the rest."""
        values[0] = self.head_start / NETWORK_KOMI * (2 * state.to_move - 1)
        return 1

    # Simulations ----------------------------------------------------------------------------------------------------

    def random_action(self, state: State, rng: Array) -> int:
        """Return a sensible move, uniformly at random, or a pass if there is none.

        There is always an empty point, because the chain that was played last has a liberty.
        """
        colour = state.to_move + 1
        for _ in range(TRIES):
            point = state.empties[random_below(rng, state.empty)]
            if self.is_sensible(state, point, colour):
                return point
        return self.random_listed(state, rng, colour)

    def random_listed(self, state: State, rng: Array, colour: int) -> int:
        """Return one of the sensible moves by reservoir sampling over all points: the n-th replaces the choice with
        probability 1/n.
        """
        chosen, count = self.points, 0
        for place in range(state.empty):
            point = state.empties[place]
            if self.is_sensible(state, point, colour):
                count += 1
                if random_below(rng, count) == 0:
                    chosen = point
        return chosen

    def is_sensible(self, state: State, point: int, colour: int) -> bool:
        """Return whether a move is legal, apart from superko, and does not fill an own eye."""
        near = state.near[point]
        if near >= NEAR_EMPTY:
            return True
        if near & self.not_own[colour] == 0 and self.is_true_eye(state, point, colour):
            return False
        return point != state.ko and self.can_breathe(state, point, colour)

    def is_true_eye(self, state: State, point: int, colour: int) -> bool:
        """Return whether a point among own stones has enough own or empty corners to be a true eye."""
        lost = 0
        for corner in range(4):
            diagonal = self.diagonal[4 * point + corner]
            lost += state.board[diagonal] == 3 - colour
        return lost <= self.corners_to_lose[point]

    # The score ------------------------------------------------------------------------------------------------------

    def score(self, state: State) -> float:
        """Return Black's area minus White's area, komi and handicap compensation, with all stones alive."""
        area, alone = state.stones[BLACK] - state.stones[WHITE], 0
        for place in range(state.empty):
            near = state.near[state.empties[place]]
            if near < NEAR_EMPTY:
                alone += 1
                area += (near & self.not_own[BLACK]) == 0
                area -= (near & self.not_own[WHITE]) == 0
        if alone < state.empty:
            area += self.open_territory(state)
        return area - self.head_start

    def point_owners(self, state: State, owners: Array) -> None:
        """Write the owners of all points: stones, and empty regions that reach one colour only."""
        for point in range(self.points):
            owners[point] = state.board[point]
        self.mark_regions(state)
        for place in range(state.empty):
            point = state.empties[place]
            owners[point] = state.link[point] % (BLACK + WHITE)
            state.link[point] = 0

    def mark_regions(self, state: State) -> None:
        """Write the colours that each empty region reaches into `link` of its points, which must be zeroed
        afterwards.
        """
        near, link = state.near, state.link
        for place in range(state.empty):
            point = state.empties[place]
            link[point] = BLACK * (near[point] & 7 * NEAR_BLACK != 0) + WHITE * (near[point] & 7 * NEAR_WHITE != 0)
        while self.spread(state):
            pass

    def open_territory(self, state: State) -> int:
        """Return Black's points minus White's in empty regions of at least two points."""
        empties, link, near = state.empties, state.link, state.near
        self.mark_regions(state)
        territory = 0
        for place in range(state.empty):
            point = empties[place]
            if near[point] >= NEAR_EMPTY:
                territory += (link[point] == BLACK) - (link[point] == WHITE)
            link[point] = 0
        return territory

    def spread(self, state: State) -> bool:
        """Let every empty point take the colours of its empty neighbours. Return whether anything changed."""
        changed = False
        for turn in range(2 * state.empty):  # forward and backward, since regions extend both ways along the list
            place = turn if turn < state.empty else 2 * state.empty - 1 - turn
            point = state.empties[place]
            reached = state.link[point]
            for side in range(4):
                neighbour = self.around[4 * point + side]
                if state.board[neighbour] == EMPTY:
                    reached |= state.link[neighbour]
            changed = changed or reached != state.link[point]
            state.link[point] = reached
        return changed

    # For people -----------------------------------------------------------------------------------------------------

    def player_name(self, player: int) -> str:
        return ("Black", "White")[player]

    def action_to_string(self, state: State, action: int) -> str:
        return point_name(self.size, int(action))

    def has_fixed_moves(self) -> bool:
        return True

    def string_to_action(self, state: State, text: str) -> int:
        action = point_of(self.size, text)
        if action is not None and not self.is_terminal(state) and self.is_legal(state, action):
            return action
        raise illegal_move(self, state, text)

    def why_illegal(self, state: State, action: int) -> str:
        colour = state.to_move + 1
        if state.board[action] != EMPTY:
            return "the point is occupied"
        if action == state.ko:
            return "it takes the ko back at once"
        if state.near[action] >= NEAR_EMPTY or self.can_breathe(state, action, colour):
            return "it repeats an earlier position, which superko forbids"
        return "the stone would have no liberty: suicide is not allowed"

    def show(self, state: State) -> str:
        return draw_board(self, state)

    def board(self) -> Board:
        return board_of_go(self.size)

    fixed_names = True
