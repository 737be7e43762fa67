"""A run as a file with which it can be replayed, without its model."""
