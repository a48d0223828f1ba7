"""One game played (`play`), written down (`record`) as text, JSON or SGF, its moves as data (`moves`), and reviewed."""

from luozi.records.files import load_record, save_record
from luozi.records.moves import CandidateNote, Move, MoveNote
from luozi.records.play import LiveGame, play_game
from luozi.records.record import Record

__all__ = ["CandidateNote", "LiveGame", "Move", "MoveNote", "Record", "load_record", "play_game", "save_record"]
