"""How people ask, as tables: one module a language, data without logic."""

from typing import Final

from services.query.patterns import de, en, es, fr
from services.query.patterns.base import Table, compiled, prepared, spaced, without_accents
from services.value import Language

TABLES: Final[dict[Language, Table]] = {
    "de": de.TABLE,
    "en": en.TABLE,
    "fr": fr.TABLE,
    "es": es.TABLE,
}

__all__ = ["TABLES", "Table", "compiled", "prepared", "spaced", "without_accents"]
