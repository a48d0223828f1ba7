"""Constants of a Go board: what stands on a point, and what a state counts around it."""

from __future__ import annotations

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
# `near` counts the neighbours of a point in three numbers of three bits: black, white and empty.
NEAR_BLACK, NEAR_WHITE, NEAR_EMPTY = 1, 8, 64
NOWHERE = -1
MANY = 8192  # liberties of the border and of empty points: never zero, whatever one move adds or removes
