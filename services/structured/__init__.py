"""The structured route without its engines, as pure functions of values.

Decomposition by rules, fusion across sub-queries, coverage, differing values, times.
"""
