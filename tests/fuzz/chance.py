"""Chance with a seed, and a liking for what programs do not expect."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import TypeVar

Thing = TypeVar("Thing")

NUMBERS = ("0", "1", "2", "3", "5", "9", "15", "-1", "-0", "+3", "007", "0.5", "1e3", "1e999", "-1e-999", "nan", "inf")
NUMBERS += ("0x10", "1_000", "__", "٣", "²", "½", "９", "2147483648", "-2147483649", str(2**62), str(2**64), "9" * 40)
TEXTS = ("", " ", "\t", "\0", "\r", "\x1b[2J", "\u2028", "\x85", "\x1c", "\ufeff", "落子", "e\u0301", "\u202e", "🀄")
TEXTS += ("'", '"', "`", "\\", "|", " | ", ":", ",", "=", "#", "  # ", "%s", "{0}", "$(x)", "~", "~nosuchuser", "..")
TEXTS += ("/", "/dev/null", "None", "True", "null", "[]", "{}", "[" * 200, "-", "--", "--help", ".", "x" * 300)
TEXTS += ("y" * 3000,)


class Chance(random.Random):
    """Random numbers, and what is made of them."""

    def often(self, share: float) -> bool:
        """True with this probability."""
        return self.random() < share

    def pick(self, *choices: Thing) -> Thing:
        """One of these."""
        return self.choice(choices)

    def some(self, things: Sequence[Thing], most: int) -> list[Thing]:
        """Up to so many of these, in any order, also twice."""
        return [self.choice(things) for _ in range(self.randint(0, most))]

    def number(self) -> str:
        """A number as somebody might write it."""
        if self.often(0.5):
            return str(self.randint(-3, 30))
        return "9" * 5000 if self.often(0.02) else self.choice(NUMBERS)

    def nonsense(self) -> str:
        """A short text that nobody expects."""
        if self.often(0.3):
            return self.number()
        if self.often(0.6):
            return self.choice(TEXTS)
        return "".join(chr(self.randint(1, 0x2FF)) for _ in range(self.randint(1, 12)))

    def spoil(self, text: str) -> str:
        """A text with a few changes."""
        for _ in range(self.randint(1, 3)):
            text = self._spoil_once(text)
        return text

    def _spoil_once(self, text: str) -> str:
        start, end = sorted((self.randint(0, len(text)), self.randint(0, len(text))))
        end = min(end, start + 20)
        numbers = list(re.finditer(r"-?\d+", text))
        match self.randrange(7):
            case 0:
                return text[:start] + text[end:]
            case 1:
                return text[:start] + text[start:end] * 2 + text[end:]
            case 2:
                return text[:start] + self.nonsense() + text[start:]
            case 3:
                return text[:start]
            case 4:
                return text[:start] + text[start:end].swapcase()[::-1] + text[end:]
            case _ if numbers:
                found = self.choice(numbers)
                return text[: found.start()] + self.number() + text[found.end() :]
            case _:
                return text + self.nonsense()

    def spoil_bytes(self, content: bytes) -> bytes:
        """Bytes with a few changes: bits, the end, a piece of something else; zeroed ranges and swapped blocks."""
        changed = bytearray(content)
        if changed and self.often(0.3):
            size = self.pick(1, 16, 512, 4096)
            start, other = (self.randrange(len(changed)) // size * size for _ in range(2))
            if self.often(0.5):
                changed[start : start + size] = bytes(len(changed[start : start + size]))
            elif start + size <= len(changed) >= other + size:
                changed[start : start + size], changed[other : other + size] = (
                    changed[other : other + size],
                    changed[start : start + size],
                )
            if self.often(0.5):
                return bytes(changed)
        for _ in range(self.pick(1, 1, 3, 20)):
            if changed:
                changed[self.randrange(len(changed))] ^= 1 << self.randrange(8)
        if self.often(0.2):
            del changed[self.randint(0, len(changed)) :]
        if self.often(0.1):
            start = self.randint(0, len(changed))
            changed[start : start + self.pick(1, 100, 4096)] = self.randbytes(self.pick(0, 1, 100, 4096))
        return bytes(changed)
