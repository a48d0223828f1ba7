"""Openings of a match: random moves, given lines, the lines of a file, or balanced ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from luozi.compiled import new_rng, random_below
from luozi.games.go.rules import Go
from luozi.games.lines.knowledge import A_FOUR, LineKnowledge
from luozi.messages import LuoziError, Message, reason_of
from luozi.players import Player
from luozi.records.sgf import GO, GOMOKU, is_written
from luozi.records.sgf_reader import MainLine, set_up
from luozi.records.sgf_text import SgfNode, read_tree, text_of
from luozi.rules.game import Game
from luozi.rules.move_names import read_move, split_moves
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search.rule_warnings import refuse_no_moves
from luozi.util.parsing import read_bounded

PATIENCE = 1000  # openings in a row that are known or not balanced; then there may be no more
TRIES = 20  # draws of a random opening that ends the game; then the longest one is taken


def seed_of(*parts: object) -> int:
    """Return a seed that depends on the parts alone, in every process and on every machine.

    >>> seed_of(1, "mcts") == seed_of(1, "mcts") != seed_of(2, "mcts")
    True
    """
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2


class Openings(NamedTuple):
    """Random moves, or given lines, which are repeated in turn if a match needs more."""

    plies: int = 0
    lines: tuple[tuple[int, ...], ...] = ()

    def opening(self, game: Game, seed: int, number: int) -> tuple[int, ...]:
        """Return the actions of one opening.

        >>> import luozi
        >>> len(Openings(plies=4).opening(luozi.game("connect4"), seed=1, number=0))
        4
        """
        if self.lines:
            return self.lines[number % len(self.lines)]
        return numbered_opening(game, self.plies, seed, number)

    def __str__(self) -> str:
        if self.lines:
            return Message("{count} given openings", count=f"{len(self.lines):,}")
        return Message("{count} random moves", count=self.plies) if self.plies else "the start of the game"


def openings_of(game: Game, given: Openings | Iterable[str | Sequence[int | str]] | None) -> Openings:
    """Return the openings of an object, or of lines of moves, which are numbers or names.

    Without openings, two random moves for each player.

    >>> import luozi
    >>> openings_of(luozi.game("tictactoe"), ["b2 a1", (4, "c3")]).lines
    ((4, 6), (4, 2))
    """
    if isinstance(given, Openings):
        return given
    if given is None:
        return Openings(plies=2 * game.players)
    lines = []
    for line in given:
        position = Position.begin(game)
        for move in line.split() if isinstance(line, str) else line:
            position = position.play(move)
        lines.append(position.moves)
    return Openings(lines=tuple(lines))


def numbered_opening(game: Game, plies: int, seed: int, number: int, choices: int = 1) -> tuple[int, ...]:
    """Return a random opening of a seed, of whose moves each is the best of so many random choices (`liveliest`).

    >>> import luozi
    >>> len(numbered_opening(luozi.game("gomoku"), 5, seed=1, number=0, choices=8))
    5
    """
    longest: tuple[int, ...] = ()
    for attempt in range(TRIES if plies else 0):
        actions = random_opening(game, plies, seed_of("opening", seed, number, attempt), choices)
        if len(actions) == plies:
            return actions
        longest = max(longest, actions, key=len)
    return longest


def random_opening(game: Game, plies: int, seed: int, choices: int = 1) -> tuple[int, ...]:
    """Return so many random moves, fewer if they would end the game."""
    rng, position = new_rng(seed), Position.begin(game)
    while position.length < plies:
        legal = position.actions
        refuse_no_moves(game, position.state, legal)
        drawn = [legal[random_below(rng, len(legal))] for _ in range(choices)]
        following = position.play(drawn[0] if choices == 1 else liveliest(game, position.state, drawn))
        if following.returns is not None:
            break
        position = following
    return position.moves


def liveliest(game: Game, state: State, actions: Sequence[int]) -> int:
    """Return the move that adds most to its player's lines, except fours, which leave the others no choice."""
    if not isinstance(game, LineKnowledge):
        raise LuoziError("openings: --best-of is for line games only, not for {game}. Remove it.", game=game.spelling)
    mover = int(game.current_player(state))
    promises = [game.promise(state, game.cell_of(state, action), mover) for action in actions]
    return max(zip(actions, promises, strict=True), key=lambda one: one[1] if one[1] < A_FOUR else -1.0)[0]


