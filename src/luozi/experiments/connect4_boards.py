"""Boards of the Connect Four platform: 9 to 12 rows and columns, with one blocked cell anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from luozi.compiled import new_rng, random_below
from luozi.games import game as make_game
from luozi.matches.openings import seed_of
from luozi.messages import LuoziError, Message, joined
from luozi.rules.game import Game
from luozi.util.parameters import ParameterInfo, join_spelling
from luozi.util.parsing import OptionValue

SMALLEST, LARGEST = 9, 12
ANY = "any"

# The report's formula is Q/N + c sqrt(2 ln Np / N) with results of +1, 0 and -1; its last version keeps no tree.
OWN_OPTIONS: dict[str, OptionValue] = {"selection": "ucb1", "rewards": "plus_minus", "reuse_tree": False}

# The parameters of every experiment on these boards.
Size = Annotated[
    str, ParameterInfo("rows x columns of the boards, or 'any': 9 to 12 each, as the course platform draws them")
]
Boards = Annotated[int, ParameterInfo("so many boards, each with a forbidden cell drawn from the seed", 1, 100)]
OtherGame = Annotated[str, ParameterInfo("another game for two, instead of these boards")]


def game_for_two(spelling: str) -> Game:
    """Return a game for two players. Raises LuoziError for other games."""
    game = make_game(spelling)
    if game.players != 2:
        raise LuoziError(
            "{game} has {count} players. Choose a game for two, such as connect4.",
            game=game.spelling,
            count=game.players,
        )
    return game


def chosen_boards(game: str, size: str, boards: int, seed: int) -> list[str]:
    """Return the named game, or random boards of the Connect Four platform.

    >>> chosen_boards("", "11x11", 2, seed=1)
    ['connect4:rows=11,columns=11,blocked=6.8', 'connect4:rows=11,columns=11,blocked=2.3']
    """
    if game:
        return [game_for_two(game).spelling]
    found: dict[str, None] = {}
    for attempt in range(100 * boards):  # all different, as far as that goes: a tiny board has few cells
        found[drawn_board(size, seed_of("board", seed, attempt))] = None
        if len(found) == boards:
            break
    return list(found)


def drawn_board(size: str, seed: int) -> str:
    """Return a random board."""
    rng = new_rng(seed)
    rows, columns = read_size(size) or [SMALLEST + random_below(rng, LARGEST - SMALLEST + 1) for _ in range(2)]
    forbidden = f"{random_below(rng, rows)}.{random_below(rng, columns)}"
    return join_spelling("connect4", {"rows": rows, "columns": columns, "blocked": forbidden})


def read_size(size: str) -> list[int] | None:
    """Return rows and columns, or None for 'any'."""
    if size == ANY:
        return None
    numbers = re.fullmatch(r"(\d{1,2})x(\d{1,2})", size.strip())
    if numbers is None or not all(4 <= int(number) <= 40 for number in numbers.groups()):
        raise LuoziError("size={value} is not valid; write rows x columns, such as 11x11, or any", value=size)
    return [int(number) for number in numbers.groups()]


def shared_out(games: int, boards: Sequence[str]) -> list[tuple[str, int]]:
    """Distribute games over boards: complete pairs, as evenly as possible; boards without games are left out.

    >>> shared_out(10, ["a", "b", "c"])
    [('a', 4), ('b', 4), ('c', 2)]
    """
    pairs = -(-games // 2)
    counts = [pairs // len(boards) + (place < pairs % len(boards)) for place in range(len(boards))]
    return [(board, 2 * count) for board, count in zip(boards, counts, strict=True) if count]


def boards_text(boards: Sequence[str]) -> str:
    """Return a description of the boards.

    >>> boards_text(["connect4:rows=9,columns=12,blocked=3.4"])
    'Connect Four on 9x12 without 3.4 (row.column from the top left, from 0)'
    """
    found = [re.fullmatch(r"connect4:rows=(\d+),columns=(\d+),blocked=([\d.]+)", board) for board in boards]
    said = [
        Message("{rows}x{columns} without {cells}", rows=match[1], columns=match[2], cells=match[3])
        for match in found
        if match
    ]
    if len(said) < len(boards):
        return "; ".join(boards)
    return Message("Connect Four on {parts} (row.column from the top left, from 0)", parts=joined(said))
