"""What a network would see of a game, in words; or why it can see nothing."""

from __future__ import annotations

from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_symmetries import symmetries_of
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game


def network_lines(game: Game) -> list[str]:
    """Return what a network sees, where the pieces are read from, and the symmetries of a game.

    >>> import luozi
    >>> for line in network_lines(luozi.game("tictactoe")):
    ...     print(line)
    a network sees 8 planes: own pieces; other pieces; legal moves: first cell; cells that exist; moves 1 to 4 back
    a network sees 6 numbers: seats 1 to 2 to move; moves 1 to 4 back without a cell
    pieces are read from stones[bit]; 9 moves have an output; 16 symmetries, of which 8 exchange the players
    """
    try:
        seen, found = board_input(game), symmetries_of(game)
    except LuoziError as error:
        return [Message("a network can't learn this game: {reason}", reason=error)]
    fixed = len(seen.plane_names) - seen.history
    planes = [*seen.plane_names[:fixed], f"moves 1 to {seen.history} back"]
    numbers = [
        f"seats 1 to {seen.players} to move",
        f"moves 1 to {seen.history} back without a cell",
        *seen.number_names[seen.players + seen.history :],
    ]
    sources = ", ".join(dict.fromkeys(seen.fields)) or "network_cells"
    return [
        Message("a network sees {count} planes: {names}", count=seen.planes, names="; ".join(planes)),
        Message("a network sees {count} numbers: {names}", count=seen.numbers, names="; ".join(numbers)),
        Message(
            "pieces are read from {sources}; {outputs} moves have an output; {count} symmetries, of which {swaps} "
            "exchange the players",
            sources=sources,
            outputs=f"{seen.logits:,}",
            count=len(found.cells),
            swaps=int(found.swaps.sum()),
        ),
    ]
