"""Luozi as a program that others talk to: Gomocup brains, agents of the course platform. Start with `conversation`."""
