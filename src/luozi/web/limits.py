"""Limits of a server that many people use."""

from __future__ import annotations

from dataclasses import dataclass

START_MEGABYTES = 150.0  # of the process before the first game
KERNEL_MEGABYTES = 5.0  # of one compiled function
# Of one message:
MOST_TEXT = 500_000  # characters of a record
MOST_WORD = 400  # characters of anything else
MOST_CELLS = 1_000
MOST_ACTIONS = 50_000
MOST_MOVES = 3_000
MOST_STEPS = 1_000  # of a walk


@dataclass(frozen=True)
class ServerLimits:
    """All limits of one server."""

    seconds: float = 60.0  # of thinking about a move
    iterations: int = 100_000_000
    analysis_seconds: float = 600.0  # of one position
    message_bytes: int = 2**20  # a record may be in it
    messages_each_second: float = 40.0
    messages_at_once: int = 120
    spelling: int = 4_000  # characters of a game: a position of a large board may be in it
    cells: int = MOST_CELLS  # of a board: larger ones are slow to draw and send
    actions: int = MOST_ACTIONS  # of a game: with three clicks a move, a small board has many
    moves: int = MOST_MOVES  # of a game
    tables: int = 20_000  # sessions in the database
    open_tables: int = 400  # sessions in memory
    new_tables: int = 60  # sessions that one connection may open in a minute
    connections: int = 500
    # Before the token is checked: each half-sent request and each slow reader holds a connection.
    sockets: int = 1_000  # connections of all addresses, at most as descriptors allow
    place_sockets: int = 100  # connections of one address; this machine may have half of all
    asking_seconds: float = 10.0  # to send a whole request
    taking_seconds: float = 30.0  # to take so many bytes of an answer
    taking_bytes: int = 16_384
    reading_share: float = 0.1  # of the network's thread, for reading what one connection sends
    reading_at_once: float = 0.5  # seconds of it
    log_lines_a_minute: float = 30.0
    log_lines_at_once: int = 60
    log_characters: int = 2_000  # of a line
    # Of one address, all its pages together:
    requests_each_second: float = 50.0
    requests_at_once: int = 500  # a page has many files
    place_messages_each_second: float = 400.0
    place_messages_at_once: int = 2_000
    place_new_tables: int = 600  # in a minute
    # Of one connection of this machine, besides what its address may send:
    always_each_second: float = 2.0
    always_at_once: int = 20
    always_new_tables: int = 6  # in a minute
    place_connections: int = 40  # pages of one address of another machine
    engines: int = 128  # with a tree each, which share the memory
    place_engines: int = 64  # of one address
    connection_engines: int = 16  # of one connection of this machine
    programs: int = 8  # external programs at once
    kernels: int = 100  # compiled functions, which stay until the process ends
    positions_megabytes: float = 200.0  # of all games in memory

    @property
    def base_megabytes(self) -> float:
        """Most megabytes of the server in normal use, besides the memory of its engines.

        >>> ServerLimits().base_megabytes
        850.0
        """
        return START_MEGABYTES + KERNEL_MEGABYTES * self.kernels + self.positions_megabytes
