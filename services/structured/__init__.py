"""The structured route without its engines: decomposition, fusion, coverage, differing values."""
