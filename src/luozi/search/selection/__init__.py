"""How a child is chosen. A chooser is an object that compiles; the loop calls its methods.

`enter` gives the node under the last edge of the path, made if need be; 0 if there is none. `choose` gives the child to
go to, and whether it is new. `grow` makes a leaf's node where its value brought priors, and `awaits` tells whether one
is on its way. `back_up` credits a result to the path, and `learn` what else an iteration teaches.

Start with `plain.py` (UCT), then `likeliest.py` (PUCT), `guided.py` (PUCT by an evaluator's priors) and `scored.py`
(everything else).
"""
