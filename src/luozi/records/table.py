"""One game between players. `play_game` is the loop; `Table` is the game so far, which people may also take back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from luozi.chances import EVALUATION, sentence
from luozi.messages import LuoziError, Message
from luozi.players import ForfeitError, Player, ResignationError
from luozi.records.moves import Note, note_of
from luozi.records.record import GameRecord
from luozi.records.words import results_of
from luozi.rules import Game, advice_on_length
from luozi.search import Thought

NOTHING = Note()


class Table:
    """A game and who plays it. Every player hears of every move; `visits` keeps all candidates of every move."""

    def __init__(self, game: Game, players: Sequence[Player], seed: int | None = None, visits: bool = False) -> None:
        if len(players) != game.players:
            raise LuoziError(
                "{game} has {count} players, not {given}", game=game.spelling, count=game.players, given=len(players)
            )
        self.game, self.players, self.seed, self.visits = game, tuple(players), seed, visits
        self.date = datetime.now().isoformat(" ", "seconds")
        self.names: tuple[str, ...] = ()  # of people, in the file that the game goes on from
        self.remark = ""  # on the game, from there too
        self.restart()

    def restart(self, actions: Sequence[int] = (), comments: Sequence[str] = (), notes: Sequence[Note] = ()) -> None:
        """Begin again, with these actions already played."""
        self.states = [self.game.new_state()]
        self.actions: list[int] = []
        self.comments: list[str] = []
        self.notes: list[Note] = []
        self.resigned: int | None = None
        self.forfeit = ""
        for player in dict.fromkeys(self.players):
            player.new_game()
        comments, notes = comments or [""] * len(actions), notes or [Note()] * len(actions)
        for action, comment, note in zip(actions, comments, notes, strict=True):
            self.play(action, comment, note)

    def go_on(self, record: GameRecord) -> None:
        """Begin with the moves of a record, and keep what people are called there."""
        self.names, self.remark = record.names, record.remark
        self.restart(record.actions, record.comments, record.notes)

    @property
    def state(self) -> Any:
        """The position now."""
        return self.states[-1]

    @property
    def to_move(self) -> int:
        """The number of the player to move."""
        return self.mover(len(self.actions))

    def mover(self, move: int) -> int:
        """Who had the move after so many moves."""
        return self.game.player_to_move(self.states[move])

    @property
    def player(self) -> Player:
        """The player to move."""
        return self.players[self.to_move]

    @property
    def results(self) -> list[float] | None:
        """Every player's result; None while the game goes on."""
        return results_of(self.game, self.state, self.resigned)

    def play(self, action: int, comment: str = "", note: Note = NOTHING) -> None:
        """Play an action and tell everybody; the comment is for people, the note is data."""
        before = self.state
        following = self.game.after(before, action)
        self.refuse_endless()
        self.states.append(following)
        self.actions.append(int(action))
        self.comments.append(comment)
        self.notes.append(note)
        for player in dict.fromkeys(self.players):  # one that sits in several seats hears it once
            player.observe(before, action)

    def refuse_endless(self) -> None:
        """One sentence if the game should have been over before this move: it might go on for ever."""
        game = self.game
        if len(self.actions) >= game.length_limit:
            raise LuoziError(
                "{name} is not over after {limit} moves, the most that it may last; {advice}",
                name=type(game).__name__,
                limit=f"{game.length_limit:,}",
                advice=Message(advice_on_length(game)),
            )

    def note(self, thought: Thought | None, seconds: float) -> Note:
        """What is kept of a move that took so long and was thought of so."""
        return note_of(thought, seconds, self.visits)

    def give_up(self, loss: LuoziError) -> None:
        """The player to move loses by resignation, or by forfeit, with its reason."""
        self.resigned, self.forfeit = self.to_move, str(loss) if isinstance(loss, ForfeitError) else ""

    def take_back(self, moves: int) -> None:
        """Go back by some moves; a resignation is taken back too."""
        kept = len(self.actions) - moves
        del self.states[kept + 1 :], self.actions[kept:], self.comments[kept:], self.notes[kept:]
        self.resigned, self.forfeit = None, ""
        for player in dict.fromkeys(self.players):
            player.take_back(self.states, self.actions)

    def record(self) -> GameRecord:
        """The game so far."""
        spellings = tuple(player.spelling for player in self.players)
        record = GameRecord(
            self.game,
            spellings,
            tuple(self.actions),
            tuple(self.comments),
            self.date,
            self.seed,
            self.resigned,
            self.forfeit,
            tuple(self.notes),
            names=self.names,
            remark=self.remark,
        )
        vars(record)["_states"] = list(self.states)  # it need not play them again
        return record


def estimate(thought: Thought | None) -> str:
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
    on_move: Callable[[Table], None] | None = None,
    seed: int | None = None,
    visits: bool = False,
) -> GameRecord:
    """One game to its end. `on_move` hears of each move; the record has what was thought, and all candidates if asked.

    >>> import luozi
    >>> from luozi.players import player
    >>> game = luozi.game("tictactoe")
    >>> record = play_game(game, [player("random:seed=1", game), player("random:seed=2", game)])
    >>> record.results() is None
    False
    """
    table = Table(game, players, seed, visits)
    table.restart(opening)
    while table.results is None:
        player, began = table.player, time.perf_counter()
        try:
            action = player.choose(table.state)
        except (ForfeitError, ResignationError) as loss:
            table.give_up(loss)
            break
        note = table.note(player.thought, time.perf_counter() - began)
        table.play(action, estimate(player.thought), note)
        if on_move is not None:
            on_move(table)
    return table.record()
