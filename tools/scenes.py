"""The scene of three players in which two must stand together, as real searches play it.

X has three in a row, then four with both ends open; O and L can only hold it if each of them blocks one end. The report
that this comes from shows plain search, where everybody builds and X wins, beside an improved one. `alliance.json`
keeps what the engine played; `python -m tools.scenes` plays it anew, which takes some minutes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from luozi.experiments.three_player import winning_moves
from luozi.games import game as make_game
from luozi.players import player
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.web.data_routes import ALLIANCE

GAME = "five3d"
THREE = ("3b4", "4c3", "4d3", "3c4", "4c4", "3d3", "3d4")  # X has three, O and L two each; O is to move
FOUR = (*THREE, "4c5", "2d3", "3e4")  # all have built on: X has four, both ends open; O is to move
SEEDS = range(1, 7)
ROUNDS = 7  # moves that are played on


class SceneSearch(NamedTuple):
    """A way to search."""

    name: str
    player: str


IMPROVED = "playing_style=balanced,keep_proven_win=true,keep_playout_win=true"
STRATEGIES = (
    SceneSearch("plain", "mcts:iterations=100000,reuse_tree=false"),
    SceneSearch("improved", f"mcts:iterations=100000,{IMPROVED}"),
    SceneSearch("strong", "strong:iterations=20000"),
)


def play_on(game: Game, moves: Sequence[str], spelling: str, seed: int, rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """What one search for all seats plays from a position, with what it thought."""
    mind, now = player(spelling, game, seed=seed), Position.begin(game).after(moves)
    found: list[dict[str, Any]] = []
    while len(found) < rounds and now.returns is None:
        action = mind.choose(now)
        thought = mind.thought
        assert thought is not None
        means = [round(mean, 3) for mean in thought.best.means]
        move = {"action": action, "name": thought.name, "player": thought.player, "means": means}
        found.append({**move, "visits": thought.best.visits, "about": meaning(game, now.state, action)})
        now = now.play(action)
    mind.close()
    return found


def meaning(game: Game, state: State, action: int) -> str:
    """What a move does: it wins, it blocks a win or what would become two of them, or it builds."""
    mover = int(game.current_player(state))
    others = [other for other in range(game.players) if other != mover]
    if action in winning_moves(game, state, mover):
        return "wins"
    if any(action in winning_moves(game, state, other) for other in others):
        return "blocks"
    for other in others:
        wins = len(winning_moves(game, played_by(game, state, other, action), other))
        if wins > max(1, len(winning_moves(game, state, other))):
            return "blocks early"
    return "builds"


def played_by(game: Game, state: State, player: int, action: int) -> Any:
    """The position if it had been this player's turn."""
    changed = state.copy()
    changed.to_move = player
    return game.after(changed, action)


def has_held(moves: Sequence[dict[str, Any]]) -> bool:
    """Whether nobody won."""
    return all(move["about"] != "wins" for move in moves)


def play_act(name: str, moves: Sequence[str], seeds: Sequence[int] = SEEDS) -> dict[str, Any]:
    """One act by all strategies."""
    return {"name": name, "start": list(moves), "runs": [play_run(moves, strategy, seeds) for strategy in STRATEGIES]}


def play_run(moves: Sequence[str], strategy: SceneSearch, seeds: Sequence[int] = SEEDS) -> dict[str, Any]:
    """One strategy from every seed; a game as most of them went is told whole."""
    game = make_game(GAME)
    played = [play_on(game, moves, strategy.player, seed) for seed in seeds]
    held = [has_held(one) for one in played]
    shown = held.index(2 * sum(held) >= len(held))
    about = {"strategy": strategy.name, "player": strategy.player, "seed": seeds[shown]}
    return {**about, "games": len(held), "held": sum(held), "moves": played[shown]}


if __name__ == "__main__":
    acts = [play_act("three", THREE), play_act("four", FOUR)]
    ALLIANCE.write_text(json.dumps({"game": GAME, "acts": acts}, indent=1) + "\n")
