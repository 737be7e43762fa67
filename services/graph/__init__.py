"""The knowledge graph: what the documents name, define, cite and relate, and where they say it."""
