"""Parsers: one for each format, from a file to an `Extraction`, and what they share."""
