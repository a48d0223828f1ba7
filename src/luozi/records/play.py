"""One game between players. `play_game` is the loop; `LiveGame` is the game so far, which people may take back."""

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
    """A game and who plays it: players, or how they are spelled; `visits` keeps all candidates of every move."""

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
        self.names: tuple[str, ...] = ()  # of people, in the file that the game goes on from
        self.remark = ""  # on the game, from there too
        self.restart(opening)

    def restart(
        self, actions: Sequence[int] = (), comments: Sequence[str] = (), notes: Sequence[MoveNote] = ()
    ) -> None:
        """Begin again, with these actions already played."""
        self.position = Position.begin(self.game)
        self.comments: list[str] = []
        self.notes: list[MoveNote] = []
        self.resigned: int | None = None
        self.forfeit = ""
        comments, notes = comments or [""] * len(actions), notes or [MoveNote()] * len(actions)
        for action, comment, note in zip(actions, comments, notes, strict=True):
            self.play(action, comment, note)

    def go_on(self, record: Record) -> None:
        """Begin with the moves of a record, and keep what people are called there."""
        self.names, self.remark = record.names, record.remark
        self.restart(record.actions, record.comments, record.notes)

    @property
    def state(self) -> State:
        """The state of the position now."""
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
        """Who had the move after so many moves."""
        return self.position.back(self.position.length - move).to_move

    @property
    def player(self) -> Player:
        """The player to move."""
        return self.players[self.to_move]

    @property
    def results(self) -> list[float] | None:
        """Every player's result; None while the game goes on."""
        return results_of(self.position, self.resigned)

    def play(self, action: int, comment: str = "", note: MoveNote = NOTHING) -> None:
        """Play an action; the comment is for people, the note is data."""
        self.add(self.position.play(action), comment, note)

    def add(self, following: Position, comment: str = "", note: MoveNote = NOTHING) -> None:
        """Go on to a position that a move has led to."""
        self.refuse_endless()
        self.position = following
        self.comments.append(comment)
        self.notes.append(note)

    def refuse_endless(self) -> None:
        """One sentence if the game should have been over before this move: it might go on for ever."""
        game = self.game
        if self.position.length >= game.length_limit:
            raise LuoziError(
                "{name} is not over after {limit} moves, the most that it may last; {advice}",
                name=type(game).__name__,
                limit=f"{game.length_limit:,}",
                advice=Message(advice_on_length(game)),
            )

    def note(self, thought: SearchResult | None, seconds: float) -> MoveNote:
        """What is kept of a move that took so long and was thought of so."""
        return note_of(thought, seconds, self.visits)

    def give_up(self, loss: LuoziError) -> None:
        """The player to move loses by resignation, or by forfeit, with its reason."""
        self.resigned, self.forfeit = self.to_move, str(loss) if isinstance(loss, ForfeitError) else ""

    def take_back(self, moves: int) -> None:
        """Go back by some moves; a resignation is taken back too."""
        self.position = self.position.back(moves)
        kept = self.position.length
        del self.comments[kept:], self.notes[kept:]
        self.resigned, self.forfeit = None, ""

    def record(self) -> Record:
        """The game so far."""
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
    """What a program thought of its own move, for a record's comment; nothing if it did not say."""
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
    """One game to its end. `on_move` hears of each move; the record has what was thought, and all candidates if asked.

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
