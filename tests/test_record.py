"""Records: what is written can be read again, and what does not replay gets one sentence with its line."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.games.user_files import load_own_game
from luozi.messages import LuoziError
from luozi.players import player
from luozi.players.base import MoveEffort, result_of_moves
from luozi.players.simple import Person, RandomPlayer, read_move
from luozi.records import CandidateNote, LiveGame, MoveNote, Record, load_record, play_game, save_record
from luozi.records.files import replayed
from luozi.records.moves import note_of
from luozi.records.play import estimate
from luozi.records.record import move_text, record_json
from luozi.records.replay import replay_of

OWN_GAME = '''
import luozi


class Subtraction(luozi.Game):
    """Take one to three from a heap; whoever takes the last one wins."""

    actions = 3
    state = [("heap", "i4"), ("to_move", "i4")]

    def __init__(self, heap: int = 11, names: str = "plain"):
        self.heap, self.max_length, self.names = heap, heap, names

    def start(self, state):
        state.heap = self.heap
        state.to_move = 0

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return action < state.heap

    def apply_action(self, state, action):
        state.heap -= action + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        return state.heap == 0

    def returns(self, state, returns):
        returns[state.to_move] = 0.0
        returns[1 - state.to_move] = 1.0

    def action_to_string(self, state, action):
        cased = "aA"[action % 2] * (1 + action // 2)
        return {"plain": str(action + 1), "same": "take", "case": cased, "odd": " x  # "}[self.names]
'''
GAMES = ["tictactoe", "connect4:blocked=2.3", "five3d:players=4", "go:size=5", "qubic:gravity=true", "own:heap=7"]
GAMES += ["othello:size=4,position=4/1OX1/1XOX/4.O", "nim:position=#2/4/##3.B"]
SPOILT_NAMES = ["own:names=same", "own:names=case", "own:names=odd"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records")
    (path / "own.py").write_text(OWN_GAME, encoding="utf-8")
    return path


def game_in(folder: Path, spelling: str) -> luozi.Game:
    return luozi.game(spelling.replace("own", str(folder / "own.py"), 1) if spelling.startswith("own") else spelling)


def random_record(game: luozi.Game, seed: int, length: int) -> Record:
    rng = random.Random(seed)
    state, actions, comments = game.new_state(), [], []
    while len(actions) < length and not game.is_terminal(state):
        actions.append(rng.choice(game.legal_list(state)))
        comments.append(rng.choice(["", "51.3 %", "a  # b", "win\nrate"]))
        state = game.after(state, actions[-1])
    over = game.is_terminal(state)
    resigned = None if over or rng.random() < 0.5 else game.current_player(state)
    return Record(game, ("random",) * game.players, tuple(actions), tuple(comments), "today", seed, resigned)


@settings(max_examples=60, deadline=None)
@given(spelling=st.sampled_from(GAMES + SPOILT_NAMES), seed=st.integers(0, 2**32), length=st.integers(0, 80))
def test_round_trip(folder: Path, spelling: str, seed: int, length: int) -> None:
    record = random_record(game_in(folder, spelling), seed, length)
    path = folder / "round trip.txt"
    save_record(record, path, overwrite=True)
    loaded = load_record(path, record.game.spelling)
    assert loaded.game.spelling == record.game.spelling
    assert loaded.actions == record.actions
    assert (loaded.seed, loaded.date, loaded.resigned) == (record.seed, record.date, record.resigned)
    assert loaded.results() == record.results()
    assert loaded.states()[-1] == record.states()[-1]
    assert loaded.text() == record.text()


def test_looks_as_documented() -> None:
    game = luozi.game("tictactoe")
    record = Record(game, ("person", "mcts:seconds=1"), (4, 0), ("", "47.3 %"), "2026-01-02 03:04:05", 42)
    assert record.text().splitlines() == [
        "luozi record 2",
        "game: tictactoe",
        "players: person | mcts:seconds=1",
        "date: 2026-01-02 03:04:05",
        "seed: 42",
        "result: unfinished",
        "",
        "1. X b2",
        "2. O a3  # 47.3 %",
    ]


COMMANDS = ["gtp:gnugo\n--mode gtp", "gtp:sh -c 'one | two'", " mcts ", "[", '"', "gtp:a\u2028b\x85c", "gtp:\udcff", ""]


@pytest.mark.parametrize("command", COMMANDS)
def test_whatever_a_players_command_holds_the_record_loads_again(tmp_path: Path, command: str) -> None:
    record = Record(luozi.game("tictactoe"), (command, "random"), (4, 0), date="one\nday", seed=2**62)
    save_record(record, tmp_path / "record.txt")
    loaded = load_record(tmp_path / "record.txt")
    assert loaded.players == record.players
    assert (loaded.actions, loaded.date, loaded.seed) == (record.actions, record.date, record.seed)


@pytest.mark.parametrize("reason", [" ", "answered\nnothing", "said a: b"])
def test_whatever_a_forfeit_was_the_record_loads_again(tmp_path: Path, reason: str) -> None:
    record = Record(luozi.game("tictactoe"), ("a", "b"), (4, 0), resigned=0, forfeit=reason)
    save_record(record, tmp_path / "record.txt")
    assert load_record(tmp_path / "record.txt").text() == record.text()


@pytest.mark.parametrize("name", ["x" * 300, "nul\0", "~nosuchuser/record.txt"])
def test_a_name_that_no_file_can_have_gets_a_sentence(tmp_path: Path, name: str) -> None:
    path = Path(name) if name.startswith("~") else tmp_path / name
    with pytest.raises(luozi.LuoziError):
        load_record(path)
    with pytest.raises(luozi.LuoziError):
        save_record(Record(luozi.game("tictactoe"), ("a", "b"), (4,)), path)


def test_a_name_as_long_as_the_system_allows_is_fine(tmp_path: Path) -> None:
    save_record(Record(luozi.game("tictactoe"), ("a", "b"), (4,)), tmp_path / ("落" * 85))
    assert [path.name for path in tmp_path.iterdir()] == ["落" * 85]


HEADER = "luozi record 1\ngame: tictactoe\nplayers: random | random\n\n"
START = "luozi record 1\ngame: tictactoe\nplayers: "
BROKEN = {
    START + "a | b\nseed: " + "9" * 5000: ("line 4", "whole number"),
    START + f"a | b\nseed: {2**62 + 1}\n": ("line 4", "whole number"),
    START + "[1, 2]\n": ("line 3", "list of players"),
    START + "[" * 100_000 + "\n": ("line 3", "not JSON"),
    'luozi record 1\ngame: "tictac\nplayers: a | b\n': ("line 2", "not JSON"),
    HEADER + "1. X #" + "1" * 5000: ("line 5", "there is no point"),
    "": ("line 1", "starts with"),
    "chess record 1\n": ("line 1", "luozi record 2"),
    "luozi record 3\n": ("line 1", "version 3, from a newer Luozi"),
    "luozi record\n": ("line 1", "no version"),
    "luozi record 1.5\n": ("line 1", "no version"),
    "luozi record " + "9" * 5000 + "\n": ("line 1", "no version"),
    "luozi record 1\n": ("line 1", "no line 'game"),
    "luozi record 1\ngame: tictactoe\n": ("line 2", "no line 'players"),
    "luozi record 1\ngame tictactoe\n": ("line 2", "header line"),
    "luozi record 1\ngame: tictactoe\ngame: go\n": ("line 3", "twice"),
    "luozi record 1\ngame: tictactoe\nplayer: x\n": ("line 3", "did you mean 'players'"),
    "luozi record 1\nplayers: a | b\ngame: tictactow\n": ("line 3", "did you mean 'tictactoe'"),
    "luozi record 1\nplayers: a | b\ngame: gone.py\n": ("line 3", "gone.py"),
    "luozi record 1\ngame: tictactoe\nplayers: a | b | c\n": ("line 3", "2 players, not 3"),
    "luozi record 1\ngame: tictactoe\nplayers: a | b\nseed: x\n": ("line 4", "whole number"),
    "luozi record 1\ngame: tictactoe\nplayers: a | b\nresigned: Z\n": ("line 4", "no player 'Z'"),
    "luozi record 1\ngame: tictactoe\nplayers: a | b\nresult: X wins\n": ("line 4", "unfinished"),
    HEADER + "1. X b2\n2. O b2\n": ("line 6", "move 'b2': the point is occupied"),
    HEADER + "1. X z9\n": ("line 5", "'z9'"),
    HEADER + "1. X b2\n\n3. O a1\n": ("line 7", "move 2 of O"),
    HEADER + "1. O b2\n": ("line 5", "1. X"),
    HEADER + "1. X\n": ("line 5", "1. X"),
    HEADER + "1. X a1\n2. O a2\n3. X b1\n4. O b2\n5. X c1\n6. O c2\n": ("line 10", "over before"),
}


@pytest.mark.parametrize("text", BROKEN)
def test_what_does_not_replay_gets_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(luozi.LuoziError) as error:
        load_record(path)
    sentence = str(error.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    for part in BROKEN[text]:
        assert part in sentence


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x80")
    for name, part in (("nothing", "no file"), ("binary", "not a text file"), (".", "can't read")):
        with pytest.raises(luozi.LuoziError, match=part):
            load_record(tmp_path / name)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    record = Record(luozi.game("tictactoe"), ("a", "b"), (4,))
    path = tmp_path / "kept.txt"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(luozi.LuoziError, match="already a file"):
        save_record(record, path)
    assert path.read_text(encoding="utf-8") == "mine"
    save_record(record, path, overwrite=True)
    assert load_record(path).actions == (4,)
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.txt"]
    with pytest.raises(luozi.LuoziError, match="is a folder"):
        save_record(record, tmp_path, overwrite=True)
    with pytest.raises(luozi.LuoziError, match="no folder"):
        save_record(record, tmp_path / "missing" / "a.txt")


def test_a_users_game_is_the_file_of_that_name_that_the_user_names(folder: Path) -> None:
    path = folder / "beside.txt"
    path.write_text("luozi record 1\ngame: own.py:heap=2\nplayers: a | b\n\n1. X 2\n", encoding="utf-8")
    loaded = load_record(path, f"{folder}/own.py")
    assert loaded.results() == [1.0, 0.0]
    assert loaded.game.spelling == f"{folder}/own.py:heap=2"


@pytest.mark.parametrize("named", [None, "tictactoe", "other.py"])
@pytest.mark.parametrize("start", ["luozi record 1\ngame: {}\nplayers: a | b\n", '{{"game": "{}", "moves": []}}'])
def test_no_record_runs_a_file_that_the_user_did_not_name(tmp_path: Path, start: str, named: str | None) -> None:
    ran, evil = tmp_path / "ran", tmp_path / "evil.py"
    evil.write_text(f"open({str(ran)!r}, 'w')", encoding="utf-8")
    for name in (evil, "evil.py"):  # the second lies beside the record
        path = tmp_path / "game.txt"
        path.write_text(start.format(name), encoding="utf-8")
        with pytest.raises(LuoziError, match=r"evil.py' is not run: .* call luozi.game with it first"):
            load_record(path, named)
    assert not ran.exists()


def test_ambiguous_names_are_written_as_numbers(folder: Path) -> None:
    game = game_in(folder, "own:names=same")
    state = game.new_state()
    assert [move_text(game.begin(), action) for action in range(3)] == ["take", "#1", "#2"]
    assert read_move(game, state, "#2") == 2


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        (
            "def action_to_string(self, state, action): return None",
            "Own.action_to_string returned None; it must return",
        ),
        ("def player_name(self, player): return [7]", r"Own.player_name returned \[7\]; it must return"),
        ("def show(self, state): return 1", "Own.show returned 1; it must return"),
        (
            "def current_player(self, state): return 'x'",
            "Own.current_player gives 'x' in this position; players are 0 to 1",
        ),
        (
            "def current_player(self, state): return 2",
            "Own.current_player gives 2 in this position; players are 0 to 1",
        ),
    ],
)
def test_a_class_that_names_nothing_gets_a_sentence(tmp_path: Path, method: str, wrong: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN_GAME + f"\n\nclass Own(Subtraction):\n    {method}\n", encoding="utf-8")
    game = load_own_game(path)()  # unchecked
    with pytest.raises(luozi.LuoziError, match=wrong):
        print(game.show(game.new_state()), Record(game, ("a", "b"), (0, 1)).text())


def test_play_game_gives_everybody_the_whole_game() -> None:
    game = luozi.game("five3d:players=4,size=3,win_length=3")
    heard: list[tuple[int, ...]] = []
    players = [player(f"random:seed={seed}", game) for seed in range(4)]
    choose = players[2].choose
    players[2].choose = lambda position: heard.append(position.moves) or choose(position)
    seen: list[int] = []
    record = play_game(game, players, opening=(0, 1), on_move=lambda table: seen.append(len(table.actions)))
    assert heard == [record.actions[:number] for number in range(2, len(record.actions), 4)]
    assert record.actions[:2] == (0, 1)
    assert seen == list(range(3, len(record.actions) + 1))
    assert record.results() is not None
    assert record.actions == play_game(game, players, opening=(0, 1)).actions


def test_the_wrong_number_of_players() -> None:
    game = luozi.game("five3d")
    with pytest.raises(luozi.LuoziError, match="3 players, not 1"):
        LiveGame(game, [player("random", game)])


def test_a_person_is_asked_until_the_move_is_legal() -> None:
    game = luozi.game("tictactoe")
    typed, told = iter(["z9", "", "B2"]), []
    person = Person(game, ask=lambda prompt: next(typed), tell=told.append)
    assert game.action_to_string(game.new_state(), person.choose(game.new_state())) == "b2"
    assert len(told) == 2


def test_resigning_with_many_players() -> None:
    game = luozi.game("five3d:players=5")
    assert Record(game, ("a",) * 5, (0,), resigned=1).results() == [0.25, 0.0, 0.25, 0.25, 0.25]


class Round(luozi.Game):
    """A game that goes on and on."""

    actions, max_length, state, compilable = 2, 7, [("moves", "i8")], False

    def start(self, state):
        state.moves = 0

    def current_player(self, state):
        return state.moves % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.moves += 1

    def is_terminal(self, state):
        return False

    def returns(self, state, returns):
        returns[0] = returns[1] = 0.5


def test_a_game_that_never_ends_is_left_with_a_sentence() -> None:
    game = Round()
    players = [RandomPlayer(game, seed) for seed in (1, 2)]
    with pytest.raises(luozi.LuoziError, match=r"^Round is not over after 7 moves, .* raise max_length"):
        play_game(game, players)


# Data -----------------------------------------------------------------------------------------------------------------


def played_with_visits(simulations: int = 40) -> Record:
    game = luozi.game("tictactoe")
    players = [player(f"flat:playouts={simulations},seed=1", game), player("random:seed=2", game)]
    return play_game(game, players, opening=(4,), visits=True)


def test_a_record_as_json_is_read_again_with_what_was_thought(tmp_path: Path) -> None:
    game = luozi.game("tictactoe")
    table = LiveGame(game, (player("mcts:iterations=50", game), player("random", game)), seed=1, visits=True)
    record = play_game(game, table.players, seed=1)
    path = tmp_path / "game.json"
    path.write_text(record_json(record, "tictactoe", None), encoding="utf-8")
    found = load_record(path)
    assert (found.actions, found.notes, found.players) == (record.actions, record.notes, record.players)


@pytest.mark.parametrize("form", ["text", "json", "sgf"])
def test_all_forms_of_a_record_hold_the_same(tmp_path: Path, form: str) -> None:
    game = luozi.game("gomoku:size=9")
    notes = (MoveNote(0.5), MoveNote(1.25, {"iterations": 9}, (CandidateNote(41, 9, (0.25, 0.75)),)), MoveNote())
    players, comments = ("person", "mcts:iterations=9"), ("", "a good move", "")
    record = Record(game, players, (40, 41, 42), comments, "2025-11-15", 7, 1, "was too late", notes)
    path = tmp_path / f"game.{form}"
    if form == "json":
        path.write_text(record_json(record, game.spelling, None), encoding="utf-8")
    else:
        save_record(record, path)
    found = load_record(path)
    assert found.game.spelling == game.spelling
    assert found == dataclasses.replace(record, game=found.game)


@pytest.mark.parametrize(
    "text",
    [
        '{"game": "tictactoe", "moves": [{"action": 4, "seat": 0}, {"action": 4, "seat": 1}]}',
        '{"game": "tictactoe", "moves": [{"action": 9, "seat": 0}]}',
        '{"game": "tictacto", "moves": []}',
        '{"game": "tictactoe"}',
        '{"game": 3, "moves": []}',
        '{"game": "tictactoe", "moves": [',
        "{" * 100_000,
    ],
)
def test_json_that_is_no_game_gets_one_sentence_with_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LuoziError, match=r"game\.json, line 1: ") as found:
        load_record(path)
    assert str(found.value).count(str(path)) == 1


def test_a_record_holds_its_moves_as_data() -> None:
    record = played_with_visits()
    assert [move.action for move in record.moves] == list(record.actions)
    assert [move.seat for move in record.moves] == [turn % 2 for turn in range(len(record.actions))]
    opening, by_random, by_flat = record.moves[:3]
    assert (opening.seconds, opening.value, opening.candidates) == (None, None, ())
    assert by_random.seconds is not None
    assert (by_random.value, by_random.candidates) == (None, ())
    assert by_flat.value is not None
    assert sum(by_flat.value) == pytest.approx(1, abs=1e-3)
    assert record.comments[2] == ""  # of 40 playouts no number is shown
    assert by_flat.thought is not None
    assert by_flat.thought["shared"] == 0


def test_all_candidates_are_there_if_asked_for(tmp_path: Path) -> None:
    record = played_with_visits()
    save_record(record, tmp_path / "game.txt")
    loaded = load_record(tmp_path / "game.txt")
    assert loaded.moves == record.moves
    for place in range(2, len(loaded.moves), 2):
        move, legal = loaded.moves[place], loaded.game.legal_list(loaded.states()[place])
        visits = {candidate.action: candidate.visits for candidate in move.candidates}
        assert sorted(visits) == legal
        assert sum(visits.values()) == 40
        [chosen] = [candidate for candidate in move.candidates if candidate.action == move.action]
        assert chosen.means == move.value
        assert all(sum(candidate.means) == pytest.approx(1, abs=1e-3) for candidate in move.candidates)
    without = play_game(record.game, [player("flat:playouts=40,seed=1", record.game)] * 2)
    assert all(move.candidates == () for move in without.moves)


def test_priors_are_there_where_the_search_goes_by_them() -> None:
    candidates = (
        luozi.Candidate(0, 9, (0.50004, 0.49996), prior=0.123456),
        luozi.Candidate(1, 0, (0.5, 0.5)),
    )
    thought = luozi.SearchResult(0, 0, candidates, (0,), 9, 0.1, 3, 0, 1, 0, False, 1, transposition_hits=7)
    note = note_of(thought, 0.123456, with_candidates=True)
    assert note.candidates == (CandidateNote(0, 9, (0.5, 0.5), 0.1235),)  # the other one was not visited
    assert note.seconds == 0.1235
    assert note.thought is not None
    assert note.thought["shared"] == 7


EDITED = {
    ("1. X b2", "1. X a1"): ("line 10:", "move 1 is action 4 of seat 0, but its line above says action"),
    ("2. O a3\n", ""): ("line 10:", "the data have 2 moves, but the lines above 1"),
    ('"seat":1', '"seat":0'): ("line 11:", "move 2 is action 0 of seat 0"),
    ('"seat":1', '"seat":2'): ("line 11:", "numbers of this game"),
    ('"action":0', '"action":-1'): ("line 11:", "numbers of this game"),
    ('"seconds":0.5', '"seconds":NaN'): ("line 11:", "no number"),
    ('"iterations":9', '"iterations":-9'): ("line 11:", "thought"),
    ('"iterations":9', '"colour":9'): ("line 11:", "thought"),
    ("[[0,9,[0.5,0.5]]]", "[[0,9]]"): ("line 11:", "candidates"),
    ("[[0,9,[0.5,0.5]]]", "[[99,9,[0.5,0.5]]]"): ("line 11:", "candidates"),
    ('{"action":0', "{"): ("line 11:", "not JSON"),
    ('{"action":0,"seat":1', '{"action":0'): ("line 11:", "not the data of a move"),
}


@pytest.mark.parametrize("edit", EDITED)
def test_data_and_text_that_disagree_get_one_sentence(tmp_path: Path, edit: tuple[str, str]) -> None:
    note = MoveNote(0.5, {"iterations": 9, "means": [0.5, 0.5]}, (CandidateNote(0, 9, (0.5, 0.5)),))
    record = Record(luozi.game("tictactoe"), ("a", "b"), (4, 0), notes=(MoveNote(), note))
    path, text = tmp_path / "edited.txt", record.text(data=True)
    assert edit[0] in text
    path.write_text(text.replace(*edit), encoding="utf-8")
    with pytest.raises(luozi.LuoziError) as error:
        load_record(path)
    assert "\n" not in str(error.value)
    for part in (*EDITED[edit], "delete all from the line 'data:' on"):
        assert part in str(error.value)
    path.write_text(path.read_text().partition("data:")[0], encoding="utf-8")  # as the sentence says
    assert load_record(path).notes == ()


def test_in_go_a_move_is_written_and_read_without_a_look_at_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uncompiled, the legal moves of a large board take so long that a record of 250 moves took many seconds."""
    game = luozi.game("go:size=19")
    record = Record(game, ("person", "person"), (60, 72, 361))
    monkeypatch.setattr(type(game), "legal_list", lambda *_: pytest.fail("all moves were looked at"))
    text = record.text()
    assert [line.split()[-1] for line in text.splitlines()[-3:]] == ["D16", "Q16", "pass"]
    assert replayed(game, text, "it").actions == record.actions


