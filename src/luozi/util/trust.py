"""Permission to run code: game files, libraries and commands of external programs. Everything that runs one asks here.

A record, a results database, a training run or a file of weights may come from an untrusted source and name a file or a
command. It runs only if the user named it (on this command line, or as an argument in Python), approved it earlier, or
confirms it in the terminal now. An approval holds for the content of a file at its path, and for a command in its
folder with the program that it starts. Child processes inherit the approvals and run nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from luozi.messages import LuoziError, reason_of
from luozi.util.files import replacing
from luozi.util.parsing import content_of, parts_of, read_bounded

VARIABLE = "LUOZI_TRUST"  # environment variable that passes approvals to child processes
MOST_KEPT, MOST_BYTES = 2000, 8 << 20  # maximum number of approvals in the user's file, and of its bytes
MOST_SOURCE = 16 << 20  # maximum size of a game file

_named: dict[str, str] = {}  # digests of what the user named or confirmed, each with the digest of the content
_done: set[str] = set()  # digests of what was permitted, so that a match decides only once
_by_name: dict[str, str] = {}  # files that the user named: records name a file without its folder
_folders: set[str] = set()  # folders that the user named, for the libraries in them
_strict: list[str] = []  # not empty: a request by the program does not count as named by the user
_foreign: ContextVar[bool] = ContextVar("foreign", default=False)  # the same while following what a file names
_asked: list[Callable[[str], bool]] = []  # asks the user, if possible


class Runnable(NamedTuple):
    """Something that runs code, as messages and approvals name it."""

    word: str  # what --trust takes: a file, or a player such as `gtp:gnugo --mode gtp`
    place: str  # where the approval holds: the path of the file, or the folder, program and words of the command
    content: str  # digest of the file's content or of the command's words
    files: str = ""  # of a command: digest of the files that its words name, with the program

    @property
    def digest(self) -> str:
        """The digest of a stored approval: this content at this place."""
        parts = self.place, self.content, *([self.files] if self.files else [])
        return digest_of("\0".join(parts).encode(errors="surrogateescape"))


def digest_of(content: bytes) -> str:
    """Return a digest of bytes.

    >>> digest_of(b"a") == digest_of(b"a") != digest_of(b"b")
    True
    """
    return hashlib.blake2b(content, digest_size=20).hexdigest()


# Who named it ---------------------------------------------------------------------------------------------------------


@contextmanager
def only_named(ask: Callable[[str], bool] | None = None) -> Iterator[None]:
    """Restrict a command to what `name_file` and `name_command` were told, and what the user confirms by `ask`."""
    before = _named.copy(), _by_name.copy(), _folders.copy(), _done.copy(), _asked.copy()
    _strict.append("")
    _done.clear()
    _asked.extend([] if ask is None else [ask])
    try:
        yield
    finally:
        _strict.pop()
        for now in (_named, _by_name, _folders, _done):
            now.clear()
        _named.update(before[0])
        _by_name.update(before[1])
        _folders.update(before[2])
        _done.update(before[3])
        _asked[:] = before[4]


@contextmanager
def foreign() -> Iterator[None]:
    """Follow what an untrusted file names: nothing counts as named by the user.

    >>> import luozi
    >>> with foreign():
    ...     luozi.game("tictactoe").players  # nothing of a user's runs for it
    2
    """
    token = _foreign.set(True)
    try:
        yield
    finally:
        _foreign.reset(token)


def is_strict() -> bool:
    """Return whether a request by the program does not count as named by the user."""
    return bool(_strict) or _foreign.get() or VARIABLE in os.environ


def name_file(path: str | os.PathLike[str]) -> None:
    """Note that the user named a file: its present content may run."""
    with suppress(LuoziError):  # the code that runs it reports the error
        one = of_file(path)
        _named[one.digest] = one.content
        _by_name[os.path.basename(one.place)] = os.fspath(path)


def name_folder(path: str | os.PathLike[str]) -> None:
    """Note that the user named a folder: libraries in it may be loaded."""
    _folders.add(os.path.realpath(path))


def name_command(command: str) -> None:
    """Note that the user named the command of an external program."""
    with suppress(ValueError):
        digest = digest_of_words(shlex.split(command))
        _named[digest] = digest


def named_file(name: str) -> str:
    """Return the file of this name that the user named, or the name itself.

    >>> named_file("somewhere/no_such_game.py")
    'somewhere/no_such_game.py'
    """
    return _by_name.get(os.path.basename(name), name)


# What runs ------------------------------------------------------------------------------------------------------------


def source_to_run(path: Path) -> bytes:
    """Return the content of a game file that may run.

    Raises:
        LuoziError: it may not run, or cannot be read.
    """
    content = content_of(path, MOST_SOURCE)
    decide(Runnable(os.fspath(path), os.path.realpath(path), digest_of(content)))
    return content


def library_to_load(path: Path) -> None:
    """Check that a library may be loaded.

    Raises:
        LuoziError: it may not.
    """
    one = of_file(path)
    if os.path.dirname(one.place) in _folders and not _foreign.get():
        _named[one.digest] = one.content
    decide(one._replace(word=f"connect4_library:{path}"))


def command_to_start(kind: str, command: str, words: Sequence[str]) -> None:
    """Check that a command may be started. The first word is the path of the program.

    Raises:
        LuoziError: it may not.
    """
    place = json.dumps([os.getcwd(), *words])
    with_name = shlex.split(command)
    files = digest_of("".join(of_file(word).content for word in words if os.path.isfile(word)).encode())
    decide(Runnable(f"{kind}:{command}", place, digest_of_words(with_name), files))


def of_file(path: str | os.PathLike[str]) -> Runnable:
    """Return a file as it is now.

    Raises:
        LuoziError: it cannot be read.
    """
    try:
        digest = hashlib.blake2b(digest_size=20)
        for part in parts_of(path):
            digest.update(part)
    except (OSError, ValueError) as error:
        raise LuoziError(
            "'{name}' can't be read: {reason}", name=in_one_line(os.fspath(path)), reason=reason_of(error)
        ) from None
    return Runnable(os.fspath(path), os.path.realpath(path), digest.hexdigest())


def digest_of_words(words: Sequence[str]) -> str:
    """Return the digest of a command by which child processes know it."""
    return digest_of(json.dumps(["command", *words]).encode())


def decide(one: Runnable) -> None:
    """Permit it, or raise LuoziError. All decisions are made here."""
    if one.digest in _done:
        return
    if not is_strict():
        _named[one.digest] = one.content
    if one.content not in inherited():
        approved = one.digest in kept() and VARIABLE not in os.environ
        if not (approved or one.digest in _named or one.content in _named or says_yes(one)):
            raise refusal(one)
        _named[one.digest] = one.content
        keep(one)
    _done.add(one.digest)


def refusal(one: Runnable) -> LuoziError:
    """Return the message that says what is not run, why, and what to type."""
    name, typed = in_one_line(one.word), in_one_line(shlex.quote(one.word))
    if not _strict:
        call = "game" if one.word.endswith(".py") else "player"
        return LuoziError(
            "'{name}' is not run: a file names it, and you have not; if you trust it, call luozi.{text} with it first",
            name=name,
            text=call,
        )
    if one.place in kept().values():
        return LuoziError(
            "'{name}' is not run: it has changed since you approved it; if you trust it, add --trust {text}",
            name=name,
            text=typed,
        )
    return LuoziError(
        "'{name}' is not run: a file names it, and you have not; if you trust it, add --trust {text}",
        name=name,
        text=typed,
    )


def in_one_line(text: str) -> str:
    """Return text from outside without control characters of the terminal.

    >>> in_one_line("a\\x1b[2Jb")
    'a?[2Jb'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def says_yes(one: Runnable) -> bool:
    """Return whether the user confirms it now. Only the main thread of a program in a terminal asks."""
    if not _asked or threading.current_thread() is not threading.main_thread():
        return False
    return bool(sys.stdin and sys.stderr and sys.stdin.isatty() and sys.stderr.isatty()) and _asked[-1](
        in_one_line(one.word)
    )