def read_moves(game: Game, names: Sequence[str]) -> tuple[int, ...]:
    """Return the actions with these names, played from the start."""
    position = Position.begin(game)
    for name in names:
        if position.returns is not None:
            raise LuoziError("the game was over before '{name}'", name=name)
        position = position.play(read_move(game, position.state, name))
    if position.returns is not None:
        raise LuoziError("the game is over after these moves")
    return position.moves


def load_openings(path: Path, game: Game) -> Openings:
    """Read openings from a text file, one a line with comments after `#`, or all variations of an SGF file."""
    if path.suffix.lower() == ".sgf":
        return Openings(lines=tuple(sgf_openings(path, game)))
    try:
        lines = read_bounded(path).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LuoziError(
            "can't read the openings '{name}': {reason}",
            name=path,
            reason=reason_of(error) if isinstance(error, OSError) else Message("not a text"),
        ) from None
    openings = []
    for number, line in enumerate(lines, 1):
        text = line.partition("# ")[0].strip()
        if not text or (text.startswith("#") and not text[1:2].isdecimal()):
            continue
        try:
            actions = read_moves(game, split_moves(text))
        except LuoziError as error:
            raise LuoziError("{text}, line {number}: {error}", text=path, number=number, error=error) from None
        openings.append(actions)
    if not openings:
        raise LuoziError(
            "'{path}' has no openings. Write the moves of one opening a line, such as '4 4 3' in connect4.", path=path
        )
    return Openings(lines=tuple(openings))


def sgf_openings(path: Path, game: Game) -> list[tuple[int, ...]]:
    """Return the moves of each variation, from the start to its end."""
    tree = read_tree(path)
    refuse_other_start(tree.get_root(), path, game)
    openings = []
    for leaf in leaves_of(tree.get_root()):
        line = MainLine(game, str(path))
        for node in tree.get_sequence_above(leaf):
            line.add(node)
        line.add(leaf)
        if game.is_terminal(line.state):
            raise LuoziError(
                "{text}: the game is over after the moves of a variation, so it is not an opening", text=path
            )
        if line.actions:
            openings.append(tuple(line.actions))
    if not openings:
        raise LuoziError("'{name}' has no moves, so it is not an opening", name=path)
    return openings


def refuse_other_start(root: SgfNode, path: Path, game: Game) -> None:
    """Raise LuoziError if a file is of another game or board size, or begins with other stones."""
    if not is_written(game):
        raise LuoziError(
            "SGF can't describe openings of {game}. Write the moves of one opening a line into a text file.",
            game=game.spelling,
        )
    kind, wanted = text_of(root, "GM", GO).strip(), GO if isinstance(game, Go) else GOMOKU
    if kind != wanted:
        raise LuoziError(
            "'{name}' is a game of kind GM[{value}]; openings of {game} are GM[{text}]",
            name=path,
            value=kind[:10],
            game=game.spelling,
            text=wanted,
        )
    size, told = int(getattr(game, "size", 0) or getattr(game, "rows", 0)), root.get_size()
    if told != size and (root.has_property("SZ") or isinstance(game, Go)):  # without it, Go is of 19x19
        raise LuoziError(
            "'{path}' has a board of {lines}x{lines}; openings of {game} need SZ[{size}]",
            path=path,
            lines=told,
            game=game.spelling,
            size=size,
        )
    board: dict[tuple[int, int], int] = {}
    try:
        set_up(root, size, board)
    except LuoziError as error:
        raise LuoziError("can't read the openings '{name}': {reason}", name=path, reason=error) from None
    if {place: colour for place, colour in board.items() if colour} != first_stones(game, size):
        raise LuoziError(
            "'{name}' sets up stones that {game} does not begin with. An opening has moves only.",
            name=path,
            game=game.spelling,
        )


