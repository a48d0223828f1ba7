"""The picture of what a network sees is the one that the tool draws from the position."""

from __future__ import annotations

from tools import planes_picture


def test_the_picture_of_the_planes_is_drawn_from_a_position():
    assert planes_picture.FILE.read_text(encoding="utf-8") == planes_picture.main() + "\n"
