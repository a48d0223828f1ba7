"""Luozi as a brain for Gomocup and all that speak its protocol (piskvork)."""
