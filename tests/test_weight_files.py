"""Damaged weight files: each gets one sentence with the name of the file, whatever the bytes let other parts raise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fuzz.weights import encrypted, header, rebuilt, saved

import luozi
from luozi.cli.app import main
from luozi.evaluators.line_weights import new_weights, save_weights
from luozi.evaluators.weight_files import read_weights
from luozi.learning.folder import RunFolder

GAME = "connect4:rows=5,columns=5"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "whole.npz"
    save_weights(path, luozi.game(GAME), new_weights(luozi.game(GAME), 1), None)
    return path


def flipped(content: bytes, at: float) -> bytes:
    changed = bytearray(content)
    changed[int(at * len(content))] ^= 4
    return bytes(changed)


DAMAGE = {
    "a flipped bit": lambda content, _name: flipped(content, 0.5),
    "a flipped bit in the directory": lambda content, _name: flipped(content, 0.995),
    "encrypted": lambda content, _name: encrypted(content),
    "a deeply nested header": lambda content, name: rebuilt(content, name, header("'<f2'", "(" * 9000 + ")" * 9000)),
    "deeply nested JSON": lambda content, _name: rebuilt(content, "notes.npy", text("[" * 100_000)),
    "a number without end in JSON": lambda content, _name: rebuilt(content, "notes.npy", text("9" * 10_000)),
    "words": lambda content, name: rebuilt(content, name, saved(np.array(["abc"]))),
    "dates": lambda content, name: rebuilt(content, name, saved(np.array(["2020-01-01"], "M8[D]"))),
    "complex numbers": lambda content, name: rebuilt(content, name, saved(np.array([1j]))),
    "objects": lambda content, name: rebuilt(content, name, header("'|O'", "(1,)") + b"\x80\x04N."),
    "more than there is": lambda content, name: rebuilt(content, name, header("'<f2'", "(1000000000000,)")),
    "lzma that is damaged": lambda content, name: flipped(rebuilt(content, name, bytes(2000), 14), 0.3),
}


def text(words: str) -> bytes:
    return saved(np.frombuffer(words.encode(), np.uint8))


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.filterwarnings("error")
def test_every_kind_of_damage_gets_one_sentence(
    damage: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(whole) as arrays:
        first = f"{next(name for name in arrays.files if name != 'notes')}.npy"
    path = tmp_path / "bad.npz"
    path.write_bytes(DAMAGE[damage](whole.read_bytes(), first))
    assert main(["think", GAME, "--player", f"mcts:network={path},iterations=1"]) == 2
    said = capsys.readouterr().err
    assert said == f"luozi: {path} is not a file of weights, or damaged: make it with 'luozi learn'\n"


def test_a_folder_or_a_device_is_no_file_of_weights(tmp_path: Path) -> None:
    for path in (tmp_path, Path("/dev/zero")):
        with pytest.raises(luozi.LuoziError, match="can't be read: a folder, a device or a pipe"):
            read_weights(path)


def test_what_a_file_says_of_its_game_is_no_order_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    head = {"version": 2, "family": {"game": "\x1b[2J" + "x" * 10_000}}
    np.savez(path, notes=np.frombuffer(json.dumps(head).encode(), np.uint8))
    with pytest.raises(luozi.LuoziError, match="was learned for another game") as refused:
        luozi.Engine(luozi.game(GAME), network=str(path))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("entry", ["[" * 100_000, "9" * 10_000, "[]", "{}", "\xff"])
def test_a_state_of_the_trainer_with_another_entry_is_left_out(entry: str, tmp_path: Path) -> None:
    said: list[str] = []
    folder = RunFolder(tmp_path, said.append)
    np.savez(tmp_path / "trainer.npz", generation=3, entry=np.frombuffer(entry.encode("latin-1"), np.uint8))
    assert folder.read_trainer() is None
    assert "can't be read: it is damaged" in said[0]
