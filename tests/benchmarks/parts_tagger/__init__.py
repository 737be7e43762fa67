"""A trained tagger for the parts of a message, tried against the rules that the product has."""
