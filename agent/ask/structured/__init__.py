"""The structured route: what must be known, how it is found, what is missing, what is said."""
