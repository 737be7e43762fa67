"""What rules tell of a question: its key phrases, and what it lists or compares."""

from services.extractive.facets import Facet, facets
from services.extractive.keyphrases import keyphrases, things_named

__all__ = ["Facet", "facets", "keyphrases", "things_named"]
