"""A person at the page, for tests: a real Chromium that clicks, types and listens."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import luozi
from luozi.web import __file__ as web_file

ROOT = Path(__file__).resolve().parent.parent
BUILT = Path(web_file).parent / "page/index.html"
AXE = ROOT / "page/node_modules/axe-core/axe.min.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
PATIENCE = 60_000  # milliseconds, on a machine that is busy with other tests
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket { constructor(...all) { super(...all); window.sockets.push(this); } };
"""


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none, or no page."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: install it (Debian: apt install chromium)")
    if not BUILT.exists():
        pytest.skip("the page is not built: run make page")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """One person, with a browser of their own and the rules of the game in mind."""

    def __init__(self, browser: Browser, address: str, size: dict[str, int] = DESKTOP, **more: Any) -> None:
        self.address = address
        self.context: BrowserContext = browser.new_context(viewport=size, locale="en-US", **more)  # type: ignore[arg-type]
        self.context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        self.context.add_init_script(KEEP_SOCKETS)
        self.page: Page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", lambda said: self.troubles.append(said.text) if said.type == "error" else None)
        self.page.goto(address)

    def begin(self, spelling: str, *others: str) -> None:
        """Start a game on the start screen: persons, but where another player is named for a seat."""
        self.page.evaluate("place => (location.hash = place)", f"#new/{spelling}")
        expect(self.page.locator(".beginning")).to_have_attribute("data-game", spelling)
        rows = self.page.locator(".who-row")
        for seat in range(rows.count()):
            who = others[seat] if seat < len(others) else "person"
            rows.nth(seat).locator("select").first.select_option(who)
        self.page.get_by_role("button", name="Start", exact=True).click()
        self.game, self.number = luozi.game(spelling), 0
        self.state = self.game.new_state()
        expect(self.page.locator(".play")).to_be_visible()

    def click_cells(self, cells: list[int]) -> None:
        """Click cells one after another."""
        for cell in cells:
            self.page.locator(f'.board [data-cell="{cell}"]').click()

    def play(self, action: int, by: str = "clicks") -> None:
        """Play a move by clicks, by arrow keys or by typing it, and see that the page has it."""
        cells = [int(cell) for cell in self.game.clicks(self.state, action)]
        name = self.game.action_to_string(self.state, action)
        if by == "typing" or not cells:
            self.page.get_by_label("Type a move").fill(name)
            self.page.keyboard.press("Enter")
        elif by == "keys":
            for cell in cells:
                self.go_to(cell)
                self.page.keyboard.press("Enter")
        else:
            self.click_cells(cells)
        self.number += 1
        self.state = self.game.after(self.state, action)
        expect(self.page.locator(".moves li")).to_have_count(self.number)
        expect(self.page.locator("#spoken")).to_contain_text(f"plays {name}.")

    def play_game(self, by: str = "clicks", seed: int = 1) -> None:
        """A whole game of random moves; at the end the page says what the rules say."""
        rng = random.Random(seed)
        while not self.game.is_terminal(self.state):
            self.play(rng.choice(self.game.legal_list(self.state)), by)
        result = self.game.result(self.state)
        won = [player for player in range(self.game.players) if result[player] == max(result)]
        expect(self.page.locator(".end")).to_contain_text("A draw" if len(won) == len(result) else "wins")
        rows = self.page.locator(".seats li")
        for player in range(self.game.players):
            badge = rows.nth(player).get_by_text("won", exact=True)
            expect(badge).to_have_count(int(player in won and len(won) < len(result)))
        assert not self.troubles

    def go_to(self, cell: int) -> None:
        """Move the keyboard's cell there by arrow keys alone, as somebody who only hears where it is."""
        board = self.game.board()
        self.page.locator(".board").focus()
        if not self.page.locator(".cursor").count():
            self.press("ArrowUp")
        wanted = board.place(cell)
        keys = (("PageUp", "PageDown"), ("ArrowDown", "ArrowUp"), ("ArrowRight", "ArrowLeft"))
        for axis, (more, less) in enumerate(keys):
            if board.style == "columns" and board.layers == 1 and axis < 2:
                continue  # stones fall: a column is all that is chosen
            while (here := board.place(self.heard_cell(board))[axis]) != wanted[axis]:
                self.press(more if here < wanted[axis] else less)

    def press(self, key: str) -> None:
        """Press a key and wait for what is said."""
        before = self.page.locator("#spoken").inner_text()
        self.page.keyboard.press(key)
        expect(self.page.locator("#spoken")).not_to_have_text(before)

    def heard_cell(self, board: Any) -> int:
        """The cell whose name was said last."""
        name = self.page.locator("#spoken").inner_text().split(",")[0].strip()
        found = [cell for cell in range(board.cells) if board.name_of(cell) == name]
        return found[0] if found else int(self.page.locator(".cursor").get_attribute("data-at") or 0)

    def check_for_everyone(self) -> None:
        """Nothing that axe finds wrong for people with disabilities."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        told = [
            f"{each['id']}: {each['help']}: {each['nodes'][0]['html'][:120]} {each['nodes'][0]['failureSummary'][:200]}"
            for each in found["violations"]
        ]
        if told:
            pytest.fail("\n".join(told))

    def check_width(self) -> None:
        """Nothing is wider than the window."""
        wide, room = self.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= room

    def leave(self) -> None:
        """Close the window."""
        self.context.close()
