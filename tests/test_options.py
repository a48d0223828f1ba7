"""Options that make no sense together, or that a game can't serve, are refused with one sentence that says why."""

from __future__ import annotations

import pytest
from test_pruning import Plain
from variant_trees import played, uncompiled

import luozi
from luozi.players import spelled_out
from luozi.search.option_requirements import moves_in_turn
from luozi.search.options import Options

REFUSED = [
    ({"rave_weight": 5}, "rave_weight has no effect without rave"),
    ({"rave_prior_visits": 5}, "rave_prior_visits has no effect without rave and prior_visits"),
    ({"grandfather_visits": 5}, "grandfather_visits has no effect without grandfather=start"),
    ({"grandfather": "order", "grandfather_visits": 5}, "grandfather_visits has no effect without grandfather=start"),
    ({"prune_after": 0.2}, "prune_after has no effect without prune_ratio"),
    ({"prune_min_visits": 5}, "prune_min_visits has no effect without prune_ratio"),
    ({"extra_budget": 3}, "extra_budget has no effect without final=max_robust"),
    ({"selection": "ucb1_tuned", "c": 1}, "selection=ucb1_tuned has no constant. Remove c"),
    ({"selection": "random", "c": 1}, "selection=random has no constant. Remove c"),
    ({"selection": "ucb1_tuned", "opponent_weight": 0.5}, "Remove opponent_weight"),
    ({"selection": "ucb1_tuned", "playing_style": "bold"}, "Remove playing_style"),
    ({"selection": "ucb1_tuned", "opponent_model": "paranoid"}, "Remove opponent_model"),
    ({"selection": "random", "fpu": 0.5}, "reads no score. Remove fpu"),
    ({"selection": "random", "rave": "fuego"}, "reads no score. Remove rave"),
    ({"selection": "random", "grandfather": "order"}, "reads no score. Remove grandfather"),
    ({"selection": "random", "prior_visits": 5}, "reads no score. Remove prior_visits"),
    ({"selection": "random", "progressive_history": 1}, "reads no score. Remove progressive_history"),
    ({"selection": "random", "own_weight": 2}, "reads no score. Remove own_weight"),
    ({"selection": "random", "opponent_model": "paranoid"}, "reads no score. Remove opponent_model"),
    ({"selection": "random", "prune_ratio": 0.3}, "reads no score. Remove prune_ratio"),
    ({"selection": "puct", "grandfather": "order"}, "Remove grandfather=order"),
    ({"playing_style": "bold", "own_weight": 2}, "playing_style sets own_weight and opponent_weight"),
    ({"playing_style": "bold", "opponent_weight": 1}, "playing_style sets own_weight and opponent_weight"),
    ({"playing_style": "bald"}, "did you mean 'bold'"),
    ({"playing_style": "bold+"}, "there is no playing_style ''"),
    ({"own_weight": 0}, "own_weight=0 and opponent_weight=0 use no result"),
    ({"opponent_model": "paranoid", "opponent_weight": 1}, "Remove own_weight, opponent_weight and playing_style"),
    (
        {"opponent_model": "paranoid", "playing_style": "cautious"},
        "Remove own_weight, opponent_weight and playing_style",
    ),
    ({"opponent_model": "paranoid", "anti_decisive_moves": True}, "Remove anti_decisive_moves"),
    ({"opponent_model": "paranoid", "avoid_immediate_loss": True}, "Remove avoid_immediate_loss"),
    ({"prior_visits": 3, "fpu": 0.5}, "Remove fpu"),
    ({"prior_visits": 3, "grandfather": "order"}, "Remove grandfather=order"),
    ({"transpositions": True, "keep_proven_win": True}, "Remove transpositions"),
    ({"transpositions": True, "keep_playout_win": True}, "Remove transpositions"),
]


