"""Word lists as sets; outside `services.text`, whose other modules take time to load."""


def word_set(words: str) -> frozenset[str]:
    """The words of a white-space separated list."""
    return frozenset(words.split())
