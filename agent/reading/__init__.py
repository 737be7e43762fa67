"""One way to an answer: a model reads whole sections, and proves each claim with their words."""