def test_an_evaluation_is_not_called_a_win_rate(tmp_path: Path) -> None:
    game = luozi.game("tictactoe")
    moves = dict.fromkeys(range(9), (900, (0.62, 0.38)))
    table = LiveGame(game, [Person(game), Person(game)], visits=True)
    for sampled, told, value in (
        (False, "evaluation X 0.620, O 0.380", None),
        (True, "X 62.0 %, O 38.0 %", (0.62, 0.38)),
    ):
        thought = result_of_moves(game.begin(), 4, moves, MoveEffort(81, 0.1, 2, 1, sampled))
        table.restart([4], [estimate(thought)], [table.note(thought, 0.1)])
        path = tmp_path / f"{sampled}.txt"
        save_record(table.record(), path)
        loaded = load_record(path)
        assert loaded.comments == (told,)
        assert loaded.moves[0].value == value
        kinds = {one.chances.kind for one in replay_of(loaded).steps[0].found if one.chances}
        assert kinds == {"wins" if sampled else "evaluation"}
        assert (" %" in thought.rows()[0][3]) == sampled


def test_what_is_solved_is_certain() -> None:
    thought = solved_thought("tictactoe:size=2,win_length=2")
    assert not thought.static
    assert thought.rows()[0][3:] == ("100.0 %", "0.0 %", "certain")


def solved_thought(spelling: str) -> luozi.SearchResult:
    """What perfect play says of a start."""
    game = luozi.game(spelling)
    exact = player("exact", game)
    exact.choose(game.new_state())
    assert exact.thought is not None
    return exact.thought
