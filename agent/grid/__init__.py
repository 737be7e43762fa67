"""Grids and sweeps: threads that read every row of a table, or every section of a scope."""
