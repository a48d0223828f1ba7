"""What a game is: the base class `Game` that users derive from, states, positions, boards, and checks of classes."""
