"""One game between players: `play_game` plays it, `LiveGame` is the game so far, whose moves can be taken back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime

from luozi.messages import LuoziError, Message
from luozi.players import ForfeitError, Player, ResignationError
from luozi.records.moves import MoveNote, note_of
from luozi.records.record import Record, results_of
from luozi.rules.compiled_rules import compile_if_many
from luozi.rules.game import Game, advice_on_length
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import SearchResult
from luozi.util.win_rates import EVALUATION, sentence

NOTHING = MoveNote()


class LiveGame:
    """A game that is being played: its players (or their specifications), position and notes.

    `visits` keeps all candidates of every move.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player | str],
        seed: int | None = None,
        visits: bool = False,
        opening: Sequence[int] = (),
    ) -> None:
        if len(players) != game.players:
            raise LuoziError(
                "{game} has {count} players, not {given}", game=game.spelling, count=game.players, given=len(players)
            )
        self.game, self.seed, self.visits = game, seed, visits
        self.players = tuple(player for player in players if not isinstance(player, str))
        self.spellings = tuple(player if isinstance(player, str) else player.spelling for player in players)
        self.date = datetime.now().isoformat(" ", "seconds")
        self.names: tuple[str, ...] = ()  # of people, from the file in which the game began
        self.remark = ""  # on the game as a whole, from there too
        self.restart(opening)

    def restart(
        self, actions: Sequence[int] = (), comments: Sequence[str] = (), notes: Sequence[MoveNote] = ()
    ) -> None:
        """Start again from the first position, and play these actions."""
        self.position = Position.begin(self.game)
        self.comments: list[str] = []
        self.notes: list[MoveNote] = []
        self.resigned: int | None = None
        self.forfeit = ""
        comments, notes = comments or [""] * len(actions), notes or [MoveNote()] * len(actions)
        for action, comment, note in zip(actions, comments, notes, strict=True):
            self.play(action, comment, note)

    def go_on(self, record: Record) -> None:
        """Start from the moves of a record, and take over the names of people."""
        self.names, self.remark = record.names, record.remark
        self.restart(record.actions, record.comments, record.notes)

    @property
    def state(self) -> State:
        """The state of the current position."""
        return self.position.state

    @property
    def actions(self) -> tuple[int, ...]:
        """The moves so far."""
        return self.position.moves

    @property
    def to_move(self) -> int:
        """The number of the player to move."""
        return self.position.to_move

    def mover(self, move: int) -> int:
        """Return who was to move after this number of moves."""
        return self.position.back(self.position.length - move).to_move

    @property
    def player(self) -> Player:
        """The player to move."""
        return self.players[self.to_move]

    @property
    def results(self) -> list[float] | None:
        """The result of every player; None while the game goes on."""
        return results_of(self.position, self.resigned)

    def play(self, action: int, comment: str = "", note: MoveNote = NOTHING) -> None:
        """Play an action; the comment is for people, the note is data."""
        self.add(self.position.play(action), comment, note)

    def add(self, following: Position, comment: str = "", note: MoveNote = NOTHING) -> None:
        """Go on to the position after a move."""
        self.refuse_endless()
        self.position = following
        self.comments.append(comment)
        self.notes.append(note)

    def refuse_endless(self) -> None:
        """Raise LuoziError if the game is longer than its rules allow: it might never end."""
        game = self.game
        if self.position.length >= game.length_limit:
            raise LuoziError(
                "{name} is not over after {limit} moves, the most that it may last; {advice}",
                name=type(game).__name__,
                limit=f"{game.length_limit:,}",
                advice=Message(advice_on_length(game)),
            )

    def note(self, thought: SearchResult | None, seconds: float) -> MoveNote:
        """Return the note of a move with its search result and seconds."""
        return note_of(thought, seconds, self.visits)

    def give_up(self, loss: LuoziError) -> None:
        """Let the player to move lose by resignation or forfeit."""
        self.resigned, self.forfeit = self.to_move, str(loss) if isinstance(loss, ForfeitError) else ""

    def take_back(self, moves: int) -> None:
        """Take back moves, and a resignation."""
        self.position = self.position.back(moves)
        kept = self.position.length
        del self.comments[kept:], self.notes[kept:]
        self.resigned, self.forfeit = None, ""

    def record(self) -> Record:
        """Return the record of the game so far."""
        return Record(
            self.game,
            self.spellings,
            self.actions,
            tuple(self.comments),
            self.date,
            self.seed,
            self.resigned,
            self.forfeit,
            tuple(self.notes),
            names=self.names,
            remark=self.remark,
            last=self.position,
        )


def estimate(thought: SearchResult | None) -> str:
    """Return a player's expectation after its move as a comment of a record; empty if it has none."""
    if thought is None:
        return ""
    chances = thought.chances()
    if chances is None or chances.few:
        return thought.best.score
    told = sentence(chances, thought.names())
    return f"evaluation {told}" if chances.kind == EVALUATION else told


def play_game(
    game: Game,
    players: Sequence[Player],
    opening: Sequence[int] = (),
    on_move: Callable[[LiveGame], None] | None = None,
    seed: int | None = None,
    visits: bool = False,
) -> Record:
    """Play one game and return its record.

    `on_move` is called after each move; `visits` keeps all candidates of every move.

    >>> import luozi
    >>> from luozi.players import player
    >>> game = luozi.game("tictactoe")
    >>> record = play_game(game, [player("random:seed=1", game), player("random:seed=2", game)])
    >>> record.results() is None
    False
    """
    table = LiveGame(game, players, seed, visits, opening)
    while table.results is None:
        player, began = table.player, time.perf_counter()
        try:
            action = player.choose(table.position)
        except (ForfeitError, ResignationError) as loss:
            table.give_up(loss)
            break
        note = note_of(player.thought, time.perf_counter() - began, visits)
        table.play(action, estimate(player.thought), note)
        if on_move is not None:
            on_move(table)
    compile_if_many(game, table.position.length)
    return table.record()
