"""Transcripts of what Luozi answered at commit 4b809c4, and how to produce them again.

`cases` lists what is asked, `replay` asks it through the command line, the protocols and the socket, and `transcripts/`
has the answers: moves, numbers and names of fields, without times and sentences. `python -m tests.golden --write`
writes them again, which is right only where a search was changed on purpose.
"""
