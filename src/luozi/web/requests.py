"""Messages of a page: one struct for each type, with the bounds of its fields. `protocol` reads them.

`python -m tools.protocol` writes them as types of the page.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from luozi.web.limits import MOST_ACTIONS, MOST_CELLS, MOST_MOVES, MOST_STEPS, MOST_TEXT, MOST_WORD

MOST_ID = 2**53  # what a page can count to
MOST_SEATS = 16
LEVELS = 10
MOST_AHEAD = 32  # moves of a line that is looked at

Word = Annotated[str, Meta(max_length=MOST_WORD, description="a short text")]
Text = Annotated[str, Meta(max_length=MOST_TEXT, description="a text that is not too long")]
Id = Annotated[int, Meta(ge=0, le=MOST_ID, description="a whole number from 0 up")]
Action = Annotated[int, Meta(ge=0, le=MOST_ACTIONS, description="the number of an action")]
MoveNumber = Annotated[int, Meta(ge=0, le=MOST_MOVES, description="a number of moves")]
MoveCount = Annotated[int, Meta(ge=1, le=MOST_MOVES, description="a number of moves")]
SeatNumber = Annotated[int, Meta(ge=0, lt=MOST_SEATS, description="the number of a seat")]
Seconds = Annotated[float, Meta(ge=0.01, le=1e9, description="a number of seconds that the server allows")]
Iterations = Annotated[int, Meta(ge=1, le=2**53, description="a number of iterations that the server allows")]
Flag = Annotated[bool, Meta(description="true or false")]
Option = bool | int | float | Word
Options = Annotated[
    dict[Word, Option], Meta(max_length=60, description="options by name, each a number, a text, true or false")
]
FormatName = Literal["text", "sgf", "json", "html", "gif"]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
Format = Annotated[FormatName, Meta(description=" or ".join(FORMATS))]
SeatKind = Annotated[Literal["person", "player", "program"], Meta(description="person or player or program")]
Level = Annotated[int, Meta(ge=1, le=LEVELS, description=f"1 to {LEVELS}")]


class SeatChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """The player that takes a seat: a person, a player of Luozi or an external program."""

    kind: SeatKind
    name: Word | None = None
    level: Level | None = None
    seconds: Seconds | None = None
    iterations: Iterations | None = None
    options: Options | None = None


class PlacedPiece(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A piece on a cell: cell, player and kind."""

    cell: Annotated[int, Meta(ge=0, le=4096)]
    player: Annotated[int, Meta(ge=-1, lt=MOST_SEATS)]  # -1: nobody's
    kind: Word | None = None  # not given: the usual one of the player


Seats = Annotated[list[SeatChoice], Meta(max_length=MOST_SEATS, description="a list of seats")]
Moves = Annotated[list[Action | Word], Meta(max_length=MOST_MOVES, description="a list of moves")]
Line = Annotated[list[Action | Word], Meta(max_length=MOST_AHEAD, description=f"a list of at most {MOST_AHEAD} moves")]
Path = Annotated[list[Action], Meta(max_length=200, description="a list of actions")]
Pieces = Annotated[list[PlacedPiece], Meta(max_length=MOST_CELLS, description="a list of cells and players")]
StepCount = Annotated[int, Meta(ge=1, le=MOST_STEPS, description=f"1 to {MOST_STEPS}")]


