"""Unpack attachments of e-mails into temporary files while they are ingested.

Each is a document of its own, ``mail.eml / plan.pdf``, as if the mail were a folder.
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
from services.domain.formats import SUFFIXES
from services.domain.notices import Notice
from services.ingestion.files import FileCandidate, is_from, is_within, stable_path

MOST_MAILS: Final = 5  # depth of e-mails within e-mails whose attachments are read

MOST_FILES: Final = 500
MOST_BYTES: Final = 500_000_000
"""Attachments of a file and their size, with those of the e-mails that are attached to it."""

Unpack = Callable[[Path], list[tuple[str, bytes]]]


def is_mail(file: FileCandidate) -> bool:
    return file.problem is None and SUFFIXES.get(file.path.suffix.lower()) in ("eml", "msg")


class Allowance:
    """Counts the attachments of a file, at any depth, up to their limits."""

    def __init__(self) -> None:
        self._files, self._bytes = MOST_FILES, MOST_BYTES

    def allows(self, content: bytes) -> bool:
        """Count an attachment unless it goes beyond a limit; then nothing more is allowed."""
        self._files -= 1
        self._bytes -= len(content)
        return min(self._files, self._bytes) >= 0


@contextmanager
def unpack_attachments(
    mail: FileCandidate, unpack: Unpack, allowance: Allowance
) -> Iterator[list[FileCandidate]]:
    """Yield the attachments of a mail as files; a last candidate says why others are missing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            if mail.document.count(ATTACHMENT_SEPARATOR) >= MOST_MAILS:
                raise UnreadableDocument(
                    "it is an e-mail nested {most} levels deep; its attachments are not read. Save "
                    "it as a separate file",
                    most=MOST_MAILS,
                )
            with stable_path(mail.path, mail.within, Path(folder)) as path:
                contents = unpack(path)
        except UnreadableDocument as error:
            yield [_attachment(mail, mail.path, "…", error.notice)]
            return
        candidates = []
        for number, (name, content) in enumerate(contents):
            if not allowance.allows(content):
                candidates.append(_attachment(mail, mail.path, "…", _too_many(contents[number:])))
                break
            file = Path(folder, str(number), name)
            file.parent.mkdir()
            file.write_bytes(content)
            candidates.append(_attachment(mail, file, name))
        yield candidates


def attached_members(
    mail: FileCandidate, documents: Memberships, collection_id: str
) -> list[Member]:
    if not is_mail(mail):
        return []
    return [
        member
        for member in documents.attached(collection_id, mail.document)
        if is_from(mail, member.source) or is_within(member.source, mail.source)
    ]


def removed_attachments(
    before: Sequence[Member],
    now: Sequence[FileCandidate],
    files: Mapping[FileCandidate, FileOutcome],
) -> Iterator[tuple[Member, FileCandidate | None]]:
    """Yield attachments that a mail no longer has, with the file that now has their content.

    ``now`` begins with the mail itself; nothing is yielded if a part of it could not be opened.
    """
    if any(candidate.problem for candidate in now) or files[now[0]].status == "failed":
        return
    names = {candidate.document for candidate in now}
    contents = {result.document_id: candidate for candidate, result in files.items()}
    for member in before:
        if member.document not in names:
            yield member, contents.get(member.document_id)


def _too_many(contents: Sequence[tuple[str, bytes]]) -> Notice:
    return Notice.of(
        "{count} of its attachments are not read: an e-mail may have up to {most} attachments "
        "({size} MB), including those of attached e-mails. Save the ones you need as separate "
        "files",
        count=len(contents),
        most=MOST_FILES,
        size=MOST_BYTES // 1_000_000,
    )


def _attachment(
    mail: FileCandidate, file: Path, name: str, problem: Notice | None = None
) -> FileCandidate:
    alias = f"{mail.document}{ATTACHMENT_SEPARATOR}{name}", f"{mail.source}{os.sep}{name}"
    return FileCandidate(file, problem, alias)
