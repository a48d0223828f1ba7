"""Plots and pages of contests and tunings; `pages` and `plots` are what all of them are made of."""
