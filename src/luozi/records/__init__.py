"""One game between players (`table`), how it is written down (`record`), and its moves as data (`moves`)."""

from luozi.records.moves import Considered, Move, Note
from luozi.records.record import GameRecord, load_record, save_record
from luozi.records.table import Table, play_game

__all__ = ["Considered", "GameRecord", "Move", "Note", "Table", "load_record", "play_game", "save_record"]
