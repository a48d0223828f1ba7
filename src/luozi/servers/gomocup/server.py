"""The Gomocup engine: every command of the protocol, and the Swap2 opening.

Both sides move in turn: TURN is a move of the side to move, which the other side answers, so that the engine may change
sides after TAKEBACK or SWAP2BOARD. A line that arrives during a search waits, except STOP and YXSTOP (move now) and END
(leave at once, after a START that compiles).

Swap2: the first player places black, white, black. The second takes white and moves, or takes black, or places a white
and a black stone more and leaves the choice to the first. White is to move after three stones and after five.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

import luozi
from luozi.messages import LuoziError
from luozi.players.presets import strong_options
from luozi.protocols.gomocup import action_of, place_name, read_board_line, read_place
from luozi.rules.state import State
from luozi.search import Options
from luozi.servers.conversation import CommandTable, Conversation, InputRules, Wanted, options_on, split_command
from luozi.servers.gomocup.position import DEAD_FIELD, GomocupGame
from luozi.servers.gomocup.session import GomocupSession

# Of the Swap2 opening:
TRIES = 16  # openings that are compared
ROUNDS = 2  # with the same time each; a quarter of the openings is left after each
REACH = 4  # greatest distance of a stone from the middle of the board, or of the stones
EVEN = 0.02  # a win rate so near to one half does not say which side is better

WinRate = Callable[[State, float], float]  # of the side to move in a position, after a share of the time
INPUT_RULES = InputRules(leaving=frozenset({"END"}), hurrying=frozenset({"STOP", "YXSTOP"}))

commands = CommandTable[GomocupSession, str]()


def serve(input: TextIO, output: TextIO, options: Wanted | None = None) -> int:
    """Be an engine until END or the end of the input; return the exit status.

    Moves end at the protocol's time limits, and earlier at those of the options, which may depend on board and rule;
    without options, `strong` plays.
    """
    wanted = options or (lambda game: Options.of(**strong_options(game)))
    return new_session(Conversation(input, output, INPUT_RULES), wanted).run()


def new_session(conversation: Conversation, wanted: Wanted) -> GomocupSession:
    """Return a session with all commands."""
    return GomocupSession(conversation, wanted, commands)


# A new game -----------------------------------------------------------------------------------------------------------


@commands.add("START", "SIZE")
def start(session: GomocupSession, rest: str) -> str:
    """Start a game on a square board."""
    if not rest.isdecimal() or len(rest) > 4:
        raise LuoziError("START needs the size of the board, as in START 15")
    session.open_board(int(rest), int(rest))
    return "OK"


@commands.add("RECTSTART", "WIDTH,HEIGHT")
def rectstart(session: GomocupSession, rest: str) -> str:
    """Start a game on a board with other sides."""
    size = read_place(rest)
    if size is None:
        raise LuoziError("RECTSTART needs width and height, as in RECTSTART 20,15")
    session.open_board(*size)
    return "OK"


@commands.add("RESTART")
def restart(session: GomocupSession, rest: str) -> str:
    """Start a game on the same board."""
    session.the_position()
    session.open_board(*session.size)
    return "OK"


# Moves ----------------------------------------------------------------------------------------------------------------


@commands.add("BEGIN")
def begin(session: GomocupSession, rest: str) -> str:
    """Play the first move of the game."""
    if session.the_position().history:
        raise LuoziError("BEGIN is for an empty board")
    return session.move()


@commands.add("TURN", "X,Y")
def turn(session: GomocupSession, rest: str) -> str:
    """Play the opponent's move, and answer with an own one."""
    session.settings.check_rule()
    session.the_position().play(session.cell_at(rest))
    return session.move()


@commands.add("PLAY", "X,Y")
def play(session: GomocupSession, rest: str) -> str:
    """Play an own move that the manager chose."""
    cell, position = session.cell_at(rest), session.the_position()
    position.play(cell)
    return place_name(position.game, cell)


@commands.add("TAKEBACK", "X,Y")
def takeback(session: GomocupSession, rest: str) -> str:
    """Take the last stone back."""
    session.the_position().take_back(session.cell_at(rest))
    return "OK"


# Whole positions: the stones come in the next lines, up to DONE -------------------------------------------------------


@commands.add("BOARD")
def board(session: GomocupSession, rest: str) -> str:
    """Set up stones; the engine is to move."""
    session.the_position()
    session.listed, session.when_listed = [], set_board
    return ""


def set_board(session: GomocupSession, lines: list[str]) -> str:
    """Set up the position of BOARD's lines, and play a move."""
    game, marked = session.the_position().open_game, []
    for line in lines:
        read = read_board_line(line)
        cell = read and action_of(game, read[:2])
        if read is None or cell is None or not 1 <= read[2] <= DEAD_FIELD:
            raise LuoziError(
                "{line} is not x,y,field with a place on the board and a field of 1, 2, 3", line=ascii(line[:20])
            )
        marked.append((cell, read[2]))
    position = GomocupGame.of_board(game, session.settings.continuous, marked)
    position.check_on()
    session.position = position
    return session.move()


@commands.add("SWAP2BOARD")
def swap2board(session: GomocupSession, rest: str) -> str:
    """Choose in a Swap2 opening: with no stones, three or five."""
    session.the_position()
    session.listed, session.when_listed = [], choose_opening
    return ""


