"""References in a text to sections, to other documents and to the web, found without a model.

What a reference leads to is decided by `services.references.registry`.
"""

from services.references.detect import detect_references as detect_references
from services.references.relations import with_relations as with_relations
