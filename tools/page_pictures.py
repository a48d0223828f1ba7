"""Make the pictures of the page in docs/pictures: real games at a real server, in a real Chromium.

`luozi serve drawn_dominoes.py`, the file of the tutorial, in one terminal, and
`python tools/page_pictures.py http://127.0.0.1:8177/ [PICTURE...]` in another. Searches should be compiled already: the
pictures are taken as soon as the programs have moved and thought for a while.
"""

from __future__ import annotations

import io
import shutil
import sys
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parents[1] / "docs/pictures"
SIZE = {"width": 1280, "height": 800}
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE = 120_000  # milliseconds
GAMES = {  # the picture, the game, its colours, the moves of the person, and what the mouse points at
    "page.png": ("gomoku", "light", ["h8", "i9", "i7"], ""),
    "page-3d.png": ("five3d", "dark", ["3d4", "4c3"], ".candidates tbody tr:nth-child(2)"),
    "page-own-game.png": ("", "light", ["c4-c3", "e3-e2"], ""),  # games of the user come first
}
WALK = "page-walk.png"


def main(address: str, names: list[str]) -> None:
    """Make the pictures that are named, or all."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, (game, colours, moves, pointed) in GAMES.items():
            if names and name not in names:
                continue
            context = browser.new_context(viewport=SIZE, color_scheme=colours, locale="en-US")
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(f"{address}#new/{game}")
            play(page, moves)
            if pointed:
                page.locator(pointed).hover()
            time.sleep(1)
            save(HERE / name, page.screenshot())
            context.close()
        if not names or WALK in names:
            page = browser.new_page(viewport=SIZE, color_scheme="light", locale="en-US")
            page.goto(f"{address}#walk")
            walk(page)
            save(HERE / WALK, page.screenshot())
        browser.close()


def play(page: Page, moves: list[str]) -> None:
    """Some moves against the programs, with hints."""
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("radio", name="On", exact=True).click()
    for move in moves:
        page.get_by_label("Type a move").fill(move)
        page.get_by_role("button", name="Play", exact=True).click()
        page.locator(".seats li").first.get_by_text("to move").wait_for(state="hidden")
        page.locator(".seats li").first.get_by_text("to move").wait_for()
    page.locator(".work:not(:empty)").wait_for()
    time.sleep(8)


def walk(page: Page) -> None:
    """Show the second moment of the selection of iteration 101."""
    page.get_by_role("button", name="Skip 100", exact=True).click()
    page.get_by_text("Iteration 101", exact=True).wait_for()
    page.get_by_role("button", name="Next", exact=True).click()
    page.locator(".scores tbody tr").first.wait_for()
    time.sleep(1)


def save(path: Path, content: bytes) -> None:
    """With 256 colours, which is a third of the bytes."""
    Image.open(io.BytesIO(content)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
