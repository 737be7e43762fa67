"""Claims whose label is known by construction, and passages made of them."""
