"""The reading test: a model writes answers only if it passes."""
