"""What the server says to a page: one struct for each type of message, and the data in them.

`python -m tools.protocol` writes them as types of the page. Plain data that other packages make, such as a search
result or a win rate, is described here as typed dictionaries.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import UNSET, Meta, Struct, UnsetType

from luozi.rules.board import Board, MoveData, Piece, PositionData
from luozi.search.subtree import Branch

# Data -----------------------------------------------------------------------------------------------------------------


class ToldData(TypedDict):
    """A sentence as a template with its values, which may be sentences themselves; or several, and what is between."""

    template: str
    values: dict[str, str | int | float | ToldData]
    many: NotRequired[Annotated[str, Meta(description="the template where the number is not 1")]]
    number: NotRequired[int]
    parts: NotRequired[list[str | ToldData]]


SentenceData = str | ToldData


class ValueData(TypedDict):
    """What everybody may expect: wins and the draw sum to 1; nothing where few visits stand behind it."""

    chances: Annotated[list[float] | None, Meta(description="of winning, for each player")]
    draw: Annotated[float | None, Meta(description="null where nobody counts draws, and where there are no numbers")]
    kind: Annotated[
        Literal["wins", "undecided", "rate", "evaluation", "proven"],
        Meta(
            description="undecided: some playouts are stopped early; rate: of an old record, wins and half the draws "
            "of two players"
        ),
    ]
    few: bool


class LastMoveData(TypedDict):
    """Where somebody moved last."""

    number: int
    clicks: list[int]


class PlayedMoveData(MoveData):
    """A move that was made; numbers count from 1."""

    number: int
    by: int
    seconds: float | None
    means: list[float] | None
    value: ValueData | None
    remark: str


class CandidateData(TypedDict):
    """A move that was searched."""

    action: int
    name: str
    visits: int
    value: Annotated[ValueData | None, Meta(description="null without a visit, and where moves have scores")]
    proven: bool
    cut: bool
    prior: float | None
    score: NotRequired[Annotated[str, Meta(description="instead of a win rate, where the player has none")]]
    line: list[int]
    line_names: list[str]


class ThoughtData(TypedDict):
    """What a search found."""

    action: int
    player: int
    candidates: list[CandidateData]
    variation: list[str]
    iterations: int
    kept: NotRequired[Annotated[int, Meta(description="visits that came with the tree of the position before")]]
    seconds: float
    nodes: int
    depth: int
    sampled: bool
    learned: NotRequired[Annotated[bool, Meta(description="by a network")]]
    fewest: NotRequired[Annotated[int, Meta(description="visits below which no number is told")]]
    value: Annotated[ValueData | None, Meta(description="of the best candidate")]
    ownership: list[list[float]] | None
    threads: list[int]
    notice: str
    hidden: NotRequired[int]


class SeatData(TypedDict):
    """Who sits there."""

    kind: Literal["person", "player", "program"]
    name: NotRequired[str]
    seconds: NotRequired[float]
    iterations: NotRequired[int]
    level: NotRequired[int]
    options: NotRequired[dict[str, Any]]
    spelling: NotRequired[str]


class ChangeData(TypedDict):
    """What a move changes on the board."""

    add: list[Piece]
    remove: list[int]
    clicks: NotRequired[Annotated[list[int], Meta(description="the cells of the move")]]
    player: NotRequired[Annotated[int, Meta(description="who made it")]]


class ChoiceData(TypedDict):
    """A move as selection sees it: no terms where it was never tried, null for a term that only sorts."""

    action: int
    name: str
    visits: int
    terms: dict[str, float | None]


class SelectionData(TypedDict):
    """What was chosen at one node, and from what."""

    player: int
    visits: int
    choices: list[ChoiceData]
    chosen: int
    name: str
    new: bool


class StepData(TypedDict):
    """One iteration of a search."""

    path: list[SelectionData]
    simulation: list[str]
    credit: list[float]
    reasons: list[str]
    judged: NotRequired[Annotated[bool, Meta(description="a network said what the position is worth")]]
    actions: NotRequired[list[int]]
    changes: NotRequired[
        Annotated[list[ChangeData], Meta(description="by every move of the path and of the simulation")]
    ]


class ServerBounds(Struct):
    """What the server allows."""

    seconds: float
    iterations: int
    tables: int


class BusyData(Struct):
    """Who thinks, and about what."""

    seat: int
    what: str


class AnalysisData(Struct):
    """The position that is analysed."""

    move: int


# Messages -------------------------------------------------------------------------------------------------------------


class Answer(Struct, kw_only=True, tag_field="type"):
    """A message of the server; an answer has the id of its request."""

    id: int | UnsetType = UNSET


class OkMessage(Answer, tag="ok"):
    """It is done."""


class FailureMessage(Answer, tag="error"):
    """Nothing has changed; why, in one sentence."""

    message: str
    told: SentenceData | UnsetType = UNSET
    gone: bool | UnsetType = UNSET


class WelcomeMessage(Answer, tag="welcome"):
    """What a page should know first."""

    version: str
    threads: int
    limits: ServerBounds
    programs: list[str]
    cluster: bool


class OverMessage(Answer, tag="over"):
    """How the game ended."""

    result: list[float] | None
    value: ValueData | None
    names: str
    resigned: int | None
    reason: str


class CompilingMessage(Answer, tag="compiling"):
    """How far compiling is."""

    what: str
    part: float
    seconds: float
    engine: str
    done: bool


class TableMessage(Answer, tag="table"):
    """Everything about a table."""

    table: str
    game: str
    players: int
    player_names: list[str]
    board: Board | None
    seats: list[SeatData]
    moves: list[PlayedMoveData]
    win_rates: list[list[float] | None]
    values: Annotated[list[ValueData | None], Meta(description="of each position")]
    fewest: int
    last_moves: Annotated[list[LastMoveData | None], Meta(description="of each player")]
    view: PositionData
    over: OverMessage | None
    thinking: BusyData | None
    analysing: AnalysisData | None
    paused: bool
    compiling: CompilingMessage | None
    formats: list[str]
    editable: bool
    left_out: Annotated[int, Meta(description="variations of the record that was opened: a table has one line")]
    notes: list[str]
    notes_told: list[SentenceData]
    secret: str | UnsetType = UNSET


class MovedMessage(Answer, tag="moved"):
    """A move was made."""

    number: int
    action: int
    name: str
    clicks: list[int]
    by: int
    seconds: float | None
    means: list[float] | None
    value: ValueData | None
    remark: str
    view: PositionData
    thought: ThoughtData | None
    win_rates_at: tuple[int, list[float] | None]
    value_at: tuple[int, ValueData | None]
    last_moves: list[LastMoveData | None]


class ThinkingMessage(Answer, tag="thinking"):
    """What a search knows so far."""

    what: Literal["move", "analysis", "hint"]
    seat: int | None
    move: int
    thought: ThoughtData
    rate: int
    threads: int
    engine: Literal["slow", "plain", "full"]
    guess: Annotated[bool, Meta(description="by a simpler search, until the one that was asked for is compiled")]
    few: bool
    done: bool


class PausedMessage(Answer, tag="paused"):
    """Programs were stopped, or go on."""

    paused: bool


class TroubleMessage(Answer, tag="trouble"):
    """A program can't go on."""

    message: str
    told: SentenceData | UnsetType = UNSET


