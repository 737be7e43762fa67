"""The agent route: a model thinks and chooses tools, step by step, within fixed limits."""
