"""The page in a real Chromium: whole games by clicks and by keys on every board, analysis, review, reconnecting."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_page import make_sessions, serving

from luozi.web.limits import ServerLimits

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run make setup")
from browsing import AXE, PHONE, Visitor  # noqa: E402
from playwright.sync_api import Browser, expect  # noqa: E402

OWN_GAMES = '''
import luozi

LINES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)]


class Corners(luozi.Game):
    """Who takes the last of five points wins; points that are joined by lines."""

    players = 2
    actions = 5
    max_length = 5
    state = [("board", "i1", 5), ("to_move", "i1")]
    described = True

    def start(self, state):
        state.to_move = 0

    def current_player(self, state):
        return state.to_move

    def is_legal(self, state, action):
        return state.board[action] == 0

    def apply_action(self, state, action):
        state.board[action] = state.to_move + 1
        state.to_move = 1 - state.to_move

    def is_terminal(self, state):
        for cell in range(5):
            if state.board[cell] == 0:
                return False
        return True

    def returns(self, state, returns):
        returns[1 - state.to_move] = 1.0
        returns[state.to_move] = 0.0
'''
DESCRIPTION = """
    def board(self):
        return luozi.Board.network([(0, 0), (2, 0), (2, 2), (0, 2), (1, 1)], LINES)
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("games")
    (folder / "bare.py").write_text(OWN_GAMES, encoding="utf-8")
    (folder / "corners.py").write_text(OWN_GAMES + DESCRIPTION, encoding="utf-8")
    own = [str(folder / "bare.py"), str(folder / "corners.py")]
    limits = ServerLimits(
        engines=16, actions=5_000
    )  # small Amazons: a queen, where it goes and its arrow are one action
    with serving(make_sessions(limits=limits, own=own)) as client:
        yield f"http://127.0.0.1:{client.port}/"


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    found = Visitor(browser, address)
    yield found
    found.leave()


def test_a_game_is_set_up_played_and_reviewed_and_nobody_is_shut_out(visitor: Visitor):
    page = visitor.page
    expect(page.get_by_role("heading", name="Choose a game")).to_be_visible()
    if AXE.exists():
        visitor.check_for_everyone()
    visitor.begin("tictactoe")
    for action in (4, 0, 2):
        visitor.play(action)
    for action in (6, 3, 5):
        visitor.play(action, by="keys")
    visitor.play_game(by="typing")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="First position").click()
    expect(page.locator(".board .piece")).to_have_count(0)
    page.get_by_role("button", name="Next move").click()
    expect(page.locator(".board .piece")).to_have_count(1)
    if AXE.exists():
        visitor.check_for_everyone()


@pytest.mark.long
def test_a_game_that_the_server_refuses_is_told_beside_the_button(browser: Browser):
    with serving(make_sessions(limits=ServerLimits(engines=4, new_tables=0))) as client:
        visitor = Visitor(browser, f"http://127.0.0.1:{client.port}/#new/tictactoe")
        page, start = visitor.page, visitor.page.get_by_role("button", name="Start", exact=True)
        told = page.locator(".beginning .refusal[role=alert]")
        expect(told).to_have_text("")
        start.click()
        expect(told).to_contain_text("Too many new games in a minute: wait a little.")
        expect(told).to_be_in_viewport()
        page.get_by_role("button", name="中文").click()
        expect(told).to_contain_text("一分钟内开了太多新对局：请稍等。")
        page.evaluate("() => (window.WebSocket = class { close() {} })")  # a server that does not come back
        page.evaluate("() => window.sockets.at(-1).close()")
        expect(page.locator(".beginning [role=status]")).to_contain_text("连接中断")
        assert not visitor.troubles
        visitor.leave()


BOARDS = [
    "tictactoe",
    "gomoku:size=5,win_length=3",
    "connect4",
    "go:size=3",
    "hex:size=3",
    "y:size=3",
    "othello:size=4",
    "breakthrough:rows=6,columns=3",
    "amazons:size=4",
    "nim:heaps=2.3",
    "lines:layers=3,rows=3,columns=3,win_length=3,players=3",
    "qubic:gravity=true",
]


@pytest.mark.long
@pytest.mark.parametrize("spelling", BOARDS)
def test_a_whole_game_by_clicks(visitor: Visitor, spelling: str):
    visitor.begin(spelling)
    visitor.play_game()


@pytest.mark.long
@pytest.mark.parametrize("spelling", [each for each in BOARDS if not each.startswith("nim")])
def test_a_whole_game_by_keys(visitor: Visitor, spelling: str):
    visitor.begin(spelling)
    visitor.play_game(by="keys", seed=2)


@pytest.mark.long
def test_a_whole_game_by_typed_moves(visitor: Visitor):
    visitor.begin("nim:heaps=2.3")
    visitor.play_game(by="typing", seed=3)


