"""Make docs/pictures/play.svg, the README's picture: a real position and a real search."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

import luozi
from luozi.terminal.board import board_text
from luozi.terminal.lists import show_search_result

MOVES = ("h8", "h9", "i9", "g7", "i8", "g8", "i7", "i10")


def main() -> None:
    game = luozi.game("gomoku")
    state = game.new_state()
    for move in MOVES:
        state = game.after(state, game.string_to_action(state, move))
    console = Console(record=True, force_terminal=True, width=78, highlight=False, file=io.StringIO())
    console.print(Text("$ luozi play gomoku --seat person --seat mcts:seconds=1", "bold"))
    console.print(board_text(game, state))
    console.print(Text("X to move (h8, or hint, undo, help): hint", "bold"))
    show_search_result(console, luozi.Engine(game, seed=1).think(state, seconds=1))
    picture = console.export_svg(title="luozi")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # nothing is fetched from elsewhere
    picture = re.sub(r"<!--.*?-->\s*", "", picture, flags=re.DOTALL)
    Path(__file__).parents[1].joinpath("docs/pictures/play.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
