"""Questions that only the whole corpus answers: where a word stands, and what there is."""
