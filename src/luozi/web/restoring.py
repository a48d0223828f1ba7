"""Tables as they were kept, made again. The file may come from anybody, or be damaged: nothing in it is believed, and a
seat may hold only what a page could ask for now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import ValidationError

from luozi.messages import LuoziError
from luozi.records.moves import is_whole
from luozi.util.parsing import JsonValue
from luozi.web.catalog import Catalog
from luozi.web.game_history import GameHistory, read_note
from luozi.web.limits import MOST_TEXT, ServerLimits
from luozi.web.protocol import refuse_long
from luozi.web.requests import SeatChoice
from luozi.web.seats import Seat, read_seat
from luozi.web.storage import DAMAGED, StoredSession

MOST_REMARK = 2_000  # characters of what people should know of a move


def restored(catalog: Catalog, kept: StoredSession) -> GameHistory:
    """A game as it was kept; one sentence if it can't have been kept so.

    >>> about = {"seats": [{"kind": "player", "name": "mcts", "options": {"network": "/dev/zero"}}]}
    >>> history = restored(Catalog(), StoredSession("k", "s", "tictactoe", about, [(4, {})], {}))
    >>> history.number, [seat.kind for seat in history.seats]
    (1, ['person', 'person'])
    """
    if not isinstance(kept.game, str):
        raise LuoziError(DAMAGED)
    game, limits = catalog.game(kept.game), catalog.limits
    history = GameHistory(game, catalog.spelled(kept.game), restored_seats(catalog, kept.about, game.players))
    history.played.date = text_in(kept.about, "date")
    for action, data in kept.moves:
        refuse_damaged(history, action, data, limits)
        note = read_note(data, action, game.players, game.actions)
        history.play(action, note, text_in(data, "remark"))
    loser = kept.about.get("resigned")
    history.played.resigned = loser if is_whole(loser, 0, game.players - 1) else None
    history.played.forfeit = text_in(kept.about, "forfeit")
    opened, left_out = kept.about.get("opened_at"), kept.about.get("left_out")
    history.opened_at = opened if is_whole(opened, 0, history.number) else None
    history.left_out = left_out if isinstance(left_out, int) and is_whole(left_out, 0, MOST_TEXT) else 0
    for number, data in kept.findings.items():
        if is_whole(number, 0, history.number) and isinstance(data, dict):
            history.findings[number] = read_note(data, 0, game.players, game.actions)
    return history


def refuse_damaged(history: GameHistory, action: Any, data: Any, limits: ServerLimits) -> None:
    """One sentence if this can't be the next move of a game."""
    known = isinstance(data, dict) and is_whole(action, 0, history.game.actions - 1) and history.number < limits.moves
    if not known or history.is_over or not history.game.allows(history.played.state, action):
        raise LuoziError(DAMAGED)


def text_in(values: Mapping[str, JsonValue], name: str) -> str:
    """A short text; nothing if there is none."""
    value = values.get(name)
    if not isinstance(value, str) or len(value) > MOST_REMARK:
        return ""
    return value.encode(errors="ignore").decode()  # without halves of letters


def restored_seats(catalog: Catalog, about: Mapping[str, JsonValue], players: int) -> list[Seat]:
    """Who sat there; persons where nothing is known."""
    found = about.get("seats")
    rows = found[:players] if isinstance(found, list) else []
    return [restored_seat(catalog, values) for values in (*rows, *([None] * (players - len(rows))))]


def restored_seat(catalog: Catalog, values: Any) -> Seat:
    """Who sat in one seat; a person, if the server has no such player any more, or never had."""
    known = {name: value for name, value in values.items() if name != "spelling"} if isinstance(values, dict) else {}
    try:
        return read_seat(refuse_long(msgspec.convert(known, SeatChoice), catalog.limits), catalog.programs)
    except (LuoziError, ValidationError, UnicodeError):
        return Seat()
