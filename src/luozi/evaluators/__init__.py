"""What a position is worth. Knows games, and no tree.

Start with `thread.py` (the memory of one thread), then `playouts.py`. An evaluator is a plain object that compiles, as
games do: a search is compiled for the evaluator it is given.
"""
