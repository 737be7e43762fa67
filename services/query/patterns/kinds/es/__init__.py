"""How Spanish puts each type of question."""

from typing import Final

from services.query.patterns.base import TypePatterns
from services.query.patterns.kinds.es.contents import EXPLORATORY, FACTUAL
from services.query.patterns.kinds.es.tasks import ANALYTICAL, PROCEDURAL
from services.query.patterns.kinds.es.ties import COMPARATIVE, RELATIONAL
from services.query.values import QueryType

TYPES: Final[dict[QueryType, TypePatterns]] = {
    "comparative": COMPARATIVE,
    "relational": RELATIONAL,
    "procedural": PROCEDURAL,
    "analytical": ANALYTICAL,
    "exploratory": EXPLORATORY,
    "factual": FACTUAL,
}
