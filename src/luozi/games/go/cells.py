"""What stands on the points of a Go board, and what a position counts around each of them."""

from __future__ import annotations

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
# `near` counts the neighbours of a point in three numbers of three bits: black, white and empty ones.
NEAR_BLACK, NEAR_WHITE, NEAR_EMPTY = 1, 8, 64
NOWHERE = -1
MANY = 8192  # liberties of the border and of empty points: never zero, whatever one move adds or takes
