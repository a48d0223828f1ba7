"""`luozi check`: one broken game for each thing that it looks at, and the sentence that it says."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import luozi
from luozi.check import check_game
from luozi.check.checker import Checker
from luozi.rules.state import record_type

MOVES_MADE = [0]


class Row(luozi.Game):
    """Take one of five places in turn; who takes the last one wins. Most tests break one method of it."""

    actions = 5
    state = [("board", "i1", 5), ("to_move", "i1"), ("left", "i1")]  # noqa: RUF012

    def start(self, state):
        state.left = 5

    def current_player(self, state):
        return state.to_move

    def legal_actions(self, state, actions):
        count = 0
        for place in range(5):
            if state.board[place] == 0:
                actions[count] = place
                count += 1
        return count

    def apply_action(self, state, action):
        state.board[action] = state.to_move + 1
        state.left -= 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.left == 0

    def returns(self, state, returns):
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0


def broken(**methods):
    """A Row with other methods or attributes."""
    return type("Broken", (Row,), methods)()


def problems(game, games=6):
    """The sentences about a game that is expected to fail before anything is compiled."""
    report = check_game(game, games)
    assert not report.ok
    return report.sentences[:-1]


def problem(game, games=6):
    found = problems(game, games)
    assert len(found) == 1, found
    assert "\n" not in found[0]
    return found[0]


def test_a_sound_game_passes_and_the_numbers_are_told():
    lines = []
    report = check_game(Row(), games=40, report=lines.append)
    assert report.ok
    assert report.sentences == ("40 games compiled, 40 of them uncompiled as well: nothing wrong in 200 moves",)
    assert (report.games, report.moves, report.uncompiled_games) == (40, 200, 40)
    assert any("Row" in line for line in lines)


def test_the_kind_of_game_is_told():
    row = Row()
    row.compilable = False
    report = check_game(row, games=10)
    assert report.facts == (
        "random games: 3.0 legal moves a turn, 5.0 moves a game (5 to 5)",
        "results: X 1.000, O 0.000 on average, first seat +0.500, 0.0 % draws",
    )

    def returns(self, state, returns):
        returns[0] = returns[1] = returns[2] = 0.5

    three = broken(players=3, compilable=False, returns=returns)
    assert check_game(three, games=10).facts[1:] == (
        "results: X 0.500, O 0.500, L 0.500 on average, first seat +0.000, 100.0 % draws",
        "player L never moves in 5 games: look at current_player",
    )


def test_the_speed_is_told():
    row = Row()
    row.compilable = False
    assert re.fullmatch(
        r"plain search: [1-9][\d,]* iterations/s from the start", check_game(row, games=2, speed=True).facts[-1]
    )


def test_the_same_seed_plays_the_same_games():
    def told(seed):
        game = broken(compilable=False, returns=lambda self, state, returns: returns.fill(state.board[0] / 2))
        return check_game(game, games=40, seed=seed)

    assert told(1) == told(1) != told(2)


# Legal actions -----------------------------------------------------------------------------------------------------


def test_an_action_that_is_listed_twice():
    def legal_actions(self, state, actions):
        actions[0] = actions[1] = 3
        return 2

    assert problem(broken(legal_actions=legal_actions)) == (
        "Broken.legal_actions lists action 3 twice in game 1, move 1; list each action once"
    )


def test_an_action_out_of_range():
    def legal_actions(self, state, actions):
        actions[0] = 5
        return 1

    assert "lists action 5 in game 1, move 1; actions are 0 to 4" in problem(broken(legal_actions=legal_actions))


@pytest.mark.parametrize("count", [-1, 6])
def test_a_count_that_can_not_be(count):
    sentence = problem(broken(legal_actions=lambda self, state, actions: count))
    assert f"Broken.legal_actions returns {count} in game 1, move 1; it must return how many" in sentence


@pytest.mark.parametrize("method", ["is_legal", "legal_actions"])
def test_a_player_without_moves_is_to_be_skipped(method):
    never = {"is_legal": lambda self, state, action: False, "legal_actions": lambda self, state, actions: 0}
    written = {"legal_actions": luozi.Game.legal_actions, method: never[method]}
    assert problem(broken(**written)) == (
        f"Broken.{method} allows player 0 no action in game 1, move 1, and is_terminal says that the game goes on; "
        "end the game there, or skip that player in apply_action"
    )


def test_is_legal_that_disagrees():
    sentence = problem(broken(is_legal=lambda self, state, action: state.board[action] == 0 and action != 2))
    assert "is_legal and legal_actions disagree about action 2 in game 1, move 1" in sentence


def test_random_action_that_is_not_legal():
    sentence = problem(broken(random_action=lambda self, state, rng: luozi.random_below(rng, 5)))
    assert sentence.startswith("Broken.random_action draws ")
    assert "which is not legal; draw only legal actions" in sentence


def test_random_action_may_bend_a_rule_if_the_class_says_so():
    methods = {"random_action": lambda self, state, rng: 0, "compilable": False}
    assert "random_action draws 0" in problem(broken(**methods))
    assert check_game(broken(**methods, approximate_playouts=True), games=6).ok
    assert "draws 9" in problem(broken(random_action=lambda self, state, rng: 9, approximate_playouts=True))


# Players, results, the end -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [-1, -2])
def test_chance_and_simultaneous_moves(player):
    sentence = problem(broken(current_player=lambda self, state: player))
    assert sentence == (
        f"Broken.current_player gives {player} in game 1, move 1; "
        "chance (-1) and simultaneous moves (-2) can't be searched"
    )


def test_a_player_too_many():
    sentence = problem(broken(current_player=lambda self, state: 2))
    assert "gives 2 in game 1, move 1; players are 0 to 1" in sentence


@pytest.mark.parametrize("value", [-1.0, 1.5, float("nan")])
def test_results_out_of_range(value):
    def returns(self, state, returns):
        returns[0], returns[1] = 0.5, value

    sentence = problem(broken(returns=returns))
    assert sentence.startswith(f"Broken.returns gives player 1 {value} at the end of game 1; set")


def test_results_that_are_forgotten():
    assert "gives player 0 nothing" in problem(broken(returns=lambda self, state, returns: None))


def test_a_game_without_end():
    def apply_action(self, state, action):
        state.to_move = 1 - state.to_move

    assert problem(broken(apply_action=apply_action)) == (
        "Broken.is_terminal has not ended game 1 after 5 moves, and the class sets no max_length: a game may then have "
        "as many moves as there are actions; set max_length, or end the game"
    )
    assert problem(broken(apply_action=apply_action, max_length=9)) == (
        "Broken.is_terminal has not ended game 1 after 9 moves; end the game, or raise max_length"
    )


def test_a_game_that_is_over_at_once():
    sentence = problem(broken(is_terminal=lambda self, state: True))
    assert sentence == "Broken.is_terminal says that the game is over before the first move"


def test_a_guess_out_of_range():
    def evaluate(self, state, values):
        values[0] = 2.0

    assert "evaluate gives player 0 2.0 in game 1, move 1; a guess must be from 0 to 1" in problem(
        broken(evaluate=evaluate)
    )


# Knowledge -----------------------------------------------------------------------------------------------------------


def last_place(self, state, player, actions):
    """The winning actions of a Row: who takes the last place wins."""
    if state.left != 1:
        return 0
    return self.legal_actions(state, actions)


def middle_first(self, state, actions, count, values):
    for index in range(count):
        values[index] = 1.0 if actions[index] == 2 else 0.25


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
def test_sound_knowledge_passes(compiled):
    def policy_action(self, state, rng, actions):
        return actions[self.legal_actions(state, actions) - 1]

    def all_of_them(self, state, actions):
        return self.legal_actions(state, actions)

    game = broken(
        compilable=compiled,
        winning_actions=last_place,
        priors=middle_first,
        policy_action=policy_action,
        threatening_actions=all_of_them,
        forced_replies=lambda self, state, attacker, actions: -1,
        candidates=lambda self, state, actions, count: (count + 1) // 2,
    )
    report = check_game(game, games=20)
    assert report.ok, report
    assert report.uncompiled_games == 20


def lists(*numbers, count=None):
    """A method that writes the same actions everywhere."""

    def method(self, state, *rest):
        for index in range(len(numbers)):
            rest[-1][index] = numbers[index]
        return len(numbers) if count is None else count

    return method


def test_winning_actions_out_of_range():
    sentence = problem(broken(winning_actions=lists(99)))
    assert sentence == "Broken.winning_actions lists action 99 in game 1, move 1; actions are 0 to 4"


def test_winning_actions_that_do_not_win():
    def winning_actions(self, state, player, actions):
        return self.legal_actions(state, actions) if state.left <= 2 else 0

    sentence = problem(broken(winning_actions=winning_actions))
    assert sentence.startswith("Broken.winning_actions lists action ")
    assert "in game 1, move 4, but after it the player to move has not won" in sentence


def test_winning_actions_that_are_forgotten():
    sentence = problem(broken(winning_actions=lambda self, state, player, actions: 0))
    assert sentence.startswith("Broken.winning_actions leaves out action ")
    assert "in game 1, move 5, which wins at once" in sentence


@pytest.mark.parametrize("method", ["winning_actions", "threatening_actions", "forced_replies"])
def test_knowledge_with_a_count_that_can_not_be(method):
    sentence = problem(broken(**{method: lists(count=6)}))
    assert sentence.startswith(f"Broken.{method} returns 6 in game 1, move 1; it must return how many")


@pytest.mark.parametrize("method", ["threatening_actions", "forced_replies"])
def test_threats_and_replies_must_be_legal(method):
    sentence = problem(broken(**{method: lists(0)}))
    assert re.match(rf"Broken.{method} gives action 0 in game 1, move \d, which is not legal there", sentence)
    assert f"Broken.{method} lists action 3 twice" in problem(broken(**{method: lists(3, 3)}))


@pytest.mark.parametrize(
    ("first", "kept", "told"),
    [(99, 1, "lists action 99 in"), (0, 1, "gives action 0 in"), (-1, 0, "returns 0 in"), (-1, 6, "returns 6 in")],
)
def test_candidates_must_be_some_of_the_legal_moves(first, kept, told):
    def candidates(self, state, actions, count):
        if first >= 0:
            actions[0] = first
        return kept

    assert problem(broken(candidates=candidates)).startswith(f"Broken.candidates {told} game 1, move ")


@pytest.mark.parametrize("value", [5.0, -0.1, float("nan")])
def test_priors_out_of_range(value):
    def priors(self, state, actions, count, values):
        values[0] = value

    sentence = problem(broken(priors=priors))
    assert sentence == f"Broken.priors gives action 0 {value} in game 1, move 1; a prior must be from 0 to 1"


def test_priors_beyond_the_moves():
    def priors(self, state, actions, count, values):
        values[count] = 0.5

    assert "in priors: IndexError: index 5 is out of bounds" in problem(broken(priors=priors))


@pytest.mark.parametrize("action", [0, -1, 99])
def test_a_policy_that_is_not_legal(action):
    sentence = problem(broken(policy_action=lambda self, state, rng, actions: action))
    assert sentence.startswith(f"Broken.policy_action gives action {action} in game 1, move ")


def overflowing_priors(self, state, actions, count, values):
    values[0] = 0.25 if state.left == 2 and state.left * 2**62 < 0 else 0.5  # beyond 64 bits, compiled


def overflowing_policy(self, state, rng, actions):
    count = self.legal_actions(state, actions)
    return actions[0] if state.left == 2 and state.left * 2**62 < 0 else actions[count - 1]


@pytest.mark.parametrize(
    ("name", "method"),
    [("priors", overflowing_priors), ("policy_action", overflowing_policy)],
)
@pytest.mark.long  # the next but a few look at other methods in the same way
def test_knowledge_that_differs_when_compiled(name, method):
    sentence = problem(broken(**{name: method}))
    assert sentence.startswith(f"Broken.{name}: compiled and uncompiled rules differ in game 1, move ")


# What rules may touch ------------------------------------------------------------------------------------------------


def test_a_question_that_changes_the_state():
    def is_terminal(self, state):
        state.board[2] = 1
        return state.left == 0

    assert problem(broken(is_terminal=is_terminal)) == (
        "Broken.is_terminal changes the state's 'board'; only start and apply_action may change it"
    )


def test_a_rule_that_keeps_something_in_self():
    def apply_action(self, state, action):
        self.count = action
        Row.apply_action(self, state, action)

    sentence = problem(broken(apply_action=apply_action))
    assert sentence == "Broken.apply_action changes self.count; keep what changes in a field of the state"


@pytest.mark.parametrize("value", [0, [0]])
def test_a_rule_that_keeps_something_in_its_class(value):
    def apply_action(self, state, action):
        if isinstance(self.count, int):
            type(self).count += 1
        else:
            self.count[0] += 1
        Row.apply_action(self, state, action)

    sentence = problem(broken(apply_action=apply_action, count=value))
    assert sentence == "Broken.apply_action changes self.count; keep what changes in a field of the state"


def test_a_rule_that_writes_into_a_table():
    def apply_action(self, state, action):
        self.table[action] += 1
        Row.apply_action(self, state, action)

    game = broken(apply_action=apply_action)
    game.table = np.zeros(5)
    assert "changes self.table" in problem(game)


def test_a_rule_that_remembers_in_a_global():
    def apply_action(self, state, action):
        MOVES_MADE[0] += 1
        state.board[action] = 1 + MOVES_MADE[0] % 100
        state.left -= 1

    sentence = problem(broken(apply_action=apply_action))
    assert "Broken.apply_action leads from the same moves to another position in game 1, move 2" in sentence


def test_a_start_by_chance():
    def start(self, state):
        state.left = random.choice([4, 5])

    sentence = problem(broken(start=start), games=20)
    assert "Broken.start gives another position each time" in sentence


# What methods return and raise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["legal_actions", "current_player", "is_terminal"])
def test_a_method_that_returns_nothing(method):
    sentence = problem(broken(**{method: lambda self, *rest: None}))
    assert sentence.startswith(f"Broken.{method} returns nothing; it must return ")


def test_an_exception_is_told_with_its_line():
    def is_terminal(self, state):
        return state.left == 0 or 1 // (state.left - 3) == 9

    sentence = problem(broken(is_terminal=is_terminal))
    assert sentence.startswith("test_check.py, line ")
    assert ", in is_terminal: ZeroDivisionError: " in sentence
    assert "Traceback" not in sentence


def test_an_index_out_of_bounds_uncompiled():
    def is_terminal(self, state):
        return state.board[state.left] == 9 or state.left == 0

    assert "in is_terminal: IndexError: index 5 is out of bounds" in problem(broken(is_terminal=is_terminal))


def test_a_number_that_does_not_fit_its_field():
    def apply_action(self, state, action):
        state.board[action] = 100 * action
        state.left -= 1

    sentence = problem(broken(apply_action=apply_action), games=20)
    assert "in apply_action: OverflowError" in sentence
    assert "give 'board' a wider type" in sentence


def test_an_unsigned_field_that_falls_below_zero():
    def apply_action(self, state, action):
        state.board[action] = 1
        state.left -= 2

    fields = [("board", "i1", 5), ("to_move", "i1"), ("left", "u1")]
    assert "give 'left' a wider type" in problem(broken(apply_action=apply_action, state=fields))


@pytest.mark.parametrize("how", ["read", "write"])
def test_a_field_that_is_not_there(how):
    def read(self, state, action):
        state.left -= state.bord[action]

    def write(self, state, action):
        state.bord = 1

    sentence = problem(broken(apply_action=read if how == "read" else write))
    assert "AttributeError" in sentence
    assert "did you mean 'board'?" in sentence


def test_a_method_with_other_arguments():
    assert problem(broken(apply_action=lambda self, state: None)) == (
        "Broken.apply_action takes (state); write apply_action(self, state, action)"
    )


def test_two_kinds_of_problems_are_both_told():
    def returns(self, state, returns):
        returns[0] = returns[1] = 2.0

    game = broken(returns=returns, random_action=lambda self, state, rng: -7)
    found = problems(game)
    assert len(found) == 2
    assert {sentence.split()[0] for sentence in found} == {"Broken.returns", "Broken.random_action"}


# For people --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({"show": lambda self, state: 3}, "Broken.show returned 3; it must return text"),
        ({"action_to_string": lambda self, state, action: action}, "Broken.action_to_string returned 0; it must"),
        ({"action_to_string": lambda self, state, action: "x"}, "Broken.action_to_string calls two actions 'x'"),
        ({"string_to_action": lambda self, state, text: 9}, "Broken.string_to_action reads '0' as 9 and not 0"),
        ({"show": lambda self, state: 1 / 0}, "test_check.py, line "),
    ],
)
def test_names_and_pictures(methods, sentence):
    assert problem(broken(**methods)).startswith(sentence)


# Compiled ----------------------------------------------------------------------------------------------------------


def test_rules_that_differ_when_compiled():
    def is_terminal(self, state):
        return (state.left == 2 and state.left * 2**62 < 0) or state.left == 0  # beyond 64 bits, compiled

    sentence = problem(broken(is_terminal=is_terminal))
    assert sentence.startswith("Broken.is_terminal: compiled and uncompiled rules differ in game 1, move ")
    assert sentence.endswith(": 1 and 0")


def test_a_state_that_differs_when_compiled():
    def apply_action(self, state, action):
        state.board[action] = 1 + ((state.left + 1) * 2**62 < 0)
        state.left -= 1

    sentence = problem(broken(apply_action=apply_action))
    assert sentence.startswith("Broken.apply_action: compiled and uncompiled rules differ in game 1, move 2: 'board' ")


def test_an_index_out_of_bounds_that_only_compiled_games_reach():
    def apply_action(self, state, action):
        state.board[action + 3] = 1
        state.left -= 1

    checker = Checker(broken(apply_action=apply_action), 6, watched_games=0, most_seconds=0.0)
    checker.run()
    (sentence,) = checker.problems.values()
    assert "in apply_action: IndexError: index " in sentence


def test_a_class_that_can_not_be_compiled():
    def is_terminal(self, state):
        counts = [0, 0, 0]
        return state.left == counts[0]

    sentence = problem(broken(is_terminal=is_terminal))
    assert sentence.startswith("test_check.py, line ")
    assert "in is_terminal: compiled rules can't make a list" in sentence
    assert sentence.endswith("`counts = [0, 0, 0]`")


def test_a_sum_of_fields_is_a_number():
    def is_terminal(self, state):
        return state.board[0:2].sum() > 2 and state.board[2:5].sum() > 3

    row = broken(is_terminal=is_terminal, compilable=False)
    assert check_game(row, games=4).ok
    state = row.new_state()
    assert type(state.board[0:2].sum()) is int
    assert type(state.board[0:2].sum() == 0) is bool
    assert isinstance(state.board + 1, np.ndarray)


def test_an_attribute_that_is_none():
    game = broken(is_terminal=lambda self, state: state.left == 0 or self.best == 3)
    game.best = None
    assert "self.best is None, which compiled rules can't read; make it a number" in problem(game)


@pytest.mark.parametrize("made", [*(pytest.param(kind, marks=pytest.mark.long) for kind in ("set", "dict")), "list"])
def test_what_can_not_be_made_is_named(made):
    def sets(self, state):
        seen = set()
        return state.left == 0 or state.left in seen

    def dicts(self, state):
        seen = {}
        return state.left == 0 or state.left in seen

    def lists(self, state):
        seen = []
        return state.left == 0 or state.left in seen

    sentence = problem(broken(is_terminal={"set": sets, "dict": dicts, "list": lists}[made]))
    assert f"compiled rules can't make a {made}; use a field of the state" in sentence


def test_a_wrapped_game_is_checked_uncompiled():
    pytest.importorskip("pyspiel")
    report = check_game(luozi.from_openspiel("tic_tac_toe"), games=10)
    assert report.sentences[0].startswith("10 games uncompiled: nothing wrong in ")


def test_unknown_games_and_unfinished_classes_are_errors():
    with pytest.raises(luozi.LuoziError, match="there is no game"):
        check_game("no_such_game")
    with pytest.raises(luozi.LuoziError, match="needs a method returns"):
        check_game(broken(returns=None))


def test_a_rule_that_never_returns_is_told(monkeypatch):
    def is_terminal(self, state):
        while state.left == 3:
            pass
        return state.left == 0

    monkeypatch.setattr("luozi.rules.watchdog.PATIENCE_SECONDS", 0.3)
    assert "Broken.is_terminal has not returned" in problem(broken(is_terminal=is_terminal))


def test_an_unknown_field_is_told_with_the_fields_that_were_written_alone():
    state = np.zeros(1, record_type([("stones", "i2"), ("to_move", "i1")]))[0]  # a byte follows that nobody named
    with pytest.raises(AttributeError, match=r"^state has no field 'heaps'; choose one of: stones, to_move$"):
        state.heaps = 3


def test_what_a_network_sees_is_told():
    board = luozi.game("breakthrough:rows=5,columns=4")
    facts = "\n".join(check_game(board, games=2, speed=True).facts)
    assert "own pieces; other pieces; legal moves: first cell; legal moves: last cell" in facts
    assert "pieces are read from board; 80 moves have an output; 4 symmetries, of which 2 exchange the players" in facts


def test_what_a_network_would_need_is_named():
    row = Row()
    row.compilable = False
    facts = check_game(row, games=2, speed=True).facts
    assert any("a network can't learn this game" in fact and "board" in fact for fact in facts)
