"""`python -m tests.golden [--write] [KIND ...]`: compare answers with their transcripts, or write these again."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

for name, value in {"LUOZI_THREADS": "1", "LUOZI_LANGUAGE": "en"}.items():
    os.environ.setdefault(name, value)
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="luozi-state-")

from tests.golden import cases, replay  # noqa: E402


def lines_of(value: object, depth: int) -> str:
    """JSON with a line for each item down to a depth."""
    if depth and isinstance(value, dict | list) and value:
        inner = [lines_of(one, depth - 1) for one in (value.values() if isinstance(value, dict) else value)]
        if isinstance(value, dict):
            return (
                "{\n" + ",\n".join(f"{json.dumps(key)}: {text}" for key, text in zip(value, inner, strict=True)) + "\n}"
            )
        return "[\n" + ",\n".join(inner) + "\n]"
    return json.dumps(value)


def main() -> int:
    """Go through all kinds or those that are named; the exit status."""
    write, kinds, wrong = "--write" in sys.argv, [word for word in sys.argv[1:] if word[0] != "-"], 0
    if write and "halves" in kinds:
        for name in cases.HALVES:
            with tempfile.TemporaryDirectory() as folder, replay.playground(Path(folder)):
                replay.half(name)
    for kind in kinds or replay.ASKED:
        began, found = time.process_time(), {}
        for name in replay.ASKED[kind][1]:
            with tempfile.TemporaryDirectory() as folder:
                found[name] = replay.answer(kind, name, Path(folder))
        if write:
            (replay.TRANSCRIPTS / f"{kind}.json").write_text(lines_of(found, 4) + "\n", encoding="utf-8")
        else:
            different = list(replay.differences(replay.transcript(kind), found))
            wrong += len(different)
            print(*different[:20], sep="\n")
        print(f"{kind}: {len(found)}, {time.process_time() - began:.1f} s of CPU", flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
