"""`strong`, the levels, and what they are made of: mistakes, rules for the tree alone, one tree for all seats."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

import luozi
from luozi.cli.app import main
from luozi.games import Listing
from luozi.matches.game_runner import moves_of, play_fixture
from luozi.matches.schedule import MatchSchedule
from luozi.players import player, read_spelling, seat_players, spelled_out
from luozi.players.alphabeta import AlphaBetaPlayer
from luozi.players.engine import EnginePlayer
from luozi.players.presets import LEVELS, level_options, measured_levels, strong_options, unmeasured
from luozi.records.play import LiveGame
from luozi.records.review import analysis_player
from luozi.search import Options
from luozi.terminal.seats import fill_seats
from luozi.terminal.session import TerminalSession

GAMES = [listing.name for listing in Listing.all()]


@pytest.mark.parametrize("name", GAMES)
def test_strong_is_a_setting_that_the_game_allows(name):
    made = player("strong:iterations=10", luozi.game(name))
    assert made.engine.options == Options.of(iterations=10, **strong_options(luozi.game(name)))


BY_ALPHABETA = ("othello:size=4", "breakthrough:rows=4,columns=4")  # no network has learned these boards
SMALL = {  # boards on which a search that is not compiled is quick
    "othello": "othello:size=4",
    "breakthrough": "breakthrough:rows=4,columns=4",
    "amazons": "amazons:size=5",
    "hex": "hex:size=4",
    "y": "y:size=4",
    "nim": "nim",
}


@pytest.mark.parametrize("name", [*GAMES, *BY_ALPHABETA])
def test_strong_is_the_player_that_won_the_matches(name):
    """On every built-in game, with the defaults of every command; contests write that player down."""
    game = luozi.game(name)
    made = player("strong:seconds=1", game, seed=1, threads=2)
    kind = "alphabeta" if name in BY_ALPHABETA else "mcts"
    assert type(made) is (AlphaBetaPlayer if name in BY_ALPHABETA else EnginePlayer)
    assert made.spelling.startswith("strong:")
    contest = MatchSchedule.of(name, ["strong:seconds=1"] * game.players)
    assert {spelling.partition(":")[0] for spelling in contest.players} == {kind}
    assert player(contest.players[0], game).spelling == contest.players[0]
    if not isinstance(made, EnginePlayer):
        assert made.limits.seconds == 1
        assert made.seed == 1


@pytest.mark.parametrize("written", ["strong", "strong:seconds=0", "strong:seconds=0.0001,seed=3"])
@pytest.mark.parametrize("name", BY_ALPHABETA)
def test_a_strong_player_that_is_no_search_has_a_clock_whatever_is_written(name, written):
    """Without a limit it thinks as long as a search does; a shorter time than it takes becomes its shortest."""
    game = luozi.game(name)
    spelled = spelled_out(written, game)
    assert (
        player(spelled, game).limits.seconds
        == player(written, game).limits.seconds
        == (0.001 if "0.0001" in written else 1)
    )


@pytest.mark.parametrize("name", GAMES)
def test_where_moves_are_compared_strong_is_a_search(name):
    game = luozi.game(name)
    made = player("strong:seconds=1", game, searching=True, seed=1)
    assert made.engine.options == Options.of(seconds=1, seed=1, **strong_options(game))
    assert spelled_out("strong", game, searching=True).partition(":")[0] == "mcts"


@pytest.mark.parametrize(
    "option", ["iterations=10", "threads=2", "c=0.5", "evaluation=playout", "resign_threshold=0.02"]
)
@pytest.mark.parametrize("name", BY_ALPHABETA)
def test_an_option_of_a_search_makes_strong_a_search(name, option):
    assert isinstance(player(f"strong:seconds=1,{option}", luozi.game(name), seed=1, threads=1), EnginePlayer)


@pytest.mark.parametrize("spelling", SMALL.values(), ids=SMALL)
def test_the_strongest_search_explains_its_move(spelling):
    """The candidates have visits and values, the move is one of them, and an iteration can be told."""
    game = luozi.game(spelling)
    engine, state = luozi.Engine(game, compiled=False, seed=1, **strong_options(game)), game.new_state()
    thought = engine.think(state, iterations=30)
    assert thought.action in game.legal_list(state)
    assert {candidate.action for candidate in thought.candidates} == set(game.legal_list(state))
    assert thought.best.visits > 0
    assert len(thought.best.means) == game.players
    assert not thought.static  # there are win rates, and mistakes can be told by them
    assert engine.trace(state).path


@pytest.mark.parametrize("spelling", BY_ALPHABETA)
def test_strong_plays_a_whole_game_by_alphabeta_and_says_what_its_moves_are_worth(spelling):
    game = luozi.game(spelling)
    table = LiveGame(game, [player("strong:seconds=0.01", game, seed=seat) for seat in range(2)])
    while table.results is None:
        mover = table.player
        action = mover.choose(table.position)
        assert mover.thought.action == action
        assert mover.thought.best.means
        table.play(action)
    assert sum(table.results) == 1


@pytest.mark.parametrize("name", BY_ALPHABETA)
def test_analyses_of_whole_games_come_from_a_search(name):
    assert analysis_player("strong:seconds=1", luozi.game(name)).startswith("mcts:evaluation=mix")


def test_a_static_evaluation_is_not_asked_for_owners_of_points():
    spelled = analysis_player("mcts:evaluation=static", luozi.game("othello"))
    assert Options.of(**read_spelling(spelled)[1]).ownership is False


def test_openings_are_judged_by_a_search_with_win_rates(monkeypatch):
    judges = []
    found = lambda game, judge, *asked: judges.append(judge) or iter(())  # noqa: E731
    monkeypatch.setattr("luozi.cli.contests.balanced_openings", found)
    assert main(["openings", "othello", "--judge", "strong:seconds=1", "--number", "1"]) == 0
    assert isinstance(judges[0], EnginePlayer)


@pytest.mark.parametrize("name", GAMES)
def test_every_level_is_a_setting_that_the_game_allows(name):
    game = luozi.game(name)
    for number in range(1, LEVELS + 1):
        assert player(f"level:number={number}", game).engine.options == Options.of(**level_options(game, number))


@pytest.mark.parametrize("name", sorted(measured_levels()))
def test_levels_rise(name):
    """A higher level never thinks less, nor makes more mistakes."""
    options = [level_options(luozi.game(name), number) for number in range(1, LEVELS + 1)]
    for lower, higher in pairwise(options):
        assert lower["iterations"] <= higher["iterations"]
        assert lower.get("mistakes", 0) >= higher.get("mistakes", 0)
        assert lower != higher
    assert "mistakes" not in options[-1]


def test_what_is_written_goes_before_the_preset():
    game = luozi.game("gomoku")
    assert (
        player(
            "strong:decisive_moves=false,anti_decisive_moves=false,decisive_scope=everywhere", game
        ).engine.options.decisive_moves
        is False
    )


def test_a_contest_writes_down_what_a_preset_stands_for():
    contest = MatchSchedule.of("gomoku", ["strong:iterations=5", "level:number=2"])
    assert contest.players == tuple(
        spelled_out(text, luozi.game("gomoku")) for text in ("strong:iterations=5", "level:number=2")
    )
    assert all(spelling.startswith("mcts:") for spelling in contest.players)


def test_levels_sit_where_nobody_was_named():
    assert fill_seats(luozi.game("five3d"), [], True, 3) == ["person", "level:number=3", "level:number=3"]


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.5, 60, 140), (1.0, 150, 200)])
def test_mistakes_are_as_frequent_as_they_are_meant_to_be(share, least, most):
    """X wins at once in one of six ways to move; with mistakes any legal move is played."""
    game = luozi.game("tictactoe")
    state = game.new_state()
    for action in (0, 3, 1):
        state = game.after(state, action)
    state = game.after(state, 8)
    engine = luozi.Engine(
        game, compiled=False, seed=3, iterations=4, decisive_moves=True, random_move_rate=share, reuse_tree=False
    )
    wrong = sum(engine.think(state).action != 2 for _ in range(200))
    assert least <= wrong <= most


def test_a_win_by_fours_may_be_missed_by_mistake_too():
    game = luozi.game("gomoku:size=9")
    state = game.new_state()
    for name in ["c5", "a1", "d5", "a9", "e5", "i1", "f4", "i9", "f3", "a5", "f2", "i5"]:  # two crossing threes of X
        state = game.after(state, game.string_to_action(state, name))
    perfect, careless = (
        luozi.Engine(game, compiled=False, seed=1, threat_search=True, random_move_rate=share, iterations=50)
        for share in (0, 1)
    )
    wins = {perfect.think(state).action for _ in range(5)}
    assert len(wins) == 1
    played = [careless.think(state).action for _ in range(30)]
    assert len(set(played)) > 10


def test_rules_of_the_tree_do_not_hold_in_simulations():
    """Two searches that differ only in what simulations do: the means differ, the moves that stay do not."""
    game = luozi.game("tictactoe")
    state = game.new_state()
    for action in (4, 0, 8, 2):  # X has to block at 1
        state = game.after(state, action)
    rules = {"decisive_moves": True, "anti_decisive_moves": True}
    everywhere, tree = (
        luozi.Engine(game, compiled=False, seed=1, iterations=8, decisive_scope=where, **rules).think(state)
        for where in ("everywhere", "tree")
    )
    for thought in (everywhere, tree):
        assert [candidate.action for candidate in thought.candidates if not candidate.cut] == [1]
    assert everywhere.candidates[0].means != tree.candidates[0].means
    assert Options.of(decisive_moves=True, decisive_scope="tree").variants(0).uniform
    assert not Options.of(decisive_moves=True).variants(0).uniform


def test_one_tree_serves_all_seats_that_have_the_same_player():
    game = luozi.game("tictactoe")
    for spelling, is_shared in (("mcts:iterations=50,self_play_tree=true", True), ("mcts:iterations=50", False)):
        one, other = seat_players([spelling] * 2, [partial(player, spelling, game, seed=seat) for seat in range(2)])
        assert (one is other) == is_shared


def test_one_tree_is_kept_over_the_moves_of_all_seats():
    """Each search starts with the visits that the one before has left below the move played."""
    game = luozi.game("tictactoe")
    spelling = "mcts:iterations=200,self_play_tree=true"
    players = seat_players([spelling] * 2, [partial(player, spelling, game, seed=1)] * 2)
    table, left = LiveGame(game, players), 0
    while table.results is None:
        action = table.player.choose(table.position)
        thought = table.player.thought
        assert thought.reused_visits == left
        left = thought.best.visits
        table.play(action)


def test_a_match_of_one_tree_repeats():
    contest = MatchSchedule.of("tictactoe", ["mcts:iterations=50,self_play_tree=true"] * 2)
    fixture = next(contest.fixtures())
    one, two = (play_fixture(contest, fixture) for _ in range(2))
    assert one.record == two.record
    assert moves_of(contest, one)[-1].thought["kept"] > 0


def test_one_tree_without_a_kept_tree_is_refused():
    with pytest.raises(luozi.LuoziError, match="self_play_tree has no effect without reuse_tree"):
        Options.of(self_play_tree=True, reuse_tree=False)


def test_a_settled_search_plays_the_same_move_with_less_work():
    game = luozi.game("connect4")
    saved = 0
    for seed in range(12):
        state = game.new_state()
        for action in (3, 3, 3, 2, 3, seed % 7):
            state = game.after(state, action)
        whole = luozi.Engine(game, seed=seed, iterations=4000).think(state)
        settled = luozi.Engine(game, seed=seed, iterations=4000, early_stop=True).think(state)
        assert settled.action == whole.action
        saved += whole.iterations - settled.iterations
    assert saved > 4000


def test_a_search_with_one_move_left_is_settled_at_once():
    game = luozi.game("tictactoe")
    state = game.new_state()
    for action in (4, 0, 8, 2):
        state = game.after(state, action)
    options = {"iterations": 10_000, "decisive_moves": True, "anti_decisive_moves": True, "early_stop": True}
    assert luozi.Engine(game, compiled=False, seed=1, **options).think(state).iterations <= 500


def test_a_search_in_which_every_game_ends_alike_is_settled_after_an_eighth():
    game = luozi.game("lines:rows=4,columns=4,win_length=5")  # nobody can ever win
    thought = luozi.Engine(game, seed=1, iterations=40_000, early_stop=True).think(game.new_state())
    assert 5_000 <= thought.iterations < 6_000


def test_a_search_with_a_rare_other_result_goes_on():
    game = luozi.game("lines:rows=4,columns=4,win_length=4")
    thought = luozi.Engine(game, seed=1, iterations=8_000, early_stop=True).think(game.new_state())
    assert thought.iterations > 6_000


def test_settling_is_refused_where_visits_do_not_decide():
    with pytest.raises(luozi.LuoziError, match="early_stop is for the most visited move"):
        Options.of(early_stop=True, final="max")


MORRIS = str(Path(__file__).parents[1] / "examples" / "morris.py")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["players", "strong"], "on tictactoe it has the options of the most similar game."),
        (["players", "level"], "The levels were not measured on lines"),
        (
            ["play", "gomoku:size=3", "--level", "2"],
            "gomoku only: their distances on gomoku:size=3 are unknown",
        ),
        (["play", MORRIS, "--seat", "strong:iterations=1", "--seat", "random"], "it is plain mcts there"),
    ],
)
def test_what_nobody_measured_is_said(command, said, capsys, monkeypatch):
    monkeypatch.setattr(TerminalSession, "run", lambda self: None)
    assert main(command) == 0
    assert said in " ".join("".join(capsys.readouterr()).split())


def test_nothing_is_said_where_matches_were_played():
    for name in ("gomoku", "connect4", "qubic", "five3d"):
        assert unmeasured(luozi.game(name), "strong") == unmeasured(luozi.game(name), "level") == ""
    for name in SMALL:
        assert unmeasured(luozi.game(name), "strong") == ""


def test_the_list_of_players_names_the_networks_of_strong(capsys):
    assert main(["players", "strong"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for name in ("othello", "breakthrough", "gomoku"):
        assert f"{name} mcts:network={name}," in said
