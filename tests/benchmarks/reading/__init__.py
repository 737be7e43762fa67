"""Ask question sets of a capable model through the product, keep every call, and score."""
