"""Builds what programs read of the translations: MO files for Python's gettext, and JSON for the page.

`python page/catalogues.py` does it where something is older than its PO file. Needs Babel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src/luozi/messages/locale/zh/LC_MESSAGES/luozi.po"
COMPILED = SOURCE.with_suffix(".mo")
FOR_PAGE = HERE / "src/zh.json"
BETWEEN = "|"  # between a context and a message


def build() -> None:
    """Make both files anew where one is missing or older than the source."""
    built = [path.stat().st_mtime_ns for path in (COMPILED, FOR_PAGE) if path.exists()]
    if len(built) == 2 and min(built) > SOURCE.stat().st_mtime_ns:
        return
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with SOURCE.open("rb") as file:
        catalogue = read_po(file, locale="zh")
    with COMPILED.open("wb") as file:
        write_mo(file, catalogue)
    FOR_PAGE.write_text(json.dumps(for_page(catalogue), ensure_ascii=False, indent=0, sort_keys=True), "utf-8")


def for_page(catalogue: Any) -> dict[str, str]:
    """The Chinese of each message by its English; Chinese has one plural form."""
    found = {}
    for message in catalogue:
        one = message.id[0] if message.pluralizable else message.id
        said = message.string[0] if message.pluralizable else message.string
        if one:
            found[f"{message.context}{BETWEEN}{one}" if message.context else one] = said
    return found


if __name__ == "__main__":
    build()
