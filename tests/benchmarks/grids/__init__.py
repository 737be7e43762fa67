"""Measure grids, sweeps and contradictions with a model behind any OpenAI-compatible server."""
