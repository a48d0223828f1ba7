"""The pictures of the tutorials: each is taken of the page in a real browser, after the steps that the tutorial says.

`make pictures` writes them to docs/pictures; without it, the tests see that the steps still lead to such a picture.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from web_page import make_sessions, serving

from luozi.web.limits import ServerLimits

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run make setup")
from browsing import ROOT, Visitor  # noqa: E402
from playwright.sync_api import Browser, expect  # noqa: E402

pytestmark = pytest.mark.long
PICTURES = ROOT / "docs/pictures"
TUTORIAL = ROOT / "docs/en/tutorials/write-a-game.md"
LEAST_ROWS = 3  # of candidate moves
COMPILING = 600_000  # milliseconds at most, on a busy machine
VISITS = 1500  # of the tree


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("own")
    for name, code in re.findall(r"^```python\n(?=# (\w+\.py)\n)(.*?)^```$", TUTORIAL.read_text("utf-8"), re.M | re.S):
        (folder / name).write_text(code, "utf-8")
    own = [str(folder / "drawn_dominoes.py")]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        with serving(make_sessions(limits=ServerLimits(engines=6), own=own)) as client:
            yield f"http://127.0.0.1:{client.port}/"


def save(visitor: Visitor, name: str, tmp_path: Path) -> None:
    """Take a picture with 256 colours; it has the size of the one in the documentation."""
    folder = PICTURES if os.environ.get("LUOZI_PICTURES") else tmp_path
    picture = Image.open(io.BytesIO(visitor.page.screenshot())).convert("RGB")
    assert picture.size == Image.open(PICTURES / name).size
    picture.quantize(256, dither=Image.Dither.NONE).save(folder / name, optimize=True)
    assert not visitor.troubles
    visitor.leave()


def play(visitor: Visitor, moves: list[str]) -> None:
    """Start the game, turn the analysis on, and play moves against the programs until candidate moves are shown."""
    page = visitor.page
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("radio", name="On", exact=True).click()
    mine = page.locator(".seats li").first.get_by_text("to move")
    for move in moves:
        mine.wait_for()
        page.get_by_label("Type a move").fill(move)
        page.get_by_role("button", name="Play", exact=True).click()
        mine.wait_for(state="hidden")
    mine.wait_for()
    expect(page.locator(".moves li")).to_have_count(len(moves) * page.locator(".seats li").count())
    page.locator(f".candidates tbody tr:nth-child({LEAST_ROWS})").wait_for(timeout=COMPILING)


def test_a_game_of_gomoku(browser: Browser, address: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, f"{address}#new/gomoku", color_scheme="light")
    play(visitor, ["h8", "i9", "i7"])
    save(visitor, "page.png", tmp_path)


def test_a_game_for_three_in_space(browser: Browser, address: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, f"{address}#new/five3d", color_scheme="dark")
    play(visitor, ["3d4", "4c3"])
    visitor.page.locator(".candidates tbody tr:nth-child(2)").hover()
    save(visitor, "page-3d.png", tmp_path)


def test_a_game_of_ones_own(browser: Browser, address: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, f"{address}#new/", color_scheme="light")  # custom games come first
    play(visitor, ["c4-c3", "e3-e2"])
    save(visitor, "page-own-game.png", tmp_path)


def test_a_search_step_by_step(browser: Browser, address: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, f"{address}#walk", color_scheme="light")
    page = visitor.page
    page.get_by_role("button", name="Skip 100", exact=True).click()
    page.get_by_text("Iteration 101", exact=True).wait_for()
    page.get_by_role("button", name="Next", exact=True).click()
    page.locator(".scores tbody tr").first.wait_for()
    save(visitor, "page-walk.png", tmp_path)


def test_the_tree_of_a_search(browser: Browser, address: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, f"{address}#tree", {"width": 1180, "height": 690}, color_scheme="light")
    page = visitor.page
    page.get_by_label("Game").select_option("connect4")
    page.get_by_label("Iterations a tick").select_option("100")
    visits = "Number(document.querySelector('.tree-numbers strong')?.innerText.replaceAll(',', ''))"
    page.wait_for_function(f"least => {visits} > least", arg=VISITS)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("treeitem").first.focus()
    for _ in range(3):  # the most visited move, three times
        page.keyboard.press("ArrowDown")
    page.locator(".node-panel .board .piece").first.wait_for()
    save(visitor, "page-tree.png", tmp_path)
