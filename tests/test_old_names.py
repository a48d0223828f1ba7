"""Names that were written for version 0.1 still mean the same."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import pytest

import luozi
from luozi.cli.app import main
from luozi.experiments import EXPERIMENTS, find_experiment
from luozi.learning.folder import RunFolder, RunRequest, default_name
from luozi.learning.settings import LearningOptions
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.tuning.trials import Tuning, shown_label
from luozi.messages import LuoziError
from luozi.players import PLAYERS, read_spelling
from luozi.rules.packing import digest_of_game
from luozi.util import old_names
from luozi.util.parameters import parameters_of
from luozi.web.seats import read_options

OLD = "mcts:iterations=20,formula=tuned,rave=schedule,final=mean,share=true,knowledge="
NEW = "mcts:iterations=20,selection=ucb1_tuned,rave=hand_selected,final=max,transpositions=true,heuristic_weights="


def test_every_new_name_is_an_option_and_no_old_one_is() -> None:
    known = {kind: set(one.parameters) for kind, one in PLAYERS.items()}
    for of, names in old_names.OPTIONS.items():
        if of in known:
            assert set(names.values()) <= known[of]
            assert not known[of] & set(names)
    assert set(old_names.LEARNING.values()) <= set(parameters_of(LearningOptions))


def test_old_options_mean_what_the_new_ones_do() -> None:
    assert read_spelling(OLD) == read_spelling(NEW)
    assert luozi.Options(formula="tuned", c=None, keep=False) == luozi.Options(selection="ucb1_tuned", reuse_tree=False)
    game = luozi.game("tictactoe")
    old, new = (luozi.Engine(game, seed=1, compiled=False, **{name: "standard"}) for name in ("prove", "mcts_solver"))
    assert old.options == new.options
    assert (
        luozi.game("gomoku:run=4,forbidden=0.0").spelling == luozi.game("gomoku", win_length=4, blocked="0.0").spelling
    )
    assert luozi.game("go:compensation=false").spelling == "go:handicap_bonus=false"
    assert read_spelling("library:memory=99,./strategy.so") == read_spelling(
        "connect4_library:max_memory_mb=99,./strategy.so"
    )
    assert luozi.game("go").with_weights("few:2").few == luozi.game("go").with_weights("max_self_atari:2").few == 2


def test_both_names_of_an_option_are_refused() -> None:
    for text in ("mcts:keep=true,reuse_tree=true", "flat:simulations=9,playouts=9"):
        with pytest.raises(LuoziError, match="is the old name of"):
            read_spelling(text)
    with pytest.raises(LuoziError, match="formula is the old name of selection"):
        luozi.Options(formula="uct", selection="uct")
    with pytest.raises(LuoziError, match="full is the old name of full_iterations"):
        LearningOptions.of({"full": 100, "full_iterations": 100})


def test_a_match_has_the_same_id_and_seeds_by_either_name() -> None:
    games = ("gomoku:size=6,exactly=true", "gomoku:size=6,exact_length=true")
    old, new = (MatchSchedule.of(game, [one, "random"]) for game, one in zip(games, (OLD, NEW), strict=True))
    assert old == new
    assert old.id == new.id
    assert '"mcts:iterations=20,formula=tuned' in new.definition
    assert new.labels[0].startswith("mcts:iterations=20,selection=ucb1_tuned")
    again = MatchSchedule.read(new.definition)
    assert (again, again.id, again.labels) == (new, new.id, new.labels)
    fixture = next(new.fixtures())
    assert new.seeds(fixture) == again.seeds(fixture)


def test_a_tuning_has_the_same_id_and_proposals_by_either_name() -> None:
    made = [
        Tuning.of("mcts:iterations=9", [f"{name}=uct|{value}", "c=0.2:2"], "random", "tictactoe")
        for name, value in (("formula", "tuned"), ("selection", "ucb1_tuned"))
    ]
    assert made[0].id == made[1].id
    assert "formula=uct|tuned" in made[0].label
    assert "selection=uct|ucb1_tuned" in shown_label(made[0].label)


def test_a_run_of_learning_keeps_its_old_names(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    asked = RunRequest("gomoku:size=7,exact_length=true", LearningOptions.of({"full": 99}))
    folder.write_asked(asked)
    text = (tmp_path / "settings.json").read_text(encoding="utf-8")
    assert '"full": 99' in text
    assert "exactly=true" in text
    assert folder.read_asked() == asked
    assert default_name(asked.game) == "gomoku-size-7-exactly-true"


def test_old_flags_and_commands_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("random", "random", "--game", "tictactoe", "-n", "2", "--workers", "1")
    for flag in ("--store", "--db"):
        assert main(["match", *words, flag, str(tmp_path / f"{flag}.db"), "--json"]) == 0
    capsys.readouterr()
    assert main(["match", *words, "--store", "a.db", "--db", "b.db"]) == 2
    assert "--store is the old name of --db: give one of them" in capsys.readouterr().err
    assert main(["course", "--help"]) == 0
    assert "luozi connect4-agent" in capsys.readouterr().out
    assert main(["match", "--help"]) == 0
    assert "--store" not in capsys.readouterr().out
    assert find_experiment("ladder") is EXPERIMENTS["opponents"]


def test_a_stranger_can_not_give_what_is_kept_back_by_its_old_name() -> None:
    for option in ("pool", "memory", "one_tree"):
        with pytest.raises(LuoziError, match="the server controls it"):
            read_options("mcts", {option: 100})
    with pytest.raises(LuoziError, match="may be"):
        read_options("exact", {"limit": 10**10})
    assert read_options("exact", {"limit": 10**8}) == {"nodes": 10**8}


class Rules(luozi.Game):
    """Take one or two of seven; who takes the last one wins. A pass is refused until two are left."""

    actions, max_length = 3, 30
    state = (("heap", "i4"), ("to_move", "i4"), ("passes", "i4"))

    def start(self, state: Any) -> None:
        state.heap, state.to_move, state.passes = 7, 0, 0

    def current_player(self, state: Any) -> int:
        return int(state.to_move)

    def is_legal(self, state: Any, action: int) -> bool:
        return bool(action < state.heap) if action < 2 else bool(state.heap < 3 and state.passes == 0)

    def apply_action(self, state: Any, action: int) -> None:
        if action == 2:
            state.passes = 1
        else:
            state.heap -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state: Any) -> bool:
        return bool(state.heap == 0)

    def returns(self, state: Any, returns: Any) -> None:
        returns[state.to_move], returns[1 - state.to_move] = 0.0, 1.0

    def priors(self, state: Any, actions: Any, count: int, priors: Any) -> None:
        for index in range(count):
            priors[index] = 1.0 / (1 + actions[index])


def assess(self: Any, state: Any, priors: Any, values: Any) -> None:
    """Chances and values."""
    for action in range(3):
        priors[action] = 0.2 + 0.1 * action
    values[state.to_move] = 0.25
    values[1 - state.to_move] = 0.75


with warnings.catch_warnings(record=True) as HEARD:
    warnings.simplefilter("always")

    class Old(Rules):
        """All by old names."""

        passing, wins_alone, unshared = 2, True, "the heap tells all"
        loose_simulations, policy_knows_wins = False, False
        assess = assess


class New(Rules):
    """All by new names."""

    pass_action, single_winner, no_transpositions = 2, True, "the heap tells all"
    approximate_playouts, policy_takes_wins = False, False
    priors_and_values = assess


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"selection": "puct", "evaluation": "static"},
    {"mcts_solver": "standard", "rave": "fuego"},
)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_class_with_old_names_plays_the_same_searches(options: dict[str, Any]) -> None:
    found = []
    for kind in (Old, New):
        game = kind()
        engine = luozi.Engine(game, seed=1, compiled=False, pool_size=5000, **options)
        result = engine.think(game.begin(), iterations=300)
        found.append([(one.action, one.visits, one.means) for one in result.candidates])
    assert found[0] == found[1]


def test_a_class_with_old_names_is_told_the_new_ones() -> None:
    said = [str(one.message) for one in HEARD]
    for old, new in old_names.GAME_ATTRIBUTES.items():
        if old in vars(Old):
            assert f"Old.{old} is called {new} now: both names work" in said
    game = Old()
    assert (game.pass_action, game.passing, game.has_single_winner, game.is_rivalry) == (2, 2, True, True)
    with pytest.raises(LuoziError, match="transpositions finds no equal positions"):
        luozi.Engine(game, transpositions=True)


def test_the_digest_of_a_class_is_that_of_its_old_names() -> None:
    one, other = Old(), New()
    name = Old.__qualname__
    New.__qualname__ = name
    try:
        assert digest_of_game(one) == digest_of_game(other)
    finally:
        New.__qualname__ = "New"


@pytest.mark.parametrize("name", ["Thought", "Workers"])
def test_public_names_that_are_gone_name_their_replacement(name: str) -> None:
    with pytest.raises(LuoziError, match=r"is gone: write luozi\."):
        getattr(luozi, name)
    with pytest.raises(ImportError, match=r"is gone: write luozi\."):
        exec(f"from luozi import {name}")
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(luozi, "nothing")  # noqa: B009


@pytest.mark.parametrize(
    ("module", "home"),
    [("boards", "rules.board"), ("contests.store", "matches"), ("playout", "rules.playout"), ("words", "messages")],
)
def test_modules_that_are_gone_name_their_new_place(module: str, home: str) -> None:
    with pytest.raises(LuoziError, match=f"is gone: its content is in luozi.{home}"):
        importlib.import_module(f"luozi.{module}")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("luozi.nothing_of_the_kind")


def test_every_new_place_of_a_module_is_there() -> None:
    from luozi.removed import MOVED, RENAMED

    for home in MOVED.values():
        importlib.import_module(home)
    for name in RENAMED.values():
        assert getattr(luozi, name.partition(".")[2])


def test_attributes_that_are_gone_name_their_replacement() -> None:
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, compiled=False, seed=1)
    result: Any = engine.think(game.begin(), iterations=20)
    for thing, names in (
        (result, ("kept", "cuts", "shared", "notice", "variation")),
        (engine, ("step", "branches")),
        (engine.options, ("formula", "keep")),
    ):
        for name in names:
            with pytest.raises(LuoziError, match=f"{name} is gone: write "):
                getattr(thing, name)
    with pytest.raises(LuoziError, match=r"is gone: write luozi\.Game"):
        getattr(importlib.import_module("luozi.rules"), "Game")  # noqa: B009
    assert {"kept", "cuts", "shared", "notice", "variation"} <= set(result.as_dict())


def test_measurements_of_experiments_are_found_by_old_names() -> None:
    bench = EXPERIMENTS["opponents"].bench(store=Store.open(None))
    assert bench.measure("mcts:final=max, positions 5", lambda: 1) == 1
    [(name, key)] = bench.store.rows("SELECT experiment, key FROM measurements")
    assert name == "ladder"
    assert key.endswith("mcts:final=mean, positions 5")
