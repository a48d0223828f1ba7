"""What a person sees in a terminal. Start with `session` (a game) and `commands` (what can be typed beside moves)."""
