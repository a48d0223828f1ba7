"""Spellings: games, players, their parameters, ranges to tune, tests, settings, and moves that are typed."""

from __future__ import annotations

from luozi.cli.contests import read_sprt
from luozi.cli.experiments import read_settings
from luozi.experiments import EXPERIMENTS, find_experiment
from luozi.games import Listing
from luozi.games import game as make_game
from luozi.matches.openings import read_moves, split_moves
from luozi.matches.schedule import MatchSchedule
from luozi.matches.tuning.ranges import read_ranges
from luozi.messages import LuoziError
from luozi.players import PLAYERS, spelled_out
from luozi.players.simple import read_move
from luozi.rules.game import Game
from luozi.util.parameters import Parameter

from .chance import Chance

SMALL = {"size": 5, "rows": 4, "columns": 5, "layers": 2}  # so that most boards are made quickly
MOVES = ("a1", "b2", "c3", "4", "#3", "pass", "A1", "e5", "1", "#" + "1" * 5000)


class Spellings:
    """One text that somebody types."""

    share = 6

    def __init__(self) -> None:
        self.games = {listing.name: {one.name: one for one in listing.parameters} for listing in Listing.all()}
        self.board = make_game("tictactoe")
        self.boards = [make_game(name) for name in ("tictactoe", "connect4", "go:size=5", "five3d:size=3,win_length=3")]

    def run(self, chance: Chance) -> int:
        """One of all kinds."""
        kinds = (self.try_game, self.try_player, self.try_player, self.try_move, self.try_move, self.try_other)
        try:
            chance.choice(kinds)(chance)
        except LuoziError as error:
            assert str(error), "an empty sentence"
        return 1

    def spelling(self, chance: Chance, kinds: dict[str, dict[str, Parameter]]) -> str:
        """A name and some of its parameters."""
        name = chance.choice(list(kinds))
        known = list(kinds[name].values())
        values = {one.name: self.value(chance, one) for one in chance.some(known, 3 if known else 0)}
        text = name + (":" if values else "") + ",".join(f"{key}={value}" for key, value in values.items())
        return chance.spoil(text) if chance.often(0.4) else text

    def value(self, chance: Chance, parameter: Parameter) -> str:
        """A value that may do."""
        about = parameter.about
        if parameter.name in SMALL and chance.often(0.8):
            return str(chance.randint(1, SMALL[parameter.name]))
        likely = [*about.choices, "true", "false", "1", str(about.low), str(about.high), str(parameter.default), "0.3"]
        return chance.choice(likely) if chance.often(0.8) else chance.nonsense()

    def try_game(self, chance: Chance) -> None:
        self.input = self.spelling(chance, self.games)
        made = make_game(self.input)
        assert make_game(made.spelling).spelling == made.spelling
        if made.actions <= 100:
            made.show(made.new_state())
            read_move(made, made.new_state(), chance.choice(MOVES))

    def try_player(self, chance: Chance) -> None:
        self.input = self.spelling(chance, {name: kind.parameters for name, kind in PLAYERS.items()})
        game: Game = chance.choice(self.boards)
        once = spelled_out(self.input, game)
        assert spelled_out(once, game) == once
        if game.players == 2:
            contest = MatchSchedule.of(game, [self.input, "random"])
            assert MatchSchedule.read(contest.definition) == contest

    def try_move(self, chance: Chance) -> None:
        game: Game = chance.choice(self.boards)
        move = chance.choice(MOVES)
        self.input = chance.spoil(move) if chance.often(0.7) else chance.nonsense()
        if chance.often(0.5):
            read_moves(game, split_moves(" ".join(chance.some([*MOVES, self.input], 6))))
        assert read_move(game, game.new_state(), self.input) in range(game.actions)

    def try_other(self, chance: Chance) -> None:
        match chance.randrange(3):
            case 0:
                self.input = chance.spoil(chance.pick("c=0.2:2.0", "iterations=1:100:log", "final=robust|max"))
                read_ranges([self.input], PLAYERS["mcts"], {})
            case 1:
                self.input = chance.spoil("0,10")
                read_sprt(self.input, None)
            case _:
                name = chance.choice(list(EXPERIMENTS))
                known = list(EXPERIMENTS[name].parameters) or ["x"]
                self.input = f"{chance.choice(known)}={chance.nonsense()}"
                find_experiment(name).values(read_settings([self.input]))
