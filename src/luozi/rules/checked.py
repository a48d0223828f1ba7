"""Which custom classes have passed the short check: each is checked once, and again after its rules have changed."""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from luozi import __version__
from luozi.compiled.cache import cache_folder
from luozi.compiled.digest import source_digest
from luozi.compiled.object_type import is_wholly_ours
from luozi.messages import LuoziError, warn_once
from luozi.rules.game import Game
from luozi.rules.packing import digest_of_game
from luozi.rules.watchdog import EndlessRuleError

SUFFIX = ".passed"  # suffix of the empty file that marks a class as checked
MOST_KEPT = 500
LOOKED_AT = "_looked_at"  # attribute that marks an object as checked in this process
_here: set[str] = set()  # digests of the classes that were checked in this process


def refuse_faulty(game: Game) -> None:
    """Raise the message of `luozi check` if a short check finds a fault in a custom class. Built-in games are not
    checked.

    Classes that passed are stored in the cache folder, by the digest of the class and its attributes.

    >>> import luozi
    >>> refuse_faulty(luozi.game("tictactoe"))
    """
    cls: type = type(game)
    if LOOKED_AT in vars(game) or is_wholly_ours(cls):
        return
    game.validate()
    digest = digest_of_check(game)
    if digest not in _here and not kept(digest).exists() and look(game):
        keep(digest)
    _here.add(digest)
    vars(game)[LOOKED_AT] = True


def look(game: Game) -> bool:
    """Check a game. Return whether all rules that were called have returned.

    Raises:
        LuoziError: the check found a fault.
    """
    from luozi.check.short import check_shortly

    try:
        problem = check_shortly(game)
    except EndlessRuleError as endless:
        warn_once(f"unreturned {type(game).__name__}", endless.message)
        return False
    if problem:
        raise LuoziError(problem)
    return True


def digest_of_check(game: Game) -> str:
    """Return the digest of the game, the check itself and the versions of Luozi and Python."""
    parts = (digest_of_game(game), source_digest(str(Path(__file__).parent.parent / "check")), __version__, sys.version)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def kept(digest: str) -> Path:
    """Return the file that marks this digest as checked."""
    return cache_folder() / f"{digest}{SUFFIX}"


def keep(digest: str) -> None:
    """Mark a class as checked in the cache folder, if it is writable, and remove the oldest of too many marks."""
    with suppress(OSError):
        cache_folder().mkdir(parents=True, exist_ok=True)
        kept(digest).touch()
        files = sorted(cache_folder().glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime)
        for file in files[:-MOST_KEPT]:
            file.unlink(missing_ok=True)
