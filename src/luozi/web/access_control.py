"""Who may talk to the server: addresses that it knows, pages of its own, and where others can reach it, a token."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

COOKIE = "luozi_token"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str:
    """The host of a `Host` header or an address, without its port.

    >>> host_of("localhost:8177"), host_of("[::1]:8177"), host_of("http://a.example:1/x")
    ('localhost', '::1', 'a.example')
    """
    try:
        found = urlsplit(header if "//" in header else f"//{header}").hostname
    except ValueError:
        return ""
    return (found or "").lower()


@dataclass(frozen=True)
class AccessControl:
    """What a request must show. `hosts`: names by which the server is known; none: any, where a token is needed."""

    token: str = ""
    hosts: tuple[str, ...] = LOOPBACK
    ports: tuple[int, ...] = field(default=())

    def knows_host(self, header: str | None) -> bool:
        """Whether a request is meant for this server: a page elsewhere must not reach it by a name of its own."""
        host = host_of(header or "")
        return bool(host) and (not self.hosts or host in self.hosts or is_loopback(host))

    def is_own_page(self, origin: str | None, header: str | None) -> bool:
        """Whether a socket was opened by a page of this server; programs that are no browsers send no origin."""
        if origin is None:
            return True
        try:
            parts = urlsplit(origin) if origin.isprintable() else urlsplit("")
        except ValueError:  # half an address
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == (header or "").lower() != ""

    def is_for_own_page(self, headers: Mapping[str, str]) -> bool:
        """Whether no other site's page has this fetched, as a picture or the like, for which no origin is sent."""
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode")
        return site in ("none", "same-origin") or mode == "navigate"

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Whether the token is there, if one is needed."""
        if not self.token:
            return True
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
        return any(is_same(given, self.token) for given in (bearer, *tokens_of(headers.get("cookie", ""))))


def is_same(given: str, token: str) -> bool:
    """Compared in constant time."""
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def tokens_of(header: str) -> list[str]:
    """The tokens in a header of cookies. Those of other programs on this machine come along, however they are written.

    >>> tokens_of("a{}=1; luozi_token=a%20b")
    ['a b']
    """
    parts = (part.strip().partition("=") for part in header.split(";"))
    return [unquote(value.strip('"')) for name, _, value in parts if name == COOKIE]
