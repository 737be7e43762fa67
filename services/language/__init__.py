"""Language alone: text, numbers and units, and what a question says."""
