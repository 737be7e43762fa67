"""A research: its graph, the phases in order, what they share, and its threads."""