class ShownMessage(Answer, tag="shown"):
    """An earlier position."""

    move: int
    view: PositionData
    last: PlayedMoveData | None
    thought: ThoughtData | None
    means: list[float] | None
    value: ValueData | None
    last_moves: list[LastMoveData | None]


class LineMessage(Answer, tag="line"):
    """What a line changes on the board."""

    move: int
    changes: Annotated[
        list[ChangeData],
        Meta(description="of one move after the other; empty for a game that describes no board"),
    ]


class SavedMessage(Answer, tag="saved"):
    """A record; a picture comes as `base64`."""

    format: str
    name: str
    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET


class TreeMessage(Answer, tag="tree"):
    """A part of a tree."""

    of: Literal["engine", "walk"]
    move: int
    path: list[int]
    iterations: int
    tree: Branch
    view: PositionData | UnsetType = UNSET


class StepMessage(Answer, tag="step"):
    """Iterations of a walk."""

    move: int
    total: int
    steps: list[StepData]
    tree: Branch | None


class WhyMessage(Answer, tag="why"):
    """What selection sees at the root."""

    move: int
    player: int
    visits: int
    choices: list[ChoiceData]
    chosen: int
    name: str
    new: bool


ANSWERS = (
    *(OkMessage, FailureMessage, WelcomeMessage, OverMessage, CompilingMessage, TableMessage, MovedMessage),
    *(ThinkingMessage, PausedMessage, TroubleMessage, ShownMessage, LineMessage, SavedMessage, TreeMessage),
    *(StepMessage, WhyMessage),
)