# Child processes ------------------------------------------------------------------------------------------------------


def environment() -> dict[str, str]:
    """Return the environment with which a child process may run the same code, and no other."""
    return {VARIABLE: inheritance()}


def inheritance() -> str:
    """Return all approvals of this process as one text.

    >>> isinstance(inheritance(), str)
    True
    """
    return ",".join(sorted({*_named.values(), *inherited()}))


def inherit(approvals: str) -> None:
    """Take the approvals of another process. From now on, nothing else runs in this one."""
    os.environ[VARIABLE] = ",".join(sorted(inherited() | set(filter(None, approvals.split(",")))))


def inherited() -> set[str]:
    """Return the approvals of the parent process."""
    return set(filter(None, os.environ.get(VARIABLE, "").split(",")))


# Approvals that are kept ----------------------------------------------------------------------------------------------


def state_folder() -> Path:
    """Return the user's folder for state: `$XDG_STATE_HOME/luozi`, or the default of the system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "luozi" / "state"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "luozi"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "luozi"


def kept_file() -> Path:
    """Return the file of approvals, one a line."""
    return state_folder() / "approved.jsonl"


def kept() -> dict[str, str]:
    """Return the stored approvals: digests with their places."""
    found: dict[str, str] = {}
    try:
        lines = read_bounded(kept_file(), MOST_BYTES).decode(errors="replace").splitlines()
    except (OSError, RuntimeError):  # there is no file, or no home folder
        return found
    for line in lines:
        with suppress(ValueError, RecursionError, KeyError, TypeError):
            entry = json.loads(line)
            found[str(entry["digest"])] = str(entry["place"])
    return found


def keep(one: Runnable) -> None:
    """Store an approval for later runs of `luozi`. If that is impossible, it holds for this run."""
    if not _strict or VARIABLE in os.environ:
        return
    known = kept()
    if one.digest in known:
        return
    latest = [*known.items(), (one.digest, one.place)][-MOST_KEPT:]
    text = "".join(json.dumps({"digest": digest, "place": place}) + "\n" for digest, place in latest)
    with suppress(OSError, RuntimeError):
        file = kept_file()
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(file) as unfinished:
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as written:
                written.write(text)
