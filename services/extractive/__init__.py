"""What rules tell of a question: key phrases, facets, senses."""

from services.extractive.facets import CoverageReport, Facet, coverage, facets
from services.extractive.keyphrases import keyphrases, things_named
from services.extractive.questions import asks_amount
from services.extractive.senses import Sense, competing_senses

__all__ = [
    "CoverageReport",
    "Facet",
    "Sense",
    "asks_amount",
    "competing_senses",
    "coverage",
    "facets",
    "keyphrases",
    "things_named",
]
