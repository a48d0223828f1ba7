"""The codes of lines agree with the rules, and what they call certain is."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import luozi
from luozi.games.lines.codes import A_WIN, LineCodes, follow, follow_board, made_by_codes
from luozi.games.lines.patterns import WIN
from luozi.games.lines.threat_search import find_defences, fours_at, win_by_fours, wins_of
from luozi.solvers.threat_space import Fours

BOARDS = (
    *(
        "tictactoe",
        "connect4:rows=5,columns=9,blocked=2.3",
        "gomoku:size=7,exact_length=true",
        "five3d:size=5,players=4",
    ),
    *(pytest.param(board, marks=pytest.mark.long) for board in ("connect4", "gomoku:size=9", "qubic")),
)


def some_position(game: Any, rng: random.Random, most: int | None = None) -> Any:
    state = game.new_state()
    for _ in range(rng.randint(0, most or game.max_length)):
        if game.is_terminal(state):
            break
        game.apply_action(state, rng.choice(game.legal_list(state)))
    return state


def open_position(game: Any, rng: random.Random, stones: int) -> Any:
    while True:
        state = some_position(game, rng, stones)
        if not game.is_terminal(state):
            return state


@pytest.mark.parametrize("spelling", BOARDS)
def test_codes_do_not_depend_on_the_way_to_a_position(spelling: str) -> None:
    game, rng = luozi.game(spelling), random.Random(1)
    codes = LineCodes(game)
    memory = codes.new_memory()[0]
    for _ in range(6):
        state = some_position(game, rng)
        follow(codes, game, state, memory)
        fresh, by_board = codes.new_memory()[0], codes.new_memory()[0]
        follow(codes, game, state, fresh)
        board = np.array([[game.stone_at(state, cell) for cell in range(game.cells)]], np.int8)
        assert follow_board(codes, game, board, 0, by_board) == (board == 0).sum()
        for name in ("code", "made", "threat", "board", "near", "busy", "landing", "tally"):
            assert (np.asarray(memory[name]) == np.asarray(fresh[name])).all(), name
            assert (np.asarray(memory[name]) == np.asarray(by_board[name])).all(), name
        assert sorted(memory["active"][: memory["actives"]]) == np.flatnonzero(memory["busy"]).tolist()


@pytest.mark.parametrize("spelling", [*BOARDS, "gomoku:size=8", "lines:layers=4,rows=4,columns=4,win_length=4"])
def test_what_stones_make_is_kept_as_the_codes_say(spelling: str) -> None:
    game, rng = luozi.game(spelling), random.Random(6)
    codes = LineCodes(game)
    memory = codes.new_memory()[0]
    for _ in range(4):
        follow(codes, game, some_position(game, rng), memory)
        for cell in range(game.cells):
            total = [0] * game.players
            for place in range(cell * codes.directions, (cell + 1) * codes.directions):
                made = made_by_codes(codes, memory, place) if memory.board[cell] == 0 else 0
                assert memory.made[place] == made
                for player in range(game.players):
                    part = made >> 4 * player & 3
                    total[player] += A_WIN if part == WIN else part
            assert [memory.threat[player * codes.capacity + cell] for player in range(game.players)] == total


@pytest.mark.parametrize("spelling", BOARDS)
def test_wins_at_once_are_those_of_the_rules(spelling: str) -> None:
    game, rng = luozi.game(spelling), random.Random(2)
    codes = LineCodes(game)
    memory = codes.new_memory()[0]
    for _ in range(4):
        state = open_position(game, rng, game.max_length)
        follow(codes, game, state, memory)
        for player in range(game.players):
            cells, winning = np.zeros(game.cells, np.int64), []
            count = wins_of(codes, memory, player, cells, game.cells)
            for action in game.legal_list(state):
                after = state.copy()
                after.to_move = player
                game.apply_action(after, action)
                if after.winner == player + 1:
                    winning.append(game.cell_of(state, action))
            assert sorted(cells[:count].tolist()) == sorted(winning)


def completions(game: Any, state: Any, player: int) -> set[int]:
    """The cells where a player wins at once, by the rules."""
    found = set()
    for action in game.legal_list(state):
        after = state.copy()
        after.to_move = player
        game.apply_action(after, action)
        if after.winner == player + 1:
            found.add(action)
    return found


def after_stone(game: Any, state: Any, cell: int, player: int) -> Any:
    after = state.copy()
    after.to_move = player
    game.apply_action(after, cell)
    return after


@pytest.mark.parametrize("spelling", ["gomoku:size=7", "gomoku:size=7,exact_length=true"])
def test_fours_are_stones_after_which_a_player_could_win(spelling: str) -> None:
    game, rng = luozi.game(spelling), random.Random(3)
    codes = LineCodes(game)
    memory = codes.new_memory()[0]
    for _ in range(3):
        state = open_position(game, rng, 30)
        follow(codes, game, state, memory)
        for player in range(2):
            before = completions(game, state, player)
            for cell in game.legal_list(state):
                after = after_stone(game, state, cell, player)
                made = fours_at(codes, memory, cell, player)
                if after.winner:
                    assert made == A_WIN
                elif not before:
                    assert min(made, 2) == min(len(completions(game, after, player)), 2)


def test_a_win_by_fours_is_found_where_the_solver_finds_one() -> None:
    game, rng = luozi.game("gomoku:size=9"), random.Random(4)
    codes, solver, seen = LineCodes(game), Fours(game, compiled=False, positions=3000), [0, 0]
    memory = codes.new_memory()[0]
    for _ in range(16):
        state = open_position(game, rng, 36)
        follow(codes, game, state, memory)
        before = {name: np.asarray(memory[name]).copy() for name in ("code", "made", "board", "tally", "busy", "near")}
        found = win_by_fours(codes, memory, state.to_move, 3000)
        for name, array in before.items():
            assert (array == np.asarray(memory[name])).all(), name
        line = solver.win(state)
        assert (found >= 0) == bool(line)
        seen[found >= 0] += 1
        if found >= 0:  # its first move wins too, or leaves a win by fours
            after = game.after(state, found)
            replies = completions(game, after, state.to_move)
            assert after.winner or replies
    assert min(seen) > 1


def test_where_two_fours_threaten_every_other_reply_loses() -> None:
    game, rng = luozi.game("gomoku:size=7"), random.Random(5)
    codes, tried = LineCodes(game), 0
    memory = codes.new_memory()[0]
    while tried < 3:
        state = open_position(game, rng, 26)
        mover, other = state.to_move, 1 - state.to_move
        if completions(game, state, mover) or completions(game, state, other):
            continue
        follow(codes, game, state, memory)
        threats = find_defences(codes, memory, other)
        if not threats:
            continue
        tried += 1
        spoiled = {cell for cell in game.legal_list(state) if memory.hits[cell] == threats}
        others = [
            cell for cell in game.legal_list(state) if cell not in spoiled and fours_at(codes, memory, cell, mover) == 0
        ]
        for cell in rng.sample(others, min(3, len(others))):
            after = game.after(state, cell)
            lost = any(
                len(completions(game, after_stone(game, after, reply, other), other)) > 1
                for reply in game.legal_list(after)
            )
            assert lost, (game.show(state), cell)
