"""References of a text to other places, as they stand there and as they are resolved."""

from typing import Literal

from services.domain.notices import Notice
from services.domain.value import Value

ReferenceType = Literal["section", "document", "external"]


class DetectedReference(Value):
    """A reference as it stands in a text, before it is resolved.

    ``text`` is verbatim at ``start``/``end``. ``label`` is the normalised section label
    (``§ 9a``, ``Anlage 4``, ``3.2``), ``subdivision`` the rest (``Absatz 3 Satz 1``),
    ``document`` the name hint as written (``Atomgesetzes``, ``PEP 484``). A range yields one
    reference per label with the same span. ``target`` is what to show.
    """

    text: str
    start: int
    end: int
    type: ReferenceType
    label: str | None
    subdivision: str | None
    document: str | None
    target: str


class ResolvedReference(Value):
    """What a reference leads to inside the scope. ``resolved_to`` reads ``AtG § 9a``."""

    reference: DetectedReference
    found: bool
    document_id: str | None = None
    document: str | None = None
    section: str | None = None
    chunk_ids: tuple[str, ...] = ()
    resolved_to: str | None = None
    reason: Notice | None = None
