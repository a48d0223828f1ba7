"""Records: games that were written down and then spoiled, as text and as bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from luozi.games import game as make_game
from luozi.messages import LuoziError
from luozi.records.files import load_record
from luozi.records.moves import CandidateNote, MoveNote
from luozi.records.record import DATA, Record
from luozi.records.sgf import sgf_bytes
from luozi.records.sgf_reader import record_from
from luozi.rules.game import Game

from .chance import Chance

GAMES = (
    "tictactoe",
    "connect4:rows=4,columns=4",
    "go:size=5",
    "five3d:size=3,win_length=3",
    "gomoku:size=5,exact_length=true",
)
PLAYERS = ("random", "mcts:c=0.7,seed=3", "gtp:gnugo\n--mode gtp", "gtp:'a | b'", "person", "[", '"x', "")

THOUGHT = {"iterations": 9, "visits": 5, "means": [0.25, 0.75], "line": ["a1", "x  # y"], "cuts": {"fours": 2}}
NOTES = (MoveNote(), MoveNote(0.25), MoveNote(1.5, THOUGHT), MoveNote(2.0, THOUGHT, (CandidateNote(0, 5, (0.5, 0.5)),)))
NOTES += (MoveNote(None, None, (CandidateNote(1, 0, (0.5, 0.5), 0.125), CandidateNote(2, 7, (1.0, 0.0), 1e-9))),)


class Records:
    """One file."""

    share = 3

    def __init__(self) -> None:
        self.games = [make_game(spelling) for spelling in GAMES]
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "record.txt"

    def run(self, chance: Chance) -> int:
        """A record as it is must load; a spoilt one gets a sentence, or loads and then is as good as any."""
        if chance.often(0.3):
            return self.run_sgf(chance)
        text = self.record(chance).text(data=chance.often(0.5))
        spoilt = chance.often(0.9)
        content = text.encode()
        if spoilt:
            content = chance.spoil_bytes(content) if chance.often(0.2) else chance.spoil(text).encode(errors="replace")
        self.input = repr(content)
        self.path.write_bytes(content)
        try:
            loaded = load_record(self.path)
        except LuoziError as error:
            assert spoilt, error
            return 1
        again = loaded.text(data=DATA in text)
        assert spoilt or again == text
        self.path.write_text(again, encoding="utf-8")
        assert load_record(self.path).text(data=DATA in text) == again
        return 1

    def run_sgf(self, chance: Chance) -> int:
        """The same as SGF, which knows two of the games."""
        record = self.record(chance, [game for game in self.games if game.spelling.startswith("go")])
        content, spoilt = sgf_bytes(record), chance.often(0.9)
        if spoilt:
            text = content.decode()
            content = chance.spoil_bytes(content) if chance.often(0.5) else chance.spoil(text).encode(errors="replace")
        self.input = repr(content)
        try:
            loaded = record_from(content, "it")
        except LuoziError as error:
            assert spoilt, error
            return 1
        assert spoilt or (loaded.actions, loaded.resigned) == (record.actions, record.resigned)
        again = record_from(sgf_bytes(loaded), "it")
        assert again.actions == loaded.actions
        return 1

    def record(self, chance: Chance, games: Sequence[Game] = ()) -> Record:
        """A game of random moves, perhaps given up."""
        game = chance.choice(games or self.games)
        state, actions, comments, notes = game.new_state(), [], [], []
        for _ in range(chance.randint(0, 8)):
            if game.is_terminal(state):
                break
            actions.append(chance.choice(game.legal_list(state)))
            comments.append(chance.pick("", "51.3 %", chance.nonsense()))
            notes.append(chance.choice(NOTES) if game.players == 2 else MoveNote(chance.pick(None, 0.5)))
            state = game.after(state, actions[-1])
        loser = None if game.is_terminal(state) or chance.often(0.6) else chance.randrange(game.players)
        why = chance.pick("", "answered x", chance.nonsense()) if loser is not None else ""
        players = tuple(chance.choice(PLAYERS) for _ in range(game.players))
        date, seed = chance.pick("", "2026-01-02 03:04:05", chance.nonsense()), chance.pick(None, 0, 2**62)
        return Record(game, players, tuple(actions), tuple(comments), date, seed, loser, why, tuple(notes))
