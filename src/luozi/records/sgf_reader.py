"""Games of Go and Gomoku read from SGF, from Luozi (`sgf`) and from other programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from luozi.games import game as make_game
from luozi.games.go.points import free_points, point_name
from luozi.games.go.rules import Go
from luozi.messages import LuoziError, Message
from luozi.players import read_spelling
from luozi.players.simple import Person
from luozi.records.moves import MoveNote, read_data
from luozi.records.record import Record
from luozi.records.sgf import COLOURS, GO, GOMOKU, OWN
from luozi.records.sgf_text import (
    SgfNode,
    SgfTree,
    letters_of,
    place_from,
    points_of,
    read_tree,
    text_of,
    tree_of,
    variations_in,
)
from luozi.rules.game import Game
from luozi.util.parameters import split_spelling
from luozi.util.parsing import JsonObject, json_value, shown, whole_number

KNOWN_GAMES = ("go", "gomoku")  # a file must not run a class of its own
USUAL_KOMI = {"chinese": 7.5, "japanese": 6.5, "tromp_taylor": 7.5}
FIFTIETHS = (375.0,)  # some servers write komi in fiftieths, others in hundredths
RULES = (("chinese", "chinese"), ("japan", "japanese"), ("korea", "japanese"), ("tromp", "tromp_taylor"))


# Reading ------------------------------------------------------------------------------------------------------------


def load_sgf(path: Path) -> Record:
    """Return the main line of a file as a record.

    Raises:
        LuoziError: the file can't be read or played; the message names the place.
    """
    return record_of(read_tree(path), str(path))


def record_from(content: bytes, of: str) -> Record:
    """Return the main line of a text as a record. Raises as `load_sgf`.

    >>> record_from(b"(;SZ[9]KM[6.5];B[ee];W[])", "it").game.spelling
    'go:size=9,komi=6.5,rules=chinese'
    """
    return record_of(tree_of(content, of), of)


def record_of(tree: SgfTree, of: str) -> Record:
    """Return the main line of a tree as a record. Raises as `load_sgf`."""
    root, opening = tree.get_root(), opening_of(tree)
    own = own_data(root, of)
    line = MainLine(game_of(opening, own, of), of, 1 if "game" in own else len(opening.nodes))
    for node in tree.get_main_sequence():
        line.add(node)
    return line.record(root, own)


class Opening(NamedTuple):
    """The nodes before the first move: the root, and nodes that may set up stones."""

    nodes: list[SgfNode]
    mover: str  # B or W, who makes the first move; empty if there is none

    def text(self, name: str, otherwise: str = "") -> str:
        """Return a property of the last node that has it."""
        return next((text_of(node, name) for node in reversed(self.nodes) if node.has_property(name)), otherwise)

    def stones(self, size: int) -> dict[tuple[int, int], int]:
        """Return the colour of each stone that is set up, by its place."""
        board: dict[tuple[int, int], int] = {}
        for node in self.nodes:
            set_up(node, size, board)
        return board

    @property
    def handicap(self) -> int:
        """The number of handicap stones that the file gives."""
        text = self.text("HA").strip()
        number = whole_number(text or "0", 0, 999)
        if number is None:
            raise self.wrong("HA", text, "no number of stones")
        return number

    def komi(self, rules: str) -> float:
        """Return the komi, by the rules if the file does not give it."""
        text = self.text("KM").strip()
        if text and not is_komi(text):
            raise self.wrong("KM", text, "no komi")
        return komi_of(text, rules, self.handicap)

    def wrong(self, name: str, value: str, what: str) -> LuoziError:
        """Return the error about a property."""
        number = max(number for number, node in enumerate(self.nodes) if node.has_property(name))
        place = Message("node {number}", number=number) if number else Message("the root")
        return LuoziError(
            "{place} has {name}[{value}], which is {what}",
            place=place,
            name=name,
            value=shown(value)[1:-1],
            what=Message(what),
        )


def opening_of(tree: SgfTree) -> Opening:
    """Return the nodes of the main line before its first move, the root in any case."""
    nodes: list[SgfNode] = []
    for node in tree.get_main_sequence():
        colour = node.get_raw_move()[0]
        if colour is not None:
            return Opening(nodes or [node], colour.upper())
        nodes.append(node)
    return Opening(nodes, "")


def set_up(node: SgfNode, size: int, board: dict[tuple[int, int], int]) -> None:
    """Change the stones of a board as a node says.

    Raises:
        LuoziError: the node wants two colours on one point.
    """
    wanted: dict[tuple[int, int], int] = {}
    for name, colour in (("AB", 1), ("AW", 2), ("AE", 0)):
        for place in points_of(node, name, size):
            if wanted.setdefault(place, colour) != colour:
                raise LuoziError("{place} is set up twice in one node, in two ways", place=letters_of(place))
    board.update(wanted)


def own_data(root: SgfNode, of: str) -> JsonObject:
    """Return the data of the property `LUOZI` in the root."""
    text = text_of(root, OWN)
    found = json_value(text, Message("{of}: the property {name} of the first node", of=of, name=OWN)) if text else {}
    if not isinstance(found, dict):
        raise LuoziError("{of}: the property {name} of the first node is not what Luozi writes", of=of, name=OWN)
    return found


def game_of(opening: Opening, own: JsonObject, of: str) -> Game:
    """Return the game: by its own specification, else by the standard properties."""
    spelling, root = own.get("game"), opening.nodes[0]
    try:
        if isinstance(spelling, str) and split_spelling(spelling)[0] in KNOWN_GAMES:
            return make_game(spelling)
        kind = text_of(root, "GM", GO).strip()
        if kind == GOMOKU and any(node.has_setup_stones() for node in opening.nodes):
            raise LuoziError("it sets up stones, which only games of Go can")
        if kind == GOMOKU:
            return make_game(f"gomoku:size={root.get_size()}")
        if kind != GO:
            raise LuoziError(
                "it is a game of kind GM[{value}]; only Go (1) and Gomoku (4) can be read", value=kind[:10]
            )
        return go_of(opening, root.get_size())
    except LuoziError as error:
        raise LuoziError("{of}: {error}", of=of, error=error) from None


def go_of(opening: Opening, size: int) -> Game:
    """Return the game of Go of the standard properties."""
    rules, handicap, stones = rules_of(opening.text("RU")), opening.handicap, opening.stones(size)
    black, white = ([place for place, colour in stones.items() if colour == wanted] for wanted in (1, 2))
    values: dict[str, str | float] = {"size": size, "komi": opening.komi(rules), "rules": rules}
    is_handicap = handicap >= 2 and len(black) == handicap
    if is_handicap:
        values["handicap"] = handicap
        usual = {row * size + column for row, column in black} == set(free_points(size, handicap))
        values |= {} if usual else {"handicap_at": names(size, black)}
    else:
        values |= {"black": names(size, black)} if black else {}
    values |= {"white": names(size, white)} if white else {}
    first = opening.text("PL").strip().upper()[:1] or opening.mover or ("W" if black and not white else "B")
    if first in COLOURS and first != COLOURS[is_handicap]:
        values["first"] = {"B": "black", "W": "white"}[first]
    return make_game("go", **values)


def names(size: int, places: list[tuple[int, int]]) -> str:
    """Return the names of points with dots between them."""
    return ".".join(point_name(size, row * size + column) for row, column in places)


def rules_of(text: str) -> str:
    """Return the option value of the rules that a file names; chinese for unknown rules."""
    return next((name for word, name in RULES if word in text.lower()), "chinese")


def are_known_rules(text: str) -> bool:
    """Return whether a file names rules that the option `rules` has.

    >>> are_known_rules("Japanese"), are_known_rules("AGA")
    (True, False)
    """
    return any(word in text.lower() for word, _name in RULES)


def is_komi(text: str) -> bool:
    """Return whether a text is a komi as files write it.

    >>> is_komi("6,5"), is_komi("1e400")
    (True, False)
    """
    return re.fullmatch(r"[+-]?(\d{1,4}([.,]\d*)?|[.,]\d+)", text) is not None


def komi_of(text: str, rules: str, handicap: int) -> float:
    """Return the komi of a file; the usual one if it has none. In Chinese stones it is half as many: 3.75 for 7.5.

    >>> komi_of("6,5", "japanese", 0), komi_of("3.75", "chinese", 0), komi_of("650", "chinese", 0)
    (6.5, 7.5, 6.5)
    """
    if not text:
        return 0.5 if handicap > 1 else USUAL_KOMI[rules]
    komi = float(text.replace(",", "."))
    if abs(komi) >= 200:
        return komi / (50 if komi in FIFTIETHS else 100)
    return 2 * komi if 4 * komi % 2 == 1 else komi


class NodeError(LuoziError):
    """What is wrong with a node of a game; the message names the file and the node."""


class MainLine:
    """Plays the nodes of a file in order."""

    def __init__(self, game: Game, of: str, opening: int = 1) -> None:
        self.game, self.of, self.opening = game, of, opening  # the stones of this many nodes belong to the game's start
        self.state = game.new_state()
        self.actions: list[int] = []
        self.comments: list[str] = []
        self.notes: list[MoveNote] = []
        self.nodes = -1  # the number of the current node, from 0 for the root

    def add(self, node: SgfNode) -> None:
        """Play the move of a node, if it has one; stones may only be set up at the start."""
        self.nodes += 1
        if self.nodes >= self.opening and node.has_setup_stones():
            raise self.wrong("sets up stones in the middle of the game, which is no move")
        colour, raw = self.move_in(node)
        if colour is None:
            return
        player, action = "bw".index(colour), self.action(raw.decode("ascii", "replace").strip(), colour)
        if self.game.is_terminal(self.state) and action == self.game.pass_action:
            return  # a third pass, as some rules require
        if self.game.is_terminal(self.state):
            raise self.wrong("comes after the end of the game")
        if self.game.player_to_move(self.state) != player:
            self.pass_for_other(colour)
        if not self.game.allows(self.state, action):
            raise self.wrong(
                Message(
                    "is a move at {place}, which is not legal there",
                    place=self.game.action_to_string(self.state, action),
                )
            )
        self.play(action, text_of(node, "C"), self.note(node, player, action))

    def move_in(self, node: SgfNode) -> tuple[str | None, bytes]:
        """Return the colour and the text of a node's move.

        Raises:
            NodeError: the node has two moves.
        """
        if sum(len(node.get_raw_list(name)) for name in COLOURS if node.has_property(name)) > 1:
            raise self.wrong("has two moves: write each into a node of its own")
        colour, raw = node.get_raw_move()
        return colour, raw or b""

    def action(self, letters: str, colour: str) -> int:
        """Return the action of a move's text."""
        size = int(getattr(self.game, "size", 0) or getattr(self.game, "rows", 0))
        if isinstance(self.game, Go) and (not letters or (letters == "tt" and size <= 19)):
            return self.game.pass_action
        place = place_from(letters, size)
        if place is None:
            raise self.wrong(
                Message(
                    "has {colour}[{value}], which is no point of this board",
                    colour=colour.upper(),
                    value=shown(letters)[1:-1],
                )
            )
        return place[0] * size + place[1]

    def pass_for_other(self, colour: str) -> None:
        """Pass for the other player if one colour moves twice in a row."""
        if not isinstance(self.game, Go):
            raise self.wrong(Message("is a second move of {colour} in a row", colour=colour.upper()))
        self.play(self.game.pass_action, "", MoveNote())
        if self.game.is_terminal(self.state):
            raise self.wrong("comes after the end of the game")

    def play(self, action: int, comment: str, note: MoveNote) -> None:
        """Play an action."""
        self.state = self.game.after(self.state, action)
        self.actions.append(action)
        self.comments.append(comment)
        self.notes.append(note)

    def note(self, node: SgfNode, player: int, action: int) -> MoveNote:
        """Return the note of a move from the property `LUOZI`."""
        text = text_of(node, OWN)
        if not text:
            return MoveNote()
        try:
            found = read_data(json_value(text, Message("its {name}", name=OWN)), self.game.players, self.game.actions)
        except LuoziError as error:
            raise self.wrong(Message("has data that can't be read: {error}", error=error)) from None
        if found[:2] != (action, player):
            raise self.wrong("has data of another move")
        return found.note

    def wrong(self, sentence: str) -> NodeError:
        """Return the error about the current node."""
        if not self.nodes:
            return NodeError("{of}: the root {sentence}", of=self.of, sentence=sentence)
        return NodeError("{of}: node {number} {sentence}", of=self.of, number=self.nodes, sentence=sentence)

    def record(self, root: SgfNode, own: JsonObject) -> Record:
        """Return the record."""
        players, seated = players_of(root, own)
        over = self.game.is_terminal(self.state)
        resigned = None if over else loser_by(text_of(root, "RE"), own)
        forfeit = str(own.get("forfeit", ""))[:1000] if resigned is not None else ""
        seed = own.get("seed")
        return Record(
            self.game,
            players,
            tuple(self.actions),
            tuple(self.comments),
            text_of(root, "DT")[:10],
            seed if type(seed) is int and 0 <= seed <= 2**62 else None,
            resigned,
            forfeit,
            tuple(self.notes) if any(note != MoveNote() for note in self.notes) else (),
            seated,
            names_of(root, players if seated else ("", "")),
            "" if root.get_raw_move()[0] else text_of(root, "C"),
            variations_in(root),
        )


