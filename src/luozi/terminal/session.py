"""One game in a terminal. Read `TerminalSession.run` first; `commands` has what a person may type beside moves."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from luozi.compiled.cache import on_compile
from luozi.messages import LuoziError, language, translate
from luozi.players import ForfeitError, Player, ResignationError
from luozi.players.engine import ReadyPlayers
from luozi.players.simple import Person
from luozi.records.files import refuse_unsaved, save_record
from luozi.records.moves import MoveNote
from luozi.records.play import LiveGame, estimate
from luozi.records.record import result_text
from luozi.rules.game import Game
from luozi.rules.move_names import read_move
from luozi.search import SearchResult
from luozi.terminal.autosave import Autosave
from luozi.terminal.board import board_text, last_cells, player_text
from luozi.terminal.commands import COMMANDS, line_error
from luozi.terminal.lists import work_text
from luozi.terminal.seats import PROGRAM, make_player
from luozi.terminal.thinking import KNOWN_SECONDS, Interrupts, Leave, Waiting
from luozi.util.console import TextConsole
from luozi.util.win_rates import EVALUATION, sentence

BOARDS_SHOWN = 10  # boards in a game of programs without a terminal, about
LONGEST = 100_000  # characters of a line


@dataclass(frozen=True)
class TerminalOptions:
    """The options of `luozi play` beside the game and its players."""

    hint: str = PROGRAM
    save: Path | None = None
    force: bool = False
    continued: Path | None = None  # the saved game that this one continues
    verbose: bool = False  # whether all statistics of a search are printed after each move
    threads: int = 1  # of programs that do not set them


class TerminalSession:
    """Plays a game to its end, or until the person leaves."""

    def __init__(self, table: LiveGame, settings: TerminalOptions) -> None:
        self.table, self.game, self.settings = table, table.game, settings
        self.console = TextConsole(highlight=False)
        self.interrupts, self.kept = Interrupts(), Autosave(settings.continued)
        self.began = time.perf_counter()  # when the player to move started to think
        self.written: set[Path] = set()  # files that this session may overwrite
        self.persons = {seat for seat, player in enumerate(table.players) if isinstance(player, Person)}
        self.programs = [player for player in table.players if not isinstance(player, Person)]
        self.interactive = sys.stdin.isatty()
        self.waiting = Waiting(self.interrupts, self.may_leave, moves_now=bool(self.persons))
        self.ready: ReadyPlayers | None = None
        on_compile(self.waiting.on_compile)
        if self.interactive:
            with suppress(ImportError):  # not on Windows
                import readline  # noqa: F401  arrow keys and earlier lines in `input`
        if settings.save is not None:
            refuse_unsaved(table.game, settings.save, settings.force)
        if self.persons:
            self.adviser = make_player(self.game, settings.hint, table.seed or 0, settings.threads, searching=True)
            if isinstance(self.adviser, Person):
                raise LuoziError("--hint needs a program, such as mcts:seconds=1")

    def run(self) -> None:
        """Play; the game is saved in any case."""
        with self.interrupts:
            try:
                self.greet()
                while self.turn():
                    pass
            except KeyboardInterrupt:  # `Leave` is one
                pass
            finally:
                if self.ready is not None:
                    self.ready.readiness.close()
                for player in self.table.players:
                    player.close()
                self.keep_record()

    @property
    def threads(self) -> int:
        """The most threads of a player: with one, a seed repeats the game."""
        return max(getattr(player, "threads", 1) for player in self.table.players)

    def prepare(self, players: Sequence[Player]) -> None:
        """Start to compile what programs and hints need, after the first board and while a person thinks."""
        if players and self.ready is None:
            advisers = [self.adviser] if self.persons else []
            # with several threads no seed repeats a game, so nobody waits
            self.ready = ReadyPlayers(self.game, [*players, *advisers], repeatable=self.threads == 1)
            self.ready.readiness.start()
            self.waiting.ready = self.ready
            self.waiting.hints_only = all(one in advisers for one in self.ready.stood_in)

    def turn(self) -> bool:
        """Play one turn; return False when there is nothing more to do."""
        if self.table.results is not None:
            return self.after_the_end()
        if self.table.to_move in self.persons:
            self.person_turn()
        else:
            self.program_turn()
        return True

    # Programs -------------------------------------------------------------------------------------------------------

    def program_turn(self) -> None:
        """Let a program move, and print its move and search result."""
        self.prepare(self.programs)
        seat, player, position = self.table.to_move, self.table.player, self.table.position
        player.thought = None
        self.began = time.perf_counter()
        try:
            thinks = translate("{player} ({seat}) thinks", player=self.game.player_name(seat), seat=player.spelling)
            action = self.waiting.choose(player, position, thinks)
        except (ForfeitError, ResignationError) as loss:
            self.table.give_up(loss)
            return
        name = position.name(action)
        told = estimate(player.thought)
        self.table.play(action, ", ".join(part for part in (told, player.remark) if part), self.note())
        number, plays = f"{len(self.table.actions)}. ", translate(" plays ")
        line = Text.assemble(number, player_text(self.game, seat), plays, (name, "bold"))
        self.console.print(line.append(chances_text(player.thought)), soft_wrap=True)
        for about in (
            work_text(player.thought, self.settings.verbose) if player.thought else "",
            translate(player.remark),
        ):
            if about:
                self.console.print(Padding(Text(about, "dim"), (0, 0, 0, 3), expand=False))
        every = 1 if self.console.is_terminal else max(1, self.game.length_limit // BOARDS_SHOWN)
        looked_at = len(self.table.actions) % every == 0
        if not self.persons and looked_at and self.table.results is None:
            self.show_board()

    def note(self) -> MoveNote:
        """Return the note of the current move."""
        return self.table.note(self.table.player.thought, time.perf_counter() - self.began)

    # People ---------------------------------------------------------------------------------------------------------

    def person_turn(self) -> None:
        """Show the board and ask until the position has changed."""
        self.kept.write(self.table)
        self.show_board()
        self.prepare(self.programs)
        self.began = time.perf_counter()
        self.waiting.announce(KNOWN_SECONDS)
        while not self.answer(self.read(f"{self.game.player_name(self.table.to_move)}> ")):
            pass

    def answer(self, line: str | None) -> bool:
        """Do what was typed; return whether the turn is over."""
        if line is None:  # a script that ends early leaves an unfinished game
            raise Leave
        word, _, argument = line.partition(" ")
        try:
            if word.lower() in COMMANDS:
                return COMMANDS[word.lower()].run(self, argument.strip())
            if line:
                self.table.play(read_move(self.game, self.table.state, line), note=self.note())
            return bool(line)
        except LuoziError as error:
            self.say(translate(line_error(line, error)))
            return False

    def after_the_end(self) -> bool:
        """Print the result; return whether the game goes on because a move was taken back."""
        self.show_board()
        resigned, forfeit = self.table.resigned, self.table.forfeit
        reason = translate(forfeit) or translate("resigned")
        why = "" if resigned is None else f" ({self.game.player_name(resigned)} {reason})"
        words = end_text(self.game, self.table.results)
        self.console.print(Text(f"{words[:1].upper()}{words[1:]}{why}", "bold"))
        return bool(self.persons) and self.ask_after_the_end()

    def ask_after_the_end(self) -> bool:
        """Ask for a command after the end; return whether the game goes on."""
        while True:
            line = self.read(translate("undo, or quit> "), asks=False)
            if line is None or line.lower() in ("", "quit"):
                return False
            word, _, argument = line.partition(" ")
            try:
                if word.lower() not in ("undo", "save", "load", "board", "help"):
                    self.say(translate("the game is over: type undo, save FILE, load FILE or quit"))
                elif COMMANDS[word.lower()].run(self, argument.strip()):
                    return True
            except LuoziError as error:
                self.say(translate(error.message))

    def read(self, prompt: str, asks: bool = True) -> str | None:
        """Return a typed line; None at the end of piped input. Ctrl-C and Ctrl-D leave the game after a question."""
        if self.interactive:
            line = self.typed(prompt)
            if line is None and (not asks or self.may_leave()):
                raise Leave
            return line or ""
        with self.interrupts.listening():
            line = sys.stdin.readline(LONGEST)
        if len(line) == LONGEST:
            raise LuoziError("a line of more than {most} characters is no move and no command", most=f"{LONGEST:,}")
        self.console.print(Text(prompt + line.strip()), soft_wrap=True)
        return line.strip() if line else None

    def typed(self, prompt: str) -> str | None:
        """Return what a person types; None for Ctrl-C and Ctrl-D."""
        try:
            with self.interrupts.listening():
                return input(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return None

    def may_leave(self) -> bool:
        """Ask once whether to leave the game; another Ctrl-C or Ctrl-D means yes."""
        if not self.interactive or not self.table.actions:
            return True
        self.kept.write(self.table)
        answer = self.typed(translate("Leave? ({fate}) y/n> ", fate=translate(self.kept.notice)))
        return answer is None or answer.lower() in ("y", "yes")

    # Showing --------------------------------------------------------------------------------------------------------

    def say(self, sentence: str) -> None:
        """Print one line."""
        self.console.print(Text(sentence), soft_wrap=not self.console.is_terminal)

    def greet(self) -> None:
        """Print the game, the players and how to type moves."""
        self.console.print(Text(self.game.spelling, "bold"))
        for seat, player in enumerate(self.table.players):
            self.console.print(Text("  ").append_text(player_text(self.game, seat)), player.spelling)
        if len(self.persons) < self.game.players:
            seed = translate("  seed {seed} (--seed repeats the game if no limit is in seconds)", seed=self.table.seed)
            if self.threads > 1:
                seed = translate(
                    "  {threads} threads (a game with --seed has one and can be repeated)", threads=self.threads
                )
            self.console.print(Text(seed, "dim"))
        if self.persons:
            position, legal = self.table.position, self.table.position.actions
            example = position.name(legal[len(legal) // 2]) if legal else ""
            typed = (
                translate("  type a move, such as {example}, or help", example=example)
                if example
                else translate("  type a move or help")
            )
            self.console.print(Text(typed, "dim"))
        if self.table.results is None and self.table.to_move not in self.persons:
            self.show_board()  # the first answer may take a while

    def show_board(self) -> None:
        """Print the position, with space around it."""
        width = self.console.width - 2 if self.console.is_terminal else 10_000
        marks = last_cells(self.table.position)
        board = board_text(self.game, self.table.state, width, marks)
        self.console.print()
        for line in board.split("\n"):
            self.console.print(Text("  ").append_text(line), soft_wrap=True)
        self.console.print()

    # The record -----------------------------------------------------------------------------------------------------

    def write(self, path: Path, overwrite: bool = False) -> None:
        """Save the game so far; only files that this session wrote are overwritten."""
        save_record(self.table.record(), path, overwrite or path.resolve() in self.written)
        self.written.add(path.resolve())
        self.say(translate("saved to {path}", path=path))

    def keep_record(self) -> None:
        """Save the game at the end."""
        if self.persons or self.interactive:
            self.kept.write(self.table)
            if self.table.actions and self.table.results is None:
                self.say(translate(self.kept.notice))
        if self.settings.save is not None:
            self.write(self.settings.save, self.settings.force)


def chances_text(thought: SearchResult | None) -> str:
    """Return a program's win rates after its move as text; empty if it has none."""
    chances = None if thought is None else thought.chances()
    if thought is None or chances is None or chances.few:
        score = thought.best.score if thought is not None else ""
        return translate(", score {rate}", rate=score) if score else ""
    told = sentence(chances, thought.names(), translate)
    return (
        translate(", evaluation {rate}", rate=told)
        if chances.kind == EVALUATION
        else translate("; wins: {rate}", rate=told)
    )


def end_text(game: Game, results: list[float] | None) -> str:
    """Return the result in the person's language; records have it in English."""
    if language() == "en" or results is None:
        return result_text(game, results)
    won = [player for player in range(game.players) if results[player] == max(results)]
    return (
        translate("A draw")
        if len(won) == game.players
        else translate("{player} wins", player=", ".join(map(game.player_name, won)))
    )
