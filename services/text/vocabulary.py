"""Word lists as sets."""


def word_set(words: str) -> frozenset[str]:
    """The words of a white-space separated list."""
    return frozenset(words.split())
