"""What a verification finds. Everything that comes from the report is somebody else's text."""

from pydantic import JsonValue

from services.value import Value


class Failure(Value):
    """A citation, or a sentence that needs one, that does not hold, and why.

    ``sentence`` is None for a place that the report lists apart from its sentences, ``citation``
    None where the sentence itself is at fault.
    """

    sentence: str | None
    citation: dict[str, JsonValue] | None
    reason: str


class Remark(Value):
    """Something that a reader should know though every citation holds."""

    sentence: str | None
    remark: str


class CheckedDocument(Value):
    """A document that the report names. ``path`` is relative to the folder that was searched."""

    document: str
    sha256: str
    found: bool
    path: str | None = None
    remark: str | None = None


class Verification(Value):
    """``ok``: nothing failed. ``checked`` counts citations, each as often as it is given."""

    ok: bool
    checked: int
    sentences: int
    failed: tuple[Failure, ...]
    remarks: tuple[Remark, ...]
    documents: tuple[CheckedDocument, ...]