@pytest.mark.parametrize(("values", "sentence"), REFUSED, ids=lambda value: str(value)[:60])
def test_options_that_make_no_sense_together_are_refused_in_one_sentence(values, sentence):
    with pytest.raises(luozi.LuoziError) as error:
        Options.of(**values)
    assert sentence in str(error.value)
    assert str(error.value).startswith("mcts: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("values", "sentence"), REFUSED, ids=lambda value: str(value)[:60])
def test_each_of_them_alone_is_allowed_or_needs_the_other(values, sentence):
    """What is refused is the combination: with one option less it is allowed, unless the rest is refused too."""
    if len(values) == 2 and "grandfather_visits" not in values:
        for name in values:
            if {name} != {"own"}:
                Options.of(**{key: value for key, value in values.items() if key != name})


@pytest.mark.parametrize(
    ("values", "option", "method"),
    [
        ({"anti_decisive_moves": True}, "anti_decisive_moves", "winning_actions"),
        ({"prior_visits": 3}, "prior_visits", "priors"),
        ({"selection": "puct"}, "selection=puct", "priors"),
        ({"playout_policy": True}, "playout_policy", "policy_action"),
    ],
)
def test_what_a_game_does_not_offer_is_refused_with_the_method_to_write(values, option, method):
    with pytest.raises(luozi.LuoziError, match=f"mcts: {option} needs a game that has {method}, and Plain has none"):
        luozi.Engine(Plain(), **values)
    luozi.Engine(luozi.game("tictactoe"), pool_size=1000, **values)


class Twice(luozi.Game):
    """Everybody moves twice in a row."""

    actions = 9
    state = (("played", "i1", 9), ("moves", "i2"))

    def start(self, state):
        state.moves = 0

    def current_player(self, state):
        return state.moves // 2 % 2

    def is_legal(self, state, action):
        return state.played[action] == 0

    def apply_action(self, state, action):
        state.played[action] = 1
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 9

    def returns(self, state, returns):
        returns[:] = 0.5

    def winning_actions(self, state, player, actions):
        return 0


def test_blocks_are_refused_where_turns_do_not_alternate():
    with pytest.raises(luozi.LuoziError, match="anti_decisive_moves needs a game in which everybody moves in turn"):
        luozi.Engine(Twice(), anti_decisive_moves=True)
    luozi.Engine(Twice(), decisive_moves=True, avoid_immediate_loss=True)


def test_first_play_may_be_endless():
    plain = Options.of(fpu="inf")
    assert plain.variants(0) == Options.of().variants(0)


def test_strong_leaves_out_what_contradicts_the_user():
    game = luozi.game("gomoku")
    for values in ("final=max", "selection=uct", "opponent_model=paranoid", "selection=uct,final=margin"):
        spelled = spelled_out(f"strong:iterations=5,{values}", game)
        assert all(value in spelled for value in values.split(","))
        assert "decisive_moves=true" in spelled
        luozi.player(spelled, game)
    with pytest.raises(luozi.LuoziError, match="Remove c"):
        luozi.player("strong:selection=ucb1_tuned,c=2", game)


def test_a_personality_for_more_seats_than_a_game_has_is_refused():
    with pytest.raises(luozi.LuoziError, match="playing_style is for 3 seats, and tictactoe has 2"):
        luozi.Engine(luozi.game("tictactoe"), playing_style="bold+bold+cautious")


@pytest.mark.parametrize("option", ["decisive_moves", "avoid_immediate_loss"])
def test_what_can_be_found_by_trying_needs_nothing_of_the_game(option):
    game = Plain()
    engine = uncompiled(game, **{option: True})
    state = played(game, 0, 3, 1, 4) if option == "decisive_moves" else played(game, 0, 8, 1)
    assert engine.think(state, iterations=30).action == 2
    assert sum(candidate.cut for candidate in engine.think(state, iterations=1).candidates) > 3


def test_no_option_means_the_plain_search_and_each_variant_the_full_one():
    assert Options().is_plain
    assert Options(c=2, final="max", reuse_tree=False, seed=1).is_plain
    assert Options(playing_style="bold").is_plain  # A = 1 and B = 0: the plain formula
    for values in (
        {"backup_discount": 0.9},
        {"playout_discount": 0.9},
        {"playout_policy": True},
        {"transpositions": True},
        {"mcts_solver": "standard"},
    ):
        assert not Options(**values).is_plain
    assert not Options(playing_style="bold+cautious").is_plain


def test_whose_turn_it_is_on_a_large_board_is_found_without_listing_all_moves(monkeypatch):
    game, asked = luozi.game("lines:rows=29,columns=30,win_length=127"), []
    is_legal = type(game).is_legal
    monkeypatch.setattr(type(game), "is_legal", lambda *given: asked.append(given[-1]) or is_legal(*given))
    assert moves_in_turn(game)
    assert 0 < len(asked) < 50_000  # 570,000 where each list looks at all cells
