"""Luozi as a Go engine: the Go Text Protocol, version 2, and what Sabaki, Lizzie, GoGui and KGS say beside it."""
