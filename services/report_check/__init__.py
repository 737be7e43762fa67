"""Check offline, without a model, whether a report still says what its documents say."""
