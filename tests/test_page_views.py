"""The views that look into the search, the lessons and the results, in a real browser with a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_page import serving

import luozi
from luozi.web import search_control
from luozi.web.seats import Seat

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run make setup")
from browsing import DESKTOP, PHONE, Visitor  # noqa: E402
from playwright.sync_api import Browser, Page, expect  # noqa: E402


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    """A store with a small match, all candidates of which are kept."""
    path: Path = tmp_path_factory.mktemp("results") / "results.db"
    luozi.match("flat:playouts=30", "random", game="tictactoe", games=4, store=path, visits=True, workers=1)
    return path


@pytest.fixture(scope="module")
def address(results: Path) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_control, "ANALYST", Seat("player", "mcts"))  # nothing else is compiled
        with serving(results=results) as client:
            yield f"http://127.0.0.1:{client.port}/"


class View(Visitor):
    """A visitor of the views."""

    def show(self, place: str) -> Page:
        """Go to a view."""
        self.page.goto(f"{self.address}#{place}")
        return self.page


@pytest.fixture
def view(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[View]:
    found = View(browser, address, getattr(request, "param", DESKTOP), reduced_motion="reduce")
    yield found
    found.leave()
    assert found.troubles == []


def visits(page: Any) -> int:
    """The visits of the tree that is shown."""
    return int(page.locator(".tree-numbers strong").inner_text().replace(",", ""))


def grown(page: Any, more_than: int) -> None:
    """Wait until the tree has more visits."""
    page.wait_for_function(
        "most => Number(document.querySelector('.tree-numbers strong')?.innerText.replaceAll(',', '')) > most",
        arg=more_than,
    )


def choose_game(page: Any, game: str) -> None:
    page.get_by_label("Game").select_option(game)


# Short ----------------------------------------------------------------------------------------------------------------


def test_a_walk_goes_through_the_four_phases_by_keyboard_alone(view):
    page = view.show("walk")
    now = page.locator(".phases .now")
    now.wait_for()
    seen = [now.inner_text()]
    page.get_by_role("button", name="Next", exact=True).focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        seen.append(now.inner_text())
        if page.get_by_role("button", name="Next iteration").count():
            break
    assert [name.split()[-1] for name in dict.fromkeys(seen)] == [
        "Selection",
        "Expansion",
        "Simulation",
        "Backpropagation",
    ]
    assert "n+1" in page.locator(".tree-credit").first.inner_html()


# Long -----------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_tree_grows_and_shows_boards_states_and_why(view):
    page = view.show("tree")
    choose_game(page, "tictactoe")
    grown(page, 20)
    before = visits(page)
    grown(page, before)
    page.get_by_role("button", name="Pause").click()
    seen = 0
    while seen != page.get_by_role("treeitem").count():  # an answer may be on its way
        seen = page.get_by_role("treeitem").count()
        page.wait_for_timeout(700)
    assert seen > 9
    root = page.get_by_role("treeitem").first
    root.focus()
    page.keyboard.press("ArrowDown")  # the most visited move
    page.locator(".node-panel .board .piece").first.wait_for()
    assert page.locator(".node-panel .board .piece").count() == 1
    children = page.get_by_role("treeitem").count()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")  # folds all
    assert children > 1
    expect(page.get_by_role("treeitem")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("treeitem")).to_have_count(children)
    parts = [float(cell) for cell in page.locator(".why-card").first.locator("td").all_inner_texts()]
    assert parts[0] + parts[1] == pytest.approx(parts[2], abs=0.002)
    choose_game(page, "tictactoe")
    choose_game(page, "connect4")  # while a tree is shown
    page.locator(".node-panel .board.style-columns").wait_for()


@pytest.mark.long
def test_by_chance_the_tree_grows_evenly_and_by_the_formula_lopsided(view):
    """Four in a row on a small board: the middle is better than the edges."""
    page, uneven = view.show("tree"), {}
    choose_game(page, "connect4")
    for formula in ("uct", "random"):
        page.get_by_label("Choose by").select_option(formula)
        page.get_by_label("Iterations a tick").select_option("100")
        grown(page, 150)
        uneven[formula] = float(page.locator(".tree-numbers span").inner_text().split()[-1])
    assert uneven["uct"] > uneven["random"]


@pytest.mark.long
def test_the_tree_of_the_engine_itself_is_shown_and_explained(view):
    page = view.show("tree")
    choose_game(page, "tictactoe")
    page.get_by_text("Watch the engine").click()
    grown(page, 100)
    page.get_by_role("button", name="Compare the moves now").click()
    page.locator(".why-card").first.wait_for()


@pytest.mark.long
@pytest.mark.parametrize("game", ["connect4", "gomoku:size=9", "go:size=5", "five3d", "othello", "hex"])
def test_a_walk_works_on_every_board(view, game):
    page = view.show("walk")
    choose_game(page, game)
    page.locator(".stage-board .board").wait_for()
    for _ in range(3):
        page.get_by_role("button", name="Next phase").click()
    assert page.locator(".phases .now").inner_text().endswith("Backpropagation")
    assert page.locator(".stage-board :is(.piece, .ghost)").count() > 3


@pytest.mark.long
def test_points_give_pi_and_the_error_is_drawn(view):
    page = view.show("learn/pi")
    for _ in range(5):
        page.get_by_role("button", name="+1,000").click()
    estimate = float(page.locator(".pi-estimate strong").inner_text())
    assert estimate == pytest.approx(3.1416, abs=0.12)  # five standard deviations
    assert len(page.locator(".lesson-chart polyline").last.get_attribute("points").split()) > 50


@pytest.mark.long
def test_the_bandit_is_played_beside_ucb1(view):
    page = view.show("learn/bandit")
    for arm in "ABCDE":
        page.get_by_role("button", name=f"Pull arm {arm}").click()
    page.get_by_role("button", name="UCB1 +1,000").click()
    pulls = [int(text.replace(",", "")) for text in page.locator(".bandit-count").all_inner_texts()]
    assert sum(pulls) == 1005
    page.get_by_role("button", name="Show the chances").click()
    chances = [int(text.split()[0]) for text in page.locator(".bandit-arm em").all_inner_texts()]
    assert pulls.index(max(pulls)) == chances.index(max(chances))


@pytest.mark.long
def test_the_smallest_board_and_the_three_players_are_told(view):
    page = view.show("results")
    page.locator(".result-score").first.wait_for()  # which then is not asked for a contest called uct
    page = view.show("learn/uct")
    page.get_by_role("button", name="Next phase").wait_for()
    assert page.locator(".stage-board .hits [data-cell]").count() == 4
    page = view.show("learn/alliance")
    page.get_by_role("button", name="2. X has four").click()
    for _ in range(3):
        page.get_by_role("button", name="Next move").click()
    assert "wins" in page.locator(".alliance-run").first.locator(".alliance-told").inner_text()
    assert "wins" not in page.locator(".alliance-run").last.locator(".alliance-told").inner_text()


@pytest.mark.long
def test_results_are_listed_reported_and_replayed_with_what_was_thought(view):
    page = view.show("results")
    page.locator(".result-score").nth(1).wait_for()
    page.get_by_text("flat:playouts=30").first.click()
    page.locator(".standings tbody tr").nth(1).wait_for()
    page.locator(".game-list a").first.click()
    page.locator(".replay-board .board").wait_for()
    page.keyboard.press("End")
    pieces = page.locator(".replay-board .piece").count()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".replay-board .piece").count() == pieces - 1
    page.locator(".replay-candidates tr.chosen").or_(page.get_by_text("No search result was stored")).first.wait_for()
    page.go_back()
    report = page.frame_locator("iframe.report")
    report.get_by_text("How it was played").first.wait_for()


@pytest.mark.long
@pytest.mark.parametrize("view", [DESKTOP, PHONE], indirect=True, ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_violation_and_nothing_is_wider_than_the_screen(view, dark):
    view.page.emulate_media(color_scheme="dark" if dark else "light")
    places = {
        "tree": ".tree-picture",
        "walk": ".stage",
        "learn": ".lesson-list",
        "learn/pi": ".pi-square",
        "learn/bandit": ".bandit-arms",
        "learn/uct": ".stage",
        "learn/alliance": ".alliance-runs",
        "results": ".result-list a",
    }
    for place, ready in places.items():
        page = view.show(place)
        page.locator(ready).first.wait_for()
        view.check_for_everyone()
        view.check_width()
    page.locator(".result-list a").first.click()
    page.locator(".standings").wait_for()
    view.check_for_everyone()
    view.check_width()


@pytest.mark.long
def test_everything_is_said_in_chinese_too(view):
    page = view.show("learn")
    page.get_by_role("button", name="中文").click()
    for place, words in {
        "learn": "蒙特卡洛方法",
        "tree": "搜索树",
        "walk": "逐次迭代",
        "results": "此文件夹的结果",
    }.items():
        view.show(place).locator("main").get_by_text(words).first.wait_for()
