"""Luozi as a Go engine: the Go Text Protocol, version 2, and what Sabaki, Lizzie, GoGui and KGS say beside it.

`GtpServer` has the commands of the protocol itself; those beyond it are in `gtp_analysis` and `gtp_extras`. Which move
is made is decided in `gtp_moves`; the board, which GTP may change in any way, is `gtp_position`; what all commands
share is `gtp_base`. The search is compiled in the background from `boardsize` on; until it is ready, simpler ones
answer in time. A script that comes all at once gets the whole thinking that it asks for; `quit` or the end of the
input in the middle of a thought end it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

import luozi
from luozi.games.go.points import free_points, handicap_points, score_text
from luozi.messages import LuoziError, Message
from luozi.players.presets import strong_options
from luozi.rules.game import Game
from luozi.search import Options
from luozi.servers.gtp_analysis import Analysis
from luozi.servers.gtp_base import GtpBase, GtpOptions, Listed, OptionsFor, command
from luozi.servers.gtp_extras import Extras
from luozi.servers.gtp_moves import Moves, names_of
from luozi.servers.gtp_position import GtpGame
from luozi.servers.gtp_records import SgfCommands

Words = Sequence[str]
STATUSES = ("alive", "dead", "seki", "black_territory", "white_territory")


def serve(
    input: TextIO, output: TextIO, options: Options | OptionsFor | None = None, settings: GtpOptions | None = None
) -> int:
    """Be a Go engine until `quit` or the end of the input; the exit status.

    Options may depend on the game, as those of `strong` do; not given, `strong` plays.
    """
    server = GtpServer(input, output, options or strong_on, settings or GtpOptions())
    try:
        return server.run()
    finally:
        server.rest()
        server.forget_readiness()


def strong_on(game: Game) -> Options:
    """What did best on a board of this size."""
    return Options.of(**strong_options(game))


class Protocol(Moves, GtpBase):
    """The commands of GTP 2."""

    # About itself -------------------------------------------------------------------------------------------------

    @command("protocol_version")
    def protocol_version(self, words: Words) -> str:
        """The version of the protocol: 2."""
        return "2"

    @command("name")
    def tell_name(self, words: Words) -> str:
        """The engine's name."""
        return "Luozi"

    @command("version")
    def tell_version(self, words: Words) -> str:
        """The engine's version."""
        return luozi.__version__

    @command("known_command", "NAME")
    def is_known(self, words: Words) -> str:
        """Whether there is such a command: true or false."""
        return "true" if words and words[0] in self.commands else "false"

    @command("list_commands")
    def list_commands(self, words: Words) -> str:
        """All commands, one a line."""
        return "\n".join(sorted(self.commands))

    @command("quit")
    def quit(self, words: Words) -> str:
        """End."""
        return ""

    # The board ----------------------------------------------------------------------------------------------------

    @command("boardsize", "SIZE")
    def set_size(self, words: Words) -> str:
        """An empty board of 2 to 25 lines; its search begins to be compiled."""
        try:
            size = self.whole(words, 0, 2, 25)
        except LuoziError:
            raise LuoziError("unacceptable size: boards have 2 to 25 lines") from None
        self.position = GtpGame(replace(self.position.terms, size=size))
        self.clear_board(())
        self.get_ready()
        return ""

    @command("clear_board")
    def clear_board(self, words: Words) -> str:
        """An empty board of the same size, and a new game."""
        self.position = GtpGame(self.position.terms)
        self.hopeless = [0, 0]
        self.clock.new_game()
        return ""

    @command("komi", "POINTS")
    def set_komi(self, words: Words) -> str:
        """What White gets for moving second."""
        komi = self.amount(words, 0)
        if abs(komi) > self.position.game.points:
            raise LuoziError("syntax error: this komi is more than the whole board")
        self.position.change_terms(replace(self.position.terms, komi=komi))
        return ""

    @command("fixed_handicap", "STONES")
    def set_fixed_handicap(self, words: Words) -> str:
        """Black stones on the handicap points of an empty board."""
        self.check_empty()
        stones = self.whole(words, 0, 0, 625)
        try:
            points = handicap_points(self.position.terms.size, stones if stones > 1 else 1)
        except LuoziError as error:
            raise LuoziError("invalid number of stones: {allowed}", allowed=stones_allowed(error)) from None
        self.position.set_handicap(points)
        return names_of(self.position, points)

    @command("place_free_handicap", "STONES")
    def place_free_handicap(self, words: Words) -> str:
        """Black stones on an empty board, where the engine wants them; any number that leaves a point free."""
        self.check_empty()
        try:
            points = free_points(self.position.terms.size, max(1, self.whole(words, 0, 0, 625)))
        except LuoziError as error:
            raise LuoziError("invalid number of stones: {allowed}", allowed=stones_allowed(error)) from None
        self.position.set_handicap(points)
        return names_of(self.position, points)

    @command("set_free_handicap", "POINT...")
    def set_free_handicap(self, words: Words) -> str:
        """Black stones on an empty board, where the other side wants them."""
        self.check_empty()
        points = self.stones(words)
        if not 2 <= len(points) < self.position.game.points or len(set(points)) < len(points):
            raise LuoziError("bad vertex list: name two points or more, each once, and leave one free")
        self.position.set_handicap(points)
        return ""

    def check_empty(self) -> None:
        """One sentence if handicap comes too late."""
        if not self.position.is_empty:
            raise LuoziError("board not empty")

    @command("showboard")
    def show_board(self, words: Words) -> str:
        """The board as a picture."""
        return "\n" + self.position.game.show(self.position.state)

    # Moves --------------------------------------------------------------------------------------------------------

    @command("play", "COLOUR POINT")
    def play(self, words: Words) -> str:
        """A move of either colour, which may play twice in a row."""
        player = self.colour(words)
        self.place(player, self.point(words, 1))
        return ""

    @command("undo")
    def undo(self, words: Words) -> str:
        """Take the last move back; what was found out about the position is still known."""
        self.position.undo()
        return ""

    @command("genmove", "COLOUR")
    def generate(self, words: Words) -> str:
        """Think, and play a move: a point, pass or resign."""
        player = self.colour(words)
        name, _thought = self.choose(player)
        self.make(player, name)
        return name

    @command("reg_genmove", "COLOUR")
    def generate_only(self, words: Words) -> str:
        """Think, and tell a move without playing it; games are not given up."""
        player, hopeless = self.colour(words), list(self.hopeless)
        name, thought = self.choose(player)
        self.hopeless = hopeless
        return name if name != "resign" or thought is None else thought.name

    # Time ---------------------------------------------------------------------------------------------------------

    @command("time_settings", "MAIN BYO_YOMI STONES")
    def set_time(self, words: Words) -> str:
        """Seconds for the game, then seconds for each so many stones; 0 0 0, or no stones, is no limit."""
        self.clock.set(self.duration(words, 0), self.duration(words, 1), self.whole(words, 2, 0, 10**6))
        return ""

    @command("time_left", "COLOUR SECONDS STONES")
    def tell_time(self, words: Words) -> str:
        """What a colour has left: of the main time if STONES is 0, else of byo-yomi for so many stones."""
        self.clock.tell(self.colour(words), self.duration(words, 1), self.whole(words, 2, 0, 10**6))
        return ""

    # The end ------------------------------------------------------------------------------------------------------

    @command("final_score")
    def final_score(self, words: Words) -> str:
        """The score by the rules, dead stones found by simulation: B+3.5, W+12 or 0."""
        return score_text(self.judge().score)

    @command("final_status_list", "STATUS")
    def final_status_list(self, words: Words) -> str:
        """The stones that are alive, dead or in seki, a chain a line; those nobody can tell are listed as seki.

        Also black_territory and white_territory.
        """
        status, position = words[0].lower() if words else "", self.position
        if status not in STATUSES:
            raise LuoziError("syntax error: the status is alive, dead or seki")
        found, state = self.judge(), position.state
        dead, unsure = set(found.dead), set(found.undecided)
        if status in ("black_territory", "white_territory"):
            colour = 1 + (status == "white_territory")
            owned = [point for point, owner in enumerate(found.owners) if owner == colour != state.board[point]]
            return "\n".join(map(position.name, owned))
        wanted = {
            "alive": lambda one: one not in dead | unsure,
            "dead": (dead - unsure).__contains__,
            "seki": unsure.__contains__,
        }
        chains: dict[int, list[int]] = {}
        for point in range(position.game.points):
            if state.board[point] and wanted[status](point):
                chains.setdefault(int(state.chain[point]), []).append(point)
        return "\n".join(names_of(position, chain) for chain in chains.values())

    def after_answer(self, name: str) -> None:
        super().after_answer(name)
        if self.settings.ponder and "genmove" in name and not name.startswith("reg"):
            self.ponder()


