"""What all of Luozi uses and what knows no game: machines of a cluster."""
