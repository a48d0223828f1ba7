"""The documentation that the server shows at /docs/ where `make docs` built it."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

DOCUMENTATION = Path(__file__).parent / "docs"
# The site starts with scripts inside its pages. Its files come with Luozi, and hold nothing that a client wrote.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "worker-src 'self' blob:; frame-ancestors 'self'; base-uri 'none'; form-action 'self'"
)


class DocumentationFiles(StaticFiles):
    """The files of the site, with its own content security policy."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["content-security-policy"] = POLICY
        return response