class GtpServer(SgfCommands, Extras, Analysis, Protocol):
    """One engine."""


def stones_allowed(error: LuoziError) -> str:
    """How many handicap stones there may be, out of the sentence about a game; a command can't ask for none.

    >>> allowed = Message("it must be 0, or {low} to {most}", low=2, most=9)
    >>> stones_allowed(LuoziError("go: handicap={value} is not valid; {allowed}", value=1, allowed=allowed))
    'it must be 2 to 9'
    """
    allowed = error.message.values.get("allowed", error.message)
    most = allowed.values.get("most") if isinstance(allowed, Message) else None
    return Message("it must be {low} to {most}", low=2, most=most) if most else str(allowed)


def all_commands() -> list[Listed]:
    """Every command, in the order of families and names.

    >>> [listed.usage for listed in all_commands() if listed.name == "play"]
    ['COLOUR POINT']
    """
    found = [one for name in dir(GtpServer) for one in getattr(getattr(GtpServer, name), "listed", ())]
    return sorted(found, key=lambda listed: (listed.family != "GTP 2", listed.family, listed.name))


def commands_table() -> str:
    """All commands as a table for the documentation."""
    rows = [
        f"| `{' '.join([one.name, *one.usage.split()])}` | {one.family} | {one.meaning} |" for one in all_commands()
    ]
    return "\n".join(["| command | whose | what it does |", "|---|---|---|", *rows])
