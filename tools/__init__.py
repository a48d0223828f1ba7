"""What is used while Luozi is worked on; nothing here is installed."""
