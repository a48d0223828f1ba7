"""The tree of a search. Nothing outside this package writes its arrays while a search runs.

Start with `pool.py` (the layout of the node pool), then `edges.py` (nodes and edges), `tree.py` (side tables of
variants, transpositions) and `locking.py` (trees that several threads share). `children.py` reads a tree from Python,
`reroot.py` moves the root from move to move.
"""
