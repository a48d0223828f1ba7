"""The best value of a parameter: what is tuned (`ranges`), trials, what they say (`result`), and that as text."""
