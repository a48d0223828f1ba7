"""What results mean, as pure functions: scores and Elo (`matches`), ratings of many players, surfaces over values."""
