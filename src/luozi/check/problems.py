"""What can be wrong with a game, in sentences that name the class, the method and what to do."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

from luozi.check.room import METHODS, UNSET, CheckScratch, Column, Finding, Report
from luozi.compiled.explaining import explain_exception, users_frame
from luozi.messages import Message, nearest
from luozi.rules.game import Game
from luozi.rules.state import field_names

SENTENCES = {
    Finding.NO_GAME: Message("{game}.is_terminal says that the game is over before the first move"),
    Finding.BAD_PLAYER: Message("{game}.current_player gives {culprit} in {place}; players are 0 to {last_player}"),
    Finding.BAD_COUNT: Message(
        "{game}.legal_actions returns {culprit} in {place}; it must return how many actions it wrote, 1 to {actions}, "
        "until the game is over"
    ),
    Finding.BAD_LIST: Message(
        "{game}.{method} returns {culprit} in {place}; it must return how many actions it wrote, at most {actions}"
    ),
    Finding.BAD_ACTION: Message("{game}.{method} lists action {culprit} in {place}; actions are 0 to {last_action}"),
    Finding.TWICE: Message("{game}.{method} lists action {culprit} twice in {place}; list each action once"),
    Finding.NOT_LEGAL: Message(
        "{game}.{method} gives action {culprit} in {place}, which is not legal there; give only legal actions"
    ),
    Finding.NO_WIN: Message(
        "{game}.winning_actions lists action {culprit} in {place}, but after it the player to move has not won; list "
        "only actions that end the game with a result of 1"
    ),
    Finding.MISSED_WIN: Message(
        "{game}.winning_actions leaves out action {culprit} in {place}, which wins at once; list every action that "
        "does, or return -1 where you don't know"
    ),
    Finding.BAD_PRIOR: Message("{game}.priors gives action {culprit} {prior} in {place}; a prior must be from 0 to 1"),
    Finding.DISAGREES: Message(
        "{game}.is_legal and legal_actions disagree about action {culprit} in {place}; leave out one or make them agree"
    ),
    Finding.BAD_GUESS: Message(
        "{game}.evaluate gives player {culprit} {guess} in {place}; a guess must be from 0 to 1"
    ),
    Finding.BAD_DRAW: Message(
        "{game}.random_action draws {culprit} in {place}, which is not legal; draw only legal actions"
    ),
    Finding.TOO_LONG: Message(
        "{game}.is_terminal has not ended game {number} after {limit} moves; end the game, or raise max_length"
    ),
    Finding.BAD_RETURNS: Message(
        "{game}.returns gives player {culprit} {result} at the end of game {number}; set the result of every player, "
        "from 0 to 1"
    ),
}
STUCK = Message(
    "{game}.{allowing} allows player {player} no action in {place}, and is_terminal says that the game goes on; "
    "end the game there, or skip that player in apply_action"
)
NO_LIMIT = Message(
    "{game}.is_terminal has not ended game {number} after {limit} moves, and the class sets no max_length: a game may "
    "then have as many moves as there are actions; set max_length, or end the game"
)
CHANCE = Message(
    "{game}.current_player gives {culprit} in {place}; chance (-1) and simultaneous moves (-2) can't be searched"
)


class RuleError(Exception):
    """Something is wrong: its kind, so that each is told once, and a sentence."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind, self.sentence = kind, sentence


def problem_found(code: Finding, game: Game, room: CheckScratch, number: int) -> RuleError:
    """What `play` has found in a game with this number."""
    culprit, move = int(room.report[Report.CULPRIT]), int(room.report[Report.MOVE])
    player = min(max(culprit, 0), game.players - 1)
    sentence = SENTENCES[code]
    if code == Finding.BAD_PLAYER and culprit < 0:
        sentence = CHANCE
    elif code == Finding.BAD_COUNT and culprit == 0:
        sentence = STUCK
    elif code == Finding.TOO_LONG and not game.max_length:
        sentence = NO_LIMIT
    told = sentence.with_values(
        game=type(game).__name__,
        culprit=culprit,
        method=METHODS[room.report[Report.METHOD]],
        allowing="is_legal" if type(game).legal_actions is Game.legal_actions else "legal_actions",
        player=int(room.record[move, Column.PLAYER]),
        prior=_prior_of(culprit, room),
        place=place_of(number, move),
        number=number,
        last_action=game.actions - 1,
        last_player=game.players - 1,
        actions=game.actions,
        limit=f"{game.length_limit:,}",
        guess=room.guesses[player],
        result=Message("nothing") if room.results[player] == UNSET else room.results[player],
    )
    return RuleError(f"found {code} {told.split()[0].partition('.')[2]}", told)


