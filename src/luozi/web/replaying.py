"""A stored game, position by position, as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from luozi.matches.game_runner import Outcome, moves_of
from luozi.matches.schedule import MatchSchedule
from luozi.rules.board import board_of
from luozi.web.board_views import shown
from luozi.web.game_history import GameHistory
from luozi.web.seats import Seat


def replay_data(contest: MatchSchedule, outcome: Outcome, labels: Sequence[str]) -> dict[str, Any]:
    """All of it: moves, positions, what was thought, and how it ended."""
    game = contest.board
    history = GameHistory(game, contest.game, [Seat("program", label) for label in labels])
    for move in moves_of(contest, outcome):
        history.play(move.action, move.note)
    if not history.is_over and outcome.loser >= 0:
        history.played.resigned = outcome.fixture.seats.index(outcome.loser)
        history.played.forfeit = outcome.forfeit
    numbers = range(history.number + 1)
    return {
        "game": contest.game,
        "players": game.players,
        "player_names": [game.player_name(player) for player in range(game.players)],
        "labels": list(labels),
        "board": board_of(game),
        "moves": history.rows,
        "win_rates": [history.means(number) for number in numbers],
        "values": history.values(),
        "views": [shown(position) for position in history.played.position.history()],
        "thoughts": [history.thought(number) for number in numbers],
        "over": history.over(),
    }
