"""Files of tables, as the page's server keeps them: with changed bytes, and with other values in a column."""

from __future__ import annotations

import sqlite3
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

from luozi.messages import LuoziError
from luozi.web.catalog import Catalog
from luozi.web.game_history import GameHistory
from luozi.web.openings import restored
from luozi.web.seats import Seat
from luozi.web.storage import COLUMNS, Storage, storage_at

from .chance import Chance
from .stores import VALUES, put

GAMES = ("tictactoe", "go:size=5", "connect4")
SEATS = [{"kind": "person", "name": "Ada"}, {"kind": "player", "name": "mcts", "seconds": 1.0, "options": {"c": 0.5}}]
TEXTS = (
    "/dev/zero",
    "evil.py",
    "gtp:touch x",
    '{"seats": [{"kind": "player", "name": "mcts", "options": 3}]}',
    "é\ud7ff",
)
TEXTS += ('{"seats": [{"kind": null}, null], "resigned": -1, "opened_at": 1e400}', '{"thought": {"iterations": "x"}}')
FIELDS = ('{"seats": [{"kind": "player", "name": "mcts", "options": {"network": "/dev/zero"}}]}', '{"remark": [1]}')


class TableFiles:
    """One damaged file: it is put aside or refused, and what is read in it is a game that can be shown."""

    share = 0.3

    def __init__(self) -> None:
        warnings.simplefilter("ignore")  # a file that is put aside is told of
        self.folder, self.catalog = tempfile.TemporaryDirectory(), Catalog()
        self.path = Path(self.folder.name) / "tables.db"
        storage = Storage(self.path)
        for name in GAMES:
            moves = [(action, {"seconds": 0.5, "remark": "a word"}) for action in (1, 2, 3)]
            storage.add(name, "secret", name, {"seats": SEATS}, moves, [(2, {"thought": {"iterations": 9}})])
        storage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        storage.close()
        self.content = self.path.read_bytes()

    def run(self, chance: Chance) -> int:
        """The server starts, or says in a sentence why not; then it looks at each table."""
        for old in self.path.parent.glob("*"):
            old.unlink()
        put(self.path, self.content)
        if chance.often(0.5):
            self.input = "bytes that differ from those of a file of tables"
            put(self.path, chance.spoil_bytes(self.content))
        else:
            self.edit(chance)
        try:
            storage = storage_at(self.path)
        except LuoziError as error:
            assert str(self.path) in str(error), str(error)
            return 1
        try:
            for name in GAMES:
                self.look(storage, name)
            storage.add("new", "secret", "tictactoe", {"seats": SEATS})
        except LuoziError as error:
            assert "report" not in str(error), str(error)
        finally:
            storage.close()
        return 1

    def look(self, storage: Storage, name: str) -> None:
        """A table as the server makes it again."""
        try:
            kept = storage.find(name)
            history = None if kept is None else restored(self.catalog, kept)
        except LuoziError as error:
            assert str(error).isprintable(), repr(str(error))
            return
        assert history is None or self.is_harmless(history), "a seat that no page may ask for"

    def is_harmless(self, history: GameHistory) -> bool:
        """Whether nobody sits there who could open a file or run a command."""
        return all(isinstance(seat, Seat) and "/" not in str(seat.options) for seat in history.seats)

    def edit(self, chance: Chance) -> None:
        """Another value in a column of all rows."""
        table = chance.choice(list(COLUMNS))
        column, value = chance.choice(COLUMNS[table]), chance.choice((*VALUES, *TEXTS, *FIELDS))
        self.input = f"UPDATE {table} SET {column} = {value!r:.200}"
        connection = sqlite3.connect(self.path)
        with suppress(sqlite3.IntegrityError):  # no such value can stand there
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
        connection.commit()
        connection.close()