def _prior_of(action: int, room: CheckScratch) -> float:
    """What the prior of an action was; the legal actions are those that were asked about."""
    places = np.flatnonzero(room.actions == action)
    return float(room.values[places[0]]) if len(places) else 0.5


def place_of(number: int, move: int) -> str:
    """A position in words; games and moves count from 1, so that move 1 is the start."""
    return Message("game {number}, move {move}", number=number, move=move + 1)


def problem_raised(error: Exception, game: Game, method: str) -> RuleError:
    """An exception in an uncompiled rule, with what it usually means."""
    sentence = explain_exception(error, game)
    frame = users_frame(error, game)
    line = frame.line if frame and frame.line else ""
    meaning = _meaning(error, game, line)
    told = Message("{what}{meaning}", what=sentence, meaning=meaning) if meaning else sentence
    return RuleError(f"raised {method} {type(error).__name__}", told)


def _meaning(error: Exception, game: Game, line: str) -> str:
    """What to do about a common exception."""
    fields = field_names(game.dtype)
    if isinstance(error, OverflowError):
        used = [name for name in fields if re.search(rf"\b{name}\b", line)]
        if used:
            return Message(
                "; the number does not fit the field: give '{field}' a wider type, such as 'i2' or 'i4'", field=used[0]
            )
        return Message("; the number does not fit the field: give the field a wider type, such as 'i2' or 'i4'")
    missing = re.search(r"(?:no attribute|set) '?(\w+)'?", str(error))
    if isinstance(error, AttributeError) and missing and missing[1] not in fields and "self" not in line.split("=")[0]:
        return nearest(missing[1], fields) if "record" in str(error) or "set" in str(error) else ""
    return ""


def first_difference(before: Any, after: Any) -> tuple[str, str, str]:
    """The first field in which two states differ, and what it is in both."""
    for name in field_names(before.dtype):
        one, other = np.asarray(getattr(before, name)), np.asarray(getattr(after, name))
        if one.tobytes() != other.tobytes():
            return name, _difference(one, other), _difference(other, one)
    return "?", "?", "?"


def _difference(one: Any, other: Any) -> str:
    if one.ndim == 0:
        return str(one)
    index = tuple(int(i) for i in np.argwhere(one != other)[0])
    return Message("{value} at {place}", value=one[index], place=index[0] if len(index) == 1 else index)


SIGNATURES = {
    "start": "state",
    "current_player": "state",
    "legal_actions": "state, actions",
    "is_legal": "state, action",
    "apply_action": "state, action",
    "is_terminal": "state",
    "returns": "state, returns",
    "begin": "game, state, memory",
    "random_action": "state, rng",
    "evaluate": "state, values",
    "winning_actions": "state, player, actions",
    "priors": "state, actions, count, values",
    "policy_action": "state, rng, actions",
    "threatening_actions": "state, actions",
    "forced_replies": "state, attacker, actions",
    "candidates": "state, actions, count",
    "show": "state",
    "action_to_string": "state, action",
    "string_to_action": "state, text",
}


def wrong_signatures(game: Game) -> list[RuleError]:
    """Methods that do not take the arguments they are called with."""
    found = []
    for method, arguments in SIGNATURES.items():
        function = getattr(game, method, None)
        if function is None or getattr(type(game), method, None) is Game.begin:
            continue
        signature = inspect.signature(function)
        try:
            signature.bind(*arguments.split(", "))
        except TypeError:
            sentence = Message(
                "{text}.{name} takes {value}; write {how}",
                text=type(game).__name__,
                name=method,
                value=signature,
                how=f"{method}(self, {arguments})",
            )
            found.append(RuleError(f"signature {method}", sentence))
    return found
