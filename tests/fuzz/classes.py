"""Users' classes: rules with mistakes in them, run uncompiled, as a file is loaded, played and written down."""

from __future__ import annotations

import tempfile
from pathlib import Path

from luozi.games import game as make_game
from luozi.messages import LuoziError
from luozi.records.record import Record
from luozi.util.own_code import place_in_own_game

from .chance import Chance

MOST_MOVES = 12
PARTS = {
    "start": "state.heap = self.heap",
    "current_player": "return state.to_move",
    "is_legal": "return action < state.heap",
    "apply_action": "state.heap -= action + 1; state.to_move = 1 - state.to_move",
    "is_terminal": "return state.heap == 0",
    "returns": "returns[state.to_move] = 0.0; returns[1 - state.to_move] = 1.0",
    "action_to_string": "return str(action + 1)",
    "player_name": "return 'AB'[player]",
    "show": "return str(state.heap)",
}
ARGUMENTS = {"is_legal": "state, action", "apply_action": "state, action", "returns": "state, returns"}
ARGUMENTS |= {"action_to_string": "state, action", "player_name": "player"}
MISTAKES = (
    "pass",
    "return 99",
    "return -1",
    "return None",
    "return 'x'",
    "return 'a\\nb  # c'",
    "return 10**9",
    "return 0.5",
    "return float('nan')",
    "return []",
    "return self",
    "raise ValueError('oh\\nno')",
    "raise KeyError",
    "assert False",
    "assert state is None, 'so'",
    "return 1 // 0",
    "return state.nothing",
    "state.heap = 10**30",
    "state.to_move = 100",
    "returns[99] = 1.0",
    "state.heap = 'x'",
    "self.heap = None",
    "import nothing_at_all",
    "return self.start(state)",
    "raise SystemExit(3)",
    "raise RecursionError",
)
HEADERS = ("actions = 3", "players = 2", "max_length = 11", 'state = [("heap", "i4"), ("to_move", "i4")]')
WRONG_HEADERS = ("actions = 0", "actions = 'x'", "players = -1", "players = 1", "players = 10**9", "max_length = 1.5")
WRONG_HEADERS += ('state = [("heap", "i4")]', "state = None", 'state = [("heap", "x9", 3)]', "state = 'x'")


class Classes:
    """One file with one class."""

    share = 0.2

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "own.py"

    def run(self, chance: Chance) -> int:
        """A sentence of ours, or one that names the user's line."""
        self.input = source(chance)
        self.path.write_text(self.input, encoding="utf-8", errors="replace")
        try:
            self.play(chance)
        except LuoziError as error:
            assert str(error)
        except (Exception, SystemExit) as error:
            if place_in_own_game(error) is None:
                raise
        return 1

    def play(self, chance: Chance) -> None:
        """Load it, play some moves and write them down."""
        game = make_game(f"{self.path}{chance.pick('', ':heap=7', ':heap=' + chance.number())}")
        state, actions = game.new_state(), []
        while not game.is_terminal(state) and len(actions) < MOST_MOVES:
            legal = game.legal_list(state)
            if not legal:
                break
            actions.append(chance.choice(legal))
            state = game.after(state, actions[-1])
            game.show(state)
        Record(game, ("random",) * game.players, tuple(actions)).text()


def source(chance: Chance) -> str:
    """The file: a game with a mistake or two."""
    headers, parts = list(HEADERS), dict(PARTS)
    for _ in range(chance.randint(0, 2)):
        match chance.randrange(4):
            case 0:
                headers.append(chance.choice(WRONG_HEADERS))
            case 1:
                parts.pop(chance.choice(list(parts)), None)
            case _:
                parts[chance.choice(list(PARTS))] = chance.choice(MISTAKES)
    lines = ["import luozi", "", "class Own(luozi.Game):", *(f"    {header}" for header in headers)]
    lines += ["    def __init__(self, heap: int = 11):", "        self.heap = heap"]
    for name, body in parts.items():
        lines += [f"    def {name}(self, {ARGUMENTS.get(name, 'state')}):", f"        {body}"]
    text = "\n".join(lines) + "\n"
    return chance.spoil(text) if chance.often(0.1) else text
