"""Whether a report still says what its documents say; needs neither store nor model."""
