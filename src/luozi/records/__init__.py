"""One game between players (`table`), how it is written down (`record`), and its moves as data (`moves`)."""

from luozi.records.moves import Considered, Move, Note
from luozi.records.play import LiveGame, play_game
from luozi.records.record import GameRecord, load_record, save_record

__all__ = ["Considered", "GameRecord", "LiveGame", "Move", "Note", "load_record", "play_game", "save_record"]
