"""Who may talk to the server: host names, origins and the token, and how much may come from one address."""

from __future__ import annotations

import ipaddress
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from luozi.web.limits import ServerLimits

COOKIE = "luozi_token"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_ADDRESSES = 10_000  # that are remembered; an IPv6 network is one
PREFIX = 64  # bits of an IPv6 address that one household has


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine alone.

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
    """Return the host of a `Host` header or an address, without its port.

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
    """What a request must have. `hosts` are the server's names; without any, every name is accepted (with a token)."""

    token: str = ""
    hosts: tuple[str, ...] = LOOPBACK

    def refusal(self, headers: Mapping[str, str]) -> str | None:
        """Return why a request is refused, or None."""
        host = headers.get("host")
        if not self.knows_host(host):
            return "this server does not have that name; see the options --host and --allowed-host"
        if not self.is_own_page(headers.get("origin"), host) or not self.is_for_own_page(headers):
            return "only pages of this server may send requests"
        if not self.has_token(headers):
            return "open the address with the token that the server printed when it was started"
        return None

    def knows_host(self, header: str | None) -> bool:
        """Return whether a request names this server: a foreign page must not reach it by a name of its own."""
        host = host_of(header or "")
        return bool(host) and (not self.hosts or host in self.hosts or is_loopback(host))

    def is_own_page(self, origin: str | None, header: str | None) -> bool:
        """Return whether a page of this server asks. Programs that are no browsers send no origin."""
        if origin is None:
            return True
        try:
            parts = urlsplit(origin) if origin.isprintable() else urlsplit("")
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == (header or "").lower() != ""

    def is_for_own_page(self, headers: Mapping[str, str]) -> bool:
        """Return whether no foreign page embeds the answer, for example as a picture: browsers send no origin then."""
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode")
        return site in ("none", "same-origin") or mode == "navigate"

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Return whether a request has the token, if one is needed."""
        if not self.token:
            return True
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
        return any(is_same(given, self.token) for given in (bearer, *tokens_of(headers.get("cookie", ""))))


def is_same(given: str, token: str) -> bool:
    """Compare two tokens in constant time."""
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def tokens_of(header: str) -> list[str]:
    """Return the tokens in a `Cookie` header, which may have malformed cookies of other programs on this machine.

    >>> tokens_of("a{}=1; luozi_token=a%20b")
    ['a b']
    """
    parts = (part.strip().partition("=") for part in header.split(";"))
    return [unquote(value.strip('"')) for name, _, value in parts if name == COOKIE]


# Rates ----------------------------------------------------------------------------------------------------------------


class TokenBucket:
    """A rate limit: `at_once` requests at once, and `each_second` more each second.

    >>> bucket = TokenBucket(1.0, 2)
    >>> [bucket.wait(0.0), bucket.wait(0.0), bucket.wait(0.0)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, each_second: float, at_once: float) -> None:
        self.each_second, self.at_once = each_second, at_once
        self.level, self.at = float(at_once), 0.0

    def wait(self, now: float) -> float:
        """Take one, also where none is left; return the seconds until it may be served."""
        self.fill(now)
        self.level -= 1
        return max(0.0, -self.level / self.each_second)

    def takes(self, now: float) -> bool:
        """Take one if one is left, and return whether it was; a refused request costs nothing.

        >>> bucket = TokenBucket(1.0, 1)
        >>> [bucket.takes(0.0), bucket.takes(0.0), bucket.takes(1.0)]
        [True, False, True]
        """
        self.fill(now)
        if self.level < 1:
            return False
        self.level -= 1
        return True

    def fill(self, now: float) -> None:
        """Add what has come in since the last call."""
        self.level = min(self.at_once, self.level + max(0.0, now - self.at) * self.each_second)
        self.at = now


class AddressQuota:
    """What has come from one address."""

    def __init__(self, limits: ServerLimits, name: str = "") -> None:
        self.name = name
        self.requests = TokenBucket(limits.requests_each_second, limits.requests_at_once)
        self.messages = TokenBucket(limits.place_messages_each_second, limits.place_messages_at_once)
        self.sessions = TokenBucket(limits.place_new_tables / 60, limits.place_new_tables)
        self.connections = 0


class AddressQuotas:
    """All addresses that have sent something lately.

    >>> quotas = AddressQuotas(ServerLimits(requests_at_once=2, requests_each_second=0.001))
    >>> [quotas.admits("192.0.2.1") for _ in range(3)], quotas.admits("192.0.2.2")
    ([True, True, False], True)
    """

    def __init__(self, limits: ServerLimits, most: int = MOST_ADDRESSES) -> None:
        self.limits, self.most = limits, most
        self.quotas: OrderedDict[str, AddressQuota] = OrderedDict()

    def at(self, address: str) -> AddressQuota:
        """Return the quota of an address; those that were silent longest are forgotten."""
        name = address_key(address)
        quota = self.quotas.setdefault(name, AddressQuota(self.limits, name))
        self.quotas.move_to_end(name)
        if len(self.quotas) > self.most:
            del self.quotas[next((key for key, one in self.quotas.items() if not one.connections), name)]
        return quota

    def admits(self, address: str) -> bool:
        """Return whether one more request of an address is answered now."""
        return self.at(address).requests.takes(time.monotonic())


def address_key(address: str) -> str:
    """Return the key by which quotas count an address: "" for this machine, the network for IPv6.

    This machine's address may stand for many people: a proxy on it asks for others.

    >>> address_key("192.0.2.7"), address_key("2001:db8:1:2:3::4"), address_key("::1"), address_key("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '', '192.0.2.7')
    """
    if is_loopback(address):
        return ""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return address_key(str(found.ipv4_mapped))
    return str(ipaddress.ip_network((found, PREFIX), strict=False))
