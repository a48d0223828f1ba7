"""The documentation on the page's server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from luozi.web.access_control import AccessControl
from luozi.web.app import make_app
from luozi.web.data_routes import DataRoutes
from tests.web_page import make_sessions


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "index.html").write_text("<script>start()</script>", encoding="utf-8")
    return folder


@pytest.fixture
def client(docs: Path) -> Iterator[TestClient]:
    sessions = make_sessions()
    app = make_app(sessions, AccessControl(), DataRoutes(sessions, None), docs=docs)
    with TestClient(app, base_url="http://127.0.0.1:8177") as client:
        yield client


def test_the_documentation_is_shown_where_it_was_built(client: TestClient) -> None:
    answer = client.get("/docs/")
    assert (answer.status_code, answer.text) == (200, "<script>start()</script>")


def test_only_the_documentation_may_run_scripts_inside_its_pages(client: TestClient) -> None:
    assert "script-src 'self' 'unsafe-inline'" in client.get("/docs/").headers["content-security-policy"]
    assert "script-src" not in client.get("/api/games").headers["content-security-policy"]


def test_no_file_outside_its_folder_is_read(client: TestClient, docs: Path) -> None:
    (docs.parent / "secret.txt").write_text("secret", encoding="utf-8")
    assert client.get("/docs/..%2fsecret.txt").status_code == 404
