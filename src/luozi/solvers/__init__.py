"""Exact answers. Start with `solver`, which asks the solver that a game names (`Game.exact_solver`).

`base` says what a solver is; `general` and `connect4` are two, each with its compiled half (`depth_first`,
`connect4_proofs`) on the common `table` and `stack`. `fours` finds wins by threats alone.
"""