def own_game(visitor: Visitor, name: str) -> None:
    visitor.page.evaluate("place => (location.hash = place)", f"#new/{name}")
    expect(visitor.page.locator(".beginning")).to_have_attribute("data-game", name)
    for row in visitor.page.locator(".who-row").all():
        row.locator("select").first.select_option("person")
    visitor.page.get_by_role("button", name="Start", exact=True).click()
    expect(visitor.page.locator(".play")).to_be_visible()


@pytest.mark.long
def test_a_game_of_ones_own_with_points_and_lines(visitor: Visitor):
    own_game(visitor, "corners")
    for count in range(5):
        visitor.click_cells([count])
        expect(visitor.page.locator(".moves li")).to_have_count(count + 1)
    expect(visitor.page.locator(".end")).to_contain_text("wins")


@pytest.mark.long
def test_a_game_without_a_description_is_a_list_of_moves_beside_its_text(visitor: Visitor):
    own_game(visitor, "bare")
    for count in range(5):
        visitor.page.locator(".text-board .other-moves button").first.click()
        expect(visitor.page.locator(".moves li")).to_have_count(count + 1)
    expect(visitor.page.locator(".end")).to_contain_text("wins")


@pytest.mark.long
def test_the_three_dimensional_view_turns_and_shares_its_cross_hair(visitor: Visitor):
    visitor.begin("qubic")
    page, space = visitor.page, visitor.page.locator(".space-canvas")
    expect(space).to_have_attribute("data-ready", "true")
    before = space.screenshot()
    page.locator('.board [data-cell="21"]').hover()
    expect(page.locator(".cross-hair .here")).to_have_count(1)
    page.get_by_label("Apart").fill("2")
    space.focus()
    page.keyboard.press("ArrowLeft")
    assert space.screenshot() != before
    space.hover()
    visitor.check_for_everyone()
    assert not visitor.troubles


@pytest.mark.long
def test_the_search_is_seen_thinking(visitor: Visitor):
    visitor.begin("tictactoe", "person", "player mcts")
    page = visitor.page
    page.get_by_role("radio", name="On", exact=True).click()
    expect(page.locator(".candidates tbody tr")).to_have_count(8)
    expect(page.locator(".board .heat circle")).not_to_have_count(0)
    expect(page.locator(".candidates .best th")).to_have_text("b2")  # the centre
    page.locator(".candidates tbody tr").nth(1).hover()
    expect(page.locator(".board .ghost").first).to_be_visible()
    work = page.locator(".work")
    assert int(work.get_attribute("data-iterations") or 0) > 0
    visitor.click_cells([4])
    expect(page.locator(".moves li")).to_have_count(2)
    expect(page.locator(".graph canvas")).to_be_visible()
    page.get_by_role("radio", name="After", exact=True).click()
    expect(page.locator(".candidates")).to_have_count(0)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".candidates")).to_be_visible()
    visitor.check_for_everyone()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".moves li")).to_have_count(0)


@pytest.mark.long
def test_who_moves_before_the_search_knows_anything_hears_of_the_move_afterwards(visitor: Visitor):
    visitor.begin("tictactoe", "person", "player mcts")
    visitor.click_cells([0])
    expect(visitor.page.locator(".moves li")).to_have_count(2)
    visitor.page.get_by_role("radio", name="After", exact=True).click()
    expect(visitor.page.locator(".verdict")).to_contain_text("a3")
    expect(visitor.page.locator(".candidates")).to_have_count(0)  # nothing of the move that is still to be made


@pytest.mark.long
def test_seats_are_taken_and_given_up_and_a_game_is_resigned(visitor: Visitor):
    visitor.begin("tictactoe", "person", "player random")
    page = visitor.page
    visitor.click_cells([4])
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_role("button", name="Who plays O").click()
    page.get_by_role("button", name="Sit here").click()
    expect(page.locator(".seats li").nth(1)).to_contain_text("Person")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.locator(".end")).to_contain_text("O wins")
    page.get_by_role("button", name="Previous move").click()
    page.get_by_role("button", name="New game from here").click()
    expect(page.locator(".moves li")).to_have_count(1)


@pytest.mark.long
def test_a_record_is_saved_and_opened_again(visitor: Visitor):
    visitor.begin("gomoku:size=5,win_length=3")
    for action in (12, 0, 7):
        visitor.play(action)
    page = visitor.page
    for name in ("Save text", "Save SGF"):
        with page.expect_download() as saving:
            page.get_by_role("button", name=name).click()
        text = Path(saving.value.path()).read_text(encoding="utf-8")
        page.evaluate("location.hash = '#new/gomoku:size=5,run=3'")
        page.get_by_role("radio", name="Paste").click()
        page.get_by_label("A record of Luozi").fill(text)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.locator(".play .moves li")).to_have_count(3)
        expect(page.locator(".board .pieces .piece")).to_have_count(3)


