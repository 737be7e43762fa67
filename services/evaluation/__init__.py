"""Measure answers and retrieval on question sets with known answers."""