def players_of(root: SgfNode, own: JsonObject) -> tuple[tuple[str, ...], bool]:
    """Return the players, and whether they can be made again: by the property `LUOZI`, else by names that are
    specifications.
    """
    players = own.get("players")
    if isinstance(players, list) and len(players) == 2 and all(isinstance(one, str) for one in players):
        return tuple(players), True
    names = [text_of(root, name) for name in ("PB", "PW")]
    if any(map(is_player, names)):
        return tuple(name if is_player(name) else Person.spelling for name in names), True
    return tuple(name or Person.spelling for name in names), False


def names_of(root: SgfNode, players: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of people; a specification is no name."""
    told = [text_of(root, name) for name in ("PB", "PW")]
    names = tuple("" if name == player else name for name, player in zip(told, players, strict=True))
    return names if any(names) else ()


def is_player(name: str) -> bool:
    """Return whether a name in a file is the specification of a player.

    >>> is_player("strong:seconds=1"), is_player("person"), is_player("Lee Sedol")
    (True, True, False)
    """
    try:
        return name == Person.spelling or bool(read_spelling(name))
    except LuoziError:
        return False


def loser_by(result: str, own: dict[str, Any]) -> int | None:
    """Return who resigned, forfeited or lost on time.

    >>> loser_by("B+Resign", {}), loser_by("W+T", {}), loser_by("B+3.5", {})
    (1, 0, None)
    """
    if own.get("resigned") in (0, 1):
        return int(own["resigned"])
    match = re.match(r"([BW])\+[RTF]", result.strip().upper())
    return None if match is None else 1 - COLOURS.index(match[1])