def first_stones(game: Game, size: int) -> dict[tuple[int, int], int]:
    """Return the colours of the stones with which a game begins, by their places."""
    stones = ((game.handicap_stones, 1), (game.white_stones, 2)) if isinstance(game, Go) else ()
    return {divmod(int(point), size): colour for points, colour in stones for point in points}


def leaves_of(root: SgfNode) -> list[SgfNode]:
    """Return the last node of each variation, in order."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(list(node))
        if not len(node):
            found.append(node)
    return found


# Balanced openings ----------------------------------------------------------------------------------------------------


class EvaluatedOpening(NamedTuple):
    """An opening, and the expected result of each player."""

    actions: tuple[int, ...]
    names: tuple[str, ...]
    means: tuple[float, ...]

    def within(self, distance: float) -> bool:
        """Return whether each player's expected result is within a distance of the average.

        The average is not always 1 / players: a draw is half a win for each of any number of players.

        >>> EvaluatedOpening((), (), (0.6, 0.4)).within(0.15), EvaluatedOpening((), (), (0.6, 0.2, 0.2)).within(0.15)
        (True, False)
        >>> EvaluatedOpening((), (), (0.5, 0.5, 0.5)).within(0.15)
        True
        """
        average = sum(self.means) / len(self.means)
        return all(abs(mean - average) <= distance for mean in self.means)

    def __str__(self) -> str:
        apart = ", " if any(" " in name for name in self.names) else " "
        return f"{apart.join(self.names)}  # {', '.join(f'{mean:.0%}' for mean in self.means)}"


def judge_opening(game: Game, judge: Player, actions: tuple[int, ...]) -> EvaluatedOpening:
    """Return what a player expects after these moves."""
    position, names = Position.begin(game), list[str]()
    for action in actions:
        names.append(position.name(action))
        position = position.play(action)
    judge.choose(position)
    thought = judge.thought
    if thought is None or thought.static:
        raise LuoziError(
            "{player} cannot evaluate openings: it reports no win rates. Choose mcts or strong with --evaluator.",
            player=judge.spelling,
        )
    return EvaluatedOpening(actions, tuple(names), thought.best.means)


def judged_openings(game: Game, judge: Player, plies: int, seed: int, choices: int = 1) -> Iterator[EvaluatedOpening]:
    """Yield different random openings with the expectations of a player. Raises LuoziError if there are no more."""
    seen: set[tuple[int, ...]] = set()
    known = 0
    for number in range(10**9):
        actions = numbered_opening(game, plies, seed, number, choices)
        if actions not in seen:
            seen.add(actions)
            known = 0
            yield judge_opening(game, judge, actions)
        known += 1
        if known > PATIENCE:
            raise LuoziError(
                "there are only {count} openings of {plies} moves. Ask for fewer, or for longer ones.",
                count=f"{len(seen):,}",
                plies=plies,
            )


def balanced_openings(
    game: Game, judge: Player, plies: int, within: float, seed: int, choices: int = 1
) -> Iterator[EvaluatedOpening]:
    """Yield the openings in which each expected result is within a distance of the average.

    >>> import luozi
    >>> from luozi.players import player
    >>> board = luozi.game("tictactoe")
    >>> judge = player("mcts:iterations=300,seed=1", board)
    >>> even = next(balanced_openings(board, judge, plies=2, within=0.1, seed=1))
    >>> len(even.actions), even.within(0.1)
    (2, True)
    """
    in_vain = 0
    for judged in judged_openings(game, judge, plies, seed, choices):
        in_vain += 1
        if judged.within(within):
            in_vain = 0
            yield judged
        elif in_vain >= PATIENCE:
            raise LuoziError(
                "none of {count} openings was balanced within {distance}. Raise --max-imbalance, or change --plies.",
                count=f"{PATIENCE:,}",
                distance=f"{within:.0%}",
            )
