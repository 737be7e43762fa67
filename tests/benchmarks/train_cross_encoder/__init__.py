"""Training of the cross-encoder: data, model, schedule, export (see README.md beside this file)."""
