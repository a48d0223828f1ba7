"""Which classes of users have passed the short check: each is checked once, and again when its rules have changed."""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from luozi import __version__
from luozi.compiled.cache import cache_folder
from luozi.compiled.digest import source_digest
from luozi.compiled.object_type import is_ours
from luozi.messages import LuoziError, Message, warn_once
from luozi.rules.game import Game
from luozi.rules.packing import digest_of_game

SUFFIX = ".passed"  # of an empty file for each class that has passed
MOST_KEPT = 500
LOOKED_AT = "_looked_at"  # marks an object in this process
_here: set[str] = set()  # the digests of this process


def refuse_faulty(game: Game) -> None:
    """Raise the sentence of `luozi check` if a short check finds a fault in a user's class; nothing for Luozi's own.

    What has passed is remembered by the digest of the class and its attributes, in the cache folder too.

    >>> import luozi
    >>> refuse_faulty(luozi.game("tictactoe"))
    """
    if LOOKED_AT in vars(game) or is_of_ours(game):
        return
    game.validate()
    digest = digest_of_check(game)
    if digest not in _here and not kept(digest).exists() and look(game):
        keep(digest)
    _here.add(digest)
    vars(game)[LOOKED_AT] = True


def look(game: Game) -> bool:
    """Check a game; a sentence is raised if something is wrong. Whether all rules that were asked have returned."""
    from luozi.check.short import check_shortly

    found = check_shortly(game)
    if found.problem:
        raise LuoziError(found.problem)
    if found.unreturned:
        title = type(game).__name__
        told = Message(
            "{text}.{name} has not returned in {seconds} s; look for a loop that never ends",
            text=title,
            name=found.unreturned,
            seconds=f"{found.seconds:.1f}",
        )
        warn_once(f"unreturned {title}", told)
    return not found.unreturned


def is_of_ours(game: Game) -> bool:
    """Whether no user has written any of a game's rules."""
    return all(is_ours(cls) for cls in type(game).__mro__ if cls is not object)


def digest_of_check(game: Game) -> str:
    """The game's own digest, and what checks it."""
    parts = (digest_of_game(game), source_digest(str(Path(__file__).parent.parent / "check")), __version__, sys.version)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def kept(digest: str) -> Path:
    """The file that says so."""
    return cache_folder() / f"{digest}{SUFFIX}"


def keep(digest: str) -> None:
    """Remember in the cache folder, if that can be, that a class has passed; the oldest of too many are forgotten."""
    with suppress(OSError):
        cache_folder().mkdir(parents=True, exist_ok=True)
        kept(digest).touch()
        files = sorted(cache_folder().glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime)
        for file in files[:-MOST_KEPT]:
            file.unlink(missing_ok=True)
