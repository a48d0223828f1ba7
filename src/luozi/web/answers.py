"""Messages of the server: one struct for each type, and the data in them.

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
    """A sentence as a template with its values; `parts` is a list of sentences and separators."""

    template: str
    values: dict[str, str | int | float | ToldData]
    many: NotRequired[Annotated[str, Meta(description="the template where the number is not 1")]]
    number: NotRequired[int]
    parts: NotRequired[list[str | ToldData]]


SentenceData = str | ToldData


class ValueData(TypedDict):
    """Expected result of each player: chances and draw sum to 1; null with few visits."""

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
    """The last move of a player."""

    number: int
    clicks: list[int]


class PlayedMoveData(MoveData):
    """A move that was played; numbers count from 1."""

    number: int
    by: Annotated[int, Meta(description="the player")]
    seconds: float | None
    means: list[float] | None
    value: ValueData | None
    remark: Annotated[str, Meta(description="a notice, such as that plain UCT answered")]


class CandidateData(TypedDict):
    """A candidate move."""

    action: int
    name: str
    visits: int
    value: Annotated[ValueData | None, Meta(description="null without a visit, and where moves have scores")]
    proven: bool
    cut: Annotated[bool, Meta(description="pruned")]
    prior: float | None
    score: NotRequired[Annotated[str, Meta(description="instead of a win rate, where the player has none")]]
    line: Annotated[list[int], Meta(description="expected line, as actions")]
    line_names: list[str]


class ThoughtData(TypedDict):
    """A search result."""

    action: int
    player: int
    candidates: list[CandidateData]
    variation: Annotated[list[str], Meta(description="expected line, as names")]
    iterations: int
    kept: NotRequired[Annotated[int, Meta(description="visits that came with the tree of the position before")]]
    seconds: float
    nodes: int
    depth: int
    sampled: Annotated[bool, Meta(description="with playouts")]
    learned: NotRequired[Annotated[bool, Meta(description="by a network")]]
    fewest: NotRequired[Annotated[int, Meta(description="visits below which no number is told")]]
    value: Annotated[ValueData | None, Meta(description="of the best candidate")]
    ownership: Annotated[
        list[list[float]] | None, Meta(description="for each player, the share of playouts with each point")
    ]
    threads: list[int]
    notice: str
    hidden: NotRequired[Annotated[int, Meta(description="candidates that are left out")]]


class SeatData(TypedDict):
    """The player in a seat."""

    kind: Literal["person", "player", "program"]
    name: NotRequired[str]
    seconds: NotRequired[float]
    iterations: NotRequired[int]
    level: NotRequired[int]
    options: NotRequired[dict[str, Any]]
    spelling: NotRequired[str]


class ChangeData(TypedDict):
    """How a move changes the board."""

    add: list[Piece]
    remove: list[int]
    clicks: NotRequired[Annotated[list[int], Meta(description="the cells of the move")]]
    player: NotRequired[Annotated[int, Meta(description="who made it")]]


class ChoiceData(TypedDict):
    """A move with the terms of the selection policy; no terms without a visit, null for a term that only sorts."""

    action: int
    name: str
    visits: int
    terms: dict[str, float | None]


class SelectionData(TypedDict):
    """The selection at one node."""

    player: int
    visits: int
    choices: list[ChoiceData]
    chosen: int
    name: str
    new: Annotated[bool, Meta(description="the chosen move had no node")]


class StepData(TypedDict):
    """One iteration of a search."""

    path: list[SelectionData]
    simulation: list[str]
    credit: Annotated[list[float], Meta(description="result of each player")]
    reasons: Annotated[list[str], Meta(description="the rule that chose each move of the playout")]
    judged: NotRequired[Annotated[bool, Meta(description="a network said what the position is worth")]]
    actions: NotRequired[list[int]]
    changes: NotRequired[
        Annotated[list[ChangeData], Meta(description="by every move of the path and of the simulation")]
    ]


class ServerBounds(Struct):
    """Limits of the server."""

    seconds: float
    iterations: int
    tables: int


class BusyData(Struct):
    """The running search: its seat and its purpose."""

    seat: int
    what: Annotated[str, Meta(description="move, analysis or hint")]


class AnalysisData(Struct):
    """The analysed position."""

    move: int


# Messages -------------------------------------------------------------------------------------------------------------


class Answer(Struct, kw_only=True, tag_field="type"):
    """A message of the server; a response has the id of its request."""

    id: int | UnsetType = UNSET


class OkMessage(Answer, tag="ok"):
    """The request is done."""


class FailureMessage(Answer, tag="error"):
    """The request failed and changed nothing; `message` is one sentence."""

    message: str
    told: SentenceData | UnsetType = UNSET
    gone: Annotated[bool | UnsetType, Meta(description="the session does not exist")] = UNSET


class WelcomeMessage(Answer, tag="welcome"):
    """The first message of each connection."""

    version: str
    threads: int
    limits: ServerBounds
    programs: list[str]
    cluster: bool
    docs: bool  # whether the documentation is at /docs/


class OverMessage(Answer, tag="over"):
    """The game has ended."""

    result: list[float] | None
    value: ValueData | None
    names: str
    resigned: int | None
    reason: str


class CompilingMessage(Answer, tag="compiling"):
    """Progress of a compilation."""

    what: Annotated[str, Meta(description="the game")]
    part: Annotated[float, Meta(description="0 to 1")]
    seconds: float
    engine: Annotated[str, Meta(description="what answers meanwhile: slow, plain or full")]
    done: bool


class TableMessage(Answer, tag="table"):
    """The whole state of a session."""

    table: Annotated[str, Meta(description="id of the session")]
    game: str
    players: int
    player_names: list[str]
    board: Board | None
    seats: list[SeatData]
    moves: list[PlayedMoveData]
    win_rates: Annotated[list[list[float] | None], Meta(description="mean value of each player, by position")]
    values: Annotated[list[ValueData | None], Meta(description="of each position")]
    fewest: int
    last_moves: Annotated[list[LastMoveData | None], Meta(description="of each player")]
    view: PositionData
    over: OverMessage | None
    thinking: BusyData | None
    analysing: AnalysisData | None
    paused: bool
    compiling: CompilingMessage | None
    formats: Annotated[list[str], Meta(description="in which the game can be saved")]
    editable: Annotated[bool, Meta(description="`edit` supports this game")]
    left_out: Annotated[int, Meta(description="variations of the record that was opened: a table has one line")]
    notes: Annotated[list[str], Meta(description="warnings, such as missing measurements")]
    notes_told: list[SentenceData]
    secret: Annotated[str | UnsetType, Meta(description="only for the client that opened the session")] = UNSET


class MovedMessage(Answer, tag="moved"):
    """A move was played."""

    number: int
    action: int
    name: str
    clicks: list[int]
    by: int
    seconds: float | None
    means: list[float] | None
    value: ValueData | None
    remark: str
    view: Annotated[PositionData, Meta(description="position after the move")]
    thought: Annotated[ThoughtData | None, Meta(description="search result of the player")]
    win_rates_at: tuple[int, list[float] | None]
    value_at: tuple[int, ValueData | None]
    last_moves: list[LastMoveData | None]


class ThinkingMessage(Answer, tag="thinking"):
    """Progress or result of a search."""

    what: Literal["move", "analysis", "hint"]
    seat: int | None
    move: Annotated[int, Meta(description="move number of the searched position")]
    thought: ThoughtData
    rate: Annotated[int, Meta(description="iterations per second")]
    threads: Annotated[int, Meta(description="threads of this search")]
    engine: Annotated[
        Literal["slow", "plain", "full"], Meta(description="slow: uncompiled; plain: plain UCT; full: the full search")
    ]
    guess: Annotated[bool, Meta(description="by a simpler search, until the one that was asked for is compiled")]
    few: bool
    done: Annotated[bool, Meta(description="the last message of this search")]


class PausedMessage(Answer, tag="paused"):
    """The game was paused or continues."""

    paused: bool


class TroubleMessage(Answer, tag="trouble"):
    """A player failed; the game is paused."""

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
    """How a line changes the board."""

    move: int
    changes: Annotated[
        list[ChangeData],
        Meta(description="of one move after the other; empty for a game that describes no board"),
    ]


class SavedMessage(Answer, tag="saved"):
    """A saved game; a GIF is in `base64`."""

    format: str
    name: str
    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET


class TreeMessage(Answer, tag="tree"):
    """A part of a search tree."""

    of: Literal["engine", "walk"]
    move: int
    path: list[int]
    iterations: int
    tree: Branch
    view: PositionData | UnsetType = UNSET


class StepMessage(Answer, tag="step"):
    """Iterations of a step-by-step search."""

    move: int
    total: int
    steps: list[StepData]
    tree: Branch | None


class WhyMessage(Answer, tag="why"):
    """The terms of the selection policy at the root."""

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
