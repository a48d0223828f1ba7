"""Exact answers. Start with `solver`, which asks the solver that a game names; `fours` finds wins by threats alone."""
