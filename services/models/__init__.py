"""Chat models by name, model tasks with repair and counted fallback, language guard."""
