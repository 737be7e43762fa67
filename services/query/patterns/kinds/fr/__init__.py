"""How French puts each type of question."""

from typing import Final

from services.query.patterns.base import TypePatterns
from services.query.patterns.kinds.fr.contents import EXPLORATORY, FACTUAL
from services.query.patterns.kinds.fr.tasks import ANALYTICAL, PROCEDURAL
from services.query.patterns.kinds.fr.ties import COMPARATIVE, RELATIONAL
from services.query.values import QueryType

TYPES: Final[dict[QueryType, TypePatterns]] = {
    "comparative": COMPARATIVE,
    "relational": RELATIONAL,
    "procedural": PROCEDURAL,
    "analytical": ANALYTICAL,
    "exploratory": EXPLORATORY,
    "factual": FACTUAL,
}
