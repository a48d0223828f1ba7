"""What there is to choose from, as a page hears of it: games, players and their parameters, and the start of a game."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from luozi.rules.board import Board, PositionData
from luozi.web.answers import SentenceData


class ParameterData(Struct):
    """A parameter of a game or a player."""

    name: str
    kind: Annotated[str, Meta(description="int, float, bool or str")]
    default: int | float | str | bool | None
    low: float | None
    high: float | None
    choices: list[str]
    meaning: str


class GameOffer(Struct):
    """A game that clients can choose."""

    name: str
    meaning: str
    own: bool
    players: int
    parameters: list[ParameterData]
    presets: list[str]


class PlayerOffer(Struct):
    """A player that clients can choose."""

    name: str
    kind: Literal["player", "program"]
    meaning: str
    budget: list[str]
    levels: int
    parameters: list[ParameterData]


class GameLook(Struct):
    """The start of a game, for forms and editors."""

    game: str
    players: int
    player_names: list[str]
    board: Board | None
    view: PositionData
    editable: bool
    kinds: Annotated[list[tuple[int, str]], Meta(description="the pieces that an editor puts; -1: nobody's")]
    notes: dict[str, str]
    notes_told: Annotated[dict[str, SentenceData], Meta(description="by the name of a player")]


OFFERS = (ParameterData, GameOffer, PlayerOffer, GameLook)
