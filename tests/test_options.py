"""Options that make no sense together, or that a game can't serve, are refused with one sentence that says why."""

from __future__ import annotations

import pytest
from test_pruning import Plain
from variant_trees import played, uncompiled

import luozi
from luozi.players import spelled_out
from luozi.search.options import Options

REFUSED = [
    ({"rave_weight": 5}, "rave_weight does nothing without rave"),
    ({"rave_prior": 5}, "rave_prior does nothing without rave and prior"),
    ({"ancestor_weight": 5}, "ancestor_weight does nothing without ancestor=start"),
    ({"ancestor": "order", "ancestor_weight": 5}, "ancestor_weight does nothing without ancestor=start"),
    ({"uncertain_after": 0.2}, "uncertain_after does nothing without uncertain"),
    ({"uncertain_visits": 5}, "uncertain_visits does nothing without uncertain"),
    ({"patience": 3}, "patience does nothing without final=agreement"),
    ({"formula": "tuned", "c": 1}, "formula=tuned has no constant: leave c out"),
    ({"formula": "chance", "c": 1}, "formula=chance has no constant: leave c out"),
    ({"formula": "tuned", "others": 0.5}, "leave others out"),
    ({"formula": "tuned", "personality": "bold"}, "leave personality out"),
    ({"formula": "tuned", "opponents": "paranoid"}, "leave opponents out"),
    ({"formula": "chance", "first_play": 0.5}, "looks at no score: leave first_play out"),
    ({"formula": "chance", "rave": "fuego"}, "looks at no score: leave rave out"),
    ({"formula": "chance", "ancestor": "order"}, "looks at no score: leave ancestor out"),
    ({"formula": "chance", "prior": 5}, "looks at no score: leave prior out"),
    ({"formula": "chance", "history": 1}, "looks at no score: leave history out"),
    ({"formula": "chance", "own": 2}, "looks at no score: leave own out"),
    ({"formula": "chance", "opponents": "paranoid"}, "looks at no score: leave opponents out"),
    ({"formula": "chance", "uncertain": 0.3}, "looks at no score: leave uncertain out"),
    ({"formula": "puct", "ancestor": "order"}, "leave ancestor=order out"),
    ({"personality": "bold", "own": 2}, "personality sets own and others"),
    ({"personality": "bold", "others": 1}, "personality sets own and others"),
    ({"personality": "bald"}, "did you mean 'bold'"),
    ({"personality": "bold+"}, "there is no personality ''"),
    ({"own": 0}, "own=0 and others=0 look at no result"),
    ({"opponents": "paranoid", "others": 1}, "leave own, others and personality out"),
    ({"opponents": "paranoid", "personality": "cautious"}, "leave own, others and personality out"),
    ({"opponents": "paranoid", "block_wins": True}, "leave block_wins out"),
    ({"opponents": "paranoid", "avoid_gifts": True}, "leave avoid_gifts out"),
    ({"prior": 3, "first_play": 0.5}, "leave first_play out"),
    ({"prior": 3, "ancestor": "order"}, "leave ancestor=order out"),
    ({"share": True, "keep_won": True}, "leave share out"),
    ({"share": True, "keep_lucky": True}, "leave share out"),
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
    if len(values) == 2 and "ancestor_weight" not in values:
        for name in values:
            if {name} != {"own"}:
                Options.of(**{key: value for key, value in values.items() if key != name})


@pytest.mark.parametrize(
    ("values", "option", "method"),
    [
        ({"block_wins": True}, "block_wins", "winning_actions"),
        ({"prior": 3}, "prior", "priors"),
        ({"formula": "puct"}, "formula=puct", "priors"),
        ({"policy": True}, "policy", "policy_action"),
    ],
)
def test_what_a_game_does_not_offer_is_refused_with_the_method_to_write(values, option, method):
    with pytest.raises(luozi.LuoziError, match=f"mcts: {option} needs a game that has {method}, and Plain has none"):
        luozi.Engine(Plain(), **values)
    luozi.Engine(luozi.game("tictactoe"), pool=1000, **values)


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
    with pytest.raises(luozi.LuoziError, match="block_wins needs a game in which everybody moves in turn"):
        luozi.Engine(Twice(), block_wins=True)
    luozi.Engine(Twice(), take_wins=True, avoid_gifts=True)


def test_first_play_may_be_endless():
    plain = Options.of(first_play="inf")
    assert plain.variants(0) == Options.of().variants(0)


def test_strong_leaves_out_what_contradicts_the_user():
    game = luozi.game("gomoku")
    for values in ("final=mean", "formula=uct", "opponents=paranoid", "formula=uct,final=margin"):
        spelled = spelled_out(f"strong:iterations=5,{values}", game)
        assert all(value in spelled for value in values.split(","))
        assert "take_wins=true" in spelled
        luozi.player(spelled, game)
    with pytest.raises(luozi.LuoziError, match="leave c out"):
        luozi.player("strong:formula=tuned,c=2", game)


def test_a_personality_for_more_seats_than_a_game_has_is_refused():
    with pytest.raises(luozi.LuoziError, match="personality is for 3 seats, and tictactoe has 2"):
        luozi.Engine(luozi.game("tictactoe"), personality="bold+bold+cautious")


@pytest.mark.parametrize("option", ["take_wins", "avoid_gifts"])
def test_what_can_be_found_by_trying_needs_nothing_of_the_game(option):
    game = Plain()
    engine = uncompiled(game, **{option: True})
    state = played(game, 0, 3, 1, 4) if option == "take_wins" else played(game, 0, 8, 1)
    assert engine.think(state, iterations=30).action == 2
    assert sum(candidate.cut for candidate in engine.think(state, iterations=1).candidates) > 3


def test_no_option_means_the_plain_search_and_each_variant_the_full_one():
    assert Options().is_plain
    assert Options(c=2, final="mean", keep=False, seed=1).is_plain
    assert Options(personality="bold").is_plain  # A = 1 and B = 0: the plain formula
    for values in ({"discount": 0.9}, {"decay": 0.9}, {"policy": True}, {"share": True}, {"prove": "standard"}):
        assert not Options(**values).is_plain
    assert not Options(personality="bold+cautious").is_plain
