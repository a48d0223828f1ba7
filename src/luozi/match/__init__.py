"""One game between players (`table`) and its record as text (`record`)."""

from luozi.match.record import GameRecord, load_record, save_record
from luozi.match.table import Table, play_game

__all__ = ["GameRecord", "Table", "load_record", "play_game", "save_record"]
