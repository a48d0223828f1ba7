"""One game between players (`table`), and how it is written down (`record`)."""

from luozi.records.record import GameRecord, load_record, save_record
from luozi.records.table import Table, play_game

__all__ = ["GameRecord", "Table", "load_record", "play_game", "save_record"]