class Request(Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """A message of a client; the response has the same id."""

    id: Id | None = None


class HelloRequest(Request, tag="hello"):
    """Join a session again, with its id and its secret."""

    table: Word | None = None
    secret: Word | None = None


class NewRequest(Request, tag="new"):
    """Start a new game. Without seats: a person first, then `strong` with 1 s per move."""

    game: Word
    seats: Seats | None = None
    moves: Moves | None = None


class PlayRequest(Request, tag="play"):
    """Play a move of the side to move, by its number or its name."""

    action: Action | None = None
    text: Word | None = None


class UndoRequest(Request, tag="undo"):
    """Take moves back. Without a number: to the last turn of a person."""

    moves: MoveCount | None = None


class HintRequest(Request, tag="hint"):
    """Ask for a hint; no move is played."""

    seconds: Seconds | None = None
    move: MoveNumber | None = None


class MoveNowRequest(Request, tag="move_now"):
    """End the search and play its best move."""


class StopRequest(Request, tag="stop"):
    """End the search without a move and pause the game; also end an analysis."""


class GoOnRequest(Request, tag="go_on"):
    """Continue a paused game."""


class AnalyseRequest(Request, tag="analyse"):
    """Turn the analysis on or off; without `move`, it follows the game."""

    on: Flag
    move: MoveNumber | None = None


class WatchRequest(Request, tag="watch"):
    """Turn search progress on or off for this connection; on by default."""

    on: Flag


class SeatRequest(Request, tag="seat"):
    """Give a seat to another player."""

    seat: SeatNumber
    kind: SeatKind
    name: Word | None = None
    level: Level | None = None
    seconds: Seconds | None = None
    iterations: Iterations | None = None
    options: Options | None = None

    @property
    def choice(self) -> SeatChoice:
        """The player that takes the seat."""
        return SeatChoice(self.kind, self.name, self.level, self.seconds, self.iterations, self.options)


class ResignRequest(Request, tag="resign"):
    """Resign for a person. Without `seat`: the person to move."""

    seat: SeatNumber | None = None


class GoToRequest(Request, tag="goto"):
    """Show an earlier position, for this connection only."""

    move: MoveNumber


class FromHereRequest(Request, tag="from_here"):
    """Start a new game from a position of this one."""

    move: MoveNumber


class WalkRequest(Request, tag="walk"):
    """Start a step-by-step search with an empty tree at a position."""

    move: MoveNumber | None = None
    seed: Annotated[int, Meta(ge=0, le=2**31, description="a seed")] | None = None
    options: Options | None = None
    player: SeatChoice | None = None


class StepRequest(Request, tag="step"):
    """Run iterations of the step-by-step search; default 1."""

    count: StepCount | None = None


class TreeRequest(Request, tag="tree"):
    """Read a part of a search tree, also during the search."""

    depth: Annotated[int, Meta(ge=0, le=6, description="0 to 6")] | None = None
    visits: Annotated[int, Meta(ge=0, le=2**32, description="a number of visits")] | None = None
    path: Path | None = None
    of: Annotated[Literal["engine", "walk"], Meta(description="engine or walk")] | None = None
    view: Flag | None = None


class WhyRequest(Request, tag="why"):
    """Read the terms of the selection policy for every move at the root."""


class LineRequest(Request, tag="line"):
    """Read how each move of a line changes the board."""

    moves: Line
    move: MoveNumber | None = None


class SaveRequest(Request, tag="save"):
    """Save the game."""

    format: Format


class LoadRequest(Request, tag="load"):
    """Open a record as a new session."""

    text: Text
    seats: Seats | None = None


class PasteRequest(Request, tag="paste"):
    """Open a pasted record, board or list of moves as a new session."""

    text: Text
    game: Word | None = None
    seats: Seats | None = None


class EditRequest(Request, tag="edit"):
    """Open a position that was set up as a new session."""

    pieces: Pieces
    game: Word | None = None
    to_move: SeatNumber | None = None
    seats: Seats | None = None


class LeaveRequest(Request, tag="leave"):
    """Leave the session; the server keeps the game."""


OpeningRequest = NewRequest | FromHereRequest | LoadRequest | PasteRequest | EditRequest
AnyRequest = (
    OpeningRequest
    | HelloRequest
    | PlayRequest
    | UndoRequest
    | HintRequest
    | MoveNowRequest
    | StopRequest
    | GoOnRequest
    | AnalyseRequest
    | WatchRequest
    | SeatRequest
    | ResignRequest
    | GoToRequest
    | WalkRequest
    | StepRequest
    | TreeRequest
    | WhyRequest
    | LineRequest
    | SaveRequest
    | LeaveRequest
)
