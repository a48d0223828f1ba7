"""Weight files: archives with changed bytes, and whole ones whose entries hold what nobody expects."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from luozi.evaluators.weight_files import NOTES, read_weights
from luozi.games import game as make_game
from luozi.learning.files import DamagedFileError, read_arrays, read_played
from luozi.learning.learner import Weights, learner_for
from luozi.messages import LuoziError

from .chance import Chance

MAGIC = b"\x93NUMPY\x01\x00"
GAMES = ("connect4:rows=5,columns=5", "go:size=5")
NOTES_TEXTS = (b"", b"\xff", b"null", b"[]", b"{}", b'{"version": 2}', b'{"version": 2, "family": {}}', b"NaN")
NOTES_TEXTS += (b"[" * 100_000, b'{"version": ' + b"9" * 10_000 + b"}")
NOTES_TEXTS += (b'{"version": 2, "family": {"game": "\\u001b[2J"}}',)
NOTES_TEXTS += (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, b'{"version": 2, "family": {"game": [[]], "x": 1e999}}')


def header(descr: str, shape: str) -> bytes:
    """An array in NumPy's form whose header says so, without what follows."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".encode()
    text += b" " * (64 - (len(text) + 11) % 64) + b"\n"
    return MAGIC + len(text).to_bytes(2, "little") + text


def saved(array: np.ndarray) -> bytes:
    """An array in NumPy's form."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


ENTRIES = (
    b"",
    MAGIC,
    b"x" * 100,
    header("'<f2'", "(" * 9000 + ")" * 9000),
    header("'<f2'", "(1000000000000,)"),
    header("'<f2'", "(-1,)"),
    header("'<f2'", "(4, 4)"),
    header("'<f2'", "9" * 9000),
    header("'|O'", "(1,)") + b"\x80\x04N.",
    header("[('a', '<f2')]", "(0,)"),
    header("'<f2', 'x': 1", "()"),
    header("'V9000000000'", "(3,)"),
    saved(np.array(["abc"])),
    saved(np.array([1j])),
    saved(np.array(["2020-01-01"], "M8[D]")),
    saved(np.array([np.nan, np.inf])),
    saved(np.array(3.0)),
    saved(np.array([b"x"])),
    saved(np.zeros((0, 5))),
)


def rebuilt(content: bytes, name: str, entry: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    """A whole archive with another entry of this name."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", method) as new:
        for one in {**dict.fromkeys(old.namelist()), name: None}:
            new.writestr(one, entry if one == name else old.read(one))
    return file.getvalue()


def encrypted(content: bytes) -> bytes:
    """An archive all of whose entries are said to be encrypted."""
    changed = bytearray(content)
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        start = changed.find(mark)
        while start >= 0:
            changed[start + place] |= 1
            start = changed.find(mark, start + 4)
    return bytes(changed)


class WeightFiles:
    """One file of weights, or of self-play, that is damaged or was never whole."""

    share = 0.3

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "weights.npz"
        self.learners = [learner_for(make_game(spelling)) for spelling in GAMES]
        self.kinds: list[tuple[bytes, Weights]] = []
        for learner in self.learners:
            learner.save(learner.new_weights(1), self.path, {"note": "x" * 50})
            self.kinds.append((self.path.read_bytes(), learner.load(self.path)))

    def run(self, chance: Chance) -> int:
        """It is refused in a sentence with its name, or it holds what was written."""
        number = chance.randrange(len(self.kinds))
        learner, (content, truth) = self.learners[number], self.kinds[number]
        whole = chance.often(0.5)
        self.path.write_bytes(self.edited(content, chance) if whole else self.damaged(content, chance))
        try:
            found = learner.load(self.path)
        except LuoziError as error:
            assert str(self.path) in str(error), str(error)
            assert str(error).isprintable(), repr(str(error))
        else:
            for name, array in truth.items():
                assert found[name].shape == array.shape
                assert np.isfinite(found[name]).all()
                assert whole or np.array_equal(found[name], array), "wrong weights"
        try:
            read_weights(self.path)
        except LuoziError as error:
            assert str(self.path) in str(error), str(error)
        try:
            read_played(read_arrays(self.path), self.path)
        except DamagedFileError as error:
            assert str(self.path) in str(error), str(error)
        return 1

    def damaged(self, content: bytes, chance: Chance) -> bytes:
        """Other bytes than those of a weight file."""
        self.input = "bytes that differ from those of a weight file"
        return chance.spoil_bytes(content)

    def edited(self, content: bytes, chance: Chance) -> bytes:
        """A whole archive that holds something else."""
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
        match chance.randrange(4):
            case 0:
                self.input = "an encrypted archive"
                return encrypted(content)
            case 1:
                text = chance.choice(NOTES_TEXTS)
                self.input = f"notes {text[:50]!r}"
                return rebuilt(content, f"{NOTES}.npy", saved(np.frombuffer(text, np.uint8)))
            case 2:
                name, entry = chance.choice([*names, "other.npy", "../x.npy", "x"]), chance.choice(ENTRIES)
                method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
                self.input = f"{name} is {entry[:100]!r}"
                made = rebuilt(content, name, entry, method)
                return chance.spoil_bytes(made) if chance.often(0.2) else made
            case _:
                name = chance.choice(names)
                self.input = f"a damaged {name}"
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    return rebuilt(content, name, chance.spoil_bytes(archive.read(name)))
