"""k in a row on any box: rules with counters (`rules`) or bits (`bits`); what they know (`threats`, `knowledge`)."""

from luozi.games.lines.bits import BitLines, fits_in_bits
from luozi.games.lines.rules import Lines

__all__ = ["BitLines", "Lines", "fits_in_bits"]
