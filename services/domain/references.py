"""References of a text to other places, as they stand there."""

from typing import Literal

from services.domain.value import Value

ReferenceType = Literal["section", "document", "external"]
RelationKind = Literal["replaces", "amends", "repeals"]


class DetectedReference(Value):
    """A reference as it stands in a text, before it is resolved.

    ``text`` is verbatim at ``start``/``end``. ``label`` is the normalised section label
    (``§ 9a``, ``Anlage 4``, ``3.2``), ``subdivision`` the rest (``Absatz 3 Satz 1``),
    ``document`` the name hint as written (``Atomgesetzes``, ``PEP 484``). A range yields one
    reference per label with the same span. ``target`` is what to show. ``relation`` is what the
    text says that it does to the target, None if it only cites it.
    """

    text: str
    start: int
    end: int
    type: ReferenceType
    label: str | None
    subdivision: str | None
    document: str | None
    target: str
    relation: RelationKind | None = None
