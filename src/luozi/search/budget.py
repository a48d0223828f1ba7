"""What ends a search."""

from __future__ import annotations

from typing import NamedTuple


class Budget(NamedTuple):
    """What ends a search; 0 is no limit."""

    iterations: int
    seconds: float
    nodes: int

    def times(self, factor: float) -> Budget:
        """So many times as much of whatever is limited.

        >>> Budget(1000, 0.5, 0).times(1.1)
        Budget(iterations=1100, seconds=0.55, nodes=0)
        """
        return Budget(round(self.iterations * factor), self.seconds * factor, round(self.nodes * factor))