def choose_opening(session: GomocupSession, lines: list[str]) -> str:
    """Answer the stones of SWAP2BOARD's lines."""
    session.settings.check_rule()
    game = session.the_position().open_game
    position = GomocupGame(game, session.settings.continuous)
    for line in lines:
        position.play(session.cell_at(line))
    if len(lines) not in (0, 3, 5) or game.cells < 6:
        raise LuoziError("SWAP2BOARD needs no stones, or three, or five, and room for one more")
    session.position = position
    deadline = session.deadline()
    return choose_side(session, position, deadline) if lines else propose(session, 3, deadline)


def choose_side(session: GomocupSession, position: GomocupGame, deadline: float) -> str:
    """Take the better side; after three stones, place two more if none is better."""
    may_propose = len(position.history) == 3
    if may_propose:  # half of the time for each
        deadline -= (deadline - time.monotonic()) / 2
    thought = session.consider(position, deadline)
    rate = thought.best.means[thought.player]
    if may_propose and abs(rate - 0.5) < EVEN:
        return propose(session, 2, session.deadline())
    return session.thought_out("SWAP") if rate < 0.5 else session.play_own(thought.action)


def propose(session: GomocupSession, count: int, deadline: float) -> str:
    """Place stones after which both sides have about the same win rate; the opponent chooses."""
    position, engine, conversation = session.the_position(), session.the_engine(), session.conversation
    seconds = deadline - time.monotonic()

    def win_rate(state: State, share: float) -> float:
        until = time.monotonic() + (0.0 if conversation.hurried else share * seconds)
        thought = conversation.think(engine, state, until, session.options.limits)
        return thought.best.means[thought.player]

    cells = balanced_opening(position, count, win_rate, engine.seed)
    for cell in cells:
        position.play(cell)
    return session.thought_out(" ".join(place_name(position.game, cell) for cell in cells))


# Balanced openings --------------------------------------------------------------------------------------------------


def balanced_opening(position: GomocupGame, count: int, win_rate: WinRate, seed: int) -> list[int]:
    """Return the cells of `count` more stones after which both sides have about the same win rate."""
    chance = random.Random(seed)
    near = cells_near(position)
    left = [chance.sample(near, count) for _ in range(TRIES)]
    for _ in range(ROUNDS):
        share = 1 / ROUNDS / len(left)
        unfair = [abs(win_rate(after(position, cells), share) - 0.5) for cells in left]
        order = sorted(range(len(left)), key=unfair.__getitem__)
        left = [left[index] for index in order[: max(1, len(left) // 4)]]
    return left[0]


def after(position: GomocupGame, cells: list[int]) -> State:
    """Return the state after more stones, of both sides in turn."""
    following = GomocupGame(position.game, position.continuous, position.history)
    for cell in cells:
        following.play(cell)
    return following.state


def cells_near(position: GomocupGame) -> list[int]:
    """Return empty cells in the middle of the board, or around the stones; all of them on a small board."""
    game = position.game
    stones = [divmod(cell, game.columns) for cell in position.owners] or [(game.rows // 2, game.columns // 2)]
    middle_row = sum(row for row, _ in stones) / len(stones)
    middle_column = sum(column for _, column in stones) / len(stones)
    empty = [cell for cell in range(game.cells) if cell not in position.owners]
    near = [
        cell
        for cell in empty
        if max(abs(cell // game.columns - middle_row), abs(cell % game.columns - middle_column)) <= REACH
    ]
    return near if len(near) >= 2 * REACH else empty


# What is told ---------------------------------------------------------------------------------------------------------


@commands.add("INFO", "KEY VALUE")
def info(session: GomocupSession, rest: str) -> str:
    """Set a limit or the rule, or answer `evaluate x,y`."""
    key, value = split_command(rest)
    key, before, settings = key.lower(), replace(session.settings), session.settings
    if key == "evaluate":
        return evaluate(session, value)
    settings.tell(key, value)
    if session.position is None:
        return ""
    if settings.rule != before.rule:
        settings.check_rule()
        change_rule(session, session.position)
    elif settings.max_memory != before.max_memory:
        session.make_engine()
    return ""


def change_rule(session: GomocupSession, position: GomocupGame) -> None:
    """Keep the stones, and change the rule."""
    changed = GomocupGame(session.game_of(*session.size), session.settings.continuous, position.history)
    changed.give_turn(position.position.to_move)
    session.position, session.options = changed, options_on(changed.game, session.wanted)
    session.make_engine()


def evaluate(session: GomocupSession, text: str) -> str:
    """Return a message with the last search's result for a cell."""
    cell, thought = session.cell_at(text), session.thought
    for candidate in thought.candidates if thought else ():
        if candidate.action == cell and thought:
            rate = 100 * candidate.means[thought.player]
            return f"DEBUG {text} had {candidate.visits:,} visits and a win rate of {rate:.1f} %"
    return ""


@commands.add("ABOUT")
def about(session: GomocupSession, rest: str) -> str:
    """Return name, version and author."""
    return f'name="Luozi", version="{luozi.__version__}", author="The Luozi authors"'


@commands.add("STOP")
@commands.add("YXSTOP")
def stop(session: GomocupSession, rest: str) -> str:
    """Move now; it has acted when it was read."""
    return ""
