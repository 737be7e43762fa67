"""Questions that only the complete corpus answers: occurrences of words, and its documents."""
