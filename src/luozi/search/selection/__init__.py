"""Selection policies: subclasses of `SelectionPolicy` (`search/context.py`), one file each.

Start with `uct.py` (UCT), then `puct.py` (PUCT), `network_puct.py` (PUCT by the priors of an evaluator) and
`general.py` with `formulas.py` (all other formulas).
"""
