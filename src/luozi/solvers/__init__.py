"""Exact solvers. Start with `solver`, which calls the one that a game names (`Game.exact_solver`).

`base` defines what a solver is, its stack and its transposition table. `depth_first` solves any game, `connect4`
(compiled: `connect4_proofs`) solves Connect Four. `threat_space` finds wins by forcing moves alone.
"""
