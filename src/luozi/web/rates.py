"""How much may come from one place: requests, messages and connections of one page, and of one address together."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict

from luozi.web.access_control import is_loopback
from luozi.web.limits import ServerLimits

MOST_ADDRESSES = 10_000  # that are remembered; an IPv6 neighbourhood is one
PREFIX = 64  # bits of an IPv6 address that one household has


class TokenBucket:
    """How many messages may come: so many at once, and so many more each second.

    >>> bucket = TokenBucket(1.0, 2)
    >>> [bucket.wait(0.0), bucket.wait(0.0), bucket.wait(0.0)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, each_second: float, at_once: float) -> None:
        self.each_second, self.at_once = each_second, at_once
        self.level, self.at = float(at_once), 0.0

    def wait(self, now: float) -> float:
        """Take one; how many seconds to wait before it is served."""
        self.fill(now)
        self.level -= 1
        return 0.0 if self.level >= 0 else -self.level / self.each_second

    def takes(self, now: float) -> bool:
        """Take one if there is one: who asks in vain does not make it worse.

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
        """What has come in since."""
        self.level = min(self.at_once, self.level + max(0.0, now - self.at) * self.each_second)
        self.at = now


class AddressQuota:
    """What has come from one address."""

    def __init__(self, limits: ServerLimits, name: str = "") -> None:
        self.name = name
        self.requests = TokenBucket(limits.requests_each_second, limits.requests_at_once)
        self.messages = TokenBucket(limits.place_messages_each_second, limits.place_messages_at_once)
        self.tables = TokenBucket(limits.place_new_tables / 60, limits.place_new_tables)
        self.connections = 0


class AddressQuotas:
    """All addresses that have asked for something lately.

    >>> places = AddressQuotas(ServerLimits(requests_at_once=2, requests_each_second=0.001))
    >>> [places.admits("192.0.2.1") for _ in range(3)], places.admits("192.0.2.2")
    ([True, True, False], True)
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self._places: OrderedDict[str, AddressQuota] = OrderedDict()

    def at(self, address: str) -> AddressQuota:
        """What has come from an address; those that were silent longest are forgotten."""
        name = address_key(address)
        place = self._places.setdefault(name, AddressQuota(self.limits, name))
        self._places.move_to_end(name)
        if len(self._places) > MOST_ADDRESSES:
            silent = next((one for one, found in self._places.items() if not found.connections), name)
            del self._places[silent]
        return place

    def admits(self, address: str) -> bool:
        """Whether one more request from an address is answered now."""
        return self.at(address).requests.takes(time.monotonic())


def address_key(address: str) -> str:
    """Who asks, by the address: nobody gets more by having many of them.

    >>> address_key("192.0.2.7"), address_key("2001:db8:1:2:3::4"), address_key("::1"), address_key("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '', '192.0.2.7')
    """
    if is_loopback(address):
        return ""  # this machine, or a server before this one that speaks for many
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return address_key(str(found.ipv4_mapped))
    return str(ipaddress.ip_network((found, PREFIX), strict=False))
