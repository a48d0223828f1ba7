"""Lines of protocols, read and written, for players and servers."""
