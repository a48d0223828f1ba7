"""The experiment `ablation`: which options are compared, how, and what is said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from luozi.experiments import EXPERIMENTS
from luozi.experiments import ablation as module
from luozi.experiments.ablation import OTHERS, TRIED, chosen, offers
from luozi.experiments.drawing import draw
from luozi.experiments.frame import Bench, TableDesign
from luozi.experiments.report import do_experiment
from luozi.experiments.table import Result, ResultTable
from luozi.games import game as make_game
from luozi.matches.game_runner import moves_of
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.messages import LuoziError
from luozi.search.options import Options
from luozi.util.parameters import parameters_of

ABLATION = EXPERIMENTS["ablation"]
EVERY = (*TRIED, *OTHERS)
# Options that are no variant of their own: budgets, memory, and numbers that belong to another option.
NO_VARIANTS = {
    "iterations",
    "seconds",
    "nodes",
    "c",
    "rewards",
    "own_weight",
    "opponent_weight",
    "opponent_model",
    "rave_weight",
}
NO_VARIANTS |= {"rave_prior_visits", "network_vct_nodes"}
NO_VARIANTS |= {
    "grandfather_visits",
    "prune_after",
    "prune_min_visits",
    "extra_budget",
    "pool_size",
    "max_memory_mb",
    "seed",
    "static_weight",
}
NO_VARIANTS |= {
    "random_move_rate",
    "self_play_tree",
    "early_stop",
    "resign_threshold",
}  # for people, for self-play, and for short games
NO_VARIANTS |= {"virtual_loss", "ownership"}  # of batches; tells only
NO_VARIANTS |= {"threads", "parallel", "locks", "counters"}  # by time alone
NO_VARIANTS |= {
    "network",
    "network_threat_nodes",
    "fpu_reduction",
    "c_growth",
    "opponent_blunder_rate",
    "dirichlet_fraction",
    "gumbel_candidates",
}  # of games that were learned
NO_VARIANTS |= {
    "heuristic_weights",
    "candidates_only",
    "territory_playouts",
    "territory_min_share",
    "territory_max_share",
}  # of Go


def match_of(scores: Sequence[float]) -> Run:
    """A made-up match with these scores of the first player."""
    run = Run(MatchSchedule.of("tictactoe", ["mcts", "random"]), len(scores))
    for number, score in enumerate(scores):
        seats = (0, 1) if number % 2 == 0 else (1, 0)
        results = (score, 1 - score) if number % 2 == 0 else (1 - score, score)
        run.add(ScoredGame(number, number // 2, seats, results, -1, "", 9))
    return run


# Which options --------------------------------------------------------------------------------------------------------


def test_every_variant_of_the_search_is_compared() -> None:
    covered = {name for option in EVERY for name in option.values}
    assert set(parameters_of(Options)) - NO_VARIANTS == covered


def test_every_option_can_be_searched_with_and_changes_the_base() -> None:
    for option in EVERY:
        with_it, without = Options.of(iterations=1, **option.values), Options.of(iterations=1, **option.base)
        assert with_it != without, option.name
    assert len({option.name for option in EVERY}) == len(EVERY)


def test_the_kept_tree_plays_against_none() -> None:
    [kept] = [option for option in EVERY if option.values == {"reuse_tree": True}]
    run = module.contest(ABLATION.bench(), "tictactoe", kept, {"iterations": 10})
    assert run.contest.players[1] == "mcts:iterations=10,reuse_tree=false"
    assert "reuse_tree=false" not in run.contest.players[0]


def test_options_are_chosen_by_name() -> None:
    assert chosen("report") == list(TRIED)
    assert chosen("all") == list(EVERY)
    assert [option.name for option in chosen("keep + prior_visits=10.0")] == ["reuse_tree=true", "prior_visits=10.0"]
    assert [option.name for option in chosen("decisive_moves")] == ["decisive_moves=true"]  # and no row with more
    assert chosen("report+share") == list(TRIED)


def test_a_bare_name_is_every_row_that_sets_the_option() -> None:
    assert [option.name for option in chosen("rave")] == ["rave=fuego", "rave=hand_selected", "rave=min_mse"]
    assert [option.name for option in chosen("prior+rave=fuego+rave")][:2] == ["prior_visits=10.0", "rave=fuego"]
    assert len(chosen("prior+rave=fuego+rave")) == 4


@pytest.mark.long
def test_values_of_ones_own_are_a_row() -> None:
    [discount, rave] = chosen("backup_discount=0.95 + rave=fuego,rave_weight=50")
    assert (discount.values, rave.values) == ({"backup_discount": 0.95}, {"rave": "fuego", "rave_weight": 50.0})
    assert rave.name == "rave=fuego,rave_weight=50.0"
    assert not discount.reported
    # Written in another way, a row is still itself, with its own base.
    assert chosen("reuse_tree=yes+prior=10") == chosen("keep+prior=10.0")
    bench = ABLATION.bench(games=2, iterations=10, store=Store.open(None))
    report = do_experiment(ABLATION, bench, {"game": "tictactoe", "options": "backup_discount=0.95"})
    assert [row[:2] for row in report.result.tables[0].rows] == [("backup_discount=0.95", 2)]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("transposition", "ablation has no option 'transposition'; did you mean 'transpositions'?"),
        ("raves=fuego", "ablation has no option 'raves'; did you mean 'rave'?"),
        ("zzz", "ablation has no option 'zzz'; `luozi players` lists those of mcts"),
        ("c", "ablation has no row for c. Give a value, as in c=..."),
        ("rave=fast", "mcts: rave=fast is not valid; choose one of: none, fuego, hand_selected, min_mse"),
        ("backup_discount=7", "mcts: backup_discount=7 is not valid; it must be 0.01 to 1"),
        ("rave_weight=50", "mcts: rave_weight has no effect without rave"),
        (
            "seconds=1",
            "seconds=1: remove seconds. All players have the same limit, which --iterations or --seconds sets.",
        ),
        ("backup_discount=1", "backup_discount=1 is the value of the base. Give another value."),
    ],
)
def test_options_that_make_no_row_get_one_short_sentence(written: str, said: str) -> None:
    with pytest.raises(LuoziError) as error:
        chosen(f"share+{written}")
    assert str(error.value) == said


def test_nothing_is_measured_for_three_players_or_without_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "equal_limits", lambda *_: pytest.fail("it measures"))
    for values, said in (
        ({"game": "five3d"}, "^five3d has 3 players. Choose a game for two, such as connect4"),
        (
            {"game": "go:size=5", "options": "fours"},
            "^go:size=5 does not define what threat_search=true needs. Choose other",
        ),
    ):
        with pytest.raises(LuoziError, match=said):
            do_experiment(ABLATION, ABLATION.bench(games=2, iterations=10), values)


def test_an_option_that_a_game_does_not_offer_is_left_out_and_named() -> None:
    go = make_game("go:size=5")
    assert not all(offers(go, option) for option in EVERY)
    assert all(offers(make_game("connect4"), option) for option in EVERY)
    report = do_experiment(ABLATION, ABLATION.bench(games=2, iterations=10).looking(), {"game": "go:size=5"})
    left = dict(report.result.facts)["left out"]
    assert "threat_search=true" in left
    assert "threat_search=true" not in [row[0] for row in report.result.tables[0].rows]


# Equal budgets and moves cut ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("as_written")
def test_games_are_played_at_equal_iterations_and_equal_time_and_tell_the_moves_cut() -> None:
    store = Store.open(None)
    values = {"game": "tictactoe", "options": "decisive_moves+discount=0.99"}
    report = do_experiment(ABLATION, ABLATION.bench(games=4, iterations=40, store=store), values)
    assert report.bench.complete
    iterations, time, cuts = (table.as_dict()["rows"] for table in report.result.tables)
    assert [row["option"] for row in iterations] == ["decisive_moves=true", "backup_discount=0.99"]
    assert all(row["games"] == 4 == row["wins"] + row["draws"] + row["losses"] for row in (*iterations, *time))
    budgets = {tuple(player.split(",")[0] for player in entry.contest.players) for entry in store.entries()}
    [(first, second)] = {pair for pair in budgets if "seconds" in pair[0]}
    assert first == second
    assert ("mcts:iterations=40", "mcts:iterations=40") in budgets
    # The table against the games as they are kept.
    assert {row["rule"] for row in cuts} == {"decisive_moves"}
    counted: Counter[str] = Counter()
    for entry in store.entries():
        if any("decisive_moves" in player for player in entry.contest.players):
            for outcome in store.outcomes(entry.contest):
                for thought in (move.thought for move in moves_of(entry.contest, outcome)):
                    if thought:
                        counted["seconds" in entry.contest.players[0]] += sum(thought.get("cuts", {}).values())
    assert [row["moves cut"] for row in cuts] == [counted[False], counted[True]]
    assert counted[False] > 0
    assert iterations[0]["cut a search"] == cuts[0]["cut a search"]
    assert iterations[1]["cut a search"] is None
    assert all(row["iterations"] > 0 for row in time)


@pytest.mark.usefixtures("as_written")
def test_more_games_go_on_with_those_there_are_at_the_same_time() -> None:
    store, values = Store.open(None), {"game": "tictactoe", "options": "backup_discount=0.99"}
    first = do_experiment(ABLATION, ABLATION.bench(games=2, iterations=50, store=store), values)
    before = {
        (entry.contest.id, one.fixture.number): one for entry in store.entries() for one in games_in(store, entry)
    }
    looked = do_experiment(ABLATION, first.bench.looking(), values)
    assert looked.result.tables == first.result.tables
    more = do_experiment(ABLATION, ABLATION.bench(games=4, iterations=50, store=store), values)
    after = {(entry.contest.id, one.fixture.number): one for entry in store.entries() for one in games_in(store, entry)}
    assert before.items() <= after.items()
    assert len(after) == 2 * len(before) == 8
    assert dict(more.result.facts)["equal time"] == dict(first.result.facts)["equal time"]


def games_in(store: Store, entry: object) -> list[object]:
    return list(store.outcomes(entry.contest))  # type: ignore[attr-defined]


@pytest.mark.usefixtures("as_written")
def test_a_budget_in_seconds_finds_its_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROBE", 50)
    bench = ABLATION.bench(seconds=0.002, store=Store.open(None))
    limits = module.equal_limits(bench, make_game("tictactoe"))
    assert limits[module.TIME] == {"seconds": 0.002}
    assert limits[module.ITERATIONS]["iterations"] > 1
    assert module.equal_limits(bench, make_game("tictactoe")) == limits  # kept
    assert list(module.equal_limits(ABLATION.bench(seconds=0.002).looking(), make_game("tictactoe"))) == [module.TIME]


# What is said ---------------------------------------------------------------------------------------------------------


def table_of(bench: Bench, way: str, scores: dict[str, Sequence[float]]) -> ResultTable:
    """The table of made-up matches."""
    rows = []
    for option in chosen("decisive_moves+share+keep+rave=fuego"):
        row = module.option_row(bench, "tictactoe", option, way, None)
        row.bench, row.runs = bench, [match_of(scores[option.name])] if option.name in scores else []
        rows.append(row)
    return TableDesign(module.TITLES[way], module.columns_of(way), rows).filled()


def test_the_verdicts_follow_from_the_intervals() -> None:
    bench = ABLATION.bench(store=Store.open(None))
    scores = {"decisive_moves=true": [1.0] * 40, "transpositions=true": [0.0] * 40, "reuse_tree=true": [1.0, 0.0] * 20}
    table = table_of(bench, module.ITERATIONS, scores)
    lines = {row["option"]: row for row in table.as_dict()["rows"]}
    assert [lines[name]["verdict"] for name in lines] == ["stronger", "weaker", "undecided", None]
    assert [lines[name]["report"] for name in lines] == ["weaker", "weaker", "weaker", None]
    assert (lines["decisive_moves=true"]["win rate"], lines["decisive_moves=true"]["games"]) == (1.0, 40)
    nothing = table_of(bench, module.TIME, {})  # nothing is played at equal time yet
    assert all(row["verdict"] is None and row["games"] == 0 for row in nothing.as_dict()["rows"])
    figure = draw(Result((table, nothing), drawing=module.DRAWING))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Equal iterations: win rate",
        "Equal time: win rate",
    ]
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [
        "decisive_moves=true",
        "transpositions=true",
        "reuse_tree=true",
    ]  # of the last row nothing is known


def test_moves_cut_are_counted_by_search_and_iteration() -> None:
    cut = module.cut_values("decisive_moves=true", "decisive_moves", 30, {"searches": 10, "iterations": 1000})
    assert (cut["moves cut"], cut["cut a search"], cut["cut in 1,000 iterations"]) == (30, 3.0, 30.0)
    assert cut["report, in one place"] == "N - 1"
    before = module.cut_values("decisive_moves=true", "decisive_moves", 6, {"searches": 2, "iterations": 0})
    assert (before["cut a search"], before["cut in 1,000 iterations"]) == (3.0, None)  # time was up before the first
