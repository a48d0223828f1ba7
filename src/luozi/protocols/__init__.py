"""What a line of a protocol means, read and written. Players and servers both stand on it."""
