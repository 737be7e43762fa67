"""Measuring the product's own search on question sets with known answers."""
