"""Details of the page in a real Chromium: what stands where, arrows and lines, pasting, the next game, phones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from web_page import make_sessions, serving

import luozi
from luozi.matches.game_runner import play_fixture
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run make setup")
from browsing import DESKTOP, PHONE, Visitor  # noqa: E402
from playwright.sync_api import Browser, Page, expect  # noqa: E402

COMPILING = {"type": "compiling", "what": "go", "part": 0.3, "seconds": 20, "engine": "slow", "done": False}
NO_ANALYSIS = """() => {
const socket = window.sockets.at(-1), send = socket.send.bind(socket);
socket.send = text => JSON.parse(text).type === "analyse" || send(text);
}"""
VALUE = {"chances": [0.6, 0.4], "draw": 0.0, "kind": "wins", "few": False}
RECORD = "(;GM[4]SZ[5];B[cc](;W[aa](;B[bb])(;B[ab]))(;W[ee];B[dd]))"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("results") / "results.db"
    players = ["random", "flat:playouts=2", "flat:playouts=20,seed=1234567890123456789"]  # wider than a phone
    contest, store = MatchSchedule.of("tictactoe", players, kind="round-robin"), Store.open(path)
    store.enter(contest, 4)
    for fixture in contest.fixtures(4):
        store.add(contest, play_fixture(contest, fixture))
    store.close()
    with serving(make_sessions(), results=path) as client:
        yield f"http://127.0.0.1:{client.port}/"


@pytest.fixture(params=[DESKTOP])
def visitor(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    found = Visitor(browser, address, request.param, reduced_motion="reduce")
    yield found
    found.leave()
    assert not found.troubles


def hear(page: Page, message: dict[str, Any]) -> None:
    """Let the page hear a message, as if the server had sent it."""
    page.evaluate("text => window.sockets.at(-1).onmessage({data: text})", json.dumps(message))


def thought(page: Page, *candidates: tuple[int, str, list[int]]) -> dict[str, Any]:
    """What a search may think of the position after so many moves: candidates with their lines, the best first."""
    rows = [
        {"action": action, "name": name, "visits": 4000 >> place, "value": VALUE, "line": line, "line_names": []}
        | {"proven": False, "cut": False, "prior": None}
        for place, (action, name, line) in enumerate(candidates)
    ]
    told = {
        "action": candidates[0][0],
        "player": 0,
        "candidates": rows,
        "variation": [candidates[0][1]],
        "value": VALUE,
        "fewest": 100,
        "seconds": 1.0,
    }
    told |= {
        "iterations": 8000,
        "nodes": 9,
        "depth": 3,
        "sampled": True,
        "ownership": None,
        "threads": [],
        "notice": "",
    }
    move = page.locator(".moves li").count()
    about = {"type": "thinking", "what": "analysis", "seat": 0, "move": move, "rate": 1, "threads": 1, "engine": "full"}
    return {**about, "thought": told, "done": True}


def show_search_result(page: Page, *candidates: tuple[int, str, list[int]]) -> None:
    """Hints on, and one thought that no other one follows."""
    page.evaluate(NO_ANALYSIS)
    page.get_by_role("radio", name="On", exact=True).click()
    hear(page, thought(page, *candidates))
    expect(page.locator(".candidates tbody tr")).to_have_count(len(candidates))


def boxes(page: Page, *selectors: str) -> list[Any]:
    """Where the first of each of these is."""
    return [page.locator(selector).first.bounding_box() for selector in selectors]


@pytest.mark.parametrize("visitor", [DESKTOP, PHONE], indirect=True, ids=["desktop", "phone"])
def test_nothing_moves_when_a_search_is_compiled_and_the_board_stays_in_review(visitor: Visitor):
    page = visitor.page
    visitor.begin("go:size=5")
    before = boxes(page, ".board", ".seats", ".actions")
    hear(page, COMPILING)
    expect(page.locator(".preparing progress")).to_be_visible()
    assert boxes(page, ".board", ".seats", ".actions") == before
    visitor.play(12)
    page.get_by_role("button", name="Previous move").click()
    expect(page.locator(".where")).to_have_text("0 / 1")
    assert boxes(page, ".board") == before[:1]
    hear(page, {**COMPILING, "done": True})
    expect(page.locator(".preparing")).to_have_count(0)
    assert boxes(page, ".board") == before[:1]


def test_a_hint_is_an_arrow_and_pointing_at_a_move_shows_its_line_on_every_board(visitor: Visitor):
    page, lines = visitor.page, page_lines(visitor)
    visitor.begin("breakthrough:rows=6,columns=3")
    game = luozi.game("breakthrough:rows=6,columns=3")
    line, cells = first_moves(game, 4)
    show_search_result(page, (line[0], "first", line))
    arrow = page.locator(".arrows .best")
    assert [int(arrow.get_attribute(name) or -1) for name in ("data-from", "data-to")] == cells[0]
    page.locator(".candidates tbody tr").hover()
    expect(lines).to_have_text(["1", "2", "3", "4"])
    assert page.locator(".arrows > g").count() == 4
    page.mouse.move(5, 5)
    expect(lines).to_have_count(0)
    page.locator(f'.board [data-cell="{cells[0][0]}"]').hover()  # the piece that would move
    expect(lines).to_have_text(["1", "2", "3", "4"])
    visitor.begin("connect4")  # stones that fall, of two players
    game = luozi.game("connect4")
    show_search_result(page, (3, "4", [3, 3, 2, 3]))
    page.locator('.board [data-cell="3"]').hover()  # any cell of the column
    expect(lines).to_have_text(["1", "2", "3", "4"])
    visitor.begin("lines:rows=4,columns=4,win_length=4,players=3")  # three players take turns
    show_search_result(page, (5, "b3", [5, 6, 7, 8]))
    page.locator(".candidates tbody tr").hover()
    expect(page.locator(".ghosts .player-2")).to_have_count(1)
    expect(page.locator(".ghosts .player-0")).to_have_count(2)


@pytest.mark.parametrize("visitor", [DESKTOP, PHONE], indirect=True, ids=["desktop", "phone"])
def test_the_candidates_of_three_players_fit_into_their_card(visitor: Visitor):
    page = visitor.page
    visitor.begin("five3d:size=4,win_length=4")
    message = thought(page, (0, "3d4", [0]), (1, "4b2", [1]))
    for row in message["thought"]["candidates"]:
        row |= {"visits": 33_500_000, "value": {**VALUE, "chances": [1.0, 0.0, 0.0]}}
    page.evaluate(NO_ANALYSIS)
    page.get_by_role("radio", name="On", exact=True).click()
    hear(page, message)
    expect(page.locator(".candidates tbody tr").first).to_contain_text("100.0")
    wide, room = page.locator(".candidates-frame").evaluate("frame => [frame.scrollWidth, frame.clientWidth]")
    assert wide <= room


def page_lines(visitor: Visitor) -> Any:
    """The numbers of the line on the board."""
    return visitor.page.locator(".ghosts .ghost-number")


def first_moves(game: Any, count: int) -> tuple[list[int], list[list[int]]]:
    """Moves from the start that are far apart, and their cells."""
    state, actions, cells = game.new_state(), [], []
    for number in range(count):
        legal = game.legal_list(state)
        action = legal[0] if number % 2 else legal[-1]
        actions.append(int(action))
        cells.append([int(cell) for cell in game.clicks(state, action)])
        state = game.after(state, action)
    return actions, cells


def test_after_pasting_nobody_moves_and_what_was_left_out_is_said_and_forms_close_with_their_game(visitor: Visitor):
    page = visitor.page
    visitor.begin("gomoku:size=5", "person", "player random")
    page.get_by_role("button", name="Who plays White").click()
    expect(page.locator(".seat-change")).to_be_visible()
    page.evaluate("location.hash = '#new/gomoku:size=5'")
    page.get_by_role("radio", name="Paste").click()
    page.get_by_label("A record of Luozi").fill(RECORD)
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".play .moves li")).to_have_count(3)
    expect(page.locator(".turn-line")).to_contain_text("Paused")
    expect(page.locator(".left-out")).to_contain_text("2 variations")
    expect(page.locator(".seat-change")).to_have_count(0)  # the form of the last game
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".left-out")).to_contain_text("2 个变化")
    expect(page.locator(".play .moves li")).to_have_count(3)
    page.get_by_role("button", name="继续").click()
    expect(page.locator(".play .moves li")).to_have_count(4)


@pytest.mark.parametrize("visitor", [PHONE], indirect=True, ids=["phone"])
def test_on_a_phone_a_game_starts_without_scrolling_and_scores_are_in_view_ranked_with_elo(visitor: Visitor):
    page = visitor.page
    page.evaluate("location.hash = '#new/tictactoe'")
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_in_viewport(ratio=1)
    visitor.check_for_everyone()
    page.evaluate("scrollTo(0, 9999)")
    expect(start).to_be_in_viewport(ratio=1)
    page.evaluate("location.hash = '#results'")
    page.locator(".result-line").click()
    score = page.locator(".standings").get_by_role("columnheader", name="Score")
    box = score.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE["width"]
    visitor.check_width()
    rows = page.locator(".standings tbody tr")
    elos = [float(row.locator(".standing-elo").inner_text().split()[0].replace("−", "-")) for row in rows.all()]
    assert elos == sorted(elos, reverse=True)
    report = page.locator("p > a.button", has_text="Report").get_attribute("href")
    assert page.request.get(f"{page.url.partition('#')[0]}{report}").ok
    assert abs(sum(scores(page)) - 50 * len(elos)) < 0.01


def scores(page: Page) -> list[float]:
    """The scores of a table in per cent."""
    told = page.locator(".standings tbody td:first-of-type").all_inner_texts()
    return [float(each.split()[0]) for each in told]


def test_the_tree_of_the_engine_compares_its_moves_by_itself(visitor: Visitor):
    """What is said below a large tree is true of it."""
    page = visitor.page
    page.evaluate("location.hash = '#tree'")
    page.get_by_label("Game").select_option("tictactoe")
    page.get_by_text("Watch the engine").click()
    expect(page.locator(".tree-numbers strong")).to_be_visible()
    expect(page.locator(".why-card, .why-empty").first).to_be_visible()
    expect(page.get_by_text("no two moves to compare")).to_have_count(0)
    page.get_by_label("Game").select_option("gomoku:size=9")
    expect(page.locator(".node-panel svg [data-cell]")).to_have_count(81)  # the board of the next game
    expect(page.locator(".looking-trouble")).to_have_count(0)
