"""Folders of our own: nobody else sees them, and what a killed Luozi left is removed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import pytest

from luozi.cli.app import main
from luozi.util.tempdirs import OwnFolder, remove_stale

pytestmark = pytest.mark.skipif(os.name != "posix", reason="outside programs need Linux or macOS")


def left_behind(parent, name="luozi-own-left", owner="locked\n"):
    """A folder as a killed Luozi leaves it."""
    folder = parent / name
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "notes").write_text("notes")
    (folder / "owner").write_text(owner)
    return folder


def test_a_folder_is_private_and_goes_with_its_files(tmp_path):
    folder = OwnFolder(str(tmp_path))
    assert folder.base.stat().st_mode & 0o777 == 0o700
    (folder.path / "notes").write_text("notes")
    folder.remove()
    folder.remove()
    assert not list(tmp_path.iterdir())


def test_any_command_removes_what_a_killed_one_left(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left_behind(tmp_path)
    assert main(["--version"]) == 0
    assert not list(tmp_path.iterdir())


def test_what_lives_or_is_somebody_else_s_stays(tmp_path):
    elsewhere = left_behind(tmp_path / "elsewhere")
    (tmp_path / "luozi-own-link").symlink_to(elsewhere)
    (tmp_path / "luozi-own-file").write_text("a file")
    (tmp_path / "luozi-own-young").mkdir()
    left_behind(tmp_path, "luozi-own-begun", owner="")
    left_behind(tmp_path, "luozi-results")
    living = OwnFolder(str(tmp_path))
    before = sorted(tmp_path.rglob("*"))
    script = f"from luozi.util.tempdirs import remove_stale; remove_stale({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", script], check=True)
    remove_stale(str(tmp_path))
    assert sorted(tmp_path.rglob("*")) == before
    living.remove()


def test_what_never_got_its_lock_goes_when_it_is_old(tmp_path):
    bare, begun = tmp_path / "luozi-own-bare", left_behind(tmp_path, "luozi-own-begun", owner="")
    bare.mkdir()
    for folder in (bare, begun):
        os.utime(folder, (time.time() - 100,) * 2)
    remove_stale(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_can_not_be_listed_is_no_trouble(tmp_path):
    remove_stale(str(tmp_path / "missing"))