@pytest.mark.long
def test_a_position_is_set_up_and_played_on(visitor: Visitor):
    page = visitor.page
    page.evaluate("location.hash = '#new/gomoku:size=5,run=3'")
    expect(page.locator(".beginning")).to_have_attribute("data-game", "gomoku:size=5,win_length=3")
    page.get_by_role("radio", name="Set up").click()
    page.locator('.editor [data-cell="12"]').click()
    page.get_by_role("radio", name="O", exact=True).click()
    page.locator('.editor [data-cell="3"]').click()
    visitor.check_for_everyone()
    page.get_by_role("button", name="Play on from here").click()
    expect(page.locator(".play .board .pieces .piece")).to_have_count(2)


@pytest.mark.long
def test_pieces_of_every_kind_are_set_up_and_who_is_to_move(visitor: Visitor):
    page = visitor.page
    page.evaluate("location.hash = '#new/amazons:size=4'")
    expect(page.locator(".beginning")).to_have_attribute("data-game", "amazons:size=4")
    page.get_by_role("radio", name="Set up").click()
    expect(page.locator(".editor .board .piece")).to_have_count(8)
    page.get_by_role("radio", name="arrow").click()
    page.locator('.editor [data-cell="5"]').click()
    page.get_by_label("To move").select_option("1")
    for row in page.locator(".editor .who-row").all():
        row.locator("select").first.select_option("person")
    visitor.check_for_everyone()
    page.get_by_role("button", name="Play on from here").click()
    expect(page.locator(".play .board .pieces .piece")).to_have_count(9)
    expect(page.locator(".status")).to_contain_text("O to move")
    page.evaluate("location.hash = '#new/hex:size=3'")  # the pieces of one game are not those of the next
    expect(page.get_by_role("radio", name="arrow")).to_have_count(0)
    expect(page.locator(".editor .board .piece")).to_have_count(0)


@pytest.mark.long
def test_a_game_that_can_not_be_given_a_position_is_played_to_it(visitor: Visitor):
    page = visitor.page
    page.evaluate("location.hash = '#new/corners'")
    expect(page.locator(".beginning")).to_have_attribute("data-game", "corners")
    page.get_by_role("radio", name="Set up").click()
    expect(page.get_by_text("can't be given a position")).to_be_visible()
    visitor.check_for_everyone()
    page.get_by_role("button", name="Play the moves there").click()
    visitor.click_cells([0, 1])
    expect(page.locator(".moves li")).to_have_count(2)


@pytest.mark.long
def test_kept_games_are_known_by_who_played_and_are_gone_on_with(visitor: Visitor):
    visitor.begin("tictactoe")
    visitor.play(4)
    page = visitor.page
    visitor.begin("hex:size=3")
    page.evaluate("location.hash = '#new'")
    expect(page.locator(".kept-games button")).to_have_count(2)
    first, second = page.locator(".kept-games button").all()
    expect(first).to_contain_text("0 moves")
    expect(second).to_contain_text("Person – Person")
    expect(second).to_contain_text("1 move")
    second.click()
    expect(page.locator(".moves li")).to_have_count(1)


@pytest.mark.long
def test_a_lost_connection_comes_back_and_the_game_goes_on(visitor: Visitor):
    visitor.begin("tictactoe")
    visitor.play(4)
    visitor.page.evaluate("() => window.sockets.at(-1).close()")
    expect(visitor.page.locator(".dot.open")).to_be_visible()
    visitor.play(0)
    visitor.page.reload()
    expect(visitor.page.locator(".moves li")).to_have_count(2)


@pytest.mark.long
def test_a_killed_server_that_starts_again_finds_the_page_waiting(browser: Browser, tmp_path: Path):
    command = [sys.executable, "-m", "luozi.cli", "serve", "--no-open", "--threads", "1", "--sessions-db"]
    command += [str(tmp_path / "tables.db"), "--port"]

    def start(port: int) -> tuple[subprocess.Popen[str], int]:
        process = subprocess.Popen(
            [*command, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ}
        )
        assert process.stdout is not None
        return process, int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])

    first, port = start(0)
    second = None
    try:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}/")
        visitor.begin("tictactoe")
        visitor.play(4)
        first.send_signal(signal.SIGKILL)
        first.wait()
        expect(visitor.page.get_by_text("The connection is lost")).to_be_visible()
        second, _ = start(port)
        expect(visitor.page.locator(".dot.open")).to_be_visible()
        visitor.play(0)
        visitor.leave()
    finally:
        for process in filter(None, (first, second)):
            process.kill()
            process.wait()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_in_chinese_shows_everything_in_its_width(browser: Browser, address: str, scheme: str):
    visitor = Visitor(browser, address, PHONE, color_scheme=scheme)
    for spelling in ("gomoku", "five3d", "hex", "connect4"):
        visitor.begin(spelling)
        expect(visitor.page.locator(".board").first).to_be_in_viewport()  # though the button was far below the games
        visitor.check_width()
        visitor.check_for_everyone()
    visitor.page.get_by_role("button", name="中文").click()
    expect(visitor.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(visitor.page.get_by_role("heading", name="分析")).to_be_visible()
    visitor.check_for_everyone()
    visitor.leave()
