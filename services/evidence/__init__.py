"""What of a document can be quoted as proof, and what belongs to each quote."""

from services.evidence.references import refers_back
from services.evidence.units import quotable_units
from services.evidence.values import Unit, UnitKind

__all__ = ["Unit", "UnitKind", "quotable_units", "refers_back"]
