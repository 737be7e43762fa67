"""What is attached to e-mails becomes files, for as long as it takes to read them.

Each is a document of its own, called ``mail.eml / plan.pdf``, which lies below the mail as a file
lies in a folder: it is told, replaced, and proven like any file.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from services.catalog import Member
from services.catalog.memberships import ATTACHMENT_SEPARATOR, Memberships
from services.domain import FileOutcome
from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.ingestion.extraction import SUFFIXES
from services.ingestion.files import Candidate, came_from, is_within

MOST_MAILS: Final = 5
"""E-mails within each other of which the attachments are read."""

Unpack = Callable[[Path], list[tuple[str, bytes]]]
"""Name and content of the attachments of an e-mail; raises UnreadableDocument."""


def is_mail(file: Candidate) -> bool:
    return file.problem is None and SUFFIXES.get(file.path.suffix.lower()) in ("eml", "msg")


@contextmanager
def unpacked(mail: Candidate, unpack: Unpack) -> Iterator[list[Candidate]]:
    """The attachments of a mail as files, or one candidate that says why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            if mail.document.count(ATTACHMENT_SEPARATOR) >= MOST_MAILS:
                raise UnreadableDocument(
                    "it is attached to an e-mail in an e-mail, {most} deep; what is attached to "
                    "it is not read: save it by itself",
                    most=MOST_MAILS,
                )
            contents = unpack(mail.path)
        except UnreadableDocument as error:
            yield [_called(mail, mail.path, "…", error.notice)]
            return
        found = []
        for number, (name, content) in enumerate(contents):
            place = Path(folder, str(number), name)
            place.parent.mkdir()
            place.write_bytes(content)
            found.append(_called(mail, place, name))
        yield found


def attached(mail: Candidate, documents: Memberships, collection_id: str) -> list[Member]:
    """What a collection has of what is attached to a mail, or to its older versions."""
    if not is_mail(mail):
        return []
    return [
        each
        for each in documents.attached(collection_id, mail.document)
        if came_from(mail, each.source) or is_within(each.source, mail.source)
    ]


def detached(
    before: Sequence[Member], now: Sequence[Candidate], files: Mapping[Candidate, FileOutcome]
) -> Iterator[tuple[Member, Candidate | None]]:
    """What a mail has no more, with the file or attachment that now has that content.

    ``now`` begins with the mail itself; ``files`` are all that the ingestion has come to. Where
    something of the mail could not be opened, nobody knows.
    """
    if any(each.problem for each in now) or files[now[0]].status == "failed":
        return
    names = {each.document for each in now}
    contents = {result.document_id: each for each, result in files.items()}
    for member in before:
        if member.document not in names:
            yield member, contents.get(member.document_id)


def _called(mail: Candidate, place: Path, name: str, problem: Notice | None = None) -> Candidate:
    called = f"{mail.document}{ATTACHMENT_SEPARATOR}{name}", f"{mail.source}{os.sep}{name}"
    return Candidate(place, problem, called)
