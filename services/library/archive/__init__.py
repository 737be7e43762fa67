"""A collection in one file: writing it, checking it, and putting it back."""
